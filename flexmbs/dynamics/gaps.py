"""The gaps of all contacts of one run, whatever their kind: what is looked at so that none is jumped over in silence.

A contact has one gap for each pair of bodies: of contacts along a body, or of two tubes, the least one. It is closed
where the gap is not positive. Pairs that are searched have gaps while they are candidates.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from flexmbs.core.contracts import FloatArray, State
from flexmbs.dynamics.stage_calls import state_of
from flexmbs.kernels.contacts import contact_gaps
from flexmbs.kernels.distributed_contacts import distributed_gaps
from flexmbs.system.crossing_contacts import crossing_pairs

if TYPE_CHECKING:
    from collections.abc import Hashable

    from flexmbs.dynamics.evaluation import Dynamics
    from flexmbs.integrators.contracts import StepState
    from flexmbs.kernels.contacts import ContactGroup
    from flexmbs.system.build import Mechanics

__all__ = ["GapRows", "Gaps", "pair_along", "single_pair"]


def single_pair(m: Mechanics, k: int) -> tuple[str, str]:
    """Name of the contact of pair k of markers, and what touches there in words."""
    ends = (m.markers.markers[int(side[k])] for side in (m.contacts.mA, m.contacts.mB))
    return m.contact_owners[k].name, " and ".join(map(str, ends))


def pair_along(m: Mechanics, item: int) -> tuple[str, str]:
    """The same of an element of a contact along a body."""
    end = m.markers.markers[int(m.distributed.mA[item])]
    pair = int(m.distributed.pair[item])
    return m.distributed_owners[pair].name, f"{m.distributed_shapes[pair]} and {end}"


class GapRows(NamedTuple):
    """Gaps and their rates (steps, 2, n) after each of several steps: of contacts, of those along bodies, of tubes."""

    single: FloatArray
    along: FloatArray
    crossing: FloatArray

    @classmethod
    def of(cls, dynamics: Dynamics, steps: int) -> GapRows:
        """For the permanent pairs of a system."""
        m = dynamics.mechanics
        numbers = len(m.contact_owners), len(m.distributed_owners), len(crossing_pairs(dynamics.system.model))
        return cls(*(np.zeros((steps, 2, n)) for n in numbers))

    def first(self, n: int) -> FloatArray:
        """Those of the first n steps (n, 2, permanent), in the order of `Gaps.read`."""
        return np.concatenate([part[:n] for part in self], axis=2)


class Gaps:
    """Reads the gaps of a state that is put in place.

    Attributes
    ----------
    exist : bool
        Whether there are contacts.
    permanent : int
        Number of the gaps that are those of the same pairs at all states: the first ones.
    of : object
        What the searched contacts among the gaps are: where it is another object, the gaps are of other pairs.
    """

    def __init__(self, dynamics: Dynamics) -> None:
        self.dynamics = dynamics
        m = dynamics.mechanics
        self._terms = [term for term in dynamics.system.terms if term.gaps is not None]
        self._tubes = crossing_pairs(dynamics.system.model)
        self._single, self._along = len(m.contact_owners), len(m.distributed_owners)
        self.permanent = self._single + self._along + len(self._tubes)
        self.exist = self.permanent > 0 or dynamics.candidates is not None
        self.of: ContactGroup | None = None
        self._state = State(*(np.zeros(0),) * 4)

    def place(self, q: FloatArray, v: FloatArray, a: FloatArray, lam: FloatArray) -> None:
        """Put a state in place, whose gaps are then read."""
        self._state = state_of(q, v, a, lam)
        self.dynamics.place(self._state)

    def follow(self, t: float) -> None:
        """Search for candidates around the state in place."""
        if self.dynamics.candidates is not None:
            self.dynamics.candidates.follow(t)
            self.of = self.dynamics.candidates.group

    def after(self, state: StepState) -> None:
        """A step has been made to a state, around which its forces were evaluated last: what was placed stands."""
        self._state = state_of(state.q, state.v, state.a, state.lam)
        if self.dynamics.candidates is not None:
            self.of = self.dynamics.candidates.group

    @property
    def count(self) -> int:
        """Number of the gaps: permanent ones, and those of present candidates."""
        return self.permanent + (0 if self.of is None else len(self.of.mA))

    def read(self) -> FloatArray:
        """Gaps and their rates (2, n) of the state in place, in the order of `pair`."""
        dyn, m = self.dynamics, self.dynamics.mechanics
        n, single, along = self.permanent, self._single, self._single + self._along
        gap, rate = out = np.zeros((2, self.count))
        if single:
            contact_gaps(m.contacts, dyn.markers, gap[:single], rate[:single])
        if along > single:
            distributed_gaps(m.distributed, self._state, dyn.markers, gap[single:along], rate[single:along])
        gap[along:n] = np.inf
        for term in self._terms:
            assert term.gaps is not None  # noqa: S101 - as asked before
            term.gaps(term.group, self._state, gap[along:n], rate[along:n])
        if self.of is not None:
            contact_gaps(self.of, dyn.markers, gap[n:], rate[n:])
        return out

    def key(self, k: int) -> Hashable:
        """What tells the pair of gap k from all others, in whatever order candidates come."""
        if k < self.permanent or self.of is None:
            return k
        n = k - self.permanent
        return (int(self.of.mA[n]), int(self.of.mB[n]), int(self.of.where[n]))

    def pair(self, k: int) -> tuple[str, str]:
        """Name of the contact of gap k, and what touches there in words."""
        m = self.dynamics.mechanics
        markers = m.markers.markers
        if k < self._single:
            return single_pair(m, k)
        k -= self._single
        if k < self._along:
            return pair_along(m, int(np.flatnonzero(m.distributed.pair == k)[0]))
        k -= self._along
        if k < len(self._tubes):
            contact, tubes = self._tubes[k]
            return contact.name, str(tubes)
        candidates = self.dynamics.candidates
        assert candidates is not None  # noqa: S101 - there are no other gaps
        contact, one, other = candidates.owner(k - len(self._tubes))
        return contact.name, f"{markers[one]} and {markers[other]}"
