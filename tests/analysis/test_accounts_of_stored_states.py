"""Energies of stored states are the same whether they are measured as they are stored, or when they are asked for."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import flexmbs as fx
from flexmbs.analysis.accounts import Accounts


def chain() -> fx.Model:
    """Three bars and a spring, in space."""
    bars = [
        fx.RigidBody(mass=1.0, inertia=(0.01, 0.08, 0.08), position=(i + 0.5, 0, 0), name=f"bar {i}") for i in range(3)
    ]
    joints = [
        fx.RevoluteJoint(a, b, at=(i, 0, 0), axis=(0, 1, 0))
        for i, (a, b) in enumerate(zip([fx.ground, *bars], bars, strict=False))
    ]
    spring = fx.SpringDamper(bars[-1].marker((0.5, 0, 0)), fx.ground.marker((4, 0, 1)), stiffness=50.0, damping=1.0)
    return fx.Model(*bars, *joints, spring, fx.Gravity((0, 0, -9.81)))


def crank() -> fx.Model:
    """A driven crank that turns round and round, with a flexible rod."""
    wheel = fx.PlanarRigidBody.rod((0, 0), (0.15, 0), mass=0.5, name="crank")
    rod = fx.FlexibleBody.line(
        (0.15, 0), (0.65, 0), elements=4, element=fx.elements.ANCFCable2D(), material=fx.steel, name="rod",
        section=fx.Rectangle(width=0.02, height=0.004),
    )  # fmt: skip
    slider = fx.PlanarRigidBody(mass=0.5, inertia=1e-3, position=(0.65, 0), name="slider")
    bearing = fx.RevoluteJoint(fx.ground, wheel, at=(0, 0), name="bearing")
    return fx.Model(
        wheel, rod, slider, bearing, fx.RevoluteJoint(wheel, rod.start), fx.RevoluteJoint(rod.end, slider),
        fx.PrismaticJoint(fx.ground, slider, at=(0.65, 0), axis=(1, 0)),
        fx.RotationDriver(bearing, rate=fx.motions.Ramp(0, 50, duration=0.1), name="motor"),
    )  # fmt: skip


def wound() -> fx.Model:
    """A wheel that a torsion spring drives over several turns."""
    wheel = fx.PlanarRigidBody(mass=1.0, inertia=0.1, position=(0, 0), angular_velocity=30.0, name="wheel")
    bearing = fx.RevoluteJoint(fx.ground, wheel, at=(0, 0), name="bearing")
    return fx.Model(wheel, bearing, fx.TorsionSpring(bearing, stiffness=2.0, damping=0.02, name="spring"))


def panel() -> fx.Model:
    """A floating body, whose mass changes, pushed at its end."""
    mesh = fx.meshes.box((0, -0.05, -0.005), (1, 0.1, 0.01), (6, 1, 1))
    part = fx.linear.Part(mesh, regions=[fx.linear.Region(None, fx.elements.Hexahedron8(), fx.steel)], name="panel")
    small = fx.reduction.reduce(part, ["left", "right"], 4, progress=False)
    body = fx.FloatingBody(small, angular_velocity=(0.1, 5, 0.2), modes=4)
    return fx.Model(body, fx.PointForce(body.interface("right"), (0, 0, 5.0)))


def geared() -> fx.Model:
    """Two wheels on a gear, without any load."""
    wheels = [
        fx.PlanarRigidBody(mass=1.0, inertia=0.1 * k, position=(k, 0), angular_velocity=w, name=f"wheel {k}")
        for k, w in ((1, 30.0), (2, -15.0))
    ]
    axles = [fx.RevoluteJoint(fx.ground, wheel, at=(k + 1, 0), name=f"axle {k}") for k, wheel in enumerate(wheels)]
    return fx.Model(*wheels, *axles, fx.Gear(*axles, ratio=-2.0, name="gear"))


def held() -> fx.Model:
    """A wheel on a spring, with a controller that changes what it holds at every sample."""
    pid = fx.control.PID(
        fx.control.JointSensor("bearing"), fx.control.JointActuator("bearing", name="motor"), period=2e-3,
        proportional=1.0, derivative=0.05, reference=3.0, name="PID",
    )  # fmt: skip
    return wound().with_(pid)


MODELS = {"chain": chain, "crank": crank, "wound": wound, "panel": panel, "geared": geared, "held": held}


def numbers(run: Any) -> np.ndarray:
    parts = [getattr(run.energy, name) for name in type(run.energy).__dataclass_fields__]
    return np.column_stack((*parts, run.residuals))


@pytest.mark.parametrize("output", [None, fx.Output(every=0.0007)])
@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("make", MODELS.values(), ids=MODELS)
def test_they_are_the_same_to_the_last_bit(
    make: Callable[[], fx.Model], compiled: bool, output: fx.Output | None, tmp_path: Path
) -> None:
    """A run with a file measures every state as it is stored."""
    model, scheme = make(), fx.GeneralizedAlpha(compiled=compiled)
    options: dict[str, Any] = {"until": 0.6 if compiled else 0.2, "step": 1e-3, "integrator": scheme, "output": output}
    at_once = fx.simulate(model, file=tmp_path / "run.h5", **options)
    later = fx.simulate(model, **options)
    assert "energy" in vars(at_once)
    assert ("energy" in vars(later)) == bool(model.controllers)
    for run in (copy.copy(later), later):
        assert np.array_equal(numbers(run), numbers(at_once))
    assert at_once.residuals[:, 0].max() < 1e-6  # counted turns are those of each state
    assert np.abs(later.energy.balance).max() < 0.05 * later.energy.kinetic.max()


def test_nothing_is_written_beside_the_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    """Steps that begin anew at samples tell what they do in rows behind those of the ends."""
    from flexmbs.integrators.compiled import driver as module

    rows: list[np.ndarray] = []
    genuine = module.Text

    def guarded(*given: Any, **others: Any) -> Any:
        arguments = list(given)
        place = next(i for i, x in enumerate(arguments) if isinstance(x, list))
        wider = [np.full((3 * len(x), x.shape[1]), np.nan) for x in arguments[place]]
        rows.extend(x[: len(old)] for x, old in zip(wider, arguments[place], strict=True))
        rows.extend(x[len(old) :] for x, old in zip(wider, arguments[place], strict=True))
        arguments[place] = wider
        return genuine(*arguments, **others)

    monkeypatch.setattr(module, "Text", guarded)
    fx.simulate(held(), until=0.3, step=1e-3, integrator=fx.GeneralizedAlpha(compiled=True))
    inside, behind = rows
    assert np.isfinite(inside).any()
    assert np.isnan(behind).all()


def test_measuring_that_is_interrupted_is_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    run = fx.simulate(chain(), until=0.3, step=1e-3)
    with monkeypatch.context() as patch:
        patch.setattr(Accounts, "measure", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            _ = run.energy
    assert "energy" in dir(run)
    assert np.isfinite(run.energy.total).all()


def test_only_some_states_are_measured_unless_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[float] = []
    genuine = Accounts.measure

    def noted(self: Accounts, t: float, *others: Any) -> Any:
        seen.append(t)
        return genuine(self, t, *others)

    monkeypatch.setattr(Accounts, "measure", noted)
    run = fx.simulate(chain(), until=1.0, step=1e-3)
    assert len(run) == 1001
    assert 100 < len(seen) < 250
    assert run.energy.total.shape == (1001,)
    assert len(seen) > 1001


def test_runs_whose_forces_only_the_run_knows_are_measured_at_once() -> None:
    ball = fx.RigidBody.sphere(radius=0.1, mass=1.0, position=(0, 0, 0.2), name="ball")
    floor = fx.contact.Plane(fx.ground.marker((0, 0, 0), axis=(0, 0, 1)))
    law = fx.contact.HuntCrossleyLaw(stiffness=1e5)
    contact = fx.Contact((floor, fx.contact.Sphere(ball, radius=0.1)), law)
    point = fx.PointMass(1.0, position=(0, 0, 0), name="point")
    pushed = fx.PointForce(point, (1, 0, 0), history=lambda t: 1.0 + t)
    held = fx.control.Controller(
        [fx.control.JointSensor("bearing")], fx.control.JointActuator("bearing", name="motor"), 0.01,
        output=lambda x, u, t: [1.0], name="push",
    )  # fmt: skip
    for model in (fx.Model(ball, contact, fx.Gravity((0, 0, -9.81))), fx.Model(point, pushed), wound().with_(held)):
        run = fx.simulate(model, until=0.05, step=1e-3)
        assert "energy" in vars(run)
