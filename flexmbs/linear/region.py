"""Regions: which cells of a part are which element and of which material."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from flexmbs.core.checks import as_name, show
from flexmbs.core.errors import ModelError, a_or_an
from flexmbs.elements.linear.contract import LINEAR_ELEMENT_MEMBERS, LinearElement

if TYPE_CHECKING:
    from flexmbs.core.material import Material

__all__ = ["Region"]

MATERIAL_MEMBERS = ("name", "density", "retardation_time", "elasticity", "plane_stress", "transverse_shear")


@dataclass(frozen=True)
class Region:
    """Cells of a mesh with one element formulation and one material.

    Parameters
    ----------
    cells : str or None
        Name of a cell set; None: all cells of the element's type that no other region names.
    element : LinearElement
        Such as ``flexmbs.elements.Tetra10()``.
    material : Elastic or Orthotropic, optional
        What it is made of; needed unless the element brings its own.

    Raises
    ------
    ModelError
        If something is of another kind or the material is missing.

    Examples
    --------
    >>> import flexmbs as fx
    >>> Region("SOLID", fx.elements.Tetra10(), fx.steel).material.name
    'steel'
    """

    cells: str | None
    element: LinearElement
    material: Material | None = None

    def __post_init__(self) -> None:
        owner = "Region" if self.cells is None else f"Region {as_name('Region', 'cells', self.cells)!r}"
        missing = [n for n in LINEAR_ELEMENT_MEMBERS if not hasattr(self.element, n)]
        if missing or isinstance(self.element, type):
            raise ModelError(
                f"{owner}: element must be a linear element object such as flexmbs.elements.Tetra10(), not "
                f"{show(self.element)}."
            )
        check_material(owner, self.material)
        if self.material is None and self.element.needs_material:
            raise ModelError(f"{owner}: {a_or_an(self.element.name)} needs a material, such as flexmbs.steel.")


def check_material(owner: str, material: object) -> None:
    """Refuse what is no material (None is allowed)."""
    if material is None:
        return
    if isinstance(material, type) or any(not hasattr(material, n) for n in MATERIAL_MEMBERS):
        raise ModelError(
            f"{owner}: material must be an Elastic or Orthotropic, such as flexmbs.steel, not {show(material)}."
        )
