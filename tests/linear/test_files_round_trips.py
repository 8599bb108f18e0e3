"""Operators written to files and read back: the same to the last bit, whatever they hold."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from flexmbs.core.errors import ModelError
from flexmbs.linear.files import read_operators, write_operators_matrix_market, write_operators_npz
from flexmbs.linear.operators import DofMap, Operators

finite = st.floats(-1e9, 1e9, allow_nan=False, allow_subnormal=False)


@st.composite
def operators(draw, links=False):
    """Positive definite operators with odd digits: B^T B plus a diagonal."""
    n = draw(st.integers(1, 7))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_nodes = n + draw(st.integers(0, 3))
    scalars = draw(st.integers(0, n - 1))
    node = rng.permutation(n_nodes)[:n]
    node[:scalars] = -1
    component = np.where(node >= 0, rng.integers(0, 6, n), 0)

    def matrix(size):
        B = sparse.random_array((n, n), density=0.4, rng=rng)
        A = (B.T @ B).tocsc() + sparse.diags_array(rng.uniform(0.5, 1.0, n))
        A = size * (A + A.T)
        return sparse.csc_matrix(A)

    points = np.array(draw(st.lists(st.tuples(finite, finite, finite), min_size=n_nodes, max_size=n_nodes)))
    names = draw(st.lists(st.sampled_from(["ROOT", "left end", "ö-1", "42"]), unique=True, max_size=3))
    sets = {name: np.sort(rng.permutation(n_nodes)[: rng.integers(1, n_nodes + 1)]) for name in names}
    labels = draw(st.one_of(st.none(), st.just(rng.permutation(1000)[:n_nodes])))
    extra = {}
    if links and draw(st.booleans()):
        T = sparse.vstack([sparse.eye(n), sparse.random_array((1, n), density=0.9, rng=rng)]).tocsr()
        extra = {"expansion": T, "all_dofs": DofMap(np.full(n + 1, -1), np.zeros(n + 1, dtype=int))}
    D = matrix(10.0 ** rng.uniform(-3, 3)) if draw(st.booleans()) else None
    K, M = (matrix(10.0 ** rng.uniform(-8, 12)) for _ in range(2))
    return Operators(K, M, DofMap(node, component), points, D, node_sets=sets, node_labels=labels, **extra)


def assert_same(a, b, labels=True):
    """Equal to the last bit."""
    for name in ("K", "M", "D", "expansion"):
        A, B = getattr(a, name), getattr(b, name)
        assert (A is None) == (B is None)
        if A is not None:
            assert (A.toarray() == B.toarray()).all()
    assert (a.points == b.points).all()
    for one, other in ((a.dofs, b.dofs), (a.all_dofs, b.all_dofs)):
        assert (one.node == other.node).all()
        assert (one.component == other.component).all()
    assert set(a.node_sets) == set(b.node_sets)
    for name, nodes in a.node_sets.items():
        assert (nodes == b.node_sets[name]).all()
    if labels and a.node_labels is not None:
        assert (a.node_labels == b.node_labels).all()


@settings(max_examples=40, deadline=None)
@given(operators(links=True))
def test_npz(tmp_path_factory, given_operators):
    path = tmp_path_factory.mktemp("npz") / "a.npz"
    write_operators_npz(given_operators, path)
    again = read_operators(path)
    assert_same(given_operators, again)
    assert again.origin == given_operators.origin
    assert (again.node_labels is None) == (given_operators.node_labels is None)


@settings(max_examples=40, deadline=None)
@given(operators())
def test_matrix_market(tmp_path_factory, given_operators):
    folder = tmp_path_factory.mktemp("mtx")
    write_operators_matrix_market(given_operators, folder)
    again = read_operators(folder)
    assert_same(given_operators, again)
    if given_operators.node_labels is None:
        assert (again.node_labels == np.arange(len(again.points))).all()


def test_a_matrix_that_is_symmetric_to_round_off_only_keeps_its_bits(tmp_path):
    K = sparse.csc_matrix([[2.0, -1.0], [np.nextafter(-1.0, 0.0), 2.0]])
    first = Operators(K, sparse.eye(2), DofMap([0, 0], [0, 1]), [[0, 0, 0]])
    write_operators_matrix_market(first, tmp_path)
    write_operators_npz(first, tmp_path / "a.npz")
    for path in (tmp_path / "K.mtx", tmp_path / "a.npz"):
        assert (read_operators(path).K.toarray() == K.toarray()).all()


def test_files_of_an_earlier_part_are_not_mixed_with_those_of_another(tmp_path):
    points = [[0, 0, 0]]
    one = Operators(sparse.eye(1), sparse.eye(1), DofMap([0], [0]), points, sparse.eye(1), node_sets={"A": [0]})
    write_operators_matrix_market(one, tmp_path)
    write_operators_matrix_market(Operators(one.K, one.M, one.dofs, points), tmp_path)
    again = read_operators(tmp_path)
    assert again.D is None
    assert not again.node_sets


def test_links_go_into_npz_only(tmp_path):
    T = sparse.csr_matrix([[1.0], [0.5]])
    dofs = DofMap([0], [0])
    linked = Operators(sparse.eye(1), sparse.eye(1), dofs, [[0, 0, 0]], expansion=T, all_dofs=DofMap([0, 0], [0, 1]))
    with pytest.raises(ModelError, match="expansion, which only write_operators_npz keeps"):
        write_operators_matrix_market(linked, tmp_path)


@pytest.mark.parametrize("name", ["a,b", "x#y", " blank"])
def test_names_that_a_table_cannot_keep(tmp_path, name):
    one = Operators(sparse.eye(1), sparse.eye(1), DofMap([0], [0]), [[0, 0, 0]], node_sets={name: [0]})
    with pytest.raises(ModelError, match="cannot be kept in a table"):
        write_operators_matrix_market(one, tmp_path)


@pytest.mark.parametrize("write", [write_operators_npz, write_operators_matrix_market])
def test_what_is_no_operators(tmp_path, write):
    with pytest.raises(ModelError, match="must be Operators"):
        write("K", tmp_path / "a.npz")


def test_another_suffix(tmp_path):
    one = Operators(sparse.eye(1), sparse.eye(1), DofMap([0], [0]), [[0, 0, 0]])
    with pytest.raises(ModelError, match=r"must be \.npz"):
        write_operators_npz(one, tmp_path / "a.h5")
