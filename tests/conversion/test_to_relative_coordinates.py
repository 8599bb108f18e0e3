"""Cartesian models as trees with cut joints and back: the same motion, whatever acts on them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import flexmbs as fx
from flexmbs import trees
from flexmbs.conversion.long_trees import sparse_form
from flexmbs.conversion.spanning import Edge, fundamental_loops, spanning_trees
from flexmbs.core.references import Description
from tests.models.flexible_trees import arm as flexible_arm
from tests.models.trees_of_links import random_tree

pytestmark = pytest.mark.filterwarnings("ignore:.*joints changed the initial velocity", "ignore:.*assembly")

FINE = {"integrator": fx.RungeKutta(), "step": fx.ErrorControl(1e-13, 1e-14), "progress": False}
"""Errors far below the 1e-8 that motions are compared to."""


def random_mechanism(seed: int, n: int, closed: int) -> fx.Model:
    """Bodies joined at random, ``closed`` joints more than a tree has, moving, with forces of all kinds."""
    rng = np.random.default_rng(seed)
    bodies = [
        fx.RigidBody(
            rng.uniform(0.5, 2.0), rng.uniform(0.2, 0.3, 3), rng.uniform(-1, 1, 3),
            Rotation.random(rng=rng).as_quat(scalar_first=True), 0.3 * rng.normal(size=3), 0.3 * rng.normal(size=3),
            name=f"body {i}",
        )
        for i in range(n)
    ]  # fmt: skip
    items: list[Any] = []
    for i, body in enumerate(bodies):
        sides: list[Any] = [fx.ground if i == 0 else bodies[rng.integers(max(0, i - 2), i)], body]
        if rng.random() < 0.5:
            sides.reverse()
        items.append(joint(rng, sides, f"joint {i}"))
    for i in range(closed):
        items.append(fx.SphericalJoint(bodies[n - 1 - i], fx.ground, at=rng.uniform(-1, 1, 3), name=f"loop {i}"))
    angles = [j for j in items if "angle" in getattr(j, "coordinates", {})]
    forces: list[Any] = [fx.TorsionSpring(j, stiffness=3.0, damping=0.1, name=f"of {j.name}") for j in angles[:2]]
    here, there = bodies[1].marker((0.1, 0.2, 0.3)), bodies[-1].marker((0.3, 0.1, -0.2))
    forces += [
        fx.SpringDamper(here, there, stiffness=5.0, damping=0.2, free_length=0.4, name="spring"),
        fx.PointForce(there, (1.0, 0.5, -0.4), follower=True),
        fx.Moment(here, (0.2, 0.1, 0.3)),
        fx.Bushing(bodies[0].marker_at((0, 0, 0)), bodies[2].marker_at((0, 0, 0)), stiffness=4.0 * np.ones(6)),
        fx.Gravity((0.3, 0.1, -2.0)),
    ]  # fmt: skip
    return fx.Model(*bodies, *items, *forces, name="random")


def joint(rng: np.random.Generator, sides: list[Any], name: str) -> Any:
    """A joint of a random type, in random place and direction."""
    at, axis = rng.uniform(-1, 1, 3), rng.normal(size=3)
    kind = rng.choice(
        [
            "RevoluteJoint",
            "PrismaticJoint",
            "CylindricalJoint",
            "SphericalJoint",
            "PlanarJoint",
            "UniversalJoint",
            "FixedJoint",
        ]
    )
    if kind == "UniversalJoint":
        return fx.UniversalJoint(*sides, at=at, axes=(axis, np.cross(axis, (0.3, 0.4, -0.6))), name=name)
    if kind in ("SphericalJoint", "FixedJoint"):
        return getattr(fx, kind)(*sides, at=at, name=name)
    return getattr(fx, kind)(*sides, at=at, axis=axis, name=name)


def body_of(model: fx.Model, name: str) -> Any:
    """The body or the link of that name."""
    links = [link for link in model.tree_links if link.link.name == name]
    return links[0] if links else model.body(name)


def paths(model: fx.Model, names: list[str], until: float, **how: Any) -> tuple[np.ndarray, ...]:
    """Last position and orientation, and velocity, of the centres of bodies."""
    run = fx.simulate(model, until, **how)
    markers = [body_of(model, name).centre for name in names]
    p = np.array([run.position(m)[-1] for m in markers])
    v = np.array([run.velocity(m)[-1] for m in markers])
    w = [run.rotation(m)[-1] @ run.angular_velocity(m)[-1] for m in markers]
    a = np.array([run.acceleration(m)[-1] for m in markers])
    return p, v, np.array(w), a


@pytest.mark.parametrize(("seed", "closed"), [(1, 0), (2, 0), (4, 1), (14, 1), (6, 2), (7, 2), (14, 2), (23, 2)])
def test_random_mechanisms_move_the_same_as_trees_and_back(seed: int, closed: int) -> None:
    """Chains and closed ones, all joint types: positions, velocities, accelerations at the start, and the motion."""
    model = random_mechanism(seed, 7, closed)
    tree = fx.trees.to_relative_coordinates(model)
    back = fx.trees.to_absolute_coordinates(tree)
    assert fx.model_report(model).redundant == ()  # redundant ones get a compliance, which is not the same in both
    assert len(tree.joints) == closed
    assert tree.rigid_bodies == ()
    assert len(back.joints) == len(model.joints)
    names = [body.name for body in model.rigid_bodies]
    for until, tolerance in ((0.0, 1e-9), (0.3, 1e-8)):
        expected = paths(model, names, until, **FINE)
        size = max(1.0, *(float(np.abs(x).max()) for x in expected))
        for other in (tree, back):
            for mine, wanted in zip(paths(other, names, until, **FINE), expected, strict=True):
                np.testing.assert_allclose(mine, wanted, rtol=0.0, atol=tolerance * size)


def test_the_cuts_remove_most_equations() -> None:
    """A four-bar of two revolute, a universal and a spherical joint: only the spherical joint is left, 4 unknowns."""
    ends = [(0, 0, 0), (0, 0, 1), (2, 0.3, 2), (2, 0, 0)]
    bars = [
        fx.RigidBody.box(size=(0.1, 0.1, 1.0), mass=1.0, position=np.add(a, b) / 2, name=f"bar {i}")
        for i, (a, b) in enumerate(pairwise(ends))
    ]
    tree = fx.trees.to_relative_coordinates(
        fx.Model(
            *bars,
            fx.RevoluteJoint(fx.ground, bars[0], at=ends[0], axis=(0, 1, 0), name="first"),
            fx.SphericalJoint(bars[0], bars[1], at=ends[1], name="ball"),
            fx.UniversalJoint(bars[1], bars[2], at=ends[2], axes=((0, 1, 0), (1, 0, 0)), name="cross"),
            fx.RevoluteJoint(fx.ground, bars[2], at=ends[3], axis=(0, 1, 0), name="last"),
        )
    )
    assert [j.name for j in tree.joints] == ["ball"]
    assert sorted(t.n_v for t in tree.trees) == [1, 3]


def test_a_loop_is_cut_in_its_middle_and_loops_are_told() -> None:
    """Twelve equal joints in a ring from the ground: two trees of depth 6 and 5; one loop through all of it."""
    n = 11
    ring = [Edge(i - 1, i, 5) for i in range(n)] + [Edge(n - 1, -1, 5)]
    found = spanning_trees(n, ring, [1.0] * n)
    (cut,) = set(range(n + 1)) - set(found.edge)
    assert cut in (5, 6)
    (loop,) = fundamental_loops(n, ring, found)
    assert sorted(loop) == list(range(-1, n))
    assert fundamental_loops(n, ring[:-1]) == ()


def test_bodies_without_way_to_the_ground_float() -> None:
    """Two bodies with a hinge between them: 7 coordinates, no joint left; the momentum is the same."""
    a = fx.RigidBody(1.0, (0.1, 0.2, 0.2), position=(0, 0, 0), velocity=(1, 0, 0), angular_velocity=(0, 0, 1), name="a")
    b = fx.RigidBody(3.0, (0.3, 0.2, 0.4), position=(1, 0, 0), velocity=(1, 1, 0), angular_velocity=(0, 0, 1), name="b")
    model = fx.Model(a, b, fx.RevoluteJoint(a, b, at=(0.3, 0, 0), axis=(0, 0, 1)))
    tree = fx.trees.to_relative_coordinates(model)
    assert tree.joints == ()
    assert tree.trees[0].n_v == 7
    assert tree.trees[0].links[0].name == "b"  # the heavier of equals
    for mine, wanted in zip(
        fx.simulate(tree, 0.2, **FINE).momentum(), fx.simulate(model, 0.2, **FINE).momentum(), strict=True
    ):
        np.testing.assert_allclose(mine[[0, -1]], wanted[[0, -1]], atol=1e-9)


def arm() -> tuple[list[fx.RigidBody], list[Any]]:
    """An upper and a lower arm on two hinges."""
    bodies = [
        fx.RigidBody.box(size=(0.1, 0.1, 1.0), mass=1.0, position=(0, 0, -0.5 - i), name=f"arm {i}") for i in range(2)
    ]
    hinges = [
        fx.RevoluteJoint(bodies[0], fx.ground, at=(0, 0, 0), axis=(0, 1, 0), name="shoulder"),
        fx.RevoluteJoint(bodies[0], bodies[1], at=(0, 0, -1), axis=(0, 1, 0), name="elbow"),
    ]
    return bodies, hinges


def test_everything_at_joints_is_carried_over() -> None:
    """Motors, stops, friction, gears, drivers, sensors and controllers by joints, objects or names, act the same."""
    bodies, (shoulder, elbow) = arm()
    wheel = fx.RigidBody(1.0, (0.1, 0.2, 0.1), position=(2, 0, 0), name="wheel")
    shaft = fx.RevoluteJoint(fx.ground, wheel, at=(2, 0, 0), axis=(0, 1, 0), name="shaft")
    controller = fx.control.PID(
        fx.control.JointSensor("elbow", name="angle"), fx.control.JointActuator(elbow, name="drive"), period=0.02,
        proportional=4.0,
        reference=0.4, name="loop",
    )  # fmt: skip
    model = fx.Model(
        *bodies, wheel, shoulder, elbow, shaft, fx.Gravity((0, 0, -9.81)),
        fx.JointForce(shoulder, lambda angle, rate, t: 3.0 * np.sin(5 * t) - rate, name="motor"),
        fx.BristleFriction(elbow, coefficient=0.1, load=2.0, deflection=0.01, damping=0.1, name="bearing"),
        fx.Gear(shoulder, shaft, ratio=-2.0, name="gear"),
        controller,
    )  # fmt: skip
    tree = fx.trees.to_relative_coordinates(model)
    assert [j.name for j in tree.joints] == ["gear"]
    back = fx.trees.to_absolute_coordinates(tree)
    names = [body.name for body in (*bodies, wheel)]
    how = {"integrator": fx.RungeKutta(), "step": fx.FixedStep(5e-4), "progress": False}
    expected = paths(model, names, 0.3, **how)
    for other in (tree, back):
        for mine, wanted in zip(paths(other, names, 0.3, **how), expected, strict=True):
            np.testing.assert_allclose(mine, wanted, atol=1e-8)


def test_a_driven_joint_keeps_its_multiplier() -> None:
    """The moment that drives the shoulder as prescribed is the same in both descriptions, with its sign."""
    bodies, (shoulder, elbow) = arm()
    driver = fx.RotationDriver(shoulder, fx.motions.Sine(0.5, frequency=0.5), name="driver")
    model = fx.Model(*bodies, shoulder, elbow, driver, fx.Gravity((0, 0, -9.81)))
    tree = fx.trees.to_relative_coordinates(model)
    one, two = (fx.simulate(m, 0.2, **FINE) for m in (model, tree))
    np.testing.assert_allclose(two.multipliers("driver")[-1], one.multipliers("driver")[-1], rtol=1e-8)
    assert abs(one.multipliers("driver")[-1, 0]) > 1.0


def test_joints_that_are_read_or_named_are_cut() -> None:
    """A joint of whose multipliers a sensor asks stays a joint, and so does one in ``cut``."""
    bodies, (shoulder, elbow) = arm()
    reading = fx.control.PID(
        fx.control.MultiplierSensor("shoulder", 2),
        fx.control.JointActuator("elbow"),
        period=0.1,
        proportional=0.01,
        name="loop",
    )
    model = fx.Model(*bodies, shoulder, elbow, reading)
    assert [j.name for j in fx.trees.to_relative_coordinates(model).joints] == ["shoulder"]
    assert [j.name for j in fx.trees.to_relative_coordinates(model, cut=[elbow]).joints] == ["shoulder", "elbow"]
    with pytest.raises(fx.ModelError, match=r"to_relative_coordinates: cut: .*'knee'"):
        fx.trees.to_relative_coordinates(model, cut=["knee"])


def test_what_names_a_body_itself_is_refused_by_name() -> None:
    """A sensor of a coordinate of a body, given itself or by its name."""
    bodies, hinges = arm()
    for body in (bodies[0], "arm 0"):
        hold = fx.control.PID(
            fx.control.CoordinateSensor(body, 2), fx.control.JointActuator("elbow"), period=0.1, proportional=1.0,
            name="hold"
        )  # fmt: skip
        with pytest.raises(fx.ModelError, match="PID 'hold': it names RigidBody 'arm 0' itself"):
            fx.trees.to_relative_coordinates(fx.Model(*bodies, *hinges, hold))


def test_laws_are_carried_over_with_the_numbers_they_use() -> None:
    """A law knows coordinate, rate and time alone; a body in it is a constant."""
    bodies, hinges = arm()
    body = bodies[0]

    def law(angle: float, rate: float, t: float) -> float:
        return -body.mass * rate

    model = fx.Model(*bodies, *hinges, fx.JointForce(hinges[0], law, name="brake"), fx.Gravity((9.81, 0, 0)))
    names = [body.name for body in bodies]
    one, two = (paths(m, names, 0.2, **FINE) for m in (model, fx.trees.to_relative_coordinates(model)))
    for mine, wanted in zip(two, one, strict=True):
        np.testing.assert_allclose(mine, wanted, atol=1e-8)


def _height(marker: Any, t: float, view: Any) -> float:
    return float(view.position(marker)[2])


@dataclass(frozen=True)
class Height(Description):
    """A function object with a marker."""

    at: Any

    def __call__(self, t: float, view: Any) -> float:
        return float(view.position(self.at)[2])


def hung(function: Any) -> tuple[fx.Model, list[str]]:
    """The arm with a motor in its shoulder that follows a function of the model."""
    bodies, hinges = arm()
    sensor = fx.control.FunctionSensor(function(bodies[1].marker((0, 0, -0.5))), name="height")
    loop = fx.control.StateFeedback(
        sensor, fx.control.JointActuator(hinges[0], name="motor"), 0.01, [[5.0]], 1.0, name="loop"
    )
    return fx.Model(*bodies, *hinges, loop), [body.name for body in bodies]


@pytest.mark.parametrize("function", [lambda m: partial(_height, m), Height])
def test_functions_of_the_model_are_carried_over_with_their_arguments(function: Any) -> None:
    """The marker of a partial function, or of a description that can be called, becomes one on the link."""
    model, names = hung(function)
    how = {"integrator": fx.RungeKutta(), "step": fx.FixedStep(5e-4), "progress": False}
    for mine, wanted in zip(
        paths(fx.trees.to_relative_coordinates(model), names, 0.2, **how), paths(model, names, 0.2, **how), strict=True
    ):
        np.testing.assert_allclose(mine, wanted, atol=1e-8)


def test_functions_that_may_ask_for_anything_are_refused_by_name() -> None:
    model, _ = hung(lambda marker: lambda t, view: float(view.position(marker)[2]))
    assert fx.simulate(model, 0.05, step=1e-2, progress=False).status.name == "DONE"
    with pytest.raises(fx.ModelError, match=r"StateFeedback 'loop': the function of FunctionSensor 'height' .*partial"):
        fx.trees.to_relative_coordinates(model)


class Silent:
    """A user's force that says nothing of what it refers to."""

    def __init__(self, spring: fx.SpringDamper) -> None:
        self.name, self.row_forces, self.wrenches = spring.name, spring.row_forces, spring.wrenches


