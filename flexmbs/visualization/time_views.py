"""Pictures of a motion: what `TimeSolution` draws and animates."""

from __future__ import annotations

from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError, unknown_name
from flexmbs.core.names_in_pictures import as_drawn
from flexmbs.kernels.rows.rows import kind_of
from flexmbs.model.bodies.flexible import FlexibleBody
from flexmbs.model.joints.coordinate_joint import CoordinateMarker
from flexmbs.model.trees.link_shapes import base_shape, joint_place
from flexmbs.results.drawings import drawings, frames
from flexmbs.results.given_states import GivenStates
from flexmbs.results.kinematics import in_space
from flexmbs.visualization import time_plots
from flexmbs.visualization.animation import animate as write
from flexmbs.visualization.animation import frame_interval
from flexmbs.visualization.coloured import scale_of_means, typeset
from flexmbs.visualization.contact_arrows import arrows_over_time
from flexmbs.visualization.contact_floors import floor_lines
from flexmbs.visualization.frames import film_speed, frame_rows
from flexmbs.visualization.poses import matrices
from flexmbs.visualization.reduced_bodies import body_surface, mesh_lines
from flexmbs.visualization.sampling import FACETS, MOMENT, Curves, facets, label_of, symbols
from flexmbs.visualization.scene import (
    FLEXIBLE,
    POINT,
    RIGID,
    SPRING,
    ColouredLine,
    Line,
    Scene,
    Stroke,
    Surface,
    still,
    wireframe,
    zigzag,
)
from flexmbs.visualization.style import CONTACT, CYCLE, GREY, INK
from flexmbs.visualization.symbol_paths import GROUND_MARK
from flexmbs.visualization.symbols import support_symbols

if TYPE_CHECKING:
    from flexmbs.results.states import States
    from flexmbs.results.time import TimeSolution
    from flexmbs.system.groups import Drawing

__all__ = ["animate", "other_parts", "plot_energy", "plot_steps", "scene"]

BASE = Stroke(GREY, 3.0, layer=1.4)
"""What a tree stands on."""
JOINT = Stroke(INK, 0.0, "o", 3.5, layer=4.5)
MOST_JOINTS = 40
"""Joints beyond which they are not marked."""
ROPE = 0.3
"""Strain of bending beside that of tension below which a line counts as a rope."""
FORCE = Stroke(CONTACT, 1.5, layer=5.6)
"""Contact forces."""
LINK = Stroke(INK, 1.0, layer=2.5)
"""Strings and rods: what keeps a distance."""
FLOOR = Stroke(GREY, 0.7, layer=1.2)
"""Shapes of contacts on the ground."""
FIXED = Stroke(GREY, 0.0, GROUND_MARK, 14.0, layer=1.5)
"""The points of joints on the ground."""


def plot_energy(solution: TimeSolution, ax: Any = None) -> Any:
    """Energies by kind, their sum, and the balance."""
    energy, units = solution.energy, solution.model.units
    parts = {
        "kinetic": energy.kinetic, "strain": energy.strain, "springs": energy.springs, "potential": energy.potential,
    }  # fmt: skip
    return time_plots.plot_energy(
        solution.t, parts, total=energy.total, balance=energy.balance, unit=units.of("energy"),
        title=as_drawn(solution.model.name), time_unit=units.time, ax=ax,
    )  # fmt: skip


def plot_steps(solution: TimeSolution) -> Any:
    """Sizes, iterations and estimated errors of the steps."""
    if not len(solution.steps):
        raise ModelError(f"plot_steps: the run of model {solution.model.name!r} is its first state, without a step.")
    t, h, iterations, errors = solution.steps.T
    return time_plots.plot_steps(
        t, h, iterations, errors, title=as_drawn(solution.model.name), time_unit=solution.model.units.time
    )


