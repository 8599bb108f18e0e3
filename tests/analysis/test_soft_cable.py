"""A slack cable of hardly any bending stiffness: its first increment overshoots, which must not loosen the tests."""

from __future__ import annotations

import numpy as np
import pytest

import flexmbs as fx

WEIGHT = 9.81 * 10.0


def cable() -> fx.FlexibleBody:
    return fx.FlexibleBody.line(
        (0, 0),
        (10, 0),
        elements=40,
        element=fx.elements.ANCFCable2D(),
        stiffness=fx.BeamStiffness(EA=1e6, EI_z=1e-3, mass_per_length=1.0),
        name="rope",
    )


@pytest.mark.parametrize("options", [fx.StaticOptions(), fx.StaticOptions(steps=5), fx.StaticOptions(initial_step=0.5)])
def test_reactions_carry_the_weight(options: fx.StaticOptions) -> None:
    rope = cable()
    model = fx.Model(rope, fx.Pin(rope.start), fx.Pin(rope.end), fx.Gravity((0.0, -9.81)))
    solution = fx.solve_static(model, options)
    carried = solution.reaction(rope.start, step=-1)[:2] + solution.reaction(rope.end, step=-1)[:2]
    assert carried == pytest.approx([0.0, WEIGHT], abs=1e-5 * WEIGHT)
    # Parabola of a taut cable: sag = W L / (8 H), good to the square of the sag ratio.
    pull = (1e6 * WEIGHT**2 / 24.0) ** (1.0 / 3.0)  # strain (W / H)^2 / 24 = H / EA
    sag = -solution.displacement(rope.at((5.0, 0.0)), step=-1)[1]
    assert sag == pytest.approx(WEIGHT * 10.0 / (8.0 * pull), rel=5e-3)
    assert solution.accuracy < 1e-8


def test_a_question_about_nothing_says_what_is_expected() -> None:
    rope = cable()
    solution = fx.solve_static(fx.Model(rope, fx.Clamp(rope.start), fx.PointForce(rope.end, (0.0, 1e-6))))
    for ask in (solution.slope, solution.section_frame, solution.rotation_vector):
        for wrong in ("end", rope, None):
            with pytest.raises(fx.ModelError, match="expected a place"):
                ask(wrong)
    for ask in (solution.position, solution.displacement, solution.rotation):  # of bodies by their names, too
        for wrong, message in (("end", "named 'end'"), (rope, "a place on"), (None, "a place on")):
            with pytest.raises(fx.ModelError, match=message):
                ask(wrong)
    for wrong, message in ((rope.end, "expected a body"), ("end", "named 'end'")):
        with pytest.raises(fx.ModelError, match=message):
            solution.resultant(wrong, "M")
    with pytest.raises(fx.ModelError, match="history"):
        fx.PointForce(rope.end, (0.0, 1.0), history=fx.Constant)


def test_fluttering_frequencies_are_real_parts() -> None:
    column = fx.FlexibleBody.line(
        (0, 0),
        (1, 0),
        elements=16,
        element=fx.elements.ANCFCable2D(),
        stiffness=fx.BeamStiffness(EA=1e7, EI_z=1.0, mass_per_length=1.0),
    )
    follower = fx.PointForce(column.end, (-40.0, 0.0), follower=True)
    with pytest.warns(RuntimeWarning, match="flutter"):
        modes = fx.solve_modal(fx.solve_static(fx.Model(column, fx.Clamp(column.start), follower)), modes=3)
    assert modes.angular_frequencies == pytest.approx(np.sqrt(modes.eigenvalues.astype(complex)).real)
    assert modes.angular_frequencies[0] > 5.0
