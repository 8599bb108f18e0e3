"""Functions of users that numba compiles, in compiled steps: the bits of the loop in Python; what goes wrong."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
import pytest

import flexmbs as fx
from flexmbs.model.control.first_order import linear_states

njit = numba.njit
control = fx.control
G = 9.81


@njit
def spring(length, rate, t):
    return 100.0 * (length - 0.5) + 2.0 * rate + 0.1 * math.sin(20.0 * t)


@njit
def spring_derivatives(length, rate, t):
    return 100.0, 2.0


@njit
def drag(p, R, twist, t):
    W = np.zeros((1, 6))
    speed = math.sqrt(twist[0, 0] ** 2 + twist[0, 1] ** 2 + twist[0, 2] ** 2)
    for k in range(3):
        W[0, k] = -0.3 * speed * twist[0, k]
        W[0, 3 + k] = -1e-3 * twist[0, 3 + k] + 0.01 * R[0, 0, k] * p[0, 1]
    return W


@njit
def coil(i, w, t):
    return (12.0 - 2.0 * i - 0.1 * w) / 0.05


@njit
def torque(i, w, t):
    return 0.01 * i[0]


@njit
def chase(x, u, t):
    return x[1], 40.0 * (u[0] - x[0]) - 8.0 * x[1]


@njit
def chase_by_x(x, u, t):
    return np.array([[0.0, 1.0], [-40.0, -8.0]])


@njit
def geared(value, angle, rate, t):
    return 0.5 * value - 0.02 * rate - 0.1 * math.sin(angle)


@njit
def sampled(x, u, t):
    return np.array([-2.0 * u[0] - 0.3 * u[1] + x[0]])


@njit
def summed(x, u, t):
    return x - 0.05 * u[:1]


@njit
def pushed(x, u, t):
    return 0.3 * math.sin(30.0 * t) - 0.1 * u[0]


def machine() -> fx.Model:
    """An arm on a hinge and a ball on a spring, with one item of each kind whose function is compiled."""
    ball = fx.RigidBody.box(size=(0.1, 0.12, 0.1), mass=1.0, position=(0.0, -0.5, 0.0), name="ball")
    arm = fx.RigidBody.box(size=(0.4, 0.1, 0.1), mass=1.0, position=(0.2, 0.0, 0.0), name="arm",
                           velocity=(0.0, 4.0, 0.0), angular_velocity=(0.0, 0.0, 20.0))  # fmt: skip
    hinge = fx.RevoluteJoint(fx.ground, arm, at=(0, 0, 0), axis=(0, 0, 1), name="hinge")
    angle, rate = control.JointSensor("hinge"), control.JointSensor("hinge", rate=True)
    items = [
        ball, arm, hinge, fx.Gravity((0, -G, 0)),
        fx.SpringDamper(fx.ground.marker((0, 0, 0.2)), ball.marker((0.05, 0, 0)), force=spring,
                        derivatives=spring_derivatives, name="spring"),
        fx.UserForce([ball.marker((0, 0.02, 0.03))], drag, name="drag"),
        control.FirstOrder([0.0], coil, rate, control.JointActuator("hinge", name="motor"), output=torque, name="coil"),
        control.FirstOrder([0.1, 0.0], chase, angle, control.JointActuator("hinge", law=geared, limits=(-3.0, 3.0),
                           name="geared"), jacobian=chase_by_x, name="chase"),
        linear_states([[-20.0]], [[20.0]], angle, C=[[-0.4]], actuators=control.JointActuator("hinge",
                      name="lag"), name="lag"),
        control.Controller([angle, rate], control.JointActuator("hinge", name="servo"), 2e-3, sampled, summed, [0.0],
                           name="servo"),
        control.Controller(control.VelocitySensor(ball.centre, (1, 0, 0)),
                           control.ForceActuator(ball.centre, (1, 0, 0), name="push"), 5e-3, pushed, name="push"),
    ]  # fmt: skip
    return fx.Model(*items, name="machine")


@pytest.mark.parametrize("index", [2, 3])
def test_every_kind_has_the_bits_of_the_loop_in_python(both, index: int) -> None:
    """The angle turns over more than pi, so turns are counted for the states, too."""
    run = both(machine(), 0.4, 1e-3, index, output=fx.Output(every=0.01))
    assert run.counts["compiled_steps"] == 400
    assert run.counts["kept_in_python"] == ()
    assert run.counts["calls"] == {}
    assert np.ptp(run.coordinate("hinge", "angle")) > math.pi


def as_in_python() -> fx.Model:
    """The same machine with all functions as Python has them."""
    plain = []
    for item in machine().items:
        if isinstance(item, fx.SpringDamper):
            item = fx.SpringDamper(item.a, item.b, force=spring.py_func, name="spring")
        elif isinstance(item, fx.UserForce):
            item = fx.UserForce(item.markers, drag.py_func, name="drag")
        elif isinstance(item, control.FirstOrder) and item.rates in (coil, chase):
            law = control.JointActuator("hinge", law=geared.py_func, limits=(-3.0, 3.0), name="geared")
            item = control.FirstOrder(
                item.start, item.rates.py_func, item.inputs, item.actuators if item.rates is coil else law,
                output=None if item.output is None else torque.py_func, name=item.name,
            )  # fmt: skip
        elif isinstance(item, control.Controller):
            item = control.Controller(
                item.sensors, item.actuators, item.period, item.output.py_func,
                None if item.stays else summed.py_func, item.start, name=item.name,
            )  # fmt: skip
        plain.append(item)
    return fx.Model(*plain, name="machine")


class Pulsed(control.ForceActuator):
    """A wrench whose factor is a function of time, too: what it is nobody knows but Python."""

    def force(self, value: float, s: float = 0.0, rate: float = 0.0, t: float = 0.0) -> float:
        return super().force(value) * (1.0 + 0.5 * math.sin(30.0 * t))


@pytest.mark.parametrize("index", [2, 3])
def test_functions_in_python_are_called_from_compiled_steps(both, index: int) -> None:
    """Every kind, each with the bits of the loop in Python, and called as often."""
    model = as_in_python()
    centre = model.bodies[0].centre
    thrust = Pulsed(centre, (0, 0, 1), follower=True, name="thrust")
    height = control.FunctionSensor(lambda t, view: view.position(centre)[2], markers=(centre,), name="height")
    hover = control.FirstOrder([0.2], lambda x, u, t: -3.0 * x - u + math.sin(9.0 * t), height, thrust, name="hover")
    model = fx.Model(*model.items, hover, name="machine")
    counts = []
    system = fx.compile_model(model)
    for compiled in (False, True):
        scheme = fx.GeneralizedAlpha(index=index, compiled=compiled)
        counts.append(fx.simulate(system, 0.2, step=1e-3, integrator=scheme, progress=False).counts)
    assert counts[1]["calls"] == counts[0]["calls"]
    assert set(counts[1]["calls"]) == {"spring", "drag", "coil", "chase", "geared", "servo", "push", "hover"}
    assert counts[1]["compiled_steps"] == 200
    run = both(model, 0.4, 1e-3, index, output=fx.Output(every=0.01))
    assert "every evaluation" in "".join(run.counts["kept_in_python"])


@pytest.mark.parametrize("step", [5e-4, fx.ErrorControl(rtol=1e-6)], ids=["fixed", "chosen"])
def test_explicit_steps_call_functions_in_python(step: Any) -> None:
    """To the bits of the loop in Python."""
    disk = fx.PlanarRigidBody(1.0, 0.5, position=(0, 1.0), name="disk")
    wind = fx.PointForce(disk.centre, (1.0, 0), history=lambda t: math.sin(7.0 * t))
    air = fx.UserForce([disk.centre], lambda p, R, twist, t: -0.3 * twist * (1.0 + t), name="air")
    pull = control.Controller(
        control.VelocitySensor(disk.centre, (1, 0)), control.ForceActuator(disk.centre, (1, 0), name="pull"), 5e-3,
        output=lambda x, u, t: -2.0 * u, name="pull",
    )  # fmt: skip
    system = fx.compile_model(fx.Model(disk, wind, air, pull, fx.Gravity((0, -G))))
    one, other = (
        fx.simulate(
            system, 0.1, step=step, integrator=fx.RungeKutta(compiled=compiled), output=fx.Output(every=0.01),
            progress=False,
        )
        for compiled in (False, True)
    )  # fmt: skip
    assert other.counts["compiled_steps"] == len(other.steps)
    assert other.counts["calls"]["air"] > 100
    for name in ("t", "q", "v", "a", "lam", "steps"):
        assert np.array_equal(getattr(one, name), getattr(other, name), equal_nan=True), name


def test_a_second_ctrl_c_ends_a_function_in_compiled_steps() -> None:
    ball, hits = fx.PointMass(1.0, position=(0, 0, 1), name="ball"), []

    def air(p: Any, R: Any, twist: Any, t: float) -> Any:
        if t > 0.05:
            hits.append(t)
            raise KeyboardInterrupt
        return -0.1 * twist

    scheme = fx.GeneralizedAlpha(compiled=True)
    with pytest.raises(KeyboardInterrupt):
        fx.simulate(fx.Model(ball, fx.UserForce([ball], air)), 0.2, step=1e-3, integrator=scheme, progress=False)
    assert len(hits) == 1


def test_the_functions_in_python_give_the_same_motion() -> None:
    """Within what Newton's method leaves: derivatives by the coordinates are taken otherwise."""
    runs = [
        fx.simulate(model, 0.1, step=1e-3, integrator=fx.GeneralizedAlpha(newton=fx.NewtonOptions(rtol=1e-10)),
                    progress=False)
        for model in (machine(), as_in_python())
    ]  # fmt: skip
    assert "every evaluation" in "".join(runs[1].counts["kept_in_python"])
    scale = np.abs(runs[1].v).max()
    assert np.abs(runs[0].v - runs[1].v).max() < 1e-7 * scale
    assert np.abs(runs[0].extra["samples"] - runs[1].extra["samples"]).max() < 1e-7


