"""Steps whose sizes are chosen by their errors, in chunks: the same decisions as in Python, to the last bit."""

from __future__ import annotations

import numpy as np
import pytest

import flexmbs as fx

OUTPUTS = {"few": fx.Output(every=0.1, energy=False), "between": fx.Output(every=0.0233), "every": fx.Output()}


def pulled(axle: fx.RevoluteJoint, block: fx.RigidBody) -> fx.SpringDamper:
    """A spring that moves the slider-crank."""
    return fx.SpringDamper(fx.ground.marker((0.8, 0, 0)), block.centre, stiffness=60.0, free_length=0.4, name="spring")


@pytest.mark.parametrize("index", [2, 3])
@pytest.mark.parametrize("output", OUTPUTS.values(), ids=OUTPUTS.keys())
def test_slider_crank(both, models, chunks, index: int, output: fx.Output) -> None:
    """Over a checkpoint; the crank turns over, where steps are rejected."""
    run = both(models.slider_crank(pulled), 1.3, fx.ErrorControl(1e-7), index, output=output)
    assert len(run.steps) > 500
    assert run.counts["rejected"] > 0
    assert sum(chunks) > 0.95 * len(run.steps)


@pytest.mark.parametrize("rtol", [1e-3, 1e-5, 1e-8])
def test_chain(both, models, rtol: float) -> None:
    both(models.chain(4), 0.2, fx.ErrorControl(rtol), output=OUTPUTS["few"])


def test_limits(both, models) -> None:
    """Largest and first step, a smallest one that is met, and a number of steps that is used up."""
    model = models.slider_crank(pulled)
    largest = both(model, 0.2, fx.ErrorControl(1e-4, initial_step=1e-5, max_step=1e-3))
    assert largest.steps[:, 1].max() == pytest.approx(1e-3)
    few = both(model, 0.3, fx.ErrorControl(1e-6, max_steps=90), throw=False)
    assert len(few.steps) == 90
    small = both(model, 1.3, fx.ErrorControl(1e-9, initial_step=3e-3, min_step=2e-3), throw=False)
    assert small.status is fx.Status.STEP_TOO_SMALL


def test_cable_with_angles(both, models) -> None:
    """Turns are counted, powers of springs are summed up."""

    def plate(body):
        tip = fx.PlanarRigidBody(0.5, 0.01, position=(1.25, 0), name="plate")
        hinge = fx.RevoluteJoint(body.end, tip, at=(1.2, 0), name="hinge")
        return tip, hinge, fx.TorsionSpring(hinge, stiffness=2.0, damping=0.01, free_angle=1.0, name="coil")

    run = both(models.cable(6, plate), 0.1, fx.ErrorControl(1e-6), output=fx.Output(every=0.0071))
    assert abs(run.energy.dissipated[-1]) > 1e-4


def test_sampled_controller(both, models, chunks) -> None:
    """Steps end at the samples, after which the motion starts anew; the value held is no force."""

    def regulator(axle, block):
        speed = fx.control.VelocitySensor(block, (1, 0, 0))
        return fx.control.PID(speed, fx.control.Signal("voltage"), period=0.03, proportional=-0.02)

    model = models.slider_crank(pulled, regulator)
    run = both(model, 0.3, fx.ErrorControl(1e-6), output=OUTPUTS["between"])
    assert sum(chunks) > 0.8 * len(run.steps)
    assert np.abs(run.held("voltage")[1]).max() > 1e-3
    assert set(np.round(run.steps[:, 0], 12)) >= {round(0.03 * k, 12) for k in range(1, 11)}


def test_going_on_is_bitwise(models) -> None:
    """In Python from what the driver began, and the other way round; sizes go on, too."""
    system = fx.compile_model(models.slider_crank(pulled))
    control = fx.ErrorControl(1e-6)
    schemes = [fx.GeneralizedAlpha(rho_inf=0.8, compiled=c) for c in (False, True)]
    begun = [fx.simulate(system, 0.21, step=control, integrator=s) for s in schemes]
    ends = [fx.simulate(system, 0.6, step=control, integrator=s, start=b) for s in schemes for b in begun]
    for end in ends[1:]:
        assert np.array_equal(end.steps, ends[0].steps)
        assert np.array_equal(end.q, ends[0].q)