@dataclass(frozen=True)
class Spoken(Description):
    """The same as a description."""

    row_forces: Any
    name: str = "band"
    wrenches: tuple[Any, ...] = ()


def test_items_of_a_user_are_carried_over_if_they_say_what_they_refer_to() -> None:
    """The others just work in simulations, and are refused by name with what to do; long trees then stay trees."""
    bodies, hinges = arm()
    band = fx.SpringDamper(fx.ground.marker((1, 0, 0)), bodies[1].centre, stiffness=50.0, name="band")
    names, gravity = [body.name for body in bodies], fx.Gravity((0, 0, -9.81))
    wanted = paths(fx.Model(*bodies, *hinges, band, gravity), names, 0.2, **FINE)
    silent = fx.Model(*bodies, *hinges, Silent(band), gravity)
    spoken = fx.trees.to_relative_coordinates(fx.Model(*bodies, *hinges, Spoken(band.row_forces), gravity))
    for model in (silent, spoken):
        for mine, expected in zip(paths(model, names, 0.2, **FINE), wanted, strict=True):
            np.testing.assert_allclose(mine, expected, atol=1e-8)
    with pytest.raises(fx.ModelError, match=r"Silent 'band': it does not say .* flexmbs\.extend\.Description"):
        fx.trees.to_relative_coordinates(silent)


