"""Bodies of small rotations that turned far are told, with the error that was measured at the limit."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy.integrate import solve_bvp

import flexmbs as fx
from flexmbs.core.errors import AccuracyWarning

EI = 1.0
SECTION = fx.BeamStiffness(EA=1e6, EI_y=EI, EI_z=EI, GJ=1.0, mass_per_length=0.1, rhoI_y=1e-4, rhoI_z=1e-4)
FAR, NEAR = 0.53, 0.4
"""Forces at the end of a cantilever of 1 m whose end turns by 0.26 and 0.20 rad."""


def elastica(force: float) -> tuple[float, float]:
    """Deflection and slope of the end of an inextensible cantilever."""

    def slopes(s, y):
        return np.vstack((y[1], -force * np.cos(y[0]) / EI))

    s = np.linspace(0.0, 1.0, 51)
    found = solve_bvp(slopes, lambda a, b: np.array([a[0], b[1]]), s, np.vstack((force * s, force * (1 - s))), tol=1e-9)
    along = np.linspace(0.0, 1.0, 2001)
    angle = found.sol(along)[0]
    return float(np.trapezoid(np.sin(angle), along)), float(angle[-1])


def planar(force: float) -> fx.Model:
    rod = fx.FlexibleBody.line(
        (0, 0), (1, 0), elements=2, element=fx.elements.LinearBeam2D(), stiffness=SECTION, name="rod"
    )
    return fx.Model(rod, fx.Clamp(rod.start), fx.PointForce(rod.end, (0, force)))


def spatial(force: float) -> fx.Model:
    rod = fx.FlexibleBody.line(
        (0, 0, 0), (1, 0, 0), elements=2, element=fx.elements.LinearBeam3D(), stiffness=SECTION, name="rod"
    )
    return fx.Model(rod, fx.Clamp(rod.start), fx.PointForce(rod.end, (0, 0, force)))


def reduced(stiffened: bool = False) -> fx.reduction.ReducedModel:
    mesh = fx.meshes.line((0, 0, 0), (1, 0, 0), 6)
    part = fx.linear.Part(mesh, regions=[fx.linear.Region(None, fx.elements.Frame(section=SECTION), None)])
    return fx.reduction.reduce(part, ["start", "end"], 2, geometric_stiffening=stiffened, progress=False)


def floating(force: float, stiffened: bool = False) -> fx.Model:
    rod = fx.FloatingBody(reduced(stiffened), reference="start", name="rod")
    held = fx.FixedJoint(fx.ground, rod.interface("start"))
    return fx.Model(rod, held, fx.PointForce(rod.interface("end"), (0, force, 0)))


def linear(force: float) -> fx.Model:
    rod = fx.LinearBody(reduced(), fixed="start", name="rod")
    return fx.Model(rod, fx.PointForce(rod.interface("end"), (0, force, 0)))


MODELS = {"planar": planar, "spatial": spatial, "floating": floating, "stiffened": lambda f: floating(f, True),
          "linear": linear}  # fmt: skip


@pytest.mark.parametrize("kind", MODELS)
def test_equilibria_tell_where_a_body_turned_too_far(kind: str) -> None:
    deflection, slope = elastica(FAR)
    with pytest.warns(AccuracyWarning, match=r"'rod': .* turns by 0\.26\d rad at load factor 1, .* linear"):
        solution = fx.solve_static(MODELS[kind](FAR))
    at = solution.model.bodies[0]
    end = at.end if hasattr(at, "end") else at.interface("end")
    deflected = np.abs(solution.position(end, step=-1) - [1.0, 0.0, 0.0])[1:].max()
    assert 0.02 < deflected / deflection - 1.0 < 0.04  # as the message says
    assert 0.25 < slope < 0.27


@pytest.mark.parametrize("kind", MODELS)
def test_nothing_is_said_of_what_turned_little(kind: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", AccuracyWarning)
        fx.solve_static(MODELS[kind](NEAR))


def test_motions_tell_when_it_was_farthest() -> None:
    stiff = fx.BeamStiffness(EA=1e6, EI_z=1e3, mass_per_length=0.1)
    rod = fx.FlexibleBody.line(
        (0, 0), (1, 0), elements=1, element=fx.elements.LinearBeam2D(), stiffness=stiff, name="rod"
    )
    hinge = fx.RevoluteJoint(fx.ground, rod.start, at=(0, 0))
    there_and_back = fx.motions.Sine(0.6, frequency=1.0)
    model = fx.Model(rod, hinge, fx.RotationDriver(hinge, there_and_back))
    with pytest.warns(AccuracyWarning, match=r"turns by 0\.6\d* rad at t = 0\.2[3-7]"):
        fx.simulate(model, until=0.5, step=0.01)


def test_a_linear_body_that_turns_as_a_whole_is_to_float() -> None:
    body = fx.LinearBody(reduced(), name="part")
    hinge = fx.RevoluteJoint(fx.ground, body.interface("start", axis=(0, 0, 1)), name="hinge")
    turn = fx.RotationDriver(hinge, fx.motions.Ramp(0.0, 0.4, duration=0.5))
    with pytest.warns(AccuracyWarning, match=r"'part': .* turns by .*Take a FloatingBody"):
        fx.simulate(fx.Model(body, hinge, turn), until=0.5, step=0.01)


@pytest.mark.filterwarnings("ignore:.*Without geometric")
def test_links_of_trees_and_large_rotations_of_absolute_nodes() -> None:
    root = fx.trees.FlexibleLink("rod", reduced(), "start", joint=fx.trees.Revolute((0, 0, 1)))
    tree = fx.trees.Tree(root)
    link = tree.bodies[0]
    with pytest.warns(AccuracyWarning, match="'rod': interface 'end' turns by"):
        fx.simulate(fx.Model(tree, fx.PointForce(link.interface("end"), (0, 20.0, 0))), until=0.2, step=2e-3)
    cable = fx.FlexibleBody.line(
        (0, 0), (1, 0), elements=4, element=fx.elements.ANCFCable2D(), stiffness=SECTION, name="rod"
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error", AccuracyWarning)
        fx.solve_static(fx.Model(cable, fx.Clamp(cable.start), fx.PointForce(cable.end, (0, 2.0))))


def test_paths_tell_where_on_them() -> None:
    with pytest.warns(AccuracyWarning, match=r"'rod': interface 'end' turns by 0\.5 rad at load factor = 2\b"):
        fx.trace_static(floating(0.5), until=2.0)
