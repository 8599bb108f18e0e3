"""Bodies of reduced models over a run: where all nodes of the mesh are, stresses, surfaces for pictures, ParaView."""

from __future__ import annotations

from collections.abc import Iterator
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from flexmbs.bodies.floating import FloatingBody
from flexmbs.bodies.linear import LinearBody
from flexmbs.core.checks import show
from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.errors import ModelError, unknown_name
from flexmbs.core.rotations import from_quaternion, to_quaternion
from flexmbs.linear.faces import outer_faces
from flexmbs.linear.pictures import triangles
from flexmbs.linear.stresses import von_mises
from flexmbs.meshes.cells import cell_type
from flexmbs.output.scene import Surface
from flexmbs.output.xdmf import write_xdmf
from flexmbs.trees.flexible_link import FlexibleLink
from flexmbs.trees.tree import TreeLink

if TYPE_CHECKING:
    from flexmbs.bodies.substructure import Substructure
    from flexmbs.model import Model
    from flexmbs.results.states import States

__all__ = [
    "body_surface", "deformed", "mesh_lines", "reduced_body", "stress_shapes", "stresses", "substructure_lines",
    "substructure_nodes", "write_motion",
]  # fmt: skip

COLOURS = ("displacement", "stress")
CHUNK = 32
"""States that are looked at together."""


def deformed(solution: States, body: Any, steps: Any = slice(None), nodes: Any = None) -> FloatArray:
    """Places (n, n_nodes, 3) of the nodes of a floating body, inertial frame; see `TimeSolution.deformed`."""
    body, eta, frames = _motion("deformed", solution, body, steps)
    chosen = _nodes(body, nodes)
    moved = _displacements(body, chosen, eta)
    inside = body.reduced.points[chosen] - body.origin + moved
    return _placed(inside, frames)


def stresses(solution: States, body: Any, steps: Any = slice(None), nodes: Any = None) -> FloatArray:
    """Stresses (n, n_nodes, n_c) of a floating body in axes of its frame; see `TimeSolution.stresses`."""
    body, eta, _ = _motion("stresses", solution, body, steps)
    return np.asarray(np.einsum("scm,tm->tsc", stress_shapes("stresses", body, nodes)[1], eta))


def stress_shapes(owner: str, body: FloatingBody | LinearBody, nodes: Any) -> tuple[IntArray, FloatArray]:
    """Numbers (s,) of nodes and stresses (s, n_c, m) at them by the coordinates of a body."""
    body.stresses(np.zeros((body.modes, 1)))  # refuses a model without stresses
    known = np.asarray(body.reduced.stress_nodes, dtype=np.int64)
    if nodes is None:
        rows = np.arange(len(known))
    else:
        place = {int(node): row for row, node in enumerate(known)}
        wanted = _nodes(body, nodes)
        missing = [int(node) for node in wanted if int(node) not in place]
        if missing:
            raise ModelError(
                f"{owner}: the reduced model of {body} has no stresses at nodes {show(missing)}; name them in "
                f"reduce(..., stresses=...)."
            )
        rows = np.array([place[int(node)] for node in wanted], dtype=np.int64)
    return known[rows], np.asarray(body.reduced.stress_shapes)[rows] @ body.basis


def mesh_lines(solution: States, body: FloatingBody | LinearBody | TreeLink) -> FloatArray:
    """Line elements of a floating body (n_t, 3 n_e, 3) with gaps, for bodies of frame elements."""
    cells = [nodes[:, :2] for kind, nodes in _part(body).reduced.cells.items() if cell_type(kind).dim == 1]
    if not cells:
        return np.zeros((len(solution), 0, 3))
    pairs = np.vstack(cells)
    out = np.full((len(solution), len(pairs), 3, 3), np.nan)
    out[:, :, :2] = deformed(solution, body)[:, pairs]
    return out.reshape(len(solution), -1, 3)


