"""Smooth parameters of regular meshes: orientation, extents, slopes, and what is refused."""

from __future__ import annotations

import math

import numpy as np
import pytest

from flexmbs.core.errors import MeshError
from flexmbs.meshes import Mesh, cylinder, rectangle, ring, sphere_sector
from flexmbs.meshes.parameters import surface_parameters, zigzag


def cells_of(mesh: Mesh) -> np.ndarray:
    return np.concatenate([b.nodes for b in mesh.cells])


def bare(mesh: Mesh) -> Mesh:
    """The mesh without its data."""
    return Mesh(mesh.points, mesh.cells, mesh.node_sets)


def turned(mesh: Mesh, seed: int = 0) -> Mesh:
    """Every cell begins at another corner, in another place."""
    rng = np.random.default_rng(seed)
    cells = cells_of(mesh)
    first = rng.integers(0, 4, len(cells))
    first[0] = 0
    cells = np.take_along_axis(cells, (np.arange(4) + first[:, None]) % 4, axis=1)
    order = np.concatenate(([0], 1 + rng.permutation(len(cells) - 1)))
    return Mesh(mesh.points, [("quad", cells[order])], mesh.node_sets, point_data=mesh.point_data)


def test_rows_and_columns_are_found_in_any_order() -> None:
    flat = rectangle((0, 0), (3, 2), (3, 4)).in_space()
    mesh = turned(flat)
    cells, slopes, sizes = surface_parameters("plate", mesh, cells_of(mesh))
    edges = mesh.points[np.roll(cells, -1, axis=1)] - mesh.points[cells]
    np.testing.assert_allclose(edges[:, 0], np.broadcast_to([1.0, 0, 0], (12, 3)), atol=1e-14)
    np.testing.assert_allclose(edges[:, 3], np.broadcast_to([0, -0.5, 0], (12, 3)), atol=1e-14)
    np.testing.assert_allclose(slopes, np.broadcast_to([1, 0, 0, 0, 1, 0, 0, 0, 0], slopes.shape), atol=1e-13)
    np.testing.assert_allclose(sizes, np.broadcast_to([1.0, 0.5], sizes.shape))


def test_extents_are_one_for_a_column_and_slopes_make_it_smooth() -> None:
    # a graded, skewed grid: columns of different widths, edges of different length in each
    x, y = (g.ravel() for g in np.meshgrid([0.0, 1.0, 1.5, 3.0, 3.4], [0.0, 1.0, 3.0, 3.5]))
    flat = rectangle((0, 0), (4, 3), (4, 3))
    mesh = Mesh(np.stack((x + 0.1 * y, y * (1 + 0.1 * x), 0 * x), 1), flat.cells)
    cells, _slopes, sizes = surface_parameters("plate", mesh, cells_of(mesh))
    grid = sizes.reshape(3, 4, 2)
    assert np.ptp(grid[:, :, 0], axis=0).max() == 0.0
    assert np.ptp(grid[:, :, 1], axis=1).max() == 0.0
    lengths = np.linalg.norm(mesh.points[cells[:, 1]] - mesh.points[cells[:, 0]], axis=1).reshape(3, 4)
    assert (sizes[:4, 0] >= lengths.min(axis=0) - 1e-12).all()
    assert (sizes[:4, 0] <= lengths.max(axis=0) + 1e-12).all()


def test_slopes_of_a_closed_cylinder_are_periodic() -> None:
    errors = []
    for n in (16, 32):
        mesh = turned(bare(cylinder(radius=1.0, length=2.0, elements=(n, 3))))
        _, slopes, sizes = surface_parameters("pipe", mesh, cells_of(mesh))
        x, y, _ = mesh.points.T
        exact = (math.tau / n / sizes[0, 0]) * np.stack((-y, x, 0 * x), 1)
        errors.append(np.abs(slopes[:, :3] - exact).max())
        np.testing.assert_allclose(slopes[:, 3:6], np.broadcast_to([0, 0, 1.0], (len(x), 3)), atol=1e-12)
    assert errors[1] < 1e-4
    assert math.log2(errors[0] / errors[1]) > 3.8  # cubic splines on equal steps: fourth order in the slope


@pytest.mark.parametrize(
    "mesh",
    [
        cylinder(radius=1.0, length=2.0, elements=(24, 8)),
        cylinder(radius=2.0, length=1.0, elements=(16, 8), start_angle=0.2, end_angle=1.4),
        ring(inner_radius=1.0, outer_radius=1.5, elements=(8, 24)),
        ring(inner_radius=1.0, outer_radius=1.5, elements=(8, 48), slit=True),
        sphere_sector(radius=1.0, longitudes=(0.0, 1.2), latitudes=(-0.2, 0.8), elements=(16, 16)),
    ],
    ids=["cylinder", "open cylinder", "ring", "slit ring", "sphere"],
)
def test_given_slopes_agree_with_splines_and_normals(mesh: Mesh) -> None:
    mesh = turned(mesh, 3)
    cells, slopes, sizes = surface_parameters("surface", mesh, cells_of(mesh))
    normal = np.cross(slopes[:, :3], slopes[:, 3:6])
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    np.testing.assert_allclose(normal, mesh.point_data["normal"], atol=1e-12)
    found, splines, extents = surface_parameters("surface", bare(mesh), cells)
    np.testing.assert_array_equal(found, cells)
    scale = np.repeat([sizes[0, 0] / extents[0, 0], sizes[0, 1] / extents[0, 1]], 3)
    np.testing.assert_allclose(splines[:, :6], slopes[:, :6] * scale, atol=3e-3)
    np.testing.assert_allclose(splines[:, 6:], slopes[:, 6:] * scale[0] * scale[3], atol=3e-2)


