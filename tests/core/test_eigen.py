"""Lowest modes: closed forms, rigid motions, massless unknowns, twins."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

import flexmbs as fx
from flexmbs.core import eigen
from flexmbs.core.eigen import lowest_modes, negative_shift


def chain(n: int, held: bool):
    """n unit masses and springs in a row; held at both ends, or free."""
    main = np.full(n, 2.0)
    if not held:
        main[[0, -1]] = 1.0
    K = sparse.diags([main, np.full(n - 1, -1.0), np.full(n - 1, -1.0)], [0, 1, -1], format="csc")
    return K, sparse.eye(n, format="csc")


@pytest.mark.parametrize("n", [50, 400], ids=["dense", "sparse"])
def test_held_chain(n) -> None:
    K, M = chain(n, held=True)
    found = lowest_modes(K, M, 8)
    exact = 4.0 * np.sin(np.arange(1, 9) * np.pi / (2 * (n + 1))) ** 2
    assert np.abs(found.values / exact - 1.0).max() < 1e-10
    assert np.abs(found.vectors.T @ (M @ found.vectors) - np.eye(8)).max() < 1e-12
    assert found.residuals.max() < 1e-9


@pytest.mark.parametrize("n", [50, 400], ids=["dense", "sparse"])
@pytest.mark.parametrize("size", [1e-8, 1.0, 1e8], ids=["light", "unit", "heavy"])
def test_free_chain_with_its_rigid_motion_known(n, size) -> None:
    K, M = chain(n, held=False)
    M = size * M
    Z = np.full((n, 1), 1.0 / np.sqrt(n * size))
    x = np.linspace(-1.0, 1.0, n)
    shift = negative_shift(K, M, np.column_stack([x**0, x, x**2]), Z)
    exact = 4.0 * np.sin(np.arange(1, 7) * np.pi / (2 * n)) ** 2 / size
    assert -exact[0] < shift < -1e-3 * exact[0]
    found = lowest_modes(K, M, 6, shift=shift, rigid=Z)
    assert np.abs(found.values / exact - 1.0).max() < 1e-9
    assert np.abs(Z.T @ (M @ found.vectors)).max() < 1e-14


@pytest.mark.parametrize("n", [50, 400], ids=["dense", "sparse"])
def test_free_chain_of_which_nothing_is_known(n) -> None:
    K, M = chain(n, held=False)
    found = lowest_modes(K, M, 4, shift=negative_shift(K, M))
    exact = 4.0 * np.sin(np.arange(4) * np.pi / (2 * n)) ** 2
    assert np.abs(found.values - exact).max() < 1e-9 * 4.0


@pytest.mark.parametrize("n", [15, 30], ids=["dense", "sparse"])
def test_twin_modes_are_all_found(n) -> None:
    """A square membrane: modes (i, j) and (j, i) have one frequency."""
    K, M = chain(n, held=True)
    both = (sparse.kron(K, M) + sparse.kron(M, K)).tocsc()
    found = lowest_modes(both, sparse.eye(n * n, format="csc"), 12)
    one = 4.0 * np.sin(np.arange(1, n + 1) * np.pi / (2 * (n + 1))) ** 2
    exact = np.sort((one[:, None] + one).ravel())[:12]
    assert np.abs(found.values / exact - 1.0).max() < 1e-10


@pytest.mark.parametrize("n", [60, 400], ids=["dense", "sparse"])
def test_massless_unknowns_are_condensed(n) -> None:
    """Springs in series: a massless node between two masses only softens the spring."""
    K, _ = chain(n, held=True)
    M = sparse.diags(np.arange(n) % 2.0, format="csc")
    found = lowest_modes(K, M, 5)
    full, mass = K.toarray(), np.arange(1, n, 2)
    rest = np.arange(0, n, 2)
    condensed = full[np.ix_(mass, mass)] - full[np.ix_(mass, rest)] @ np.linalg.solve(
        full[np.ix_(rest, rest)], full[np.ix_(rest, mass)]
    )
    assert np.abs(found.values / np.linalg.eigvalsh(condensed)[:5] - 1.0).max() < 1e-9
    with pytest.raises(fx.ModelError, match=f"only {n // 2} unknowns have mass"):
        lowest_modes(K, M, n // 2 + 1)


def test_dense_and_sparse_agree(monkeypatch) -> None:
    K, M = chain(120, held=True)
    dense = lowest_modes(K, M, 5)
    monkeypatch.setattr(eigen, "DENSE", 10)
    found = lowest_modes(K, M, 5)
    assert np.abs(found.values - dense.values).max() < 1e-13
    assert np.abs(found.vectors - dense.vectors).max() < 1e-9


def test_every_run_gives_the_same_digits() -> None:
    K, M = chain(400, held=True)
    one, two = (lowest_modes(K, M, 5) for _ in range(2))
    assert (one.vectors == two.vectors).all()


def test_a_singular_stiffness_needs_a_shift() -> None:
    K, M = chain(50, held=False)
    with pytest.raises(fx.SingularError):
        lowest_modes(-K, M, 2)
    K, M = chain(400, held=False)
    with pytest.raises(fx.SingularError):
        lowest_modes(K, M, 2)


def test_no_mode_and_too_many() -> None:
    K, M = chain(20, held=True)
    assert lowest_modes(K, M, 0).vectors.shape == (20, 0)
    assert len(lowest_modes(K, M, 20).values) == 20
    with pytest.raises(fx.ModelError, match="21 modes"):
        lowest_modes(K, M, 21)


def test_a_rigid_motion_without_stiffness_needs_no_shift() -> None:
    """What is M-orthogonal to it is held: K = diag(0, 2, 3) beside the first unknown."""
    K, M = (sparse.csc_matrix(np.diag(x)) for x in ([0.0, 2.0, 3.0], np.ones(3)))
    found = lowest_modes(K, M, 2, rigid=np.eye(3)[:, :1])
    assert found.values == pytest.approx([2.0, 3.0], rel=1e-14)
