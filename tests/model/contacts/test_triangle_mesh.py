"""Solids of triangles: distances from them, what touches them, and what is refused."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import meshio
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import flexmbs as fx
from flexmbs.kernels.triangle_meshes import mesh_distance

C = fx.contact
GROUND = fx.ground.marker((0, 0, 0))
LAW = C.HuntCrossleyLaw(stiffness=1e5)
FACES = [
    (0, 2, 1), (1, 2, 3), (4, 5, 6), (5, 7, 6), (0, 1, 4), (1, 5, 4),
    (2, 6, 3), (3, 6, 7), (0, 4, 2), (2, 4, 6), (1, 3, 5), (3, 7, 5),
]  # fmt: skip
"""Of a box whose vertices are numbered x + 2 y + 4 z."""
SIGNS = np.array([(x, y, z) for z in (-0.5, 0.5) for y in (-0.5, 0.5) for x in (-0.5, 0.5)])


def box(size: Any = (1.0, 1.0, 1.0), marker: Any = GROUND) -> Any:
    """A box about its marker."""
    return C.TriangleMesh(marker, vertices=SIGNS * np.array(size), triangles=FACES)


def bracket() -> Any:
    """An L of three unit cubes, extruded along y: its notch is at (1, y, 1)."""
    outline = np.array([(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)], dtype=float)
    ends = [(0, 1, 2), (0, 2, 3), (0, 3, 4), (0, 4, 5)]
    vertices = [(x, y, z) for y in (0.0, 1.0) for x, z in outline]
    triangles = [t for a, b, c in ends for t in ((a, b, c), (6 + a, 6 + c, 6 + b))]
    for i in range(6):
        k = (i + 1) % 6
        triangles += [(i, 6 + i, k), (k, 6 + i, 6 + k)]
    return C.TriangleMesh(GROUND, vertices=vertices, triangles=triangles)


def sphere(times: int) -> tuple[np.ndarray, np.ndarray]:
    """An octahedron whose triangles are divided so often, with its vertices on the unit sphere."""
    v = [(1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1)]
    corners = np.array([
        [v[a], v[b], v[c]]
        for a, b, c in ((0, 2, 4), (2, 1, 4), (1, 3, 4), (3, 0, 4), (2, 0, 5), (1, 2, 5), (3, 1, 5), (0, 3, 5))
    ], dtype=float)  # fmt: skip
    for _ in range(times):
        a, b, c = corners.transpose(1, 0, 2)
        ab, bc, ca = (x / np.linalg.norm(x, axis=1)[:, None] for x in (a + b, b + c, c + a))
        corners = np.concatenate([np.stack(t, axis=1) for t in ((a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca))])
    return corners.reshape(-1, 3), np.arange(3 * len(corners)).reshape(-1, 3)


def distance(solid: Any, x: Any) -> tuple[float, np.ndarray, np.ndarray]:
    phi, n, D = mesh_distance((0.0, 0.0, 0.0), tuple(float(c) for c in x), np.array(solid.surface.table), 0)
    return phi, np.array(n), np.array(D).reshape(3, 3)


def brute(solid: Any, x: np.ndarray) -> float:
    """The distance from all triangles, each the least of those from its corners, edges and face."""
    best = np.inf
    for a, b, c in solid.vertices[solid.triangles]:
        candidates = [a, b, c]
        for p, q in ((a, b), (b, c), (c, a)):
            s = np.dot(x - p, q - p) / np.dot(q - p, q - p)
            if 0.0 < s < 1.0:
                candidates.append(p + s * (q - p))
        E = np.column_stack((b - a, c - a))
        s, t = np.linalg.lstsq(E, x - a, rcond=None)[0]
        if s > 0.0 and t > 0.0 and s + t < 1.0:
            candidates.append(a + s * (b - a) + t * (c - a))
        best = min(best, *(float(np.linalg.norm(x - p)) for p in candidates))
    return best


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**31), st.integers(4, 40))
def test_the_distance_from_a_hull_is_that_from_all_of_its_faces(seed: int, count: int) -> None:
    drawn = np.random.default_rng(seed)
    hull = C.TriangleMesh.hull(GROUND, points=drawn.normal(size=(count, 3)))
    normals, first = hull.surface.normals, hull.vertices[hull.triangles[:, 0]]
    for x in drawn.normal(scale=1.5, size=(10, 3)):
        phi, n, _ = distance(hull, x)
        heights = np.einsum("ij,ij->i", normals, x - first)
        assert abs(phi) == pytest.approx(brute(hull, x), rel=1e-9, abs=1e-12)
        assert (phi > 0.0) == (heights.max() > 0.0)
        assert np.linalg.norm(n) == pytest.approx(1.0, abs=1e-12)
        if phi < 0.0:
            assert phi == pytest.approx(heights.max(), abs=1e-12)


@settings(max_examples=60, deadline=None)
@given(st.floats(-0.5, 2.5), st.floats(-0.5, 1.5), st.floats(-0.5, 2.5))
def test_the_distance_from_a_solid_with_a_notch(x: float, y: float, z: float) -> None:
    """Inside and outside are those of two boxes."""
    solid, point = bracket(), np.array((x, y, z))
    inside = 0.0 < y < 1.0 and ((0.0 < x < 2.0 and 0.0 < z < 1.0) or (0.0 < x < 1.0 and 0.0 < z < 2.0))
    phi, _, _ = distance(solid, point)
    exact = brute(solid, point)
    assert abs(phi) == pytest.approx(exact, rel=1e-9, abs=1e-12)
    if exact > 1e-9:
        assert (phi < 0.0) == inside


def test_gradient_and_its_derivative_are_those_of_differences() -> None:
    drawn = np.random.default_rng(3)
    solid, h = C.TriangleMesh.hull(GROUND, points=drawn.normal(size=(12, 3))), 1e-6
    checked = 0
    for x in drawn.normal(scale=1.5, size=(200, 3)):
        phi, n, D = distance(solid, x)
        ahead, behind = (
            [distance(solid, x + sign * h * e) for e in np.eye(3)] for sign in (1.0, -1.0)
        )  # fmt: skip
        if any(np.abs(part[2] - D).max() > 1e-3 for part in (*ahead, *behind)):
            continue  # another feature is nearest there
        slope = [(a[0] - b[0]) / (2 * h) for a, b in zip(ahead, behind, strict=True)]
        turn = np.column_stack([(a[1] - b[1]) / (2 * h) for a, b in zip(ahead, behind, strict=True)])
        assert n == pytest.approx(np.array(slope), abs=1e-8)
        assert pytest.approx(turn, abs=1e-7 * max(1.0, 1.0 / phi**2)) == D
        checked += 1
    assert checked > 150


def test_a_fine_sphere_of_triangles_converges_to_the_sphere() -> None:
    """With the square of the length of its edges."""
    places = np.random.default_rng(5).normal(size=(200, 3))
    errors = []
    for times in (2, 3, 4, 5):
        vertices, triangles = sphere(times)
        solid = C.TriangleMesh(GROUND, vertices=vertices, triangles=triangles)
        assert solid.convex
        errors.append(max(abs(distance(solid, x)[0] - (np.linalg.norm(x) - 1.0)) for x in places))
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    assert (orders > 1.7).all(), errors


def dropped(shape: Any, until: float = 0.6) -> np.ndarray:
    """Where a ball ends that slides and rolls over a block."""
    ball = fx.RigidBody.sphere(radius=0.1, mass=1.0, position=(-0.4, 0.02, 0.62), velocity=(1.0, 0.2, 0.0), name="ball")
    contact = fx.Contact((shape, C.Sphere(ball, radius=0.1)), LAW, C.CoulombLaw(0.3, speed=0.05))
    run = fx.simulate(fx.Model(ball, contact, fx.Gravity((0, 0, -9.81))), until=until, step=1e-3)
    return np.concatenate((run.position(ball)[-1], run.velocity(ball)[-1], run.angular_velocity(ball)[-1]))


def test_a_ball_on_a_box_of_triangles_moves_as_on_a_box() -> None:
    """Also over the edge of two triangles in one plane, which it does not feel, and down over the rim."""
    for until in (0.6, 1.2):
        assert dropped(box(), until) == pytest.approx(dropped(C.Box(GROUND, size=(1, 1, 1)), until), abs=1e-7)


def test_a_block_of_triangles_rests_on_its_corners_and_slides_down_an_incline() -> None:
    """With the acceleration g (sin a - mu cos a)."""
    angle, mu = 0.5, 0.2
    up = np.array((-np.sin(angle), 0.0, np.cos(angle)))
    turned = fx.RigidBody.box(size=(0.2, 0.2, 0.1), mass=1.0, position=0.05 * up, rotation=frame(angle), name="block")
    solid = box((0.2, 0.2, 0.1), turned.centre)
    assert len(solid.corners) == 8
    floor = C.Plane(fx.ground.marker((0, 0, 0), axis=up))
    law = C.HuntCrossleyLaw(stiffness=1e6, damping=1.0)
    contact = fx.Contact((floor, *solid.corners), law, C.CoulombLaw(mu, speed=1e-4), name="floor")
    run = fx.simulate(fx.Model(turned, contact, fx.Gravity((0, 0, -9.81))), until=0.4, step=1e-3)
    down = np.array((-np.cos(angle), 0.0, -np.sin(angle)))
    speed = float(run.velocity(turned)[-1] @ down)
    assert speed == pytest.approx(9.81 * (np.sin(angle) - mu * np.cos(angle)) * 0.4, rel=5e-3)


def frame(angle: float) -> np.ndarray:
    """Axes turned about -y."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([(c, 0.0, -s), (0.0, 1.0, 0.0), (s, 0.0, c)])


