"""Selections of modes do what they promise, to the bounds they promise."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import linalg

from flexmbs.core.eigen import EigenPairs, lowest_modes
from flexmbs.core.errors import ConvergenceError, ModelError
from flexmbs.reduction.methods.craig_bampton import craig_bampton
from flexmbs.reduction.selection import (
    EffectiveMass,
    Lowest,
    TransferFunction,
    UpToFrequency,
    as_selection,
    candidates,
)


def fixed_interface(beam, elements=60):
    """Interior pencil of a beam between two interfaces, coupling, interface mass, rigid motions of the interface."""
    K, M, R = beam(elements)
    n = K.shape[0]
    boundary = np.array([0, 1, n - 2, n - 1])
    inside = np.arange(2, n - 2)
    T = craig_bampton(K, M, boundary, 0).vectors
    return K[inside][:, inside], M[inside][:, inside], (M @ T)[inside], T.T @ (M @ T), R[boundary]


@pytest.mark.parametrize("cut_off", [5.0, 100.0, 3000.0])
def test_all_modes_up_to_a_frequency_and_no_other(beam, cut_off):
    K, M, coupling, mass, _ = fixed_interface(beam)
    every = np.sqrt(linalg.eigh(K.toarray(), M.toarray(), eigvals_only=True))
    rule = UpToFrequency(cut_off / (2.0 * np.pi), factor=1.0)
    kept = candidates(rule, lambda k: lowest_modes(K, M, k), K.shape[0], coupling, mass)
    assert len(kept.values) == np.count_nonzero(every <= cut_off)


def test_batches_double_until_the_choice_is_sure(beam):
    K, M, coupling, mass, _ = fixed_interface(beam)
    asked = []

    def solve(count):
        asked.append(count)
        return lowest_modes(K, M, count)

    candidates(UpToFrequency(5e4, factor=1.0, max_modes=200), solve, K.shape[0], coupling, mass)
    assert asked == [20, 40, 80, 118]  # all there are, at last


def test_effective_masses_sum_to_what_the_interior_can_hold(beam):
    K, M, coupling, mass, R_b = fixed_interface(beam)
    inertia = coupling @ R_b
    attainable = np.einsum("ij,ij->j", inertia, linalg.solve(M.toarray(), inertia))
    rule = EffectiveMass(0.9, directions=(0, 1))
    every = lowest_modes(K, M, K.shape[0])
    kept = candidates(rule, lambda k: lowest_modes(K, M, k), K.shape[0], coupling, mass, R_b, attainable)
    whole = ((every.vectors.T @ inertia) ** 2).sum(axis=0)
    held = ((kept.vectors.T @ inertia) ** 2).sum(axis=0)
    np.testing.assert_allclose(whole, attainable, rtol=1e-9)
    assert (held >= 0.9 * attainable).all()
    for j in range(len(kept.values)):  # none of them can be spared
        spared = np.delete(kept.vectors, j, axis=1)
        assert (((spared.T @ inertia) ** 2).sum(axis=0) < 0.9 * attainable).any()


def test_a_fraction_that_moves_with_the_interface_cannot_be_reached(beam):
    K, M, coupling, mass, R_b = fixed_interface(beam)
    rule = EffectiveMass(0.999999, directions=(0,), max_modes=40)
    with pytest.raises(ConvergenceError, match=r"40 modes.*not enough"):
        candidates(rule, lambda k: lowest_modes(K, M, k), K.shape[0], coupling, mass, R_b)


@pytest.mark.parametrize("tolerance", [0.3, 0.03, 0.003])
@pytest.mark.parametrize("band", [3.0, 40.0])
def test_dynamic_stiffness_within_the_tolerance_over_the_band(beam, band, tolerance):
    """By the definition of the promise: all modes against the chosen ones, every mode damped alike."""
    K, M, coupling, mass, _ = fixed_interface(beam)
    rule = TransferFunction(band, tolerance)
    every = lowest_modes(K, M, K.shape[0])
    kept = candidates(rule, lambda k: lowest_modes(K, M, k), K.shape[0], coupling, mass)
    C = np.linalg.cholesky(mass)
    worst = 0.0
    for omega in np.concatenate([np.linspace(0.02, 1.0, 60) * 2 * np.pi * band, np.sqrt(every.values[:8])]):
        if omega <= 2 * np.pi * band:
            error = dynamic_part(every, coupling, omega) - dynamic_part(kept, coupling, omega)
            scaled = linalg.solve_triangular(C, linalg.solve_triangular(C, error, lower=True).T, lower=True)
            worst = max(worst, np.linalg.norm(scaled, 2) / omega**2)
    assert worst <= tolerance
    assert worst >= 0.01 * tolerance  # not far more modes than needed


def dynamic_part(pairs, coupling, omega, zeta=0.01):
    """What modes add to the dynamic stiffness of the interface."""
    c = pairs.vectors.T @ coupling
    own = np.sqrt(pairs.values)
    return (c.T * (omega**4 / (own**2 - omega**2 + 2j * zeta * own * omega))) @ c


def test_a_mode_that_the_interface_does_not_feel_is_left_out(beam):
    """Of a beam driven by both ends alike, modes that are odd about the middle feel nothing."""
    K, M, coupling, mass, _ = fixed_interface(beam)
    both = np.array([[1.0, 0.0, 1.0, 0.0]]).T
    rule = TransferFunction(150.0, 0.01)
    alike = candidates(rule, lambda k: lowest_modes(K, M, k), 118, coupling @ both, both.T @ mass @ both)
    n = K.shape[0]
    mirrored = alike.vectors.reshape(n // 2, 2, -1)[::-1, 0]
    np.testing.assert_allclose(mirrored, alike.vectors[::2], atol=1e-6)
    free = candidates(rule, lambda k: lowest_modes(K, M, k), 118, coupling, mass)
    assert len(alike.values) < len(free.values)


def test_whole_numbers_are_counts():
    assert as_selection(3) == Lowest(3)
    assert as_selection(np.int64(3)) == Lowest(3)


@pytest.mark.parametrize("wrong", [True, 2.5, "ten", None, -1])
def test_other_things_are_no_selection(wrong):
    with pytest.raises(ModelError):
        as_selection(wrong)


def test_more_modes_than_there_are(beam):
    with pytest.raises(ModelError, match="only 4"):
        candidates(5, lambda k: EigenPairs(np.ones(k), np.eye(4), np.zeros(k)), 4, np.zeros((4, 1)), np.eye(1))


@pytest.mark.parametrize(
    "make",
    [
        lambda: UpToFrequency(0.0),
        lambda: UpToFrequency(1.0, factor=0.5),
        lambda: EffectiveMass(1.0),
        lambda: EffectiveMass(0.5, directions=()),
        lambda: EffectiveMass(0.5, directions=(0, 0)),
        lambda: EffectiveMass(0.5, directions=(6,)),
        lambda: TransferFunction(1.0, tolerance=0.0),
        lambda: TransferFunction(1.0, damping=1.0),
        lambda: Lowest(-1),
    ],
)
def test_bad_rules_are_refused(make):
    with pytest.raises(ModelError):
        make()


def test_effective_mass_needs_rigid_motions(beam):
    K, M, coupling, mass, _ = fixed_interface(beam)
    with pytest.raises(ModelError, match="rigid motions"):
        candidates(EffectiveMass(0.9), lambda k: lowest_modes(K, M, k), K.shape[0], coupling, mass)
