r"""Moments of inertia: of simple solids, about other points, in other axes, and of meshes by exact integrals.

For a body of mass m with the second moments :math:`S = \int \rho\, x x^T dV` about a point,

.. math:: J = \operatorname{tr}(S)\, I - S, \qquad J_o = J_c + m\,(s^T s\, I - s s^T), \qquad J' = R J R^T,

the parallel axes theorem taking J from the centre of mass c to the point o, s = c - o, and R from one set of axes to
another.
"""

from __future__ import annotations

from itertools import combinations, product
from typing import TYPE_CHECKING

import numpy as np

from flexmbs.core.checks import as_array, as_number, has_shape, show, warn_user
from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.errors import MeshError, ModelError
from flexmbs.core.material import Elastic
from flexmbs.core.section import Section, check_section
from flexmbs.meshes.cells import CellType, cell_type, gradients, measures, shapes
from flexmbs.meshes.crossing import crossing_triangles
from flexmbs.meshes.repeated import say_repeated
from flexmbs.model.contacts.closed_surface import check_pieces, pieces_of

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from flexmbs.meshes import Mesh

__all__ = [
    "as_inertia",
    "box_inertia",
    "cylinder_inertia",
    "mass_of",
    "mesh_moments",
    "outline",
    "parallel_axes",
    "rod_mass",
    "second_to_inertia",
    "span",
    "sphere_inertia",
]

UNPHYSICAL = 1e-3
"""By how much, relatively, the largest moment of inertia may exceed the sum of the others: numbers are rounded."""

INSIDE = (1e-3, 1e-6)
"""How far from a corner of a triangle, towards its middle and inwards, others are looked for, in its sizes."""
PROBED = 100
"""Places of a piece of a surface, spread over it, at which others are looked for, at most."""

SOLIDS = ("tetra", "tetra10", "hexahedron", "hexahedron20")


def box_inertia(mass: float, size: FloatArray) -> FloatArray:
    """J (3, 3) of a homogeneous box (3,) about its centre."""
    square = size**2
    return np.diag(mass / 12.0 * (square.sum() - square))


def cylinder_inertia(mass: float, outer: float, length: float, inner: float = 0.0) -> FloatArray:
    """J (3, 3) of a homogeneous, possibly hollow cylinder about its centre; its axis is z."""
    square = outer**2 + inner**2
    across = mass * (3.0 * square + length**2) / 12.0
    return np.diag((across, across, mass * square / 2.0))


def sphere_inertia(mass: float, radius: float) -> FloatArray:
    """J (3, 3) of a homogeneous sphere about its centre."""
    return 0.4 * mass * radius**2 * np.eye(3)


def parallel_axes(inertia: FloatArray, mass: float, offset: FloatArray) -> FloatArray:
    """J (3, 3) about a point at the distance ``offset`` (3,) from the centre of mass, from that about the centre."""
    return inertia + mass * (offset @ offset * np.eye(3) - np.outer(offset, offset))


def second_to_inertia(second: FloatArray) -> FloatArray:
    """J (3, 3) of the second moments S."""
    return np.asarray(np.trace(second) * np.eye(3) - second)


def as_inertia(owner: str, value: ArrayLike) -> FloatArray:
    """The inertia tensor (3, 3) that a user means by three moments or nine numbers, if a body can have it.

    Raises
    ------
    ModelError
        If it is not symmetric and positive definite, or its largest moment exceeds the sum of the other two.
    """
    if has_shape(value, (3,)):
        J = np.diag(as_array(owner, "inertia", value, (3,), unit="mass length^2"))
    else:
        if not has_shape(value, (3, 3)):
            raise ModelError(
                f"{owner}: inertia must be three principal moments or a (3, 3) tensor about the centre of mass [mass "
                f"length^2], not {show(value)}."
            )
        J = as_array(owner, "inertia", value, (3, 3), unit="mass length^2")
    size = float(np.abs(J).max())
    error = float(np.abs(J - J.T).max())
    if error > 1e-6 * size:
        raise ModelError(f"{owner}: inertia must be symmetric, but J - J^T has an entry {error:.3g}.")
    J = (J + J.T) / 2.0
    a, b, c = np.linalg.eigvalsh(J).tolist()
    if not a > 1e-14 * size:
        raise ModelError(
            f"{owner}: inertia must be positive definite, but its principal moments are {a:.6g}, {b:.6g} and {c:.6g}. "
            f"A thin rod needs a small positive moment about its axis."
        )
    if c > (a + b) * (1.0 + UNPHYSICAL):
        raise ModelError(
            f"{owner}: no body has the principal moments of inertia {a:.6g}, {b:.6g} and {c:.6g}: the largest cannot "
            f"exceed the sum of the other two. Inertia is about the centre of mass, in body axes."
        )
    return J


