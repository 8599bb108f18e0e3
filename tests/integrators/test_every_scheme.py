"""Every scheme on every kind of small model: the same motion, or a refusal by name before the first step.

The tolerance comes from two step sizes h and h/2: with order p the finer run is off by about their difference over
2^p - 1. Three times that is allowed, beside round-off of the iterations (1e-11 of the size per step).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

import flexmbs as fx
from flexmbs.core.describe import Vocabulary, from_plain
from flexmbs.integrators.runge_kutta import MET
from tests.models.floating import SOFT
from tests.models.floating import bar as bar_of_hexahedra

G = 9.81
WEIGHT = fx.Gravity((0, 0, -G))
UNTIL = 0.4
ROUND_OFF = 1e-9
"""Errors of Newton's method over the 200 steps of a run, relative to the size of the motion."""
ROUGH = 0.02
"""Difference of the two runs, relative to the size: the check says something."""
FACTOR = 3.0

EXPLICIT = {
    f"RK {order}, {type(kept).__name__}": fx.RungeKutta(order=order, constraints=kept)
    for order, kept in (
        (2, fx.integrators.SuccessiveProjection()), (4, fx.integrators.SuccessiveProjection()),
        (5, fx.integrators.SuccessiveProjection()),
        (4, fx.integrators.StandardProjection()), (4, fx.integrators.AscherProjection()),
        (4, fx.integrators.NullSpace()),
        (4, fx.integrators.CoordinatePartitioning()), (4, fx.integrators.Baumgarte(time_constant=0.05)),
    )
}  # fmt: skip
SCHEMES: dict[str, Any] = {
    "alpha, index 2": fx.GeneralizedAlpha(rho_inf=0.9),
    "alpha, index 3": fx.GeneralizedAlpha(rho_inf=0.8, index=3),
    "HHT": fx.GeneralizedAlpha.hht(0.1),
    "augmented Lagrangian": fx.AugmentedLagrangian(),
    "BDF 2": fx.BDF(max_order=2),
    "BDF 4": fx.BDF(max_order=4),
    "Radau": fx.RadauIIA(),
    "energy-momentum": fx.EnergyMomentum(),
    **EXPLICIT,
}


# --- the models ------------------------------------------------------------------------------------------------------


def bar() -> tuple[fx.RigidBody, fx.RevoluteJoint]:
    """A bar and its hinge in space."""
    body = fx.RigidBody.box(size=(1.0, 0.05, 0.05), mass=2.0, position=(0.5, 0, 0), name="bar")
    return body, fx.RevoluteJoint(fx.ground, body, at=(0, 0, 0), axis=(0, 1, 0), name="hinge")


def pendulum(*make: Callable[[fx.RigidBody, fx.RevoluteJoint], Any]) -> fx.Model:
    """That bar as a pendulum, with more items."""
    body, hinge = bar()
    return fx.Model(body, hinge, *[item(body, hinge) for item in make], WEIGHT, name="pendulum")


def planar() -> fx.Model:
    body = fx.PlanarRigidBody(2.0, 0.2, position=(0.5, 0), name="bar")
    return fx.Model(body, fx.RevoluteJoint(fx.ground, body, at=(0, 0), name="hinge"), fx.Gravity((0, -G)))


def spinning() -> fx.Model:
    return fx.Model(fx.RigidBody(1.0, (1, 2, 3), velocity=(1, 0, 0), angular_velocity=(0.3, 2.0, 0.1), name="body"))


def parallelogram() -> fx.Model:
    """Three of its equations in space follow from the others."""
    corners = np.array([[0, 0, 0], [0, 0, 1], [2, 0, 1], [2, 0, 0]], dtype=float)
    links = [
        fx.RigidBody.box(size=np.abs(q - p) + 0.05, mass=1.0, position=0.5 * (p + q), name=f"link {k}")
        for k, (p, q) in enumerate(itertools.pairwise(corners))
    ]
    sides = itertools.pairwise([fx.ground, *links, fx.ground])
    hinges = [
        fx.RevoluteJoint(a, b, at=p, axis=(0, 1, 0), name=f"hinge {k}")
        for k, ((a, b), p) in enumerate(zip(sides, corners, strict=True))
    ]
    return fx.Model(*links, *hinges, fx.Gravity((G, 0, 0)))


