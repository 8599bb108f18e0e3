"""Parts from Abaqus and CalculiX input files with their own materials and sections."""

from __future__ import annotations

import warnings
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from flexmbs.core.checks import show
from flexmbs.core.errors import ModelError, ReadError, unknown_name
from flexmbs.core.material import Elastic, Orthotropic
from flexmbs.linear.abaqus_elements import Choice, choose
from flexmbs.linear.part import Part
from flexmbs.linear.region import Region
from flexmbs.meshes import Mesh, read_mesh
from flexmbs.meshes.abaqus_format import element_types
from flexmbs.meshes.abaqus_sections import BEYOND_ELASTIC, MaterialCard, SectionCard, Sections, read_sections

if TYPE_CHECKING:
    from flexmbs.core.material import Material

__all__ = ["has_sections", "part_from_inp"]


def has_sections(path: str | PathLike[str]) -> bool:
    """Whether an input file assigns materials to its elements."""
    return bool(read_sections(Path(path)).sections)


def part_from_inp(path: str | PathLike[str], name: str | None = None) -> Part:
    r"""A part with the mesh, materials and sections of an input file.

    Cells get the element that their type in the file names (`flexmbs.linear.abaqus_elements`): C3D8 is
    ``Hexahedron8(incompatible=False)``, C3D8I ``Hexahedron8()``, C3D20 ``Hexahedron20()``, C3D20R
    ``Hexahedron20(reduced=True)``, C3D4 and C3D10 ``Tetra4()`` and ``Tetra10()``, S4 and S3 ``ShellQuad`` and
    ``ShellTriangle`` of the thickness of their section. For variants that do not exist here (C3D8R, S4R, C3D10M, hybrid
    ones) the nearest element is taken, and a warning says so. The stiffness damping (``BETA=``) of a material becomes
    its retardation time.

    Parameters
    ----------
    path : path-like
        An ``.inp`` file.
    name : str, optional
        Name of the part; that of the file by default.

    Raises
    ------
    ReadError
        If the file cannot be read, has no sections, a section names a material or element set that is not there, a
        material has no ``*ELASTIC`` or no ``*DENSITY``, or something is not supported: temperature dependence,
        orientations, composites, beam sections, the mass per area of ``*SHELL SECTION, DENSITY=``.
    ModelError, MeshError
        If cells have no section, or two.

    Warns
    -----
    UserWarning
        If the file has, before its first step, keywords that are not read and may change the structure (supports, rigid
        bodies, ties, springs, foundations, embedded elements, contact, initial stresses, pretension), with the number
        of those that are elements; or that make materials other than linear elastic (plasticity, creep, structural
        damping); or mass damping; or types of elements that do not exist here, with what was taken
        instead.

    Examples
    --------
    >>> from pathlib import Path
    >>> import tempfile
    >>> import flexmbs as fx
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "block.inp"
    ...     _ = file.write_text(Path(fx.meshes.sample("lug.inp")).read_text() + "*MATERIAL, NAME=STEEL\n"
    ...         "*ELASTIC\n2.1e11, 0.3\n*DENSITY\n7850.\n*SOLID SECTION, ELSET=SOLID, MATERIAL=STEEL\n")
    ...     print(part_from_inp(file))
    part 'block': 617 nodes, 286 tetra10 of STEEL
    """
    if not isinstance(path, str | PathLike):
        raise ModelError(f"part_from_inp: path must be a string or a path, not {show(path)}.")
    path = Path(path)
    if path.suffix.lower() != ".inp":
        raise ReadError(f"{path}: the suffix must be .inp; of other files take the mesh, and give Part a material.")
    mesh = read_mesh(path, 3)
    cards = read_sections(path)
    if not cards.sections:
        raise ReadError(
            f"{path}: there is no *SOLID SECTION or *SHELL SECTION in it, which say what the elements are made of; "
            "give Part(read_mesh(file), material=...) instead."
        )
    of_materials = [word for word in cards.not_read if word in BEYOND_ELASTIC or word.startswith("DAMPING, ")]
    for words, advice in (
        (
            [word for word in cards.not_read if word not in of_materials],
            "Give the part its connections, loads and supports in Python: what these change is missing in it.",
        ),
        (
            of_materials,
            "Materials of a part are linear elastic, with their stiffness damping: what these change is missing in it.",
        ),
    ):
        if words:
            warnings.warn(f"{path}: not read: {', '.join('*' + word for word in words)}. {advice}", stacklevel=2)
    regions, taken = [], dict[str, Choice]()
    types = element_types(path)
    for section in cards.sections:
        mesh, more = _regions(mesh, section, cards, types, taken)
        regions += more
    other = [f"{name} as {c.element!r} ({name} has {c.difference})" for name, c in taken.items() if c.difference]
    if other:
        warnings.warn(
            f"{path}: there is no such element here, and the nearest one is taken: {'; '.join(other)}. Results "
            "differ by the error of the mesh; for another choice give Part its regions.",
            stacklevel=2,
        )
    return Part(mesh, regions=regions, name=path.stem if name is None else name)


