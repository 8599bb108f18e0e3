"""Substructures of a model, compiled: their groups, the floating bodies behind them, and the calls of kernels."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from flexmbs.core.contracts import FloatArray, IntArray, MarkerWork, State
from flexmbs.core.given import BLOCKS, COORDINATES, ENV, MASS, OPERATORS, RESIDUAL, STATE, WEIGHTS
from flexmbs.core.rotations import from_quaternion
from flexmbs.core.sparsity import Blocks
from flexmbs.kernels.floating import floating_energy, floating_force, floating_mass
from flexmbs.kernels.floating_tangent import floating_blocks
from flexmbs.kernels.inertia import clear_forces
from flexmbs.kernels.substructure import SubstructureGroup, bending, lift, lift_place, pulled_force, pulled_mass
from flexmbs.kernels.substructure_elasticity import elastic_energy
from flexmbs.kernels.substructure_tangent import pulled_tangent
from flexmbs.system.groups.floating import frame_momentum
from flexmbs.system.groups.gravity import gravity_of
from flexmbs.system.groups.inertia import call_all
from flexmbs.system.groups.own_arrays import Own, with_own
from flexmbs.system.own_floating import own_group, own_state, own_work

if TYPE_CHECKING:
    from flexmbs.model.bodies.substructure import Substructure
    from flexmbs.model.model import Model
    from flexmbs.system.coordinates import Coordinates
    from flexmbs.system.groups.inertia import Calls

__all__ = ["SubstructureSet", "substructure_sets"]


class SubstructureSet:
    """All substructures with arrays of one size.

    Attributes
    ----------
    parts : tuple of Substructure
    group : SubstructureGroup
    floating : FloatingGroup
        The floating bodies, in a numbering of their own (`flexmbs.system.own_floating`).
    own : OwnArrays
        Their state, which is lifted from that of the model, and what is evaluated of it.
    dofs : (n, 12 + k) int array
        Places in v, with their blocks from ``b1`` on.
    force, tangent, mass : Calls
        Calls of kernels for forces, these with their derivatives, and the mass; forces need the mass of the same place.
    """

    def __init__(self, parts: list[Substructure], model: Model, coordinates: Coordinates, b1: int) -> None:
        self.parts, self.b1 = tuple(parts), b1
        n, m = len(parts), 6 + parts[0].modes
        self.n, self.m = n, m
        starts, ends = ([coordinates.place(getattr(p, side)) for p in parts] for side in ("start", "end"))
        inner = [[coordinates.extra_place(e) for e in p.extra] for p in parts]
        self.dofs = np.array(
            [[*range(a, a + 6), *range(b, b + 6), *k] for (_, a), (_, b), k in zip(starts, ends, inner, strict=True)],
            dtype=np.int64,
        )
        turns: list[IntArray] = [
            np.array([(iv - coordinates.n_linear) // 6 for _, iv in side], dtype=np.int64) for side in (starts, ends)
        ]
        self.group = SubstructureGroup(
            dofs=self.dofs, b1=b1,
            qa=np.array([iq for iq, _ in starts], dtype=np.int64),
            qb=np.array([iq for iq, _ in ends], dtype=np.int64),
            ra=turns[0], rb=turns[1],
            s=np.array([p.end_point for p in parts]), d0=np.array([p.end_place for p in parts]),
            C=np.array([p.alignment for p in parts]), K=np.array([p.stiffness for p in parts]),
            D=np.array([p.viscosity for p in parts]), G=np.array([p.second_order for p in parts], order="C"),
            along=np.array([p.line.direction for p in parts]), weight=np.array([p.line.weights for p in parts]),
            slope=np.array([p.line.slopes for p in parts], order="C"),
            curve=np.array([p.line.curvatures for p in parts], order="C"),
            EI=np.array([p.line.stiffness for p in parts]), tau=np.array([p.retardation_time for p in parts]),
            room=np.zeros((n, 8, 3, 3)), line=np.zeros((n, 9, 3)), squares=np.zeros((6, 6 + m, 6 + m)),
        )  # fmt: skip
        loads = gravity_of(model, str(parts[0]))
        self.floating = own_group(
            [p.inertia for p in parts], (np.zeros((n, m, m)), np.zeros((n, m, m))), loads, turns[0]
        )
        size = n * (6 + m) ** 2
        self.own = OwnArrays(
            own_state(n, m), own_work(n, m), np.zeros((n, m)), np.zeros((n, m)), np.zeros(size), np.zeros(size),
            np.zeros(size),
        )  # fmt: skip
        self.force, self.tangent, self.mass = self._force(), self._tangent(), self._mass()

    def _force(self) -> Calls:
        """r += all but M a; the mass is that of the last calls of ``mass``."""
        group, floating, own = self.group, self.floating, self.own
        return (
            (lift, (group, STATE, own.state, own.gamma)),
            (clear_forces, (own.work.r,)),
            (floating_force, (floating, own.state, ENV, own.work)),
            (pulled_force, (group, own.state, own.gamma, own.work.r, own.M, own.elastic, RESIDUAL)),
        )

    def _tangent(self) -> Calls:
        """The same, and wq d(M a + ...)/dq T + wv d(...)/dv into the blocks."""
        floating, own = self.floating, self.own
        derivatives = tuple(
            (floating_blocks, (floating, own.state, ENV, OPERATORS, wanted, out))
            for wanted, out in (((1.0, 0.0), own.K), ((0.0, 1.0), own.D))
        )
        pulled = (
            self.group, STATE, own.state, own.work.r, own.M, own.elastic, own.K, own.D, OPERATORS, WEIGHTS, BLOCKS,
        )  # fmt: skip
        return (*self._force(), *derivatives, (pulled_tangent, pulled))

    def _mass(self) -> Calls:
        """The mass into the blocks."""
        group, own = self.group, self.own
        return (
            (lift_place, (group, COORDINATES, own.state.q)),
            (floating_mass, (self.floating, own.state.q, own.M)),
            (pulled_mass, (group, own.M, MASS)),
        )

    @property
    def blocks(self) -> Blocks:
        """Where their blocks lie."""
        return Blocks(self.dofs, self.b1)

    @property
    def end(self) -> int:
        """End of their blocks."""
        return int(self.b1 + self.dofs.size * self.dofs.shape[1])

    @property
    def scratch(self) -> tuple[FloatArray, ...]:
        """Work arrays."""
        group, floating = self.group, self.floating
        return (*self.own.arrays, group.room, group.line, group.squares, floating.work, floating.work4)

    def with_own(self, own: Own) -> SubstructureSet:
        """The same with work arrays of ``own``."""
        found = copy(self)
        for name in ("group", "floating", "own", "force", "tangent", "mass"):
            setattr(found, name, with_own(getattr(self, name), own))
        return found

    def write(self, q: FloatArray, blocks: FloatArray) -> None:
        """The mass at q into the blocks."""
        call_all(self.mass, {COORDINATES: q, MASS: blocks})

    def _place(self, q: FloatArray) -> FloatArray:
        """Coordinates of the floating bodies at q."""
        lift_place(self.group, q, self.own.state.q)
        return self.own.state.q

    def energies(self, q: FloatArray, scale: FloatArray) -> tuple[float, float]:
        """Strain energy, and the potential of gravity with these factors of loads."""
        own = self._place(q)
        found = np.zeros((self.n, 2))
        floating_energy(self.floating, own, scale, found)
        g, z = self.group, own[: self.n * self.m].reshape(self.n, self.m)
        strain = sum(elastic_energy(g.K[i], bending(g, i), z[i]) for i in range(self.n))
        return float(strain), float(found[:, 1].sum())

    def momentum(self, q: FloatArray, v: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Linear momentum, and angular momentum about the origin, (n, 3) each, inertial frame."""
        state, size = self.own.state, 6 + self.m
        lift(self.group, State(q, v, np.zeros_like(v), v[:0]), state, self.own.gamma)
        floating_mass(self.floating, state.q, self.own.M)
        P, L = np.zeros((self.n, 3)), np.zeros((self.n, 3))
        bodies = zip(self.own.M.reshape(self.n, size, size), self.floating.dofs, self.floating.qi, strict=True)
        for i, (M, dofs, iq) in enumerate(bodies):
            p = M @ state.v[dofs]
            P[i], L[i] = p[:3], frame_momentum(state.q[iq : iq + 7], p)
        return P, L

    def centres(self, q: FloatArray) -> FloatArray:
        """First moments of mass (n, 3) about the origin."""
        own = self._place(q)
        out = np.zeros((self.n, 3))
        for i, iq in enumerate(self.floating.qi):
            inertia = self.parts[i].inertia
            inside = inertia.first + inertia.P @ own[i * self.m : (i + 1) * self.m]
            out[i] = inertia.mass * own[iq : iq + 3] + from_quaternion(own[iq + 3 : iq + 7]) @ inside
        return out

    def amplitudes(self, q: FloatArray) -> FloatArray:
        """z (n, m) at q."""
        return self._place(q)[: self.n * self.m].reshape(self.n, self.m).copy()


