"""The pictures of the front page: a cantilever bent far over the exact elastica, and a slider-crank with a thin rod.

    .venv/bin/python docs/figures/make_figures.py

writes docs/_static/cantilever.png and docs/_static/mechanism.png.
"""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.collections import LineCollection

import flexmbs as fx
from flexmbs.verification.reference.rod_problems import cantilever_dead_tip

LOADS = (0.5, 1, 2, 4, 10)
ELEMENTS = 16
FOLDER = Path(__file__).parent.parent / "_static"
CRANK, ROD, SPEED = 0.15, 0.5, 50.0


def main() -> None:
    mpl.rcParams.update({"font.family": "DejaVu Sans", "font.size": 10, "mathtext.fontset": "dejavusans"})
    FOLDER.mkdir(exist_ok=True)
    for name, figure in (("cantilever.png", cantilever()), ("mechanism.png", mechanism())):
        figure.savefig(FOLDER / name, facecolor="white", metadata={"Software": None})


def cantilever() -> plt.Figure:
    """Five tip loads, coloured by the bending moment."""
    beam = fx.FlexibleBody.line(
        (0, 0),
        (1, 0),
        elements=ELEMENTS,
        element=fx.elements.ANCFCable2D(),
        stiffness=fx.BeamStiffness(EA=1e6, EI_z=1.0, mass_per_length=1.0),
    )
    model = fx.Model(beam, fx.Clamp(beam.start), fx.PointForce(beam.end, (0, -LOADS[-1])))
    options = fx.StaticOptions(at=tuple(load / LOADS[-1] for load in LOADS))
    bent = fx.solve_static(model, options)

    figure, ax = plt.subplots(figsize=(7.6, 6.2), dpi=160)
    xi = np.linspace(-1, 1, 25)
    colours = mpl.colors.Normalize(0, 4.5)
    for load in LOADS:
        step = bent.at_parameter(load / LOADS[-1])
        shape = bent.shape(beam, step, len(xi))[..., :2]
        moment = -bent.resultant(beam, "M", step, xi)
        lines = coloured(shape, moment, colours)
        ax.add_collection(lines)
        exact = cantilever_dead_tip(load)
        ax.plot(exact.x, -np.asarray(exact.y), color="black", lw=1.0, dashes=(4, 3), zorder=3)
        nodes = np.vstack((shape[:, 0], shape[-1:, -1]))
        ax.plot(*nodes.T, "o", ms=2.4, mfc="white", mec="0.25", mew=0.6, zorder=4)
        arrow(ax, shape[-1, -1], f"{load:g}" if load != LOADS[0] else rf"$P L^2/EI = {load:g}$")
    ax.plot((0, 1), (0, 0), color="0.85", lw=5.0, solid_capstyle="butt", zorder=0)
    clamp(ax)
    bar = figure.colorbar(
        lines,
        cax=ax.inset_axes((0.0, -0.66, 0.3, 0.022), transform=ax.transData),
        orientation="horizontal",
        ticks=(0, 1, 2, 3, 4),
    )
    bar.ax.set_title(r"bending moment $M L/EI$", fontsize=9, pad=5)
    bar.ax.tick_params(labelsize=8, length=2)
    bar.outline.set_visible(False)
    ax.plot([], [], color="black", lw=1.0, dashes=(4, 3), label="exact elastica")
    ax.plot([], [], "o", ms=3.0, mfc="white", mec="0.25", mew=0.7, label=f"{ELEMENTS} elements")
    ax.legend(loc="upper left", bbox_to_anchor=(-0.025, -0.74), bbox_transform=ax.transData, frameon=False, fontsize=9)
    ax.set(xlim=(-0.06, 1.22), ylim=(-0.93, 0.11), aspect="equal")
    ax.axis("off")
    figure.tight_layout(pad=0.3)
    return figure


