"""The benchmark bicycle: roots of a vehicle that rolls, over its speed, and its motion after a push."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
from scipy.linalg import expm

import flexmbs as fx
from flexmbs.core.contracts import FloatArray
from flexmbs.verification import Case, Measured, Outcome, Progress
from flexmbs.verification.cases.common import COLOURS, figure, measured

SOURCE = (
    "J. P. Meijaard, J. M. Papadopoulos, A. Ruina, A. L. Schwab, Linearized dynamics equations for the balance and "
    "steer of a bicycle, Proc. R. Soc. A 463 (2007) 1955-1982"
)
G = 9.81
M = np.array([[80.81722, 2.31941332208709], [2.31941332208709, 0.29784188199686]])
C1 = np.array([[0.0, 33.86641391492494], [-0.85035641456978, 1.68540397397560]])
K0 = np.array([[-80.95, -2.59951685249872], [-2.59951685249872, -0.80329488458618]])
K2 = np.array([[0.0, 76.59734589573222], [0.0, 2.65431523794604]])
"""Mass, damping over v, stiffness over g and over v^2 for lean and steer: section 6 of the paper."""
PRINTED = {
    0.0: (5.53094371765393, 3.13164324790656, -3.13164324790656, -5.53094371765393),
    5.0: (-0.32286642900409, -0.77534188219585 + 4.46486771378823j, -14.07838969279822),
}
"""Roots of its tables."""


def bicycle(speed: float, push: float = 0.0) -> fx.Model:
    """Wheels, rear frame with rider, front assembly; x forward, z up. ``push``: the rate with which it leans."""
    wheel_base, trail, tilt, rear_radius, front_radius = 1.02, 0.08, math.pi / 10.0, 0.3, 0.35

    def about_forward(J: list[float], xz: float) -> FloatArray:
        return np.array([[J[0], 0.0, -xz], [0.0, J[1], 0.0], [-xz, 0.0, J[2]]])

    def body(name: str, mass: float, inertia: Any, at: tuple[float, float, float], radius: float = 0.0) -> fx.RigidBody:
        spin = (push, speed / radius if radius else 0.0, 0.0)
        return fx.RigidBody(
            mass, inertia, position=at, velocity=(speed, -push * at[2], 0.0), angular_velocity=spin, name=name
        )

    rear = body("rear wheel", 2.0, (0.0603, 0.12, 0.0603), (0.0, 0.0, rear_radius), rear_radius)
    frame = body("rear frame", 85.0, about_forward([9.2, 11.0, 2.8], 2.4), (0.3, 0.0, 0.9))
    fork = body("fork", 4.0, about_forward([0.05892, 0.06, 0.00708], -0.00756), (0.9, 0.0, 0.7))
    front = body("front wheel", 3.0, (0.1405, 0.28, 0.1405), (wheel_base, 0.0, front_radius), front_radius)
    across, axis = (0.0, 1.0, 0.0), (-math.sin(tilt), 0.0, math.cos(tilt))
    return fx.Model(
        rear, frame, fork, front,
        fx.RevoluteJoint(frame, rear, at=(0.0, 0.0, rear_radius), axis=across, name="rear hub"),
        fx.RevoluteJoint(frame, fork, at=(wheel_base + trail, 0.0, 0.0), axis=axis, name="steer"),
        fx.RevoluteJoint(fork, front, at=(wheel_base, 0.0, front_radius), axis=across, name="front hub"),
        fx.RollingDisk(fx.ground, rear, radius=rear_radius, axis=across, name="rear contact"),
        fx.RollingDisk(fx.ground, front, radius=front_radius, axis=across, name="front contact"),
        fx.Gravity((0.0, 0.0, -G)), name="bicycle",
    )  # fmt: skip


def first_order(speed: float) -> FloatArray:
    """Of lean, steer and their rates, by the coefficients of the paper."""
    A = np.zeros((4, 4))
    A[:2, 2:] = np.eye(2)
    A[2:, :2] = -np.linalg.solve(M, G * K0 + speed**2 * K2)
    A[2:, 2:] = -np.linalg.solve(M, speed * C1)
    return A


def _ordered(roots: Any) -> Any:
    """Those beside the two at zero of the way and the speed, one of each pair, by what they grow with."""
    s = np.asarray(roots, dtype=complex)
    s = s[np.abs(s) > 1e-3]
    s = np.where(s.imag < 0.0, s.conj(), s)
    s = s[np.argsort(-s.real)]
    return s[np.concatenate(([True], np.abs(np.diff(s)) > 1e-8 * np.abs(s[1:])))]


def run(progress: Progress) -> Outcome:
    """Roots at the speeds of the tables, and the motion."""
    quantities: list[Measured] = []
    speeds = np.array([0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0])
    curves = []
    for speed in speeds:
        progress(f"{speed:g} m/s")
        model = bicycle(speed)
        linear = fx.linearise(model)
        exact = _ordered(np.linalg.eigvals(first_order(speed)))
        curves.append(linear.poles)
        for road, roots in (("solve_modal", _modes(model)), ("linearise", linear.poles)):
            found = _ordered(roots)
            worst = float(np.abs(found - exact).max()) if len(found) == len(exact) else math.inf
            quantities.append(
                measured(f"{speed:g} m/s, {road}: largest error of a root", "1/s", worst, 0.0,
                         "M, C1, K0, K2 as printed", atol=1e-6)
            )  # fmt: skip
        if speed in PRINTED:
            quantities += [
                measured(f"{speed:g} m/s: root {i + 1}, {name}", "1/s", part(a), part(b), "printed table", rtol=1e-8)
                for i, (a, b) in enumerate(zip(_ordered(_modes(model)), PRINTED[speed], strict=True))
                for name, part in (("real part", np.real), ("imaginary part", np.imag))
                if part(b)
            ]
    quantities += _motion(progress)
    drawing, axes = figure()
    for s, poles in zip(speeds, curves, strict=True):
        moves = poles[(np.abs(poles) > 1e-3) & (poles.imag >= 0.0)]
        axes.plot(np.full(len(moves), s), moves.real, "o", color=COLOURS[0], ms=3.5,
                  label="real part" if s == 1.0 else None)  # fmt: skip
        waves = moves[moves.imag > 0.0]
        axes.plot(np.full(len(waves), s), waves.imag, "s", color=COLOURS[1], ms=3.5,
                  label="imaginary part" if s == 1.0 else None)  # fmt: skip
    fine = np.linspace(0.0, 10.0, 801)
    exact = np.array([np.linalg.eigvals(first_order(s)) for s in fine])
    axes.plot(np.repeat(fine, 4), exact.real.ravel(), ".", color="#888888", ms=0.7, zorder=0)
    axes.set(xlabel="speed [m/s]", ylabel="root [1/s]", ylim=(-12.0, 11.0))
    axes.legend(frameon=False)
    text = "Roots over the speed; grey: real parts by the printed coefficients."
    return Outcome(quantities, [], (), [(text, drawing)])


def _modes(model: fx.Model) -> Any:
    """Roots of `solve_modal`; at rest, where it gives one root of a pair +-s, both."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # of what grows, which is known
        found = fx.solve_modal(model).roots
    return found if np.any(model.rigid_bodies[0].velocity) else np.concatenate((found, -found))


