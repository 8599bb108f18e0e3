"""Natural frequencies of beams in space with shear and torsion: E01, E02, E07, and the rotating blade E03."""

from __future__ import annotations

import math

import numpy as np
from scipy import linalg

import flexmbs as fx
from flexmbs.core.contracts import FloatArray
from flexmbs.dynamics.evaluation import Dynamics
from flexmbs.elements import ANCFBeam
from flexmbs.integrators.contracts import StepState
from flexmbs.verification import Case, ConvergenceStudy, Measured, Outcome, Progress, Table
from flexmbs.verification.cases.common import COLOURS, figure, measured
from flexmbs.verification.reference.data import load_reference
from flexmbs.verification.reference.frequencies import timoshenko_frequencies

COUNTS = (8, 16, 32)


def run_ends(progress: Progress) -> Outcome:
    """A cantilever of height L/10 and width L/20: bending both ways, torsion, axial; and slender ones of all ends."""
    stored = load_reference("e02")
    p = stored.parameters
    material = fx.Elastic(youngs_modulus=p["E"], poissons_ratio=p["nu"], density=p["rho"])
    E, G, rho = p["E"], material.shear_modulus, p["rho"]
    section = fx.Rectangle(width=p["b"], height=p["h"])
    quantities: list[Measured] = []
    A, stiff, soft = section.area, section.I_z, section.I_y
    exact = {
        "bending along the height": timoshenko_frequencies(
            "clamped", "free", 3, EI=E * stiff, GA=p["ks"] * G * A, mass=rho * A, inertia=rho * stiff, length=p["L"]
        ),
        "bending along the width": timoshenko_frequencies(
            "clamped", "free", 3, EI=E * soft, GA=p["ks"] * G * A, mass=rho * A, inertia=rho * soft, length=p["L"]
        ),
        "torsion": _torsion(
            (np.arange(2) + 0.5) * math.pi / p["L"], G * section.J, rho * soft, rho * stiff, p["ks"] * G * A
        ),
        "axial": (np.arange(1) + 0.5) * math.pi / p["L"] * math.sqrt(E / rho),
    }
    errors: dict[str, list[float]] = {name: [] for name in exact}
    for elements in COUNTS:
        progress(f"{elements} elements")
        beam = fx.FlexibleBody.line(
            (0, 0, 0), (p["L"], 0, 0), elements=elements, element=ANCFBeam(), section=section, material=material
        )
        found = fx.solve_modal(fx.Model(beam, fx.Clamp(beam.start)), modes=16).angular_frequencies
        for name, wanted in exact.items():
            nearest = [found[np.argmin(np.abs(found - w))] for w in wanted]
            errors[name].append(abs(nearest[-1] / wanted[-1] - 1.0))
            if elements != COUNTS[-1]:
                continue
            for i, (value, reference) in enumerate(zip(nearest, wanted, strict=True)):
                quantities.append(
                    measured(f"{name}, mode {i + 1}: omega", "rad/s", value, reference, "closed form", 0.0, rtol=1e-4)
                )  # fmt: skip
    for i in range(4):
        reference = stored.reference("CF omega_1..4", i)
        quantities.append(
            measured(f"E02, bending along the height, mode {i + 1}: omega", "rad/s", found[np.argmin(np.abs(
                found - reference.value))], reference.value, stored.source, reference.uncertainty, rtol=1e-4)
        )  # fmt: skip
    studies = [
        ConvergenceStudy(f"{name}, highest of those above", COUNTS, e, 4.0, 3.7, floor=1e-11, counts=True)
        for name, e in errors.items()
    ]
    progress("slender")
    quantities += _slender()
    rigid = (np.arange(2) + 0.5) * math.pi / p["L"] * math.sqrt(G * section.J / (rho * (stiff + soft)))
    low = 1.0 - exact["torsion"] / rigid
    remark = (
        f"Where rhoI_y and rhoI_z differ, torsional acceleration shears the section, whose stiffness against that is "
        f"finite. The figures for torsion are those of such a section; they lie below those of a rigid one by "
        f"{low[0]:.1e} and {low[1]:.1e}, which falls with the square of thickness over length."
    )
    return Outcome(quantities, studies, (), (), [remark])


def _torsion(wave: FloatArray, GJ: float, third: float, second: float, shear: float) -> FloatArray:
    """Lowest frequency of each wave number: d3, which measures the twist, and d2, which ``shear`` ties to it.

    (GJ k^2 - rhoI_y w^2 + c)(c - rhoI_z w^2) = c^2 with the rotary inertias ``third`` of d3 and ``second`` of d2.
    """
    stiff = GJ * wave**2
    total = second * (stiff + shear) + third * shear
    return np.asarray(np.sqrt((total - np.sqrt(total**2 - 4 * third * second * stiff * shear)) / (2 * third * second)))


