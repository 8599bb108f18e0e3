"""The galvanizing line: frequencies and reduction of its strip, and its active control over 40 seconds."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.signal import welch
from scipy.sparse.linalg import splu

import flexmbs as fx
from flexmbs.core.contracts import FloatArray
from flexmbs.verification import Case, Outcome, Progress, Table
from flexmbs.verification.cases.common import COLOURS, figure, measured
from flexmbs.verification.cases.reduction import galvanizing_model as line
from flexmbs.verification.cases.reduction.galvanizing_march import RHO, Matrices, full, march, modal, reduced
from flexmbs.verification.reference.tensioned_strip import flexion, torsion

PRINTED = ((0.55, 1.10, 1.66, 2.21), (0.56, 1.11, 1.67, 2.23))
PAPER = "Bruels and Golinval, table 1, printed to 0.01 Hz"
SIDES = (0.0, 0.5, 1.0)
"""Places across the strip; the first is the edge of the single magnet."""
ON = 20.0
SHORT = 0.25
MANY = 200
"""Modes of a reduction that leaves nothing out that is seen."""


def _frequencies(strip: line.Strip) -> tuple[list[float], list[float], FloatArray, FloatArray]:
    """Flexion and torsion of the full strip [Hz], and all frequencies up to 10 Hz, full and reduced."""
    modes = fx.linear.vibration_modes(strip.operators, 60, strip.held())
    w, y = modes.shapes[:, 2], strip.operators.points[:, 1]
    out_of_plane = np.abs(w).max(axis=0) > np.abs(modes.shapes[:, 1]).max(axis=0)
    together = np.einsum("im,im->m", w[y == 0.0], w[y == line.WIDTH]) > 0.0
    found = modes.frequencies
    inside = int((found <= line.BAND[1]).sum())
    small = strip.body.frequencies[:inside] / (2.0 * np.pi)
    return list(found[out_of_plane & together]), list(found[out_of_plane & ~together]), found[:inside], small


def run_strip(progress: Progress) -> Outcome:
    """Frequencies, reduction, static answer, and a short motion."""
    progress("strip")
    strip = line.strip()
    bent, twisted, whole, small = _frequencies(strip)
    size = (line.LENGTH, line.WIDTH, line.THICKNESS)
    longest = float(np.diff(np.unique(strip.operators.points[:, 0])).max())
    quantities = []
    for n in range(1, 5):
        mesh = (n * np.pi * longest / line.LENGTH) ** 2 / 24.0  # of linear interpolation on a string
        known = (
            flexion(n, *size, line.YOUNG, line.POISSON, line.DENSITY, strip.tension),
            torsion(n, *size, line.YOUNG, line.POISSON, line.DENSITY, strip.tension),
        )
        for which, name, found in ((0, "flexion", bent), (1, "torsion", twisted)):
            quantities.append(
                measured(f"{name} {n}", "Hz", found[n - 1], known[which], "strip under tension, closed form",
                         rtol=1.2 * mesh + 1e-4)
            )  # fmt: skip
            quantities.append(
                measured(f"{name} {n} against the paper", "Hz", found[n - 1], PRINTED[which][n - 1], PAPER,
                         atol=0.005 + 1.2 * mesh * found[n - 1])
            )  # fmt: skip
    error = small / whole - 1.0
    half = whole <= 0.5 * float(np.nanmax(strip.reduced.frequencies)) / (2.0 * np.pi)
    quantities.append(
        measured("reduced: largest error of a frequency up to half the cut-off", "-", float(np.abs(error[half]).max()),
                 0.0, "the full strip", atol=1e-2)
    )  # fmt: skip
    quantities.append(
        measured("reduced: how far a frequency lies below that of the full strip", "-",
                 float(np.maximum(-error, 0.0).max()), 0.0, "Craig-Bampton converges from above", atol=1e-8)
    )  # fmt: skip
    quantities.append(_static(strip))
    progress("short motion")
    quantities += _short(strip)
    rows = [[i + 1, float(a), float(b), float(b / a - 1.0)] for i, (a, b) in enumerate(zip(whole, small, strict=True))]
    remark = (
        f"The table of the paper follows from one number, the tension: {strip.tension / 1e3:.2f} kN make the first "
        f"flexion 0.552 Hz. The strip also vibrates in its plane, at {whole[7]:.2f} Hz, which the table leaves out."
    )
    table = Table("Frequencies up to 10 Hz", ("mode", "full, Hz", "reduced, Hz", "relative error"), rows)
    return Outcome(quantities, (), [table], remarks=[remark])


def _static(strip: line.Strip) -> Any:
    """A unit force of the magnet at one edge: the displacement there, reduced and full."""
    node = strip.node(line.MAGNETS, 0.0)
    force = fx.linear.NodalForce(node, (0.0, 0.0, 1.0))
    exact = fx.linear.static_response(strip.operators, strip.held(), force).displacement(node)[2]
    marker = strip.body.node(node)
    found = float((marker.phi[2] ** 2 / strip.body.frequencies**2).sum())
    return measured("displacement under a force of 1 N at a magnet, reduced", "m", found, float(exact), "full strip",
                    rtol=1e-7)  # fmt: skip


def _short(strip: line.Strip) -> list[Any]:
    """The engine against the same scheme on matrices, without control."""
    tables = line.excitation(len(strip.zones), SHORT)
    node = strip.node(line.KNIVES, 0.0)
    known = march(modal(strip, [node]), tables, SHORT, (), ON, line.Magnet()).seen[:, 0]
    found = _simulated(strip, tables, SHORT, (), every=None)
    z = _across(found, strip, [node])[:, 0]
    scale = float(np.abs(known).max())
    return [
        measured(f"largest difference of the engine from the scheme on matrices over {SHORT:g} s", "-",
                 float(np.abs(z - known).max()) / scale, 0.0, "generalised alpha, written out", atol=1e-9),
        measured("factorisations beside those at the start", "-", float(found.counts["factorisations"] <= 6), 1.0,
                 "constant matrices", atol=0.5),
    ]  # fmt: skip


def _simulated(
    strip: line.Strip, tables: list[fx.Table], until: float, magnets: tuple[float, ...], every: float | None = 5e-3
) -> fx.TimeSolution:
    """The motion by the engine with magnets at these places across the strip."""
    body = strip.body
    laws = [
        line.feedback(body, strip.node(line.MAGNETS, y), ON, line.Magnet(), f"at y = {y:g} m") for y in magnets
    ]  # fmt: skip
    scheme = fx.GeneralizedAlpha(rho_inf=RHO, newton=fx.NewtonOptions(jacobian_update="on_demand"))
    return fx.simulate(
        fx.Model(body, *line.loads(strip, body, tables), *laws, name="galvanizing line"), until, step=line.PERIOD,
        integrator=scheme, output=fx.Output(every=every, energy=False),
    )  # fmt: skip


def _across(run: fx.TimeSolution, strip: line.Strip, nodes: list[int]) -> FloatArray:
    """Displacements (n_t, n) of nodes across the strip."""
    body = run.model.linear_bodies[0]
    return np.column_stack([run.position(body.node(n))[:, 2] for n in nodes])


def run_line(progress: Progress) -> Outcome:
    """40 seconds without control, with one magnet and with three; full against reduced."""
    progress("strip and excitation")
    strip = line.strip()
    tables = line.excitation(len(strip.zones), line.UNTIL)
    knives = [strip.node(line.KNIVES, y) for y in SIDES]
    runs: dict[str, tuple[FloatArray, FloatArray]] = {}
    rows, cost = [], []
    held = 0.0
    for name, magnets in (("no control", ()), ("one magnet", (0.0,)), ("three magnets", SIDES)):
        progress(name)
        run = _simulated(strip, tables, line.UNTIL, magnets)
        z = 1e3 * _across(run, strip, knives)
        runs[name] = run.t, z
        before, after = ((run.t > 10.0) & (run.t <= ON), run.t > ON)
        rows.append([name, *np.std(z[before], axis=0), *np.std(z[after], axis=0)])
        cost.append([name, float(run.counts["seconds"]), float(run.counts["cpu_seconds"])])
        for y in magnets:
            held = max(held, float(np.abs(run.held(f"magnet at y = {y:g} m")[1]).max()))
    off, one, three = (np.array(r[4:], dtype=float) for r in rows)
    progress("full against reduced")
    answers, times = _compared(strip, tables)
    own, other = 1.0 - one[0] / off[0], 1.0 - one[2] / off[2]
    quantities = [
        measured("one magnet: attenuation at its own edge exceeds that at the other (1: yes)", "-", float(own > other),
                 1.0, "Bruels and Golinval, figure 4", atol=0.5),
        measured("one magnet: attenuation at its own edge is above 40 % (1: yes)", "-", float(own > 0.4), 1.0,
                 "Bruels and Golinval, figure 4", atol=0.5),
        measured("three magnets attenuate more than one, at both edges (1: yes)", "-",
                 float((three[[0, 2]] < one[[0, 2]]).all()), 1.0, "Bruels and Golinval, section 3.4", atol=0.5),
        *answers,
    ]  # fmt: skip
    remarks = [
        f"One magnet lowers the vibration in front of the air knives by {100 * own:.0f} % at its own edge and by "
        f"{100 * other:.0f} % at the other; three lower it by {100 * (1 - three[0] / off[0]):.0f} % and "
        f"{100 * (1 - three[2] / off[2]):.0f} %. The paper speaks of no attenuation at the other edge; damping, noise "
        f"and the height of the knives are not in it, and assumed here.",
        f"The largest force of a magnet was {held:.1f} N; at rest the largest current gives 8 N.",
        "A reduced model in interface coordinates has full matrices: a step multiplies each entry once, and each of "
        "its factor twice. The matrices of the full strip have few entries, so that nine times fewer unknowns save "
        "less than nine times the work. In its modes the reduced model has diagonal matrices, and what is left is the "
        "overhead of the program.",
    ]
    edge = ("left, mm", "middle, mm", "right, mm")
    return Outcome(
        quantities, (),
        [
            Table("Standard deviation in front of the air knives, 10-20 s and 20-40 s",
                  ("run", *(f"before: {e}" for e in edge), *(f"after: {e}" for e in edge)), rows),
            Table("Cost of 40 s by the engine, 80 000 steps", ("run", "seconds", "of the processor"), cost),
            times,
        ],
        [
            ("Displacement of the strip in front of the air knives; control is switched on at 20 s. Grey: without.",
             _histories(runs)),
            ("Its spectrum from 20 s on, at the edge of the single magnet and at the other one.", _spectra(runs)),
        ],
        remarks,
    )  # fmt: skip


def _compared(strip: line.Strip, tables: list[fx.Table]) -> tuple[list[Any], Table]:
    """One magnet on the full and the reduced strip by the same scheme with one factorisation each; more modes."""
    nodes = [strip.node(line.MAGNETS, 0.0), strip.node(line.KNIVES, 0.0), strip.node(line.KNIVES, line.WIDTH)]
    found, rows = {}, []
    for name, given in (
        ("full", full(strip, nodes)), ("reduced, interface coordinates", reduced(strip, nodes)),
        ("reduced, modes", modal(strip, nodes)),
    ):  # fmt: skip
        found[name] = march(given, tables, line.UNTIL, (0,), ON, line.Magnet())
        work = _entries(given)
        rows.append([name, given.K.shape[0], work, found[name].seconds])
    first = rows[0]
    for row in rows:
        row += [first[2] / row[2], first[3] / row[3]]
    whole, small, apart = (found[str(row[0])].seen for row in rows)
    fine = line.strip(modes=MANY)
    more = march(modal(fine, nodes), tables, line.UNTIL, (0,), ON, line.Magnet()).seen
    change, last = (np.std((x - whole)[:, 1:], axis=0) / np.std(whole[:, 1:], axis=0) for x in (small, more))
    on = round(ON / line.PERIOD)
    level = np.std(small[on:, 1:], axis=0) / np.std(whole[on:, 1:], axis=0) - 1.0
    same = np.abs(apart - small).max() / np.abs(small).max()
    quantities = [
        measured("reduced against full: standard deviation at the air knives under control", "-",
                 float(np.abs(level).max()), 0.0, "full strip", atol=0.01),
        measured("the same: difference of the histories, over their standard deviation", "-", float(change.max()),
                 0.0, "full strip", atol=0.1),
        measured(f"the same with {MANY} modes", "-", float(last.max()), 0.0, "full strip", atol=1e-3),
        measured("modes against interface coordinates: largest difference", "-", float(same), 0.0, "identity",
                 atol=1e-6),
    ]  # fmt: skip
    header = (
        "strip", "unknowns", "multiplications a step", "processor, s", "work: full / this", "time: full / this"
    )  # fmt: skip
    return quantities, Table("40 s with one magnet on matrices, each with one factorisation", header, rows)


def _entries(given: Matrices) -> int:
    """Entries of K and D, and twice those of the factor: multiplications of a step."""
    if isinstance(given.K, np.ndarray):
        n = len(given.K)
        return 2 * n * n + n * (n + 1)
    factor = splu((given.K + given.M).tocsc(), permc_spec="MMD_AT_PLUS_A", options={"SymmetricMode": True})
    return int(given.K.nnz + given.D.nnz + 2 * factor.L.nnz)


def _histories(runs: dict[str, tuple[FloatArray, FloatArray]]) -> Any:
    """Both edges, with one and with three magnets, above each other."""
    drawing, first = figure(7.2, 6.4)
    first.remove()
    axes = drawing.subplots(4, 1, sharex=True, sharey=True)
    t, free = runs["no control"]
    panels = [(name, column) for name in ("one magnet", "three magnets") for column in (0, 2)]
    for ax, (name, column) in zip(axes, panels, strict=True):
        ax.plot(t, free[:, column], color="#c4c9d1", linewidth=0.6)
        ax.plot(t, runs[name][1][:, column], color=COLOURS[0 if column == 0 else 1], linewidth=0.7)
        ax.axvline(ON, color="black", linewidth=0.8, linestyle=(0, (4, 3)))
        side = ("left edge, its own" if column == 0 else "right edge") if name == "one magnet" else (
            "left edge" if column == 0 else "right edge"
        )  # fmt: skip
        ax.set_title(f"{name}: {side}", loc="left", fontsize=9)
        ax.spines[["top", "right"]].set_visible(False)
        ax.set_ylabel("mm")
    axes[-1].set_xlabel("t in s")
    axes[-1].set_xlim(0.0, line.UNTIL)
    return drawing


def _spectra(runs: dict[str, tuple[FloatArray, FloatArray]]) -> Any:
    """Power spectral density of both edges."""
    drawing, first = figure(7.2, 3.4)
    first.remove()
    axes = drawing.subplots(1, 2, sharey=True)
    for ax, column, title in zip(axes, (0, 2), ("left edge", "right edge"), strict=True):
        for (name, (t, z)), colour in zip(runs.items(), ("#9aa1ab", COLOURS[0], COLOURS[1]), strict=True):
            f, S = welch(z[t > ON, column], fs=1.0 / (t[1] - t[0]), nperseg=2000)
            inside = (f >= line.BAND[0]) & (f <= line.BAND[1])
            ax.semilogy(f[inside], S[inside], color=colour, linewidth=1.2, label=name)
        ax.set_title(title, loc="left", fontsize=9)
        ax.set_xlabel("f in Hz")
        ax.spines[["top", "right"]].set_visible(False)
    axes[0].set_ylabel("mm² / Hz")
    axes[1].legend(frameon=False, fontsize=8)
    return drawing


SOURCE = (
    "O. Bruels, J.-C. Golinval, Simulation of an active control system in a hot-dip galvanizing line (University of "
    "Liege)."
)
STRIP = Case(
    id="galvanizing-strip",
    title="Strip of a galvanizing line: prestress and reduction",
    area="reduction",
    summary=(
        "400 nodes of shells, 2 400 unknowns, between two rollers 50 m apart, under the tension that the printed "
        "frequencies ask for. Craig-Bampton keeps 250 unknowns at the rollers, the air knives, the magnets and the fan "
        "cooler, and 50 modes. Frequencies against closed forms, the paper and the full strip; a static force; a "
        "quarter of a second against the same scheme written out."
    ),
    run=run_strip,
    source=SOURCE,
    equations=(r"(K + K_g)\phi = \omega^2 M \phi", r"\ddot\eta + D\dot\eta + \Omega^2\eta = \Phi^T f"),
)
LINE = Case(
    id="galvanizing-line",
    title="Active control of a galvanizing line",
    area="control",
    summary=(
        "The fan cooler shakes the strip by independent zones of noise from 0.2 to 10 Hz for 40 s. From 20 s on "
        "electromagnets 3.5 m above the stabilizing roller, sampled every 0.5 ms, brake it: none, one at an edge, or "
        "three. Then the full and the reduced strip by the same scheme, each with one factorisation."
    ),
    run=run_line,
    source=SOURCE,
    equations=(r"f^d = -g\,\dot q", r"i = \min\left(e\sqrt{|f^d|/c},\, i_{max}\right), \quad f = c\,(i/e)^2"),
    slow=True,
)
