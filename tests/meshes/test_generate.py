"""Generators: exact places, sizes, named sets, and refusal of nonsense."""

from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import flexmbs as fx
from flexmbs.core.errors import MeshError, ModelError
from flexmbs.meshes import Mesh, annular_sector, arc, box, line, polyline, quality, rectangle


def test_line_is_even_and_ends_exactly():
    mesh = line((0.1, 0.2, 0.3), (1.1, 2.2, 2.3), 7)
    assert mesh.points[0].tolist() == [0.1, 0.2, 0.3]
    assert mesh.points[-1].tolist() == [1.1, 2.2, 2.3]
    np.testing.assert_allclose(mesh.cell_sizes[0], 3 / 7, rtol=1e-14)
    np.testing.assert_allclose(mesh.point_data["tangent"], [[1 / 3, 2 / 3, 2 / 3]] * 8, rtol=1e-15)
    assert (mesh.node_set("start").tolist(), mesh.node_set("end").tolist()) == ([0], [7])


@given(n=st.integers(2, 40), grading=st.floats(0.01, 100))
@settings(max_examples=40, deadline=None)
def test_graded_lines_grow_geometrically(n, grading):
    sizes = line((0, 0), (3, 4), n, grading).cell_sizes[0]
    assert sizes[-1] / sizes[0] == pytest.approx(grading, rel=1e-9)
    assert sizes.sum() == pytest.approx(5, rel=1e-13)
    np.testing.assert_allclose(sizes[1:] / sizes[:-1], grading ** (1 / (n - 1)), rtol=1e-9)


@given(total=st.integers(3, 60), x=st.floats(0.1, 10), y=st.floats(0.1, 10))
@settings(max_examples=40, deadline=None)
def test_polyline_has_a_node_at_every_corner_and_the_cells_asked_for(total, x, y):
    corners = [(0, 0), (x, 0), (x, y), (0, y)]
    mesh = polyline(corners, total)
    assert mesh.n_cells == total
    np.testing.assert_array_equal(mesh.points[mesh.node_set("corners")], corners)
    assert mesh.cell_sizes[0].sum() == pytest.approx(2 * x + y)
    counts = np.diff(mesh.node_set("corners"))
    lengths = np.array([x, y, x])
    # moving a cell from one piece to another cannot shorten the longest cell
    longest = np.argmax(lengths / counts)
    for other in range(3):
        if other != longest and counts[other] > 1:
            assert lengths[other] / (counts[other] - 1) >= lengths[longest] / counts[longest] * (1 - 1e-12)


def test_polyline_with_given_counts():
    mesh = polyline([(0, 0), (1, 0), (1, 3)], [2, 3])
    assert mesh.points.tolist() == [[0, 0], [0.5, 0], [1, 0], [1, 1], [1, 2], [1, 3]]
    assert "tangent" not in mesh.point_data


def test_arc_in_closed_form():
    mesh = arc((1, 2, 3), radius=2.0, start_angle=0.5, end_angle=-1.0, elements=6)
    angles = np.linspace(0.5, -1.0, 7)
    np.testing.assert_allclose(mesh.points, [(1 + 2 * np.cos(a), 2 + 2 * np.sin(a), 3) for a in angles], atol=1e-15)
    # clockwise
    np.testing.assert_allclose(mesh.point_data["tangent"], [(np.sin(a), -np.cos(a), 0) for a in angles], atol=1e-15)
    np.testing.assert_allclose(mesh.cell_sizes[0], 4 * np.sin(0.125), rtol=1e-14)


def test_a_closed_arc_is_a_ring():
    ring = arc((0, 0), radius=1.0, start_angle=0.0, end_angle=2 * np.pi, elements=8, closed=True)
    assert (ring.n_points, ring.n_cells, dict(ring.node_sets)) == (8, 8, {})
    np.testing.assert_allclose(ring.cell_sizes[0], 2 * np.sin(np.pi / 8), rtol=1e-13)
    assert len(quality(ring).coincident) == 0
    assert len(quality(arc((0, 0), radius=1.0, start_angle=0.0, end_angle=2 * np.pi, elements=8)).coincident) == 1


