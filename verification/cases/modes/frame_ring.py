"""E07: a free circular ring of frame elements, in its plane and out of it."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg

import flexmbs as fx
from flexmbs.core.contracts import FloatArray
from flexmbs.core.eigen import lowest_modes
from flexmbs.elements import Frame
from flexmbs.linear.operators import Operators
from flexmbs.linear.part import Part
from flexmbs.linear.region import Region
from flexmbs.verification import Case, ConvergenceStudy, Measured, Outcome, Progress, Table
from flexmbs.verification.cases.common import COLOURS, figure, measured
from flexmbs.verification.reference.data import load_reference

COUNTS = (60, 120, 240)
HARMONICS = (2, 3, 4, 5)
IN_THE_PLANE, ACROSS = (0, 1, 5), (2, 3, 4)
"""Components along radius, tangent and normal."""

OUT_OF_PLANE = "out-of-plane bending-torsion n=2..5"
IN_PLANE = "in-plane bending with extension (no shear, no rotary inertia) n=2..5"
THIN = "in-plane inextensional bending n=2..5"
EXTENSIONAL = "extensional branch n=1..3"
BREATHING = "breathing mode n=0 sqrt(E/rho)/R"
SHIFT = -100.0  # below the rigid motions, well above -omega^2 of the first elastic mode


def _ring(radius: float, elements: int, element: Frame, material: Any = None) -> Operators:
    """A polygon with its corners on the circle."""
    angle = 2 * np.pi * np.arange(elements) / elements
    points = radius * np.column_stack([np.cos(angle), np.sin(angle), 0 * angle])
    numbers = np.arange(elements)
    mesh = fx.meshes.Mesh(points, (fx.meshes.CellBlock("line", np.column_stack([numbers, (numbers + 1) % elements])),))
    return Part(mesh, regions=[Region(None, element, material)], name="ring").assemble()


def harmonic(operators: Operators, n: int, components: tuple[int, ...]) -> FloatArray:
    """All frequencies of a regular polygon that go with cos and sin of n times the angle; each occurs twice.

    The components of the nodes are taken along the radius, the tangent and the normal. By symmetry every mode of the
    polygon has one harmonic, so this is no approximation.
    """
    count = len(operators.points)
    angle = 2 * np.pi * np.arange(count) / count
    turned = np.zeros((operators.n, count, 6))
    for i in range(count):
        c, s = np.cos(angle[i]), np.sin(angle[i])
        R = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
        for first in (0, 3):
            turned[6 * i + first : 6 * i + first + 3, i, first : first + 3] = R
    waves = [np.cos(n * angle), np.sin(n * angle)] if n else [np.ones(count)]
    B = np.concatenate([np.einsum("uni,n->ui", turned[:, :, components], wave) for wave in waves], axis=1)
    K, M = B.T @ (operators.K @ B), B.T @ (operators.M @ B)
    shift = 1e-3 * np.trace(K) / np.trace(M)
    inverse = linalg.eigh(M, K + shift * M, eigvals_only=True)
    massive = inverse[inverse > 1e-9 * inverse[-1]]  # rotations without inertia follow the rest
    return np.asarray(np.sqrt(np.maximum(1.0 / massive[::-1] - shift, 0.0)))


def run(progress: Progress) -> Outcome:
    """A ring without shear and rotary inertia against the exact figures, and a real one against the thin-ring ones."""
    stored = load_reference("e07")
    data = stored.parameters
    radius, section = data["R"], fx.Circle(diameter=data["d"])
    material = fx.Elastic(youngs_modulus=data["E"], poissons_ratio=data["nu"], density=data["rho"])
    E, G = material.youngs_modulus, material.shear_modulus
    bare = fx.BeamStiffness(
        EA=E * section.area, EI_z=E * section.I_z, GJ=G * section.J, mass_per_length=data["rho"] * section.area
    )
    found: dict[int, dict[str, Any]] = {}
    for elements in COUNTS:
        progress(f"{elements} elements")
        operators = _ring(radius, elements, Frame(section=bare, shear=False))
        found[elements] = _thin(operators)
    quantities: list[Measured] = []
    studies: list[ConvergenceStudy] = []
    for name in (OUT_OF_PLANE, IN_PLANE, EXTENSIONAL):
        n_values = len(stored.quantities[name]["value"])
        label = name.split(" n=")[0].replace(" (no shear, no rotary inertia)", "")
        start = int(name.split(" n=")[1][0])
        for i in range(n_values):
            reference = stored.reference(name, i)
            fine, coarse = found[240][name][i], found[120][name][i]
            quantities.append(
                measured(f"{label}, n = {start + i}: omega, extrapolated", "rad/s", (4 * fine - coarse) / 3,
                         reference.value, stored.source, reference.uncertainty, rtol=1e-5)
            )  # fmt: skip
        errors = [abs(found[k][name][-1] / stored.value(name, n_values - 1) - 1.0) for k in COUNTS]
        studies.append(ConvergenceStudy(f"{label}, last n", COUNTS, errors, 2.0, 1.9, counts=True))
    breathing = stored.reference(BREATHING)
    quantities.append(
        measured("breathing: omega, extrapolated", "rad/s", (4 * found[240][BREATHING] - found[120][BREATHING]) / 3,
                 breathing.value, stored.source, breathing.uncertainty, rtol=1e-5)
    )  # fmt: skip
    progress("with shear and rotary inertia")
    real, rows, shapes = _real(_ring(radius, 240, Frame(section=section), material), stored, data["d"] / radius)
    table = Table(
        "Ring with shear and rotary inertia, 240 elements, against thin-ring theory",
        ("mode", "frame [rad/s]", "thin ring [rad/s]", "relative difference", "stated neglect (d n/R)²"),
        rows,
    )
    remark = (
        "Order 2 is that of the polygon: its corners lie on the circle, its sides inside. Thin-ring theory has neither "
        "shear nor rotary inertia; without them the frame converges to it, with them it lies below by less than what "
        "the reference says it neglects."
    )
    return Outcome([*quantities, *real], studies, [table], [("Modes 2 and 3 in the plane.", shapes)], [remark])


def _thin(operators: Operators) -> dict[str, Any]:
    """Frequencies by the names of the reference; bending also by Lanczos on the whole ring."""
    pairs = lowest_modes(operators.K, operators.M, 6 + 4 * len(HARMONICS), shift=SHIFT)
    elastic = np.sqrt(pairs.values[6:])
    flat = np.abs(pairs.vectors[operators.dofs.component == 2]).max(axis=0)[6:]
    inside = flat < 1e-3 * np.abs(pairs.vectors).max()
    # every bending mode comes twice
    return {
        IN_PLANE: elastic[inside][::2][: len(HARMONICS)],
        OUT_OF_PLANE: elastic[~inside][::2][: len(HARMONICS)],
        # the branches in the plane: bending (or rigid), extension, and rotation of the nodes against their neighbours
        EXTENSIONAL: [harmonic(operators, n, IN_THE_PLANE)[2] for n in (1, 2, 3)],
        BREATHING: harmonic(operators, 0, IN_THE_PLANE)[1],
    }


def _real(operators: Operators, stored: Any, slenderness: float) -> tuple[list[Measured], list[Any], Any]:
    """Bending of the ring as it is: below the thin one, by no more than the theory neglects."""
    quantities, rows = [], []
    for name, components in ((THIN, IN_THE_PLANE), (OUT_OF_PLANE, ACROSS)):
        label = name.split(" n=")[0]
        for i, n in enumerate(HARMONICS):
            omega = float(harmonic(operators, n, components)[0])
            reference = stored.reference(name, i)
            neglect = (slenderness * n) ** 2
            quantities.append(
                measured(f"with shear and rotary inertia, {label}, n = {n}: omega", "rad/s", omega, reference.value,
                         stored.source, reference.uncertainty, rtol=neglect)
            )  # fmt: skip
            difference = omega / reference.value - 1.0
            rows.append(
                (f"{label}, {n}", f"{omega:.5f}", f"{reference.value:.5f}", f"{difference:.1e}", f"{neglect:.1e}")
            )
    return quantities, rows, _drawing(operators)


def _drawing(operators: Operators) -> Any:
    """Two modes in the plane."""
    pairs = lowest_modes(operators.K, operators.M, 14, shift=SHIFT)
    drawing, axes = figure(4.6, 4.2)
    points = operators.points
    closed = np.append(np.arange(len(points)), 0)
    axes.plot(*points[closed, :2].T, color="black", linewidth=0.8, linestyle=(0, (4, 3)))
    moved = operators.displacements(pairs.vectors)
    inside = [i for i in range(6, 14) if np.abs(moved[:, 2, i]).max() < 1e-3 * np.abs(moved[:, :2, i]).max()]
    for colour, i in zip(COLOURS, inside[::2], strict=False):
        shape = points[:, :2] + 0.2 * moved[:, :2, i] / np.abs(moved[:, :2, i]).max()
        axes.plot(*shape[closed].T, color=colour, label=f"{np.sqrt(pairs.values[i]):.2f} rad/s")
    axes.set_aspect("equal")
    axes.legend(frameon=False)
    return drawing


CASE = Case(
    id="frame-ring",
    title="Free circular ring of frame elements",
    area="modes",
    summary=(
        "Bending in the plane and out of it, extension and breathing of a thin steel ring, free in space, as a polygon "
        "of frame elements. Frequencies of 120 and 240 elements are extrapolated with the order 2 of the polygon.\n\n"
        "Bending comes from a Lanczos iteration on the whole ring; extension lies among a hundred bending modes and "
        "comes from the harmonics of the polygon, which its symmetry separates exactly."
    ),
    run=run,
    source="A. E. H. Love, Theory of Elasticity, section 293; S. P. Timoshenko, Vibration Problems in Engineering.",
    equations=(
        r"\omega_n^2 = \dfrac{EI}{\rho A R^4}\, \dfrac{n^2 (n^2-1)^2}{n^2+1} \quad \mathrm{(inextensional, in\ plane)}",
    ),
    limits=("The thin-ring formulas neglect shear and rotary inertia, of the order (d n / R)².",),
)