def _slender() -> list[Measured]:
    """E01 with 20 elements of a beam of length over height 10 000, in which shear has no part."""
    stored = load_reference("e01")
    found = []
    for ends, held in (
        ("clamped-free", ()),
        ("clamped-clamped (= free-free elastic)", (fx.Clamp,)),
        ("clamped-pinned (= free-pinned elastic)", (fx.Pin,)),
    ):
        h = 1e-4
        beam = fx.FlexibleBody.line(
            (0, 0, 0), (1, 0, 0), elements=20, element=ANCFBeam(),
            section=fx.Rectangle(width=h, height=h), material=fx.Elastic(youngs_modulus=12.0 / h**2, density=1.0),
        )  # fmt: skip
        modes = fx.solve_modal(fx.Model(beam, fx.Clamp(beam.start), *(kind(beam.end) for kind in held)), modes=4)
        for i in range(2):
            reference = stored.reference(f"{ends} beta_n L, n=1..5", i)
            for twin in range(2):
                value = math.sqrt(modes.angular_frequencies[2 * i + twin])
                found.append(
                    measured(f"slender, {ends.split(' ')[0]}: beta L of mode {i + 1}, twin {twin + 1}", "-", value,
                             reference.value, stored.source, reference.uncertainty, rtol=1e-4)
                )  # fmt: skip
    return found


def run_ring(progress: Progress) -> Outcome:
    """A free ring against thin-ring theory, which neglects what the element has."""
    stored = load_reference("e07")
    p = stored.parameters
    material = fx.Elastic(youngs_modulus=p["E"], poissons_ratio=p["nu"], density=p["rho"])
    names = ("out-of-plane bending-torsion n=2..5", "in-plane inextensional bending n=2..5")
    found = {}
    for elements in COUNTS[1:]:
        progress(f"{elements} elements")
        mesh = fx.meshes.three_node(
            fx.meshes.arc(
                (0, 0, 0), radius=p["R"], start_angle=0, end_angle=2 * math.pi, elements=2 * elements, closed=True
            )
        )
        ring = fx.FlexibleBody(mesh, ANCFBeam(), section=fx.Circle(diameter=p["d"]), material=material, name="ring")
        modes = fx.solve_modal(fx.Model(ring), modes=22)
        found[elements] = modes.angular_frequencies[6::2].reshape(4, 2)  # every mode twice; across, then in the plane
    fine = (16 * found[32] - found[16]) / 15
    quantities, rows = [], []
    for i in range(4):
        for k, name in enumerate(names):
            reference = stored.reference(name, i)
            neglect = (p["d"] / p["R"] * (i + 2)) ** 2
            quantities.append(
                measured(f"{name.split(' n=')[0]}, n = {i + 2}: omega, extrapolated", "rad/s", fine[i, k],
                         reference.value, stored.source, reference.uncertainty, rtol=neglect)
            )  # fmt: skip
            rows.append(
                (f"{name.split(' n=')[0]}, {i + 2}", f"{found[16][i, k]:.4f}", f"{found[32][i, k]:.4f}",
                 f"{reference.value:.4f}", f"{fine[i, k] / reference.value - 1.0:.1e}", f"{neglect:.1e}")
            )  # fmt: skip
    head = ("mode", "16 elements", "32 elements", "thin ring", "extrapolated, difference", "neglect (d n/R)²")
    return Outcome(quantities, (), [Table("Free ring, rad/s", head, rows)])


