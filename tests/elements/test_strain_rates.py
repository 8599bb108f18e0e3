"""The viscous part of stress resultants: tau times the rate of the elastic part, whatever else is in the model."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import flexmbs as fx
from flexmbs.elements import ALL
from flexmbs.kernels.steps import retract

TAU = 0.1
every_element = pytest.mark.parametrize("element", ALL, ids=lambda e: e.name)


def sample(element: Any, tau: float, unit: float = 1.0, away: float = 0.0, *others: Any) -> fx.Model:
    """One body of a length of one, in a unit of length that goes ``unit`` times into it; forces are the same."""
    dim = element.layout.dim
    start = np.array([away, 0.0, 0.0][:dim]) * unit
    if element.cell_type == "quad":
        material = fx.Elastic(
            youngs_modulus=1e4 / unit**2, poissons_ratio=0.3, density=40.0 / unit**4, retardation_time=tau
        )
        section = fx.ShellSection(0.1 * unit)
        body = fx.FlexibleBody.plate(
            (unit, 0.8 * unit), elements=(2, 2), element=element, section=section, material=material,
            corner=tuple(start), name="sample",
        )  # fmt: skip
    else:
        stiffness = fx.BeamStiffness(
            EA=700.0, EI_z=3.0 * unit**2, mass_per_length=1.3 / unit**2, GJ=2.0 * unit**2, GA_y=90.0, GA_z=60.0,
            rhoI_y=0.02, rhoI_z=0.03, retardation_time=tau,
        )  # fmt: skip
        end = start + np.array([0.6, 0.48, 0.64][:dim] if dim == 3 else [0.6, 0.8]) * unit
        body = fx.FlexibleBody.line(
            tuple(start), tuple(end), elements=2, element=element, stiffness=stiffness, name="sample"
        )
    return fx.Model(body, *others)


def resultants(model: fx.Model, q: Any, v: Any, unit: float = 1.0) -> np.ndarray:
    """All of the body, (n_e, n_s, k), as they are in units of one."""
    system = fx.compile_model(model)
    body = model.body("sample")
    where = body.element.accurate_points(body.element.resultants[0].symbol)
    found = body.element.stress_resultants(system.group(body), q, v, where)
    lengths = [(r.symbol[0] == "M") - body.surface for r in body.element.resultants]
    return np.asarray(found / np.power(unit, np.array(lengths, dtype=float)))


def motion(model: fx.Model, unit: float = 1.0, seed: int = 3) -> tuple[Any, Any]:
    """A bent state and its velocities, which scale with the unit."""
    coordinates = fx.compile_model(model).coordinates
    layout = model.body("sample").element.layout
    rng = np.random.default_rng(seed)
    dofs = coordinates.node_dofs[0]
    step, v = (np.zeros(coordinates.n_v) for _ in range(2))
    q = np.array(coordinates.reference, dtype=float)
    scale = np.ones(dofs.shape[1])
    scale[: layout.dim] = unit  # positions come first
    if isinstance(model.body("sample").element, fx.elements.ANCFThinPlate) and len(scale) == 12:
        scale[9:] = 1.0 / unit  # mixed slopes
    for target in (step, v):
        target[dofs] = 0.02 * scale * rng.standard_normal(dofs.shape)
    out = np.empty_like(q)
    retract(q, step, coordinates.n_linear, out)
    return out, v


@pytest.mark.parametrize("element", [e for e in ALL if e.name != "continuum beam"], ids=lambda e: e.name)
def test_viscous_resultants_are_rates_of_elastic_ones(element: Any) -> None:
    """Differences of the elastic resultants along the motion, of the fourth order.

    Those of the continuum beam are in axes that turn, moments of the spatial cable are vectors that do.
    """
    q, v = motion(sample(element, 0.0))
    system = fx.compile_model(sample(element, 0.0))
    h, still = 1e-2, np.zeros_like(v)

    def elastic(t: float) -> np.ndarray:
        out = np.empty_like(q)
        retract(q, t * v, system.coordinates.n_linear, out)
        return resultants(sample(element, 0.0), out, still)

    rate = (8.0 * (elastic(h) - elastic(-h)) - elastic(2.0 * h) + elastic(-2.0 * h)) / (12.0 * h)
    viscous = resultants(sample(element, TAU), q, v) - elastic(0.0)
    assert np.abs(viscous).max() > 1e-3 * np.abs(elastic(0.0)).max()
    some = slice(0, 1) if element.name == "spatial cable" else slice(None)
    assert np.abs(viscous - TAU * rate)[..., some].max() < 1e-6 * np.abs(viscous).max()


@every_element
def test_what_else_is_there_plays_no_part(element: Any) -> None:
    """A rigid body has seven coordinates and six velocities; far from the origin and in micrometres it is the same."""
    q, v = motion(sample(element, TAU))
    expected = resultants(sample(element, TAU), q, v)
    scale = np.abs(expected).max(axis=(0, 1))
    if element.layout.dim == 3:
        beside = sample(element, TAU, 1.0, 0.0, fx.RigidBody(1.0, (1.0, 1.0, 1.0), name="beside"))
        assert np.abs(resultants(beside, *motion(beside)) - expected).max() <= 1e-9 * scale.max()
    far = sample(element, TAU, away=1e3)
    assert (np.abs(resultants(far, *motion(far)) - expected).max(axis=(0, 1)) <= 1e-5 * scale.max()).all()
    small = sample(element, TAU, 1e-6)
    found = resultants(small, *motion(small, 1e-6), 1e-6)
    assert (np.abs(found - expected).max(axis=(0, 1)) <= 1e-6 * scale.max()).all()
