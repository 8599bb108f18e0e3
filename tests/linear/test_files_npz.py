"""Npz files of other programs, and files that must be refused."""

from __future__ import annotations

import zipfile

import numpy as np
import pytest
from scipy import sparse

from flexmbs.core.errors import ModelError, ReadError
from flexmbs.linear.files import read_operators, write_operators_npz
from flexmbs.linear.operators import DofMap, Operators

K = sparse.csr_matrix([[5.0, -2.0], [-2.0, 4.0]])
M = sparse.csr_matrix([[1.0, 0.0], [0.0, 3.0]])
WHERE = {"nodes": [[0, 0, 0], [2, 0, 0]], "dofs": DofMap([1, 0], [0, 1])}


def arrays(**matrices):
    return {f"{n}_{key}": getattr(A, key) for n, A in matrices.items() for key in ("data", "indices", "indptr")}


def check(two, damping=None):
    assert (two.K.toarray() == K.toarray()).all()
    assert (two.M.toarray() == M.toarray()).all()
    assert two.dofs.node.tolist() == [1, 0]
    assert (two.D is None) == (damping is None)
    if damping is not None:
        assert (two.D.toarray() == damping.toarray()).all()


def test_all_in_one(tmp_path):
    np.savez(tmp_path / "a.npz", **arrays(K=K, M=M))
    check(read_operators(tmp_path / "a.npz", **WHERE))
    np.savez_compressed(tmp_path / "b.npz", **arrays(K=K, M=M, D=2 * M))
    check(read_operators(tmp_path / "b.npz", **WHERE), 2 * M)


@pytest.mark.parametrize("kind", ["csr", "csc", "coo", "bsr", "dia"])
def test_a_file_for_each(tmp_path, kind):
    for name, A in (("k", K), ("m", M), ("d", 3 * K)):
        sparse.save_npz(tmp_path / f"{name}.npz", A.asformat(kind))
    files = {"mass": tmp_path / "m.npz", "damping": tmp_path / "d.npz"}
    check(read_operators(tmp_path / "k.npz", **files, **WHERE), 3 * K)


def test_mass_by_name_in_another_file(tmp_path):
    np.savez(tmp_path / "k.npz", **arrays(K=K))
    np.savez(tmp_path / "m.npz", **arrays(M=M))
    check(read_operators(tmp_path / "k.npz", mass=tmp_path / "m.npz", **WHERE))


def test_one_triangle(tmp_path):
    np.savez(tmp_path / "a.npz", **arrays(K=sparse.triu(K).tocsr(), M=M))
    with pytest.warns(UserWarning, match="K: only one triangle is stored"):
        check(read_operators(tmp_path / "a.npz", **WHERE))


def test_nothing_is_executed(tmp_path):
    class Trap:
        def __reduce__(self):
            return (lambda: pytest.fail("executed"), ())

    trap = np.empty(1, dtype=object)
    trap[0] = "an object"
    np.savez(tmp_path / "a.npz", **(arrays(K=K, M=M) | {"K_data": trap}))
    with pytest.raises(ReadError, match="cannot be read"):
        read_operators(tmp_path / "a.npz", **WHERE)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"K_indices": np.array([0, 1, 0, 7])}, "the matrix in it is damaged"),
        ({"K_indptr": np.array([0, 2, 9])}, "the matrix in it is damaged"),
        ({"K_indptr": np.array([0, 2, 4, 4])}, r"K has shape \(3, 3\), but there are 2 unknowns"),
        ({"K_indices": np.array([0.0, 1.0, 0.0, 1.0])}, "is damaged .*types"),
        ({"K_data": np.array(list("abcd"))}, "is damaged .*types"),
        ({"K_data": np.array([5.0, -2.0, -2.0, np.nan])}, "K has the entry nan at uy of node 0"),
        ({"K_data": np.array([5.0, -2.0, 2.0, 4.0])}, "K is not symmetric"),
        ({"K_data": np.array([5.0, -5.0, -5.0, 4.0])}, "K is indefinite: its entry"),
        ({"K_data": np.array([5.0, -5.0])}, "damaged"),
    ],
)
def test_damage(tmp_path, changed, message):
    np.savez(tmp_path / "a.npz", **(arrays(K=K, M=M) | changed))
    with pytest.raises(ReadError, match=message):
        read_operators(tmp_path / "a.npz", **WHERE)