@pytest.mark.parametrize(("cell_type", "per_quad"), [("quad", 1), ("triangle", 2)])
def test_rectangle(cell_type, per_quad):
    mesh = rectangle((-1, 2), (4, 3), (5, 2), cell_type)
    assert (mesh.n_points, mesh.n_cells) == (18, 10 * per_quad)
    np.testing.assert_allclose(mesh.cell_sizes[0], 1.2 / per_quad, rtol=1e-13)
    x, y = mesh.points.T
    for name, on_it in {"left": x == -1, "right": x == 3, "bottom": y == 2, "top": y == 5}.items():
        np.testing.assert_array_equal(mesh.node_set(name), np.flatnonzero(on_it))


@pytest.mark.parametrize("cell_type", ["quad", "triangle"])
def test_annular_sector(cell_type):
    mesh = annular_sector(
        inner_radius=1.0, outer_radius=3.0, start_angle=0.3, end_angle=2.3, elements=(4, 10), cell_type=cell_type
    )
    # a polygon with ten sides of 0.2 rad: each trapezoid has sin(0.2) / 2 (9 - 1)
    assert mesh.cell_sizes[0].sum() == pytest.approx(10 * np.sin(0.2) / 2 * 8, rel=1e-13)
    assert mesh.cell_sizes[0].min() > 0
    r, phi = np.hypot(*mesh.points.T), np.arctan2(mesh.points[:, 1], mesh.points[:, 0])
    for name, on_it in {
        "inner": np.isclose(r, 1),
        "outer": np.isclose(r, 3),
        "start": np.isclose(phi, 0.3),
        "end": np.isclose(phi, 2.3),
    }.items():
        np.testing.assert_array_equal(mesh.node_set(name), np.flatnonzero(on_it))


def test_a_whole_ring_closes():
    mesh = annular_sector(inner_radius=1.0, outer_radius=2.0, start_angle=0.0, end_angle=2 * np.pi, elements=(2, 12))
    assert (mesh.n_points, mesh.n_cells, sorted(mesh.node_sets)) == (36, 24, ["inner", "outer"])
    assert mesh.cell_sizes[0].sum() == pytest.approx(12 * np.sin(np.pi / 6) / 2 * 3, rel=1e-13)
    assert len(quality(mesh).coincident) == 0


@pytest.mark.parametrize(("cell_type", "per_box"), [("hexahedron", 1), ("tetra", 6)])
def test_box(cell_type, per_box):
    mesh = box((1, 2, 3), (2, 3, 4), (2, 3, 5), cell_type)
    assert (mesh.n_points, mesh.n_cells) == (3 * 4 * 6, 30 * per_box)
    np.testing.assert_allclose(mesh.cell_sizes[0], 0.8 / per_box, rtol=1e-12)
    x, y, z = mesh.points.T
    faces = {"left": x == 1, "right": x == 3, "front": y == 2, "back": y == 5, "bottom": z == 3, "top": z == 7}
    for name, on_it in faces.items():
        np.testing.assert_array_equal(mesh.node_set(name), np.flatnonzero(on_it))


def test_tetrahedra_of_a_box_are_conforming():
    nodes = box((0, 0, 0), (1, 1, 1), (3, 3, 3), "tetra").cells[0].nodes
    faces = np.sort(nodes[:, [[0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2, 3]]].reshape(-1, 3), axis=1)
    _, counts = np.unique(faces, axis=0, return_counts=True)
    # inner faces twice, and two triangles for each of the 9 squares of the 6 sides once
    assert (counts.max(), np.count_nonzero(counts == 1)) == (2, 6 * 9 * 2)


