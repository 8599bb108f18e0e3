"""Preloads of springs: balances by hand, what is not unique or not balanced, and that nothing is written to."""

from __future__ import annotations

from math import pi

import numpy as np
import pytest

import flexmbs as fx

G = 9.81
WEIGHT = fx.Gravity((0, -G), history=fx.Constant())


def plank(*springs, mass=30.0, guide=True):
    """A plank 3 long, its centre of mass 1 from its left end; springs below it at the given places."""
    body = fx.PlanarRigidBody(mass, 5.0, position=(1.0, 1.0), name="plank")
    held = [fx.PointOnLineConstraint(fx.ground, body, at=(1.0, 1.0), axis=(0, 1, 0), name="guide")] if guide else []
    under = [
        fx.SpringDamper(fx.ground.marker((x, 0)), body.marker_at((x, 1.0)), stiffness=1e4, name=f"at {x:g}")
        for x in springs
    ]
    return fx.Model(body, *held, *under, WEIGHT), body


def still(model, body, place):
    """How far a body is from a place in equilibrium and in motion."""
    rest = fx.solve_static(model)
    run = fx.simulate(model, until=0.2, step=0.01, progress=False)
    return max(np.abs(rest.position(body)[-1] - place).max(), np.abs(run.position(body) - place).max())


def test_levers_and_nothing_moves():
    model, body = plank(0, 3)
    before = [spring.preload for spring in model.forces]
    found = fx.solve_preloads(model)
    assert found.values["at 0"] == pytest.approx(-30.0 * G * 2 / 3, rel=1e-12)
    assert found.values["at 3"] == pytest.approx(-30.0 * G / 3, rel=1e-12)
    assert [spring.preload for spring in model.forces] == before == [0.0, 0.0]
    assert found.model is not model
    assert still(found.model, body, (1, 1, 0)) < 1e-10


def test_a_spring_that_is_already_tight_keeps_what_it_has():
    model, body = plank(0, 3)
    left, right = model.forces
    tight = fx.SpringDamper(left.a, left.b, stiffness=1e4, free_length=1.005, preload=-20.0, name="tight")
    found = fx.solve_preloads(fx.Model(*[x for x in model.items if x is not left], tight))
    # in all the force is as before: 1e4 (1 - 1.005) - 50 + preload
    assert found.values["tight"] == pytest.approx(-30.0 * G * 2 / 3 + 50.0, rel=1e-11)
    assert found.values[right.name] == pytest.approx(-30.0 * G / 3, rel=1e-11)
    assert still(found.model, body, (1, 1, 0)) < 1e-10


def test_torsion_spring_on_a_joint():
    arm = fx.PlanarRigidBody.rod((0, 0), (0.8, 0), mass=2.5, name="arm")
    hinge = fx.RevoluteJoint(fx.ground, arm, at=(0, 0), name="hinge")
    spring = fx.TorsionSpring(hinge, stiffness=4.0, name="spring")
    motor = fx.TorsionSpring(hinge, damping=0.1, name="damper only")
    found = fx.solve_preloads(fx.Model(arm, hinge, spring, motor, WEIGHT), [spring])
    assert found.values == {"spring": pytest.approx(-2.5 * G * 0.4, rel=1e-12)}
    assert still(found.model, arm, (0.4, 0, 0)) < 1e-10


def test_bushing_with_all_its_components():
    arm = fx.PlanarRigidBody.rod((0, 0), (0.8, 0), mass=2.5, name="arm")
    bush = fx.Bushing(fx.ground, arm, (1e4, 2e4, 300.0), at=(0, 0), name="bush")
    found = fx.solve_preloads(fx.Model(arm, bush, WEIGHT))
    assert found.values["bush"] == pytest.approx([0.0, -2.5 * G, -2.5 * G * 0.4], rel=1e-9, abs=1e-9)
    assert still(found.model, arm, (0.4, 0, 0)) < 1e-9


def test_a_flexible_beam_sags_between_springs_that_keep_their_length():
    """Ends stay; the middle sinks by 5 m g L^3 / (384 EI), to the square of the slope (1.3 %)."""
    beam = fx.FlexibleBody.line(
        (0, 0), (2, 0), elements=8, element=fx.elements.ANCFCable2D(),
        stiffness=fx.BeamStiffness(EA=1e6, EI_z=2000.0, mass_per_length=3.0), name="beam",
    )  # fmt: skip
    springs = [
        fx.SpringDamper(fx.ground.marker((x, -0.5)), end, stiffness=500.0, name=f"at {x}")
        for x, end in ((0, beam.start), (2, beam.end))
    ]
    model = fx.Model(beam, *springs, fx.Roller(beam.start, normal=(1, 0)), WEIGHT)
    found = fx.solve_preloads(model)
    bent = fx.solve_static(found.model)
    for end, spring in ((beam.start, "at 0"), (beam.end, "at 2")):
        assert found.values[spring] == pytest.approx(-3.0 * G, rel=1e-5)
        assert abs(bent.displacement(end, step=-1)[1]) < 1e-5
    sag = 5.0 * 6.0 * G * 8.0 / (384.0 * 2000.0)
    assert -bent.displacement(beam.node(4), step=-1)[1] == pytest.approx(sag, rel=0.02)


