"""Inertia from invariants, from nodal velocities and from moving-frame matrices, at random states, to 1e-10."""

from __future__ import annotations

import numpy as np
import pytest

from flexmbs.verification.cases.flexible_motion.inertia_formulations import (
    BODIES,
    ROUND_OFF,
    Formulations,
    difference,
    gyroscopic,
    mass,
)


@pytest.fixture(scope="module", params=sorted(BODIES))
def body(request: pytest.FixtureRequest) -> Formulations:
    return Formulations(*BODIES[request.param]())


def forms(body: Formulations) -> list:
    """The formulations that share the interpolation of the body."""
    return [body.moving] if (body.operators.dofs.component >= 3).any() else [body.nodal, body.moving]


@pytest.mark.parametrize("seed", range(10, 14))
def test_forces(body: Formulations, seed: int) -> None:
    s = body.motion(seed)
    expected = body.invariants(s)
    for form in forms(body):
        assert difference(body, form(s), expected) < ROUND_OFF


@pytest.mark.parametrize("of", [mass, gyroscopic])
def test_mass_and_gyroscopic_terms(body: Formulations, of) -> None:
    s = body.motion(20)
    expected = of(body.invariants, s)
    for form in forms(body):
        assert difference(body, of(form, s), expected) < ROUND_OFF


def test_the_mass_is_symmetric_and_positive(body: Formulations) -> None:
    M = mass(body.invariants, body.motion(21))
    assert np.abs(M - M.T).max() < 1e-11 * np.abs(M).max()
    assert np.linalg.eigvalsh(M).min() > 0.0


@pytest.mark.parametrize("name", ["coriolis", "euler", "centrifugal", "load"])
def test_every_term_counts(body: Formulations, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without one of the terms of the moving frame the forces are wrong by far more than the tolerance."""
    s = body.motion(22)
    right = getattr(type(body.frame), name)
    monkeypatch.setattr(type(body.frame), name, lambda self, *motion: 0.5 * right(self, *motion))
    assert difference(body, body.moving(s), body.invariants(s)) > 1e-4
