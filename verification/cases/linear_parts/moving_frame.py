"""Structures in a turning frame: identities of the matrices, a blade (E03), a rod and a shaft in closed form."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np
from scipy import linalg

import flexmbs as fx
from flexmbs.core.contracts import FloatArray
from flexmbs.elements import Frame, Hexahedron20, Tetra10, Truss
from flexmbs.meshes import box
from flexmbs.verification import Case, ConvergenceStudy, Measured, Outcome, Progress
from flexmbs.verification.cases.common import COLOURS, figure, measured
from flexmbs.verification.reference.data import load_reference

OMEGA = np.array([3.0, -2.0, 5.0])
IDENTITY = "identity"
CLOSED = "closed form"
COUNTS = (16, 32, 64)
SPEEDS = (2.0, 6.0, 12.0)
SLENDER = fx.BeamStiffness(EA=1e8, EI_z=1.0, GJ=1e4, mass_per_length=1.0)
"""EA so large that stretching and its Coriolis forces, which the reference leaves out, change nothing."""


def beam(elements: int, length: float = 1.0) -> fx.linear.Part:
    """A slender beam along x."""
    mesh = fx.meshes.line((0, 0, 0), (length, 0, 0), elements)
    return fx.linear.Part(mesh, regions=[fx.linear.Region(None, Frame(section=SLENDER, shear=False))], name="beam")


def solid(element: Any, cell_type: str) -> fx.linear.Part:
    """A block of quadratic solids."""
    mesh = box((0, 0, 0), (1.0, 0.2, 0.3), (2, 1, 1), cell_type).quadratic()
    return fx.linear.Part(mesh, regions=[fx.linear.Region(None, element, fx.steel)], name="block")


def rotor() -> fx.linear.Part:
    """A shaft of steel with rotary inertia, and a disc off its node."""
    disc = fx.linear.NodalMass(2, 20.0, np.diag([0.4, 0.2, 0.2]), (0.05, 0.0, 0.0))
    element = Frame(section=fx.Circle(diameter=0.06))
    mesh = fx.meshes.line((0, 0, 0), (1, 0, 0), 4)
    return fx.linear.Part(mesh, regions=[fx.linear.Region(None, element, fx.steel)], connections=[disc], name="rotor")


def identities() -> list[Measured]:
    """Antisymmetry, semidefiniteness, and the block structure of solids."""
    out = []
    parts = {
        "hexahedra": solid(Hexahedron20(), "hexahedron"),
        "tetrahedra": solid(Tetra10(), "tetra"),
        "rotor of beams": rotor(),
    }
    for label, part in parts.items():
        frame = fx.linear.moving_frame(part)
        C, Z, E = frame.coriolis(OMEGA), frame.centrifugal(OMEGA), frame.euler(OMEGA)
        values = np.linalg.eigvalsh(Z.toarray())
        for name, value in (
            ("C + C^T", abs(C + C.T).max() / abs(C).max()),
            ("E + E^T", abs(E + E.T).max() / abs(E).max()),
            ("Z - Z^T", abs(Z - Z.T).max() / abs(Z).max()),
            ("largest eigenvalue of Z", max(values[-1], 0.0) / abs(values[0])),
        ):
            out.append(measured(f"{label}: {name}, relative", "-", value, 0.0, IDENTITY, atol=1e-13))
        if not (frame.structure.dofs.component >= 3).any():
            W = np.cross(OMEGA, np.eye(3)).T
            scalar = frame.structure.M.toarray()[::3, ::3]
            gap = np.abs(Z.toarray() - np.kron(scalar, W @ W)).max() / abs(Z).max()
            out.append(measured(f"{label}: blocks of Z are m omega~ omega~", "-", gap, 0.0, IDENTITY, atol=1e-13))
    return out


@cache
def clamped(elements: int, hub: float) -> fx.linear.MovingFrame:
    """The blade on a hub of this radius; at other speeds only the combination of its matrices is new."""
    return fx.linear.moving_frame(beam(elements), {0: "all"}, origin=(-hub, 0.0, 0.0))


def blade_frequencies(elements: int, speed: float, hub: float = 0.0, geometric: bool = True) -> list[FloatArray]:
    """The first three frequencies out of the plane of rotation, and in it."""
    frame = clamped(elements, hub)
    modes = frame.operators((0.0, 0.0, speed), geometric=geometric).modes(6)
    sizes = np.array([np.linalg.norm(modes.shape(i), axis=0) for i in range(6)])
    flap = sizes[:, 2] > sizes[:, 1]
    return [modes.angular_frequencies[flap], modes.angular_frequencies[~flap]]


def blade(progress: Progress) -> tuple[list[Measured], list[ConvergenceStudy]]:
    """E03."""
    stored = load_reference("e03")
    names = ("flap frequencies 1..3", "chordwise (lead-lag) frequencies 1..3 (no axial coupling)")
    quantities: list[Measured] = []
    errors: tuple[list[float], list[float]] = ([], [])
    for elements in COUNTS:
        progress(f"blade of {elements} elements")
        found = blade_frequencies(elements, 12.0)
        for i, name in enumerate(names):
            errors[i].append(abs(found[i][0] / stored.value(f"eta=12 hub=0 {name}", 0) - 1.0))
    for speed in SPEEDS:
        found = blade_frequencies(COUNTS[-1], speed)
        for i, name in enumerate(names):
            for k in range(3):
                reference = stored.reference(f"eta={speed:g} hub=0 {name}", k)
                label = f"blade, speed {speed:g}: {('flap', 'chord')[i]} frequency {k + 1}"
                quantities.append(
                    measured(label, "-", found[i][k], reference.value, stored.source, reference.uncertainty, rtol=1e-4)
                )
    flap, _ = blade_frequencies(2 * COUNTS[-1], 12.0, hub=1.0)
    for k in range(3):
        reference = stored.reference("eta=12 hub radius/L=1 flap frequencies 1..3", k)
        quantities.append(
            measured(f"blade on a hub, speed 12: flap frequency {k + 1}", "-", flap[k], reference.value, stored.source,
                     reference.uncertainty, rtol=1e-4)
        )  # fmt: skip
    soft = blade_frequencies(COUNTS[-1], 2.0, geometric=False)
    at_rest = stored.value("eta=0 hub=0 flap frequencies 1..3", 0)
    for label, value, expected in (
        ("flap", soft[0][0], at_rest),
        ("chord", soft[1][0], math.sqrt(at_rest**2 - 4.0)),
    ):
        quantities.append(
            measured(f"blade without stress stiffness, speed 2: {label} frequency 1", "-", value, expected,
                     "omega^2 at rest, less Omega^2 in the plane of rotation", rtol=1e-6)
        )  # fmt: skip
    studies = [
        ConvergenceStudy(f"blade, speed 12: {kind} frequency 1", COUNTS, e, 2.0, 1.9, counts=True)
        for kind, e in zip(("flap", "chord"), errors, strict=True)
    ]
    return quantities, studies


def rod() -> tuple[list[Measured], list[ConvergenceStudy]]:
    """A rod along x of unit length, mass and stiffness that spins about its end: it softens along itself."""
    errors, speed = [], 1.0
    stiff = fx.BeamStiffness(EA=1.0, EI_z=1.0, mass_per_length=1.0)
    for n in COUNTS:
        mesh = fx.meshes.line((0, 0, 0), (1, 0, 0), n)
        part = fx.linear.Part(mesh, regions=[fx.linear.Region(None, Truss(section=stiff))])
        fixed: dict[Any, Any] = {0: "all"} | dict.fromkeys(range(1, n + 1), ("uy", "uz"))
        frame = fx.linear.moving_frame(part, fixed)
        tip = frame.operators((0, 0, speed), geometric=False).steady().displacement(n)[0]
        errors.append(abs(tip / (math.tan(speed) / speed - 1.0) - 1.0))
    found = frame.operators((0, 0, speed), geometric=False).modes(2).angular_frequencies
    expected = [math.sqrt(((k + 0.5) * math.pi) ** 2 - speed**2) for k in range(2)]
    # linear elements: omega^2 at rest is too high by (k h)^2 / 12
    quantities = [
        measured(f"rod: frequency {k + 1} along it", "rad/s", found[k], expected[k], CLOSED,
                 rtol=1.1 * ((k + 0.5) * math.pi / COUNTS[-1]) ** 2 / 24 / (1 - (speed / (k + 0.5) / math.pi) ** 2))
        for k in range(2)
    ]  # fmt: skip
    return quantities, [ConvergenceStudy("rod: elongation", COUNTS, errors, 2.0, 1.95, counts=True)]


def shaft() -> list[Measured]:
    """A pinned shaft: whirl, critical speeds, a disc that centres itself, its gyroscopic moment."""
    length, n = 1.0, 16
    ends: dict[Any, Any] = {0: ("ux", "uy", "uz", "rx"), n: ("uy", "uz")}
    frame = fx.linear.moving_frame(beam(n, length), ends)
    natural = [(k * math.pi / length) ** 2 for k in (1, 2)]
    out = []
    errors = [(k * math.pi / n) ** 4 / 720 * natural[k - 1] for k in (1, 2)]  # of the Hermite cubic
    for speed in (0.5 * natural[0], 1.4 * natural[0]):
        found = frame.operators((speed, 0, 0)).modes(3).angular_frequencies
        seen = sorted([abs(natural[0] - speed), natural[0] + speed, natural[1] - speed])
        for k in range(3):
            out.append(
                measured(f"shaft at {speed / natural[0]:g} of its critical speed: frequency {k + 1} in the frame",
                         "rad/s", found[k], seen[k], CLOSED, atol=1.2 * errors[1 if k == 2 else 0])
            )  # fmt: skip
    free = frame.supports.free
    K, Z = (A[free][:, free].toarray() for A in (frame.structure.K, frame.centrifugal((1.0, 0, 0))))
    critical = np.sqrt(1.0 / linalg.eigh(-Z, K, eigvals_only=True)[::-1][[0, 2]])
    for k in range(2):
        label = f"shaft: critical speed {k + 1}"
        out.append(measured(label, "rad/s", critical[k], natural[k], CLOSED, atol=1.2 * errors[k]))
    return out + disc()


def disc() -> list[Measured]:
    """A disc in the middle of a pinned shaft without mass, of which it is off centre by e."""
    m, e, polar, J, EI, length = 3.0, 0.01, 0.4, 0.2, 1.0, 2.0
    stiff = fx.BeamStiffness(EA=1e6, EI_z=EI, GJ=10.0, mass_per_length=1e-13)
    mesh = fx.meshes.line((0, 0, 0), (length, 0, 0), 2)
    ends: dict[Any, Any] = {0: ("ux", "uy", "uz", "rx"), 2: ("uy", "uz")}

    def on_shaft(disc: fx.linear.NodalMass, fixed: dict[Any, Any]) -> fx.linear.MovingFrame:
        region = fx.linear.Region(None, Frame(section=stiff, shear=False))
        return fx.linear.moving_frame(fx.linear.Part(mesh, regions=[region], connections=[disc]), fixed)

    natural = math.sqrt(48.0 * EI / length**3 / m)
    out = []
    for ratio in (0.5, 2.0):
        steady = on_shaft(fx.linear.NodalMass(1, m, None, (0.0, e, 0.0)), ends)
        found = steady.operators((ratio * natural, 0, 0), geometric=False).steady().displacement(1)[1]
        expected = e * ratio**2 / (1.0 - ratio**2)
        out.append(
            measured(f"disc at {ratio:g} of its critical speed: deflection", "m", found, expected, CLOSED, rtol=1e-10)
        )
    tilting = on_shaft(fx.linear.NodalMass(1, m, np.diag([polar, J, J])), {**ends, 1: ("ux", "uy", "uz", "rx")})
    speed = 4.0
    found = tilting.operators((speed, 0, 0)).modes(2).angular_frequencies
    roots = np.sort(np.abs(np.roots([J, -polar * speed, -12.0 * EI / length]) - speed))
    for k in range(2):
        out.append(
            measured(f"disc: conical whirl {k + 1}, in the frame", "rad/s", found[k], roots[k],
                     "J_d w^2 - J_p Omega w - 12 EI/L = 0 for an observer at rest", rtol=1e-10)
        )  # fmt: skip
    return out


def _drawing() -> Any:
    """Frequencies of the blade over its speed."""
    stored = load_reference("e03")
    speeds = np.linspace(0.0, 12.0, 13)
    found = [blade_frequencies(16, s) for s in speeds]
    drawing, axes = figure(6.4, 3.6)
    names = ("flap frequencies 1..3", "chordwise (lead-lag) frequencies 1..3 (no axial coupling)")
    for i, label in enumerate(("flap", "chord")):
        for k in range(2):
            curve = [f[i][k] for f in found]
            axes.plot(speeds, curve, color=COLOURS[i], label=label if k == 0 else None)
            marks = [stored.value(f"eta={s:g} hub=0 {names[i]}", k) for s in (0, *SPEEDS)]
            axes.plot((0, *SPEEDS), marks, "o", color=COLOURS[i], markersize=4)
    slow = np.linspace(0.0, 3.4, 12)
    soft = [blade_frequencies(16, s, geometric=False)[1][0] for s in slow]
    axes.plot(slow, soft, ":", color="black", label="chord without stress stiffness")
    axes.set_xlabel("speed, scaled")
    axes.set_ylabel("frequency, scaled")
    axes.legend(frameon=False)
    return drawing


def run(progress: Progress) -> Outcome:
    """All of it."""
    progress("identities")
    quantities = identities()
    of_blade, studies = blade(progress)
    progress("rod and shaft")
    of_rod, more = rod()
    progress("picture")
    return Outcome(
        [*quantities, *of_blade, *of_rod, *shaft()],
        [*studies, *more],
        (),
        [("Frequencies of the blade: 16 elements (lines) and the reference (dots).", _drawing())],
    )


def run_spinup(progress: Progress) -> Outcome:
    """D18 by the linear equations in the frame."""
    stored = load_reference("d18")
    p = stored.parameters
    elements, step = 16, 0.05
    stiff = fx.BeamStiffness(
        EA=p["EA"], EI_z=p["EI"], GA_y=p["GA"], GA_z=p["GA"], GJ=p["EI"], mass_per_length=p["rhoA"], rhoI_y=p["rhoI"],
        rhoI_z=p["rhoI"],
    )  # fmt: skip
    mesh = fx.meshes.line((0, 0, 0), (p["L"], 0, 0), elements)
    frame = fx.linear.moving_frame(
        fx.linear.Part(mesh, regions=[fx.linear.Region(None, Frame(section=stiff))]), {0: "all"}
    )
    k = 2.0 * math.pi / p["T_s"]

    def motion(t: float) -> tuple[Any, Any, Any]:
        speed = p["omega_s"] / p["T_s"] * (t - math.sin(k * t) / k) if t < p["T_s"] else p["omega_s"]
        gain = p["omega_s"] / p["T_s"] * (1.0 - math.cos(k * t)) if t < p["T_s"] else 0.0
        return (0, 0, 0), (0, 0, speed), (0, 0, gain)

    progress("spin-up")
    t = np.arange(0.0, 20.0 + 0.5 * step, step)
    tip = fx.linear.frame_response(frame, motion, t).displacement(elements)
    quantities = []
    largest = stored.reference("maximum tip lag u2 in the rotating frame")
    # the theory leaves out what is of second order in the slope, 0.08, and so of third in the deflection
    allowed = 0.08**2 / 2.0 * abs(largest.value)
    for at in (2.5, 5.0, 7.5, 10.0, 12.5, 15.0, 17.5, 20.0):
        reference = stored.reference(f"t={at:g} s tip displacement in the rotating frame (u1, u2, rotation)", 1)
        quantities.append(
            measured(f"tip lag at {at:g} s", "m", tip[round(at / step), 1], reference.value, stored.source,
                     reference.uncertainty, atol=allowed)
        )  # fmt: skip
    quantities.append(
        measured("largest tip lag", "m", tip[:, 1].min(), largest.value, stored.source, largest.uncertainty,
                 atol=allowed)
    )  # fmt: skip
    extension = stored.reference("steady extension, closed form tan(lam L)/lam - L with lam=omega sqrt(rhoA/EA)")
    quantities.append(
        measured("extension after 20 s", "m", tip[-1, 0], extension.value, stored.source, extension.uncertainty,
                 rtol=2e-3)
    )  # fmt: skip
    progress("without stress stiffness")
    lost = fx.linear.frame_response(frame, motion, t[t <= 8.0], geometric=False).displacement(elements)
    drawing, axes = figure()
    axes.plot(t, tip[:, 1], color=COLOURS[0], label="with stress stiffness")
    shown = np.abs(lost[:, 1]) < 2.0
    axes.plot(t[t <= 8.0][shown], lost[shown, 1], ":", color="black", label="without")
    times = [2.5 * i for i in range(1, 9)]
    marks = [stored.value(f"t={at:g} s tip displacement in the rotating frame (u1, u2, rotation)", 1) for at in times]
    axes.plot(times, marks, "o", color=COLOURS[1], markersize=4, label="geometrically exact beam")
    axes.set_xlabel("t [s]")
    axes.set_ylabel("tip across the beam [m]")
    axes.legend(frameon=False)
    return Outcome(quantities, (), (), [("The tip in the turning frame.", drawing)])


SPINUP = Case(
    id="moving-frame-spinup",
    title="Spin-up of a beam by linear equations in its frame",
    area="flexible motion",
    summary=(
        "The spin-up of D18, a beam of 10 m brought to 6 rad/s in 15 s, by small displacements in the prescribed "
        "frame: sixteen frame elements, the trapezoidal rule, and the stress stiffness of the inertia load of each "
        "instant. The tip lags by 6 % of the length; the geometrically exact beam is the reference. Without the stress "
        "stiffness the beam is lost as soon as its speed passes its lowest frequency."
    ),
    run=run_spinup,
    source="T. R. Kane, R. R. Ryan, A. K. Banerjee, J. Guidance 10 (1987) 139; J. C. Simo, L. Vu-Quoc (1987).",
    equations=(r"M\ddot u + C(\omega)\dot u + [K + E(\dot\omega) + Z(\omega) + K_g(\omega,\dot\omega)]u = f",),
    limits=("Foreshortening of the deflected beam is not in the axial displacement: it is of second order.",),
)

CASE = Case(
    id="moving-frame",
    title="Structures in a turning frame: blade, rod, shaft",
    area="linear parts",
    summary=(
        "The Coriolis, Euler and centrifugal matrices of parts in a frame with prescribed motion. Their symmetries are "
        "checked; then a cantilever blade (E03) turns about an axis at its root, with the stiffness of the stresses "
        "that its centrifugal forces cause; a rod stretches and softens; a shaft whirls below and above its critical "
        "speed, and a disc on it centres itself and tilts with its gyroscopic moment."
    ),
    run=run,
    source=(
        "S. I. Vlase, M. C. Tofan, I. A. Goia, Virtual Nonlinear Multibody Systems, NATO ASI, Prague 2002. Blade: "
        "A. D. Wright et al., J. Appl. Mech. 49 (1982) 197-202."
    ),
    equations=(
        r"M\ddot u + C(\omega)\dot u + [K + E(\dot\omega) + Z(\omega) + K_g]u = f",
        r"u(L) = L\,\dfrac{\tan kL}{kL} - L, \;\; k = \Omega\sqrt{\rho/E}; \qquad "
        r"\omega_n \pm \Omega; \qquad e\,\dfrac{\Omega^2}{\omega_0^2 - \Omega^2}",
    ),
    limits=("Displacements in the frame are small.",),
    basic=True,
)