def substructure_nodes(solution: States, part: Substructure) -> FloatArray:
    """Places (n_t, n_nodes, 3) of the nodes of a substructure, inertial frame."""
    mechanics = solution.system.mechanics
    for shared in mechanics.substructures:
        for i, other in enumerate(shared.parts):
            if other is part:
                local = part.nodes(np.array([shared.amplitudes(q)[i] for q in solution.q]))
                R, x = solution.rotation(part.start), solution.position(part.start)
                return np.asarray(x[:, None] + np.einsum("tab,tnb->tna", R, local))
    raise ModelError(f"nodes of {part}: it is not in model {solution.model.name!r}.")


def substructure_lines(solution: States, part: Substructure) -> FloatArray:
    """Line elements of a substructure (n_t, 3 n_e, 3) with gaps."""
    cells = [nodes[:, :2] for kind, nodes in part.reduced.cells.items() if cell_type(kind).dim == 1]
    if not cells:
        return np.zeros((len(solution), 0, 3))
    pairs = np.vstack(cells)
    out = np.full((len(solution), len(pairs), 3, 3), np.nan)
    out[:, :, :2] = substructure_nodes(solution, part)[:, pairs]
    return out.reshape(len(solution), -1, 3)


def body_surface(solution: States, body: FloatingBody | LinearBody | TreeLink, colour: str) -> Surface | None:
    """The outer faces of a floating body for an animation; None where its mesh has none.

    ``colour``: ``"displacement"`` (size of the displacement in the frame) or ``"stress"`` (von Mises; of bodies that
    were reduced without stresses the displacement, too).
    """
    if colour not in COLOURS:
        raise ModelError(f"animate: {unknown_name('colour', colour, COLOURS)}")
    part = _part(body)
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
        _, eta, frames = _motion("animate", solution, body, steps)
        moved = _displacements(part, used, eta)
        places = _placed(part.reduced.points[used] - part.origin + moved, frames)
        if not stressed:
            return places, np.linalg.norm(moved, axis=2)
        values = np.full((len(eta), len(part.reduced.points)), np.nan)
        values[:, np.asarray(part.reduced.stress_nodes)] = von_mises(
            stresses(solution, body, steps), part.reduced.stress_names
        )
        return places, values[:, used]

    for steps in _chunks(len(solution)):
        places, values = states(steps)
        low, high = np.minimum(low, places.min(axis=(0, 1))), np.maximum(high, places.max(axis=(0, 1)))
        if np.isfinite(values).any():
            limits = [min(limits[0], float(np.nanmin(values))), max(limits[1], float(np.nanmax(values)))]
    label = f"von Mises stress [{units.of('force')}/{units.length}²]" if stressed else f"displacement [{units.length}]"
    scale = (limits[0], limits[1]) if limits[1] > limits[0] else (0.0, 1.0)
    return Surface(body.name, numbered.reshape(corners.shape), at, np.array((low, high)), scale, label)


def write_motion(solution: States, path: str | PathLike[str], body: Any, steps: Any = slice(None)) -> Path:
    """Write the motion of a floating body with its mesh as a series for ParaView; see `TimeSolution.to_paraview`."""
    body, _, _ = _motion("to_paraview", solution, body, slice(0, 1))
    rows = np.arange(len(solution))[steps]
    units, reduced = solution.model.units, body.reduced
    points = body.position + reduced.points @ body.rotation.T

    def series() -> Iterator[tuple[float, dict[str, FloatArray], dict[str, list[FloatArray]]]]:
        for row in rows:
            one = slice(int(row), int(row) + 1)
            _, eta, _ = _motion("to_paraview", solution, body, one)
            data = {
                f"displacement [{units.length}]": deformed(solution, body, one)[0] - points,
                f"deformation [{units.length}]": _displacements(body, np.arange(len(points)), eta)[0],
            }
            if reduced.stress_shapes is not None:
                values = np.full(len(points), np.nan)
                found = stresses(solution, body, one)[0]
                values[np.asarray(reduced.stress_nodes)] = von_mises(found, reduced.stress_names)
                data[f"von Mises [{units.of('force')}/{units.length}²]"] = values
            yield float(solution.t[row]), data, {}

    cells = [(kind, np.asarray(nodes)) for kind, nodes in reduced.cells.items()]
    if not cells:
        cells = [("vertex", np.arange(len(points))[:, None])]
    return write_xdmf("to_paraview", path, points, cells, series())


