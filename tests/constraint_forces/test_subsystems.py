"""Subsystems condensed to their interfaces: what all equations together give, and what D and R mean."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import flexmbs as fx
from flexmbs.constraint_forces import condense
from flexmbs.verification.cases.mechanisms.condensed_loop import HALVES, chain, halved, together
from flexmbs.verification.cases.mechanisms.folding_loop import four_bars


@pytest.mark.parametrize("levels", [1, 2, 3])
def test_all_levels_give_what_all_equations_give(levels: int) -> None:
    model, links = chain(16)
    condensed = condense(model, halved(links, levels))
    assert condensed.levels == levels
    found = condensed.solve()
    a, lam = together(condensed)
    np.testing.assert_allclose(found.a, a, rtol=0.0, atol=1e-12 * np.abs(a).max())
    np.testing.assert_allclose(found.lam, lam, rtol=0.0, atol=1e-12 * np.abs(lam).max())


def test_every_constraint_has_one_owner_and_interfaces_are_what_others_hold() -> None:
    """Ground joints belong to the bodies that they hold; the middle joint to the top."""
    model, *_ = four_bars((0.0, -9.81))
    condensed = condense(model, HALVES)
    one, two = condensed.root.parts
    owned = sorted(k for part in condensed.root.all() for k in part.constraints.tolist())
    assert owned == list(range(10))
    assert [len(x.constraints) for x in (one, two, condensed.root)] == [4, 4, 2]
    assert one.interface.tolist() == [3, 4, 5]
    assert two.interface.tolist() == [6, 7, 8]
    assert not len(condensed.root.interface)


def test_the_interface_matrices_are_those_of_the_subsystem_alone() -> None:
    """A free rod: D is its inverse mass, R gravity; two pinned rods by elimination."""
    rods = [fx.PlanarRigidBody.rod((i, 0), (i + 1, 0), mass=2.0, name=f"rod {i}") for i in range(3)]
    pins = [fx.RevoluteJoint(a, b, at=(i + 1, 0), name=f"pin {i}") for i, (a, b) in enumerate(pairwise(rods))]
    model = fx.Model(*rods, *pins, fx.Gravity((0, -9.81)))
    condensed = condense(model, [rods[:2], rods[2:]])
    condensed.solve()
    pair, last = condensed.root.parts
    np.testing.assert_allclose(last.D, np.diag([0.5, 0.5, 6.0]), rtol=1e-12)
    np.testing.assert_allclose(last.R, [0.0, -9.81, 0.0], atol=1e-12)
    # the pair: free fall without forces; under a force Q on rod 1 both move, D by the equations of the pair
    np.testing.assert_allclose(pair.R, [0.0, -9.81, 0.0], atol=1e-12)
    M = np.diag([2.0, 2.0, 1.0 / 6.0] * 2)
    G = np.array([[1.0, 0, 0, -1, 0, 0], [0, 1, 0.5, 0, -1, 0.5]])
    whole = np.linalg.inv(np.block([[M, G.T], [G, np.zeros((2, 2))]]))[3:6, 3:6]
    np.testing.assert_allclose(pair.D, whole, atol=1e-12)
    np.testing.assert_allclose(pair.D, pair.D.T, atol=1e-14)


def test_redundant_constraints_leave_the_accelerations_as_they_are() -> None:
    """A parallelogram of spatial hinges has three equations too many."""
    bars = [fx.RigidBody(1.0, (0.1, 0.1, 0.1), position=(x, y, 0), name=n) for n, x, y in
            (("left", 0, 0.5), ("top", 0.5, 1), ("right", 1, 0.5))]  # fmt: skip
    left, top, right = bars
    pairs = [
        (fx.ground, left, (0, 0, 0)),
        (left, top, (0, 1, 0)),
        (top, right, (1, 1, 0)),
        (right, fx.ground, (1, 0, 0)),
    ]
    joints = [fx.RevoluteJoint(a, b, at=at, axis=(0, 0, 1), name=f"j{i}") for i, (a, b, at) in enumerate(pairs)]
    model = fx.Model(*bars, *joints, fx.Gravity((9.81, 0, 0)))
    found = condense(model, [[left, top], [right]]).solve()
    # T = 1/2 (2 (0.1 + 0.25) + 1) w^2, moment of gravity -9.81 (0.5 + 1 + 0.5) on a turn that goes left
    np.testing.assert_allclose(found.a[5], -9.81 * 2.0 / (2 * 0.35 + 1.0), rtol=1e-10)


def test_states_in_motion_are_solved() -> None:
    model, *_ = four_bars((0.0, -9.81))
    run = fx.simulate(model, 0.3, step=1e-3, progress=False)
    condensed = condense(model, HALVES)
    here = condensed.solve(run.q[-1], run.v[-1], run.t[-1])
    whole = fx.constraint_forces.ReducedSystem(model).solve(run.q[-1], run.v[-1], run.t[-1])
    np.testing.assert_allclose(here.a, whole.a, atol=1e-10 * np.abs(whole.a).max())


def test_bad_groups_are_refused() -> None:
    model, links = chain(4)
    with pytest.raises(fx.ModelError, match="no group holds 'link 3'"):
        condense(model, [links[:2], links[2:3]])
    with pytest.raises(fx.ModelError, match="'link 1' is in two groups"):
        condense(model, [links[:2], links[1:]])
    with pytest.raises(fx.ModelError, match="not both"):
        condense(model, [links[:2], links[2], links[3]])
    with pytest.raises(fx.ModelError, match="has no joints"):
        condense(fx.Model(fx.PointMass(1.0, position=(0, 0), name="ball")), [["ball"]])
    with pytest.raises(fx.ModelError, match="groups are lists"):
        condense(model, "link 0")
