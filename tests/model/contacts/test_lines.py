"""Lines in the plane that lie on each other: tangents, balances, what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import flexmbs as fx
from flexmbs.dynamics.evaluation import Dynamics
from tests.model.contacts.test_contact_tangents import H, derivatives

C = fx.contact
SOFT = fx.Elastic(youngs_modulus=1.0, poissons_ratio=0.0, density=1.0)
LAWS: dict[str, Any] = {
    "elastic": C.HuntCrossleyLaw(stiffness=40.0, exponent=1.5),
    "damped": C.HuntCrossleyLaw(stiffness=40.0, exponent=1.2, damping=0.3),
    "impact": C.ImpactLaw(stiffness=40.0, exponent=1.5, damping=2.0, depth=0.2),
}
FRICTION = {"smooth": None, "coulomb": C.CoulombLaw(0.4, speed=0.5)}


def line(start: Any, end: Any, name: str, elements: int = 1) -> Any:
    return fx.FlexibleBody.line(
        start, end, elements=elements, element=fx.elements.ANCFCable2D(), material=SOFT, name=name,
        section=fx.Rectangle(width=0.1, height=0.1),
    )  # fmt: skip


def near(friction: str, law: str = "elastic", elements: tuple[int, int] = (2, 1), points: int = 3) -> Any:
    """Two lines with 0.2 and 0.3 of half thickness whose axes are some 0.4 apart, and their contact."""
    a, b = line((0.0, 0.0), (1.0, 0.1), "a", elements[0]), line((-0.2, 0.4), (1.3, 0.5), "b", elements[1])
    tubes = C.Tube(a, radius=0.2, points=points), C.Tube(b, radius=0.3)
    return a, b, fx.Contact(tubes, LAWS[law], FRICTION[friction], allow_overlap=True, name="touch")


def moved(both: Any, seed: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    return both.coordinates.reference + 0.03 * rng.normal(size=both.n_q), rng.normal(size=both.n_v)


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("friction", FRICTION)
def test_tangents(friction: str, law: str) -> None:
    a, b, touch = near(friction, law)
    both, alone = (Dynamics(fx.compile_model(fx.Model(a, b, *more))) for more in ((touch,), ()))
    q, v = moved(both, 5)
    n, zero, none = both.n_v, np.zeros(both.n_v), np.zeros(0)

    def extra(dq: Any, dv: Any) -> Any:
        one, other = (d.residual(q + dq, v + dv, zero, none)[:n].copy() for d in (both, alone))
        return one - other

    for weights in ((1.0, 0.0), (0.0, 1.0)):
        found = derivatives(both, q, v, weights) - derivatives(alone, q, v, weights)
        wanted = np.column_stack([
            (8 * (extra(*(H * w * e for w in weights)) - extra(*(-H * w * e for w in weights)))
             - (extra(*(2 * H * w * e for w in weights)) - extra(*(-2 * H * w * e for w in weights)))) / (12 * H)
            for e in np.eye(n)
        ])  # fmt: skip
        assert np.abs(found - wanted).max() <= 1e-9 * max(1.0, np.abs(wanted).max())
    K = derivatives(both, q, v, (1.0, 0.0)) - derivatives(alone, q, v, (1.0, 0.0))
    assert np.abs(K).max() > 1.0
    if friction == "smooth" and law == "elastic":
        assert np.abs(K - K.T).max() < 1e-12 * np.abs(K).max()
