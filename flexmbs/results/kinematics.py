"""Where places of a model are in stored states: markers, bodies and nodes, their axes, velocities and angles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import breadth_first_order

from flexmbs.core.checks import show, warn_user
from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.errors import AccuracyWarning, ModelError, a_or_an
from flexmbs.core.nodes import follows, plane_angles, positions_in_q
from flexmbs.model.bodies.attachment import Attachment, as_attachment
from flexmbs.model.bodies.flexible import FlexibleBody
from flexmbs.model.bodies.marker import Body, Marker, as_marker
from flexmbs.results.unseen_turns import followed
from flexmbs.system.marker_set import MarkerSet

if TYPE_CHECKING:
    from flexmbs.results.states import States
    from flexmbs.system.system import System

__all__ = [
    "Kinematics",
    "in_space",
    "joint_of",
    "kinematics",
    "kinematics_of",
    "marker_of",
    "meant_joint",
    "named_joint",
    "nodal_components",
    "nodal_displacements",
    "nodal_positions",
    "node_angles",
    "tell_of_rotation",
    "turns_of",
]

MOMENT = 1e-6
"""Part of the time between states after which nodes are looked at again, for the rates of their angles."""


class Kinematics(NamedTuple):
    """Of m markers in n states: p (n, m, 3), R (n, m, 3, 3), twist and its derivative (n, m, 6).

    Twist: velocity of the point, inertial frame, and angular velocity in the axes of the marker. Its derivative is zero
    unless accelerations were asked for.
    """

    p: FloatArray
    R: FloatArray
    twist: FloatArray
    rate: FloatArray


def kinematics(states: States, at: Any, rows: IntArray | None = None, accelerations: bool = False) -> Kinematics:
    """Poses and twists of a marker, body or the nodes of a place in some states (all by default).

    Frames that follow a tangent are followed from the first state on, so that states before the last of ``rows`` are
    looked at, too.
    """
    return kinematics_of(states, _markers(states, at), rows, accelerations)


def kinematics_of(
    states: States, markers: list[Marker], rows: IntArray | None = None, accelerations: bool = False
) -> Kinematics:
    """`kinematics` of markers of the model that was integrated."""
    tables = MarkerSet(states.system.coordinates, markers, set(), 0)
    n, m = len(states), len(markers)
    p, R = np.empty((n, m, 3)), np.empty((n, m, 3, 3))
    twist, rate = np.empty((n, m, 6)), np.zeros((n, m, 6))
    work = tables.work(np.zeros(states.system.coordinates.n_v), np.zeros(tables.size))
    wanted = np.arange(n) if rows is None else np.asarray(rows)
    followed = any(kind.rebase is not None for kind, _ in tables.groups)
    for i in range(int(wanted.max(initial=-1)) + 1) if followed else wanted:
        q, v = np.array(states.q[i]), np.array(states.v[i])
        tables.poses(work, q, v, tangent=accelerations)
        if accelerations:
            a = np.array(states.a[i])
            for k in range(m):
                own = slice(tables.ptr[k], tables.ptr[k + 1])
                dof = tables.dof[own]
                rate[i, k] = work.JT[own].T @ a[dof] + work.JvT[own].T @ v[dof]
        p[i], R[i], twist[i] = work.p, work.R, work.twist
        tables.rebase(q)
    return Kinematics(p[wanted], R[wanted], twist[wanted], rate[wanted])


def tell_of_rotation(owner: str, states: States, at: Any) -> None:
    """Refuse rotations of a place that has none, and warn where that about one axis is not known."""
    for marker in _markers(states, at)[:1]:
        if not marker.rotates:
            raise ModelError(
                f"{owner} of {marker}: it is a point, which has no orientation. Ask a body, an interface of a reduced "
                f"part, or a node that has rotations or slopes."
            )
        if marker.spin_axis is not None:
            kind, axis, _ = marker.spin_words
            warn_user(
                f"{owner} of {marker}: {kind} does not know its rotation about its {axis}; given is that of the "
                f"smallest rotation, without spin. What is known is the direction of the {axis}: slope().",
                AccuracyWarning,
            )


def _markers(states: States, at: Any) -> list[Marker]:
    """The markers of a place: one, or one for each of its nodes."""
    if isinstance(at, Attachment) and len(as_attachment("results", at).nodes) > 1:
        return [marker_of(states, at.body.node(n)) for n in at.nodes]
    return [marker_of(states, at)]


def marker_of(states: States, at: Any) -> Marker:
    """The marker that a body, its name, a marker or a place on a flexible body stands for, in the model integrated."""
    form = states.extra.get("form")  # of a long tree, integrated as rigid bodies
    if isinstance(at, str):
        at = (states.model if form is None else form.relative).body(at)
    if isinstance(at, Body):
        at = at.centre
    if isinstance(at, Marker | Attachment):
        marker = as_marker("results", at)
        return marker if form is None else form.marker(marker)
    raise ModelError(f"expected a marker, a rigid body or a place on a flexible body such as beam.end, not {show(at)}.")


def named_joint(states: States, joint: Any) -> Any:
    """The joint, or joint of a tree, that a user names, in the model as the user made it."""
    form = states.extra.get("form")
    if isinstance(joint, str):
        return (states.model if form is None else form.relative).joint(joint)
    return joint


def meant_joint(states: States, joint: Any) -> Any:
    """The joint, or joint of a tree, that a user names, in the model that was integrated."""
    form = states.extra.get("form")
    joint = named_joint(states, joint)
    return joint if form is None else form.joint(joint)


def joint_of(states: States, joint: Any) -> Any:
    """A joint of the model by itself or its name.

    Raises
    ------
    ModelError
        If it is not in the model.
    """
    found = states.model.joint(joint) if isinstance(joint, str) else joint
    if not any(found is j for j in states.model.joints):
        known = ", ".join(repr(j.name) for j in states.model.joints[:10]) or "none"
        hint = f" That is a body: give a joint ({known}) or, for supports, a place on a flexible body."
        raise ModelError(
            f"joint {getattr(joint, 'name', show(joint))!r} is not in model {states.model.name!r}."
            f"{hint if isinstance(joint, Body) else ''}"
        )
    return found


def in_space(values: FloatArray) -> FloatArray:
    """Vectors (..., dim) with three components; what is planar lies in z = 0."""
    missing = 3 - values.shape[-1]
    if not missing:
        return values
    out = np.zeros((*values.shape[:-1], 3))
    out[..., : values.shape[-1]] = values
    return out


def nodal_positions(states: States, at: Attachment, rows: IntArray) -> FloatArray:
    """Positions (n, n_nodes, 3) of nodes, inertial frame [length]."""
    layout = at.body.element.layout
    points = in_space(states.q[rows][:, _places(states, at)])
    return points if layout.absolute else points + in_space(at.body.mesh.points[list(at.nodes)])


def nodal_displacements(states: States, at: Attachment, rows: IntArray) -> FloatArray:
    """Displacements (n, n_nodes, 3) of nodes from the stress-free shape, inertial frame [length]."""
    layout = at.body.element.layout
    moved = in_space(states.q[rows][:, _places(states, at)])
    return moved - in_space(at.body.mesh.points[list(at.nodes)]) if layout.absolute else moved


def nodal_components(values: FloatArray, system: System, at: Attachment, which: tuple[int, ...]) -> FloatArray:
    """Components ``which`` of the layout of nodes, in an array (n, n_v) over all velocities: (n, n_nodes, k)."""
    return np.asarray(values[:, system.coordinates.dofs(at)[:, list(which)]])


def _places(states: States, at: Attachment) -> IntArray:
    """Places in q (n_nodes, dim) of the position coordinates of nodes."""
    layout, c = at.body.element.layout, states.system.coordinates
    dofs = c.dofs(at)
    return positions_in_q(layout, dofs, c.n_linear)


def turns_of(states: States, at: Any) -> FloatArray:
    """Angles (n,) [rad] of a planar body, marker or node, (n, n_nodes) of several, over full turns.

    Counter-clockwise, from the orientation in the model (the stress-free shape). Along a flexible body turns are
    counted from node to node, from the first node on, whose own angle is followed over the states; an
    `AccuracyWarning` says where these are too far apart.

    Raises
    ------
    ModelError
        If it does not turn in the plane.
    """
    if isinstance(at, Attachment):
        body: Any = as_attachment("angle", at).body
        nodes: list[Any] = list(at.nodes)
        planar = body.element.layout.dim == 2
    else:
        marker = marker_of(states, at)
        body, nodes, planar = marker.body, [marker.node], marker.planar
    if not planar:
        raise ModelError(
            f"angle: {at} is in space, where a rotation is no angle; use rotation(), section_frame() or "
            f"rotation_vector()."
        )
    if body.has_mesh:
        found = node_angles(states, body)[:, nodes]
        return found[:, 0] if len(nodes) == 1 else found
    angle = None if body.is_ground else angle_in_plane(states, marker)
    if angle is None:
        raise ModelError(f"angle: {body} does not turn; ask for the angle of a joint, or of a planar rigid body.")
    return angle


def angle_in_plane(states: States, marker: Marker) -> FloatArray | None:
    """Angle (n,) [rad] over full turns of a marker on a planar body that has one as a coordinate; None of others."""
    if not marker.planar or marker.body.is_ground or marker.body.has_mesh:
        return None
    c = states.system.coordinates
    own = np.intersect1d(c.velocities(marker.body), c.angles)
    return np.asarray(states.q[:, own[0]] - c.reference[own[0]]) if len(own) else None


def node_angles(states: States, body: FlexibleBody) -> FloatArray:
    """Angles (n, n_nodes) of the nodes of a planar body from the stress-free shape, over full turns."""
    layout, c = body.element.layout, states.system.coordinates
    dofs = c.node_dofs[c.index(body)]
    angle = plane_angles(layout, states.q, dofs, body.reference)
    if angle is None:
        raise ModelError(f"angle: nodes of {a_or_an(body.element.name)} have no rotation.")
    if not follows(layout):  # small rotations, which are not within half a turn
        return angle
    rate = np.zeros_like(angle)
    if states.over_time and np.ptp(states.t) > 0.0:
        moment = MOMENT * float(np.diff(states.t).min(initial=np.inf, where=np.diff(states.t) > 0.0))
        later = states.q.copy()
        later[:, dofs] += moment * states.v[:, dofs]
        ahead = np.asarray(plane_angles(layout, later, dofs, body.reference)) - angle
        rate = (ahead - 2.0 * np.pi * np.round(ahead / (2.0 * np.pi))) / moment
    a, b = body.cells[:, 0], body.cells[:, 1]
    n = len(dofs)
    graph = coo_array((np.ones(len(a)), (a, b)), shape=(n, n)).tocsr()
    graph.indices, graph.indptr = graph.indices.astype(np.int32), graph.indptr.astype(np.int32)
    seen = np.zeros(n, dtype=bool)
    for root in range(n):
        if seen[root]:
            continue
        order, before = breadth_first_order(graph, root, directed=False)
        seen[order] = True
        advance = 0.5 * np.diff(states.t) * (rate[1:, root] + rate[:-1, root])
        angle[:, root] = followed(f"that of node {root} of {body}", states, angle[:, root], advance)
        for node in order[1:]:
            jump = angle[:, node] - angle[:, before[node]]
            angle[:, node] -= 2 * np.pi * np.round(jump / (2 * np.pi))
    return np.asarray(angle)