def test_what_is_not_regular_is_refused_with_its_node() -> None:
    # three cells round node 6
    points = [(1, 0), (0.5, 0.9), (-0.5, 0.9), (-1, 0), (-0.5, -0.9), (0.5, -0.9), (0, 0)]
    mesh = Mesh(np.pad(points, ((0, 0), (0, 1))), [("quad", [[0, 1, 2, 6], [2, 3, 4, 6], [4, 5, 0, 6]])])
    with pytest.raises(MeshError, match="3 cells meet at the inner node 6"):
        surface_parameters("plate", mesh, cells_of(mesh))
    branch = Mesh(
        [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, -1, 0), (1, -1, 0), (0, 0, 1), (1, 0, 1)],
        [("quad", [[0, 1, 2, 3], [4, 5, 1, 0], [0, 1, 7, 6]])],
    )
    with pytest.raises(MeshError, match="more than two cells share the edge"):
        surface_parameters("plate", branch, cells_of(branch))


def test_slopes_that_do_not_fit_are_refused() -> None:
    mesh = cylinder(radius=1.0, length=2.0, elements=(16, 4))
    data = {"slopes": 2.0 * mesh.point_data["slopes"]}
    wrong = Mesh(mesh.points, mesh.cells, point_data=data)
    with pytest.raises(MeshError, match="advance by one from node to node"):
        surface_parameters("pipe", wrong, cells_of(wrong))
    short = Mesh(mesh.points, mesh.cells, point_data={"slopes": data["slopes"][:, :6]})
    with pytest.raises(MeshError, match="must have shape"):
        surface_parameters("pipe", short, cells_of(short))


def test_generators_refuse_what_is_no_surface() -> None:
    with pytest.raises(MeshError, match="3 or more elements"):
        cylinder(radius=1.0, length=1.0, elements=(2, 2))
    with pytest.raises(MeshError, match="end angle"):
        ring(inner_radius=1.0, outer_radius=2.0, elements=(2, 2), start_angle=1.0, end_angle=0.5)
    with pytest.raises(MeshError, match="latitudes must rise"):
        sphere_sector(radius=1.0, longitudes=(0, 1), latitudes=(0, math.pi / 2), elements=(2, 2))


def test_node_sets_of_generators_are_the_sides() -> None:
    pipe = cylinder(radius=1.0, length=2.0, elements=(8, 2), start_angle=0.0, end_angle=1.0)
    np.testing.assert_allclose(pipe.points[pipe.node_set("top"), 2], 2.0)
    np.testing.assert_allclose(pipe.points[pipe.node_set("start"), 1], 0.0, atol=1e-15)
    disc = ring(inner_radius=1.0, outer_radius=2.0, elements=(2, 8))
    np.testing.assert_allclose(np.linalg.norm(disc.points[disc.node_set("outer")], axis=1), 2.0)
    assert set(disc.node_sets) == {"inner", "outer"}


def test_zigzag_of_a_circle_is_the_square_of_the_angle_of_a_cell() -> None:
    """2 (1 - cos phi) along the circle, nothing along the axis, so over the root of two by as many triples of edges."""
    angle = np.linspace(0.0, 1.0, 7)
    mesh = rectangle((0, 0), (1, 1), (6, 3)).in_space()
    phi = mesh.points[:, 0]
    mesh = Mesh(np.column_stack((np.sin(phi), mesh.points[:, 1], np.cos(phi))), mesh.cells)
    around, along = 4 * (len(angle) - 3), 7
    cells, _, _ = surface_parameters("arc", mesh, cells_of(mesh))
    found, _ = zigzag("arc", mesh.points, cells)
    expected = 2.0 * (1.0 - math.cos(angle[1])) * math.sqrt(around / (around + along))
    assert found == pytest.approx(expected, rel=1e-12)


def test_zigzag_names_the_node_that_leaves_its_row() -> None:
    flat = rectangle((0, 0), (6, 6), (6, 6)).in_space()
    assert zigzag("plate", flat.points, surface_parameters("plate", flat, cells_of(flat))[0])[0] < 1e-14
    points = flat.points.copy()
    node = int(np.argmin(np.linalg.norm(points - (3, 3, 0), axis=1)))
    points[node, :2] += (0.3, 0.2)
    moved = Mesh(points, flat.cells)
    found, where = zigzag("plate", points, surface_parameters("plate", moved, cells_of(moved))[0])
    assert found > 0.1
    assert np.abs(points[where] - points[node]).max() <= 1.31  # the edges beside it turn, too
