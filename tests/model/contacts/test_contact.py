"""Contact: what it refuses, what it does in motion, and that other roads lead to the same."""

from __future__ import annotations

import math
import re
import warnings
from typing import Any

import numpy as np
import pytest

import flexmbs as fx

C = fx.contact
FLOOR = C.Plane(fx.ground.marker((0, 0, 0), axis=(0, 0, 1)))
G = fx.Gravity((0, 0, -9.81))
BITES = C.HuntCrossleyLaw(stiffness=1e6, damping=0.5)


def ball(z: float = 0.1, velocity: tuple[float, float, float] = (0, 0, 0), name: str = "ball", x: float = 0.0) -> Any:
    return fx.RigidBody.sphere(radius=0.1, mass=1.0, position=(x, 0, z), velocity=velocity, name=name)


def drop(**options: Any) -> tuple[Any, Any, Any]:
    """A ball that comes with 2 m/s, touching."""
    body = ball(velocity=(0, 0, -2.0))
    law = C.HuntCrossleyLaw(stiffness=1e6, restitution=0.7, at_speed=2.0)
    touch = fx.Contact((FLOOR, C.Sphere(body, radius=0.1)), law, name="touch")
    return body, touch, fx.simulate(fx.Model(body, touch), until=0.03, **options)


# --- what it refuses --------------------------------------------------------------------------------------------------


def test_overlap_at_the_start_is_refused_with_its_depth() -> None:
    parts = (FLOOR, C.Sphere(ball(0.08), radius=0.1))
    with pytest.raises(fx.ModelError, match=r"overlap by 0.02 at the start.*allow_overlap=True"):
        fx.Contact(parts, BITES)
    assert len(fx.Contact(parts, BITES, allow_overlap=True).touching) == 1


def test_two_shapes_that_have_no_rows() -> None:
    a, b = ball(1.0), ball(2.0, name="other")
    with pytest.raises(fx.ModelError, match="no two of its parts can touch"):
        fx.Contact((C.Vertex(a), C.Vertex(b)), BITES)
    with pytest.raises(fx.ModelError, match="no contact of a Vertex and a Vertex"):
        fx.Contact(parts := (C.Vertex(a), C.Vertex(b)), BITES, pairs=(parts,))


def test_hertz_needs_balls_and_planes() -> None:
    box = fx.RigidBody.box(size=(0.2, 0.2, 0.2), mass=1.0, position=(0, 0, 1), name="box")
    with pytest.raises(fx.ModelError, match=r"law of Hertz is for balls and planes.*HuntCrossleyLaw"):
        fx.Contact(
            (C.Box(box.centre, size=(0.2, 0.2, 0.2)), C.Sphere(ball(2.0), radius=0.1)), C.HertzLaw(material=fx.steel)
        )


def test_energy_momentum_names_one_that_can() -> None:
    body = ball(0.2)
    touch = fx.Contact((FLOOR, C.Sphere(body, radius=0.1)), BITES, name="touch")
    with pytest.raises(fx.ModelError, match=r"contact 'touch'.*GeneralizedAlpha"):
        fx.simulate(fx.Model(body, touch), until=0.1, step=1e-3, integrator=fx.EnergyMomentum())


def test_statics_refuses_a_bristle() -> None:
    body = ball()
    touch = fx.Contact((FLOOR, C.Sphere(body, radius=0.1)), BITES, C.BristleLaw(0.3, stiffness=1e5, damping=100.0))
    with pytest.raises(fx.ModelError, match="remembers its past"):
        fx.solve_static(fx.Model(body, touch, G))


def test_bodies_that_a_joint_connects_are_left_out_and_named() -> None:
    a, b = ball(0.5, name="a"), ball(0.5, name="b", x=0.3)
    hinge = fx.RevoluteJoint(a, b, at=(0.15, 0, 0.5), axis=(0, 1, 0), name="hinge")
    parts = (FLOOR, C.Sphere(a, radius=0.1), C.Sphere(b, radius=0.1))
    with pytest.warns(UserWarning, match=r"joint connects are left out: 'touch' between .*'a'.* and .*'b'"):
        system = fx.compile_model(fx.Model(a, b, hinge, fx.Contact(parts, BITES, name="touch")))
    assert len(system.mechanics.contact_owners) == 2
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        named = fx.Contact(parts, BITES, pairs=((parts[1], parts[2]),), name="touch")
        system = fx.compile_model(fx.Model(a, b, hinge, named))
    assert len(system.mechanics.contact_owners) == 1