def span(owner: str, start: FloatArray, end: FloatArray) -> float:
    """The distance of the ends of a rod, which must not coincide."""
    length = float(np.linalg.norm(end - start))
    if not length > 1e-12 * float(np.abs((start, end)).max()):
        raise ModelError(f"{owner}: start and end must be different points, but both are {start.tolist()}.")
    return length


def rod_mass(owner: str, length: float, mass: float | None, section: Section | None, material: Elastic | None) -> float:
    """The mass of a rod from what is given of it."""
    if section is not None:
        check_section(owner, section)
    if mass is None and section is None:
        raise ModelError(f"{owner}: give mass, or section and material.")
    return mass_of(owner, 0.0 if section is None else section.area * length, mass, None, material)


def mass_of(owner: str, volume: float, mass: float | None, density: float | None, material: Elastic | None) -> float:
    """The mass of a volume from the one thing that is given."""
    if sum(given is None for given in (mass, density, material)) != 2:
        raise ModelError(f"{owner}: give exactly one of mass, density and material.")
    if mass is not None:
        return as_number(owner, "mass", mass, above=0.0, unit="mass")
    if material is not None:
        if not isinstance(material, Elastic):
            raise ModelError(f"{owner}: material must be an Elastic, not {show(material)}.")
        density = material.density
    return volume * as_number(owner, "density", density, above=0.0, unit="mass/length^3")


def mesh_moments(owner: str, mesh: Mesh) -> tuple[float, FloatArray, FloatArray]:
    """Volume, centre (3,) and second moments (3, 3) about the centre, of the volume that a mesh fills or encloses.

    Of plane triangles by the divergence theorem, of solids by a quadrature that is exact for their shape functions.

    Raises
    ------
    MeshError
        If it is no mesh of solids, nor a closed surface of triangles that is oriented throughout; if cells are there
        twice.
    ModelError
        If a piece of the surface is inside out and no cavity, or lies within another one.
    """
    kinds = {block.cell_type for block in mesh.cells}
    if mesh.dim != 3 or not (kinds <= set(SOLIDS) or kinds == {"triangle"}):
        raise MeshError(
            f"{owner}: mesh must consist of {', '.join(SOLIDS)} cells or be a closed surface of triangle cells, in "
            f"space, not {mesh!r}."
        )
    said = say_repeated(mesh.cells) if kinds != {"triangle"} else ""
    if said:
        raise MeshError(f"{owner}: {said}. Their matter would count twice; remove them.")
    used = np.unique(np.concatenate([block.nodes.ravel() for block in mesh.cells]))
    origin = mesh.points[used].mean(axis=0)
    points = mesh.points - origin  # the nearer the origin the smaller the round-off
    if kinds == {"triangle"}:
        volume, first, second = _enclosed(owner, points, np.vstack([block.nodes for block in mesh.cells]), origin)
    else:
        volume, first, second = 0.0, np.zeros(3), np.zeros((3, 3))
        for block in mesh.cells:
            dV, x = _solid(owner, block.cell_type, points[block.nodes])
            volume += float(dV.sum())
            first += np.einsum("cg,cgi->i", dV, x)
            second += np.einsum("cg,cgi,cgj->ij", dV, x, x, optimize=True)
    centre = first / volume
    return volume, origin + centre, second - volume * np.outer(centre, centre)


def outline(mesh: Mesh) -> IntArray:
    """The edges (m, 2) between corners on the surface of a mesh of triangles or solids, each once."""
    edges = []
    for corners in (3, 4):
        found = [np.zeros((0, corners), dtype=np.int64)]
        for block in mesh.cells:
            sides = np.array(_SIDES[cell_type(block.cell_type).linear])
            if sides.shape[1] == corners:
                found.append(block.nodes[:, sides].reshape(-1, corners))
        faces = np.vstack(found)
        _, first, count = np.unique(np.sort(faces, axis=1), axis=0, return_index=True, return_counts=True)
        outer = faces[first[count == 1]]  # the others are between two cells
        edges.append(np.stack((outer, np.roll(outer, -1, axis=1)), axis=-1).reshape(-1, 2))
    return np.unique(np.sort(np.vstack(edges), axis=1), axis=0)


_SIDES = {
    "triangle": ((0, 1, 2),),
    "tetra": tuple(combinations(range(4), 3)),
    "hexahedron": ((0, 1, 2, 3), (4, 5, 6, 7), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7)),
}


