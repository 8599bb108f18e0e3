"""The mass is turned into the frames of supports with the stiffness: nothing depends on the direction of a clamp."""

from __future__ import annotations

import math

import numpy as np

import flexmbs as fx
from flexmbs.core.contracts import FloatArray
from flexmbs.dynamics.consistent_state import accelerations
from flexmbs.dynamics.evaluation import Dynamics
from flexmbs.elements import ANCFCable2D


def _cantilever(angle: float) -> tuple[fx.Model, FloatArray]:
    """A cantilever in this direction under its weight across, and the axes along and across it."""
    axes = np.array([[math.cos(angle), math.sin(angle)], [-math.sin(angle), math.cos(angle)]])
    cable = fx.FlexibleBody.line(
        (0.0, 0.0), axes[0], elements=6, element=ANCFCable2D(), name="cable",
        stiffness=fx.BeamStiffness(EA=1e4, EI_z=0.2, mass_per_length=1.0),
    )  # fmt: skip
    return fx.Model(cable, fx.Clamp(cable.start), fx.Gravity(-9.81 * axes[1])), axes


def test_a_turned_clamp_costs_and_moves_nothing() -> None:
    found = []
    for angle in (0.0, 0.5):
        model, axes = _cantilever(angle)
        run = fx.simulate(model, 0.1, step=1e-3)
        dynamics = Dynamics(run.system)
        dynamics.start_turns(0.0)
        a, _ = accelerations(dynamics, 0.0, dynamics.coordinates.reference, dynamics.coordinates.velocity)
        found.append((a.reshape(-1, 2) @ axes.T, run.q[-1].reshape(-1, 2) @ axes.T, run.steps[:, 2].max()))
    assert np.abs(found[0][0] - found[1][0]).max() < 1e-8 * np.abs(found[0][0]).max()
    assert np.abs(found[0][1] - found[1][1]).max() < 1e-9
    assert found[1][2] == found[0][2]
