"""Errors of a mechanism that nothing joins to a far larger one are compared with its own size."""

from __future__ import annotations

import numpy as np
import pytest

import flexmbs as fx

TINY, LARGE = 1e-3, 3.0


def pendulum(length: float, x: float, name: str) -> tuple[fx.PlanarRigidBody, fx.RevoluteJoint]:
    rod = fx.PlanarRigidBody(1.0, length**2 / 12.0, position=(x + length / 2.0, 0.0), name=name)
    return rod, fx.RevoluteJoint(fx.ground, rod, at=(x, 0.0), name=f"hinge of {name}")


def moved(*parts: object, until: float = 0.3, **options: object) -> fx.TimeSolution:
    return fx.simulate(fx.Model(*parts, fx.Gravity((0.0, -9.81))), until, progress=False, **options)


@pytest.mark.parametrize("scheme", [fx.GeneralizedAlpha, fx.RungeKutta, fx.BDF])
def test_a_tiny_pendulum_beside_a_large_one_is_as_good_as_alone(scheme: type) -> None:
    tiny, large = pendulum(TINY, 1.0, "tiny"), pendulum(LARGE, 0.0, "large")
    exact = moved(*tiny, integrator=fx.RungeKutta(), step=fx.ErrorControl(rtol=1e-11)).angle("hinge of tiny")[-1]
    alone = moved(*tiny, integrator=scheme())
    both = moved(*large, *tiny, integrator=scheme())
    error = abs(both.angle("hinge of tiny")[-1] - exact)
    assert error < 10.0 * abs(alone.angle("hinge of tiny")[-1] - exact) + 1e-5
    assert error < 5e-3
    assert len(both.steps) < 1.5 * len(alone.steps)


def test_what_is_joined_or_of_one_size_counts_by_the_model() -> None:
    """A tiny pendulum at the end of the large one, by a hinge or a spring, and one that is half as large beside it."""
    large, half = pendulum(LARGE, 0.0, "large"), pendulum(0.5 * LARGE, 1.0, "half")
    tiny, hinge = pendulum(TINY, LARGE, "tiny")
    on = fx.RevoluteJoint(large[0], tiny, at=(LARGE, 0.0), name="on")
    spring = fx.SpringDamper(large[0].marker((0, 0)), tiny.centre, stiffness=1.0, name="spring")

    def sizes(*parts: object) -> dict[str, float]:
        """sqrt(sum m s^2) of each body, of 1 kg, over the size of the model, for its two translations."""
        system = fx.compile_model(fx.Model(*parts, fx.Gravity((0.0, -9.81))))
        body, found = system.body_sizes
        rows = {b.name: body[system.coordinates.velocities(b)[0]] for b in system.model.bodies}
        return {name: float(np.sqrt(0.5 * found[row])) / system.length for name, row in rows.items()}

    assert sizes(*large, tiny, on)["tiny"] == pytest.approx(1.0, rel=1e-6)
    assert sizes(*large, tiny, hinge, spring)["tiny"] == pytest.approx(1.0, rel=1e-6)
    assert 0.9 < sizes(*large, *half)["half"] < 1.1
    alone = sizes(*large, tiny, hinge)
    assert 0.9 < alone["large"] < 1.1
    assert 0.1 * TINY < alone["tiny"] * LARGE < 2.0 * TINY
    ball = fx.PointMass(1.0, position=(0.0, 1.0), name="ball")  # which has no extent
    assert sizes(*large, ball)["ball"] == pytest.approx(1.0)