def test_a_long_tree_with_an_item_that_says_nothing_is_simulated_as_it_stands() -> None:
    links = [
        trees.Link(f"link {i}", 1.0, (0.1, 0.1, 0.01), (0, 0, -0.5), f"link {i - 1}" if i else None,
                   trees.Revolute((0, 1, 0)), at=(0, 0, -1 if i else 0))
        for i in range(110)
    ]  # fmt: skip
    tree = trees.Tree(*links)
    band = fx.SpringDamper(fx.ground.marker((1, 0, 0)), tree.link("link 3").centre, stiffness=50.0, name="band")
    assert sparse_form(fx.Model(tree, band)) is not None
    assert sparse_form(fx.Model(tree, Silent(band))) is None


@pytest.mark.parametrize("seed", [3, 8, 11, 16])
def test_random_trees_become_rigid_bodies(seed: int) -> None:
    """Trees of random joints against rigid bodies with joints; what has no counterpart is refused."""
    tree = random_tree(seed, 5)
    model = fx.Model(tree, fx.Gravity((0, 0, -2.0)))
    odd = [
        link.name
        for link in tree.links
        if isinstance(link.joint, trees.Screws)
        or (isinstance(link.joint, trees.Universal) and abs(link.joint.screws[0, 3:] @ link.joint.screws[1, 3:]) > 1e-6)
    ]
    if odd:
        with pytest.raises(fx.ModelError, match=odd[0]):
            fx.trees.to_absolute_coordinates(model)
        return
    flat = fx.trees.to_absolute_coordinates(model)
    names = [link.name for link in tree.links]
    how = {"integrator": fx.RungeKutta(), "step": fx.ErrorControl(1e-13, 1e-14), "progress": False}
    for mine, wanted in zip(paths(flat, names, 0.2, **how), paths(model, names, 0.2, **how), strict=True):
        np.testing.assert_allclose(mine, wanted, atol=1e-8 * max(1.0, float(np.abs(wanted).max())))


