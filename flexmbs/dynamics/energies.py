"""Energies and powers of a system at the state that was evaluated last."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.given import ENV, STATE, VELOCITY
from flexmbs.dynamics.stage_calls import Prepared, state_of
from flexmbs.dynamics.stages import Stage
from flexmbs.kernels.contacts import contact_energy
from flexmbs.kernels.distributed_contacts import distributed_energy
from flexmbs.kernels.nodal_loads import NodalLoads
from flexmbs.kernels.row_forces import row_force_energy
from flexmbs.kernels.steps import largest
from flexmbs.kernels.wrenches import wrench_force

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flexmbs.dynamics.evaluation import Dynamics
    from flexmbs.system.groups import BodyGroup

__all__ = ["Energies", "LossesOfTerms", "VaryingWeights"]


class LossesOfTerms:
    """Power of friction and damping in the terms of one `Dynamics`: contacts of lines."""

    def __init__(self, dynamics: Dynamics) -> None:
        self._terms = [term for term in dynamics.system.terms if term.power is not None]

    def __bool__(self) -> bool:
        return bool(self._terms)

    def power(self, q: FloatArray, v: FloatArray) -> float:
        """What they feed into the system; not positive if they only take."""
        state = state_of(q, v, v, v)
        return sum(term.power(term.group, state) for term in self._terms if term.power is not None)


class VaryingWeights:
    """Power of gravity that varies with time on the bodies of one `Dynamics` that apply it themselves.

    ``varies (n_loads,)``: which loads have a history.
    """

    def __init__(self, dynamics: Dynamics) -> None:
        self.varies = np.array([load.history is not None for load in dynamics.system.model.loads], dtype=bool)
        self._parts: list[tuple[BodyGroup, IntArray, FloatArray]] = []
        for group in dynamics.mechanics.groups:
            load, g = group.own_gravity
            varies = self.varies[load]
            if varies.any():
                self._parts.append((group, load[varies], g[varies]))

    def __bool__(self) -> bool:
        return bool(self._parts)

    def power(self, q: FloatArray, v: FloatArray, scale: FloatArray) -> float:
        """What it feeds into the system with these factors of loads."""
        power = 0.0
        for group, load, g in self._parts:
            power += float(scale[load] @ g @ group.momentum(q, v)[0])
        return power


class Energies:
    """Accounts of one `Dynamics`."""

    def __init__(self, dynamics: Dynamics) -> None:
        self.dynamics = dynamics
        m = dynamics.mechanics
        n = len(m.forces.mA)
        self._energy, self._power = np.zeros(n), np.zeros(n)
        self._of_contacts = np.zeros((2, len(m.contacts.mA)))
        self._along = np.zeros((2, len(m.distributed_owners)))
        self._nodal, self._losses = NodalLoads(dynamics), LossesOfTerms(dynamics)
        self._springs = Prepared(tuple(self._stages()), dynamics.given)
        told = (self._energy, self._power), self._of_contacts, self._along
        self._actuated = bool(m.of_actuators.any())
        self._stored = tuple(tuple(part) for part in told if len(part[0]))
        terms = [term for term in dynamics.system.terms if term.energy is not None]
        self._supports, self._lines = [t for t in terms if t.support], [t for t in terms if not t.support]
        c = dynamics.coordinates
        bodies, axes = np.arange(c.n_rotating)[:, None], np.arange(3)  # their places, in v and in q
        self._moved = (dynamics.n_linear + 6 * bodies + axes).ravel()
        self._placed = (dynamics.n_linear + 7 * bodies + axes).ravel()
        rows = np.flatnonzero(np.diff(m.markers.ptr) > 0)
        self._moving, self._first = rows, m.markers.ptr[rows]
        self._weights = VaryingWeights(dynamics)

    def kinetic(self, v: FloatArray) -> float:
        """v M v / 2 of all bodies; first-order states, which are velocities of their own, do not count."""
        dyn = self.dynamics
        if len(dyn.states):
            v = v.copy()
            v[dyn.states] = 0.0
        return 0.5 * float(v @ (dyn.mass_matrix @ v))

    def strain(self, q: FloatArray) -> float:
        """Strain energy of all bodies; springs of supports are not included."""
        return float(sum(group.strain_energy(q) for group in self.dynamics.mechanics.groups))

    def _stages(self) -> Iterator[Stage]:
        """Energies and powers of what acts between markers, and of contacts along bodies."""
        m, markers = self.dynamics.mechanics, self.dynamics.markers
        if len(self._energy):
            yield Stage("forces", row_force_energy, (m.forces, VELOCITY, ENV, markers, self._energy, self._power))
        if self._of_contacts.size:
            yield Stage("contacts", contact_energy, (m.contacts, VELOCITY, markers, *self._of_contacts))
        if self._along.size:
            yield Stage("contacts along bodies", distributed_energy, (m.distributed, STATE, markers, *self._along))

    def springs(self, q: FloatArray, v: FloatArray) -> tuple[float, float]:
        """Potential energy of forces between markers and of contacts, and the power that they feed into the system.

        Not that of actuators, which is the power of loads.
        """
        dyn = self.dynamics
        energy = power = 0.0
        if self._stored:
            self._springs.run(state_of(q, v, v, v), dyn.env)
            for energies, powers in self._stored:
                energy, power = energy + float(energies.sum()), power + float(powers.sum())
            if self._actuated:
                power -= float((self._power * dyn.mechanics.of_actuators).sum())
        if dyn.candidates is not None:
            stored, fed = dyn.candidates.energy(v)
            energy, power = energy + stored, power + fed
        return energy, power + self._losses.power(q, v)

    def supports(self, q: FloatArray) -> float:
        """Potential energy of elastic supports on nodes, zero where they are free of force."""
        return sum(term.energy(term.group, q) for term in self._supports if term.energy is not None)

    def potential(self, q: FloatArray) -> float:
        """Potential energy of steady dead loads, zero at the origin of all coordinates, and of lines that touch."""
        dyn = self.dynamics
        dead, n_linear, n = dyn.prescribed.steady_loads, dyn.n_linear, dyn.coordinates.n_rotating
        total = float(dead[:n_linear] @ q[:n_linear])
        total += sum(term.energy(term.group, q) for term in self._lines if term.energy is not None)
        if n:
            total += float(dead[self._moved] @ q[self._placed])
        scale = dyn.env.scale
        varies = self._weights.varies
        if varies.any():
            scale = scale.copy()
            scale[: len(varies)][varies] = 0.0
        return total + sum(group.weight_energy(q, scale) for group in dyn.mechanics.groups)

    def powers(self, q: FloatArray, v: FloatArray, lam: FloatArray) -> FloatArray:
        """Power (3,) of prescribed motions, of forces between markers, and of other loads."""
        dyn = self.dynamics
        loads = 0.0
        if not dyn.prescribed.steady:
            loads = float((dyn.prescribed.steady_loads - dyn.prescribed.loads) @ v)
            loads += self._weights.power(q, v, dyn.env.scale)
        loads += self._nodal.power(q, v, dyn.env.scale)
        m = dyn.mechanics
        if len(m.wrenches.mk):
            W = np.zeros_like(dyn.markers.W)
            wrench_force(m.wrenches, dyn.markers.R, dyn.env.scale, W)
            loads -= float((W * dyn.markers.twist).sum())
        if dyn.python.users:
            loads -= float((dyn.python.applied * dyn.markers.twist).sum())
        power = self.springs(q, v)[1]
        if self._actuated:
            loads += float((self._power * m.of_actuators).sum())
        return np.array([-float(lam @ dyn.motion[:, 1]), power, loads])

    def acceleration_gap(self, q: FloatArray, v: FloatArray, a: FloatArray) -> float:
        """Largest |G a + (dG/dt) v + g_tt|; leaves the kinematics of this state behind."""
        dyn = self.dynamics
        if not dyn.n_c:
            return 0.0
        markers, dof = dyn.markers, dyn.mechanics.markers.dof
        gap = dyn.gamma(q, v)
        held = markers.twist.copy()
        parts = markers.JT * a[dof][:, None]  # of the acceleration of a marker, one for each coordinate
        markers.twist[self._moving] = np.add.reduceat(parts, self._first)
        dyn.add_rates(gap)
        markers.twist[:] = held
        return float(largest(gap, 0))
