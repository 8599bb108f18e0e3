r"""Motion of a structure in a frame that moves as prescribed, by the trapezoidal rule.

.. math:: M\dot v = r(t, u, v) = f(t) - (D + C)v - (K + E + Z + K_g)u, \qquad \dot u = v,

with everything but M depending on the motion of the frame. A step of length h solves

.. math:: (M + \tfrac h2 D_1 + \tfrac{h^2}{4} K_1)\,v_1 = M v_0 + \tfrac h2\,[r_0 + f_1 - K_1 (u_0 + \tfrac h2 v_0)] ,

and is of second order. The coefficients are those of the instants themselves, not frozen over a step.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse.linalg import splu

from flexmbs.core.checks import as_array, as_flag, frozen_copy, show
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError
from flexmbs.linear.frame_operators import FrameOperators
from flexmbs.linear.moving_frame import MovingFrame
from flexmbs.linear.operators import Operators
from flexmbs.linear.supports import nodes_at

__all__ = ["FrameResponse", "frame_response"]

Motion = tuple[Any, Any, Any]


@dataclass(frozen=True, eq=False, repr=False)
class FrameResponse:
    """Displacements in a moving frame over time, as `frame_response` gives them.

    Parameters
    ----------
    t : (n_t,) array
        Times.
    u, v : (n_t, n) array
        The unknowns and their rates, along the axes of the frame.
    structure : Operators
    """

    t: FloatArray
    u: FloatArray
    v: FloatArray
    structure: Operators

    def __repr__(self) -> str:
        return f"FrameResponse: {self.structure.n} unknowns at {len(self.t)} times from {self.t[0]:g} to {self.t[-1]:g}"

    def displacement(self, at: Any) -> FloatArray:
        """Displacements and rotations (n_t, 6) of a node, or (n_t, n_nodes, 6) of all nodes of a set."""
        found = self.structure.displacements(self.u.T)[nodes_at("displacement", self.structure, at)]
        found = np.moveaxis(found, 2, 0)
        return found[:, 0] if isinstance(at, int | np.integer) else found


def frame_response(
    frame: MovingFrame,
    motion: Callable[[float], Motion],
    times: Any,
    u: Any = None,
    v: Any = None,
    geometric: bool = True,
) -> FrameResponse:
    r"""Vibrations of a structure while its frame moves as prescribed.

    Each step factorises one sparse matrix, unless motion and length of the step are those of the step before.

    Parameters
    ----------
    frame : MovingFrame
    motion : callable
        ``motion(t)`` gives the acceleration of the origin less gravity, the angular velocity and the angular
        acceleration, three arrays (3,) along the axes of the frame. The last must be the derivative of the second.
    times : (n_t,) array
        Ascending times, which are the steps.
    u, v : (n,) array, optional
        Unknowns and their rates at the start; at rest in the frame and free of load by default.
    geometric : bool
        Whether the stresses of the inertia load stiffen; they are taken as those of the instant.

    Raises
    ------
    ModelError
        If times do not ascend, the motion is of another kind, or arrays have another shape.

    Notes
    -----
    Frequencies f need steps below about 1/(30 f); higher ones do not grow, but have a wrong phase.

    Source: the equations of Vlase et al. (see `moving_frame`), which they integrate with frozen coefficients.

    Examples
    --------
    A blade brought to the rate 10, far above its lowest frequency of 3.5, bends back and returns. Without the stress
    stiffness it would be lost:

    >>> import flexmbs as fx
    >>> stiff = fx.BeamStiffness(EA=1e6, EI_z=1.0, GJ=1.0, mass_per_length=1.0)
    >>> region = fx.linear.Region(None, fx.elements.Frame(section=stiff, shear=False))
    >>> blade = fx.linear.Part(fx.meshes.line((0, 0, 0), (1, 0, 0), 4), regions=[region])
    >>> frame = fx.linear.moving_frame(blade, fixed={0: "all"})
    >>> def motion(t):
    ...     k = 2 * np.pi / 5.0
    ...     return (0, 0, 0), (0, 0, 2 * (t - np.sin(k * t) / k)), (0, 0, 2 * (1 - np.cos(k * t)))
    >>> for geometric in (True, False):
    ...     found = frame_response(frame, motion, np.linspace(0, 5, 251), geometric=geometric)
    ...     print(bool(abs(found.displacement(4)[-1, 1]) < 0.05))
    True
    False
    """
    owner = "frame_response"
    if not isinstance(frame, MovingFrame) or not callable(motion):
        raise ModelError(f"{owner}: needs a MovingFrame and a motion(t), not {show(frame)} and {show(motion)}.")
    geometric = as_flag(owner, "geometric", geometric)
    t = as_array(owner, "times", times, (None,), unit="time")
    if len(t) < 2 or not (np.diff(t) > 0.0).all():
        raise ModelError(f"{owner}: times must ascend, and be two or more.")
    n, f = frame.structure.n, frame.supports.free
    states = np.zeros((2, len(t), n))
    for i, (name, start) in enumerate((("u", u), ("v", v))):
        if start is not None:
            states[i, 0, f] = as_array(owner, name, start, (n,))[f]
    M = frame.structure.M[f][:, f]
    before, D, K, load = _equations(owner, frame, motion, t[0], geometric)
    x, rate = states[0, 0, f], states[1, 0, f]
    solved: Any = None
    step = 0.0
    for i, h in enumerate(np.diff(t)):
        left = load - D @ rate - K @ x
        now, D, K, load = _equations(owner, frame, motion, t[i + 1], geometric, (before, D, K, load))
        if solved is None or now is not before or h != step:
            solved, step = splu((M + (0.5 * h) * D + (0.25 * h * h) * K).tocsc()), h
        before = now
        guess = x + 0.5 * h * rate
        new = solved.solve(M @ rate + 0.5 * h * (left + load - K @ guess))
        x, rate = guess + 0.5 * h * new, new
        states[0, i + 1, f], states[1, i + 1, f] = x, rate
    return FrameResponse(frozen_copy(t), states[0], states[1], frame.structure)


def _equations(
    owner: str, frame: MovingFrame, motion: Callable[[float], Motion], t: float, geometric: bool, last: Any = None
) -> tuple[FloatArray, Any, Any, FloatArray]:
    """The motion (3, 3), and D, K and the load of the free unknowns; the ``last`` ones if it is the same."""
    given = motion(float(t))
    if not isinstance(given, tuple | list) or len(given) != 3:
        raise ModelError(
            f"{owner}: motion(t) must give acceleration, angular velocity and angular acceleration, not {show(given)}."
        )
    names = ("acceleration", "angular velocity", "angular acceleration")
    now = np.array([as_array(owner, name, x, (3,)) for name, x in zip(names, given, strict=True)])
    if last is not None and np.array_equal(now, last[0]):
        return last  # type: ignore[no-any-return]
    equations: FrameOperators = frame.operators(now[1], now[2], now[0], geometric)
    f = frame.supports.free
    return now, equations.D[f][:, f], equations.K[f][:, f], equations.load[f]
