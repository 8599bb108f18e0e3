"""Driven motion: bad input, models with freedoms or contradictions, positions that cannot be reached, results kept."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest

import flexmbs as fx
from flexmbs.verification.cases.mechanisms.driven_mechanisms import four_bar, slider_crank
from flexmbs.verification.reference.driven import FourBar, SliderCrank

BARS = FourBar(1.0, 3.0, 2.5, 3.0)


def motor(model: fx.Model, motion: object, joint: str = "A") -> fx.Model:
    return model.with_(fx.RotationDriver(model.joint(joint), motion, name="motor"))


def test_freedoms_are_named() -> None:
    with pytest.raises(fx.ModelError, match=r"leave 1 freedom: .* of body '(crank|coupler|rocker)'"):
        fx.kinematics.solve_kinematics(four_bar(BARS, 0.5), until=1.0)
    loose = fx.PlanarRigidBody(1.0, 0.1, name="loose")
    with pytest.raises(fx.ModelError, match=r"3 freedoms: .*'loose'"):
        fx.kinematics.solve_kinematics(motor(four_bar(BARS, 0.5), 0.0).with_(loose), until=1.0)


def test_flexible_bodies_are_freedoms() -> None:
    beam = fx.FlexibleBody.line(
        (0, 0), (1, 0), elements=2, element=fx.elements.ANCFCable2D(),
        stiffness=fx.BeamStiffness(EA=1e3, EI_z=1.0, mass_per_length=1.0), name="beam",
    )  # fmt: skip
    model = fx.Model(beam, fx.RevoluteJoint(fx.ground, beam.start, name="hinge"))
    with pytest.raises(fx.ModelError, match=r"freedoms: .*'beam'"):
        fx.kinematics.solve_kinematics(model, until=1.0)


def test_models_that_geometry_cannot_move() -> None:
    with pytest.raises(fx.ModelError, match="3 freedoms"):
        fx.kinematics.solve_kinematics(fx.Model(fx.PlanarRigidBody(1.0, 0.1)), until=1.0)
    model = four_bar(BARS, 0.5)
    rated = model.with_(fx.RotationDriver(model.joint("A"), rate=1.0, name="motor"))
    with pytest.raises(fx.ModelError, match=r"rate of angle of joint 'motor' prescribes a velocity.*motion="):
        fx.kinematics.solve_kinematics(rated, until=1.0)
    friction = fx.BristleFriction(model.joint("A"), 0.3, load=1.0, deflection=0.01, damping=0.1, name="friction")
    with pytest.raises(fx.ModelError, match=r"'friction'.*acts in a simulation only"):
        fx.kinematics.solve_kinematics(motor(model, 0.0).with_(friction), until=1.0)


def test_bad_arguments() -> None:
    model = motor(four_bar(BARS, 0.5), 0.0)
    for wrong, says in (
        ({"until": -1.0}, "until"),
        ({"until": 1.0, "step": 0.0}, "step"),
        ({"until": 1.0, "step": "fine"}, "step must be a number"),
        ({"until": 1.0, "output": 0.1}, "output must be an Output"),
        ({"until": 1.0, "throw": 1}, "throw"),
    ):
        with pytest.raises(fx.ModelError, match=says):
            fx.kinematics.solve_kinematics(model, **wrong)
    with pytest.raises(fx.ModelError, match="expected a Model"):
        fx.kinematics.solve_kinematics("four-bar", until=1.0)


def test_drivers_that_contradict_each_other_later() -> None:
    """In a parallelogram both cranks turn alike; a second driver that starts alike and then does not is found."""
    model = motor(four_bar(FourBar(1.0, 3.0, 1.0, 3.0), math.pi / 2), fx.motions.Linear(0.5))
    same = fx.RotationDriver(model.joint("D"), fx.motions.Linear(0.5), name="second")
    run = fx.kinematics.solve_kinematics(model.with_(same), until=1.0)
    assert run.angle("D")[-1] == pytest.approx(0.5, abs=1e-11)
    assert len(run.redundant) == 1
    other = fx.RotationDriver(model.joint("D"), lambda t: 0.5 * t + 0.01 * t**4, name="second")
    with pytest.raises(fx.ModelError, match=r"contradict each other: .*'second'"):
        fx.kinematics.solve_kinematics(model.with_(other), until=1.0)


def test_lock_up_keeps_what_was_found() -> None:
    data = FourBar(2.0, 1.5, 1.5, 3.0)
    model = motor(four_bar(data, 0.5), fx.motions.Linear(1.0))
    with pytest.raises(fx.ConvergenceError, match=r"locks up at t = .*'motor'") as caught:
        fx.kinematics.solve_kinematics(model, until=2.0)
    solution = caught.value.solution
    when = data.lock_up - 0.5
    assert when - 0.01 <= solution.t[-1] <= when
    assert solution.status is fx.Status.LOCKED_UP
    kept = fx.kinematics.solve_kinematics(model, until=2.0, throw=False)
    assert kept.status is fx.Status.LOCKED_UP
    assert len(kept) == len(solution)


def test_jumps_to_another_branch_do_not_happen() -> None:
    """Steps as long as a quarter of a turn are divided: the rocker stays on its side."""
    model = motor(four_bar(BARS, 0.5), fx.motions.Linear(2.0 * math.pi))
    run = fx.kinematics.solve_kinematics(model, until=3.0, step=0.25)
    exact = BARS.angles(np.linspace(0.5, 0.5 + 6.0 * math.pi, 12001))[1][0][:: 12000 // 12]
    assert run.angle("D") == pytest.approx(exact - exact[0], abs=1e-10)


def test_a_start_at_a_singular_position_is_refused() -> None:
    with pytest.raises(fx.ModelError, match="singular"):
        fx.kinematics.solve_kinematics(
            motor(four_bar(FourBar(1.0, 3.0, 1.0, 3.0), 1e-13), fx.motions.Linear(1.0)), until=1.0
        )


def test_a_singular_position_on_the_way_is_reported() -> None:
    model = motor(four_bar(FourBar(1.0, 3.0, 1.0, 3.0), 0.5), fx.motions.Linear(1.0))
    with pytest.warns(RuntimeWarning, match="passes a singular position"):
        run = fx.kinematics.solve_kinematics(model, until=3.0)
    ((begin, end),) = run.extra["singular"]
    assert begin < math.pi - 0.5 < end
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fx.kinematics.solve_kinematics(model, until=2.0)


def test_output_times_energy_and_file(tmp_path) -> None:
    model = motor(slider_crank(SliderCrank(0.3, 0.8), 0.4), fx.motions.Ramp(0.0, 1.0, duration=1.0))
    run = fx.kinematics.solve_kinematics(model, until=1.0, output=fx.Output(at=(0.3, 0.7)))
    assert run.t == pytest.approx([0.0, 0.3, 0.7, 1.0])
    bare = fx.kinematics.solve_kinematics(model, until=1.0, output=fx.Output(every=0.5, energy=False))
    assert np.isnan(bare.energy.kinetic).all()
    coarse, fine = (fx.kinematics.solve_kinematics(model, until=1.0, step=h).energy.balance for h in (0.02, 0.01))
    assert np.abs(fine).max() < 0.3 * np.abs(coarse).max()  # trapezoidal rule: a quarter
    again = fx.load(run.save(tmp_path / "run.h5"))
    assert again.position("slider") == pytest.approx(run.position("slider"), abs=0)


def test_initial_velocities_do_not_matter() -> None:
    still = motor(four_bar(BARS, 0.5), fx.motions.Linear(1.0))
    run = fx.kinematics.solve_kinematics(still, until=0.1)
    assert run.angular_velocity("crank")[0, 2] == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("at", [(0.5, 2.0), (-0.5, 0.5)])
def test_times_outside_the_motion_are_refused(at: tuple[float, ...]) -> None:
    arm = fx.PlanarRigidBody.rod((0, 0), (1, 0), mass=1.0, name="arm")
    hinge = fx.RevoluteJoint(fx.ground, arm, at=(0, 0), name="hinge")
    model = fx.Model(arm, hinge, fx.RotationDriver(hinge, fx.motions.Linear(1.0), name="motor"))
    with pytest.raises(fx.ModelError, match=r"solve_kinematics: Output\(at=...\) asks for the state at"):
        fx.kinematics.solve_kinematics(model, until=1.0, output=fx.Output(at=at))


def test_a_simulation_from_a_driven_motion_says_where_to_begin() -> None:
    arm = fx.PlanarRigidBody.rod((0, 0), (1, 0), mass=1.0, name="arm")
    hinge = fx.RevoluteJoint(fx.ground, arm, at=(0, 0), name="hinge")
    model = fx.Model(arm, hinge, fx.RotationDriver(hinge, fx.motions.Linear(1.0), name="motor"))
    motion = fx.kinematics.solve_kinematics(model, until=1.0)
    with pytest.raises(fx.ModelError, match="solve_kinematics and poses read from a file do not"):
        fx.simulate(model, until=2.0, start=motion)
