"""Bodies that touch very many others, outside of the band: compiled as in Python, and the same as in a wide band."""

from __future__ import annotations

import numpy as np
import pytest

import flexmbs as fx
from flexmbs.core import sparsity

R, SPAN = 0.1, 0.3


def wheel() -> fx.Model:
    """Sixteen hanging chains of two bars each around a hub that turns: 35 of 163 unknowns are the border."""
    hub = fx.PlanarRigidBody(mass=2.0, inertia=0.02, name="hub", angular_velocity=3.0)
    items: list[object] = [
        hub, fx.RevoluteJoint(fx.ground, hub, at=(0, 0), name="axle"), fx.Gravity((0.0, -9.81)),
    ]  # fmt: skip
    for k in range(16):
        along = np.array((np.cos(k * np.pi / 8), np.sin(k * np.pi / 8)))
        last, place = hub, 0.1 * along
        for j in range(2):
            middle = place + 0.05 * along
            bar = fx.PlanarRigidBody(
                mass=0.05, inertia=5e-5, position=middle, angle=k * np.pi / 8, name=f"bar {k}.{j}",
                velocity=3.0 * np.array((-middle[1], middle[0])), angular_velocity=3.0,
            )  # fmt: skip
            items += [bar, fx.RevoluteJoint(last, bar, at=place, name=f"pin {k}.{j}")]
            last, place = bar, place + 0.1 * along
    return fx.Model(*items, name="wheel")


def belt() -> fx.Model:
    """A closed belt that is driven by one pulley and turns another."""
    arc, length = np.pi * R, 2.0 * (SPAN + np.pi * R)

    def axis(s: np.ndarray) -> np.ndarray:
        right, left = (s - SPAN) / R - 0.5 * np.pi, (s - 2.0 * SPAN - arc) / R + 0.5 * np.pi
        part = [s < SPAN, s < SPAN + arc, s < 2.0 * SPAN + arc]
        x = np.select(part, [s, SPAN + R * np.cos(right), 2.0 * SPAN + arc - s], R * np.cos(left))
        y = np.select(part, [0.0 * s - R, R * np.sin(right), 0.0 * s + R], R * np.sin(left))
        return np.array([x, y])

    body = fx.FlexibleBody(
        fx.meshes.curve(axis, 28, (0.0, length), closed=True), fx.elements.ANCFCable2D(), name="belt",
        stiffness=fx.BeamStiffness(EA=2e3, EI_z=2e-3, mass_per_length=0.1, retardation_time=1e-3),
    )  # fmt: skip
    pulleys = [fx.PlanarRigidBody(mass=1.0, inertia=5e-3, position=(x, 0.0), name=f"at {x}") for x in (0.0, SPAN)]
    axles = [fx.RevoluteJoint(fx.ground, p, at=p.position[:2], name=f"axle {k}") for k, p in enumerate(pulleys)]
    touch = fx.Contact(
        (*(fx.contact.Cylinder(p.centre, radius=R - 1e-3) for p in pulleys), fx.contact.Tube(body, radius=2e-3)),
        fx.contact.HuntCrossleyLaw(stiffness=1e6, exponent=1.0, damping=0.1), fx.contact.CoulombLaw(0.3, speed=1e-2),
        allow_overlap=True,
    )  # fmt: skip
    drive = fx.RotationDriver(axles[0], rate=fx.motions.Ramp(0.0, 5.0, duration=0.05), name="drive")
    return fx.Model(body, *pulleys, *axles, touch, drive, name="belt")


@pytest.mark.parametrize("index", [2, 3])
@pytest.mark.parametrize(("make", "h"), [(wheel, 1e-3), (belt, 2e-4)])
def test_compiled_as_in_python(both, make, h: float, index: int) -> None:
    run = both(make(), 50 * h, h, index, output=fx.Output(at=(20 * h, 50 * h)))
    assert run.system.border > 0
    assert run.counts["compiled_steps"] == run.counts["steps"]


@pytest.mark.parametrize(("make", "h"), [(wheel, 1e-3), (belt, 2e-4)])
def test_as_in_a_wide_band(make, h: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """The order of the unknowns shows in round-off alone: with tight tolerances motions are the same."""
    scheme = fx.GeneralizedAlpha(rho_inf=0.8, newton=fx.NewtonOptions(rtol=1e-12))
    runs = []
    for most in (sparsity.MOST_BORDER, 0):
        monkeypatch.setattr(sparsity, "MOST_BORDER", most)
        runs.append(fx.simulate(make(), 50 * h, step=h, integrator=scheme))
    assert runs[0].system.border > 0 == runs[1].system.border
    for name in ("q", "v"):
        one, other = (getattr(run, name) for run in runs)
        assert np.abs(one - other).max() <= 1e-9 * np.abs(other).max(), name


def test_explicit_steps() -> None:
    system = fx.compile_model(wheel())
    runs = [fx.simulate(system, 0.02, step=5e-4, integrator=fx.RungeKutta(order=4, compiled=c)) for c in (False, True)]
    assert system.border > 0
    assert np.array_equal(runs[0].q, runs[1].q)
    assert runs[1].counts["compiled_steps"] == 40
