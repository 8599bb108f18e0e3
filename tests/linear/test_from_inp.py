"""Parts from input files with materials and sections."""

from __future__ import annotations

import gzip
import re
from importlib import resources
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flexmbs.core.errors import ModelError, ReadError
from flexmbs.core.material import Elastic, Orthotropic
from flexmbs.elements import Hexahedron8, ShellQuad, Tetra4, Tetra10
from flexmbs.linear.abaqus_elements import choose
from flexmbs.linear.files import read_operators
from flexmbs.linear.from_inp import has_sections, part_from_inp
from flexmbs.meshes.abaqus_sections import read_sections

REFERENCE = Path(str(resources.files("flexmbs.verification.reference") / "calculix"))

MESH = """*HEADING
*NODE
1, 0., 0., 0.
2, 1., 0., 0.
3, 0., 1., 0.
4, 0., 0., 1.
5, 1., 1., 1.
*ELEMENT, TYPE=C3D4, ELSET=Solid
1, 1, 2, 3, 4
*ELEMENT, TYPE=C3D4, ELSET=More
2, 2, 5, 3, 4
"""
STEEL = "*MATERIAL, NAME=Steel\n*ELASTIC\n2.1E11, 0.29\n*DENSITY\n7850.,\n"
PLY = (
    "*Material, name=Ply\n*Elastic, type=ENGINEERING CONSTANTS\n"
    "140E9, 10E9, 9E9, 0.3, 0.31, 0.4, 5E9, 4.9E9,\n3.5E9\n*Density\n1600.\n"
)
SECTIONS = "*SOLID SECTION, ELSET=SOLID, MATERIAL=STEEL\n*SOLID SECTION, ELSET=MORE, MATERIAL=PLY\n1.,\n"
PLATE = """*NODE
1, 0., 0., 0.
2, 1., 0., 0.
3, 1., 1., 0.
4, 0., 1., 0.
*ELEMENT, TYPE=S4, ELSET=PLATE
1, 1, 2, 3, 4
"""
SHELL = "*SHELL SECTION, ELSET=PLATE, MATERIAL=STEEL\n0.01, 5\n"


@pytest.fixture
def write(tmp_path):
    def writer(*parts):
        path = tmp_path / "Part One.inp"
        path.write_text("".join(parts))
        return path

    return writer


def test_materials_and_sections(write):
    part = part_from_inp(write(MESH, STEEL, PLY, SECTIONS))
    assert part.name == "Part One"
    steel, ply = (piece.region.material for piece in part.pieces)
    assert steel == Elastic(youngs_modulus=2.1e11, poissons_ratio=0.29, density=7850.0, name="Steel")
    assert ply == Orthotropic(
        E_1=140e9, E_2=10e9, E_3=9e9, nu_12=0.3, nu_13=0.31, nu_23=0.4, G_12=5e9, G_13=4.9e9, G_23=3.5e9,
        density=1600.0, name="Ply",
    )  # fmt: skip
    assert [piece.region.cells for piece in part.pieces] == ["Solid", "More"]
    assert [type(piece.region.element) for piece in part.pieces] == [Tetra4, Tetra4]
    assert part_from_inp(write(MESH, STEEL, PLY, SECTIONS), name="other").name == "other"


def test_assembled_mass(write):
    M = part_from_inp(write(MESH, STEEL, PLY, SECTIONS)).assemble().M
    # volumes 1/6 and 1/3
    assert M.sum() == pytest.approx(3 * (7850.0 / 6 + 1600.0 / 3), rel=1e-13)


def test_stiffness_of_calculix():
    """Entry by entry against the file that CalculiX has written for the same input file."""
    operators = part_from_inp(REFERENCE / "operators_block.inp").assemble()
    other = read_operators(REFERENCE / "operators_block.sti")
    ours = operators.dofs.table(len(operators.points))
    # both number the nodes in the order of the file
    order = ours[other.dofs.node, other.dofs.component]
    assert abs(operators.K[order][:, order] - other.K).max() < 1e-12 * abs(other.K).max()