def test_neighbouring_links_of_a_tree_are_left_out_and_named() -> None:
    """Three links in a row, bent so that the first and the third come close: those two may touch."""
    turn = fx.trees.Revolute((0, 1, 0))
    inertia = 0.01 * np.eye(3)
    links = [
        fx.trees.Link("first", 1.0, inertia, (0.25, 0, 0), joint=turn),
        fx.trees.Link("second", 1.0, inertia, (0.25, 0, 0), "first", turn, at=(0.5, 0, 0), start=-2.0),
        fx.trees.Link("third", 1.0, inertia, (0.25, 0, 0), "second", turn, at=(0.5, 0, 0), start=-2.0),
    ]
    tree = fx.trees.Tree(*links, name="arm")
    parts = tuple(C.Sphere(tree.link(link.name), radius=0.05) for link in links)
    touch = fx.Contact(parts, BITES, name="touch")
    with pytest.warns(UserWarning, match="joint connects are left out") as caught:
        system = fx.compile_model(fx.Model(tree, touch))
    [text] = [str(one.message) for one in caught]
    assert text.count("between") == 2
    for one, other in (("first", "second"), ("second", "third")):
        assert re.search(f"between .*'{one}'.* and .*'{other}'", text)
    assert len(system.mechanics.contact_owners) == 1  # of three pairs that of the first and the third is left
    with pytest.warns(UserWarning, match="are left out"):
        run = fx.simulate(fx.Model(tree, touch), until=0.01, step=1e-3)
    [pair] = run.contact(touch).pairs
    assert (pair.a, pair.b) == (parts[0], parts[2])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        named = fx.Contact(parts, BITES, pairs=((parts[0], parts[1]),), name="touch")
        assert len(fx.compile_model(fx.Model(tree, named)).mechanics.contact_owners) == 1
        # two links at the base have no joint with each other
        halves = [fx.trees.Link(name, 1.0, inertia, joint=turn, at=(x, 0, 0)) for name, x in (("a", 0.0), ("b", 1.0))]
        pair = fx.trees.Tree(*halves, name="pair")
        free = fx.Contact([C.Sphere(body, radius=0.05) for body in pair.bodies], BITES)
        assert len(fx.compile_model(fx.Model(pair, free)).mechanics.contact_owners) == 1


@pytest.mark.filterwarnings("ignore:Model .* has gained")
def test_short_contacts_are_told() -> None:
    with pytest.warns(
        fx.AccuracyWarning, match=r"Contact 'touch': .* touched at .*; it lasted \d steps.*Take steps of"
    ):
        drop_from_above(step=1e-3)


def drop_from_above(**options: Any) -> Any:
    body = ball(0.11, velocity=(0, 0, -2.0))
    touch = fx.Contact((FLOOR, C.Sphere(body, radius=0.1)), C.HuntCrossleyLaw(stiffness=1e8), name="touch")
    return fx.simulate(fx.Model(body, touch), until=0.03, **options)


# --- laws --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("e", "speed"), [(0.5, 1.0), (0.9, 0.5), (0.1, 3.0), (0.999, 2.0)])
def test_restitution_and_damping_are_inverse(e: float, speed: float) -> None:
    assert C.restitution(C.damping_for(e, at_speed=speed), speed) == pytest.approx(e, abs=1e-9)


def test_restitution_of_much_damping_is_the_inverse() -> None:
    """e D tends to one: what leaves is as fast as the law lets go, 1/c."""
    for e in (0.001, 0.01, 0.02, 0.03, 0.2, 0.9):
        assert C.restitution(C.damping_for(e, at_speed=2.0), 2.0) == pytest.approx(e, rel=1e-9)
    assert C.restitution(40.0, 1.0) == pytest.approx(1.0 / 40.0, rel=1e-12)
    below, above = C.restitution(1.0 - 1e-9, 1.0), C.restitution(1.0 + 1e-9, 1.0)
    assert below == pytest.approx(above, rel=1e-8)


def test_what_is_no_law_and_no_pairs_is_told() -> None:
    ball_, law = C.Sphere(ball(1.0), radius=0.1), C.HuntCrossleyLaw(stiffness=1e5)
    with pytest.raises(fx.ModelError, match="law must be a HertzLaw"):
        fx.Contact((FLOOR, ball_), C.CoulombLaw(0.3, speed=0.1))
    with pytest.raises(fx.ModelError, match="pairs must be a list of pairs of its parts, not 3"):
        fx.Contact((FLOOR, ball_), law, pairs=3)


@pytest.mark.parametrize("exponent", [1.0, 1.5, 2.2])
def test_the_wished_restitution_is_met_whatever_the_exponent(exponent: float) -> None:
    body = ball(velocity=(0, 0, -2.0))
    law = C.HuntCrossleyLaw(stiffness=1e5, exponent=exponent, restitution=0.6, at_speed=2.0)
    touch = fx.Contact((FLOOR, C.Sphere(body, radius=0.1)), law)
    run = fx.simulate(fx.Model(body, touch), until=0.3, step=fx.ErrorControl(rtol=1e-9))
    assert run.velocity(body)[-1, 2] == pytest.approx(1.2, abs=1e-3)


# --- motion --------------------------------------------------------------------------------------------------


def test_what_is_lost_is_accounted_for() -> None:
    body, touch, run = drop(step=fx.ErrorControl(rtol=1e-9))
    lost = 0.5 * (4.0 - run.velocity(body)[-1, 2] ** 2)
    history = run.contact(touch)
    assert history.loss[-1, 0] == pytest.approx(lost, rel=1e-3)
    assert run.energy.dissipated[-1] == pytest.approx(lost, rel=1e-3)
    assert np.ptp(run.energy.balance) < 1e-3 * lost
    assert np.allclose(history.force[:, 0, 2], history.normal[:, 0])
    assert np.allclose(history.point[0, 0], (0, 0, 0), atol=1e-12)