def test_four_springs_under_a_table_are_named_and_shared():
    top = fx.RigidBody.box(size=(2.0, 1.0, 0.1), mass=40.0, position=(0, 0, 1.0), name="top")
    legs = [
        fx.SpringDamper(fx.ground.marker((x, y, 0)), top.marker_at((x, y, 1.0)), stiffness=1e4, name=f"leg {i}")
        for i, (x, y) in enumerate(((-1, -0.5), (1, -0.5), (1, 0.5), (-1, 0.5)))
    ]
    rail = fx.CylindricalJoint(fx.ground, top, at=(0, 0, 1), axis=(0, 0, 1), name="rail")
    tilting = fx.Model(top, *legs, fx.Gravity((0, 0, -G)))
    with pytest.raises(fx.ModelError, match=r"not unique: 'leg 0', 'leg 1', 'leg 2', 'leg 3' can work against each"):
        fx.solve_preloads(tilting)
    shared = fx.solve_preloads(tilting, least_norm=True)
    assert list(shared.values.values()) == pytest.approx([-10.0 * G] * 4, rel=1e-9)
    with pytest.raises(fx.ModelError, match=r"Leave 3 of them out, or pass least_norm=True"):
        fx.solve_preloads(fx.Model(top, rail, *legs, fx.Gravity((0, 0, -G))))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda m, b: fx.solve_preloads(m, ["at 9"]), "no spring with a preload named 'at 9'"),
        (lambda m, b: fx.solve_preloads(m, []), "has no springs with a preload"),
        (lambda m, b: fx.solve_preloads(m, [b]), "no spring with a preload named 'plank'"),
        (lambda m, b: fx.solve_preloads(b), "model must be a Model, not PlanarRigidBody 'plank'"),
        (lambda m, b: fx.solve_preloads(m, ["at 0"]), r"'plank' would move by .* Name these in springs="),
        (
            lambda m, b: fx.solve_preloads(m.with_(fx.PointForce(b.centre, (5.0, 0.0)))),
            None,  # the guide takes it
        ),
        (
            lambda m, b: fx.solve_preloads(
                m.with_(fx.SpringDamper(fx.ground.marker((1, 0)), b.centre, force=lambda d, v, t: 0.0, name="f")), ["f"]
            ),
            "is a function, which has no preload",
        ),
    ],
)
def test_what_is_given(change, words):
    model, body = plank(0, 3)
    if words is None:
        assert change(model, body).values["at 3"] == pytest.approx(-10.0 * G, rel=1e-11)
        return
    with pytest.raises(fx.ModelError, match=words):
        change(model, body)


def test_what_no_spring_balances_is_named():
    model, body = plank(0, 3, guide=False)
    free = fx.solve_preloads(model)  # nothing pushes it along x
    assert free.values["at 3"] == pytest.approx(-10.0 * G, rel=1e-11)
    with pytest.raises(fx.ModelError, match=r"no preloads of 'at 0', 'at 3' balance .* forces are left at .*x"):
        fx.solve_preloads(model.with_(fx.PointForce(body.centre, (5.0, 0.0))))


def test_a_spring_that_joints_keep_from_moving():
    arm = fx.PlanarRigidBody.rod((0, 0), (1, 0), mass=1.0, name="arm")
    hinge = fx.RevoluteJoint(fx.ground, arm, at=(0, 0), name="hinge")
    radial = fx.SpringDamper(fx.ground.marker((-1, 0)), arm.marker_at((1, 0)), stiffness=10.0, name="radial")
    spring = fx.TorsionSpring(hinge, stiffness=1.0, name="spring")
    with pytest.raises(fx.ModelError, match="'radial' can hold nothing"):
        fx.solve_preloads(fx.Model(arm, hinge, spring, radial, WEIGHT))


def test_modes_about_the_described_position():
    """With the weight balanced a spring below a guided mass swings at sqrt(k/m), as if there were no weight."""
    mass = fx.PlanarRigidBody(4.0, 1.0, position=(0, 1), name="mass")
    slide = fx.PrismaticJoint(fx.ground, mass, at=(0, 1), axis=(0, 1), name="slide")
    spring = fx.SpringDamper(fx.ground.marker((0, 0)), mass.centre, stiffness=400.0, name="spring")
    found = fx.solve_preloads(fx.Model(mass, slide, spring, WEIGHT))
    assert repr(found) == "<preloads of model 'model': spring -39.24>"
    assert fx.solve_modal(found.model).frequencies[0] == pytest.approx(10.0 / (2.0 * pi), rel=1e-10)
