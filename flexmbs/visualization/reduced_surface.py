"""Surfaces of bodies that stand on reduced models: outer faces of their meshes, thin tubes about their lines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from flexmbs.core.contracts import IntArray
from flexmbs.linear.averaging import rows_of
from flexmbs.linear.faces import outer_faces
from flexmbs.linear.pictures import triangles
from flexmbs.meshes.cells import cell_type
from flexmbs.results.deformation import stress_shapes
from flexmbs.visualization.faces_of_shapes import Faces, together, tube
from flexmbs.visualization.moving_part import Modal

if TYPE_CHECKING:
    from flexmbs.model.bodies.shaped import ShapedBody

__all__ = ["mesh_faces", "modal_of"]


def mesh_faces(reduced: Any, radius: float) -> tuple[Faces, IntArray] | None:
    """The surface of the mesh of a reduced model, and of each of its points (n,) the node that it moves with.

    None where the model has no cells.
    """
    corners = triangles(outer_faces([(kind, np.asarray(nodes)) for kind, nodes in reduced.cells.items()]))
    used, numbered = np.unique(corners, return_inverse=True)
    parts, nodes = [Faces(reduced.points[used], numbered.reshape(corners.shape))], [used]
    for kind, cells in reduced.cells.items():
        if cell_type(kind).dim != 1:
            continue
        for pair in np.asarray(cells)[:, :2]:
            around = tube(reduced.points[pair], radius)
            parts.append(around)
            nodes.append(np.repeat(pair, len(around.points) // 2))
    whole = together(parts)
    return (whole, np.concatenate(nodes).astype(np.int64)) if len(whole.triangles) else None


def modal_of(body: ShapedBody, first: IntArray, nodes: IntArray, stress: bool) -> Modal:
    """Displacements, and with ``stress`` stresses where there are any, of nodes by the coordinates ``first`` in q."""
    reduced = body.reduced
    used, back = np.unique(nodes, return_inverse=True)
    row = np.full((len(reduced.points), 3), -1)
    known = np.flatnonzero((reduced.dofs.node >= 0) & (reduced.dofs.component < 3))
    row[reduced.dofs.node[known], reduced.dofs.component[known]] = known
    rows = row[used].ravel()
    shapes = np.asarray(reduced.shapes)[np.maximum(rows, 0)] @ body.basis
    shapes[rows < 0] = 0.0
    shapes = shapes.reshape(len(used), 3, -1)[back]
    if not stress or reduced.stress_shapes is None:
        return Modal(first, shapes)
    at, values = stress_shapes(body, None)
    stressed, rows = rows_of(at, nodes)
    return Modal(first, shapes, values[rows], tuple(reduced.stress_names), stressed)
