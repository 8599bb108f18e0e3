"""The pictures of the page on rigid segments.

    .venv/bin/python docs/figures/rigid_segments.py

writes docs/_static/segments_*.png.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np

import flexmbs as fx
from flexmbs.verification.cases.flexible_motion import conveyor as belt
from flexmbs.verification.cases.statics.segmented_plates import square, supports

FOLDER = Path(__file__).parent.parent / "_static"
BLUE, RED, GREEN, GREY = "#1f5fa8", "#c8553d", "#3a7d44", "#7c8794"
QUIET = fx.StaticOptions(progress=False, check_stability=False)


def main() -> None:
    mpl.rcParams.update({"font.family": "DejaVu Sans", "font.size": 10, "mathtext.fontset": "dejavusans"})
    FOLDER.mkdir(exist_ok=True)
    for name, draw in (("division", division), ("errors", errors), ("plate", plate), ("conveyor", conveyor)):
        draw().savefig(FOLDER / f"segments_{name}.png", facecolor="white", metadata={"Software": None})


def division() -> plt.Figure:
    """How beam and plate are divided, and a beam rolled up."""
    figure, (left, middle, right) = plt.subplots(
        1, 3, figsize=(10.5, 2.9), dpi=150, layout="constrained", width_ratios=(1.15, 1, 1)
    )
    n = 4
    for i in range(n + 1):
        a, b = max(i - 0.5, 0.0), min(i + 0.5, n)
        left.add_patch(plt.Rectangle((a + 0.04, -0.11), b - a - 0.08, 0.22, fc="#dbe6f3", ec=BLUE, lw=1.2))
        left.plot(i, 0.0, "o", color="black", ms=4, zorder=4)
        left.text(i, 0.2, f"node {i}", ha="center", fontsize=8)
    for j in range(n):
        left.plot((j + 0.46, j + 0.54), (0, 0), "-", color=RED, lw=3)
        left.text(j + 0.5, -0.3, "joint", ha="center", fontsize=8, color=RED)
    left.annotate("", (1, -0.5), (2, -0.5), arrowprops={"arrowstyle": "<->", "lw": 0.8})
    left.text(1.5, -0.63, "element $h$", ha="center", fontsize=8)
    left.set(xlim=(-0.2, n + 0.2), ylim=(-1.2, 1.2), title="beam, four elements")
    for i in range(4):
        for j in range(3):
            x0, x1, y0, y1 = max(i - 0.5, 0.0), min(i + 0.5, 3.0), max(j - 0.5, 0.0), min(j + 0.5, 2.0)
            middle.add_patch(
                plt.Rectangle((x0 + 0.04, y0 + 0.04), x1 - x0 - 0.08, y1 - y0 - 0.08, fc="#dbe6f3", ec=BLUE, lw=1.0)
            )
    for i in range(4):
        for j in range(3):
            for k, p in (((i + 1, j), RED), ((i, j + 1), RED), ((i + 1, j + 1), GREEN)):
                if k[0] <= 3 and k[1] <= 2:
                    middle.plot((i, k[0]), (j, k[1]), "-", color=p, lw=1.2)
            if i < 3 and j < 2:
                middle.plot((i, i + 1), (j + 1, j), "-", color=GREEN, lw=1.2)
            middle.plot(i, j, "o", color="black", ms=4, zorder=4)
    middle.set(xlim=(-0.2, 3.2), ylim=(-0.3, 2.3), title="plate, 3 by 2 cells")
    stiffness = fx.BeamStiffness(EA=1e6, EI_z=1.0, mass_per_length=1.0)
    beam = fx.segments.segmented_beam([(0, 0), (1, 0)], n=12, stiffness=stiffness, stretch=False)
    model = fx.Model(*beam.items, fx.FixedJoint(fx.ground, beam.start), fx.Moment(beam.end, 2.0 * math.pi))
    turns = (0.1, 0.25, 0.5, 1.0)
    rolled = fx.solve_static(model, fx.StaticOptions(progress=False, check_stability=False, at=turns[:-1]))
    for turn, colour in zip((0.0, *turns), (GREY, BLUE, RED, GREEN, "black"), strict=True):
        step = int(np.argmin(np.abs(rolled.t - turn)))
        ends = np.array([_corners(rolled, body, step) for body in beam.bodies])
        for pair in ends:
            right.plot(*pair.T, "-", color=colour, lw=1.6, solid_capstyle="round")
        right.plot(*ends[:-1, 1].T, "o", color=colour, ms=2.5)
    right.set_title("end moment, up to $2\\pi EI/L$")
    for axes in (left, middle, right):
        axes.set_aspect("equal")
        axes.axis("off")
    return figure


def _corners(solution: Any, body: Any, step: int) -> Any:
    """Ends (2, 2) of a planar rigid body."""
    points = body.shape.points[[0, -1]]
    return np.array([solution.position(body.marker(p))[step, :2] for p in points])


def errors() -> plt.Figure:
    """Deflection and frequencies of a cantilever and of a pinned beam."""
    figure, axes = plt.subplots(1, 3, figsize=(10.5, 3.4), dpi=150, layout="constrained", sharey=True)
    stiffness = fx.BeamStiffness(EA=1e6, EI_z=1.0, GA_y=1e8, mass_per_length=1.0)
    counts = (4, 8, 16, 32, 64)
    kinds = (("statics", {"match": "statics"}, BLUE), ("modes", {"match": "modes"}, RED))
    for label, options, colour in kinds:
        found = [_errors(n, stiffness, options) for n in counts]
        for k, title in enumerate(("elastica, $P L^2/EI = 10$", "cantilever, 3rd frequency", "pinned, 3rd frequency")):
            axes[k].loglog(counts, [abs(f[k]) for f in found], "o-", color=colour, ms=4, label=f'match="{label}"')
            axes[k].set_title(title)
    for axis in axes:
        axis.loglog(counts, [1.5 / n**2 for n in counts], ":", color=GREY, label="order 2")
        axis.set_xlabel("elements")
        axis.set_xticks(counts, [str(n) for n in counts])
        axis.minorticks_off()
        axis.grid(color="#e3e6ea", linewidth=0.6)
    axes[0].set_ylabel("relative error")
    axes[0].legend(frameon=False, fontsize=8)
    return figure


def _errors(n: int, stiffness: fx.BeamStiffness, options: Any) -> tuple[float, float, float]:
    from flexmbs.verification.reference.rod_problems import cantilever_dead_tip

    beam = fx.segments.segmented_beam([(0, 0), (1, 0)], n=n, stiffness=stiffness, **options)
    clamp = fx.FixedJoint(fx.ground, beam.start)
    bent = fx.solve_static(fx.Model(*beam.items, clamp, fx.PointForce(beam.end, (0, 10.0))), QUIET)
    tip = bent.position(beam.end, step=-1)
    exact = cantilever_dead_tip(10.0, stiffness.EA).tip
    free = fx.solve_modal(fx.Model(*beam.items, clamp), 3).angular_frequencies[2]
    line = fx.ground.marker_at((1.0, 0.0), axis=(1.0, 0.0, 0.0))
    pins = (fx.RevoluteJoint(fx.ground, beam.bodies[0], at=(0.0, 0.0)), fx.PointOnLineConstraint(line, beam.end))
    pinned = fx.solve_modal(fx.Model(*beam.items, *pins), 3).angular_frequencies[2]
    return (
        float(np.hypot(tip[0] - exact[0], tip[1] - exact[1])),
        float(free / 7.85475743823761**2 - 1.0),
        float(pinned / (3.0 * math.pi) ** 2 - 1.0),
    )


def plate() -> plt.Figure:
    """A strip rolled up and a square plate under pressure."""
    figure = plt.figure(figsize=(10.5, 3.9), dpi=150, layout="constrained")
    strip = fx.segments.segmented_plate((12.0, 2.0), (24, 4), thickness=0.1, material=_rubber(0.0))
    clamps = [fx.FixedJoint(fx.ground, node, name=f"clamp {k}") for k, node in enumerate(strip.side("left"))]
    moment = 2.0 * math.pi * 1.2e6 * 2.0 * 0.1**3 / 12.0 / 12.0
    shares = zip(strip.side("right"), (0.125, 0.25, 0.25, 0.25, 0.125), strict=True)
    loads = [fx.Moment(node, (0.0, -moment * share, 0.0)) for node, share in shares]
    options = fx.StaticOptions(progress=False, check_stability=False, at=(0.4, 0.8))
    rolled = fx.solve_static(fx.Model(*strip.items, *clamps, *loads), options)
    axes = figure.add_subplot(121, projection="3d")
    faces = []
    for t, colour in ((0.0, GREY), (0.4, BLUE), (0.8, RED)):
        faces.append(_boxes(axes, strip, rolled, int(np.argmin(np.abs(rolled.t - t))), colour))
    _space(axes, "strip under an end moment", np.concatenate(faces))
    sheet = square(12)
    pressed = fx.Model(*sheet.items, *supports(sheet, "CFFF"), *sheet.pressure(0.2))
    bent = fx.solve_static(pressed, QUIET)
    axes = figure.add_subplot(122, projection="3d")
    _space(axes, "clamped square plate under pressure", _boxes(axes, sheet, bent, -1, BLUE))
    return figure


def _rubber(nu: float) -> fx.Elastic:
    return fx.Elastic(youngs_modulus=1.2e6, poissons_ratio=nu, density=1.0)


def _boxes(axes: Any, plate_: fx.segments.SegmentedPlate, solution: Any, step: int, colour: str) -> Any:
    """Draw all segments; their corners (n, 3)."""
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection

    faces = []
    for body in plate_.bodies:
        x, y = np.abs(body.shape.points).max(axis=0)[:2]
        ring = [(-x, -y, 0), (x, -y, 0), (x, y, 0), (-x, y, 0)]
        place, R = solution.position(body.centre)[step], solution.rotation(body.centre)[step]
        faces.append([place + 0.94 * (R @ np.array(p)) for p in ring])
    axes.add_collection3d(Poly3DCollection(faces, facecolor=colour, edgecolor="white", linewidth=0.2, alpha=0.85))
    return np.concatenate(faces)


def _space(axes: Any, title: str, points: Any) -> None:
    low, high = points.min(axis=0), points.max(axis=0)
    axes.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), zlim=(low[2], high[2]), title=title)
    axes.set_box_aspect(np.maximum(high - low, 1e-3 * (high - low).max()))
    axes.view_init(22, -60)
    axes.set_axis_off()


def conveyor() -> plt.Figure:
    """The belt at rest and the motion under material."""
    exact = belt.reference()
    figure, (left, right) = plt.subplots(1, 2, figsize=(10.5, 3.4), dpi=150, layout="constrained")
    left.plot(exact.x, exact.y, color="black", lw=0.9, dashes=(4, 3), label="exact")
    for form, n, colour in (("nodal", 16, BLUE), ("segments", 64, GREEN), ("segments", 16, RED)):
        one = belt.conveyor(form, n, float(exact.force[-1, 0]))
        rest, places = belt.hanging(one)
        run = belt.moved(one, rest)
        title = f"{'cable elements' if form == 'nodal' else 'rigid segments'}, {n}"
        if n == 16:
            left.plot(*places.T, "s" if form == "nodal" else "o", color=colour, ms=6.5 - 3.0 * (form != "nodal"),
                      mfc="none" if form == "nodal" else colour, label=title)  # fmt: skip
        wide = 3.2 if form == "nodal" else 1.2
        middle, carriage = run.position(one.middle), run.position(one.carriage.centre)
        right.plot(run.t, middle[:, 1] - middle[0, 1], color=colour, lw=wide, label=f"middle, {title}")
        right.plot(run.t, carriage[:, 0] - carriage[0, 0], color=colour, lw=wide, dashes=(4, 2))
    left.set_aspect("equal")
    left.set(xlabel="x [m]", ylabel="y [m]")
    right.set(xlabel="t [s]", ylabel="middle down; carriage (dashed) [m]")
    for axes in (left, right):
        axes.grid(color="#e3e6ea", linewidth=0.6)
        axes.legend(frameon=False, fontsize=8)
    return figure


if __name__ == "__main__":
    main()
