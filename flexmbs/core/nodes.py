"""What a node does, by its layout: how it is numbered, turns, is moved as a rigid body, and what its rotations are.

The other half of `flexmbs.core.contracts.NodeLayout`, which says what its coordinates are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from flexmbs.core.contracts import FloatArray, IntArray, NodeLayout
from flexmbs.core.directors import quaternions, section_axes_of
from flexmbs.core.rotations import axis_rotation, from_quaternion

__all__ = [
    "axis_held",
    "carries_torque",
    "dimension",
    "follows",
    "frames_of_vectors",
    "gradient",
    "is_oriented",
    "is_rigid",
    "is_slope_line",
    "largest_turn",
    "moments",
    "node_axes",
    "places_in_q",
    "plane_angles",
    "positions_in_q",
    "reference_of_sections",
    "rigid_motions",
    "rigid_rates",
    "rotates",
    "section_frames",
    "share_positions",
    "slopes",
    "small_rotations",
    "spins",
    "vectors_of_section",
]


# --- numbering ------------------------------------------------------------------------------------------------------


def places_in_q(layout: NodeLayout, dofs: IntArray, n_linear: int) -> IntArray:
    """Places in q (n, n_q) of nodes with the places ``dofs (n, n_v)`` in v.

    ``n_linear``: number of coordinates of vector spaces, behind which those with quaternions lie, 7 in q and 6 in v.
    """
    if not layout.quaternion:
        return dofs
    first = n_linear + 7 * ((dofs[:, :1] - n_linear) // 6)
    return np.asarray(first + np.arange(7))


def positions_in_q(layout: NodeLayout, dofs: IntArray, n_linear: int) -> IntArray:
    """Places in q (n, dim) of the positions, or the displacements, of nodes."""
    return places_in_q(layout, dofs, n_linear)[:, list(layout.position)]


def share_positions(a: NodeLayout, b: NodeLayout) -> bool:
    """Whether the coordinates of two nodes at one place are the same numbers, so that a hinge can join them."""
    return a.absolute == b.absolute


def dimension(layout: NodeLayout, coordinate: int) -> str:
    """Dimension of a coordinate in the words of `Units.of`: ``"length"``, ``"angle"`` or ``"number"``."""
    if coordinate in layout.position:
        return "length"
    return "angle" if coordinate in layout.rotation else "number"


# --- orientation ----------------------------------------------------------------------------------------------------


def is_rigid(layout: NodeLayout) -> bool:
    """Whether a node moves as a small rigid body, so that wrenches and bushings act on it as on one."""
    return layout.quaternion


def rotates(layout: NodeLayout) -> bool:
    """Whether anything of a node tells how it turns."""
    return bool(layout.slope or layout.rotation or layout.frame)


def spins(layout: NodeLayout) -> bool:
    """Whether all its rotations have a meaning; those of a spatial cable about its tangent have none."""
    return bool(layout.rotation or layout.frame or (layout.dim == 2 and layout.slope))


def carries_torque(layout: NodeLayout) -> bool:
    """Whether it takes moments about any axis; a slope alone takes none about itself."""
    return bool(not layout.slope or layout.frame)


def follows(layout: NodeLayout) -> bool:
    """Whether it has an orientation that may turn as far as one likes."""
    return bool(layout.slope or layout.frame or layout.quaternion)


def is_oriented(layout: NodeLayout) -> tuple[bool, bool]:
    """Of a line: whether the direction of the line, and whether a section across it, is in the coordinates."""
    section = bool(layout.directors or layout.quaternion)
    return bool(layout.slope or section), section


def is_slope_line(layout: NodeLayout) -> bool:
    """Whether nodes have absolute positions and slopes in the plane: an interpolation of third order."""
    return bool(layout.dim == 2 and layout.slope and layout.absolute)


def vectors_of_section(layout: NodeLayout) -> tuple[int, ...]:
    """Coordinates that turn with a section while its place may stay: the directors."""
    return layout.directors


def gradient(layout: NodeLayout) -> tuple[int, ...]:
    """Coordinates of r_x, r_y and r_z of a node of a fully parameterised line."""
    return layout.slope + layout.directors


def largest_turn(layout: NodeLayout, before: FloatArray, after: FloatArray) -> float:
    """Largest angle [rad], at most pi, by which vectors or frames of nodes turn between two states (n, n_q); or 0."""
    largest = 0.0
    if layout.quaternion:
        cosine = np.abs((before[:, 3:] * after[:, 3:]).sum(axis=1))
        largest = 2.0 * float(np.arccos(min(cosine.min(), 1.0)))
    for part in layout.directions:
        a, b = before[:, list(part)], after[:, list(part)]
        cosine = (a * b).sum(axis=1) / (np.linalg.norm(a, axis=1) * np.linalg.norm(b, axis=1))
        largest = max(largest, float(np.arccos(np.clip(cosine.min(), -1.0, 1.0))))
    return largest


def axis_held(layout: NodeLayout, own: FloatArray) -> FloatArray | None:
    """The axis of a node of a surface with the coordinates ``own`` that a joint along an edge holds.

    The vector across the thickness, or the normal of the tangent plane; None where its coordinates do not tell.
    """
    if layout.slope:
        return np.asarray(own[list(layout.slope)])
    if layout.surface:
        return np.cross(own[list(layout.surface[:3])], own[list(layout.surface[3:])])
    return None


def reference_of_sections(
    layout: NodeLayout, points: FloatArray, tangents: FloatArray, directors: FloatArray
) -> FloatArray:
    """Coordinates (n, n_q) of nodes at ``points`` whose sections, across ``tangents``, ``directors (n, 6)`` span."""
    if layout.quaternion:
        return np.hstack((points, quaternions(directors)))
    reference = np.zeros((len(points), len(layout.names)))
    reference[:, layout.position] = points
    reference[:, layout.directors] = directors
    if layout.slope:
        reference[:, layout.slope] = tangents
    return reference


def section_frames(layout: NodeLayout, reference: FloatArray) -> FloatArray | None:
    """Axes (n, 3, 3) of the sections of nodes with the coordinates ``reference (n, n_q)``; None without sections."""
    if layout.quaternion:
        return np.array([from_quaternion(q[3:]) for q in reference])
    if layout.directors:
        d2, d3 = reference[:, layout.directors[:3]], reference[:, layout.directors[3:]]
        return np.stack((np.cross(d2, d3), d2, d3), axis=-1)
    return None


def node_axes(layout: NodeLayout, own: FloatArray, frame: Callable[[FloatArray], FloatArray]) -> FloatArray:
    """Axes (3, 3) of a node with the coordinates ``own (n_q,)``, as columns; those of the model where none tell.

    The first is along the line. ``frame``: of a direction axes (3, 3), the third along it, for spatial slopes.
    """
    if layout.quaternion:
        return from_quaternion(own[3:])
    if layout.frame:
        return section_axes_of(own[list(layout.frame)])
    if not layout.slope:
        return np.eye(3)
    slope = own[list(layout.slope)]
    if layout.dim == 2:
        return axis_rotation(2, float(np.arctan2(slope[1], slope[0])))
    return frame(slope)[:, [2, 0, 1]]


# --- what is asked of nodes in several states -----------------------------------------------------------------------


def slopes(layout: NodeLayout, q: FloatArray, dofs: IntArray) -> FloatArray | None:
    """Slope vectors (n, n_nodes, dim) of nodes in the states q (n, n_q); None without slopes."""
    return np.asarray(q[:, dofs[:, list(layout.slope)]]) if layout.slope else None


def frames_of_vectors(layout: NodeLayout, q: FloatArray, dofs: IntArray) -> FloatArray | None:
    """Axes (n, n_nodes, 3, 3) from directors or slopes of a surface in the states q (n, n_q); None without them."""
    if not layout.frame:
        return None
    vectors = q[:, dofs[:, list(layout.frame)]]
    flat = [section_axes_of(row) for row in vectors.reshape(-1, vectors.shape[-1])]
    return np.array(flat).reshape(*vectors.shape[:2], 3, 3)


def small_rotations(layout: NodeLayout, q: FloatArray, dofs: IntArray) -> FloatArray | None:
    """Small rotations (n, n_nodes, 3) of nodes in the states q (n, n_q), in the plane about z; None without them."""
    if not layout.rotation or layout.quaternion:
        return None
    found = q[:, dofs[:, list(layout.rotation)]]
    return np.pad(found, ((0, 0), (0, 0), (3 - found.shape[-1], 0)))


def plane_angles(layout: NodeLayout, q: FloatArray, dofs: IntArray, reference: FloatArray) -> FloatArray | None:
    """Angles (n, n_nodes) of planar nodes from ``reference (n_nodes, n_q)``; of slopes within half a turn.

    None where no coordinate tells.
    """
    if layout.rotation:
        return np.array(q[:, dofs[:, layout.rotation[0]]])
    if not layout.slope:
        return None
    now, start = q[:, dofs[:, list(layout.slope)]], reference[:, list(layout.slope)]
    return np.asarray(
        np.arctan2(
            start[:, 0] * now[..., 1] - start[:, 1] * now[..., 0], start[:, 0] * now[..., 0] + start[:, 1] * now[..., 1]
        )
    )


# --- motion as a rigid body -----------------------------------------------------------------------------------------

_SPINS = [np.cross(axis, np.eye(3)).T for axis in np.eye(3)]


def rigid_motions(layout: NodeLayout, points: FloatArray, reference: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Velocities (n, n_v, m) of nodes at ``points`` in the m rigid motions of a body, and weights (n_v,).

    Translations first, then rotations about the centre by 1/size [rad] with the size of the body; with the weights,
    which are this size for slopes and rotations, all motions are of size one. A motion that moves no coordinate (a
    straight cable about its axis) is zero. ``reference (n, n_q)``: the coordinates.
    """
    dim, size = layout.dim, float(np.ptp(points, axis=0).max())
    turned = [from_quaternion(x) for x in reference[:, 3:7]] if layout.quaternion else []
    motions = np.zeros((len(points), len(layout.names), dim + (1 if dim == 2 else 3)))
    for c in range(dim):
        motions[:, layout.position[c], c] = 1.0
    axes = np.eye(3)[2:] if dim == 2 else np.eye(3)
    for j, axis in enumerate(axes):
        spin = _SPINS[2 if dim == 2 else j][:dim, :dim] / size  # spin @ x = axis x x / size
        motions[:, layout.position, dim + j] = (points - points.mean(axis=0)) @ spin.T
        for part in layout.vectors:
            motions[:, part, dim + j] = reference[:, part] @ spin.T
        for c, place in enumerate(layout.rotation):
            motions[:, place, dim + j] = (axis[-1] if dim == 2 else axis[c]) / size
        for node, R in enumerate(turned):  # in the axes of the node
            motions[node, 3:6, dim + j] = R.T @ axis / size
    weights = np.full(len(layout.names), size)
    weights[list(layout.position)] = 1.0
    return motions, weights


