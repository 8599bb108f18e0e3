"""Craig-Bampton and Guyan on chains of masses, against dense algebra and closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import linalg, sparse

from flexmbs.core.errors import ModelError, SingularError
from flexmbs.reduction.methods.craig_bampton import craig_bampton, guyan
from flexmbs.reduction.selection import EffectiveMass, UpToFrequency


def chain(n: int, seed: int = 0) -> tuple:
    """A free chain of n masses on springs, both random; K and M."""
    random = np.random.default_rng(seed)
    k, m = random.uniform(0.5, 2.0, n - 1), random.uniform(0.5, 2.0, n)
    K = np.zeros((n, n))
    for i, s in enumerate(k):
        K[i : i + 2, i : i + 2] += s * np.array([[1, -1], [-1, 1]])
    return sparse.csc_matrix(K), sparse.diags(m, format="csc"), k, m


def frequencies(K, M) -> np.ndarray:
    return linalg.eigh(K, M, eigvals_only=True)


@pytest.mark.parametrize("ends", [[0, 29], [29, 0], [7], [3, 4, 5]])
def test_guyan_is_the_schur_complement(ends):
    K, _, _, _ = chain(30)
    T = guyan(K, ends).vectors
    dense = K.toarray()
    inside = np.setdiff1d(np.arange(30), ends)
    schur = dense[np.ix_(ends, ends)] - dense[np.ix_(ends, inside)] @ np.linalg.solve(
        dense[np.ix_(inside, inside)], dense[np.ix_(inside, ends)]
    )
    assert np.abs(T.T @ (K @ T) - schur).max() < 1e-13
    assert (T[ends] == np.eye(len(ends))).all()


def test_springs_in_series():
    K, _, k, _ = chain(12)
    T = guyan(K, [0, 11]).vectors
    assert pytest.approx(np.array([[1, -1], [-1, 1]]) / np.sum(1 / k), rel=1e-12) == T.T @ (K @ T)


def test_all_modes_are_the_full_model():
    K, M, _, _ = chain(40, 1)
    T = craig_bampton(K, M, [0, 39], 38).vectors
    full, small = frequencies(K.toarray(), M.toarray()), frequencies(T.T @ (K @ T), T.T @ (M @ T))
    assert np.abs(small - full).max() < 1e-12 * full[-1]


@settings(max_examples=30, deadline=None)
@given(st.integers(3, 40), st.integers(0, 1000), st.data())
def test_frequencies_come_from_above_and_fall(n, seed, data):
    K, M, _, _ = chain(n, seed)
    boundary = data.draw(st.lists(st.integers(0, n - 1), min_size=1, max_size=n - 1, unique=True))
    full = frequencies(K.toarray(), M.toarray())
    last = np.full(len(boundary), np.inf)
    for modes in range(n - len(boundary) + 1):
        basis = craig_bampton(K, M, boundary, modes)
        T = basis.vectors
        small = frequencies(T.T @ (K @ T), T.T @ (M @ T))
        assert (small >= full[: len(small)] - 1e-11 * full[-1]).all()
        assert (small[: len(last)] <= last + 1e-11 * full[-1]).all()
        assert abs(small[0]) < 1e-11 * full[-1]  # the rigid motion
        last = small
        assert basis.n_interface == len(boundary)


def test_modes_are_mass_normalised_and_uncoupled_by_stiffness():
    K, M, _, _ = chain(60, 3)
    basis = craig_bampton(K, M, [0, 59], 10)
    small, mass = basis.vectors.T @ (K @ basis.vectors), basis.vectors.T @ (M @ basis.vectors)
    assert np.abs(small[:2, 2:]).max() < 1e-12
    assert np.abs(mass[2:, 2:] - np.eye(10)).max() < 1e-12
    assert small.diagonal()[2:] == pytest.approx(basis.frequencies[2:] ** 2, rel=1e-12)
    assert np.isnan(basis.frequencies[:2]).all()


def test_selections():
    K, M, _, _ = chain(300, 4)
    cut = 0.6 / (2 * np.pi)
    basis = craig_bampton(K, M, [0, 299], UpToFrequency(cut, factor=1.0))
    inside = np.arange(1, 299)
    exact = np.sqrt(frequencies(K.toarray()[np.ix_(inside, inside)], M.toarray()[np.ix_(inside, inside)]))
    assert basis.size - 2 == np.count_nonzero(exact <= 0.6)
    heavy = craig_bampton(K, M, [0, 299], EffectiveMass(0.8, directions=(0,)), rigid=np.ones((300, 1)))
    participation = heavy.vectors[:, 2:].T @ (M @ np.ones(300))
    assert (participation**2).sum() >= 0.8 * M.diagonal().sum()
    assert heavy.size < 20


@pytest.mark.parametrize(
    ("boundary", "text"),
    [([], "one or more"), ([0, 0], "unknown 0 twice"), ([5], "unknown 5 of 5"), ([-1], "not -1"), (0.5, "not 0.5")],
)
def test_bad_boundary(boundary, text):
    K, M, _, _ = chain(5)
    with pytest.raises(ModelError, match=text):
        craig_bampton(K, M, boundary, 1)


@pytest.mark.parametrize("modes", [5, -1, 1.5, True, "all"])
def test_bad_modes(modes):
    K, M, _, _ = chain(5)
    with pytest.raises(ModelError, match=r"modes|count"):
        craig_bampton(K, M, [0], modes)


def test_a_mechanism_inside_is_named():
    K = sparse.block_diag([chain(5)[0], chain(5)[0]], format="csc")
    M = sparse.identity(10, format="csc")
    with pytest.raises(SingularError, match="interface is held") as info:
        craig_bampton(K, M, [0], 1)
    assert info.value.unknown is not None
    assert info.value.unknown >= 5


def test_wrong_labels():
    K, M, _, _ = chain(5)
    with pytest.raises(ModelError, match="1 labels for 2"):
        craig_bampton(K, M, [0, 4], 1, labels=["a"])