def test_many_balls_are_searched_on_a_hull() -> None:
    """Searched pairs feel what declared ones do."""
    finals = []
    points = np.random.default_rng(2).normal(size=(60, 3))
    points = 2.0 * points / np.linalg.norm(points, axis=1)[:, None]
    for declared in (False, True):
        hull = C.TriangleMesh.hull(GROUND, points=points)
        places = [(0.3 * i - 0.9, 0.3 * k - 0.9, 2.12) for i in range(7) for k in range(7)]
        balls = [fx.RigidBody.sphere(radius=0.1, mass=1.0, position=p, name=f"ball {n}") for n, p in enumerate(places)]
        shapes = [C.Sphere(ball, radius=0.1) for ball in balls]
        named = [(hull, shape) for shape in shapes] if declared else None
        contact = fx.Contact((hull, *shapes), LAW, pairs=named)
        run = fx.simulate(fx.Model(*balls, contact, fx.Gravity((0, 0, -9.81))), until=0.3, step=2e-3)
        finals.append([run.position(ball)[-1].tolist() for ball in balls])
    assert finals[0] == pytest.approx(np.array(finals[1]), abs=1e-7)


def test_mass_properties_are_those_of_a_block_and_of_a_ball() -> None:
    """Those of a block are exact, also where it is turned and away from the marker."""
    turned = frame(0.7)
    block = C.TriangleMesh(GROUND, vertices=(SIGNS * (1.0, 2.0, 3.0)) @ turned.T + (5.0, -3.0, 2.0), triangles=FACES)
    mass, centre, inertia = block.mass_properties(2.0)
    assert mass == pytest.approx(12.0, rel=1e-12)
    assert centre == pytest.approx(np.array((5.0, -3.0, 2.0)), rel=1e-12)
    own = np.diag((4.0 + 9.0, 1.0 + 9.0, 1.0 + 4.0))  # m/12 = 1
    assert pytest.approx(turned @ own @ turned.T, abs=1e-11) == inertia
    far = C.TriangleMesh(GROUND, vertices=SIGNS * (1.0, 2.0, 3.0) + 1e4, triangles=FACES)
    assert far.volume == pytest.approx(6.0, rel=1e-10)
    assert far.mass_properties(2.0)[1] == pytest.approx(np.full(3, 1e4), rel=1e-13)
    assert pytest.approx(own, abs=1e-9) == far.mass_properties(2.0)[2]
    errors = []
    for times in (2, 3, 4):
        vertices, triangles = sphere(times)
        mass, _, inertia = C.TriangleMesh(GROUND, vertices=vertices, triangles=triangles).mass_properties(1.0)
        errors.append(abs(inertia[0, 0] / (0.4 * 4.0 / 3.0 * np.pi) - 1.0))
    assert (np.log2(np.array(errors[:-1]) / errors[1:]) > 1.8).all(), errors


