"""Operators of CalculiX: its own files, hand-written ones, and files that must be refused."""

from __future__ import annotations

import shutil
import subprocess
from importlib import resources
from pathlib import Path

import numpy as np
import pytest

from flexmbs.core.errors import ModelError, ReadError
from flexmbs.linear.files import read_operators

REFERENCE = Path(str(resources.files("flexmbs.verification.reference") / "calculix"))

INP = """*NODE, NSET=BOTH
7, 0., 0., 0.
3, 2., 0., 0.
*NODE
99, 5., 5., 5.
*ELEMENT, TYPE=SPRINGA, ELSET=E
1, 7, 3
*NSET, NSET=END
3
*STEP
*FREQUENCY, SOLVER=MATRIXSTORAGE
*END STEP
"""
STI = "1 1  5.0e+00\n1 2 -2.0e+00\n2 2  4.0e+00\n"
MAS = "1 1  1.0e+00\n1 2  0.0e+00\n2 2  3.0e+00\n"
DOF = "3.1\n7.2\n"


@pytest.fixture
def write(tmp_path):
    def writer(**changed):
        for suffix, text in ({"inp": INP, "sti": STI, "mas": MAS, "dof": DOF} | changed).items():
            if text is not None:
                (tmp_path / f"job.{suffix}").write_text(text)
        return tmp_path / "job.sti"

    return writer


def test_hand_written(write):
    two = read_operators(write())
    assert two.K.toarray().tolist() == [[5.0, -2.0], [-2.0, 4.0]]
    assert two.M.toarray().tolist() == [[1.0, 0.0], [0.0, 3.0]]
    assert two.D is None
    assert two.node_labels.tolist() == [7, 3, 99]
    assert two.points.tolist() == [[0, 0, 0], [2, 0, 0], [5, 5, 5]]
    assert two.dofs.node.tolist() == [1, 0]
    assert two.dofs.component.tolist() == [0, 1]
    assert {name: nodes.tolist() for name, nodes in two.node_sets.items()} == {"BOTH": [0, 1], "END": [1]}


def test_any_of_its_files_or_the_folder(write):
    path = write()
    for name in (path, path.with_suffix(".mas"), path.with_suffix(".dof"), path.parent, str(path)):
        assert read_operators(name).n == 2


def test_nodes_of_another_file(write, tmp_path):
    path = write(inp=None)
    (tmp_path / "nodes.csv").write_text("node,x,y,z\n3,1,2,3\n7,4,5,6\n")
    two = read_operators(path, nodes=tmp_path / "nodes.csv")
    assert two.points[two.dofs.node].tolist() == [[1, 2, 3], [4, 5, 6]]


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"mas": None}, r"job\.mas is missing; .*MATRIXSTORAGE"),
        ({"dof": None}, r"job\.dof is missing"),
        ({"inp": None}, r"job\.inp is missing.*nodes="),
        ({"sti": ""}, r"job\.sti is empty"),
        ({"sti": STI[:-1]}, r"the last line has no end; the file is cut off"),
        ({"sti": STI[:-8] + "\n"}, r"line 3: expected 3 numbers, not '2 2'"),
        ({"sti": "1 1  5.0e+00\n1 2 -2.0e+00\n"}, r"row 2 of 2 has no diagonal entry; the file is cut off"),
        ({"mas": MAS.replace("3.0e+00", "x")}, r"job\.mas, line 3: expected 3 numbers"),
        ({"mas": MAS.replace("1 2", "1 2.5")}, r"job\.mas, line 2: row and column must be whole numbers"),
        ({"sti": STI + "3 3 1.0\n"}, r"entry \(3, 3\) lies outside of a matrix of shape \(2, 2\)"),
        ({"sti": STI + "1 2 -2.0e+00\n"}, r"entry \(1, 2\) is there twice"),
        ({"sti": STI + "2 1 -2.0e+00\n"}, r"entry \(2, 1\) is there twice \(of the two triangles"),
        ({"sti": STI.replace("5.0e+00", "nan")}, r"K has the entry nan at ux of node 3"),
        ({"sti": STI.replace("5.0e+00", "-5.0e+00")}, r"K is indefinite: its diagonal entry"),
        ({"sti": STI.replace("-2.0e+00", "-9.0e+00")}, r"K is indefinite: its entry of u.* of node .* is -9"),
        ({"mas": MAS.replace("1 2  0.0", "1 2  2.0")}, r"M is indefinite: its entry"),
        ({"dof": DOF + "7.3\n"}, r"row 3 of 3 has no diagonal entry"),
        ({"dof": "3.1\n"}, r"lies outside of a matrix of shape \(1, 1\)"),
        ({"dof": "3.1\n3.1\n"}, r"ux of node 3 is there twice.*shells or beams"),
        ({"dof": "3.1\n8.1\n"}, r"ux of node 8 is an unknown .* has no such node.*rigid bodies"),
        ({"dof": "3.1\n7.4\n"}, r"line 2: expected node\.direction with a direction of 1 to 3"),
        ({"dof": "3.1\nseven\n"}, r"line 2: expected node\.direction"),
        ({"dof": "3.1\n\u00b2.1\n"}, r"line 2: expected node\.direction"),
        ({"dof": "3.1\n99999999999999999999.1\n"}, r"line 2: expected node\.direction"),
        ({"sti": STI.replace("1 2", "1 2e99")}, r"line 2: row and column must be whole numbers"),
        ({"inp": INP.replace("3, 2.", "1e99, 2.")}, r"numbers of nodes are at most"),
        ({"dof": DOF[:-1]}, r"cut off"),
        ({"inp": "*NSET, NSET=A\n4\n"}, r"no \*NODE"),
        ({"inp": INP + "*TRANSFORM, NSET=END, TYPE=R\n0,1,0,-1,0,0\n"}, r"\*TRANSFORM turns the directions"),
        ({"inp": INP + "*NSET, NSET=FAR\n1000\n"}, r"node set 'FAR' names 1000, which is not in the file"),
    ],
)
def test_refused(write, changed, message):
    with pytest.raises(ReadError, match=message):
        read_operators(write(**changed))


