"""The short electrodynamic tether over 1500 s: tables and pictures of the page "A spinning tether".

    .venv/bin/python docs/studies/tether.py

prints the table and writes docs/_static/tether_subcritical.png, tether_supercritical.png and tether_shapes.png. It
takes about two minutes.
"""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import flexmbs as fx
from flexmbs.verification.cases.common import COLOURS
from flexmbs.verification.cases.flexible_motion import tether_model as given

FOLDER = Path(__file__).parent.parent / "_static"
LAWS = {"per substructure": {"retardation": 0.0, "ratio": given.RATIO}, "material": {}}
RUNS = [("linear, n = 1", 1, True), ("n = 3", 3, False), ("n = 6", 6, False)]
LAST = (0.0, 200.0, 400.0, 500.0, 600.0, 700.0, 1500.0)


def axes(drawing: Figure, rows: int, columns: int, **options: object) -> np.ndarray:
    found = drawing.subplots(rows, columns, squeeze=False, **options)
    for ax in found.flat:
        ax.spines[["top", "right"]].set_visible(False)
        ax.grid(color="#e3e6ea", linewidth=0.6)
    return found


def simulated(law: str, spin: float, n: int, linear: bool) -> tuple[fx.TimeSolution, given.Tether]:
    made = given.tether(n, spin, linear=linear, **LAWS[law])
    began = time.process_time()
    run = fx.simulate(made.model, 1500.0, step=0.1, output=fx.Output(every=1.0), throw=False)
    place = run.position(made.contactor)
    peak = np.abs(place).max(axis=0)
    seconds = time.process_time() - began
    print(
        f"{law:16} | {spin:4} | n = {n}{', linear' if linear else ''} | |X| {peak[0]:7.2f} m | |Z| {peak[2]:7.2f} m | "
        f"Y {place[:, 1].min():6.2f} m | until {run.t[-1]:6.0f} s | {seconds:5.1f} s of the processor"
    )
    return run, made


def subcritical() -> None:
    """Contactor across and along the axis."""
    drawing = Figure(figsize=(7.6, 5.4), layout="constrained")
    panels = axes(drawing, 3, 1, sharex=True)[:, 0]
    for (label, n, linear), colour in zip(RUNS, COLOURS, strict=False):
        run, made = simulated("per substructure", 0.02, n, linear)
        place = run.position(made.contactor)
        for ax, k in zip(panels, (0, 2, 1), strict=True):
            ax.plot(run.t, place[:, k], color=colour, linewidth=1.0, label=label)
    for ax, name in zip(panels, "XZY", strict=True):
        ax.set_ylabel(f"{name} [m]")
    panels[0].legend(frameon=False, ncols=3, loc="lower center", bbox_to_anchor=(0.5, 1.0))
    panels[-1].set_xlabel("time [s]")
    drawing.savefig(FOLDER / "tether_subcritical.png", dpi=130, facecolor="white", metadata={"Software": None})


def supercritical() -> None:
    """Distance from the axis under both laws of damping, and shapes of the boom in the end."""
    drawing = Figure(figsize=(7.6, 3.6), layout="constrained")
    panels = axes(drawing, 1, 2)[0]
    for ax, law in zip(panels, LAWS, strict=True):
        for (label, n, linear), colour in zip(RUNS, COLOURS, strict=False):
            run, made = simulated(law, 0.1, n, linear)
            place = run.position(made.contactor)
            ax.plot(run.t, np.hypot(place[:, 0], place[:, 2]), color=colour, linewidth=1.0, label=label)
            if (law, n) == ("material", 6):
                shapes(run, made)
        ax.set_title(f"damping: {law}", fontsize=10)
        ax.set_xlabel("time [s]")
    panels[0].set_ylabel("distance of the contactor from the axis [m]")
    panels[0].set_ylim(0.0, 10.0)
    panels[1].set_ylim(0.0, given.LENGTH)
    panels[0].legend(frameon=False)
    drawing.savefig(FOLDER / "tether_supercritical.png", dpi=130, facecolor="white", metadata={"Software": None})


def shapes(run: fx.TimeSolution, made: given.Tether) -> None:
    """The boom at some times, turned into the plane of its end."""
    drawing = Figure(figsize=(5.2, 4.6), layout="constrained")
    ax = axes(drawing, 1, 1)[0, 0]
    nodes = made.boom.nodes(run)
    for i, t in enumerate(LAST):
        line = nodes[np.argmin(np.abs(run.t - t))]
        end = line[-1, [0, 2]] / np.linalg.norm(line[-1, [0, 2]])
        ax.plot(line[:, [0, 2]] @ end, line[:, 1], color=COLOURS[0], alpha=0.25 + 0.75 * i / (len(LAST) - 1))
        ax.annotate(f"{t:.0f} s", (line[-1, [0, 2]] @ end, line[-1, 1]), fontsize=8, xytext=(3, 3),
                    textcoords="offset points")  # fmt: skip
    ax.set_aspect("equal")
    ax.set_xlabel("in the plane of the contactor [m]")
    ax.set_ylabel("Y, axis of spin [m]")
    drawing.savefig(FOLDER / "tether_shapes.png", dpi=130, facecolor="white", metadata={"Software": None})


if __name__ == "__main__":
    subcritical()
    supercritical()
