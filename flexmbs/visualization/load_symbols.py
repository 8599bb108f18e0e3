"""Loads in drawings: arrows that end where forces act, rows of arrows along lines, turning arrows for moments.

Their size says nothing of that of the loads; their direction is the one in which they act in the state that is drawn.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError
from flexmbs.core.history import value_at
from flexmbs.results.kinematics import kinematics
from flexmbs.visualization.style import LOAD

if TYPE_CHECKING:
    from flexmbs.results.states import States

__all__ = ["draw_loads", "load_lines"]

ARROW, ROW, TURN = 0.11, 0.06, 0.05
"""Lengths of single arrows and those of a row, and the radius of turning arrows, as shares of the size of a drawing."""
HEAD = (0.028, 0.010)
MOST = 9
"""Arrows of a load at most."""


def draw_loads(axes: Any, states: States, step: int, size: float) -> None:
    """Draw the loads of a model in a state; gravity as an arrow in the corner, in the plane."""
    dim = 3 if axes.name == "3d" else 2
    for number, load in enumerate(states.model.loads):
        for line in load_lines(states, number, step, size):
            axes.plot(*line[:, :dim].T, color=LOAD, lw=1.3, zorder=5.5, solid_capstyle="butt")
        g = getattr(load, "acceleration", None)
        if g is not None and dim == 2 and np.any(g):
            way = np.asarray(g)[:2] / np.linalg.norm(g)
            arrow = {"arrowstyle": "->", "color": LOAD, "lw": 1.3, "shrinkA": 0, "shrinkB": 0}
            where = {"xycoords": "axes fraction", "textcoords": "offset points", "color": LOAD, "size": 9}
            where |= {"ha": "center", "va": "center"}
            axes.annotate("g", (0.96, 0.88), (-28.0 * way[0], -28.0 * way[1]), arrowprops=arrow, zorder=6, **where)


def load_lines(states: States, number: int, step: int, size: float) -> list[FloatArray]:
    """Polylines (n, 3) of the arrows of a load, such as `PointForce`; none for what has no place."""
    load = states.model.loads[number]
    sign = _sign(states, number, step)
    at, body = getattr(load, "at", None), getattr(load, "body", None)
    if hasattr(load, "force") and at is not None:
        return _forces(states, load, at, sign * _space(load.force), step, size)
    if hasattr(load, "moment") and at is not None:
        return _moments(states, at, sign * _axial(load.moment), step, size)
    if hasattr(load, "load") and (at is not None or getattr(body, "has_mesh", False)):
        return _row(states, at, body, sign * _space(load.load), step, size)
    return []


def _sign(states: States, number: int, step: int) -> float:
    """1, or -1 where the factor of a load is negative in a state."""
    scales, load = getattr(states, "scales", None), states.model.loads[number]
    if scales is None:
        factor = value_at(load.label, load.history, float(states.t[step]), 1.0)
        factor *= states.event_factors(step).get(states.model.load_names[number], 1.0)
    else:
        factor = float(scales[step][number])
    return -1.0 if factor < 0.0 else 1.0


def _forces(states: States, load: Any, at: Any, force: FloatArray, step: int, size: float) -> list[FloatArray]:
    """An arrow that ends at every place."""
    found = []
    for point, turn in _places(states, at, step, bool(load.follower)):
        found += _arrow(point, turn @ force, ARROW * size, size)
    return found


def _row(states: States, at: Any, body: Any, load: FloatArray, step: int, size: float) -> list[FloatArray]:
    """Arrows along a line, whose tails are joined."""
    if at is not None:
        points = states.position(at, step).reshape(-1, 3)
    else:
        shape = states.shape(body, step, 3)
        points = shape.reshape(-1, 3) if not body.surface else shape.mean(axis=1)
    chosen = points[np.unique(np.linspace(0, len(points) - 1, MOST).round().astype(int))]
    found = [line for point in chosen for line in _arrow(point, load, ROW * size, size)]
    if body is not None and not body.surface:
        length = np.linalg.norm(load) or 1.0
        found.append(points - ROW * size * load / length)
    return found


def _moments(states: States, at: Any, moment: FloatArray, step: int, size: float) -> list[FloatArray]:
    """Three quarters of a circle about the axis of the moment, with a head."""
    found = []
    for point, _ in _places(states, at, step, False):
        axis = moment / (np.linalg.norm(moment) or 1.0)
        first = _across(axis)
        second = np.cross(axis, first)
        angle = np.linspace(-0.75 * np.pi, 0.75 * np.pi, 31)[:, None]
        circle = point + TURN * size * (np.cos(angle) * first + np.sin(angle) * second)
        found += [circle, _head(circle[-1], circle[-1] - circle[-3], axis, size)]
    return found


def _places(states: States, at: Any, step: int, follows: bool) -> list[tuple[FloatArray, FloatArray]]:
    """Points of a place with what turns a follower there; of many nodes some."""
    points = states.position(at, step).reshape(-1, 3)
    turns = np.tile(np.eye(3), (len(points), 1, 1))
    if follows:
        try:
            now = kinematics(states, at, np.array([states.number(step)])).R[0]
        except ModelError:  # a point
            now = turns
        nodes = getattr(at, "nodes", None)
        turns = now if nodes is None else now @ np.array([at.body.node(n).marker().rotation0().T for n in nodes])
    chosen = np.unique(np.linspace(0, len(points) - 1, MOST).round().astype(int))
    return [(points[i], turns[i]) for i in chosen]


def _arrow(tip: FloatArray, way: FloatArray, length: float, size: float) -> list[FloatArray]:
    """A line that ends at ``tip``, and its head."""
    norm = float(np.linalg.norm(way))
    if norm == 0.0:
        return []
    unit = way / norm
    flat = abs(unit[2]) < 1e-9
    normal = np.array([0.0, 0.0, 1.0]) if flat else _across(unit)
    return [np.array([tip - length * unit, tip]), _head(tip, unit, normal, size)]


def _head(tip: FloatArray, way: FloatArray, normal: FloatArray, size: float) -> FloatArray:
    """Both sides of a head, in the plane across ``normal``."""
    unit = way / np.linalg.norm(way)
    side = np.cross(normal, unit)
    back = tip - HEAD[0] * size * unit
    return np.array([back + HEAD[1] * size * side, tip, back - HEAD[1] * size * side])


def _across(axis: FloatArray) -> FloatArray:
    """A unit vector normal to another one."""
    found = np.cross(axis, np.eye(3)[int(np.argmin(np.abs(axis)))])
    return np.asarray(found / (np.linalg.norm(found) or 1.0))


def _space(vector: Any) -> FloatArray:
    given = np.asarray(vector, dtype=np.float64)
    return np.pad(given, (0, 3 - len(given)))


def _axial(moment: Any) -> FloatArray:
    """A moment as a vector; a number is one about z."""
    given = np.atleast_1d(np.asarray(moment, dtype=np.float64))
    return np.array([0.0, 0.0, given[0]]) if len(given) == 1 else given