def test_one_set_of_several_types(write):
    mesh = MESH.split("*ELEMENT, TYPE=C3D4, ELSET=More")[0].replace("5, 1., 1., 1.\n", "") + (
        "*NODE\n30, 2., 2., 2.\n31, 0.5, 0.5, 0.\n32, 0.5, 0., 0.5\n33, 0., 0.5, 0.5\n34, 1.5, 1., 1.\n"
        "35, 1., 1.5, 1.\n36, 1., 1., 1.5\n*ELEMENT, TYPE=C3D10, ELSET=Solid\n7, 2, 3, 4, 30, 31, 33, 32, 34, 35, 36\n"
    )
    with pytest.warns(RuntimeWarning, match="3 nodes hang"):  # middle nodes on a side of the linear cell
        part = part_from_inp(write(mesh, STEEL, "*SOLID SECTION, ELSET=Solid, MATERIAL=Steel\n"))
    assert [type(piece.region.element) for piece in part.pieces] == [Tetra4, Tetra10]


def test_shells(write):
    part = part_from_inp(write(PLATE, STEEL, SHELL))
    (piece,) = part.pieces
    assert piece.region.element == ShellQuad(thickness=0.01)
    assert part.assemble().n == 24


def test_damping_of_a_material(write):
    path = write(MESH, STEEL, "*DAMPING, BETA=1e-4\n", PLY, SECTIONS)
    steel, ply = (piece.region.material for piece in part_from_inp(path).pieces)
    assert (steel.retardation_time, ply.retardation_time) == (1e-4, 0.0)
    with pytest.warns(UserWarning, match=r"mass damping \(ALPHA\) of material 'Steel' is not read"):
        part_from_inp(write(MESH, STEEL, "*DAMPING, ALPHA=3., BETA=1e-4\n", PLY, SECTIONS))


def test_keywords_that_change_the_structure_are_named(write):
    with pytest.warns(UserWarning, match=r"not read.*\*BOUNDARY, \*TIE\. Give"):
        part_from_inp(write(MESH, STEEL, PLY, SECTIONS, "*BOUNDARY\n1, 1, 3\n*TIE, NAME=A\nX, Y\n*BOUNDARY\n2, 1\n"))


@pytest.mark.parametrize(
    "text",
    [
        "*FOUNDATION\nSolid, F1, 1e9\n", "*EMBEDDED ELEMENT\nMore\n", "*INITIAL CONDITIONS, TYPE=STRESS\nSolid, 1e8\n",
        "*PRE-TENSION SECTION, NODE=1, SURFACE=S\n", "*CONTACT PAIR, INTERACTION=A\nS, T\n", "*NEVER SEEN\n1\n",
    ],
)  # fmt: skip
def test_whatever_is_not_known_to_be_harmless_is_named(write, text):
    with pytest.warns(UserWarning, match=rf"not read: {re.escape(text.split(',')[0].splitlines()[0])}\. Give"):
        part_from_inp(write(MESH, STEEL, PLY, SECTIONS, text))


def test_damping_that_is_not_read_is_named(write):
    with pytest.warns(UserWarning, match=r"not read: \*DAMPING, STRUCTURAL=\. Materials"):
        part_from_inp(write(MESH, STEEL, "*DAMPING, BETA=1e-4, STRUCTURAL=0.02\n", PLY, SECTIONS))


def test_what_is_beyond_linear_elastic_materials_is_named_apart(write):
    steel = STEEL + "*PLASTIC\n2e8, 0.\n*DEPVAR\n3\n"
    with (
        pytest.warns(UserWarning, match=r"not read: \*BOUNDARY\. Give the part its connections"),
        pytest.warns(UserWarning, match=r"not read: \*PLASTIC, \*DEPVAR\. Materials of a part are linear elastic"),
    ):
        part_from_inp(write(MESH, steel, PLY, SECTIONS, "*BOUNDARY\n1, 1, 3\n"))


def test_the_direction_of_stacking_of_one_layer_changes_nothing(write, recwarn):
    part_from_inp(write(PLATE, STEEL, SHELL.replace("MATERIAL=STEEL", "MATERIAL=STEEL, STACK DIRECTION=3")))
    assert not [w for w in recwarn if issubclass(w.category, UserWarning)]


