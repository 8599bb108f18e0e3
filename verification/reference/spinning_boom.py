r"""A clamped boom with a disk at its end that spins about its own axis: frequencies, whirl and large rotating shapes.

Linear, in the frame that spins with :math:`\omega`, with displacements u, w across the axis y, stiffnesses
:math:`EI_u, EI_w`, a retardation time :math:`\tau` and the mass m at the end,

.. math:: \mu(\ddot u + 2\omega\dot w - \omega^2 u) + EI_u (u + \tau\dot u)'''' = 0, \qquad
   \mu(\ddot w - 2\omega\dot u - \omega^2 w) + EI_w (w + \tau\dot w)'''' = 0 .

Ritz's method on polynomials gives its eigenvalues; a positive real part is the growth of rotating damping above the
critical speed. The inextensible planar elastica in steady rotation, with the angle :math:`\varphi` to the axis,

.. math:: EI\varphi' = M, \quad M' = -H\cos\varphi, \quad H' = -\mu\omega^2 x, \quad x' = \sin\varphi, \quad
   y' = \cos\varphi, \quad H(L) = m\omega^2 x(L), \quad M(L) = 0,

is the shape that it settles in.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import solve_bvp
from scipy.linalg import eig, eigh

__all__ = ["SpinningBoom"]

FloatArray = NDArray[np.float64]
SHAPES = 8


@dataclass(frozen=True)
class SpinningBoom:
    """Length, mass per length, and mass and moment of inertia about a diameter of the disk at the end.

    Examples
    --------
    >>> beam = SpinningBoom(1.0, 1.0, 0.0, 0.0)
    >>> beam.frequencies(1.0)[:2].round(3).tolist()
    [3.516, 22.034]
    """

    length: float
    mass_per_length: float
    mass: float
    inertia: float

    def _matrices(self) -> tuple[FloatArray, FloatArray]:
        """Mass, and stiffness for EI = 1, of the shapes (s/L)^2 P_k(2 s/L - 1)."""
        return self._integrals()[:2]

    def _integrals(self) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """These, the shapes at the end, and their integrals along the boom."""
        x, w = np.polynomial.legendre.leggauss(3 * SHAPES)
        s, w = 0.5 * (1.0 + x), 0.5 * w
        shapes = [
            np.polynomial.Polynomial([0.0, 0.0, 1.0])
            * np.polynomial.Legendre.basis(k).convert(kind=np.polynomial.Polynomial)(
                np.polynomial.Polynomial([-1.0, 2.0])
            )
            for k in range(SHAPES)
        ]
        phi, curved = np.array([p(s) for p in shapes]), np.array([p.deriv(2)(s) for p in shapes])
        end, slope = np.array([p(1.0) for p in shapes]), np.array([p.deriv()(1.0) for p in shapes])
        L = self.length
        M = self.mass_per_length * L * (phi * w) @ phi.T + self.mass * np.outer(end, end)
        M += self.inertia / L**2 * np.outer(slope, slope)
        return M, (curved * w) @ curved.T / L**3, end, L * phi @ w

    def under_load(self, EI: float) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Of a load 1 per length across: angular frequencies, displacements of the end, and works of the load by mode.

        With the modal amplitudes a, whose equation is a'' + omega^2 a = work, the end is at sum_k end_k a_k.
        """
        M, K, end, load = self._integrals()
        squares, modes = eigh(EI * K, M)
        return np.asarray(np.sqrt(squares)), np.asarray(end @ modes), np.asarray(load @ modes)

    def bent(self, EI: float, load: float) -> tuple[float, float]:
        """Place of the end, across and along, under a dead load per length across, without extension.

        EI phi'' = -load (L - s) cos phi, phi(0) = 0, phi'(L) = 0.
        """
        L = self.length

        def rates(s: FloatArray, u: FloatArray) -> FloatArray:
            return np.vstack((np.sin(u[2]), np.cos(u[2]), u[3], -load * (L - s) * np.cos(u[2]) / EI))

        def ends(a: FloatArray, b: FloatArray) -> FloatArray:
            return np.array([a[0], a[1], a[2], b[3]])

        s = np.linspace(0.0, L, 201)
        found = solve_bvp(rates, ends, s, np.vstack((0 * s, s, 0 * s, 0 * s)), tol=1e-10, max_nodes=50000)
        if not found.success:
            raise ArithmeticError(f"SpinningBoom.bent: {found.message}")
        return float(found.y[0, -1]), float(found.y[1, -1])

    def frequencies(self, EI: float) -> FloatArray:
        """Angular frequencies at rest [rad/time], ascending; the lowest four to 6 digits."""
        M, K = self._matrices()
        return np.asarray(np.sqrt(eigh(EI * K, M, eigvals_only=True)))

    def whirl(self, stiffness: tuple[float, float], spin: float, retardation: float) -> FloatArray:
        """Eigenvalues (4 n,) in the spinning frame, those of the largest real parts first."""
        M, K = self._matrices()
        n = len(M)
        zero = np.zeros((n, n))
        mass = np.block([[M, zero], [zero, M]])
        gyro = 2.0 * spin * np.block([[zero, M], [-M, zero]])
        stiff = np.block([[stiffness[0] * K, zero], [zero, stiffness[1] * K]])
        A = np.block(
            [
                [np.zeros((2 * n, 2 * n)), np.eye(2 * n)],
                [-np.linalg.solve(mass, stiff - spin**2 * mass), -np.linalg.solve(mass, gyro + retardation * stiff)],
            ]
        )
        found = eig(A, right=False)
        return np.asarray(found[np.argsort(-found.real)])

    def rotating(self, EI: float, spin: float) -> tuple[float, float]:
        """Distance of the disk from the axis, and along it, in steady rotation far above the critical speed."""
        mu, L, w2 = self.mass_per_length, self.length, spin**2

        def rates(s: FloatArray, u: FloatArray) -> FloatArray:
            return np.vstack((np.sin(u[2]), np.cos(u[2]), u[3] / EI, -u[4] * np.cos(u[2]), -mu * w2 * u[0]))

        def ends(a: FloatArray, b: FloatArray) -> FloatArray:
            return np.array([a[0], a[1], a[2], b[3], b[4] - self.mass * w2 * b[0]])

        s = np.linspace(0.0, L, 401)
        angle = np.minimum(1.2, 4.0 * s / L)
        x, y = (np.cumsum(f(angle)) * s[1] for f in (np.sin, np.cos))
        H = self.mass * w2 * x[-1] + 0.0 * s
        found = solve_bvp(rates, ends, s, np.vstack((x, y, angle, H * (y[-1] - y), H)), tol=1e-9, max_nodes=50000)
        if not found.success:
            raise ArithmeticError(f"SpinningBoom.rotating: {found.message}")
        return float(found.y[0, -1]), float(found.y[1, -1])