def _motion(progress: Progress) -> list[Measured]:
    """Lean and steer after a push, against the exponential of the printed equations."""
    progress("motion after a push")
    push, until = 1e-4, 1.0
    run = fx.simulate(
        bicycle(5.0, push), until, step=fx.ErrorControl(rtol=1e-10, max_step=5e-3),
        integrator=fx.RungeKutta(order=5), output=fx.Output(every=0.1),
    )  # fmt: skip
    lean = np.arcsin(run.rotation("rear frame")[:, 2, 1])
    steer = -run.angle("steer")  # the paper's axis points down
    exact = np.array([expm(t * first_order(5.0)) @ (0.0, 0.0, push, 0.0) for t in run.t])
    return [
        measured(f"motion after a push, 5 m/s: largest error of {name}, of its largest value", "1",
                 np.abs(values - exact[:, k]).max() / np.abs(exact[:, k]).max(), 0.0,
                 "exponential of the printed equations; what is left is of third order", atol=1e-7)
        for k, (name, values) in enumerate((("the lean", lean), ("the steer", steer)))
    ]  # fmt: skip


CASE = Case(
    id="bicycle",
    title="Balance and steer of a bicycle",
    area="modes",
    summary=(
        "Two wheels that roll without slip, a frame with a rider and a fork: roots of lean and steer from standstill "
        "to 10 m/s, where the bicycle steadies itself in between, and its motion after a small push.\n\n"
        "What rolls has more positions than velocities: where it steers decides how fast its heading changes."
    ),
    run=run,
    source=SOURCE,
    equations=(r"M\,\ddot q + v\,C_1\,\dot q + (g\,K_0 + v^2 K_2)\,q = 0, \qquad q = (\text{lean}, \text{steer})",),
    limits=("Wheels with knife edges, no slip.",),
)