def test_massless_links_that_are_fixed_become_markers() -> None:
    """A tool frame without mass is part of the hand; one that could move is refused."""
    hand = trees.Link("hand", 1.0, (0.1, 0.1, 0.1), (0.1, 0.2, 0.3), joint=trees.Revolute((0, 1, 0)), start=0.4)
    turned = Rotation.from_rotvec((0.1, 0.2, 0.3)).as_quat(scalar_first=True)
    tool = trees.Link("tool", parent="hand", joint=trees.Fixed(), at=(1, 0, 0), rotation=turned)
    tree = trees.Tree(hand, tool, position=(0, 1, 0))
    model = fx.Model(tree, fx.PointForce(tree.link("tool").marker((0, 0, 0.5)), (1, 2, 3), follower=True))
    flat = fx.trees.to_absolute_coordinates(model)
    assert [body.name for body in flat.bodies] == ["hand"]
    how = {"integrator": fx.RungeKutta(), "step": fx.ErrorControl(1e-13, 1e-14), "progress": False}
    for mine, wanted in zip(paths(flat, ["hand"], 0.5, **how), paths(model, ["hand"], 0.5, **how), strict=True):
        np.testing.assert_allclose(mine, wanted, atol=1e-8)
    led = trees.Link("led", 1.0, (0.1, 0.1, 0.1), parent="lead", joint=trees.Revolute((1, 0, 0)))
    lead = trees.Link("lead", joint=trees.Revolute((0, 1, 0)))
    with pytest.raises(fx.ModelError, match="link 'lead' of Tree 'tree' has no mass"):
        fx.trees.to_absolute_coordinates(fx.Model(trees.Tree(lead, led)))


