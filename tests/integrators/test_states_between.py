"""Between the steps, accelerations and reactions have the order of the scheme."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import flexmbs as fx
from flexmbs.core.contracts import FloatArray
from tests.integrators.compiled.test_control import Cart

MASS, INERTIA, ARM, GRAVITY, DAMPING = 2.0, 0.3, 0.8, 9.81, 0.4
SPIN = 1.5
END = 1.2


def pendulum(*more: Any) -> tuple[fx.Model, fx.RevoluteJoint, fx.PlanarRigidBody]:
    """A body on a hinge with a damper, let go from the horizontal with a speed."""
    bob = fx.PlanarRigidBody(
        MASS, INERTIA, position=(ARM, 0), velocity=(0, SPIN * ARM), angular_velocity=SPIN, name="bob"
    )  # fmt: skip
    hinge = fx.RevoluteJoint(fx.ground, bob, at=(0, 0), name="hinge")
    damper = fx.TorsionSpring(hinge, damping=DAMPING)
    return fx.Model(bob, hinge, damper, fx.Gravity((0, -GRAVITY)), *more), hinge, bob


def exact(t: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Force of the hinge on the body (n, 2), and acceleration of its centre, by an integration of one angle."""
    J = INERTIA + MASS * ARM**2

    def turning(angle: FloatArray, rate: FloatArray) -> FloatArray:
        return np.asarray((-MASS * GRAVITY * ARM * np.cos(angle) - DAMPING * rate) / J)

    found = solve_ivp(
        lambda t, y: [y[1], turning(y[0], y[1])], (0.0, END), [0.0, SPIN], "DOP853", t, rtol=1e-13, atol=1e-13
    )
    angle, rate = found.y
    along = np.column_stack((np.cos(angle), np.sin(angle)))
    across = np.column_stack((-np.sin(angle), np.cos(angle)))
    a = ARM * (turning(angle, rate)[:, None] * across - (rate**2)[:, None] * along)
    return MASS * (a + np.array([0.0, GRAVITY])), a


def errors(integrator: Any, h: float, output: fx.Output, *more: Any) -> tuple[float, float]:
    """Largest error of the reaction and of the acceleration, relative."""
    model, hinge, bob = pendulum(*more)
    run = fx.simulate(model, END, step=h, integrator=integrator, output=output, progress=False)
    force, a = exact(run.t)
    F, A = run.reaction(hinge)[:, :2], run.acceleration(bob)[:, :2]
    return float(np.abs(F - force).max() / np.abs(force).max()), float(np.abs(A - a).max() / np.abs(a).max())


SCHEMES = [
    (fx.GeneralizedAlpha(), 2), (fx.RungeKutta(order=2), 2), (fx.RungeKutta(order=4), 4), (fx.RungeKutta(order=5), 5),
    (fx.BDF(max_order=2), 2), (fx.BDF(max_order=3), 3), (fx.BDF(max_order=4), 4),
]  # fmt: skip


@pytest.mark.parametrize(("integrator", "order"), SCHEMES, ids=lambda x: str(x)[:24])
def test_order_between_steps(integrator: Any, order: int) -> None:
    """Halving the steps divides the errors at times within steps by 2^order, as it does at their ends."""
    times = fx.Output(at=tuple(np.linspace(0.317, 1.171, 23)))
    coarse, fine = errors(integrator, 0.04, times), errors(integrator, 0.02, times)
    for a, b in zip(coarse, fine, strict=True):
        assert np.log2(a / b) > order - 0.35


@pytest.mark.parametrize("integrator", [fx.RungeKutta(order=5), fx.BDF(), fx.RadauIIA()], ids=lambda x: str(x)[:12])
@pytest.mark.parametrize("energy", [False, True])
def test_as_accurate_as_the_steps(integrator: Any, energy: bool) -> None:
    """Under error control reactions between steps are not worse than those of steps by more than a factor."""
    control = fx.ErrorControl(rtol=1e-7)
    at_steps = errors(integrator, control, fx.Output(energy=energy))
    between = errors(integrator, control, fx.Output(every=0.0137, energy=energy))
    assert all(b < 4.0 * a for a, b in zip(at_steps, between, strict=True))


@pytest.mark.slow  # compiles steps of its own
@pytest.mark.parametrize("integrator", [fx.RungeKutta(order=5), fx.BDF()], ids=lambda x: str(x)[:12])
def test_same_numbers_by_every_road(integrator: Any, tmp_path: Path) -> None:
    """Compiled or not, solved for later or as states are stored: the same bits."""

    def found(compiled: bool, **options: Any) -> tuple[FloatArray, FloatArray]:
        model, _, _ = pendulum()
        run = fx.simulate(
            model, END, step=0.01, integrator=replace(integrator, compiled=compiled),
            output=fx.Output(every=0.0137), progress=False, **options,
        )  # fmt: skip
        return run.lam, run.a

    plain = found(False)
    for lam, a in (found(True), found(False, file=tmp_path / "a.h5"), found(True, file=tmp_path / "b.h5")):
        np.testing.assert_array_equal(lam, plain[0])
        np.testing.assert_array_equal(a, plain[1])


@pytest.mark.slow  # compiles steps of its own
def test_with_held_forces_on_both_roads() -> None:
    """Between the samples of a controller: the multipliers of steps that are a quarter as long, and end there."""
    cart = Cart()
    system = fx.compile_model(cart.model(cart.feedback(period=0.05)))
    times = tuple(0.0125 + 0.025 * np.arange(20))

    def found(step: float, compiled: bool, output: fx.Output | None) -> fx.TimeSolution:
        scheme = fx.RungeKutta(order=5, compiled=compiled)
        return fx.simulate(system, 0.5, step=step, integrator=scheme, output=output, progress=False)

    fine = found(0.0025, compiled=False, output=fx.Output(at=times))
    plain, compiled = (found(0.01, compiled=c, output=fx.Output(at=times)) for c in (False, True))
    assert np.array_equal(plain.lam, compiled.lam)
    assert np.abs(plain.lam - fine.lam).max() < 1e-7 * np.abs(fine.lam).max()
    every = found(0.01, compiled=False, output=None)
    assert np.array_equal(every.q[-1], plain.q[-1])  # what is solved on the way leaves the steps alone
    assert np.array_equal(every.lam[-1], plain.lam[-1])