@pytest.mark.parametrize(
    "scheme", [fx.GeneralizedAlpha(), fx.RungeKutta(), fx.BDF(), fx.RadauIIA(), fx.AugmentedLagrangian()], ids=repr
)
def test_every_scheme_rebounds(scheme: Any) -> None:
    body, _, run = drop(step=fx.ErrorControl(rtol=1e-8), integrator=scheme)
    assert run.velocity(body)[-1, 2] == pytest.approx(1.4, abs=2e-3)


def test_no_contact_is_missed() -> None:
    """A ball that flies in steps of 1.5 times its diameter through another one."""
    a, b = ball(0.0, name="a"), ball(10.0, velocity=(0, 0, -10.0), name="b")
    touch = fx.Contact((C.Sphere(a, radius=0.1), C.Sphere(b, radius=0.1)), C.HuntCrossleyLaw(stiffness=1e8))
    run = fx.simulate(fx.Model(a, b, touch), until=3.0, step=fx.ErrorControl(rtol=1e-8, max_step=0.03))
    assert run.velocity(a)[-1, 2] == pytest.approx(-10.0, abs=0.02)
    assert run.velocity(b)[-1, 2] == pytest.approx(0.0, abs=0.02)


def test_events_of_a_bouncing_ball() -> None:
    body = ball(0.6)
    touch = fx.Contact((FLOOR, C.Sphere(body, radius=0.1)), C.HuntCrossleyLaw(stiffness=1e8), name="touch")
    events = [touch.event("closes"), touch.event("opens", terminal=True)]
    run = fx.simulate(fx.Model(body, touch, G), until=1.0, events=events)
    assert [e.name for e in run.events] == ["touch closes", "touch opens"]
    assert run.events[0].t == pytest.approx(math.sqrt(2 * 0.5 / 9.81), abs=1e-5)
    with pytest.raises(fx.ModelError, match="'sticks', not 'lands'"):
        touch.event("lands")


def test_bodies_that_are_left_out_fire_no_event() -> None:
    """Two balls on one hinge overlap; the floor is what closes, 0.5 m below the lower one."""
    a, b = ball(0.6, name="a"), ball(0.65, name="b", x=0.1)
    hinge = fx.RevoluteJoint(a, b, at=(0.05, 0, 0.6), axis=(0, 1, 0), name="hinge")
    parts = (FLOOR, C.Sphere(a, radius=0.1), C.Sphere(b, radius=0.1))
    touch = fx.Contact(parts, BITES, allow_overlap=True, name="touch")
    with pytest.warns(UserWarning, match="are left out"):
        run = fx.simulate(
            fx.Model(a, b, hinge, touch, G), 0.4, step=1e-3, events=[touch.event("closes", terminal=True)]
        )
    assert [e.name for e in run.events] == ["touch closes"]
    assert run.t[-1] == pytest.approx(math.sqrt(2 * 0.5 / 9.81), abs=1e-5)


def test_a_ball_on_a_ball_is_a_stop_on_their_distance() -> None:
    """Smooth contact of two balls against a stop on the distance of their centres: the same motion to round-off."""
    found = []
    for kind in ("contact", "stop"):
        a, b = ball(0.0, name="a"), ball(0.25, velocity=(0.1, 0, -1.0), name="b")
        if kind == "contact":
            law = C.HuntCrossleyLaw(stiffness=1e6, damping=0.3)
            item = fx.Contact((C.Sphere(a, radius=0.1), C.Sphere(b, radius=0.1)), law)
        else:
            item = fx.JointStop(a.centre, b.centre, lower=0.2, stiffness=1e6, damping=0.3, coordinate="distance")
        run = fx.simulate(fx.Model(a, b, item), until=0.1, step=2e-4)
        found.append(np.concatenate((run.velocity(a)[-1], run.velocity(b)[-1])))
    assert np.abs(found[0] - found[1]).max() < 1e-12
    assert found[0][2] < -0.5


@pytest.mark.parametrize("shape", ["ball", "rim"])
def test_much_friction_rolls_as_the_joint_does(shape: str) -> None:
    """A wheel held on a smooth ramp by contact with a bristle, against the joint that rolls without slip."""
    ramp = fx.ground.marker((0, 0, 0), axis=(-math.sin(0.2), 0, math.cos(0.2)))
    n = ramp.rotation0()[:, 2]
    found = []
    for kind in ("contact", "joint"):
        depth = (9.81 * math.cos(0.2) / 1e8) ** (1 / 1.5) if kind == "contact" else 0.0
        body = fx.RigidBody(1.0, (0.004, 0.006, 0.004), position=(0.1 - depth) * n, name="wheel")
        axle = body.marker((0, 0, 0), axis=(0, 1, 0))
        if kind == "contact":
            wheel = C.Sphere(body, radius=0.1) if shape == "ball" else C.Rim(axle, radius=0.1)
            law = C.HuntCrossleyLaw(stiffness=1e8, damping=0.5)
            grip = C.BristleLaw(1.0, stiffness=1e7, damping=3e3)
            item = fx.Contact((C.Plane(ramp), wheel), law, grip, allow_overlap=True)
        elif shape == "ball":
            item = fx.RollingBall(ramp, body.centre, radius=0.1)
        else:
            item = fx.RollingDisk(ramp, axle, radius=0.1)
        run = fx.simulate(fx.Model(body, item, G), until=0.5, step=1e-3)
        found.append(run.position(body)[-1])
    along = np.array([math.cos(0.2), 0.0, math.sin(0.2)])  # the ramp; across it they differ by the depth
    assert abs(along @ (found[0] - found[1])) < 1e-6
    assert abs(along @ found[1]) > 0.1


