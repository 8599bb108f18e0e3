"""Where chunks of compiled steps end before they were meant to: failing functions, and Ctrl-C."""

from __future__ import annotations

import math
import os
import signal
from collections.abc import Callable

import numpy as np
import pytest

import flexmbs as fx

COMPILED = fx.GeneralizedAlpha(rho_inf=0.8, compiled=True)
PYTHON = fx.GeneralizedAlpha(rho_inf=0.8, compiled=False)
H = 1e-3


def pendulum(history: Callable[[float], float], *more: Callable[[fx.RevoluteJoint], object]) -> fx.Model:
    """A bar under a weight that varies."""
    bar = fx.RigidBody.box(size=(1.0, 0.05, 0.05), mass=2.0, position=(0.5, 0, 0), name="bar")
    hinge = fx.RevoluteJoint(fx.ground, bar, at=(0, 0, 0), axis=(0, 1, 0), name="hinge")
    added = [item(hinge) for item in more]
    return fx.Model(bar, hinge, *added, fx.Gravity((0, 0, -9.81), history=history), name="pendulum")


def fails_at(end: float) -> Callable[[float], float]:
    """A history that is known up to a time only."""

    def history(t: float) -> float:
        if t > end:
            raise RuntimeError(f"nothing is known of t = {t:g}")
        return 1.0 + 0.1 * np.sin(9.0 * t)

    return history


def test_a_run_that_ends_before_a_function_fails_never_meets_it() -> None:
    """Loads of a chunk are evaluated ahead of its steps; these lock up at 0.2804 s, the load fails from 0.29 s on."""
    ball = fx.PointMass(1.0, position=(0.8, 0.6), name="ball")
    rod = fx.DistanceConstraint(fx.ground.marker_at((0.0, 0.0)), ball.centre, name="rod")
    reach = math.hypot(2.2, 0.6)
    winch = fx.DistanceDriver(fx.ground.marker((3, 0)), ball.centre, motion=lambda t: reach - t, name="winch")
    model = fx.Model(ball, rod, winch, fx.Gravity((0, -9.81), history=fails_at(0.29)))
    found = []
    for scheme in (PYTHON, COMPILED):
        with pytest.raises(fx.ConvergenceError, match=r"t = 0\.28") as caught:
            fx.simulate(model, 1.0, step=H, integrator=scheme)
        found.append(caught.value)
    assert str(found[0]) == str(found[1])
    assert np.array_equal(found[0].solution.q, found[1].solution.q)


def test_ctrl_c_ends_a_run_between_two_chunks() -> None:
    """What was computed is kept, and goes on bitwise."""
    asked = []

    def history(t: float) -> float:
        if t > 0.3 and not asked:
            asked.append(t)
            os.kill(os.getpid(), signal.SIGINT)
        return 1.0 + 0.1 * np.sin(9.0 * t)

    model = pendulum(history)
    asked.append(0.0)
    whole = fx.simulate(model, 1.0, step=H, integrator=PYTHON)
    asked.clear()
    begun = fx.simulate(model, 1.0, step=H, integrator=COMPILED)
    assert begun.status is fx.Status.INTERRUPTED
    assert asked[0] - H < begun.t[-1] < 1.0
    assert np.array_equal(begun.q, whole.q[: len(begun)])
    rest = fx.simulate(model, 1.0, step=H, integrator=COMPILED, start=begun)
    for name in ("t", "q", "v", "a", "lam"):
        assert np.array_equal(getattr(rest, name)[1:], getattr(whole, name)[len(begun) :]), name
    assert np.array_equal(rest.energy.total[1:], whole.energy.total[len(begun) :])


def test_what_a_run_remembers_is_the_same() -> None:
    """Turns of angles, steps and work: what a resumed run begins with."""
    coil = lambda hinge: fx.TorsionSpring(hinge, stiffness=0.02, damping=0.01, name="coil")  # noqa: E731
    spun = lambda hinge: fx.RotationDriver(hinge, lambda t: 40.0 * t * t, name="motor")  # noqa: E731
    found = []
    for scheme in (PYTHON, COMPILED):
        model = pendulum(lambda t: 1.0, coil, spun)
        found.append(fx.simulate(model, 0.7005, step=H, integrator=scheme, output=fx.Output(every=0.0307)))
    assert found[0].angle("hinge")[-1] > 2.0 * np.pi
    for name in ("near", "grid", "work", "power"):
        assert np.array_equal(found[0].extra[name], found[1].extra[name]), name
    assert found[0].extra["h"] == found[1].extra["h"]
