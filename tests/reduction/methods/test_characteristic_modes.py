"""Characteristic constraint modes: fewer interface coordinates, rigid motions exact, frequencies from above."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import linalg

from flexmbs.core.errors import ModelError
from flexmbs.reduction.methods.characteristic_modes import characteristic_modes
from flexmbs.reduction.methods.craig_bampton import craig_bampton
from flexmbs.reduction.methods.modal_truncation import modal_truncation
from flexmbs.reduction.selection import EffectiveMass, UpToFrequency


@pytest.fixture
def part(beam):
    """A beam whose interface is every fifth node, and its Craig-Bampton basis."""
    K, M, R = beam(40)
    nodes = np.arange(0, 41, 5)
    boundary = np.ravel(np.column_stack([2 * nodes, 2 * nodes + 1]))
    return K, M, R, craig_bampton(K, M, boundary, 4)


def frequencies(basis, K, M):
    T = basis.vectors
    return np.sqrt(np.maximum(linalg.eigh(T.T @ (K @ T), T.T @ (M @ T), eigvals_only=True), 0.0))


def test_all_of_them_span_the_same_space(part):
    K, M, _, basis = part
    every = characteristic_modes(basis, K, M, 18)
    assert every.size == basis.size
    np.testing.assert_allclose(frequencies(every, K, M)[2:], frequencies(basis, K, M)[2:], rtol=1e-7)


def test_frequencies_from_above_and_converging(part):
    K, M, R, basis = part
    reference = frequencies(basis, K, M)[2:6]
    previous = np.full(4, np.inf)
    for count in (6, 10, 14):
        small = characteristic_modes(basis, K, M, count)
        assert small.n_interface == 0
        assert small.size == count + 4
        error = frequencies(small, K, M)[2:6] / reference - 1.0
        assert (error > -1e-7).all()
        assert (error < previous + 1e-7).all()
        previous = error
        left = R - small.vectors @ np.linalg.lstsq(small.vectors, R, rcond=None)[0]
        assert np.abs(left).max() < 1e-9
    assert previous.max() < 1e-4


def test_groups_with_the_others_held(part):
    K, M, R, basis = part
    groups = [np.arange(0, 8), np.arange(10, 18)]
    small = characteristic_modes(basis, K, M, 3, groups, R)
    assert small.n_interface == 2
    assert small.labels[:2] == basis.labels[8:10]
    np.testing.assert_array_equal(small.vectors[:, :2], basis.vectors[:, 8:10])
    left = R - small.vectors @ np.linalg.lstsq(small.vectors, R, rcond=None)[0]
    assert np.abs(left).max() < 1e-9
    assert (frequencies(small, K, M)[2:6] / frequencies(basis, K, M)[2:6] > 1.0 - 1e-7).all()


def test_up_to_a_frequency(part):
    K, M, _, basis = part
    cut = 400.0
    T_c = basis.vectors[:, :18]
    condensed = np.sqrt(np.maximum(linalg.eigh(T_c.T @ (K @ T_c), T_c.T @ (M @ T_c), eigvals_only=True), 0.0))
    small = characteristic_modes(basis, K, M, UpToFrequency(cut / (2 * np.pi), factor=1.0))
    assert small.size == 4 + np.count_nonzero(condensed <= cut)


def test_bad_input_is_refused(part):
    K, M, R, basis = part
    for groups, message in (
        ([], "a list"),
        ([[]], "group 0"),
        ([[0, 18]], "group 0"),
        ([[0, 1], [1, 2]], "in two groups"),
        ([[0, 0]], "in two groups"),
    ):
        with pytest.raises(ModelError, match=message):
            characteristic_modes(basis, K, M, 1, [np.array(g, dtype=int) for g in groups])
    with pytest.raises(ModelError, match="only 18"):
        characteristic_modes(basis, K, M, 19)
    with pytest.raises(ModelError, match="a count"):
        characteristic_modes(basis, K, M, EffectiveMass(0.9))
    with pytest.raises(ModelError, match="no interface"):
        characteristic_modes(modal_truncation(K, M, 3, rigid=R), K, M, 1)
