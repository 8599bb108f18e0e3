from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.jit import kernel
from flexmbs.elements.linear.laminate import ShellSection
from flexmbs.elements.linear.shell import Shell, ShellGroup, _refuse

__all__ = ["ShellQuad"]

CORNERS = np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])
WARP = 0.2
POINTS = CORNERS / np.sqrt(3.0)


def _bilinear(points: FloatArray) -> FloatArray:
    return 0.25 * (1.0 + points[:, None, 0] * CORNERS[:, 0]) * (1.0 + points[:, None, 1] * CORNERS[:, 1])


@dataclass(frozen=True)
class ShellQuad(Shell):
    """Flat quadrilateral."""

    name: ClassVar[str] = "ShellQuad"
    cell_type: ClassVar[str] = "quad"
    drilling_share: ClassVar[float] = 1.0
    shapes: ClassVar[FloatArray] = _bilinear(POINTS)
    mass_shapes: ClassVar[FloatArray] = _bilinear(POINTS)
    to_nodes: ClassVar[FloatArray] = _bilinear(CORNERS * np.sqrt(3.0))

    def _strains(self, plane: FloatArray, section: ShellSection) -> tuple[FloatArray, FloatArray]:
        n_e = len(plane)
        B, weights = np.zeros((n_e, 4, 9, 28)), np.empty((n_e, 4))
        quad_strains(plane, POINTS, B, weights)
        return B, weights

    def _mass_shares(self, group: ShellGroup) -> FloatArray:
        return group.weights

    def _gradients(self, group: ShellGroup) -> tuple[FloatArray, FloatArray]:
        # the strains of the membrane hold them: eps_x = u_,x and eps_y = v_,y
        B = group.strains
        return np.stack([B[:, :, 0, 0:24:6], B[:, :, 1, 1:24:6]], axis=2), group.weights

    def _check_shape(self, owner: str, local: FloatArray, numbers: IntArray) -> None:
        sides = np.roll(local[:, :, :2], -1, axis=1) - local[:, :, :2]
        before = np.roll(sides, 1, axis=1)
        turn = before[:, :, 0] * sides[:, :, 1] - before[:, :, 1] * sides[:, :, 0]
        size = np.sqrt(0.5 * turn.mean(axis=1) * 2.0)
        _refuse(
            owner, numbers, (turn <= 0.0).any(axis=1), "is folded: its corners do not go round, or one is re-entrant"
        )
        warp = np.abs(local[:, 0, 2])
        _refuse(
            owner, numbers, warp > WARP * size, f"is warped: corners more than {WARP:g} of its size out of the plane"
        )


@kernel
def quad_strains(plane: FloatArray, points: FloatArray, B: FloatArray, weights: FloatArray) -> None:
    """Strains of MITC4 with incompatible modes and drilling."""
    n_g = points.shape[0]
    xi_a = (-1.0, 1.0, 1.0, -1.0)
    eta_a = (-1.0, -1.0, 1.0, 1.0)
    for e in range(plane.shape[0]):
        p = plane[e]
        # at the centre
        x_r0 = 0.25 * (-p[0, 0] + p[1, 0] + p[2, 0] - p[3, 0])
        y_r0 = 0.25 * (-p[0, 1] + p[1, 1] + p[2, 1] - p[3, 1])
        x_s0 = 0.25 * (-p[0, 0] - p[1, 0] + p[2, 0] + p[3, 0])
        y_s0 = 0.25 * (-p[0, 1] - p[1, 1] + p[2, 1] + p[3, 1])
        x_rs = 0.25 * (p[0, 0] - p[1, 0] + p[2, 0] - p[3, 0])
        y_rs = 0.25 * (p[0, 1] - p[1, 1] + p[2, 1] - p[3, 1])
        for g in range(n_g):
            r, s = points[g, 0], points[g, 1]
            x_r, y_r = x_r0 + s * x_rs, y_r0 + s * y_rs
            x_s, y_s = x_s0 + r * x_rs, y_s0 + r * y_rs
            j = x_r * y_s - y_r * x_s
            weights[e, g] = j
            b = B[e, g]
            for a in range(4):
                n = 0.25 * (1.0 + r * xi_a[a]) * (1.0 + s * eta_a[a])
                n_r = 0.25 * xi_a[a] * (1.0 + s * eta_a[a])
                n_s = 0.25 * eta_a[a] * (1.0 + r * xi_a[a])
                n_x = (y_s * n_r - y_r * n_s) / j
                n_y = (x_r * n_s - x_s * n_r) / j
                i = 6 * a
                b[0, i] = n_x
                b[1, i + 1] = n_y
                b[2, i] = n_y
                b[2, i + 1] = n_x
                b[3, i + 4] = n_x
                b[4, i + 3] = -n_y
                b[5, i + 4] = n_y
                b[5, i + 3] = -n_x
                b[8, i + 5] = n
                b[8, i] = 0.5 * n_y
                b[8, i + 1] = -0.5 * n_x
            # shear along the sides, in the order first, last node, share at this point
            for side in range(4):
                if side == 0:
                    first, last, share, c_x, c_y = 0, 1, 0.5 * (1.0 - s), y_s / j, -x_s / j
                elif side == 1:
                    first, last, share, c_x, c_y = 3, 2, 0.5 * (1.0 + s), y_s / j, -x_s / j
                elif side == 2:
                    first, last, share, c_x, c_y = 0, 3, 0.5 * (1.0 - r), -y_r / j, x_r / j
                else:
                    first, last, share, c_x, c_y = 1, 2, 0.5 * (1.0 + r), -y_r / j, x_r / j
                d_x, d_y = 0.25 * (p[last, 0] - p[first, 0]), 0.25 * (p[last, 1] - p[first, 1])
                for row, c in ((6, c_x * share), (7, c_y * share)):
                    b[row, 6 * first + 2] -= 0.5 * c
                    b[row, 6 * last + 2] += 0.5 * c
                    b[row, 6 * first + 4] += c * d_x
                    b[row, 6 * last + 4] += c * d_x
                    b[row, 6 * first + 3] -= c * d_y
                    b[row, 6 * last + 3] -= c * d_y
            for mode in range(2):
                if mode == 0:
                    g_x, g_y = -2.0 * r * y_s0 / j, 2.0 * r * x_s0 / j
                else:
                    g_x, g_y = 2.0 * s * y_r0 / j, -2.0 * s * x_r0 / j
                i = 24 + 2 * mode
                b[0, i] = g_x
                b[1, i + 1] = g_y
                b[2, i] = g_y
                b[2, i + 1] = g_x
                b[8, i] = 0.5 * g_y
                b[8, i + 1] = -0.5 * g_x
