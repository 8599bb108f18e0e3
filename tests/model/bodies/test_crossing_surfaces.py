"""Closed surfaces that go through themselves are told, since matter counts twice there."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import flexmbs as fx
from flexmbs.meshes import Mesh
from flexmbs.meshes.crossing import crossing_triangles

FACES = np.array([
    (0, 2, 1), (0, 3, 2), (4, 5, 6), (4, 6, 7), (0, 1, 5), (0, 5, 4), (1, 2, 6), (1, 6, 5), (2, 3, 7), (2, 7, 6),
    (3, 0, 4), (3, 4, 7),
])  # fmt: skip
CUBE = np.array([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)], dtype=float)


def bars(*scales_and_places: tuple[tuple[float, float, float], tuple[float, float, float]]) -> Mesh:
    points = [CUBE * scale + place for scale, place in scales_and_places]
    faces = [FACES + 8 * i for i in range(len(points))]
    return Mesh(np.vstack(points), [("triangle", np.vstack(faces))])


def test_bars_that_cross_with_no_corner_in_each_other_are_told() -> None:
    """A cross of two bars: its middle cube counts twice."""
    cross = bars(((3, 1, 1), (-1, 0, 0)), ((0.5, 3, 0.5), (0.25, -1, 0.25)))
    with pytest.warns(RuntimeWarning, match=r"'solid': the surface goes through itself: \d+ pairs .* twice") as caught:
        fx.RigidBody.from_mesh(cross, mass=1.0)
    assert caught[0].filename == __file__


def test_a_bent_tube_that_goes_through_itself_is_told() -> None:
    """A closed chain of squares along a figure of eight."""
    n, phi = 40, np.linspace(0.0, 2 * np.pi, 40, endpoint=False)
    centre = np.column_stack((np.sin(2 * phi), np.sin(phi), 0.0 * phi)) * (1.0, 2.0, 0.0)
    along = np.column_stack((2 * np.cos(2 * phi), 2 * np.cos(phi), 0.0 * phi))
    side = np.cross(along, (0, 0, 1.0)) / np.linalg.norm(along, axis=1)[:, None]
    up = np.tile((0.0, 0.0, 1.0), (n, 1))
    ring = np.stack([centre + 0.1 * (a * side + b * up) for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))], axis=1)
    i, k = np.meshgrid(np.arange(n), np.arange(4), indexing="ij")
    j, m = (i + 1) % n, (k + 1) % 4
    quads = np.stack([4 * i + k, 4 * j + k, 4 * j + m, 4 * i + m], axis=-1).reshape(-1, 4)
    triangles = np.vstack((quads[:, :3], quads[:, [0, 2, 3]]))
    found = crossing_triangles(ring.reshape(-1, 3), triangles)
    assert len(found) > 0
    assert np.abs(ring.reshape(-1, 3)[triangles[found.ravel()]]).max() < 0.7  # all near the crossing
    with pytest.warns(RuntimeWarning, match="goes through itself"):
        fx.RigidBody.from_mesh(Mesh(ring.reshape(-1, 3), [("triangle", triangles)]), mass=1.0)


def test_surfaces_that_touch_or_are_curved_are_silent() -> None:
    touching = bars(((1, 1, 1), (0, 0, 0)), ((1, 1, 1), (1, 0.3, 0.2)), ((0.5, 0.5, 0.5), (0.2, 0.1, 1.0)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fx.RigidBody.from_mesh(touching, mass=1.0)
        fx.RigidBody.from_mesh(bars(((1, 1e-3, 1e-3), (5e3, 0, 0))), mass=1.0)
    turned = fx.meshes.box((0, 0, 0), (1, 1, 1), (4, 4, 4), "tetra")
    assert len(crossing_triangles(turned.points, turned.cells[0].nodes[:, :3])) == 0