def scene(solution: States, points: int = 5, colour: str = "displacement", resultant: str | None = "bending") -> Scene:
    """What an animation of the motion shows: bodies, springs, joints and their points on the ground, contact forces.

    Flexible lines are coloured by a stress ``resultant`` such as ``"N"``; ``"bending"`` is the moment, in space its
    size, of those that bending strains a third as much as tension or more; None leaves them in one colour.
    Substructures show their line elements, bodies of reduced models the surface of their mesh, coloured by
    ``"displacement"`` or ``"stress"``.
    """
    model = solution.model
    lines: list[Line] = []
    surfaces: list[Surface] = []
    coloured = _coloured(solution, resultant)
    named = {line.label for line in coloured}
    for body in model.flexible_bodies:
        if body.surface:
            surfaces.append(_moving_surface(solution, body))
        elif body.name not in named:
            lines.append(Line(body.name, _curve(solution, body, points), FLEXIBLE))
    others, faces = other_parts(solution, colour)
    for path, point in support_symbols(model, lambda at: solution.position(at, 0)):
        mark = Stroke(INK, 0.0, path, 18.0 * float(np.abs(path.vertices).max()), layer=2.5)
        others.append(Line("", still(len(solution), point), mark))
    surfaces += faces
    shown = lines + others
    drawn = _points(shown, coloured, surfaces)
    shown += [Line("", still(len(solution), line), FLOOR) for line in floor_lines(model, drawn)]
    found = arrows_over_time(solution, drawn)
    if found is not None:
        shown.append(Line(*found, FORCE))
    return Scene(
        solution.t, shown, model.name, model.units.length, solution.unit_of_t,
        over=solution.name_of_t, surfaces=_one_scale(surfaces), coloured=coloured,
    )  # fmt: skip


def _points(lines: list[Line], coloured: list[ColouredLine], surfaces: list[Surface]) -> FloatArray:
    """All points (n, 3) of lines at all times, and the corners of surfaces."""
    drawn = [line.points.reshape(-1, 3) for line in lines] + [line.points.reshape(-1, 3) for line in coloured]
    return np.concatenate([np.zeros((0, 3)), *drawn, *(surface.corners for surface in surfaces)])


def _coloured(solution: States, resultant: str | None) -> list[ColouredLine]:
    """Flexible lines that have a stress resultant, with one scale of colours."""
    bodies = [body for body in solution.model.flexible_bodies if not body.surface]
    known = list(dict.fromkeys(symbol for body in bodies for symbol in symbols(body)))
    symbol = next((s for s in ("M", MOMENT) if s in known), None) if resultant == "bending" else resultant
    if symbol is None:
        return []
    if symbol not in known:
        raise ModelError(f"animate: {unknown_name('stress resultant', symbol, [*known, 'bending'])}")
    curves, found = Curves(solution), []
    for body in bodies:
        if symbol not in symbols(body) or (resultant == "bending" and _is_rope(solution, body, curves, symbol)):
            continue
        states = [(np.array(q), np.array(v)) for q, v in zip(solution.q, solution.v, strict=True)]
        points = in_space(np.array([curves.shape(body, q) for q, _ in states]))
        values = np.array([curves.resultant(body, symbol, q, v) for q, v in states])
        ends = np.stack((points[:, :, :-1], points[:, :, 1:]), axis=3)
        means = 0.5 * (values[:, :, :-1] + values[:, :, 1:])
        found.append((body.name, ends.reshape(len(states), -1, 2, 3), means.reshape(len(states), -1)))
    if not found:
        return []
    scale = scale_of_means(np.concatenate([values.ravel() for _, _, values in found]))
    label = typeset(label_of(solution.model, symbol))
    return [ColouredLine(name, points, values, scale, label) for name, points, values in found]


def _is_rope(solution: States, body: FlexibleBody, curves: Curves, moment: str) -> bool:
    """Whether strains of bending are small beside those of tension in all states, so that colours would say nothing."""
    if "N" not in symbols(body):
        return False
    k = body.beam_stiffness
    per_strain = {moment: np.sqrt(max(k.EI_z, k.EI_y or 0.0) * k.EA), "N": k.EA}
    most = dict.fromkeys(per_strain, 0.0)
    for q, v in zip(solution.q, solution.v, strict=True):
        for symbol, stiffness in per_strain.items():
            found = curves.resultant(body, symbol, np.array(q), np.array(v))
            most[symbol] = max(most[symbol], float(np.abs(found).max()) / stiffness)
    return most[moment] < ROPE * most["N"]


