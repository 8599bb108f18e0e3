"""Backward differentiation takes the order that the damping of the bodies allows."""

from __future__ import annotations

import math
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import flexmbs as fx
from flexmbs.dynamics.evaluation import Dynamics
from flexmbs.integrators.bdf import LEAST_DAMPING
from flexmbs.system.groups.substructures import _least_ratio

SOFT = fx.Elastic(youngs_modulus=2e7, poissons_ratio=0.3, density=1000.0)
SECTION = fx.Rectangle(width=0.06, height=0.04)
FRAME = fx.elements.Frame(section=SECTION, up=(0, 0, 1))


def reduced() -> fx.reduction.ReducedModel:
    mesh = fx.meshes.line((0, 0, 0), (1, 0, 0), 4)
    part = fx.linear.Part(mesh, material=SOFT, name="rod", regions=[fx.linear.Region(None, FRAME, SOFT)])
    return fx.reduction.reduce(part, ["start", "end"], modes=4)


def bent(modes: int) -> list[float]:
    return [0.002] + [0.0] * (modes - 1)


def floating(damping: float = 0.0) -> fx.Model:
    rod = reduced()
    modes = fx.FloatingBody(rod).modes
    return fx.Model(fx.FloatingBody(rod, damping=damping, deformation=bent(modes)))


def linear(damping: float = 0.0) -> fx.Model:
    rod = reduced()
    modes = fx.LinearBody(rod, fixed="start").modes
    return fx.Model(fx.LinearBody(rod, fixed="start", damping=damping, deformation=bent(modes)))


def link(damping: float = 0.0) -> fx.Model:
    rod, t = reduced(), fx.trees
    modes = fx.FloatingBody(rod, reference="start").modes
    hinge = t.Revolute((0, 0, 1))
    own = t.FlexibleLink("rod", rod, "start", None, hinge, damping=damping, rate=(1.0,), deformation=bent(modes))
    return fx.Model(t.Tree(own, name="arm"))


def substructures(damping: float = 0.0) -> fx.Model:
    a = fx.RigidBody(0.5, (0.02, 0.03, 0.02), name="A")
    b = fx.RigidBody(0.4, (0.02, 0.01, 0.02), position=(1, 0, 0), angular_velocity=(0, -0.5, 0), name="B")
    rod = fx.Substructure(reduced(), a, b, interfaces=("start", "end"), ratio=damping)
    return fx.Model(a, b, rod)


def cable(damping: float = 0.0, *more: Callable[[fx.FlexibleBody], Any], element: Any = None) -> fx.Model:
    stiffness = fx.BeamStiffness(EA=1e3, EI_z=1.0, mass_per_length=1.0, retardation_time=damping)
    body = fx.FlexibleBody.line(
        (0, 0), (1, 0), elements=4, element=element or fx.elements.ANCFCable2D(), stiffness=stiffness, name="cable"
    )  # fmt: skip
    return fx.Model(body, fx.Clamp(body.start), fx.Gravity((0.0, -9.81)), *(make(body) for make in more))


def order(model: fx.Model, scheme: fx.BDF | None = None) -> int:
    return (scheme or fx.BDF()).order_for(Dynamics(fx.compile_model(model)))


@pytest.mark.parametrize("k", [3, 4, 5])
def test_angles_of_stability(k: int) -> None:
    """The root locus of the formulas, z = sum of (1 - exp(-i t))^j / j, touches the angle of stability."""
    t = np.linspace(1e-3, np.pi, 200_000)
    z = sum((1.0 - np.exp(-1j * t)) ** j / j for j in range(1, k + 1))
    ratio = -z.real / np.abs(z)
    assert LEAST_DAMPING[k] == pytest.approx(ratio.max(), abs=2e-4)


@pytest.mark.parametrize("build", [floating, linear, link, substructures])
def test_reduced_bodies_by_their_damping(build: Callable[[float], fx.Model]) -> None:
    for damping, expected in ((0.0, 2), (0.02, 2), (0.1, 3), (0.4, 4), (0.7, 5)):
        model = build(damping)
        assert fx.compile_model(model).damping_ratio == pytest.approx(damping, rel=1e-6)
        assert order(model) == expected
    assert order(build(0.0), fx.BDF(max_order=4)) == 4