def test_a_file_is_read(tmp_path: Path) -> None:
    """STL has the corners of every triangle anew."""
    vertices, triangles = sphere(2)
    meshio.write(tmp_path / "ball.stl", meshio.Mesh(1e3 * vertices, [("triangle", triangles)]), binary=True)
    solid = C.TriangleMesh.read(GROUND, tmp_path / "ball.stl", scale=1e-3)
    assert len(solid.vertices) == 66
    assert len(solid.triangles) == 128
    assert solid.volume == pytest.approx(
        C.TriangleMesh(GROUND, vertices=vertices, triangles=triangles).volume, rel=1e-6
    )
    quad = ("quad", [[0, 1, 2, 3]])
    for name, mesh in (
        ("quad", meshio.Mesh(vertices[:4], [quad])),
        ("beside", meshio.Mesh(vertices, [quad, ("triangle", triangles)])),
    ):
        meshio.write(tmp_path / f"{name}.obj", mesh)
        with pytest.raises(fx.FlexmbsError, match="must have triangles and no other faces"):
            C.TriangleMesh.read(GROUND, tmp_path / f"{name}.obj")


def test_balls_are_refused_where_they_would_touch_at_two_places() -> None:
    ball = fx.RigidBody.sphere(radius=0.1, mass=1.0, position=(1.5, 0.5, 1.5), name="ball")
    words = r"not convex, at \(1, 0\.5, 1\) it has a notch of 90 degrees"
    with pytest.raises(fx.ModelError, match=words):
        fx.Contact((bracket(), C.Sphere(ball, radius=0.1)), LAW)
    cable = fx.FlexibleBody.line(
        (-1, 0, 3), (1, 0, 3), elements=2, element=fx.elements.ANCFCable3D(), section=fx.Circle(diameter=0.1),
        material=fx.Elastic(youngs_modulus=1e9, density=1e3), name="cable",
    )  # fmt: skip
    with pytest.raises(fx.ModelError, match="not convex"):
        fx.Contact((bracket(), C.Tube(cable, radius=0.05)), LAW)
    many = [fx.RigidBody.sphere(radius=0.1, mass=1.0, position=(x, 0, 9.0), name=f"small {x:g}") for x in range(30)]
    with pytest.raises(fx.ModelError, match="not convex"):
        fx.Contact((box(), bracket(), *(C.Sphere(b, radius=0.1) for b in many)), LAW, search=True)
    two = box()
    apart = C.TriangleMesh(
        GROUND, vertices=np.concatenate((two.vertices, two.vertices + np.array((3.0, 0, 0)))),
        triangles=np.concatenate((two.triangles, two.triangles + 8)),
    )  # fmt: skip
    with pytest.raises(fx.ModelError, match="several pieces"):
        fx.Contact((apart, C.Sphere(ball, radius=0.1)), LAW)
    assert len(fx.Contact((bracket(), C.Vertex(ball)), LAW).touching) == 1


