"""Whatever touches is seen: by error control, or by a warning that names it where fixed steps are too long."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import fields
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import flexmbs as fx
from flexmbs.analysis.short_contacts import ShortContacts
from flexmbs.dynamics.evaluation import Dynamics
from flexmbs.dynamics.gaps import Gaps
from tests.models.protected import compiled_for_protected

pytestmark = pytest.mark.filterwarnings("ignore:.*until three of them touch")  # a small ball on a long rod

C = fx.contact
RUBBER = fx.Elastic(youngs_modulus=1e9, poissons_ratio=0.0, density=1000.0)
LAW = C.HuntCrossleyLaw(stiffness=1e5, exponent=1.5)


def rod(middle: tuple[float, ...], name: str, along: int = 0) -> Any:
    """A straight rod of 1 m."""
    half = np.eye(3)[along] * 0.5
    return fx.FlexibleBody.line(
        tuple(middle - half), tuple(middle + half), elements=2, element=fx.elements.ANCFCable3D(), material=RUBBER,
        section=fx.Circle(diameter=0.04), name=name,
    )  # fmt: skip


def ball(z: float, name: str, speed: float = 0.0, x: float = 0.0, y: float = 0.0) -> Any:
    return fx.RigidBody.sphere(radius=0.05, mass=1.0, position=(x, y, z), velocity=(0, 0, speed), name=name)


# of each kind: a body that flies down from a height, beside another one or against it


def balls(speed: float, height: float = 0.3, beside: float = 0.0) -> tuple[Any, ...]:
    a, b = ball(0.0, "still"), ball(height, "fast", -speed, y=beside)
    return a, b, fx.Contact([C.Sphere(x, radius=0.05) for x in (a, b)], LAW, search=False, name="touch")


def heap(speed: float, height: float = 0.3, beside: float = 0.0) -> tuple[Any, ...]:
    bodies = [*(ball(0.0, f"still {i}", x=0.2 * i) for i in range(3)), ball(height, "fast", -speed, y=beside)]
    return *bodies, fx.Contact([C.Sphere(x, radius=0.05) for x in bodies], LAW, search=True, name="touch")


def on_rod(speed: float, height: float = 0.3, beside: float = 0.0) -> tuple[Any, ...]:
    beam, fast = rod((0, 0, 0), "beam"), ball(height, "fast", -speed, x=0.1, y=beside)
    parts = C.Tube(beam, radius=0.02, points=12), C.Sphere(fast, radius=0.05)
    return beam, fast, fx.Contact(parts, C.HuntCrossleyLaw(stiffness=1e7), name="touch")


def rods(speed: float, height: float = 0.3, beside: float = 0.0) -> tuple[Any, ...]:
    beam, fast = rod((0.03, 0, 0), "beam"), rod((0.1 + 3 * beside, 0.02, height), "fast", along=1)
    return (
        beam,
        fast,
        fx.InitialVelocity(fast, (0, 0, -speed)),
        fx.Contact([C.Tube(x, radius=0.02) for x in (beam, fast)], LAW, name="touch"),
    )


def lines(speed: float, height: float = 0.3, beside: float = 0.0) -> tuple[Any, ...]:
    beam, fast = (
        fx.FlexibleBody.line(
            (x - 0.5, y), (x + 0.5, y), elements=2, element=fx.elements.ANCFCable2D(), material=RUBBER,
            section=fx.Circle(diameter=0.04), name=name,
        )
        for name, x, y in (("beam", 0.03, 0.0), ("fast", 0.1 + 12 * beside, height))
    )  # fmt: skip
    return (
        beam,
        fast,
        fx.InitialVelocity(fast, (0, -speed)),
        fx.Contact([C.Tube(x, radius=0.02) for x in (fast, beam)], C.HuntCrossleyLaw(stiffness=2e9), name="touch"),
    )


KINDS: dict[str, Callable[..., tuple[Any, ...]]] = {
    "pair": balls, "searched": heap, "along a body": on_rod, "two tubes": rods, "two lines": lines,
}  # fmt: skip


def test_every_kind_of_pair_has_gaps() -> None:
    """What a contact may consist of, by its own attributes, is here; a new kind has to be added."""
    made = {name: kind(1.0)[-1] for name, kind in KINDS.items()}
    kinds_of_pairs = {f.name for f in fields(fx.Contact) if "Pair" in str(f.type) and not f.init}
    assert kinds_of_pairs == {"touching", "distributed", "crossing"}
    for attribute, kind in (
        ("touching", "pair"),
        ("distributed", "along a body"),
        ("crossing", "two tubes"),
        ("crossing", "two lines"),
    ):
        assert len(getattr(made[kind], attribute)) == 1
    assert made["searched"].searched


@pytest.mark.parametrize("kind", KINDS)
def test_gaps_and_their_rates(kind: str) -> None:
    """The gap is that of the shapes, and its rate is its derivative by differences."""
    height, speed = 0.105, 3.0
    dyn = Dynamics(fx.compile_model(fx.Model(*KINDS[kind](speed, height))))
    gaps = Gaps(dyn)
    assert gaps.exist
    dyn.start_turns(0.0)
    q, v = dyn.coordinates.reference.copy(), dyn.coordinates.velocity.copy()
    zero, none = np.zeros(dyn.n_v), np.zeros(dyn.n_c)
    gaps.place(q, v, zero, none)
    gaps.follow(0.0)
    gap, rate = gaps.read()
    k = int(np.argmin(gap))
    reach = {"pair": 0.1, "searched": 0.1, "along a body": 0.07, "two tubes": 0.04, "two lines": 0.04}[kind]
    near = 5e-3 if kind == "along a body" else 1e-12  # of points some centimetres beside the nearest place
    assert gap[k] == pytest.approx(height - reach, abs=near)
    assert rate[k] == pytest.approx(-speed, rel=20 * near)
    assert gaps.pair(k)[0] == "touch"
    assert "fast" in gaps.pair(k)[1]
    if kind != "searched":  # whose histories have only pairs that touched
        model = fx.Model(*KINDS[kind](speed, height))
        told = fx.simulate(model, until=1e-6, step=1e-6).contact(model.forces[0])
        assert told.gap[0].min() == pytest.approx(gap[k], abs=1e-12)  # what results tell is what is watched


@pytest.mark.parametrize("kind", KINDS)
def test_gaps_of_moved_states(kind: str) -> None:
    dyn = Dynamics(fx.compile_model(fx.Model(*KINDS[kind](2.0, 0.105))))
    gaps = Gaps(dyn)
    dyn.start_turns(0.0)
    rng = np.random.default_rng(3)
    q, v = dyn.coordinates.reference.copy(), rng.normal(size=dyn.n_v)
    if dyn.n_linear:
        q[: dyn.n_linear] += 1e-3 * rng.normal(size=dyn.n_linear)
    zero, none = np.zeros(dyn.n_v), np.zeros(dyn.n_c)

    def at(s: float) -> np.ndarray:
        from flexmbs.kernels.steps import retract

        moved = np.empty_like(q)
        retract(q, s * v, dyn.n_linear, moved)
        gaps.place(moved, v, zero, none)
        gaps.follow(0.0)
        return gaps.read()

    k = int(np.argmin(at(0.0)[0]))
    slope = (at(1e-6)[0, k] - at(-1e-6)[0, k]) / 2e-6
    assert at(0.0)[1, k] == pytest.approx(slope, rel=1e-7)


@pytest.mark.parametrize("output", [None, fx.Output(every=0.02)], ids=["all", "thin"])
@pytest.mark.parametrize("kind", ["pair", "along a body", "two tubes"])
def test_what_passes_within_one_step_is_told(kind: str, output: fx.Output | None) -> None:
    """From 0.125 m above to 0.125 m below: no state has an overlap; whatever is stored."""
    model = fx.Model(*KINDS[kind](50.0, 0.375))
    with pytest.warns(fx.AccuracyWarning, match=r"'touch': .*fast.* passed through each other within the step"):
        run = fx.simulate(model, until=0.02, step=0.005, output=output)
    assert run.energy.kinetic[-1] == pytest.approx(run.energy.kinetic[0], rel=1e-6)  # as if there were nothing


@pytest.mark.parametrize("output", [None, fx.Output(every=0.02)], ids=["all", "thin"])
def test_searched_contacts_divide_steps_and_tell(output: fx.Output | None) -> None:
    with pytest.warns(fx.AccuracyWarning, match=r"'touch': .*fast.* touched at .* lasted \d steps"):
        fx.simulate(fx.Model(*heap(50.0)), until=0.02, step=0.005, output=output)


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=12, deadline=None)
@given(speed=st.floats(1.0, 200.0), height=st.floats(0.11, 1.0), steps=st.integers(3, 60))
@example(speed=1.0, height=1.0, steps=4)
@example(speed=1.0, height=0.90625, steps=11)  # flies away so fast that it is searched for no more when it has opened
def test_fixed_steps_see_or_tell_every_contact(kind: str, speed: float, height: float, steps: int) -> None:
    """What stands in the way of the fast body pushes it for ten steps or more, or a warning names the contact.

    A run in whose steps Newton's method finds no state has told, too. Whatever is stored, and whether steps are made
    one by one in Python or many at a time in compiled code.
    """
    model = fx.Model(*KINDS[kind](speed, height))
    until = 2.0 * height / speed
    step = until / steps
    told = []
    for compiled, output in ((True, None), (True, fx.Output(every=until)), (False, fx.Output(every=until))):
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always", fx.AccuracyWarning)
            scheme = fx.GeneralizedAlpha(compiled=None if compiled and kind == "searched" else compiled)
            try:
                run = fx.simulate(model, until=until, step=step, integrator=scheme, output=output)
            except fx.ConvergenceError as error:
                told.append([str(error)])
                continue
        told.append([str(w.message) for w in found if "'touch'" in str(w.message)])
        if output is None:
            normal = run.contact(model.forces[0]).normal
            pushed = int((normal > 0.0).any(axis=tuple(range(1, normal.ndim))).sum())
    assert told[0] == told[1] == told[2]
    assert told[0] or pushed >= 9 or run.t[-1] - run.t[0] < 10 * step


@pytest.mark.parametrize("kind", KINDS)
def test_what_misses_is_not_told(kind: str) -> None:
    """In steps of 0.25 m the fast body passes 0.3 m beside the other one, and farther."""
    run = fx.simulate(fx.Model(*KINDS[kind](50.0, 0.3, 0.3)), until=0.02, step=0.005)
    assert np.abs(run.q).max() > 0.5


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=8, deadline=None)
@given(speed=st.floats(1.0, 200.0), height=st.floats(0.11, 1.0))
def test_error_control_sees_every_contact(kind: str, speed: float, height: float) -> None:
    """Whatever the speed and the distance, what stands in the way of the fast body pushes it."""
    model = fx.Model(*KINDS[kind](speed, height))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fx.AccuracyWarning)
        run = fx.simulate(model, until=2.0 * height / speed, step=None)
    assert run.contact(model.forces[0]).normal.max() > 0.0


@pytest.mark.parametrize("kind", ["pair", "along a body", "two tubes"])
def test_events_see_every_kind_close(kind: str) -> None:
    """At the time that the least gap takes, which the history of the contact has, too."""
    model = fx.Model(*KINDS[kind](10.0))
    touch = model.forces[0]
    run = fx.simulate(model, until=0.1, step=None, events=[touch.event("closes", terminal=True)])
    gap = run.contact(touch).gap.min(axis=1)
    assert gap[0] > 0.1
    assert run.t[-1] == pytest.approx(gap[0] / 10.0, rel=5e-2)  # of points beside the nearest place
    assert abs(gap[-1]) < 1e-8
    slope = np.diff(gap[:-1]) / np.diff(run.t[:-1])
    assert slope == pytest.approx(-10.0, rel=0.2)


@pytest.mark.parametrize("kind", KINDS)
def test_contacts_of_every_kind_are_refused_where_they_cannot_be(kind: str) -> None:
    model = fx.Model(*KINDS[kind](1.0))
    with pytest.raises(fx.ModelError, match="'touch' cannot be followed along a path"):
        fx.trace_static(model, until=1.0)
    with pytest.raises(fx.ModelError, match=r"touch' opens and closes|contact of (tubes|lines)"):
        fx.simulate(model, until=0.01, step=1e-3, integrator=fx.EnergyMomentum())


def test_what_falls_between_points_is_told() -> None:
    """A tube of 0.5 m per element with three points each: balls of 0.05 m pass, balls of 0.1 m sink in."""
    beam = rod((0, 0, 0), "beam")
    tube = C.Tube(beam, radius=0.02)
    law = C.HuntCrossleyLaw(stiffness=1e7)
    small, large = (fx.RigidBody.sphere(radius=r, mass=1.0, position=(0, 0, 1), name="ball") for r in (0.05, 0.1))
    with pytest.warns(fx.AccuracyWarning, match=r"0.222 apart, and .* reaches 0.07 .* passes unseen.*points=12"):
        fx.Contact((tube, C.Sphere(small, radius=0.05)), law)
    with pytest.warns(fx.AccuracyWarning, match=r"reaches 0.12 .* sinks in by up to 0.044 unseen"):
        fx.Contact((tube, C.Sphere(large, radius=0.1)), law)
    fx.Contact((C.Tube(beam, radius=0.02, points=12), C.Sphere(small, radius=0.05)), law)
    fx.Contact((tube, C.Plane(fx.ground.marker((0, 0, -1), axis=(0, 0, 1)))), law)


@pytest.mark.parametrize("kind", KINDS)
def test_histories_compile_nothing_for_arrays_of_results(kind: str) -> None:
    """These cannot be written to, and are of another type to numba."""
    model = fx.Model(*KINDS[kind](1.0, 0.105))
    touch = model.forces[0]
    run = fx.simulate(model, until=0.01, step=1e-3, events=[] if kind == "searched" else [touch.event("closes")])
    for states in (run.q, run.v):  # as those of statics are
        states.setflags(write=False)
    assert run.contact(touch).gap.shape[0] == len(run)
    assert compiled_for_protected() == []


@pytest.mark.parametrize("kind", ["pair", "along a body", "two tubes"])
def test_compiled_steps_tell_the_gaps_of_their_states(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Through a whole contact, but for the last increment of Newton's method (1e-6 of a step)."""
    told: dict[float, np.ndarray] = {}
    chunk = ShortContacts.chunk

    def keep(self: ShortContacts, steps: Any) -> None:
        told.update(zip(steps.ends.tolist(), steps.gaps.copy(), strict=True))
        chunk(self, steps)

    monkeypatch.setattr(ShortContacts, "chunk", keep)
    speed, step = 2.0, 2e-5
    model = fx.Model(*KINDS[kind](speed, 0.102))
    run = fx.simulate(model, until=0.04, step=step, integrator=fx.GeneralizedAlpha(compiled=True))
    assert len(told) > 0.99 * len(run.steps)  # a few are made one by one
    dyn = Dynamics(run.system)
    gaps, zero, none = Gaps(dyn), np.zeros(dyn.n_v), np.zeros(dyn.n_c)
    dyn.start_turns(0.0)
    rows, near = [], []
    for t, q, v in zip(run.t.tolist(), run.q, run.v, strict=True):
        if t in told:
            gaps.place(q, v, zero, none)
            rows.append(told[t])
            near.append(gaps.read())
    difference = np.abs(np.array(rows) - near)
    assert len(rows) == len(told)
    assert (np.array(near)[:, 0] < 0.0).any()
    assert difference[:, 0].max() < 1e-6 * speed * step
    assert difference[:, 1].max() < 1e-5 * speed


