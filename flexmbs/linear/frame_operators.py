r"""Steady states and natural motions of structures in a turning frame.

In the frame, :math:`M\ddot u + (D + C)\dot u + K u = f` with an antisymmetric C and a K that holds what the motion of
the frame adds. Natural motions :math:`u = \phi e^{\lambda t}` satisfy

.. math:: (\lambda^2 M + \lambda (D + C) + K)\phi = 0 .

A motion of a round rotor that is seen at the frequency Im lambda in the frame is seen at Im lambda +- Omega by an
observer at rest.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigs, splu

from flexmbs.core.checks import as_array, as_count
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ConvergenceError, ModelError, SingularError
from flexmbs.linear.linear_solution import LinearSolution
from flexmbs.linear.operators import Operators
from flexmbs.linear.supports import Supports

__all__ = ["FrameOperators", "WhirlModes"]

DENSE = 300
"""Number of unknowns up to which a dense solution is quicker."""

SHIFT = 0.05
"""Shift of the eigenvalues, in rates of the frame: off zero, where they are at a critical speed."""

LOST = 1e-15
"""A pivot this much smaller than the largest entry is round-off."""

REAL = 1e-7
"""Imaginary part, relative, below which an eigenvalue counts as real: the root of round-off, for double ones."""


@dataclass(frozen=True, eq=False, repr=False)
class WhirlModes:
    """Natural motions in a turning frame, as ``FrameOperators.modes`` gives them, the slowest first.

    Parameters
    ----------
    eigenvalues : (m,) complex array
        lambda [1/time]: growth and angular frequency in the frame; one of each conjugate pair, the one above the axis.
    vectors : (n, m) complex array
        Shapes of the unknowns; the largest entry of each is 1.
    residuals : (m,) array
        |(lambda^2 M + lambda (D + C) + K) phi|, relative to the sum of the absolute terms.
    structure : Operators
    """

    eigenvalues: Any
    vectors: Any
    residuals: FloatArray
    structure: Operators

    def __repr__(self) -> str:
        shown = ", ".join(f"{x.real:.3g}{x.imag:+.5g}i" for x in self.eigenvalues[:6])
        return f"WhirlModes: eigenvalues {shown}" + (", ..." if len(self.eigenvalues) > 6 else "")

    @property
    def angular_frequencies(self) -> FloatArray:
        """Angular frequencies (m,) as seen in the frame [rad/time]."""
        return np.asarray(self.eigenvalues.imag)

    @property
    def frequencies(self) -> FloatArray:
        """Frequencies (m,) as seen in the frame [1/time]."""
        return self.angular_frequencies / (2.0 * math.pi)

    @property
    def growth(self) -> FloatArray:
        """Rates (m,) at which amplitudes grow; negative if they decay [1/time]."""
        return np.asarray(self.eigenvalues.real)

    def shape(self, mode: int) -> Any:
        """Complex displacements and rotations (n_nodes, 6) of all nodes in one mode, counted from 0."""
        mode = as_count("shape", "mode", mode)
        if mode >= len(self.eigenvalues):
            raise ModelError(f"shape: there is no mode {mode}; {len(self.eigenvalues)} were found, counted from 0.")
        x = self.vectors[:, mode]
        return self.structure.displacements(x.real) + 1j * self.structure.displacements(x.imag)


@dataclass(frozen=True, eq=False, repr=False)
class FrameOperators:
    """The equations of small motions in a moving frame, as ``MovingFrame.operators`` gives them.

    Parameters
    ----------
    structure : Operators
        The structure at rest, with its mass matrix.
    supports : Supports
        Held and free unknowns.
    D : sparse matrix (n, n)
        Damping and Coriolis matrix.
    K : sparse matrix (n, n)
        Stiffness with Euler, centrifugal and stress stiffness; not symmetric while the rotation speeds up.
    load : (n,) array
        Inertia forces of the frame's motion.
    omega : (3,) array
        Angular velocity [rad/time].
    """

    structure: Operators
    supports: Supports
    D: Any
    K: Any
    load: FloatArray
    omega: FloatArray

    def __repr__(self) -> str:
        rate = np.linalg.norm(self.omega)
        return f"FrameOperators: {self.structure.n} unknowns in a frame that turns at {rate:.5g} rad/time"

    @property
    def M(self) -> Any:
        """Mass matrix (n, n)."""
        return self.structure.M

    def steady(self, forces: Any = None) -> LinearSolution:
        """The state of rest in the frame: K u = load + forces.

        It exists on both sides of a critical speed; `modes` tells whether it is stable.

        Parameters
        ----------
        forces : (n,) array, optional
            Other forces on the unknowns, constant in the frame.

        Returns
        -------
        LinearSolution
            Its forces are all but the elastic ones, so that reactions and stresses are those of the turning structure.

        Raises
        ------
        ModelError
            If forces have another shape.
        SingularError
            At a critical speed, or if the frame does not hold the structure.
        """
        f = self.supports.free
        given = self.load
        if forces is not None:
            given = given + as_array("steady", "forces", forces, (self.structure.n,), unit="force")
        u = np.zeros(self.structure.n)
        u[f] = self._factor(self.K[f][:, f], "the steady state").solve(given[f])
        return LinearSolution(self.structure, self.supports, u, given - (self.K - self.structure.K) @ u)

    def modes(self, count: int) -> WhirlModes:
        """The slowest natural motions in the frame.

        By Arnoldi with the factor of the dynamic stiffness at a small real shift; up to 300 unknowns by LAPACK.

        Parameters
        ----------
        count : int
            How many; one is counted for each conjugate pair.

        Raises
        ------
        ModelError
            If more are asked for than there are free unknowns with mass.
        ConvergenceError
            If Arnoldi does not find them.
        """
        count = as_count("modes", "count", count, minimum=1)
        f = self.supports.free
        M, D, K = (A[f][:, f] for A in (self.M, self.D, self.K))
        n, massive = len(f), int((M.diagonal() > 0).sum())
        if count > massive:
            raise ModelError(f"modes: {count} were asked for, but only {massive} free unknowns have mass.")
        s = SHIFT * float(np.linalg.norm(self.omega))
        factor = self._factor((K + s * D + s * s * M).tocsc(), "the dynamic stiffness near zero")
        right = D + s * M

        def inverse(x: FloatArray) -> FloatArray:
            """(u, v) -> (u', v') of the pencil with v = lambda u, shifted by s."""
            u, v = x[:n], x[n:]
            moved = -factor.solve(M @ v + right @ u)
            return np.concatenate([moved, u + s * moved])

        if n <= DENSE:
            mu, shapes = np.linalg.eig(inverse(np.eye(2 * n)))
        else:
            start = np.random.default_rng(0).standard_normal(2 * n)
            wanted = min(2 * count + 2, 2 * n - 2)
            turned = LinearOperator((2 * n, 2 * n), matvec=lambda x: inverse(np.ravel(x)), dtype=np.float64)
            try:
                mu, shapes = eigs(turned, wanted, which="LM", v0=start, ncv=min(2 * n, max(2 * wanted + 1, 40)))
            except ArpackNoConvergence as error:
                raise ConvergenceError(f"modes: {len(error.eigenvalues) // 2} of {count} converged.") from None
        used = np.abs(mu) > np.finfo(float).eps * np.abs(mu).max()
        values, shapes = s + 1.0 / mu[used], shapes[:n, used]
        values.imag[np.abs(values.imag) < REAL * np.abs(values)] = 0.0
        above = np.flatnonzero(values.imag >= 0.0)
        above = above[np.argsort(np.abs(values[above]), kind="stable")][:count]
        values, shapes = values[above], shapes[:, above]
        largest = shapes[np.argmax(np.abs(shapes), axis=0), np.arange(len(above))]
        shapes = shapes / largest
        left = (M @ shapes) * values**2 + (D @ shapes) * values + K @ shapes
        size = np.abs(values)
        terms = (abs(M) @ np.abs(shapes)) * size**2 + (abs(D) @ np.abs(shapes)) * size + abs(K) @ np.abs(shapes)
        vectors = np.zeros((self.structure.n, len(above)), dtype=complex)
        vectors[f] = shapes
        residuals = np.linalg.norm(left, axis=0) / np.linalg.norm(terms, axis=0)
        return WhirlModes(values, vectors, residuals, self.structure)

    def _factor(self, A: Any, what: str) -> Any:
        try:
            factor = splu(A.tocsc())
            lost = np.abs(factor.U.diagonal()).min(initial=np.inf) <= LOST * abs(A).max()
        except RuntimeError:  # a pivot of zero
            lost = True
        if lost:
            raise SingularError(
                f"{self!r}: {what} has no unique solution; the frame turns at a critical speed, or the structure is "
                "not held."
            )
        return factor
