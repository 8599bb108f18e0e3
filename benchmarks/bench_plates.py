"""Thin plates: time of their kernels, of the steps of a plate pendulum beside Exudyn's, and of a large static problem.

Kernels: force, force and tangent, per element. Pendulum: a square plate, 0.3 m wide and 10 mm thick, E = 1e5 Pa, hung
by a corner, falls from the horizontal; generalized-alpha with steps of 1 ms. The first row of ours has the coordinates
and the quadrature of Exudyn's plate (36, full), the other is the default plate. Statics: 100 x 100 plates, clamped all
round, bend under their weight by two thirds of their thickness.

    python benchmarks/bench_plates.py [elements along a side ...]
"""

from __future__ import annotations

import resource
import sys
from functools import partial
from typing import Any

import measure
import numpy as np
from peer import Peer, find_peer

import flexmbs as fx
from flexmbs.core.contracts import Env, State, Work
from flexmbs.elements import ANCFThinPlate, Gauss, PlateCurvature

SIDES = {8: (0.2, 0.4), 16: (0.1, 0.4), 32: (0.04, 0.3)}
"""Elements along a side: how long the pendulum falls [s], and the largest part of Exudyn's time."""
FULL = {"membrane": Gauss(5), "bending": Gauss(5)}
STEP, RHO = 1e-3, 0.8
PLATE = {"side": 0.3, "thickness": 0.01, "E": 1e5, "nu": 0.3, "density": 7810.0, "gravity": 9.81}
KERNELS = (
    ("48, default", ANCFThinPlate()),
    ("48, full 4 x 4", ANCFThinPlate(membrane=Gauss(4), bending=Gauss(4))),
    ("48, full 5 x 5", ANCFThinPlate(**FULL)),
    ("48, simple curvature", ANCFThinPlate(curvature=PlateCurvature.SIMPLE)),
    ("36, default", ANCFThinPlate(mixed=False)),
    ("36, full 5 x 5", ANCFThinPlate(mixed=False, **FULL)),
)
KERNEL_TARGET = 40.0
STATIC_TARGET, STATIC_MEMORY = 60.0, 4.0


def plate(element: Any, n: int) -> fx.FlexibleBody:
    """The square of the pendulum."""
    material = fx.Elastic(youngs_modulus=PLATE["E"], poissons_ratio=PLATE["nu"], density=PLATE["density"])
    size = (PLATE["side"], PLATE["side"])
    section = fx.ShellSection(PLATE["thickness"])
    return fx.FlexibleBody.plate(size, elements=(n, n), element=element, section=section, material=material)


def kernels() -> None:
    """Force, force and tangent of 400 elements."""
    rows = []
    for label, element in KERNELS:
        body = plate(element, 20)
        reference = body.reference
        group: Any = body.tabulate(np.arange(reference.size).reshape(reference.shape), 0)
        q = reference.ravel() + 1e-4 * np.sin(np.arange(reference.size))
        state, env = State(q, 0.0 * q, np.zeros(0), np.zeros(0)), Env(0.0, np.zeros(0))
        n_e, k = group.dofs.shape
        work = Work(np.zeros(q.size), np.zeros(n_e * k * k))
        force = measure.repeated(partial(element.force, group, state, env, work), 7).scaled(1e6 / n_e)
        tangent = measure.repeated(partial(element.tangent, group, state, env, work, (1.0, 0.0)), 7).scaled(1e6 / n_e)
        verdict = measure.verdict(tangent.median, KERNEL_TARGET)
        rows.append((label, f"{force.median:.1f}", f"{tangent.median:.1f}", f"{tangent.low:.1f}", verdict))
    measure.table(("plate", "force us", "force and tangent us", "lowest", f"target {KERNEL_TARGET:g}"), rows)


