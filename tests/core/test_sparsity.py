"""Pattern, slots and the jitted loops over blocks, against dense algebra and scipy's own assembly."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import coo_array

from flexmbs.core import sparsity
from flexmbs.core.sparsity import Blocks, Pattern


def random_blocks(seed: int) -> tuple[list[Blocks], np.ndarray, np.ndarray, int]:
    """Some groups of blocks, their buffer with gaps, the unknowns (-1: fixed) in random order, and their number."""
    rng = np.random.default_rng(seed)
    n_q = int(rng.integers(1, 30))
    groups, start = [], int(rng.integers(0, 5))
    for _ in range(rng.integers(0, 4)):
        n, k = int(rng.integers(0, 6)), int(rng.integers(1, min(n_q, 6) + 1))
        dofs = np.array([rng.permutation(n_q)[:k] for _ in range(n)], dtype=np.int64).reshape(n, k)
        groups.append(Blocks(dofs, start))
        start += n * k * k + int(rng.integers(0, 3))
    free = rng.permutation(n_q)[: rng.integers(0, n_q + 1)]
    unknown = np.full(n_q, -1, dtype=np.int64)
    unknown[free] = np.arange(len(free))
    return groups, rng.standard_normal(start), unknown, len(free)


def dense(groups: list[Blocks], B: np.ndarray, n_q: int) -> np.ndarray:
    """The matrix on all coordinates, entry by entry."""
    K = np.zeros((n_q, n_q))
    for dofs, b1 in groups:
        n, k = dofs.shape
        for e in range(n):
            K[np.ix_(dofs[e], dofs[e])] += B[b1 + e * k * k : b1 + (e + 1) * k * k].reshape(k, k)
    return K


@settings(max_examples=80, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_assembly_equals_scipy(seed: int) -> None:
    groups, B, unknown, n = random_blocks(seed)
    pattern = Pattern.of(groups, unknown, n)
    row, col = sparsity.entries(groups, unknown, len(B))
    slot = pattern.slots(row, col)
    data = np.full(len(pattern.indices) + 1, np.nan)
    sparsity.scatter(B, slot, data)
    free = (row >= 0) & (col >= 0)
    ones = coo_array((np.ones(free.sum()), (row[free], col[free])), shape=(n, n)).tocsc()
    wanted = coo_array((B[free], (row[free], col[free])), shape=(n, n)).toarray()
    found = np.zeros((n, n))
    columns = np.repeat(np.arange(n), np.diff(pattern.indptr))
    found[pattern.indices, columns] = data[:-1]
    assert np.allclose(found, wanted, rtol=0, atol=1e-13)
    # The pattern is exactly the union of the blocks and the diagonal, rows ascending in each column.
    holds = np.zeros((n, n), dtype=bool)
    holds[pattern.indices, columns] = True
    assert np.array_equal(holds, (ones.toarray() > 0) | np.eye(n, dtype=bool))
    assert len(pattern.indices) == holds.sum()
    for column in np.split(pattern.indices, pattern.indptr[1:-1]):
        assert np.all(np.diff(column) > 0)
    assert np.all(slot[~free] == len(pattern.indices))


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_products_equal_dense_ones(seed: int) -> None:
    groups, B, unknown, _ = random_blocks(seed)
    n_q = len(unknown)
    x = np.random.default_rng(seed).standard_normal(n_q)
    y, z = np.ones(n_q), np.zeros(n_q)
    for group in groups:
        sparsity.block_product(B, group.dofs, group.b1, x, y)
        sparsity.block_magnitude(B, group.dofs, group.b1, x, z)
    assert np.allclose(y - 1.0, dense(groups, B, n_q) @ x, rtol=0, atol=1e-12)
    magnitude = dense(groups, np.abs(B), n_q) @ np.abs(x)
    assert np.allclose(z, magnitude, rtol=1e-13, atol=0)


@pytest.mark.parametrize("dim", [2, 3])
@pytest.mark.parametrize("k", [4, 7, 12])
def test_turned_blocks_equal_dense_congruence(dim: int, k: int) -> None:
    """K <- F^T K F with two frames in one block, one in another, none in the last."""
    rng = np.random.default_rng(10 * dim + k)
    if k < 2 * dim:
        k = 2 * dim
    B = rng.standard_normal(3 * k * k + 5)
    before = B.copy()
    R = np.array([np.linalg.qr(rng.standard_normal((dim, dim)))[0] for _ in range(3)])
    places = rng.permutation(k)
    p, r = places[:dim], places[dim : 2 * dim]
    where = np.array([[5, k, 2, *p], [5, k, 0, *r], [5 + k * k, k, 1, *p]], dtype=np.int64)
    sparsity.rotate_blocks(B, where, R)
    for item, turned in enumerate(([(p, R[2]), (r, R[0])], [(p, R[1])], [])):
        F = np.eye(k)
        for place, frame in turned:
            F[np.ix_(place, place)] = frame
        part = slice(5 + item * k * k, 5 + (item + 1) * k * k)
        assert np.allclose(B[part].reshape(k, k), F.T @ before[part].reshape(k, k) @ F, atol=1e-13)
    assert np.array_equal(B[:5], before[:5])


def half_band(groups: list[Blocks], order: np.ndarray, n_q: int) -> int:
    """Largest |i - j| of a coupled pair of unknowns, pair by pair."""
    number = np.full(n_q, -1)
    number[order] = np.arange(len(order))
    widest = 0
    for dofs, _ in groups:
        for item in dofs:
            places = [number[d] for d in item if number[d] >= 0]
            widest = max([widest, *(abs(a - b) for a in places for b in places)])
    return int(widest)


@settings(max_examples=80, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_order_is_a_permutation_never_wider_than_the_given_one(seed: int) -> None:
    groups, _, unknown, _ = random_blocks(seed)
    n_q = len(unknown)
    free = np.flatnonzero(unknown >= 0)
    node_of = np.sort(np.random.default_rng(seed).integers(0, n_q, n_q))
    node_of = np.unique(node_of, return_inverse=True)[1]
    order, band = sparsity.bandwidth_order(groups, node_of, free)
    assert np.array_equal(np.sort(order), free)
    assert band == half_band(groups, order, n_q)
    assert band <= half_band(groups, free, n_q)


def test_a_shuffled_chain_gets_the_band_of_a_chain() -> None:
    """Nodes of 4 coordinates in a row, two to an element: 7 is the least possible half band."""
    number = np.random.default_rng(0).permutation(50)
    node = 4 * number[:, None] + np.arange(4)
    dofs = np.hstack((node[:-1], node[1:]))
    _, band = sparsity.bandwidth_order([Blocks(dofs, 0)], np.repeat(np.arange(50), 4), np.arange(200))
    assert band == 7


def wheel(spokes: int, bodies: int) -> tuple[list[Blocks], np.ndarray, int]:
    """Chains of bodies of three coordinates on one hub, the first body, with two constraints in every joint."""
    n = 1 + spokes * bodies
    before = np.array([0 if k % bodies == 0 else k for k in range(n - 1)])
    pairs = np.column_stack((before, 1 + np.arange(n - 1)))
    dofs = (3 * pairs[:, :, None] + np.arange(3)).reshape(-1, 6)
    rows = 3 * n + 2 * np.arange(n - 1)[:, None] + np.arange(2)
    return [Blocks(np.hstack((dofs, rows)), 0)], np.repeat(np.arange(n), 3), 2 * (n - 1)


@pytest.mark.parametrize("shuffled", [False, True])
def test_a_hub_stands_outside_of_the_band(shuffled: bool) -> None:
    """24 chains on one body: its coordinates and its joints are the border, the rest has the band of a chain."""
    spokes, bodies = 24, 6
    groups, node_of, n_c = wheel(spokes, bodies)
    n_v = len(node_of)
    if shuffled:
        places = (3 * np.random.default_rng(0).permutation(n_v // 3)[:, None] + np.arange(3)).ravel()
        number = np.concatenate((places, n_v + np.arange(n_c)))
        groups = [Blocks(number[group.dofs], 0) for group in groups]
    found = sparsity.saddle_order(groups, node_of, np.arange(n_v), n_c)
    assert np.array_equal(np.sort(found.order), np.arange(n_v + n_c))
    assert found.border == 3 + 2 * spokes
    assert found.half_band == half_band(groups, found.order[: -found.border], n_v + n_c) <= 10


def test_no_border_where_the_band_is_narrow_or_the_rest_wide() -> None:
    groups, node_of, n_c = wheel(4, 6)
    found = sparsity.saddle_order(groups, node_of, np.arange(len(node_of)), n_c)
    assert found.border == 0
    assert found.half_band <= sparsity.NARROW
    groups, node_of, n_c = wheel(60, 2)  # 123 unknowns would be the border
    found = sparsity.saddle_order(groups, node_of, np.arange(len(node_of)), n_c)
    assert found.border == 0
    assert found.half_band == half_band(groups, found.order, len(node_of) + n_c)
