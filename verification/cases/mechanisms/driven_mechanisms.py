"""Mechanisms that drivers leave no freedom: positions, rates, lock-ups, and the torques that their motion takes."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable

import numpy as np

import flexmbs as fx
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ConvergenceError
from flexmbs.verification import Case, Measured, Outcome, Progress
from flexmbs.verification.cases.common import COLOURS, figure, measured
from flexmbs.verification.reference.driven import FourBar, SliderCrank, drive_torque, universal_joint

CLOSED_FORM = "closed form"
G = 9.81
MASSES, INERTIAS = (1.0, 2.0, 3.0), (0.2, 0.5, 0.7)


def bar(
    name: str, start: complex, end: complex, mass: float, inertia: float, spatial: bool
) -> fx.RigidBody | fx.PlanarRigidBody:
    """A bar between two points of the plane z = 0, its centre in the middle."""
    centre, angle = 0.5 * (start + end), float(np.angle(end - start))
    if not spatial:
        return fx.PlanarRigidBody(mass, inertia, position=(centre.real, centre.imag), angle=angle, name=name)
    c, s = math.cos(angle), math.sin(angle)
    turn = [[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]
    return fx.RigidBody(
        mass, np.diag([0.1, inertia, inertia]), position=(centre.real, centre.imag, 0.0), rotation=turn, name=name
    )


def pin(name: str, a: object, b: object, at: complex, spatial: bool) -> fx.RevoluteJoint:
    """A hinge about the z axis."""
    if spatial:
        return fx.RevoluteJoint(a, b, at=(at.real, at.imag, 0.0), axis=(0, 0, 1), name=name)  # type: ignore[arg-type]
    return fx.RevoluteJoint(a, b, at=(at.real, at.imag), name=name)  # type: ignore[arg-type]


def four_bar(data: FourBar, theta: float, spatial: bool = False) -> fx.Model:
    """Crank, coupler and rocker with hinges A, B, C, D, the crank at an angle."""
    (beta, *_), _ = data.angles(np.array([theta]))
    B = data.a * complex(math.cos(theta), math.sin(theta))
    C = B + data.b * complex(math.cos(beta[0]), math.sin(beta[0]))
    points = (0j, B, C, complex(data.d))
    ends = ((0, 1), (1, 2), (3, 2))
    bars = [
        bar(name, points[i], points[j], m, inertia, spatial)
        for name, (i, j), m, inertia in zip(("crank", "coupler", "rocker"), ends, MASSES, INERTIAS, strict=True)
    ]
    sides = (fx.ground, bars[0]), (bars[0], bars[1]), (bars[1], bars[2]), (fx.ground, bars[2])
    pins = [pin(name, *side, at, spatial) for name, side, at in zip("ABCD", sides, points, strict=True)]
    return fx.Model(*bars, *pins, fx.Gravity((0.0, -G, 0.0) if spatial else (0.0, -G)), name="four-bar")


def slider_crank(data: SliderCrank, theta: float) -> fx.Model:
    """Crank, rod and slider with hinges A, B, C and a guide, the crank at an angle."""
    B = data.r * complex(math.cos(theta), math.sin(theta))
    C = complex(float(data.slider(np.array([theta]))[0][0]))
    bars = [
        bar("crank", 0j, B, MASSES[0], INERTIAS[0], False),
        bar("rod", B, C, MASSES[1], INERTIAS[1], False),
        fx.PlanarRigidBody(MASSES[2], INERTIAS[2], position=(C.real, 0.0), name="slider"),
    ]
    sides = (fx.ground, bars[0], 0j), (bars[0], bars[1], B), (bars[1], bars[2], C)
    pins = [pin(name, a, b, at, False) for name, (a, b, at) in zip("ABC", sides, strict=True)]
    guide = fx.PrismaticJoint(fx.ground, bars[2], at=(C.real, 0.0), axis=(1, 0), name="guide")
    return fx.Model(*bars, *pins, guide, fx.Gravity((0.0, -G)), name="slider-crank")


def _off(label: str, unit: str, found: FloatArray, exact: FloatArray, atol: float) -> Measured:
    """The largest difference over the motion."""
    error = float(np.abs(found - exact).max())
    return measured(f"{label}: largest error", unit, error, 0.0, CLOSED_FORM, 1e-13, atol=atol)


def _motor(model: fx.Model, joint: str, motion: object) -> fx.Model:
    return model.with_(fx.RotationDriver(model.joint(joint), motion, name="motor"))  # type: ignore[arg-type]


def _sliding() -> list[Measured]:
    """A slider-crank over two turns."""
    data, start = SliderCrank(0.3, 0.8), 0.4
    turn = fx.motions.Ramp(0.0, 4.0 * math.pi, duration=2.0)
    run = fx.kinematics.solve_kinematics(_motor(slider_crank(data, start), "A", turn), until=2.0, step=0.05)
    turned, rate, second = (np.array(x) for x in zip(*map(turn.at, run.t), strict=True))
    x, x1, x2 = data.slider(start + turned)
    torque = drive_torque(data.paths(start + turned, MASSES, INERTIAS), rate, second, G)
    needed = fx.kinematics.inverse_dynamics(run)
    return [
        _off("slider-crank, place of the slider", "m", run.position("slider")[:, 0], x, 1e-11),
        _off("slider-crank, its velocity", "m/s", run.velocity("slider")[:, 0], x1 * rate, 1e-10),
        _off("slider-crank, its acceleration", "m/s^2", run.acceleration("slider")[:, 0],
             x2 * rate**2 + x1 * second, 1e-9),
        _off("slider-crank, torque of the drive", "N m", needed["motor"], torque, 1e-8),
        _off("slider-crank, angle of the crank over turns", "rad", run.angle("A"), turned, 1e-11),
    ]  # fmt: skip


def _by_time(torque: Callable[[float], float]) -> Callable[[float, float, float], float]:
    return lambda angle, rate, t: torque(t)


def _none(angle: float, rate: float, t: float) -> tuple[float, float]:
    return 0.0, 0.0


def _four_bars(progress: Progress) -> tuple[list[Measured], fx.kinematics.DriveForces]:
    """In the plane and in space, where three equations follow from the others; fed back."""
    data, start = FourBar(1.0, 3.0, 2.5, 3.0), 0.5
    turn = fx.motions.Ramp(0.0, 4.0, duration=2.0)
    quantities: list[Measured] = []
    for spatial in (False, True):
        where = "in space" if spatial else "in the plane"
        model = four_bar(data, start, spatial)
        run = fx.kinematics.solve_kinematics(_motor(model, "A", turn), until=2.0, step=0.02)
        turned, rate, second = (np.array(x) for x in zip(*map(turn.at, run.t), strict=True))
        _, (psi, p1, _) = data.angles(start + turned)
        torque = drive_torque(data.paths(start + turned, MASSES, INERTIAS), rate, second, G)
        needed = fx.kinematics.inverse_dynamics(run)
        quantities += [
            _off(f"four-bar {where}, angle of the rocker", "rad", run.angle("D"), psi - psi[0], 1e-11),
            _off(f"four-bar {where}, its angular velocity", "rad/s", run.angular_velocity("rocker")[:, 2], p1 * rate,
                 1e-10),
            _off(f"four-bar {where}, torque at the crank", "N m", needed["motor"], torque, 1e-8),
            measured(f"four-bar {where}, equations that follow from others", "-", len(run.redundant),
                     3.0 if spatial else 0.0, "count of equations", atol=0.5),
        ]  # fmt: skip
        rocker_rate = p1 * rate
        moving = np.abs(rocker_rate) > 0.1
        other = fx.kinematics.inverse_dynamics(run, drives=["D"])
        quantities.append(
            _off(f"four-bar {where}, torque at the rocker instead", "N m", other["D"][moving],
                 (torque * rate)[moving] / rocker_rate[moving], 1e-8)
        )  # fmt: skip
        both = fx.kinematics.inverse_dynamics(run, drives=["A", "D"])
        share = torque / (1.0 + p1**2)
        quantities += [
            _off(f"four-bar {where}, two motors of least norm: crank", "N m", both["A"], share, 1e-8),
            _off(f"four-bar {where}, two motors of least norm: rocker", "N m", both["D"], share * p1, 1e-8),
        ]
    progress("fed back")
    model = four_bar(data, start)
    motors = [
        fx.JointForce(model.joint(name), _by_time(both.function(name)), derivatives=_none, name=f"motor {name}")
        for name in "AD"
    ]
    back = fx.simulate(model.with_(*motors), until=2.0, step=2e-2, integrator=fx.RungeKutta(), progress=False)
    wanted = np.array([turn.at(t)[0] for t in back.t])
    quantities.append(
        measured("two motors fed back into a simulation: largest error of the angle of the crank", "rad",
                 float(np.abs(back.angle("A") - wanted).max()), 0.0, "motion prescribed", atol=5e-6)
    )  # fmt: skip
    return quantities, both


def _shafts() -> list[Measured]:
    """A universal joint between two shafts: one loop in space."""
    bend = 0.6
    out = np.array([math.cos(bend), math.sin(bend), 0.0])
    turn = np.column_stack([out, [-out[1], out[0], 0.0], [0.0, 0.0, 1.0]])
    shafts = [
        fx.RigidBody(1.0, np.diag([0.02, 0.1, 0.1]), position=(-0.5, 0.0, 0.0), name="driving"),
        fx.RigidBody(1.0, np.diag([0.02, 0.1, 0.1]), position=0.5 * out, rotation=turn, name="driven"),
    ]
    joints = [
        fx.RevoluteJoint(fx.ground, shafts[0], at=(-0.5, 0.0, 0.0), axis=(1, 0, 0), name="in"),
        fx.RevoluteJoint(fx.ground, shafts[1], at=0.5 * out, axis=out, name="out"),
        fx.UniversalJoint(shafts[0], shafts[1], at=(0, 0, 0), axes=((0, 1, 0), (0, 0, 1)), name="cross"),
    ]
    motion = fx.motions.Linear(2.0) + fx.motions.Sine(0.3, frequency=0.5)
    run = fx.kinematics.solve_kinematics(_motor(fx.Model(*shafts, *joints), "in", motion), until=4.0, step=0.1)
    angle, rate, second = (np.array(x) for x in zip(*map(motion.at, run.t), strict=True))
    psi, p1, p2 = universal_joint(angle, bend)
    spin = p2 * rate**2 + p1 * second
    return [
        _off("universal joint, angle of the driven shaft", "rad", run.angle("out"), psi, 1e-11),
        _off("universal joint, its angular velocity", "rad/s", run.angular_velocity("driven")[:, 0], p1 * rate, 1e-10),
        _off("universal joint, torque of the drive", "N m", fx.kinematics.inverse_dynamics(run)["motor"],
             0.02 * second + 0.02 * spin * p1, 1e-9),
    ]  # fmt: skip


def _locked(model: fx.Model, until: float) -> float:
    """The time that the message of a lock-up names."""
    try:
        fx.kinematics.solve_kinematics(model, until, step=0.1)
    except ConvergenceError as error:
        return float(str(error).split("t = ")[1].split(":")[0])
    return math.nan


def _lock_ups() -> list[Measured]:
    quantities = []
    data, start = FourBar(2.0, 1.5, 1.5, 3.0), 0.5
    for spatial in (False, True):
        model = _motor(four_bar(data, start, spatial), "A", fx.motions.Linear(1.0))
        quantities.append(
            measured(f"four-bar {'in space' if spatial else 'in the plane'}: time of the lock-up", "s",
                     _locked(model, 2.0), data.lock_up - start, CLOSED_FORM, atol=2e-9)
        )  # fmt: skip
    crank = SliderCrank(0.3, 0.8)
    model = slider_crank(crank, math.pi / 2.0)
    ram = fx.TranslationDriver(model.joint("guide"), fx.motions.Linear(0.5), name="ram")
    exact = (crank.outer_dead_centre - float(crank.slider(np.array([math.pi / 2.0]))[0][0])) / 0.5
    quantities.append(
        measured("slider-crank driven at its slider: time of the lock-up", "s", _locked(model.with_(ram), 2.0), exact,
                 CLOSED_FORM, atol=2e-9)
    )  # fmt: skip
    return quantities


def _change_point() -> list[Measured]:
    """A parallelogram driven through its stretched position, which is stored."""
    model = _motor(four_bar(FourBar(1.0, 3.0, 1.0, 3.0), math.pi / 2.0), "A", fx.motions.Linear(math.pi / 2.0))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        run = fx.kinematics.solve_kinematics(model, until=2.0, step=0.1)
    (begin, end), *_ = run.extra["singular"]
    angle = math.pi / 2.0 * (1.0 + run.t)
    return [
        _off("parallelogram through its stretched position, angle of the rocker", "rad", run.angle("D"),
             math.pi / 2.0 * run.t, 1e-11),
        _off("parallelogram through its stretched position, acceleration of the coupler", "m/s^2",
             run.acceleration("coupler")[:, 0], -((math.pi / 2.0) ** 2) * np.cos(angle), 1e-7),
        measured("parallelogram, middle of the interval in which it was noticed", "s", 0.5 * (begin + end), 1.0,
                 CLOSED_FORM, atol=0.02),
    ]  # fmt: skip


def run(progress: Progress) -> Outcome:
    """Positions, rates, torques, lock-ups."""
    quantities = _sliding()
    bars, both = _four_bars(progress)
    quantities += bars + _shafts() + _lock_ups() + _change_point()
    drawing, axes = figure(6.4, 3.0)
    for name, torque, colour in zip(("at the crank", "at the rocker"), both.force.T, COLOURS, strict=False):
        axes.plot(both.t, torque, color=colour, label=name)
    axes.set_xlabel("t in s")
    axes.set_ylabel("torque in N m")
    axes.legend(frameon=False)
    return Outcome(quantities, (), (), [("Torques of least norm of two motors that move the four-bar.", drawing)])


CASE = Case(
    "driven-mechanisms",
    "Driven mechanisms: positions, torques, lock-ups",
    "mechanisms",
    "A slider-crank, a four-bar in the plane and in space, and a universal joint between two shafts are moved by a "
    "driver "
    "that leaves them no freedom. Positions, rates and accelerations are compared with closed forms, the torque of the "
    "drive with the power of the moving masses.\n\nThe torque at the rocker instead of the crank, and of two motors "
    "with "
    "the least norm, follow from the same power; the two motors are fed back into a simulation. Where drivers ask for "
    "what the mechanism cannot reach, the time is compared with the stretched position.",
    run,
    "Freudenstein's equation of the four-bar; closed forms of the slider-crank and of the universal joint.",
    (
        r"a e^{i\theta} + b e^{i\beta} = d + c e^{i\psi}, \quad l \sin\varphi = -r \sin\theta, \quad "
        r"\tan\psi = \tan\theta / \cos\beta",
        r"\tau = \sum_b m_b (\ddot{r}_b - g) \cdot r_b' + I_b \ddot{\varphi}_b \varphi_b'",
    ),
    (
        "The torques fed back are splines through 101 values, and an open-loop motion drifts: the last tolerance is "
        "that "
        "of the interpolation, not of the torques.",
    ),
)
