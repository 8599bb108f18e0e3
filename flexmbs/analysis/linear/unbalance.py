r"""Unbalance response: the steady vibration of a rotor whose mass centre lies beside its axis.

A mass m at the distance e from the axis e_1 x e_2 pulls with :math:`m e \Omega^2 (e_1 \cos(\Omega t + \varphi) + e_2
\sin(\Omega t + \varphi))`, two forces of the frequency of the spin a quarter of a period apart. In inertial axes the
linear model at that speed is constant, and its transfer function at :math:`i\Omega` gives the response.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from flexmbs.analysis.inputs import find_inputs
from flexmbs.analysis.linear.speeds import SpinningModel, as_speeds
from flexmbs.analysis.linearise import linear_model_at
from flexmbs.analysis.operating_point import OperatingPoint
from flexmbs.analysis.steady_motion import name_of_frame, spin_axis
from flexmbs.core.checks import as_number, is_list, show
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError
from flexmbs.model.forces import PointForce
from flexmbs.model.model import Model
from flexmbs.results.unbalance_response import UnbalanceResponse
from flexmbs.system.system import System
from flexmbs.system.view import Viewer

__all__ = ["unbalance_response"]

SAME_SPEED = 1e-6
"""Relative difference up to which speeds are the same."""


def unbalance_response(
    model: Callable[[float], Model | System] | Model | System,
    speeds: Sequence[float] | FloatArray,
    unbalance: Sequence[Any],
    outputs: Sequence[Any] | Callable[[Model], Sequence[Any]],
) -> UnbalanceResponse:
    r"""Steady vibration of a rotor under an unbalance, over the speed.

    Parameters
    ----------
    model, speeds
        As `campbell` takes them; speeds above zero.
    unbalance : list of (place, amount) or (place, amount, angle)
        ``place``: a body (its centre), marker or attachment on the axis, or the name of a body; ``amount``: mass times
        distance from the axis [mass length]; ``angle`` [rad] about the axis of the spin, from the inertial axis that
        comes after the one that is nearest to that axis (y for a spin about x, z for y, x for z).
    outputs : list of sensors, or function of the model that returns one
        A function where ``model`` is one, since its bodies are made anew at each speed.

    Returns
    -------
    UnbalanceResponse

    Raises
    ------
    ModelError
        If the linear model is not constant in inertial axes (a rotor without circular symmetry), a place turns with
        another speed, or anything is not what it should be.

    Notes
    -----
    Small vibrations: amplitudes are proportional to the amounts.

    Examples
    --------
    A rotor far above its critical speed turns about its mass centre: the amplitude is e, against the unbalance.

    >>> import flexmbs as fx
    >>> disc = fx.RigidBody(10.0, (0.2, 0.1, 0.1), angular_velocity=(50, 0, 0), name="disc")
    >>> bearing = fx.Bushing(fx.ground, disc, (1e6, 1e5, 1e5, 0, 4e3, 4e3), at=(0, 0, 0))
    >>> height = fx.control.PositionSensor(disc, (0, 1, 0), name="y")
    >>> found = fx.unbalance_response(fx.Model(disc, bearing), [50, 1e4], [("disc", 10.0 * 1e-4)], [height])
    >>> found.of("y").real.round(9).tolist()
    [3.3333e-05, -0.00010001]
    """
    values = as_speeds("unbalance_response", speeds)
    if values[0] == 0.0:
        raise ModelError("unbalance_response: speeds must be above zero.")
    if not is_list(unbalance) or not len(unbalance):
        raise ModelError(f"unbalance_response: unbalance must be a list of (place, amount), not {show(unbalance)}.")
    amounts = [_amount(item) for item in unbalance]
    spinning = SpinningModel.of("unbalance_response", model)
    found = []
    names: tuple[str, ...] = ()
    for speed in values:
        point = spinning.at(float(speed))
        first, second = _axes(point, float(speed))
        described = point.dyn.system.model
        forces = []
        for place, _, _ in amounts:
            at = described.body(place) if isinstance(place, str) else place
            at = getattr(at, "centre", at)
            _check_spin(point, at, float(speed))
            dim = 2 if getattr(at, "planar", False) else 3
            forces += [PointForce(at, tuple(e[:dim].tolist())) for e in (first, second)]
        sensors = outputs(described) if callable(outputs) else outputs
        linear = linear_model_at(point, find_inputs(described, forces), sensors)
        names = linear.outputs
        size = np.array([amount * speed**2 * np.exp(1j * angle) for _, amount, angle in amounts])
        found.append(linear.transfer(speed) @ np.kron(size, np.array([1.0, -1.0j])))
    return UnbalanceResponse(speeds=values, outputs=names, values=np.array(found), unit_of_time=described.units.time)


def _amount(item: Any) -> tuple[Any, float, float]:
    """Place, amount and angle of one unbalance."""
    if not isinstance(item, tuple | list) or len(item) not in (2, 3):
        raise ModelError(f"unbalance_response: expected (place, amount) or (place, amount, angle), not {show(item)}.")
    amount = as_number("unbalance_response", "amount", item[1], above=0.0, unit="mass length")
    return item[0], amount, as_number("unbalance_response", "angle", item[2]) if len(item) == 3 else 0.0


def _check_spin(point: OperatingPoint, at: Any, speed: float) -> None:
    """Refuse a place that turns with another speed: an unbalance there has its frequency and pulls with its square."""
    if not getattr(at, "rotates", False):
        return
    state = point.state
    view = Viewer(point.dyn.system).view(state.t, state.q, state.v, state.a, state.lam)
    own = float(np.linalg.norm(view.twist(at)[3:]))
    if own > SAME_SPEED * speed and abs(own - speed) > SAME_SPEED * speed:
        raise ModelError(
            f"unbalance_response, speed {speed:g}: {at} turns with {own:g} rad/time there, which an unbalance on it "
            f"would have as its frequency. Speeds are those of the rotor with the unbalance: pass a function of its "
            f"speed that returns the model."
        )


def _axes(point: OperatingPoint, speed: float) -> tuple[FloatArray, FloatArray]:
    """Two directions across the axis of the spin, a quarter of a turn in its sense apart."""
    dyn, seen_by = point.dyn, point.seen_by
    if seen_by is None:
        raise ModelError(f"unbalance_response, speed {speed:g}: nothing turns in the model of this speed.")
    if np.any(seen_by.rate):
        frame = name_of_frame(dyn, point.state, seen_by)
        raise ModelError(
            f"unbalance_response, speed {speed:g}: the linear model is constant in axes of {frame}, not in inertial "
            f"ones; there an unbalance is a constant force: add it as a mass beside the axis, and solve for the shape "
            f"in which the rotor turns with solve_modal or simulate."
        )
    axis = spin_axis(dyn, point.state, seen_by)
    nearest = int(np.argmax(np.abs(axis)))
    guess = np.eye(3)[(nearest + 1) % 3]
    first = guess - axis * (axis @ guess)
    first = first / np.linalg.norm(first)
    return first, np.cross(axis, first)
