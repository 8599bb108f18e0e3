r"""Inertia and elasticity of flexible links, from the kernels of bodies in floating frames.

For each flexible link a floating body is kept whose frame rests in the link: its velocities and accelerations (gravity
included) are those of the link in its own axes. What the kernels give for it, force f, moment n, forces on the shapes,
and their derivatives, is carried to the origin of reference of the tree and to the coordinates of its joints. With the
mass M, the derivative D by velocities (of point, angle, shapes), and the velocity v of the origin of the link,

.. math:: C = D_{\cdot\omega} - 2 M_{\cdot v}\tilde v - M_{\cdot\omega}\tilde\omega

has the part of `flexmbs.kernels.trees.dynamics` in its rows of force and moment, and rows of the shapes beside them.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy as shallow_copy
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from flexmbs.core.contracts import Env, FloatArray, MarkerWork, State
from flexmbs.core.given import (
    ACCELERATION,
    BLOCKS,
    COORDINATES,
    MASS,
    RESIDUAL,
    SCALE,
    VELOCITY,
    WEIGHTS,
    WORK,
)
from flexmbs.kernels.floating import floating_force, floating_mass
from flexmbs.kernels.floating_moments import FloatingGroup
from flexmbs.kernels.floating_tangent import floating_blocks
from flexmbs.kernels.inertia import clear_forces
from flexmbs.kernels.trees.dynamics import composite_mass, composite_tangent, inwards, link_inertias, rigid_wrenches
from flexmbs.kernels.trees.flexible_kernels import (
    LinkGroup,
    add_inertia,
    add_mass,
    add_products,
    add_rows,
    add_wrenches,
    gather_rows,
    gather_shapes,
    link_frames,
    link_motion,
)
from flexmbs.kernels.trees.group import TreeGroup
from flexmbs.kernels.trees.motion import outwards, place_columns
from flexmbs.model.trees.flexible_link import FlexibleLink
from flexmbs.system.groups.inertia import call_all
from flexmbs.system.groups.own_arrays import Own, with_own
from flexmbs.system.own_floating import own_group, own_state, own_work
from flexmbs.system.tree_places import TreePlaces

if TYPE_CHECKING:
    from flexmbs.system.groups.inertia import Calls

__all__ = ["FlexibleLinks"]

Call = tuple[Any, tuple[Any, ...]]


class FlexibleLinks:
    """The flexible links of all trees of a model.

    ``force``, ``tangent``, ``mass``: forces, tangents and masses of these trees, as calls of kernels; ``energy(q)`` is
    the strain energy of the links.
    """

    def __init__(self, group: TreeGroup, places: Sequence[TreePlaces]) -> None:
        self.group = group
        self.parts: tuple[tuple[LinkGroup, FloatingGroup, _Local], ...] = ()
        found: dict[int, list[tuple[int, int, TreePlaces]]] = {}
        for t, tree in enumerate(places):
            for i, link in enumerate(tree.tree.links):
                if isinstance(link, FlexibleLink):
                    found.setdefault(link.modes, []).append((t, i, tree))
        for m, links in sorted(found.items()):
            self._add(m, links)
        self.force, self.tangent, self.mass = self._force(), self._tangent(), self._mass()

    def _add(self, m: int, links: list[tuple[int, int, TreePlaces]]) -> None:
        group, n = self.group, len(links)
        column, R, p, eta, place, bodies = [], [], [], [], [], []
        for t, i, tree in links:
            c = int(tree.columns.behind[i])
            column.append(c + int(group.start[t]) if c >= 0 else -1)
            R.append(tree.columns.R_L[i])
            p.append(tree.columns.p_L[i])
            eta.append(tree.eta[i])
            at = {int(k): j for j, k in enumerate(tree.unknowns)}
            place.append([at[int(k)] for k in tree.eta[i]])
            bodies.append(tree.tree.links[i].floating)  # type: ignore[union-attr]
        own = LinkGroup(
            np.array(column, dtype=np.int64), np.array([t for t, _, _ in links], dtype=np.int64), np.array(R),
            np.array(p), np.array(eta, dtype=np.int64).reshape(n, m), np.array(place, dtype=np.int64).reshape(n, m),
            np.zeros((n, 4, 3)),
        )  # fmt: skip
        floating = own_group(
            [b.inertia for b in bodies],
            (np.array([b.stiffness for b in bodies]), np.array([b.viscosity for b in bodies])),
            (np.zeros(0, dtype=np.int64), np.zeros((0, 3))), np.arange(n),
        )  # fmt: skip
        self.parts += ((own, floating, _local(n, m)),)

    def _force(self) -> Calls:
        """As `flexmbs.kernels.trees.dynamics.tree_force`."""
        group = self.group
        calls: list[Call] = [
            (place_columns, (group, COORDINATES)),
            (outwards, (group, COORDINATES, VELOCITY, ACCELERATION, SCALE, False)),
            (rigid_wrenches, (group, WORK, False)),
        ]
        for part in self.parts:
            calls += self._evaluate(*part)
        return (*calls, (inwards, (group, WORK, False)))

    def _tangent(self) -> Calls:
        """As `flexmbs.kernels.trees.dynamics.tree_tangent`."""
        group = self.group
        calls: list[Call] = [
            (place_columns, (group, COORDINATES)),
            (outwards, (group, COORDINATES, VELOCITY, ACCELERATION, SCALE, True)),
            (rigid_wrenches, (group, WORK, True)),
        ]
        for links, floating, local in self.parts:
            calls += self._evaluate(links, floating, local)
            for wanted, out in (((1.0, 0.0), local.K), ((0.0, 1.0), local.D)):
                calls.append((floating_blocks, (floating, local.state, local.env, local.T, wanted, out)))
            calls.append((add_inertia, (group, links, local.state.v, local.M, local.D, True)))
        calls += [(inwards, (group, WORK, True)), (composite_tangent, (group, COORDINATES, WORK, WEIGHTS))]
        for links, _, local in self.parts:
            calls.append((add_rows, (group, links, local.state.v, local.M, local.K, local.D, WEIGHTS, BLOCKS)))
        return tuple(calls)

    def _mass(self) -> Calls:
        """As `flexmbs.kernels.trees.dynamics.tree_mass`."""
        group = self.group
        calls: list[Call] = [(place_columns, (group, COORDINATES)), (link_inertias, (group,))]
        for links, floating, local in self.parts:
            calls += [
                (link_frames, (group, links)),
                (gather_shapes, (links.eta, COORDINATES, local.state.q)),
                (floating_mass, (floating, local.state.q, local.M)),
                (add_inertia, (group, links, local.state.v, local.M, local.D, False)),
            ]
        calls.append((composite_mass, (group, MASS)))
        calls += [(add_mass, (group, links, local.M, MASS)) for links, _, local in self.parts]
        return tuple(calls)

    @property
    def scratch(self) -> tuple[FloatArray, ...]:
        """Work arrays, without those of ``group``."""
        return tuple(
            array
            for links, floating, local in self.parts
            for array in (links.frame, floating.work, floating.work4, *local.arrays)
        )

    def with_own(self, own: Own) -> FlexibleLinks:
        """The same with work arrays of ``own``."""
        found = shallow_copy(self)
        for name in ("group", "parts", "force", "tangent", "mass"):
            setattr(found, name, with_own(getattr(self, name), own))
        return found

    def write(self, q: FloatArray, blocks: FloatArray) -> None:
        """The mass at q into the blocks."""
        call_all(self.mass, {COORDINATES: q, MASS: blocks})

    def energy(self, q: FloatArray) -> float:
        """Strain energy of all flexible links."""
        total = 0.0
        for links, floating, _ in self.parts:
            eta = q[links.eta]
            total += 0.5 * float(np.einsum("ik,ikl,il->", eta, floating.K, eta))
        return total

    def moments(self, q: FloatArray) -> tuple[float, FloatArray]:
        """Mass of all flexible links and its first moment (3,) about the inertial origin."""
        place_columns(self.group, q)
        mass, moment = 0.0, np.zeros(3)
        for links, floating, _ in self.parts:
            link_frames(self.group, links)
            for i, frame in enumerate(links.frame):
                inside = floating.G[i, 0, 1:] + floating.F[i, 0] @ q[links.eta[i]]
                mass += float(floating.G[i, 0, 0])
                origin = self.group.origin[links.tree[i]] + frame[3]
                moment += floating.G[i, 0, 0] * origin + frame[:3] @ inside
        return mass, moment

    def momentum(self, q: FloatArray, v: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Momentum and angular momentum (3,) about the inertial origin of all flexible links."""
        group = self.group
        place_columns(group, q)
        outwards(group, q, v, group.rest, np.zeros(int(group.load.max(initial=0)) + 1), False)
        P, L = np.zeros(3), np.zeros(3)
        for links, floating, local in self.parts:
            link_motion(group, links, q, v, group.rest, *local.state[:3])
            floating_mass(floating, local.state.q, local.M)
            size = 6 + links.eta.shape[1]
            for i, M in enumerate(local.M.reshape(-1, size, size)):
                p = M @ local.state.v[floating.dofs[i]]
                R, x = links.frame[i, :3], links.frame[i, 3] + group.origin[links.tree[i]]
                P += R @ p[:3]
                L += R @ p[3:6] + np.cross(x, R @ p[:3])
        return P, L

    def _evaluate(self, links: LinkGroup, floating: FloatingGroup, local: _Local) -> list[Call]:
        """Forces in the frames of the links, which are carried to the tree."""
        x, r = local.state, local.work.r
        return [
            (link_motion, (self.group, links, COORDINATES, VELOCITY, ACCELERATION, x.q, x.v, x.a)),
            (floating_mass, (floating, x.q, local.M)),
            (clear_forces, (r,)),
            (floating_force, (floating, x, local.env, local.work)),
            (add_products, (floating.dofs, local.M, x.a, r)),
            (gather_rows, (floating.dofs, r, local.r)),
            (add_wrenches, (self.group, links, local.r, RESIDUAL)),
        ]


class _Local(NamedTuple):
    """Work arrays of floating bodies of their own, n of m shapes, whose frames do not turn (T = 1)."""

    state: State
    env: Env
    work: MarkerWork
    T: FloatArray
    r: FloatArray
    M: FloatArray
    K: FloatArray
    D: FloatArray

    @property
    def arrays(self) -> tuple[FloatArray, ...]:
        """Those that kernels write to."""
        return (*self.state[:3], self.work.r, self.r, self.M, self.K, self.D)


def _local(n: int, m: int) -> _Local:
    """At rest in their frames."""
    size = n * (6 + m) ** 2
    T = np.zeros((n, 3, 3))
    T[:] = np.eye(3)
    return _Local(
        own_state(n, m), Env(0.0, np.zeros(0)), own_work(n, m), T, np.zeros((n, 6 + m)), np.zeros(size),
        np.zeros(size), np.zeros(size),
    )  # fmt: skip
