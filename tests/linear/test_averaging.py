"""What is averaged at nodes and what is not: shells with opposite node order, folds, junctions, frames, regions."""

from __future__ import annotations

from pathlib import Path

import meshio
import numpy as np
import pytest

import flexmbs as fx
from flexmbs.elements import Frame, Hexahedron8, ShellQuad, ShellTriangle, Truss
from flexmbs.linear.averaging import averages
from flexmbs.linear.stresses import nodal_stresses, nodal_von_mises, stress_operator, stress_rows
from flexmbs.meshes import CellBlock, Mesh

E, T, KAPPA = 2e11, 0.01, 1e-3
MATERIAL = fx.Elastic(youngs_modulus=E, density=8000.0, poissons_ratio=0.0)
SURFACE = E * KAPPA * T / 2.0  # stress of the surface of a sheet that is bent by KAPPA
ELEMENTS = {"quad": ShellQuad, "triangle": ShellTriangle}


def sheet(points: np.ndarray, cells: np.ndarray, **choices) -> fx.linear.Part:
    kind = "quad" if cells.shape[1] == 4 else "triangle"
    element = ELEMENTS[kind](thickness=T, **choices)
    return fx.linear.Part(Mesh(points, [CellBlock(kind, cells)]), regions=[fx.linear.Region(None, element, MATERIAL)])


def bent(points: np.ndarray, where: np.ndarray, x_0: float = 0.0) -> np.ndarray:
    """All displacements of nodes in z = 0 bent cylindrically from x_0, without transverse shear; others at rest."""
    u = np.zeros((len(points), 6))
    x = points[where, 0] - x_0
    u[where, 2], u[where, 4] = -0.5 * KAPPA * x**2, KAPPA * x
    return u.ravel()


@pytest.mark.parametrize("kind", ["quad", "triangle"])
@pytest.mark.parametrize("sense", ["alternate", "half", "random"])
def test_cells_with_opposite_node_order_keep_the_bending_stress(kind: str, sense: str) -> None:
    mesh = fx.meshes.rectangle((0, 0), (1, 0.2), (10, 2), kind).in_space()
    cells = np.array(mesh.cells[0].nodes)
    turned = {
        "alternate": np.arange(len(cells)) % 2 == 1,
        "half": np.arange(len(cells)) >= len(cells) // 2,
        "random": np.random.default_rng(1).random(len(cells)) < 0.5,
    }[sense]
    cells[turned] = cells[turned][:, ::-1]
    part = sheet(mesh.points, cells)
    u = bent(mesh.points, np.arange(len(mesh.points)))
    (found,) = nodal_stresses(part, u)
    assert np.array_equal(found.nodes, np.arange(len(mesh.points)))
    # the first cell tells which side is the top
    first = -1.0 if turned[0] else 1.0
    assert found.values[:, found.names.index("xx top")] == pytest.approx(first * SURFACE, rel=1e-9)
    assert found.values[:, found.names.index("xx bottom")] == pytest.approx(-first * SURFACE, rel=1e-9)
    assert nodal_von_mises(part, u) == pytest.approx(SURFACE, rel=1e-9)
    nodes = [7, 30, 2]
    operator, names = stress_operator(part, nodes)
    told = (operator @ u).reshape(3, len(names))
    assert np.abs(told - found.values[nodes]).max() < 1e-9 * SURFACE


def test_where_turning_over_would_change_the_structure_nothing_is_averaged() -> None:
    mesh = fx.meshes.rectangle((0, 0), (1, 0.2), (2, 1)).in_space()
    cells = np.array(mesh.cells[0].nodes)
    middle = np.flatnonzero(mesh.points[:, 0] == 0.5)
    assert stress_rows(sheet(mesh.points, cells, offset=0.003), middle).tolist() == middle.tolist()
    cells[1] = cells[1, ::-1]
    part = sheet(mesh.points, cells, offset=0.003)
    assert stress_rows(part, middle).tolist() == np.repeat(middle, 2).tolist()


@pytest.mark.parametrize("first", [0, 1])
def test_a_fold_keeps_its_sheets_apart(first: int) -> None:
    """One sheet is bent up to the fold, the other at rest: both stresses are reported, the larger as the node's."""
    mesh = fx.meshes.rectangle((0, 0), (2, 0.2), (8, 2)).in_space()
    points = mesh.points.copy()
    s = points[:, 0].copy()
    points[:, 0], points[:, 2] = np.minimum(s, 1.0), np.maximum(s - 1.0, 0.0)
    cells = np.array(mesh.cells[0].nodes)
    cells = cells[::-1] if first else cells
    part = sheet(points, cells)
    u = bent(points, s <= 1.0, 1.0)
    (found,) = nodal_stresses(part, u)
    fold = np.flatnonzero(s == 1.0)
    for node in fold:
        told = found.values[found.nodes == node, 0]
        assert sorted(told) == pytest.approx([0.0, SURFACE], rel=1e-9, abs=1e-9 * SURFACE)
        # the row of the sheet with the cell of lower number comes first
        assert told[first] == pytest.approx(SURFACE, rel=1e-9)
        told_cells = found.cells[found.nodes == node]
        assert (points[cells[told_cells]][..., 2].max(axis=1) > 0).tolist() == [bool(first), not first]
    assert nodal_von_mises(part, u)[s <= 1.0] == pytest.approx(SURFACE, rel=1e-9)
    operator, names = stress_operator(part, np.arange(len(points)))
    told = (operator @ u).reshape(-1, len(names))
    assert np.array_equal(stress_rows(part, np.arange(len(points))), found.nodes)
    assert np.abs(told - found.values).max() < 1e-9 * SURFACE