def test_point_masses_and_trees_fall_alike() -> None:
    """A ball in its own frame, a point mass, and the link of a tree on a guide: the same height after the bounce."""
    heights = []
    law = C.HuntCrossleyLaw(stiffness=1e6, restitution=0.7, at_speed=2.0)
    options: dict[str, Any] = {"until": 0.05, "step": 1e-5}
    body = ball(0.12, velocity=(0, 0, -2.0))
    point = fx.PointMass(1.0, position=(0, 0, 0.12), velocity=(0, 0, -2.0), name="point")
    slide = fx.trees.Link("slide", 1.0, 0.004 * np.eye(3), joint=fx.trees.Prismatic((0, 0, 1)), start=0.12, rate=-2.0)
    tree = fx.trees.Tree(slide, name="guide")
    for item, place in ((body, body.centre), (point, point.centre), (tree, tree.link("slide").centre)):
        touch = fx.Contact((FLOOR, C.Sphere(place, radius=0.1)), law)
        run = fx.simulate(fx.Model(item, touch), **options)
        heights.append(run.position(place)[-1, 2])
    assert np.ptp(heights) < 1e-9
    assert heights[0] > 0.13


@pytest.mark.filterwarnings("ignore:Contact 'touch'")  # its ends rebound before they rest
def test_a_node_of_a_cable_lies_on_the_floor() -> None:
    rope = fx.FlexibleBody.line(
        (0, 0, 0.05), (1, 0, 0.05), elements=4, element=fx.elements.ANCFCable3D(), name="rope",
        stiffness=fx.BeamStiffness(EA=1e3, EI_y=0.1, EI_z=0.1, mass_per_length=0.5),
    )  # fmt: skip
    parts = [C.Sphere(fx.Marker(rope, node=i), radius=0.02) for i in range(5)]
    touch = fx.Contact((FLOOR, *parts), C.HuntCrossleyLaw(stiffness=1e4, exponent=1.0, damping=5.0), name="touch")
    damping = fx.RayleighDamping(rope, mass=10.0)
    run = fx.simulate(fx.Model(rope, touch, damping, G), until=1.5, step=1e-3)
    assert run.contact(touch).normal[-1].sum() == pytest.approx(0.5 * 9.81, rel=1e-3)


def test_resumed_to_the_bit(tmp_path: Any) -> None:
    def model() -> Any:
        body = ball(0.15, velocity=(1.0, 0, 0))
        touch = fx.Contact((FLOOR, C.Sphere(body, radius=0.1)), BITES, C.BristleLaw(0.3, stiffness=1e5, damping=500.0))
        return fx.Model(body, touch, G)

    for step in (1e-3, None):
        one = model()
        whole = fx.simulate(one, until=0.4, **({} if step is None else {"step": step}))
        half = fx.simulate(one, until=0.2, **({} if step is None else {"step": step}))
        rest = fx.simulate(one, until=0.4, start=half, **({} if step is None else {"step": step}))
        if step is not None:  # else the end of the first half is a step of its own
            assert np.array_equal(whole.q[-1], rest.q[-1])
        else:
            assert np.abs(whole.q[-1] - rest.q[-1]).max() < 1e-4


def test_compiled_steps_are_those_of_python() -> None:
    runs = []
    for compiled in (True, False):
        body = ball(0.15, velocity=(1.0, 0, 0))
        grip = C.BristleLaw(0.3, stiffness=1e5, damping=500.0)
        touch = fx.Contact((FLOOR, C.Sphere(body, radius=0.1)), BITES, grip)
        scheme = fx.GeneralizedAlpha(compiled=compiled)
        runs.append(fx.simulate(fx.Model(body, touch, G), until=0.4, step=1e-3, integrator=scheme))
    one, two = runs
    assert np.array_equal(one.q, two.q)
    assert np.array_equal(one.v, two.v)
    assert np.array_equal(one.energy.dissipated, two.energy.dissipated)


def test_modes_about_a_state_of_contact() -> None:
    """A ball on a floor: sqrt(k_t/m) vertical, with the tangent of the law of Hertz at its weight."""
    depth = (9.81 / 1e6) ** (1 / 1.5)
    body = ball(0.1 - depth)
    touch = fx.Contact((FLOOR, C.Sphere(body, radius=0.1)), C.HuntCrossleyLaw(stiffness=1e6), allow_overlap=True)
    modes = fx.solve_modal(fx.Model(body, touch, G))
    wanted = math.sqrt(1.5 * 1e6 * depth**0.5) / (2 * math.pi)
    assert np.abs(np.asarray(modes.frequencies) - wanted).min() < 1e-6 * wanted