def _enclosed(
    owner: str, points: FloatArray, triangles: IntArray, origin: FloatArray
) -> tuple[float, FloatArray, FloatArray]:
    """Volume, first and second moments about the origin: sums over the tetrahedra from the origin to the triangles."""
    edges = np.vstack((triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]))
    directed, count = np.unique(edges, axis=0, return_counts=True)
    there = {(int(a), int(b)) for a, b in directed}
    lonely = next(((a, b) for a, b in sorted(there) if (b, a) not in there), None)
    if lonely is not None or (count > 1).any():
        twice = directed[count > 1]
        a, b = lonely if lonely is not None else twice[0].tolist()
        raise MeshError(
            f"{owner}: the triangles do not enclose a volume: the edge from point {a} to point {b} has "
            f"{'no neighbour that runs through it the other way' if lonely is not None else 'several triangles'}. "
            f"Close the surface, join coincident points and number the corners of all triangles the same way round."
        )
    a, b, c = points[triangles[:, 0]], points[triangles[:, 1]], points[triangles[:, 2]]
    V = np.einsum("ti,ti->t", a, np.cross(b, c)) / 6.0
    s = a + b + c
    first = V @ s / 4.0
    second = sum(np.einsum("t,ti,tj->ij", V, x, x) for x in (a, b, c, s)) / 20.0
    volume = float(V.sum())
    if not abs(volume) > 1e-12 * float(np.abs(points).max()) ** 3:
        raise MeshError(f"{owner}: the triangles enclose no volume.")
    sign = 1.0 if volume > 0.0 else -1.0  # all triangles may be numbered with their normals inwards
    corners = points[triangles if sign > 0.0 else triangles[:, ::-1]]
    row = np.tile(np.arange(len(triangles)), 3)[np.lexsort(np.sort(edges, axis=1).T)]
    check_pieces(owner, origin + corners, pieces_of(row.reshape(-1, 2), len(triangles)), _places_inside)
    crossing = crossing_triangles(points, triangles)
    if len(crossing):
        i, k = crossing[0].tolist()
        place = show((origin + points[triangles[i]].mean(axis=0)).round(6).tolist())
        warn_user(
            f"{owner}: the surface goes through itself: {len(crossing)} pairs of triangles cross, the first are "
            f"{i} and {k}, near {place}. What it encloses twice there has twice the mass, and what it encloses "
            f"inside out a negative one; repair it in the program that made it, or join the parts to one surface "
            f"(union).",
            RuntimeWarning,
        )
    return sign * volume, sign * first, sign * np.asarray(second)


def _places_inside(corners: FloatArray) -> FloatArray:
    """Places (k, 3) in the matter beside corners of triangles (m, 3, 3), where pieces that only touch do not matter."""
    a, b, c = corners.transpose(1, 0, 2)
    normal = np.cross(b - a, c - a)
    area = np.linalg.norm(normal, axis=1)
    flat = area <= 0.0
    inwards = -normal / np.sqrt(np.where(flat, 1.0, area))[:, None]
    middle = corners.mean(axis=1)[:, None]
    places = (corners + INSIDE[0] * (middle - corners) + INSIDE[1] * inwards[:, None])[~flat].reshape(-1, 3)
    return np.asarray(places[:: -(-len(places) // PROBED) or 1])


def _solid(owner: str, name: str, corners: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Volumes (n_c, n_g) and places (n_c, n_g, 3) of quadrature points that integrate second moments exactly."""
    kind = cell_type(name)
    xi, weights = _rule(kind)
    jacobians = np.einsum("cad,gai->cgdi", corners, gradients(kind, xi), optimize=True)
    dV = measures(jacobians) * weights
    wrong = np.flatnonzero(~(dV.sum(axis=1) > 0.0))
    if len(wrong):
        raise MeshError(f"{owner}: {name} cell {wrong[0]} is inverted or has no volume; number its nodes as in VTK.")
    return dV, np.einsum("ga,cad->cgd", shapes(kind, xi), corners)


def _rule(kind: CellType) -> tuple[FloatArray, FloatArray]:
    """Points (n_g, 3) and weights (n_g,) on the reference cell, exact for x x^T det(dx/dxi)."""
    if kind.name == "tetra":
        far = (5.0 - np.sqrt(5.0)) / 20.0
        points = np.full((4, 3), far)
        points[1:] += (1.0 - 4.0 * far) * np.eye(3)
        return points, np.full(4, 1.0 / 24.0)
    x, w = np.polynomial.legendre.leggauss(3 if kind.name == "hexahedron" else 5)
    xi = np.array(list(product(x, repeat=3)))
    weights = np.array(list(product(w, repeat=3))).prod(axis=1)
    if kind.simplex:  # the cube is collapsed onto the tetrahedron
        u, v, t = (xi.T + 1.0) / 2.0
        xi = np.column_stack((u, v * (1.0 - u), t * (1.0 - u) * (1.0 - v)))
        weights = weights / 8.0 * (1.0 - u) ** 2 * (1.0 - v)
    return xi, weights