def test_many_cells_take_milliseconds():
    start = time.perf_counter()
    line((0, 0), (1, 0), 20_000)
    polyline([(0, 0), (1, 0), (1, 1)], 20_000)
    arc((0, 0), radius=1.0, start_angle=0.0, end_angle=3.0, elements=20_000)
    assert time.perf_counter() - start < 0.5


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: line((0, 0), (0, 0), 3), "same point"),
        (lambda: line((0, 0), (1, 0, 0), 3), "start and end must be an array of numbers"),
        (lambda: line((0,), (1,), 3), "2 or 3 coordinates"),
        (lambda: line((0, 0), (1, np.nan), 3), "finite"),
        (lambda: line((0, 0), (1, 0), 0), "at least 1"),
        (lambda: line((0, 0), (1, 0), 2.0), "whole number"),
        (lambda: line((0, 0), (1, 0), 2, grading=0), "greater than 0"),
        (lambda: polyline([(0, 0)], 3), "2 or more points"),
        (lambda: polyline([(0, 0), (1, 0), (1, 0)], 3), "the points 1 and 2 are the same"),
        (lambda: polyline([(0, 0), (1, 0), (1, 1)], 1), "at least 2"),
        (lambda: polyline([(0, 0), (1, 0), (1, 1)], [1]), "2 pieces, not 1"),
        (lambda: arc((0, 0), radius=0.0, start_angle=0, end_angle=1, elements=3), "greater than 0"),
        (lambda: arc((0, 0), radius=1.0, start_angle=1, end_angle=1, elements=3), "must differ"),
        (lambda: arc((0, 0), radius=1.0, start_angle=0, end_angle=7, elements=3), "no more than 2 pi"),
        (lambda: arc((0, 0), radius=1.0, start_angle=0, end_angle=3, elements=3, closed=True), "full turn"),
        (lambda: rectangle((0, 0), (1, -1), (1, 1)), "positive"),
        (lambda: rectangle((0, 0), (1, 1), (1, 0)), r"elements\[1\] must be at least 1"),
        (lambda: rectangle((0, 0), (1, 1), 4), "2 whole numbers"),
        (lambda: rectangle((0, 0), (1, 1), (1, 1), "quad9"), "no cell type here named 'quad9'"),
        (
            lambda: annular_sector(inner_radius=2, outer_radius=1, start_angle=0, end_angle=1, elements=(1, 1)),
            "greater than 2",
        ),
        (
            lambda: annular_sector(inner_radius=1, outer_radius=2, start_angle=1, end_angle=0, elements=(1, 1)),
            "above start_angle",
        ),
        (
            lambda: annular_sector(inner_radius=1, outer_radius=2, start_angle=0, end_angle=2 * np.pi, elements=(1, 2)),
            "3 or more",
        ),
        (lambda: box((0, 0), (1, 1, 1), (1, 1, 1)), r"shape \(3,\)"),
        (lambda: box((0, 0, 0), (1, 1, 1), (1, 1)), "3 whole numbers"),
        (lambda: box((0, 0, 0), (1, 1, 1), (1, 1, 1), "quad"), "no cell type here named 'quad'"),
    ],
)
def test_nonsense_is_refused(make, words):
    with pytest.raises(ModelError, match=words):
        make()


@pytest.mark.parametrize("far", [1e51, 1e200, 1e308])
def test_lengths_without_powers_are_refused(far: float) -> None:
    """Elements take lengths to the sixth power."""
    with pytest.raises(MeshError, match=r"line: point 1 has the coordinates .*at most 1e\+50.* another unit"):
        line((0, 0), (far, 0), 2)
    with pytest.raises(MeshError, match=r"mesh: point 1 has the coordinates"):
        Mesh([(0, 0), (0, -far)], [("line", [(0, 1)])])
    with pytest.raises(MeshError, match=r"line: start and end are .* apart; lengths must be at least 1e-50"):
        line((0, 0), (1 / far, 0), 2)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("length", [1e-48, 1e48])
def test_lengths_in_any_unit_are_used(length: float) -> None:
    """A cable of that length bends by P L^3 / (3 EI)."""
    section = fx.BeamStiffness(EA=1e6 * length**-2, EI_z=1.0, mass_per_length=1.0)
    cable = fx.FlexibleBody.line((0, 0), (length, 0), elements=4, element=fx.elements.ANCFCable2D(), stiffness=section)
    load = fx.PointForce(cable.end, (0, 3e-6 / length**2))
    bent = fx.solve_static(fx.Model(cable, fx.Clamp(cable.start), load))
    assert bent.displacement(cable.end, step=-1)[1] == pytest.approx(1e-6 * length, rel=1e-6)