def _on_a_belt(stiffness: float, falling: float, **options: Any) -> Any:
    """A block on a belt, held by a spring; first slip at mu_s m g/(k v) = 0.12 s. The run, and its contact."""
    depth = 9.81 / 1e6
    belt = fx.PlanarRigidBody(1.0, 0.1, position=(0, 0), velocity=(0.1, 0), name="belt")
    guide = fx.PrismaticJoint(fx.ground, belt, at=(0, 0), axis=(1, 0), name="guide")
    block = fx.PointMass(1.0, position=(0, -depth), velocity=(0.1, 0), name="block")
    spring = fx.SpringDamper(fx.ground.marker((-1, -depth)), block.centre, stiffness=400.0, free_length=1.0)
    top = C.Plane(belt.marker((0, 0), axis=(0, 1)))
    law = C.BristleLaw(0.3, stiffness=stiffness, damping=2 * math.sqrt(stiffness), static=0.5, falling=falling)
    normal = C.HuntCrossleyLaw(stiffness=1e6, exponent=1.0, damping=2.0)
    touch = fx.Contact((top, C.Vertex(block)), normal, law, allow_overlap=True, name="touch")
    model = fx.Model(belt, guide, fx.TranslationDriver(guide, rate=0.1), block, spring, touch, fx.Gravity((0, -9.81)))
    return fx.simulate(model, 0.14, **({"step": fx.ErrorControl(rtol=1e-8, max_step=5e-4)} | options)), touch


def _friction(run: Any, touch: Any) -> float:
    """Largest friction over weight."""
    return float(np.abs(run.contact(touch).force[:, 0, 0]).max()) / 9.81


def test_a_bristle_that_lets_go_early_is_told() -> None:
    with pytest.warns(fx.AccuracyWarning, match=r"Contact 'touch': .* let go at a friction of 0\.[34]\d* instead"):
        assert _friction(*_on_a_belt(1e6, 1e-4)) < 0.49
    with warnings.catch_warnings():
        warnings.simplefilter("error", fx.AccuracyWarning)
        assert _friction(*_on_a_belt(1e7, 1e-2)) == pytest.approx(0.5, rel=0.01)


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("step", [2e-5, fx.ErrorControl(rtol=1e-8, max_step=5e-4)])
def test_it_is_told_whatever_is_stored(compiled: bool, step: Any) -> None:
    options = {"step": step, "integrator": fx.GeneralizedAlpha(compiled=compiled), "output": fx.Output(every=0.05)}
    with pytest.warns(fx.AccuracyWarning, match=r"Contact 'touch': .* let go at a friction of 0\.[34]\d* instead"):
        _on_a_belt(1e6, 1e-4, **options)


# --- slips and sticks -------------------------------------------------------------------------------------------------


def braked(friction: Any, level: float | None = None) -> tuple[Any, Any]:
    """A block of weight 9.81 that comes along a floor with 1 m/s, and is pulled again by 5 t from its rest on."""
    depth = 9.81 / 1e6
    block = fx.PointMass(1.0, position=(0, 0, -depth), velocity=(1.0, 0, 0), name="block")
    law = C.HuntCrossleyLaw(stiffness=1e6, exponent=1.0, damping=0.5)
    touch = fx.Contact((FLOOR, C.Vertex(block)), law, friction, allow_overlap=True, name="touch")
    pull = fx.PointForce(block.centre, (10.0, 0, 0), history=lambda t: max(0.0, 0.5 * (t - 0.4)))
    options = {} if level is None else {"level": level}
    events = [touch.event("sticks", **options), touch.event("slips", **options)]
    model = fx.Model(block, touch, pull, G)
    run = fx.simulate(model, until=1.05, step=fx.ErrorControl(rtol=1e-6, max_step=5e-3), events=events)
    return touch, run


@pytest.mark.parametrize(
    ("friction", "level"),
    [
        (C.CoulombLaw(0.3, speed=1e-4), None),
        (C.BristleLaw(0.3, stiffness=1e5, damping=600.0), 1e-4),
        (C.DwellLaw(0.3, 0.3, stiffness=1e5, damping=600.0, stribeck_speed=1e-4, speed=5e-5, dwell_time=1.0), None),
    ],
    ids=["coulomb", "bristle", "dwell"],
)
def test_events_of_slip(friction: Any, level: float | None) -> None:
    """It sticks after v/(mu g), and slips when the pull is mu m g."""
    _, run = braked(friction, level)
    first, second = run.events[0], run.events[-1]  # between them bristles that are set down may sway
    assert (first.name, second.name) == ("touch sticks", "touch slips")
    assert first.t == pytest.approx(1.0 / (0.3 * 9.81), abs=1e-3)
    # a bristle yields from 0.7 of the limit on, by 1e-4 m/s at most; what creeps does so by its speed at 0.76
    assert 0.4 + 0.7 * 0.3 * 9.81 / 5.0 < second.t < 0.4 + 1.01 * 0.3 * 9.81 / 5.0


