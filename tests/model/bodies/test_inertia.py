"""Inertia of meshes by formulas, and by two algorithms that know nothing of each other."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.spatial import ConvexHull, QhullError
from scipy.spatial.transform import Rotation

import flexmbs as fx
from flexmbs.meshes import box

CUBE = np.array([(x, y, z) for z in (0, 1) for x, y in ((0, 0), (1, 0), (1, 1), (0, 1))], dtype=float)
SKIN = np.array(
    [(0, 2, 1), (0, 3, 2), (4, 5, 6), (4, 6, 7), (0, 1, 5), (0, 5, 4), (1, 2, 6), (1, 6, 5), (2, 3, 7), (2, 7, 6),
     (3, 0, 4), (3, 4, 7)]
)  # fmt: skip

EDGES = {
    "tetra": ((0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3)),
    "hexahedron": (
        (0, 1), (1, 2), (2, 3), (3, 0), (4, 5), (5, 6), (6, 7), (7, 4), (0, 4), (1, 5), (2, 6), (3, 7),
    ),
}  # fmt: skip


def skin(points: Any = CUBE, triangles: Any = SKIN) -> fx.meshes.Mesh:
    return fx.meshes.Mesh(points, [("triangle", triangles)])


def moments(b: fx.RigidBody) -> Any:
    return b.inertia.diagonal()


@pytest.mark.parametrize("kind", ["hexahedron", "tetra"])
def test_a_box_of_cells_is_a_box(kind: str) -> None:
    b = fx.RigidBody.from_mesh(box((1, 2, 3), (1, 2, 3), (2, 1, 2), kind), density=2.0, name="m")
    assert b.mass == pytest.approx(12.0)
    assert b.position == pytest.approx((1.5, 3.0, 4.5))
    assert b.inertia == pytest.approx(np.diag((13.0, 10.0, 5.0)), abs=1e-13)
    assert b.shape.points.min(axis=0) == pytest.approx((-0.5, -1, -1.5))
    assert len(b.shape.points) == len({tuple(p) for p in b.shape.points.round(9)})


def test_only_the_surface_is_drawn() -> None:
    mesh = box((0, 0, 0), (1, 1, 1), (3, 3, 3))
    b = fx.RigidBody.from_mesh(mesh, mass=1.0)
    assert len(b.shape.points) == mesh.n_points - 8
    assert len(b.shape.edges) == 6 * 9 * 4 // 2


def test_tetrahedron() -> None:
    # unit corner: mass 1/6 for density 1, centre at 1/4; about the centre J = m (3/40 on, 1/80 off the diagonal)
    b = fx.RigidBody.from_mesh(
        fx.meshes.Mesh([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], [("tetra", [(0, 1, 2, 3)])]), mass=1
    )
    assert b.position == pytest.approx([0.25] * 3)
    assert b.inertia == pytest.approx(np.full((3, 3), 1 / 80) + (3 / 40 - 1 / 80) * np.eye(3))


def test_frustum() -> None:
    points = CUBE.copy()
    points[4:, :2] = 0.25 + 0.5 * points[4:, :2]
    body = fx.RigidBody.from_mesh(fx.meshes.Mesh(points, [("hexahedron", [range(8)])]), density=1.0)
    assert body.mass == pytest.approx((1 + 0.25 + 0.5) / 3)
    assert body.position[2] == pytest.approx((1 + 2 * 0.5 + 3 * 0.25) / (4 * (1 + 0.5 + 0.25)))
    assert fx.RigidBody.from_mesh(skin(points), density=1.0).inertia == pytest.approx(
        body.inertia, rel=1e-12, abs=1e-15
    )


@settings(max_examples=25, deadline=None)
@given(arrays(np.float64, (12, 3), elements=st.floats(-1, 1, width=16), unique=True), st.floats(-50, 50))
def test_surface_and_cells_agree_on_any_convex_body(points: Any, far: float) -> None:
    try:
        hull = ConvexHull(points)
    except QhullError:  # a flat cloud
        return
    if hull.volume < 0.1:
        return
    triangles = hull.simplices.copy()
    outward = hull.equations[:, :3]
    normal = np.cross(
        points[triangles[:, 1]] - points[triangles[:, 0]], points[triangles[:, 2]] - points[triangles[:, 0]]
    )
    wrong = (normal * outward).sum(axis=1) < 0
    triangles[wrong] = triangles[wrong][:, ::-1]
    if (np.linalg.norm(normal, axis=1) < 1e-3).any():
        return
    surface = fx.RigidBody.from_mesh(skin(points + far, triangles), density=3.0)
    inner = np.vstack((points, points[hull.vertices].mean(axis=0)))
    cells = np.column_stack((triangles, np.full(len(triangles), len(points))))[:, [0, 2, 1, 3]]
    volume = [np.linalg.det(inner[c[1:]] - inner[c[0]]) for c in cells]
    solid = fx.RigidBody.from_mesh(fx.meshes.Mesh(inner, [("tetra", cells[np.array(volume) > 1e-9])]), density=3.0)
    assert surface.mass == pytest.approx(3.0 * hull.volume, rel=1e-9)
    assert solid.mass == pytest.approx(3.0 * hull.volume, rel=1e-7)
    assert surface.position - far == pytest.approx(solid.position, abs=1e-7)
    assert surface.inertia == pytest.approx(solid.inertia, abs=1e-6)


@settings(deadline=None)
@given(arrays(np.float64, 3, elements=st.floats(-3, 3)), arrays(np.float64, 3, elements=st.floats(-1e3, 1e3)))
def test_inertia_turns_with_the_mesh(turn: Any, far: Any) -> None:
    R = Rotation.from_rotvec(turn).as_matrix()
    mesh = box((0, 0, 0), (1, 2, 3), (1, 1, 1)).transformed(R, far)
    b = fx.RigidBody.from_mesh(mesh, mass=12.0)
    assert R.T @ b.inertia @ R == pytest.approx(np.diag((13.0, 10.0, 5.0)), abs=1e-9)
    assert b.position == pytest.approx(R @ (0.5, 1.0, 1.5) + far, abs=1e-11)


@pytest.mark.parametrize("linear", ["tetra", "hexahedron"])
def test_curved_cells_are_integrated_exactly(linear: str) -> None:
    # x -> (x + c y^2, y, z) keeps volumes; second moments of the sheared unit cube by hand
    c = 0.3
    kind = {"tetra": "tetra10", "hexahedron": "hexahedron20"}[linear]
    coarse = box((0, 0, 0), (1, 1, 1), (1, 1, 1), linear)
    edges = EDGES[linear]
    points, cells = list(map(tuple, coarse.points)), []
    for cell in coarse.cells[0].nodes:
        middles = [tuple((coarse.points[cell[a]] + coarse.points[cell[b]]) / 2) for a, b in edges]
        points += [m for m in dict.fromkeys(middles) if m not in points]
        cells.append([*cell, *(points.index(m) for m in middles)])
    x = np.array(points)
    x[:, 0] += c * x[:, 1] ** 2
    b = fx.RigidBody.from_mesh(fx.meshes.Mesh(x, [(kind, cells)]), density=1.0)
    xx = 1 / 12 + c**2 * (1 / 5 - 1 / 9)
    xy = c * (1 / 4 - 1 / 6)
    assert b.mass == pytest.approx(1.0)
    assert b.position == pytest.approx((0.5 + c / 3, 0.5, 0.5))
    assert b.inertia == pytest.approx(
        np.array([[1 / 6, -xy, 0], [-xy, xx + 1 / 12, 0], [0, 0, xx + 1 / 12]]), abs=1e-14
    )


def test_inward_normals_and_cavities() -> None:
    inward = fx.RigidBody.from_mesh(skin(triangles=SKIN[:, ::-1]), density=6.0)
    assert moments(inward) == pytest.approx([1.0] * 3)
    hole = 0.25 + 0.5 * CUBE
    both = np.vstack((CUBE, hole)), np.vstack((SKIN, SKIN[:, ::-1] + 8))
    hollow = fx.RigidBody.from_mesh(skin(*both), density=6.0)
    assert hollow.mass == pytest.approx(6.0 * 7 / 8)
    assert moments(hollow) == pytest.approx([1 - 1 / 32] * 3)


@pytest.mark.parametrize(
    ("mesh", "words"),
    [
        (skin(triangles=SKIN[1:]), "do not enclose"),
        (skin(triangles=np.vstack((SKIN[:1, ::-1], SKIN[1:]))), "do not enclose"),
        (skin(triangles=np.vstack((SKIN, SKIN[:1]))), "several triangles"),
        (skin(CUBE * (1, 1, 0)), "enclose no volume"),
        (fx.meshes.Mesh(CUBE, [("quad", [(0, 1, 2, 3)])]), "triangle cells"),
        (fx.meshes.Mesh(CUBE[:4, :2], [("triangle", [(0, 1, 2)])]), "in space"),
        (fx.meshes.Mesh(CUBE, [("hexahedron", [[4, 5, 6, 7, 0, 1, 2, 3]])]), "inverted"),
        (CUBE, "must be a Mesh"),
    ],
)
def test_meshes_without_volume_are_refused(mesh: Any, words: str) -> None:
    with pytest.raises(fx.ModelError, match=words):
        fx.RigidBody.from_mesh(mesh, mass=1.0, name="m")


def boxes(*pieces: Any) -> fx.meshes.Mesh:
    """A surface of boxes by corner, size and whether they are turned inside out."""
    points = [np.array(corner) + np.array(size) * CUBE for corner, size, _ in pieces]
    triangles = [SKIN[:, :: -1 if turned else 1] + 8 * n for n, (*_, turned) in enumerate(pieces)]
    return skin(np.vstack(points), np.vstack(triangles))


@pytest.mark.parametrize(
    ("mesh", "words"),
    [
        (boxes(((0, 0, 0), (1, 2, 3), False), ((1.2, 0, 0), (0.4, 0.4, 0.4), True)), "inside out; its volume would be"),
        (boxes(((0, 0, 0), (4, 4, 4), False), ((1, 1, 1), (2, 2, 2), False)), "lies within another one"),
        (boxes(((0, 0, 0), (2, 2, 2), False), ((1, 0.5, 0.5), (2, 1, 1), False)), "lies within another one"),
        (boxes(((1, 0.5, 0.5), (2, 1, 1), False), ((0, 0, 0), (2, 2, 2), False)), "lies within another one"),
        (boxes(((0, 0, 0), (1, 1, 1), False), ((0, 0, 0), (1, 1, 1), False)), "lies within another one"),
        (fx.meshes.Mesh(CUBE, [("hexahedron", [range(8)]), ("hexahedron", [range(8)])]), "one cell is there twice"),
    ],
)
def test_matter_that_would_count_twice_or_negative_is_refused(mesh: Any, words: str) -> None:
    with pytest.raises(fx.ModelError, match=words):
        fx.RigidBody.from_mesh(mesh, density=1.0, name="m")


def test_pieces_that_touch_and_cores_of_cavities_are_summed() -> None:
    both = boxes(((0, 0, 0), (1, 1, 1), False), ((1, 0, 0), (1, 1, 1), False), ((1, 1, 0), (3, 1, 1), False))
    assert fx.RigidBody.from_mesh(both, density=2.0).mass == pytest.approx(10.0)
    # a cavity that a smaller box lies in, and one that is filled again
    shell = ((0, 0, 0), (4, 4, 4), False), ((1, 1, 1), (2, 2, 2), True)
    free = fx.RigidBody.from_mesh(boxes(*shell, ((1.5, 1.5, 1.5), (1, 1, 1), False)), density=1.0)
    filled = fx.RigidBody.from_mesh(boxes(*shell, ((1, 1, 1), (2, 2, 2), False)), density=1.0)
    assert (free.mass, filled.mass) == pytest.approx((64 - 8 + 1, 64))
