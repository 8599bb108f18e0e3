"""Shafts and rotors that spin: by absolute coordinates, in floating frames, with discs on nodes or as bodies."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

import flexmbs as fx

L, E = fx.linear, fx.elements
SHAFT = fx.BeamStiffness(
    EA=1e6, EI_z=10.0, EI_y=10.0, GJ=20.0, GA_y=1e6, GA_z=1e6, mass_per_length=0.5, rhoI_y=1e-5, rhoI_z=1e-5
)
MASS, DISC = 2.0, np.diag([0.08, 0.04, 0.04])


def hub(speed: float) -> list[Any]:
    body = fx.RigidBody(1.0, (1, 1, 1), angular_velocity=(speed, 0, 0), name="hub")
    pivot = fx.RevoluteJoint(fx.ground, body, at=(0, 0, 0), axis=(1, 0, 0), name="pivot")
    return [body, pivot, fx.RotationDriver(pivot, rate=speed, name="drive")]


@cache
def reduced(disc: bool) -> Any:
    """The shaft, with a disc on its last node."""
    masses = [L.NodalMass("end", MASS, inertia=DISC)] if disc else []
    regions = [L.Region(None, E.Frame(section=SHAFT))]
    part = L.Part(fx.meshes.line((0, 0, 0), (1, 0, 0), 12), regions=regions, connections=masses, name="shaft")
    return fx.reduction.reduce(part, ["start", "end"], modes=8, geometric_stiffening=True, progress=False)


def floating(speed: float, on_node: bool) -> fx.Model:
    """An overhung disc on a reduced shaft: as a mass on its node, or as a body."""
    shaft = fx.FloatingBody(reduced(on_node), reference="start", angular_velocity=(speed, 0, 0), name="shaft")
    parts = hub(speed)
    items = [*parts, shaft, fx.FixedJoint(parts[0], shaft.interface("start"), name="clamp")]
    if not on_node:
        disc = fx.RigidBody(MASS, DISC, position=(1, 0, 0), angular_velocity=(speed, 0, 0), name="disc")
        items += [disc, fx.FixedJoint(shaft.interface("end"), disc, name="seat")]
    return fx.Model(*items)


def absolute(speed: float) -> fx.Model:
    """The same of exact beams, whose coordinates do not turn."""
    shaft = fx.FlexibleBody.line(
        (0, 0, 0), (1, 0, 0), elements=8, element=E.GeometricallyExactBeam(), stiffness=SHAFT, name="shaft"
    )
    disc = fx.RigidBody(MASS, DISC, position=(1, 0, 0), angular_velocity=(speed, 0, 0), name="disc")
    parts = hub(speed)
    return fx.Model(
        *parts, shaft, disc, fx.FixedJoint(parts[0], shaft.start, name="clamp"),
        fx.FixedJoint(shaft.end, disc, name="seat"), fx.InitialVelocity(shaft, angular_velocity=(speed, 0, 0)),
    )  # fmt: skip


def test_a_disc_on_a_node_is_one_on_a_body() -> None:
    """Also where it turns with the node, which adds to its centrifugal moment."""
    speed = 3.0
    one, other = (fx.solve_modal(floating(speed, on_node), modes=4) for on_node in (True, False))
    assert np.abs(one.angular_frequencies) == pytest.approx(np.abs(other.angular_frequencies), rel=1e-4)


def test_roots_are_those_of_the_frame_they_are_said_to_be_in() -> None:
    """From axes at rest to axes that turn, roots move by the speed."""
    speed = 3.0
    turning, rest = fx.solve_modal(floating(speed, True), modes=2), fx.solve_modal(absolute(speed), modes=2)
    assert turning.frame == "body 'hub'"
    assert rest.frame == "inertial"
    moved = sorted(abs(w - speed) for w in rest.angular_frequencies)  # the sign is that of the sense
    assert sorted(np.abs(turning.angular_frequencies)) == pytest.approx(moved, rel=2e-3)


def test_a_critical_speed_is_where_absolute_coordinates_have_it() -> None:
    """Forward whirl at rest in the turning frame turns with the shaft in axes at rest."""
    (speed,) = fx.campbell(lambda speed: floating(speed, False), [3.0, 3.5, 4.0], modes=2).critical(order=0)
    at_rest = fx.solve_modal(absolute(float(speed)), modes=2).angular_frequencies
    assert np.abs(at_rest - speed).min() < 1e-3 * speed


def blades(origin: Any, speed: float = 4.0, stiffness: float = 30.0) -> fx.Model:
    """Three rigid blades on flap hinges of a driven hub."""
    o = np.array(origin, dtype=float)
    body = fx.RigidBody(1.0, (1, 1, 1), position=o, angular_velocity=(0, 0, speed), name="hub")
    pivot = fx.RevoluteJoint(fx.ground, body, at=o, axis=(0, 0, 1), name="pivot")
    items: list[Any] = [body, pivot, fx.RotationDriver(pivot, rate=speed, name="drive")]
    for k in range(3):
        a = 2.0 * np.pi * k / 3.0
        e, f = np.array([np.cos(a), np.sin(a), 0.0]), np.array([-np.sin(a), np.cos(a), 0.0])
        blade = fx.RigidBody.rod(o + 0.5 * e, o + 2.5 * e, mass=1.0, name=f"blade {k}", velocity=speed * 1.5 * f)
        blade = blade.with_spin((0, 0, speed))
        flap = fx.RevoluteJoint(body, blade, at=o + 0.5 * e, axis=f, name=f"flap {k}")
        items += [blade, flap, fx.TorsionSpring(flap, stiffness=stiffness, name=f"spring {k}")]
    return fx.Model(*items)


@pytest.mark.parametrize("origin", [(0, 0, 0), (1, 0, 0), (30, -20, 10)])
def test_a_rotor_may_turn_anywhere(origin: Any) -> None:
    """w^2 = k/J + W^2 (1 + e S/J) with J = m l^2/3, S = m l/2."""
    inertia, moment = 4.0 / 3.0, 1.0
    wanted = np.sqrt(30.0 / inertia + 16.0 * (1.0 + 0.5 * moment / inertia))
    assert fx.solve_modal(blades(origin)).angular_frequencies == pytest.approx(np.full(3, wanted), rel=1e-4)


def test_a_fast_spin_without_stiffening_is_told_in_every_analysis() -> None:
    section = fx.BeamStiffness(
        EA=1e6, EI_z=12.0, EI_y=3.0, GJ=5.0, GA_y=1e6, GA_z=1e6, mass_per_length=0.5, rhoI_y=1e-4, rhoI_z=4e-4
    )
    regions = [L.Region(None, E.Frame(section=section))]
    part = L.Part(fx.meshes.line((0, 0, 0), (2, 0, 0), 10), regions=regions, name="blade")
    reduced = fx.reduction.reduce(part, ["start", "end"], modes=6, progress=False)
    blade = fx.FloatingBody(reduced, reference="start", angular_velocity=(0, 0, 4.0), name="blade")
    hinge = fx.RevoluteJoint(fx.ground, blade, at=(0, 0, 0), axis=(0, 0, 1), name="hinge")
    model = fx.Model(blade, hinge, fx.RotationDriver(hinge, rate=4.0, name="drive"))
    for analysis in (lambda: fx.solve_modal(model, modes=3), lambda: fx.linearise(model)):
        with pytest.warns(
            fx.AccuracyWarning, match="Without geometric stiffening the square of that frequency is wrong"
        ):
            analysis()