def test_events_of_slip_are_refused_in_words() -> None:
    block = fx.PointMass(1.0, position=(0, 0, 0), name="block")
    parts = (FLOOR, C.Vertex(block))
    with pytest.raises(fx.ModelError, match="has no friction"):
        fx.Contact(parts, BITES).event("slips")
    with pytest.raises(fx.ModelError, match=r"give level=.*BristleLaw has no speed"):
        fx.Contact(parts, BITES, C.BristleLaw(0.3, stiffness=1e6, damping=2e3)).event("sticks")
    with pytest.raises(fx.ModelError, match="'slips' or 'sticks', not 'jumps'"):
        fx.Contact(parts, BITES).event("jumps")
    many = [C.Sphere(fx.PointMass(1.0, position=(i, 0, 1.0), name=f"ball {i}"), radius=0.1) for i in range(3)]
    searches = fx.Contact((FLOOR, *many), BITES, C.CoulombLaw(0.3, speed=1e-3), search=True)
    with pytest.raises(fx.ModelError, match="searches its pairs"):
        searches.event("slips")


# --- capsules ----------------------------------------------------------------------------------------------


def rods(gap: float, friction: Any = None, search: bool = False) -> tuple[fx.Model, Any, Any, Any]:
    """Two rods, one of which falls on the other askew and off its middle."""

    def rod(name: str, at: Any, axis: Any, **more: Any) -> tuple[Any, Any]:
        body = fx.RigidBody(1.0, (0.02, 0.03, 0.01), position=at, name=name, **more)
        return body, C.Capsule(body.marker((0, 0, 0), axis=axis), radius=0.05, length=0.8)

    a, shape_a = rod("a", (0, 0, 0), (1, 0, 0))
    b, shape_b = rod("b", (0.15, 0.1, 0.1 + gap), (0.3, 1, 0.05), velocity=(0.2, 0, -2.0), angular_velocity=(0, 1, 3))
    touch = fx.Contact((shape_a, shape_b), C.HuntCrossleyLaw(stiffness=1e5, exponent=1.5), friction, search=search,
                       name="touch")  # fmt: skip
    return fx.Model(a, b, touch), a, b, touch


@pytest.mark.parametrize("friction", [None, C.CoulombLaw(0.4, speed=0.05)])
def test_capsules_keep_momenta_and_energy(friction: Any) -> None:
    model, a, b, touch = rods(0.02, friction)
    run = fx.simulate(model, until=0.05, step=fx.ErrorControl(rtol=1e-9))
    history = run.contact(touch)
    assert history.normal.max() > 100.0
    assert run.velocity(a)[-1, 2] < -0.5
    linear, angular = run.momentum()
    assert np.abs(linear - linear[0]).max() < 1e-12
    assert np.abs(angular - angular[0]).max() < 1e-7
    assert abs(run.energy.balance[-1]) < 1e-5 * run.energy.kinetic[0]
    lost = 1.0 - run.energy.kinetic[-1] / run.energy.kinetic[0]
    assert (abs(lost) < 1e-5) if friction is None else (1e-3 < lost < 0.5)
    # the point is on both surfaces while they touch: its distances from both axes are radii less half the depth
    k = int(history.normal[:, 0].argmax())
    at, depth = history.point[k, 0], -history.gap[k, 0]
    for body, axis, before in ((a, (1.0, 0.0, 0.0), depth), (b, (0.3, 1.0, 0.05), 0.0)):
        R = run.rotation(body)[k]
        direction = R @ np.array(axis) / np.linalg.norm(axis)
        away = at - run.position(body)[k]
        assert np.linalg.norm(away - (away @ direction) * direction) == pytest.approx(0.05 - before, abs=1e-12)


def test_capsules_that_are_searched_move_as_declared_ones() -> None:
    states = []
    for search in (False, True):
        model, *_ = rods(0.02, search=search)
        run = fx.simulate(model, until=0.05, step=1e-4)
        states.append(run.q[-1])
    assert np.abs(states[0] - states[1]).max() < 1e-10


def test_short_capsules_are_balls() -> None:
    def end(shape: Any) -> Any:
        bodies = [
            fx.RigidBody.sphere(radius=0.1, mass=1.0, position=(0, 0, z), velocity=(v, 0, -20 * v), name=name)
            for name, z, v in (("low", 0.0, 0.0), ("high", 0.25, 0.1))
        ]
        law, friction = C.HuntCrossleyLaw(stiffness=1e6), C.CoulombLaw(0.3, speed=0.01)
        touch = fx.Contact([shape(body) for body in bodies], law, friction)
        return fx.simulate(fx.Model(*bodies, touch), until=0.05, step=5e-5).q[-1]

    short = end(lambda body: C.Capsule(body, radius=0.1, length=1e-9))
    assert short == pytest.approx(end(lambda body: C.Sphere(body, radius=0.1)), abs=1e-7)


