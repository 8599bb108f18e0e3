"""A pendulum on a pivot that shakes up and down: Floquet multipliers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.optimize import brentq

import flexmbs as fx
from flexmbs.verification import Case, Outcome, Progress
from flexmbs.verification.cases.common import figure, measured
from flexmbs.verification.reference.data import load_reference

SITUATIONS = (
    ("hanging, near twice the frequency (unstable)", 12.6, 0.2, False),
    ("hanging, away from resonance (stable)", 20.0, 0.2, False),
    ("upright, fast pivot (stable, Kapitza)", 160.0, 0.5, True),
    ("upright, slow pivot (unstable)", 80.0, 0.5, True),
)


def shaken(p: dict[str, Any], omega: float, damping: float, upright: bool) -> fx.Model:
    """A point on a massless rod; its pivot is at its top at t = 0."""
    top, side = p["amp"], 1.0 if upright else -1.0
    pivot = fx.PlanarRigidBody(1.0, 0.01, position=(0, top), name="pivot")
    bar = fx.PlanarRigidBody(1.0, 1e-12, position=(0, top + side * p["l"]), name="bar")
    rail = fx.PrismaticJoint(fx.ground, pivot, at=(0, top), axis=(0, 1), name="rail")
    pin = fx.RevoluteJoint(pivot, bar, at=(0, top), name="pin")
    motion = fx.motions.Sine(amplitude=top, frequency=omega / (2.0 * math.pi), phase=math.pi / 2.0, offset=-top)
    drive = fx.TranslationDriver(rail, motion, name="shaker")
    model = fx.Model(pivot, bar, rail, pin, drive, fx.Gravity((0, -p["g"])))
    return model.with_(fx.TorsionSpring(pin, damping=damping * p["l"] ** 2, name="damper")) if damping else model


def run(progress: Progress) -> Outcome:
    """N23."""
    stored = load_reference("n23")
    p = stored.parameters
    quantities = []
    drawing, axes = figure(4.8, 4.6)
    for name, omega, damping, upright in SITUATIONS:
        progress(name)
        found = fx.floquet(shaken(p, omega, damping, upright), 2.0 * math.pi / omega, samples=32)
        values = [stored.reference(f"{name}: multiplier {i + 1} (real, imaginary)", 0).value for i in range(2)]
        order = np.argsort(found.multipliers.real) if values[0] < values[1] else np.argsort(-found.multipliers.real)
        if found.multipliers.imag.any():
            order = np.argsort(found.multipliers.imag)
        for i, k in enumerate(order):
            for part, take in ((0, np.real), (1, np.imag)):
                reference = stored.reference(f"{name}: multiplier {i + 1} (real, imaginary)", part)
                quantities.append(
                    measured(f"{name}: multiplier {i + 1}, {('real', 'imaginary')[part]} part", "-",
                             take(found.multipliers[k]), reference.value, stored.source, rtol=1e-6, atol=1e-8)
                )  # fmt: skip
        quantities.append(
            measured(f"{name}: largest real part of the exponents", "1/s", found.exponents.real.max(),
                     stored.value(f"{name}: largest real part of the exponents"), stored.source, rtol=1e-5, atol=1e-7)
        )  # fmt: skip
        axes.plot(found.multipliers.real, found.multipliers.imag, "o", label=name)
    progress("edges of the first region")
    edges = "undamped, hanging: pivot frequencies between which the rest position is unstable (first region)"
    for i, near in enumerate(((11.3, 12.2), (13.2, 14.2))):

        def trace(omega: float) -> float:
            """The multipliers meet at -1 where the trace of the map is -2."""
            found = fx.floquet(shaken(p, omega, 0.0, False), 2.0 * math.pi / omega, samples=32)
            return float(np.trace(found.map)) + 2.0

        edge = brentq(trace, *near, xtol=1e-9)
        quantities.append(
            measured(f"undamped: edge {i + 1} of the first unstable region", "rad/s", edge, stored.value(edges, i),
                     stored.source, rtol=1e-6)
        )  # fmt: skip
    turn = np.exp(1j * np.linspace(0.0, 2.0 * np.pi, 181))
    axes.plot(turn.real, turn.imag, color="0.6", linewidth=1.0)
    axes.set_aspect("equal")
    axes.set_xlabel("real part")
    axes.set_ylabel("imaginary part")
    axes.legend(fontsize=7.0, frameon=False)
    return Outcome(quantities, figures=[("Multipliers of the four situations, and the unit circle.", drawing)])


CASE = Case(
    "floquet-pendulum",
    "Pendulum whose pivot shakes up and down: Floquet multipliers",
    "modes",
    "A pendulum, hanging and upright, on a pivot that moves as a cosine: near twice its frequency it is thrown off; "
    "upright it is held where the pivot is fast enough.",
    run,
    "Mathieu's equation; Taylor series over a period with 25 digits, edges by characteristic values.",
    (r"\ddot\vartheta + c\,\dot\vartheta + \dfrac{g - a\,\Omega^2\cos\Omega t}{l}\,\vartheta = 0",),
)
