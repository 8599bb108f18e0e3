"""A bar of solid elements under its weight, spinning, vibrating and shaken, against closed forms."""

from __future__ import annotations

import cmath
import math

import numpy as np
from matplotlib.figure import Figure

import flexmbs as fx
from flexmbs.elements import Hexahedron8, Hexahedron20
from flexmbs.meshes import box
from flexmbs.verification import Case, ConvergenceStudy, Measured, Outcome, Progress
from flexmbs.verification.cases.common import COLOURS, figure, measured

E, RHO, L, SIDE = 2.0e11, 8000.0, 1.0, 0.1
AREA = SIDE**2
G, SPIN, FORCE, LOSS = 9.81, 100.0, 1.0e3, 0.02
SPEED = math.sqrt(E / RHO)
SHAKEN = 2.0 * SPEED / L / (2.0 * math.pi)
"""Frequency [Hz] with k L = 2, between the first and the second resonance."""

GUIDED = {"left": "ux", "front": "uy", "back": "uy", "bottom": "uz", "top": "uz"}
COUNTS = (4, 8, 16, 32)
BAR_THEORY = "elastic bar, closed form"

# exact energies, from N = rho g A (L - x) and N = rho w^2 A (L^2 - x^2)/2
WEIGHT_ENERGY = RHO**2 * G**2 * AREA * L**3 / (6.0 * E)
SPIN_ENERGY = AREA * RHO**2 * SPIN**4 * L**5 / (15.0 * E)
SPIN_TIP = RHO * SPIN**2 * L**3 / (3.0 * E)


def bar(element: Hexahedron8 | Hexahedron20, n: int) -> fx.linear.Operators:
    """The bar along x with n elements, without Poisson's ratio; guided at its sides it is a bar exactly."""
    mesh = box((0, 0, 0), (L, SIDE, SIDE), (n, 1, 1))
    if isinstance(element, Hexahedron20):
        mesh = mesh.quadratic()
    material = fx.Elastic(youngs_modulus=E, density=RHO, poissons_ratio=0.0)
    return fx.linear.Part(mesh, regions=[fx.linear.Region(None, element, material)], name="bar").assemble()


def exact_response(frequency: float) -> complex:
    """Amplitude of the end for a force on it, modulus E (1 + i eta)."""
    modulus = E * (1.0 + 1j * LOSS)
    k = 2.0 * math.pi * frequency * cmath.sqrt(RHO / modulus)
    return FORCE * cmath.tan(k * L) / (modulus * AREA * k)