def test_a_point_rests_on_the_ledge_of_a_bracket() -> None:
    point = fx.PointMass(1.0, position=(1.5, 0.5, 1.02), name="point")
    contact = fx.Contact((bracket(), C.Vertex(point)), C.HuntCrossleyLaw(stiffness=1e5, damping=5.0))
    run = fx.simulate(fx.Model(point, contact, fx.Gravity((0, 0, -9.81))), until=2.0, step=1e-3)
    assert 1.0 - run.position(point)[-1, 2] == pytest.approx((9.81 / 1e5) ** (2.0 / 3.0), rel=1e-3)
    assert run.velocity(point)[-1] == pytest.approx(np.zeros(3), abs=1e-3)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"triangles": FACES[:-1]}, "the surface is open: one triangle at the edge from"),
        ({"triangles": [*FACES, (0, 1, 7)]}, "the surface is"),
        ({"triangles": [f[::-1] for f in FACES]}, "the surface is inside out; its volume would be -1"),
        ({"triangles": [FACES[0][::-1], *FACES[1:]]}, "are turned against each other"),
        ({"triangles": [(0, 2, 8), *FACES[1:]]}, "triangle 0 is [0, 2, 8], but there are the vertices 0 to 7"),
        ({"triangles": [(0.5, 2, 1)]}, "four or more rows of three whole numbers"),
        ({"vertices": [(0, 0)]}, "vertices must have shape"),
        ({"vertices": [*SIGNS[:-1].tolist(), (0, 0, np.nan)]}, "vertices must be finite"),
        ({"vertices": [*SIGNS[:3].tolist(), (0, 0, -0.5), *SIGNS[4:].tolist()]}, "has no area"),
    ],
)
def test_surfaces_that_are_refused(change: Any, words: str) -> None:
    given_ = {"vertices": SIGNS, "triangles": FACES} | change
    with pytest.raises(fx.ModelError, match=re.escape(words)):
        C.TriangleMesh(GROUND, **given_)


