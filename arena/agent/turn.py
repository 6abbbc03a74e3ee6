"""What a bot sees when it is asked: a read-only value, good for as long as the bot keeps it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol

from arena.dice.lattice import Faces, RollId, lattice
from arena.dice.rng import ROW_ROLL, Rng, RngKey
from arena.errors import nearest
from arena.game.showdown_game import Felt
from arena.records import Block
from arena.rules.card import Card, CardRules
from arena.rules.hands import HandRules
from arena.rules.model import Ruleset


class Opponent(NamedTuple):
    """Another seat at the table.

    Attributes:
        seat: from 0.
        card: points by row, None while open; empty in showdown.
        total: points so far, chips in showdown.
        out: True if the seat is out of the game by a fault.
    """

    seat: int
    card: Mapping[str, int | None]
    total: int
    out: bool = False


class GameKeys(Protocol):
    """Where the keys of games for random numbers come from."""

    def for_game(self, dice_set: int) -> int:
        """Return the key of one game."""


class SeatView:
    """What is the same in every turn of one seat of a leg: rules, seat, and the key of its random numbers."""

    __slots__ = ("_rngs", "array_keys", "key", "rolls", "rules", "ruleset", "seat", "seats")

    def __init__(
        self, rules: CardRules | HandRules, seat: int, seats: int, key: GameKeys, first_dice_set: int
    ) -> None:
        self.rules, self.ruleset, self.seat, self.seats = rules, rules.ruleset, seat, seats
        self.rolls = lattice(rules.ruleset.dice).rolls
        self.key = (key, first_dice_set)
        self._rngs: dict[int, tuple[tuple[int, int], Rng]] = {}
        self.array_keys: Any = None

    @classmethod
    def of(cls, rules: CardRules | HandRules, block: Block, seed: int, seating: int, seat: int) -> SeatView:
        """Return the view of a seat in one leg of a block."""
        names = [entrant.name for entrant in block.entrants]
        agent = block.seated(seating)[seat].name
        key = RngKey(seed, block.ruleset_hash, names, seating, seat, agent)
        return cls(rules, seat, block.seats, key, block.first)

    def rng(self, table: int, round_: int, roll: int) -> Rng:
        """Return the random numbers of a decision, going on where the bot left them within it."""
        at = round_, roll or self.ruleset.rolls  # a row is chosen after all holds of its round
        held = self._rngs.get(table)
        if held is None or held[0] != at:
            key, first = self.key
            fresh = at, Rng(key.for_game(first + table), round_, roll)
            if held is not None and at < held[0]:
                return fresh[1]  # of a turn that the bot has kept: it disturbs nothing
            self._rngs[table] = held = fresh
        return held[1]


_field = tuple.__getitem__
new_turn: Callable[[type[Turn], tuple[Any, ...]], Turn] = tuple.__new__
"""Makes a turn of (view, table, round, roll, roll id, whether a row is asked for, public): see `SeatView`, `Game`."""


class Turn(tuple[Any, ...]):
    """What a bot sees when it is asked to hold dice or to choose a row.

    A turn never changes and cannot be changed. Not given: the opponents' names, the game's number, the seed.
    """

    # A tuple inside, because nothing else is as quickly made and as hard to change; but no sequence to a bot: what a
    # tuple can do is taken away, which its type does not foresee.
    __slots__ = ()
    __iter__ = __getitem__ = __len__ = __contains__ = None  # type: ignore[assignment]  # as above
    __add__ = __mul__ = __rmul__ = index = count = None  # type: ignore[assignment]  # as above

    def __bool__(self) -> bool:
        return True

    @property
    def round(self) -> int:
        """The round, from 1."""
        round_: int = _field(self, 2)
        return round_

    @property
    def roll(self) -> int:
        """The roll now showing, from 1."""
        roll: int = _field(self, 3)
        return roll

    @property
    def roll_id(self) -> RollId:
        """The roll's number in ``arena.ROLLS``."""
        roll_id: RollId = _field(self, 4)
        return roll_id

    @property
    def _view(self) -> SeatView:
        view: SeatView = _field(self, 0)
        return view

    @property
    def _public(self) -> Any:
        return _field(self, 6)

    @property
    def _card(self) -> Card | None:
        public = _field(self, 6)
        return None if isinstance(public, Felt) else public[self._view.seat]

    @property
    def ruleset(self) -> Ruleset:
        """The rules, with every option resolved."""
        return self._view.ruleset

    @property
    def seat(self) -> int:
        """Your seat, from 0; seat 0 begins."""
        return self._view.seat

    @property
    def seats(self) -> int:
        """Seats at the table."""
        return self._view.seats

    @property
    def rolls_left(self) -> int:
        """Rolls that may still follow in this turn."""
        return self._view.ruleset.rolls - self.roll

    @property
    def dice(self) -> Faces:
        """The faces now showing, ascending."""
        return self._view.rolls[self.roll_id]

    @property
    def card(self) -> Mapping[str, int | None]:
        """Your points by row, None while open; empty in showdown."""
        return _mapping(self._view.rules, self._card)

    @property
    def open_rows(self) -> tuple[str, ...]:
        """The rows that this hand may legally fill now, in card order; none in showdown."""
        rules, card = self._view.rules, self._card
        if card is None or not isinstance(rules, CardRules):
            return ()
        return rules.open_rows(card, self.roll_id)

    @property
    def total(self) -> int:
        """Your points so far, with the bonuses earned; chips in showdown."""
        return self._total(self.seat)

    def _total(self, seat: int) -> int:
        public = _field(self, 6)
        total: int = public.chips[seat] if isinstance(public, Felt) else public[seat].total
        return total

    @property
    def opponents(self) -> tuple[Opponent, ...]:
        """The other seats, in seat order."""
        public, rules = _field(self, 6), self._view.rules
        seats = [seat for seat in range(self.seats) if seat != self.seat]
        if isinstance(public, Felt):
            nothing = _mapping(rules, None)
            return tuple(Opponent(seat, nothing, public.chips[seat], bool(public.out >> seat & 1)) for seat in seats)
        cards = [(seat, public[seat]) for seat in seats]
        return tuple(Opponent(seat, _mapping(rules, card), card.total, card.out) for seat, card in cards)

    def score(self, row: str) -> int:
        """Return what the dice now showing would pay in a row, without section bonuses.

        Args:
            row: the name of a row.

        Raises:
            ValueError: if there is no such row.
        """
        rules, card = self._view.rules, self._card
        if card is None or not isinstance(rules, CardRules) or row not in rules.row_ids:
            names = rules.names if isinstance(rules, CardRules) else ()
            raise ValueError(f"no row {row!r} in {self.ruleset.id}{nearest(row, names)}")
        return rules.row_pays(card, rules.row_ids[row], self.roll_id, self.roll == 1)

    @property
    def rng(self) -> Rng:
        """Random numbers of this decision: ``random()``, ``below(n)``, ``choice(seq)``."""
        return self._view.rng(_field(self, 1), _field(self, 2), ROW_ROLL if _field(self, 5) else _field(self, 3))

    @property
    def hands(self) -> tuple[Faces | None, ...]:
        """In showdown, the hands of this round by seat, None before they are rolled; else empty."""
        public = _field(self, 6)
        if not isinstance(public, Felt):
            return ()
        return tuple(None if hand is None else self._view.rolls[hand] for hand in public.hands)

    @property
    def chips(self) -> tuple[int, ...]:
        """In showdown, chips by seat (sixtieths of rounds won, without an ante); else empty."""
        public = _field(self, 6)
        return public.chips if isinstance(public, Felt) else ()

    @property
    def pot(self) -> int:
        """In showdown, what is in the pot; else 0."""
        public = _field(self, 6)
        return public.pot if isinstance(public, Felt) else 0

    def __repr__(self) -> str:
        dice = " ".join(map(str, self.dice))
        return f"<Turn: {self.ruleset.id}, seat {self.seat}, round {self.round}, roll {self.roll}: {dice}>"


def position_of(turn: Turn) -> tuple[SeatView, Any]:
    """Return what a turn knows of its seat, and what everybody sees: for the arena's own helpers."""
    return turn._view, turn._public


def _mapping(rules: CardRules | HandRules, card: Card | None) -> Mapping[str, int | None]:
    if card is None or not isinstance(rules, CardRules):
        return MappingProxyType({})
    return MappingProxyType(dict(zip(rules.names, card.points, strict=True)))
