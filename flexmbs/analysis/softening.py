"""Bodies in floating frames, and flexible links, that spin fast without geometric stiffening: told with an estimate."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, NamedTuple

from numpy.lib.stride_tricks import sliding_window_view

from flexmbs.analysis.spread_states import spread_states
from flexmbs.core.errors import AccuracyWarning

if TYPE_CHECKING:
    from flexmbs.core.contracts import FloatArray
    from flexmbs.results.time import TimeSolution
    from flexmbs.system.system import System

__all__ = ["warn_of_softening", "warn_of_softening_in_motion"]

SOFTENED = 0.1
"""Squared spin by squared lowest frequency that is worth a warning where nothing stiffens."""
MOST = 50
"""States of a motion that are looked at."""
LASTING = 5
"""So many of them in succession count, by the slowest: vibrations of the frame are no spin."""


class _Spin(NamedTuple):
    body: Any
    rates: FloatArray
    remedy: str

    def share(self, rate: float) -> float:
        """Squared spin by squared lowest frequency."""
        return float((rate / self.body.frequencies[0]) ** 2)


def warn_of_softening(system: System, q: FloatArray, v: FloatArray) -> None:
    """Warn of bodies that spin fast in one state, the start of a motion or a steady one."""
    for found in _spins(system, q[None], v[None]):
        if found.share(found.rates[0]) > SOFTENED:
            _warn(system, found, found.rates[0], "spins", "")


def warn_of_softening_in_motion(solution: TimeSolution, told: bool) -> None:
    """Warn of bodies that come to spin fast in a motion; ``told``: those that do at its start were told then."""
    system, rows = solution.system, spread_states(len(solution.t), MOST)
    for found in _spins(system, solution.q[rows], solution.v[rows]):
        lasting = sliding_window_view(found.rates, min(LASTING, len(rows))).min(axis=1)
        begin = int(lasting.argmax())
        if found.share(lasting[begin]) > SOFTENED and not (told and found.share(found.rates[0]) > SOFTENED):
            _warn(system, found, lasting[begin], "comes to spin", f" after t = {solution.t[rows[begin]]:g}")


def _spins(system: System, q: FloatArray, v: FloatArray) -> list[_Spin]:
    return [_Spin(*found) for group in system.coordinates.groups for found in group.soft(q, v)]


def _warn(system: System, found: _Spin, rate: float, does: str, when: str) -> None:
    warnings.warn(
        f"Model {system.model.name!r}: body {found.body.name!r} {does} with {rate:.3g} rad/time{when}, and its "
        f"lowest angular frequency is {found.body.frequencies[0]:.3g}. Without geometric stiffening the square of that "
        f"frequency is wrong by about {100.0 * found.share(rate):.0f} %; {found.remedy}.",
        AccuracyWarning,
        stacklevel=5,
    )