def test_other_schemes_call_them() -> None:
    """Explicit steps, against implicit ones, whose error falls with the square of their size."""
    ball = fx.PointMass(1.0, position=(0.0, -0.5, 0.0), name="ball")
    model = fx.Model(ball, fx.SpringDamper(fx.ground.marker((0, 0, 0)), ball, force=spring, name="spring"),
                     fx.Gravity((0, -G, 0)))  # fmt: skip

    def end(step: float, scheme: Any) -> Any:
        return fx.simulate(model, 0.15, step=step, integrator=scheme, progress=False).q[-1]

    exact = end(1e-3, fx.RungeKutta())
    errors = [np.abs(end(h, fx.GeneralizedAlpha()) - exact).max() for h in (4e-3, 2e-3, 1e-3)]
    assert errors[0] < 1e-3
    assert 3.0 < errors[0] / errors[1] < 5.0
    assert 3.0 < errors[1] / errors[2] < 5.0


# --- what is compiled is what stands there now ----------------------------------------------------------------------


def stretched(stiffness: float) -> Any:
    @njit
    def force(length, rate, t):
        return stiffness * (length - 0.5)

    return force


def fall(
    force: Any, compiled: bool | None = None, until: float = 0.05, length: float = 0.5, mass: float = 1.0
) -> fx.TimeSolution:
    """A ball on a spring."""
    ball = fx.PointMass(mass, position=(0.0, -length, 0.0), name="ball")
    spring = fx.SpringDamper(fx.ground.marker((0, 0, 0)), ball, force=force, name="spring")
    return fx.simulate(
        fx.Model(ball, spring, fx.Gravity((0, -G, 0))), until, step=1e-3,
        integrator=fx.GeneralizedAlpha(compiled=compiled), progress=False,
    )  # fmt: skip