def test_flexible_links_become_floating_bodies() -> None:
    """Each of them, with its shapes (`test_flexible_trees.py` compares the motions)."""
    model = flexible_arm()
    flat = fx.trees.to_absolute_coordinates(model)
    for link in model.tree_links:
        if link.deforms:
            np.testing.assert_array_equal(flat.body(link.link.name).basis, link.link.floating.basis)


def test_coordinates_of_trees_are_exchanged_where_joints_have_them() -> None:
    """A spring at a tree joint becomes one at the revolute joint; at an angle of a universal joint it is refused."""
    link = trees.Link("arm", 1.0, (0.1, 0.1, 0.01), (0, 0, -0.5), joint=trees.Revolute((0, 1, 0)), start=0.3)
    tree = trees.Tree(link)
    model = fx.Model(tree, fx.TorsionSpring(tree.joint("arm"), stiffness=5.0, free_angle=0.1, name="spring"))
    flat = fx.trees.to_absolute_coordinates(model)
    one, two = (fx.simulate(m, 0.5, **FINE) for m in (model, flat))
    np.testing.assert_allclose(two.force("spring").force[-1], one.force("spring").force[-1], rtol=1e-7)
    cross = trees.Tree(
        trees.Link("arm", 1.0, (0.1, 0.1, 0.01), (0, 0, -0.5), joint=trees.Universal(), start=(0.1, 0.0))
    )
    angle = cross.joint("arm").coordinates["angle 1"]
    spring = fx.SpringDamper(angle.a, angle.b, stiffness=1.0, free_length=0.1, name="spring")
    with pytest.raises(fx.ModelError, match=r"SpringDamper 'spring': .*angle 1.*does not offer"):
        fx.trees.to_absolute_coordinates(fx.Model(cross, spring))


