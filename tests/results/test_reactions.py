"""What joints of trees transmit, against the same mechanism of rigid bodies with joints."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import flexmbs as fx
from flexmbs import trees
from tests.models.flexible_trees import arm
from tests.models.trees_of_links import mixed

GRAVITY = fx.Gravity((0.0, 0.5, -9.81))


def robot() -> fx.Model:
    """Three links with a spring to the ground and a load that follows."""
    base = trees.Link("base", 2.0, (0.1, 0.1, 0.1), (0, 0, 0.2), joint=trees.Revolute(), rate=1.0)
    upper = trees.Link("upper", 1.0, (0.01, 0.1, 0.1), (0.3, 0, 0), "base", trees.Universal((0, 1, 0), (1, 0, 0)),
                       at=(0, 0, 0.4), start=(0.3, 0.2), rate=(0.5, -1.0))  # fmt: skip
    hand = trees.Link("hand", 0.5, (0.01, 0.02, 0.02), (0.1, 0, 0), "upper", trees.Spherical(), at=(0.6, 0, 0))
    tree = trees.Tree(base, upper, hand, name="robot")
    return fx.Model(
        tree, GRAVITY,
        fx.SpringDamper(fx.ground.marker((0.5, 0.5, 0)), tree.link("hand").marker((0.2, 0, 0)), stiffness=20.0,
                        damping=1.0, name="spring"),
        fx.PointForce(tree.link("upper").marker((0.5, 0, 0.1)), (1.0, -2.0, 0.5), follower=True),
    )  # fmt: skip


def test_reactions_are_those_of_joints_between_rigid_bodies() -> None:
    model = robot()
    flat = fx.trees.to_absolute_coordinates(model)
    one, two = (fx.simulate(m, until=0.2, step=5e-4, progress=False) for m in (model, flat))
    for name in ("base", "upper", "hand"):
        joint = model.trees[0].joint(name)
        force, other = one.reaction(joint), two.reaction(f"joint of {name}")
        np.testing.assert_allclose(force, other, rtol=0.0, atol=2e-3 * np.abs(other).max())
    # moments about the same point; side b has the axes of a joint frame there, here those of the inertial frame
    turned = np.einsum("tij,tj->ti", one.rotation(model.trees[0].link("upper").centre),
                       one.reaction_moment(model.trees[0].joint("upper")))  # fmt: skip
    side = flat.joint("joint of upper").pairs[0].b
    other = np.einsum("tij,tj->ti", two.rotation(side), two.reaction_moment("joint of upper"))
    np.testing.assert_allclose(turned, other, rtol=0.0, atol=2e-3 * np.abs(other).max())


def test_a_hanging_load_is_carried() -> None:
    """At rest the force is the weight, and the moment that of its lever."""
    link = trees.Link("beam", 2.0, (0.1, 0.1, 0.1), (0.3, 0, 0), joint=trees.Prismatic((1, 0, 0)))
    model = fx.Model(trees.Tree(link, name="rail"), fx.Gravity((0, 0, -9.81)))
    run = fx.simulate(model, until=0.01, step=1e-3, progress=False)
    np.testing.assert_allclose(run.reaction("rail/beam")[-1], (0, 0, 2 * 9.81), rtol=0.0, atol=1e-10)
    np.testing.assert_allclose(run.reaction_moment("rail/beam")[-1], (0, -0.3 * 2 * 9.81, 0), rtol=0.0, atol=1e-10)


@pytest.mark.filterwarnings("ignore:Body .* turns by")
@pytest.mark.filterwarnings("ignore:.*Without geometric")
@pytest.mark.parametrize("make", [mixed, arm])
def test_nothing_acts_along_the_coordinates(make: object) -> None:
    """In closed and flexible trees: the wrench of a joint without springs does no work on its motion.

    But at the first state, whose accelerations are smoothed.
    """
    model = make()  # type: ignore[operator]
    run = fx.simulate(model, until=0.005, step=1e-3, progress=False)
    sprung = {m.body.name for f in model.forces for r in f.row_forces for m in (r.a, r.b) if "joint" in str(m.name)}
    for tree in model.trees:
        for link in tree.bodies:
            joint = link.link.joint
            if not joint.n_v or link.name in sprung or len(joint.screws) > 1 or joint.ball:
                continue
            s = joint.screws[0]
            R, own = run.rotation(link.centre), tree.joint(link.link.name)
            force = np.einsum("tji,tj->ti", R, run.reaction(own))
            work = force @ s[:3] + run.reaction_moment(own) @ s[3:]
            size = np.abs(force).max() + np.abs(run.reaction_moment(own)).max()
            assert np.abs(work[1:]).max() < 1e-6 * size


def test_refused() -> None:
    fixed = trees.Link("lug", 1.0, (1, 1, 1), parent="arm", joint=trees.Fixed())
    model = fx.Model(trees.Tree(trees.Link("arm", 1.0, (1, 1, 1)), fixed))
    run = fx.simulate(model, until=0.0, step=1e-3, progress=False)
    with pytest.raises(fx.ModelError, match="lug"):
        run.reaction(model.trees[0].joint("lug"))


EXACT = {"integrator": fx.RungeKutta(), "step": fx.ErrorControl(1e-11, 1e-12), "progress": False}
KINDS = {
    "revolute": (trees.Revolute((0.3, 1.0, 0.2)), 0.4, 1.0),
    "prismatic": (trees.Prismatic((1.0, 0.4, 0.2)), 0.1, 0.5),
    "helical": (trees.Helical(0.3, (0.1, 1.0, 0.5)), 0.4, 1.0),
    "cylindrical": (trees.Cylindrical((0.1, 0.5, 1.0)), (0.1, 0.4), (0.3, 1.0)),
    "planar": (trees.Planar((0.2, 1.0, 0.3)), (0.1, -0.1, 0.4), (0.3, 0.2, 1.0)),
    "universal": (trees.Universal((0, 1, 0), (1, 0, 0)), (0.3, 0.2), (0.5, -1.0)),
    "spherical": (trees.Spherical(), (0.8, 0.0, 0.6, 0.0), (0.2, 0.5, -0.4)),
    "slotted": (trees.PrismaticSpherical((1, 0.2, 0)), ((0.1,), (0.8, 0, 0.6, 0)), (0.3, 0.2, 0.5, -0.4)),
    "free": (trees.Free(), ((0.1, 0, 0), (0.8, 0, 0.6, 0)), (0.3, 0, 0, 0.2, 0.5, -0.4)),
    "hinge beside": (trees.Screws([(*np.cross((0.3, 0.1, 0.2), (0, 0.6, 0.8)), 0, 0.6, 0.8)], ("angle",)), 0.4, 1.0),
}


def spring(stiffness: float, free: float) -> Callable[[float, float, float], float]:
    """What drives a coordinate back to where it is free."""
    return lambda x, rate, t: -stiffness * (x - free) - 0.5 * rate


def loaded(kind: str) -> fx.Model:
    """A turning post, an arm with the joint in question and forces of all sorts at its coordinates, and a ball."""
    joint, start, rate = KINDS[kind]
    free = isinstance(joint, trees.Free)
    post = trees.Link("post", 2.0, (0.1, 0.2, 0.3), (0, 0.1, 0.2), joint=trees.Revolute((0, 0.3, 1)), rate=1.5)
    arm = trees.Link("arm", 1.0, (0.02, 0.1, 0.09), (0.3, 0.1, -0.1), None if free else "post", joint,
                     at=(0.2, 0, 0.4), rotation=(0.7, 0.1, 0.1, 0.7), start=start, rate=rate)  # fmt: skip
    hand = trees.Link("hand", 0.5, (0.01, 0.02, 0.02), (0.1, 0, 0), "arm", trees.Revolute((0, 1, 0)), at=(0.6, 0, 0))
    tree = trees.Tree(*([] if free else [post]), arm, hand, name="robot")
    own = tree.joint("arm")
    items: list[object] = []
    for label in {} if kind == "universal" or free else own.coordinates:
        k = len(items)
        items += [
            fx.JointForce(own, spring(30.0, 0.3), coordinate=label, name=f"spring {k}"),
            fx.JointForce(own, 4.0 + k, coordinate=label, name=f"motor {k}"),
            fx.JointStop(own, upper=0.02, stiffness=200.0, coordinate=label, name=f"stop {k}"),
            fx.CoulombFriction(own, coefficient=0.2, load=10.0, speed=0.1, coordinate=label, name=f"friction {k}"),
        ]
    pull = fx.SpringDamper(fx.ground.marker((0.5, 0.5, 0)), tree.link("hand").marker((0.2, 0, 0)), stiffness=20.0)
    push = fx.PointForce(tree.link("arm").marker((0.5, 0, 0.1)), (1.0, -2.0, 0.5), follower=True)
    return fx.Model(tree, GRAVITY, *items, pull, push)


ENDS = [0, -1]


def ends(values: np.ndarray) -> np.ndarray:
    """The first and the last state, which are at one time however long the steps are."""
    return np.asarray(values)[ENDS]


def same_wrench(one: Any, two: Any, name: str, tolerance: float) -> None:
    """A joint of a tree in one solution transmits what the joint of rigid bodies does in the other, about one point."""
    joint, flat = one.model.trees[0].joint(name), two.model.joint(f"joint of {name}")
    force = ends(two.reaction(flat))
    size = max(np.abs(force).max(), 1.0)
    np.testing.assert_allclose(ends(one.reaction(joint)), force, rtol=0.0, atol=tolerance * size)
    centre = joint.tree.links[joint.link].centre
    R = ends(two.rotation(name))
    arm = R @ (flat.b.point + centre)  # bodies have the axes of links, and their origin at the centre of mass
    about = ends(two.reaction_moment(flat)) @ flat.b.frame.T
    about += np.einsum("tji,tj->ti", R, np.cross(arm, force))
    np.testing.assert_allclose(ends(one.reaction_moment(joint)), about, rtol=0.0, atol=tolerance * size)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "free"])
def test_forces_at_coordinates_are_no_part_of_a_reaction(kind: str) -> None:
    """Springs, motors, stops and friction act beside the joint, as between rigid bodies."""
    model = loaded(kind)
    one, two = (fx.simulate(m, until=0.05, **EXACT) for m in (model, fx.trees.to_absolute_coordinates(model)))
    for name in ("post", "arm", "hand"):
        same_wrench(one, two, name, 1e-6)
    own, joint = model.trees[0].joint("arm"), KINDS[kind][0]
    for k in (0, len(one) - 1):
        wrench = np.concatenate((one.rotation(own.tree.bodies[1].centre)[k].T @ one.reaction(own)[k],
                                 one.reaction_moment(own)[k]))  # fmt: skip
        work = joint.screws_at(one.coordinates(own.tree.bodies[1])[k]) @ wrench
        np.testing.assert_allclose(work, 0.0, rtol=0.0, atol=1e-10)


def test_a_free_link_is_held_by_nothing() -> None:
    model = loaded("free")
    run = fx.simulate(model, until=0.01, **EXACT)
    own = model.trees[0].joint("arm")
    assert not run.reaction(own).any()
    assert not run.reaction_moment(own).any()


@pytest.mark.parametrize("kind", ["revolute", "prismatic", "cylindrical", "hinge beside"])
def test_a_driver_at_a_coordinate_is_a_joint_of_its_own(kind: str) -> None:
    """With its force or torque as between rigid bodies; the joint has the rest."""
    joint, start, _ = KINDS[kind]
    turns = kind != "prismatic"
    link = trees.Link("arm", 1.0, (0.02, 0.1, 0.09), (0.3, 0.1, -0.1), joint=joint, start=start)
    hand = trees.Link("hand", 0.5, (0.01, 0.02, 0.02), (0.1, 0, 0), "arm", trees.Revolute((0, 1, 0)), at=(0.6, 0, 0))
    tree = trees.Tree(link, hand, position=(0.1, 0.2, 0.3), rotation=(0.7, 0.1, 0.1, 0.7))
    drive = (fx.RotationDriver if turns else fx.TranslationDriver)(
        tree.joint("arm"), rate=lambda t: 1.0 + 20.0 * t, name="motor"
    )
    model = fx.Model(tree, drive, GRAVITY)
    flat = fx.trees.to_absolute_coordinates(model)
    one, two = (fx.simulate(m, until=0.1, **EXACT) for m in (model, flat))
    same_wrench(one, two, "arm", 1e-6)
    near = {"rtol": 0.0, "atol": 1e-6}
    np.testing.assert_allclose(ends(one.reaction("motor")), ends(two.reaction("motor")), **near)
    about = ends(two.reaction_moment("motor")) @ flat.joint("joint of arm").b.frame.T
    np.testing.assert_allclose(ends(one.reaction_moment("motor")), about, **near)
    np.testing.assert_allclose(ends(one["motor"].torque), ends(two["motor"].torque), **near)
    assert np.abs(one["motor"].torque if turns else one.reaction("motor")).max() > 0.5
    np.testing.assert_allclose(ends(one["tree/arm"].torque), ends(two["joint of arm"].torque), **near)


def test_a_motor_holds_what_the_joint_does_not() -> None:
    """At rest by hand: the hinge has the weight and the moment across its axis, the motor the one about it."""
    weight, reach = 2.0 * 9.81, np.array([0.3, 0.1, 0.0])
    link = trees.Link("beam", 2.0, (0.1, 0.1, 0.1), reach, joint=trees.Revolute((0, 1, 0)))
    tree = trees.Tree(link, name="crane")
    model = fx.Model(tree, fx.RotationDriver(tree.joint("beam"), 0.0, name="motor"), fx.Gravity((0, 0, -9.81)))
    run = fx.simulate(model, until=0.01, step=1e-3, progress=False)
    np.testing.assert_allclose(run.reaction("crane/beam")[-1], (0, 0, weight), rtol=0.0, atol=1e-9)
    np.testing.assert_allclose(run.reaction_moment("crane/beam")[-1], (0.1 * weight, 0, 0), rtol=0.0, atol=1e-9)
    np.testing.assert_allclose(run.reaction_moment("motor")[-1], (0, -0.3 * weight, 0), rtol=0.0, atol=1e-9)
    np.testing.assert_allclose(run.reaction("motor")[-1], 0.0, rtol=0.0, atol=1e-9)
    assert run["motor"].torque[-1] == pytest.approx(-0.3 * weight)


@pytest.mark.parametrize("second", [(1, 0, 0), (0.6, 0.8, 0)])
def test_springs_at_a_universal_joint_leave_it_the_moment_across_both_axes(second: tuple[float, ...]) -> None:
    """In equilibrium by hand, oblique axes too: c springs and the joint, along e1 x e2, hold the weight."""
    first, b, c = np.array([0.0, 1.0, 0.0]), np.asarray(second), (40.0, 25.0)
    link = trees.Link("arm", 2.0, (0.1, 0.1, 0.1), (0.3, 0.2, 0.1), joint=trees.Universal(first, b))
    tree = trees.Tree(link)
    springs = [
        fx.JointForce(tree.joint("arm"), spring(k, 0.0), coordinate=label, name=label)
        for label, k in zip(("angle 1", "angle 2"), c, strict=True)
    ]
    found = fx.solve_static(fx.Model(tree, *springs, fx.Gravity((0, 1.0, -9.81))))
    joint, (one, two) = tree.joint("arm"), found.coordinates(tree)[-1]
    assert abs(two) > 0.05
    R = Rotation.from_rotvec(one * first).as_matrix() @ Rotation.from_rotvec(two * b).as_matrix()
    held = R.T @ np.cross(R @ link.centre, -2.0 * np.array([0, 1.0, -9.81]))  # moment of joint and springs, link axes
    axes = np.array([R.T @ first, b])
    springs_hold = np.linalg.pinv(axes) @ (-np.array(c) * (one, two))
    np.testing.assert_allclose(found.reaction_moment(joint)[-1], held - springs_hold, rtol=0.0, atol=1e-7)
    np.testing.assert_allclose(axes @ found.reaction_moment(joint)[-1], 0.0, rtol=0.0, atol=1e-10)
    np.testing.assert_allclose(found.reaction(joint)[-1], (0, -2.0, 19.62), rtol=0.0, atol=1e-9)


def test_reactions_at_rest_are_those_of_joints_between_rigid_bodies() -> None:
    """A post and an arm with springs at their hinges in equilibrium."""
    post = trees.Link("post", 2.0, (0.1, 0.2, 0.3), (0.1, 0.1, 0.2), joint=trees.Revolute((0, 0.3, 1)))
    arm = trees.Link("arm", 1.0, (0.02, 0.1, 0.09), (0.3, 0.1, -0.1), "post", trees.Prismatic((1, 0.2, 0.5)),
                     at=(0.2, 0, 0.4))  # fmt: skip
    tree = trees.Tree(post, arm)
    model = fx.Model(
        tree, GRAVITY, fx.TorsionSpring(tree.joint("post"), stiffness=30.0, free_angle=0.4),
        fx.JointForce(tree.joint("arm"), spring(90.0, 0.3)),
    )  # fmt: skip
    one, two = fx.solve_static(model), fx.solve_static(fx.trees.to_absolute_coordinates(model))
    for name in ("post", "arm"):
        same_wrench(one, two, name, 1e-8)