@pytest.mark.filterwarnings("ignore:.*nodes of different cells coincide")  # folded by 180 degrees
@pytest.mark.parametrize(("degrees", "rows"), [(19.0, 1), (-19.0, 1), (21.0, 2), (90.0, 2), (179.0, 2), (180.0, 2)])
@pytest.mark.parametrize("turned", [False, True])
def test_angle_of_a_fold(degrees: float, rows: int, turned: bool) -> None:
    """180 degrees is a sheet folded back onto itself, with the normals of a flat one with opposite node order."""
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    points = np.array([[-1, 0, 0], [0, 0, 0], [c, 0, s], [-1, 1, 0], [0, 1, 0], [c, 1, s]], dtype=float)
    cells = np.array([[0, 1, 4, 3], [1, 2, 5, 4]])
    if turned:
        cells[1] = cells[1, ::-1]
    part = fx.linear.Part(
        Mesh(points, [CellBlock("quad", cells)]), regions=[fx.linear.Region(None, ShellQuad(thickness=T), MATERIAL)]
    )
    assert stress_rows(part, [1, 4]).tolist() == [1] * rows + [4] * rows


@pytest.mark.parametrize(("segments", "rows"), [(16, 2), (18, 1)])
@pytest.mark.parametrize("radius", [0.3, 1.0, 7.1])
def test_tubes_of_equal_segments(segments: int, rows: int, radius: float) -> None:
    """18 segments are folded by 20 degrees but for rounding, which decides at no edge."""
    i, n = np.arange(segments), segments
    phi = 2.0 * np.pi * i / n
    ring = radius * np.stack([np.cos(phi), np.sin(phi), 0.0 * phi], axis=1)
    points = np.vstack([ring + np.array([0.0, 0.0, 0.4 * radius * k]) for k in range(3)])
    j = (i + 1) % n
    cells = np.vstack([np.stack([i + k * n, j + k * n, j + (k + 1) * n, i + (k + 1) * n], axis=1) for k in range(2)])
    nodes = np.arange(len(points))
    assert stress_rows(sheet(points, cells), nodes).tolist() == np.repeat(nodes, rows).tolist()


def test_a_web_under_a_flange_is_kept_apart() -> None:
    flange = fx.meshes.rectangle((-0.2, 0), (0.4, 1), (4, 4)).in_space()
    n = len(flange.points)
    middle = np.flatnonzero(flange.points[:, 0] == 0.0)
    middle = middle[np.argsort(flange.points[middle, 1])]
    low = flange.points[middle] - [0, 0, 0.1]
    web = [(middle[i], middle[i + 1], n + i + 1, n + i) for i in range(4)]
    points = np.vstack([flange.points, low])
    part = sheet(points, np.vstack([flange.cells[0].nodes, web]))
    u = bent(points, np.arange(n))
    assert nodal_von_mises(part, u)[:n] == pytest.approx(SURFACE, rel=1e-9)
    assert stress_rows(part, middle).tolist() == np.repeat(middle, 2).tolist()


def test_a_strip_with_one_side_is_cut_where_its_sense_turns_over() -> None:
    n = 48
    phi = 2.0 * np.pi * np.arange(n) / n
    across = np.stack([np.cos(phi / 2) * np.cos(phi), np.cos(phi / 2) * np.sin(phi), np.sin(phi / 2)], axis=1)
    circle = np.stack([np.cos(phi), np.sin(phi), 0.0 * phi], axis=1)
    points = np.vstack([circle - 0.05 * across, circle + 0.05 * across])
    i = np.arange(n - 1)
    cells = np.stack([i, i + 1, n + i + 1, n + i], axis=1)
    cells = np.vstack([cells, [n - 1, n, 0, 2 * n - 1]])
    part = sheet(points, cells)
    (mean,) = averages(part)
    assert sorted(node for node in set(mean.nodes) if (mean.nodes == node).sum() > 1) == [0, n]


def simple_beam(cells: list) -> fx.linear.LinearSolution:
    """A beam of 2 m on two supports under 100 N in the middle."""
    points = np.zeros((5, 3))
    points[:, 0] = np.linspace(0.0, 2.0, 5)
    region = fx.linear.Region(None, Frame(section=fx.Rectangle(width=0.02, height=0.02)), MATERIAL)
    part = fx.linear.Part(Mesh(points, [CellBlock("line", np.array(cells))]), regions=[region])
    fixed = {0: ("ux", "uy", "uz", "rx"), 4: ("uy", "uz")}
    return fx.linear.static_response(part, fixed, fx.linear.NodalForce(2, (0, -100.0, 0)))


