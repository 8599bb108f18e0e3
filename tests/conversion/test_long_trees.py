"""Long trees, integrated as rigid bodies with joints without the user's doing."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import flexmbs as fx
from flexmbs import trees
from flexmbs.conversion import long_trees


def chain(links: int) -> trees.Tree:
    """Bars that turn about slightly different axes."""
    made = [
        trees.Link(
            f"bar {i}", 0.2, (1e-4, 2e-3, 2e-3), (0.1, 0, 0), f"bar {i - 1}" if i else None,
            trees.Revolute((0.1 * (i % 3), 0.2, 1.0)), at=(0.2 if i else 0.0, 0, 0), rate=0.3,
        )
        for i in range(links)
    ]  # fmt: skip
    return trees.Tree(*made, name="chain")


def test_pairs_are_counted() -> None:
    assert long_trees.coupled_pairs(chain(4)) == 10
    hub = trees.Link("hub", 1.0, (1, 1, 1), joint=trees.Free())
    arms = [trees.Link(f"arm {i}", 1.0, (1, 1, 1), parent="hub", joint=trees.Universal()) for i in range(3)]
    assert long_trees.coupled_pairs(trees.Tree(hub, *arms)) == 21 + 3 * (6 + 6 + 3)


def test_both_forms_move_alike(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    tree = chain(6)
    bob = fx.RigidBody(0.3, (1e-3, 1e-3, 1e-3), position=(1.2, 0, 0), rotation=tree.link("bar 5").axes, name="bob")
    grip = fx.RevoluteJoint(tree.link("bar 5").marker((0.2, 0, 0)), bob, name="grip")
    model = fx.Model(
        tree, bob, grip, fx.Gravity((0.0, -9.81, 0.0)),
        fx.SpringDamper(fx.ground.marker((1.0, 0.5, 0.0)), tree.link("bar 3").marker((0.1, 0, 0)), stiffness=20.0),
    )  # fmt: skip
    tip = tree.link("bar 5").marker((0.2, 0, 0))
    runs = []
    for pairs in (10**9, 0):
        monkeypatch.setattr(long_trees, "PAIRS", pairs)
        runs.append(fx.simulate(model, until=0.2, step=1e-3, progress=False))
    relative, sparse = runs
    assert relative.model is model
    assert sparse.model is not model
    assert len(sparse.model.rigid_bodies) == 7
    for joint in (grip, "grip"):
        np.testing.assert_allclose(sparse.angle(joint), relative.angle(joint), rtol=0.0, atol=2e-4)
        np.testing.assert_allclose(sparse.reaction(joint)[5:], relative.reaction(joint)[5:], rtol=0.0, atol=2e-2)
    np.testing.assert_allclose(sparse.position(tip), relative.position(tip), rtol=0.0, atol=2e-6)
    np.testing.assert_allclose(
        sparse.coordinate(tree.joint("bar 4"), "angle"), relative.coordinate(tree.joint("bar 4"), "angle"), atol=2e-5
    )
    np.testing.assert_allclose(sparse.angle("chain/bar 4"), relative.angle("chain/bar 4"), rtol=0.0, atol=2e-5)
    np.testing.assert_allclose(sparse["chain/bar 2"].angle, relative["chain/bar 2"].angle, rtol=0.0, atol=2e-5)
    np.testing.assert_allclose(sparse.energy.total, relative.energy.total, rtol=0.0, atol=1e-5)
    on = fx.simulate(model, until=0.25, step=1e-3, start=sparse, progress=False)
    assert len(on.model.rigid_bodies) == 7
    assert len(sparse.table("chain/bar 5", "bob").columns["t"]) == len(sparse)
    sparse.save(tmp_path / "chain.h5")
    assert np.array_equal(fx.load(tmp_path / "chain.h5").q, sparse.q)


def test_what_cannot_be_carried_over_stays_relative(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(long_trees, "PAIRS", 0)
    own = trees.Screws([(0.01, 0, 0, 1, 0, 0), (0, 1, 0, 0, 0, 0)])
    model = fx.Model(trees.Tree(trees.Link("nut", 1.0, (1, 1, 1), joint=own)))
    assert fx.simulate(model, until=0.01, step=1e-3, progress=False).model is model


def all_kinds() -> fx.Model:
    """A tree with every kind of joint that rigid bodies have, turned by more than a turn, with a motor and a spring."""
    joints: list[tuple[trees.TreeJoint, Any, Any]] = [
        (trees.Revolute((0.3, 1.0, 0.2)), 7.0, 1.0),
        (trees.Prismatic((1.0, 0.4, 0.2)), 0.1, 0.5),
        (trees.Helical(0.3, (0.1, 1.0, 0.5)), -8.0, -1.0),
        (trees.Cylindrical((0.1, 0.5, 1.0)), (0.1, 0.4), (0.3, 1.0)),
        (trees.Planar((0.2, 1.0, 0.3)), (0.1, -0.1, 9.0), (0.3, 0.2, 1.0)),
        (trees.Universal((0, 1, 0), (1, 0, 0)), (6.5, 0.2), (0.5, -1.0)),
        (trees.Spherical(), (-0.8, 0.0, 0.6, 0.0), (0.2, 0.5, -0.4)),
        (trees.PrismaticSpherical((1, 0.2, 0)), ((0.1,), (0.8, 0, 0.6, 0)), (0.3, 0.2, 0.5, -0.4)),
        (trees.Screws([(0.2, 0.1, 0.3, 0.0, 0.6, 0.8)], ("winding",)), 0.4, 1.0),
        (trees.Screws([(0.0, 0.5, 0.0, 0.0, 0.0, 0.0)], ("half",)), 0.4, 1.0),
    ]
    links = [trees.Link("hub", 5.0, (1, 2, 3), (0, 0.1, 0), joint=trees.Free(), start=((1, 2, 3), (0.8, 0, 0.6, 0)),
                        rate=(1, 0, 0, 0, 0.5, 0))]  # fmt: skip
    links += [
        trees.Link(f"link {i}", 1.0, (0.02, 0.1, 0.09), (0.3, 0.1, -0.1), "hub", joint, at=(0.2, 0.1 * i, 0.4),
                   rotation=(0.7, 0.1, 0.1, 0.7), start=start, rate=rate)
        for i, (joint, start, rate) in enumerate(joints)
    ]  # fmt: skip
    links.append(trees.Link("tip", 0.3, (0.01, 0.01, 0.01), (0.1, 0, 0), "link 5", trees.Fixed(), at=(0.2, 0, 0)))
    tree = trees.Tree(*links, position=(0.1, 0, 0.2), rotation=(0.7, 0.1, 0.1, 0.7), name="star")
    return fx.Model(
        tree, fx.Gravity((0, 0, -9.81)), fx.RotationDriver(tree.joint("link 0"), rate=lambda t: 1.0 + t, name="motor"),
        fx.TranslationDriver(tree.joint("link 1"), rate=lambda t: 0.5 - t, name="push"),
        fx.JointForce(tree.joint("link 2"), 5.0, name="torque"),
        fx.JointForce(tree.joint("link 9"), 3.0, coordinate="half", name="force"),
    )  # fmt: skip


def test_angles_begin_where_the_tree_does(monkeypatch: pytest.MonkeyPatch) -> None:
    """A spring on a joint that begins at 3.5 rad had -5.78 N m for 0.5."""
    monkeypatch.setattr(long_trees, "PAIRS", 0)
    tree = trees.Tree(trees.Link("arm", 1.0, (0.1, 0.1, 0.1), joint=trees.Revolute(), start=3.5), name="tree")
    joint, held = tree.joint("arm"), fx.control.Signal("held")
    spring = fx.TorsionSpring(joint, stiffness=1.0, free_angle=3.0, name="spring")
    control = fx.control.StateFeedback(fx.control.JointSensor(joint), held, 0.1, [[-1.0]], name="control")
    torque = fx.control.JointActuator(joint, name="torque")
    state = fx.control.FirstOrder([0.0], lambda x, u, t: u, fx.control.JointSensor(joint), torque, name="state")
    model = fx.Model(tree, spring, control, state)
    run = fx.simulate(model, until=0.01, step=1e-3)
    assert not run.model.trees
    assert run.force("spring").force[0] == pytest.approx(0.5)
    assert run.held("held")[1] == pytest.approx([3.5])
    found = run.table("state.state", "control", "torque").columns
    assert found["state.state"][-1] == pytest.approx(0.035, rel=1e-3)
    assert found["control"] == pytest.approx(3.5)
    assert found["torque.force"] == pytest.approx(found["state.state"])
    assert found["torque.coordinate"][0] == pytest.approx(3.5)
    motor = fx.RotationDriver(joint, fx.motions.Linear(1.0, start=3.5), name="motor")
    for items, seen in (((), 3.5 - 2.0 * np.pi), ((motor,), 3.5)):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            found = trees.to_absolute_coordinates(fx.Model(tree, spring, control, *items))
        assert ["begins at 3.5 rad" in str(one.message) for one in caught] == [True] * (not items)
        assert fx.simulate(found, until=0.0).held("held")[1] == pytest.approx([seen])


def test_joints_of_trees_answer_alike_in_both_forms(monkeypatch: pytest.MonkeyPatch) -> None:
    """Coordinates over full turns, rates, reactions about the link frame in its axes, and motors."""
    model = all_kinds()
    tree = model.trees[0]
    how: Any = {"integrator": fx.RungeKutta(), "step": fx.ErrorControl(1e-11, 1e-12), "progress": False}
    monkeypatch.setattr(long_trees, "PAIRS", 10**9)
    relative = fx.simulate(model, until=0.1, **how)
    monkeypatch.setattr(long_trees, "PAIRS", 0)
    sparse = fx.simulate(model, until=0.1, **how)
    again = fx.simulate(model, until=0.1, start=fx.simulate(model, until=0.05, **how), **how)
    assert sparse.model is not model

    for run in (sparse, again):

        def same(ask: Callable[[fx.TimeSolution], Any], run: fx.TimeSolution = run) -> None:
            mine, wanted = (np.asarray(ask(solution))[-1] for solution in (run, relative))
            np.testing.assert_allclose(mine, wanted, rtol=0.0, atol=1e-7 * max(1.0, np.abs(wanted).max()))

        same(lambda solution: solution.coordinates(tree))
        same(lambda solution: solution.coordinates("star"))
        assert run.coordinates(tree).shape == (len(run), 7 + 1 + 1 + 1 + 2 + 3 + 2 + 4 + 5 + 1 + 1)
        for link in tree.links[:-1]:
            own = tree.joint(link.name)
            same(lambda solution, own=own: solution.coordinates(tree.bodies[own.link]))
            same(lambda solution, own=own: solution.reaction(own))
            same(lambda solution, own=own: solution.reaction_moment(own.name))
            same(lambda solution, own=own: solution[own.name].moment)
            for label in own.coordinates:
                same(lambda solution, own=own, label=label: solution.coordinate(own, label))
                same(lambda solution, own=own, label=label: solution.coordinate_rate(own, label))
        for name in ("motor", "push"):
            same(lambda solution, name=name: solution.reaction(name))
            same(lambda solution, name=name: solution.reaction_moment(name))
            same(lambda solution, name=name: solution[name].torque)
        with pytest.raises(fx.ModelError, match="a fixed joint makes one body of two"):
            run.reaction(tree.joint("tip"))
    np.testing.assert_allclose(sparse.coordinate(tree.joint("link 0"), "angle")[0], 7.0, rtol=0.0, atol=1e-12)
    np.testing.assert_allclose(sparse.coordinates(tree)[0], relative.coordinates(tree)[0], rtol=0.0, atol=1e-10)
