"""Substructures of a model, compiled: their groups, the floating bodies behind them, and what calls the kernels."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import TYPE_CHECKING

import numpy as np

from flexmbs.core.contracts import Env, FloatArray, IntArray, MarkerWork, State
from flexmbs.core.errors import ModelError
from flexmbs.core.rotations import from_quaternion
from flexmbs.core.sparsity import Blocks
from flexmbs.kernels.floating import floating_energy, floating_force, floating_mass
from flexmbs.kernels.floating_moments import FloatingGroup
from flexmbs.kernels.floating_tangent import floating_tangent
from flexmbs.kernels.substructure import SubstructureGroup, bending, lift, pulled_force, pulled_mass, pulled_tangent
from flexmbs.kernels.substructure_elasticity import elastic_energy
from flexmbs.model.forces.distributed import Gravity
from flexmbs.system.groups.own_arrays import Own, with_own

if TYPE_CHECKING:
    from flexmbs.model.bodies.substructure import Substructure
    from flexmbs.model.model import Model
    from flexmbs.system.coordinates import Coordinates

__all__ = ["SubstructureSet", "substructure_sets"]

WORK_ARRAYS = ("_q", "_v", "_a", "_gamma", "_force", "_mass", "_K", "_D")


class SubstructureSet:
    """All substructures with arrays of one size.

    Attributes
    ----------
    parts : tuple of Substructure
    group : SubstructureGroup
    floating : FloatingGroup
        The floating bodies, in a numbering of their own: m amplitudes of each, then the frames.
    dofs : (n, 12 + k) int array
        Places in v, with their blocks from ``b1`` on.
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
            room=np.zeros((n, 8, 3, 3)), line=np.zeros((n, 9, 3)),
        )  # fmt: skip
        self.floating = self._floating(model, turns[0])
        self._q, self._v, self._a = np.zeros(n * m + 7 * n), np.zeros(n * m + 6 * n), np.zeros(n * m + 6 * n)
        self._gamma, self._force = np.zeros((n, m)), np.zeros(n * m + 6 * n)
        shape = (n, 6 + m, 6 + m)
        self._mass, self._K, self._D = np.zeros(shape), np.zeros(shape), np.zeros(shape)

    def _floating(self, model: Model, rot: IntArray) -> FloatingGroup:
        n, m = self.n, self.m
        loads = [(i, load) for i, load in enumerate(model.loads) if isinstance(load, Gravity)]
        for _, load in loads:
            if len(load.acceleration) != 3:
                raise ModelError(f"Gravity: acceleration has 2 components, but {self.parts[0]} moves in space.")
        frames, shapes = n * m + 6 * np.arange(n), m * np.arange(n)
        dofs = np.concatenate((frames[:, None] + np.arange(6), shapes[:, None] + np.arange(m)), axis=1)
        return FloatingGroup.made(
            (dofs, n * m + 7 * np.arange(n), rot), 0, [p.inertia for p in self.parts],
            (np.zeros((n, m, m)), np.zeros((n, m, m))),
            (
                np.array([i for i, _ in loads], dtype=np.int64),
                np.array([load.acceleration for _, load in loads], dtype=np.float64).reshape(len(loads), 3),
            ),
        )  # fmt: skip

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
        own = tuple(getattr(self, name) for name in WORK_ARRAYS)
        return (*own, self.group.room, self.group.line, self.floating.work, self.floating.work4)

    def with_own(self, own: Own) -> SubstructureSet:
        """The same with work arrays of ``own``."""
        found = copy(self)
        found.group, found.floating = with_own(self.group, own), with_own(self.floating, own)
        for name in WORK_ARRAYS:
            setattr(found, name, own[getattr(self, name)])
        return found

    def _lift(self, state: State) -> None:
        lift(self.group, state, self._q, self._v, self._a, self._gamma)

    def mass(self, q: FloatArray, blocks: FloatArray, b1: int | None = None) -> None:
        """The mass at q into the blocks, from ``b1`` on."""
        none = np.zeros(int(self.dofs.max()) + 1)
        state = State(q, none, none, none)
        self._lift(state)
        floating_mass(self.floating, self._q, self._mass.reshape(-1))
        group = self.group if b1 is None else self.group._replace(b1=b1)
        pulled_mass(group, state, self._mass, blocks)

    def _forces(self, state: State, env: Env, work: MarkerWork) -> None:
        """Add all but M a to the residual; the mass is that of the last call of `mass`."""
        pulled_force(self.group, self._q, self._v, self._gamma, self._force, self._mass, work.r)

    def force(self, state: State, env: Env, work: MarkerWork) -> None:
        """r += all but M a."""
        self._lift(state)
        self._force[:] = 0.0
        floating_force(self.floating, self._state, env, self._work(work, self._K))
        self._forces(state, env, work)

    def tangent(self, state: State, env: Env, work: MarkerWork, weights: tuple[float, float]) -> None:
        """The same, and wq d(M a + ...)/dq T + wv d(...)/dv into the blocks."""
        self._lift(state)
        for out, pair in ((self._D, (0.0, 1.0)), (self._K, (1.0, 0.0))):
            self._force[:] = 0.0
            floating_tangent(self.floating, self._state, env, self._work(work, out), pair)
        self._forces(state, env, work)
        pulled_tangent(
            self.group, state, work.T, self._q, self._v, self._a, self._force, self._mass, self._K, self._D, weights,
            work.B,
        )  # fmt: skip

    @property
    def _state(self) -> State:
        """Of the floating bodies."""
        return State(self._q, self._v, self._a, self._gamma[0, :0])

    def _work(self, work: MarkerWork, B: FloatArray) -> MarkerWork:
        return work._replace(r=self._force, B=B.reshape(-1))

    def energies(self, q: FloatArray, scale: FloatArray) -> tuple[float, float]:
        """Strain energy, and the potential of gravity with these factors of loads."""
        none = np.zeros(int(self.dofs.max()) + 1)
        self._lift(State(q, none, none, none))
        found = np.zeros((self.n, 2))
        floating_energy(self.floating, self._q, scale, found)
        g, z = self.group, self._q[: self.n * self.m].reshape(self.n, self.m)
        strain = sum(elastic_energy(g.K[i], bending(g, i), z[i]) for i in range(self.n))
        return float(strain), float(found[:, 1].sum())

    def momentum(self, q: FloatArray, v: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Linear momentum, and angular momentum about the origin, (n, 3) each, inertial frame."""
        self._lift(State(q, v, np.zeros_like(v), v[:0]))
        floating_mass(self.floating, self._q, self._mass.reshape(-1))
        P, L = np.zeros((self.n, 3)), np.zeros((self.n, 3))
        for i, (dofs, iq) in enumerate(zip(self.floating.dofs, self.floating.qi, strict=True)):
            p = self._mass[i] @ self._v[dofs]
            P[i] = p[:3]
            L[i] = np.cross(self._q[iq : iq + 3], p[:3]) + from_quaternion(self._q[iq + 3 : iq + 7]) @ p[3:6]
        return P, L

    def centres(self, q: FloatArray) -> FloatArray:
        """First moments of mass (n, 3) about the origin."""
        none = np.zeros(int(self.dofs.max()) + 1)
        self._lift(State(q, none, none, none))
        out = np.zeros((self.n, 3))
        for i, iq in enumerate(self.floating.qi):
            z = self._q[i * self.m : (i + 1) * self.m]
            inertia = self.parts[i].inertia
            inside = inertia.first + inertia.P @ z
            out[i] = inertia.mass * self._q[iq : iq + 3] + from_quaternion(self._q[iq + 3 : iq + 7]) @ inside
        return out

    def amplitudes(self, q: FloatArray) -> FloatArray:
        """z (n, m) at q."""
        none = np.zeros(int(self.dofs.max()) + 1)
        self._lift(State(q, none, none, none))
        return self._q[: self.n * self.m].reshape(self.n, self.m).copy()


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