def _regions(
    mesh: Mesh, section: SectionCard, cards: Sections, types: dict[str, list[str]], taken: dict[str, Choice]
) -> tuple[Mesh, list[Region]]:
    """The regions of a section, one for each type of element, and the mesh with sets for them.

    ``taken`` collects the choice for each type.
    """
    known = {name.upper(): name for name in mesh.cell_sets}
    if section.elset.upper() not in known:
        raise ReadError(f"{section.place}: {unknown_name('element set', section.elset, mesh.cell_sets)}")
    if section.material.upper() not in cards.materials:
        names = [card.name for card in cards.materials.values()]
        raise ReadError(f"{section.place}: {unknown_name('material', section.material, names)}")
    name = known[section.elset.upper()]
    material = _material(cards.materials[section.material.upper()], section.place)
    parts = mesh.cell_set(name)
    of_cells = [np.array(types[block.cell_type])[part] for block, part in zip(mesh.cells, parts, strict=True)]
    found = dict.fromkeys(str(x) for block in of_cells for x in block)
    regions = []
    for type_ in found:
        label = name
        if len(found) > 1:
            label = f"{name} {type_}"
            mesh = mesh.with_cell_set(label, [p[t == type_] for p, t in zip(parts, of_cells, strict=True)])
        choice = choose(section.kind, type_, section.thickness)
        if choice is None:
            raise ReadError(f"{section.place}: {type_}, as in {section.elset!r}, is no {section.kind} element here.")
        taken[type_] = choice
        regions.append(Region(label, choice.element, material))
    return mesh, regions


def _material(card: MaterialCard, place: str) -> Material:
    """The material of a card."""
    if not card.constants:
        raise ReadError(f"{place}: material {card.name!r} has no *ELASTIC.")
    if card.density is None:
        raise ReadError(f"{place}: material {card.name!r} has no *DENSITY, which the mass matrix needs; add it.")
    if card.mass_damping:
        warnings.warn(f"{place}: the mass damping (ALPHA) of material {card.name!r} is not read.", stacklevel=4)
    viscosity = card.stiffness_damping
    if len(card.constants) == 2:
        E, nu = card.constants
        return Elastic(
            youngs_modulus=E, poissons_ratio=nu, density=card.density, retardation_time=viscosity, name=card.name
        )
    E_1, E_2, E_3, nu_12, nu_13, nu_23, G_12, G_13, G_23 = card.constants
    return Orthotropic(
        E_1=E_1, E_2=E_2, E_3=E_3, nu_12=nu_12, nu_13=nu_13, nu_23=nu_23, G_12=G_12, G_13=G_13, G_23=G_23,
        density=card.density, retardation_time=viscosity, name=card.name,
    )  # fmt: skip