def cable(*make: Callable[[fx.FlexibleBody], Any], held: Callable[[fx.FlexibleBody], Any] | None = None) -> fx.Model:
    """A soft cable with a plate at its end, clamped or held otherwise."""
    body = fx.FlexibleBody.line(
        (0, 0), (1, 0), elements=2, element=fx.elements.ANCFCable2D(),
        stiffness=fx.BeamStiffness(EA=50.0, EI_z=0.02, mass_per_length=1.0), name="cable",
    )  # fmt: skip
    plate = fx.PlanarRigidBody(0.5, 0.01, position=(1.1, 0), name="plate")
    hinge = fx.RevoluteJoint(body.end, plate, at=(1, 0), name="hinge")
    support = fx.Clamp(body.start) if held is None else held(body)
    return fx.Model(body, plate, hinge, support, *[item(body) for item in make], fx.Gravity((0, -G)))


def lag(sensor: Callable[[fx.RigidBody, fx.RevoluteJoint], Any]) -> Callable[[fx.RigidBody, fx.RevoluteJoint], Any]:
    """A first-order lag of a sensor."""
    return lambda body, hinge: fx.control.FirstOrder(
        [0.5], lambda x, u, t: 4.0 * (u - x), sensor(body, hinge), name="lag"
    )


def drag(body: fx.RigidBody, hinge: fx.RevoluteJoint) -> fx.control.FirstOrder:
    """A torque that follows the speed with a delay."""
    return fx.control.FirstOrder(
        [0.5], lambda x, u, t: 4.0 * (u - x), fx.control.JointSensor(hinge, rate=True),
        fx.control.MomentActuator(body.centre, (0, 1, 0), name="torque"), output=lambda x, u, t: -0.5 * x, name="lag",
    )  # fmt: skip


def bushing() -> fx.Model:
    body, _ = bar()
    soft = fx.Bushing(
        fx.ground.marker((0, 0, 0)), body.marker((-0.5, 0, 0)), stiffness=(500, 500, 500, 5, 5, 5),
        damping=(5, 5, 5, 0.1, 0.1, 0.1), name="bushing",
    )  # fmt: skip
    return fx.Model(body, soft, WEIGHT)


def friction() -> fx.Model:
    block = fx.RigidBody(2.0, (1, 1, 1), velocity=(0.5, 0, 0), name="block")
    slide = fx.PrismaticJoint(fx.ground, block, at=(0, 0, 0), axis=(1, 0, 0), name="slide")
    bristles = fx.BristleFriction(slide, coefficient=0.3, load=5.0, deflection=1e-2, damping=0.0, name="friction")
    return fx.Model(block, slide, bristles)


def rolling() -> fx.Model:
    wheel = fx.RigidBody(
        1.0, (0.01, 0.02, 0.01), position=(0, 0, 0.2), velocity=(1.0, 0, 0), angular_velocity=(0, 5.0, 0.5),
        name="wheel",
    )  # fmt: skip
    return fx.Model(wheel, fx.RollingDisk(fx.ground, wheel, radius=0.2, axis=(0, 1, 0), name="rolling"), WEIGHT)


def driven() -> fx.Model:
    """A bar that is moved to and fro, and another that hangs on it."""
    body, hinge = bar()
    other = fx.RigidBody.box(size=(1.0, 0.05, 0.05), mass=1.0, position=(1.5, 0, 0), name="other")
    elbow = fx.RevoluteJoint(body, other, at=(1, 0, 0), axis=(0, 1, 0), name="elbow")
    motor = fx.RotationDriver(hinge, lambda t: 0.3 * math.sin(3.0 * t), name="motor")
    return fx.Model(body, hinge, other, elbow, motor, WEIGHT)


def air(body: fx.RigidBody, hinge: fx.RevoluteJoint) -> fx.UserForce:
    """Drag, by a function."""
    return fx.UserForce([body.centre], lambda p, R, twist, t: -0.3 * twist, name="air")


def controlled(body: fx.RigidBody, hinge: fx.RevoluteJoint) -> fx.control.PID:
    """Acts every 0.1 s; not all of the fixed steps end there."""
    motor = fx.control.JointActuator(hinge, name="motor")
    return fx.control.PID(fx.control.JointSensor(hinge), motor, 0.1, 20.0, derivative=1.0, reference=0.5, name="pid")


