"""Continuation: derivatives of the position equations, ends of curves, branches, bad input."""

from __future__ import annotations

import math

import numpy as np
import pytest
from matplotlib.figure import Figure

import flexmbs as fx
from flexmbs.dynamics.evaluation import Dynamics
from flexmbs.kinematics.position_equations import PositionEquations
from flexmbs.verification.cases.mechanisms.driven_mechanisms import four_bar, slider_crank
from flexmbs.verification.reference.driven import FourBar, SliderCrank

CHANGING = FourBar(1.0, 3.0, 1.0, 3.0)
LOCKING = FourBar(2.0, 1.5, 1.5, 3.0)


def turned(data: FourBar, motion: object, angle: float = 0.5, spatial: bool = False) -> fx.Model:
    model = four_bar(data, angle, spatial)
    return model.with_(fx.RotationDriver(model.joint("A"), motion, name="motor"))


def many_joints() -> fx.Model:
    """Three bodies and one joint of many kinds."""
    a, b, c = (
        fx.RigidBody(1.0, np.diag([0.1, 0.2, 0.25]), position=p, name=n)
        for n, p in (("a", (0.3, 0, 0)), ("b", (1, 0.4, 0)), ("c", (0.1, 0.2, 1)))
    )
    flat = fx.PlanarRigidBody(1.0, 0.1, position=(2, 0), name="flat")
    return fx.Model(
        a, b, c, flat,
        fx.RevoluteJoint(fx.ground, a, at=(0, 0, 0), axis=(0, 0, 1), name="revolute"),
        fx.UniversalJoint(a, b, at=(0.7, 0.1, 0), axes=((0, 1, 0), (0, 0, 1)), name="universal"),
        fx.CylindricalJoint(b, c, at=(0.5, 0.5, 0.5), axis=(1, 1, 0), name="cylindrical"),
        fx.DistanceConstraint(c.marker((0.1, 0, 0)), a.marker((0, 0.2, 0.1)), name="distance"),
        fx.PointOnPlaneConstraint(c.marker((0, 0, 0.2)), fx.ground.marker((0, 0, 1), axis=(0, 1, 1)), name="plane"),
        fx.RevoluteJoint(fx.ground, flat, at=(1.5, 0.2), name="pin"),
        fx.RotationDriver((fx.ground.marker((0, 0, 0)), a.centre), fx.motions.Sine(0.4, frequency=0.3), name="motor"),
    )  # fmt: skip


def test_second_derivatives_are_those_of_the_first() -> None:
    dyn = Dynamics(fx.compile_model(many_joints()))
    eq = PositionEquations(dyn, "test")
    rng = np.random.default_rng(1)
    q = eq.moved(dyn.coordinates.reference.copy(), 0.2 * rng.standard_normal(eq.n))
    psi, d = rng.standard_normal(eq.m), rng.standard_normal(eq.n)
    H = eq.curvature(q, 0.3, psi)
    h = 1e-5
    sides = [eq.at(eq.moved(q, s * h * d), 0.3).G.T @ psi for s in (1.0, -1.0)]
    assert H @ d == pytest.approx((sides[0] - sides[1]) / (2.0 * h), abs=1e-8)
    g, G, g_t = eq.at(q, 0.3)
    values = [eq.at(eq.moved(q, s * h * d), 0.3 + s * h).g for s in (1.0, -1.0)]
    assert G @ d + g_t == pytest.approx((values[0] - values[1]) / (2.0 * h), abs=1e-8)
    assert np.abs(g).max() > 1e-3


def test_bad_input() -> None:
    model = turned(LOCKING, fx.motions.Linear(1.0))
    for wrong, says in (
        ({"times": (1.0, 1.0)}, "begin < end"),
        ({"times": (0.0, np.inf)}, "times"),
        ({"times": 2.0}, "times"),
        ({"times": (0.0, 1.0), "start": 2.0}, "start must lie between"),
        ({"times": (0.0, 1.0), "step": 0.0}, "step"),
        ({"times": (0.0, 1.0), "branches": -1}, "branches"),
        ({"times": (0.0, 1.0), "max_steps": 0}, "max_steps"),
    ):
        with pytest.raises(fx.ModelError, match=says):
            fx.kinematics.trace_kinematics(model, **wrong)
    with pytest.raises(fx.ModelError, match="expected a Model"):
        fx.kinematics.trace_kinematics(3.0, (0.0, 1.0))
    with pytest.raises(fx.ModelError, match="leave 1 freedom"):
        fx.kinematics.trace_kinematics(four_bar(LOCKING, 0.5), (0.0, 1.0))