def both(one: Any, other: Any, inside_out: bool = False) -> Any:
    """One surface of the triangles of two."""
    triangles = other.triangles[:, ::-1] if inside_out else other.triangles
    return C.TriangleMesh(
        GROUND, vertices=np.concatenate((one.vertices, other.vertices)),
        triangles=np.concatenate((one.triangles, triangles + len(one.vertices))),
    )  # fmt: skip


def moved(solid: Any, by: Any) -> Any:
    return C.TriangleMesh(GROUND, vertices=solid.vertices + np.array(by), triangles=solid.triangles)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (
            lambda: both(box(), moved(box(), (3, 0, 0)), True),
            "piece with a vertex at [3.5, -0.5, -0.5] is inside out",
        ),
        (lambda: both(box(), box((0.5, 0.5, 0.5))), "lies within another one"),
        (lambda: both(box(), moved(box(), (0.5, 0.3, 0.2))), "lies within another one"),
        (lambda: both(box(), moved(box(), (1, 1, 1))), "at the vertex [0.5, 0.5, 0.5] two parts of the surface touch"),
        (
            lambda: C.TriangleMesh(
                GROUND,
                vertices=[*SIGNS, (2, 0, 0)],
                triangles=[*FACES[:-2], (3, 7, 5), (1, 3, 8), (8, 3, 5), (1, 8, 3), (1, 3, 5), (3, 8, 5)],
            ),
            "the surface is",
        ),
    ],
)
def test_pieces_that_are_refused(make: Any, words: str) -> None:
    with pytest.raises(fx.ModelError, match=re.escape(words)):
        make()


def test_a_folded_surface_is_refused() -> None:
    """Two triangles of a pair lie on each other."""
    with pytest.raises(fx.ModelError, match="lie on each other, with nothing between them"):
        C.TriangleMesh(
            GROUND, vertices=[*SIGNS, (2, 0, 0.5), (2, 0.5, 0.5)],
            triangles=[t for t in FACES if t != (5, 7, 6)] + [(5, 8, 6), (8, 7, 6), (5, 7, 9), (5, 9, 8), (8, 9, 7)],
        )  # fmt: skip


def test_a_hollow_is_outside() -> None:
    """A box in a box, turned inside out: the volume is the difference, and a place in the hollow is outside."""
    hollow = both(box(), box((0.5, 0.5, 0.5)), True)
    assert hollow.volume == pytest.approx(1.0 - 0.125, rel=1e-12)
    assert distance(hollow, (0.0, 0.0, 0.1))[0] == pytest.approx(0.15, rel=1e-12)
    assert distance(hollow, (0.3, 0.0, 0.0))[0] == pytest.approx(-0.05, rel=1e-12)
    own = (1.0 - 0.5**5) * np.eye(3) / 6.0
    assert pytest.approx(own, abs=1e-12) == hollow.mass_properties(1.0)[2]


def test_fine_meshes_of_convex_parts_with_seven_digits_are_convex() -> None:
    """As STL files have them: a turned box, each side of 40 x 40 x 2 triangles."""
    n = 40
    u = np.arange(n + 1) / n - 0.5
    x, y = np.meshgrid(u, u, indexing="ij")
    i = (np.arange(n)[:, None] * (n + 1) + np.arange(n)).ravel()
    cells = np.concatenate((np.stack((i, i + n + 1, i + n + 2), 1), np.stack((i, i + n + 2, i + 1), 1)))
    vertices, triangles = [], []
    for axis in range(3):
        for side in (-0.5, 0.5):
            plane = np.column_stack((x.ravel(), y.ravel(), np.full(x.size, side)))
            triangles.append((cells if side > 0 else cells[:, ::-1]) + sum(map(len, vertices)))
            vertices.append(np.roll(plane, axis, axis=1))
    single = (np.concatenate(vertices) @ frame(0.7).T).astype(np.float32).astype(float)
    solid = C.TriangleMesh(GROUND, vertices=single, triangles=np.concatenate(triangles))
    assert solid.surface.edges.angle.min() < 0.0
    assert solid.convex
    assert solid.volume == pytest.approx(1.0, rel=1e-6)