def mechanism() -> plt.Figure:
    """One turn of a slider-crank at full speed in twelve pictures, the rod coloured by its bending moment."""
    crank = fx.PlanarRigidBody.rod((0, 0), (CRANK, 0), mass=0.5, name="crank")
    rod = fx.FlexibleBody.line(
        (CRANK, 0),
        (CRANK + ROD, 0),
        elements=8,
        element=fx.elements.ANCFCable2D(),
        section=fx.Rectangle(width=0.02, height=0.0025),
        material=fx.steel,
        name="rod",
    )
    slider = fx.PlanarRigidBody(mass=0.5, inertia=1e-3, position=(CRANK + ROD, 0), name="slider")
    bearing = fx.RevoluteJoint(fx.ground, crank, at=(0, 0), name="bearing")
    model = fx.Model(
        crank,
        rod,
        slider,
        bearing,
        fx.RevoluteJoint(crank, rod.start),
        fx.RevoluteJoint(rod.end, slider),
        fx.PrismaticJoint(fx.ground, slider, at=(CRANK + ROD, 0), axis=(1, 0)),
        fx.RotationDriver(bearing, rate=fx.motions.Ramp(0, SPEED, duration=0.3), name="motor"),
    )
    turn = 2.0 * np.pi / SPEED
    times = 0.5 + turn * np.arange(12) / 12.0
    run = fx.simulate(model, until=float(times[-1]), step=2e-4, output=fx.Output(at=times), progress=False)

    figure, ax = plt.subplots(figsize=(7.6, 2.9), dpi=160, layout="constrained")
    xi = np.linspace(-1, 1, 25)
    colours = mpl.colors.Normalize(0.0, 5.0)
    angle = np.linspace(0, 2 * np.pi, 200)
    ax.plot(CRANK * np.cos(angle), CRANK * np.sin(angle), color="0.88", lw=1.0, zorder=0)
    ax.plot((ROD - CRANK - 0.06, ROD + CRANK + 0.06), (0, 0), color="0.85", lw=9.0, solid_capstyle="butt", zorder=0)
    for i in (int(np.argmin(np.abs(run.t - t))) for t in times):
        shape = run.shape(rod, i, len(xi))[..., :2]
        moment = rod.element.stress_resultants(run.system.group(rod), run.q[i], run.v[i], xi)[..., 1]
        lines = coloured(shape, np.abs(moment), colours, 3.0)
        ax.add_collection(lines)
        ax.plot((0, shape[0, 0, 0]), (0, shape[0, 0, 1]), color="0.35", lw=2.0, zorder=1)
        ax.plot(*shape[0, 0], "o", ms=4.0, mfc="white", mec="0.25", mew=0.8, zorder=4)
        ax.plot(*shape[-1, -1], "s", ms=6.0, mfc="0.45", mec="white", mew=0.6, zorder=4)
    ax.plot(0, 0, "o", ms=6.0, color="0.25", zorder=5)
    bar = figure.colorbar(lines, ax=ax, shrink=0.55, pad=0.0, ticks=(0, 2, 4))
    bar.ax.set_title("bending\n[N m]", fontsize=8, pad=6)
    bar.ax.tick_params(labelsize=8, length=2)
    bar.outline.set_visible(False)
    ax.set(xlim=(-0.18, 0.74), ylim=(-0.19, 0.19), aspect="equal")
    ax.axis("off")
    return figure


def coloured(shape: np.ndarray, values: np.ndarray, norm: mpl.colors.Normalize, width: float = 5.0) -> LineCollection:
    """The curve of all elements as short segments, each with the mean of the values at its ends."""
    segments = np.stack((shape[:, :-1], shape[:, 1:]), axis=2).reshape(-1, 2, 2)
    return LineCollection(
        segments,
        array=0.5 * (values[:, :-1] + values[:, 1:]).ravel(),
        norm=norm,
        cmap="viridis_r",
        lw=width,
        capstyle="round",
        zorder=2,
    )


def arrow(ax: plt.Axes, tip: np.ndarray, label: str) -> None:
    """The load at a tip, with its size."""
    ax.annotate(
        "",
        (tip[0], tip[1] - 0.085),
        (tip[0], tip[1] - 0.008),
        zorder=5,
        arrowprops={"arrowstyle": "-|>", "color": "tab:red", "lw": 1.3, "shrinkA": 0, "shrinkB": 0},
    )
    ax.text(tip[0] + 0.016, tip[1] - 0.075, label, color="tab:red", fontsize=9)


def clamp(ax: plt.Axes) -> None:
    """The wall that holds the beam."""
    ax.add_patch(plt.Rectangle((-0.045, -0.09), 0.045, 0.18, fc="none", ec="0.45", hatch="/////", lw=0, zorder=1))
    ax.plot((0, 0), (-0.09, 0.09), color="0.25", lw=1.6, zorder=5)


if __name__ == "__main__":
    main()