def rigid_rates(
    layout: NodeLayout, own: FloatArray, points: FloatArray, velocity: FloatArray, spin: FloatArray, about: FloatArray
) -> FloatArray:
    """Velocities (n, n_v) of nodes that move with ``velocity`` and turn with ``spin`` about a point, (3,) each.

    ``own (n, n_q)``: their coordinates; ``points (n, dim)``: their places in the mesh.
    """
    dim = layout.dim
    out = np.zeros((len(own), len(layout.names)))
    places = own[:, list(layout.position)]
    arm = np.zeros((len(own), 3))
    arm[:, :dim] = places if layout.absolute else places + points
    out[:, list(layout.position)] = (velocity + np.cross(spin, arm - about))[:, :dim]
    for part in layout.vectors:
        vector = np.zeros((len(own), 3))
        vector[:, :dim] = own[:, list(part)]
        out[:, list(part)] = np.cross(spin, vector)[:, :dim]
    if layout.quaternion:  # in the axes of the node
        out[:, 3:] = [from_quaternion(q[3:]).T @ spin for q in own]
    elif layout.rotation:
        out[:, list(layout.rotation)] = spin[-len(layout.rotation) :]
    return out


def moments(layout: NodeLayout, own: FloatArray, pull: FloatArray) -> Iterator[FloatArray]:
    """Moments (3,) that forces ``pull (n, n_v)`` on the coordinates ``own (n, n_q)`` have about their nodes; a few."""
    dim = layout.dim
    if layout.quaternion:
        for q, r in zip(own, pull, strict=True):
            yield from_quaternion(q[3:]) @ r[3:]
    elif layout.rotation:
        found = np.zeros(3)
        found[-len(layout.rotation) :] = pull[:, list(layout.rotation)].sum(axis=0)
        yield found
    else:
        for part in layout.vectors:
            vector, force = np.zeros((2, len(own), 3))
            vector[:, :dim], force[:, :dim] = own[:, list(part)], pull[:, list(part)]
            yield np.cross(vector, force).sum(axis=0)
