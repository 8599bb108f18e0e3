"""Loads in drawings: arrows end where forces act and point the way they act, in the state that is drawn."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import flexmbs as fx
from flexmbs.visualization.load_symbols import load_lines
from flexmbs.visualization.style import LOAD

STRIP = fx.BeamStiffness(EA=1e4, EI_z=1.0, mass_per_length=0.5)


def beam() -> fx.FlexibleBody:
    return fx.FlexibleBody.line(
        (0, 0), (1, 0), elements=4, element=fx.elements.ANCFCable2D(), stiffness=STRIP, name="beam"
    )


def unit(vector: Any) -> np.ndarray:
    return np.asarray(vector) / np.linalg.norm(vector)


def test_forces_end_at_their_nodes_and_followers_turn_with_them() -> None:
    body = beam()
    dead, follower = fx.PointForce(body.end, (0, -1.0)), fx.PointForce(body.end, (0, -0.5), follower=True)
    bent = fx.solve_static(fx.Model(body, fx.Clamp(body.start), dead, follower))
    tip, angle = bent.position(body.end, -1), bent.angle(body.end, -1)
    assert abs(angle) > 0.3
    for number, way in ((0, (0.0, -1.0, 0.0)), (1, (np.sin(angle), -np.cos(angle), 0.0))):
        shaft, head = load_lines(bent, number, -1, 1.0)
        np.testing.assert_allclose(shaft[-1], tip, atol=1e-12)
        np.testing.assert_allclose(unit(shaft[1] - shaft[0]), way, atol=1e-9)
        assert head.shape == (3, 3)
        np.testing.assert_allclose(head[1], tip, atol=1e-12)
        assert np.all((head[[0, 2]] - tip) @ way < 0.0)  # both sides of the head lie behind its tip


def test_a_negative_factor_turns_arrows_round() -> None:
    body = beam()
    load = fx.PointForce(body.end, (0, -1.0), history=lambda s: -s)
    bent = fx.solve_static(fx.Model(body, fx.Clamp(body.start), load))
    shaft, _ = load_lines(bent, 0, -1, 1.0)
    assert shaft[1, 1] > shaft[0, 1]


def test_rows_of_arrows_and_turning_arrows() -> None:
    body = beam()
    held = fx.Model(body, fx.Clamp(body.start), fx.DistributedLoad(body, (0.0, -0.1)), fx.Moment(body.end, 0.2))
    bent = fx.solve_static(held)
    lines = load_lines(bent, 0, -1, 1.0)
    shafts = [line for line in lines if len(line) == 2]
    assert len(shafts) == 9
    shape = bent.shape(body, -1, 3).reshape(-1, 3)
    assert max(np.linalg.norm(shape - shaft[1], axis=1).min() for shaft in shafts) < 1e-12
    np.testing.assert_allclose(lines[-1], shape + np.array((0, 0.06, 0)), atol=1e-12)  # the line along their tails
    circle, head = load_lines(bent, 1, -1, 1.0)
    np.testing.assert_allclose(np.linalg.norm(circle - bent.position(body.end, -1), axis=1), 0.05, rtol=1e-12)
    turn = np.cross(circle[:-1] - bent.position(body.end, -1), np.diff(circle, axis=0))
    assert (turn[:, 2] > 0.0).all()  # counter-clockwise
    np.testing.assert_allclose(head[1], circle[-1])


def test_they_are_in_the_plots_of_shapes() -> None:
    body = beam()
    bent = fx.solve_static(
        fx.Model(body, fx.Clamp(body.start), fx.PointForce(body.end, (0, -1.0)), fx.Gravity((0, -9.81)))
    )
    axes = bent.plot()
    arrows = [line for line in axes.lines if line.get_color() == LOAD]
    assert len(arrows) == 2
    np.testing.assert_allclose(np.array(arrows[0].get_data())[:, -1], bent.position(body.end, -1)[:2])
    [g] = [text for text in axes.texts if text.get_text() == "g"]
    assert g.xyann[0] == pytest.approx(0.0)
    assert g.xyann[1] > 0.0  # the letter is above its tip


def test_films_colour_bending_and_draw_supports_and_springs(tmp_path: Any) -> None:
    from flexmbs.visualization.time_views import scene

    body = beam()
    ball = fx.PointMass(0.1, position=(1.0, -0.5), name="ball")
    spring = fx.SpringDamper(body.end, ball, stiffness=20.0, name="spring")
    run = fx.simulate(fx.Model(body, ball, spring, fx.Clamp(body.start), fx.Gravity((0, -1.0))), 0.2, step=1e-2,
                      progress=False)  # fmt: skip
    drawn = scene(run)
    [line] = drawn.coloured
    assert line.quantity == "M [N m]"
    middle = line.points.mean(axis=2)[-1]
    # eight pieces an element: the middle of the first one, on the straight line through Gauss' two points
    assert middle[0, 0] == pytest.approx(1.0 / 64.0, rel=0.01)
    at, two = (
        np.array((-1.0, 1.0)) / np.sqrt(3.0),
        run.resultant(body, "M", -1, xi=np.array((-1.0, 1.0)) / np.sqrt(3.0))[0],
    )
    assert line.values[-1, 0] == pytest.approx(np.polyval(np.polyfit(at, two, 1), -0.875), rel=1e-9)
    assert line.values[-1, 0] * run.reaction_moment(body.start, -1)[2] < 0.0
    [coil] = [one for one in drawn.lines if one.label == "spring"]
    ends = coil.points[-1, [0, -1]]
    np.testing.assert_allclose(ends, [run.position(body.end, -1)[:2], run.position(ball, -1)[:2]], atol=1e-12)
    along = unit(ends[1] - ends[0])
    off = (coil.points[-1] - ends[0]) @ np.array((-along[1], along[0]))
    assert np.sum(np.abs(np.diff(np.sign(off[np.abs(off) > 1e-9]))) > 0) == 7  # eight teeth
    assert [one for one in drawn.lines if not one.label]  # the clamp
    assert not scene(run, resultant=None).coloured
    with pytest.raises(fx.ModelError, match="no stress resultant named 'Q'"):
        run.animate(tmp_path / "a.gif", resultant="Q")
    with pytest.raises(fx.ModelError, match="speed"):
        run.animate(tmp_path / "a.gif", speed=0.0)


def test_ropes_keep_one_colour() -> None:
    """What hangs taut bends hardly: colours of its moment would say nothing; asked for by name they are there."""
    from flexmbs.visualization.time_views import scene

    rope = fx.FlexibleBody.line((0, 0), (0, -1), elements=4, element=fx.elements.ANCFCable2D(), name="rope",
                                stiffness=fx.BeamStiffness(EA=1e5, EI_z=1e-3, mass_per_length=0.1))  # fmt: skip
    hook = fx.RevoluteJoint(fx.ground, rope.start, at=(0, 0), name="hook")
    pulled = fx.PointForce(rope.end, (5.0, -500.0))
    hanging = fx.solve_static(fx.Model(rope, hook, pulled, name="hanging"))
    assert not scene(hanging).coloured
    assert scene(hanging).lines[0].label == "rope"
    assert scene(hanging, resultant="M").coloured[0].quantity == "M [N m]"