def sag(stiffness: float, t: float) -> float:
    """Closed form: m x'' = m g - k x."""
    w = math.sqrt(stiffness)
    return G / stiffness * (1.0 - math.cos(w * t))


def test_constants_around_a_function_count() -> None:
    for stiffness in (100.0, 900.0, 100.0):
        found = -0.5 - fall(stretched(stiffness), True).q[-1, 1]
        assert found == pytest.approx(sag(stiffness, 0.05), rel=1e-3)


TABLE = np.array([100.0])


@njit
def factor(x):
    return TABLE[0] * x


@njit
def from_table(length, rate, t):
    return factor(length - 0.5)


def test_constants_of_modules_count_even_where_numba_has_compiled_already() -> None:
    """numba itself would go on with the value that it met first."""
    assert from_table(1.0, 0.0, 0.0) == 50.0
    for stiffness in (100.0, 900.0):
        TABLE[0] = stiffness
        found = -0.5 - fall(from_table).q[-1, 1]
        assert found == pytest.approx(sag(stiffness, 0.05), rel=1e-3)


# --- what goes wrong --------------------------------------------------------------------------------------------------


@njit
def fails(length, rate, t):
    """In a way that hangs on the length: one text for all of them, which takes long to compile."""
    force = 100.0 * (length - int(length))
    if t > 0.0205 and length > 3.0:
        return force / (int(length) - 3)
    if t > 0.0205 and length > 2.0:
        raise ValueError("worn out")
    return force + math.sqrt(0.0205 - t) if length < 2.0 else force


@njit
def draws(length, rate, t):
    return np.random.rand()  # noqa: NPY002  # what numba knows


