"""Section matrices: stiffnesses of a beam with coupling, such as a shear centre beside the centroid."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING

import numpy as np

from flexmbs.core.checks import as_array
from flexmbs.core.errors import ModelError
from flexmbs.core.section import BeamStiffness

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from flexmbs.core.contracts import FloatArray

__all__ = ["SectionStiffness", "section_matrix"]


@dataclass(frozen=True, kw_only=True)
class SectionStiffness(BeamStiffness):
    """Stiffnesses of a beam as a symmetric matrix (6, 6) between strains and resultants.

    Resultants (N, Q_y, Q_z, M_x, M_y, M_z) are ``matrix`` times the strains (axial strain, shear along y and z, twist,
    curvature about y and z), all at the reference axis, which carries the mass. Only elements with directors use the
    terms off the diagonal; others refuse them.

    Parameters
    ----------
    matrix : (6, 6) array
        Symmetric, positive definite [force, force length, force length^2].
    mass_per_length : float
        [mass/length], positive.
    rhoI_y, rhoI_z : float
        Rotary inertia per length about y and z [mass length].
    retardation_time : float, default 0
        Retardation time of the Kelvin-Voigt law [time].

    Raises
    ------
    ModelError
        If the matrix is not symmetric and positive definite, or a value is out of bounds.

    Examples
    --------
    A channel whose shear centre lies 12 mm beside its centroid:

    >>> from flexmbs.core.section import BeamStiffness
    >>> plain = BeamStiffness(EA=2e8, EI_z=4e6, EI_y=3e5, GJ=2e3, GA_y=3e7, GA_z=2e7, mass_per_length=8.0,
    ...                       rhoI_y=1e-3, rhoI_z=1e-2)
    >>> round(SectionStiffness.of(plain, shear_centre=(0.0, 0.012)).matrix[1][3])
    -360000
    """

    EA: float = field(init=False)
    EI_z: float = field(init=False)
    EI_y: float | None = field(init=False)
    GJ: float | None = field(init=False)
    GA_y: float | None = field(init=False)
    GA_z: float | None = field(init=False)
    matrix: Sequence[Sequence[float]]

    def __post_init__(self) -> None:
        C = as_array("SectionStiffness", "matrix", self.matrix, (6, 6))
        scale = np.sqrt(np.abs(np.diag(C)))
        if not (scale > 0.0).all():
            raise ModelError(f"SectionStiffness: the diagonal of matrix must be positive, not {np.diag(C).tolist()}.")
        unit = C / scale / scale[:, None]
        least = float(np.linalg.eigvalsh(0.5 * (unit + unit.T))[0])
        if np.abs(unit - unit.T).max() > 1e-9 or np.diag(C).min() <= 0.0 or least <= 1e-12:
            raise ModelError(
                f"SectionStiffness: matrix must be symmetric and positive definite; scaled to a diagonal of ones, its "
                f"least eigenvalue is {least:.3g} and its asymmetry {np.abs(unit - unit.T).max():.3g}."
            )
        C = 0.5 * (C + C.T)
        plain = BeamStiffness(
            EA=C[0, 0],
            GA_y=C[1, 1],
            GA_z=C[2, 2],
            GJ=C[3, 3],
            EI_y=C[4, 4],
            EI_z=C[5, 5],
            mass_per_length=self.mass_per_length,
            rhoI_y=self.rhoI_y,
            rhoI_z=self.rhoI_z,
            retardation_time=self.retardation_time,
        )
        for item in fields(plain):
            object.__setattr__(self, item.name, getattr(plain, item.name))
        object.__setattr__(self, "matrix", tuple(tuple(row) for row in C.tolist()))

    @classmethod
    def of(cls, stiffness: BeamStiffness, *, shear_centre: ArrayLike = (0.0, 0.0)) -> SectionStiffness:
        """The matrix of plain stiffnesses with the shear centre at (y, z) [length] from the reference axis.

        A shear force through the shear centre does not twist; GJ is the torsional stiffness about it. The shear
        strains there are gamma_y - z tau and gamma_z + y tau.
        """
        y, z = as_array("SectionStiffness.of", "shear_centre", shear_centre, (2,), unit="length")
        C = section_matrix("SectionStiffness.of", stiffness)
        at_centre = np.eye(6)
        at_centre[1, 3], at_centre[2, 3] = -z, y
        return cls(
            matrix=at_centre.T @ C @ at_centre,  # type: ignore[arg-type]  # an array is a sequence of rows
            mass_per_length=stiffness.mass_per_length,
            rhoI_y=stiffness.rhoI_y,
            rhoI_z=stiffness.rhoI_z,
            retardation_time=stiffness.retardation_time,
        )

    @property
    def coupled(self) -> bool:
        """Whether there is anything off the diagonal."""
        C = np.asarray(self.matrix)
        return bool(np.any(np.diag(np.diag(C)) != C))


def section_matrix(owner: str, stiffness: BeamStiffness) -> FloatArray:
    """The matrix (6, 6) of stiffnesses; refuses those without torsion or shear."""
    if isinstance(stiffness, SectionStiffness):
        return np.array(stiffness.matrix)
    wanted = ("EA", "GA_y", "GA_z", "GJ", "EI_y", "EI_z")
    missing = [name for name in wanted if getattr(stiffness, name) is None]
    if missing:
        raise ModelError(
            f"{owner}: the stiffness lacks {', '.join(missing)}, which a beam that shears and twists needs; take a "
            f"section with shear correction factors, or give them in BeamStiffness."
        )
    return np.diag([float(getattr(stiffness, name)) for name in wanted])