def test_output_and_texts_are_passed_over(write, recwarn):
    more = (
        "*PREPRINT, ECHO=NO\n*EXPANSION\n1.2e-5\n*AMPLITUDE, NAME=A\n0., 1.\n*RESTART, WRITE\n"
        "*SURFACE, NAME=S\nMore, S1\n"
        "*DISTRIBUTION TABLE, NAME=T\nCOORD3D, COORD3D\n*DISTRIBUTION, NAME=D, LOCATION=ELEMENT, TABLE=T\n"
        ", 1., 0., 0., 0., 1., 0.\n1, 1., 0., 0., 0., 1., 0.\n"
    )
    part_from_inp(write(MESH, STEEL, PLY, SECTIONS, more))
    assert not [w for w in recwarn if issubclass(w.category, UserWarning)]


def test_springs_and_masses_are_counted_and_left_out(write):
    """The part is that of the file without them, and both warnings say that something is missing."""
    discrete = (
        "*ELEMENT, TYPE=MASS, ELSET=M\n20, 4\n21, 5\n*MASS, ELSET=M\n100.\n"
        "*ELEMENT, TYPE=SPRING1, ELSET=S\n22, 1\n*SPRING, ELSET=S\n1\n1e9\n"
        "*ELEMENT, TYPE=SPRINGA, ELSET=T\n23, 1, 2\n*ELSET, ELSET=ALL\nSolid, More, M, S, T\n"
        "*NSET, NSET=HEAVY, ELSET=M\n"
    )
    with (
        pytest.warns(UserWarning, match=r"2 of type MASS, 1 of type SPRING1, 1 of type SPRINGA\..*are missing"),
        pytest.warns(UserWarning, match=r"\*MASS, \*SPRING\. Give .* is missing"),
    ):
        found = part_from_inp(write(MESH, discrete, STEEL, PLY, SECTIONS))
    plain = part_from_inp(write(MESH, STEEL, PLY, SECTIONS))
    a, b = found.assemble(), plain.assemble()
    assert abs(a.K - b.K).max() == abs(a.M - b.M).max() == 0.0
    assert not {"M", "S", "T"} & set(found.mesh.cell_sets)
    assert sum(len(p) for p in found.mesh.cell_set("ALL")) == 2
    assert found.mesh.node_set("HEAVY").tolist() == [3, 4]


def test_what_follows_a_step_is_load(write):
    path = write(MESH, STEEL, PLY, SECTIONS, "*STEP\n*STATIC\n*BOUNDARY\n1, 1, 3\n*END STEP\n")
    assert read_sections(path).not_read == ()