@pytest.mark.parametrize("until", [1.0, 10.0])
def test_error_control_sees_what_a_turning_body_hits(until: float) -> None:
    """A free spin has no error, so that steps grow over more than a radian.

    At the distance r from the centre the rod shows the mass M, 1/M = 1/m + r^2/J, and the impulse is
    2 w r/(1/M + 1/m_b).
    """
    rod = fx.RigidBody.box(size=(1.0, 0.02, 0.02), mass=1.0, angular_velocity=(0, 0, 10.0), name="rod")
    ball = fx.RigidBody.sphere(radius=0.01, mass=0.1, position=(-0.3, 0.3, 0), name="ball")
    tip = C.Capsule(rod.marker((0, 0, 0), axis=(1, 0, 0)), radius=0.01, length=0.98)
    touch = fx.Contact((tip, C.Sphere(ball, radius=0.01)), C.HuntCrossleyLaw(stiffness=1e6), name="touch")
    with warnings.catch_warnings():
        warnings.simplefilter("error", fx.AccuracyWarning)
        run = fx.simulate(fx.Model(rod, ball, touch), until=until)
    momentum, angular = run.momentum()
    assert np.abs(momentum - momentum[0]).max() < 1e-6
    assert np.abs(angular - angular[0]).max() < 1e-3 * np.abs(angular[0]).max()
    assert np.abs(run.energy.balance).max() < 0.05 * run.energy.kinetic[0]
    r = math.sqrt(0.18 - 0.02**2)
    impulse = 2.0 * 10.0 * r / (1.0 + r**2 / rod.inertia[2, 2] + 10.0)
    assert float(np.linalg.norm(run.velocity(ball)[-1])) == pytest.approx(10.0 * impulse, rel=3e-3)


