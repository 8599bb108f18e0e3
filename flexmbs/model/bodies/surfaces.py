"""Bodies of surfaces: their cells, frames and stress-free nodal coordinates."""

from __future__ import annotations

import warnings

import numpy as np

from flexmbs.core.checks import show
from flexmbs.core.contracts import FloatArray, IntArray, SurfaceElement, SurfaceShape
from flexmbs.core.errors import AccuracyWarning, ModelError, a_or_an
from flexmbs.core.shell_section import ShellStiffness
from flexmbs.meshes import Mesh
from flexmbs.meshes.parameters import surface_parameters, zigzag
from flexmbs.meshes.surface import PARALLEL, node_frames

__all__ = ["edge_directions", "surface_shape"]

NAMED = 8
"""Nodes that a warning names at most."""
ROUGH = 0.15
"""Zigzag of rows and columns from which elements with parameters along them are told to be too stiff."""
STIFFER = 0.25
"""By how much too stiff, by the square of the zigzag: a plate clamped at a side is, at random inner nodes."""


def surface_shape(
    owner: str, mesh: Mesh, element: SurfaceElement, cells: IntArray, stiffness: ShellStiffness
) -> SurfaceShape:
    """Frames of the nodes, and parameters where the element needs them; warns of what it cannot carry."""
    frames, kinks = node_frames(owner, mesh, cells, stiffness.axis)
    slopes, sizes = np.zeros((0, 9)), np.zeros((0, 2))
    if element.parametric:
        cells, slopes, sizes = surface_parameters(owner, mesh, cells)
        rough, node = zigzag(owner, mesh.points, cells)
        if rough > ROUGH and not len(kinks) and "slopes" not in mesh.point_data:
            warnings.warn(
                f"{owner}: rows and columns of cells zigzag, most at node {node} {show(mesh.points[node].tolist())}, "
                f"and {a_or_an(element.name)} has parameters along them: deflections may be too small by about "
                f"{100.0 * STIFFER * rough**2:.0f} %, which only smoother rows and columns cure. Take these, or an "
                f"element for any mesh, such as flexmbs.elements.ANCFShell().",
                AccuracyWarning,
                stacklevel=4,
            )
    if len(kinks) and not element.carries_kinks:
        some = ", ".join(str(k) for k in kinks[:NAMED]) + (" ..." if len(kinks) > NAMED else "")
        warnings.warn(
            f"{owner}: cells meet at an angle at the nodes {some}, where {a_or_an(element.name)} has one "
            f"tangent plane, so it is wrong there; take an element with slope discontinuities, such as "
            f"flexmbs.elements.ANCFPlateFullyParameterized(), or a body for each side.",
            AccuracyWarning,
            stacklevel=4,
        )
    if stiffness.directional:
        normals = frames[:, :, 2]
        along = np.linalg.norm(np.cross(normals, stiffness.axis), axis=1)
        lost = np.flatnonzero(along <= PARALLEL)
        if len(lost):
            raise ModelError(
                f"{owner}: the axis {stiffness.axis} of the material is along the normal at node {int(lost[0])} "
                f"{mesh.points[lost[0]].tolist()}, so it has no direction there; give another axis."
            )
    return SurfaceShape(mesh.points, frames, kinks, cells, slopes, sizes)


def edge_directions(mesh: Mesh, cells: IntArray, nodes: IntArray) -> FloatArray:
    """Unit directions (n, 3) in which edges of the mesh run on between the given nodes; zero where there is none.

    At a node where several edges run on in different directions (a corner, the inside of a held area) the result is not
    a number: no single direction.
    """
    starts, ends = cells.ravel(), np.roll(cells, -1, axis=1).ravel()
    row = np.full(mesh.n_points, -1)
    row[nodes] = np.arange(len(nodes))
    inside = (row[starts] >= 0) & (row[ends] >= 0)
    a, b = starts[inside], ends[inside]
    direction = mesh.points[b] - mesh.points[a]
    direction /= np.linalg.norm(direction, axis=1, keepdims=True)
    tensor = np.zeros((len(nodes), 3, 3))
    for end in (a, b):
        np.add.at(tensor, row[end], direction[:, :, None] * direction[:, None, :])
    found = np.zeros((len(nodes), 3))
    values, vectors = np.linalg.eigh(tensor)
    any_edge = values[:, 2] > 0.0
    found[any_edge] = vectors[any_edge, :, 2]
    found[values[:, 1] > 0.1 * np.maximum(values[:, 2], 1e-300)] = np.nan
    return found