def test_shapes_of_one_body_with_a_seam_are_told() -> None:
    """Beside each other, and of other sizes; in a corner a ball touches two with right."""
    above = C.Sphere(fx.RigidBody.sphere(radius=0.1, mass=1.0, position=(0, 0, 9), name="ball"), radius=0.1)

    def tile(size: Any, at: Any, kind: str) -> Any:
        marker = fx.ground.marker(at, axis=(0, 0, 1))
        return C.Box(marker, size=size) if kind == "box" else box(size, marker)

    for one, other in (("box", "box"), ("box", "mesh"), ("mesh", "mesh")):
        first = tile((1, 1, 1), (0, 0, 0), one)
        for beside in (tile((2, 1, 1), (1.5, 0.2, 0), other), tile((1, 1, 0.5), (1, 0, 0.25), other)):
            with pytest.warns(fx.AccuracyWarning, match="share an edge, over which a ball touches both"):
                fx.Contact((first, beside, above), LAW)
            with pytest.warns(fx.AccuracyWarning, match="share an edge"):
                fx.Contact((first, beside, above), LAW, pairs=[(above, first), (beside, above)])
        for apart in (tile((1, 1, 1), (1.01, 0, 0), other), tile((0.5, 0.5, 0.5), (0, 0, 0.75), other)):
            fx.Contact((first, apart, above), LAW)
            fx.Contact((first, apart, C.Vertex(above.marker)), LAW)
    wedge = C.TriangleMesh(
        GROUND, vertices=[(0, 0, 0), (1, 0, 0), (1, 0, 1), (0, 1, 0), (1, 1, 0), (1, 1, 1)],
        triangles=[(0, 1, 2), (3, 5, 4), (0, 3, 1), (1, 3, 4), (1, 4, 2), (2, 4, 5), (0, 2, 3), (2, 5, 3)],
    )  # fmt: skip
    floor = C.Box(fx.ground.marker((-1.0, 0.5, -0.5)), size=(2, 1, 1))
    under = C.Box(fx.ground.marker((0.5, 0.5, -0.5)), size=(1, 1, 1))
    with pytest.warns(fx.AccuracyWarning, match="share an edge"):
        fx.Contact((floor, under, above), LAW)
    with pytest.warns(fx.AccuracyWarning, match="share an edge"):  # the upright side goes on below
        fx.Contact((wedge, under, above), LAW)
    fx.Contact((floor, moved(wedge, (0, 0.001, 0)), above), LAW)


@pytest.mark.parametrize(
    ("points", "words"),
    [
        ([(0, 0, 0), (1, 0, 0), (0, 1, 0)], "four points"),
        ([(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0)], "not in a plane"),
        ([(0, 0, 0)] * 6, "not in a plane"),
        ("stone", "points must be an array"),
    ],
)
def test_hulls_that_are_refused(points: Any, words: str) -> None:
    with pytest.raises(fx.ModelError, match=re.escape(words)):
        C.TriangleMesh.hull(GROUND, points=points)


def test_planar_models_are_refused() -> None:
    disk = fx.PlanarRigidBody(1.0, 0.5, position=(0.0, 1.0), name="disk")
    with pytest.raises(fx.ModelError, match="not for planar models"):
        fx.Contact((box(marker=fx.ground.marker((0, 0))), C.Sphere(disk, radius=0.1)), LAW)


def test_a_surface_that_goes_through_itself_is_told() -> None:
    """A cross of two bars, with no corner of one within the other; a body of the same surface is told so too."""
    solids = [SIGNS * np.array(size) for size in ((3.0, 1.0, 1.0), (0.5, 3.0, 0.5))]
    faces = np.vstack((FACES, np.array(FACES) + 8))
    with pytest.warns(RuntimeWarning, match=r"the surface goes through itself: \d+ pairs of triangles cross") as caught:
        C.TriangleMesh(GROUND, vertices=np.vstack(solids), triangles=faces)
    assert caught[0].filename == __file__
