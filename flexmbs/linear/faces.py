"""Faces of cells: the outer surface of a mesh, and the faces that a node set names.

Nodes of a face run counter-clockwise seen from outside the solid (for cells of positive volume), corners first, so a
face is a surface cell whose normal by the right-hand rule points outward.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.meshes.cells import cell_type, gradients, local_faces, quadrature, shapes

__all__ = ["faces_within", "nodal_areas", "nodal_vectors", "outer_faces"]


def outer_faces(cells: Iterable[tuple[str, IntArray]]) -> dict[str, IntArray]:
    """Faces that belong to one solid cell only, and all surface cells, by face type.

    Parameters
    ----------
    cells : iterable of (str, (n_e, n_a) array of int)
        Cell types and nodes; lines are skipped. Surface cells that lie on an outer face of a solid are left out.

    Returns
    -------
    dict
        Nodes (n_f, n_b) of the faces by their type, such as ``"triangle6"``.

    Examples
    --------
    >>> from flexmbs.meshes import box
    >>> block = box((0, 0, 0), (1, 1, 1), (2, 1, 1))
    >>> {kind: len(f) for kind, f in outer_faces([(b.cell_type, b.nodes) for b in block.cells]).items()}
    {'quad': 10}
    """
    solids: dict[str, list[IntArray]] = {}
    surfaces: dict[str, list[IntArray]] = {}
    for name, nodes in cells:
        dim = cell_type(name).dim
        if dim == 3:
            kind, local = local_faces(name)
            solids.setdefault(kind, []).append(nodes[:, np.array(local)].reshape(-1, len(local[0])))
        elif dim == 2:
            surfaces.setdefault(name, []).append(nodes)
    out: dict[str, IntArray] = {}
    taken = np.empty((0, 4), dtype=np.int64)
    for kind, parts in solids.items():
        faces = np.vstack(parts)
        keys = _keys(kind, faces)
        _, first, count = np.unique(keys, axis=0, return_index=True, return_counts=True)
        chosen = np.sort(first[count == 1])
        out[kind] = np.ascontiguousarray(faces[chosen])
        taken = np.vstack([taken, keys[chosen]])
    for kind, parts in surfaces.items():
        faces = np.vstack(parts)
        keys = _keys(kind, faces)
        faces = faces[~_among(keys, taken)]
        if len(faces):
            out[kind] = np.vstack([out[kind], faces]) if kind in out else np.ascontiguousarray(faces)
    return out


def faces_within(faces: Mapping[str, IntArray], nodes: IntArray) -> dict[str, IntArray]:
    """The faces all of whose nodes belong to a set."""
    found = {kind: f[np.isin(f, nodes).all(axis=1)] for kind, f in faces.items()}
    return {kind: f for kind, f in found.items() if len(f)}


def nodal_vectors(points: FloatArray, faces: Mapping[str, IntArray]) -> FloatArray:
    """Integral of shape function times outward normal (n_points, 3): the forces of a unit suction."""
    return _integrals(points, faces, normal=True)


def nodal_areas(points: FloatArray, faces: Mapping[str, IntArray]) -> FloatArray:
    """Integral of the shape functions over the faces (n_points,)."""
    return _integrals(points, faces, normal=False)[:, 0]


def _integrals(points: FloatArray, faces: Mapping[str, IntArray], normal: bool) -> FloatArray:
    """Sums over faces of integrals of shape function times normal, or times area (in the first column)."""
    out = np.zeros((len(points), 3))
    for kind, nodes in faces.items():
        cell = cell_type(kind)
        xi, weights = quadrature(kind)
        J = np.einsum("cad,gai->cgdi", points[nodes], gradients(cell, xi), optimize=True)
        n = np.cross(J[..., 0], J[..., 1])
        if not normal:
            n = np.linalg.norm(n, axis=-1)[..., None] * np.array([1.0, 0.0, 0.0])
        shares = np.einsum("g,ga,cgd->cad", weights, shapes(cell, xi), n, optimize=True)
        np.add.at(out, nodes, shares)
    return out


def _keys(kind: str, faces: IntArray) -> IntArray:
    """Sorted corners (n_f, 4), -1 first for triangles."""
    n = cell_type(kind).n_corners
    keys = np.full((len(faces), 4), -1, dtype=np.int64)
    keys[:, 4 - n :] = np.sort(faces[:, :n], axis=1)
    return keys


def _among(keys: IntArray, others: IntArray) -> NDArray[np.bool_]:
    """Which rows occur among others."""
    both = np.vstack([others, keys])
    _, inverse = np.unique(both, axis=0, return_inverse=True)
    return np.isin(inverse.ravel()[len(others) :], inverse.ravel()[: len(others)])
