"""Uneven ground: the spline through its heights, distances from it, and what is refused."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

import flexmbs as fx
from flexmbs.kernels.height_fields import height_field_distance

C = fx.contact
LAW = C.HuntCrossleyLaw(stiffness=1e5)
X = np.linspace(-2.0, 2.0, 21)
GROUND = fx.ground.marker((0, 0, 0))


def distance(field: Any, x: Any, radius: float) -> tuple[float, np.ndarray, np.ndarray]:
    table = np.array(field.table_for(None, radius))
    phi, n, D = height_field_distance((0.0, 0.0, 0.0), tuple(float(c) for c in x), table, 0)
    return phi, np.array(n), np.array(D).reshape(3, 3)


def test_a_polynomial_of_third_degree_is_met_exactly_and_goes_on_straight() -> None:
    u, v = np.meshgrid(X, X + 0.3, indexing="ij")
    field = C.HeightField(GROUND, x=X, y=X + 0.3, heights=u**3 * v - 2.0 * v**3 + u * v)
    a, b = np.random.default_rng(0).uniform(-1.7, 2.0, (2, 50))
    assert field.height(a, b) == pytest.approx(a**3 * b - 2.0 * b**3 + a * b, abs=1e-12)
    edge, slope = 8.0 * 0.3 - 2.0 * 0.027 + 0.6, 12.0 * 0.3 + 0.3
    assert field.height(5.0, 0.3) == pytest.approx(edge + 3.0 * slope, abs=1e-11)


def test_the_spline_converges_with_the_fourth_power_of_the_spacing() -> None:
    places = np.random.default_rng(1).uniform(-1.9, 1.9, (400, 2))
    errors = []
    for n in (17, 33, 65):
        x = np.linspace(-2.0, 2.0, n)
        field = C.HeightField(GROUND, x=x, y=x, heights=np.sin(1.5 * x)[:, None] * np.cos(x))
        exact = np.sin(1.5 * places[:, 0]) * np.cos(places[:, 1])
        errors.append(np.abs(field.height(*places.T) - exact).max())
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    assert (orders > 3.5).all(), errors


def test_a_ball_put_on_it_by_the_normal_touches() -> None:
    field = C.HeightField(GROUND, x=X, y=X, heights=0.2 * np.sin(X)[:, None] * np.cos(X))
    for x, y in ((0.3, -0.4), (-1.1, 0.7)):
        foot = np.array((x, y, field.height(x, y)))
        phi, n, _ = distance(field, foot + 0.4 * field.normal(x, y), 0.4)
        assert phi == pytest.approx(0.4, abs=1e-12)
        assert n == pytest.approx(field.normal(x, y), abs=1e-12)


def test_distances_in_a_round_trough() -> None:
    """A profile of fine nodes on a circle: the distance from it is the radius less that from its axis."""
    x = np.linspace(-0.9, 0.9, 361)
    field = C.HeightField(GROUND, x=x, heights=1.0 - np.sqrt(1.0 - x * x))
    for angle in (-0.7, 0.0, 0.4):
        for away in (0.2, 0.7):
            point = (away * np.sin(angle), 3.0, 1.0 - away * np.cos(angle))
            phi, n, D = distance(field, point, 0.5)
            radial = np.array((-np.sin(angle), 0.0, np.cos(angle)))
            along = np.array((np.cos(angle), 0.0, np.sin(angle)))
            assert phi == pytest.approx(1.0 - away, abs=1e-8)
            assert n == pytest.approx(radial, abs=1e-6)
            assert pytest.approx(-np.outer(along, along) / away, abs=1e-3 / away**2) == D
    assert field.smallest_radius == pytest.approx(1.0, rel=1e-3)


@settings(max_examples=60, deadline=None)
@given(st.floats(-2.5, 2.5), st.floats(0.05, 0.55))
def test_the_nearest_place_of_all_is_found_within_the_window(x: float, above: float) -> None:
    """A steep mound, beside which the place straight below is flat ground and no nearer one is near it."""
    places = np.linspace(-3.0, 3.0, 121)
    field = C.HeightField(GROUND, x=places, heights=2.0 / (1.0 + np.exp(-6.0 * places)))
    z = float(field.height(x)) + above
    phi, _, _ = distance(field, (x, 0.0, z), 0.45)  # of which the window is 0.5625

    def square(u: Any) -> Any:
        return (u - x) ** 2 + (field.height(u) - z) ** 2

    around = x + np.linspace(-0.6, 0.6, 4001)
    best = float(around[np.argmin(square(around))])
    exact = minimize_scalar(square, bounds=(best - 1e-3, best + 1e-3), method="bounded", options={"xatol": 1e-12})
    assert abs(phi) == pytest.approx(np.sqrt(exact.fun), rel=1e-7, abs=1e-9)


def test_flat_ground_is_a_plane() -> None:
    """The same run to round-off: a ball thrown onto a slope, given as heights and as a plane."""
    finals = []
    for flat in (True, False):
        ball = fx.RigidBody.sphere(
            radius=0.1, mass=1.0, position=(0.2, 0.1, 0.5), velocity=(1.0, 0.5, 0.0), name="ball"
        )
        x = np.linspace(-1.0, 1.0, 5)
        slope = np.array((-0.3, 0.2, 1.0)) / np.sqrt(1.13)
        ground = (
            C.Plane(fx.ground.marker((0, 0, 0), axis=slope))
            if flat
            else C.HeightField(GROUND, x=x, y=x, heights=0.3 * x[:, None] - 0.2 * x)
        )
        contact = fx.Contact((ground, C.Sphere(ball, radius=0.1)), LAW, C.CoulombLaw(0.3, speed=0.05))
        model = fx.Model(ball, contact, fx.Gravity((0, 0, -9.81)))
        run = fx.simulate(model, until=1.0, step=1e-3)
        finals.append(np.concatenate((run.position(ball)[-1], run.velocity(ball)[-1])))
    assert finals[0] == pytest.approx(finals[1], abs=1e-8)


def test_many_balls_are_searched_on_it() -> None:
    """Searched pairs feel what declared ones do."""
    x = np.linspace(-2.0, 2.0, 17)
    finals = []
    for pairs in (None, True):
        field = C.HeightField(GROUND, x=x, y=x, heights=0.1 * np.cos(2.0 * x)[:, None] * np.cos(2.0 * x))
        places = [(0.5 * i - 1.5, 0.5 * k - 1.5, 0.35) for i in range(7) for k in range(7)]
        balls = [fx.RigidBody.sphere(radius=0.1, mass=1.0, position=p, name=f"ball {n}") for n, p in enumerate(places)]
        shapes = [C.Sphere(ball, radius=0.1) for ball in balls]
        named = [(field, shape) for shape in shapes] if pairs else None
        contact = fx.Contact((field, *shapes), LAW, pairs=named)
        run = fx.simulate(fx.Model(*balls, contact, fx.Gravity((0, 0, -9.81))), until=0.4, step=2e-3)
        finals.append([run.position(ball)[-1].tolist() for ball in balls])
    assert finals[0] == pytest.approx(np.array(finals[1]), abs=1e-7)


@pytest.mark.parametrize(
    ("given_", "words"),
    [
        ({"x": (0, 1, 1), "heights": (0, 0, 0)}, "x must be two or more increasing places"),
        ({"x": (0,), "heights": (0,)}, "x must be two or more increasing places"),
        ({"x": (0, 1), "heights": (0, 0, 0)}, "heights must have shape (2,)"),
        ({"x": (0, 1), "y": (0, 1), "heights": (0, 0)}, "heights must have shape (2, 2)"),
        ({"x": (0, 1), "heights": (0, float("nan"))}, "heights must be finite"),
        ({"x": (0, 1), "heights": "high"}, "heights must be an array of numbers"),
    ],
)
def test_heights_that_are_refused(given_: Any, words: str) -> None:
    with pytest.raises(fx.ModelError, match=re.escape(words)):
        C.HeightField(GROUND, **given_)


def test_a_ball_too_large_for_a_hollow_is_refused() -> None:
    field = C.HeightField(GROUND, x=X, heights=X**2)  # of radius 0.5 at its bottom
    ball = fx.RigidBody.sphere(radius=0.6, mass=1.0, position=(0, 0, 1.0), name="ball")
    with pytest.raises(fx.ModelError, match=r"hollow of radius 0\.5 at x = 0, .* touch at two places"):
        fx.Contact((field, C.Sphere(ball, radius=0.6)), LAW)
    small = [fx.RigidBody.sphere(radius=0.1, mass=1.0, position=(x, 0, 9.0), name=f"small {x:g}") for x in range(30)]
    shapes = [*(C.Sphere(other, radius=0.1) for other in small), C.Sphere(ball, radius=0.6)]
    with pytest.raises(fx.ModelError, match="touch at two places"):
        fx.Contact((field, *shapes), LAW, search=True)
    cable = fx.FlexibleBody.line(
        (-1, 0, 2), (1, 0, 2), elements=2, element=fx.elements.ANCFCable3D(), section=fx.Circle(diameter=0.1),
        material=fx.Elastic(youngs_modulus=1e9, density=1e3), name="cable",
    )  # fmt: skip
    with pytest.raises(fx.ModelError, match="touch at two places"):
        fx.Contact((field, C.Tube(cable, radius=0.6)), LAW)


def test_in_a_planar_model_it_is_a_profile_with_its_axes_in_the_plane() -> None:
    disk = fx.PlanarRigidBody(1.0, 0.5, position=(0.0, 1.0), name="disk")
    ball = C.Sphere(disk, radius=0.1)
    up = fx.ground.marker((0, 0), axis=(0, 1))
    with pytest.raises(fx.ModelError, match="it is a profile"):
        fx.Contact((C.HeightField(up, x=(0, 1), y=(0, 1), heights=((0, 0), (0, 0))), ball), LAW)
    with pytest.raises(fx.ModelError, match="must lie in the plane of motion"):
        fx.Contact((C.HeightField(fx.ground.marker((0, 0)), x=(0, 1), heights=(0, 0)), ball), LAW)
    assert len(fx.Contact((C.HeightField(up, x=(0, 1), heights=(0, 0)), ball), LAW).touching) == 1


def test_a_tube_and_a_ball_of_its_radius_have_the_same_gap() -> None:
    """A straight cable over a hill, whose ends are far: the least gap of its points is that of the hill's top."""
    x = np.linspace(-2.0, 2.0, 81)
    field = C.HeightField(GROUND, x=x, heights=0.4 / (1.0 + 4.0 * x * x))
    cable = fx.FlexibleBody.line(
        (-1.5, 0, 0.7), (1.5, 0, 0.7), elements=8, element=fx.elements.ANCFCable3D(), section=fx.Circle(diameter=0.1),
        material=fx.Elastic(youngs_modulus=1e9, density=1e3), name="cable",
    )  # fmt: skip
    tube = C.Tube(cable, radius=0.05)
    contact = fx.Contact((field, tube), LAW, name="touch")
    run = fx.simulate(fx.Model(cable, contact), until=1e-6, step=1e-6)
    least = float(run.contact(contact).gap.min())
    ball = fx.RigidBody.sphere(radius=0.05, mass=1.0, position=(0, 0, 0.7), name="ball")
    near = fx.Contact((field, C.Sphere(ball, radius=0.05)), LAW, name="touch")
    top = float(fx.simulate(fx.Model(ball, near), until=1e-6, step=1e-6).contact(near).gap.min())
    assert top == pytest.approx(0.25, abs=1e-12)
    assert top <= least < top + 0.01
