"""Linear systems of many states fall apart into small groups, and stay the same system."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from flexmbs.reduction.export import uncoupled as module
from flexmbs.reduction.export.linear_system import balanced, modal_system
from flexmbs.reduction.export.uncoupled import uncoupled


def damped(model, seed=1, rigid=False):
    """Damping that couples all modes; with ``rigid``, none of rigid motions."""
    D = np.random.default_rng(seed).standard_normal(model.K.shape) * 0.3
    D = D @ D.T
    if rigid:
        _, vectors = model.modes()
        keep = vectors[:, 6:] @ vectors[:, 6:].T @ model.M  # takes rigid motions off
        D = keep.T @ D @ keep
    return replace(model, D=0.5 * (D + D.T))


@pytest.fixture(autouse=True)
def _few(monkeypatch):
    monkeypatch.setattr(module, "FEW", 0)


def transfer(system, s):
    A, B, C, F = system.first_order()
    return C @ np.linalg.solve(s * np.eye(len(A)) - A, B) + F


@pytest.mark.parametrize(("fixed", "rigid"), [("start", False), ((), False), ((), True)])
def test_the_system_stays_the_same(strut, fixed, rigid):
    system = balanced(modal_system(damped(strut, rigid=rigid), fixed))
    found = uncoupled(system)
    assert sum(found.blocks) == system.n_states == len(found.states)
    assert max(found.blocks) == (12 if rigid else 2)  # positions and velocities of six rigid motions stay together
    A = np.asarray(found.A).copy()
    for block, end in zip(found.diagonal_blocks(), np.cumsum(found.blocks), strict=True):
        assert np.array_equal(A[end - len(block) : end, end - len(block) : end], block)
        A[end - len(block) : end, end - len(block) : end] = 0.0
    assert not A.any()
    for s in (10.0, 3000.0j, 1.0 + 2e5j):
        expected = transfer(system, s)
        assert transfer(found, s) == pytest.approx(expected, abs=1e-8 * np.abs(expected).max())


def test_dependent_eigenvectors_leave_a_system_as_it_is(strut):
    """A chain of equal lags has one eigenvector."""
    n = 50
    A = -np.eye(n) + np.eye(n, k=1)
    chain = replace(
        modal_system(strut, "start"), A=A, B=np.eye(n)[:, -1:], C=np.eye(n)[:1], F=np.zeros((1, 1)), blocks=()
    )
    assert uncoupled(chain) is chain


def test_few_states_keep_their_meaning(strut, monkeypatch):
    monkeypatch.setattr(module, "FEW", 1000)
    system = balanced(modal_system(damped(strut), "start"))
    assert uncoupled(system) is system
