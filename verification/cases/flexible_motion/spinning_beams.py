"""E03, E04, D18, D20: bodies in floating frames that spin, with and without geometric stiffening."""

from __future__ import annotations

from typing import Any

import numpy as np

import flexmbs as fx
from flexmbs.core.contracts import FloatArray
from flexmbs.elements.linear.frame import Frame
from flexmbs.elements.linear.hexahedron import Hexahedron20
from flexmbs.verification import Case, ConvergenceStudy, Outcome, Progress, Table
from flexmbs.verification.cases.common import measured
from flexmbs.verification.cases.flexible_motion.spinup import TIMES, driven
from flexmbs.verification.cases.moving import against, over_time
from flexmbs.verification.reference.data import load_reference

FLAP, CHORD = (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
WITHOUT = "|w_0^2 - eta^2|^(1/2), closed form of shapes that do not shorten; wrong for a beam"


def blade(
    elements: int, modes: int, bending: float, direction: tuple[float, ...], radius: float = 0.0, tip: float = 0.0
) -> Any:
    """A beam of length and mass one along x from ``radius`` on, reduced to its ends; the frame is at the axis."""
    # so stiff that its frequencies lie above, also with the mass at the tip
    other, rotary = (1e4, 1e-8) if bending == 1.0 else (2000.0 if tip > 1.0 else 100.0, 1e-6)
    flap, chord = (bending, other) if direction == FLAP else (other, bending)
    section = fx.BeamStiffness(
        EA=1e3 * other, EI_y=flap, EI_z=chord, GJ=1e-2, mass_per_length=1.0, rhoI_y=rotary, rhoI_z=rotary
    )  # fmt: skip
    mesh = fx.meshes.line((radius, 0, 0), (radius + 1.0, 0, 0), elements)
    masses = [fx.linear.NodalMass(elements, tip)] if tip else []
    part = fx.linear.Part(
        mesh, regions=[fx.linear.Region(None, Frame(section=section, shear=False))], connections=masses
    )
    faces = [fx.reduction.Interface("root", [0], at=(0, 0, 0)), fx.reduction.Interface("tip", [elements])]
    return fx.reduction.reduce(part, faces, modes, geometric_stiffening=True, progress=False)


def solid_blade() -> tuple[Any, float]:
    """A slender bar of quadratic hexahedra, twice as wide in the plane of rotation as thick, and the unit of rates."""
    E, rho, width, thickness = 1e9, 1000.0, 0.02, 0.01
    mesh = fx.meshes.box((0, -width / 2, -thickness / 2), (1.0, width, thickness), (32, 1, 1)).quadratic()
    material = fx.Elastic(youngs_modulus=E, poissons_ratio=0.0, density=rho)
    part = fx.linear.Part(mesh, regions=[fx.linear.Region(None, Hexahedron20(), material)], name="bar")
    faces = [fx.reduction.Interface("root", "left", at=(0, 0, 0)), fx.reduction.Interface("tip", "right")]
    return fx.reduction.reduce(part, faces, 16, geometric_stiffening=True, progress=False), thickness * np.sqrt(
        E / (12.0 * rho)
    )


def stretched(body: fx.FloatingBody, rate: float) -> FloatArray:
    """Shapes (m,) of a body that spins steadily about z through the origin of its frame."""
    X = np.diag([-(rate**2), -(rate**2), 0.0])
    matrix = body.stiffness + np.einsum("ab,balk->kl", X, body.inertia.R)
    if body.second_order is not None:
        matrix = matrix + np.einsum("ab,balk->kl", X, body.second_order.moments[1:])
    return -np.linalg.solve(matrix, np.einsum("ab,bak->k", X, body.inertia.Q))


def frequencies(reduced: Any, rate: float, hinge: tuple[float, ...] | None = None, stiffening: bool = True) -> Any:
    """Imaginary and largest real part of the eigenvalues of a beam on a hub that is driven at a constant rate."""
    still = fx.FloatingBody(reduced, reference="root", geometric_stiffening=stiffening)
    body = fx.FloatingBody(
        reduced, reference="root", geometric_stiffening=stiffening, deformation=stretched(still, rate),
        angular_velocity=(0.0, 0.0, rate), name="blade",
    )  # fmt: skip
    hub = fx.RigidBody(1.0, (1.0, 1.0, 1.0), angular_velocity=(0.0, 0.0, rate), name="hub")
    axle = fx.RevoluteJoint(fx.ground, hub, at=(0, 0, 0), axis=(0, 0, 1), name="axle")
    turn = fx.motions.Function(lambda t: rate * t, rate=lambda t: rate, acceleration=lambda t: 0.0)
    root: Any = fx.FixedJoint(hub, body, at=(0, 0, 0), name="root")
    if hinge is not None:
        root = fx.RevoluteJoint(hub, body, at=(0, 0, 0), axis=hinge, name="root")
    model = fx.Model(hub, body, axle, fx.RotationDriver(axle, turn, name="drive"), root)
    values = np.linalg.eigvals(fx.linearise(model).A)
    return np.sort(values.imag[values.imag > 1e-6]), float(values.real.max())


def run_blade(progress: Progress) -> Outcome:
    """Flapwise and chordwise frequencies of a rotating cantilever, with the hub of zero size and of size one."""
    stored = load_reference("e03")
    quantities, rows = [], []
    still = stored.value("eta=0 hub=0 flap frequencies 1..3", 0)
    chordwise = "chordwise (lead-lag) frequencies 1..3 (no axial coupling)"
    for direction, label, name in ((FLAP, "flap", "flap frequencies 1..3"), (CHORD, "chord", chordwise)):
        reduced = blade(32, 20, 1.0, direction)
        for eta in (2, 6, 12):
            progress(f"{label}, eta = {eta}")
            found, _ = frequencies(reduced, eta)
            soft, growth = frequencies(reduced, eta, stiffening=False)
            for i in range(3):
                reference = stored.reference(f"eta={eta} hub=0 {name}", i)
                quantities.append(
                    measured(f"{label} {i + 1}, eta = {eta}", "-", found[i], reference.value, stored.source,
                             reference.uncertainty, rtol=6e-4)
                )  # fmt: skip
            exact = [f"{stored.value(f'eta={eta} hub=0 {name}', i):.4f}" for i in range(3)]
            lost = growth > 1e-3
            rows.append(
                (label, str(eta), ", ".join(f"{f:.4f}" for f in found[:3]), ", ".join(exact),
                 f"unstable, exp({growth:.3f} t)" if lost else ", ".join(f"{f:.4f}" for f in soft[:3]))
            )  # fmt: skip
            if direction == CHORD and eta == 2:
                wrong = np.sqrt(still**2 - eta**2)
                quantities.append(
                    measured("chord 1, eta = 2, without stiffening", "-", soft[0], wrong, WITHOUT, rtol=3e-4)
                )  # fmt: skip
            if direction == CHORD and eta == 12:
                wrong = np.sqrt(eta**2 - still**2)
                quantities.append(
                    measured("growth, eta = 12, without stiffening", "-", growth, wrong, WITHOUT, rtol=3e-4)
                )  # fmt: skip
    progress("solids")
    bar, unit = solid_blade()
    found, _ = frequencies(bar, 12.0 * unit)
    for eta, at, scale, label, name, rtol in (
        (12, (1, 2, 4), unit, "flap", "flap frequencies 1..3", 6e-4),
        (6, (0, 3), 2.0 * unit, "chord", chordwise, 2e-3),  # twice as stiff: eta is half as large
    ):
        for i, place in enumerate(at):
            reference = stored.reference(f"eta={eta} hub=0 {name}", i)
            quantities.append(
                measured(f"solids: {label} {i + 1}, eta = {eta}", "-", found[place] / scale, reference.value,
                         stored.source, reference.uncertainty, rtol=rtol)
            )  # fmt: skip
    name = "eta=12 hub radius/L=1 flap frequencies 1..3"
    meshes, errors = (8, 16, 32), []
    for elements in meshes:
        progress(f"hub of size one, {elements} elements")
        found, _ = frequencies(blade(elements, 20, 1.0, FLAP, radius=1.0), 12.0)
        errors.append(abs(found[0] / stored.value(name, 0) - 1.0))
    for i in range(3):
        reference = stored.reference(name, i)
        quantities.append(
            measured(f"flap {i + 1}, eta = 12, hub radius 1", "-", found[i], reference.value, stored.source,
                     reference.uncertainty, rtol=1e-3)
        )  # fmt: skip
    study = ConvergenceStudy(
        "flap 1, eta = 12, hub radius 1, 20 modes", meshes, errors, 2.0, 1.7, floor=1e-6, counts=True
    )  # fmt: skip
    head = ("direction", "eta", "with stiffening", "exact", "without")
    return Outcome(quantities, [study], [Table("Rotating cantilever, 32 elements, 20 modes", head, rows)])


def run_string(progress: Progress) -> Outcome:
    """A string, and a tether with a mass at its tip, hinged at the axis."""
    quantities, rows = [], []
    for tip in (0.0, 0.1, 1.0, 10.0):
        for hinge, label in ((FLAP, "out-of-plane"), (CHORD, "in-plane")):
            progress(f"tip mass {tip:g}, {label}")
            reduced = blade(80, 30, 1e-5 if tip > 1.0 else 1e-6, hinge, tip=tip)
            found, _ = frequencies(reduced, 1.0, hinge)
            if tip == 0.0:
                stored = load_reference("e04")
                name = (
                    "flap omega_n/Omega, n=1..5 = sqrt(k(k+1)/2), k=2n-1"
                    if hinge == FLAP
                    else "in-plane omega_n/Omega = sqrt(omega_flap^2-1)"
                )
            else:
                stored = load_reference("d20")
                name = f"tip mass/tether mass = {tip:g}: {label} omega_n/Omega"
            exact = [stored.reference(name, i) for i in range(3)]
            if hinge == CHORD:  # the first is the rotation itself, of frequency zero up to the bending stiffness
                found = np.concatenate([[0.0], found[found > 0.5]])
            for i in range(3):
                if exact[i].value < 1e-6:
                    continue
                quantities.append(
                    measured(f"tip mass {tip:g}, {label} {i + 1}", "-", found[i], exact[i].value, stored.source,
                             exact[i].uncertainty, rtol=1e-3)
                )  # fmt: skip
            rows.append(
                (f"{tip:g}", label, ", ".join(f"{f:.4f}" for f in found[:3]),
                 ", ".join(f"{e.value:.4f}" for e in exact))
            )  # fmt: skip
    head = ("tip mass / mass", "direction", "found", "exact")
    return Outcome(quantities, [], [Table("String on the axis: frequency / rate; 80 elements, 30 modes", head, rows)])


def spun(modes: int, stiffening: bool, until: float = 20.0) -> tuple[Any, FloatArray]:
    """The spin-up of D18, and (u1, u2) of the tip in the rotating frame every 0.1 s."""
    p = load_reference("d18").parameters
    section = fx.BeamStiffness(
        EA=p["EA"], EI_y=p["EI"], EI_z=p["EI"], GJ=p["EI"], GA_y=p["GA"], GA_z=p["GA"],
        mass_per_length=p["rhoA"], rhoI_y=p["rhoI"], rhoI_z=p["rhoI"],
    )  # fmt: skip
    part = fx.linear.Part(
        fx.meshes.line((0, 0, 0), (p["L"], 0, 0), 20), regions=[fx.linear.Region(None, Frame(section=section))]
    )
    faces = [fx.reduction.Interface("root", [0]), fx.reduction.Interface("tip", [20])]
    reduced = fx.reduction.reduce(part, faces, modes, geometric_stiffening=True, progress=False)
    body = fx.FloatingBody(reduced, reference="root", geometric_stiffening=stiffening, name="beam")
    hub = fx.RevoluteJoint(fx.ground, body.interface("root", axis=(0, 0, 1)), name="hub")
    drive, angle = driven(hub)
    run = fx.simulate(fx.Model(body, hub, drive), until, step=1e-2, output=fx.Output(every=0.1))
    psi = np.array([angle(t) for t in run.t])
    x, y = run.position(body.interface("tip"))[:, :2].T
    c, s = np.cos(psi), np.sin(psi)
    return run, np.column_stack([c * x + s * y - p["L"], c * y - s * x])


def run_spinup(progress: Progress) -> Outcome:
    """Spin up for 15 s and turn on for 5 s; without stiffening the beam is lost."""
    stored = load_reference("d18")
    names = [f"t={t:g} s tip displacement in the rotating frame (u1, u2, rotation)" for t in TIMES]
    progress("with stiffening")
    run, tip = spun(8, True)
    quantities = []
    for t, name in zip(TIMES, names, strict=True):
        for i, (what, atol) in enumerate((("u1", 5e-5), ("u2", 1e-3))):
            reference = stored.reference(name, i)
            quantities.append(
                measured(f"t = {t:g} s: {what}", "m", tip[round(10 * t), i], reference.value, stored.source,
                         reference.uncertainty, atol=atol)
            )  # fmt: skip
    name = "steady extension, closed form tan(lam L)/lam - L with lam=omega sqrt(rhoA/EA)"
    last = run.t >= 16.0
    extension = float(np.mean(tip[last, 0] + 0.6 * tip[last, 1] ** 2 / stored.parameters["L"]))
    quantities += against("d18", name, "mean extension from 16 s", [extension], 5e-7)
    balance = float(run.energy.balance[-1] / run.energy.total[-1])
    quantities.append(
        measured("(energy - work of the drive) / energy at the end", "-", balance, 0.0, "work and energy", atol=3e-4)
    )
    progress("without stiffening")
    _, lost = spun(8, False, 10.0)
    text = f"Without stiffening the lag is {-lost[75, 1]:.2f} m at 7.5 s and {-lost[100, 1]:.0f} m at 10 s."
    exact = np.array([stored.value(name, 1) for name in names])
    drawing = over_time(
        [("u2", run.t, tip[:, 1])], "lag of the tip in m", [(np.array(TIMES), exact)]
    )  # fmt: skip
    return Outcome(quantities, [], (), [(f"Lag of the tip behind the rotating root. {text}", drawing)])


BLADE = Case(
    id="e03-rotating-blade",
    title="Rotating cantilever in a floating frame",
    area="flexible motion",
    summary=(
        "A reduced beam of frame elements is clamped to a hub that turns at a constant rate. The centrifugal tension "
        "stiffens it by its fields of second order; without them it softens and is lost above its first frequency."
    ),
    run=run_blade,
    source="Wright et al., J. Appl. Mech. 49 (1982) 197-202.",
    equations=(r"\omega_c^2 = \omega_f^2 - \Omega^2",),
    limits=(
        "Frame elements have a constant tension, so the error falls with the square of their length.",
        "The solids have shear and rotary inertia, which the reference has not: 0.1 per cent chordwise.",
    ),
)

STRING = Case(
    id="e04-rotating-string",
    title="Rotating string and tether with a tip mass in a floating frame",
    area="flexible motion",
    summary=(
        "A reduced beam with next to no bending stiffness, hinged at the axis, bare and with a nodal mass at its tip: "
        "all of its stiffness is geometric."
    ),
    run=run_string,
    source="Simmonds, AIAA J. 3 (1965), Legendre polynomials; Ritz solutions for the tip masses.",
    equations=(r"\omega_n^2 = \frac{1}{2} k (k + 1)\,\Omega^2, \quad k = 2n - 1",),
    limits=("The in-plane rotation of frequency zero is not compared: the bending stiffness lifts it.",),
)

SPIN_UP = Case(
    id="d18-floating",
    title="Spin-up of a cantilever in a floating frame",
    area="flexible motion",
    summary=(
        "The spin-up of a flexible cantilever with a reduced beam: 20 frame elements, 14 shapes, fields of second "
        "order. The lag of 6 per cent of the length is moderate; without stiffening it grows without bound."
    ),
    run=run_spinup,
    source=(
        "Data: Kane, Ryan and Banerjee, J. Guidance 10 (1987) 139; Simo and Vu-Quoc, J. Sound Vib. 119 (1987) 487. "
        "References computed, the steady extension in closed form."
    ),
    limits=("Third order in the deflection is missing: 0.1 per cent of the largest lag.",),
    basic=True,
)