def test_curves_end_at_the_limits_of_time() -> None:
    paths = fx.kinematics.trace_kinematics(turned(LOCKING, fx.motions.Linear(1.0)), (-0.5, 2.0), start=0.0)
    path = paths[0]
    assert path.time[[0, -1]] == pytest.approx([-0.5, -0.5], abs=1e-12)
    assert path.ending == "ends with the interval of time"
    assert path.t[0] == 0.0
    assert np.all(np.diff(path.t) > 0.0)
    ends = path.position("rocker")[[0, -1]]
    assert np.linalg.norm(ends[0] - ends[1]) > 0.1  # another position at the same time
    assert np.allclose(path.angle("A") - path.angle("A")[0], path.time + 0.5, atol=1e-11)
    (point,) = paths.points
    assert path.q[point.index] == pytest.approx(point.q, abs=0)
    assert path.time[point.index] == point.t


def test_steps_allowed_and_branches_not_wanted() -> None:
    model = turned(CHANGING, fx.motions.Linear(1.0))
    short = fx.kinematics.trace_kinematics(model, (0.0, 6.0), max_steps=5)
    assert short[0].ending == "ends after the steps allowed"
    alone = fx.kinematics.trace_kinematics(model, (0.0, 6.0), branches=0)
    assert len(alone) == 1
    assert len(alone.points_of("bifurcation")) == 2
    all_of_them = fx.kinematics.trace_kinematics(model, (0.0, 6.0))
    assert len(all_of_them) == 3
    with pytest.raises(fx.ModelError, match="turning point"):
        alone.points_of("fold")


def test_branches_between_two_change_points_are_followed_once() -> None:
    """Over three half turns the two curves cross three times; no piece is traced twice."""
    paths = fx.kinematics.trace_kinematics(turned(CHANGING, fx.motions.Linear(1.0)), (0.0, 9.0), step=0.2)
    exact = [k * math.pi - 0.5 for k in (1, 2, 3)]
    assert [p.t for p in paths.points] == pytest.approx(exact, abs=1e-10)
    assert len(paths) == 3
    seen = np.zeros(2)
    for path in paths.paths:
        crossed = np.abs(path.rotation("rocker")[:, :2, 0] - path.rotation("crank")[:, :2, 0]).max(axis=1) > 1e-9
        for k, kind in enumerate((crossed, ~crossed)):
            seen[k] += np.abs(np.diff(path.time))[kind[1:] & kind[:-1]].sum()
    assert seen == pytest.approx([9.0, 9.0], abs=0.6)  # one step at each crossing counts for neither


def test_angles_of_branches_go_on_from_where_they_leave() -> None:
    paths = fx.kinematics.trace_kinematics(turned(CHANGING, fx.motions.Linear(1.0), angle=2.0), (0.0, 4.0), step=0.1)
    (point,) = paths.points
    for branch in paths.paths[1:]:
        assert branch.angle("A")[0] == pytest.approx(paths[0].angle("A")[point.index], abs=1e-9)
        assert branch.angle("A") == pytest.approx(branch.time, abs=1e-9)


def test_motion_that_begins_at_rest() -> None:
    """A ramp has no rate at the start: the curve begins along time."""
    paths = fx.kinematics.trace_kinematics(turned(LOCKING, fx.motions.Ramp(0.0, 2.0, duration=1.0)), (0.0, 1.0))
    (point,) = paths.points
    assert fx.motions.Ramp(0.0, 2.0, duration=1.0).at(point.t)[0] == pytest.approx(LOCKING.lock_up - 0.5, abs=1e-11)


def test_dead_centre_of_a_slider() -> None:
    data = SliderCrank(0.3, 0.8)
    model = slider_crank(data, 1.0)
    ram = fx.TranslationDriver(model.joint("guide"), fx.motions.Linear(1.0), name="ram")
    paths = fx.kinematics.trace_kinematics(model.with_(ram), (0.0, 1.0))
    (point,) = paths.points
    assert point.kind == "turning point"
    assert "'ram'" in point.joints
    assert point.t == pytest.approx(1.1 - float(data.slider(np.array([1.0]))[0][0]), abs=1e-11)


def test_drawing() -> None:
    paths = fx.kinematics.trace_kinematics(turned(CHANGING, fx.motions.Linear(1.0)), (0.0, 3.0), step=0.2)
    ax = paths.plot("D", Figure().subplots())
    assert ax.get_ylabel() == "angle of 'D'"
    assert len(ax.lines) == len(paths) + 1
    ax = paths.plot(lambda path: path.position("rocker")[:, 1], Figure().subplots(), label="y")
    assert ax.get_ylabel() == "y"
    with pytest.raises(fx.ModelError, match="one number for each"):
        paths.plot(lambda path: path.position("rocker"), Figure().subplots())
    for wrong in (3.0, fx.Model):
        with pytest.raises(fx.ModelError, match="of must be a function"):
            paths.plot(wrong, Figure().subplots())
    assert "2 paths" in repr(paths) or "3 paths" in repr(paths)