def test_the_ends_of_a_capsule_stand_on_a_plane() -> None:
    body = fx.RigidBody(1.0, (0.02, 0.02, 0.01), position=(0, 0, 0.05), name="rod")
    rod = C.Capsule(body.marker((0, 0, 0), axis=(1, 0, 0)), radius=0.05, length=0.8)
    touch = fx.Contact(
        (FLOOR, *rod.ends), C.HuntCrossleyLaw(stiffness=1e4, exponent=1.0, damping=20.0), allow_overlap=True
    )
    run = fx.simulate(fx.Model(body, touch, G), until=0.5, step=1e-3)
    assert run.contact(touch).normal[-1] == pytest.approx(9.81 / 2, rel=1e-3)


@pytest.mark.parametrize(
    "friction", [None, C.CoulombLaw(0.3, speed=0.01), C.BristleLaw(0.3, stiffness=1e5, damping=50.0)]
)
def test_capsules_in_the_plane_move_as_in_space(friction: Any) -> None:
    def ends(planar: bool) -> Any:
        bodies, shapes = [], []
        for name, at, axis, v, w in (
            ("a", (0.0, 0.0), (1.0, 0.1), (0.0, 0.0), 0.0), ("b", (0.3, 0.32), (0.4, 1.0), (0.1, -2.0), 1.5)
        ):  # fmt: skip
            if planar:
                body: Any = fx.PlanarRigidBody(1.0, 0.03, position=at, velocity=v, angular_velocity=w, name=name)
            else:
                body = fx.RigidBody(1.0, (0.02, 0.03, 0.03), position=(*at, 0), velocity=(*v, 0),
                                    angular_velocity=(0, 0, w), name=name)  # fmt: skip
            more = () if planar else (0.0,)
            marker = body.marker((0.0, 0.0, *more), axis=(*axis, *more))
            bodies.append(body)
            shapes.append(C.Capsule(marker, radius=0.05, length=0.4))
        touch = fx.Contact(shapes, C.HuntCrossleyLaw(stiffness=1e5), friction, name="touch")
        run = fx.simulate(fx.Model(*bodies, touch), until=0.1, step=1e-4)
        assert run.contact(touch).normal.max() > 100.0
        return np.concatenate([run.position(body)[-1, :2] for body in bodies])

    assert ends(True) == pytest.approx(ends(False), abs=1e-12)


# --- triangles ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("radius", [0.0, 0.02])
def test_a_ball_on_a_triangle_moves_as_on_a_plane(radius: float) -> None:
    ends = []
    for sheet in (
        C.Triangle(fx.ground.marker((-5, -5, -radius)), corners=((0, 0, 0), (15, 0, 0), (0, 15, 0)), radius=radius),
        FLOOR,
    ):
        ball = fx.RigidBody.sphere(
            radius=0.1,
            mass=1.0,
            position=(0, 0, 0.12),
            velocity=(1.0, 0.3, -1.0),
            angular_velocity=(2, -3, 1),
            name="b",
        )
        law = C.HuntCrossleyLaw(stiffness=1e5, restitution=0.6, at_speed=1.0)
        touch = fx.Contact((sheet, C.Sphere(ball, radius=0.1)), law, C.CoulombLaw(0.3, speed=1e-2))
        ends.append(fx.simulate(fx.Model(ball, touch, G), until=0.3, step=2e-4).q[-1])
    assert ends[0] == pytest.approx(ends[1], abs=1e-9)


def test_a_ball_falls_over_the_edge_of_a_triangle_without_loss() -> None:
    sunk = (9.81 / 1e6) ** (2 / 3)  # at rest
    ball = fx.RigidBody.sphere(radius=0.1, mass=1.0, position=(-0.15, 0, 0.1 - sunk), velocity=(0.6, 0, 0), name="ball")
    sheet = C.Triangle(fx.ground.marker((0, 0, 0)), corners=((0, -2, 0), (0, 2, 0), (-3, 0, 0)))
    law = C.HuntCrossleyLaw(stiffness=1e6, exponent=1.5)
    touch = fx.Contact((sheet, C.Sphere(ball, radius=0.1)), law, allow_overlap=True, name="touch")
    run = fx.simulate(fx.Model(ball, touch, G), until=0.6, step=fx.ErrorControl(rtol=1e-8))
    x, depth = run.position(ball)[:, 0], -run.contact(touch).gap[:, 0]
    assert run.position(ball)[-1, 2] < -0.1  # it has gone round the edge
    # smooth, so that it slides: from the edge on it is a mass on a circle, which leaves it at v0^2/(g R) = 3 c - 2
    cosine = (2.0 + 0.6**2 / (9.81 * 0.1)) / 3.0
    left = run.t[np.flatnonzero(depth > 0.0)[-1]]
    place = float(np.interp(left, run.t, x)) / 0.1
    assert place == pytest.approx(math.sqrt(1.0 - cosine**2), abs=0.02)
    assert np.abs(run.energy.balance).max() < 1e-5


