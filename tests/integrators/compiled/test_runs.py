"""Runs with a driver: going on, failing, falling back, and what they refuse."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest

import flexmbs as fx
import flexmbs.extend
from flexmbs.core.errors import ModelError
from flexmbs.dynamics.evaluation import Dynamics

COMPILED = fx.GeneralizedAlpha(rho_inf=0.8, compiled=True)
PYTHON = fx.GeneralizedAlpha(rho_inf=0.8, compiled=False)


def test_going_on_is_bitwise(models, tmp_path) -> None:
    """Over a checkpoint, from memory and from a file, in Python from what the driver began and the other way round."""
    model = models.slider_crank()
    whole = fx.simulate(model, 0.9, step=1e-3, integrator=COMPILED)
    for first, second in ((COMPILED, COMPILED), (COMPILED, PYTHON), (PYTHON, COMPILED)):
        begun = fx.simulate(model, 0.3217, step=1e-3, integrator=first)
        with_same_steps = fx.simulate(model, 0.9, step=1e-3, integrator=second, start=begun)
        again = fx.simulate(model, 0.9, step=1e-3, integrator=PYTHON, start=begun)
        assert np.array_equal(with_same_steps.q, again.q)
    begun = fx.simulate(model, 0.6, step=1e-3, integrator=COMPILED, file=tmp_path / "begun.h5")
    for start in (begun, fx.load(tmp_path / "begun.h5")):
        rest = fx.simulate(model, 0.9, step=1e-3, integrator=COMPILED, start=start)
        n = len(rest.t) - 1
        for name in ("q", "v", "a", "lam"):
            assert np.array_equal(getattr(rest, name)[1:], getattr(whole, name)[-n:]), name
        assert np.array_equal(rest.energy.total[1:], whole.energy.total[-n:])


def contradiction() -> fx.Model:
    """Two motors on one hinge that part, from 1e-7 at 0.13 on."""
    bar = fx.RigidBody.box(size=(1, 0.1, 0.1), mass=1.0, position=(0.5, 0, 0), name="bar")
    hinge = fx.RevoluteJoint(fx.ground, bar, at=(0, 0, 0), axis=(0, 0, 1), name="hinge")
    drives = [fx.RotationDriver(hinge, motion=fx.motions.Ramp(0, k, 50.0), name=f"drive {k}") for k in (1, 2)]
    return fx.Model(bar, hinge, *drives)


def fail_alike(schemes: Iterable[Any], step: object = 1e-3) -> None:
    """Runs of a contradiction keep the same steps, and end in the same words."""
    found = []
    for scheme in schemes:
        with pytest.raises(fx.ConvergenceError) as caught:
            fx.simulate(contradiction(), 1.0, step=step, integrator=scheme)
        found.append((str(caught.value), caught.value.solution))
    assert found[0][0] == found[1][0]
    assert len(found[0][1]) == len(found[1][1]) > 100
    assert np.array_equal(found[0][1].q, found[1][1].q)


@pytest.mark.parametrize("index", [2, 3])
def test_a_failure_keeps_what_was_found(index: int) -> None:
    fail_alike(fx.GeneralizedAlpha(rho_inf=0.8, index=index, compiled=c) for c in (False, True))


def test_hard_steps_are_left_to_python(both) -> None:
    """A rope with a ball swings; steps of 5 ms do not resolve its axial waves, so some are rejected and divided."""
    end = 2.0 * np.array([np.sin(np.radians(5)), 0.0, -np.cos(np.radians(5))])
    rope = fx.FlexibleBody.line(
        (0, 0, 0), tuple(end), elements=20, element=fx.elements.ANCFCable3D(),
        stiffness=fx.BeamStiffness(EA=1e5, EI_y=1e-4, EI_z=1e-4, mass_per_length=0.01), name="rope",
    )  # fmt: skip
    ball = fx.PointMass(1.0, position=tuple(end), name="ball")
    joints = fx.SphericalJoint(fx.ground, rope.start), fx.SphericalJoint(rope.end, ball)
    run = both(fx.Model(rope, ball, *joints, fx.Gravity((0, 0, -9.81))), 1.0, 5e-3, output=fx.Output(every=0.02))
    assert run.counts["rejected"] > 0


def prevented(model: fx.Model, **settings: object) -> str:
    with pytest.raises(ModelError, match="cannot be compiled") as caught:
        fx.simulate(model, 0.01, step=1e-3, integrator=fx.GeneralizedAlpha(compiled=True, **settings))
    chosen = fx.GeneralizedAlpha(**settings)
    assert len(fx.simulate(model, 0.01, step=1e-3, integrator=chosen).steps) == 10
    return str(caught.value)


def test_what_prevents_a_driver_is_named() -> None:
    ball = fx.PointMass(1.0, position=(0, 0, 1), name="ball")
    weight = fx.Gravity((0, 0, -9.81))
    assert "on demand" in prevented(fx.Model(ball, weight), newton=fx.NewtonOptions(jacobian_update="on_demand"))


def test_a_kernel_without_a_name_is_told(models) -> None:
    """An element of a function's own, which no module can import."""

    @flexmbs.extend.kernel
    def hidden(group, state, env, work):
        return -1

    class Hidden(fx.elements.ANCFCable2D):
        """A kernel that lives in this function."""

        @property
        def force(self):
            return hidden

    system = fx.compile_model(models.cable(3, element=Hidden()))
    with pytest.raises(ModelError, match=r"planar cable.*hidden cannot be imported by name"):
        COMPILED.stepper(Dynamics(system), 1.0)


def test_settings_are_checked() -> None:
    with pytest.raises(ModelError, match="compiled"):
        fx.GeneralizedAlpha(compiled="yes")
    assert fx.GeneralizedAlpha.newmark(compiled=False).compiled is False
