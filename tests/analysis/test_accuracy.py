"""What round-off leaves: the error of a solution with the tangent grows with the fourth power of the elements."""

from __future__ import annotations

import math

import numpy as np

import flexmbs as fx
from flexmbs.analysis.accuracy import HOPELESS, solution_error
from flexmbs.analysis.rest import EquationsOfRest, Point
from flexmbs.dynamics.evaluation import Dynamics


def error_at_reference(model: fx.Model) -> float:
    """Of a solution with the tangent, under the full load."""
    system = fx.compile_model(model)
    dyn = Dynamics(system)
    dyn.hold(np.ones(len(model.loads)), np.zeros(0), 0.0)
    at = Point(system.coordinates.reference, np.zeros(dyn.n_v), np.zeros(0))
    return solution_error(EquationsOfRest(dyn), at, dyn.frames)


def error(elements: int) -> float:
    beam = fx.FlexibleBody.line(
        (0.3, 0.2),
        (1.1, 0.8),
        elements=elements,
        element=fx.elements.ANCFCable2D(),
        stiffness=fx.BeamStiffness(EA=1e6, EI_z=1.0, mass_per_length=1.0),
    )
    return error_at_reference(fx.Model(beam, fx.Clamp(beam.start), fx.PointForce(beam.end, (0.6, -0.8))))


def test_the_error_of_a_solution_grows_to_the_last_digit() -> None:
    counts = (250, 1_000, 4_000)
    errors = [error(n) for n in counts]
    slope = np.polyfit(np.log(counts), np.log(errors), 1)[0]
    assert 2.5 < slope < 5.0  # four by the condition number, give or take the luck of rounding
    assert errors[0] < 1e-6
    assert error(30_000) > HOPELESS


def test_no_load_tells_nothing() -> None:
    beam = fx.FlexibleBody.line(
        (0, 0),
        (1, 0),
        elements=4,
        element=fx.elements.ANCFCable2D(),
        section=fx.Circle(diameter=0.01),
        material=fx.steel,
    )
    assert error_at_reference(fx.Model(beam, fx.Clamp(beam.start))) in (0.0,)
    assert math.isfinite(error_at_reference(fx.Model(beam, fx.PointForce(beam.end, (0.0, 1.0)))))