def spinning(
    model: fx.Model, rate: float, masses: dict[fx.Attachment, float] | None = None
) -> tuple[FloatArray, FloatArray]:
    """Frequencies of a body of absolute nodal coordinates that spins about z, and the shares of their motion.

    With the mass matrix m x I the equations in axes that turn with the body are M (p'' + 2 w S p' - w^2 P p) + f(p) =
    0, where S = z x and P takes the part across z; so there is nothing to approximate. ``masses`` sit at nodes. The
    shares (n, 3) are those of the velocities of positions along x, y and z in each vibration.
    """
    system = fx.compile_model(model)
    dyn, q, free = Dynamics(system), system.coordinates.reference.copy(), np.sort(system.free)
    dyn.set_time(0.0)
    n = len(q)
    M, still, none = system.mass_matrix.toarray(), np.zeros(n), np.zeros(0)
    for at, mass in (masses or {}).items():
        for dofs in system.coordinates.dofs(at):
            M[dofs[:3], dofs[:3]] += mass
    P, S = np.kron(np.eye(n // 3), np.diag([1.0, 1.0, 0.0])), np.kron(np.eye(n // 3), np.cross(np.eye(3), [0, 0, -1.0]))
    for _ in range(20):
        r = dyn.residual(q, still, still, none) - rate**2 * M @ (P @ q)
        lin = dyn.linearise(StepState.unaccelerated(0.0, q, still, none))
        K = lin.K.toarray() - rate**2 * (M @ P)[np.ix_(free, free)]
        step = np.linalg.solve(K, r[free])
        q[free] -= step
        if np.abs(step).max() < 1e-13:
            break
    gyro, mass_matrix = 2.0 * rate * (M @ S)[np.ix_(free, free)], M[np.ix_(free, free)]
    m = len(free)
    zero, one = np.zeros((m, m)), np.eye(m)
    A = np.block(
        [[zero, one],
         [-linalg.solve(mass_matrix, K, assume_a="pos"), -linalg.solve(mass_matrix, gyro, assume_a="pos")]]
    )  # fmt: skip
    values, vectors = np.linalg.eig(A)
    order = np.argsort(values.imag)
    order = order[values.imag[order] > 1e-6]
    size = len(model.flexible_bodies[0].element.layout.names)
    whole = np.zeros((n, len(order)))
    whole[free] = np.abs(vectors[m:, order]) ** 2
    parts = whole.reshape(-1, size, len(order))[:, :3].sum(axis=0)
    total = whole.reshape(-1, size, len(order)).sum(axis=(0, 1))
    return values.imag[order], (parts / total).T


def rotating(elements: int, flap: float, chord: float, rate: float) -> FloatArray:
    """Frequencies of a clamped beam with directors, of length and mass 1, that spins about z."""
    beam = fx.FlexibleBody.line(
        (0, 0, 0), (1, 0, 0), elements=elements, element=ANCFBeam(),
        stiffness=fx.BeamStiffness(EA=1e7, EI_y=flap, EI_z=chord, GJ=1e3, GA_y=1e7, GA_z=1e7, mass_per_length=1.0,
                                   rhoI_y=1e-7, rhoI_z=1e-7),
    )  # fmt: skip
    return spinning(fx.Model(beam, fx.Clamp(beam.start)), rate)[0]


def run_blade(progress: Progress) -> Outcome:
    """Flapwise and chordwise, each with the other bending stiffness so large that its frequencies lie above."""
    stored = load_reference("e03")
    quantities, drawn = [], []
    for label, name, stiffness in (
        ("flap", "flap frequencies 1..3", (1.0, 1e4)),
        ("chord", "chordwise (lead-lag) frequencies 1..3 (no axial coupling)", (1e4, 1.0)),
    ):
        for eta in (0, 2, 6, 12):
            progress(f"{label}, eta = {eta}")
            found = rotating(12, *stiffness, float(eta))
            for i in range(3):
                reference = stored.reference(f"eta={eta} hub=0 {name}", i)
                quantities.append(
                    measured(f"{label} {i + 1}, eta = {eta}", "-", found[i], reference.value, stored.source,
                             reference.uncertainty, rtol=1e-3)
                )  # fmt: skip
            drawn.append((label, eta, found[:3]))
    drawing, axes = figure()
    for label, colour in (("flap", COLOURS[0]), ("chord", COLOURS[1])):
        own = [(eta, f) for which, eta, f in drawn if which == label]
        axes.plot([eta for eta, _ in own], [f for _, f in own], "o-", color=colour, label=label)
    handles, labels = axes.get_legend_handles_labels()
    axes.legend(handles[::3], labels[::3], frameon=False)
    axes.set_xlabel("rate of rotation, normalised")
    axes.set_ylabel("frequency, normalised")
    return Outcome(quantities, (), (), [("Frequencies of a rotating cantilever.", drawing)])


ENDS = Case(
    "spatial-rod-modes",
    "Beam with shear and torsion: bending, torsion and axial modes",
    "modes",
    "A thick cantilever against Timoshenko's beam in both planes, torsion and stretching; slender beams with three "
    "kinds of ends against Bernoulli and Euler.",
    run_ends,
    "S. P. Timoshenko (1921); R. D. Blevins, Formulas for Natural Frequency and Mode Shape, table 8-1.",
    (r"EI\,\psi'' + GA\,(w' - \psi) = \rho I\,\ddot\psi, \quad GA\,(w'' - \psi') = \rho A\,\ddot w",),
    basic=True,
)
RING = Case(
    "spatial-rod-ring",
    "Free circular ring of beams with directors",
    "modes",
    "Bending of a thin steel ring in its plane and out of it, on elements that are curved when free. The ring is free "
    "in space.",
    run_ring,
    "A. E. H. Love, Theory of Elasticity, section 293; S. P. Timoshenko, Vibration Problems in Engineering.",
    (r"\omega_n^2 = \dfrac{EI}{\rho A R^4}\, \dfrac{n^2 (n^2-1)^2}{n^2+1}",),
)
BLADE = Case(
    "spatial-rod-blade",
    "Rotating blade of beams with directors",
    "modes",
    "Flapwise and chordwise vibration of a cantilever about its steady rotation; the tension of the centrifugal forces "
    "stiffens it.",
    run_blade,
    "A. D. Wright et al., J. Appl. Mech. 49 (1982) 197-202.",
    (r"\ddot w + w'''' - \dfrac{1}{2}\eta^2\left((1-x^2)\,w'\right)' = 0",),
)
