"""What Python costs in small models: steps of the loop, evaluations, set-up of a run, statics; and compiled steps.

Given other source trees (worktrees of commits), the same is measured there, in turns with this one, each in its own
process; the tables then have ratios to the first of them. The loop in Python and the compiled steps make the motions of
`bench_dynamics.py`.

    python benchmarks/bench_overhead.py [repetitions] [tree ...]
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import measure

HERE = Path(__file__).parent
OWN = HERE.parent
ALLOWED = 1.03
"""Largest ratio to the first tree."""


def simulated(name: str, index: int, compiled: bool, until: float) -> tuple[Any, float]:
    """A run of one of the models of `bench_dynamics.py`, and by what its seconds are microseconds per step."""
    import bench_dynamics as b

    import flexmbs as fx

    model = {"crank": b.crank, "chain 3": lambda: b.chain(3), "chain 10": lambda: b.chain(10),
             "cable 20": lambda: b.pendulum(20)}[name]()[0]  # fmt: skip
    system = fx.compile_model(model)
    scheme = fx.GeneralizedAlpha(rho_inf=b.RHO, index=index, compiled=compiled)
    output = fx.Output(every=until, energy=False)
    return lambda: fx.simulate(system, until, step=b.STEP, integrator=scheme, output=output), 1e6 * b.STEP / until


def cantilever(elements: int) -> tuple[Any, float]:
    """Statics of a cable under a load that bends it far; milliseconds."""
    import flexmbs as fx

    kinds = fx.elements
    element = getattr(kinds, "ANCFCable2D", None) or kinds.ANCFCable2D
    cable = fx.FlexibleBody.line(
        (0, 0),
        (1, 0),
        elements=elements,
        element=element(),
        stiffness=fx.BeamStiffness(EA=1e4, EI_z=1.0, mass_per_length=1.0),
    )
    model = fx.Model(cable, fx.Clamp(cable.start), fx.PointForce(cable.end, (0, 3.0)))
    return lambda: fx.solve_static(model), 1e3


def whole_run(bodies: int) -> tuple[Any, float]:
    """One step of a chain, with the compilation of its model; milliseconds."""
    import bench_dynamics as b

    import flexmbs as fx

    scheme = fx.GeneralizedAlpha(rho_inf=b.RHO, index=3, compiled=False)
    model = b.chain(bodies)[0]
    return lambda: fx.simulate(model, b.STEP, step=b.STEP, integrator=scheme), 1e3


def evaluated(what: str) -> tuple[Any, float]:
    """The residual or the tangent of three bars on hinges; microseconds."""
    import bench_dynamics as b
    import numpy as np

    import flexmbs as fx

    try:
        from flexmbs.dynamics.evaluation import Dynamics
    except ImportError:  # older trees
        from flexmbs.dynamics import Dynamics
    dyn = Dynamics(fx.compile_model(b.chain(3)[0]))
    dyn.set_time(0.0)
    q, zero, lam = dyn.coordinates.reference.copy(), np.zeros(dyn.n_v), np.zeros(dyn.n_c)
    if what == "residual":
        return lambda: dyn.residual(q, zero, zero, lam), 1e6
    return lambda: dyn.tangent(q, zero, zero, lam, (1e-6, 1e-3), 0), 1e6


CASES = {
    "residual of 3 bars [us]": lambda: evaluated("residual"),
    "residual and blocks of 3 bars [us]": lambda: evaluated("tangent"),
    "loop, crank, index 3 [us per step]": lambda: simulated("crank", 3, False, 0.3),
    "loop, crank, index 2 [us per step]": lambda: simulated("crank", 2, False, 0.3),
    "loop, chain of 3, index 3 [us per step]": lambda: simulated("chain 3", 3, False, 0.3),
    "loop, chain of 10, index 3 [us per step]": lambda: simulated("chain 10", 3, False, 0.3),
    "loop, cable of 20, index 3 [us per step]": lambda: simulated("cable 20", 3, False, 0.3),
    "compiled, crank, index 3 [us per step]": lambda: simulated("crank", 3, True, 2.0),
    "compiled, crank, index 2 [us per step]": lambda: simulated("crank", 2, True, 2.0),
    "compiled, chain of 10, index 3 [us per step]": lambda: simulated("chain 10", 3, True, 1.0),
    "model and one step of a chain of 3 [ms]": lambda: whole_run(3),
    "one step of a chain of 3 [ms]": lambda: (simulated("chain 3", 3, False, 1e-3)[0], 1e3),
    "statics, 8 elements [ms]": lambda: cantilever(8),
    "statics, 64 elements [ms]": lambda: cantilever(64),
}


def measured() -> dict[str, float]:
    """Medians of this process."""
    found = {}
    for name, case in CASES.items():
        call, unit = case()
        found[name] = measure.repeated(call, 7, 0.05).low * unit
    return found


def of_tree(tree: Path) -> dict[str, float]:
    """The same in a process that imports another tree."""
    done = subprocess.run(
        [sys.executable, __file__, "--measure"], cwd=HERE, text=True, capture_output=True, check=False,
        env={**os.environ, "PYTHONPATH": str(tree)},
    )  # fmt: skip
    if done.returncode:
        raise RuntimeError(done.stderr)
    return json.loads(done.stdout)


def main() -> None:
    arguments = sys.argv[1:]
    repetitions = int(arguments.pop(0)) if arguments and arguments[0].isdigit() else 5
    trees = [*map(Path, arguments), OWN]
    print(measure.facts())
    found: dict[Path, list[dict[str, float]]] = {tree: [] for tree in trees}
    for _ in range(repetitions):
        for tree in trees:
            found[tree].append(of_tree(tree))
    rows, verdicts = [], []
    for name in CASES:
        samples = [measure.Sample.of([each[name] for each in found[tree]]) for tree in trees]
        row = [name, *(f"{s.median:.2f} ({s.low:.2f}-{s.high:.2f})" for s in samples)]
        for s in samples[1:]:
            row.append(f"{s.median / samples[0].median:.3f}")
        rows.append(row)
        if len(trees) > 1:
            ratio = samples[-1].median / samples[0].median
            verdicts.append(f"{name}: {ratio:.3f}, target {ALLOWED}: {measure.verdict(ratio, ALLOWED)}")
    measure.table(("what", *(t.name for t in trees), *(f"{t.name} / {trees[0].name}" for t in trees[1:])), rows)
    print("\n".join(verdicts))


if __name__ == "__main__":
    if "--measure" in sys.argv:
        print(json.dumps(measured()))
    else:
        main()