def ours(element: Any, n: int, until: float) -> list[Any]:
    """One run: CPU seconds, steps, evaluations, tangents, position of the free corner, seconds of factorisation."""
    body = plate(element, n)
    model = fx.Model(body, fx.Pin(body.node(0)), fx.Gravity((0.0, 0.0, -PLATE["gravity"])))
    system = fx.compile_model(model)
    scheme = fx.GeneralizedAlpha(rho_inf=RHO, index=3)
    found: list[Any] = []

    def solve() -> None:
        output = fx.Output(every=until, energy=False)
        found.append(fx.simulate(system, until, step=STEP, integrator=scheme, output=output, progress=False))

    taken = measure.cpu_time(solve)
    counts = found[0].counts
    place = found[0].position(body.node(body.mesh.n_points - 1))[-1].tolist()
    return [taken, len(found[0].steps), counts["evaluations"], counts["factorisations"], place,
            counts["factorisation_seconds"] / counts["seconds"]]  # fmt: skip


def pendulums(sides: list[int], peer: Peer | None) -> None:
    """Our plate with Exudyn's coordinates, our default plate, and Exudyn's, in turns."""
    rows: list[list[object]] = []
    verdicts = []
    for n in sides:
        until, target = SIDES.get(n, (0.04, 0.3))
        mine = {"36, full": ANCFThinPlate(mixed=False, **FULL), "48, default": ANCFThinPlate()}
        found: dict[str, list[list[Any]]] = {label: [] for label in (*mine, "Exudyn")}
        problem = {**PLATE, "elements": n, "until": until, "step": STEP, "rho": RHO, "reduced": 0}
        for element in mine.values():
            ours(element, n, STEP)
        for _ in range(2):
            for label, element in mine.items():
                found[label].append(ours(element, n, until))
            if peer is not None:
                found["Exudyn"].append(peer.solve(problem))
        each = {}
        for label, runs in found.items():
            if not runs:
                continue
            times = [run[0] / run[1] / n**2 * 1e6 for run in runs]
            each[label] = min(times)
            end = ", ".join(f"{x:.5f}" for x in runs[-1][4])
            share = f"{runs[-1][5]:.0%}" if len(runs[-1]) > 5 else ""
            counts = (f"{runs[-1][2] / runs[-1][1]:.1f}", f"{runs[-1][3]}")
            rows.append([f"{n} x {n}: {label}", f"{min(times):.1f}", f"{max(times):.1f}", *counts, share, end])
        if peer is not None:
            ratio = each["36, full"] / each["Exudyn"]
            verdicts.append(f"ratio {n} x {n}: {ratio:.2f}, target {target}: {measure.verdict(ratio, target)}")
    head = (
        "plates",
        "us per element and step",
        "highest",
        "iterations a step",
        "tangents",
        "factorisation",
        "corner [m]",
    )
    measure.table(head, rows)
    print("\n".join(verdicts))


def large() -> None:
    """100 x 100 default plates."""
    n = 100
    material = fx.Elastic(youngs_modulus=2.1e11, poissons_ratio=0.3, density=7850.0)
    body = fx.FlexibleBody.plate(
        (20.0, 20.0), elements=(n, n), element=ANCFThinPlate(), section=fx.ShellSection(0.1), material=material
    )
    held = [fx.Clamp(body.set(side)) for side in ("left", "right", "bottom", "top")]
    found: list[Any] = []
    model = fx.Model(body, *held, fx.Gravity((0.0, 0.0, -9.81)))
    taken = measure.cpu_time(lambda: found.append(fx.solve_static(model)))
    centre = body.node(int(np.argmin(np.linalg.norm(body.mesh.points[:, :2] - 10.0, axis=1))))
    sag = -found[0].displacement(centre, step=-1)[2]
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2
    print(
        f"\nstatics, {n} x {n} plates, {body.reference.size} coordinates: {taken:.1f} s, sag {sag:.4f} m, "
        f"{found[0].n_steps} equilibria; {measure.verdict(taken, STATIC_TARGET)}\n"
        f"memory of this process at most {memory:.2f} GB; {measure.verdict(memory, STATIC_MEMORY)}"
    )


def main() -> None:
    print(measure.facts())
    kernels()
    sides = [int(x) for x in sys.argv[1:]] or list(SIDES)
    peer = find_peer("exudyn_plates.py")
    try:
        pendulums(sides, peer)
    finally:
        if peer is not None:
            peer.close()
    large()


if __name__ == "__main__":
    main()
