"""A kind of bodies of one's own: one file (docs/extending/tethered.py) and one line in the list do for everything."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import flexmbs as fx
from flexmbs.dynamics.evaluation import Dynamics
from flexmbs.extend import BODY_KINDS, BodyGroup
from flexmbs.system.system import compile_model
from flexmbs.visualization.parts_of_model import PartsOfModel

FILE = Path(__file__).parents[3] / "docs" / "extending" / "tethered.py"
MASS, STIFFNESS, G = 2.0, 50.0, 10.0
OMEGA = np.sqrt(STIFFNESS / MASS)
SAG = MASS * G / STIFFNESS


@pytest.fixture
def kind() -> Iterator[ModuleType]:
    """The module, its kind of bodies known while a test runs."""
    name = "tethered_of_a_user"
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, FILE)
        assert spec is not None
        assert spec.loader is not None
        sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
    module = sys.modules[name]
    BODY_KINDS.append(module.TetheredMasses)
    yield module
    BODY_KINDS.remove(module.TetheredMasses)


def bob(kind: ModuleType, **changes: object) -> object:
    return kind.TetheredMass(
        **({"mass": MASS, "stiffness": STIFFNESS, "position": (0.3, 0, 0), "name": "bob"} | changes)
    )


def gravity() -> fx.Gravity:
    return fx.Gravity((0.0, 0.0, -G))


def test_text_and_reports(kind: ModuleType) -> None:
    body = bob(kind)
    model = fx.Model(body, gravity())
    assert "tethered mass 'bob': mass 2 kg" in str(model)
    assert model.body("bob") is body
    report = fx.model_report(model)
    assert report.degrees_of_freedom == 3
    assert report.mass == MASS
    np.testing.assert_array_equal(report.centre, (0.3, 0.0, 0.0))
    (line,) = fx.topology(model).bodies
    assert (line.kind, line.coordinates, line.joints) == ("tethered mass", 3, 0)
    assert compile_model(model).coordinates.describe(2) == "z of body 'bob'"


def test_statics_and_modes(kind: ModuleType) -> None:
    """It sags by m g / k, and vibrates with sqrt(k / m) in all directions."""
    body = bob(kind)
    found = fx.solve_static(fx.Model(body, gravity()))
    np.testing.assert_allclose(found.position(body.centre)[-1], (0.3, 0.0, -SAG), rtol=0, atol=1e-9 * SAG)
    modes = fx.solve_modal(found)
    np.testing.assert_allclose(modes.frequencies, np.full(3, OMEGA / (2.0 * np.pi)), rtol=1e-9)


def test_motion_energy_and_momentum(kind: ModuleType) -> None:
    """z = -m g / k (1 - cos omega t), of second order in the step; m z' is the momentum."""
    body = bob(kind)
    model = fx.Model(body, gravity())
    off = []
    for step in (4e-3, 2e-3):
        run = fx.simulate(model, 0.5, step=step, progress=False)
        off.append(np.abs(run.position(body)[:, 2] + SAG * (1.0 - np.cos(OMEGA * run.t))).max())
    assert 3.5 < off[0] / off[1] < 4.5
    assert off[1] < SAG * (OMEGA * 2e-3) ** 2
    assert np.abs(run.energy.balance).max() < MASS * G * SAG * (OMEGA * 2e-3) ** 2
    speed = run.velocity(body)[-1]
    P, L = run.momentum()
    np.testing.assert_allclose(P[-1], MASS * speed, atol=1e-12)
    np.testing.assert_allclose(L[-1], np.cross(run.position(body)[-1], MASS * speed), atol=1e-12)
    np.testing.assert_array_equal(run.coordinates(body), run.position(body))


def test_steps_are_compiled_alike(kind: ModuleType) -> None:
    """Its kernels are printed into the compiled loop like those that come with flexmbs."""
    model = fx.Model(bob(kind, velocity=(1.0, 0.0, 0.0)), gravity())
    schemes = [fx.GeneralizedAlpha(compiled=compiled) for compiled in (True, False)]
    runs = [fx.simulate(model, 0.1, step=2e-3, integrator=scheme, progress=False) for scheme in schemes]
    np.testing.assert_array_equal(runs[0].q, runs[1].q)


def test_tangent_is_the_derivative(kind: ModuleType) -> None:
    """dr/dq of the whole model by differences, which are exact but for round-off as all is linear."""
    dyn = Dynamics(compile_model(fx.Model(bob(kind), gravity())))
    dyn.set_time(0.0)
    q, none, lam = dyn.coordinates.reference.copy(), np.zeros(3), np.zeros(0)
    h = 0.5
    sides = [[dyn.residual(q + s * h * e, none, none, lam).copy() for s in (1.0, -1.0)] for e in np.eye(3)]
    slopes = [forth - back for forth, back in sides]
    np.testing.assert_allclose(np.array(slopes).T / (2.0 * h), STIFFNESS * np.eye(3), atol=1e-12 * STIFFNESS)
    poles = fx.linearise(fx.solve_static(fx.Model(bob(kind), gravity()))).poles
    np.testing.assert_allclose(np.abs(poles), OMEGA, rtol=1e-6)


def test_joints_and_forces(kind: ModuleType) -> None:
    """A rod to a rigid body, a driver of a coordinate: both ends move as one along the rod."""
    body = bob(kind)
    other = fx.PointMass(1.0, position=(1.3, 0.0, 0.0), name="other")
    rod = fx.DistanceConstraint(body, other, name="rod")
    held = [fx.CoordinateJoint(other, c, name=f"guide {c}") for c in ("y", "z")]
    run = fx.simulate(fx.Model(body, other, rod, *held, gravity()), 0.2, step=1e-3, progress=False)
    length = np.linalg.norm(run.position(other) - run.position(body), axis=1)
    np.testing.assert_allclose(length, 1.0, atol=1e-9)
    fixed = [fx.CoordinateJoint(body, c, name=f"hold {c}") for c in ("x", "y", "z")]
    still = fx.simulate(fx.Model(body, *fixed, gravity()), 0.01, step=1e-3, progress=False)
    np.testing.assert_allclose(still.position(body)[-1], body.position, atol=1e-12)


def test_pictures_and_files(kind: ModuleType, tmp_path: Path) -> None:
    body = bob(kind)
    model = fx.Model(body, gravity())
    run = fx.simulate(model, 0.05, step=1e-3, progress=False)
    (part,) = PartsOfModel(run.system, np.asarray(run.q), True, False).parts
    assert part.name == "bob"
    run.animate(tmp_path / "motion.gif")
    run.save(tmp_path / "run.h5")
    back = fx.load(tmp_path / "run.h5", model=model)
    np.testing.assert_array_equal(back.position(body), run.position(body))


def test_gravity_of_the_plane_is_refused(kind: ModuleType) -> None:
    with pytest.raises(fx.ModelError, match="acceleration has 2 components, but body 'bob' moves in space"):
        compile_model(fx.Model(bob(kind), fx.Gravity((0.0, -9.81))))


def test_kinds_have_names_of_their_own() -> None:
    kinds = [kind.kind for kind in BODY_KINDS]
    assert len(set(kinds)) == len(kinds)
    assert all(issubclass(kind, BodyGroup) for kind in BODY_KINDS)


def test_a_kind_that_is_not_listed_is_refused() -> None:
    """Not left out of the equations in silence."""

    class Stray(fx.PointMass):
        kind = "stray"

    with pytest.raises(fx.ModelError, match=r"'lost' is of the kind 'stray', which no group compiles"):
        compile_model(fx.Model(Stray(1.0, (0.0, 0.0, 0.0), name="lost")))
