"""Objects that many share, bots among them, and that nobody can change once they are made."""

from __future__ import annotations

from typing import NoReturn


class Frozen:
    """Takes no new values for its attributes after `freeze`; what it works out when asked it still may keep.

    A shield against mistakes, not against intent.
    """

    def freeze(self) -> None:
        """Take no new values from now on."""
        self.__dict__["_frozen"] = True

    def __setattr__(self, name: str, value: object) -> None:
        if "_frozen" in self.__dict__:
            self._refuse(name)
        object.__setattr__(self, name, value)

    def __delattr__(self, name: str) -> None:
        self._refuse(name)

    def _refuse(self, name: str) -> NoReturn:
        raise AttributeError(f"{type(self).__name__} cannot be changed, nor its {name!r}")
