"""Random vibration through linear models: an oscillator, a quarter car on a road, a cantilever."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

import flexmbs as fx
from flexmbs.verification import Case, Outcome, Progress
from flexmbs.verification.cases.common import measured
from flexmbs.verification.reference.data import load_reference


def quarter_car(p: dict[str, Any]) -> fx.LinearModel:
    """Two masses in a row; the input is the height of the road, by the force that it exerts through the tyre."""
    body: Any = fx.PointMass(p["ms"], position=(0.0, 1.0), name="body")
    wheel: Any = fx.PointMass(p["mu"], position=(0.0, 0.5), name="wheel")
    strut = fx.SpringDamper(wheel, body, stiffness=p["ks"], damping=p["cs"], name="strut")
    tyre = fx.SpringDamper(fx.ground.marker((0.0, 0.0, 0.0)), wheel, stiffness=p["kt"], name="tyre")
    guides = [fx.CoordinateJoint(m, "x", name=f"guide of {m.name}") for m in (body, wheel)]
    road = fx.PointForce(wheel, (0.0, p["kt"]))
    up = (0, 1)
    outputs = [
        fx.control.AccelerationSensor(body, up, name="body acceleration"),
        fx.control.DistanceSensor(wheel, body, name="travel"),
        fx.control.AccelerationSensor(wheel, up, name="wheel acceleration"),
    ]
    linear = fx.linearise(fx.Model(body, wheel, strut, tyre, *guides), [road], outputs)
    # the force of the tyre is what accelerates both masses
    mix = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [p["ms"], 0.0, p["mu"]]])
    return replace(linear, C=mix @ linear.C, D=mix @ linear.D, outputs=("body acceleration", "travel", "tyre force"))


def cantilever(p: dict[str, Any], modes: int) -> fx.LinearModel:
    """The lowest bending modes of unit modal mass, each with its damping; tip force to tip displacement."""
    beam = fx.FlexibleBody.line(
        (0, 0), (p["L"], 0), elements=32, element=fx.elements.ANCFCable2D(),
        stiffness=fx.BeamStiffness(EA=1e8, EI_z=p["EI"], mass_per_length=p["rhoA"]), name="beam",
    )  # fmt: skip
    found = fx.solve_modal(fx.Model(beam, fx.Clamp(beam.start)), modes=modes)
    omega, tip = found.angular_frequencies, np.real(found.displacement(beam.end)[:, 1])
    A = np.block([[np.zeros((modes, modes)), np.eye(modes)], [-np.diag(omega**2), -np.diag(2.0 * p["zeta"] * omega)]])
    B, C = np.concatenate((np.zeros(modes), tip))[:, None], np.concatenate((tip, np.zeros(modes)))[None, :]
    names = tuple(f"{what} {k}" for what in ("mode", "rate of mode") for k in range(modes))
    return fx.LinearModel(A, B, C, np.zeros((1, 1)), names, ("tip force",), ("tip",), np.zeros(1))


def run(progress: Progress) -> Outcome:
    """N24."""
    stored = load_reference("n24")
    p = stored.parameters
    progress("oscillator")
    a = p["a"]
    mass: Any = fx.PointMass(a["m"], position=(0.0, 0.0), name="mass")
    spring = fx.Bushing(fx.ground.marker((0, 0, 0)), mass, (a["k"], a["k"]), damping=(a["c"], a["c"]))
    push = fx.PointForce(mass, (1.0, 0.0))
    sensors = [fx.control.PositionSensor(mass, (1, 0), name="x"), fx.control.VelocitySensor(mass, (1, 0), name="v")]
    shaken = fx.linearise(fx.Model(mass, spring), [push], sensors).random({push: fx.WhiteSpectrum(4.0 * np.pi * 0.5)})
    names = {key[:3]: key for key in stored.quantities if key[:3] in ("(a)", "(c)")}
    quantities = [
        measured(f"(a) oscillator: mean square of {what}", unit, shaken.mean_squares[i],
                 stored.value(names["(a)"], i), stored.source, rtol=1e-8)
        for i, (what, unit) in enumerate((("displacement", "m^2"), ("velocity", "m^2/s^2")))
    ]  # fmt: skip
    progress("quarter car")
    b = p["b"]
    road = fx.FirstOrderSpectrum(64e-6 * 0.1**2 * b["V"], corner=0.01 * b["V"])
    driven = quarter_car(b).random({0: road})
    for i, (what, unit) in enumerate(
        (("body acceleration", "m^2/s^4"), ("suspension travel", "m^2"), ("dynamic tyre force", "N^2"))
    ):
        name = f"mean square of the {what}"
        reference = stored.value(f"(b) quarter car: {name}")
        quantities.append(
            measured(f"(b) quarter car: {name}", unit, driven.mean_squares[i], reference, stored.source, rtol=1e-6)
        )
    spectrum = driven.spectrum([1.0, 10.0])[:, 0]
    quantities += [
        measured(f"(b) one-sided spectrum of the body acceleration at {f} Hz", "m^2/s^4/Hz", spectrum[i],
                 stored.value("(b) one-sided PSD of the body acceleration at 1, 10 Hz", i), stored.source, rtol=1e-6)
        for i, f in enumerate((1, 10))
    ]  # fmt: skip
    progress("cantilever")
    found = cantilever(p["c"], 8).random({0: 4.0 * np.pi * 0.1})
    quantities.append(
        measured("(c) cantilever: mean square of the tip displacement", "m^2", found.mean_squares[0],
                 stored.value(names["(c)"]), stored.source, rtol=1e-4)
    )  # fmt: skip
    return Outcome(quantities)


CASE = Case(
    "random-vibration",
    "Random vibration: mean squares and spectra through linear models",
    "modes",
    "An oscillator under a white force, a quarter car on a road with a spectrum of first order, and a cantilever with "
    "modal damping under a white force at its tip: mean squares by Lyapunov's equation, and spectra.",
    run,
    "Residues; independent quadrature with 20 digits; modal covariances in closed form.",
    (r"A X + X A^T + \dfrac{1}{2}\,b\,G_0\,b^T = 0",),
)
