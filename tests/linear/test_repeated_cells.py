"""Cells that a part or a body has twice are warned of, since their stiffness and mass count twice."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import flexmbs as fx
from flexmbs.meshes import CellBlock, Mesh

SOFT = fx.Elastic(youngs_modulus=1e6, density=1000.0)
BOX = fx.meshes.box((0, 0, 0), (2, 1, 1), (2, 1, 1))
CELLS = BOX.cells[0].nodes
PLATE = fx.meshes.rectangle((0, 0), (1, 1), (2, 2)).in_space()


def mass(part: fx.linear.Part) -> float:
    M = part.assemble().M
    x = np.tile((1.0, 0.0, 0.0), M.shape[0] // 3)
    return float(x @ M @ x)


@pytest.mark.parametrize(
    ("blocks", "words", "expected"),
    [
        ([np.vstack((CELLS, CELLS))], r"2 cells are there twice, the first is hexahedron cell 2, .* of cell 0\.", 4000),
        ([CELLS, CELLS[1:]], r"one cell is there twice, hexahedron cell 0 of block 1, .* of cell 1 of block 0\.", 3000),
    ],
)
def test_a_part_with_a_cell_twice_says_so(blocks, words, expected):
    mesh = Mesh(BOX.points, tuple(CellBlock("hexahedron", nodes) for nodes in blocks))
    with pytest.warns(RuntimeWarning, match=words) as caught:
        part = fx.linear.Part(mesh, material=SOFT, name="block")
    assert caught[0].filename == __file__
    assert str(caught[0].message).startswith("Part 'block': ")
    assert mass(part) == pytest.approx(expected)  # twice its volume of 2 times 1000, or 1.5 times


def test_overlays_of_another_type_and_cells_that_are_no_elements_are_silent():
    quads = np.vstack((CELLS[:, [0, 3, 2, 1]], CELLS[:, [4, 5, 6, 7]]))
    thin = fx.linear.Region("SKIN", fx.elements.ShellQuad(thickness=0.01), SOFT)
    mesh = Mesh(
        BOX.points,
        (CellBlock("hexahedron", CELLS), CellBlock("quad", quads), CellBlock("quad", quads)),  # the last names faces
        cell_sets={"SKIN": ([], range(4), []), "FACES": ([], [], range(4))},
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fx.linear.Part(mesh, material=SOFT, regions=[thin])
        fx.linear.Part(mesh, material=SOFT)


def line(*cells: tuple[int, int]) -> Mesh:
    return Mesh([(0.0, 0, 0), (1, 0, 0), (2, 0, 0)], (CellBlock("line", cells),))


@pytest.mark.parametrize("again", [(1, 2), (2, 1)])
def test_a_body_of_lines_with_a_cell_twice_says_so(again):
    with pytest.warns(RuntimeWarning, match=r"FlexibleBody 'b': one cell is there twice, line cell 2") as caught:
        body = fx.FlexibleBody(
            line((0, 1), (1, 2), again),
            fx.elements.LinearBeam3D(up=(0, 1, 0)),
            fx.Circle(diameter=0.02),
            fx.steel,
            name="b",
        )
    assert caught[0].filename == __file__
    assert body.length == pytest.approx(3.0)


def test_a_body_of_plates_says_so_before_it_is_refused():
    cells = PLATE.cells[0].nodes
    mesh = Mesh(PLATE.points, (CellBlock("quad", np.vstack((cells, cells[:1]))),))
    with (
        pytest.warns(RuntimeWarning, match="one cell is there twice, quad cell 4") as caught,
        pytest.raises(fx.MeshError),
    ):
        fx.FlexibleBody(mesh, fx.elements.ANCFThinPlate(), fx.ShellSection(0.01), fx.steel, name="p")
    assert caught[0].filename == __file__