def test_triangles_are_refused_in_words() -> None:
    at = fx.ground.marker((0, 0, 0))
    with pytest.raises(fx.ModelError, match="are on a line"):
        C.Triangle(at, corners=((0, 0, 0), (1, 1, 1), (2, 2, 2)))
    thin, thick = (C.Triangle(at, corners=((0, 0, 0), (1, 0, 0), (0, 1, 0)), radius=r) for r in (0.0, 0.1))
    point = C.Vertex(fx.PointMass(1.0, position=(0.2, 0.2, 0.3), name="p"))
    with pytest.raises(fx.ModelError, match="no two of its parts can touch"):
        fx.Contact((thin, point), BITES)
    assert len(fx.Contact((thick, point), BITES).touching) == 1
    again = C.Triangle(thick.marker, corners=thick.corners)
    assert again.numbers == thick.numbers
    assert np.allclose(again.marker.point, thick.marker.point)


# --- shapes without a contact ------------------------------------------------------------------------------


def test_shapes_that_go_through_each_other_are_told() -> None:
    """A box on a floor, beside a ball that both have contact with: it would fall through."""
    law = C.HuntCrossleyLaw(stiffness=1e5)
    box = fx.RigidBody.box(size=(0.2, 0.1, 0.1), mass=1.0, position=(0, 0, 0.05), name="box")
    other = fx.RigidBody.box(size=(0.2, 0.1, 0.1), mass=1.0, position=(0, 0, 0.5), name="other")
    shape, second = (C.Box(body, size=(0.2, 0.1, 0.1)) for body in (box, other))
    above = C.Sphere(ball(1.0), radius=0.1)
    with pytest.warns(UserWarning, match=r"through each other: Plane .* and Box .*Give Box.corners on the same body"):
        fx.Contact((FLOOR, shape, above), law, allow_overlap=True)
    with pytest.warns(UserWarning, match=r"Plane .* and Box on .*'other'"):
        fx.Contact((FLOOR, shape, second, *shape.corners[:4], above), law, allow_overlap=True)
    with pytest.warns(UserWarning, match=r"Give a Rim at each end of the Cylinder"):
        fx.Contact((FLOOR, C.Cylinder(box, radius=0.1), above), law, allow_overlap=True)
    with pytest.raises(fx.ModelError, match=r"can touch.*Give Box.corners on the same body"):
        fx.Contact((FLOOR, shape), law)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fx.Contact((FLOOR, shape, above, *shape.corners), law, allow_overlap=True)
        fx.Contact((FLOOR, shape, second, *shape.corners, *second.corners), law, allow_overlap=True)
        fx.Contact((FLOOR, shape, above), law, pairs=[(shape, above)])
        fx.Contact((FLOOR, C.Vertex(box), C.Vertex(other)), law)  # points do not touch each other
        wheels = [C.Rim(body.marker((0, 0, 0), axis=(0, 1, 0)), radius=0.05) for body in (box, other)]
        fx.Contact((FLOOR, *wheels), law, allow_overlap=True)
        drums = [C.Cylinder(body.marker((0, 0, 0), axis=(0, 1, 0)), radius=0.05) for body in (box, other)]
        fx.Contact((*drums, above), law, allow_overlap=True)


def test_triangles_that_share_an_edge_are_told() -> None:
    law, above = C.HuntCrossleyLaw(stiffness=1e5), C.Sphere(ball(1.0), radius=0.1)
    at = fx.ground.marker((0.1, 0.2, 0.0), axis=(0.3, 0, 1))

    def triangle(*corners: tuple[float, float, float]) -> Any:
        return C.Triangle(at, corners=corners)

    first = triangle((0, 0, 0), (1, 0, 0), (0, 1, 0))
    with pytest.warns(fx.AccuracyWarning, match="share an edge, over which a ball touches both"):
        fx.Contact((first, triangle((1, 1, 0), (1, 0, 0), (0, 1, 0)), above), law)
    fx.Contact((first, triangle((1.2, 1.2, 0), (1.2, 0.2, 0), (0.2, 1.2, 0)), above), law)


def test_energy_that_a_law_gives_is_not_said_to_be_the_steps() -> None:
    """A ball above the floor: the bristle of the open contact is bent by its slip, with k z^2/2 from nowhere."""
    body = ball(0.2, velocity=(0.01, 0, 0))
    friction = C.DwellLaw(0.3, 0.5, stiffness=1e5, damping=500.0, stribeck_speed=0.5, speed=0.3, dwell_time=0.4)
    touch = fx.Contact((FLOOR, C.Sphere(body, radius=0.1)), BITES, friction, name="touch")
    with pytest.warns(fx.AccuracyWarning, match=r"closes within .* it is not the steps: .* such as DwellLaw"):
        run = fx.simulate(fx.Model(body, touch), until=0.1, step=1e-4)
    assert run.contact(touch).normal.max() == 0.0
    assert np.ptp(run.velocity(body), axis=0).max() < 1e-12
    grip = fx.Contact((FLOOR, C.Sphere(body, radius=0.1)), BITES, C.BristleLaw(0.3, stiffness=1e5, damping=500.0))
    run = fx.simulate(fx.Model(body, grip), until=0.1, step=1e-4)
    assert run.contact(grip).energy.max() < 1e-12