def test_negative_eigenvalue_that_no_pair_shows(write):
    # eigenvalues of this matrix are 1 + a, 1 + a, 1 - 2a; every 2 x 2 minor is positive for a < 1
    entries = {(i, j): 1.0 if i == j else -0.6 for i in range(3) for j in range(i, 3)}
    sti = "".join(f"{i + 1} {j + 1} {v:.6e}\n" for (i, j), v in entries.items())
    mas = "".join(f"{i} {i} 1.0\n" for i in (1, 2, 3))
    path = write(sti=sti, mas=mas, dof="3.1\n3.2\n3.3\n")
    with pytest.raises(ReadError, match=r"K is indefinite, first found at u. of node 3: .*definite=False"):
        read_operators(path)
    assert np.linalg.eigvalsh(read_operators(path, definite=False).K.toarray())[0] == pytest.approx(-0.2)


def test_arguments_of_other_formats(write):
    with pytest.raises(ModelError, match=r"mass means nothing for \.sti files"):
        read_operators(write(), mass="M.mtx")


def test_fixed_nodes_have_places_but_no_unknowns(write):
    two = read_operators(write())
    assert len(two.dofs.of([2])) == 0


def test_export_of_calculix():
    block = read_operators(REFERENCE / "operators_block.sti")
    assert block.n == 135
    assert set(block.node_sets) == {"ALL", "ROOT", "TIP"}
    assert (block.points[block.node_set("ROOT"), 0] == 0.0).all()
    assert block.node_labels[block.node_set("TIP")].tolist() == sorted(block.node_labels[block.node_set("TIP")])
    # free of strain in rigid motions: rows sum to zero against the places, so numbers and places belong together
    motions = block.rigid_motions()
    assert np.abs(block.K @ motions).max() < 1e-12 * (abs(block.K) @ np.abs(motions)).max()


@pytest.mark.skipif(shutil.which("ccx") is None, reason="CalculiX is not installed")
def test_calculix_writes_the_stored_files(tmp_path):
    shutil.copy(REFERENCE / "operators_block.inp", tmp_path)
    subprocess.run(["ccx", "-i", "operators_block"], cwd=tmp_path, capture_output=True, check=True, timeout=60)
    now, stored = (read_operators(folder / "operators_block.sti") for folder in (tmp_path, REFERENCE))
    for A, B in ((now.K, stored.K), (now.M, stored.M)):
        assert abs(A - B).max() <= 1e-12 * abs(B).max()
