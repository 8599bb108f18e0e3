"""The matrix of the constraints by both ways of writing it, and what it says of velocities."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import flexmbs as fx
from flexmbs.dynamics import compliance
from flexmbs.dynamics.evaluation import Dynamics
from tests.models.flexible_trees import closed_arm
from tests.models.floating import chain


def bicycle() -> fx.Model:
    """Rolls, so that constraints on velocities are among the rows."""
    from flexmbs.verification.cases.modes.bicycle import bicycle

    return bicycle(5.0)


def edges() -> fx.Model:
    """Equations of several rows: a body on the average of an edge."""
    plate = fx.FlexibleBody.plate(
        (1.0, 0.5), elements=(2, 2), element=fx.elements.ANCFThinPlate(), section=fx.ShellSection(0.01),
        material=fx.steel, name="plate",
    )  # fmt: skip
    body = fx.RigidBody.box(size=(0.1, 0.5, 0.1), mass=1.0, position=(1.0, 0.25, 0.0), name="body")
    return fx.Model(plate, fx.Clamp(plate.set("left")), body, fx.AverageEdge(plate.set("right"), body, name="edge"))


@pytest.mark.parametrize("make", [bicycle, closed_arm, chain, edges])
def test_dense_and_sparse_rows_are_the_same(make: Callable[[], fx.Model]) -> None:
    found = make()
    model = found if isinstance(found, fx.Model) else found[0]
    dyn = Dynamics(fx.compile_model(model))
    assert dyn.n_c
    rng = np.random.default_rng(2)
    c = dyn.coordinates
    q, v = c.reference.copy(), rng.standard_normal(dyn.n_v)
    dyn.start_turns(0.0)
    dyn.set_time(0.0)
    dyn.T[:] = np.eye(3)
    dyn.tangent(q, v, np.zeros(dyn.n_v), np.zeros(dyn.n_c), (0.0, 0.0))
    dense = compliance.constraint_matrix(dyn.mechanics, dyn.B, dyn.n_v)
    sparse = compliance.constraint_rows(dyn.mechanics, dyn.B, dyn.n_v).toarray()
    np.testing.assert_allclose(dense, sparse, rtol=0.0, atol=1e-15 * np.abs(dense).max())
    other = rng.standard_normal(dyn.n_v)
    rates = []
    for speed in (v + other, v - other):  # linear in the velocities
        dyn.residual(q, speed, np.zeros(dyn.n_v), np.zeros(dyn.n_c))
        rates.append(dyn.rates().copy())
    np.testing.assert_allclose(dense @ other, 0.5 * (rates[0] - rates[1]), atol=1e-12 * np.abs(dense).max() * dyn.n_v)
