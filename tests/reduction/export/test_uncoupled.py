"""Linear systems of many states fall apart into small groups, and stay the same system."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import linalg

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
    for s in (0.01, 10.0, 3000.0j, 1.0 + 2e5j):
        expected = transfer(system, s)
        assert transfer(found, s) == pytest.approx(expected, abs=1e-8 * np.abs(expected).max())


def test_a_free_part_accelerates_by_its_inertia(strut):
    """Newton and Euler, from a unit force on an end: s^2 (transfer) -> 1 / m along the strut, and across it
    1 / m + d^2 / J, d from the centre of mass. The slowest vibration (669 per second) adds (s / 669)^2."""
    m = strut.inertia.mass
    J = strut.inertia.central_tensor
    expected = 1.0 / m + 0.25 * np.array([0.0, 1.0 / J[2, 2], 1.0 / J[1, 1]])
    found = uncoupled(balanced(modal_system(damped(strut, rigid=True))))
    for s in (1e-4, 1e-2):
        assert np.diag(s * s * transfer(found, s)[:3, :3]) == pytest.approx(expected, rel=1e-8)


def test_dependent_eigenvectors_leave_a_system_as_it_is(strut):
    """A chain of equal lags has one eigenvector."""
    n = 50
    A = -np.eye(n) + np.eye(n, k=1)
    chain = replace(
        modal_system(strut, "start"), A=A, B=np.eye(n)[:, -1:], C=np.eye(n)[:1], F=np.zeros((1, 1)), blocks=()
    )
    assert uncoupled(chain) is chain


def test_parts_of_dependent_states_stay_whole_and_the_others_fall_apart(strut):
    """A chain of four lags at each of three speeds, six decades apart, all coupled: the fast do not spoil the slow."""
    rng = np.random.default_rng(3)
    chain = -np.eye(4) + np.eye(4, k=1)
    speeds = (1e-3, 1.0, 1e3)
    A = linalg.block_diag(*(speed * chain for speed in speeds))
    T = np.eye(12) + np.triu(0.3 * rng.standard_normal((12, 12)), 4)  # couples slow ones to faster ones
    B, C = rng.standard_normal((12, 1)), rng.standard_normal((1, 12))
    system = replace(
        modal_system(strut, "start"), A=np.linalg.solve(T, A @ T), B=np.linalg.solve(T, B), C=C @ T,
        F=np.zeros((1, 1)), blocks=(),
    )  # fmt: skip
    found = uncoupled(system)
    assert found.blocks == (4, 4, 4)
    for speed, block in zip(speeds, found.diagonal_blocks(), strict=True):
        assert np.trace(block) == pytest.approx(-4.0 * speed, rel=1e-12)
        assert np.linalg.det(block) == pytest.approx(speed**4, rel=1e-11)
    for s in (1e-3j, 1.0j, 1e3j):
        lags = np.concatenate(
            [np.linalg.solve(s * np.eye(4) - v * chain, b) for v, b in zip(speeds, B.reshape(3, 4, 1), strict=True)]
        )
        assert transfer(found, s) == pytest.approx(C @ lags, rel=1e-10)


def test_few_states_keep_their_meaning(strut, monkeypatch):
    monkeypatch.setattr(module, "FEW", 1000)
    system = balanced(modal_system(damped(strut), "start"))
    assert uncoupled(system) is system
