"""Flexible bodies made of finite elements on a mesh."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, cast

import numpy as np

from flexmbs.core.body_description import BodyDescription
from flexmbs.core.checks import as_array, as_count, as_name, as_number, show
from flexmbs.core.contracts import (
    ELEMENT_MEMBERS,
    SURFACE_MEMBERS,
    Element,
    FloatArray,
    IntArray,
    SurfaceElement,
    SurfaceShape,
)
from flexmbs.core.errors import MeshError, ModelError, a_or_an, unknown_name
from flexmbs.core.field_terms import meant
from flexmbs.core.material import Elastic, Material
from flexmbs.core.section import BeamStiffness, Section, beam_stiffness, check_section
from flexmbs.core.section_matrix import SectionStiffness
from flexmbs.core.shell_section import Layup, ShellSection, ShellStiffness, sheet_stiffness
from flexmbs.meshes import Mesh, line, rectangle, three_node
from flexmbs.meshes.loose import warn_of_loose
from flexmbs.meshes.repeated import warn_of_repeated
from flexmbs.model.bodies.attachment import Attachment
from flexmbs.model.bodies.lines import kinked_reference, line_cells, line_reference
from flexmbs.model.bodies.surfaces import surface_shape

if TYPE_CHECKING:
    from typing import Self

    from flexmbs.core.units import Units

__all__ = ["FlexibleBody", "as_flexible_body"]


@dataclass(frozen=True, eq=False)
class FlexibleBody(BodyDescription):
    """A flexible body: a mesh, an element formulation for its cells, and what it is made of.

    The mesh is the stress-free shape, straight or curved. Where its points carry unit tangents (point data
    ``tangent``, as the curve generators give) elements with slopes use these; otherwise the tangent at a point is that
    of the circle through it and its neighbours. Elements of surfaces live on ``quad`` cells in space, whose normals
    point to one side; nodes of a surface that touch cells without belonging to them are told in a warning.

    Parameters
    ----------
    mesh : Mesh
        With cells of the element's type; other cells are not allowed.
    element : Element or SurfaceElement
        Formulation, such as ``flexmbs.elements.ANCFCable2D()`` or ``flexmbs.elements.ANCFShell()``.
    section, material : Section and Elastic, or ShellSection and Material
        Cross-section and material of a line, thickness and material of a surface (a `Layup` has materials of its own),
        or instead
    stiffness : BeamStiffness or ShellStiffness
        the stiffnesses and inertias themselves.
    name : str
        For messages and results; must be unique in a model.

    Raises
    ------
    ModelError, MeshError
        If the mesh does not fit the element, points coincide, a line has a corner or a branch where the element needs
        a smooth one, a cell of a surface is degenerate or looks to the other side than its neighbour, section and
        material are missing or given twice, or the element has no part in their retardation time.

    Examples
    --------
    >>> import flexmbs as fx
    >>> beam = fx.FlexibleBody.line((0, 0), (1, 0), elements=8, element=fx.elements.ANCFCable2D(),
    ...                             section=fx.Rectangle(width=0.02, height=0.002), material=fx.steel, name="blade")
    >>> round(beam.mass, 3)
    0.314
    >>> beam.end
    Attachment(blade, 'end')
    """

    kind: ClassVar[str] = "meshed"
    collection: ClassVar[str] = "flexible_bodies"
    has_mesh: ClassVar[bool] = True

    mesh: Mesh
    element: Element | SurfaceElement
    section: Section | ShellSection | Layup | None = None
    material: Material | None = None
    stiffness: BeamStiffness | ShellStiffness | None = None
    name: str = "body"
    cells: IntArray = field(init=False, repr=False)
    reference: FloatArray = field(init=False, repr=False)
    shape: SurfaceShape | None = field(init=False, repr=False)
    slopes: FloatArray | None = field(init=False, repr=False)

    def __post_init__(self) -> None:
        owner = f"FlexibleBody {as_name('FlexibleBody', 'name', self.name)!r}"
        if not isinstance(self.mesh, Mesh):
            raise ModelError(f"{owner}: mesh must be a Mesh, not {show(self.mesh)}.")
        members = SURFACE_MEMBERS if hasattr(self.element, "surface_reference") else ELEMENT_MEMBERS
        missing = [n for n in members if not hasattr(self.element, n)]
        if missing or isinstance(self.element, type):
            lacks = f", which lacks {', '.join(missing)}" if 0 < len(missing) < len(members) // 2 else ""
            raise ModelError(
                f"{owner}: element must be an element object such as flexmbs.elements.ANCFCable2D(), "
                f"not {show(self.element)}{lacks}."
            )
        if self.surface:
            self._check_sheet(owner)
        else:
            self._check_stiffness(owner)
        stiffness = self.sheet_stiffness if self.surface else self.beam_stiffness
        if stiffness.retardation_time > 0.0 and not self.element.viscous:
            raise ModelError(
                f"{owner}: {a_or_an(self.element.name)} has no material damping, but the retardation time is "
                f"{stiffness.retardation_time:g}; give 0, or take an element that has (`viscous`)."
            )
        cells = self._element_cells(owner)
        layout = self.element.layout
        if self.mesh.dim != layout.dim:
            raise ModelError(
                f"{owner}: {a_or_an(self.element.name)} needs a mesh of dimension {layout.dim}, but its points have "
                f"{self.mesh.dim} coordinates."
                + (" Use mesh.in_space() to put it into space." if layout.dim == 3 else "")
            )
        shape = slopes = None
        if self.surface:
            element = cast("SurfaceElement", self.element)
            shape = surface_shape(owner, self.mesh, element, cells, self.sheet_stiffness)
            cells, reference = shape.cells, element.surface_reference(shape)
        else:
            line_element = cast("Element", self.element)
            cells = line_cells(owner, self.mesh, cells)
            if getattr(self.element, "carries_kinks", False):
                reference, slopes = kinked_reference(owner, self.mesh, line_element, cells)
            else:
                reference = line_reference(owner, self.mesh, line_element, cells)
        reference.setflags(write=False)
        object.__setattr__(self, "cells", cells)
        object.__setattr__(self, "reference", reference)
        object.__setattr__(self, "shape", shape)
        object.__setattr__(self, "slopes", slopes)

    def __str__(self) -> str:
        return f"FlexibleBody {self.name!r}"

    @property
    def planar(self) -> bool:
        """Whether it moves in the plane z = 0 only."""
        return self.element.layout.dim == 2

    def line_in_model(self, units: Units) -> str:
        """Its line in the text of a model."""
        size = f"area {self.area:g} {units.length}^2" if self.surface else f"length {self.length:g} {units.length}"
        return (
            f"body {self.name!r}: {len(self.cells)} {self.element.name}, {self.mesh.n_points} nodes, {size}, "
            f"mass {self.mass:.3g} {units.mass}"
        )

    @property
    def surface(self) -> bool:
        """Whether it is a surface, and not a line."""
        return hasattr(self.element, "surface_reference")

    def _check_sheet(self, owner: str) -> None:
        if self.stiffness is None:
            if self.section is None:
                raise ModelError(
                    f"{owner}: give section=ShellSection(thickness) and material, section=Layup(layers), or "
                    f"stiffness=ShellStiffness(...)."
                )
            if self.material is not None and not hasattr(self.material, "plane_stress"):
                raise ModelError(f"{owner}: material must be an Elastic or Orthotropic, not {show(self.material)}.")
            sheet_stiffness(owner, self.section, self.material)
        elif self.section is not None or self.material is not None:
            raise ModelError(f"{owner}: give either section and material or stiffness, not both.")
        elif not isinstance(self.stiffness, ShellStiffness):
            raise ModelError(f"{owner}: stiffness must be a ShellStiffness, not {show(self.stiffness)}.")

    def _check_stiffness(self, owner: str) -> None:
        if self.stiffness is None:
            if self.section is None or self.material is None:
                raise ModelError(f"{owner}: give section and material, or stiffness=BeamStiffness(...).")
            if isinstance(self.section, ShellSection | Layup):
                raise ModelError(
                    f"{owner}: {a_or_an(self.element.name)} is a line, whose section is one such as "
                    f"Rectangle(width=..., height=...), not {show(self.section)}."
                )
            check_section(owner, self.section)
            if not isinstance(self.material, Elastic):
                word = meant("material", self.material)
                raise ModelError(f"{owner}: material must be an Elastic, not {show(self.material)}.{word}")
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
                f"{owner}: {a_or_an(self.element.name)} has no use for a section matrix with terms off its diagonal; "
                f"take an element with directors, such as flexmbs.elements.ANCFBeam()."
            )

    def _element_cells(self, owner: str) -> IntArray:
        foreign = sorted({b.cell_type for b in self.mesh.cells} - {self.element.cell_type})
        if foreign == ["line"] and self.element.cell_type == "line3":
            raise ModelError(
                f"{owner}: {a_or_an(self.element.name)} lives on cells of three nodes; take "
                f"flexmbs.meshes.three_node(mesh), which makes one of every two consecutive line cells."
            )
        if foreign:
            raise ModelError(
                f"{owner}: {a_or_an(self.element.name)} lives on {self.element.cell_type!r} cells, but the mesh also "
                f"has {', '.join(foreign)}; take the part you want with mesh.extracted(set_name)."
            )
        cells = np.concatenate([b.nodes for b in self.mesh.cells])
        used = np.bincount(cells.ravel(), minlength=self.mesh.n_points) > 0
        if not used.all():
            raise MeshError(
                f"{owner}: {int((~used).sum())} points belong to no element, the first is point "
                f"{int(np.argmin(used))}; remove them, for example with mesh.extracted(set_name)."
            )
        # blamed on whoever called the constructor
        warn_of_repeated(owner, self.mesh.cells, stacklevel=4)
        if self.surface:  # ends of lines may coincide: joints of the model join them
            warn_of_loose(
                owner,
                self.mesh.points,
                [(block.cell_type, block.nodes) for block in self.mesh.cells],
                remedy="make a body of each side and join them with joints",
                stacklevel=4,
            )
        return np.ascontiguousarray(cells, dtype=np.int64)

    @classmethod
    def plate(
        cls,
        size: Sequence[float],
        *,
        elements: tuple[int, int],
        element: SurfaceElement,
        section: ShellSection | Layup | None = None,
        material: Material | None = None,
        stiffness: ShellStiffness | None = None,
        corner: Sequence[float] = (0.0, 0.0, 0.0),
        name: str = "body",
    ) -> Self:
        """A rectangular plate along x and y, its normal along z.

        Parameters
        ----------
        size : (2,) sequence
            Along x and y [length].
        elements : (int, int)
            Along x and y.
        corner : (3,) sequence
            Where x, y are least [length].

        Its edges are the node sets ``left``, ``right``, ``bottom`` and ``top``.
        """
        x, y, z = as_array("FlexibleBody.plate", "corner", corner, (3,), unit="length")
        flat = rectangle((x, y), size, elements).in_space()
        points = flat.points + np.array([0.0, 0.0, z])
        mesh = Mesh(points, flat.cells, flat.node_sets)
        return cls(mesh, element, section, material, stiffness, name)

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
        """Stiffnesses and inertias per length of a line."""
        if isinstance(self.stiffness, BeamStiffness):
            return self.stiffness
        if self.surface:
            raise ModelError(f"FlexibleBody {self.name!r}: a surface has no beam_stiffness; see sheet_stiffness.")
        return beam_stiffness(cast("Section", self.section), cast("Elastic", self.material))

    @property
    def sheet_stiffness(self) -> ShellStiffness:
        """Stiffness and inertia per area of a surface."""
        if isinstance(self.stiffness, ShellStiffness):
            return self.stiffness
        return sheet_stiffness(f"FlexibleBody {self.name!r}", self.section, self.material)

    @property
    def mass(self) -> float:
        """Mass of the body [mass]."""
        if self.surface:
            return self.sheet_stiffness.mass_per_area * self.area
        return self.beam_stiffness.mass_per_length * self.length

    @property
    def length(self) -> float:
        """Length of all elements together of a line in the stress-free shape [length]."""
        return float(self.measures(self.tabulate(_own_dofs(self), 0), "length").sum())

    @property
    def area(self) -> float:
        """Area of all elements together of a surface in the stress-free shape [length^2]."""
        return float(self.measures(self.tabulate(_own_dofs(self), 0), "area").sum())

    def measures(self, group: Any, of: str | None = None) -> FloatArray:
        """Lengths (n_e,) of the elements of a line, or areas of a surface, in the stress-free shape."""
        kind = "area" if self.surface else "length"
        if of not in (None, kind):
            raise ModelError(f"FlexibleBody {self.name!r}: {a_or_an(self.element.name)} has no {of}, but {kind}.")
        return cast("Any", self.element).areas(group) if self.surface else cast("Any", self.element).lengths(group)  # type: ignore[no-any-return]

    def tabulate(self, node_dofs: IntArray, b1: int) -> object:
        """The element group with these coordinates ``node_dofs (n_nodes, n)`` of the nodes."""
        dofs = node_dofs[self.cells].reshape(len(self.cells), -1)
        reference = self.reference[self.cells].reshape(len(self.cells), -1)
        if self.shape is not None:
            element = cast("SurfaceElement", self.element)
            return element.tabulate_surface(self.shape, reference, dofs, self.sheet_stiffness, b1)
        points = self.mesh.points[self.cells]
        more = () if self.slopes is None else (self.slopes,)
        return cast("Any", self.element).tabulate(points, reference, dofs, self.beam_stiffness, b1, *more)

    def natural(self, count: int) -> FloatArray:
        """Equally spaced natural coordinates of an element: (count,), or a grid (count^2, 2) of a surface, xi first."""
        xi = np.linspace(-1.0, 1.0, count)
        if not self.surface:
            return xi
        eta, first = np.meshgrid(xi, xi, indexing="ij")
        return np.column_stack((first.ravel(), eta.ravel()))

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


def as_flexible_body(owner: str, value: object, name: str = "body") -> FlexibleBody:
    """Refuse what is not a flexible body; ``name`` is that of the argument."""
    if not isinstance(value, FlexibleBody):
        raise ModelError(f"{owner}: {name} must be a FlexibleBody, not {show(value)}.")
    return value


def _own_dofs(body: FlexibleBody) -> IntArray:
    """Coordinates of the body alone, numbered node by node."""
    n = len(body.element.layout.names)
    return np.arange(body.mesh.n_points * n, dtype=np.int64).reshape(-1, n)
