"""Matrix Market files made by hand, with their tables, and files that must be refused."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from scipy import io, sparse

import flexmbs as fx
from flexmbs.core.errors import AccuracyWarning, ModelError, ReadError
from flexmbs.linear.files import read_operators
from flexmbs.linear.operators import DofMap

HEAD = "%%MatrixMarket matrix coordinate real symmetric\n"
GENERAL = HEAD.replace("symmetric", "general")
K = HEAD + "% lower triangle\n2 2 3\n1 1 5.0\n2 1 -2.0\n2 2 4.0\n"
M = HEAD + "2 2 2\n1 1 1.0\n2 2 3.0\n"
NODES = "node,x,y,z\n7,0,0,0\n3,2,0,0  # the end\n"
DOFS = "node,component\n3,1\n7,uy\n"
FILES = {"K.mtx": K, "M.mtx": M, "nodes.csv": NODES, "dofs.csv": DOFS}


@pytest.fixture
def write(tmp_path):
    def writer(**changed):
        for name, text in (FILES | {".".join(k.rsplit("_", 1)): v for k, v in changed.items()}).items():
            if text is not None:
                (tmp_path / name).write_text(text)
        return tmp_path

    return writer


def test_hand_written(write):
    two = read_operators(write())
    assert two.K.toarray().tolist() == [[5.0, -2.0], [-2.0, 4.0]]
    assert two.M.toarray().tolist() == [[1.0, 0.0], [0.0, 3.0]]
    assert two.D is None
    assert two.node_labels.tolist() == [7, 3]
    assert two.dofs.node.tolist() == [1, 0]
    assert two.dofs.component.tolist() == [0, 1]


def test_damping_is_found_beside_the_others(write):
    D = HEAD + "2 2 1\n1 1 0.5\n"
    assert read_operators(write(D_mtx=D)).D.toarray().tolist() == [[0.5, 0.0], [0.0, 0.0]]


def test_other_names(write, tmp_path):
    folder = write(K_mtx=None, M_mtx=None, nodes_csv=None, dofs_csv=None)
    for name, text in (("k1.mtx", K), ("m1.mtx", M), ("where.txt", "7 0 0 0\n3 2 0 0\n"), ("what.dof", "3.1\n7.2\n")):
        (folder / name).write_text(text)
    two = read_operators(
        folder / "k1.mtx", mass=folder / "m1.mtx", damping=folder / "m1.mtx", nodes=folder / "where.txt",
        dofs=folder / "what.dof",
    )  # fmt: skip
    assert two.dofs.component.tolist() == [0, 1]
    assert (two.D != two.M).nnz == 0


def test_sets_of_nodes(write):
    """Each node once, however often it is named."""
    folder = write(node_sets_csv="set,node\nleft end,7\nALL,3\nALL,7\nALL,3\n")
    found = read_operators(folder).node_sets
    assert {name: nodes.tolist() for name, nodes in found.items()} == {"left end": [0], "ALL": [1, 0]}


def test_columns_go_by_the_names_in_the_head(write):
    folder = write(
        nodes_csv='"Z [m]", X (m), node, y\n3,1,7,2\n6,4,3,5\n',
        dofs_csv="component;node\n1;3\nuy;7\n",
        node_sets_csv="node,set\n7,left end\n",
    )
    found = read_operators(folder)
    assert found.points.tolist() == [[1, 2, 3], [4, 5, 6]]
    assert (found.dofs.node.tolist(), found.dofs.component.tolist()) == ([1, 0], [0, 1])
    assert found.node_sets["left end"].tolist() == [0]


def test_a_force_on_a_set_that_names_a_node_twice_is_whole(write):
    nodes = "node,x,y,z\n7,0,0,0\n3,2,0,0\n"
    folder = write(nodes_csv=nodes, dofs_csv="3,ux\n7,ux\n", node_sets_csv="set,node\nroot,7\ntip,3\ntip,3\n")
    two = read_operators(folder)
    found = fx.linear.static_response(two, {"root": "all"}, fx.linear.NodalForce("tip", (4.0, 0.0, 0.0)))
    assert found.displacement("tip")[0, 0] == pytest.approx(4.0 / 5.0)
    with pytest.raises(fx.ModelError, match="whole numbers"):
        dataclasses.replace(two, node_sets={"tip": [0.5]})


def test_scalar_unknowns_have_no_node(write):
    two = read_operators(write(dofs_csv="3;1\n1;0\n"))
    assert two.dofs.node.tolist() == [1, -1]


def test_mesh_map_and_array(write):
    folder = write(nodes_csv=None, dofs_csv=None)
    mesh = fx.meshes.line((0, 0), (1, 0), 1).with_node_set("tip", [1])
    two = read_operators(folder, nodes=mesh, dofs=DofMap([1, 0], [0, 1]))
    assert two.node_set("tip").tolist() == [1]
    assert two.dofs.node.tolist() == [1, 0]
    assert read_operators(folder, nodes=[[1, 2, 3], [4, 5, 6]], dofs=DofMap([1, 0], [0, 1])).points[1, 2] == 6


def test_as_many_unknowns_at_every_node(tmp_path):
    for name, size in (("K", 3.0), ("M", 1.0)):
        io.mmwrite(tmp_path / f"{name}.mtx", size * sparse.eye(6))
    six = read_operators(tmp_path, nodes=[[0, 0, 0], [1, 0, 0]], dofs=3)
    assert six.dofs.node.tolist() == [0, 0, 0, 1, 1, 1]
    assert six.dofs.component.tolist() == [0, 1, 2, 0, 1, 2]
    one = read_operators(tmp_path, nodes=[[0, 0, 0]], dofs=6)
    assert one.dofs.component.tolist() == [0, 1, 2, 3, 4, 5]


@pytest.mark.parametrize("entries", ["2 1 -2.0", "1 2 -2.0"])
def test_one_triangle_of_a_general_matrix_is_filled_in(write, entries):
    folder = write(K_mtx=GENERAL + f"2 2 3\n1 1 5.0\n{entries}\n2 2 4.0\n")
    with pytest.warns(UserWarning, match=r"K\.mtx: only one triangle is stored"):
        two = read_operators(folder)
    assert two.K.toarray().tolist() == [[5.0, -2.0], [-2.0, 4.0]]


def test_dense_files_of_one_triangle(write):
    folder = write(K_mtx="%%MatrixMarket matrix array real symmetric\n2 2\n5.0\n-2.0\n4.0\n")
    assert read_operators(folder).K.toarray().tolist() == [[5.0, -2.0], [-2.0, 4.0]]


def test_dense_files(write):
    folder = write(K_mtx="%%MatrixMarket matrix array real general\n2 2\n5.0\n-2.0\n-2.0\n4.0\n")
    assert read_operators(folder).K.toarray().tolist() == [[5.0, -2.0], [-2.0, 4.0]]


def test_unknowns_without_entries_are_left_out(write):
    folder = write(K_mtx=HEAD + "3 3 1\n1 1 5.0\n", M_mtx=HEAD + "3 3 2\n1 1 1.0\n2 2 3.0\n", dofs_csv=DOFS + "7,3\n")
    with pytest.warns(UserWarning, match=r"left out: 1, the first one uz of node 7"):
        two = read_operators(folder)
    assert two.n == 2
    assert two.dofs.component.tolist() == [0, 1]


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"M_mtx": None}, r"there is no file .*M\.mtx"),
        ({"nodes_csv": None}, r"there is no file .*nodes\.csv"),
        ({"dofs_csv": None}, r"there is no file .*dofs\.csv"),
        ({"K_mtx": ""}, r"K\.mtx is empty"),
        ({"K_mtx": K[:-8]}, r"K\.mtx: there are 2 entries, but its head promises 3; the file is cut off"),
        ({"K_mtx": K[:-2]}, r"K\.mtx: the last line has no end; the file is cut off"),
        ({"K_mtx": HEAD}, r"it ends in its head"),
        ({"K_mtx": K.replace("2 2 3", "2 2")}, r"line 3: expected the sizes of the matrix"),
        ({"K_mtx": K.replace("2 2 3", "99999999 99999999 3")}, r"is larger than 10000000"),
        ({"K_mtx": K.replace("2 1 ", "2 1e99 ")}, r"row and column of entry 2 must be whole numbers"),
        ({"K_mtx": K.replace("2 1 ", "2 3 ")}, r"entry \(2, 3\) lies outside"),
        ({"K_mtx": K.replace("2 2 3", "2 2 4")}, r"cut off"),
        ({"K_mtx": "hello\n"}, r"no Matrix Market file"),
        ({"K_mtx": K.replace("-2.0", "minus")}, r"K\.mtx, line 5: expected 3 numbers, not '2 1 minus'"),
        ({"K_mtx": HEAD.replace("real", "complex") + "1 1 1\n1 1 1.0 0.0\n"}, r"a complex symmetric matrix"),
        ({"K_mtx": HEAD.replace("real", "pattern") + "1 1 1\n1 1\n"}, r"pattern symmetric matrix is no operator"),
        ({"K_mtx": HEAD.replace("symmetric", "skew-symmetric") + "2 2 1\n2 1 1.0\n"}, r"skew-symmetric matrix"),
        ({"K_mtx": K.replace("4.0", "nan")}, r"K has the entry nan at uy of node 7"),
        ({"K_mtx": K.replace("4.0", "inf")}, r"K has the entry inf"),
        ({"K_mtx": K.replace("2 2 3", "2 2 4") + "2 2 1.0\n"}, r"entry \(2, 2\) is there twice"),
        ({"K_mtx": K.replace("2 2 3", "3 3 3")}, r"K has shape \(3, 3\), but there are 2 unknowns"),
        ({"K_mtx": GENERAL + "2 3 3\n1 1 5.0\n2 3 4.0\n2 2 4.0\n"}, r"shape \(2, 3\) is not square"),
        ({"M_mtx": HEAD + "1 1 1\n1 1 1.0\n"}, r"M has shape \(1, 1\), but there are 2 unknowns"),
        ({"M_mtx": HEAD + "2 2 0\n"}, r"M is zero"),
        ({"K_mtx": GENERAL + "2 2 4\n1 1 5.0\n1 2 -2.0\n2 1 -2.5\n2 2 4.0\n"}, r"not symmetric.*ux of node 3 and uy"),
        ({"K_mtx": K.replace("5.0", "-5.0")}, r"indefinite: its diagonal entry of ux of node 3 is -5"),
        ({"K_mtx": K.replace("-2.0", "4.6")}, r"K is indefinite: its entry of u. of node . and .*4\.6"),
        ({"dofs_csv": DOFS + "7,3\n"}, r"K has shape \(2, 2\), but there are 3 unknowns \(.*dofs\.csv"),
        ({"dofs_csv": "3,1\n3,ux\n"}, r"ux of node 3 is there twice"),
        ({"dofs_csv": "3,1\n4,1\n"}, r"ux of node 4 is an unknown .*nodes\.csv has no such node"),
        ({"dofs_csv": "3,1\n7,7\n"}, r"line 2: a component is 1 to 6 or ux"),
        ({"dofs_csv": "3,1\n99999999999999999999,1\n"}, r"line 2: expected a whole number"),
        ({"dofs_csv": "3,1\nx,1\n"}, r"line 2: expected a whole number, not 'x'"),
        ({"dofs_csv": "3,1\n7,12\n"}, r"line 2: a component is 1 to 6 or ux"),
        ({"dofs_csv": "3,1\n7,\n"}, r"line 2: a component is 1 to 6 or ux"),
        ({"dofs_csv": "3\n7\n"}, r"line 1: expected node, component"),
        ({"dofs_csv": "node,component\n"}, r"no rows of node, component"),
        ({"nodes_csv": "7,0,0\n3,2,0\n"}, r"line 1: expected node, x, y, z"),
        ({"nodes_csv": "7,0,0,0\n3,2,0,nan\n"}, r"line 2: expected three coordinates"),
        ({"nodes_csv": "7,0,0,0\n3,2,0,end\n"}, r"line 2: expected three coordinates"),
        ({"nodes_csv": "7,0,0,0\n3,2,0,0\n7,0,0,1\n"}, r"node 7 is there twice"),
        ({"node_sets_csv": "A,7\nA,8\n"}, r"set 'A' names node 8"),
        ({"nodes_csv": "7,0,0,0\n3,2_0,0,0\n"}, r"line 2: expected three coordinates, not 2_0, 0, 0"),
        ({"K_mtx": K.replace("5.0", "5_0.0")}, r"K.mtx, line 4: expected 3 numbers, not '1 1 5_0\.0'"),
        ({"nodes_csv": "label,x,y,z\n7,0,0,0\n"}, r"line 1: the head of a table of node, x, y, z must have these"),
        ({"dofs_csv": "node,direction\n3,1\n7,2\n"}, r"must have these names, in any order, not 'node, direction'"),
        ({"node_sets_csv": "name,node\nA,7\n"}, r"the head of a table of set, node must have these names"),
    ],
)  # fmt: skip
def test_refused(write, changed, message):
    with pytest.raises(ReadError, match=message):
        read_operators(write(**changed))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"nodes": 3}, r"nodes must be a Mesh, an array"),
        ({"dofs": 4}, r"dofs must be a DofMap, a file"),
        ({"dofs": DofMap([5], [0])}, r"dofs name node 5 of 2 nodes"),
        ({"names": {"K": "A"}}, r"names means nothing for \.mtx files"),
        ({"mass": 3}, r"mass must be a string or a path"),
        ({"definite": 1}, r"definite must be True or False"),
    ],
)
def test_arguments(write, options, message):
    with pytest.raises(ModelError, match=message):
        read_operators(write(), **options)


def test_nodes_in_a_file_without_node_numbers(write):
    with pytest.raises(ReadError, match=r"suffix '\.msh' .*nodes=flexmbs\.meshes\.read_mesh"):
        read_operators(write(), nodes="part.msh")


def test_paths_that_lead_nowhere(tmp_path):
    with pytest.raises(ModelError, match="path must be a string or a path"):
        read_operators(5)
    with pytest.raises(ModelError, match="path must be a string or a path"):
        read_operators(None)
    with pytest.raises(ReadError, match=r"suffix '\.full' is of no known format"):
        read_operators(tmp_path / "a.full")
    with pytest.raises(ReadError, match=r"expected K\.mtx or one file .* found none"):
        read_operators(tmp_path)
    with pytest.raises(ReadError, match="there is no file"):
        read_operators(tmp_path / "K.mtx", nodes=[[0, 0, 0]], dofs=3)


@pytest.mark.parametrize(
    ("digits", "expected"), [(13, None), (10, AccuracyWarning), (8, AccuracyWarning), (4, ReadError)]
)
def test_digits_that_rigid_motions_need(tmp_path, digits, expected):
    # a free frame of springs in turned directions: its rigid motions cost no energy only to as many digits
    rng = np.random.default_rng(3)
    points = rng.uniform(0.0, 1.0, (12, 3))
    stiffness = np.zeros((36, 36))
    for i in range(12):
        for j in range(i):
            e = (points[i] - points[j]) / np.linalg.norm(points[i] - points[j])
            b = np.zeros(36)
            b[3 * i : 3 * i + 3], b[3 * j : 3 * j + 3] = e, -e
            stiffness += 1e6 * np.outer(b, b)
    rounded = np.array([[float(f"{x:.{digits - 1}e}") for x in row] for row in stiffness])
    io.mmwrite(tmp_path / "K.mtx", sparse.csc_matrix(rounded))
    io.mmwrite(tmp_path / "M.mtx", sparse.eye(36))
    assert np.linalg.eigvalsh(rounded)[0] < 0.0
    if expected is None:
        assert read_operators(tmp_path, nodes=points, dofs=3).n == 36
    elif expected is ReadError:
        with pytest.raises(ReadError, match="K is indefinite, first found at"):
            read_operators(tmp_path, nodes=points, dofs=3)
    else:
        with pytest.warns(expected, match="those of rigid motions may be wrong by up to"):
            read_operators(tmp_path, nodes=points, dofs=3)
