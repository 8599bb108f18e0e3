"""What of a model is shown in a moving picture, as parts with surfaces."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from flexmbs.bodies.floating import FloatingBody
from flexmbs.bodies.planar import PlanarRigidBody
from flexmbs.bodies.point_mass import PointMass
from flexmbs.bodies.section_frame import SectionFrame
from flexmbs.core.contracts import FloatArray
from flexmbs.core.identity import IdentityMap
from flexmbs.core.rotations import to_quaternion
from flexmbs.joints.coordinate_joint import CoordinateMarker
from flexmbs.joints.rows import DISTANCE
from flexmbs.output.extent import extent, stays_in_plane
from flexmbs.output.faces_of_shapes import Faces, bar, coil, faces_of_edges, mark, together, tube
from flexmbs.output.moving_part import MovingPart, poses
from flexmbs.output.poses import Follower, States, along
from flexmbs.output.reduced_surface import mesh_faces, modal_of, moving_nodes
from flexmbs.output.sheets import Sheet
from flexmbs.output.tubes import Tube
from flexmbs.trees.flexible_link import FlexibleLink
from flexmbs.trees.tree import link_shape

if TYPE_CHECKING:
    from flexmbs.bodies.marker import Marker
    from flexmbs.body import FlexibleBody
    from flexmbs.system import System

__all__ = ["PartsOfModel"]

WIRE, POINT, MARK, COIL = 0.004, 0.012, 0.008, 0.015
"""Radii of lines, point masses, marks of joints and coils, as shares of the size of the model."""
LEAST = 0.001
"""Half of the least thickness that is drawn of a flexible line."""
LOOKS = 20
"""States that are looked at to find the size of a model."""
Ends = list[tuple[str, "Marker", "Marker"]]


class PartsOfModel:
    """The parts of a compiled model.

    Parameters
    ----------
    system : System
    some : (n, n_q) array
        States from which the size of the picture is found.
    joints, stress : bool
        Whether joints are marked, and whether bodies know their stresses.

    Attributes
    ----------
    parts : list of MovingPart
    size : float
        Extent of the motion [length].
    flat : bool
        Whether all bodies stay in the plane z = 0.
    """

    def __init__(self, system: System, some: FloatArray, joints: bool, stress: bool) -> None:
        self._system, self._stress, model = system, stress, system.model
        bars: Ends = [
            (j.name, p.a, p.b) for j in model.joints for p in j.pairs if p.rows and p.rows[0].kind == DISTANCE
        ]
        rows = [(force.name, row) for force in model.forces for row in getattr(force, "row_forces", ())]
        springs: Ends = [(name, row.a, row.b) for name, row in rows if row.rows and row.rows[0].kind == DISTANCE]
        sides = [(joint, side) for joint in model.joints for p in joint.pairs[:1] for side in (p.a, p.b)]
        sides = [(j, s) for j, s in sides if not isinstance(s, CoordinateMarker)]
        frames = [link.marker((0.0, 0.0, 0.0)) for link in model.tree_links]
        points = [marker for _, *both in (*bars, *springs) for marker in both] + [side for _, side in sides]
        self._follower = Follower(system, frames, list(IdentityMap((m, None) for m in points)))
        looked = some[:: max(1, len(some) // LOOKS)]
        self.size = extent(system, self.states(np.zeros(len(looked)), looked))
        self.flat = stays_in_plane(model)
        self.parts = [self._flexible(body) for body in model.flexible_bodies]
        self.parts += [part for body in model.rigid_bodies if (part := self._rigid(body, sides)) is not None]
        self.parts += [part for body in model.linear_bodies if (part := self._reduced(body)) is not None]
        self.parts += self._substructures()
        for link, frame in zip(model.tree_links, frames, strict=True):
            self._link(link, self._pose_of(frame))
        self.parts += [self._between("bar", bar(WIRE * self.size), *ends) for ends in bars]
        self.parts += [self._between("spring", coil(COIL * self.size), *ends) for ends in springs]
        if joints:
            self._marks(sides)

    def states(self, t: FloatArray, q: FloatArray) -> States:
        """States with the markers that the parts follow."""
        return self._follower.states(t, q)

    def _flexible(self, body: FlexibleBody) -> MovingPart:
        """Lines as tubes, surfaces as they are."""
        system = self._system
        drawn = Sheet(system, body) if body.surface else Tube(system, body, LEAST * self.size)
        rest = drawn.points(system.coordinates.reference[None])[0]
        return MovingPart(body.name, "body", Faces(rest, drawn.triangles), shape=lambda states: drawn.points(states.q))

    def _rigid(self, body: Any, sides: list[Any]) -> MovingPart | None:
        """Rigid bodies, point masses, floating bodies; sections of beams belong to their substructures."""
        if isinstance(body, SectionFrame):
            return None
        place = self._place(body)
        if isinstance(body, FloatingBody):
            return self._reduced(body, place)
        shape = getattr(body, "shape", None)
        if shape is not None and len(shape.edges):
            return MovingPart(body.name, "body", faces_of_edges(shape.points, shape.edges, WIRE * self.size), place)
        arms = [np.pad(s.point, (0, 3 - len(s.point))) for _, s in sides if s.body is body and s.point is not None]
        arms = [arm for arm in arms if np.linalg.norm(arm) > 1e-6 * self.size]
        drawn = [tube(np.array([np.zeros(3), arm]), WIRE * self.size) for arm in arms]
        return MovingPart(body.name, "body", together([mark(POINT * self.size), *drawn]), place)

    def _place(self, body: Any) -> Callable[[States], FloatArray]:
        """Poses of a body with coordinates of its own."""
        iq, _ = self._system.coordinates.place(body)
        n = len(body.position)
        if isinstance(body, PointMass):
            return lambda states: poses(states.q[:, iq : iq + n])
        if isinstance(body, PlanarRigidBody):

            def planar(states: States) -> FloatArray:
                half = 0.5 * states.q[:, iq + 2]
                none = np.zeros_like(half)
                return poses(states.q[:, iq : iq + 2], np.column_stack((np.cos(half), none, none, np.sin(half))))

            return planar
        return lambda states: poses(states.q[:, iq : iq + 3], states.q[:, iq + 3 : iq + 7])

    def _reduced(self, body: Any, place: Any = None, first: Any = None, name: str = "") -> MovingPart | None:
        """A body of a reduced model; None if it has no mesh."""
        found = mesh_faces(body.reduced, WIRE * self.size)
        if found is None:
            return None
        faces, nodes = found
        if first is None:
            first = self._system.coordinates.modal[id(body)] + np.arange(body.modes)
        if place is None:  # of linear bodies, whose frames stay
            frame = poses(body.position[None], to_quaternion(body.rotation)[None])

            def place(states: States) -> FloatArray:
                return np.repeat(frame, len(states.q), axis=0)

        modal = modal_of(body, np.asarray(first), nodes, self._stress)
        inside = Faces(faces.points - body.origin, faces.triangles)
        return MovingPart(name or body.name, "body", inside, place, modal)

    def _substructures(self) -> list[MovingPart]:
        """Substructures in axes of the bodies they begin in."""
        mechanics, parts = self._system.mechanics, []
        for shared in mechanics.substructures:
            for i, part in enumerate(shared.parts):
                found = mesh_faces(part.reduced, WIRE * self.size)
                if found is None:
                    continue
                faces, nodes = found
                shape = moving_nodes(shared, i, part, nodes, faces.points - part.reduced.points[nodes])
                parts.append(MovingPart(part.name, "body", faces, self._place(part.start), shape=shape))
        return parts

    def _link(self, link: Any, place: Callable[[States], FloatArray]) -> None:
        """A link of a tree."""
        if isinstance(link.link, FlexibleLink):
            first = self._system.coordinates.tree(link.tree).eta[link.index]
            part = self._reduced(link.link.floating, place, first, link.name)
            self.parts += [] if part is None else [part]
            return
        faces = faces_of_edges(*link_shape(link), WIRE * self.size)
        if len(faces.triangles):
            self.parts.append(MovingPart(link.name, "body", faces, place))

    def _pose_of(self, marker: Marker) -> Callable[[States], FloatArray]:
        """Poses of a marker that is followed."""
        k = self._follower.number[marker]
        return lambda states: poses(states.p[:, k], states.r[:, k])

    def _between(self, kind: str, faces: Faces, name: str, a: Marker, b: Marker) -> MovingPart:
        """Something of unit length along x that lies between two markers."""
        i, j = self._follower.number[a], self._follower.number[b]

        def place(states: States) -> FloatArray:
            arm = states.p[:, j] - states.p[:, i]
            length = np.linalg.norm(arm, axis=1, keepdims=True)
            unit = np.divide(arm, length, out=np.tile([1.0, 0.0, 0.0], (len(arm), 1)), where=length > 0.0)
            # a bar of no length would have no inverse, which some viewers want
            scale = np.hstack((np.maximum(length, 1e-6 * self.size), np.ones((len(arm), 2))))
            return poses(states.p[:, i], along(unit), scale)

        return MovingPart(name, kind, faces, place)

    def _marks(self, sides: list[Any]) -> None:
        """Joints: one mark at a side that moves; what is fixed to the ground: one body of marks."""
        shape = mark(MARK * self.size)
        named: set[str] = set()
        done: IdentityMap[Marker, None] = IdentityMap()
        for joint, side in sides:
            # drivers and gears often share the markers of a joint
            if side.body.name != "ground" and joint.name not in named and side not in done:
                named.add(joint.name)
                done[side] = None
                k = self._follower.number[side]

                def place(states: States, k: int = k) -> FloatArray:
                    return poses(states.p[:, k])

                self.parts.append(MovingPart(f"mark of {joint.name}", "joint", shape, place))
        fixed = [side.position0() for _, side in sides if side.body.name == "ground"]
        if fixed:
            large = mark(1.5 * MARK * self.size)
            faces = together([Faces(large.points + point, large.triangles) for point in np.unique(fixed, axis=0)])
            self.parts.append(MovingPart("ground", "ground", faces))