def test_files_of_another_kind(tmp_path):
    path = tmp_path / "a.npz"
    np.savez(path, x=np.arange(3))
    with pytest.raises(ReadError, match="it holds x, but neither K_data"):
        read_operators(path, **WHERE)
    np.save(tmp_path / "b.npy", np.arange(3))
    (tmp_path / "b.npy").rename(path)
    with pytest.raises(ReadError, match="no npz file"):
        read_operators(path, **WHERE)
    path.write_bytes(b"PK\x03\x04 and so on")
    with pytest.raises(ReadError, match="cut off, damaged"):
        read_operators(path, **WHERE)


def test_what_has_to_be_said(tmp_path):
    np.savez(tmp_path / "a.npz", **arrays(K=K))
    with pytest.raises(ModelError, match="give nodes= and dofs="):
        read_operators(tmp_path / "a.npz")
    with pytest.raises(ModelError, match="give mass="):
        read_operators(tmp_path / "a.npz", **WHERE)


@pytest.fixture
def own(tmp_path):
    path = tmp_path / "own.npz"
    write_operators_npz(Operators(K, M, DofMap([1, 0], [0, 1]), WHERE["nodes"], node_sets={"A": [1]}), path)
    return path


def test_own_files_are_complete(own):
    with pytest.raises(ModelError, match="the file says itself"):
        read_operators(own, **WHERE)


def test_documented_keys(own):
    with np.load(own, allow_pickle=False) as file:
        assert set(file.files) == {
            "flexmbs_operators", "points", "origin", "dof_node", "dof_component", "set_names", "set_ptr", "set_nodes",
            *(f"{name}_{key}" for name in "KM" for key in ("data", "indices", "indptr", "shape")),
        }  # fmt: skip


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"flexmbs_operators": np.array(2)}, "is of version 2, but this flexmbs reads version 1"),
        ({"dof_node": np.array([0])}, "damaged .*1 nodes but 2 components"),
        ({"dof_node": None}, "damaged .*dof_node"),
        ({"points": np.zeros((1, 3))}, "damaged .*belongs to node 1 of 1"),
        ({"K_data": np.array([5.0, -2.0, 2.0, 4.0])}, "K is not symmetric"),
        ({"set_ptr": np.array([0])}, "damaged"),
    ],
)
def test_damaged_own_files(own, changed, message):
    with np.load(own) as file:
        content = dict(file)
    content = {name: a for name, a in (content | changed).items() if a is not None}
    np.savez(own, **content)
    with pytest.raises(ReadError, match=message):
        read_operators(own)


@pytest.mark.parametrize("part", [0.1, 0.5, 0.9, 0.999])
def test_a_file_that_ends_early(own, part):
    data = own.read_bytes()
    own.write_bytes(data[: int(part * len(data))])
    with pytest.raises(ReadError, match="cut off, damaged"):
        read_operators(own)


def test_zeros_that_unpack_to_gigabytes_are_refused(tmp_path):
    """A file of 0.3 MB."""
    path = tmp_path / "zeros.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("K_data.npy", "w") as entry:
        np.lib.format.write_array_header_1_0(entry, {"descr": "<f8", "fortran_order": False, "shape": (40_000_000,)})
        for _ in range(320):
            entry.write(bytes(1_000_000))
    with pytest.raises(ReadError, match=r"\d+ bytes would unpack to 3200\d+"):
        read_operators(path, nodes=np.zeros((1, 3)), dofs=[(0, 0)])


def test_numbers_from_one_beside_an_array_are_told(tmp_path):
    """Where the last node has no unknowns, all places would be those of the nodes after them, without a word."""
    rod = 100.0 * np.array([[1.0, -1.0], [-1.0, 1.0]])
    for name, A in (("STIF", rod), ("MASS", np.eye(2))):
        lines = [f"{i + 1},1, {j + 1},1, {float(A[i, j])!r}" for i in range(2) for j in range(i + 1)]
        (tmp_path / f"job_{name}1.mtx").write_text("\n".join(lines) + "\n")
    places = [[0.0, 0, 0], [1.0, 0, 0], [2.0, 0, 0]]
    with pytest.warns(UserWarning, match="node 1 is taken for the second point of the array"):
        read_operators(tmp_path / "job_STIF1.mtx", nodes=places)
    with pytest.raises(ReadError, match="numbers its nodes from 0"):
        read_operators(tmp_path / "job_STIF1.mtx", nodes=places[:2])
    (tmp_path / "nodes.csv").write_text("node,x,y,z\n1,0,0,0\n2,1,0,0\n3,2,0,0\n")
    read = read_operators(tmp_path / "job_STIF1.mtx", nodes=tmp_path / "nodes.csv")
    assert read.points[read.dofs.node].tolist() == places[:2]
