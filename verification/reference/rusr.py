r"""The closed loop of hinge, universal joint, ball and hinge by Bernier, Dequidt and Valdes, as 4 by 4 matrices.

.. math:: {}^0T_4 = C_{00} L_1 C_{10} L_2 C_{20} L_3 C_{30}, \qquad {}^0T_5 = C_{01} L_5, \qquad {}^0T_4 = {}^0T_5,

with the shapes of bodies :math:`C = R_x(\alpha) T_x(d)` and joints :math:`L = R_z(\theta^*) T_z(r^*) R_x(\alpha^*)
R_z(\theta) T_z(r)`, the ball by Euler angles. The lengths are our own: the paper has none.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.optimize import least_squares

from flexmbs.core.errors import ConvergenceError
from flexmbs.verification.reference.motion import FloatArray

__all__ = ["LENGTHS", "ball_frame", "follow_loop", "sides_of_cut"]

LENGTHS = {
    "alpha_01": 0.3, "d_01": 1.2, "r_1": 0.2, "alpha_1": 0.4, "d_1": 0.4, "r_2_star": 0.05, "r_2": 0.1, "d_2": 1.0,
    "d_3": 0.7, "r_5": 0.15,
}  # fmt: skip
"""Of the table of the paper [m], [rad]; the universal joint has its axes at right angles."""
GUESS = (0.4, 0.2, 0.5, 1.0, 0.3, 0.6)


def _turn(axis: int, angle: float) -> FloatArray:
    T = np.eye(4)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    T[i, i] = T[j, j] = np.cos(angle)
    T[j, i] = np.sin(angle)
    T[i, j] = -T[j, i]
    return T


def _shift(axis: int, length: float) -> FloatArray:
    T = np.eye(4)
    T[axis, 3] = length
    return T


def _body(alpha: float, d: float) -> FloatArray:
    return np.asarray(_turn(0, alpha) @ _shift(0, d))


def _joint(theta_star: float, r_star: float, alpha_star: float, theta: float, r: float) -> FloatArray:
    first = _turn(2, theta_star) @ _shift(2, r_star) @ _turn(0, alpha_star)
    return np.asarray(first @ _turn(2, theta) @ _shift(2, r))


def ball_frame(q: Sequence[float] | FloatArray) -> FloatArray:
    """The frame (4, 4) before the ball; q as in `sides_of_cut`."""
    n = LENGTHS
    first = _joint(0.0, 0.0, 0.0, q[0], n["r_1"]) @ _body(n["alpha_1"], n["d_1"])
    second = _joint(q[1], n["r_2_star"], 0.5 * np.pi, q[2], n["r_2"]) @ _body(0.0, n["d_2"])
    return np.asarray(first @ second)


def sides_of_cut(q: Sequence[float] | FloatArray) -> tuple[FloatArray, FloatArray]:
    """Both frames at the cut; q: crank, two angles of the universal joint, three of the ball (z, x, z), last hinge."""
    n = LENGTHS
    four = ball_frame(q) @ _joint(q[3], 0.0, q[4], q[5], 0.0) @ _body(0.0, n["d_3"])
    return four, _body(n["alpha_01"], n["d_01"]) @ _joint(0.0, 0.0, 0.0, q[6], n["r_5"])


def follow_loop(crank: Sequence[float] | FloatArray) -> FloatArray:
    """All seven angles (n, 7) for angles of the crank, each from the one before, by Gauss-Newton."""
    rows: list[FloatArray] = []
    guess = np.array(GUESS)
    for angle in crank:

        def gap(x: FloatArray, angle: float = float(angle)) -> FloatArray:
            four, five = sides_of_cut(np.array([angle, *x]))
            return np.asarray((four - five)[:3].ravel())

        found = least_squares(gap, guess, xtol=1e-15, ftol=1e-15, gtol=1e-15)
        if np.abs(gap(found.x)).max() > 1e-12:
            raise ConvergenceError(f"the loop cannot be closed with its crank at {angle:.6g} rad.")
        guess = found.x
        rows.append(np.array([angle, *guess]))
    return np.array(rows)
