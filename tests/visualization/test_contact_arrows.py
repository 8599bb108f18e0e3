"""Contact forces in drawings: arrows end where bodies are touched, and are as long as the forces are large."""

from __future__ import annotations

from typing import Any

import numpy as np

import flexmbs as fx
from flexmbs.visualization.contact_arrows import LONGEST, contact_arrows
from flexmbs.visualization.contact_floors import floor_lines
from flexmbs.visualization.plots import plot_shape
from flexmbs.visualization.style import CONTACT
from flexmbs.visualization.time_views import FLOOR as FLOOR_STROKE
from flexmbs.visualization.time_views import scene

C = fx.contact
FLOOR = C.Plane(fx.ground.marker((0, 0, 0), axis=(0, 0, 1)))
G = fx.Gravity((0, 0, -9.81))


def two_balls() -> tuple[Any, Any]:
    """A ball of 1 kg that falls on the floor, and one of 3 kg that lies on it."""
    law = C.HuntCrossleyLaw(stiffness=1e6, exponent=1.0, damping=2.0)
    low = fx.RigidBody.sphere(radius=0.1, mass=3.0, position=(1, 0, 0.1 - 3 * 9.81 / 1e6), name="low")
    high = fx.RigidBody.sphere(radius=0.1, mass=1.0, position=(0, 0, 0.15), name="high")
    parts = (FLOOR, C.Sphere(low, radius=0.1), C.Sphere(high, radius=0.1))
    pairs = ((parts[0], parts[1]), (parts[0], parts[2]))
    touch = fx.Contact(parts, law, pairs=pairs, allow_overlap=True, name="touch")
    return touch, fx.simulate(fx.Model(low, high, touch, G, name="two balls"), until=0.15)


def test_geometry_of_arrows() -> None:
    points = np.array([[[1.0, 2.0, 3.0], [0.0, 0.0, 0.0]]])
    forces = np.array([[[0.0, 0.0, 5.0], [0.0, 0.0, 0.0]]])
    [line] = contact_arrows(points, forces, 10.0, 0.4)
    arrow, none = line.reshape(2, 7, 3)
    np.testing.assert_allclose(arrow[0], (1.0, 2.0, 2.8), atol=1e-15)  # half of the largest force: half as long
    np.testing.assert_array_equal(arrow[[1, 4]], np.tile(points[0, 0], (2, 1)))
    assert np.isnan(arrow[[2, 6]]).all()
    sides = arrow[[3, 5]] - points[0, 0]
    assert (sides[:, 2] < 0.0).all()  # behind the tip
    np.testing.assert_allclose(sides[0, :2], -sides[1, :2], atol=1e-15)
    assert np.linalg.norm(sides[0, :2]) > 0.0
    assert np.isnan(none).all()


def test_films_have_arrows_where_and_while_bodies_touch() -> None:
    touch, run = two_balls()
    history = run.contact(touch)
    drawn = scene(run)
    [arrows] = [line for line in drawn.lines if line.stroke.colour == CONTACT]
    found = arrows.points.reshape(len(run), 2, 7, 3)
    force = np.linalg.norm(history.force, axis=2)
    touches = force > 0.0
    assert touches[:, 0].all()
    assert 0 < touches[:, 1].sum() < len(run)
    np.testing.assert_array_equal(np.isfinite(found[:, :, 0]).all(axis=2), touches)
    np.testing.assert_allclose(found[:, :, 1][touches], history.point[touches], atol=1e-12)
    way = (found[:, :, 1] - found[:, :, 0])[touches]
    np.testing.assert_allclose(np.cross(way, history.force[touches]), 0.0, atol=1e-9 * force.max())
    lengths = np.linalg.norm(way, axis=1)
    np.testing.assert_allclose(lengths / lengths.max(), force[touches] / force.max(), atol=1e-12)
    bodies = [line for line in drawn.lines if line is not arrows and line.stroke != FLOOR_STROKE]
    others = [line.points.reshape(-1, 3) for line in bodies]
    size = np.nanmax(np.ptp(np.concatenate([p[np.isfinite(p).all(axis=1)] for p in others]), axis=0))
    assert np.isclose(lengths.max(), LONGEST * size)
    assert arrows.label == f"contact force, longest {force.max():.3g} N"


