"""Modes of linear structures: frequencies, shapes, participation and effective masses."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from flexmbs.core.attributes import Hinted
from flexmbs.core.checks import as_array, as_count
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError
from flexmbs.linear.operators import Operators
from flexmbs.linear.pictures import draw_structure
from flexmbs.linear.supports import Supports

__all__ = ["LinearModes"]


@dataclass(frozen=True, eq=False, repr=False)
class LinearModes(Hinted):
    r"""Natural modes of a linear structure, as `vibration_modes` gives them, rigid ones first.

    Parameters
    ----------
    operators : Operators
    supports : Supports
        Held and free unknowns.
    eigenvalues : (m,) array
        omega^2, ascending; zero for rigid modes [rad^2/time^2]. Negative for modes that a prestress makes unstable.
    vectors : (n, m) array
        Shapes of the unknowns, with phi^T M phi = 1.
    residuals : (m,) array
        |K phi - omega^2 M phi| relative to |K phi|; for rigid modes the largest force relative to the forces that
        cancel in it.
    n_rigid : int
        How many are rigid.
    unstable : (m,) bool array, optional
        Modes that grow: omega^2 is negative beyond round-off.
    """

    operators: Operators
    supports: Supports
    eigenvalues: FloatArray
    vectors: FloatArray
    residuals: FloatArray
    n_rigid: int
    unstable: Any = None

    def __post_init__(self) -> None:
        if self.unstable is None:
            object.__setattr__(self, "unstable", np.zeros(len(self.eigenvalues), dtype=bool))

    def __repr__(self) -> str:
        shown = ", ".join(f"{f:.4g}" for f in self.frequencies[:8]) + (", ..." if len(self.frequencies) > 8 else "")
        growing = int(np.sum(self.unstable))
        kinds = f"{self.n_rigid} of them rigid" + (f", {growing} unstable" if growing else "")
        return f"LinearModes: {len(self.frequencies)} modes, {kinds}; frequencies {shown}"

    @property
    def angular_frequencies(self) -> FloatArray:
        """Omega (m,) [rad/time]; of an unstable mode, which grows as exp(kappa t), -kappa."""
        size = np.sqrt(np.where(self.unstable, np.abs(self.eigenvalues), np.maximum(self.eigenvalues, 0.0)))
        return np.where(self.unstable, -size, size)

    @property
    def frequencies(self) -> FloatArray:
        """Omega / 2 pi (m,) [1/time], Hz where the time is in seconds; negative for unstable modes."""
        return self.angular_frequencies / (2.0 * math.pi)

    @cached_property
    def shapes(self) -> FloatArray:
        """Displacements and rotations (n_nodes, 6, m) of all nodes."""
        return self.operators.displacements(self.vectors)

    def shape(self, mode: int) -> FloatArray:
        """Displacements and rotations (n_nodes, 6) of all nodes in one mode, counted from 0."""
        mode = as_count("shape", "mode", mode)
        if mode >= len(self.eigenvalues):
            raise ModelError(f"shape: there is no mode {mode}; {len(self.eigenvalues)} were computed, counted from 0.")
        return self.operators.displacements(self.vectors[:, mode])

    def plot(self, mode: int, ax: Any = None, factor: float | None = None) -> Any:
        """Draw a mode, coloured by the size of its displacements.

        Parameters
        ----------
        mode : int
            Counted from 0.
        ax : matplotlib axes, optional
            Made with ``projection="3d"``; a new figure by default.
        factor : float, optional
            On the displacements; chosen to be visible by default.
        """
        axes = draw_structure(self.operators, self.shape(mode), ax=ax, factor=factor)
        axes.set_title(f"mode {mode}: {self.frequencies[mode]:.5g} 1/time", fontsize=10)
        return axes

    @cached_property
    def centre_of_mass(self) -> FloatArray:
        """Centre of mass (3,) of the whole structure, held nodes included."""
        return centre_of_mass(self.operators)

    def participation(self, about: Any = None) -> FloatArray:
        r"""Participation :math:`\phi^T M R` (m, 6) of the modes in rigid motions.

        Columns are translations along x, y, z and rotations about these axes through a point (the centre of mass by
        default): the generalised force on a mode is minus this times the acceleration of the base.
        """
        about = self.centre_of_mass if about is None else as_array("participation", "about", about, (3,))
        return np.asarray(self.vectors.T @ (self.operators.M @ self.operators.rigid_motions(about)))

    def effective_masses(self, about: Any = None) -> FloatArray:
        r"""Squares of the participation (m, 6): masses and moments of inertia.

        Over all modes of a free structure they add up to its masses and moments of inertia. Over all modes of a held
        one they add up to that less the mass that goes straight into the supports,
        :math:`(M R)_f^T M_{ff}^{-1} (M R)_f`.
        """
        return self.participation(about) ** 2

    def masses(self, about: Any = None) -> FloatArray:
        """Mass (three times) and moments of inertia (6,) of the whole structure about a point, as above."""
        about = self.centre_of_mass if about is None else as_array("masses", "about", about, (3,))
        R = self.operators.rigid_motions(about)
        return np.asarray(np.einsum("ij,ij->j", R, self.operators.M @ R))


def centre_of_mass(operators: Operators) -> FloatArray:
    """Centre of mass (3,), from the first moments that the mass matrix has about the origin; zero without mass."""
    R = operators.rigid_motions()
    J = R.T @ (operators.M @ R)
    m = np.diag(J)[:3]
    # rows of translations, columns of rotations: mass along e_i times e_i . (e_j x c)
    first = np.array([J[1, 5] - J[2, 4], J[2, 3] - J[0, 5], J[0, 4] - J[1, 3]])
    both = m.sum() - m  # a structure without unknowns along an axis has no mass there
    return np.asarray(np.divide(first, both, out=np.zeros(3), where=both > 0.0))
