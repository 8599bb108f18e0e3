"""What is stored of a run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from flexmbs.core.checks import as_array, as_flag, as_number, show
from flexmbs.core.errors import ModelError

__all__ = ["Output"]

MOST = 10_000_000
"""Stored states: more of them are a slip of the unit of time."""

ROUND_OFF = 1.0 + 1e-9
"""A time up to this many times the end is that of the end."""


@dataclass(frozen=True, kw_only=True)
class Output:
    """What is stored of a run.

    Parameters
    ----------
    every : float, optional
        Interval [time] of the stored states, which are interpolated; left out, without ``at``, every step is stored.
    at : sequence of float, optional
        Further times, ascending, up to the end of the run. Runs that go on from another leave out those that lie before
        their begin.
    energy : bool
        Whether the stored states have energies and constraint residuals. They are found when they are first asked for;
        as the states are stored in runs with a file, contacts, controllers, first-order states, functions of users,
        events that act, or markers that follow a tangent, where they depend on what only the run knows.

    Raises
    ------
    ModelError
        If a value is out of bounds, or (where it is used) a time is negative or behind the end of the run.

    Notes
    -----
    The output never changes the steps. Between two steps states are interpolated to the order of the scheme, positions
    and velocities as well as accelerations and multipliers, and with these reactions: by its polynomials (`RadauIIA`,
    `BDF`), by the equations of motion at the interpolated state (`RungeKutta`, for which they are solved when first
    asked for), and on straight lines where the scheme is of order 2.
    """

    every: float | None = None
    at: Sequence[float] = ()
    energy: bool = True

    def __post_init__(self) -> None:
        if self.every is not None:
            every = as_number("Output", "every", self.every, above=0.0, unit="time")
            object.__setattr__(self, "every", every)
        as_flag("Output", "energy", self.energy)
        at = as_array("Output", "at", self.at, (None,), unit="time")
        if np.any(np.diff(at) <= 0.0):
            raise ModelError(f"Output: at must ascend, not {show(at.tolist())}.")
        object.__setattr__(self, "at", tuple(at.tolist()))

    def refuse_outside(self, begin: float, end: float, owner: str = "simulate") -> None:
        """Refuse times that no part of a motion up to ``end`` has; those before ``begin`` are of a run before."""
        if self.at and self.at[0] < min(begin, 0.0):
            raise ModelError(f"{owner}: Output(at=...) asks for the state at {self.at[0]:g}; runs begin at 0.")
        if self.at and self.at[-1] > end * ROUND_OFF:
            raise ModelError(
                f"{owner}: Output(at=...) asks for the state at {self.at[-1]:g}, but the run ends at {end:g}. Leave "
                f"it out, or take a later end."
            )

    def times(self, begin: float, end: float) -> list[float] | None:
        """The times wanted after ``begin`` up to ``end``, ascending; None for every step."""
        if self.every is None and not self.at:
            return None
        wanted = {t for t in self.at if begin < t <= end * ROUND_OFF}
        if self.every is not None:
            if end - begin > MOST * self.every:
                raise ModelError(
                    f"Output: every = {self.every:g} makes more than {MOST:,} states in {end - begin:g}; take a larger "
                    f"one."
                )
            first = int(np.floor(begin / self.every + 1e-9)) + 1
            last = int(np.floor(end / self.every + 1e-9))
            wanted |= {k * self.every for k in range(first, last + 1)}
        wanted.add(end)
        return sorted({min(t, end) for t in wanted})
