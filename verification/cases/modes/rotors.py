"""Rotors over their speed: two unlike bearings, bearings stiffer one way, an overhung disc, a flexible shaft."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.linalg import eigh

import flexmbs as fx
from flexmbs.core.contracts import FloatArray
from flexmbs.verification import Case, ConvergenceStudy, Measured, Outcome, Progress
from flexmbs.verification.cases.common import figure, measured
from flexmbs.verification.reference.data import load_reference

RPM = 2.0 * math.pi / 60.0
STEP = 5e-5
"""Of the motion whose spectrum is compared [s]: the trapezoidal rule lowers omega by omega^2 h^2 / 12, 2.4e-4 here."""


def rigid_rotor(speed: float, p: dict[str, Any], y: float = 1.0, kick: float = 0.0) -> fx.Model:
    """A rotor about z on two bearings, of which the stiffness along y is ``y`` times that along x."""
    body = fx.RigidBody(
        p["m"], (p["J_diametral"], p["J_diametral"], p["J_polar"]), velocity=(kick, 0, 0),
        angular_velocity=(0, kick, speed), name="rotor",
    )  # fmt: skip
    bearings = [
        fx.Bushing(fx.ground, body, stiffness=(k, y * k, 1e6), at=(0, 0, z), name=f"bearing at {z}")
        for z, k in ((-p["l1"], p["k1"]), (p["l2"], p["k2"]))
    ]
    return fx.Model(body, *bearings, name="rotor")


def run_rigid(progress: Progress) -> Outcome:
    """N22, the same in bearings that are stiffer one way, and the spectrum of a motion."""
    stored = load_reference("n22")
    p = stored.parameters
    speeds = np.array([0.0, 3000.0, 6000.0, 12000.0, 24000.0]) * RPM
    progress("unlike bearings")
    found = fx.campbell(lambda speed: rigid_rotor(speed, p), speeds, modes=5)
    quantities = []
    for speed, roots in zip(speeds, found.roots, strict=True):
        name = f"{speed / RPM:.0f} rpm: backward whirl (negative) and forward whirl frequencies"
        across = np.sort(roots.imag[[j for j, sense in enumerate(found.senses) if sense]])
        for i, value in enumerate(across):
            reference = stored.reference(name, i)
            quantities.append(
                measured(
                    f"{speed / RPM:.0f} rpm: whirl {i + 1}", "rad/s", value, reference.value, stored.source, rtol=1e-6
                )
            )
    for sense, name in (
        ("forward", "critical speeds (forward whirl = speed)"),
        ("backward", "speeds at which backward whirl equals the speed"),
    ):
        for i, value in enumerate(found.critical(whirl=sense)):
            reference = stored.reference(name, i)
            quantities.append(
                measured(
                    f"{sense} whirl meets the speed, {i + 1}", "rad/s", value, reference.value, stored.source, rtol=1e-8
                )
            )
    progress("stiffer one way")
    y = 0.6
    unlike = fx.campbell(lambda speed: rigid_rotor(speed, p, y), np.linspace(0.0, 600.0, 13), modes=5)
    exact = _critical_by_hand(p, y)
    axial = math.sqrt(2e6 / p["m"])
    values = [c.speed for c in unlike.critical_speeds if abs(abs(c.root) - axial) > 1e-6 * axial]
    for i, (value, reference_value) in enumerate(zip(values, exact, strict=True)):
        quantities.append(
            measured(f"bearings with k_y = 0.6 k_x: critical speed {i + 1}", "rad/s", value, reference_value,
                     "eigenvalues of Omega^2 (M - i G) x = K x", rtol=1e-8)
        )  # fmt: skip
    progress("spectrum of a motion")
    quantities += _spectrum(p, stored.reference)
    drawing, axes = figure()
    unlike.plot(axes)
    return Outcome(quantities, [], (), [("Bearings with k_y = 0.6 k_x: branches and critical speeds.", drawing)])


def _critical_by_hand(p: dict[str, Any], y: float) -> FloatArray:
    """Speeds at which a root is i times the speed: with (x, tilt about y, y, minus tilt about x)."""
    k1, k2, l1, l2 = (p[name] for name in ("k1", "k2", "l1", "l2"))
    one = np.array([[k1 + k2, k2 * l2 - k1 * l1], [k2 * l2 - k1 * l1, k1 * l1**2 + k2 * l2**2]])
    M, G = np.diag([p["m"], p["J_diametral"]] * 2), np.zeros((4, 4))
    G[1, 3], G[3, 1] = p["J_polar"], -p["J_polar"]
    inverse = eigh(M - 1j * G, np.kron(np.diag([1.0, y]), one), eigvals_only=True)
    return np.sort(1.0 / np.sqrt(inverse[inverse > 0.0]))


def _spectrum(p: dict[str, Any], reference: Any) -> list[Measured]:
    """The lines in the motion of the centre, x + iy, by linear prediction (Prony) with the four of them."""
    model = rigid_rotor(6000.0 * RPM, p, kick=0.01)
    run = fx.simulate(
        model, until=0.2, step=STEP, integrator=fx.GeneralizedAlpha(rho_inf=1.0), output=fx.Output(every=20 * STEP)
    )
    place = run.position(model.body("rotor"))
    z = place[:, 0] + 1j * place[:, 1]
    rows = np.array([z[k : k + 4] for k in range(len(z) - 4)])
    ahead = np.linalg.lstsq(rows, z[4:], rcond=None)[0]
    lines = np.sort(np.angle(np.roots(np.concatenate(([1.0], -ahead[::-1])))) / (20 * STEP))
    name = "6000 rpm: backward whirl (negative) and forward whirl frequencies"
    return [
        measured(f"6000 rpm: line {i + 1} in the spectrum of a motion", "rad/s", line, reference(name, i).value,
                 "as whirl of N22", rtol=5e-4)
        for i, line in enumerate(lines)
    ]  # fmt: skip


def run_overhung(progress: Progress) -> Outcome:
    """A disc at the end of a massless cantilever, and a shaft with mass on hinges."""
    length, EI, mass, diametral, polar = 0.5, 4e3, 8.0, 0.05, 0.09
    K2 = np.linalg.inv([[length**3 / (3 * EI), length**2 / (2 * EI)], [length**2 / (2 * EI), length / EI]])
    stiff = np.zeros((6, 6))
    stiff[0, 0] = 1e8
    for w, tilt, sign in ((1, 5, 1.0), (2, 4, -1.0)):
        stiff[np.ix_([w, tilt], [w, tilt])] = [[K2[0, 0], sign * K2[0, 1]], [sign * K2[0, 1], K2[1, 1]]]

    def overhung(speed: float) -> fx.Model:
        disc = fx.RigidBody(mass, (polar, diametral, diametral), angular_velocity=(speed, 0, 0), name="disc")
        return fx.Model(disc, fx.Bushing(fx.ground, disc, stiff, at=(0, 0, 0), name="shaft"))

    progress("overhung disc")
    source = "K + omega Omega G - omega^2 M singular, two coordinates in the complex plane across the axis"
    found = fx.campbell(overhung, np.linspace(0.0, 400.0, 9), modes=4)
    M, G = np.diag([mass, diametral]), np.diag([0.0, polar])
    quantities = []
    for k in (4, 8):
        values = np.sort(found.roots[k].imag)
        exact = _whirl(K2, M, found.speeds[k] * G)
        quantities += [
            measured(f"overhung disc, {found.speeds[k]:g} rad/s: whirl {i + 1}", "rad/s", a, b, source, rtol=1e-8)
            for i, (a, b) in enumerate(zip(values, exact, strict=True))
        ]
    for sense, turned in (("forward", M - G), ("backward", M + G)):
        squares = np.linalg.eigvals(np.linalg.solve(turned, K2)).real
        exact = np.sort(np.sqrt(squares[squares > 0.0]))
        values = found.critical(whirl=sense)
        quantities += [
            measured(f"overhung disc: {sense} critical speed {i + 1}", "rad/s", a, b, source, rtol=1e-8)
            for i, (a, b) in enumerate(zip(values, exact[exact < 400.0], strict=True))
        ]
    counts, errors, speed = (4, 8, 16), [], 600.0
    for elements in counts:
        progress(f"shaft of {elements} elements")
        shaft, exact = _shaft(speed, elements)
        curve = fx.campbell(shaft, [0.5 * speed, speed], modes=2, orders=())
        values = np.sort(curve.angular_frequencies[-1])
        errors.append(float(np.abs(values / exact - 1.0).max()))
    split = exact[1] + exact[0]
    quantities.append(
        measured("shaft: forward minus backward frequency at 600 rad/s", "rad/s", values[1] + values[0], split,
                 "rotating beam of Timoshenko on hinges", rtol=1e-2)
    )  # fmt: skip
    study = ConvergenceStudy("shaft: whirl frequencies", counts, errors, 4.0, 3.6, counts=True)
    drawing, axes = figure()
    found.plot(axes)
    return Outcome(quantities, [study], (), [("Overhung disc: branches and critical speeds.", drawing)])


def _whirl(K: Any, M: Any, G: Any) -> FloatArray:
    """Signed frequencies of (K + omega G - omega^2 M) x = 0, ascending."""
    n = len(K)
    A = np.block([[np.zeros((n, n)), np.eye(n)], [np.linalg.solve(M, K), np.linalg.solve(M, G)]])
    return np.sort(np.linalg.eigvals(A).real)


def _shaft(speed: float, elements: int) -> tuple[Any, FloatArray]:
    """A pipe on hinges as a function of the speed, and its lowest backward and forward frequency at one speed."""
    length, section = 2.0, fx.Pipe(0.3, 0.02)
    material = fx.Elastic(youngs_modulus=2e11, poissons_ratio=0.3, density=7800.0)

    def shaft(rate: float) -> fx.Model:
        line = fx.FlexibleBody.line(
            (0, 0, 0), (length, 0, 0), elements=elements, element=fx.elements.GeometricallyExactBeam(),
            section=section, material=material, name="shaft",
        )  # fmt: skip
        ends = [
            fx.Bushing(fx.ground.marker((x, 0, 0)), end, stiffness=(1e9 * (x == 0.0), 1e14, 1e14), name=f"at {x}")
            for x, end in ((0.0, line.start), (length, line.end))
        ]
        return fx.Model(line, *ends, fx.InitialVelocity(line, angular_velocity=(rate, 0, 0)))

    beam, k = shaft(speed).flexible_bodies[0].beam_stiffness, math.pi / length
    K = np.array([[beam.GA_y * k**2, -beam.GA_y * k], [-beam.GA_y * k, beam.GA_y + beam.EI_z * k**2]])
    omega = _whirl(K, np.diag([beam.mass_per_length, beam.rhoI_y]), np.diag([0.0, 2.0 * speed * beam.rhoI_y]))
    return shaft, np.array([omega[omega < 0.0].max(), omega[omega > 0.0].min()])


RIGID = Case(
    "campbell-bearings",
    "Rigid rotor on two unlike bearings: Campbell diagram",
    "modes",
    "A rotor whose tilt couples with its translation: whirl frequencies from rest to 24 000 rpm, the speeds at which "
    "they equal the speed, the same with bearings that are stiffer one way, and the lines in the spectrum of a motion.",
    run_rigid,
    "Quartic of the rotor in the complex plane across its axis; e.g. G. Genta, Dynamics of Rotating Systems, 2005.",
    (r"(k_1+k_2-m\omega^2)\,(k_1l_1^2+k_2l_2^2-J_d\omega^2+J_p\Omega\omega) = (k_2l_2-k_1l_1)^2",),
)
OVERHUNG = Case(
    "campbell-overhung",
    "Overhung disc and a heavy shaft: Campbell diagrams",
    "modes",
    "A thin disc at the end of a massless cantilever, which has but one forward critical speed, and a pipe on hinges, "
    "whose frequencies split by its own rotary inertia.",
    run_overhung,
    "G. Genta, Dynamics of Rotating Systems, 2005; S. P. Timoshenko (1921) with gyroscopic terms.",
    (r"\left(K + \omega\,\Omega\,G - \omega^2 M\right) x = 0",),
)
