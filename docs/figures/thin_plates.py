"""Pictures of the page on thin plates: convergence of deflections and frequencies, the slit ring.

    python docs/figures/thin_plates.py

writes into docs/_static.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import flexmbs as fx
from flexmbs.elements import ANCFThinPlate
from flexmbs.verification.cases.common import COLOURS
from flexmbs.verification.cases.statics.thin_plates import KINDS, modes, quarter
from flexmbs.verification.reference.data import load_reference

HERE = Path(__file__).resolve().parent.parent / "_static"


def convergence() -> Figure:
    """Errors over the number of elements."""
    drawing = Figure(figsize=(9.0, 3.8), layout="constrained")
    left, right = drawing.subplots(1, 2)
    s09, e09 = load_reference("s09"), load_reference("e09")
    counts = (1, 2, 4, 8)
    problems = (("SSSS", "SSSS uniform: w_c D/(q a^4)"), ("CCCC", "CCCC uniform: w_c D/(q a^4)"))
    for (label, element, _), colour in zip(KINDS, COLOURS, strict=False):
        for (code, name), style in zip(problems, ("-o", "--s"), strict=True):
            start = 1 if label == "36" else 1 + (code == "CCCC")
            sizes = [n for n in counts if n >= start and (n > 1 or label == "36")]
            errors = [abs(quarter(element, n, code, "q")[0] / s09.value(name) - 1.0) for n in sizes]
            left.loglog([2 * n for n in sizes], errors, style, color=colour, label=f"{label}, {code}")
        for code, style in (("SSSS", "-o"), ("CCCC", "--s"), ("FFFF", ":^")):
            name = next(q for q in e09.quantities if q.startswith(code) and "1..6" in q)
            exact = np.array([e09.value(name, i) for i in range(6)])
            sizes = [4, 8, 16]
            worst = [np.abs(modes(element, n, code, 0.3, 1.0, 6) / exact - 1.0).max() for n in sizes]
            right.loglog(sizes, worst, style, color=colour, label=f"{label}, {code}")
    x = np.array([4.0, 16.0])
    for axes, scale in ((left, 0.05), (right, 0.1)):
        axes.loglog(x, scale * (4.0 / x) ** 2, color="#9aa3ad", linewidth=0.8)
        axes.loglog(x, 0.1 * scale * (4.0 / x) ** 4, color="#9aa3ad", linewidth=0.8)
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(color="#e3e6ea", linewidth=0.6)
        axes.set_xlabel("elements along a side")
        axes.legend(frameon=False, fontsize="small")
    for axes, sizes in ((left, (2, 4, 8, 16)), (right, (4, 8, 16))):
        axes.set_xticks(sizes, [str(n) for n in sizes])
        axes.minorticks_off()
    left.set_ylabel("relative error of the deflection")
    right.set_ylabel("of the worst of six frequencies")
    return drawing


def ring() -> Figure:
    """The slit ring under half of its load and all of it."""
    mesh = fx.meshes.ring(inner_radius=6.0, outer_radius=10.0, elements=(4, 32), slit=True)
    material = fx.Elastic(youngs_modulus=2.1e7, poissons_ratio=0.0, density=1.0)
    body = fx.FlexibleBody(mesh, ANCFThinPlate(), section=fx.ShellSection(0.03), material=material, name="ring")
    model = fx.Model(body, fx.Clamp(body.set("start")), fx.EdgeLoad(body.set("end"), (0.0, 0.0, 0.8)))
    solution = fx.solve_static(model, fx.StaticOptions(at=(0.1, 0.5, 1.0)))
    drawing = Figure(figsize=(8.0, 3.6), layout="constrained")
    for i, load in enumerate((0.1, 0.5, 1.0)):
        axes = drawing.add_subplot(1, 3, i + 1, projection="3d")
        q = solution.q[solution.at_parameter(load)]
        group = solution.system.group(body)
        line = np.linspace(-1.0, 1.0, 5)
        eta, xi = np.meshgrid(line, line, indexing="ij")
        points = ANCFThinPlate().positions(group, q, np.column_stack((xi.ravel(), eta.ravel()))).reshape(-1, 5, 5, 3)
        for cell in points:
            axes.plot_surface(*np.moveaxis(cell, 2, 0), color=COLOURS[0], alpha=0.5, linewidth=0)
            for edge in (cell[0], cell[-1], cell[:, 0], cell[:, -1]):
                axes.plot(*edge.T, color="#22303f", linewidth=0.4)
        axes.set_box_aspect((20, 20, 18))
        axes.set(xlim=(-10, 10), ylim=(-10, 10), zlim=(0, 18), title=f"P/Pmax = {load:g}")
        axes.tick_params(labelsize=6)
    return drawing


def main() -> None:
    convergence().savefig(HERE / "thin_plates_convergence.png", dpi=110)
    ring().savefig(HERE / "thin_plates_ring.png", dpi=110)


if __name__ == "__main__":
    main()
