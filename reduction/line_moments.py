r"""Integrals of the shapes of a part along its lines: what a load per length, the same everywhere, works on.

With the stress-free length s along all its line elements,

.. math:: L = \int\! ds, \qquad c = \int\! x\, ds, \qquad P_{ak} = \int\! \phi_{ak}\, ds ,

so that a load f per length has the resultant L f, which acts on the mean of all points, :math:`c/L`, and this mean
moves by the shapes :math:`P/L`. The interpolation is that of the elements: the load is the consistent one.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from flexmbs.core.checks import frozen_copy
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError

if TYPE_CHECKING:
    from flexmbs.linear.part import Part

__all__ = ["LineMoments", "line_moments_of_part"]


@dataclass(frozen=True, eq=False)
class LineMoments:
    """Integrals along all line elements of a part, about the origin and along the axes of its mesh.

    Parameters
    ----------
    length : float
        L, stress-free [length].
    first : (3,) array
        c [length^2].
    P : (3, n) array
        Of the shapes [length, times their unit].

    Raises
    ------
    ModelError
        If shapes do not fit or the length is not positive.
    """

    length: float
    first: FloatArray
    P: FloatArray

    def __post_init__(self) -> None:
        n = np.shape(self.P)[-1]
        for name, shape in (("first", (3,)), ("P", (3, n))):
            value = np.asarray(getattr(self, name), dtype=float)
            if value.shape != shape or not np.isfinite(value).all():
                raise ModelError(f"LineMoments: {name} must be finite numbers {shape}, not {value.shape}.")
            object.__setattr__(self, name, frozen_copy(value))
        if not self.length > 0:
            raise ModelError(f"LineMoments: the length must be positive, not {self.length}.")

    def arrays(self) -> dict[str, Any]:
        """All fields by name, for files."""
        return {f.name: getattr(self, f.name) for f in fields(self)}


def line_moments_of_part(part: Part, shapes: FloatArray) -> LineMoments | None:
    """Those of a part for shapes (N, n) of all its displacements; None without line elements.

    The mass of a line element is spread evenly along it, so that means over its points of mass are means over its
    length; an element without mass has none, and its part no moments.
    """
    length, first, P = 0.0, np.zeros(3), np.zeros((3, shapes.shape[1]))
    for piece, cells, group in part.groups():
        if piece.region.element.cell_type != "line":
            continue
        points = piece.region.element.mass_points(group)
        mass = points.weights.sum(axis=1)
        if not (mass > 0).all():
            return None
        ends = part.nodes.points[cells]
        size = np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1)
        weights = points.weights * (size / mass)[:, None]
        length += float(size.sum())
        first += np.einsum("eg,ega->a", weights, points.positions)
        loads = np.einsum("eg,egak->eka", weights, points.shapes, optimize=True)
        P += np.einsum("eka,ekn->an", loads, shapes[part.element_dofs(piece, cells)], optimize=True)
    return LineMoments(length, first, P) if length > 0.0 else None
