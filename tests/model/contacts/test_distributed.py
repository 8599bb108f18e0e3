"""Contacts along flexible bodies: what they are refused for, and what must hold whatever the numbers."""

from __future__ import annotations

import math
import warnings
from contextlib import nullcontext
from typing import Any

import numpy as np
import pytest

import flexmbs as fx

C = fx.contact
RUBBER = fx.Elastic(youngs_modulus=1e7, poissons_ratio=0.3, density=1100.0, name="rubber")
LAW = C.HuntCrossleyLaw(stiffness=1e6, exponent=1.5, damping=0.5)


def rope(y: float = 0.0, elements: int = 6, length: float = 1.0, **options: Any) -> Any:
    return fx.FlexibleBody.line((0, y), (length, y), elements=elements, element=fx.elements.ANCFCable2D(),
                                section=fx.Circle(diameter=0.02), material=RUBBER, name="rope", **options)  # fmt: skip


def floor() -> Any:
    return C.Plane(fx.ground.marker((0, 0), axis=(0, 1)))


def dropped(height: float = 0.012, **options: Any) -> tuple[Any, Any, Any]:
    body = rope(height)
    touch = fx.Contact((floor(), C.Tube(body, radius=0.01)), LAW, name="touch", **options)
    return body, touch, fx.Model(body, touch, fx.Gravity((0, -9.81)))


def test_overlap_at_the_start_is_refused_with_its_depth() -> None:
    _, _, model = dropped(0.008)
    with pytest.raises(fx.ModelError, match=r"'touch'.*Tube of body 'rope' overlap by 0.002"):
        fx.simulate(model, until=0.01, step=1e-3)


def test_bodies_that_carry_no_tube_or_skin() -> None:
    ball = fx.RigidBody.sphere(radius=0.1, mass=1.0, name="ball")
    with pytest.raises(fx.ModelError, match=r"a line .cable or beam."):
        C.Tube(ball, radius=0.1)
    sheet = fx.FlexibleBody.plate((1, 1), elements=(1, 1), element=fx.elements.ANCFThinPlate(),
                                  section=fx.ShellSection(0.01), material=RUBBER, name="sheet")  # fmt: skip
    with pytest.raises(fx.ModelError, match=r"take fx.contact.Skin"):
        C.Tube(sheet, radius=0.1)
    with pytest.raises(fx.ModelError, match=r"take fx.contact.Tube"):
        C.Skin(rope(), thickness=0.1)
    beam = fx.FlexibleBody.line((0, 0), (1, 0), elements=2, element=fx.elements.LinearBeam2D(),
                                section=fx.Circle(diameter=0.02), material=RUBBER, name="beam")  # fmt: skip
    with pytest.raises(fx.ModelError, match="no interpolation by vectors"):
        C.Tube(beam, radius=0.01)


def test_a_tube_thicker_than_its_radius_of_curvature() -> None:
    mesh = fx.meshes.arc((0, 0), radius=0.1, start_angle=0.0, end_angle=3.0, elements=12)
    ring = fx.FlexibleBody(mesh, fx.elements.ANCFCable2D(), section=fx.Circle(diameter=0.02), material=RUBBER,
                           name="ring")  # fmt: skip
    C.Tube(ring, radius=0.099)
    with pytest.raises(fx.ModelError, match=r"radius 0.101 is not below the radius of curvature 0.1 "):
        C.Tube(ring, radius=0.101)


def test_what_cannot_touch() -> None:
    body = rope(0.1)
    tube = C.Tube(body, radius=0.01)
    with pytest.raises(fx.ModelError, match="no two of its parts can touch"):
        fx.Contact((tube, C.Tube(body, radius=0.02)), LAW)
    knob = C.Sphere(body.end, radius=0.1)
    with pytest.raises(fx.ModelError, match="both are on the same body"):
        fx.Contact((tube, knob), LAW, pairs=[(tube, knob)])
    with pytest.raises(fx.ModelError, match="the law of Hertz is for balls and planes"):
        fx.Contact((tube, floor()), C.HertzLaw(material=RUBBER))


def test_statics_and_energy_momentum_refuse() -> None:
    body = rope(0.01)
    touch = fx.Contact(
        (floor(), C.Tube(body, radius=0.01)), LAW, C.BristleLaw(0.3, stiffness=1e5, damping=1e3), name="touch"
    )
    with pytest.raises(fx.ModelError, match="'touch' remembers its past"):
        fx.solve_static(fx.Model(body, touch, fx.Clamp(body.start)))
    _, _, model = dropped()
    with pytest.raises(fx.ModelError, match="contact 'touch'"):
        fx.simulate(model, until=0.01, step=1e-3, integrator=fx.EnergyMomentum())


