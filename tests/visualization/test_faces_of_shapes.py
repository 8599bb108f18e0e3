"""Surfaces of wireframes by the volume that they enclose, and arcs between rotations."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation, Slerp

import flexmbs as fx
from flexmbs.visualization.faces_of_shapes import Faces, bar, coil, faces_of_edges, mark
from flexmbs.visualization.poses import along, matrices, slerp

THIN = 1e-3


def volume(faces: Faces) -> float:
    """Of closed surfaces whose triangles run counter-clockwise from outside."""
    edges = np.vstack([faces.triangles[:, [i, j]] for i, j in ((0, 1), (1, 2), (2, 0))])
    assert len(np.unique(edges, axis=0)) == len(edges)  # every edge once in each direction
    assert np.array_equal(np.unique(edges, axis=0), np.unique(edges[:, ::-1], axis=0))
    a, b, c = (faces.points[faces.triangles[:, k]] for k in range(3))
    return float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6.0)


def polygon(n: int) -> float:
    """Area of a regular polygon within the unit circle."""
    return 0.5 * n * np.sin(2.0 * np.pi / n)


@pytest.mark.parametrize(
    ("body", "known", "rtol"),
    [
        (fx.RigidBody.box(size=(1, 2, 3), mass=1.0), 6.0, 1e-12),
        (fx.RigidBody.cylinder(radius=0.5, length=2.0, mass=1.0), 0.25 * polygon(24) * 2.0, 1e-12),
        (fx.RigidBody.sphere(radius=0.5, mass=1.0), np.pi / 6.0, 0.03),
    ],
)
def test_closed_outlines_are_filled(body: fx.RigidBody, known: float, rtol: float) -> None:
    shape = body.shape
    assert shape is not None
    assert volume(faces_of_edges(shape.points, shape.edges, THIN)) == pytest.approx(known, rel=rtol)


def test_open_and_concave_outlines_are_bars() -> None:
    corner = np.array([[0, 0], [2, 0], [2, 1], [1, 1], [1, 2], [0, 2]])
    points = np.vstack([np.column_stack((corner, np.full(6, z))) for z in (0.0, 1.0)])
    ring = np.column_stack((np.arange(6), np.roll(np.arange(6), -1)))
    edges = np.vstack((ring, ring + 6, np.column_stack((np.arange(6), np.arange(6) + 6))))
    lengths = np.linalg.norm(points[edges[:, 1]] - points[edges[:, 0]], axis=1)
    found = faces_of_edges(points, edges, THIN)
    assert volume(found) == pytest.approx(polygon(8) * THIN**2 * lengths.sum(), rel=1e-9)
    assert volume(faces_of_edges(np.array([[0.0, 0, 0], [1, 0, 0]]), np.array([[0, 1]]), 0.1)) > 0.0
    assert not len(faces_of_edges(np.zeros((1, 3)), np.zeros((0, 2), dtype=int), THIN).triangles)


def test_bars_coils_and_marks() -> None:
    assert volume(bar(0.1)) == pytest.approx(polygon(8) * 0.01, rel=1e-12)
    assert volume(mark(2.0)) == pytest.approx(4.0 / 3.0 * 8.0, rel=1e-12)
    spring = coil(0.1)
    assert volume(spring) > 0.0
    assert (spring.points[:, 0].min(), spring.points[:, 0].max()) == pytest.approx((0.0, 1.0))
    assert np.linalg.norm(spring.points[:, 1:], axis=1).max() == pytest.approx(0.1 * 1.18, rel=0.01)


def test_rotations() -> None:
    rng = np.random.default_rng(1)
    q = rng.standard_normal((20, 4))
    q /= np.linalg.norm(q, axis=1, keepdims=True)
    last = [1, 2, 3, 0]
    np.testing.assert_allclose(matrices(q), Rotation.from_quat(q[:, last]).as_matrix(), atol=1e-15)
    d = rng.standard_normal((20, 3))
    d /= np.linalg.norm(d, axis=1, keepdims=True)
    d[0] = (-1.0, 0.0, 0.0)
    np.testing.assert_allclose(matrices(along(d))[:, :, 0], d, atol=1e-14)
    q[1] = q[0]
    q[3] = -q[2]  # the same rotation
    found = slerp(q[:-1], q[1:], np.full(19, 0.3))
    for i in range(19):
        known = Slerp([0, 1], Rotation.from_quat(q[i : i + 2, last]))(0.3).as_matrix()
        np.testing.assert_allclose(matrices(found[i]), known, atol=1e-12)
