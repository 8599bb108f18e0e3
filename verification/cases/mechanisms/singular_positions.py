"""Curves of positions through lock-ups, dead centres and change points, whose places and slopes are known exactly."""

from __future__ import annotations

import math

import numpy as np

import flexmbs as fx
from flexmbs.verification import Case, Measured, Outcome, Progress
from flexmbs.verification.cases.common import COLOURS, figure, measured
from flexmbs.verification.cases.mechanisms.driven_mechanisms import four_bar, slider_crank
from flexmbs.verification.reference.driven import FourBar, SliderCrank

CLOSED_FORM = "closed form"
START = 0.5
"""Angle of the crank at the start [rad]; it turns by 1 rad/s."""


def _turned(model: fx.Model) -> fx.Model:
    return model.with_(fx.RotationDriver(model.joint("A"), fx.motions.Linear(1.0), name="motor"))


def _times(label: str, points: tuple[fx.kinematics.SingularPosition, ...], exact: list[float]) -> list[Measured]:
    """How many there are, and when."""
    found = [
        measured(f"{label}: number found", "-", len(points), len(exact), CLOSED_FORM, atol=0.5),
    ]
    for i, (point, t) in enumerate(zip(points, exact, strict=False)):
        found.append(measured(f"{label} {i + 1}: time", "s", point.t, t, CLOSED_FORM, atol=1e-11))
    return found


def _slopes(label: str, paths: fx.kinematics.KinematicPaths, of: tuple[str, int], exact: list[float]) -> list[Measured]:
    """Slopes over time of a coordinate of a body, of both curves through the first bifurcation."""
    system = paths[0].system
    place = system.coordinates.place(system.model.body(of[0]))[1] + of[1]
    slopes = sorted(row[place] / row[-1] for row in paths.points_of("bifurcation")[0].directions)
    return [
        measured(f"{label}: slope of branch {i + 1}", "-", slope, value, CLOSED_FORM, atol=1e-8)
        for i, (slope, value) in enumerate(zip(slopes, sorted(exact), strict=True))
    ]


def _lock_ups() -> tuple[list[Measured], fx.kinematics.KinematicPaths]:
    quantities: list[Measured] = []
    data = FourBar(2.0, 1.5, 1.5, 3.0)
    for spatial in (False, True):
        where = "in space" if spatial else "in the plane"
        paths = fx.kinematics.trace_kinematics(
            _turned(four_bar(data, START, spatial)), (-2.0, 2.0), start=0.0, step=0.2
        )
        exact = [-data.lock_up - START, data.lock_up - START]
        quantities += _times(f"four-bar {where}: lock-up", paths.points, exact)
        at = paths.points[1]
        path = paths[at.path]
        B, C = path.model.body("coupler"), path.model.body("rocker")
        angle = float(path.rotation(B)[at.index, :2, 0] @ path.rotation(C)[at.index, :2, 1])
        quantities.append(
            measured(f"four-bar {where}: coupler and rocker in line at the lock-up", "rad", angle, 0.0, CLOSED_FORM,
                     atol=1e-10)
        )  # fmt: skip
    return quantities, paths


def _dead_centres() -> tuple[list[Measured], fx.kinematics.KinematicPaths]:
    """Driven at its slider, a slider-crank turns on through both dead centres."""
    data = SliderCrank(0.3, 0.8)
    model = slider_crank(data, math.pi / 2.0)
    ram = fx.TranslationDriver(model.joint("guide"), fx.motions.Linear(1.0), name="ram")
    begin = float(data.slider(np.array([math.pi / 2.0]))[0][0])
    paths = fx.kinematics.trace_kinematics(model.with_(ram), (-1.0, 1.0), start=0.0, step=0.2)
    path = paths[0]
    exact = [data.length - data.r - begin, data.outer_dead_centre - begin]
    angle = path.rotation("crank")
    crank = np.arctan2(angle[:, 1, 0], angle[:, 0, 0])
    error = np.abs(data.slider(crank)[0] - begin - path.time).max()
    turns = abs(float(path.angle("A")[-1] - path.angle("A")[0])) / (2.0 * math.pi)
    return [
        *_times("slider-crank driven at the slider: dead centre", paths.points, exact),
        measured("slider-crank: time along the curve against the place of the slider", "s", error, 0.0, CLOSED_FORM,
                 atol=1e-10),
        measured("slider-crank: turns of the crank until the curve closes", "-", turns, 1.0, CLOSED_FORM, atol=1e-4),
    ], paths  # fmt: skip