def run(progress: Progress) -> Outcome:
    """Errors of tip, energy, frequency and amplitude for both hexahedra."""
    quantities: list[Measured] = []
    studies = []
    for label, element, order in (("linear", Hexahedron8(), 2.0), ("quadratic", Hexahedron20(), 4.0)):
        errors: dict[str, list[float]] = {"weight": [], "spin": [], "frequency": [], "response": []}
        for n in COUNTS:
            progress(f"{label}, {n} elements")
            operators = bar(element, n)
            loads = {
                "weight": fx.linear.Acceleration((G, 0.0, 0.0)),
                "spin": fx.linear.Centrifugal((0.0, 0.0, SPIN), (0.0, SIDE / 2, 0.0)),
            }
            still = fx.linear.static_response(operators, GUIDED, loads)
            modes = fx.linear.vibration_modes(operators, 1, GUIDED)
            push = fx.linear.NodalForce("right", (FORCE, 0.0, 0.0), share="faces")
            shaken = fx.linear.harmonic_response(
                operators, [SHAKEN], push, [("right", "ux")], fx.linear.StructuralDamping(LOSS), GUIDED
            )
            frequency = SPEED / (4.0 * L)
            amplitude = complex(shaken.values[0, 0, 0])
            errors["weight"].append(abs(still["weight"].strain_energy / WEIGHT_ENERGY - 1.0))
            errors["spin"].append(abs(still["spin"].strain_energy / SPIN_ENERGY - 1.0))
            errors["frequency"].append(abs(modes.frequencies[0] / frequency - 1.0))
            errors["response"].append(abs(amplitude / exact_response(SHAKEN) - 1.0))
            if n == 4:
                tip = {name: float(s.displacement("right")[0, 0]) for name, s in still.items()}
                quantities += [
                    measured(f"{label}, 4 elements: tip under its weight", "m", tip["weight"], RHO * G * L**2 / (2 * E),
                             BAR_THEORY, rtol=1e-10),
                    measured(f"{label}, 4 elements: tip when spinning", "m", tip["spin"], SPIN_TIP, BAR_THEORY,
                             rtol=1e-10),
                    measured(f"{label}, 4 elements: reaction when spinning", "N", -still["spin"].reaction("left")[0],
                             RHO * AREA * SPIN**2 * L**2 / 2, BAR_THEORY, rtol=1e-10),
                ]  # fmt: skip
        n = COUNTS[-1]
        # leading terms of the errors of linear elements, with h = L/n and k L = pi/2 in the first mode
        bounds = {"weight": 0.25 / n**2, "spin": 15 / 72 / n**2, "frequency": (math.pi / 2 / n) ** 2 / 24}
        if label == "linear":
            quantities += [
                measured("linear, 32 elements: energy of the weight", "J", still["weight"].strain_energy, WEIGHT_ENERGY,
                         BAR_THEORY, rtol=1.01 * bounds["weight"]),
                measured("linear, 32 elements: energy of the spin", "J", still["spin"].strain_energy, SPIN_ENERGY,
                         BAR_THEORY, rtol=1.01 * bounds["spin"]),
                measured("linear, 32 elements: first frequency", "Hz", modes.frequencies[0], frequency, BAR_THEORY,
                         rtol=1.01 * bounds["frequency"]),
            ]  # fmt: skip
        else:
            quantities += [
                measured("quadratic, 32 elements: first frequency", "Hz", modes.frequencies[0], frequency, BAR_THEORY,
                         rtol=1e-7),
                measured("quadratic, 32 elements: amplitude, real part", "m", amplitude.real,
                         exact_response(SHAKEN).real, BAR_THEORY, rtol=1e-6),
                measured("quadratic, 32 elements: amplitude, imaginary part", "m", amplitude.imag,
                         exact_response(SHAKEN).imag, BAR_THEORY, rtol=1e-5),
                measured("quadratic, 32 elements: effective mass of the first mode", "kg",
                         modes.effective_masses()[0, 0], RHO * AREA * L * 8 / math.pi**2, BAR_THEORY, rtol=1e-6),
            ]  # fmt: skip
        names = {
            "weight": "energy of the weight", "spin": "energy of the spin",
            "frequency": "first frequency", "response": "forced amplitude",
        }  # fmt: skip
        for key, name in names.items():
            if key == "weight" and label == "quadratic":  # a parabola, which the elements hold exactly
                quantities.append(
                    measured("quadratic, 4 elements: energy of the weight", "J", WEIGHT_ENERGY * (1.0 + errors[key][0]),
                             WEIGHT_ENERGY, BAR_THEORY, rtol=1e-10)
                )  # fmt: skip
                continue
            studies.append(
                ConvergenceStudy(f"{label}: {name}", COUNTS, errors[key], order, order - 0.2, floor=1e-11, counts=True)
            )
    progress("picture")
    return Outcome(quantities, studies, (), [("Amplitude of the end: closed form and 8 elements.", _picture())])


def _picture() -> Figure:
    """The frequency response over three resonances."""
    frequencies = np.linspace(50.0, 2.6 * SPEED / (2.0 * L), 240)
    operators = bar(Hexahedron20(), 8)
    push = fx.linear.NodalForce("right", (FORCE, 0.0, 0.0), share="faces")
    found = fx.linear.harmonic_response(
        operators, frequencies, push, [("right", "ux")], fx.linear.StructuralDamping(LOSS), GUIDED
    )
    drawing, axes = figure(6.4, 3.2)
    axes.plot(frequencies, found.amplitudes[:, 0, 0], color=COLOURS[0], linewidth=2.4, label="8 elements")
    exact = [abs(exact_response(f)) for f in frequencies]
    axes.plot(frequencies, exact, color="black", linewidth=0.9, linestyle=(0, (4, 3)), label="exact")
    axes.set_yscale("log")
    axes.set_xlabel("frequency [Hz]")
    axes.set_ylabel("amplitude [m]")
    axes.legend(frameon=False)
    return drawing


CASE = Case(
    id="solid-bar-analyses",
    title="Bar of solid elements: weight, spin, vibration, forced motion",
    area="linear parts",
    summary=(
        "A bar of hexahedra along x, held at its left face and guided at its sides, without Poisson's ratio: a bar in "
        "the sense of one-dimensional theory. It hangs under its weight, spins about an axis through its left end, "
        "vibrates, and is shaken at its right end with structural damping.\n\n"
        "In one dimension consistent loads make displacements at the nodes exact whatever the mesh; energies, "
        "frequencies and amplitudes converge with twice the degree of the elements."
    ),
    run=run,
    source="Elementary theory of the elastic bar.",
    equations=(
        r"u = \dfrac{\rho g}{E}(L x - \dfrac{x^2}{2}), \qquad "
        r"u = \dfrac{\rho \omega^2}{E}(\dfrac{L^2 x}{2} - \dfrac{x^3}{6})",
        r"f_1 = \dfrac{1}{4L}\sqrt{E/\rho}, \qquad \hat u(L) = \dfrac{F \tan kL}{E(1 + i\eta) A k}, \;\; "
        r"k = \omega\sqrt{\rho/(E(1 + i\eta))}",
    ),
    limits=("One direction of stress only; bending and shear of solids are in other cases.",),
)
