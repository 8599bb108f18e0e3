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

import numpy as np

from flexmbs.core.contracts import Env, FloatArray, MarkerWork, State
from flexmbs.kernels.floating import floating_force, floating_mass
from flexmbs.kernels.floating_moments import FloatingGroup
from flexmbs.kernels.floating_tangent import floating_tangent
from flexmbs.kernels.trees.dynamics import composite_mass, composite_tangent, inwards, link_inertia, rigid_wrenches
from flexmbs.kernels.trees.flexible_kernels import (
    LinkGroup,
    add_inertia,
    add_mass,
    add_products,
    add_rows,
    add_wrenches,
    gather_rows,
    link_frames,
    link_motion,
)
from flexmbs.kernels.trees.group import TreeGroup
from flexmbs.kernels.trees.motion import outwards, place_columns
from flexmbs.model.trees.flexible_link import FlexibleLink
from flexmbs.system.tree_places import TreePlaces

__all__ = ["FlexibleLinks"]


class FlexibleLinks:
    """The flexible links of all trees of a model, with the forces, tangents and masses of these trees.

    ``energy(q)`` is their strain energy.
    """

    def __init__(self, group: TreeGroup, places: Sequence[TreePlaces]) -> None:
        self.group = group
        self.parts: list[tuple[LinkGroup, FloatingGroup, _Local]] = []
        found: dict[int, list[tuple[int, int, TreePlaces]]] = {}
        for t, tree in enumerate(places):
            for i, link in enumerate(tree.tree.links):
                if isinstance(link, FlexibleLink):
                    found.setdefault(link.modes, []).append((t, i, tree))
        for m, links in sorted(found.items()):
            self._add(m, links)

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
        frames = n * m + 6 * np.arange(n)[:, None] + np.arange(6)
        shapes = m * np.arange(n)[:, None] + np.arange(m)
        floating = FloatingGroup.made(
            (np.hstack((frames, shapes)), n * m + 7 * np.arange(n), np.arange(n)), 0, [b.inertia for b in bodies],
            (np.array([b.stiffness for b in bodies]), np.array([b.viscosity for b in bodies])),
            (np.zeros(0, dtype=np.int64), np.zeros((0, 3))),
        )  # fmt: skip
        self.parts.append((own, floating, _Local(n, m)))

    def force(self, state: State, env: Env, work: MarkerWork) -> None:
        """As `flexmbs.kernels.trees.dynamics.tree_force`."""
        group = self.group
        place_columns(group, state.q)
        outwards(group, state.q, state.v, state.a, env.scale, False)
        rigid_wrenches(group, work, False)
        for links, floating, local in self.parts:
            self._evaluate(links, floating, local, state, env)
            add_wrenches(group, links, local.r, work.r)
        inwards(group, work, False)

    def tangent(self, state: State, env: Env, work: MarkerWork, weights: tuple[float, float]) -> None:
        """As `flexmbs.kernels.trees.dynamics.tree_tangent`."""
        group = self.group
        place_columns(group, state.q)
        outwards(group, state.q, state.v, state.a, env.scale, True)
        rigid_wrenches(group, work, True)
        for links, floating, local in self.parts:
            self._evaluate(links, floating, local, state, env)
            add_wrenches(group, links, local.r, work.r)
            for wanted, out in (((1.0, 0.0), local.K), ((0.0, 1.0), local.D)):
                floating_tangent(floating, local.state, local.env, local.work, wanted)
                out[:] = local.work.B
            add_inertia(group, links, local.state.v, local.M, local.D, True)
        inwards(group, work, True)
        composite_tangent(group, state.q, work, weights)
        for links, _, local in self.parts:
            add_rows(group, links, local.state.v, local.M, local.K, local.D, weights, work.B)

    def mass(self, q: FloatArray, blocks: FloatArray) -> None:
        """As `flexmbs.kernels.trees.dynamics.tree_mass`."""
        group = self.group
        place_columns(group, q)
        for c in range(len(group.kind)):
            link_inertia(group, c)
        for links, floating, local in self.parts:
            link_frames(group, links)
            local.state.q[: links.eta.size] = q[links.eta.ravel()]
            floating_mass(floating, local.state.q, local.M)
            add_inertia(group, links, local.state.v, local.M, local.D, False)
        composite_mass(group, blocks)
        for links, _, local in self.parts:
            add_mass(group, links, local.M, blocks)

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

    def _evaluate(
        self, links: LinkGroup, floating: FloatingGroup, local: _Local, state: State, env: Env
    ) -> None:  # fmt: skip
        """Forces in the frames of the links."""
        link_motion(self.group, links, state.q, state.v, state.a, *local.state[:3])
        floating_mass(floating, local.state.q, local.M)
        local.work.r[:] = 0.0
        floating_force(floating, local.state, local.env, local.work)
        add_products(floating.dofs, local.M, local.state.a, local.work.r)
        gather_rows(floating.dofs, local.work.r, local.r)


class _Local:
    """Arrays of floating bodies of their own, n of m shapes, numbered shapes first."""

    def __init__(self, n: int, m: int) -> None:
        n_v, size = n * (6 + m), n * (6 + m) ** 2
        q = np.zeros(n * (7 + m))
        q[n * m + 3 :: 7] = 1.0
        self.state = State(q, np.zeros(n_v), np.zeros(n_v), np.zeros(0))
        self.env = Env(0.0, np.zeros(0))
        none = np.zeros((0, 6))
        T = np.zeros((n, 3, 3))
        T[:] = np.eye(3)
        self.work = MarkerWork(
            np.zeros(n_v), np.zeros(size), np.zeros((0, 3)), np.zeros((0, 3, 3)), none, none, none, none, none, T,
            np.zeros((64, 12)),
        )  # fmt: skip
        self.r = np.zeros((n, 6 + m))
        self.M, self.K, self.D = np.zeros(size), np.zeros(size), np.zeros(size)
