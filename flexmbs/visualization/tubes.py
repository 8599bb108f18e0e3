"""Flexible bodies of line elements as tubes with the outline of their section.

The centre line is that of the elements. Sections stand on it as the elements know them: in the plane across the
tangent; by the directors or rotations of the nodes, interpolated like positions; where the nodes of a body in space
have neither, sections follow the tangent without turning about it, and those of cables, which have no directions, are
round with the same area.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.nodes import is_oriented, is_rigid, places_in_q, spins, vectors_of_section
from flexmbs.core.section import Circle, Pipe, Rectangle
from flexmbs.visualization.faces_of_shapes import ring_faces
from flexmbs.visualization.poses import matrices

if TYPE_CHECKING:
    from flexmbs.model.bodies.flexible import FlexibleBody
    from flexmbs.system.system import System

__all__ = ["Tube"]

SIDES = 10
"""Of a round section."""
WANTED = 160
"""Pieces of a body that make a curve look smooth; long elements get up to `MOST` of them."""
MOST = 8
THICK = 0.05
"""Of the length of a body: most that a section is drawn with of which the stiffnesses alone are known."""


class Tube:
    """The surface of a flexible body of lines.

    Parameters
    ----------
    system : System
    body : FlexibleBody
    least : float
        Half of the least thickness that is drawn [length]: thinner sections would not be seen.

    Attributes
    ----------
    triangles : (m, 3) int array
    sides : int
        Points of a ring; they are numbered ring by ring, and their mean is the point of the centre line.
    xi : (k,) array
        Natural coordinates of the rings of an element.
    """

    def __init__(self, system: System, body: FlexibleBody, least: float) -> None:
        self._body, self._group = body, system.group(body)
        layout, n_e = body.element.layout, len(body.cells)
        pieces = int(np.clip(math.ceil(WANTED / n_e), 1, MOST))
        self.xi = np.linspace(-1.0, 1.0, pieces + 1)
        c = system.coordinates
        self._dofs = c.node_dofs[c.index(body)]
        self._turns = places_in_q(layout, self._dofs, c.n_linear)[:, 3:] if is_rigid(layout) else None
        known = spins(layout)
        self._outline = _outline(body, least, known)
        self.sides = len(self._outline)
        rings = ring_faces(pieces + 1, self.sides)
        starts = (pieces + 1) * self.sides * np.arange(n_e)
        self.triangles: IntArray = (starts[:, None, None] + rings).reshape(-1, 3)
        self._start: tuple[FloatArray, FloatArray] | None = None
        if not (is_oriented(layout)[1] or layout.dim == 2):
            tangent = self._tangents(self.line(c.reference[None]))
            axes = getattr(self._group, "axes", None)  # of linear beams: rows are the directions of an element
            across = _any_across(tangent) if axes is None else np.broadcast_to(axes[None, :, None, 1], tangent.shape)
            self._start = tangent, across
            self._carried = axes is None
            chained = np.append(False, body.cells[1:, 0] == body.cells[:-1, 1])
            self._begins = set(((pieces + 1) * np.flatnonzero(~chained)).tolist())

    def line(self, q: FloatArray) -> FloatArray:
        """Points (n, n_e, k, 3) of the centre line at states (n, n_q)."""
        element = self._body.element
        points = np.array([element.positions(self._group, np.ascontiguousarray(row), self.xi) for row in q])
        return np.pad(points, ((0, 0), (0, 0), (0, 0), (0, 3 - points.shape[3])))

    def points(self, q: FloatArray) -> FloatArray:
        """Points (n, n_p, 3) of the surface at states (n, n_q)."""
        line = self.line(q)
        second, third = self._sections(q, line)
        y, z = self._outline.T
        rings = line[..., None, :] + y[:, None] * second[..., None, :] + z[:, None] * third[..., None, :]
        return np.asarray(rings.reshape(len(q), -1, 3))

    def _sections(self, q: FloatArray, line: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Directions y and z (n, n_e, k, 3) of the sections."""
        layout = self._body.element.layout
        if self._turns is not None:
            R = matrices(q[:, self._turns])
            return self._between(R[..., 1]), self._between(R[..., 2])
        if vectors_of_section(layout):
            directors = q[:, self._dofs[:, list(vectors_of_section(layout))]]
            return self._between(directors[..., :3]), self._between(directors[..., 3:])
        tangent = self._tangents(line)
        if self._start is None:
            up = np.array([0.0, 0.0, 1.0])
            return np.cross(up, tangent), np.broadcast_to(up, tangent.shape)
        before, across = self._start
        across = self._carry(before, across, tangent) if self._carried else _turned(across, before, tangent)
        return across, np.cross(tangent, across)

    def _carry(self, before: FloatArray, across: FloatArray, tangent: FloatArray) -> FloatArray:
        """Normals that turn as little as possible along the line.

        Only the first one follows its own tangent, so that no other can turn over when a tangent is reversed.
        """
        flat, start = tangent.reshape(len(tangent), -1, 3), across.reshape(-1, 3)
        out, first = np.empty_like(flat), before.reshape(-1, 3)
        for i in range(flat.shape[1]):
            if i in self._begins:
                normal = _turned(start[i], first[i], flat[:, i])
            else:
                normal = _turned(out[:, i - 1], flat[:, i - 1], flat[:, i])
            out[:, i] = normal / np.linalg.norm(normal, axis=1, keepdims=True)
        return out.reshape(tangent.shape)

    def _between(self, nodal: FloatArray) -> FloatArray:
        """Vectors (n, n_e, k, 3) between those of the nodes (n, n_nodes, 3), along all elements."""
        x = self.xi
        if self._body.cells.shape[1] == 3:
            N = np.column_stack((0.5 * x * (x - 1.0), 0.5 * x * (x + 1.0), 1.0 - x * x))
        else:
            N = np.column_stack((0.5 * (1.0 - x), 0.5 * (1.0 + x)))
        return np.asarray(np.einsum("kn,tenc->tekc", N, nodal[:, self._body.cells]))

    def _tangents(self, line: FloatArray) -> FloatArray:
        """Unit tangents (n, n_e, k, 3) of the centre line."""
        slope = np.gradient(line, axis=2, edge_order=2 if line.shape[2] > 2 else 1)
        size = np.linalg.norm(slope, axis=3, keepdims=True)
        return np.asarray(slope / np.maximum(size, 1e-300))


