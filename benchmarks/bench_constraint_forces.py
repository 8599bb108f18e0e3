"""Constraint forces: the reduced system G M^-1 G^T against mass and constraints together, on chains, stars, a squeezer.

Processor time of one solution for accelerations and multipliers at one state, the evaluation of the state included (its
share stands beside it). `together` is what the integrators use; `reduced` a block
Cholesky factorisation in the order of least fill; `split` the same with bodies of more than 4 joints split; `worst`
in an order that eliminates hubs first; `iterated` conjugate gradients with the factors of the state at the start, for
a state `turn` further (every rotation changed at random by as much), and iterations.

    python benchmarks/bench_constraint_forces.py [repetitions]
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import measure
import numpy as np

import flexmbs as fx
from flexmbs.dynamics.consistent_state import accelerations, assemble
from flexmbs.dynamics.evaluation import Dynamics
from flexmbs.dynamics.linearisation import moved
from flexmbs.verification.cases.mechanisms.linkages import squeezer

CHAINS, STARS = (10, 100, 1000), (8, 32, 64)
TURNS = (0.01, 0.1)


def chain(n: int, spatial: bool) -> fx.Model:
    """A chain of rods with hinges, level at the start; in space about y and z by turns."""
    if spatial:
        rods = [
            fx.RigidBody.box(size=(1, 0.1, 0.1), mass=2.0, position=(i + 0.5, 0, 0), name=f"rod {i}") for i in range(n)
        ]
        axes = [(0, 1, 0) if i % 2 else (0, 0, 1) for i in range(n)]
        pins = [
            fx.RevoluteJoint(a, b, at=(i, 0, 0), axis=axes[i], name=f"pin {i}")
            for i, (a, b) in enumerate(zip((fx.ground, *rods[:-1]), rods, strict=True))
        ]
        return fx.Model(*rods, *pins, fx.Gravity((0, 0, -9.81)), name=f"chain of {n} in space")
    flat = [fx.PlanarRigidBody.rod((i, 0), (i + 1, 0), mass=2.0, name=f"rod {i}") for i in range(n)]
    pins = [
        fx.RevoluteJoint(a, b, at=(i, 0), name=f"pin {i}")
        for i, (a, b) in enumerate(zip((fx.ground, *flat[:-1]), flat, strict=True))
    ]
    return fx.Model(*flat, *pins, fx.Gravity((0, -9.81)), name=f"chain of {n} in the plane")


def star(n: int) -> fx.Model:
    """A hub with arms on hinges."""
    hub = fx.RigidBody.box(size=(1, 1, 1), mass=5.0, name="hub")
    arms, pins = [], []
    for i in range(n):
        u = np.array([np.cos(2 * np.pi * i / n), np.sin(2 * np.pi * i / n), 0.0])
        arms.append(fx.RigidBody.box(size=(0.5, 0.1, 0.1), mass=1.0, position=u, name=f"arm {i}"))
        pins.append(fx.RevoluteJoint(hub, arms[-1], at=0.7 * u, axis=(-u[1], u[0], 0), name=f"pin {i}"))
    spring = fx.SpringDamper(fx.ground.marker((0, 0, 3)), hub.centre, stiffness=100.0, free_length=2.0, name="spring")
    return fx.Model(hub, *arms, *pins, spring, fx.Gravity((0, 0, -9.81)), name=f"star of {n}")


class Bench:
    """One model and all ways to solve it."""

    def __init__(self, model: fx.Model, hubs: bool) -> None:
        system = fx.compile_model(model)
        self.model = model
        self.dyn = dyn = Dynamics(system)
        dyn.start_turns(0.0)
        found = assemble(dyn, 0.0, dyn.coordinates.reference.copy(), dyn.coordinates.velocity.copy())
        self.q, self.v = found.q, found.v
        self.reduced = fx.constraint_forces.ReducedSystem(fx.compile_model(model))
        self.ways: dict[str, Callable[[], object]] = {
            "evaluation": self.evaluate,
            "together": self.together,
            "reduced": lambda: self.reduced.solve(self.q, self.v),
        }
        if hubs:
            split = fx.constraint_forces.ReducedSystem(fx.compile_model(model), split=4)
            self.ways["split"] = lambda: split.solve(self.q, self.v)

    def evaluate(self) -> None:
        """What every way needs: forces, G and gamma."""
        dyn, zero = self.dyn, np.zeros(self.dyn.n_v)
        dyn.set_time(0.0)
        dyn.gamma(self.q, self.v)
        dyn.residual_and_rows(self.q, self.v, zero, np.zeros(dyn.n_c))

    def together(self) -> tuple[np.ndarray, np.ndarray]:
        """Mass and constraints in one matrix, solved once."""
        dyn = self.dyn
        self.evaluate()
        gamma = dyn.gamma_here(self.v)
        dyn.factorise(1.0)
        dyn.r[dyn.n_v :] = gamma
        d = dyn.solve(1.0, 1.0, 1.0)
        return d[: dyn.n_v].copy(), d[dyn.n_v :].copy()

    def differences(self) -> float:
        """Largest relative difference of the multipliers of all ways from those of two refined steps."""
        _, lam = accelerations(self.dyn, 0.0, self.q, self.v)
        size = max(float(np.abs(lam).max()), 1e-300)
        found = [way().lam for name, way in self.ways.items() if name in ("reduced", "split")]
        return max(float(np.abs(x - lam).max()) / size for x in [*found, self.together()[1]])

    def iterated(self, turn: float) -> tuple[Callable[[], object], int]:
        """Conjugate gradients at a state further on, with the factors of the first."""
        dyn = self.dyn
        step = turn * np.random.default_rng(0).standard_normal(dyn.n_v)
        step[dyn.coordinates.displacements] = 0.0
        there = assemble(dyn, 0.0, moved(dyn, self.q, step), self.v)
        self.reduced.solve(self.q, self.v)
        try:
            found = self.reduced.solve_iteratively(there.q, there.v, tolerance=1e-8)
        except fx.ConvergenceError:
            return (lambda: None), -1
        return (lambda: self.reduced.solve_iteratively(there.q, there.v, tolerance=1e-8)), found.iterations


def main(repetitions: int) -> None:
    """Time all models and print a table."""
    print(measure.facts(), end="\n\n")
    models = [(chain(n, spatial), False) for spatial in (False, True) for n in CHAINS]
    models += [(star(n), True) for n in STARS] + [(squeezer()[0].named("squeezer"), False)]
    rows = []
    for model, hubs in models:
        bench = Bench(model, hubs)
        difference = bench.differences()
        ways = dict(bench.ways)
        iterations = {}
        for turn in TURNS:
            ways[f"iterated {turn:g}"], iterations[turn] = bench.iterated(turn)
        times = {name: measure.repeated(way, repetitions).median * 1e6 for name, way in ways.items()}
        names = ("evaluation", "together", "reduced", "split")
        cells = [f"{times[name]:.0f}" if name in times else "" for name in names]
        for turn in TURNS:
            n = iterations[turn]
            cells.append(f"{times[f'iterated {turn:g}']:.0f} ({n})" if n >= 0 else "not reached")
        rows.append([model.name, *cells, f"{bench.reduced.elimination.fill}", f"{difference:.1e}"])
    head = ["model", "evaluation", "together", "reduced", "split"]
    head += [f"iterated {turn:g} rad (iterations)" for turn in TURNS] + ["fill", "difference"]
    print("Microseconds of processor time, median:\n")
    measure.table(head, rows)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 7)
