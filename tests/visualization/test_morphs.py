"""Targets and weights of changing shapes: how few, how near, and the same whatever the pieces."""

from __future__ import annotations

import numpy as np
import pytest

from flexmbs.visualization.morphs import MorphBasis, needed_modes

RNG = np.random.default_rng(4)
N, FRAMES = 40, 150


def orthonormal(rows: int, columns: int) -> np.ndarray:
    return np.linalg.qr(RNG.standard_normal((rows, columns)))[0]


def displacements(values: list[float]) -> np.ndarray:
    """Displacements (n_f, n, 3) with given singular values."""
    D = orthonormal(3 * N, len(values)) @ np.diag(values) @ orthonormal(FRAMES, len(values)).T
    return D.T.reshape(FRAMES, N, 3)


def gathered(D: np.ndarray, piece: int, tolerance: float) -> tuple[np.ndarray, np.ndarray, MorphBasis]:
    basis = MorphBasis(tolerance, 0.0)
    for start in range(0, len(D), piece):
        basis.add(D[start : start + piece])
    return (*basis.targets(), basis)


def farthest(D: np.ndarray) -> float:
    return float(np.linalg.norm(D, axis=2).max())


@pytest.mark.parametrize("piece", [1, 7, 64, 1000])
@pytest.mark.parametrize("tolerance", [1e-1, 1e-3, 1e-6])
def test_points_are_as_near_as_allowed(piece: int, tolerance: float) -> None:
    D = displacements([10.0 ** (-0.5 * k) for k in range(20)])
    targets, weights, basis = gathered(D, piece, tolerance)
    assert basis.largest == pytest.approx(farthest(D), rel=1e-14)
    found = np.einsum("fk,knc->fnc", weights, targets)
    assert farthest(found - D) <= tolerance * farthest(D)
    assert np.abs(weights).max(axis=0) == pytest.approx(np.ones(len(targets)), rel=1e-12)


def test_few_targets() -> None:
    values = [10.0 ** (-0.5 * k) for k in range(20)]
    D = displacements(values)
    U, s, Vt = np.linalg.svd(D.reshape(FRAMES, -1), full_matrices=False)
    for tolerance in (1e-1, 1e-3):
        # what the decomposition of everything at once needs for half the tolerance, which is what targets may use
        need = next(
            m for m in range(21)
            if farthest(((U[:, m:] * s[m:]) @ Vt[m:]).reshape(D.shape)) <= 0.5 * tolerance * farthest(D)
        )  # fmt: skip
        assert len(gathered(D, 10, tolerance)[0]) <= need + 1


def test_rank_and_rest() -> None:
    targets, _, _ = gathered(displacements([3.0, 2.0]), 10, 1e-9)
    assert len(targets) == 2
    targets, weights, basis = gathered(np.zeros((5, N, 3)), 2, 1e-3)
    assert (targets.shape, weights.shape, basis.largest) == ((0, N, 3), (5, 0), 0.0)


def test_what_comes_late_is_seen() -> None:
    D = np.zeros((100, N, 3))
    D[:60, 0, 0] = np.sin(np.arange(60))
    D[60:, 1, 1] = 50.0
    targets, weights, _ = gathered(D, 20, 1e-6)
    assert farthest(np.einsum("fk,knc->fnc", weights, targets) - D) <= 1e-6 * 50.0
    assert len(targets) == 2


def test_shapes_that_are_needed() -> None:
    shapes, weights = RNG.standard_normal((N, 3, 12)), RNG.standard_normal((FRAMES, 12)) * 10.0 ** -np.arange(12.0)
    whole = np.einsum("nck,fk->fnc", shapes, weights)
    counts = []
    for allowed in (1e-1, 1e-4, 0.0):
        kept = needed_modes(shapes, weights, allowed)
        rest = whole - np.einsum("nck,fk->fnc", shapes[:, :, kept], weights[:, kept])
        assert farthest(rest) <= allowed + 1e-14
        counts.append(len(kept))
    assert counts[0] < counts[1] < counts[2] == 12
