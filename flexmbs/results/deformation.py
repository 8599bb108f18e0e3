"""Bodies of reduced models over a run: where all nodes of the mesh are, and stresses."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from flexmbs.core.checks import as_counts, show
from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.errors import ModelError, unknown_name
from flexmbs.core.rotations import from_quaternion
from flexmbs.results.drawings import frames, reduced_drawing

if TYPE_CHECKING:
    from flexmbs.model.bodies.shaped import ShapedBody
    from flexmbs.model.bodies.substructure import Substructure
    from flexmbs.results.states import States
    from flexmbs.system.groups import Drawing

__all__ = [
    "chosen_states",
    "deformed",
    "displacements",
    "motion_of",
    "nodes_over",
    "placed",
    "stress_shapes",
    "stresses",
    "substructure_nodes",
]


def deformed(solution: States, body: Any, steps: Any = slice(None), nodes: Any = None) -> FloatArray:
    """Places (n, n_nodes, 3) of the nodes of a floating body, inertial frame; see `TimeSolution.deformed`."""
    body, eta, poses = motion_of("deformed", solution, body, steps)
    chosen = _nodes(body, nodes)
    moved = displacements(body, chosen, eta)
    inside = body.reduced.points[chosen] - body.origin + moved
    return placed(inside, poses)


def stresses(solution: States, body: Any, steps: Any = slice(None), nodes: Any = None) -> FloatArray:
    """Stresses (n, n_nodes, n_c) of a floating body in axes of its frame; see `TimeSolution.stresses`."""
    body, eta, _ = motion_of("stresses", solution, body, steps)
    told, shapes = stress_shapes(body, nodes)
    if nodes is not None and len(told) != len(_nodes(body, nodes)):
        several = [int(node) for node in np.unique(told) if (told == node).sum() > (_nodes(body, nodes) == node).sum()]
        warnings.warn(
            f"stresses: nodes {show(several)} of {body} have several stresses each, since elements there are not "
            f"averaged with each other (a border of regions, a fold of shells, ends of frames). All are given: row k "
            f"is of node body.reduced.stress_nodes[body.reduced.stress_rows(nodes)][k].",
            stacklevel=3,
        )
    return np.asarray(np.einsum("scm,tm->tsc", shapes, eta))


def stress_shapes(body: ShapedBody, nodes: Any) -> tuple[IntArray, FloatArray]:
    """Numbers (s,) of nodes and stresses (s, n_c, m) at them by the coordinates of a body; all that a node has."""
    body.stresses(np.zeros((body.modes, 1)))  # refuses a model without stresses
    known = np.asarray(body.reduced.stress_nodes, dtype=np.int64)
    rows = np.arange(len(known)) if nodes is None else body.reduced.stress_rows(_nodes(body, nodes))
    return known[rows], np.asarray(body.reduced.stress_shapes)[rows] @ body.basis


def substructure_nodes(solution: States, part: Substructure) -> FloatArray:
    """Places (n_t, n_nodes, 3) of the nodes of a substructure, inertial frame."""
    if not any(part is other for other in solution.model.substructures):
        raise ModelError(f"nodes of {part}: it is not in model {solution.model.name!r}.")
    drawing: Any = solution.system.coordinates.group_of(part).drawing(part)
    return nodes_over(solution, drawing)


def nodes_over(solution: States, drawing: Drawing) -> FloatArray:
    """Places (n_t, n_nodes, 3) of all nodes of the mesh of a body over a run."""
    q, part = np.asarray(solution.q), drawing.source
    if drawing.nodes is not None:
        inside = drawing.nodes(q)
    else:
        inside = part.reduced.points - part.origin
        inside = inside + displacements(part, np.arange(len(inside)), q[:, drawing.first])
    return placed(inside, frames(solution, drawing))


def motion_of(owner: str, solution: States, body: Any, steps: Any) -> tuple[ShapedBody, FloatArray, FloatArray]:
    """The body, its shapes (n, m) and its frame (n, 7) at some stored times."""
    drawing = reduced_drawing(owner, solution.system, body)
    steps = chosen_states(owner, solution, steps)
    eta = np.atleast_2d(solution.q[steps])[:, drawing.first]
    return drawing.source, eta, frames(solution, drawing, steps)


def chosen_states(owner: str, solution: States, steps: Any) -> slice | IntArray:
    """Some stored states: a slice as it is, so that nothing is copied, else their numbers (k,)."""
    if isinstance(steps, slice):
        ends = (steps.start, steps.stop, steps.step)
        if steps.step == 0 or not all(x is None or isinstance(x, int | np.integer) for x in ends):
            raise ModelError(f"{owner}: a slice of steps has whole numbers, not {show(steps)}.")
        return steps
    given = np.atleast_1d(np.asarray(steps, dtype=object))
    if given.shape == (len(solution),) and all(isinstance(x, bool | np.bool_) for x in given):
        return np.flatnonzero(given)
    return np.array([solution.number(x) for x in given], dtype=np.int64)


def _nodes(body: ShapedBody, nodes: Any) -> IntArray:
    """Rows of the points: all, those of a node set, or given ones."""
    n = len(body.reduced.points)
    if nodes is None:
        return np.arange(n)
    if isinstance(nodes, str):
        if nodes not in body.reduced.node_sets:
            raise ModelError(f"{body}: {unknown_name('node set', nodes, list(body.reduced.node_sets))}")
        return np.asarray(body.reduced.node_sets[nodes], dtype=np.int64)
    given = as_counts(str(body), "each of nodes, unless it is the name of a set,", nodes)
    if given.max(initial=0) >= n:
        raise ModelError(f"{body}: nodes are whole numbers from 0 to {n - 1} or the name of a set, not {show(nodes)}.")
    return given


def displacements(body: ShapedBody, nodes: IntArray, eta: FloatArray) -> FloatArray:
    """Displacements (n, n_nodes, 3) of nodes and points of interfaces in the frame; zero where the mesh has none."""
    dofs = body.reduced.dofs
    row = np.full((len(body.reduced.points), 3), -1)
    known = np.flatnonzero((dofs.node >= 0) & (dofs.component < 3))
    row[dofs.node[known], dofs.component[known]] = known
    rows = row[nodes].ravel()
    shapes = np.asarray(body.reduced.shapes)[np.maximum(rows, 0)] @ body.basis
    shapes[rows < 0] = 0.0
    node, component, coordinate = body.reduced.own_points()
    own = np.full_like(row, -1)
    own[node[component < 3], component[component < 3]] = coordinate[component < 3]
    own = own[nodes].ravel()
    shapes[own >= 0] = body.basis[own[own >= 0]]
    return np.asarray((eta @ shapes.T).reshape(len(eta), len(nodes), 3))


def placed(inside: FloatArray, poses: FloatArray) -> FloatArray:
    """Points (n, n_p, 3) of frames (n, 7) in the inertial frame."""
    R = np.array([from_quaternion(pose[3:]) for pose in poses]).reshape(-1, 3, 3)
    return np.asarray(poses[:, None, :3] + np.einsum("tab,tpb->tpa", R, inside))
