"""Resultants of the fully parameterised beam where they are told by default, against equilibrium of the cut beam."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import flexmbs as fx

SYMBOLS = "N", "Q_y", "Q_z", "M_x", "M_y", "M_z"
SOFT = fx.Elastic(youngs_modulus=2e7, poissons_ratio=0.3, density=1000.0)


def errors(elements: int, height: float, mesh: fx.Mesh | None = None, **choices: Any) -> np.ndarray:
    """Largest errors (6,) over the load of a cantilever whose tip moves by some tenths of its length."""
    force = np.array([2.0, -3.0, 4.0]) * (height / 0.04) ** 3
    mesh = fx.meshes.line((0, 0, 0), (1, 0, 0), elements) if mesh is None else mesh
    body = fx.FlexibleBody(
        mesh, fx.elements.ANCFBeamFullyParameterized(**choices), name="beam", material=SOFT,
        section=fx.Rectangle(width=1.5 * height, height=height),
    )  # fmt: skip
    solution = fx.solve_static(fx.Model(body, fx.Clamp(body.start), fx.PointForce(body.end, force.tolist())))
    assert np.linalg.norm(solution.displacement(body.end, step=-1)) > 0.1
    nodes = solution.q[-1].reshape(-1, 4, 3)[body.cells]
    d2, d3 = nodes[:, :, 2].mean(axis=1), nodes[:, :, 3].mean(axis=1)  # linear between the nodes
    t3, t1 = d3 / np.linalg.norm(d3, axis=-1)[:, None], np.cross(d2, d3)
    t1 /= np.linalg.norm(t1, axis=-1)[:, None]
    axes = np.stack((t1, np.cross(t3, t1), t3))
    middle = solution.shape(body, step=-1, points=3)[:, 1]
    moment = np.cross(solution.position(body.end, step=-1).ravel() - middle, force)
    exact = np.concatenate((axes @ force, (axes * moment).sum(axis=-1)))
    found = np.array([solution.resultant(body, symbol, step=-1) for symbol in SYMBOLS])[..., 0]
    return np.asarray(np.abs(found - exact).max(axis=1) / np.linalg.norm(force))


@pytest.mark.parametrize("height", [0.04, 0.01])
@pytest.mark.parametrize("split", [True, False])
def test_nodal_elements_are_in_equilibrium_at_every_cut(height: float, split: bool) -> None:
    """Forces to round-off, which is that of EA, 1e4 to 1e6 times the load; moments of second order in the length."""
    coarse, fine = (errors(n, height, split=split) for n in (8, 16))
    assert fine[:3].max() < 1e-8
    assert fine[3:].max() < 2e-3
    assert np.log2(coarse[3:].max() / fine[3:].max()) > 1.7


def test_curved_elements_are_in_equilibrium_at_every_cut() -> None:
    arc = fx.meshes.arc((0, 0, 0), radius=1.0, start_angle=0.0, end_angle=1.2, elements=8).in_space()
    found = errors(8, 0.04, arc)
    assert found[:3].max() < 1e-8
    assert found[3:].max() < 5e-3


@pytest.mark.parametrize("split", [True, False])
def test_elements_that_lock_converge(split: bool) -> None:
    coarse, fine = (errors(n, 0.04, split=split, nodal=False, torsion=False) for n in (8, 16))
    assert (fine < 0.6 * coarse).all()
    assert fine.max() < 0.01


def test_viscous_forces_of_the_axis_are_told() -> None:
    """Stretched at the rate e, with strain zero: N = tau EA e where the section narrows as Poisson's ratio says."""
    tau, rate, nu = 0.01, 0.3, 0.3
    section = fx.Rectangle(width=0.06, height=0.04)
    material = fx.Elastic(youngs_modulus=2e7, poissons_ratio=nu, density=1000.0, retardation_time=tau)
    body = fx.FlexibleBody.line(
        (0, 0, 0), (1, 0, 0), elements=2, element=fx.elements.ANCFBeamFullyParameterized(poissons_ratio=nu),
        section=section, material=material, name="beam",
    )  # fmt: skip
    system = fx.compile_model(fx.Model(body))
    q = system.coordinates.reference
    narrowing = np.array([1.0, 1.0, -nu, -nu])[:, None]
    v = (rate * narrowing * q.reshape(-1, 4, 3)).ravel()
    v.reshape(-1, 4, 3)[:, 0, 1:] = 0.0
    found = body.element.stress_resultants(system.group(body), q, v, np.linspace(-1.0, 1.0, 5))
    exact = tau * 2e7 * section.area * rate
    np.testing.assert_allclose(found[..., 0], exact, rtol=1e-9)
    np.testing.assert_allclose(found[..., 1:], 0.0, atol=1e-9 * exact)
