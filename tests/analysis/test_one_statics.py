"""The same equilibrium by every road: support or joint, marker or attachment, one system for all analyses."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import permutations
from typing import Any

import numpy as np
import pytest

import flexmbs as fx
from flexmbs.elements import (
    ANCFBeam,
    ANCFCable2D,
    CorotationalShell,
    GeometricallyExactBeam,
    LinearBeam2D,
    LinearBeam3D,
)

THICK = fx.BeamStiffness(
    EA=1e4, EI_y=2.0, EI_z=1.0, GJ=1.5, GA_y=4e3, GA_z=3e3, mass_per_length=1.2, rhoI_y=3e-3, rhoI_z=4e-3
)
BEAMS = [ANCFCable2D(), LinearBeam2D(), ANCFBeam(), GeometricallyExactBeam(), LinearBeam3D()]
IDS = [type(e).__name__ for e in BEAMS]


def beam(element: Any) -> fx.FlexibleBody:
    dim = element.layout.dim
    return fx.FlexibleBody.line((0,) * dim, (1, 0, 0)[:dim], elements=6, element=element, stiffness=THICK, name="beam")


def across(body: fx.FlexibleBody, *components: float) -> tuple[float, ...]:
    return components[: body.mesh.dim]


@pytest.mark.filterwarnings("ignore:Body .* turns by")
@pytest.mark.parametrize("element", BEAMS, ids=IDS)
def test_a_beam_by_a_clamp_and_by_a_fixed_joint(element: Any) -> None:
    """Equilibrium, reaction and stability; the rotations of a node with directors are its own at a clamp."""
    body = beam(element)
    load = fx.PointForce(body.end, across(body, -0.3, 0.8, 0.4))
    by_support = fx.solve_static(fx.Model(body, fx.Clamp(body.start), load))
    by_joint = fx.solve_static(fx.Model(body, fx.FixedJoint(fx.ground, body.start, name="root"), load))
    np.testing.assert_allclose(by_joint.position(body.end, step=-1), by_support.position(body.end, step=-1), atol=1e-9)
    np.testing.assert_allclose(by_joint.reaction("root")[-1], by_support.reaction(body.start)[-1], atol=1e-7)
    assert by_joint.stable.all()
    assert by_support.stable.all()
    assert by_joint.free == by_support.free == ()


@pytest.mark.parametrize(
    "element", [ANCFCable2D(), ANCFBeam(), GeometricallyExactBeam()], ids=lambda e: type(e).__name__
)
@pytest.mark.parametrize("share", [0.9, 1.1])
def test_a_column_buckles_by_a_clamp_and_by_a_fixed_joint(element: Any, share: float) -> None:
    """A compressed cantilever; shear and stretch move the critical load by less than a tenth of a percent."""
    body = beam(element)
    critical = np.pi**2 / 4.0  # of EI_z = 1, the softer one
    load = fx.PointForce(body.end, across(body, -share * critical, 0.0, 0.0))
    for root in (fx.Clamp(body.start), fx.FixedJoint(fx.ground, body.start, name="root")):
        model = fx.Model(body, root, load)
        if share < 1.0:
            found = fx.solve_static(model)
            assert found.stable.all()
            continue
        with pytest.warns(RuntimeWarning, match="unstable from load factor"):
            found = fx.solve_static(model)
        first = found.load_factors[int(np.argmin(found.stable))]
        assert first == pytest.approx(1.0 / share, rel=0.03)


def test_a_plate_by_a_clamp_and_by_fixed_joints() -> None:
    """Both hold positions and rotations of all nodes of an edge."""
    plate = fx.FlexibleBody.plate(
        (1, 1),
        elements=(4, 4),
        element=CorotationalShell(),
        section=fx.ShellSection(0.01),
        material=fx.steel,
        name="plate",
    )
    tip = plate.at((1, 1, 0))
    load = fx.PointForce(tip, (0, 0, 100.0))
    edge = [plate.node(n) for n in plate.set("left").nodes]
    joints = [fx.FixedJoint(fx.ground, node, name=f"root {i}") for i, node in enumerate(edge)]
    by_support = fx.solve_static(fx.Model(plate, fx.Clamp(plate.set("left")), load))
    by_joint = fx.solve_static(fx.Model(plate, *joints, load))
    down = by_support.displacement(tip, step=-1)[2]
    assert by_joint.displacement(tip, step=-1)[2] == pytest.approx(down, rel=1e-8)
    force = sum(by_joint.reaction(joint)[-1] for joint in joints)
    np.testing.assert_allclose(force, [0, 0, -100.0], atol=1e-6)
    np.testing.assert_allclose(by_support.reaction(plate.set("left"))[-1], [0, 0, -100.0], atol=1e-6)
    assert by_joint.stable.all()
    assert by_support.stable.all()


@cache
def bar() -> fx.reduction.ReducedModel:
    """A bar of shells with rigid ends."""
    mesh = fx.meshes.rectangle((0.0, 0.0), (1.0, 0.1), (8, 1), "quad").in_space()
    soft = fx.Elastic(youngs_modulus=2e9, poissons_ratio=0.3, density=1200.0)
    part = fx.linear.Part(
        mesh, regions=[fx.linear.Region(None, fx.elements.ShellQuad(thickness=0.02), soft)], name="bar"
    )
    return fx.reduction.reduce(part, ["left", "right"], 3, progress=False)


@pytest.mark.parametrize("body", [fx.LinearBody, fx.FloatingBody])
def test_a_reduced_part_by_what_is_fixed_and_by_a_joint(body: Callable[..., Any]) -> None:
    """The interface taken out of the equations, and the interface on a joint to the ground."""
    weight = fx.Gravity((0.0, 0.0, -9.81))
    held = fx.LinearBody(bar(), fixed="left", name="held")
    by_support = fx.solve_static(fx.Model(held, weight))
    joined = body(bar(), name="joined")
    root = fx.FixedJoint(fx.ground, joined.interface("left"), name="root")
    by_joint = fx.solve_static(fx.Model(joined, root, weight))
    down = by_support.position(held.interface("right"), step=-1)
    tip = by_joint.position(joined.interface("right"), step=-1)
    sag = abs(down[2])
    assert 1e-4 < sag < 0.1
    # a floating body shortens its projection and turns its shapes: of second order in the slope
    np.testing.assert_allclose(tip, down, atol=1e-9 if body is fx.LinearBody else 5.0 * sag**2)
    assert by_joint.reaction(root)[-1, 2] == pytest.approx(9.81 * 1.0 * 0.1 * 0.02 * 1200.0, rel=1e-6)
    assert by_joint.stable.all()
    assert by_support.stable.all()


@pytest.mark.parametrize(
    "element", [ANCFCable2D(), ANCFBeam(), GeometricallyExactBeam()], ids=lambda e: type(e).__name__
)
@pytest.mark.parametrize("kind", ["force", "follower", "moment"])
def test_a_load_on_a_marker_acts_as_on_the_node(element: Any, kind: str) -> None:
    """In statics, in the modes about the equilibrium, and in time, with supports alone."""
    body = beam(element)

    def load(at: Any) -> Any:
        if kind == "moment":
            return fx.Moment(at, 0.4 if body.mesh.dim == 2 else (0.0, 0.0, 0.4))
        return fx.PointForce(at, across(body, 0.0, 0.6, 0.0), follower=kind == "follower")

    rest, motion, omega = [], [], []
    for at in (body.end, body.end.marker()):
        model = fx.Model(body, fx.Clamp(body.start), load(at))
        found = fx.solve_static(model)
        assert found.stable.all()
        rest.append(found.position(body.end, step=-1))
        omega.append(fx.solve_modal(found, modes=3).angular_frequencies)
        run = fx.simulate(model, until=0.1, step=5e-3)
        motion.append(run.position(body.end)[-1])
    assert np.linalg.norm(rest[0] - (1, 0, 0)) > 0.1
    np.testing.assert_allclose(rest[1], rest[0], atol=1e-9)
    np.testing.assert_allclose(omega[1], omega[0], rtol=1e-6)
    np.testing.assert_allclose(motion[1], motion[0], atol=1e-7)


@pytest.mark.parametrize("follower", [False, True])
@pytest.mark.parametrize("viscosity", [0.0, 1e-3])
def test_one_system_for_all_analyses_in_any_order(follower: bool, viscosity: float) -> None:
    stiffness = fx.BeamStiffness(EA=1e5, EI_z=1.0, mass_per_length=1.0, retardation_time=viscosity)
    body = fx.FlexibleBody.line((0, 0), (1, 0), elements=4, element=ANCFCable2D(), stiffness=stiffness, name="b")
    model = fx.Model(body, fx.Clamp(body.start), fx.PointForce(body.end, (0, 1.0), follower=follower))
    analyses: dict[str, Callable[[Any], Any]] = {
        "statics": lambda s: fx.solve_static(s).q[-1],
        "modes": lambda s: fx.solve_modal(fx.solve_static(s), modes=3).eigenvalues,
        "motion": lambda s: fx.simulate(s, until=0.01, step=1e-3).q[-1],
    }
    fresh = {name: analysis(fx.compile_model(model)) for name, analysis in analyses.items()}
    for order in permutations(analyses):
        system = fx.compile_model(model)
        for name in order:
            np.testing.assert_array_equal(analyses[name](system), fresh[name])


def test_supports_move_beside_joints() -> None:
    """A beam between a moved end and a hinge on the ground, against the hinge as a pin."""
    body = beam(ANCFCable2D())
    moved = fx.Prescribe(body.start, (0.1, 0.2), rotation=0.5)
    load = fx.PointForce(body.node(3), (0.0, -1.0))
    by_support = fx.solve_static(fx.Model(body, moved, fx.Pin(body.end), load))
    by_joint = fx.solve_static(fx.Model(body, moved, fx.RevoluteJoint(fx.ground, body.end, name="pivot"), load))
    middle = body.node(3)
    np.testing.assert_allclose(by_joint.position(middle, step=-1), by_support.position(middle, step=-1), atol=1e-9)
    np.testing.assert_allclose(by_joint.reaction("pivot")[-1], by_support.reaction(body.end)[-1], atol=1e-6)
    np.testing.assert_allclose(by_joint.reaction(body.start)[-1], by_support.reaction(body.start)[-1], atol=1e-6)
