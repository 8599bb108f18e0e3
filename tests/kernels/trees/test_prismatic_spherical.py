"""A point on a line with rotation about it, as a joint of a tree in motion: energy, and the model of rigid bodies."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import flexmbs as fx
from flexmbs import trees


def alone() -> trees.Tree:
    """At the root."""
    joint = trees.PrismaticSpherical((0.2, 0.0, 1.0))
    start = ((0.1,), Rotation.from_rotvec((0.2, -0.4, 0.3)))
    return trees.Tree(trees.Link("ball", 1.0, (1, 2, 1.5), (0, 0, 0.1), None, joint, start=start, rate=(0.3, 1, 2, -1)))


def chain() -> trees.Tree:
    """Behind a hinge, and one behind another."""
    start = ((0.2,), Rotation.from_rotvec((0.3, 0.2, 0.5)))
    rate = (0.4, 1.0, 2.0, -1.0)
    return trees.Tree(
        trees.Link("base", 1.0, (1, 1, 1), (0.1, 0.2, 0), None, trees.Revolute((0, 1, 0)), rate=0.5),
        trees.Link("ball", 1.0, (1, 2, 2.5), (0, 0, 0.1), "base", trees.PrismaticSpherical((1, 0.3, 0)),
                   start=start, rate=rate),
        trees.Link("tip", 0.5, (0.1, 0.1, 0.2), (0.2, 0, 0.1), "ball", trees.PrismaticSpherical((0, 1, 0)),
                   at=(0.3, 0, 0)),
    )  # fmt: skip


@pytest.mark.parametrize("make", [alone, chain])
def test_it_moves_as_rigid_bodies_do_and_keeps_its_energy(make) -> None:
    """Order 5 at 1 ms: h^5 times derivatives of some 10^5 is below 1e-9."""
    tree = make()
    model = fx.Model(tree, fx.Gravity((0, 0, -9.81)))
    flat = fx.trees.to_absolute_coordinates(model)
    runs = [fx.simulate(m, 0.5, step=1e-3, integrator=fx.RungeKutta(order=5), progress=False) for m in (model, flat)]
    for number, link in enumerate(tree.bodies):
        own, body = link.centre, flat.rigid_bodies[number].centre
        for quantity in ("position", "velocity", "rotation"):
            mine, wanted = getattr(runs[0], quantity)(own), getattr(runs[1], quantity)(body)
            np.testing.assert_allclose(mine, wanted, rtol=0.0, atol=1e-8, err_msg=f"{quantity} of {link.name}")
    balance = runs[0].energy.balance
    assert np.abs(balance - balance[0]).max() < 1e-9 * runs[0].energy.kinetic.max()


def test_generalized_alpha_converges_to_the_same_motion() -> None:
    """Second order."""
    model = fx.Model(chain(), fx.Gravity((0, 0, -9.81)))
    tip = model.trees[0].link("tip").centre
    best = fx.simulate(model, 0.3, step=1e-3, integrator=fx.RungeKutta(order=5), progress=False).position(tip)[-1]
    errors = []
    for h in (2e-3, 1e-3):
        found = fx.simulate(model, 0.3, step=h, progress=False).position(tip)[-1]
        errors.append(float(np.abs(found - best).max()))
    assert errors[0] / errors[1] > 3.5
    assert errors[1] < 1e-4


def test_its_start_is_the_one_given() -> None:
    tree = alone()
    run = fx.simulate(fx.Model(tree), 1e-3, step=1e-3, progress=False)
    turn = Rotation.from_rotvec((0.2, -0.4, 0.3)).as_quat(scalar_first=True)
    np.testing.assert_allclose(run.coordinates(tree)[0], (0.1, *turn), atol=1e-15)
