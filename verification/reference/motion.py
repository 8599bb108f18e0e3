r"""Equations of motion in minimal coordinates, integrated far more accurately than any case compares.

`integrate` is an explicit Runge-Kutta method of order 8 at a relative tolerance of 1e-13. `OneDegree` is a mechanism of
one degree of freedom without friction whose bodies go through a closed curve of configurations, s in [0, 2 pi):

.. math:: M(s) \ddot s + \tfrac12 M'(s) \dot s^2 + V'(s) = Q(s), \qquad
          M = \sum m\, |p'|^2 + w \cdot J w, \quad V = -\sum m\, g \cdot p .

All derivatives with respect to s are those of the trigonometric interpolant, so they are exact to round-off for smooth
closed curves.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.integrate import solve_ivp

from flexmbs.core.errors import ConvergenceError

__all__ = ["FloatArray", "OneDegree", "Poses", "derivative", "integrate"]

FloatArray = NDArray[np.float64]

#: Positions of the centres of mass (n_s, n_b, 3) and body axes as columns (n_s, n_b, 3, 3) at parameters (n_s,).
Poses = Callable[[FloatArray], tuple[FloatArray, FloatArray]]


def integrate(
    rates: Callable[[float, Any], Any],
    start: ArrayLike,
    times: Sequence[float] | FloatArray,
    rtol: float = 1e-13,
    method: str = "DOP853",
) -> FloatArray:
    """States (n_t, n) at ascending ``times`` of a first-order system that starts with ``start`` at t = 0.

    Raises
    ------
    ConvergenceError
        If the step size becomes too small.

    Examples
    --------
    >>> float(integrate(lambda t, y: -y, [1.0], [1.0])[0, 0].round(12))
    0.367879441171
    """
    start = np.asarray(start, dtype=np.float64)
    wanted = np.asarray(times, dtype=np.float64)
    scale = max(float(np.abs(start).max()), 1e-3)
    run = solve_ivp(rates, (0.0, float(wanted[-1])), start, method, t_eval=wanted, rtol=rtol, atol=rtol * scale)
    if not run.success:
        raise ConvergenceError(f"reference motion: {run.message}")
    return np.asarray(run.y.T, dtype=np.float64)


def derivative(values: FloatArray) -> FloatArray:
    """Derivative of the trigonometric interpolant of equidistant values on [0, 2 pi) along the first axis."""
    count = len(values)
    factor = 1j * np.fft.rfftfreq(count, 1.0 / count)
    factor[-1] = 0.0 if count % 2 == 0 else factor[-1]
    spectrum = np.fft.rfft(values, axis=0) * factor.reshape(-1, *(1,) * (values.ndim - 1))
    return np.asarray(np.fft.irfft(spectrum, count, axis=0), dtype=np.float64)


@dataclass(frozen=True)
class OneDegree:
    """Bodies on a closed curve of configurations.

    Parameters
    ----------
    poses : callable
        Positions and axes of all bodies, 2 pi periodic.
    masses : (n_b,)
    inertias : (n_b, 3, 3)
        About the centres of mass, in body axes.
    gravity : (3,)
    samples : int
        Points of the trigonometric interpolation.
    """

    poses: Poses
    masses: FloatArray
    inertias: FloatArray
    gravity: tuple[float, float, float]
    samples: int = 512
    _table: FloatArray = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        s = 2.0 * np.pi * np.arange(self.samples) / self.samples
        p, R = self.poses(s)
        speed, turn = derivative(p), np.swapaxes(R, -1, -2) @ derivative(R)
        omega = np.stack([turn[..., 2, 1], turn[..., 0, 2], turn[..., 1, 0]], axis=-1)
        mass = np.einsum("b,sbi,sbi->s", self.masses, speed, speed)
        mass += np.einsum("sbi,bij,sbj->s", omega, self.inertias, omega)
        potential = -np.einsum("b,sbi,i->s", self.masses, p, np.array(self.gravity))
        table = np.stack([mass, derivative(mass), potential, derivative(potential)], axis=-1)
        object.__setattr__(self, "_table", np.fft.rfft(table, axis=0))

    def coefficients(self, s: float) -> FloatArray:
        """M, M', V, V' at a parameter."""
        wave = np.exp(1j * s * np.arange(len(self._table)))
        wave[1:] *= 2.0
        if self.samples % 2 == 0:
            wave[-1] = np.cos(s * self.samples / 2.0)
        return np.asarray((wave @ self._table).real / self.samples, dtype=np.float64)

    def energy(self, s: float, rate: float) -> float:
        """Kinetic and potential energy."""
        mass, _, potential, _ = self.coefficients(s)
        return float(mass * rate**2 / 2.0 + potential)

    def motion(
        self,
        s: float,
        rate: float,
        times: Sequence[float] | FloatArray,
        drive: Callable[[float], float] | None = None,
        rtol: float = 1e-13,
    ) -> FloatArray:
        """Parameter and its rate (n_t, 2) at ``times``; ``drive(s)`` is the generalised force on s."""

        def rates(_: float, y: FloatArray) -> list[float]:
            mass, mass_s, _, potential_s = self.coefficients(y[0])
            force = 0.0 if drive is None else drive(y[0])
            return [y[1], (force - potential_s - mass_s * y[1] ** 2 / 2.0) / mass]

        return integrate(rates, [s, rate], times, rtol)
