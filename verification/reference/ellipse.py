r"""Mechanisms on ellipses: a bead on a taut cable, and a beam whose ends slide on two perpendicular guides."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import quad, solve_ivp

__all__ = ["Bead", "Ellipsograph"]

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class Bead:
    r"""A point mass sliding without friction on a massless inextensible cable between two supports of equal height.

    The cable is taut, so the mass moves on an ellipse whose foci are the supports: :math:`x = a\cos p`,
    :math:`y = -b\sin p` with 2a the length of the cable. It starts at rest at ``angle``; with
    :math:`s = \sqrt{a^2\sin^2 p + b^2\cos^2 p}`,

    .. math:: s^2\,\ddot p + (a^2 - b^2)\sin p\cos p\,\dot p^2 - g\,b\cos p = 0 .

    Examples
    --------
    >>> bead = Bead(cable=2.5, span=2.0, angle=0.3, gravity=9.81)
    >>> round(bead.period, 9)
    2.56759956
    """

    cable: float
    span: float
    angle: float
    gravity: float

    @property
    def axes(self) -> tuple[float, float]:
        """Half axes a and b."""
        a = self.cable / 2.0
        return a, math.sqrt(a**2 - (self.span / 2.0) ** 2)

    @property
    def start(self) -> FloatArray:
        """Position (2,) at the start."""
        a, b = self.axes
        return np.array([a * math.cos(self.angle), -b * math.sin(self.angle)])

    @property
    def period(self) -> float:
        """Time of a full swing, from conservation of energy."""
        a, b = self.axes
        low = math.sin(self.angle)

        def slowness(w: float) -> float:
            sine = low + (1.0 - low) * math.sin(w) ** 2  # of the angle on the ellipse; this removes the singular start
            grow = 2.0 * (1.0 - low) * math.sin(w) * math.cos(w)
            cosine = math.sqrt((1.0 - low) * (1.0 + sine)) * math.cos(w)
            speed = math.sqrt(2.0 * self.gravity * b * (1.0 - low)) * math.sin(w)
            return math.sqrt((a * sine) ** 2 + (b * cosine) ** 2) * grow / (cosine * speed) if speed * cosine else 0.0

        return 4.0 * float(quad(slowness, 0.0, math.pi / 2.0, epsabs=0.0, epsrel=1e-13, limit=200)[0])

    def positions(self, times: FloatArray) -> FloatArray:
        """Positions (n, 2) at ascending times."""
        a, b = self.axes

        def rates(_t: float, state: FloatArray) -> list[float]:
            p, rate = state
            s, c = math.sin(p), math.cos(p)
            return [rate, (self.gravity * b * c - (a * a - b * b) * s * c * rate**2) / ((a * s) ** 2 + (b * c) ** 2)]

        found = solve_ivp(rates, (0.0, max(times)), [self.angle, 0.0], "DOP853", t_eval=times, rtol=1e-13, atol=1e-14)
        return np.column_stack([a * np.cos(found.y[0]), -b * np.sin(found.y[0])])


@dataclass(frozen=True)
class Ellipsograph:
    r"""A rigid uniform beam whose ends slide on the axes of x and y, with a pendulum hinged to its middle.

    End A is at :math:`(L\cos\theta, 0)`, end B at :math:`(0, L\sin\theta)`, and the middle goes round a circle of
    radius L/2 in the direction :math:`\mathbf e = (\cos\theta, \sin\theta)`. The pendulum's centre of mass lies ``arm``
    from the middle in the direction :math:`\mathbf d = (\sin\varphi, -\cos\varphi)`. Then

    .. math:: T = \tfrac16 m L^2\dot\theta^2 + \tfrac12 m_1 |\tfrac12 L\,\dot{\mathbf e} + \ell\,\dot{\mathbf d}|^2
                  + \tfrac12 J_1\dot\varphi^2, \qquad
              V = \tfrac12 (m + m_1)\,g L\sin\theta - m_1 g\,\ell\cos\varphi .

    Examples
    --------
    >>> rest = Ellipsograph(1.0, 0.78, 0.2, 0.5, 0.1, 9.81)
    >>> rest.run(-math.pi / 2, 0.0, np.array([0.0, 1.0]))[1].round(9).tolist()
    [-1.570796327, 0.0]
    """

    length: float
    mass: float
    pendulum: float
    arm: float
    inertia: float
    gravity: float

    def run(self, theta: float, phi: float, times: FloatArray) -> FloatArray:
        """Angles (n, 2) at ascending times, the first of which is the start at rest."""
        half, m1, g = self.length / 2.0, self.pendulum, self.gravity
        crank = self.mass * self.length**2 / 3.0 + m1 * half**2
        swing = self.inertia + m1 * self.arm**2
        coupling = m1 * half * self.arm

        def rates(_t: float, state: FloatArray) -> list[float]:
            th, ph, th_rate, ph_rate = state
            # de/dt . dd/dt = theta' phi' (-sin theta cos phi + cos theta sin phi)
            mixed, slope = coupling * math.sin(ph - th), coupling * math.cos(ph - th)
            load = np.array([
                -slope * ph_rate**2 - (self.mass + m1) * g * half * math.cos(th),
                slope * th_rate**2 - m1 * g * self.arm * math.sin(ph),
            ])  # fmt: skip
            acceleration = np.linalg.solve(np.array([[crank, mixed], [mixed, swing]]), load)
            return [th_rate, ph_rate, *acceleration]

        found = solve_ivp(
            rates, (times[0], times[-1]), [theta, phi, 0.0, 0.0], "DOP853", t_eval=times, rtol=1e-12, atol=1e-13
        )
        return np.asarray(found.y[:2].T)

    def middle(self, angles: FloatArray) -> FloatArray:
        """Positions (n, 2) of the middle of the beam."""
        return np.asarray(self.length / 2.0 * np.column_stack([np.cos(angles[:, 0]), np.sin(angles[:, 0])]))
