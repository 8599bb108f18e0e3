"""Nodes that touch cells without belonging to them are told where a mesh becomes a part or a body."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import flexmbs as fx
from flexmbs.meshes import CellBlock, Mesh, box, quality, rectangle
from flexmbs.meshes.loose import Loose, loose_points

SOFT = fx.Elastic(youngs_modulus=1e6, poissons_ratio=0.3, density=1000.0)


def looked_at(mesh: Mesh) -> Loose:
    return loose_points(mesh.points, [(block.cell_type, block.nodes) for block in mesh.cells])


def two_blocks(fine: int, kind: str = "hexahedron", quadratic: bool = False) -> Mesh:
    """Blocks of 2 x 2 and of ``fine`` x ``fine`` cells at x = 1, coincident points joined."""
    one, other = box((0, 0, 0), (1, 1, 1), (2, 2, 2), kind), box((1, 0, 0), (2, 1, 1), (2, fine, fine), kind)
    return one.quadratic().merged(other.quadratic()) if quadratic else one.merged(other)


def torn(mesh: Mesh, where: Callable[[Any], Any], beyond: Callable[[Any], Any]) -> Mesh:
    """The mesh with points of their own for the cells beyond a cut."""
    cut = np.flatnonzero(where(mesh.points))
    number = np.arange(mesh.n_points)
    number[cut] = mesh.n_points + np.arange(len(cut))
    blocks = []
    for block, centres in zip(mesh.cells, mesh.cell_centres, strict=True):
        nodes = np.array(block.nodes)
        nodes[beyond(centres)] = number[nodes[beyond(centres)]]
        blocks.append(CellBlock(block.cell_type, nodes))
    return Mesh(np.vstack((mesh.points, mesh.points[cut])), tuple(blocks))


@pytest.mark.parametrize("kind", ["hexahedron", "tetra"])
@pytest.mark.parametrize("quadratic", [False, True])
def test_a_finer_mesh_that_meets_a_coarser_one_is_told(kind: str, quadratic: bool) -> None:
    mesh = two_blocks(4, kind, quadratic)
    found = looked_at(mesh)
    on_the_face = np.flatnonzero(np.abs(mesh.points[:, 0] - 1.0) < 1e-9)
    coarse = np.unique(mesh.cells[0].nodes[(mesh.cell_centres[0][:, 0] < 1.0)])
    np.testing.assert_array_equal(found.hanging, np.setdiff1d(on_the_face, coarse))
    assert len(found.doubled) == 0
    with pytest.warns(RuntimeWarning, match=rf"Part 'beam': {len(found.hanging)} nodes hang: .*share their") as caught:
        fx.linear.Part(mesh, material=SOFT, name="beam")
    assert caught[0].filename == __file__
    np.testing.assert_array_equal(quality(mesh).hanging, found.hanging)
    assert f"hanging points: {found.hanging[0]}" in str(quality(mesh))


def test_a_part_that_is_not_merged_all_over_is_told() -> None:
    whole = box((0, 0, 0), (2, 1, 1), (4, 2, 2))
    slit = torn(whole, lambda p: (np.abs(p[:, 0] - 1.0) < 1e-9) & (p[:, 2] > 0.6), lambda c: c[:, 0] > 1.0)
    assert len(looked_at(slit).doubled) == 3
    with pytest.warns(RuntimeWarning, match=r"3 pairs of nodes of different cells coincide without being joined \(32 "):
        fx.linear.Part(slit, material=SOFT)


@pytest.mark.parametrize("quadratic", [False, True])
@pytest.mark.parametrize("kind", ["hexahedron", "tetra"])
def test_legal_meshes_are_silent(kind: str, quadratic: bool) -> None:
    for size, cells in (((1, 1, 1), (3, 4, 5)), ((100, 1, 0.01), (3, 7, 2)), ((1e-3, 1e-3, 1e-6), (4, 4, 1))):
        mesh = box((0, 0, 0), size, cells, kind).transformed(translation=(0.3, 0.2, -7.0))
        found = looked_at(mesh.quadratic() if quadratic else mesh)
        assert len(found.hanging) == len(found.doubled) == 0


def test_curved_quadratic_meshes_are_silent() -> None:
    """A tube: its faces are curved, and points of its bore are near each other."""
    flat = box((0, 0, 0), (1, 1, 1), (2, 9, 3)).quadratic()
    r, angle = 1.0 + 0.1 * flat.points[:, 0], 6.0 * flat.points[:, 1]
    tube = Mesh(np.column_stack((r * np.cos(angle), r * np.sin(angle), flat.points[:, 2])), flat.cells)
    found = looked_at(tube)
    assert len(found.hanging) == len(found.doubled) == 0


def test_a_point_in_the_middle_of_a_curved_side_hangs() -> None:
    """Blocks that meet at a parabola, as an edge of three points is one: the upper one has twice the cells."""
    lower, upper = box((0, 0, 0), (1, 1, 1), (1, 2, 1)).quadratic(), box((0, 0, 1), (1, 1, 2), (1, 4, 1)).quadratic()
    joined = lower.merged(upper)
    x, y, z = joined.points.T
    curved = Mesh(np.column_stack((x, y, z + 0.2 * (y - 0.5) ** 2)), joined.cells)
    np.testing.assert_array_equal(looked_at(curved).hanging, looked_at(joined).hanging)
    assert len(looked_at(joined).hanging) == 10


def test_pieces_that_a_link_joins_may_touch() -> None:
    """Two blocks that lie on each other, joined by a bolt."""
    one, other = box((0, 0, 0), (1, 1, 1), (2, 2, 2)), box((0, 0, 1), (1, 1, 2), (3, 3, 2))
    blocks = (CellBlock("hexahedron", one.cells[0].nodes), CellBlock("hexahedron", other.cells[0].nodes + one.n_points))
    mesh = Mesh(np.vstack((one.points, other.points)), blocks)
    bolt = fx.linear.RigidCoupling("bolt", [0, one.n_points])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fx.linear.Part(mesh, material=SOFT, connections=[bolt])


def test_nodes_that_a_link_or_a_spring_joins_are_no_crack() -> None:
    whole = box((0, 0, 0), (2, 1, 1), (4, 2, 2))
    slit = torn(whole, lambda p: (np.abs(p[:, 0] - 1.0) < 1e-9) & (p[:, 2] > 0.6), lambda c: c[:, 0] > 1.0)
    pairs = looked_at(slit).doubled
    links = [
        fx.linear.RigidCoupling("glue", pairs[0]),
        fx.linear.NodalSpring(int(pairs[1, 0]), (1, 1, 1), int(pairs[1, 1])),
    ]
    with pytest.warns(RuntimeWarning, match="1 pair of nodes of different cells coincide"):
        fx.linear.Part(slit, material=SOFT, connections=links)
    hanging = looked_at(two_blocks(4)).hanging
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fx.linear.Part(two_blocks(4), material=SOFT, connections=[fx.linear.RigidCoupling("tie", hanging)])


def test_shells_meet_solids_and_beams_stand_on_nodes() -> None:
    """A plate whose rim has the nodes of a block, and a beam from a corner of it."""
    block = box((0, 0, 0), (1, 1, 1), (2, 2, 2)).quadratic()
    plate = rectangle((0, 0), (1, 1), (2, 2)).in_space().transformed(translation=(1.0, 0.0, 1.0))
    mast = fx.meshes.line((2, 1, 1), (2, 1, 3), 3)
    with warnings.catch_warnings(action="ignore"):  # only the beam has tangents
        mesh = block.merged(plate).merged(mast)
    found = looked_at(mesh)
    assert len(found.hanging) == len(found.doubled) == 0
    # finer: the rim of the plate hangs on the block, and with it nothing else
    finer = rectangle((0, 0), (1, 1), (8, 8)).in_space().transformed(translation=(1.0, 0.0, 1.0))
    assert len(looked_at(block.merged(finer)).hanging) == 4
    # the foot of the beam on a cell of the plate, which a stay joins to a corner of it
    stay = Mesh([(1.3, 0.3, 1), (1.3, 0.3, 2), (2, 1, 1)], [("line", [[0, 1], [1, 2]])])
    foot = looked_at(block.merged(plate).merged(stay)).hanging
    np.testing.assert_allclose(block.merged(plate).merged(stay).points[foot], [(1.3, 0.3, 1)])


def test_bars_that_cross_between_their_ends_are_silent_and_those_that_end_on_another_are_not() -> None:
    frame = [(0.0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)]
    ring = [[0, 1], [1, 2], [2, 3], [3, 0]]
    crossed = Mesh(frame, [("line", [*ring, [0, 2], [1, 3]])])
    assert len(looked_at(crossed).hanging) == 0
    ends = Mesh([*frame, (0.5, 1.0, 0)], [("line", [*ring, [0, 4]])])
    assert looked_at(ends).hanging.tolist() == [4]


def test_bodies_of_shells_are_told_and_closed_lines_are_not() -> None:
    sheet = rectangle((0, 0), (1, 2), (2, 2)).merged(rectangle((1, 0), (2, 2), (2, 4))).in_space()
    with pytest.warns(
        RuntimeWarning, match=r"FlexibleBody 'sheet': 2 nodes hang: .* make a body of each side"
    ) as caught:
        fx.FlexibleBody(sheet, fx.elements.ANCFShell(), fx.ShellSection(0.01), fx.steel, name="sheet")
    assert caught[0].filename == __file__
    angle = np.linspace(0.0, 2 * np.pi, 13)
    ring = Mesh(np.column_stack((np.cos(angle), np.sin(angle))), [("line", np.column_stack((range(12), range(1, 13))))])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fx.FlexibleBody(ring, fx.elements.ANCFCable2D(), fx.Circle(diameter=0.01), fx.steel, name="ring")


def test_all_points_that_hang_on_a_large_side_are_found() -> None:
    mesh = box((0, 0, 0), (1, 1, 1), (1, 1, 1)).merged(box((1, 0, 0), (1.1, 1, 1), (1, 20, 20)))
    assert len(looked_at(mesh).hanging) == 21 * 21 - 4


def test_a_mesh_of_200_000_nodes_takes_a_moment() -> None:
    mesh = box((0, 0, 0), (1, 1, 0.01), (316, 316, 1))
    start = time.perf_counter()
    found = looked_at(mesh)
    assert time.perf_counter() - start < 5.0  # measured: 0.6 s; to assemble such a part takes ten
    assert len(found.hanging) == len(found.doubled) == 0
