"""A belt drive beside Exudyn: processor time, and error of the speed that creep costs.

    python benchmarks/bench_belt.py [repetitions]

The case `belt-drive`: a belt of planar cables is stretched around two pulleys, run up to 100 rad/s and loaded with 20
N m; the driven pulley is slower by what the string theory of creep says, 0.985 rad/s. Both sides have the same belt,
pulleys, times and damping of the material. The contact differs: flexmbs presses with the power 1.5 of the depth,
damps in proportion to the force and smooths friction by a hyperbolic tangent; Exudyn is linear in all three. Its
stiffness, 2e8 N/m^2, lies between the secant and the tangent of the other at the mean pressure of 2 000 N/m, and
damping and slope of friction are equal there. With eight segments of an element and their normals Exudyn's mean speed
converges to the same loss with its step; with points and longer steps it loses speed without a torque, too. Each side
has several meshes or steps, so that times can be compared at equal errors; nan marks a run that did not converge.
Only the call of the solver is timed, in turns, in one thread.
"""

from __future__ import annotations

import statistics
import sys
from typing import Any

import measure
import numpy as np
from peer import Peer, find_peer

import flexmbs as fx
from flexmbs.verification.cases.contact import belt_drive as case
from flexmbs.verification.reference.data import load_reference

FIGURES = load_reference("belt-drive")
LENGTH = float(FIGURES.parameters["L0"])
LOSS = 0.9854299108
"""Reference [rad/s]: two equations of the string theory, see the case."""
TARGET = 0.02
WINDOW, EVERY = 0.15, 1e-3
PRESSURE, STIFFNESS, DAMPING, SLIP = 2e3, 2e8, 2e4, 1e-3
"""Mean pressure [N/m], spring [N/m^2] and damper [N s/m^2] per length, speed of the regularised friction [m/s]."""
OURS = ((40, 1e-4), (60, 2e-4), (60, 1e-4), (60, 5e-5))
THEIRS = ((60, 2.5e-5), (60, 1.25e-5), (60, 6.25e-6))
"""Elements and steps [s]."""


def ours(elements: int, step: float) -> list[float]:
    """Processor seconds, mean angular velocity of the driven pulley at the end, and its spread."""
    made, parts = case.model(LENGTH, elements)
    system = fx.compile_model(made)
    newton = fx.NewtonOptions(jacobian_update="full", rtol=1e-5)
    scheme = fx.GeneralizedAlpha(rho_inf=0.3, newton=newton)
    fx.simulate(system, 2 * step, step=step, integrator=scheme)
    runs: list[Any] = []

    def simulate() -> None:
        output = fx.Output(every=EVERY)
        runs.append(fx.simulate(system, case.UNTIL, step=step, integrator=scheme, output=output, progress=False))

    try:
        taken = measure.cpu_time(simulate)
    except fx.ConvergenceError:
        return [np.nan] * 3
    omega = runs[0].angular_velocity(parts["driven"])[runs[0].t > case.UNTIL - WINDOW, 2]
    return [taken, float(omega.mean()), float(omega.std())]


def problem(elements: int, step: float) -> dict[str, Any]:
    """The same for Exudyn."""
    s = np.arange(elements) * LENGTH / elements
    near = 0.5 * (LENGTH - 2.0 * np.pi * case.RADIUS)
    places, ahead, behind = case.axis(s, near), case.axis(s + 1e-7, near), case.axis(s - 1e-7, near)
    slopes = (ahead - behind) / np.linalg.norm(ahead - behind, axis=0)
    return {
        "nodes": np.vstack([places, slopes]).T.tolist(), "length": LENGTH, "mass": case.MASS, "EA": case.EA,
        "EI": case.EI, "retardation": case.RETARDATION, "reduced": 1, "near": near, "radius": case.RADIUS,
        "pulley_mass": 1.0, "pulley_inertia": 5e-3, "points": 8, "segment_normals": True, "stiffness": STIFFNESS,
        "damping": DAMPING, "friction": case.MU, "friction_slope": case.MU * PRESSURE / SLIP,
        "stretch": case.DISTANCE - near, "speed": case.SPEED, "torque": case.TORQUE,
        "times": [case.STRETCHED, case.UP, case.LOADED], "until": case.UNTIL, "window": WINDOW, "every": EVERY,
        "step": step, "scheme": "generalized-alpha", "rho": 0.3, "modified": True, "rtol": 1e-8, "dtol": 1.0, "dmax": 1,
    }  # fmt: skip


def main(repetitions: int) -> None:
    """Table: errors, times, and whether the target is met."""
    peer: Peer | None = find_peer("exudyn_belt.py")
    print(measure.facts())
    runs = [("flexmbs", n, h) for n, h in OURS] + [("Exudyn", n, h) for n, h in THEIRS if peer is not None]
    found: dict[tuple[str, int, float], list[list[float]]] = {run: [] for run in runs}
    for _ in range(repetitions):
        for who, n, h in runs:
            if who == "flexmbs":
                found[who, n, h].append(ours(n, h))
            elif peer is not None:
                found[who, n, h].append(peer.solve(problem(n, h)))
    rows: list[list[object]] = []
    best: dict[str, float] = {}
    for (who, n, h), rows_of in found.items():
        seconds = statistics.median(row[0] for row in rows_of)
        loss = case.SPEED - rows_of[0][1]
        error = abs(loss / LOSS - 1.0)
        if error < TARGET:
            best[who] = min(seconds, best.get(who, np.inf))
        rows.append([who, n, f"{1e6 * h:g}", f"{seconds:.1f}", f"{loss:.4f}", f"{100.0 * error:.2f} %",
                     f"{rows_of[0][2]:.4f}", measure.verdict(error, TARGET)])  # fmt: skip
    heads = ["by", "elements", "step [us]", "CPU [s]", "loss [rad/s]", "error", "spread [rad/s]", "below 2 %"]
    measure.table(heads, rows)
    print(f"loss by the theory of creep: {LOSS:.4f} rad/s")
    if len(best) == 2:
        ratio = best["Exudyn"] / best["flexmbs"]
        print(f"shortest times below 2 %: Exudyn by flexmbs {ratio:.2f} {measure.verdict(1.0 / ratio, 1.0)}")
    elif peer is not None:
        reached = ", ".join(best) or "nobody"
        print(f"an error below 2 % is reached by {reached} only: no ratio of times")
    if peer is not None:
        print(f"Exudyn {peer.version}")
        peer.close()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 3)