def test_frames_are_not_averaged() -> None:
    solution = simple_beam([(0, 1), (1, 2), (2, 3), (3, 4)])
    (found,) = solution.stresses()
    assert found.nodes.tolist() == [0, 1, 1, 2, 2, 3, 3, 4]
    assert found.cells.tolist() == [0, 0, 1, 1, 2, 2, 3, 3]
    # the shear force jumps under the load
    assert found.values[:, 1] == pytest.approx([-50.0] * 4 + [50.0] * 4, rel=1e-8)
    assert found.values[:, 5] == pytest.approx([0.0, 25, 25, 50, 50, 25, 25, 0.0], rel=1e-8, abs=1e-6)


def test_frames_numbered_backwards_keep_their_moments() -> None:
    """Backwards, y and the outward normal of the face turn round: Mz has the other sign, Qy the same."""
    solution = simple_beam([(0, 1), (2, 1), (2, 3), (4, 3)])
    (found,) = solution.stresses()
    sense = np.array([1.0, -1.0, 1.0, -1.0])[found.cells]
    moment = 50.0 * (1.0 - np.abs(np.linspace(-1, 1, 5)[found.nodes]))
    assert found.values[:, 5] == pytest.approx(sense * moment, rel=1e-8, abs=1e-6)
    assert found.values[:, 1] == pytest.approx(np.where(found.cells < 2, -50.0, 50.0), rel=1e-8)
    assert np.isnan(solution.von_mises).all()


def test_bars_of_a_bracket() -> None:
    points = np.array([(0, 1, 0), (1, 1, 0), (0, 0, 0)], dtype=float)
    region = fx.linear.Region(None, Truss(1e-4), MATERIAL)
    part = fx.linear.Part(Mesh(points, [CellBlock("line", np.array([(0, 1), (2, 1)]))]), regions=[region])
    load = fx.linear.NodalForce(1, (0, -100.0, 0))
    (found,) = fx.linear.static_response(part, {0: "all", 2: "all", 1: "uz"}, load).stresses()
    assert found.nodes.tolist() == [0, 1, 1, 2]
    assert found.values[:, 0] == pytest.approx(100.0 * np.array([1, 1, -np.sqrt(2), -np.sqrt(2)]), rel=1e-10)


def bar_of_two() -> fx.linear.Part:
    """A bar whose lower half is four times as stiff as the upper one."""
    mesh = fx.meshes.box((0, 0, 0), (1.0, 0.1, 0.2), (4, 1, 2)).with_cell_set("LOW", lambda c: c[:, 2] < 0.1)
    soft = fx.Elastic(youngs_modulus=1e9, density=1000.0, poissons_ratio=0.0)
    hard = fx.Elastic(youngs_modulus=4e9, density=1000.0, poissons_ratio=0.0)
    return fx.linear.Part(mesh, material=soft, regions=[fx.linear.Region("LOW", Hexahedron8(), hard)], name="bar")


def test_reduced_models_keep_regions_apart_as_the_full_part_does(tmp_path: Path) -> None:
    part = bar_of_two()
    small = fx.reduction.reduce(part, ["left", "right"], 2, stresses="all", progress=False)
    q = np.zeros(small.size)
    q[small.labels.index("right ux")] = 1e-3
    hard, soft = nodal_stresses(part, small.reconstruct(q)[: len(part.nodes.points), :3].ravel())
    border = np.intersect1d(hard.nodes, soft.nodes)
    assert len(border) == 10
    for model in (small, fx.reduction.load_reduced(small.save(tmp_path / "bar.h5"))):
        told, rows = model.stresses(q), model.stress_rows(border)
        assert np.array_equal(model.stress_nodes[rows], np.repeat(border, 2))
        assert told[rows, 0] == pytest.approx(np.tile([4e6, 1e6], 10), rel=1e-8)
        for region, k in ((hard, 0), (soft, 1)):
            expected = region.values[np.isin(region.nodes, border)]
            assert np.abs(told[rows[k::2]] - expected).max() < 1e-9 * 4e6
    with pytest.raises(fx.ModelError, match=r"no stresses at nodes \[1000\]"):
        small.stress_rows([3, 1000])


def test_files_for_paraview_have_the_larger_stress_of_a_border(tmp_path: Path) -> None:
    part = bar_of_two()
    pulled = fx.linear.static_response(part, {"left": "all", "right": {"ux": 1e-3, "uy": 0.0, "uz": 0.0}}, [])
    file = meshio.read(fx.visualization.write_vtu(pulled, tmp_path / "bar.vtu"))
    assert file.point_data["von Mises"] == pytest.approx(np.where(part.nodes.points[:, 2] < 0.15, 4e6, 1e6), rel=1e-8)
