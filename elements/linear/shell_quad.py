r"""Quadrilateral shell: MITC4 bending and shear, incompatible membrane modes, drilling rotations.

In natural coordinates (r, s) of the mean plane, with bilinear shape functions N,

**Bending and shear** (E. N. Dvorkin and K.-J. Bathe, Engineering Computations 1 (1984) 77-88). Rotations are bilinear.
The shears along r and s are taken from the middles of the sides, where those of w and of the rotations agree,

.. math::
    \gamma_r = \tfrac12(1 - s)\,\gamma_r(0, -1) + \tfrac12(1 + s)\,\gamma_r(0, 1), \qquad
    \gamma_s = \tfrac12(1 - r)\,\gamma_s(-1, 0) + \tfrac12(1 + r)\,\gamma_s(1, 0).

**Membrane** (R. L. Taylor, P. J. Beresford and E. L. Wilson, Int. J. Numer. Methods Eng. 10 (1976) 1211-1219). To the
gradient of the bilinear displacements are added those of :math:`1 - r^2` and :math:`1 - s^2`, with the Jacobian of the
centre, so that they have no mean: four internal coordinates, which are eliminated.

**Drilling** (T. J. R. Hughes and F. Brezzi, Comput. Methods Appl. Mech. Eng. 72 (1989) 105-121). The rotation about the
normal is bilinear, and a penalty ties it to the rotation of the membrane, including the internal modes,

.. math::
    \frac{\gamma}{2} \int \left(\theta_z - \tfrac12 (v_{,x} - u_{,y})\right)^2 dA, \qquad
    \gamma = \tfrac14 A_{66} .

In-plane bending of a parallelogram leaves no penalty, because the internal modes carry the rotation as well. A larger
factor stiffens coarse distorted membranes; a smaller one lets twisted shells of finite thickness turn in themselves,
with a relative error of about :math:`(h/R)^2 A_{66} / (6 \gamma)` (`docs/theory/shells.md` has the figures).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.jit import kernel
from flexmbs.core.laminate import ShellSection
from flexmbs.elements.linear.shell import FLAT, Shell, ShellGroup, refuse

__all__ = ["ShellQuad"]

CORNERS = np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])
POINTS = CORNERS / np.sqrt(3.0)
"""Gauss points of weight 1."""

WARP = 0.1
"""Largest distance of the corners from their mean plane, by the square root of the area."""


def _bilinear(points: FloatArray) -> FloatArray:
    """Shape functions (n, 4) at points (n, 2)."""
    return np.asarray(0.25 * (1.0 + points[:, None, 0] * CORNERS[:, 0]) * (1.0 + points[:, None, 1] * CORNERS[:, 1]))


@dataclass(frozen=True)
class ShellQuad(Shell):
    """Flat (Mindlin-Reissner, MITC4) shell of four nodes: membrane, bending, transverse shear and drilling rotation.

    Free of shear locking for every slenderness. Exact for constant membrane strains, curvatures and shears on
    distorted meshes, and for in-plane bending on parallelograms. Coordinates of a node: displacements and rotations
    along the inertial axes. Mass is that of layers about the middle surface, with rotary inertia; none for rotation
    about the normal.

    Parameters
    ----------
    thickness : float, optional
        Of one layer of the region's material [length]. Give either this or ``layers``.
    offset : float, default 0
        Height of the middle surface over the nodes along the normal [length]. The normal is that of the right-hand
        rule for the order of the corners.
    layers : sequence of Ply, optional
        Layers from the lowest to the topmost; they bring their own materials (whose viscosities are not used).
    reference : (3,) array, optional
        The direction whose projection on the facet is axis 1 of layers of angle 0. Needed for materials with a
        direction only.

    Stresses are those of both faces, six components each along the inertial axes: constant plus linear strains times
    the plane-stress moduli of the outer layers; transverse shear vanishes there. They are given at the Gauss points.

    Raises
    ------
    ModelError
        If the thickness is not positive, both or neither of thickness and layers are given, or no reference is.
    MeshError
        If a cell has no area, is folded, stands normal to the reference, or is warped: corners further than 0.1 of
        its size from their mean plane, to which they are tied rigidly otherwise.

    Limits
    ------
    Small displacements; thickness up to about a fifth of the radius of curvature or the wave length. Curved shells are
    facets: membrane and bending couple at the edges only, with errors of the order of the square of the mesh width.

    Examples
    --------
    >>> import flexmbs as fx
    >>> from flexmbs.linear.part import Part
    >>> from flexmbs.linear.region import Region
    >>> sheet = fx.meshes.rectangle((0, 0), (2, 1), (4, 2)).in_space()
    >>> part = Part(sheet, regions=[Region(None, ShellQuad(thickness=0.01), fx.steel)])
    >>> part.assemble().n
    90
    """

    name: ClassVar[str] = "ShellQuad"
    cell_type: ClassVar[str] = "quad"
    drilling_share: ClassVar[float] = 0.25
    shapes: ClassVar[FloatArray] = _bilinear(POINTS)
    to_nodes: ClassVar[FloatArray] = _bilinear(CORNERS * np.sqrt(3.0))

    def _strains(self, plane: FloatArray, section: ShellSection) -> tuple[FloatArray, FloatArray]:
        n_e = len(plane)
        B, weights = np.zeros((n_e, 4, 9, 28)), np.empty((n_e, 4))
        quad_strains(plane, POINTS, B, weights)
        return B, weights

    def _gradients(self, group: ShellGroup) -> FloatArray:
        # the strains of the membrane hold them: eps_x = u_,x and eps_y = v_,y
        B = group.strains
        return np.stack([B[:, :, 0, 0:24:6], B[:, :, 1, 1:24:6]], axis=2)

    def _check_shape(self, owner: str, local: FloatArray, numbers: IntArray) -> None:
        sides = np.roll(local[:, :, :2], -1, axis=1) - local[:, :, :2]
        before = np.roll(sides, 1, axis=1)
        turn = before[:, :, 0] * sides[:, :, 1] - before[:, :, 1] * sides[:, :, 0]
        wrong = (turn <= FLAT * np.abs(turn).max(axis=1, keepdims=True)).any(axis=1)
        refuse(owner, numbers, wrong, "is folded: its corners do not go round, or one is not below 180 degrees")
        size = np.sqrt(turn.mean(axis=1))  # turns add up to four times the area
        warped = np.abs(local[:, 0, 2]) > WARP * size
        refuse(owner, numbers, warped, f"is warped: corners more than {WARP:g} of its size out of their mean plane")


@kernel
def quad_strains(plane: FloatArray, points: FloatArray, B: FloatArray, weights: FloatArray) -> None:
    """Generalised strains ``B (n_e, n_g, 9, 28)`` of nodes and the four internal modes at points of weight 1."""
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
