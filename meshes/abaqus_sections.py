"""Materials and sections of Abaqus and CalculiX input files (.inp), as plain data.

Read are ``*MATERIAL`` with ``*ELASTIC`` (isotropic, or ``TYPE=ENGINEERING CONSTANTS``), ``*DENSITY`` and ``*DAMPING``,
``*SOLID SECTION`` and ``*SHELL SECTION``. Names are compared without regard to case.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from flexmbs.core.errors import ReadError
from flexmbs.meshes.abaqus_keywords import floats, keywords

__all__ = ["BEYOND_ELASTIC", "MaterialCard", "SectionCard", "Sections", "read_sections"]

CONSTANTS = {"ISOTROPIC": 2, "ISO": 2, "ENGINEERING CONSTANTS": 9}
"""How many constants a type of ``*ELASTIC`` has, without the temperature."""

FOREIGN_SECTIONS = (
    "BEAM SECTION", "BEAM GENERAL SECTION", "SHELL GENERAL SECTION", "MEMBRANE SECTION", "FLUID SECTION",
)  # fmt: skip
OF_MATERIAL = ("ELASTIC", "DENSITY", "DAMPING")
MESH = frozenset((
    "ASSEMBLY", "ELEMENT", "ELSET", "END ASSEMBLY", "END INSTANCE", "END PART", "INSTANCE", "NODE", "NSET", "PART",
))  # fmt: skip
"""Keywords that `flexmbs.meshes.abaqus_format` reads."""
HARMLESS = frozenset((
    "AMPLITUDE", "CONDUCTIVITY", "DISTRIBUTION", "DISTRIBUTION TABLE", "EL FILE", "EL PRINT", "ELEMENT OUTPUT",
    "EXPANSION", "FILE FORMAT", "FILTER", "FRICTION", "HEADING", "NODE FILE", "NODE OUTPUT", "NODE PRINT",
    "ORIENTATION", "OUTPUT",
    "PHYSICAL CONSTANTS", "PREPRINT", "RESTART", "SECTION CONTROLS", "SPECIFIC HEAT", "SURFACE", "SURFACE BEHAVIOR",
    "SURFACE INTERACTION", "TIME POINTS", "TRANSFORM", "USER OUTPUT VARIABLES",
))  # fmt: skip
"""Keywords without which stiffness and mass are the same: texts, output, heat, and what only matters where another
keyword uses it that is read, refused or named. All that is neither here nor read is named."""
BEYOND_ELASTIC = frozenset((
    "CAP HARDENING", "CAP PLASTICITY", "CLAY HARDENING", "CLAY PLASTICITY", "CONCRETE", "CONCRETE COMPRESSION DAMAGE",
    "CONCRETE COMPRESSION HARDENING", "CONCRETE DAMAGED PLASTICITY", "CONCRETE TENSION DAMAGE",
    "CONCRETE TENSION STIFFENING", "CREEP", "CYCLIC HARDENING", "DAMAGE EVOLUTION", "DAMAGE INITIATION",
    "DEFORMATION PLASTICITY", "DEPVAR", "DRUCKER PRAGER", "DRUCKER PRAGER HARDENING", "FAIL STRAIN", "FAIL STRESS",
    "HYPERELASTIC", "HYPERFOAM", "MOHR COULOMB", "MOHR COULOMB HARDENING", "MULLINS EFFECT", "NO COMPRESSION",
    "NO TENSION", "PLASTIC", "POTENTIAL", "RATE DEPENDENT", "SHEAR FAILURE", "SWELLING", "TENSILE FAILURE",
    "USER DEFINED FIELD", "USER MATERIAL", "VISCOELASTIC", "VISCOUS",
))  # fmt: skip
"""Keywords of what materials are beside linear elastic: nothing that is given to a part takes their place."""
SECTION_OPTIONS = frozenset((
    "COMPOSITE", "CONTROLS", "ELSET", "MATERIAL", "NODAL THICKNESS", "OFFSET", "ORIENTATION", "POISSON",
    "SECTION INTEGRATION", "STACK DIRECTION", "TEMPERATURE",
))  # fmt: skip
"""Options of sections that are read, refused with a hint, or change nothing in the linear elements here: Poisson's
ratio of the thickness in large strains, points over the thickness, hourglass stiffness of elements not there, the
direction in which layers are stacked where there is one."""


@dataclass(frozen=True)
class MaterialCard:
    """A material: elastic constants (E, nu) or (E1, E2, E3, nu12, nu13, nu23, G12, G13, G23), and what else it has."""

    name: str
    constants: tuple[float, ...] = ()
    density: float | None = None
    stiffness_damping: float = 0.0
    mass_damping: float = 0.0


@dataclass(frozen=True)
class SectionCard:
    """An assignment: ``kind`` is "solid" or "shell" (with a thickness); ``place`` is the line of the file."""

    kind: str
    elset: str
    material: str
    thickness: float | None
    place: str


@dataclass(frozen=True)
class Sections:
    """Materials by their name in capitals, sections in the order of the file, and keywords that are not read.

    These may change the structure, or are unknown here.
    """

    materials: Mapping[str, MaterialCard] = field(default_factory=dict)
    sections: tuple[SectionCard, ...] = ()
    not_read: tuple[str, ...] = ()


def read_sections(path: Path) -> Sections:
    """The materials and sections of an input file.

    Raises
    ------
    ReadError
        If a law or section is of a kind that is not supported (temperature dependence, orientations, composites,
        beams, mass beside that of the material), a number is missing, or a material or section has no name.
    """
    materials: dict[str, MaterialCard] = {}
    sections: list[SectionCard] = []
    passed: list[str] = []
    current = ""
    for keyword, options, rows, place in keywords(path):
        if keyword == "STEP":
            break  # what follows is load, not structure
        if keyword == "MATERIAL":
            name = options.get("NAME", "")
            current = name.upper()
            if not name or current in materials:
                raise ReadError(f"{place}: *MATERIAL needs a NAME= that is not there yet, not {name!r}.")
            materials[current] = MaterialCard(name)
        elif keyword in OF_MATERIAL:
            if not current:
                raise ReadError(f"{place}: *{keyword} before any *MATERIAL.")
            materials[current] = _completed(materials[current], keyword, options, rows, place)
        elif keyword in ("SOLID SECTION", "SHELL SECTION"):
            sections.append(_section(keyword, options, rows, place))
        elif keyword in FOREIGN_SECTIONS:
            raise ReadError(f"{place}: *{keyword} is not supported; give flexmbs.linear.Part its regions instead.")
        elif keyword not in MESH and keyword not in HARMLESS:
            passed.append(keyword)
        if keyword == "DAMPING":
            passed += [f"DAMPING, {name}=" for name in options if name not in ("ALPHA", "BETA")]
    return Sections(materials, tuple(sections), tuple(dict.fromkeys(passed)))


def _completed(
    card: MaterialCard, keyword: str, options: dict[str, str], rows: list[tuple[str, str]], place: str
) -> MaterialCard:
    """A material with one more property."""
    if keyword == "DAMPING":
        alpha, beta = (_option(options, name, place) for name in ("ALPHA", "BETA"))
        return replace(card, stiffness_damping=beta, mass_damping=alpha)
    numbers = [x for line, at in rows for x in floats(line, at)]
    kind = " ".join(options.get("TYPE", "ISOTROPIC").upper().split())
    if keyword == "ELASTIC" and kind not in CONSTANTS:
        raise ReadError(f"{place}: *ELASTIC of TYPE={kind} is not supported, only ISOTROPIC and ENGINEERING CONSTANTS.")
    length = CONSTANTS[kind] if keyword == "ELASTIC" else 1
    if not length <= len(numbers) <= length + 1:
        raise ReadError(
            f"{place}: *{keyword} of material {card.name!r} needs {length} numbers (and maybe one temperature), not "
            f"{len(numbers)}; several temperatures or fields are not supported."
        )
    if keyword == "DENSITY":
        return replace(card, density=numbers[0])
    return replace(card, constants=tuple(numbers[:length]))


def _section(keyword: str, options: dict[str, str], rows: list[tuple[str, str]], place: str) -> SectionCard:
    """A section with what it assigns."""
    if "ORIENTATION" in options:
        raise ReadError(
            f"{place}: *{keyword} with ORIENTATION= is not supported; make the part in Python, with "
            "Orthotropic(..., axes=...) and regions."
        )
    for name in ("COMPOSITE", "OFFSET", "NODAL THICKNESS"):
        if name in options and options[name] not in ("0", "0.", "0.0"):
            raise ReadError(f"{place}: *{keyword} with {name} is not supported; make the part in Python, with regions.")
    unknown = [name for name in options if name not in SECTION_OPTIONS]
    if unknown:
        raise ReadError(
            f"{place}: *{keyword} with {unknown[0]} is not supported, and without it mass or stiffness may be wrong; "
            "take it out of the file, and give the part what it adds in Python."
        )
    elset, material = options.get("ELSET", ""), options.get("MATERIAL", "")
    if not elset or not material:
        raise ReadError(f"{place}: *{keyword} needs ELSET= and MATERIAL=.")
    if keyword == "SOLID SECTION":
        return SectionCard("solid", elset, material, None, place)
    numbers = floats(*rows[0]) if rows else []
    if not numbers:
        raise ReadError(f"{place}: *{keyword} of {elset!r} needs its thickness on the next line.")
    return SectionCard("shell", elset, material, numbers[0], place)


def _option(options: dict[str, str], name: str, place: str) -> float:
    """A number among the options, 0 where it is missing."""
    return floats(options.get(name, "0"), place)[0]
