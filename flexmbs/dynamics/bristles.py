"""The bristles of all dry friction of one run that has a static limit above that of sliding: what they carry."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.dynamics.gaps import pair_along, single_pair
from flexmbs.dynamics.stage_calls import state_of
from flexmbs.kernels.contact_laws import BRISTLE as BRISTLE_OF_CONTACT
from flexmbs.kernels.contact_laws import FRICTION_OF_CONTACT
from flexmbs.kernels.early_slip import contact_bristles, distributed_bristles, force_bristles
from flexmbs.kernels.laws import BRISTLE

if TYPE_CHECKING:
    from flexmbs.dynamics.evaluation import Dynamics
    from flexmbs.integrators.contracts import StepState

__all__ = ["BristleRows", "Bristles", "StaticFriction"]


class StaticFriction(NamedTuple):
    """Numbers (n,) of bristles; of contacts limits and ``begin`` are over the normal force.

    ``stiffness``; ``slide, static``: limits; ``falling``: rate at which the one becomes the other; ``begin``: what they
    carry without yielding. Zeros where there is no bristle.
    """

    stiffness: FloatArray
    slide: FloatArray
    static: FloatArray
    falling: FloatArray
    begin: FloatArray

    @property
    def watched(self) -> bool:
        """Whether any of them has a static limit above that of sliding."""
        return len(self.static) > 0 and bool((self.static > self.slide).any())


NONE = StaticFriction(*np.zeros((5, 0)))


def _of_forces(group: Any) -> StaticFriction:
    if not len(group.mA):
        return NONE
    out = np.zeros((5, len(group.mA)))
    for n in np.flatnonzero(group.law == BRISTLE):
        k0, _, _, slide, static, falling, z0 = group.data[group.where[n] : group.where[n] + 7]
        out[:, n] = k0, slide, static, falling, k0 * z0
    return StaticFriction(*out)


def _of_contacts(group: Any, items: IntArray) -> StaticFriction:
    if not len(items):
        return NONE
    out = np.zeros((5, len(items)))
    at = group.where[items] + FRICTION_OF_CONTACT
    for n in np.flatnonzero(group.data[at] == BRISTLE_OF_CONTACT):
        k0, _, slide, static, falling, breakaway = group.data[at[n] + 1 : at[n] + 7]
        out[:, n] = k0, slide, static, falling, breakaway * slide
    return StaticFriction(*out)


def _frictions(dynamics: Dynamics) -> tuple[StaticFriction, StaticFriction, StaticFriction]:
    """Of forces between markers, contacts, and the points of contacts along bodies."""
    m = dynamics.mechanics
    along = NONE
    if len(m.distributed.mA):
        along = _of_contacts(m.distributed, np.repeat(np.arange(len(m.distributed.mA)), np.diff(m.distributed.points)))
    return _of_forces(m.forces), _of_contacts(m.contacts, np.arange(len(m.contacts.mA))), along


class BristleRows(NamedTuple):
    """Rows (steps, 3, n) of `flexmbs.kernels.early_slip` after each of several steps; n = 0 where none is watched."""

    forces: FloatArray
    contacts: FloatArray
    along: FloatArray

    @classmethod
    def of(cls, dynamics: Dynamics, steps: int) -> BristleRows:
        """For the bristles of a system."""
        return cls._for(_frictions(dynamics), steps)

    @classmethod
    def _for(cls, frictions: tuple[StaticFriction, ...], steps: int) -> BristleRows:
        return cls(*(np.zeros((steps, 3, len(f.begin) if f.watched else 0)) for f in frictions))

    def first(self, n: int) -> FloatArray:
        """Those of the first n steps (n, 3, all)."""
        return np.concatenate([part[:n] for part in self], axis=2)


class Bristles:
    """Reads what the bristles of a state carry.

    Attributes
    ----------
    exist : bool
        Whether there are any with a static limit above that of sliding.
    friction : StaticFriction
        Of all of them, in the order of `BristleRows`.
    """

    def __init__(self, dynamics: Dynamics) -> None:
        self.dynamics = dynamics
        every = _frictions(dynamics)
        self._rows = BristleRows._for(every, 1)
        parts = [f for f in every if f.watched]
        self.exist = len(parts) > 0
        self.friction = StaticFriction(*(np.concatenate(x) for x in zip(*parts, strict=True))) if parts else NONE

    def read(self, state: StepState) -> FloatArray:
        """Rows (1, 3, n) at a state, which is put in place."""
        dyn, m = self.dynamics, self.dynamics.mechanics
        at = state_of(state.q, state.v, state.a, state.lam)
        dyn.place(at)
        forces, contacts, along = self._rows
        if forces.size:
            force_bristles(m.forces, at.v, dyn.markers, forces[0])
        if contacts.size:
            contact_bristles(m.contacts, at.v, dyn.markers, contacts[0])
        if along.size:
            distributed_bristles(m.distributed, at, dyn.markers, along[0])
        return self._rows.first(1)

    def name(self, k: int) -> tuple[str, str]:
        """Name of the force or contact of bristle k, and of a contact what touches there in words, otherwise empty."""
        m = self.dynamics.mechanics
        forces, contacts, _ = (part.shape[2] for part in self._rows)
        if k < forces:
            return m.force_owners[k].name, ""
        k -= forces
        if k < contacts:
            return single_pair(m, k)
        return pair_along(m, int(np.searchsorted(m.distributed.points, k - contacts, side="right")) - 1)
