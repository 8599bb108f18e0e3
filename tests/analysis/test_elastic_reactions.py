"""Elastic supports count as supports: their forces are reactions."""

from __future__ import annotations

import numpy as np
import pytest

import flexmbs as fx


def test_reactions_of_springs_and_clamps_balance_the_load() -> None:
    beam = fx.FlexibleBody.line(
        (0, 0),
        (1, 0),
        elements=16,
        element=fx.elements.ANCFCable2D(),
        stiffness=fx.BeamStiffness(EA=1e4, EI_z=1.0, mass_per_length=1.0),
    )
    spring, turning = 30.0, 2.0
    model = fx.Model(
        beam,
        fx.Pin(beam.start),
        fx.ElasticSupport(beam.start, rotation=turning),
        fx.ElasticSupport(beam.end, (0.0, spring)),
        fx.PointForce(beam.at((0.5, 0.0)), (0.0, -3.0)),
    )
    solution = fx.solve_static(model)
    end = solution.reaction(beam.end, step=-1)[:2]
    assert end == pytest.approx([0.0, -spring * solution.displacement(beam.end, step=-1)[1]], abs=1e-7)
    assert solution.reaction(beam.start, step=-1)[:2] + end == pytest.approx([0.0, 3.0], abs=1e-7)
    moment = solution.reaction_moment(beam.start, step=-1)[2]
    assert moment == pytest.approx(-turning * solution.angle(beam.start, step=-1), abs=1e-7)
    tip, middle = solution.position(beam.end, step=-1)[:2], solution.position(beam.at((0.5, 0.0)), step=-1)[:2]
    about_start = moment + tip[0] * end[1] - tip[1] * end[0] + middle[0] * -3.0
    assert abs(about_start) < 1e-6


def test_an_attachment_is_checked() -> None:
    beam = fx.FlexibleBody.line(
        (0, 0),
        (1, 0),
        elements=2,
        element=fx.elements.ANCFCable2D(),
        section=fx.Circle(diameter=0.01),
        material=fx.steel,
    )
    assert fx.Attachment(beam, np.array([0, 2]), "ends").nodes == (0, 2)
    for nodes in ((3,), (-1,), (0.5,), "start", None):
        with pytest.raises(fx.ModelError, match="Attachment"):
            fx.Attachment(beam, nodes, "wrong")
    with pytest.raises(fx.ModelError, match="body"):
        fx.Attachment(None, (0,), "wrong")