def test_whether_a_file_has_sections(write):
    assert has_sections(write(MESH, STEEL, PLY, SECTIONS))
    assert not has_sections(write(MESH))


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        (
            (PLATE, STEEL, SHELL.replace("STEEL\n", "STEEL, DENSITY=100.\n")),
            r"line \d+: \*SHELL SECTION with DENSITY is not",
        ),
        ((MESH,), r"no \*SOLID SECTION or \*SHELL SECTION.*Part\(read_mesh\(file\), material="),
        ((MESH, STEEL, SECTIONS), r"line \d+: there is no material named 'PLY'.*'Steel'"),
        ((MESH, STEEL, PLY, SECTIONS.replace("SOLID,", "SOLDI,")), r"no element set named 'SOLDI'.*'Solid'"),
        ((MESH, "*MATERIAL, NAME=Steel\n*DENSITY\n1.\n", PLY, SECTIONS), r"material 'Steel' has no \*ELASTIC"),
        ((MESH, STEEL.split("*DENSITY")[0], PLY, SECTIONS), r"'Steel' has no \*DENSITY, which the mass matrix needs"),
        ((MESH, STEEL, STEEL, PLY, SECTIONS), r"\*MATERIAL needs a NAME= that is not there yet, not 'Steel'"),
        ((MESH, STEEL.replace(", NAME=Steel", ""), SECTIONS), r"\*MATERIAL needs a NAME="),
        ((MESH, STEEL.replace("2.1E11, 0.29", "2.1E11"), PLY, SECTIONS), r"'Steel' needs 2 numbers .* not 1"),
        ((MESH, STEEL.replace("0.29", "0.29, 20.\n1.9E11, 0.3, 400."), SECTIONS), r"several temperatures or fields"),
        ((MESH, STEEL.replace("*ELASTIC", "*ELASTIC, TYPE=ANISOTROPIC"), SECTIONS), r"TYPE=ANISOTROPIC is not"),
        ((MESH, STEEL.replace("2.1E11", "steel"), SECTIONS), r"expected numbers separated by commas"),
        ((MESH, STEEL.replace("2.1E11", "2_1E11"), SECTIONS), r"line \d+: expected numbers .*, not '2_1E11, 0.29'"),
        ((MESH, "*ELASTIC\n1., 0.3\n", SECTIONS), r"\*ELASTIC before any \*MATERIAL"),
        ((MESH, STEEL, PLY, "*ORIENTATION, NAME=O\n1,0,0,0,1,0\n", SECTIONS.replace("PLY", "PLY, ORIENTATION=O")),
         r"\*SOLID SECTION with ORIENTATION= is not supported"),
        ((MESH, STEEL, PLY, SECTIONS.replace("ELSET=SOLID, ", "")), r"needs ELSET= and MATERIAL="),
        ((MESH, STEEL, "*BEAM SECTION, ELSET=SOLID, MATERIAL=STEEL\n"), r"\*BEAM SECTION is not supported"),
        ((MESH, STEEL, "*SHELL SECTION, ELSET=SOLID, MATERIAL=STEEL\n0.1\n"),
         r"C3D4, as in 'SOLID', is no shell element"),
        ((PLATE, STEEL, "*SHELL SECTION, ELSET=PLATE, MATERIAL=STEEL\n"), r"needs its thickness on the next line"),
        ((PLATE, STEEL, SHELL.replace("MATERIAL=STEEL", "MATERIAL=STEEL, OFFSET=0.5")), r"with OFFSET is not"),
        ((PLATE, STEEL, SHELL.replace("MATERIAL=STEEL", "COMPOSITE")), r"with COMPOSITE is not supported"),
        ((PLATE, STEEL, "*SOLID SECTION, ELSET=PLATE, MATERIAL=STEEL\n"), r"S4, as in 'PLATE', is no solid element"),
    ],
)  # fmt: skip
def test_refused(write, parts, message):
    with pytest.raises(ReadError, match=message):
        part_from_inp(write(*parts))


def test_cells_without_or_with_two_sections(write):
    with pytest.raises(ModelError, match=r"1 tetra cells have no material \(in 'More'\)"):
        part_from_inp(write(MESH, STEEL, "*SOLID SECTION, ELSET=SOLID, MATERIAL=STEEL\n"))
    with pytest.raises(ModelError, match=r"tetra cell 0 of region 'Solid' belongs to another region"):
        part_from_inp(write(MESH, STEEL, PLY, SECTIONS, "*SOLID SECTION, ELSET=SOLID, MATERIAL=PLY\n"))


def test_constants_out_of_bounds(write):
    with pytest.raises(ModelError, match=r"Elastic 'Steel': poissons_ratio must be less than 0\.5"):
        part_from_inp(write(MESH, STEEL.replace("0.29", "0.5"), PLY, SECTIONS))


def test_paths():
    with pytest.raises(ModelError, match="path must be a string or a path"):
        part_from_inp(3)
    with pytest.raises(ReadError, match=r"the suffix must be \.inp"):
        part_from_inp("part.msh")
    with pytest.raises(ReadError, match="there is no file"):
        part_from_inp("nowhere.inp")


def test_node_numbers_do_not_matter_to_the_places():
    block = read_operators(REFERENCE / "operators_block.sti")
    mesh = part_from_inp(REFERENCE / "operators_block.inp").mesh
    assert np.array_equal(block.points, mesh.points)


