"""Elastic supports: their energy is in one place, whatever the element that they hold."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import flexmbs as fx

MATERIAL = fx.Elastic(youngs_modulus=2e7, poissons_ratio=0.3, density=1000.0)
E = fx.elements
STIFFNESS = 100.0


def line(element: E.Element, dim: int) -> fx.FlexibleBody:
    return fx.FlexibleBody.line(
        (0.0,) * dim, (1.0, *(0.0,) * (dim - 1)), elements=4, element=element, material=MATERIAL,
        section=fx.Circle(diameter=0.05), name="beam",
    )  # fmt: skip


def surface(element: E.SurfaceElement) -> fx.FlexibleBody:
    return fx.FlexibleBody.plate(
        (1.0, 0.2), elements=(4, 1), element=element, material=MATERIAL, section=fx.ShellSection(0.03), name="plate"
    )


BODIES: dict[str, Callable[[], fx.FlexibleBody]] = {
    "planar cable": lambda: line(E.ANCFCable2D(), 2),
    "cable": lambda: line(E.ANCFCable3D(), 3),
    "directors": lambda: line(E.ANCFBeam(), 3),
    "exact": lambda: line(E.GeometricallyExactBeam(), 3),
    "shell": lambda: surface(E.ANCFShell()),
    "corotational": lambda: surface(E.CorotationalShell()),
}


@pytest.mark.parametrize("name", BODIES)
def test_energy_of_supports_is_in_springs(name: str) -> None:
    """It is k u^2/2; nothing is in the potential, nothing is dissipated, and the account closes."""
    body = BODIES[name]()
    held, end = (body.set("left"), body.set("right")) if body.surface else (body.start, body.end)
    dim = body.mesh.dim
    spin = fx.InitialVelocity(body, angular_velocity=1.0 if dim == 2 else (0.0, 1.0, 0.0))
    support = fx.ElasticSupport(end, (STIFFNESS,) * dim)
    run = fx.simulate(fx.Model(body, fx.Pin(held), support, spin), 0.1, step=5e-4)
    u = run.displacement(end).reshape(len(run), -1)
    exact = 0.5 * STIFFNESS * (u**2).sum(axis=1)
    size = run.energy.total[0]
    assert exact.max() > 1e-2 * size
    np.testing.assert_allclose(run.energy.springs, exact, atol=1e-9 * size)
    np.testing.assert_array_equal(run.energy.potential, 0.0)
    assert np.abs(run.energy.dissipated).max() < 1e-4 * size
    assert np.abs(run.energy.balance).max() < 1e-2 * size


def test_account_goes_on_over_runs() -> None:
    body = BODIES["cable"]()
    spin = fx.InitialVelocity(body, angular_velocity=(0.0, 0.5, 1.0))
    model = fx.Model(body, fx.Pin(body.start), fx.ElasticSupport(body.end, (STIFFNESS,) * 3), spin)
    whole = fx.simulate(model, 0.1, step=5e-4)
    first = fx.simulate(model, 0.05, step=5e-4)
    both = fx.concatenate(first, fx.simulate(model, 0.1, step=5e-4, start=first))
    size = np.abs(whole.energy.kinetic).max()
    np.testing.assert_allclose(both.energy.dissipated, whole.energy.dissipated, rtol=0.0, atol=1e-12 * size)
    np.testing.assert_allclose(both.energy.balance, whole.energy.balance, rtol=0.0, atol=1e-12 * size)
