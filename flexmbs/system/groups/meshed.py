"""Flexible bodies of finite elements, compiled: nodes with positions, slopes, rotations or quaternions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from flexmbs.core.contracts import FloatArray, IntArray, Term
from flexmbs.core.errors import ModelError, a_or_an
from flexmbs.core.nodes import largest_turn, places_in_q
from flexmbs.core.representatives import representatives
from flexmbs.core.sparsity import block_product
from flexmbs.kernels.markers.directors import DIRECTORS
from flexmbs.kernels.markers.kind import MarkerEntry
from flexmbs.kernels.markers.planar_linear import PLANAR_LINEAR
from flexmbs.kernels.markers.planar_slope import PLANAR_SLOPE
from flexmbs.kernels.markers.points import POINT
from flexmbs.kernels.markers.spatial_linear import SPATIAL_LINEAR
from flexmbs.kernels.markers.spatial_slope import SPATIAL_SLOPE
from flexmbs.model.forces.items import Items, dead_items
from flexmbs.system.groups.contract import BodyGroup, RigidFields
from flexmbs.system.groups.drawing import Drawing
from flexmbs.system.groups.floating import frame_momentum
from flexmbs.system.groups.linear_turns import LinearTurn, of_nodes
from flexmbs.system.groups.rigid import frame_marker
from flexmbs.system.groups.spans import Section, Span

if TYPE_CHECKING:
    from flexmbs.model.bodies.flexible import FlexibleBody
    from flexmbs.model.bodies.marker import Marker
    from flexmbs.model.model import Model
    from flexmbs.system.coordinates import Coordinates

__all__ = ["MeshedBodies"]


class MeshedBodies(BodyGroup):
    """`FlexibleBody`: nodes, which hinges may share."""

    kind: ClassVar[str] = "meshed"

    def __init__(self, bodies: tuple[Any, ...], model: Model) -> None:
        super().__init__((), model)
        self.bodies = bodies
        dims = {b.mesh.dim for b in bodies}
        if len(dims) > 1:
            flat = [b.name for b in bodies if b.mesh.dim == 2]
            raise ModelError(
                f"Model {model.name!r}: planar bodies {flat} and spatial ones cannot be in one model; put the mesh "
                f"into space with mesh.in_space() and use a spatial element."
            )
        own, nodes, total, n_nodes = [], [np.zeros(0, dtype=np.int64)], 0, 0
        for body in bodies:
            count, n = body.mesh.n_points, len(body.element.layout.names)
            if body.element.layout.quaternion:
                own.append(np.zeros((0, n), dtype=np.int64))
                continue
            own.append(total + np.arange(count * n).reshape(count, n))
            nodes.append(np.repeat(n_nodes + np.arange(count), n))
            total, n_nodes = total + count * n, n_nodes + count
        kept, place = np.unique(_roots(model, bodies, own, total), return_inverse=True)
        absolute = [np.zeros(0), *(b.reference.ravel() for b in bodies if not b.element.layout.quaternion)]
        self._own = [np.ascontiguousarray(place[o], dtype=np.int64) for o in own]
        plain = Span(Section.NODES, bodies[0], np.concatenate(absolute)[kept], np.zeros(len(kept)),
                     np.concatenate(nodes).astype(np.int64)[kept], n_nodes)  # fmt: skip
        self._framed = {b: _nodal_frames(b) for b in bodies if b.element.layout.quaternion}
        self.spans = (plain, *self._framed.values())

    @property
    def turns_little(self) -> bool:
        return any(_is_linear(body) for body in self.bodies)

    def linear_turns(self, q: FloatArray) -> Iterator[LinearTurn]:
        for body, dofs in zip(self.bodies, self.node_dofs, strict=True):
            if _is_linear(body):
                yield of_nodes(body, q[:, dofs[:, body.element.layout.rotation]])

    def numbered(self, n_linear: int) -> None:
        super().numbered(n_linear)
        plain = self.spans[0]
        found = []
        for body, own in zip(self.bodies, self._own, strict=True):
            frames = self._framed.get(body)
            found.append(plain.iv + own if frames is None else frames.places.reshape(-1, 6))
        self.node_dofs = tuple(found)
        self._number = {body: i for i, body in enumerate(self.bodies)}
        self.elements = tuple(self._table(body, dofs) for body, dofs in zip(self.bodies, found, strict=True))

    def _table(self, body: FlexibleBody, dofs: IntArray) -> Any:
        group: Any = body.tabulate(dofs, 0)
        return group._replace(n_linear=self.n_linear) if body.element.layout.quaternion else group

    def dofs_of(self, body: FlexibleBody) -> IntArray:
        """Places (n_nodes, n) of the coordinates of the nodes."""
        return self.node_dofs[self._number[body]]

    def velocities(self, body: Any) -> IntArray:
        """Node by node; those of hinged nodes belong to both bodies."""
        return self.dofs_of(body).ravel()

    def in_q(self, body: Any) -> IntArray:
        frames = self._framed.get(body)
        return self.velocities(body) if frames is None else frames.in_q

    def translations(self, body: Any) -> IntArray:
        return self.dofs_of(body)[:, list(body.element.layout.position)].ravel()

    @property
    def displacements(self) -> IntArray:
        return np.unique(super().displacements)

    def describe(self, dof: int) -> str | None:
        for body, dofs in zip(self.bodies, self.node_dofs, strict=True):
            found = np.argwhere(dofs == dof)
            if len(found):
                node, k = found[0]
                where = body.mesh.points[node].round(6).tolist()
                return f"{body.element.layout.names[k]} of node {node} at {where} of body {body.name!r}"
        return None

    def moves(
        self, before: FloatArray, after: FloatArray, step: FloatArray
    ) -> Iterator[tuple[Any, IntArray, float, float]]:
        """By the nodes that move and turn most."""
        for body, dofs in zip(self.bodies, self.node_dofs, strict=True):
            layout = body.element.layout
            moved = step[dofs[:, list(layout.position)]]
            places = places_in_q(layout, dofs, self.n_linear)
            turn = largest_turn(layout, before[places], after[places])
            yield body, np.unique(dofs), float(np.linalg.norm(moved, axis=1).max()), turn

    def own_sizes(self, length: float) -> Iterator[tuple[IntArray, FloatArray | float]]:
        """Mixed slopes, which are slopes over a length."""
        for body, dofs in zip(self.bodies, self.node_dofs, strict=True):
            yield dofs[:, list(body.element.layout.mixed)].ravel(), 1.0 / length

    def rigid_fields(self) -> RigidFields:
        """Of displacements none: they are not turned with the body."""
        points, vectors, turns = list[IntArray](), list[IntArray](), list[int]()
        for body, dofs in zip(self.bodies, self.node_dofs, strict=True):
            layout = body.element.layout
            if layout.absolute:
                points.append(dofs[:, list(layout.position)])
                vectors += [dofs[:, list(part)] for part in layout.vectors]
                turns += dofs[:, 3].tolist() if body in self._framed else []
        return RigidFields(points, vectors, turns, [])

    def terms(self, coordinates: Coordinates, b1: int) -> tuple[list[Term], FloatArray]:
        """Elements of equal choices are one term."""
        found, masses = [], []
        start = b1
        for bodies in _alike(self.bodies):
            element = bodies[0].element
            group = _one_table([self._damped(body) for body in bodies], b1, element.shared)
            name = f"{element.name} elements of {', '.join(repr(b.name) for b in bodies[:5])}"
            more = " ..." if len(bodies) > 5 else ""
            found.append(Term(name + more, group, element.force, element.tangent, diagnosis=element.diagnosis))
            masses.append(element.mass(group).ravel())
            b1 += len(group.dofs) * group.dofs.shape[1] ** 2
        self._blocks = [(term.group.dofs, term.group.b1 - start) for term in found]
        self._element_mass = np.concatenate(masses)
        return found, self._element_mass

    def _damped(self, body: FlexibleBody) -> Any:
        """The table with the stiffness-proportional damping of its body, which is a retardation time."""
        table = self.elements[self._number[body]]
        extra = sum(d.stiffness_factor for d in self.model.damping if d.body is body)
        if not extra:
            return table
        if not body.element.viscous:
            raise ModelError(
                f"damping of {body.name!r}: {a_or_an(body.element.name)} has no material damping, so none in "
                f"proportion to its stiffness."
            )
        return table._replace(tau=table.tau + extra)

    @property
    def diagonal(self) -> tuple[IntArray, FloatArray]:
        """None: the mass is in the blocks of the elements."""
        return np.zeros(0, dtype=np.int64), np.zeros(0)

    def weights(self, acceleration: FloatArray, index: int) -> list[Items]:
        found = []
        for body, table in zip(self.bodies, self.elements, strict=True):
            dim = body.mesh.dim
            if dim > len(acceleration) or np.any(acceleration[dim:]):
                raise ModelError(
                    f"Gravity: acceleration has {len(acceleration)} components, but body {body.name!r} has dimension "
                    f"{dim}."
                )
            found.append(dead_items(table.dofs, body.element.body_load(table, acceleration[:dim], True), index))
        return found

    @property
    def damping_ratio(self) -> float:
        """One where every element has a retardation time, by which the damping of a vibration grows with its frequency.

        Damping in proportion to the mass, which leaves fast vibrations all but undamped, does not count.
        """
        return float(all(b.element.viscous and np.all(self._damped(b).tau > 0.0) for b in self.bodies))

    def strain_energy(self, q: FloatArray) -> float:
        return float(sum(b.element.energy(t, q).sum() for b, t in zip(self.bodies, self.elements, strict=True)))

    def momentum(self, q: FloatArray, v: FloatArray) -> tuple[FloatArray, FloatArray]:
        """M v tested with the rigid velocity fields, so exactly what their inertia conserves.

        For bodies with small rotations (linear beams) to first order of these.
        """
        P, L = np.zeros(3), np.zeros(3)
        Mv = np.zeros(len(v))
        for dofs, b1 in self._blocks:
            block_product(self._element_mass, dofs, b1, v, Mv)
        counted = np.zeros(len(Mv), dtype=bool)
        for body, dofs in zip(self.bodies, self.node_dofs, strict=True):
            layout, dim = body.element.layout, body.element.layout.dim
            if body in self._framed:
                for k, c in zip(dofs, self.in_q(body).reshape(-1, 7), strict=True):
                    P += Mv[k[:3]]
                    L += frame_momentum(q[c], Mv[k])
                continue
            place = dofs[:, list(layout.position)]
            _, first = np.unique(place[:, 0], return_index=True)
            new = first[~counted[place[first, 0]]]  # hinged nodes share their position, whose momentum counts once
            counted[place] = True
            x, p = np.zeros((len(new), 3)), np.zeros((len(new), 3))
            x[:, :dim], p[:, :dim] = q[place[new]], Mv[place[new]]
            if not layout.absolute:
                x[:, :dim] += body.mesh.points[new]
                L[3 - len(layout.rotation) :] += Mv[dofs[:, list(layout.rotation)]].sum(axis=0)
            P += p.sum(axis=0)
            L += np.cross(x, p).sum(axis=0)
            for slopes in (dofs[:, list(part)] for part in layout.vectors):
                x, p = np.zeros((len(slopes), 3)), np.zeros((len(slopes), 3))
                x[:, :dim], p[:, :dim] = q[slopes], Mv[slopes]
                L += np.cross(x, p).sum(axis=0)
        return P, L

    def mass_moment(self, q: FloatArray) -> tuple[float, FloatArray]:
        """The mean of the elements' points, weighted with their masses."""
        total, moment = 0.0, np.zeros(3)
        for body, table in zip(self.bodies, self.elements, strict=True):
            points, weights = np.polynomial.legendre.leggauss(5)
            if body.surface:
                eta, xi = np.meshgrid(points, points, indexing="ij")
                points, weights = np.column_stack((xi.ravel(), eta.ravel())), 0.5 * np.outer(weights, weights).ravel()
            centres = np.einsum("s,esd->ed", 0.5 * weights, body.element.positions(table, q, points))
            measures = body.measures(table)
            where = measures @ centres / measures.sum()
            moment[: len(where)] += body.mass * where
            total += float(body.mass)
        return total, moment

    def reaches(self) -> Iterator[tuple[Any, FloatArray]]:
        return ((body, body.mesh.points) for body in self.bodies)

    def marker_entry(self, marker: Marker, point: bool) -> MarkerEntry:
        body: Any = marker.body
        layout, own = body.element.layout, self.dofs_of(body)[marker.node]
        frames = self._framed.get(body)
        if frames is not None:
            iq = frames.iq + 7 * int(marker.node or 0)
            return frame_marker(own, iq, self.rotation_number(int(own[0])), np.zeros(3), marker.frame)
        place = own[list(layout.position)]
        o = np.zeros(3)
        if not layout.absolute:
            o[: layout.dim] = body.mesh.points[marker.node]
        if point:
            return MarkerEntry(POINT, place, place[:0], {"o": o, "R_BM": marker.rotation0()})
        turn = own[list(layout.frame or layout.slope or layout.rotation)]
        dofs = np.concatenate((place, turn))
        if layout.frame:
            return MarkerEntry(DIRECTORS, dofs, turn, {"R_BM": marker.frame})
        if layout.dim == 2 and layout.slope:
            return MarkerEntry(PLANAR_SLOPE, dofs, turn, {"R_BM": marker.frame})
        if layout.dim == 2:
            return MarkerEntry(PLANAR_LINEAR, dofs, turn[:0], {"o": o, "R_BM": marker.rotation0()})
        if layout.slope:
            return MarkerEntry(SPATIAL_SLOPE, dofs, turn, {"R0": marker.node_frame, "R_BM": marker.frame})
        return MarkerEntry(SPATIAL_LINEAR, dofs, turn, {"o": o, "R_BM": marker.rotation0()})

    def coordinate(self, body: Any, index: int, node: int | None) -> int:
        dofs = self.dofs_of(body)
        return int(dofs.ravel()[index] if node is None else dofs[node, index])

    def drawing(self, body: Any) -> Drawing:
        return Drawing(body.name, "mesh", body)