@njit
def unknown(length, rate, t):
    return something_that_is_not_there(length)  # noqa: F821


@njit
def text(length, rate, t):
    return "far"


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize(
    ("length", "says"),
    [
        (1.5, r"value of force\(1.50\d+, 0.1\d+, 0.021\) must be finite, not nan"),
        (2.5, r"force\(2.50\d+, 0.1\d+, 0.021\) failed with ValueError: worn out"),
        (3.5, r"force\(3.50\d+, 0.1\d+, 0.021\) failed with ZeroDivisionError"),
    ],
)
def test_what_fails_on_the_way_keeps_the_run(length: float, says: str, compiled: bool) -> None:
    with pytest.raises(fx.ModelError, match=f"SpringDamper 'spring': .*{says}") as caught:
        fall(fails, compiled, length=length, mass=20.0)
    kept = fall(fails, compiled, until=0.02, length=length, mass=20.0)
    assert caught.value.solution.t[-1] == pytest.approx(0.02)
    assert np.array_equal(caught.value.solution.q, kept.q)


def test_what_draws_is_refused() -> None:
    with pytest.raises(fx.ModelError, match=r"'spring': its force at t = 0 .* called again with the same arguments"):
        fall(draws)


@pytest.mark.parametrize(
    ("force", "says", "then"),
    [(unknown, "something_that_is_not_there", "NameError"), (text, "unicode_type|str|float", "must be a number")],
)
def test_what_cannot_be_compiled_is_called_in_python(force: Any, says: str, then: str) -> None:
    with (
        pytest.warns(
            fx.CompilationWarning, match=rf"'spring': function is decorated by numba.* numba says: .*({says})"
        ),
        pytest.raises(fx.ModelError, match=then),
    ):
        fall(force)


def moved(rates: Any = None, output: Any = None, user: Any = None, sampled: Any = None) -> Callable[[], Any]:
    """A run with these functions."""
    ball = fx.PointMass(1.0, position=(0.0, 0.0, 0.0), name="ball")
    push, speed = control.ForceActuator(ball, (1, 0, 0), name="push"), control.VelocitySensor(ball, (0, 1, 0))
    items: list[Any] = [ball, fx.Gravity((0, -G, 0))]
    if rates is not None:
        items.append(control.FirstOrder([0.1, 0.2], rates, speed, push, output=output, name="states"))
    if user is not None:
        items.append(fx.UserForce([ball], user, name="wind"))
    if sampled is not None:
        items.append(control.Controller(speed, push, 1e-3, sampled, name="sampled"))
    return lambda: fx.simulate(fx.Model(*items), 0.03, step=1e-3, progress=False)


@njit
def writes(x, u, t):
    u[0] += 1.0
    return -x


@njit
def three(x, u, t):
    return np.zeros(3)


@njit
def steady(x, u, t):
    return -x


@njit
def two_outputs(x, u, t):
    return x[0], x[1]


@njit
def shifts(p, R, twist, t):
    p[0, 0] += 1.0
    return np.zeros((1, 6))


@njit
def late_wind(p, R, twist, t):
    W = np.zeros((1, 6))
    W[0, 0] = math.sqrt(0.0155 - t)
    return W


@njit
def late_sample(x, u, t):
    return np.array([math.sqrt(0.0155 - t)])


@njit
def writes_once(x, u, t):
    u[0] = 0.0
    return np.array([1.0])


@pytest.mark.parametrize(
    ("run", "says"),
    [
        (moved(writes), r"FirstOrder 'states': rates at t = 0 has changed its arguments.*x = \[0.1, 0.2\], u = \["),
        (moved(three), r"FirstOrder 'states': rates at t = 0 must have shape \(2,\)"),
        (moved(steady, two_outputs), r"FirstOrder 'states': output at t = 0 must have shape \(1,\)"),
        (moved(user=shifts), r"UserForce 'wind': function at t = 0 has changed its arguments"),
        (moved(user=late_wind), r"UserForce 'wind': the value of the function at t = 0.016 must be finite.*p = \["),
        (moved(sampled=late_sample), r"controller 'sampled': output at t = 0.016 must be finite.*u = \[-0.1"),
        (moved(sampled=writes_once), r"controller 'sampled': output at t = 0.* has changed its arguments"),
    ],
)
def test_what_is_wrong_is_named(run: Callable[[], Any], says: str) -> None:
    with pytest.raises(fx.ModelError, match=re.compile(says, re.DOTALL)):
        run()