@pytest.mark.parametrize("kind", ["revolute", "prismatic", "cylindrical"])
def test_joints_of_a_standard_table_are_the_joints_that_they_are(kind: str) -> None:
    """Their axes pass beside the frames of the links: they move alike, and the links are where the table says."""
    how = {"mass": 1.0, "inertia": (0.1, 0.2, 0.15), "centre": (-0.3, 0.1, 0.05)}
    starts = {"revolute": 0.4, "prismatic": 0.4, "cylindrical": (0.3, 0.4)}
    tree = trees.dh_tree(
        trees.DHRow("one", "revolute", a=0.8, alpha=0.3, d=0.2, start=0.7, **how),
        trees.DHRow("two", kind, a=0.5, alpha=-0.4, d=0.1, theta=0.2, start=starts[kind], **how),
        trees.DHRow("three", "revolute", a=0.3, alpha=1.0, start=-0.5, **how),
        convention="standard",
    )  # fmt: skip
    items: list[Any] = [fx.TorsionSpring(tree.joint("one"), stiffness=5.0, free_angle=0.1, name="spring")]
    items += [
        fx.JointForce(tree.joint("two"), 2.0 + len(label), coordinate=label, name=f"motor {label}")
        for label in tree.joint("two").coordinates
    ]
    model = fx.Model(tree, *items, fx.Gravity((0.5, 0.3, -9.81)))
    flat = fx.trees.to_absolute_coordinates(model)
    called = {"revolute": "RevoluteJoint", "prismatic": "PrismaticJoint", "cylindrical": "CylindricalJoint"}
    assert [type(j).__name__ for j in flat.joints] == ["RevoluteJoint", called[kind], "RevoluteJoint"]
    names = ["one", "two", "three"]
    for mine, wanted in zip(paths(flat, names, 0.2, **FINE), paths(model, names, 0.2, **FINE), strict=True):
        np.testing.assert_allclose(mine, wanted, atol=1e-8)


