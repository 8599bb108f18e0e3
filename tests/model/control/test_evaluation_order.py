"""First-order states that read what others hold: whatever the order in which they are described."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.linalg import expm
from scipy.optimize import brentq

import flexmbs as fx

MASS, STIFFNESS = 2.0, 8.0


def chain(reader: str) -> tuple[Any, ...]:
    """A ball on a spring, z1' = 5 (x + 1 - z1) holding w = 2 z1, and z2' = 10 (w - z2) that drives with -3 z2 + w."""
    ball = fx.PointMass(MASS, position=(0.0, 0.0), name="ball")
    spring = fx.Bushing(fx.ground.marker((0, 0, 0)), ball, (STIFFNESS, STIFFNESS))
    w, push = fx.control.Signal("w"), fx.control.ForceActuator(ball, (1, 0), name="push")
    read: Any = fx.control.HeldSensor(w)
    if reader == "noisy":
        read = fx.control.NoisySensor(read, 0.0)
    elif reader == "function":
        read = fx.control.FunctionSensor(lambda t, view: view.held("w"))
    place = fx.control.PositionSensor(ball, (1, 0))
    first = fx.control.FirstOrder([0.0], lambda z, u, t: 5.0 * (u + 1.0 - z), place, w,
                                  output=lambda z, u, t: 2.0 * z, name="first")  # fmt: skip
    second = fx.control.FirstOrder([0.0], lambda z, u, t: 10.0 * (u - z), read, push,
                                   output=lambda z, u, t: -3.0 * z + u, name="second")  # fmt: skip
    return ball, spring, first, second


@pytest.mark.parametrize("reader", ["held", "noisy", "function"])
def test_what_is_read_is_that_of_now(reader: str) -> None:
    """Against the exponential of the matrix; read one evaluation late, the push is off by 1e-2."""
    ball, spring, first, second = chain(reader)
    A = np.zeros((5, 5))
    A[0, 1] = 1.0
    A[1, [0, 2, 3]] = -STIFFNESS / MASS, 2.0 / MASS, -3.0 / MASS
    A[2, [0, 2, 4]] = 5.0, -5.0, 5.0
    A[3, [2, 3]] = 20.0, -10.0
    x, _, z1, z2, _ = expm(A) @ [0, 0, 0, 0, 1.0]
    for states in ((first, second), (second, first)):
        model = fx.Model(ball, spring, *states)
        run = fx.simulate(model, 1.0, step=fx.ErrorControl(rtol=1e-8), integrator=fx.RungeKutta())
        assert run.position(ball)[-1, 0] == pytest.approx(x, abs=1e-7)
        assert run.force("push").force[-1] == pytest.approx(-3.0 * z2 + 2.0 * z1, abs=1e-5)


def test_circles_are_refused() -> None:
    a, b = fx.control.Signal("a"), fx.control.Signal("b")
    one = fx.control.FirstOrder([0.0], lambda x, u, t: u - x, fx.control.HeldSensor(b), a, name="one")
    two = fx.control.FirstOrder([0.0], lambda x, u, t: u - x, fx.control.HeldSensor(a), b, name="two")
    ball = fx.PointMass(1.0, position=(0, 0), name="ball")
    with pytest.raises(fx.ModelError, match=r"'one' reads what 'two' reads what 'one' holds: a circle.*StateSensor"):
        fx.simulate(fx.Model(ball, one, two), 0.1, step=0.01)
    own = fx.control.FirstOrder([0.0], lambda x, u, t: u - x, fx.control.HeldSensor(a), a, name="own")
    with pytest.raises(fx.ModelError, match=r"'own' reads what 'own' holds"):
        fx.simulate(fx.Model(ball, own), 0.1, step=0.01)
    read = fx.control.FirstOrder([1.0], lambda x, u, t: u - x, fx.control.StateSensor("two"), a, name="one")
    assert len(fx.simulate(fx.Model(ball, read, two), 0.1, step=0.01))


@pytest.mark.parametrize("condition", ["sensor", "function"])
def test_events_see_outputs_of_the_time_they_look_at(condition: str) -> None:
    """z' = 20 (1 - z) holds 2 z + t; off by the integration alone, of a step of 1 ms: 0.05^3 / 12 relative."""
    w = fx.control.Signal("w")
    lag = fx.control.FirstOrder([0.0], lambda z, u, t: 20.0 * (1.0 - z), (), w, output=lambda z, u, t: 2 * z + t)
    sensor = fx.control.HeldSensor(w)
    seen: Any = sensor if condition == "sensor" else lambda view: sensor.read(view) ** 3
    event = fx.control.Event(seen, level=1.0, terminal=True)
    ball = fx.PointMass(1.0, position=(0, 0), name="ball")
    run = fx.simulate(fx.Model(ball, lag), 0.5, step=1e-3, events=[event])
    exact = brentq(lambda t: 2.0 - 2.0 * np.exp(-20.0 * t) + t - 1.0, 0.0, 0.5)
    assert run.t[-1] == pytest.approx(exact, abs=1e-5)


def test_an_actuator_has_one_value() -> None:
    """Also where first-order states drive it; two actuators on one joint add."""
    ball, push = fx.PointMass(1.0, position=(0, 0), name="ball"), fx.control.Signal("w")
    lag = fx.control.FirstOrder([0.0], lambda z, u, t: -z, (), push, name="lag")
    with pytest.raises(fx.ModelError, match=r"actuator 'w' is driven by command 'go' and first order 'lag'.*name="):
        fx.Model(ball, lag, fx.control.Command(push, 0.1, 1.0, name="go"))
    forces = [fx.control.ForceActuator(ball, (1, 0), name=name) for name in "ab"]
    both = [fx.control.Command(one, 0.1, 1.0, name=f"of {one.name}") for one in forces]
    assert fx.simulate(fx.Model(ball, *both), 1.0, step=0.1).position(ball)[-1, 0] == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("make", "where"),
    [
        (lambda: fx.control.Signal("w"), "An actuator comes with what drives it"),
        (lambda: fx.control.JointSensor("hinge"), "A sensor comes with who reads it"),
        (lambda: fx.control.Event(lambda view: view.t), "Events belong to a run"),
    ],
)
def test_what_is_no_item_is_told_where_it_belongs(make: Any, where: str) -> None:
    with pytest.raises(fx.ModelError, match=where):
        fx.Model(fx.PointMass(1.0, position=(0, 0), name="ball"), make())