def block(kind: str, extra: str = "") -> str:
    """A cube of one linear hexahedron."""
    nodes = "1,0,0,0\n2,1,0,0\n3,1,1,0\n4,0,1,0\n5,0,0,1\n6,1,0,1\n7,1,1,1\n8,0,1,1\n"
    section = "*SOLID SECTION, ELSET=ALL, MATERIAL=STEEL\n"
    return f"*NODE\n{nodes}*ELEMENT, TYPE={kind}, ELSET=ALL\n1, 1, 2, 3, 4, 5, 6, 7, 8\n{extra}{STEEL}{section}"


@pytest.mark.parametrize("kind", ["C3D8", "C3D8I", "C3D20", "C3D20R"])
def test_stiffness_of_each_type_is_that_of_calculix(kind, recwarn):
    """To the 14 digits of CalculiX's file, with its incompatible modes condensed."""
    part = part_from_inp(REFERENCE / f"hexahedra_{kind}.inp")
    assert not recwarn.list
    rows = np.loadtxt(gzip.decompress((REFERENCE / f"hexahedra_{kind}.sti.gz").read_bytes()).decode().splitlines())
    i, j = rows[:, :2].astype(int).T - 1
    K = np.zeros((i.max() + 1, i.max() + 1))
    K[i, j] = K[j, i] = rows[:, 2]
    words = (REFERENCE / f"hexahedra_{kind}.dof").read_text().split()
    node, component = np.array([[int(x) for x in word.split(".")] for word in words]).T - 1
    own = node < part.mesh.n_points
    modes = K[np.ix_(~own, own)]
    K = K[np.ix_(own, own)] - modes.T @ np.linalg.solve(K[np.ix_(~own, ~own)], modes)
    operators = part.assemble()
    order = operators.dofs.table(part.mesh.n_points)[node[own], component[own]]
    assert abs(operators.K[order][:, order].toarray() - K).max() < 1e-12 * abs(K).max()


@pytest.mark.parametrize(
    ("kind", "element"),
    [
        ("C3D8R", Hexahedron8()),
        ("C3D8H", Hexahedron8(incompatible=False)),
        ("C3D8IH", Hexahedron8()),
        ("SC8R", Hexahedron8()),
    ],
)
def test_what_does_not_exist_here_is_named(write, kind, element):
    with pytest.warns(UserWarning, match=rf"nearest one is taken: {kind} as {re.escape(repr(element))}"):
        part = part_from_inp(write(block(kind)))
    assert [piece.region.element for piece in part.pieces] == [element]


def test_two_types_of_one_shape_in_one_set(write):
    second = (
        "*NODE\n9,0,0,2\n10,1,0,2\n11,1,1,2\n12,0,1,2\n*ELEMENT, TYPE=C3D8I, ELSET=ALL\n2, 5, 6, 7, 8, 9, 10, 11, 12\n"
    )
    part = part_from_inp(write(block("C3D8", second)))
    found = {int(piece.numbers[0]): piece.region.element for piece in part.pieces}
    assert found == {0: Hexahedron8(incompatible=False), 1: Hexahedron8()}


def test_heat_conduction_is_no_solid(write):
    with pytest.raises(ReadError, match="DC3D8, as in 'ALL', is no solid element here"):
        part_from_inp(write(block("DC3D8")))


def test_reduced_shells_are_named(write):
    with pytest.warns(UserWarning, match=r"S4R as ShellQuad\(.*\(S4R has one point"):
        part = part_from_inp(write(PLATE.replace("TYPE=S4", "TYPE=S4R"), STEEL, SHELL))
    assert part.pieces[0].region.element == ShellQuad(thickness=0.01)


@settings(max_examples=40, deadline=None)
@given(st.from_regex(r"(C3D|DC3D|SC|CSS|S|STRI|M3D|CPS|R3D)(3|4|8|10|20)[A-Z]{0,3}", fullmatch=True))
def test_every_type_is_exact_or_named_or_refused(kind):
    """A type that passes without a word is one of those whose stiffness was compared, or the plain shells."""
    exact = {"C3D4", "C3D10", "C3D8", "C3D8I", "C3D20", "C3D20R", "S3", "S3R", "S4"}
    for section in ("solid", "shell"):
        found = choose(section, kind, 0.01)
        assert found is None or bool(found.difference) == (kind not in exact)
