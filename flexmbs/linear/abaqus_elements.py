"""Which element a type of Abaqus and CalculiX is here: the one that it names, or the nearest one, with the difference.

Solids of CalculiX agree to the last digits of its files: C3D8 is the hexahedron with 2 x 2 x 2 points, C3D8I that with
incompatible modes, C3D20R the quadratic one with reduced integration (`verification/reference/calculix/hexahedra.md`).
Abaqus has its own details: its C3D8 takes the mean of the change of volume, which counts near incompressibility.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from flexmbs import elements

__all__ = ["Choice", "choose"]


class Choice(NamedTuple):
    """An element, and what is different from the type in the file; empty if nothing is."""

    element: Any
    difference: str


REDUCED = "one point of integration with hourglass control, which does not exist here"
HYBRID = "pressure, temperature or other unknowns of its own, which are not read"
SOLIDS: tuple[tuple[str, str, dict[str, bool], str], ...] = (
    ("C3D4", "Tetra4", {}, ""),
    ("C3D10", "Tetra10", {}, ""),
    ("C3D8", "Hexahedron8", {"incompatible": False}, ""),
    ("C3D8I", "Hexahedron8", {}, ""),
    ("C3D20", "Hexahedron20", {}, ""),
    ("C3D20R", "Hexahedron20", {"reduced": True}, ""),
    ("C3D8R[A-Z]*", "Hexahedron8", {}, REDUCED),
    ("C3D8I[A-Z]+", "Hexahedron8", {}, HYBRID),
    ("C3D8S", "Hexahedron8", {}, "stresses of its own at the surface"),
    ("C3D8[A-Z]+", "Hexahedron8", {"incompatible": False}, HYBRID),
    ("C3D20R[A-Z]+", "Hexahedron20", {"reduced": True}, HYBRID),
    ("C3D20[A-Z]+", "Hexahedron20", {}, HYBRID),
    ("C3D10M[A-Z]*", "Tetra10", {}, "a modified formulation for contact"),
    ("C3D10(HS|I|S)", "Tetra10", {}, "stresses of its own at the surface"),
    ("C3D10[A-Z]+", "Tetra10", {}, HYBRID),
    ("C3D4[A-Z]+", "Tetra4", {}, HYBRID),
    ("SC8RT?|CSS8", "Hexahedron8", {}, "the assumptions of a shell across its thickness"),
)
"""Pattern of a type, class and options of the element, difference."""
SHELLS = (
    ("S4", "ShellQuad", ""),
    ("S3R?", "ShellTriangle", ""),
    ("S4R[A-Z0-9]*", "ShellQuad", REDUCED),
    ("S4[A-Z0-9]+", "ShellQuad", HYBRID),
    ("STRI3", "ShellTriangle", "the assumption of Kirchhoff: no shear across the thickness"),
    ("S3[A-Z]+", "ShellTriangle", HYBRID),
)
"""The same for shells."""


def choose(kind: str, type_: str, thickness: float | None = None) -> Choice | None:
    """The element of a type in a section.

    Parameters
    ----------
    kind : str
        Of the section: "solid" or "shell".
    type_ : str
        As in the file, in capitals: ``C3D20R``.
    thickness : float, optional
        Of shells.

    Returns
    -------
    Choice or None
        None for types that are no solids or shells, such as those of heat conduction or rigid surfaces.

    Examples
    --------
    >>> choose("solid", "C3D20R").element.name
    'quadratic hexahedron with reduced integration'
    """
    if kind == "solid":
        for pattern, name, options, difference in SOLIDS:
            if re.fullmatch(pattern, type_):
                return Choice(getattr(elements, name)(**options), difference)
    else:
        for pattern, name, difference in SHELLS:
            if re.fullmatch(pattern, type_):
                return Choice(getattr(elements, name)(thickness=thickness), difference)
    return None
