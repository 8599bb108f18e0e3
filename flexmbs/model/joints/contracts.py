"""What a joint compiles to: scalar equations, each a sum of rows, each row a function of the poses of two markers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from flexmbs.core.references import Description

if TYPE_CHECKING:
    from flexmbs.model.bodies.marker import Marker

__all__ = ["Coordinates", "Equation", "Joint", "Motion", "Pair", "Row"]


class Motion(Protocol):
    """A prescribed motion: a function of time with two derivatives."""

    def at(self, t: float) -> tuple[float, float, float]:
        """Value, first and second derivative at time t."""


@dataclass(frozen=True)
class Row:
    """One scalar function of two markers: a kind of `flexmbs.kernels.rows.rows` with its constants.

    It enters the equation number ``equation`` of its joint, multiplied by ``factor``.
    """

    kind: int
    constants: tuple[float, ...] = ()
    equation: int = 0
    factor: float = 1.0


@dataclass(frozen=True, eq=False)
class Pair(Description):
    """Two markers and the rows between them."""

    a: Marker
    b: Marker
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class Equation:
    """One constraint: sum of factor * row - offset - motion(t) = 0.

    Where ``level`` is 1 only its derivative holds: sum of factor * (gradient . twists) - d(motion)/dt = 0; the value of
    the motion is not used.
    """

    label: str
    level: int = 0
    motion: Motion | None = None
    offset: float = 0.0


class Coordinates(Protocol):
    """What offers coordinates without being a joint of a model, such as the joints of trees."""

    @property
    def name(self) -> str:
        """For messages."""

    @property
    def coordinates(self) -> Mapping[str, Pair]:
        """Each with one row."""


class Joint(Protocol):
    """What the compiler reads of a joint."""

    @property
    def name(self) -> str:
        """For messages and results; unique in a model."""

    @property
    def pairs(self) -> tuple[Pair, ...]:
        """Pairs of markers with their rows."""

    @property
    def equations(self) -> tuple[Equation, ...]:
        """The constraints, numbered as the rows refer to them."""
