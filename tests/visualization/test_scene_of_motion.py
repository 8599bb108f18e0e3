"""What the pictures of a motion show of bodies without a shape, of several bodies, and of axes in space."""

from __future__ import annotations

import itertools

import matplotlib as mpl
import numpy as np
import pytest

import flexmbs as fx
from flexmbs.visualization.animation import draw_frame
from flexmbs.visualization.time_views import scene

mpl.use("Agg")
G = 9.81


def _run(*items) -> fx.TimeSolution:
    return fx.simulate(fx.Model(*items, fx.Gravity((0, 0, -G))), 0.05, step=1e-2)


@pytest.fixture(autouse=True)
def closed():
    yield
    from matplotlib import pyplot

    pyplot.close("all")


def test_each_rigid_body_has_a_colour_of_its_own() -> None:
    boxes = [
        fx.RigidBody.box(size=(0.5, 0.1, 0.1), mass=1.0, position=(0, 0.3 * k, 0), velocity=(0, 0, k), name=f"box {k}")
        for k in range(8)
    ]
    lines = scene(_run(*boxes)).lines
    assert [line.label for line in lines] == [f"box {k}" for k in range(8)]
    assert len({line.stroke.colour for line in lines}) == 8


def test_masses_and_bodies_without_shape_are_dots() -> None:
    ball = fx.PointMass(1.0, position=(1.0, 0.0, 0.0), name="ball")
    string = fx.DistanceConstraint(fx.ground.marker((0, 0, 0)), ball, name="string")
    fly = fx.RigidBody(1.0, (0.1, 0.1, 0.2), position=(0, 0.5, 0.5), velocity=(1, 0, 0), name="fly")
    arm = fx.RigidBody(1.0, (0.1, 0.1, 0.2), position=(0.5, 1.0, 0), name="arm")
    hinge = fx.RevoluteJoint(fx.ground, arm, at=(0, 1, 0), axis=(0, 1, 0), name="hinge")
    run = _run(ball, string, fly, arm, hinge)
    found = {(line.label, bool(line.stroke.marker)): line for line in scene(run).lines}
    for body in (ball, fly, arm):
        dot = found[body.name, True]
        assert dot.stroke.size > 0.0
        np.testing.assert_allclose(dot.points[:, 0], run.position(body), atol=1e-15)
    assert ("ball", False) not in found  # the string is on its centre
    bar = found["arm", False].points
    np.testing.assert_allclose(bar[:, 0], run.position(arm), atol=1e-15)
    np.testing.assert_allclose(bar[:, 1], np.tile((0.0, 1.0, 0.0), (len(run), 1)), atol=1e-8)
    np.testing.assert_allclose(found["string", False].points[:, 1], run.position(ball), atol=1e-15)
    assert found["ground", True].points.shape[1] == 2


def test_labels_of_axes_in_space_do_not_collide() -> None:
    ball = fx.PointMass(1.0, position=(1.0, 0.0, 0.0), name="ball")
    model = fx.Model(
        ball, fx.DistanceConstraint(fx.ground.marker((0, 0, 0)), ball, name="string"), fx.Gravity((0, 0, -G))
    )
    axes = draw_frame(scene(fx.simulate(model, 0.5, step=1e-2)))
    axes.figure.canvas.draw()
    assert np.ptp(axes.get_xlim()) == pytest.approx(1.08, rel=1e-3)  # the points and a margin, whatever the ticks
    page = axes.figure.bbox
    boxes = []
    for axis in (axes.xaxis, axes.yaxis, axes.zaxis):
        low, high = sorted(axis.get_view_interval())
        shown = [tick for tick in axis.get_major_ticks() if low <= tick.get_loc() <= high]
        assert len(shown) >= 1
        boxes += [tick.label1.get_window_extent() for tick in shown] + [axis.label.get_window_extent()]
    for box in boxes:
        assert page.x0 <= box.x0 < box.x1 <= page.x1
        assert page.y0 <= box.y0 < box.y1 <= page.y1
    for one, other in itertools.combinations(boxes, 2):
        assert not one.overlaps(other)