def half_weight(view: Any) -> dict[str, float]:
    """An action of an event."""
    return {"gravity": 0.5}


EVENT = fx.control.Event(fx.control.JointSensor("hinge"), level=0.3, action=half_weight, name="half weight")


def floating(*joints: Any) -> fx.Model:
    """A bar that bends in a floating frame, free or as a pendulum."""
    body = fx.FloatingBody(
        bar_of_hexahedra(SOFT), reference="left", modes=2, angular_velocity=(0, 2.0, 0), deformation=(0.01, 0.02),
        name="strip",
    )  # fmt: skip
    hinges = [make(body) for make in joints]
    return fx.Model(body, *hinges, WEIGHT)


def hinged(body: fx.FloatingBody) -> fx.RevoluteJoint:
    return fx.RevoluteJoint(fx.ground, body, at=(0, 0, 0), axis=(0, 1, 0), name="hinge")


# --- the table -------------------------------------------------------------------------------------------------------


FINEST = fx.RadauIIA()


@dataclass(frozen=True)
class Kind:
    """One kind of model.

    ``steps`` of the coarser run. ``order``: most that the smoothness of the forces lets a scheme have. ``kink``: jump
    of the rate of accelerations [length/time^3], which leaves an error of its sixth part times h^3 per event.
    ``refused``: by the class of the scheme, the item that its message names. ``best``: what the exact motion is from.
    """

    make: Callable[[], fx.Model]
    steps: int = 40
    order: int = 9
    kink: float = 0.0
    refused: tuple[tuple[str, str], ...] = ()
    events: tuple[fx.control.Event, ...] = ()
    best: Any = FINEST


def only(item: str, *others: tuple[str, str]) -> tuple[tuple[str, str], ...]:
    """Refused by the energy-momentum scheme, perhaps by others."""
    return (("EnergyMomentum", item), *others)


FLOATS = (("EnergyMomentum", "strip"), ("RadauIIA", "strip"))
reads_accelerations = lag(lambda body, hinge: fx.control.AccelerationSensor(body.centre, (0, 0, 1)))
KINDS = {
    "planar pendulum": Kind(planar),
    "free spinning body": Kind(spinning),
    "redundant parallelogram": Kind(parallelogram),
    "cable with a plate": Kind(cable, 100),
    "damped cable": Kind(
        lambda: cable(lambda body: fx.RayleighDamping(body, mass=0.3, stiffness=1e-3)), 100, refused=only("cable")
    ),
    "elastic support": Kind(
        lambda: cable(held=lambda body: fx.ElasticSupport(body.start, stiffness=(100.0, 100.0))), 100,
        refused=only("elastic support"),
    ),
    "first-order state": Kind(lambda: pendulum(drag), refused=only("lag")),
    "state that reads accelerations": Kind(
        lambda: pendulum(reads_accelerations),
        refused=only("lag", ("AugmentedLagrangian", "lag"), ("RungeKutta", "lag")),
    ),
    "bushing with damping": Kind(bushing, refused=only("bushing")),
    # 0.7 of 1.5 N are reached over 1 cm at 0.5 m/s, by 2 kg: 1.5 / 0.02 / 2 per second.
    "stick-slip friction": Kind(friction, order=1, kink=40.0, refused=only("friction")),
    "stop": Kind(
        lambda: pendulum(lambda body, hinge: fx.JointStop(hinge, upper=0.3, stiffness=300.0, damping=0.1, name="stop")),
        order=2, refused=only("stop"),
    ),
    "rolling": Kind(rolling, refused=only("rolling")),
    "driver": Kind(driven, refused=only("motor")),
    "varying load": Kind(
        lambda: fx.Model(*bar(), fx.Gravity((0, 0, -G), history=lambda t: math.cos(2.0 * t))), refused=only("gravity")
    ),
    "user force": Kind(lambda: pendulum(air), refused=only("air")),
    "sampled controller": Kind(lambda: pendulum(controlled), refused=only("pid")),
    "floating pendulum": Kind(lambda: floating(hinged), 160, refused=FLOATS, best=fx.RungeKutta(order=5)),
    "free floating body": Kind(floating, 160, refused=FLOATS, best=fx.RungeKutta(order=5)),
    "event that changes a load": Kind(pendulum, events=(EVENT,)),
}  # fmt: skip