def test_pictures_show_the_contacts_of_their_state() -> None:
    """The ball that lies: its weight, whatever the impact of the other one was."""
    from matplotlib.figure import Figure

    _, run = two_balls()
    axes = run.plot_shape(step=0, ax=Figure().add_subplot(projection="3d"))
    [arrow] = [line for line in axes.lines if line.get_color() == CONTACT]
    assert arrow.get_label() == "contact force, longest 29.4 N"  # 3 kg of 9.81 m/s^2
    data = np.array(arrow.get_data_3d()).T
    np.testing.assert_allclose(data[1], (1.0, 0.0, -3 * 9.81 / 1e6), atol=1e-9)  # the lowest point of the ball
    assert data[0, 2] < data[1, 2]
    np.testing.assert_allclose(data[0, :2], (1.0, 0.0), atol=1e-12)


def test_bodies_without_a_shape_get_arrows_of_their_size() -> None:
    """A disk in the plane, drawn as its centre: what there is to see is the way from it to the point of contact."""
    from matplotlib.figure import Figure

    disk = fx.PlanarRigidBody(1.0, 0.005, position=(0, 0.1 - 9.81 / 1e6), name="disk")
    law = C.HuntCrossleyLaw(stiffness=1e6, exponent=1.0)
    floor = C.Plane(fx.ground.marker((0, 0), axis=(0, 1)))
    touch = fx.Contact((floor, C.Sphere(disk, radius=0.1)), law, allow_overlap=True)
    run = fx.simulate(fx.Model(disk, touch, fx.Gravity((0, -9.81))), until=0.01, step=1e-3)
    axes = run.plot_shape(step=0, ax=Figure().subplots())
    [arrow] = [line for line in axes.lines if line.get_color() == CONTACT]
    data = np.array(arrow.get_data()).T
    np.testing.assert_allclose(data[1] - data[0], (0.0, LONGEST * 0.1), atol=1e-9)


def test_nothing_is_drawn_where_nothing_touches() -> None:
    ball = fx.RigidBody.sphere(radius=0.1, mass=1.0, position=(0, 0, 5.0), name="ball")
    touch = fx.Contact((FLOOR, C.Sphere(ball, radius=0.1)), C.HuntCrossleyLaw(stiffness=1e6))
    run = fx.simulate(fx.Model(ball, touch, G), until=0.1, step=1e-2)
    assert not [line for line in scene(run).lines if line.stroke.colour == CONTACT]
    assert CONTACT not in [line.get_color() for line in run.plot_shape().lines]


# --- shapes on the ground ----------------------------------------------------------------------------------


def test_shapes_on_the_ground_are_drawn_where_they_are() -> None:
    """Points of their lines lie on them; a plane goes as far as what is shown."""
    where = fx.ground.marker((0.1, -0.2, 0.3), axis=(0.2, 0.1, 1.0))
    shapes = {
        "plane": C.Plane(where),
        "drum": C.Cylinder(where, radius=0.3),
        "ball": C.Sphere(where, radius=0.3),
        "box": C.Box(where, size=(0.4, 0.6, 0.2)),
        "triangle": C.Triangle(where, corners=((0, 0, 0.1), (0.5, 0, 0), (0, 0.4, 0))),
    }
    law = C.HuntCrossleyLaw(stiffness=1e6)
    near = np.array([(x, y, z) for x in (-0.5, 0.7) for y in (-0.4, 0.6) for z in (0.5, 1.4)])
    for name, shape in shapes.items():
        ball = fx.RigidBody.sphere(radius=0.1, mass=1.0, position=(0.1, 0.1, 1.3), name="ball")
        touch = fx.Contact((shape, C.Sphere(ball, radius=0.1)), law, allow_overlap=True, name="touch")
        [line] = floor_lines(fx.Model(ball, touch), near)
        points = line[np.isfinite(line).all(axis=1)]
        x, y, z = ((points - shape.marker.position0()) @ shape.marker.rotation0()).T
        off = {
            "plane": np.abs(z),
            "drum": np.abs(np.hypot(x, y) - 0.3),
            "ball": np.abs(np.sqrt(x * x + y * y + z * z) - 0.3),
            "box": np.abs(np.abs((x, y, z)) - np.array((0.2, 0.3, 0.1))[:, None]).max(axis=0),
            "triangle": np.abs(z),
        }[name]
        assert len(points) >= 4, name
        assert off.max() < 1e-12, name
        far = near * 1e-3 + points.mean(axis=0)
        assert len(floor_lines(fx.Model(ball, touch), far)) == (1 if name == "plane" else 0), name


def test_pictures_and_films_show_the_floor() -> None:
    from matplotlib.figure import Figure

    _, run = two_balls()
    lines = [line for line in scene(run).lines if line.stroke == FLOOR_STROKE]
    assert len(lines) == 1
    assert np.nanmax(np.abs(lines[0].points[..., 2])) == 0.0
    axes = plot_shape(run, step=0, ax=Figure().add_subplot(projection="3d"))
    low, high = axes.get_zlim()
    assert low <= 0.0 < high
