r"""Triangular shell: bending by discrete Kirchhoff-Mindlin constraints (DKMT), membrane by Felippa's optimal triangle.

**Bending and shear** (I. Katili, Int. J. Numer. Methods Eng. 36 (1993) 1859-1883). The rotation
:math:`\beta = (\theta_y, -\theta_x)` is linear, and on each side k of length L, direction s, a parabola more,

.. math::
    \beta = \sum_a N_a \beta_a + \sum_k 4 N_i N_j\, s_k\, \Delta_k .

On each side the shear strain is constant. It follows from the bending moment by the equilibrium of the side as a
beam, and must agree in the mean with that of w and :math:`\beta`; both together give

.. math::
    \bar\gamma_k = -\tfrac23 \phi_k \Delta_k, \qquad
    \Delta_k = -\frac{3}{2 L (1 + \phi_k)} \left(w_j - w_i + \tfrac{L}{2} s \cdot (\beta_i + \beta_j)\right),
    \qquad \phi_k = \frac{12\, D_s}{S_s L^2},

with the bending stiffness along the side without membrane force, :math:`D_s`, and the shear stiffness along it,
:math:`S_s`. Inside, shear is linear between the values at the corners, which have the shear of both their sides. For
thin shells this is the discrete Kirchhoff triangle; there is no locking.

**Membrane** (C. A. Felippa, Comput. Methods Appl. Mech. Eng. 192 (2003) 2125-2168; ANDES template OPT). With rotations
about the normal at the corners: mean strains from the displacements of the sides with :math:`\alpha_b = 3/2`, and
natural strains that are linear and have no mean, scaled by :math:`\beta_0 = (1 - 4\nu^2)/2`, at least 0.01. In-plane
bending of a rectangle of two triangles is exact for every aspect ratio.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from flexmbs.core.contracts import FloatArray
from flexmbs.core.jit import kernel
from flexmbs.core.laminate import ShellSection
from flexmbs.elements.linear.shell import Shell, ShellGroup

__all__ = ["ShellTriangle"]

THIRDS = np.array([[1 / 6, 1 / 6], [2 / 3, 1 / 6], [1 / 6, 2 / 3]])
"""Points of a quadrature that is exact for parabolas, each with a third of the area; all strains are linear."""

LEAST = 0.01
"""Lowest factor of the higher strains; they vanish for nu = 1/2, where the rank would be lost."""


def _linear(points: FloatArray) -> FloatArray:
    """Shape functions (n, 3) at points (n, 2)."""
    return np.column_stack([1.0 - points.sum(axis=1), points])


@dataclass(frozen=True)
class ShellTriangle(Shell):
    """Flat (Mindlin-Reissner, DKMT) shell of three nodes: membrane, bending, transverse shear and drilling rotation.

    Free of shear locking for every slenderness. Exact for constant membrane strains and curvatures on distorted meshes,
    and for in-plane bending of rectangles of two triangles. Constant transverse shear without its moments is met in the
    limit of small elements only. Parameters, stresses, mass and errors are those of `ShellQuad`; stresses are given at
    three points inside.

    Limits
    ------
    Those of `ShellQuad`. Very thin twisted shells lock mildly, because rotations about the normals of facets that are
    not in one plane contradict each other: for a strip twisted by a right angle the deflection is 10 % too small where
    elements are 80 times as long as thick. Prefer quadrilaterals there.

    Examples
    --------
    >>> import flexmbs as fx
    >>> from flexmbs.linear.part import Part
    >>> from flexmbs.linear.region import Region
    >>> sheet = fx.meshes.rectangle((0, 0), (2, 1), (4, 2), "triangle").in_space()
    >>> print(Part(sheet, regions=[Region(None, ShellTriangle(thickness=0.01), fx.steel)], name="sheet"))
    part 'sheet': 15 nodes, 16 triangle of steel
    """

    name: ClassVar[str] = "ShellTriangle"
    cell_type: ClassVar[str] = "triangle"
    shapes: ClassVar[FloatArray] = _linear(THIRDS)
    to_nodes: ClassVar[FloatArray] = np.asarray(np.linalg.inv(_linear(THIRDS)), dtype=np.float64)

    def _strains(self, plane: FloatArray, section: ShellSection) -> tuple[FloatArray, FloatArray]:
        n_e = len(plane)
        B, weights = np.zeros((n_e, 3, 9, 18)), np.empty((n_e, 3))
        factor = max(0.5 * (1.0 - 4.0 * section.poissons_ratio**2), LEAST)
        membrane_strains(plane, _linear(THIRDS), factor, B, weights)
        compliance = np.linalg.inv(section.stiffness[:6, :6])
        bending = np.linalg.inv(compliance[3:, 3:])
        shear = np.ascontiguousarray(section.stiffness[6:, 6:])
        bending_strains(plane, _linear(THIRDS), bending, shear, B)
        return B, weights

    def _gradients(self, group: ShellGroup) -> FloatArray:
        x, y = group.plane[:, :, 0], group.plane[:, :, 1]
        double = 2.0 * group.weights.sum(axis=1)[:, None]
        n_x = (np.roll(y, -1, axis=1) - np.roll(y, -2, axis=1)) / double
        n_y = (np.roll(x, -2, axis=1) - np.roll(x, -1, axis=1)) / double
        return np.repeat(np.stack([n_x, n_y], axis=1)[:, None], 3, axis=1)


@kernel
def membrane_strains(plane: FloatArray, shapes: FloatArray, factor: float, B: FloatArray, weights: FloatArray) -> None:
    """Membrane strains of the optimal triangle, rows 0 to 2 of ``B (n_e, n_g, 9, 18)``, at points of equal weight."""
    # natural strains along the sides by the rotations of the corners, for unit sides: (corner, side, rotation)
    table = np.array(
        [
            [[1.0, 2.0, 1.0], [0.0, 1.0, -1.0], [-1.0, -1.0, -2.0]],
            [[-2.0, -1.0, -1.0], [1.0, 1.0, 2.0], [-1.0, 0.0, 1.0]],
            [[1.0, -1.0, 0.0], [-1.0, -2.0, -1.0], [2.0, 1.0, 1.0]],
        ]
    )
    natural, from_natural, turn = np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 9))
    x, y, dx, dy, square = np.empty(3), np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    n_g = shapes.shape[0]
    for e in range(plane.shape[0]):
        for a in range(3):
            x[a], y[a] = plane[e, a, 0], plane[e, a, 1]
        for a in range(3):  # side a runs from corner a to the next
            dx[a], dy[a] = x[(a + 1) % 3] - x[a], y[(a + 1) % 3] - y[a]
            square[a] = dx[a] * dx[a] + dy[a] * dy[a]
        double = dy[2] * -dx[0] + dx[2] * dy[0]
        # strains from natural strains; and rotations of the corners beyond that of the displacements
        for k in range(3):
            i, j = (k + 1) % 3, (k + 2) % 3
            s = -square[k] / (double * double)
            from_natural[0, k] = s * dy[i] * dy[j]
            from_natural[1, k] = s * dx[i] * dx[j]
            from_natural[2, k] = -s * (dx[i] * dy[j] + dx[j] * dy[i])
            for a in range(3):
                turn[a, 3 * k], turn[a, 3 * k + 1] = dx[i] / (2.0 * double), dy[i] / (2.0 * double)
                turn[a, 3 * k + 2] = 1.0 if a == k else 0.0
        for g in range(n_g):
            weights[e, g] = 0.5 * double / n_g
            b = B[e, g]
            for k in range(3):
                size = 1.5 * np.sqrt(factor) * double / (3.0 * square[k])
                for c in range(3):
                    value = 0.0
                    for a in range(3):
                        value += shapes[g, a] * table[a, k, c]
                    natural[k, c] = size * value
            for a in range(3):
                i, j = (a + 1) % 3, (a + 2) % 3
                n_x, n_y = -dy[i] / double, dx[i] / double
                col = 6 * a
                b[0, col] = n_x
                b[1, col + 1] = n_y
                b[2, col] = n_y
                b[2, col + 1] = n_x
                # sides that bend with the rotations of their ends
                b[0, col + 5] = 0.25 * n_x * (dy[j] - dy[a])
                b[1, col + 5] = 0.25 * n_y * (dx[a] - dx[j])
                b[2, col + 5] = 0.5 * (dx[a] * dy[a] - dx[j] * dy[j]) / double
            for a in range(3):
                for i in range(3):
                    col = 6 * a + i + 3 * (i // 2)  # u, v and the rotation about the normal
                    for k in range(3):
                        value = 0.0
                        for c in range(3):
                            value += natural[k, c] * turn[c, 3 * a + i]
                        for row in range(3):
                            b[row, col] += from_natural[row, k] * value


@kernel
def bending_strains(plane: FloatArray, shapes: FloatArray, D: FloatArray, S: FloatArray, B: FloatArray) -> None:
    """Curvatures and transverse shears, rows 3 to 7 of ``B (n_e, n_g, 9, 18)``; stiffnesses D (3, 3), S (2, 2)."""
    sides = np.zeros((3, 18))  # the part of the rotation on each side that is a parabola
    gamma = np.empty((3, 18))
    c, s, n_x, n_y = np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    for e in range(plane.shape[0]):
        p = plane[e]
        double = (p[1, 0] - p[0, 0]) * (p[2, 1] - p[0, 1]) - (p[1, 1] - p[0, 1]) * (p[2, 0] - p[0, 0])
        for k in range(3):
            i, j, o = k, (k + 1) % 3, (k + 2) % 3
            dx, dy = p[j, 0] - p[i, 0], p[j, 1] - p[i, 1]
            n_x[o], n_y[o] = -dy / double, dx / double
            length = np.sqrt(dx * dx + dy * dy)
            c[k], s[k] = dx / length, dy / length
            cc, ss, cs = c[k] * c[k], s[k] * s[k], 2.0 * c[k] * s[k]
            bending = cc * cc * D[0, 0] + ss * ss * D[1, 1] + cs * cs * D[2, 2]
            bending += 2.0 * (cc * ss * D[0, 1] + cc * cs * D[0, 2] + ss * cs * D[1, 2])
            shear = cc * S[0, 0] + ss * S[1, 1] + cs * S[0, 1]
            phi = 12.0 * bending / (shear * length * length)
            f = -1.5 / (length * (1.0 + phi))
            sides[k] = 0.0
            for node in (i, j):
                sides[k, 6 * node + 2] = -f if node == i else f
                sides[k, 6 * node + 4] = 0.5 * f * dx
                sides[k, 6 * node + 3] = -0.5 * f * dy
            for m in range(18):
                gamma[k, m] = -2.0 / 3.0 * phi * sides[k, m]
        for g in range(shapes.shape[0]):
            b = B[e, g]
            for a in range(3):
                b[3, 6 * a + 4] = n_x[a]
                b[4, 6 * a + 3] = -n_y[a]
                b[5, 6 * a + 4] = n_y[a]
                b[5, 6 * a + 3] = -n_x[a]
            for k in range(3):
                i, j = k, (k + 1) % 3
                f_x = 4.0 * (shapes[g, i] * n_x[j] + shapes[g, j] * n_x[i])
                f_y = 4.0 * (shapes[g, i] * n_y[j] + shapes[g, j] * n_y[i])
                for m in range(18):
                    b[3, m] += f_x * c[k] * sides[k, m]
                    b[4, m] += f_y * s[k] * sides[k, m]
                    b[5, m] += (f_y * c[k] + f_x * s[k]) * sides[k, m]
            for k in range(3):  # the corner between side m, which ends there, and side k
                m = (k + 2) % 3
                f = shapes[g, k] / (c[m] * s[k] - c[k] * s[m])
                for i in range(18):
                    b[6, i] += f * (s[k] * gamma[m, i] - s[m] * gamma[k, i])
                    b[7, i] += f * (c[m] * gamma[k, i] - c[k] * gamma[m, i])
