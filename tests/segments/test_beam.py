"""Beams of rigid segments."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import flexmbs as fx
from flexmbs.core.errors import ModelError

SLIM = fx.BeamStiffness(
    EA=1e6, EI_z=1.0, EI_y=2.0, GJ=0.7, GA_y=1e4, GA_z=2e4, mass_per_length=1.5, rhoI_y=2e-5, rhoI_z=1e-5
)
QUIET = fx.StaticOptions(progress=False)

STRAIGHT = [(0.3, -0.2, 0.1), (0.3, 1.8, 0.1)]  # along y, 2 long


def _flexibility(x: float, a: float, EI: float) -> float:
    """Deflection at x of a cantilever under a unit force at a <= x."""
    return a**2 * (3.0 * x - a) / (6.0 * EI)


@pytest.mark.parametrize("n", [1, 3, 6])
def test_nodes_of_a_straight_beam_move_exactly(n: int) -> None:
    """Unit loads small enough to be linear: bending both ways, tension, torsion, with shear."""
    beam = fx.segments.segmented_beam(STRAIGHT, n=n, stiffness=SLIM, up=(0, 0, 1))
    model = fx.Model(*beam.items, fx.FixedJoint(fx.ground, beam.start))
    small = 1e-6
    L = 2.0
    # x of the beam is the inertial y, y the inertial -x, z the inertial z
    loads = {
        0: (fx.PointForce(beam.end, (-small, 0, 0)), (-1, 0, 0), L**3 / 3.0 / SLIM.EI_z + L / SLIM.GA_y),
        1: (fx.PointForce(beam.end, (0, 0, small)), (0, 0, 1), L**3 / 3.0 / SLIM.EI_y + L / SLIM.GA_z),
        2: (fx.PointForce(beam.end, (0, small, 0)), (0, 1, 0), L / SLIM.EA),
        3: (fx.Moment(beam.end, (0, 0, small)), (-1, 0, 0), L**2 / 2.0 / SLIM.EI_z),
        4: (fx.Moment(beam.end, (small, 0, 0)), (0, 0, 1), L**2 / 2.0 / SLIM.EI_y),
    }
    for load, direction, expected in loads.values():
        found = fx.solve_static(model.with_(load), QUIET).position(beam.end)[-1] - STRAIGHT[1]
        assert found @ direction == pytest.approx(small * expected, rel=1e-6, abs=1e-14)
    turned = fx.solve_static(model.with_(fx.Moment(beam.end, (0, small, 0))), QUIET).rotation(beam.end)[-1]
    start = beam.end.rotation0()
    twist = 0.5 * ((turned @ start.T)[0, 2] - (turned @ start.T)[2, 0])
    assert twist == pytest.approx(small * L / SLIM.GJ, rel=1e-6)


def test_inner_nodes_move_exactly() -> None:
    beam = fx.segments.segmented_beam(
        [(0, 0), (1, 0)], n=5, stiffness=fx.BeamStiffness(EA=1e6, EI_z=1.0, mass_per_length=1.0)
    )
    model = fx.Model(*beam.items, fx.FixedJoint(fx.ground, beam.start), fx.PointForce(beam.node(2), (0, 1e-6)))
    w = beam.positions(fx.solve_static(model, QUIET))[-1, :, 1] / 1e-6
    for k in range(2, 6):
        assert w[k] == pytest.approx(_flexibility(k / 5, 0.4, 1.0), rel=1e-6)


@pytest.mark.parametrize("options", [{"match": "modes"}, {"stretch": False}])
def test_rigid_halves_lose_a_quarter_of_the_square(options: dict[str, Any]) -> None:
    """Midpoint rule for the integral of (L - x)^2: relative error -1/(4 n^2)."""
    beam = fx.segments.segmented_beam(
        [(0, 0), (1, 0)], n=4, stiffness=fx.BeamStiffness(EA=1e9, EI_z=1.0, GA_y=1e9, mass_per_length=1.0), **options
    )
    model = fx.Model(*beam.items, fx.FixedJoint(fx.ground, beam.start), fx.PointForce(beam.end, (0, 1e-4)))
    tip = fx.solve_static(model, QUIET).position(beam.end)[-1, 1] * 3.0 / 1e-4
    assert tip - 1.0 == pytest.approx(-1.0 / 64.0, rel=1e-5)


@pytest.mark.parametrize("n", [1, 4, 7])
def test_mass_and_inertia_of_a_straight_beam_are_exact(n: int) -> None:
    beam = fx.segments.segmented_beam(STRAIGHT, n=n, stiffness=SLIM)
    whole = fx.RigidBody.combined(*beam.bodies)
    m, L = 3.0, 2.0
    assert beam.mass == pytest.approx(m)
    assert whole.position == pytest.approx(np.mean(STRAIGHT, axis=0))
    across = m * L**2 / 12.0
    # axes of the beam x, y, z are the inertial y, -x, z
    expected = (across + SLIM.rhoI_y * L, (SLIM.rhoI_y + SLIM.rhoI_z) * L, across + SLIM.rhoI_z * L)
    assert np.diag(whole.inertia) == pytest.approx(expected)


def test_a_curved_beam_is_free_of_stress_as_given() -> None:
    angle = np.linspace(0.0, np.pi, 9)
    arch = np.column_stack((np.cos(angle), np.sin(angle), 0.1 * angle))
    beam = fx.segments.segmented_beam(arch, stiffness=SLIM)
    model = fx.Model(*beam.items, fx.FixedJoint(fx.ground, beam.start))
    still = fx.solve_static(model.with_(fx.PointForce(beam.end, (0, 0, 1e-12))), QUIET)
    assert np.abs(beam.positions(still)[-1] - arch).max() < 1e-10
    assert [len(body.shape.edges) for body in beam.bodies] == [1] + [2] * 7 + [1]


@pytest.mark.parametrize("stretch", [True, False])
def test_a_beam_that_was_straight_springs_back(stretch: bool) -> None:
    """Bent to a quarter circle without stress elsewhere: the clamped beam straightens along its first segment."""
    angle = np.linspace(0.0, np.pi / 2.0, 9)
    points = np.column_stack((np.sin(angle), 1.0 - np.cos(angle)))
    beam = fx.segments.segmented_beam(
        points, stiffness=fx.BeamStiffness(EA=1e4, EI_z=1.0, mass_per_length=1.0), rest="straight", stretch=stretch
    )
    found = beam.positions(fx.solve_static(fx.Model(*beam.items, fx.FixedJoint(fx.ground, beam.start)), QUIET))[-1]
    first = beam.start.rotation0()[:2, 0]
    normal = np.array((-first[1], first[0]))
    assert np.abs(found[:, :2] @ normal).max() < 1e-9
    links = [np.ptp(body.shape.points[:, 0]) for body in beam.bodies]
    assert found[-1, :2] @ first == pytest.approx(sum(links), abs=1e-9)


def test_a_closed_ring_under_two_forces() -> None:
    """Diameter of a thin ring pulled by P: change P R^3/EI (pi/4 - 2/pi); 64 segments are within 0.5 %."""
    n = 64
    angle = 2.0 * np.pi * np.arange(n) / n
    ring = fx.segments.segmented_beam(
        np.column_stack((np.cos(angle), np.sin(angle))),
        stiffness=fx.BeamStiffness(EA=1e7, EI_z=1.0, mass_per_length=1.0), closed=True,
    )  # fmt: skip
    assert len(ring.springs) == n
    P = 1e-3
    model = fx.Model(
        *ring.items, fx.FixedJoint(fx.ground, ring.node(n // 2)), fx.PointForce(ring.node(0), (P, 0)),
    )  # fmt: skip
    found = fx.solve_static(model, QUIET).position(ring.node(0))[-1, 0] - 1.0
    assert found == pytest.approx(P * (np.pi / 4.0 - 2.0 / np.pi), rel=5e-3)


@pytest.mark.filterwarnings("ignore:.*unstable")
@pytest.mark.parametrize("part", [0.5, 2.0])
def test_a_tension_that_joints_across_cannot_carry(part: float) -> None:
    """A segment of length h turns out of the line above N = k h, k = 12 EI/h^3: the limit of joints for statics."""
    EI, n = 1.0, 4
    beam = fx.segments.segmented_beam(
        [(0, 0), (1, 0)], n=n, stiffness=fx.BeamStiffness(EA=1e9, EI_z=EI, mass_per_length=1.0)
    )
    slots = [
        fx.PrismaticJoint(fx.ground, beam.bodies[-1], at=(1, 0), axis=(1, 0)),
        fx.FixedJoint(fx.ground, beam.start),
    ]
    pull = fx.PointForce(beam.end, (part * 12.0 * EI * n**2, 0.0))
    found = fx.solve_static(fx.Model(*beam.items, *slots, pull), fx.StaticOptions(progress=False, steps=1))
    assert bool(found.stable[-1]) == (part < 1.0)


def test_damping_follows_the_viscosity() -> None:
    stiffness = fx.BeamStiffness(EA=10.0, EI_z=1.0, mass_per_length=1.0, retardation_time=0.25)
    beam = fx.segments.segmented_beam([(0, 0), (1, 0)], n=2, stiffness=stiffness)
    spring = beam.springs[0]
    assert np.array_equal(np.asarray(spring.damping), 0.25 * np.asarray(spring.stiffness))


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"points": [(0, 0, 0), (0, 0, 0)]}, "must differ"),
        ({"points": [(0, 0, 0, 0), (1, 0, 0, 0)]}, "two or three components"),
        ({"points": [(0, 0, 0)]}, "at least 2"),
        ({"points": [(0, 0, 0), (1, 0, 0)], "closed": True}, "at least 3"),
        ({"points": [(0, 0, 0), (1, 0, 0), (2, 0, 0)], "n": 4}, "leave it out"),
        ({"up": (2, 0, 0)}, "parallel"),
        ({"stretch": False, "match": "statics"}, "give way"),
        ({"match": "both"}, "one of 'statics', 'modes'"),
        ({"rest": "bent"}, "one of 'shape', 'straight'"),
        ({"section": fx.Circle(diameter=0.1)}, "not both"),
        ({"stiffness": None, "section": fx.Circle(diameter=0.1)}, "section and material"),
        ({"stiffness": fx.BeamStiffness(EA=1.0, EI_z=1.0, mass_per_length=1.0)}, "lacks GJ"),
        ({"stiffness": fx.BeamStiffness(EA=1.0, EI_z=1.0, GJ=1.0, mass_per_length=1.0), "match": "modes"}, "GA_y"),
        ({"stiffness": fx.SectionStiffness.of(SLIM, shear_centre=(0, 0.1))}, "no coupling"),
    ],
)
def test_bad_input(change: dict[str, Any], word: str) -> None:
    given: dict[str, Any] = {"points": [(0, 0, 0), (1, 0, 0)], "stiffness": SLIM} | change
    with pytest.raises(ModelError, match=word):
        fx.segments.segmented_beam(**given)


def test_unknown_node() -> None:
    beam = fx.segments.segmented_beam(STRAIGHT, n=2, stiffness=SLIM)
    with pytest.raises(ModelError, match="numbered 0 to 2"):
        beam.node(3)


def test_a_chain_of_ball_joints_becomes_a_tree() -> None:
    """In relative rotations, three for each joint, it has the same frequencies."""
    beam = fx.segments.segmented_beam(STRAIGHT, n=4, stiffness=SLIM, stretch=False)
    model = fx.Model(*beam.items, fx.FixedJoint(fx.ground, beam.start))
    tree = fx.trees.to_relative_coordinates(model)
    assert tree.trees[0].n_v == 3 * 4
    assert not tree.joints
    expected = fx.solve_modal(model, 6).angular_frequencies
    assert fx.solve_modal(tree, 6).angular_frequencies == pytest.approx(expected, rel=1e-7)


def test_what_it_says_of_itself() -> None:
    beam = fx.segments.segmented_beam(STRAIGHT, n=4, stiffness=SLIM)
    assert repr(beam) == "<SegmentedBeam 'beam': 5 bodies, 0 joints, 4 springs>"