def test_a_hinge_beside_the_link_frame_swings_about_its_axis() -> None:
    """A bob on a screw about the line y through (0, 0, 1): a pendulum of unit length, by hand."""
    hinge = trees.Screws([(-1.0, 0, 0, 0, 1, 0)])
    tree = trees.Tree(trees.Link("bob", 2.0, (0.1, 0.1, 0.1), joint=hinge, start=0.01))
    flat = fx.trees.to_absolute_coordinates(fx.Model(tree, fx.Gravity((0, 0, -9.81))))
    axis = flat.joint("joint of bob")
    assert type(axis) is fx.RevoluteJoint
    np.testing.assert_allclose(axis.a.position0(), (0, 0, 1), rtol=0.0, atol=1e-15)
    run = fx.simulate(flat, 1.0, **FINE)
    swing = np.sqrt(2.0 * 9.81 / (2.0 + 0.1))
    np.testing.assert_allclose(run.angle("joint of bob")[-1], 0.01 * np.cos(swing), rtol=0.0, atol=1e-6)


def test_screws_of_any_pitch_and_length_are_carried_over() -> None:
    """A thread beside the link frame and a slide whose coordinate counts double, with forces at their coordinates."""
    thread = trees.Screws([(*(np.cross((0.2, 0.1, 0.3), (0, 0.6, 0.8)) + 0.05 * np.array((0, 0.6, 0.8))), 0, 0.6, 0.8)])
    slide = trees.Screws([(0.3, 0.0, 0.4, 0, 0, 0)], ("way",))
    first = trees.Link("nut", 1.0, (0.1, 0.2, 0.15), (0.1, 0.2, 0.1), joint=thread, start=0.3, rate=1.0)
    second = trees.Link("block", 0.5, (0.1, 0.2, 0.15), (0.1, 0, 0), "nut", slide, at=(0.4, 0, 0), start=0.2, rate=-0.5)
    tree = trees.Tree(first, second)
    model = fx.Model(
        tree, fx.Gravity((0, 0, -9.81)), fx.JointForce(tree.joint("nut"), 1.5, name="torque"),
        fx.JointForce(tree.joint("block"), lambda x, rate, t: 3.0 - 20.0 * x - 0.5 * rate, name="force"),
    )  # fmt: skip
    flat = fx.trees.to_absolute_coordinates(model)
    assert [type(j).__name__ for j in flat.joints] == ["ScrewJoint", "PrismaticJoint"]
    for mine, wanted in zip(
        paths(flat, ["nut", "block"], 0.3, **FINE), paths(model, ["nut", "block"], 0.3, **FINE), strict=True
    ):
        np.testing.assert_allclose(mine, wanted, atol=1e-8)


def test_a_hinge_beside_an_interface_is_refused() -> None:
    """A flexible link has markers at its interfaces alone."""
    arm = flexible_arm().trees[0].links[1]
    flexible = trees.FlexibleLink("arm", arm.reduced, "left", joint=trees.Revolute((0, 1, 0)))
    beside = trees.Link("hand", 1.0, (0.1, 0.1, 0.1), (0.3, 0, 0), "arm", trees.Screws([(1, 0, 0, 0, 0, 1)]), "right")
    with pytest.raises(fx.ModelError, match="passes beside the interface 'right'"):
        fx.trees.to_absolute_coordinates(fx.Model(trees.Tree(flexible, beside)))
