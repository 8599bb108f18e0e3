"""What the cases of moving mechanisms share: runs at several steps, what must not change, figures over time."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure

import flexmbs as fx
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError
from flexmbs.dynamics.consistent_state import constraint_matrix
from flexmbs.dynamics.evaluation import Dynamics
from flexmbs.verification import ConvergenceStudy, Measured, Progress
from flexmbs.verification.cases.common import COLOURS, figure, measured
from flexmbs.verification.reference.data import load_reference

G = 9.81
HeldPoints = list[tuple[fx.Marker, fx.Marker]]
CONSERVED = "conservation law"


def stored_row(stored: FloatArray, t: float) -> int:
    """Where a time stands among stored ones."""
    i = int(np.argmin(np.abs(stored - t)))
    if abs(stored[i] - t) > 1e-9 * max(1.0, t):
        raise ModelError(f"nothing is stored at t = {t:g}; the nearest is t = {stored[i]:g}.")
    return i


def stored_times(run: fx.TimeSolution, times: Sequence[float] | FloatArray) -> list[int]:
    """Where ``times`` stand among those stored."""
    return [stored_row(run.t, t) for t in times]


def extrapolated(coarse: FloatArray, fine: FloatArray) -> FloatArray:
    """Results of order 2 with a step and half of it, extrapolated to the step zero."""
    return np.asarray((4.0 * fine - coarse) / 3.0, dtype=np.float64)


def against(identity: str, name: str, label: str, values: Sequence[float] | FloatArray, atol: float) -> list[Measured]:
    """Values beside a stored figure or list of figures; what a list holds is told by a name ending in "(x,y)"."""
    figures = load_reference(identity)
    unit = figures.quantities[name]["unit"]
    listed = isinstance(figures.quantities[name]["value"], list)
    words = re.findall(r"\(([^()]*)\)", name)
    parts = words[-1].replace(" ", "").split(",") if words else []
    quantities = []
    for i, value in enumerate(np.atleast_1d(values)):
        reference = figures.reference(name, i if listed else None)
        part = parts[i] if len(parts) == np.size(values) else i + 1
        which = f": {part}" if listed else ""
        quantities.append(
            measured(
                f"{label}{which}", unit, value, reference.value, reference.source, reference.uncertainty, atol=atol
            )
        )
    return quantities


def largest(label: str, unit: str, found: FloatArray, exact: FloatArray, atol: float) -> Measured:
    """Largest distance of points (n_t, n) from the reference, for results that are not compared one by one."""
    return measured(label, unit, worst(found, exact), 0.0, "integration in minimal coordinates", 1e-10, atol=atol)


def closed(run: fx.TimeSolution, pairs: HeldPoints, *, label: str = "", atol: float = 1e-9) -> Measured:
    """Largest distance, at any stored time, of two points that a joint holds together."""
    gap = max(float(np.linalg.norm(run.position(a) - run.position(b), axis=1).max()) for a, b in pairs)
    return measured(f"{label}largest gap of the joints", "m", gap, 0.0, "joints stay closed", atol=atol)


def energy_change(run: fx.TimeSolution, scale: float, tolerance: float, label: str = "") -> Measured:
    """Largest error of the energy balance by an energy of the problem."""
    error = float(np.abs(run.energy.balance).max()) / scale
    return measured(f"{label}largest error of the energy balance, by {scale:.4g} J", "-", error, 0.0, CONSERVED,
                    atol=tolerance)  # fmt: skip


def redundant(run: fx.TimeSolution, count: int, label: str = "") -> Measured:
    """Number of equations found to follow from the others."""
    return measured(f"{label}redundant equations found", "-", len(run.redundant), count, "count of equations", atol=0.5)


def joint_matrix(model: fx.Model) -> tuple[FloatArray, FloatArray]:
    """Derivatives of all constraints by the velocities at the start, and the axes of the rigid bodies (n, 3, 3)."""
    dynamics = Dynamics(fx.compile_model(model))
    q, v = dynamics.coordinates.reference, dynamics.coordinates.velocity
    dynamics.set_time(0.0)
    dynamics.T[:] = np.eye(3)
    dynamics.tangent(q, v, np.zeros(dynamics.n_v), np.zeros(dynamics.n_c), (0.0, 0.0))
    return constraint_matrix(dynamics), np.array([body.place[1] for body in model.rigid_bodies])


def orders(
    name: str, steps: Sequence[float], errors: Sequence[float], minimum: float = 1.9, floor: float = 1e-12
) -> ConvergenceStudy:
    """A study over the step size with second order expected."""
    return ConvergenceStudy(name, steps, errors, 2.0, minimum, floor=floor, label="step size in s")


def worst(values: FloatArray, reference: FloatArray) -> float:
    """Largest distance between two tables of points (n_t, n)."""
    return float(np.linalg.norm(np.atleast_2d(values) - np.atleast_2d(reference), axis=-1).max())


def over_time(
    curves: Sequence[tuple[str, FloatArray, FloatArray]],
    label: str,
    points: Sequence[tuple[FloatArray, FloatArray]] = (),
    size: tuple[float, float] = (6.4, 3.2),
) -> Figure:
    """Curves (label, t, values) in colours and reference points in black."""
    drawing, axes = figure(*size)
    for (name, t, values), colour in zip(curves, COLOURS * (1 + len(curves) // len(COLOURS)), strict=False):
        axes.plot(t, values, color=colour, linewidth=1.4, label=name)
    for i, (t, values) in enumerate(points):
        axes.plot(t, values, "o", color="black", markersize=3.0, label="reference" if i == 0 else None)
    axes.set_xlabel("t in s")
    axes.set_ylabel(label)
    axes.legend(frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
    return drawing


def on_paths(
    curves: Sequence[tuple[str, FloatArray]],
    points: FloatArray | None = None,
    labels: tuple[str, str] = ("x in m", "y in m"),
) -> Figure:
    """Plane paths (n_t, 2) in colours and reference points in black."""
    drawing, axes = figure(6.4, 4.4)
    for (name, path), colour in zip(curves, COLOURS * (1 + len(curves) // len(COLOURS)), strict=False):
        axes.plot(path[:, 0], path[:, 1], color=colour, linewidth=1.2, label=name)
    if points is not None:
        axes.plot(points[:, 0], points[:, 1], "o", color="black", markersize=3.0, label="reference")
    axes.set_aspect("equal")
    axes.set_xlabel(labels[0])
    axes.set_ylabel(labels[1])
    axes.legend(frameon=False, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=5)
    return drawing


def prefixed(progress: Progress, words: str) -> Progress:
    """What says ``words`` before each message."""

    def say(text: str) -> None:
        progress(f"{words}, {text}")

    return say


def refine(
    model: fx.Model, until: float, steps: Sequence[float], progress: Progress, every: float | None = None
) -> list[fx.TimeSolution]:
    """The motion with each of the steps, stored at multiples of ``every`` or of the first step."""
    system, output, runs = fx.compile_model(model), fx.Output(every=every or steps[0]), []
    for step in steps:
        progress(f"step {step:g} s")
        runs.append(fx.simulate(system, until=until, step=step, output=output))
    return runs