@pytest.mark.parametrize("watched", [False, True])
@pytest.mark.parametrize(
    ("scheme", "apart"),
    [*((fx.GeneralizedAlpha(), x) for x in (1.0, 10.0, 100.0)), *((fx.BDF(), x) for x in (1.0, 10.0))],
)
def test_a_long_flight_does_not_hide_what_an_impact_takes(scheme: Any, apart: float, watched: bool) -> None:
    """Two elastic balls of one mass exchange their velocities, however far they have flown.

    The tolerance of the positions is 1e-7 of the size of the model, of which the balls sink in 1e-4 to 1e-2.
    """
    a, b = (
        fx.RigidBody.sphere(radius=0.1, mass=1.0, position=(s * apart / 2, 0, 0), velocity=(-10 * s, 0, 0), name=name)
        for s, name in ((-1, "a"), (1, "b"))
    )
    touch = fx.Contact([C.Sphere(x, radius=0.1) for x in (a, b)], C.HuntCrossleyLaw(stiffness=1e9), name="touch")
    events = [touch.event("closes")] if watched else []
    output = fx.Output(every=0.2 * apart / 3000)
    run = fx.simulate(fx.Model(a, b, touch), until=0.2 * apart, events=events, integrator=scheme, output=output)
    assert len(run.events) == watched
    assert run.velocity(a)[-1, 0] == pytest.approx(-10.0, rel=1e-2)
    assert run.energy.total[-1] == pytest.approx(run.energy.total[0], rel=2e-2)