def other_parts(solution: States, colour: str = "displacement") -> tuple[list[Line], list[Surface]]:
    """What a picture shows beside the flexible bodies on meshes: bodies, links, strings, springs, points of joints."""
    model = solution.model
    lines: list[Line] = []
    surfaces: list[Surface] = []
    for number, drawing in enumerate(d for d in drawings(solution.system) if d.style != "mesh"):
        ink = CYCLE[number % len(CYCLE)]
        if drawing.style == "reduced":
            surface = None if drawing.nodes is not None else body_surface(solution, drawing, colour)
            bars = mesh_lines(solution, drawing)
            surfaces += [] if surface is None else [surface]
            lines += [Line(drawing.name, bars, replace(FLEXIBLE, colour=ink))] if bars.shape[1] else []
        elif drawing.style == "shape":
            if not len(drawing.edges):  # a link between joints at one place
                continue
            edges = wireframe(drawing.points, drawing.edges, *_pose(solution, drawing))
            lines.append(Line(drawing.name, edges, replace(RIGID, colour=ink)))
        else:
            position, _ = _pose(solution, drawing)
            lines.append(Line(drawing.name, position[:, None, :], replace(POINT, colour=ink)))
            arms = _arms(solution, drawing.source, position)
            lines += [Line(drawing.name, arms, replace(RIGID, colour=ink))] if len(arms) else []
    for joint in model.joints:
        for pair in joint.pairs:
            if pair.rows and kind_of(pair.rows[0].kind).connects:
                ends = np.stack((solution.position(pair.a), solution.position(pair.b)), axis=1)
                lines.append(Line(joint.name, ends, LINK))
    for force in model.forces:
        for row in getattr(force, "row_forces", ()):
            if kind_of(row.rows[0].kind).connects:
                ends = np.stack((solution.position(row.a), solution.position(row.b)), axis=1)
                lines.append(Line(force.name, zigzag(ends), SPRING))
    return lines + _joints(solution), surfaces


def _joints(solution: States) -> list[Line]:
    """Marks of joints, what trees stand on, and points of joints on the ground: each by itself, joined by no line."""
    model, n_t = solution.model, len(solution)
    lines: list[Line] = []
    sides = [(p.a, p.b) for joint in model.joints if joint.equations for p in joint.pairs[:1]]
    sides = [pair for pair in sides if not any(isinstance(side, CoordinateMarker) for side in pair)]
    fixed = [side.position0() for pair in sides for side in pair if side.body.name == "ground"]
    moving = [next(side for side in pair[::-1] if side.body.name != "ground") for pair in sides]
    moving = moving[:MOST_JOINTS] if len(moving) <= MOST_JOINTS else []
    for tree in model.trees:
        points, edges = base_shape(tree)
        if len(edges):
            stand = wireframe(points, edges, np.zeros((n_t, 3)), np.tile(np.eye(3), (n_t, 1, 1)))
            lines.append(Line("base", stand, BASE))
        if any(link.joint.n_v < 6 for link, parent in zip(tree.links, tree.parents, strict=True) if parent < 0):
            fixed.append(tree.position)
        if len(tree.links) <= MOST_JOINTS:
            moving += [link.marker(joint_place(link.link).point) for link in tree.bodies]
    marks = [solution.position(side) for side in moving if not _is_point(side)]
    if marks:
        lines.append(Line("", np.unique(np.stack(marks, axis=1), axis=1), JOINT))
    if fixed:
        lines.append(Line("ground", still(n_t, np.unique(np.round(fixed, 12), axis=0)), FIXED))
    return lines


def _is_point(side: Any) -> bool:
    """Whether a marker is on a body that is drawn as a point anyway."""
    return not getattr(side.body, "has_mesh", False) and not side.body.rotates


