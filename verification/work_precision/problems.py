"""The table of the problems on which schemes are compared: models of the verification cases with dense references.

A reference gives the motion at any time, so that a run is compared at the end of each of its own steps and no
interpolation enters the error.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy.interpolate import make_interp_spline

import flexmbs as fx
from flexmbs.core.contracts import FloatArray
from flexmbs.core.rotations import from_vector
from flexmbs.verification.cases.flexible_motion.flexible_pendulum import pendulum
from flexmbs.verification.cases.mechanisms.engine import ENGINE, START, spatial_engine
from flexmbs.verification.cases.mechanisms.linkages import squeezer, squeezer_angles
from flexmbs.verification.cases.mechanisms.pendulums import double_pendulum
from flexmbs.verification.cases.mechanisms.spatial_mechanisms import governor, slider_crank
from flexmbs.verification.cases.moving import G
from flexmbs.verification.reference import bushings, pendulums, semi_discrete, spatial, tops
from flexmbs.verification.reference.squeezer import Squeezer

__all__ = ["PROBLEMS", "Problem", "Ready"]

Path = Callable[[FloatArray], FloatArray]
"""Values (n_t, n) at times (n_t,)."""


@dataclass(frozen=True)
class Ready:
    """A compiled model, what is looked at in a run (n_t, n), and what it should be.

    Both are divided by the size of the problem, so that errors are relative.
    """

    system: fx.System
    observe: Callable[[fx.TimeSolution], FloatArray]
    exact: Path


@dataclass(frozen=True)
class Problem:
    """One line of the table.

    Parameters
    ----------
    id, title : str
    kind : str
        Class of the problem, for which a scheme is recommended.
    make : callable
        Makes the `Ready` problem up to a time.
    until : float
        End of the motion [s].
    step : float
        The largest of the fixed steps [s]; the others are halves of it.
    observed : str
        What is compared, and with what size it is divided.
    reference : str
        Where the reference comes from.
    accuracy : float
        Of the reference, relative: errors below are not looked for.
    conservative : bool
        Whether the energy must not change.
    """

    id: str
    title: str
    kind: str
    make: Callable[[float], Ready]
    until: float
    step: float
    observed: str
    reference: str
    accuracy: float
    conservative: bool

    def ready(self, part: float = 1.0) -> Ready:
        """The model, and its reference for a part of the motion; made once in a process."""
        return _ready(self, part)


@cache
def _ready(problem: Problem, part: float) -> Ready:
    return problem.make(part * problem.until)


def between(path: Path, until: float, interval: float) -> Path:
    """What a smooth path is between equal intervals of about this length: a spline of degree 7."""
    grid = np.linspace(0.0, until, max(16, round(until / interval)) + 1)
    curve = make_interp_spline(grid, path(grid), k=7)
    return lambda t: np.asarray(curve(t), dtype=np.float64)


# --- the problems ----------------------------------------------------------------------------------------------------


def _double(until: float) -> Ready:
    model, masses, _ = double_pendulum()
    chain = pendulums.masses(2)

    def path(t: FloatArray) -> FloatArray:
        return chain.joints(chain.motion([0.0, 0.0], [0.0, 0.0], t)[:, :2]).reshape(len(t), 4)

    return Ready(
        fx.compile_model(model),
        lambda run: np.column_stack([run.position(m)[:, :2] for m in masses]),
        between(path, until, 2e-3),
    )


def _squeezer(until: float) -> Ready:
    model, bodies, _ = squeezer()
    return Ready(
        fx.compile_model(model),
        lambda run: squeezer_angles(run, bodies),
        between(lambda t: Squeezer().motion(t)[:, :7], until, 5e-5),
    )


def _slider_crank(until: float) -> Ready:
    model, _, slider, pairs = slider_crank()
    mechanism, size = spatial.slider_crank(), 0.1

    def path(t: FloatArray) -> FloatArray:
        pin, x = spatial.slider_crank_point(mechanism.motion(0.0, 6.0, t)[:, 0])
        return np.column_stack([pin, x]) / size

    return Ready(
        fx.compile_model(model),
        lambda run: np.column_stack([run.position(pairs[0][0]), run.position(slider)[:, 0]]) / size,
        between(path, until, 1e-3),
    )


def _governor(until: float) -> Ready:
    model, _, slider, pairs = governor()
    data = spatial.Governor()

    def path(t: FloatArray) -> FloatArray:
        alpha, s = data.motion(t, rtol=1e-11)[:, :2].T
        return np.column_stack([s, data.height - np.sin(alpha)])

    return Ready(
        fx.compile_model(model),
        lambda run: np.column_stack([run.position(slider)[:, 2], run.position(pairs[1][1])[:, 2]]),
        between(path, until, 1e-3),
    )


def _bushings(until: float) -> Ready:
    data = bushings.BushedBars()
    L = data.length
    bars = [fx.PlanarRigidBody.rod((i * L, 0.0), ((i + 1) * L, 0.0), mass=data.mass, name=f"bar {i}") for i in (0, 1)]
    mounts = [
        fx.Bushing(a.marker_at((i * L, 0.0)), bars[i].marker_at((i * L, 0.0)), stiffness=data.stiffness,
                   damping=data.damping, name=f"bushing {i}")
        for i, a in enumerate((fx.ground, bars[0]))
    ]  # fmt: skip
    return Ready(
        fx.compile_model(fx.Model(*bars, *mounts, fx.Gravity((0.0, -data.gravity)))),
        lambda run: np.column_stack([run.coordinates(bar) for bar in bars]),
        between(lambda t: data.motion(t)[:, :6], until, 5e-4),
    )


def _cable(until: float) -> Ready:
    cable, model = pendulum(12)
    system = fx.compile_model(model)
    tip, middle = cable.end, fx.Attachment(cable, (6,), "middle")
    return Ready(
        system,
        lambda run: np.column_stack([run.position(at)[:, :2] for at in (middle, tip)]),
        between(semi_discrete.positions(system, (middle, tip)), until, 2.5e-4),
    )


def _engine(until: float) -> Ready:
    model, shaft, _ = spatial_engine()

    def path(t: FloatArray) -> FloatArray:
        angle = ENGINE.angle(START, t)
        return np.column_stack([angle, [ENGINE.speed(a, START) / START for a in angle]])

    return Ready(
        fx.compile_model(model),
        lambda run: np.column_stack([run.angle("main bearing"), run.angular_velocity(shaft)[:, 2] / START]),
        between(path, until, 1e-4),
    )


SWINGS = 24.0  # ten periods


def _swinging(until: float) -> Ready:
    ball = fx.PointMass(1.0, position=(-1.0, 0.0), name="ball")
    rod = fx.DistanceConstraint(fx.ground.marker_at((0.0, 0.0)), ball.centre, name="rod")

    def path(t: FloatArray) -> FloatArray:
        theta = pendulums.simple_pendulum(math.pi / 2.0, t)[:, 0]
        return np.column_stack([-np.sin(theta), -np.cos(theta)])

    system = fx.compile_model(fx.Model(ball, rod, fx.Gravity((0.0, -G))))
    return Ready(system, lambda run: run.position(ball)[:, :2], path)


def _top(until: float) -> Ready:
    J, centre, spin, lean = (0.5, 0.5, 0.25), (0.0, 0.0, 1.0), (0.0, 1.0, 40.0), 0.5
    turn = from_vector(np.array([lean, 0.0, 0.0]))
    body = fx.RigidBody(1.0, J, position=turn @ centre, rotation=turn, name="top")
    body = body.with_spin(turn @ spin, about=(0.0, 0.0, 0.0))
    model = fx.Model(
        body, fx.SphericalJoint(fx.ground, body, at=(0.0, 0.0, 0.0), name="foot"), fx.Gravity((0.0, 0.0, -G))
    )

    def path(t: FloatArray) -> FloatArray:
        return tops.top(J, 1.0, centre, spin, t, (math.cos(lean / 2.0), math.sin(lean / 2.0), 0.0, 0.0))[:, :3]

    return Ready(fx.compile_model(model), lambda run: run.position(body), between(path, until, 1.25e-3))


MINIMAL = "equations in minimal coordinates, explicit Runge-Kutta of order 8"

PROBLEMS: tuple[Problem, ...] = (
    Problem("double-pendulum", "Double pendulum of point masses (D03), 2 s", "smooth rigid mechanism", _double, 2.0,
            0.02, "positions of both masses, by 1 m", MINIMAL, 1e-11, True),
    Problem("squeezer", "Andrews' squeezing mechanism (D12), 0.03 s", "smooth rigid mechanism", _squeezer, 0.03, 4e-4,
            "the seven angles, by 1 rad", MINIMAL, 1e-9, False),
    Problem("slider-crank", "Spatial slider-crank (D13), 1 s", "smooth rigid mechanism", _slider_crank, 1.0, 0.01,
            "crank pin and slider, by 0.1 m", MINIMAL, 1e-10, True),
    Problem("governor", "Stiff flyball governor (D15), 1 s", "stiff", _governor, 1.0, 0.02,
            "heights of slider and ball, by 1 m", "equations in minimal coordinates, Radau IIA of SciPy", 1e-9, False),
    Problem("bushings", "Two bars on stiff bushings, 0.5 s", "stiff", _bushings, 0.5, 0.01,
            "coordinates of both bars, by 1 m and 1 rad", "equations of the two bars, Radau IIA of SciPy", 1e-9, False),
    Problem("falling-cable", "Falling cable pendulum (D17), 12 elements, 0.4 s", "flexible", _cable, 0.4, 8e-3,
            "middle and tip, by 1 m: errors in time alone",
            "the same elements, integrated by DOP853 of SciPy at a relative tolerance of 1e-11", 1e-9, True),
    Problem("engine", "Four-cylinder engine in space (D10), 57 equations of rank 53, 0.05 s", "redundant constraints",
            _engine, 0.05, 2e-3, "angle of the shaft by 1 rad and its speed by 100 rad/s",
            "closed form of the speed over the angle", 1e-10, True),
    Problem("pendulum", f"Pendulum swinging by 90 degrees for {SWINGS:g} s", "long conservative motion", _swinging,
            SWINGS, 0.04, "position by 1 m, so the error is one of the phase", "Jacobi's elliptic functions", 1e-11,
            True),
    Problem("top", "Fast heavy top, 5 s", "long conservative motion", _top, 5.0, 0.02,
            "centre of mass, by 1 m", MINIMAL, 1e-10, True),
)  # fmt: skip