def test_a_rope_on_a_body_that_it_is_fixed_to_is_left_out_and_named() -> None:
    drum = fx.PlanarRigidBody(mass=1.0, inertia=0.1, position=(0, -0.1), name="drum")
    body = rope(0.0)
    shape, tube = C.Cylinder(drum.centre, radius=0.09), C.Tube(body, radius=0.01)
    hinge = fx.RevoluteJoint(drum, body.start)
    with pytest.warns(UserWarning, match="'touch' between .*drum.* and Tube of body 'rope'"):
        run = fx.simulate(fx.Model(drum, body, hinge, fx.Contact((shape, tube), LAW, name="touch")), 0.002, step=1e-3)
    assert run.contact("touch").pairs == ()
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        touch = fx.Contact((shape, tube), LAW, pairs=[(shape, tube)], name="touch")
        run = fx.simulate(fx.Model(drum, body, hinge, touch), 0.002, step=1e-3)
    assert len(run.contact("touch").pairs) == 1


def test_depth_of_a_rope_that_lies() -> None:
    body = rope(0.01)
    law = C.HuntCrossleyLaw(stiffness=1e6, exponent=1.5)
    touch = fx.Contact((floor(), C.Tube(body, radius=0.01)), law, name="touch")
    model = fx.Model(body, touch, fx.Gravity((0, -9.81), history=fx.Constant()), fx.Roller(body.start, (1, 0)))
    lies = fx.solve_static(model)
    q = body.mass * 9.81
    history = lies.contact(touch)
    assert history.force[-1, 0] == pytest.approx([0.0, q, 0.0], abs=1e-7 * q)
    assert -history.along[0].gap[-1] == pytest.approx((q / 1e6) ** (2 / 3) * np.ones(18), rel=1e-6)
    assert lies.position(body.end, step=-1)[1] == pytest.approx(0.01 - (q / 1e6) ** (2 / 3), rel=1e-6)


def test_modes_of_a_rope_that_lies() -> None:
    """It heaves on its floor as a whole, with the tangent of the law at its depth."""
    body = rope(0.01)
    touch = fx.Contact((floor(), C.Tube(body, radius=0.01)), C.HuntCrossleyLaw(stiffness=1e6), name="touch")
    model = fx.Model(body, touch, fx.Gravity((0, -9.81), history=fx.Constant()), fx.Roller(body.start, (1, 0)))
    modes = fx.solve_modal(fx.solve_static(model), modes=6)
    depth = (body.mass * 9.81 / 1e6) ** (2 / 3)
    wanted = math.sqrt(1.5 * 1e6 * depth**0.5 / body.mass) / (2 * math.pi)  # of a rope of 1 m
    assert np.abs(np.asarray(modes.frequencies) - wanted).min() < 1e-5 * wanted


def test_resumed_to_the_bit_and_stored(tmp_path: Any) -> None:
    body = rope(0.012)
    friction = C.BristleLaw(0.3, stiffness=1e5, damping=1e2)
    touch = fx.Contact((floor(), C.Tube(body, radius=0.01)), LAW, friction, name="touch")
    model = fx.Model(body, touch, fx.Gravity((1.0, -9.81)))
    whole, half = (fx.simulate(model, until=until, step=5e-4) for until in (0.04, 0.02))
    rest = fx.simulate(model, until=0.04, start=half, step=5e-4)
    assert whole.contact(touch).normal.max() > 1.0
    assert np.array_equal(whole.q[-1], rest.q[-1])
    assert np.array_equal(whole.v[-1], rest.v[-1])
    whole.save(tmp_path / "run.h5")
    stored = fx.load(tmp_path / "run.h5")
    assert np.array_equal(stored.contact("touch").normal, whole.contact(touch).normal)


def test_momentum_is_kept_and_energy_accounted_for() -> None:
    body = rope(0.101, length=0.8)
    drum = fx.PlanarRigidBody(mass=2.0, inertia=0.01, position=(0.3, 0.0), velocity=(0.0, 0.5), angular_velocity=20.0,
                              name="drum")  # fmt: skip
    touch = fx.Contact((C.Cylinder(drum.centre, radius=0.09), C.Tube(body, radius=0.01, points=12)), LAW,
                       C.CoulombLaw(0.4, speed=0.05), name="touch")  # fmt: skip
    run = fx.simulate(fx.Model(body, drum, touch), until=0.03, step=2e-5, output=fx.Output(every=2e-5),
                      integrator=fx.GeneralizedAlpha(rho_inf=0.9))  # fmt: skip
    linear, angular = run.momentum()
    history = run.contact(touch)
    assert history.normal.max() > 1.0
    assert np.abs(linear - linear[0]).max() < 1e-9
    assert np.abs(angular - angular[0])[:, 2].max() < 2e-5 * 0.2  # the moment of a step, not of its ends
    energy = run.energy
    before = energy.kinetic[0]
    total = energy.kinetic + energy.strain + energy.springs
    assert history.loss[-1, 0] > 0.04
    assert before - total[-1] == pytest.approx(history.loss[-1, 0], rel=0.02)
    assert np.abs(energy.balance).max() < 0.01 * history.loss[-1, 0]


