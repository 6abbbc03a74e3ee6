"""What a bot may try on the kernel fails in the box, and the same reaches the kernel outside of it."""

from __future__ import annotations

import platform
from collections.abc import Callable
from errno import EACCES, EBADF, EFAULT, EINVAL, ENOENT, ENOSPC, ENOSYS, EOPNOTSUPP, EPERM
from typing import Any

import attacks_on_kernel as kernel
import pytest
from boxed import Zygote, refused, succeeded
from raw_calls import REFUSED, number_of

Attack = Callable[..., Any]


def named(attack: Attack) -> str:
    return str(attack.__name__)


ANYBODY: list[Attack] = [
    kernel.make_memory_file,
    kernel.ask_personality,
    kernel.make_timer,
    kernel.lock_memory,
    kernel.change_user,
    kernel.leave_session,
    kernel.page_out,
    kernel.make_cold,
    kernel.ask_the_cache,
    kernel.drop_from_cache,
]
WITH_WRONG_ARGUMENTS: list[tuple[Attack, int]] = [
    (kernel.mount, EFAULT),
    (kernel.change_root, EFAULT),
    (kernel.join_namespace, EBADF),
    (kernel.open_by_handle, EINVAL),
    (kernel.share_memory, EINVAL),
    (kernel.make_queue, ENOENT),
]
"""What the kernel says outside to arguments that it cannot take; users and containers may be refused before."""

BY_CONFIGURATION: list[Attack] = [
    kernel.set_personality,
    kernel.unshare_user,
    kernel.io_uring,
    kernel.handle_faults,
    kernel.load_program,
    kernel.count_events,
    kernel.use_keyring,
    kernel.add_key,
    kernel.make_secret_memory,
    kernel.compare,
]
"""What a kernel may be made without, and containers and settings refuse: here a success outside is no condition."""


@pytest.mark.parametrize("attack", ANYBODY, ids=named)
def test_what_anybody_may(zygote: Zygote, attack: Attack) -> None:
    refused(zygote(attack), EPERM)
    succeeded(zygote(attack, layers="none"))


@pytest.mark.parametrize(("attack", "error"), WITH_WRONG_ARGUMENTS)
def test_what_the_kernel_does_not_get_to_see(zygote: Zygote, attack: Attack, error: int) -> None:
    refused(zygote(attack), EPERM)
    refused(zygote(attack, layers="none"), error, EPERM)


@pytest.mark.parametrize("attack", BY_CONFIGURATION, ids=named)
def test_what_kernels_differ_in(zygote: Zygote, attack: Attack) -> None:
    refused(zygote(attack), EPERM)
    outside = zygote(attack, layers="none")
    if outside.raised is not None:
        assert outside.errno in (EPERM, EACCES, ENOSYS, EOPNOTSUPP, ENOSPC), outside


def test_pivot_root(zygote: Zygote) -> None:
    refused(zygote(kernel.pivot_root), EPERM)


@pytest.mark.parametrize("name", [name for name in REFUSED if number_of(name) is not None])
def test_hostile_calls_by_number(zygote: Zygote, name: str) -> None:
    """With arguments that mean nothing: none gets far enough to be told so."""
    refused(zygote(kernel.call, name=name), EPERM)


@pytest.mark.skipif(platform.machine() != "x86_64", reason="conventions of x86_64")
def test_other_conventions(zygote: Zygote) -> None:
    refused(zygote(kernel.use_second_convention), EPERM)
    outside, boxed = (zygote(kernel.use_old_convention, layers=layers) for layers in ("none", "box"))
    if outside.ended == 0:  # a kernel without it ends whoever tries
        succeeded(outside)
        refused(boxed, EPERM)


def test_calls_newer_than_the_list(zygote: Zygote) -> None:
    refused(zygote(kernel.use_unheard_of), ENOSYS)
