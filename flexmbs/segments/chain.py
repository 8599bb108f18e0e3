"""Chains of rigid segments: where they are, their mass and inertia, and what joins them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from flexmbs.core.checks import as_array, as_count, as_direction, show
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError
from flexmbs.core.section import BeamStiffness
from flexmbs.model.bodies.inertia import parallel_axes
from flexmbs.model.bodies.marker import Marker
from flexmbs.model.bodies.planar import PlanarRigidBody
from flexmbs.model.bodies.rigid import RigidBody
from flexmbs.model.bodies.wireframe import Wireframe
from flexmbs.model.forces.bushing import Bushing
from flexmbs.model.joints.contracts import Joint
from flexmbs.model.joints.lower_pairs import SphericalJoint

if TYPE_CHECKING:
    from flexmbs.results.states import States

__all__ = ["Centreline", "SegmentedBeam", "centreline", "segment_bodies", "segment_joints"]

PARALLEL = 1e-6
"""Sine of the angle to the beam from which a direction of the sections counts."""
THIN = 0.01
"""Radius, relative to the length of a segment, that gives it a moment about its axis where its section has none."""


@dataclass(frozen=True, eq=False, repr=False)
class SegmentedBeam:
    """A beam, cable or belt of finite rigid segments; made by `segmented_beam` and `segmented_cable`.

    Attributes
    ----------
    bodies : tuple of RigidBody or PlanarRigidBody
        One for each node, named "<name> 0", "<name> 1", ...
    joints : tuple
        Ball joints (hinges in the plane) between them; empty where the joints are elastic in all directions.
    springs : tuple of Bushing
    nodes : tuple of Marker
        On the centre line, from the first node to the last, x along the segment; the last node of a closed one is the
        one before the first.
    items : tuple
        All of it, for ``Model(...)`` and ``model.with_(...)``.
    """

    bodies: tuple[Any, ...]
    joints: tuple[Joint, ...]
    springs: tuple[Bushing, ...]
    nodes: tuple[Marker, ...]
    closed: bool
    name: str
    items: tuple[Any, ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "items", (*self.bodies, *self.joints, *self.springs))

    def __str__(self) -> str:
        return f"SegmentedBeam {self.name!r}"

    def __repr__(self) -> str:
        return f"<{self}: {len(self.bodies)} bodies, {len(self.joints)} joints, {len(self.springs)} springs>"

    @property
    def start(self) -> Marker:
        """The first node."""
        return self.nodes[0]

    @property
    def end(self) -> Marker:
        """The last node."""
        return self.nodes[-1]

    def node(self, number: int) -> Marker:
        """The node of that number, from 0."""
        if as_count(f"{self}", "number", number) >= len(self.nodes):
            raise ModelError(f"{self}: there is no node {number}; nodes are numbered 0 to {len(self.nodes) - 1}.")
        return self.nodes[number]

    @property
    def mass(self) -> float:
        """[mass]."""
        return float(sum(body.mass for body in self.bodies))

    def positions(self, solution: States) -> FloatArray:
        """Places (n_t, n, 3) of all nodes over a motion or over equilibria, inertial frame [length]."""
        return np.stack([solution.position(node) for node in self.nodes], axis=1)


class Centreline(NamedTuple):
    """A polygon of segments in space.

    ``corners`` holds for each body its points (2 or 3, 3): from joint to joint, over the node if the body is bent
    there. ``nodes (n, 3)``; of the joints their places ``joints (m, 3)``, the lengths they stand for ``spans (m,)``,
    their bodies ``sides (m, 2)``. Axes are matrices whose columns are x along the line, y and z of the section:
    ``axes (n, 3, 3)`` of bodies, ``frames (m, 2, 3, 3)`` of the two sides of joints.
    """

    corners: tuple[FloatArray, ...]
    nodes: FloatArray
    joints: FloatArray
    spans: FloatArray
    sides: tuple[tuple[int, int], ...]
    axes: FloatArray
    frames: FloatArray
    planar: bool


def centreline(owner: str, points: object, n: int | None, up: object, closed: bool, straight: bool) -> Centreline:
    """The polygon through given nodes, checked; ``straight`` bodies are the links between middles of elements."""
    given = as_array(owner, "points", points, (None, None), unit="length")
    planar = given.shape[1] == 2
    if given.shape[1] not in (2, 3):
        raise ModelError(f"{owner}: points must have two or three components, not {given.shape[1]}.")
    if n is not None:
        if len(given) != 2 or closed:
            raise ModelError(f"{owner}: n divides the way between two points; leave it out for {len(given)} points.")
        n = as_count(owner, "n", n, minimum=1)
        given = given[0] + np.linspace(0.0, 1.0, n + 1)[:, None] * (given[1] - given[0])
    if len(given) < (3 if closed else 2):
        raise ModelError(f"{owner}: points must be at least {3 if closed else 2}, not {len(given)}.")
    nodes = np.column_stack((given, np.zeros(len(given)))) if planar else given
    chords = (np.roll(nodes, -1, axis=0) if closed else nodes[1:]) - (nodes if closed else nodes[:-1])
    lengths = np.linalg.norm(chords, axis=1)
    if not lengths.min() > 1e-9 * lengths.sum():
        k = int(np.argmin(lengths))
        raise ModelError(f"{owner}: points {k} and {(k + 1) % len(nodes)} must differ, both are {given[k].tolist()}.")
    middle = nodes[: len(chords)] + 0.5 * chords
    count = len(nodes)
    before = [middle[i - 1] if i or closed else nodes[0] for i in range(count)]
    after = [middle[i] if i < len(chords) else nodes[-1] for i in range(count)]
    ends = (0, count - 1) if not closed else ()
    bent = [not straight and i not in ends for i in range(count)]
    corners = tuple(
        np.array((b, p, a) if kink else (b, a)) for b, p, a, kink in zip(before, nodes, after, bent, strict=True)
    )
    sides = tuple((k, (k + 1) % count) for k in range(len(chords)))
    spans = lengths
    if straight:
        link = np.linalg.norm(np.array(after) - np.array(before), axis=1)
        share = np.array([1.0 if i in ends else 0.5 for i in range(count)])
        spans = np.array([link[i] * share[i] + link[k] * share[k] for i, k in sides])
        middles = 0.5 * (np.array(before) + np.array(after))
        nodes = np.array([nodes[i] if i in ends else middles[i] for i in range(count)])
    along = np.array(after) - np.array(before)
    if planar:
        up = (0.0, 0.0, 1.0)
    z = _up(owner, up, np.vstack((along, chords)))
    axes = np.array([_axes(owner, d, z) for d in along])
    of_elements = np.array([_axes(owner, d, z) for d in chords])
    frames = np.array([(axes[i], axes[k]) if straight else (of_elements[j],) * 2 for j, (i, k) in enumerate(sides)])
    return Centreline(corners, nodes, middle, spans, sides, axes, frames, planar)


def _up(owner: str, up: object, directions: FloatArray) -> FloatArray:
    """The direction that z of the sections is to be near."""
    if up is not None:
        return as_direction(owner, "up", up, 3)
    unit = directions / np.linalg.norm(directions, axis=1)[:, None]
    return np.array((0.0, 0.0, 1.0) if np.abs(unit[:, 2]).max() < 1.0 - 1e-9 else (0.0, 1.0, 0.0))


def _axes(owner: str, along: FloatArray, up: FloatArray) -> FloatArray:
    """x along the line, z the part of ``up`` across it."""
    x = along / np.linalg.norm(along)
    z = up - (up @ x) * x
    if not np.linalg.norm(z) > PARALLEL:
        raise ModelError(f"{owner}: up {show(up.tolist())} must not be parallel to the line, but it is somewhere.")
    z /= np.linalg.norm(z)
    return np.column_stack((x, np.cross(z, x), z))


def segment_bodies(line: Centreline, stiffness: BeamStiffness, name: str) -> tuple[Any, ...]:
    """The rigid bodies: thin rods from corner to corner with the rotary inertia of the section."""
    bodies: list[Any] = []
    for i, (corners, R) in enumerate(zip(line.corners, line.axes, strict=True)):
        arms = np.diff(corners, axis=0)
        lengths = np.linalg.norm(arms, axis=1)
        masses = stiffness.mass_per_length * lengths
        centres = corners[:-1] + 0.5 * arms
        mass = float(masses.sum())
        centre = masses @ centres / mass
        J = np.zeros((3, 3))
        for arm, length, m, place in zip(arms, lengths, masses, centres, strict=True):
            J += parallel_axes(_rod(stiffness, arm, float(length), float(m), R[:, 2]), m, place - centre)
        shape = Wireframe((corners - centre) @ R, [(k, k + 1) for k in range(len(arms))])
        title = f"{name} {i}"
        if line.planar:
            angle = float(np.arctan2(R[1, 0], R[0, 0]))
            bodies.append(PlanarRigidBody(mass, float(J[2, 2]), centre[:2], angle, name=title, shape=shape))
        else:
            bodies.append(RigidBody(mass, R.T @ J @ R, centre, R, name=title, shape=shape))
    return tuple(bodies)


def _rod(stiffness: BeamStiffness, arm: FloatArray, length: float, mass: float, up: FloatArray) -> FloatArray:
    """J (3, 3) of one arm about its middle, inertial axes."""
    R = _axes("", arm, up)
    y, z = stiffness.rhoI_y * length, stiffness.rhoI_z * length
    across = mass * length**2 / 12.0
    polar = y + z if y + z > 0.0 else mass * (THIN * length) ** 2 / 2.0
    return np.asarray(R @ np.diag((polar, across + y, across + z)) @ R.T)


def segment_joints(
    line: Centreline, bodies: tuple[Any, ...], stiffness: FloatArray | None, ball: bool, viscosity: float, name: str
) -> tuple[tuple[Joint, ...], tuple[Bushing, ...]]:
    """Ball joints if wanted, and springs (m, 6) or (m, 3) in the axes of the joints.

    A bushing measures in the axes of its first side. Sides alternate from joint to joint, which cancels what that does
    at first order in the angle of a joint.
    """
    joints: list[Joint] = []
    springs: list[Bushing] = []
    for j, (place, (i, k)) in enumerate(zip(line.joints, line.sides, strict=True)):
        sides = [
            bodies[body].marker_at(place, axis=frame[:, 2], x=frame[:, 0])
            for body, frame in zip((i, k), line.frames[j], strict=True)
        ]
        if ball:
            joints.append(SphericalJoint(sides[0], sides[1], name=f"{name} joint {j}"))
        if stiffness is not None:
            first, second = sides if j % 2 == 0 else sides[::-1]
            K = stiffness[j]
            springs.append(
                Bushing(first, second, K, viscosity * K, free_coordinates=np.zeros(len(K)), name=f"{name} spring {j}")
            )
    return tuple(joints), tuple(springs)


def segment_nodes(line: Centreline, bodies: tuple[Any, ...]) -> tuple[Marker, ...]:
    """Markers at the nodes."""
    return tuple(
        body.marker_at(place, axis=R[:, 2], x=R[:, 0], name=f"node {i}")
        for i, (body, place, R) in enumerate(zip(bodies, line.nodes, line.axes, strict=True))
    )
