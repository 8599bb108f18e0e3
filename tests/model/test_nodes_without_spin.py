"""What needs a rotation about the director of a shell, or the tangent of a cable, is refused or told."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import flexmbs as fx
from flexmbs.visualization.load_symbols import load_lines

C = fx.contact
STIFF = fx.Elastic(youngs_modulus=2e9, density=1000.0, poissons_ratio=0.3)
LAW = C.HuntCrossleyLaw(stiffness=1e5, exponent=1.5)
SPIN = (0, 0, 3.0)


def panel(element: Any = None) -> fx.FlexibleBody:
    """A square of 50 kg in the plane z = 0, its middle at the origin."""
    return fx.FlexibleBody.plate(
        (1, 1), elements=(2, 2), element=element or fx.elements.ANCFShell(), section=fx.ShellSection(0.05),
        material=STIFF, corner=(-0.5, -0.5, 0), name="panel",
    )  # fmt: skip


def rope() -> fx.FlexibleBody:
    return fx.FlexibleBody.line(
        (-0.5, 0, 0), (0.5, 0, 0), elements=2, element=fx.elements.ANCFCable3D(), section=fx.Circle(diameter=0.05),
        material=STIFF, name="rope",
    )  # fmt: skip


PANEL, ROPE = panel(), rope()
EDGE = PANEL.at((0.5, 0, 0))
TURNED = {
    "box": lambda at: C.Box(at, size=(0.1, 0.1, 0.1)),
    "plane": C.Plane,
    "capsule": lambda at: C.Capsule(at, radius=0.1, length=0.2),
    "cylinder": lambda at: C.Cylinder(at, radius=0.1),
    "rim": lambda at: C.Rim(at, radius=0.1),
    "heights": lambda at: C.HeightField(at, x=np.arange(4.0), y=np.arange(4.0), heights=np.zeros((4, 4))),
    "solid": lambda at: C.TriangleMesh(
        at, vertices=np.eye(4, 3, k=-1), triangles=[(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]
    ),
    "triangle": lambda at: C.Triangle(at, corners=np.eye(3)),
}
ROUND = ("plane", "capsule", "cylinder", "rim")


def simulated(*items: Any, until: float = 0.1, step: float = 1e-3) -> Any:
    return fx.simulate(fx.Model(*items), until=until, step=step)


# --- contacts --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", TURNED)
@pytest.mark.parametrize(
    ("at", "axis", "others"),
    [(EDGE, "director (0, 0, 1)", "ANCFThinPlate"), (ROPE.end, "tangent (1, 0, 0)", "ANCFBeam")],
    ids=["shell", "cable"],
)
def test_shapes_that_would_have_to_turn_are_refused(shape: str, at: Any, axis: str, others: str) -> None:
    told = rf"would not turn about the {re.escape(axis)}.*joined to the node.*{others}"
    with pytest.raises(fx.ModelError, match=told):
        TURNED[shape](at)


def test_round_shapes_and_other_elements_are_taken() -> None:
    for shape in ROUND:
        TURNED[shape](EDGE.marker(axis=(0, 0, 1)))
        TURNED[shape](ROPE.end.marker(axis=(-1, 0, 0)))
    with pytest.raises(fx.ModelError, match="would not turn"):
        TURNED["box"](EDGE.marker(axis=(0, 0, 1)))
    with pytest.raises(fx.ModelError, match="would not turn"):
        C.Plane(EDGE.marker(axis=(0, 1e-6, 1)))
    for element in (fx.elements.ANCFThinPlate(), fx.elements.ANCFPlateFullyParameterized()):
        TURNED["box"](panel(element).at((0.5, 0, 0)))


def test_a_plane_on_the_director_keeps_the_angular_momentum() -> None:
    """Of a panel and a ball that hits the plane beside its node."""
    body = panel()
    ball = fx.PointMass(1.0, position=(0.6, 0.1, 0.12), velocity=(0, 0, -2.0), name="ball")
    touch = fx.Contact(
        (C.Plane(body.at((0.5, 0, 0)).marker(axis=(0, 0, 1))), C.Sphere(ball, radius=0.1)), LAW, name="touch"
    )
    run = simulated(body, ball, touch, step=2e-4)
    P, L = run.momentum()
    assert run.contact("touch").normal.max() > 10.0
    np.testing.assert_allclose(P - P[0], 0.0, atol=1e-9)
    np.testing.assert_allclose(L - L[0], 0.0, atol=1e-5)


def _touch(at: Any, **options: Any) -> fx.Contact:
    floor = C.Plane(fx.ground.marker((0, 0, -1), axis=(0, 0, 1)))
    return fx.Contact((floor, C.Sphere(at, radius=0.1)), LAW, **options)


def test_friction_that_is_lost_is_told() -> None:
    rough = C.CoulombLaw(0.5, speed=0.05)
    with pytest.warns(fx.AccuracyWarning, match="moment about the director, which is lost"):
        _touch(EDGE, friction=rough)
    _touch(EDGE)
    _touch(ROPE.end, friction=rough)
    _touch(panel(fx.elements.ANCFThinPlate()).at((0.5, 0, 0)), friction=rough)
    floor = C.Plane(fx.ground.marker((0, 0, -1), axis=(0, 0, 1)))
    fx.Contact((floor, C.Vertex(EDGE)), LAW, friction=rough)


# --- forces and moments ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "make",
    [
        lambda: fx.PointForce(EDGE, (0, 1.0, 0), follower=True),
        lambda: fx.PointForce(PANEL.set("right"), (0, 1e-6, 1.0), follower=True),
        lambda: fx.PointForce(EDGE.marker(), (0, 1.0, 0), follower=True),
        lambda: fx.control.ForceActuator(EDGE, (0, 1.0, 0), follower=True),
    ],
)
def test_followers_across_the_director_are_refused(make: Callable[[], Any]) -> None:
    with pytest.raises(fx.ModelError, match=r"no rotation about its director \(0, 0, 1\).*ANCFThinPlate"):
        make()


def test_followers_that_are_right_are_taken() -> None:
    fx.PointForce(EDGE, (0, 0, 0), follower=True)
    fx.PointForce(EDGE.marker(), (2.0, 0, 0), follower=True)
    fx.control.ForceActuator(EDGE, (1.0, 0, 0), follower=True)
    fx.PointForce(ROPE.end, (0, 1.0, 0), follower=True)
    fx.PointForce(panel(fx.elements.ANCFThinPlate()).at((0.5, 0, 0)), (0, 1.0, 0), follower=True)


@pytest.mark.parametrize("marker", [False, True])
def test_a_follower_along_the_director_drives_a_panel_as_a_rigid_body(marker: bool) -> None:
    """On the middle of an edge: x'' = F sin(a) / m, z'' = F cos(a) / m, a'' = -F / 2 / J about y."""
    m, F = 50.0, 20.0
    J = m * (1.0 + 0.05**2) / 12.0

    def rates(t: float, y: np.ndarray) -> list[float]:
        return [*y[3:], F * np.sin(y[2]) / m, F * np.cos(y[2]) / m, -0.5 * F / J]

    x, z, _ = solve_ivp(rates, (0, 1.2), np.zeros(6), rtol=1e-10, atol=1e-12).y[:3, -1]
    body = panel()
    at = body.at((0.5, 0, 0))
    place, force = (at.marker(), (F, 0, 0)) if marker else (at, (0, 0, F))
    push = fx.PointForce(place, force, follower=True)
    run = simulated(body, push, until=1.2, step=2e-3)
    np.testing.assert_allclose(run.position(body.at((0, 0, 0)))[-1], (x, 0, z), atol=1e-3 * abs(x))


@pytest.mark.parametrize("moment", [(0, 0, 5.0), (0, 3.0, 5.0), (0, 1.0, 1e-6)])
def test_moments_about_the_director_are_refused(moment: tuple[float, float, float]) -> None:
    told = r"part of \S+ along the director of node \d, about which a shear shell carries no moment.*ANCFThinPlate"
    with pytest.raises(fx.ModelError, match=told):
        fx.Moment(EDGE, moment)
    with pytest.raises(fx.ModelError, match=told):
        fx.EdgeMoment(PANEL.set("right"), moment)


def test_moments_that_are_right_are_taken() -> None:
    fx.Moment(EDGE, (1.0, 3.0, 1e-12))
    fx.Moment(EDGE, (0, 0, 0))
    fx.EdgeMoment(PANEL.set("right"), (0, 3.0, 0))
    fx.Moment(ROPE.end, (1.0, 3.0, 5.0))


def test_moments_across_the_director_turn_a_panel() -> None:
    """The angular momentum is that of the moment over time, of other plates about the normal as well."""
    for element, moment in ((None, (1.0, 3.0, 0)), (fx.elements.ANCFThinPlate(), (0, 3.0, 5.0))):
        body = panel(element)
        run = simulated(body, fx.Moment(body.at((0.5, 0, 0)), moment))
        np.testing.assert_allclose(run.momentum()[1][-1], 0.1 * np.array(moment), atol=1e-5)


@pytest.mark.parametrize("at", [EDGE, ROPE.end], ids=["shell", "cable"])
def test_moments_of_a_user_that_are_lost_are_told_once(at: Any) -> None:
    def push(p: Any, R: Any, twist: Any, t: float) -> Any:
        return np.array([[0, 0, 0, 5.0 * t, 1.0, 0]])

    with pytest.warns(
        fx.AccuracyWarning, match=r"part of \S+ about the (director|tangent), where a .* no meaning"
    ) as told:
        run = simulated(at.body, fx.UserForce([at], push, name="push"))
    assert len(told) == 1
    across = at.marker().rotation0()[:, 1]
    np.testing.assert_allclose(run.momentum()[1][-1], 0.1 * across, atol=1e-3)


def test_moments_of_a_user_across_the_director_are_taken() -> None:
    body = panel()
    force = fx.UserForce([body.at((0.5, 0, 0))], lambda p, R, twist, t: np.array([[0, 0, 0, 0, 5.0, 0]]))
    np.testing.assert_allclose(simulated(body, force).momentum()[1][-1], (0.5, 0, 0), atol=1e-5)


def test_a_compiled_moment_that_is_lost_is_told() -> None:
    from numba import njit

    @njit
    def push(p, R, twist, t):  # type: ignore[no-untyped-def]
        wrench = np.zeros((1, 6))
        wrench[0, 3] = 5.0
        return wrench

    with pytest.warns(fx.AccuracyWarning, match="about the director"):
        simulated(PANEL, fx.UserForce([EDGE], push), until=0.01)


def test_words_are_of_the_element() -> None:
    with pytest.raises(fx.ModelError, match="a shear shell carries no moment about its director"):
        fx.control.MomentActuator(EDGE)
    with pytest.raises(fx.ModelError, match="a spatial cable carries no moment about its tangent"):
        fx.control.MomentActuator(ROPE.end)
    with pytest.raises(fx.ModelError, match="the spin of a shear shell about its director has none"):
        fx.control.AngularVelocitySensor(EDGE)
    with pytest.raises(fx.ModelError, match="the spin of a spatial cable about its tangent has none"):
        fx.control.AngularVelocitySensor(ROPE.end)


# --- results ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "spin", "axis"), [(PANEL, SPIN, "director"), (ROPE, (3.0, 0, 0), "tangent")], ids=["shell", "cable"]
)
def test_rotations_that_are_not_known_are_told(body: Any, spin: Any, axis: str) -> None:
    at = body.node(1)
    run = simulated(body, fx.InitialVelocity(body, angular_velocity=spin), until=0.02)
    for ask in (run.rotation, run.angular_velocity):
        with pytest.warns(fx.AccuracyWarning, match=f"does not know its rotation about its {axis}") as told:
            ask(at)
        assert len(told) == 1
    with pytest.warns(fx.AccuracyWarning, match=f"{axis}: slope()"):
        run.to_dataframe((at, "angular_velocity"))
    np.testing.assert_allclose(run.slope(at)[-1], np.array(spin) / 3.0, atol=1e-9)


def test_rotations_that_are_known_are_not_spoken_of() -> None:
    body = panel(fx.elements.ANCFThinPlate())
    run = simulated(body, fx.InitialVelocity(body, angular_velocity=SPIN), until=0.02)
    at = body.at((0, 0, 0))
    np.testing.assert_allclose(run.angular_velocity(at)[-1], (3.0, 0, 0), atol=1e-4)
    run.rotation(at)


def test_pictures_of_followers_say_nothing() -> None:
    loads = [fx.PointForce(at, F, follower=True) for at, F in ((EDGE, (0, 0, 5.0)), (EDGE.marker(), (5.0, 0, 0)))]
    run = simulated(PANEL, *loads, until=0.02)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for load in range(2):
            shaft = load_lines(run, load, -1, 1.0)[0]
            assert shaft[1] - shaft[0] == pytest.approx((0, 0, np.linalg.norm(shaft[1] - shaft[0])), abs=1e-3)


def test_moments_on_point_masses_are_told() -> None:
    """A point has no orientation that a moment could turn."""
    mass = fx.PointMass(1.0, position=(0, 0, 0), name="mass")
    push = fx.UserForce([mass.centre], lambda p, R, twist, t: np.array([[1.0, 0, 0, 0, 0, 2.0]]), name="push")
    with pytest.warns(fx.AccuracyWarning, match=r"'push': at t = 0 it gives .*'mass' a moment.* the moment is lost"):
        fx.simulate(fx.Model(mass, push), 0.01, step=1e-3, progress=False)
