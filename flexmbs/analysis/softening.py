"""Bodies in floating frames, and flexible links, that spin fast without geometric stiffening: told with an estimate."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from flexmbs.core.errors import AccuracyWarning

if TYPE_CHECKING:
    from flexmbs.core.contracts import FloatArray
    from flexmbs.results.time import TimeSolution
    from flexmbs.system.system import System

__all__ = ["warn_of_softening", "warn_of_softening_in_motion"]

SOFTENED = 0.1
"""Squared spin by squared lowest frequency that is worth a warning where nothing stiffens."""
MOST = 50
"""States of a motion that are looked at, evenly over all of them; the last one is among them."""
LASTING = 5
"""So many of them in succession count, by the slowest: vibrations of the frame are no spin."""


class _Spin(NamedTuple):
    body: Any
    rate: float
    remedy: str

    @property
    def share(self) -> float:
        return float((self.rate / self.body.frequencies[0]) ** 2)


def warn_of_softening(system: System, q: FloatArray, v: FloatArray) -> None:
    """Warn of bodies that spin fast in one state, the start of a motion or a steady one."""
    for found in _spins(system, q, v):
        if found.share > SOFTENED:
            _warn(system, found, "spins", "")


def warn_of_softening_in_motion(solution: TimeSolution, told: bool) -> None:
    """Warn of bodies that come to spin fast in a motion; ``told``: those that do at its start were told then."""
    system, n = solution.system, len(solution.t)
    first = _spins(system, solution.q[0], solution.v[0])
    if not first:
        return
    rows = np.unique(np.linspace(0, n - 1, MOST).round().astype(np.int64))
    rates = np.array([[found.rate for found in _spins(system, solution.q[i], solution.v[i])] for i in rows])
    lasting = sliding_window_view(rates, min(LASTING, len(rows)), axis=0).min(axis=2)
    for found, kept in zip(first, lasting.T, strict=True):
        begin = int(kept.argmax())
        spin = found._replace(rate=float(kept[begin]))
        if spin.share > SOFTENED and not (told and found.share > SOFTENED):
            _warn(system, spin, "comes to spin", f" after t = {solution.t[rows[begin]]:g}")


def _spins(system: System, q: FloatArray, v: FloatArray) -> list[_Spin]:
    return [_Spin(*found) for group in system.coordinates.groups for found in group.soft(q, v)]


def _warn(system: System, found: _Spin, does: str, when: str) -> None:
    warnings.warn(
        f"Model {system.model.name!r}: body {found.body.name!r} {does} with {found.rate:.3g} rad/time{when}, and its "
        f"lowest angular frequency is {found.body.frequencies[0]:.3g}. Without geometric stiffening the square of that "
        f"frequency is wrong by about {100.0 * found.share:.0f} %; {found.remedy}.",
        AccuracyWarning,
        stacklevel=5,
    )