def test_elements_by_their_damping() -> None:
    assert order(cable()) == 2
    assert order(cable(1e-3)) == 5
    assert order(cable(0.0, lambda body: fx.RayleighDamping(body, stiffness=1e-3))) == 5
    # alpha/(2 w) is small for fast vibrations
    assert order(cable(0.0, lambda body: fx.RayleighDamping(body, mass=0.5))) == 2
    # springs of supports and loads are none of the body
    assert order(cable(1e-3, lambda body: fx.ElasticSupport(body.end, (1.0, 1.0)))) == 5


class Elastic(fx.elements.ANCFCable2D):
    """Says that its material has no damping."""

    viscous = False


def test_elements_say_whether_they_are_damped() -> None:
    assert order(cable(0.0, element=Elastic())) == 2
    with pytest.raises(fx.ModelError, match="no material damping"):
        cable(1e-3, element=Elastic())
    with pytest.raises(fx.ModelError, match="no material damping"):
        order(cable(0.0, lambda body: fx.RayleighDamping(body, stiffness=1e-3), element=Elastic()))


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("seed", range(5))
def test_substructures_without_some_stiffness(seed: int) -> None:
    """Frequencies of zero, whose squares come out of round-off, do not count: D = 2 z M w for the others."""
    turn = np.linalg.qr(np.random.default_rng(seed).normal(size=(6, 6)))[0]
    w = np.array([0.0, 0.0, 3.0, 10.0, 40.0, 200.0])
    stiffness, viscosity = ((turn * d) @ turn.T for d in (w**2, 2.0 * 0.05 * w))
    body = SimpleNamespace(stiffness=stiffness, viscosity=viscosity, inertia=SimpleNamespace(modal_mass=np.eye(6)))
    assert _least_ratio(body) == pytest.approx(0.05, rel=1e-6)


def test_bodies_that_do_not_deform() -> None:
    ball = fx.PointMass(1.0, position=(1.0, 0.0), name="ball")
    spring = fx.SpringDamper(fx.ground.marker_at((0.0, 0.0)), ball.centre, stiffness=1e3, name="spring")
    model = fx.Model(ball, spring)
    assert math.isinf(fx.compile_model(model).damping_ratio)
    assert order(model) == 5


@pytest.mark.parametrize("build", [floating, linear, link, substructures])
def test_undamped_bodies_gain_no_energy(build: Callable[[], fx.Model]) -> None:
    """Order 2 is stable on the whole imaginary axis and damps: energy is at most that of the start."""
    run = fx.simulate(build(), 0.3, step=2e-3, integrator=fx.BDF())
    assert "steps_of_order_3" not in run.counts
    assert run.energy.total.max() < 1.002 * run.energy.total[0]  # rods turn by 1 rad/s: not linear


def test_damping_in_proportion_to_the_mass_does_not_help_order_five() -> None:
    """Over 0.3 s it damps by 7 %; what order 5 does to fast vibrations in that time is without bound."""

    def model() -> fx.Model:
        return cable(0.0, lambda body: fx.RayleighDamping(body, mass=0.5))

    with pytest.warns(fx.AccuracyWarning, match="energy from nowhere"), pytest.raises(fx.ConvergenceError):
        fx.simulate(model(), 0.3, step=5e-3, integrator=fx.BDF(max_order=5))
    run = fx.simulate(model(), 0.3, step=5e-3, integrator=fx.BDF())
    assert run.energy.balance.max() < 1e-6 * run.energy.kinetic.max()


def test_energy_gained_by_high_orders_is_told() -> None:
    with pytest.warns(fx.AccuracyWarning, match=r"energy from nowhere.* may .*BDF\(max_order=2\)"):
        fx.simulate(floating(), 0.3, step=2e-3, integrator=fx.BDF(max_order=5))


def test_order_three_is_not_used_with_error_control() -> None:
    run = fx.simulate(cable(), 0.1, step=fx.ErrorControl(rtol=1e-5), integrator=fx.BDF())
    assert "steps_of_order_3" not in run.counts
