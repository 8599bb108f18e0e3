"""Bodies of reduced models over a run, as surfaces and lines for pictures and as series for ParaView."""

from __future__ import annotations

from collections.abc import Iterator
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError, unknown_name
from flexmbs.linear.faces import outer_faces
from flexmbs.linear.pictures import triangles
from flexmbs.linear.stresses import largest_at_nodes, von_mises
from flexmbs.meshes.cells import cell_type
from flexmbs.results.deformation import deformed, displacements, motion_of, nodes_over, placed, stress_shapes, stresses
from flexmbs.results.drawings import frames
from flexmbs.visualization.scene import Surface
from flexmbs.visualization.xdmf import write_xdmf

if TYPE_CHECKING:
    from flexmbs.results.states import States
    from flexmbs.system.groups import Drawing

__all__ = ["body_surface", "mesh_lines", "write_motion"]

COLOURS = ("displacement", "stress")
CHUNK = 32
"""States that are looked at together."""


def mesh_lines(solution: States, drawing: Drawing) -> FloatArray:
    """Line elements of a body of a reduced model (n_t, 3 n_e, 3) with gaps, where its mesh has any."""
    cells = [nodes[:, :2] for kind, nodes in drawing.source.reduced.cells.items() if cell_type(kind).dim == 1]
    if not cells:
        return np.zeros((len(solution), 0, 3))
    pairs = np.vstack(cells)
    out = np.full((len(solution), len(pairs), 3, 3), np.nan)
    out[:, :, :2] = nodes_over(solution, drawing)[:, pairs]
    return out.reshape(len(solution), -1, 3)


def body_surface(solution: States, drawing: Drawing, colour: str) -> Surface | None:
    """The outer faces of a body of a reduced model for an animation; None where its mesh has none.

    ``colour``: ``"displacement"`` (size of the displacement in the frame) or ``"stress"`` (von Mises; of bodies that
    were reduced without stresses the displacement, too).
    """
    if colour not in COLOURS:
        raise ModelError(f"animate: {unknown_name('colour', colour, COLOURS)}")
    part = drawing.source
    faces = outer_faces([(kind, np.asarray(nodes)) for kind, nodes in part.reduced.cells.items()])
    corners = triangles(faces)
    if not len(corners):
        return None
    used, numbered = np.unique(corners, return_inverse=True)
    stressed = colour == "stress" and part.reduced.stress_shapes is not None
    units = solution.model.units
    low, high, limits = np.full(3, np.inf), np.full(3, -np.inf), [np.inf, -np.inf]

    def at(step: int) -> tuple[FloatArray, FloatArray]:
        places, values = states(slice(step, step + 1))
        return places[0], values[0]

    def states(steps: slice) -> tuple[FloatArray, FloatArray]:
        eta = np.atleast_2d(solution.q[steps])[:, drawing.first]
        moved = displacements(part, used, eta)
        places = placed(part.reduced.points[used] - part.origin + moved, frames(solution, drawing, steps))
        if not stressed:
            return places, np.linalg.norm(moved, axis=2)
        nodes, shapes = stress_shapes(part, None)
        found = von_mises(np.einsum("scm,tm->tsc", shapes, eta), part.reduced.stress_names)
        return places, largest_at_nodes(nodes, found, len(part.reduced.points))[:, used]

    for steps in _chunks(len(solution)):
        places, values = states(steps)
        low, high = np.minimum(low, places.min(axis=(0, 1))), np.maximum(high, places.max(axis=(0, 1)))
        if np.isfinite(values).any():
            limits = [min(limits[0], float(np.nanmin(values))), max(limits[1], float(np.nanmax(values)))]
    label = f"von Mises stress [{units.of('force')}/{units.length}²]" if stressed else f"displacement [{units.length}]"
    scale = (limits[0], limits[1]) if limits[1] > limits[0] else (0.0, 1.0)
    return Surface(drawing.name, numbered.reshape(corners.shape), at, np.array((low, high)), scale, label)


def write_motion(solution: States, path: str | PathLike[str], body: Any, steps: Any = slice(None)) -> Path:
    """Write the motion of a body of a reduced model with its mesh as a series for ParaView.

    See `TimeSolution.to_paraview`. Displacements are from where the undeformed mesh lies in the first stored state.
    """
    drawn: Any
    drawn, _, start = motion_of("to_paraview", solution, body, slice(0, 1))
    rows = np.arange(len(solution))[steps]
    units, reduced = solution.model.units, drawn.reduced
    points = placed((reduced.points - drawn.origin)[None], start)[0]

    def series() -> Iterator[tuple[float, dict[str, FloatArray], dict[str, list[FloatArray]]]]:
        for row in rows:
            one = slice(int(row), int(row) + 1)
            _, eta, _ = motion_of("to_paraview", solution, body, one)
            data = {
                f"displacement [{units.length}]": deformed(solution, body, one)[0] - points,
                f"deformation [{units.length}]": displacements(drawn, np.arange(len(points)), eta)[0],
            }
            if reduced.stress_shapes is not None:
                found = von_mises(stresses(solution, body, one)[0], reduced.stress_names)
                largest = largest_at_nodes(reduced.stress_nodes, found, len(points))
                data[f"von Mises [{units.of('force')}/{units.length}²]"] = largest
            yield float(solution.t[row]), data, {}

    cells = [(kind, np.asarray(nodes)) for kind, nodes in reduced.cells.items()]
    if not cells:
        cells = [("vertex", np.arange(len(points))[:, None])]
    return write_xdmf("to_paraview", path, points, cells, series())


def _chunks(n: int) -> list[slice]:
    return [slice(i, min(i + CHUNK, n)) for i in range(0, n, CHUNK)]