@pytest.mark.parametrize(("elements", "points", "told"), [(10, 3, "one point"), (40, 3, "two points"), (20, 9, "")])
def test_a_beam_on_a_ball_tells_where_too_few_points_carry_it(elements: int, points: int, told: str) -> None:
    """Deflection of a cantilever with a yielding prop, by Euler and Bernoulli; in statics, and at rest in a motion."""
    a, load, bending, radius = 0.64, 10.0, 2.1e11 * math.pi * 0.02**4 / 64, 0.2
    beam = fx.FlexibleBody.line(
        (0, 0, 0), (1, 0, 0), elements=elements, element=fx.elements.ANCFCable3D(), section=fx.Circle(diameter=0.02),
        material=fx.Elastic(youngs_modulus=2.1e11, density=7800), name="beam",
    )  # fmt: skip
    prop = C.Sphere(fx.ground.marker((a, 0, -radius - 0.01)), radius=radius)
    law = C.HuntCrossleyLaw(stiffness=1e7, exponent=1)
    contact = fx.Contact((C.Tube(beam, radius=0.01, points=points), prop), law, allow_overlap=True, name="prop")
    model = fx.Model(beam, fx.Clamp(beam.start), contact, fx.PointForce(beam.end, (0, 0, -load)))
    with pytest.warns(fx.AccuracyWarning, match=f"no more than {told}") if told else nullcontext():
        rest = fx.solve_static(model)
    with pytest.warns(fx.AccuracyWarning, match=f"no more than {told}") if told else nullcontext():
        fx.simulate(model, until=1e-4, step=1e-5, start=rest)
    force = rest.contact(contact).normal[-1]
    sunk = (0.75 * force / 1e7 / math.sqrt(2.0 * (radius + 0.01))) ** (2.0 / 3.0)  # of a parabola on its springs
    at_prop = load * a * a * (3.0 - a) / (6.0 * bending) - force * a**3 / (3.0 * bending)
    tip = load / (3.0 * bending) - force * a * a * (3.0 - a) / (6.0 * bending)
    off = -rest.displacement(beam.end, -1)[2] / tip - 1.0
    assert (abs(at_prop - sunk) < 0.03 * sunk) == (points == 9)
    assert abs(off) < 0.02 or points != 9


def test_a_contact_that_has_just_begun_is_not_told_to_have_few_points() -> None:
    """A rope that is let down aslant touches with one point first."""
    body = fx.FlexibleBody.line((0, 0.011), (1, 0.012), elements=6, element=fx.elements.ANCFCable2D(),
                                section=fx.Circle(diameter=0.02), material=RUBBER, name="rope")  # fmt: skip
    touch = fx.Contact((floor(), C.Tube(body, radius=0.01)), LAW, name="touch")
    model = fx.Model(body, touch, fx.Gravity((0, -9.81)))
    run = fx.simulate(model, until=0.05, events=[touch.event("closes", terminal=True)])
    assert run.status is fx.Status.STOPPED
    assert run.contact(touch).gap[-1].min() < 1e-6


def test_error_control_does_not_miss_it_and_events_tell() -> None:
    body, touch, model = dropped(0.21)
    closes = touch.event("closes", terminal=True)
    run = fx.simulate(model, until=1.0, events=[closes])
    assert run.t[-1] == pytest.approx(math.sqrt(2 * 0.2 / 9.81), rel=1e-6)
    run = fx.simulate(model, until=0.25)
    assert run.contact(touch).normal.max() > 0.0
    assert run.position(body.end)[:, 1].min() > 0.0


