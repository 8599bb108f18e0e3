r"""Natural modes of models that can move, about an equilibrium or a steady spin.

On the directions that the constraints allow, :math:`\delta q = N z` with G N = 0:

.. math:: N^T M N \ddot z + N^T D N \dot z + N^T K N z = 0

at rest; a steady spin adds that N turns with it (`flexmbs.analysis.operating_point.transport`). Without damping and
gyroscopic terms this is the symmetric problem :math:`(K - \omega^2 M) z = 0`; otherwise, and with
first-order states x, the roots s of the first-order equations of (z, dz/dt, x). Above 1 500 unknowns the sparse
matrices with the constraints beside them are factorised, and the roots nearest to zero found by Arnoldi's method.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from flexmbs.analysis.modal import Modes
from flexmbs.core.checks import as_count, as_number
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError
from flexmbs.integrators.contracts import StepState
from flexmbs.linearisation import moved
from flexmbs.time_solution import TimeSolution, TimeStatus

__all__ = ["ConstrainedModes"]


@dataclass(frozen=True, eq=False, repr=False)
class ConstrainedModes(Modes):
    r"""Roots and modes of a model that can move.

    Attributes
    ----------
    roots : (m,) complex array
        s of the motions :math:`e^{st}`: what grows comes first, then by ascending size; of each conjugate pair the one
        with positive imaginary part. A mode that grows without vibrating has a positive real root.
    eigenvalues : (m,) array
        :math:`-s^2`: omega^2 of an undamped mode.
    vectors : (n_v, m) array
        Increments of all coordinates (rotations of rigid bodies in body axes), of unit modal mass; zero for states.
    state_vectors : (n_v, m) array
        The rates; for first-order states their amplitudes.

    Examples
    --------
    >>> import flexmbs as fx
    >>> ball = fx.PointMass(2.0, position=(0.0, -1.0), name="ball")
    >>> spring = fx.SpringDamper(fx.ground.marker((0, 0, 0)), ball, stiffness=100.0, damping=2.0, name="spring")
    >>> modes = fx.solve_modal(fx.solve_static(fx.Model(ball, spring, fx.Gravity((0, -9.81)))))
    >>> round(float(modes.damping_ratios[1]), 4)
    0.0707
    """

    roots: Any
    state_vectors: Any
    state: StepState
    frame: str = "inertial"
    whirl: Any = None
    growing: Any = None

    @property
    def angular_frequencies(self) -> FloatArray:
        """Imaginary part of the root [rad/time], of the damped vibration; a mode that grows without one has -s."""
        s = np.asarray(self.roots)
        return np.asarray(np.where((s.imag == 0.0) & (s.real > 0.0), -s.real, s.imag))

    @property
    def natural_frequencies(self) -> FloatArray:
        """|s| / (2 pi) [1/time]: of a damped mode, what its frequency would be without damping."""
        return np.asarray(np.abs(self.roots) / (2.0 * np.pi))

    @property
    def damping_ratios(self) -> FloatArray:
        """-Re s / |s|: 1 for a mode that decays without vibrating, negative for one that grows; 0 where s = 0."""
        size = np.abs(self.roots)
        return np.asarray(np.where(size > 0.0, -np.real(self.roots) / np.where(size > 0.0, size, 1.0), 0.0))

    def shape(self, body: Any, mode: int, amplitude: float, points: int = 9) -> FloatArray:
        """Points (n_e, points, dim) along every element of a flexible body, displaced by ``amplitude`` times a mode."""
        return self.motion(mode, amplitude, frames=1).shape(body, 0, points)

    def displacement(self, at: Any, mode: int) -> Any:
        """Displacement (3,) of a marker, node or body in a mode of unit modal mass; complex where phases differ."""
        self._check(mode)
        still = TimeSolution.velocity
        parts = []
        for part in (np.real, np.imag):
            rates = np.asarray(part(self.vectors[:, mode]), dtype=np.float64)[None, :]
            parts.append(still(self._solution(self.q[None, :], rates, np.zeros(1)), at)[0])
        return parts[0] + 1j * parts[1] if np.any(parts[1]) else parts[0]

    def motion(self, mode: int, amplitude: float, frames: int = 24) -> TimeSolution:
        """One period of a mode, damping left out, as a motion that can be drawn and animated.

        ``amplitude``: of the largest entry of the mode, [length] or [rad]; the first frame has it.
        """
        self._check(mode)
        amplitude = as_number("motion", "amplitude", amplitude)
        frames = as_count("motion", "frames", frames, minimum=1)
        vector = np.asarray(self.vectors[:, mode], dtype=complex)
        largest = vector[int(np.argmax(np.abs(vector)))]
        vector = vector * (amplitude / largest if largest else 0.0)
        omega = float(abs(self.roots[mode].imag)) or 1.0
        t = np.asarray(np.arange(frames) * (2.0 * np.pi / omega / frames), dtype=np.float64)
        turns = np.exp(1j * omega * t)
        q = np.array([self._moved(np.real(vector * z)) for z in turns])
        v = np.array([np.real(1j * omega * vector * z) for z in turns])
        return self._solution(q, v, t)

    def plot(self, mode: int = 0, ax: Any = None) -> Any:
        """Refused: draw `motion(mode, amplitude)` instead."""
        raise ModelError("the modes of a model that can move are drawn as motions: modes.motion(mode, amplitude).")

    def to_paraview(self, path: Any) -> Any:
        """Refused: write `motion(mode, amplitude)` instead."""
        raise ModelError("the modes of a model that can move are written as motions: modes.motion(mode, amplitude).")

    def save(self, path: Any) -> Any:
        """Refused: save `motion(mode, amplitude)` instead."""
        raise ModelError("the modes of a model that can move are saved as motions: modes.motion(mode, amplitude).")

    def _moved(self, step: FloatArray) -> FloatArray:
        from flexmbs.dynamics import Dynamics

        return moved(Dynamics(self.system), self.q, step)

    def _solution(self, q: FloatArray, v: FloatArray, t: FloatArray) -> TimeSolution:
        from flexmbs.time_solution import Energy

        n = len(t)
        nothing = np.full(n, np.nan)
        n_c = len(self.state.lam)
        return TimeSolution(
            system=self.system, t=t, q=q, v=v, a=np.zeros_like(v), lam=np.tile(self.state.lam, (n, 1)).reshape(n, n_c),
            energy=Energy(*[nothing] * 7), residuals=np.full((n, 3), np.nan), steps=np.zeros((0, 4)), counts={},
            redundant=(), status=TimeStatus.DONE, settings={"modes": len(self)},
        )  # fmt: skip
