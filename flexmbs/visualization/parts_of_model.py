"""What of a model is shown in a moving picture, as parts with surfaces."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from flexmbs.core.contracts import FloatArray
from flexmbs.core.identity import IdentityMap
from flexmbs.kernels.rows.rows import kind_of
from flexmbs.model.joints.coordinate_joint import CoordinateMarker
from flexmbs.model.trees.link_shapes import base_shape, joint_place
from flexmbs.results.drawings import drawings
from flexmbs.visualization.extent import extent, stays_in_plane
from flexmbs.visualization.faces_of_shapes import Faces, bar, box_faces, coil, faces_of_edges, mark, together, tube
from flexmbs.visualization.moving_part import MovingPart, poses
from flexmbs.visualization.poses import Follower, States, along
from flexmbs.visualization.reduced_surface import mesh_faces, modal_of
from flexmbs.visualization.sheets import Sheet
from flexmbs.visualization.tubes import Tube

if TYPE_CHECKING:
    from flexmbs.model.bodies.marker import Marker
    from flexmbs.model.trees.tree import Tree
    from flexmbs.system.groups import Drawing
    from flexmbs.system.system import System

__all__ = ["PartsOfModel"]

WIRE, POINT, MARK, COIL = 0.004, 0.012, 0.008, 0.015
"""Radii of lines, point masses, marks of joints and coils, as shares of the size of the model."""
LEAST = 0.0025
"""Half of the least thickness that is drawn of a flexible line, such as a rope."""
FLOOR = 0.3
"""Side of the floor that a tree stands on, as a share of the size of the model."""
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
            (j.name, p.a, p.b) for j in model.joints for p in j.pairs if p.rows and kind_of(p.rows[0].kind).connects
        ]
        rows = [(force.name, row) for force in model.forces for row in getattr(force, "row_forces", ())]
        springs: Ends = [(name, row.a, row.b) for name, row in rows if row.rows and kind_of(row.rows[0].kind).connects]
        sides = [(joint, side) for joint in model.joints for p in joint.pairs[:1] for side in (p.a, p.b)]
        sides = [(j, s) for j, s in sides if not isinstance(s, CoordinateMarker)]
        found = drawings(system)
        if joints:
            sides += [
                (link, link.marker(joint_place(link.link).point, name=f"joint of {link.name}"))
                for tree in model.trees
                for link in tree.bodies
            ]  # fmt: skip
        frames = [drawing.marker for drawing in found if drawing.marker is not None]
        points = [marker for _, *both in (*bars, *springs) for marker in both] + [side for _, side in sides]
        self._follower = Follower(system, frames, list(IdentityMap((m, None) for m in points)))
        looked = some[:: max(1, len(some) // LOOKS)]
        self.size = extent(system, found, self.states(np.zeros(len(looked)), looked))
        self.flat = stays_in_plane(model)
        shown = [self._drawn(drawing, sides) for drawing in found]
        self.parts = [part for part in shown if part is not None]
        self.parts += [self._between("bar", bar(WIRE * self.size), *ends) for ends in bars]
        self.parts += [self._between("spring", coil(COIL * self.size), *ends) for ends in springs]
        trees = [tree for tree in model.trees if len(base_shape(tree)[1])]
        self.parts += [MovingPart(f"base of {tree.name}", "ground", self._base(tree)) for tree in trees]
        if joints:
            self._marks(sides)

    def _base(self, tree: Tree) -> Faces:
        """What a tree stands on: a floor below it, and bars to its first joints."""
        points, edges = base_shape(tree)
        bars = [tube(points[edge], 2.0 * WIRE * self.size) for edge in edges]
        half, thick = 0.5 * FLOOR * self.size, WIRE * self.size
        corners = np.array([(x, y, z) for x in (-half, half) for y in (-half, half) for z in (-thick, 0.0)])
        floor = box_faces(tree.position + corners @ tree.rotation.T)
        return together([floor, *bars])

    def states(self, t: FloatArray, q: FloatArray) -> States:
        """States with the markers that the parts follow."""
        return self._follower.states(t, q)

    def _drawn(self, drawing: Drawing, sides: list[Any]) -> MovingPart | None:
        """The part of a body; None of what has no surface."""
        match drawing.style:
            case "mesh":
                return self._mesh(drawing)
            case "reduced":
                return self._reduced(drawing)
            case "shape":
                faces = faces_of_edges(drawing.points, drawing.edges, WIRE * self.size)
            case _:
                faces = self._mark_with_arms(drawing.source, sides)
        return MovingPart(drawing.name, "body", faces, self._place(drawing)) if len(faces.triangles) else None

    def _mesh(self, drawing: Drawing) -> MovingPart:
        """Lines as tubes, surfaces as they are."""
        system, body = self._system, drawing.source
        drawn = Sheet(system, body) if body.surface else Tube(system, body, LEAST * self.size)
        rest = Faces(drawn.points(system.coordinates.reference[None])[0], drawn.triangles)
        return MovingPart(drawing.name, "body", rest, shape=lambda states: drawn.points(states.q))

    def _mark_with_arms(self, body: Any, sides: list[Any]) -> Faces:
        """A point, and lines from it to the joints of the body."""
        arms = [np.pad(s.point, (0, 3 - len(s.point))) for _, s in sides if s.body is body and s.point is not None]
        arms = [arm for arm in arms if np.linalg.norm(arm) > 1e-6 * self.size]
        drawn = [tube(np.array([np.zeros(3), arm]), WIRE * self.size) for arm in arms]
        return together([mark(POINT * self.size), *drawn])

    def _reduced(self, drawing: Drawing) -> MovingPart | None:
        """A body of a reduced model; None if it has no mesh."""
        body, moving = drawing.source, drawing.nodes
        found = mesh_faces(body.reduced, WIRE * self.size)
        if found is None:
            return None
        faces, nodes = found
        place = self._place(drawing)
        if moving is None:
            inside = Faces(faces.points - body.origin, faces.triangles)
            return MovingPart(drawing.name, "body", inside, place, modal_of(body, drawing.first, nodes, self._stress))
        offsets = (faces.points - body.reduced.points[nodes]) @ drawing.axes.T

        def shape(states: States) -> FloatArray:
            return np.asarray(moving(states.q)[:, nodes] + offsets)

        return MovingPart(drawing.name, "body", faces, place, shape=shape)

    def _place(self, drawing: Drawing) -> Callable[[States], FloatArray]:
        """Poses of the frame of what is drawn."""
        pose = drawing.pose
        if pose is None:
            return self._pose_of(cast("Marker", drawing.marker))
        return lambda states: poses(*pose(states.q))

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
