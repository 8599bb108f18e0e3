r"""Spatial mechanisms in minimal coordinates: a slider-crank, a Bricard loop, a flyball governor."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from flexmbs.verification.reference.motion import FloatArray, OneDegree, integrate

__all__ = ["Governor", "bricard", "bricard_joints", "bricard_start", "slider_crank", "slider_crank_point"]

# --- slider-crank ----------------------------------------------------------------------------------------------------

CRANK, ROD, CENTRE = 0.08, 0.3, np.array([0.0, 0.1, 0.12])


def slider_crank_point(s: FloatArray) -> tuple[FloatArray, FloatArray]:
    r"""Pin of the crank (n_s, 3) and position of the slider on the x axis (n_s,).

    .. math:: p = c + 0.08\, (0, -\sin s, \cos s), \qquad x = \sqrt{0.3^2 - p_y^2 - p_z^2}
    """
    s = np.asarray(s, dtype=np.float64)
    pin = CENTRE + CRANK * np.stack([np.zeros_like(s), -np.sin(s), np.cos(s)], axis=-1)
    return pin, np.sqrt(ROD**2 - pin[..., 1] ** 2 - pin[..., 2] ** 2)


def slider_crank(gravity: float = 9.81) -> OneDegree:
    """Haug's spatial slider-crank; the parameter is the angle of the crank about x, from +z.

    The universal joint at the slider lets no rod-fixed direction h, normal to the rod, lean towards x, so h is normal
    to the rod and to x for good, and the rod does not spin freely.
    """

    def poses(s: FloatArray) -> tuple[FloatArray, FloatArray]:
        pin, x = slider_crank_point(s)
        slider = np.stack([x, 0 * x, 0 * x], axis=-1)
        along = (slider - pin) / ROD
        h = np.stack([0 * x, -along[..., 2], along[..., 1]], axis=-1)
        h /= np.linalg.norm(h, axis=-1, keepdims=True)
        rod = np.stack([along, h, np.cross(along, h)], axis=-1)
        c, n, zero = np.cos(s), np.sin(s), np.zeros_like(s)
        crank = np.stack([1 + zero, zero, zero, zero, c, -n, zero, n, c], axis=-1).reshape(*s.shape, 3, 3)
        upright = np.broadcast_to(np.eye(3), crank.shape)
        centres = np.stack([(CENTRE + pin) / 2.0, (pin + slider) / 2.0, slider], axis=-2)
        return centres, np.stack([crank, rod, upright], axis=-3)

    inertias = np.array([np.diag(J) for J in ((1e-4, 1e-4, 1e-5), (4e-4, 4e-3, 4e-3), (1e-4, 1e-4, 1e-4))])
    return OneDegree(poses, np.array([0.12, 0.5, 2.0]), inertias, (0.0, 0.0, -gravity))


# --- Bricard loop ----------------------------------------------------------------------------------------------------


def bricard_joints(s: FloatArray) -> tuple[FloatArray, FloatArray]:
    r"""Joints P0..P5 (n_s, 6, 3) and axes of the bars (n_s, 5, 3, 3) of six unit links with alternate axes.

    The links turn by theta and phi in turn, and the loop is closed for all s:

    .. math:: (1+\cos\theta)(1+\cos\varphi) = 1, \quad \tan^2(\theta/2) = 4^{\sin^2 s} - 1,
              \quad \tan^2(\varphi/2) = 4^{\cos^2 s} - 1

    The ground is the link from P5 to P0, along -z. Each column "z" of the axes points along its bar.
    """
    s = np.asarray(s, dtype=np.float64)

    def angle(x: FloatArray) -> FloatArray:
        power = np.maximum(math.log(4.0) * x * x, 1e-300)
        return np.asarray(2.0 * np.arctan(x * np.sqrt(math.log(4.0) * np.expm1(power) / power)))

    theta, phi = angle(np.sin(s)), angle(np.cos(s))
    axes = [np.broadcast_to(np.eye(3), (*s.shape, 3, 3))]
    for joint in range(5):
        axes.append(axes[-1] @ (_turn_y(theta) if joint % 2 == 0 else _turn_x(phi)))
    points = [np.zeros((*s.shape, 3))]
    for A in axes:
        points.append(points[-1] + A[..., 2])
    # Hold the last link: it starts at P5 = (0, 0, 1) and ends at P0 = 0.
    hold = _GROUND @ np.swapaxes(axes[5], -1, -2)
    joints = np.stack([np.einsum("...ij,...j->...i", hold, p - points[6]) for p in points[:6]], axis=-2)
    return joints, np.stack([hold @ A for A in axes[:5]], axis=-3)


#: The axes of the held link.
_GROUND = np.array([[0.0, -1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, -1.0]])

#: The parameter of the six cube edges P0 = 0, P1 = (1,0,0), (1,-1,0), (1,-1,1), (0,-1,1), P5 = (0,0,1).
bricard_start = math.pi / 4.0


def bricard(width: float | None = None, gravity: float = 9.81) -> OneDegree:
    """Five uniform bars of 1 m and 1 kg in a Bricard loop, gravity along -y.

    They are thin (moment of inertia 1e-6 about the bar) or square of a ``width``.
    """
    axial = 1e-6 if width is None else width**2 / 6.0
    across = 1.0 / 12.0 if width is None else (1.0 + width**2) / 12.0

    def poses(s: FloatArray) -> tuple[FloatArray, FloatArray]:
        joints, axes = bricard_joints(s)
        return (joints[:, :5] + joints[:, 1:]) / 2.0, axes

    inertia = np.broadcast_to(np.diag([across, across, axial]), (5, 3, 3))
    return OneDegree(poses, np.ones(5), inertia, (0.0, -gravity, 0.0))


def _turn_x(a: FloatArray) -> FloatArray:
    """Rotations about x."""
    c, s, zero = np.cos(a), np.sin(a), np.zeros_like(a)
    return np.stack([zero + 1, zero, zero, zero, c, -s, zero, s, c], axis=-1).reshape(*a.shape, 3, 3)


def _turn_y(a: FloatArray) -> FloatArray:
    """Rotations about y."""
    c, s, zero = np.cos(a), np.sin(a), np.zeros_like(a)
    return np.stack([c, zero, s, zero, zero + 1, zero, -s, zero, c], axis=-1).reshape(*a.shape, 3, 3)


# --- governor --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Governor:
    r"""Flyball governor: shaft about z, two rods with balls, a slider on the shaft, stiff spring-dampers between.

    The shaft turns by psi, the rods lie at the angle alpha below the horizontal, the slider at the height s.
    ``J(alpha)`` is the moment of inertia about z, ``I`` that of the two rods and balls about their hinges:

    .. math:: \frac{d}{dt}(J \dot\psi) = 0, \qquad
              I \ddot\alpha - \tfrac12 J_\alpha \dot\psi^2 = m_1 g \cos\alpha - 2 F l_\alpha, \qquad
              m_s (\ddot s + g) = -2 F l_s, \qquad F = k (l - l_0) + c\, \dot l
    """

    density: float = 3000.0
    side: float = 0.01
    slider: float = 0.1
    ball: float = 5.0
    stiffness: float = 8e5
    damping: float = 4e4
    free_length: float = 0.5
    offset: float = 0.05
    height: float = 1.0
    gravity: float = 9.81

    @property
    def rod_mass(self) -> float:
        """Mass of a rod of length 1, and of the shaft."""
        return self.density * self.side**2

    @property
    def slider_mass(self) -> float:
        """Mass of the slider."""
        return self.density * self.slider**3

    def inertia(self, alpha: float) -> tuple[float, float]:
        """Moment of inertia about z and its derivative."""
        m, a, b = self.rod_mass, self.offset, self.ball
        axial, across = m * self.side**2 / 6.0, m * (1.0 + self.side**2) / 12.0
        c, s = math.cos(alpha), math.sin(alpha)
        fixed = axial + self.slider_mass * self.slider**2 / 6.0
        J = fixed + 2.0 * (m * (a + c / 2.0) ** 2 + axial * s * s + across * c * c + b * (a + c) ** 2)
        slope = 2.0 * (-m * (a + c / 2.0) * s + 2.0 * (axial - across) * s * c - 2.0 * b * (a + c) * s)
        return J, slope

    def length(self, alpha: float, s: float) -> tuple[float, float, float]:
        """Length of a spring and its derivatives by alpha and s."""
        out, up = math.cos(alpha) / 2.0, self.height - math.sin(alpha) / 2.0 - s
        length = math.hypot(out, up)
        return length, -(out * math.sin(alpha) + up * math.cos(alpha)) / 2.0 / length, -up / length

    def motion(
        self, times: Sequence[float] | FloatArray, alpha: float = math.pi / 6.0, height: float = 0.5,
        rate: float = 2.0 * math.pi, rtol: float = 1e-10,
    ) -> FloatArray:  # fmt: skip
        """alpha, s, their rates, and the rate of psi (n_t, 5), by an implicit method for stiff equations."""
        momentum = self.inertia(alpha)[0] * rate
        m, b, g = self.rod_mass, self.ball, self.gravity
        hinged = 2.0 * (m * (1.0 + self.side**2) / 12.0 + m / 4.0 + b)

        def rates(_: float, y: FloatArray) -> list[float]:
            a, s, a_rate, s_rate = y
            J, J_a = self.inertia(a)
            length, l_a, l_s = self.length(a, s)
            force = self.stiffness * (length - self.free_length) + self.damping * (l_a * a_rate + l_s * s_rate)
            turn = momentum / J
            weight = 2.0 * g * math.cos(a) * (m / 2.0 + b)
            a_acc = (J_a * turn**2 / 2.0 + weight - 2.0 * force * l_a) / hinged
            return [a_rate, s_rate, a_acc, -g - 2.0 * force * l_s / self.slider_mass]

        states = integrate(rates, [alpha, height, 0.0, 0.0], times, rtol, "Radau")
        turns = np.array([momentum / self.inertia(a)[0] for a in states[:, 0]])
        return np.column_stack([states, turns])