def _change_points() -> tuple[list[Measured], fx.kinematics.KinematicPaths]:
    """A parallelogram and the crossed four-bar that it can become where it is stretched."""
    quantities: list[Measured] = []
    data = FourBar(1.0, 3.0, 1.0, 3.0)
    for spatial in (False, True):
        where = "in space" if spatial else "in the plane"
        paths = fx.kinematics.trace_kinematics(_turned(four_bar(data, START, spatial)), (0.0, 6.2), step=0.2)
        label = f"parallelogram {where}: change point"
        quantities += _times(label, paths.points_of("bifurcation"), [math.pi - START, 2.0 * math.pi - START])
        quantities += _slopes(label, paths, ("rocker", 5 if spatial else 2), [1.0, -0.5])
        other = max(paths.paths[1:], key=lambda p: p.time.max())
        between = (other.time > math.pi - START + 0.1) & (other.time < 2.0 * math.pi - START - 0.1)
        turn = other.rotation("rocker")[between]
        theta = START + other.time[between]
        psi = FourBar(1.0, 3.0, 1.0, 3.0, 1).angles(theta)[1][0]
        error = np.abs(np.exp(1j * psi) - (turn[:, 0, 0] + 1j * turn[:, 1, 0])).max()
        quantities.append(
            measured(f"parallelogram {where}: crossed branch, largest error of the direction of the rocker", "-",
                     float(error), 0.0, CLOSED_FORM, atol=1e-10)
        )  # fmt: skip
    return quantities, paths


def _equal_lengths() -> tuple[list[Measured], fx.kinematics.KinematicPaths]:
    """Crank as long as the rod: upright, the slider may stay where it is."""
    data = SliderCrank(0.5, 0.5)
    paths = fx.kinematics.trace_kinematics(_turned(slider_crank(data, START)), (0.0, 6.0), step=0.2)
    label = "crank as long as the rod"
    still = max(np.abs(path.position("slider")[1:, 0]).max() for path in paths.paths[1:])
    moving = np.abs(paths[0].position("slider")[:, 0] - np.cos(START + paths[0].time)).max()
    return [
        *_times(f"{label}: bifurcation", paths.points_of("bifurcation"), [math.pi / 2 - START, 1.5 * math.pi - START]),
        *_slopes(label, paths, ("slider", 0), [-1.0, 0.0]),
        measured(f"{label}: largest distance of the slider on the branch where it stays", "m", still, 0.0, CLOSED_FORM,
                 atol=1e-11),
        measured(f"{label}: largest error of the slider on the branch where it moves", "m", moving, 0.0, CLOSED_FORM,
                 atol=1e-11),
    ], paths  # fmt: skip


def run(progress: Progress) -> Outcome:
    """Lock-ups, dead centres, change points."""
    locked, lock_paths = _lock_ups()
    dead, dead_paths = _dead_centres()
    progress("bifurcations")
    change, change_paths = _change_points()
    equal, _ = _equal_lengths()
    drawing, axes = figure(6.4, 6.0)
    axes.remove()
    for row, (paths, joint, words) in enumerate(
        ((lock_paths, "D", "rocker of a four-bar"), (dead_paths, "A", "crank, driven at the slider"),
         (change_paths, "D", "rocker of a parallelogram"))
    ):  # fmt: skip
        part = drawing.add_subplot(3, 1, row + 1)
        for path, colour in zip(paths.paths, COLOURS, strict=False):
            part.plot(path.time, path.angle(joint), color=colour)
        for point in paths.points:
            value = paths[point.path].angle(joint)[point.index]
            part.plot(point.t, value, "o" if point.kind == "turning point" else "D", color="black", markersize=5.0)
        part.set_ylabel(f"{words}\nangle in rad")
    part.set_xlabel("t in s")
    caption = "Angles over time along all curves; circles: turning points, diamonds: bifurcations."
    return Outcome([*locked, *dead, *change, *equal], (), (), [(caption, drawing)])


CASE = Case(
    "singular-positions",
    "Through lock-ups, dead centres and change points",
    "mechanisms",
    "Curves of positions of driven mechanisms are followed by their length, so that time may go back: a four-bar "
    "that locks up, "
    "a slider-crank driven at its slider through both dead centres, a parallelogram through the stretched position in "
    "which it may cross over, and a slider-crank whose crank is as long as its rod.\n\nTurning points and "
    "bifurcations, and "
    "the slopes of the branches that cross there, are compared with closed forms; in space three equations of the "
    "four-bars follow from the others.",
    run,
    "Closed forms of plane linkages. The method after J. Fraczek, Kinematic analysis of mechanisms in the "
    "neighbourhood of "
    "singular positions using general numerical continuation methods, whose own examples lack their data.",
    (
        r"g(q, t) = 0, \quad \cos\theta_{lock} = \dfrac{a^2 + d^2 - (b + c)^2}{2 a d}",
        r"\psi'^2 - 1 = -\dfrac{(1 - \psi')^2}{3} \quad \Rightarrow \quad \psi' = 1, \ -\dfrac{1}{2}",
    ),
    ("Curves that are not connected with the one through the start are not found.",),
)
