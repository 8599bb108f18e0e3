r"""Navier's solution of simply supported, laminated rectangular plates by first-order shear theory.

For plies along the sides of the plate (cross-ply), the fields of a load :math:`q_{mn}\sin\alpha x\sin\beta y` are

.. math::
    u = U\cos\alpha x\sin\beta y,\quad v = V\sin\alpha x\cos\beta y,\quad w = W\sin\alpha x\sin\beta y,\quad
    \phi_x = X\cos\alpha x\sin\beta y,\quad \phi_y = Y\sin\alpha x\cos\beta y

(supports that hold w, the displacement along the side and the rotation along the side), and the five equations of
equilibrium give the amplitudes. Source: J. N. Reddy, Mechanics of Laminated Composite Plates and Shells, 2nd ed.,
2004, sections 6.3 and 7.2. Integrals over the thickness are sums of fine midpoint layers here.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["CrossPly", "navier_deflection", "shear_stiffness"]

FloatArray = NDArray[np.float64]

SLICES = 2000
"""Midpoint slices of a ply; the error of the integrals is of order 1 / SLICES^2."""


class CrossPly(NamedTuple):
    """Plies of one material: moduli, and for each ply from below whether its fibres run along y."""

    E_1: float
    E_2: float
    nu_12: float
    G_12: float
    G_13: float
    G_23: float
    thickness: float
    along_y: tuple[bool, ...]


def _slices(plate: CrossPly) -> tuple[FloatArray, float, FloatArray, FloatArray]:
    """Heights (n,), thickness, moduli (n, 3, 3) and shear moduli (n, 2) of thin slices."""
    n = SLICES * len(plate.along_y)
    dz = plate.thickness / n
    z = np.asarray((np.arange(n) + 0.5) * dz - 0.5 * plate.thickness, dtype=np.float64)
    nu_21 = plate.nu_12 * plate.E_2 / plate.E_1
    f = 1.0 / (1.0 - plate.nu_12 * nu_21)
    along = np.array(
        [[f * plate.E_1, f * nu_21 * plate.E_1, 0], [f * nu_21 * plate.E_1, f * plate.E_2, 0], [0, 0, plate.G_12]]
    )
    across = along[[1, 0, 2]][:, [1, 0, 2]]
    turned = np.repeat(np.array(plate.along_y), SLICES)
    Q = np.where(turned[:, None, None], across, along)
    G = np.where(turned[:, None], [plate.G_23, plate.G_13], [plate.G_13, plate.G_23])
    return np.asarray(z), dz, np.asarray(Q), np.asarray(G)


def shear_stiffness(plate: CrossPly, factor: float | None = None) -> FloatArray:
    """Shear stiffness (2,) of the planes xz and yz: the moduli times a factor, or by the energy of the shear flow."""
    z, dz, Q, G = _slices(plate)
    if factor is not None:
        return np.asarray(factor * G.sum(axis=0) * dz)
    moments = [np.einsum("n,nij->ij", z**k, Q) * dz for k in range(3)]
    C = np.block([[moments[0], moments[1]], [moments[1], moments[2]]])
    out = np.empty(2)
    for direction in range(2):
        load = np.zeros(6)
        load[3 + direction] = 1.0
        strain = np.linalg.solve(C, load)
        stress = np.einsum("nj,nj->n", Q[:, direction], strain[:3] + z[:, None] * strain[3:])
        flow = np.cumsum(stress) * dz - 0.5 * stress * dz  # in the middle of each slice
        out[direction] = 1.0 / (np.sum(flow**2 / G[:, direction]) * dz)
    return out


def navier_deflection(
    plate: CrossPly, side: float, terms: int | None, shear: FloatArray, width: float | None = None
) -> float:
    """Deflection in the centre of a plate ``side`` by ``width``, for unit pressure.

    ``terms`` odd half waves each way are summed for uniform pressure; None means a single half wave of amplitude 1.
    """
    z, dz, Q, _ = _slices(plate)
    A, B, D = (np.einsum("n,nij->ij", z**k, Q) * dz for k in range(3))
    width = side if width is None else width
    total = 0.0
    waves = [1] if terms is None else range(1, 2 * terms, 2)
    for m in waves:
        for n in waves:
            a, b = m * math.pi / side, n * math.pi / width
            # strains by (U, V, W, X, Y): eps_x, eps_y ~ sin sin, gamma_xy ~ cos cos; then curvatures; then shears
            E = np.zeros((8, 5))
            E[0, 0], E[1, 1], E[2, 0], E[2, 1] = -a, -b, b, a
            E[3, 3], E[4, 4], E[5, 3], E[5, 4] = -a, -b, b, a
            E[6, 2], E[6, 3], E[7, 2], E[7, 4] = a, 1.0, b, 1.0
            C = np.zeros((8, 8))
            C[:6, :6] = np.block([[A, B], [B, D]])
            C[6, 6], C[7, 7] = shear
            load = np.zeros(5)
            load[2] = 1.0 if terms is None else 16.0 / (math.pi**2 * m * n)
            amplitude = np.linalg.solve(E.T @ C @ E, load)[2]
            total += amplitude * math.sin(m * math.pi / 2) * math.sin(n * math.pi / 2)
    return float(total)