def _turned(vectors: FloatArray, before: FloatArray, now: FloatArray) -> FloatArray:
    """Vectors normal to unit tangents ``before``, by the smallest rotations that take these to ``now``."""
    half = np.maximum(1.0 + (before * now).sum(axis=-1, keepdims=True), 1e-9)
    return np.asarray(vectors - (vectors * now).sum(axis=-1, keepdims=True) / half * (before + now))


def _any_across(tangent: FloatArray) -> FloatArray:
    """Unit vectors normal to tangents, alike where these are alike."""
    away = np.eye(3)[int(np.argmin(np.abs(tangent).mean(axis=(0, 1, 2))))]
    across = np.cross(tangent, away)
    size = np.linalg.norm(across, axis=-1, keepdims=True)
    other = np.cross(tangent, np.roll(away, 1))
    across = np.where(size > 0.1, across, other)
    return np.asarray(across / np.linalg.norm(across, axis=-1, keepdims=True))


def _outline(body: FlexibleBody, least: float, directed: bool) -> FloatArray:
    """Corners (s, 2) of the section in its axes y and z."""
    section = body.section
    if isinstance(section, Circle | Pipe):
        return _circle(max(0.5 * section.diameter, least))
    if isinstance(section, Rectangle):
        height, width = section.height, section.width
    else:  # the rectangle, or circle, with these stiffnesses, which need not be those of a slender body
        k = body.beam_stiffness
        sides = (math.sqrt(12.0 * EI / k.EA) for EI in (k.EI_z, k.EI_y or k.EI_z))
        height, width = (min(side, THICK * body.length) for side in sides)
    if not directed:
        return _circle(max(math.sqrt(height * width / math.pi), least))
    y, z = max(0.5 * height, least), max(0.5 * width, least)
    return np.array([[y, z], [-y, z], [-y, -z], [y, -z]])


def _circle(radius: float) -> FloatArray:
    angle = np.linspace(0.0, 2.0 * np.pi, SIDES, endpoint=False)
    return radius * np.column_stack((np.cos(angle), np.sin(angle)))
