r"""Inertia invariants: the integrals over the mass of a part that its motion in a floating frame needs.

A point of the part is at x + sum_k phi_k q_k in its frame. All inertia terms of a floating frame are linear in

.. math:: m = \int\! dm, \quad c_a = \int\! x_a\, dm, \quad C_{ab} = \int\! x_a x_b\, dm, \quad
          P_{ak} = \int\! \phi_{ak}\, dm, \quad Q_{abk} = \int\! x_a \phi_{bk}\, dm, \quad
          R_{abkl} = \int\! \phi_{ak}\phi_{bl}\, dm

(a, b = x, y, z). They are computed from the mesh with the interpolation of the elements, not from lumped masses: for
solids, whose components share one interpolation, from their scalar mass matrix; for the others from the points of
`MassPoints`. In both cases :math:`\sum_a R_{aakl}` is the reduced mass matrix, which is checked.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from flexmbs.core.checks import frozen_copy
from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.errors import ModelError
from flexmbs.linear.assembly import add_blocks, node_pattern, sparse_matrix
from flexmbs.linear.connections import NodalMass
from flexmbs.linear.constraints import place

if TYPE_CHECKING:
    from flexmbs.linear.part import Part

__all__ = [
    "InertiaInvariants", "inertia_of_mass_matrix", "inertia_of_part", "points_of_mass", "with_rigid_motions",
]  # fmt: skip


@dataclass(frozen=True, eq=False)
class InertiaInvariants:
    r"""Integrals over the mass of a part and its shapes, about the origin and along the axes of its frame.

    Parameters
    ----------
    mass : float
        m [mass].
    first : (3,) array
        c [mass length].
    second : (3, 3) array
        C [mass length^2]; not the inertia tensor, which is `tensor`.
    P : (3, n) array
        [mass], times the unit of the shapes.
    Q : (3, 3, n) array
        Q[a, b, k] [mass length].
    R : (3, 3, n, n) array
        R[a, b, k, l] [mass].
    exact : bool
        Whether they come from the interpolation of the elements; False for matrices whose mass couples the components
        of a displacement, where the shapes are taken at the nodes.

    Raises
    ------
    ModelError
        If shapes do not fit or the mass is not positive.
    """

    mass: float
    first: FloatArray
    second: FloatArray
    P: FloatArray
    Q: FloatArray
    R: FloatArray
    exact: bool = True

    def __post_init__(self) -> None:
        n = np.shape(self.P)[-1]
        wanted = {"first": (3,), "second": (3, 3), "P": (3, n), "Q": (3, 3, n), "R": (3, 3, n, n)}
        for name, shape in wanted.items():
            value = np.asarray(getattr(self, name), dtype=float)
            if value.shape != shape or not np.isfinite(value).all():
                raise ModelError(f"InertiaInvariants: {name} must be finite numbers {shape}, not {value.shape}.")
            object.__setattr__(self, name, frozen_copy(value))
        if not self.mass > 0:
            raise ModelError(f"InertiaInvariants: the mass must be positive, not {self.mass}.")

    @property
    def centre(self) -> FloatArray:
        """Centre of mass (3,) of the undeformed part [length]."""
        return np.asarray(self.first / self.mass)

    @property
    def tensor(self) -> FloatArray:
        """Inertia tensor (3, 3) of the undeformed part about the origin [mass length^2]."""
        return np.asarray(np.trace(self.second) * np.eye(3) - self.second)

    @property
    def central_tensor(self) -> FloatArray:
        """Inertia tensor (3, 3) of the undeformed part about its centre of mass [mass length^2]."""
        c = self.centre
        return self.tensor - self.mass * (c @ c * np.eye(3) - np.outer(c, c))

    @property
    def gram(self) -> FloatArray:
        """Integral (4, 4) of psi psi^T, psi = (1, x)."""
        out = np.empty((4, 4))
        out[0, 0], out[0, 1:], out[1:, 0], out[1:, 1:] = self.mass, self.first, self.first, self.second
        return out

    @property
    def modal_mass(self) -> FloatArray:
        """Mass matrix (n, n) of the shapes."""
        return np.asarray(np.einsum("aakl->kl", self.R))

    @property
    def translation(self) -> FloatArray:
        """Coupling (3, n) of shapes with translations: integral of phi."""
        return self.P

    @property
    def rotation(self) -> FloatArray:
        """Coupling (3, n) of shapes with rotations about the origin: integral of x cross phi."""
        Q = self.Q
        return np.stack([Q[1, 2] - Q[2, 1], Q[2, 0] - Q[0, 2], Q[0, 1] - Q[1, 0]])

    def tensor_change(self, k: int) -> FloatArray:
        """Derivative (3, 3) of the inertia tensor about the origin with respect to coordinate k."""
        both = self.Q[:, :, k] + self.Q[:, :, k].T
        return np.asarray(np.trace(both) * np.eye(3) - both)

    def gyroscopic(self) -> FloatArray:
        """Integral of phi_k cross phi_l (3, n, n), antisymmetric in k and l."""
        R = self.R
        return np.stack([R[1, 2] - R[2, 1], R[2, 0] - R[0, 2], R[0, 1] - R[1, 0]])

    def transformed(self, T: FloatArray) -> InertiaInvariants:
        """Those of the shapes phi T, T (n, m)."""
        return InertiaInvariants(
            self.mass, self.first, self.second, self.P @ T, self.Q @ T, T.T @ self.R @ T, self.exact
        )

    def about(self, origin: FloatArray) -> InertiaInvariants:
        """Those about another origin (3,), along the same axes."""
        first = self.first - self.mass * origin
        both = np.outer(origin, self.first)
        second = self.second - both - both.T + self.mass * np.outer(origin, origin)
        Q = self.Q - origin[:, None, None] * self.P
        return InertiaInvariants(self.mass, first, second, self.P, Q, self.R, self.exact)

    def arrays(self) -> dict[str, Any]:
        """All fields by name, for files."""
        return {f.name: getattr(self, f.name) for f in fields(self)}


class _Sums:
    """Adds up the six integrals."""

    def __init__(self, n: int) -> None:
        self.mass, self.first, self.second = 0.0, np.zeros(3), np.zeros((3, 3))
        self.P, self.Q, self.R = np.zeros((3, n)), np.zeros((3, 3, n)), np.zeros((3, 3, n, n))

    def add(self, m1: FloatArray, x: FloatArray, mx: FloatArray, phi: FloatArray, mphi: FloatArray) -> None:
        """From points or nodes: ``m1 (g,)`` masses, x (g, 3), phi (3, g, n), and these times the mass."""
        self.mass += float(m1.sum())
        self.first += m1 @ x
        self.second += x.T @ mx
        for a in range(3):
            self.P[a] += m1 @ phi[a]
            for b in range(3):
                self.Q[b, a] += mx[:, b] @ phi[a]
            for b in range(a + 1):
                block = phi[a].T @ mphi[b]
                self.R[a, b] += block
                if b != a:
                    self.R[b, a] += block.T

    def result(self, exact: bool = True) -> InertiaInvariants:
        second = 0.5 * (self.second + self.second.T)
        R = 0.5 * (self.R + self.R.transpose(1, 0, 3, 2))
        return InertiaInvariants(self.mass, self.first, second, self.P, self.Q, R, exact)


def inertia_of_part(
    part: Part, shapes: FloatArray, progress: Callable[[float, str], None] | None = None
) -> InertiaInvariants:
    """Invariants of a part for shapes (N, n) of all its physical displacements.

    Raises
    ------
    ModelError
        If a nodal mass has an inertia tensor that no distribution of mass can have.
    """
    nodes = part.nodes
    sums = _Sums(shapes.shape[1])
    _add_solids(part, shapes, sums)
    done, total = 0, sum(len(p.cells) for p in part.pieces)
    for piece, cells, group in part.groups(1024):
        done += len(cells)
        if piece.region.element.n_components == 3:
            continue
        points = piece.region.element.mass_points(group)
        phi = np.einsum("egak,ekn->aegn", points.shapes, shapes[part.element_dofs(piece, cells)], optimize=True)
        phi = phi.reshape(3, -1, shapes.shape[1])
        w, x = points.weights.ravel(), points.positions.reshape(-1, 3)
        sums.add(w, x, w[:, None] * x, phi, w[:, None] * phi)
        if progress is not None:
            progress(done / total, "inertia invariants")
    for what in part.connections:
        if isinstance(what, NodalMass):
            node = place("NodalMass", part.mesh, nodes, what.at)
            first, size = int(nodes.first[node]), int(nodes.n_dofs[node])
            w, d = points_of_mass(what)
            u = shapes[first : first + size]
            phi = np.repeat(u[:3, None], len(w), axis=1)
            if size == 6:
                phi = phi + np.cross(u[None, 3:].transpose(0, 2, 1), d[:, None, :], axis=2).transpose(2, 0, 1)
            x = nodes.points[node] + d
            sums.add(w, x, w[:, None] * x, phi, w[:, None] * phi)
    return sums.result()


def _add_solids(part: Part, shapes: FloatArray, sums: _Sums) -> None:
    """The integrals of all elements whose components share one interpolation, by their scalar mass matrix."""
    pieces = [p for p in part.pieces if p.region.element.n_components == 3]
    if not pieces:
        return
    used = np.unique(np.concatenate([p.cells.ravel() for p in pieces]))
    number = np.full(len(part.nodes.points), -1)
    number[used] = np.arange(len(used))
    pattern = node_pattern(np.ones(len(used), dtype=np.int64), [number[p.cells] for p in pieces])
    data = np.zeros(int(pattern.length.sum()))
    for piece, cells, group in part.groups():
        if piece.region.element.n_components == 3:
            mass = piece.region.element.mass(group)[:, ::3, ::3]
            add_blocks(pattern, number[cells], np.ascontiguousarray(mass), data)
    scalar = sparse_matrix(pattern, data)
    x = part.nodes.points[used]
    phi = shapes[part.nodes.first[used][None, :] + np.arange(3)[:, None]]
    _add_scalar(scalar, x, phi, sums)


def _add_scalar(scalar: Any, x: FloatArray, phi: FloatArray, sums: _Sums) -> None:
    """By a mass matrix of one component (g, g), symmetric."""
    m1 = np.asarray(scalar.sum(axis=0)).ravel()
    sums.add(m1, x, scalar @ x, phi, np.stack([scalar @ phi[a] for a in range(3)]))


def inertia_of_mass_matrix(M: Any, node: IntArray, component: IntArray, points: FloatArray, shapes: FloatArray) -> Any:
    """Invariants from a mass matrix alone, for shapes (n, m) of its unknowns; None without displacements of nodes.

    Exact where M is one scalar matrix for x, y and z. Otherwise the displacements are taken at the nodes: the mass
    matrix of each direction is that of M among displacements in this direction, and ``exact`` is False.
    """
    dofs = np.full((len(points), 3), -1)
    held = np.flatnonzero((node >= 0) & (component < 3))
    dofs[node[held], component[held]] = held
    used = np.flatnonzero((dofs >= 0).all(axis=1))
    if not len(used):
        return None
    M = sparse.csr_matrix(M)
    blocks = [M[dofs[used, a]][:, dofs[used, a]] for a in range(3)]
    largest = abs(blocks[0]).max()
    equal = all(abs(blocks[0] - b).max() <= 1e-9 * largest for b in blocks[1:])
    cross = all(
        not len((c := M[dofs[used, a]][:, dofs[used, b]]).data) or abs(c).max() <= 1e-9 * largest
        for a, b in ((0, 1), (0, 2), (1, 2))
    )
    exact = bool(equal and cross and 3 * len(used) == M.shape[0])
    scalar = sum(blocks[1:], blocks[0]) / 3.0
    sums = _Sums(shapes.shape[1])
    _add_scalar(scalar, points[used], np.stack([shapes[dofs[used, a]] for a in range(3)]), sums)
    return sums.result(exact)


def with_rigid_motions(found: InertiaInvariants, M: Any, rigid: FloatArray, shapes: FloatArray) -> InertiaInvariants:
    """Invariants with those integrals that follow from the rigid motions (n, 6) of a mass matrix, without its mesh.

    Momentum and angular momentum of the shapes, P and the antisymmetric part of Q, and the inertia of the rigid body
    are products of M with rigid motions, whatever its unknowns are; the symmetric part of Q and R stay as they are.
    """
    momentum = np.asarray(M @ rigid)
    G, H = momentum.T @ rigid, momentum.T @ shapes
    tensor = 0.5 * (G[3:, 3:] + G[3:, 3:].T)
    Q = 0.5 * (found.Q + found.Q.transpose(1, 0, 2))
    for a, b, c in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        Q[a, b] += 0.5 * H[3 + c]
        Q[b, a] -= 0.5 * H[3 + c]
    first = np.array([G[1, 5], G[2, 3], G[0, 4]])  # y component of e_z x r is x, and so on
    return InertiaInvariants(
        float(np.trace(G[:3, :3]) / 3.0), first, 0.5 * np.trace(tensor) * np.eye(3) - tensor, H[:3], Q, found.R, False
    )


def points_of_mass(what: NodalMass) -> tuple[FloatArray, FloatArray]:
    """Masses (g,) and places (g, 3) relative to the node of points that are together a rigid mass."""
    if what.inertia is None or not np.abs(what.inertia).max():
        return np.array([what.mass]), np.asarray(what.offset)[None]
    spread = 0.5 * np.trace(what.inertia) * np.eye(3) - what.inertia  # integral of x x^T
    size, axes = np.linalg.eigh(spread)
    if size[0] < -1e-9 * size[2] or not what.mass > 0:
        raise ModelError(
            f"NodalMass at {what.at!r}: no distribution of a mass of {what.mass:g} has this inertia tensor (each "
            f"principal moment is at most the sum of the other two, and a mass is needed); inertia invariants of the "
            f"part need one that is possible."
        )
    arms = (axes * np.sqrt(3.0 * np.maximum(size, 0.0) / what.mass)).T
    return np.full(6, what.mass / 6.0), np.asarray(what.offset) + np.vstack([arms, -arms])