def test_plane_and_space_agree() -> None:
    def hung(space: bool) -> Any:
        start, end = ((-0.5, 0.2), (0.5, 0.2)) if not space else ((-0.5, 0, 0.2), (0.5, 0, 0.2))
        body = fx.FlexibleBody.line(start, end, elements=10, section=fx.Circle(diameter=0.02), material=RUBBER,
                                    element=fx.elements.ANCFCable3D() if space else fx.elements.ANCFCable2D(),
                                    name="rope")  # fmt: skip
        axis = fx.ground.marker((0, 0, 0), axis=(0, 1, 0)) if space else fx.ground.marker((0, 0))
        touch = fx.Contact((C.Cylinder(axis, radius=0.18), C.Tube(body, radius=0.01, points=6)), LAW,
                           C.CoulombLaw(0.3, speed=0.01), name="touch")  # fmt: skip
        down = (0, 0, -9.81) if space else (0, -9.81)
        run = fx.simulate(fx.Model(body, touch, fx.Gravity(down)), 0.1, step=5e-4)
        return run.position(body.end)[-1], run.contact(touch).force[-1, 0]

    flat, space = hung(False), hung(True)
    for one, other in zip(flat, space, strict=True):
        assert one[[0, 1]] == pytest.approx(other[[0, 2]], rel=1e-6, abs=1e-9)


def test_compiled_steps_are_those_of_python() -> None:
    ends = []
    for compiled in (True, False):
        _, touch, model = dropped()
        run = fx.simulate(model, until=0.05, step=2.5e-4, integrator=fx.GeneralizedAlpha(compiled=compiled))
        assert run.contact(touch).normal.max() > 0.0
        ends.append((run.q[-1], run.energy.balance[-1]))
    assert np.array_equal(ends[0][0], ends[1][0])
    assert ends[0][1] == ends[1][1]


@pytest.mark.parametrize("scheme", [fx.BDF(), fx.RadauIIA(), fx.RungeKutta()])
def test_other_schemes_agree(scheme: Any) -> None:
    _, touch, model = dropped()
    exact = fx.simulate(model, until=0.03, step=fx.ErrorControl(rtol=1e-8))
    other = fx.simulate(model, until=0.03, step=fx.ErrorControl(rtol=1e-8), integrator=scheme)
    assert other.contact(touch).normal.max() > 0.0
    assert other.q[-1] == pytest.approx(exact.q[-1], abs=1e-6)


def test_bristles_hold_a_rope_on_a_slope() -> None:
    body = rope(0.01)
    friction = C.BristleLaw(0.5, stiffness=1e6, damping=1e3)
    touch = fx.Contact((floor(), C.Tube(body, radius=0.01)), LAW, friction, name="touch")
    weight = fx.Gravity((9.81 * math.sin(0.3), -9.81 * math.cos(0.3)))
    run = fx.simulate(fx.Model(body, touch, weight, fx.RayleighDamping(body, mass=20.0)), until=1.0, step=2e-3)
    x = run.position(body.end)[:, 0]
    assert np.ptp(x[run.t > 0.5]) < 1e-8
    slides = fx.Contact((floor(), C.Tube(body, radius=0.01)), LAW, C.BristleLaw(0.2, stiffness=1e6, damping=1e3))
    run = fx.simulate(fx.Model(body, slides, weight), until=1.0, step=2e-3)
    way = 0.5 * 9.81 * (math.sin(0.3) - 0.2 * math.cos(0.3))
    assert run.position(body.end)[-1, 0] - 1.0 == pytest.approx(way, rel=0.01)


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize(("stiffness", "early"), [(1e4, True), (1e7, False)])
def test_bristles_along_a_body_that_let_go_early_are_told(stiffness: float, early: bool, compiled: bool) -> None:
    """The rope is pulled along by a weight that grows, its bristles being bent by 1.7e-3 m/s or a thousandth of it."""
    body = rope(0.01 - (9.81 * 1100.0 * math.pi * 1e-4 / 1e6) ** (1 / 1.5))
    friction = C.BristleLaw(0.3, stiffness=stiffness, damping=0.01 * stiffness, static=0.5, falling=5e-3)
    law = C.HuntCrossleyLaw(stiffness=1e6, exponent=1.5, damping=20.0)
    touch = fx.Contact((floor(), C.Tube(body, radius=0.01)), law, friction, allow_overlap=True, name="touch")
    pull = fx.Gravity((9.81, 0), history=lambda t: 5.0 * t)
    model = fx.Model(body, touch, fx.Gravity((0, -9.81)), pull)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always", fx.AccuracyWarning)
        run = fx.simulate(model, until=0.13, step=2e-4, output=fx.Output(every=0.13),
                          integrator=fx.GeneralizedAlpha(compiled=compiled))  # fmt: skip
    assert run.velocity(body.end)[-1, 0] > 0.05  # it has let go
    told = [str(w.message) for w in said if "let go at a friction of 0." in str(w.message)]
    assert len(told) == early, told
    assert all("'touch': Tube of body " in text and "instead of static = 0.5" in text for text in told)
