"""Stress resultants of plates and shells, in the axes of the material, per length."""

from __future__ import annotations

from flexmbs.core.contracts import Resultant

__all__ = ["SHEET_RESULTANTS", "THIN_SHEET_RESULTANTS"]

THIN_SHEET_RESULTANTS: tuple[Resultant, ...] = (
    Resultant("N_11", "normal force per length along axis 1", "force/length"),
    Resultant("N_22", "normal force per length along axis 2", "force/length"),
    Resultant("N_12", "membrane shear force per length", "force/length"),
    Resultant("M_11", "bending moment per length, of the stresses along axis 1", "force"),
    Resultant("M_22", "bending moment per length, of the stresses along axis 2", "force"),
    Resultant("M_12", "twisting moment per length", "force"),
)
"""Of elements without transverse shear strains."""

SHEET_RESULTANTS: tuple[Resultant, ...] = (
    *THIN_SHEET_RESULTANTS,
    Resultant("Q_1", "transverse shear force per length, on sections normal to axis 1", "force/length"),
    Resultant("Q_2", "transverse shear force per length, on sections normal to axis 2", "force/length"),
)
