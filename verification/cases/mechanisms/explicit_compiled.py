"""Compiled steps of the explicit Runge-Kutta methods: their order, and the numbers of the loop in Python."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.integrate import solve_ivp

import flexmbs as fx
from flexmbs.core.contracts import FloatArray
from flexmbs.verification import Case, ConvergenceStudy, Measured, Outcome, Progress, Table
from flexmbs.verification.cases.common import COLOURS, figure, measured
from flexmbs.verification.cases.moving import G

STEPS = {2: (1e-2, 5e-3, 2.5e-3), 4: (2e-2, 1e-2, 5e-3), 5: (2e-2, 1e-2, 5e-3)}
TICKS = sorted({h for steps in STEPS.values() for h in steps})
UNTIL, RTOL = 1.0, 1e-9
SAME = "both roads compute the same"


def _reference(times: FloatArray) -> FloatArray:
    """Centres (n, 2, 2) of two uniform rods of length and mass 1, one hinged to the other, in minimal coordinates."""

    def rates(t: float, x: FloatArray) -> tuple[float, ...]:
        a, b, va, vb = x
        c, s = 0.5 * np.cos(a - b), 0.5 * np.sin(a - b)
        M = np.array([[4.0 / 3.0, c], [c, 1.0 / 3.0]])
        f = np.array([s * vb * vb + 1.5 * G * np.cos(a), -s * va * va + 0.5 * G * np.cos(b)])
        return va, vb, *np.linalg.solve(M, -f)

    found = solve_ivp(rates, (0.0, UNTIL), np.zeros(4), "DOP853", t_eval=times, rtol=3e-14, atol=1e-14)
    return _centres(found.y[0], found.y[1])


def _centres(a: FloatArray, b: FloatArray) -> FloatArray:
    """Centres (n, 2, 2) of the rods at their angles to the horizontal."""
    first, second = (0.5 * np.column_stack([np.cos(x), np.sin(x)]) for x in (a, b))
    return np.stack([first, 2.0 * first + second], axis=1)


def _absolute() -> tuple[fx.Model, Any]:
    """Two bodies and two joints; what tells the centres of a run."""
    rods = [fx.PlanarRigidBody(1.0, 1.0 / 12.0, position=(x, 0.0), name=f"rod at {x}") for x in (0.5, 1.5)]
    hinges = [
        fx.RevoluteJoint(fx.ground, rods[0], at=(0.0, 0.0), name="hinge"),
        fx.RevoluteJoint(rods[0], rods[1], at=(1.0, 0.0), name="elbow"),
    ]
    model = fx.Model(*rods, *hinges, fx.Gravity((0.0, -G)), name="bodies and joints")
    return model, lambda run: np.stack([run.position(rod)[:, :2] for rod in rods], axis=1)


def _relative() -> tuple[fx.Model, Any]:
    """The same as a tree in the angles of its joints."""
    links = [
        fx.trees.Link(f"rod {i}", 1.0, (1e-3, 1.0 / 12.0, 1.0 / 12.0), (0.5, 0.0, 0.0), "rod 0" if i else None,
                      fx.trees.Revolute((0.0, -1.0, 0.0)), (float(i), 0.0, 0.0)) for i in range(2)
    ]  # fmt: skip
    model = fx.Model(fx.trees.Tree(*links, name="rods"), fx.Gravity((0.0, 0.0, -G)), name="tree")
    return model, lambda run: _centres(run.q[:, 0], run.q[:, 0] + run.q[:, 1])


def _runs(system: Any, order: int, step: Any) -> list[fx.TimeSolution]:
    """Compiled, and in Python."""
    schemes = [fx.RungeKutta(order=order, compiled=c) for c in (True, False)]
    return [fx.simulate(system, UNTIL, step=step, integrator=s, output=fx.Output(every=0.05)) for s in schemes]


def run(progress: Progress) -> Outcome:
    """Errors over the step on both roads, for every order and both kinds of coordinates."""
    quantities: list[Measured] = []
    studies: list[ConvergenceStudy] = []
    rows = []
    drawing, axes = figure(5.0, 3.6)
    for make, mark in ((_absolute, "o-"), (_relative, "s--")):
        model, centres = make()
        system = fx.compile_model(model)
        for order, colour in zip(STEPS, COLOURS, strict=False):
            progress(f"{model.name}, order {order}")
            errors, apart, left = [], 0.0, 0
            for step in (*STEPS[order], fx.ErrorControl(RTOL)):
                compiled, python = _runs(system, order, step)
                errors.append(float(np.abs(centres(compiled) - _reference(compiled.t)).max()))
                apart = max(apart, *(float(np.abs(getattr(compiled, x) - getattr(python, x)).max()) for x in "qva"))
                left += len(compiled.steps) - compiled.counts["compiled_steps"]
            controlled = errors.pop()
            name = f"{model.name}, order {order}"
            studies.append(
                ConvergenceStudy(name, STEPS[order], errors, order, order - 0.25, floor=1e-12, label="step size in s")
            )
            quantities.append(measured(f"{name}: q, v, a compiled less in Python", "1", apart, 0.0, SAME, atol=1e-300))
            quantities.append(measured(f"{name}: steps left to Python", "1", float(left), 0.0, SAME, atol=0.5))
            rows.append((model.name, order, studies[-1].rate, errors[-1], controlled))
            axes.loglog(STEPS[order], errors, mark, color=colour, label=name)
    axes.minorticks_off()
    axes.set_xticks(TICKS, [f"{h:g}" for h in TICKS])
    axes.set_xlabel("step in s")
    axes.set_ylabel("error of the centres in m")
    axes.legend(frameon=False, fontsize="x-small", loc="lower left")
    header = ("coordinates", "order", "measured", "error at the smallest step in m", f"error with rtol {RTOL:g} in m")
    table = Table("Double pendulum, compiled steps", header, rows)
    return Outcome(quantities, studies, [table], [("Errors of compiled steps over their size.", drawing)])


CASE = Case(
    id="explicit-compiled",
    title="Compiled steps of the explicit Runge-Kutta methods",
    area="mechanisms",
    summary=(
        "Two rods, one hinged to the other, fall from the horizontal. Compiled steps of orders 2, 4 and 5, fixed and "
        "error-controlled, in absolute coordinates with joints and in those of a tree, have the order of the method "
        "against an independent integration, and all numbers of the loop in Python."
    ),
    run=run,
    source="Lagrange's equations in two angles, integrated by SciPy (DOP853, relative tolerance 3e-14).",
    equations=(r"\dot\theta = T^{-1}(\theta)\, v, \quad \dot v = a(t, q_n \circ \exp\theta, v)",),
)
