"""Contact of tubes that cross: tangents, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import flexmbs as fx
from flexmbs.dynamics.evaluation import Dynamics
from tests.model.contacts.test_contact_tangents import H, derivatives

C = fx.contact
SOFT = fx.Elastic(youngs_modulus=1.0, poissons_ratio=0.0, density=1.0)
LAW = C.HuntCrossleyLaw(stiffness=40.0, exponent=1.5)
ELEMENTS = {
    "ANCF cable": fx.elements.ANCFCable3D(),
    "ANCF beam": fx.elements.ANCFBeam(),
    "exact beam": fx.elements.GeometricallyExactBeam(),
}


def line(start: Any, end: Any, name: str, element: Any, elements: int = 1) -> Any:
    return fx.FlexibleBody.line(start, end, elements=elements, element=element, material=SOFT, name=name,
                                section=fx.Rectangle(width=0.1, height=0.1))  # fmt: skip


@pytest.mark.parametrize("element", ELEMENTS)
def test_tangents(element: str) -> None:
    a = line((0, 0, 0), (1, 0.1, 0), "a", ELEMENTS[element], 2)
    b = line((0.3, -0.4, 0.2), (0.5, 0.6, 0.3), "b", ELEMENTS[element], 1)
    touch = fx.Contact((C.Tube(a, radius=0.2), C.Tube(b, radius=0.3)), LAW, allow_overlap=True, name="touch")
    both, alone = (Dynamics(fx.compile_model(fx.Model(a, b, *more))) for more in ((touch,), ()))
    rng = np.random.default_rng(5)
    n, n_linear = both.n_v, both.n_linear
    q = both.coordinates.reference.copy()
    q[: n_linear or 0] += 0.02 * rng.normal(size=n_linear)
    zero, none = np.zeros(n), np.zeros(0)

    def extra(step: Any) -> Any:
        from flexmbs.kernels.steps import retract

        moved = np.zeros(both.n_q)
        retract(q, step, n_linear, moved)
        return both.residual(moved, zero, zero, none)[:n].copy() - alone.residual(moved, zero, zero, none)[:n]

    K = derivatives(both, q, zero, (1.0, 0.0)) - derivatives(alone, q, zero, (1.0, 0.0))
    assert np.abs(K).max() > 1.0
    found = np.column_stack([
        (8 * (extra(H * e) - extra(-H * e)) - (extra(2 * H * e) - extra(-2 * H * e))) / (12 * H) for e in np.eye(n)
    ])  # fmt: skip
    assert np.abs(K - found).max() < 1e-9 * np.abs(found).max()
    assert np.abs(K - K.T).max() < 1e-12 * np.abs(K).max()


def test_what_is_refused() -> None:
    a, b = (line((0, 0, z), (1, 0, z), name, ELEMENTS["ANCF cable"]) for name, z in (("a", 0.0), ("b", 0.3)))
    tubes = C.Tube(a, radius=0.1), C.Tube(b, radius=0.1)
    with pytest.raises(fx.ModelError, match="without friction and damping"):
        fx.Contact(tubes, LAW, C.CoulombLaw(0.3, speed=0.1))
    with pytest.raises(fx.ModelError, match="no two of its parts can touch"):
        fx.Contact((tubes[0], C.Tube(a, radius=0.2)), LAW)
    c = line((0.5, -0.5, 0.1), (0.5, 0.5, 0.1), "c", ELEMENTS["ANCF cable"])
    touch = fx.Contact((tubes[0], C.Tube(c, radius=0.1)), LAW, name="touch")
    with pytest.raises(fx.ModelError, match="'touch'.*overlap by 0.1 at the start"):
        fx.compile_model(fx.Model(a, c, touch))
    aside = line((0, 0.01, 0.15), (1, -0.01, 0.15), "aside", ELEMENTS["ANCF cable"])
    near = fx.Contact((tubes[0], C.Tube(aside, radius=0.1)), LAW, allow_overlap=True, name="near")
    with pytest.raises(fx.FlexmbsError, match="angle below 10 degrees"):
        fx.simulate(fx.Model(a, aside, near), until=0.01, step=1e-3)


def test_a_place_on_a_node_counts_once() -> None:
    def force(shift: float) -> Any:
        a = line((0, 0, 0), (1, 0, 0), "a", ELEMENTS["ANCF cable"], 2)
        b = line((0.5 + shift, -0.5, 0.15), (0.5 + shift, 0.5, 0.15), "b", ELEMENTS["ANCF cable"], 2)
        touch = fx.Contact((C.Tube(a, radius=0.1), C.Tube(b, radius=0.1)), LAW, allow_overlap=True, name="touch")
        run = fx.simulate(fx.Model(a, b, touch), until=1e-6, step=1e-6)
        return run.contact(touch).force[0, 0]

    wanted = [0.0, 0.0, 40.0 * 0.05**1.5]
    for shift in (0.0, 1e-12, -1e-12, 1e-7, -1e-7, 0.1):
        assert force(shift) == pytest.approx(wanted, abs=1e-9)