@pytest.fixture(scope="module")
def known() -> Callable[[str], tuple[fx.System, np.ndarray]]:
    """The compiled model of a kind and its positions at the end: with 20 times smaller steps of the highest order."""
    found: dict[str, tuple[fx.System, np.ndarray]] = {}

    def get(name: str) -> tuple[fx.System, np.ndarray]:
        if name not in found:
            kind = KINDS[name]
            system = fx.compile_model(kind.make())
            run = go(system, kind, kind.best, 20 * kind.steps)
            found[name] = system, run.q[-1]
        return found[name]

    return get


def go(system: fx.System, kind: Kind, scheme: Any, steps: int) -> fx.TimeSolution:
    """A run with fixed steps."""
    output = fx.Output(at=(UNTIL,), energy=False)
    return fx.simulate(system, UNTIL, step=UNTIL / steps, integrator=scheme, events=list(kind.events), output=output)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("name", KINDS)
def test_the_same_motion_or_a_refusal(name: str, scheme: str, known: Any) -> None:
    kind, integrator = KINDS[name], SCHEMES[scheme]
    system, exact = known(name)
    item = dict(kind.refused).get(type(integrator).__name__)
    if item is not None:
        with pytest.raises(fx.ModelError, match=item) as caught:
            go(system, kind, integrator, kind.steps)
        assert type(integrator).__name__ in str(caught.value)
        assert "take GeneralizedAlpha()" in str(caught.value).replace("Take", "take")
        return
    coarse, fine = (go(system, kind, integrator, n).q[-1] for n in (kind.steps, 2 * kind.steps))
    size = float(np.abs(exact).max())
    apart = float(np.abs(coarse - fine).max())
    assert apart < ROUGH * size
    expected = apart / (2.0 ** min(integrator.order, kind.order) - 1.0)
    kink = kind.kink / 6.0 * (UNTIL / kind.steps) ** 3
    assert np.abs(fine - exact).max() <= FACTOR * expected + kink + ROUND_OFF * size


# --- ends of runs ----------------------------------------------------------------------------------------------------


def lock_up() -> fx.Model:
    """A ball on a rod of length 1 is drawn to (3, 0) until it cannot go on: 2 is the least distance."""
    ball = fx.PointMass(1.0, position=(0.8, 0.6), name="ball")
    rod = fx.DistanceConstraint(fx.ground.marker_at((0.0, 0.0)), ball.centre, name="rod")
    reach = math.hypot(2.2, 0.6)
    winch = fx.DistanceDriver(fx.ground.marker((3, 0)), ball.centre, motion=lambda t: reach - t, name="winch")
    return fx.Model(ball, rod, winch, fx.Gravity((0, -G)))


LOCKED = math.hypot(2.2, 0.6) - 2.0


@pytest.mark.parametrize("step", [fx.FixedStep(5e-3), fx.ErrorControl(1e-6)], ids=["fixed", "controlled"])
@pytest.mark.parametrize("scheme", [name for name in SCHEMES if name != "energy-momentum"])
@pytest.mark.filterwarnings("ignore::flexmbs.AccuracyWarning")  # Baumgarte's terms push hard where nothing can move
def test_a_lock_up_ends_the_run_and_keeps_it(scheme: str, step: Any, tmp_path: Any) -> None:
    """No scheme passes it; steps are halved six times at most. What was found is in the error and in the file."""
    file, model = tmp_path / "run.h5", lock_up()
    with pytest.raises(fx.ConvergenceError, match=r"stopped at t = 0\.28.* with a step of") as caught:
        fx.simulate(model, 1.0, step=step, integrator=SCHEMES[scheme], file=file)
    run = caught.value.solution
    assert run.status is fx.Status.STEP_TOO_SMALL
    assert LOCKED - 0.01 < run.t[-1] < LOCKED + 5e-3 / 2**6
    if "Baumgarte" not in scheme:
        # near where G loses its rank projections hardly converge; no scheme accepts a step that leaves more than this
        assert run.residuals[:, 0].max() <= MET * run.system.length
    assert np.array_equal(fx.load(file, model=model).q, run.q)