class OwnArrays(NamedTuple):
    """Work arrays of the floating bodies of a set: of m amplitudes each, without elasticity of their own.

    ``work`` is of their forces; ``gamma (n, m)``: parts of the accelerations of the amplitudes by velocities;
    ``elastic (n, m)``: elastic forces; mass, stiffness and damping ``M, K, D``, blocks of (6 + m)^2.
    """

    state: State
    work: MarkerWork
    gamma: FloatArray
    elastic: FloatArray
    M: FloatArray
    K: FloatArray
    D: FloatArray

    @property
    def arrays(self) -> tuple[FloatArray, ...]:
        """Those that kernels write to."""
        return (*self.state[:3], self.work.r, self.gamma, self.elastic, self.M, self.K, self.D)


def substructure_sets(
    bodies: Sequence[Substructure], model: Model, coordinates: Coordinates, b1: int
) -> tuple[SubstructureSet, ...]:
    """A set for each size of their arrays; blocks from ``b1`` on."""
    found = []
    for key in sorted({_sort(p) for p in bodies}):
        found.append(SubstructureSet([p for p in bodies if _sort(p) == key], model, coordinates, b1))
        b1 = found[-1].end
    return tuple(found)


def _sort(part: Substructure) -> tuple[int, int, int]:
    """What parts of one set have in common: numbers of modes, of second-order fields and of points on the line."""
    return part.modes, len(part.second_order), len(part.line.weights)
