"""Constraints of which inclined supports or skew planes leave nothing but round-off are none."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import flexmbs as fx


@pytest.mark.parametrize("angle", [0.3, 0.7, 1.1])
def test_a_joint_along_an_inclined_roller(angle: float) -> None:
    """It asks for what the roller holds already: the modes are those of the beam in line with the axes."""

    def modes(turn: float) -> np.ndarray:
        along, up = np.array([math.cos(turn), math.sin(turn)]), np.array([-math.sin(turn), math.cos(turn)])
        beam = fx.FlexibleBody.line((0, 0), tuple(2 * along), elements=6, element=fx.elements.ANCFCable2D(),
                                    stiffness=fx.BeamStiffness(EA=1e3, EI_z=5.0, mass_per_length=1.0))  # fmt: skip
        held = [fx.Pin(beam.start), fx.Roller(beam.end, tuple(up))]
        joint = fx.PointOnLineConstraint(fx.ground, beam.end, at=tuple(2 * along), axis=tuple(along), name="line")
        model = fx.Model(beam, *held, joint)
        poles = np.sort(np.abs(fx.linearise(model).poles.imag))
        found = fx.solve_modal(model, modes=4).angular_frequencies
        assert poles[1:8:2] == pytest.approx(found, rel=1e-6)
        return found

    assert modes(angle) == pytest.approx(modes(0.0), rel=1e-7)


@pytest.mark.parametrize("normal", [(0.0, 0.6, 0.8), (0.3, 0.5, 0.7)])
def test_a_four_bar_in_a_skew_plane_as_a_tree(normal: tuple[float, float, float]) -> None:
    """Three equations of the joint that closes the loop are met by the plane; it moves as Cartesian bodies do."""
    axis = np.array(normal) / np.linalg.norm(normal)
    first = np.cross(axis, (1.0, 0.2, 0.1))
    first /= np.linalg.norm(first)
    second = np.cross(axis, first)
    corners = [x * first + y * second for x, y in ((0, 0), (0.1, 0.3), (0.9, 0.5), (0.8, 0.0))]
    bars = [
        fx.RigidBody(1.0, (0.01, 0.02, 0.02), position=0.5 * (a + b), name=f"bar {i}")
        for i, (a, b) in enumerate(itertools.pairwise(corners))
    ]
    pairs = [(fx.ground, bars[0]), (bars[0], bars[1]), (bars[1], bars[2]), (bars[2], fx.ground)]
    joints = [
        fx.RevoluteJoint(a, b, at=tuple(corner), axis=tuple(axis), name=f"hinge {i}")
        for i, ((a, b), corner) in enumerate(zip(pairs, corners, strict=True))
    ]
    model = fx.Model(*bars, *joints, fx.Gravity(tuple(-9.81 * second)))
    tree = fx.trees.to_relative_coordinates(model)
    runs = [fx.simulate(x, until=0.3, step=1e-3, progress=False) for x in (model, tree)]
    names = ("bar 1", "tree of bar 0/bar 1")
    ends = [run.position(run.model.body(name))[-1] for run, name in zip(runs, names, strict=True)]
    assert ends[1] == pytest.approx(ends[0], abs=1e-6)
    assert len(fx.linearise(runs[1], moving=True).poles) == 2
