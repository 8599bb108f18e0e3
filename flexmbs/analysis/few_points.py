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
    from flexmbs.integrators.compiled.driver import Steps
    from flexmbs.model.contacts.distributed import DistributedPair
    from flexmbs.system.system import System

__all__ = ["FewPoints"]

ENOUGH = 3
"""Points beside each other that touch: a beam on a ball deflects right to some 2 % with two, and is wrong by 40 % and
more with one."""


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

    def look(self, q: FloatArray, v: FloatArray) -> None:
        """At a state."""
        for one in self._watched:
            if one.most < ENOUGH:
                one.look(q, v)

    def chunk(self, steps: Steps) -> None:
        """Several steps have been made in one call, which told their gaps."""
        if any(one.most < ENOUGH for one in self._watched):
            for i in np.flatnonzero((steps.gaps[:, 0, self._gaps] <= 0.0).any(axis=1)):
                self.look(steps.arrays.Q[i + 1], steps.arrays.V[i + 1])

    def warn(self) -> None:
        """Warn of each contact that touched, but never with enough points."""
        for one in self._watched:
            if 0 < one.most < ENOUGH:
                one.tell()


class _Watched:
    """A pair, and the largest number of its points that have touched at once."""

    def __init__(self, contact: str, pair: DistributedPair, system: System) -> None:
        self.contact, self.pair, self.most = contact, pair, 0
        self._reader = AlongBody(system.coordinates, pair)

    def look(self, q: FloatArray, v: FloatArray) -> None:
        """At a state."""
        touch = self._reader.gaps(q, v) <= 0.0
        if touch.any():
            now = int(touch.sum()) if self.pair.b.body.surface else _beside_each_other(touch)
            self.most = max(self.most, now)

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


def _beside_each_other(touch: NDArray[np.bool_]) -> int:
    """The largest number of neighbours (n,) that touch; the last one is beside the first, as in a belt."""
    open_at = np.flatnonzero(~np.concatenate((touch, touch)))
    return len(touch) if not len(open_at) else int(np.diff(open_at).max(initial=1)) - 1