def animate(
    solution: States,
    path: str | PathLike[str],
    *,
    colour: str = "displacement",
    resultant: str | None = "bending",
    **options: Any,
) -> Path:
    """Write an animation; ``colour`` and ``resultant`` as in `scene`, other options as in `animation.animate`.

    Only the states that the frames show are looked at.
    """
    if options.get("speed") is None:
        options["speed"] = film_speed(float(np.ptp(solution.t)))
    interval = frame_interval(path, **{name: options[name] for name in ("speed", "fps") if name in options})
    shown = _Chosen(solution, np.unique(frame_rows("animate", solution.t, interval)))
    return write(scene(shown, colour=colour, resultant=resultant), path, **options)


class _Chosen(GivenStates):
    """Some states of a solution."""

    def __init__(self, solution: States, rows: Any) -> None:
        super().__init__(solution.system, np.asarray(solution.q[rows]), np.asarray(solution.v[rows]))
        self.extra, self._of, self._rows_of = solution.extra, solution, rows

    @property
    def t(self) -> FloatArray:
        """What the solution is drawn over (n,)."""
        return np.asarray(self._of.t[self._rows_of])

    @property
    def name_of_t(self) -> str:
        """As of the solution."""
        return self._of.name_of_t

    @property
    def unit_of_t(self) -> str:
        """As of the solution."""
        return self._of.unit_of_t


def _pose(solution: States, drawing: Drawing) -> tuple[FloatArray, FloatArray]:
    """Place (n_t, 3) and orientation (n_t, 3, 3) of the frame of what is drawn."""
    found = frames(solution, drawing)
    return found[:, :3], matrices(found[:, 3:])


def _curve(solution: States, body: FlexibleBody, points: int) -> FloatArray:
    """Points (n_t, n, 3) along a flexible body; gaps separate elements that do not follow each other."""
    shapes = solution.shape(body, points=points)
    n_t, n_e = shapes.shape[:2]
    chained = bool(np.all(body.cells[1:, 0] == body.cells[:-1, 1]))
    if not chained:
        gaps = np.full((n_t, n_e, 1, 3), np.nan)
        shapes = np.concatenate((shapes, gaps), axis=2)
    return shapes.reshape(n_t, -1, 3)


def _moving_surface(solution: States, body: FlexibleBody) -> Surface:
    """A surface of absolute-nodal elements, coloured by its displacement."""
    rest = solution.system.coordinates.reference
    where = body.natural(FACETS + 1)
    group, own = solution.system.group(body), facets()
    first = body.element.positions(group, rest, where)
    quads = (first.shape[1] * np.arange(len(first))[:, None, None] + own).reshape(-1, 4)
    triangles = np.concatenate((quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]))

    def at(i: int) -> tuple[FloatArray, FloatArray]:
        now = body.element.positions(group, np.array(solution.q[i]), where)
        return now.reshape(-1, 3), np.asarray(np.linalg.norm(now - first, axis=2).ravel())

    low, high, most = np.full(3, np.inf), np.full(3, -np.inf), 0.0
    for i in range(len(solution)):
        points, moved = at(i)
        low, high = np.minimum(low, points.min(axis=0)), np.maximum(high, points.max(axis=0))
        most = max(most, float(moved.max()))
    quantity = f"displacement [{solution.model.units.length}]"
    return Surface(body.name, triangles, at, np.stack((low, high)), (0.0, most), quantity)


def _one_scale(surfaces: list[Surface]) -> list[Surface]:
    """Surfaces with the same limits of the colours where they show the same quantity."""
    found = []
    for surface in surfaces:
        limits = np.array([s.limits for s in surfaces if s.quantity == surface.quantity])
        found.append(replace(surface, limits=(float(limits[:, 0].min()), float(limits[:, 1].max()))))
    return found


def _arms(solution: States, body: Any, centre: FloatArray) -> FloatArray:
    """Lines (n_t, 3 n, 3) from the centre of a body that has no shape to the n markers of joints away from it."""
    sides = [side for joint in solution.model.joints for p in joint.pairs[:1] for side in (p.a, p.b)]
    arms = []
    for side in sides:
        if side.body is body:
            end = solution.position(side)
            if np.abs(end - centre).max() > 1e-9 * (1.0 + np.abs(centre).max()):
                arms += [centre, end, np.full_like(centre, np.nan)]
    return np.stack(arms, axis=1) if arms else np.zeros(0)