def _motion(
    owner: str, solution: States, body: Any, steps: Any
) -> tuple[FloatingBody | LinearBody, FloatArray, FloatArray]:
    """The body, its shapes (n, m) and its frame (n, 7) at some stored times."""
    c = solution.system.coordinates
    link = solution.model.body(body) if isinstance(body, str) else body
    if isinstance(link, TreeLink) and isinstance(link.link, FlexibleLink):
        eta = np.atleast_2d(solution.q[steps])[:, c.tree(link.tree).eta[link.index]]
        origin = link.marker((0.0, 0.0, 0.0))
        position, rotation = solution.position(origin), solution.rotation(origin)
        turns = np.array([to_quaternion(R) for R in rotation[steps].reshape(-1, 3, 3)])
        return link.link.floating, eta, np.hstack((position[steps].reshape(-1, 3), turns))
    body = reduced_body(owner, solution.model, body)
    first = c.modal[id(body)]
    q = np.atleast_2d(solution.q[steps])
    if isinstance(body, LinearBody):
        frame = np.concatenate((body.position, to_quaternion(body.rotation)))
        return body, q[:, first : first + body.modes], np.tile(frame, (len(q), 1))
    iq, _ = c.place(body)
    return body, q[:, first : first + body.modes], q[:, iq : iq + 7]


def reduced_body(owner: str, model: Model, body: Any) -> FloatingBody | LinearBody:
    """A body of a reduced model, by itself or its name."""
    if isinstance(body, str):
        body = model.body(body)
    if not isinstance(body, FloatingBody | LinearBody) or not any(body is b for b in model.bodies):
        raise ModelError(
            f"{owner}: expected a FloatingBody, a LinearBody or a flexible link of a tree of the model, or its name, "
            f"not {show(body)}."
        )
    return body


def _part(body: FloatingBody | LinearBody | TreeLink) -> FloatingBody | LinearBody:
    """What has the mesh: of a flexible link its body in a floating frame."""
    if isinstance(body, TreeLink):
        assert isinstance(body.link, FlexibleLink)  # noqa: S101  # asked for such alone
        return body.link.floating
    return body


def _nodes(body: FloatingBody | LinearBody, nodes: Any) -> IntArray:
    """Rows of the points: all, those of a node set, or given ones."""
    n = len(body.reduced.points)
    if nodes is None:
        return np.arange(n)
    if isinstance(nodes, str):
        if nodes not in body.reduced.node_sets:
            raise ModelError(f"{body}: {unknown_name('node set', nodes, list(body.reduced.node_sets))}")
        return np.asarray(body.reduced.node_sets[nodes], dtype=np.int64)
    given = np.atleast_1d(np.asarray(nodes))
    if given.ndim != 1 or given.dtype.kind not in "iu" or not ((given >= 0) & (given < n)).all():
        raise ModelError(f"{body}: nodes are whole numbers from 0 to {n - 1} or the name of a set, not {show(nodes)}.")
    return given.astype(np.int64)


def _displacements(body: FloatingBody | LinearBody, nodes: IntArray, eta: FloatArray) -> FloatArray:
    """Displacements (n, n_nodes, 3) of nodes in the frame; zero where the mesh has none."""
    dofs = body.reduced.dofs
    row = np.full((len(body.reduced.points), 3), -1)
    known = np.flatnonzero((dofs.node >= 0) & (dofs.component < 3))
    row[dofs.node[known], dofs.component[known]] = known
    rows = row[nodes]
    shapes = np.asarray(body.reduced.shapes)[np.maximum(rows, 0).ravel()] @ body.basis
    shapes[rows.ravel() < 0] = 0.0
    return np.asarray((eta @ shapes.T).reshape(len(eta), len(nodes), 3))


def _placed(inside: FloatArray, frames: FloatArray) -> FloatArray:
    """Points (n, n_p, 3) of frames (n, 7) in the inertial frame."""
    R = np.array([from_quaternion(frame[3:]) for frame in frames]).reshape(-1, 3, 3)
    return np.asarray(frames[:, None, :3] + np.einsum("tab,tpb->tpa", R, inside))


def _chunks(n: int) -> list[slice]:
    return [slice(i, min(i + CHUNK, n)) for i in range(0, n, CHUNK)]
