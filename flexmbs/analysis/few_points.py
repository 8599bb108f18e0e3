"""Contacts along bodies that are carried by too few points: watched from step to step, and told after the analysis."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from flexmbs.core.errors import AccuracyWarning
from flexmbs.system.distributed_contacts import AlongBody

if TYPE_CHECKING:
    from flexmbs.core.contracts import FloatArray
    from flexmbs.integrators.compiled.made_steps import Steps
    from flexmbs.integrators.contracts import StepState
    from flexmbs.model.contacts.distributed import DistributedPair
    from flexmbs.system.system import System

__all__ = ["FewPoints"]

ENOUGH = 3
"""Points beside each other that touch: a beam on a ball deflects right to some 2 % with two, and is wrong by 40 % and
more with one."""

FIRST = 50
"""States of a contact that has begun and grows until the end of the run, of which nothing is said."""


class FewPoints:
    """Follows the contacts along bodies, until in each of them enough points have touched at once.

    One or two points beside each other carry a force that should be spread over a zone: it acts there, and not where
    the bodies touch, and what lies between two points sinks in.
    """

    def __init__(self, system: System) -> None:
        self._watched = [
            _Watched(contact.name, pair, system)
            for contact in system.model.forces
            for pair in getattr(contact, "distributed", ())
        ]
        first = len(system.mechanics.contact_owners)
        self._gaps = slice(first, first + len(system.mechanics.distributed_owners))

    def begin(self, q: FloatArray, v: FloatArray) -> None:
        """A run begins at a state."""
        for one in self._watched:
            one.look(q, v)
            one.rests = one.most > 0

    def look(self, q: FloatArray, v: FloatArray) -> None:
        """At a state."""
        for one in self._watched:
            if one.most < ENOUGH:
                one.look(q, v)

    def step(self, new: StepState, gaps: FloatArray | None) -> None:
        """A step has been made; ``gaps (2, n)`` at its end, if they have been read."""
        if self._watched and (gaps is None or (gaps[0, self._gaps] <= 0.0).any()):
            self.look(new.q, new.v)

    def chunk(self, steps: Steps) -> None:
        """Several steps have been made in one call, which told their gaps."""
        if any(one.most < ENOUGH for one in self._watched):
            for i in np.flatnonzero((steps.gaps[:, 0, self._gaps] <= 0.0).any(axis=1)):
                self.look(steps.arrays.Q[i + 1], steps.arrays.V[i + 1])

    def warn(self) -> None:
        """Warn of each contact that touched, but never with enough points; not of one that has just begun."""
        for one in self._watched:
            if 0 < one.most < ENOUGH and not one.begins:
                one.tell()


class _Watched:
    """A pair, and the largest number of its points that have touched at once; ``rests``: from the first state on."""

    def __init__(self, contact: str, pair: DistributedPair, system: System) -> None:
        self.contact, self.pair, self.most, self.rests = contact, pair, 0, True
        self._reader = AlongBody(system.coordinates, pair)
        self._looks = 0
        self._deepest = self._depth = 0.0
        cells = pair.b.body.cells
        self._closed = not pair.b.body.surface and int(cells[0, 0]) == int(cells[-1, -1])

    def look(self, q: FloatArray, v: FloatArray) -> None:
        """At a state."""
        gaps = self._reader.states(q, v)[:, 3]
        touch = gaps <= 0.0
        self._depth = -float(gaps.min())
        if touch.any():
            now = int(touch.sum()) if self.pair.b.body.surface else _beside_each_other(touch, self._closed)
            self.most = max(self.most, now)
            self._looks += 1
            self._deepest = max(self._deepest, self._depth)

    @property
    def begins(self) -> bool:
        """Whether it was open at first, closed in few states, and is deeper than ever in the last one."""
        return not self.rests and self._looks < FIRST and self._depth >= self._deepest

    def tell(self) -> None:
        """The warning."""
        shape, along = self.pair.a, self.pair.b
        apart = float(along.table().w.max()) ** (0.5 if along.body.surface else 1.0)
        points = {1: "one point", 2: "two points"}[self.most]
        warnings.warn(
            f"Contact {self.contact!r}: {along} touches {shape} with no more than {points}, and they are {apart:.3g} "
            f"apart: the force acts at these points and not where the bodies touch, and these sink in between two "
            f"points. Take more elements, or points={2 * along.points} or more, until three of them touch.",
            AccuracyWarning,
            stacklevel=4,
        )


def _beside_each_other(touch: NDArray[np.bool_], closed: bool) -> int:
    """The largest number of neighbours (n,) that touch; in a ``closed`` line the last one is beside the first."""
    if touch.all():
        return len(touch)
    row = np.concatenate((touch, touch)) if closed else np.concatenate(((False,), touch, (False,)))
    return int(np.diff(np.flatnonzero(~row)).max(initial=1)) - 1
