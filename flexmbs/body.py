"""Flexible bodies made of finite elements on a mesh, and the places on them that supports and loads refer to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from flexmbs.core.checks import as_array, as_count, as_name, as_number, is_list, show
from flexmbs.core.contracts import ELEMENT_MEMBERS, Element, FloatArray, IntArray
from flexmbs.core.errors import MeshError, ModelError, unknown_name
from flexmbs.core.material import Elastic
from flexmbs.core.section import BeamStiffness, Section, beam_stiffness, check_section
from flexmbs.core.section_axes import refuse_twisted, section_axes
from flexmbs.core.section_matrix import SectionStiffness
from flexmbs.meshes import Mesh, line, three_node

if TYPE_CHECKING:
    from typing import Self

    from flexmbs.bodies.marker import Marker

__all__ = ["Attachment", "FlexibleBody"]

SHARPEST = 45.0
"""Degrees between neighbouring cells up to which a line without given tangents counts as smooth."""


@dataclass(frozen=True, eq=False)
class FlexibleBody:
    """A flexible body: a mesh, an element formulation for its cells, and what it is made of.

    The mesh is the stress-free shape, straight or curved. Where its points carry unit tangents (point data
    ``tangent``, as the curve generators give) elements with slopes use these; otherwise the tangent at a point is that
    of the circle through it and its neighbours.

    Parameters
    ----------
    mesh : Mesh
        With cells of the element's type; other cells are not allowed.
    element : Element
        Formulation, such as ``flexmbs.elements.PlanarCable()``.
    section, material : Section and Elastic
        Cross-section and material, or instead
    stiffness : BeamStiffness
        the stiffnesses and inertias themselves.
    name : str
        For messages and results; must be unique in a model.

    Raises
    ------
    ModelError, MeshError
        If the mesh does not fit the element, points coincide, a line has a corner or a branch where the element needs
        a smooth one, or section and material are missing or given twice.

    Examples
    --------
    >>> import flexmbs as fx
    >>> beam = fx.FlexibleBody.line((0, 0), (1, 0), elements=8, element=fx.elements.PlanarCable(),
    ...                             section=fx.Rectangle(0.02, 0.002), material=fx.steel, name="blade")
    >>> round(beam.mass, 3)
    0.314
    >>> beam.end
    Attachment(blade, 'end')
    """

    mesh: Mesh
    element: Element
    section: Section | None = None
    material: Elastic | None = None
    stiffness: BeamStiffness | None = None
    name: str = "body"
    cells: IntArray = field(init=False, repr=False)
    reference: FloatArray = field(init=False, repr=False)

    def __post_init__(self) -> None:
        owner = f"FlexibleBody {as_name('FlexibleBody', 'name', self.name)!r}"
        if not isinstance(self.mesh, Mesh):
            raise ModelError(f"{owner}: mesh must be a Mesh, not {show(self.mesh)}.")
        missing = [n for n in ELEMENT_MEMBERS if not hasattr(self.element, n)]
        if missing or isinstance(self.element, type):
            lacks = f", which lacks {', '.join(missing)}" if 0 < len(missing) < len(ELEMENT_MEMBERS) // 2 else ""
            raise ModelError(
                f"{owner}: element must be an element object such as flexmbs.elements.PlanarCable(), "
                f"not {show(self.element)}{lacks}."
            )
        self._check_stiffness(owner)
        object.__setattr__(self, "cells", self._element_cells(owner))
        points = self.mesh.points
        layout = self.element.layout
        if points.shape[1] != layout.dim:
            raise ModelError(
                f"{owner}: a {self.element.name} needs a mesh of dimension {layout.dim}, but its points have "
                f"{points.shape[1]} coordinates."
                + (" Use mesh.in_space() to put it into space." if layout.dim == 3 else "")
            )
        oriented = bool(layout.slope or layout.directors or layout.quaternion)
        tangents = _tangents(owner, self.mesh, _halves(self.cells)) if oriented else np.zeros_like(points)
        if (layout.directors or layout.quaternion) and "up" in self.mesh.point_data:
            reference = section_axes(owner, layout, points, tangents, self.mesh.point_data["up"])
        else:
            reference = self.element.reference(points, tangents)
        refuse_twisted(owner, layout, reference, _halves(self.cells))
        reference.setflags(write=False)
        object.__setattr__(self, "reference", reference)

    def _check_stiffness(self, owner: str) -> None:
        if self.stiffness is None:
            if self.section is None or self.material is None:
                raise ModelError(f"{owner}: give section and material, or stiffness=BeamStiffness(...).")
            check_section(owner, self.section)
            if not isinstance(self.material, Elastic):
                raise ModelError(f"{owner}: material must be an Elastic, not {show(self.material)}.")
            try:
                beam_stiffness(self.section, self.material)
            except ModelError as error:
                raise ModelError(f"{owner}: section and material do not go together: {error}") from None
        elif self.section is not None or self.material is not None:
            raise ModelError(f"{owner}: give either section and material or stiffness, not both.")
        elif not isinstance(self.stiffness, BeamStiffness):
            raise ModelError(f"{owner}: stiffness must be a BeamStiffness, not {show(self.stiffness)}.")
        elif (
            isinstance(self.stiffness, SectionStiffness)
            and self.stiffness.coupled
            and not getattr(self.element, "section_matrix", False)
        ):
            raise ModelError(
                f"{owner}: a {self.element.name} has no use for a section matrix with terms off its diagonal; take an "
                f"element with directors, such as flexmbs.elements.DirectorBeam()."
            )

    def _element_cells(self, owner: str) -> IntArray:
        foreign = sorted({b.cell_type for b in self.mesh.cells} - {self.element.cell_type})
        if foreign == ["line"] and self.element.cell_type == "line3":
            raise ModelError(
                f"{owner}: a {self.element.name} lives on cells of three nodes; take flexmbs.meshes.three_node(mesh), "
                f"which makes one of every two consecutive line cells."
            )
        if foreign:
            raise ModelError(
                f"{owner}: a {self.element.name} lives on {self.element.cell_type!r} cells, but the mesh also has "
                f"{', '.join(foreign)}; take the part you want with mesh.extracted(set_name)."
            )
        cells = np.concatenate([b.nodes for b in self.mesh.cells])
        used = np.bincount(cells.ravel(), minlength=self.mesh.n_points) > 0
        if not used.all():
            raise MeshError(
                f"{owner}: {int((~used).sum())} points belong to no element, the first is point "
                f"{int(np.argmin(used))}; remove them, for example with mesh.extracted(set_name)."
            )
        halves = _halves(cells)
        lengths = np.linalg.norm(self.mesh.points[halves[:, 1]] - self.mesh.points[halves[:, 0]], axis=1)
        size = float(np.ptp(self.mesh.points, axis=0).max())
        short = np.flatnonzero(lengths <= 1e-12 * size)
        if len(short):
            raise MeshError(
                f"{owner}: the nodes of element {int(short[0]) % len(cells)} coincide at "
                f"{self.mesh.points[halves[short[0], 0]].tolist()}; merge them or remove the element."
            )
        if cells.shape[1] == 3:
            start, end, middle = self.mesh.points[cells.T]
            share = ((middle - start) * (end - start)).sum(axis=1) / ((end - start) ** 2).sum(axis=1)
            off = np.flatnonzero(np.abs(share - 0.5) >= 0.25)
            if len(off):
                raise MeshError(
                    f"{owner}: the middle node of element {int(off[0])} is at {share[off[0]]:.3g} of its chord; "
                    f"outside of 0.25 to 0.75 the element folds. Are its nodes in the order start, end, middle?"
                )
        return np.ascontiguousarray(cells, dtype=np.int64)

    @classmethod
    def line(
        cls,
        start: Sequence[float],
        end: Sequence[float],
        *,
        elements: int,
        element: Element,
        section: Section | None = None,
        material: Elastic | None = None,
        stiffness: BeamStiffness | None = None,
        name: str = "body",
    ) -> Self:
        """A straight body from ``start`` to ``end`` [length] with equal elements; so its ends are named, too."""
        if getattr(element, "cell_type", "line") == "line3":
            mesh = three_node(line(start, end, 2 * as_count("FlexibleBody.line", "elements", elements, minimum=1)))
        else:
            mesh = line(start, end, elements)
        return cls(mesh, element, section, material, stiffness, name)

    @property
    def beam_stiffness(self) -> BeamStiffness:
        """Stiffnesses and inertias per length."""
        if self.stiffness is not None:
            return self.stiffness
        assert self.section is not None  # noqa: S101  # checked on construction
        assert self.material is not None  # noqa: S101
        return beam_stiffness(self.section, self.material)

    @property
    def mass(self) -> float:
        """Mass of the body [mass]."""
        return self.beam_stiffness.mass_per_length * self.length

    @property
    def length(self) -> float:
        """Length of all elements together in the stress-free shape [length]."""
        return float(self.element.lengths(self.tabulate(_own_dofs(self), 0)).sum())

    def tabulate(self, node_dofs: IntArray, b1: int) -> object:
        """The element group with these coordinates ``node_dofs (n_nodes, n)`` of the nodes."""
        dofs = node_dofs[self.cells].reshape(len(self.cells), -1)
        reference = self.reference[self.cells].reshape(len(self.cells), -1)
        return self.element.tabulate(self.mesh.points[self.cells], reference, dofs, self.beam_stiffness, b1)

    @property
    def start(self) -> Attachment:
        """The node set ``start``."""
        return self.set("start")

    @property
    def end(self) -> Attachment:
        """The node set ``end``."""
        return self.set("end")

    def set(self, name: str) -> Attachment:
        """The nodes of a named set of the mesh."""
        if not isinstance(name, str) or name not in self.mesh.node_sets:
            raise ModelError(f"FlexibleBody {self.name!r}: {unknown_name('node set', name, self.mesh.node_sets)}")
        return Attachment(self, tuple(int(i) for i in self.mesh.node_sets[name]), name)

    def node(self, number: int) -> Attachment:
        """One node by its number in the mesh."""
        if isinstance(number, bool) or not isinstance(number, int | np.integer):
            raise ModelError(f"FlexibleBody {self.name!r}: a node number is a whole number, not {show(number)}.")
        if not 0 <= number < self.mesh.n_points:
            raise ModelError(
                f"FlexibleBody {self.name!r}: there is no node {number}; nodes are numbered 0 to "
                f"{self.mesh.n_points - 1}."
            )
        return Attachment(self, (int(number),), f"node {number}")

    def at(self, point: Sequence[float], tolerance: float | None = None) -> Attachment:
        """The node nearest to a point of the stress-free shape [length], at most ``tolerance`` away from it.

        The default tolerance is 1e-6 of the size of the body.
        """
        owner = f"FlexibleBody {self.name!r}"
        here = as_array(owner, "point", point, (self.mesh.dim,))
        distance = np.linalg.norm(self.mesh.points - here, axis=1)
        nearest = int(np.argmin(distance))
        size = float(np.ptp(self.mesh.points, axis=0).max())
        allowed = 1e-6 * size if tolerance is None else as_number(owner, "tolerance", tolerance, minimum=0.0)
        if distance[nearest] > allowed:
            raise ModelError(
                f"{owner}: no node at {here.tolist()}; the nearest is node {nearest} at "
                f"{self.mesh.points[nearest].tolist()}, {distance[nearest]:.3g} away. Refine the mesh or give a "
                f"tolerance."
            )
        return Attachment(self, (nearest,), f"node {nearest}")


@dataclass(frozen=True, eq=False, repr=False)
class Attachment:
    """Some nodes of a body, to which supports, loads and hinges refer; made by ``body.end``, ``body.at(...)``."""

    body: FlexibleBody
    nodes: tuple[int, ...]
    label: str

    def __post_init__(self) -> None:
        if not isinstance(self.body, FlexibleBody):
            raise ModelError(f"Attachment: body must be a FlexibleBody, not {show(self.body)}.")
        as_name("Attachment", "label", self.label)
        given = self.nodes if is_list(self.nodes) else (self.nodes,)
        nodes = tuple(as_count(f"Attachment to {self.body.name!r}", "each of nodes", n) for n in given)
        if nodes and max(nodes) >= self.body.mesh.n_points:
            raise ModelError(
                f"Attachment to {self.body.name!r}: there is no node {max(nodes)}; nodes are numbered 0 to "
                f"{self.body.mesh.n_points - 1}."
            )
        object.__setattr__(self, "nodes", nodes)

    def marker(self, axis: Sequence[float] | None = None, x: Sequence[float] | None = None) -> Marker:
        """A marker on the single node, with a frame of your own; see `flexmbs.bodies.marker` for the default one.

        Parameters
        ----------
        axis : (3,) sequence, optional
            Its third axis in the stress-free shape, inertial frame.
        x : (3,) sequence, optional
            Direction of its first axis, made normal to ``axis``.
        """
        from flexmbs.bodies.marker import as_marker, joint_frame  # markers are built on bodies, not the other way round

        owner = f"marker at {self}"
        if axis is None and x is None:
            return as_marker(owner, self)
        return as_marker(owner, self, frame=joint_frame((0.0, 0.0, 1.0) if axis is None else axis, x, owner))

    def __repr__(self) -> str:
        return f"Attachment({self.body.name}, {self.label!r})"

    def __str__(self) -> str:
        return f"{self.label!r} of body {self.body.name!r}"


def as_attachment(owner: str, value: object, single: bool = False) -> Attachment:
    """Refuse what is not a place on a body, or not a single node where one is needed."""
    if not isinstance(value, Attachment):
        raise ModelError(f"{owner}: expected a place on a body such as beam.end or beam.at((1, 0)), not {show(value)}.")
    if not value.nodes:
        raise ModelError(f"{owner}: the set {value} is empty.")
    if single and len(value.nodes) != 1:
        raise ModelError(f"{owner}: expected one node, but {value} has {len(value.nodes)}.")
    return value


def _own_dofs(body: FlexibleBody) -> IntArray:
    """Coordinates of the body alone, numbered node by node."""
    n = len(body.element.layout.names)
    return np.arange(body.mesh.n_points * n, dtype=np.int64).reshape(-1, n)


def _halves(cells: IntArray) -> IntArray:
    """Cells of two nodes as they are; those of three (start, end, middle) as first halves, then second ones."""
    if cells.shape[1] == 2:
        return cells
    return np.vstack((cells[:, [0, 2]], cells[:, [2, 1]]))


def _tangents(owner: str, mesh: Mesh, cells: IntArray) -> FloatArray:
    """Unit tangents at the points, given or estimated; refuses branches, opposed cells and corners."""
    count = np.bincount(cells.ravel(), minlength=mesh.n_points)
    if (count > 2).any():
        raise MeshError(
            f"{owner}: {int(count.max())} elements meet at point {int(np.argmax(count))}. An element with slopes needs "
            f"smooth lines without branches: make one body of each branch and join them with Hinge, or use a beam "
            f"element with rotations."
        )
    ends, starts = np.bincount(cells[:, 1], minlength=mesh.n_points), np.bincount(cells[:, 0], minlength=mesh.n_points)
    clash = np.flatnonzero((ends > 1) | (starts > 1))
    if len(clash):
        raise MeshError(
            f"{owner}: the elements at point {int(clash[0])} run against each other; number the nodes of all "
            f"elements in one direction along the line."
        )
    if "tangent" in mesh.point_data:
        given = np.asarray(mesh.point_data["tangent"], dtype=float)
        size = np.linalg.norm(given, axis=1)
        if given.shape != mesh.points.shape or not np.allclose(size, 1.0, atol=1e-6):
            raise MeshError(f"{owner}: point data 'tangent' must hold a unit vector for every point.")
        return np.asarray(given / size[:, None])
    chord = mesh.points[cells[:, 1]] - mesh.points[cells[:, 0]]
    length = np.linalg.norm(chord, axis=1)
    unit = chord / length[:, None]
    before, after = np.full(mesh.n_points, -1), np.full(mesh.n_points, -1)
    before[cells[:, 1]] = np.arange(len(cells))
    after[cells[:, 0]] = np.arange(len(cells))
    inner = np.flatnonzero((before >= 0) & (after >= 0))
    i, j = before[inner], after[inner]
    bend = np.degrees(np.arccos(np.clip((unit[i] * unit[j]).sum(axis=1), -1.0, 1.0)))
    if len(inner) and bend.max() > SHARPEST:
        corner = int(inner[np.argmax(bend)])
        raise MeshError(
            f"{owner}: the line turns by {bend.max():.0f} degrees at point {corner} "
            f"{mesh.points[corner].tolist()}. An element with slopes needs a smooth line: make one body of each side "
            f"and join them with Hinge, give point data 'tangent', refine, or use a beam element with rotations."
        )
    tangent = np.zeros_like(mesh.points)
    # The circle through three points has at the middle one the chords' directions weighted by the other's length.
    tangent[inner] = unit[i] * length[j][:, None] + unit[j] * length[i][:, None]
    for side, other in ((after, cells[:, 1]), (before, cells[:, 0])):
        free = np.flatnonzero((side >= 0) & ((before < 0) | (after < 0)))
        cell = side[free]
        inside = tangent[other[cell]]
        size = np.linalg.norm(inside, axis=1, keepdims=True)
        t = np.divide(inside, size, out=unit[cell].copy(), where=size > 0)
        # At an end: the tangent of the neighbour mirrored at the normal plane of the chord, exact for a circle.
        tangent[free] = 2.0 * (t * unit[cell]).sum(axis=1, keepdims=True) * unit[cell] - t
    return np.asarray(tangent / np.linalg.norm(tangent, axis=1, keepdims=True))
