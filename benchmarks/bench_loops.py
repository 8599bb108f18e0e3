"""Where the time of a step goes in schemes whose loop over steps is in Python, beside those that are compiled.

An arm of six links in joint coordinates that swings freely (no constraints), the spatial slider-crank of
`bench_dynamics.py` (constraints), and 27 spheres that begin to fall in a box, whose contacts are searched. Processor
time of a step without stored states and energies; of this the parts that runs count: evaluations, assembly and factors,
solutions, calls of compiled steps. What is left is Python: the loop of the scheme, its step control and history. Parts
are by the clock of one run: on a busy machine their shares say little.

    python benchmarks/bench_loops.py [repetitions] [arm] [crank] [spheres]
"""

from __future__ import annotations

import sys
import warnings
from dataclasses import replace
from typing import Any

import bench_contact
import bench_controlled
import bench_dynamics
import measure

import flexmbs as fx

RTOL = 1e-6
MODELS: dict[str, tuple[float, int]] = {"arm": (1e-3, 300), "crank": (1e-3, 300), "spheres": (2e-4, 60)}
"""Size of the steps, and their number."""


def models(name: str) -> fx.Model:
    if name == "arm":
        (tree,) = bench_controlled.arm().trees  # without its motors
        links = [replace(link, rate=0.5 - 0.2 * k) for k, link in enumerate(tree.links)]
        return fx.Model(fx.trees.Tree(*links, name="arm"), fx.Gravity((0, 0, -9.81)), name="arm")
    if name == "crank":
        return bench_dynamics.crank()[0]
    return bench_contact.model(bench_contact.problem(3, 1.0))[0]


def schemes(h: float) -> dict[str, tuple[Any, Any]]:
    """Scheme and size of steps, by what the table calls them."""
    controlled = fx.ErrorControl(RTOL, max_step=4 * h)
    return {
        "generalized-alpha, compiled": (fx.GeneralizedAlpha(compiled=True), h),
        "generalized-alpha": (fx.GeneralizedAlpha(compiled=False), h),
        "Runge-Kutta 4, compiled": (fx.RungeKutta(order=4, compiled=True), h),
        "Runge-Kutta 4": (fx.RungeKutta(order=4, compiled=False), h),
        "Runge-Kutta 5(4), compiled": (fx.RungeKutta(order=5, compiled=True), controlled),
        "Runge-Kutta 5(4)": (fx.RungeKutta(order=5, compiled=False), controlled),
        "BDF, compiled": (fx.BDF(compiled=True), controlled),
        "BDF": (fx.BDF(compiled=False), controlled),
        "Radau, compiled": (fx.RadauIIA(compiled=True), controlled),
        "Radau": (fx.RadauIIA(compiled=False), controlled),
        "augmented Lagrangian, compiled": (fx.AugmentedLagrangian(compiled=True), h),
        "augmented Lagrangian": (fx.AugmentedLagrangian(compiled=False), h),
        "energy-momentum": (fx.EnergyMomentum(), h),
    }


def row(system: Any, title: str, scheme: Any, control: Any, until: float, repetitions: int) -> list[object]:
    """One line of the table; the first run, in which kernels are compiled, does not count."""
    settings = {"step": control, "integrator": scheme, "output": fx.Output(every=until, energy=False)}
    times, found = [], []
    for _ in range(repetitions + 1):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            taken = measure.cpu_time(lambda: found.append(fx.simulate(system, until, **settings)))
        times.append(taken / len(found[-1].steps))
    run = found[-1]
    c, n = run.counts, len(run.steps)
    parts = [c.get(f"{part}_seconds", 0.0) for part in ("evaluation", "assembly", "factorisation", "solve", "compiled")]
    shares = [parts[0], parts[1] + parts[2], parts[3], parts[4]]
    shares = [part / c["seconds"] for part in (*shares, c["seconds"] - sum(shares))]
    micro = measure.Sample.of(times[1:]).scaled(1e6)
    return [title, n, f"{micro.median:.0f}", f"{micro.low:.0f}", f"{c['evaluations'] / n:.1f}",
            f"{c['factorisations'] / n:.2f}", *(f"{share:.0%}" for share in shares)]  # fmt: skip


HEADS = ("scheme", "steps", "us a step", "lowest", "evaluations", "factors", "evaluating", "matrix", "solving",
         "compiled", "Python")  # fmt: skip


def main() -> None:
    arguments = sys.argv[1:]
    repetitions = int(arguments.pop(0)) if arguments and arguments[0].isdigit() else 3
    print(measure.facts())
    for name, (h, number) in MODELS.items():
        if arguments and name not in arguments:
            continue
        system = fx.compile_model(models(name))
        rows, refused = [], []
        for title, (scheme, control) in schemes(h).items():
            try:
                rows.append(row(system, title, scheme, control, number * h, repetitions))
            except fx.FlexmbsError as error:
                refused.append(f"{title}: {str(error).split(': ', 1)[-1]}")
        print(f"\n{name}")
        measure.table(HEADS, rows)
        print("\n".join(refused))


if __name__ == "__main__":
    main()