def _is_linear(body: FlexibleBody) -> bool:
    """Whether its nodes have small rotations only."""
    layout = body.element.layout
    return bool(layout.rotation) and not layout.quaternion


def _nodal_frames(body: FlexibleBody) -> Span:
    """Positions and quaternions of the nodes of a body, at rest."""
    count = body.mesh.n_points
    nodes = np.repeat(np.arange(count), 6)
    return Span(Section.NODAL_FRAMES, body, body.reference.ravel(), np.zeros(6 * count), nodes, count)


def _alike(bodies: tuple[FlexibleBody, ...]) -> list[list[FlexibleBody]]:
    """Bodies by element formulation, those of equal choices together."""
    found: list[list[FlexibleBody]] = []
    for body in bodies:
        for group in found:
            if type(group[0].element) is type(body.element) and group[0].element == body.element:
                group.append(body)
                break
        else:
            found.append([body])
    return found


def _one_table(parts: list[Any], b1: int, shared: tuple[str, ...]) -> Any:
    """One table of several with equal ``shared`` fields; the others are arrays with a row per element."""
    first = parts[0]
    fields = {
        name: getattr(first, name)
        if name in shared
        else np.ascontiguousarray(np.concatenate([getattr(p, name) for p in parts]))
        for name in first._fields
        if name != "b1"
    }
    return type(first)(**fields, b1=b1)


def _roots(model: Model, bodies: tuple[FlexibleBody, ...], own: list[IntArray], total: int) -> IntArray:
    """For every nodal coordinate the one that stands for it: itself, or the first that hinges join it to."""
    if not model.hinges:
        return np.arange(total)
    joined: list[tuple[int, int]] = []
    number = {body: i for i, body in enumerate(bodies)}
    for hinge in model.hinges:
        sides = []
        for side in (hinge.a, hinge.b):
            if side.body.element.layout.quaternion:
                raise ModelError(
                    f"Hinge at {side}: nodes of {a_or_an(side.body.element.name)} share no positions; use a "
                    f"SphericalJoint."
                )
            sides.append(own[number[side.body]][side.nodes[0]][list(side.body.element.layout.position)])
        joined += zip(*(side.tolist() for side in sides), strict=True)
    return np.array(representatives(total, joined), dtype=np.int64)
