"""Reduction of operators that another program has assembled: frequencies, and inertia without a mesh."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

import numpy as np
import pytest

import flexmbs as fx

FILE = Path(str(resources.files("flexmbs.verification.reference") / "calculix" / "operators_block.sti"))


@pytest.fixture(scope="module")
def block():
    return fx.linear.read_operators(FILE)


@pytest.fixture(scope="module")
def model(block):
    return fx.reduction.reduce(block, ["ROOT", "TIP"], modes=6, progress=False)


def test_inertia_with_rigid_interfaces_is_that_of_the_mass_matrix(block, model):
    M_s, x = fx.linear.scalar_mass(block), block.points
    inertia = model.inertia
    assert inertia.exact
    assert inertia.mass == pytest.approx(M_s.sum(), rel=1e-12)
    assert inertia.first == pytest.approx(np.asarray(M_s.sum(axis=0) @ x).ravel(), rel=1e-12)
    assert inertia.second == pytest.approx(x.T @ M_s @ x, rel=1e-12)
    # both ways to the reduced mass matrix
    assert inertia.modal_mass == pytest.approx(model.M, abs=1e-12 * np.abs(model.M).max())


def test_sums_with_the_shapes_by_hand(block, model):
    M_s = fx.linear.scalar_mass(block).toarray()
    u = np.zeros((len(block.points), 3, model.M.shape[0]))
    u[block.dofs.node, block.dofs.component] = np.asarray(model.shapes)
    inertia = model.inertia
    for mine, sums in (
        (inertia.P, np.einsum("gh,hak->ak", M_s, u)),
        (inertia.Q, np.einsum("gh,ga,hbk->abk", M_s, block.points, u)),
        (inertia.R, np.einsum("gh,gak,hbl->abkl", M_s, u, u)),
    ):
        assert np.abs(mine - sums).max() < 1e-12 * np.abs(sums).max()


def test_clamped_frequencies_of_calculix(block):
    """Fixed-interface modes are what CalculiX computes with the same nodes held, to its seven printed digits."""
    printed = np.array([3327.048, 5207.190, 16105.87, 17938.17])
    model = fx.reduction.reduce(block, ["ROOT"], modes=4, progress=False)
    assert model.frequencies[-4:] / (2 * np.pi) == pytest.approx(printed, rel=3e-7)