@pytest.mark.parametrize(
    "step", [fx.FixedStep(0.01, max_steps=7), fx.ErrorControl(1e-5, max_steps=7)], ids=["fixed", "controlled"]
)
@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_run_whose_steps_are_used_up_goes_on_bitwise(scheme: str, step: Any, tmp_path: Any) -> None:
    """From its file, too; and the file says with what it was made."""
    model, integrator, endless = planar(), SCHEMES[scheme], replace(step, max_steps=None)
    whole = fx.simulate(model, 0.3, step=endless, integrator=integrator)
    begun = fx.simulate(model, 0.3, step=step, integrator=integrator, file=tmp_path / "run.h5", throw=False)
    assert begun.status is fx.Status.TOO_MANY_STEPS
    assert len(begun.steps) == 7
    loaded = fx.load(tmp_path / "run.h5")
    settings = {name: from_plain(name, loaded.settings[name], SETTINGS, {}) for name in ("integrator", "step")}
    assert settings == {"integrator": integrator, "step": step}
    for start in (begun, loaded):
        rest = fx.simulate(model, 0.3, step=endless, integrator=settings["integrator"], start=start)
        for name in ("q", "v", "a", "lam"):
            assert np.array_equal(getattr(rest, name), getattr(whole, name)[7:]), name


SETTINGS = Vocabulary(
    [
        fx.GeneralizedAlpha, fx.AugmentedLagrangian, fx.NewtonOptions, fx.BDF, fx.integrators.CorrectorOptions,
        fx.RadauIIA,
        fx.EnergyMomentum, fx.RungeKutta, fx.integrators.SuccessiveProjection, fx.integrators.StandardProjection,
        fx.integrators.AscherProjection,
        fx.integrators.NullSpace, fx.integrators.CoordinatePartitioning, fx.integrators.Baumgarte, fx.FixedStep,
        fx.ErrorControl,
    ]
)  # fmt: skip
"""Everything that settings consist of."""


@pytest.mark.parametrize("after", [fx.BDF(), fx.RungeKutta(order=5), fx.RadauIIA()], ids=str)
def test_a_stricter_scheme_goes_on_after_baumgarte(after: Any) -> None:
    """Baumgarte's joints are open by its error; what goes on draws them together first."""
    system = fx.compile_model(planar())
    begun = fx.simulate(
        system,
        UNTIL / 2,
        step=UNTIL / 20,
        integrator=fx.RungeKutta(constraints=fx.integrators.Baumgarte(time_constant=0.05)),
    )
    assert begun.residuals[-1, 0] > 1e-7
    run = fx.simulate(system, UNTIL, step=fx.ErrorControl(rtol=1e-8), integrator=after, start=begun)
    assert run.status is fx.Status.DONE
    assert run.residuals[:, 0].max() < 1e-9


@pytest.mark.parametrize(
    ("scheme", "advice"),
    [(fx.BDF, r"write BDF\(\) with its parentheses"),
     (fx.integrators.NullSpace(), r"write integrator=RungeKutta\(constraints=NullSpace\(\.\.\.\)\)"),
     ("BDF", r"such as GeneralizedAlpha\(rho_inf=0\.8\), not 'BDF'")],
)  # fmt: skip
def test_what_is_no_scheme_is_refused_with_advice(scheme: Any, advice: str) -> None:
    with pytest.raises(fx.ModelError, match=advice):
        fx.simulate(planar(), 0.1, integrator=scheme)


@pytest.mark.parametrize("after", SCHEMES)
@pytest.mark.parametrize("before", ["alpha, index 2", "BDF 4", "Radau", "energy-momentum", "RK 4, Baumgarte"])
def test_another_scheme_goes_on(before: str, after: str) -> None:
    """The memory of one scheme says nothing to another: no error beyond those of both, nor a jump."""
    system = fx.compile_model(planar())
    exact = fx.simulate(system, UNTIL, step=UNTIL / 400, integrator=fx.RadauIIA()).q[-1]
    steps = {"step": UNTIL / 40}
    own = [fx.simulate(system, UNTIL, integrator=SCHEMES[name], **steps).q[-1] for name in (before, after)]
    begun = fx.simulate(system, UNTIL / 2, integrator=SCHEMES[before], **steps)
    run = fx.simulate(system, UNTIL, integrator=SCHEMES[after], start=begun, **steps)
    allowed = FACTOR * sum(float(np.abs(q - exact).max()) for q in own)
    assert np.abs(run.q[-1] - exact).max() <= allowed + ROUND_OFF
