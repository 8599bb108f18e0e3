"""Long trees, integrated as rigid bodies with joints without the user's doing."""

from __future__ import annotations

from pathlib import Path

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
