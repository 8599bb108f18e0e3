"""What the line elements share: their lengths, and the stiffnesses that a section has with a material."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from flexmbs.core.checks import show
from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.errors import MeshError, ModelError
from flexmbs.core.material import Elastic
from flexmbs.core.section import BeamStiffness, Section, beam_stiffness, check_section

if TYPE_CHECKING:
    from flexmbs.core.material import Material

__all__ = ["check_line_section", "elastic", "line_stiffness", "lines", "numbered"]


def check_line_section(owner: str, section: Any) -> None:
    """Refuse what is neither a section nor a `BeamStiffness`."""
    if not isinstance(section, BeamStiffness):
        check_section(owner, section)
    elif section.retardation_time > 0.0:
        raise ModelError(
            f"{owner}: the damping of a part is that of its materials, so that the retardation time "
            f"{section.retardation_time:g} of a BeamStiffness would be lost; give section and material instead."
        )


def line_stiffness(owner: str, what: str, section: Section | BeamStiffness, material: Material | None) -> BeamStiffness:
    """Stiffnesses and inertias per length; ``what`` is the element in words."""
    if isinstance(section, BeamStiffness):
        if material is not None:
            raise ModelError(
                f"{owner}: the BeamStiffness of the {what} holds its material already; give no material beside it."
            )
        return section
    return beam_stiffness(section, elastic(owner, what, material))


def elastic(owner: str, what: str, material: object) -> Elastic:
    """The material, which must be isotropic."""
    if not isinstance(material, Elastic):
        raise ModelError(
            f"{owner}: a {what} takes an Elastic material or a BeamStiffness as its section, not {show(material)}."
        )
    return material


def lines(owner: str, points: FloatArray, numbers: IntArray) -> tuple[FloatArray, FloatArray]:
    """Lengths (n_e,) and unit vectors (n_e, 3) along lines with ends ``points (n_e, 2, 3)``."""
    chord = points[:, 1] - points[:, 0]
    L = np.linalg.norm(chord, axis=1)
    size = np.abs(points).max(axis=(1, 2), initial=0.0)
    short = ~(1e-12 * size < L)  # less is round-off of the coordinates
    if short.any():
        raise MeshError(f"{owner}: {numbered(numbers[short])} of length zero; merge their ends or leave them out.")
    return L, chord / L[:, None]


def numbered(numbers: IntArray) -> str:
    """'line cells 3, 4, 5 and 7 more' for a message."""
    first = ", ".join(str(n) for n in numbers[:5])
    more = f" and {len(numbers) - 5} more" if len(numbers) > 5 else ""
    return f"line cell{'s' if len(numbers) > 1 else ''} {first}{more}"
