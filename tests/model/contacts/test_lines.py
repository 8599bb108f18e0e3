"""Lines in the plane that lie on each other: tangents, balances, what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import flexmbs as fx
from flexmbs.dynamics.energies import Energies, LossesOfTerms
from flexmbs.dynamics.evaluation import Dynamics
from flexmbs.system.crossing_contacts import CrossingTubes
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


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6), friction=st.sampled_from(["smooth", "coulomb"]), a=st.integers(1, 3),
       b=st.integers(1, 3), turn=st.floats(-3.0, 3.0))  # fmt: skip
def test_forces_balance_and_do_the_work_of_the_account(seed: int, friction: str, a: int, b: int, turn: float) -> None:
    """No force, no moment and no power in common motions, in whatever direction; power as told by both accounts."""
    one, two, touch = near(friction, "damped", (a, b))
    both, alone = (Dynamics(fx.compile_model(fx.Model(one, two, *more))) for more in ((touch,), ()))
    q, v = moved(both, seed)
    c, s = np.cos(turn), np.sin(turn)
    q = (q.reshape(-1, 2) @ np.array([[c, s], [-s, c]])).ravel()
    n, zero, none = both.n_v, np.zeros(both.n_v), np.zeros(0)
    force = -(both.residual(q, v, zero, none)[:n] - alone.residual(q, v, zero, none)[:n])
    # slopes stand beside positions in the coordinates of a node: x, y, x', y'
    along, across = np.tile([1.0, 0, 0, 0], n // 4), np.tile([0, 1.0, 0, 0], n // 4)
    about = (q.reshape(-1, 2) @ np.array([[0, 1.0], [-1.0, 0]])).ravel()
    for rigid in (along, across, about):
        assert abs(force @ rigid) < 1e-12 * (1.0 + np.abs(force * rigid).sum())
    pair = CrossingTubes(both.coordinates, touch.crossing[0])
    told = pair.states(q, v)
    assert force @ v == pytest.approx(told[13], rel=1e-10, abs=1e-12)
    taken = LossesOfTerms(both).power(q, v)
    assert taken <= 1e-12
    h = 1e-6  # the rest of the power is what the contact gives back
    energy = Energies(both).potential
    assert told[13] - taken == pytest.approx((energy(q - h * v) - energy(q + h * v)) / (2 * h), rel=1e-5, abs=1e-7)
    spin = pair.states(q, 0.3 * along + 1.7 * about)
    assert abs(spin[13]) < 1e-12 * (1.0 + told[5])
    assert np.abs(spin[9:12]).max() < 1e-12


def test_a_point_on_a_node_counts_once() -> None:
    """A line that is pushed along the other one across its node bears the same force all the way."""

    def force(shift: float) -> float:
        a = line((0.5 + shift, 0.0), (0.6 + shift, 0.0), "a")
        b = line((0.0, 0.35), (1.1, 0.35), "b", 2)
        tubes = C.Tube(a, radius=0.2, points=1), C.Tube(b, radius=0.2)
        touch = fx.Contact(tubes, LAWS["elastic"], allow_overlap=True, name="touch")
        dyn = Dynamics(fx.compile_model(fx.Model(a, b, touch)))
        told = CrossingTubes(dyn.coordinates, touch.crossing[0]).states(dyn.coordinates.reference, np.zeros(dyn.n_v))
        return float(told[5])

    for shift in (-0.3, -1e-6, -1e-11, 0.0, 1e-11, 1e-6, 0.3):
        assert force(shift) == pytest.approx(0.1 * 40.0 * 0.05**1.5, rel=1e-12)
    assert force(0.56) == 0.0  # beyond the end


def test_compiled_steps_and_those_in_python_agree_and_the_account_closes() -> None:
    a, b = line((0.1, 0.21), (0.7, 0.21), "a", 4), line((0.0, 0.0), (1.0, 0.0), "b", 4)
    law = C.HuntCrossleyLaw(stiffness=50.0, exponent=1.5, damping=0.1)
    touch = fx.Contact([C.Tube(x, radius=0.1) for x in (a, b)], law, C.CoulombLaw(0.3, speed=0.02), name="touch")
    fall = fx.InitialVelocity(a, (0.15, -0.1))
    model = fx.Model(a, b, touch, fx.Clamp(b.start), fx.Clamp(b.end), fall)
    schemes = [fx.GeneralizedAlpha(rho_inf=0.9, compiled=on) for on in (True, False)]
    runs = [fx.simulate(model, 1.5, step=2e-3, integrator=scheme) for scheme in schemes]
    for run in runs:
        lost, history = run.energy.dissipated, run.contact(touch)
        start = run.energy.total[0]
        assert lost[-1] > 0.05 * start
        assert np.abs(run.energy.balance).max() < 3e-4 * start  # of second order in the step
        assert history.loss[-1, 0] == pytest.approx(lost[-1], rel=1e-4)  # by the trapezoidal rule
        assert history.gap.min() < 0.0
    assert np.abs(runs[0].q - runs[1].q).max() < 1e-10
    assert np.abs(runs[0].energy.dissipated - runs[1].energy.dissipated).max() < 1e-10 * runs[0].energy.total[0]


def test_mesh_and_order_of_the_leaves() -> None:
    """The force at the tip converges with the mesh; either leaf may have the points."""
    from flexmbs.verification.cases.contact import leaf_spring as case

    errors = [abs(case.smooth(n, 1e9)[0] - case.smooth(2 * n, 1e9)[0]) for n in (5, 10)]
    assert errors[1] < 0.6 * errors[0]
    top, low = case.leaf(case.THIN, 0.5, case.THIN, 10, "top"), case.leaf(0.0, 0.5, case.THIN, 10, "bottom")
    push = fx.PointForce(top.end, (0, -1.0))
    found = []
    for leaves in ((top, low), (low, top)):
        model = fx.Model(
            top, low, case.touching(leaves, case.THIN, 1e9), fx.Clamp(top.start), fx.Clamp(low.start), push
        )
        solution = fx.solve_static(model)
        found.append(solution.displacement(top.end, step=-1)[1])
        assert np.sign(solution.contact(model.forces[0]).force[-1, 0, 1]) == (-1.0 if leaves[0] is top else 1.0)
    assert found[0] == pytest.approx(found[1], rel=1e-4)


def test_what_is_refused() -> None:
    a, b = line((0, 0), (1, 0), "a"), line((0, 0.3), (1, 0.3), "b")
    tubes = C.Tube(a, radius=0.1), C.Tube(b, radius=0.1)
    with pytest.raises(fx.ModelError, match=r"BristleLaw would have to remember.*take a CoulombLaw"):
        fx.Contact(tubes, LAWS["elastic"], C.BristleLaw(0.3, stiffness=1e3, damping=1.0))
    with pytest.raises(fx.ModelError, match="have no thickness"):
        fx.Contact((C.Tube(a, radius=0.0), C.Tube(b, radius=0.0)), LAWS["elastic"])
    with pytest.raises(fx.ModelError, match="no two of its parts can touch"):
        fx.Contact((tubes[0], C.Tube(a, radius=0.2)), LAWS["elastic"])
    rod = fx.FlexibleBody.line((0, 0, 0), (1, 0, 0), elements=1, element=fx.elements.ANCFCable3D(), material=SOFT,
                               section=fx.Rectangle(width=0.1, height=0.1), name="rod")  # fmt: skip
    with pytest.raises(fx.ModelError, match="no two of its parts can touch"):
        fx.Contact((tubes[0], C.Tube(rod, radius=0.1)), LAWS["elastic"])
    many = C.Tube(line((0, 0.3), (1, 0.3), "many", 4001), radius=0.1)
    with pytest.raises(fx.ModelError, match="4001 pairs of elements"):
        fx.Contact((tubes[0], many), LAWS["elastic"])
    deep = fx.Contact((tubes[0], C.Tube(b, radius=0.3)), LAWS["elastic"], name="deep")
    with pytest.raises(fx.ModelError, match=r"'deep'.*overlap by 0.1 at the start"):
        fx.compile_model(fx.Model(a, b, deep))
    across = line((0.5, -0.5), (0.5, 0.5), "across")
    cut = fx.Contact((tubes[0], C.Tube(across, radius=0.1)), LAWS["elastic"], allow_overlap=True, name="cut")
    with pytest.raises(fx.FlexmbsError, match="closer than a tenth"):
        fx.simulate(fx.Model(a, across, cut), until=0.01, step=1e-3)
    with pytest.raises(fx.ModelError, match="lies along a line"):
        C.SlipSpeed(fx.Contact(tubes, LAWS["elastic"], FRICTION["coulomb"]))
