"""Stress-free slopes of cells at smooth nodes, borders, kinks and branches, and their components in nodal frames."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from flexmbs.core.contracts import SurfaceShape
from flexmbs.elements import ANCFPlateFullyParameterized
from flexmbs.elements.cell_slopes import corner_slopes, in_frames, turned
from flexmbs.elements.edge_frames import edge_frames
from flexmbs.meshes import Mesh, rectangle
from flexmbs.meshes.surface import node_frames


def surface(mesh) -> SurfaceShape:
    frames, kinks = node_frames("test", mesh, mesh.cells[0].nodes, (1.0, 0.0, 0.0))
    return SurfaceShape(mesh.points, frames, kinks, mesh.cells[0].nodes, np.zeros((0, 9)), np.zeros((0, 2)))


def bent(place, n=(2, 2), **data):
    mesh = rectangle((0, 0), (1, 1), n)
    points = np.array([place(*p) for p in mesh.points], dtype=float)
    return Mesh(points, mesh.cells, point_data={k: np.array([f(*p) for p in mesh.points]) for k, f in data.items()})


def cylinder(x, y):
    return np.sin(x), y, 1.0 - np.cos(x)


def sphere(x, y):
    a, b = 0.6 * x, 0.5 * y
    return np.cos(b) * np.sin(a), np.sin(b), np.cos(b) * np.cos(a)


def ridge(angle):
    c, s = np.cos(np.radians(angle)), np.sin(np.radians(angle))
    return lambda x, y: (x, y, 0.0) if x <= 0.5 else (0.5 + c * (x - 0.5), y, s * (x - 0.5))


def test_flat_rectangles_have_their_sides():
    slopes = corner_slopes("test", surface(bent(lambda x, y: (2 * x, y, 0.0))))
    expected = np.diag([1.0, 0.5, 1.0])
    np.testing.assert_allclose(slopes, np.broadcast_to(expected, slopes.shape), atol=1e-15)


@pytest.mark.parametrize("n", [(3, 3), (4, 1)], ids=["surface", "strip"])
def test_cylinders_have_exact_normals_and_arcs_up_to_their_borders(n):
    shape = surface(bent(cylinder, n))
    slopes = corner_slopes("test", shape)
    x = np.arcsin(shape.points[shape.cells][..., 0])
    tangent = np.stack((np.cos(x), 0 * x, np.sin(x)), axis=-1)
    np.testing.assert_allclose(slopes[:, :, 0], tangent / n[0], atol=1e-12)
    np.testing.assert_allclose(slopes[:, :, 2], np.stack((-np.sin(x), 0 * x, np.cos(x)), axis=-1), atol=1e-12)


def test_normals_of_a_sphere():
    """Inside, means of cells are second-order; at borders mirrored ones are no worse."""
    errors = []
    for n in (4, 8):
        shape = surface(bent(sphere, (n, n)))
        slopes = corner_slopes("test", shape)
        errors.append(np.linalg.norm(slopes[:, :, 2] - shape.points[shape.cells], axis=2).max())
    assert errors[1] < 1e-3
    assert errors[0] / errors[1] > 3.0


def test_given_normals_are_kept():
    tilted = np.array([0.1, 0.2, 1.0]) / np.linalg.norm([0.1, 0.2, 1.0])
    shape = surface(bent(lambda x, y: (x, y, 0.0), normal=lambda x, y: tilted))
    np.testing.assert_allclose(corner_slopes("test", shape)[:, :, 2], np.broadcast_to(tilted, (4, 4, 3)), atol=1e-15)


@pytest.mark.parametrize("angle", [50, 90, 150])
def test_both_sides_of_a_fold_are_flat_and_share_its_direction(angle):
    shape = surface(bent(ridge(angle)))
    slopes = corner_slopes("test", shape)
    a = np.radians(angle)
    left = shape.points[shape.cells].mean(axis=1)[:, 0] < 0.5 if angle < 90 else shape.cells[:, 0] % 3 == 0
    for e in range(4):
        normal = (0, 0, 1) if left[e] else (-np.sin(a), 0, np.cos(a))
        along = (0.5, 0, 0) if left[e] else (0.5 * np.cos(a), 0, 0.5 * np.sin(a))
        np.testing.assert_allclose(slopes[e], np.broadcast_to([along, (0, 0.5, 0), normal], (4, 3, 3)), atol=1e-12)


def test_an_edge_has_one_tangent_for_all_cells_that_share_it():
    """So that the surface has no gaps: along a fold between two curved panels, too."""

    def place(x, y):
        return (x, y, 0.3 * np.sin(y)) if x <= 0.5 else (0.5, y + 0.1 * (x - 0.5), 0.3 * np.sin(y) + x - 0.5)

    shape = surface(bent(place, (4, 4)))
    slopes = corner_slopes("test", shape)
    found: dict[tuple[int, int], list] = {}
    for e, cell in enumerate(shape.cells):
        for a, b, k in ((0, 1, 0), (1, 2, 1), (3, 2, 0), (0, 3, 1)):
            found.setdefault((int(cell[a]), int(cell[b])), []).append(slopes[e, [a, b], k])
    shared = [v for v in found.values() if len(v) > 1]
    assert len(shared) == 24
    for both in shared:
        np.testing.assert_allclose(both[0], both[1], atol=1e-12)


def test_a_branch_has_three_plates_with_their_own_normals():
    flange, web = bent(lambda x, y: (x, y, 0.0)), bent(lambda x, y: (0.5, y, x))
    mesh = flange.merged(web)
    shape = surface(mesh)
    assert len(shape.kinks) == 3
    normals = corner_slopes("test", shape)[:, :, 2]
    np.testing.assert_allclose(np.abs(normals[:4]), np.broadcast_to([0, 0, 1], (4, 4, 3)), atol=1e-12)
    np.testing.assert_allclose(np.abs(normals[4:]), np.broadcast_to([1, 0, 0], (4, 4, 3)), atol=1e-12)


@pytest.mark.parametrize("opposite", [False, True])
def test_frames_at_a_branch_are_orthonormal(opposite):
    """With halves of the flange in opposite senses its edges lie along the normal of the nodes and give no tangents."""
    near, far = bent(lambda x, y: (x, y, 0.0)), bent(lambda x, y: (1 + x, y, 0.0))
    if opposite:
        far = Mesh(far.points, tuple(replace(c, nodes=c.nodes[:, ::-1]) for c in far.cells))
    shape = surface(near.merged(far).merged(bent(lambda x, y: (1.0, y, x))))
    frames = edge_frames(shape)
    np.testing.assert_allclose(frames.transpose(0, 2, 1) @ frames, np.broadcast_to(np.eye(3), frames.shape), atol=1e-14)
    np.testing.assert_allclose(np.linalg.det(frames), 1.0, atol=1e-14)
    np.testing.assert_array_equal(frames[:, :, 2], shape.frames[:, :, 2])
    line = (shape.points[:, 0] == 1.0) & (shape.points[:, 2] == 0.0)
    assert line.sum() == 3
    assert np.all(np.abs(shape.frames[line, 0, 2]) > 0.999) == opposite


def test_nodes_with_edges_along_their_normal_alone_keep_the_frames_of_the_shape():
    points = np.array([[0.0, 0.0, 0.0], [0.05, 0.0, 1.0], [0.0, 0.0, 2.0], [-0.05, 0.0, 1.0]])
    frame = np.array([[0.6, -0.8, 0.0], [0.8, 0.6, 0.0], [0.0, 0.0, 1.0]])
    cells = np.array([[0, 1, 2, 3]])
    shape = SurfaceShape(points, np.tile(frame, (4, 1, 1)), cells[0], cells, np.zeros((0, 9)), np.zeros((0, 2)))
    np.testing.assert_array_equal(edge_frames(shape), shape.frames)


def test_nodal_frames_give_back_the_slopes():
    """T times the nodal vectors, which are the axes of the frames when free of stress."""
    shape = surface(bent(ridge(90)))
    slopes = corner_slopes("test", shape)
    factors = in_frames(slopes, shape.frames[shape.cells])
    nodes = ANCFPlateFullyParameterized().surface_reference(shape)[shape.cells].reshape(-1, 16, 3)
    every = np.broadcast_to(np.eye(16), (4, 16, 16))
    own = turned(every, factors) @ nodes
    np.testing.assert_allclose(own.reshape(4, 4, 4, 3)[:, :, 1:], slopes, atol=1e-14)
    np.testing.assert_allclose(own.reshape(4, 4, 4, 3)[:, :, 0], shape.points[shape.cells], atol=0)
