"""E05 and relatives: chains under gravity, a string under tension, a beam in tension and close to buckling."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np

import flexmbs as fx
from flexmbs.elements import ANCFCable2D, CableStrain
from flexmbs.verification import Case, ConvergenceStudy, Outcome, Progress
from flexmbs.verification.cases.common import COLOURS, bending_only, figure, measured
from flexmbs.verification.reference.chains import stretched_beam
from flexmbs.verification.reference.data import load_reference
from flexmbs.verification.reference.rod import ENGINEERING, GREEN

CLOSED = "closed form, small vibrations about the stretched beam"


def _hanging(
    length: float, gravity: float, elements: int, EI: float, EA: float, bars: int
) -> tuple[Any, fx.ModalSolution]:
    """Modes of ``bars`` hinged members that hang from a pin, each of ``elements`` cables with unit mass per length."""
    members = [
        fx.FlexibleBody.line(
            (0.0, -length * i / bars), (0.0, -length * (i + 1) / bars), elements=elements, element=ANCFCable2D(),
            stiffness=fx.BeamStiffness(EA=EA, EI_z=EI, mass_per_length=1.0), name=f"member {i + 1}",
        )
        for i in range(bars)
    ]  # fmt: skip
    hinges = [fx.Hinge(a.end, b.start) for a, b in pairwise(members)]
    weight = fx.Gravity((0.0, -gravity), history=fx.Constant())  # from the start: only weight holds a hinged chain
    model = fx.Model(*members, *hinges, fx.Pin(members[0].start), weight)
    return members, fx.solve_modal(fx.solve_static(model), modes=5)


def run_chain(progress: Progress) -> Outcome:
    """A hanging cable of little bending stiffness, and chains of stiff hinged bars."""
    stored = load_reference("e05")
    length, gravity = stored.parameters["L"], stored.parameters["g"]
    quantities, studies = [], []
    name = "continuous chain omega_n = j0n/2 sqrt(g/L), n=1..5"
    exact = np.array([stored.value(name, i) for i in range(5)])
    stiffnesses = (1.0, 1e-1, 1e-2, 1e-4)
    found = []
    for EI in stiffnesses:
        progress(f"cable, EI = {EI:g}")
        _, modes = _hanging(length, gravity, 100, EI, 1e9, 1)
        found.append(modes)
    frequencies = found[-1].angular_frequencies
    for i in range(5):
        reference = stored.reference(name, i)
        quantities.append(
            measured(f"cable, EI = 1e-4 N m²: omega of mode {i + 1}", "rad/s", frequencies[i], reference.value,
                     stored.source, reference.uncertainty, rtol=1e-3)
        )  # fmt: skip
    for bars in (2, 3, 5, 10):
        progress(f"{bars} hinged bars")
        link = 1.0
        _, modes = _hanging(link * bars, gravity, 1, 1e6, 1e8, bars)
        name = f"N={bars} uniform hinged bars (each length l): omega^2 l/g"
        for i in range(min(bars, 5)):
            reference = stored.reference(name, i)
            value = modes.angular_frequencies[i] ** 2 * link / gravity
            quantities.append(
                measured(f"{bars} hinged bars: omega² l/g of mode {i + 1}", "-", value, reference.value, stored.source,
                         reference.uncertainty, rtol=2e-5)
            )  # fmt: skip
    errors = [abs(m.angular_frequencies[0] / exact[0] - 1.0) for m in found]
    studies.append(
        ConvergenceStudy("first frequency of the cable as its bending stiffness vanishes", stiffnesses[:3], errors[:3],
                         1.0, 0.9, floor=1e-9, label="EI [N m²]")
    )  # fmt: skip
    members, modes = _hanging(length, gravity, 100, 1e-4, 1e9, 1)
    drawing, axes = figure(4.6, 4.4)
    for i in range(3):
        line = modes.shape(members[0], i, 1.0)[..., :2].reshape(-1, 2)
        axes.plot(line[:, 0] / np.abs(line[:, 0]).max(), line[:, 1], color=COLOURS[i], label=f"mode {i + 1}")
    axes.set_xlabel("deflection")
    axes.set_ylabel("y [m]")
    axes.legend(frameon=False)
    return Outcome(
        quantities, studies, (), [("The first three modes of the hanging cable.", drawing)],
        ["Bars are single cable elements with EI = 1e6 N m² and EA = 1e8 N; their own bending adds less than 2e-5."],
    )  # fmt: skip


def run_stretched(progress: Progress) -> Outcome:
    """Pinned beams under axial force, from a string to a beam about to buckle, with both strain measures."""
    quantities, studies, curve = [], [], []
    counts = (8, 16, 32, 64)
    euler = math.pi**2
    EA = 1e4
    for label, EI, force, modes_wanted in (
        ("string", 1e-3, 100.0, 3),
        ("beam in tension", 1.0, 50.0, 3),
        ("beam at 0.9 of its buckling load", 1.0, -0.9 * euler, 2),
    ):
        for strain, law in ((CableStrain.MATERIAL, ENGINEERING), (CableStrain.GREEN, GREEN)):
            progress(f"{label}, {strain.name.lower()} strain")
            errors = []
            for elements in counts:
                modes = _axial(elements, EA, EI, force, strain, modes_wanted)
                exact = stretched_beam(1, EI=EI, EA=EA, mass=1.0, length=1.0, force=force, law=law)
                errors.append(abs(modes.angular_frequencies[0] / exact - 1.0))
            for n in range(1, modes_wanted + 1):
                exact = stretched_beam(n, EI=EI, EA=EA, mass=1.0, length=1.0, force=force, law=law)
                quantities.append(
                    measured(f"{label}, {strain.name.lower()} strain: omega of mode {n}", "rad/s",
                             modes.angular_frequencies[n - 1], exact, CLOSED, 1e-12 * exact, rtol=1e-5)
                )  # fmt: skip
            if label != "string":
                studies.append(
                    ConvergenceStudy(f"{label}, {strain.name.lower()} strain, mode 1", counts, errors, 4.0, 3.8,
                                     floor=1e-11, counts=True)
                )  # fmt: skip
    forces = np.linspace(-0.98, 2.0, 8)
    for f in forces:
        modes = _axial(32, EA, 1.0, f * euler, CableStrain.MATERIAL, 1)
        curve.append(modes.angular_frequencies[0])
    drawing, axes = figure()
    fine = np.linspace(-0.99, 2.0, 200)
    exact_curve = [
        stretched_beam(1, EI=1.0, EA=EA, mass=1.0, length=1.0, force=f * euler) ** 2 / euler**2 for f in fine
    ]
    axes.plot(fine, exact_curve, color="black", linewidth=0.9, linestyle=(0, (4, 3)), label="closed form")
    axes.plot(forces, np.array(curve) ** 2 / euler**2, "o", color="#1f5fa8", label="32 elements")
    axes.set_xlabel("axial force / buckling load (tension positive)")
    axes.set_ylabel("(omega / omega of the free beam)²")
    axes.legend(frameon=False)
    return Outcome(
        quantities, studies, (), [("The square of the frequency falls with compression, to zero at buckling.", drawing)]
    )


def _axial(elements: int, EA: float, EI: float, force: float, strain: CableStrain, modes: int) -> fx.ModalSolution:
    """Modes of a pinned beam after an axial force has stretched it."""
    beam = fx.FlexibleBody.line(
        (0, 0), (1, 0), elements=elements, element=ANCFCable2D(strain=strain),
        stiffness=fx.BeamStiffness(EA=EA, EI_z=EI, mass_per_length=1.0), name="beam",
    )  # fmt: skip
    model = fx.Model(beam, fx.Pin(beam.start), fx.Roller(beam.end, normal=(0, 1)), fx.PointForce(beam.end, (force, 0)))
    return bending_only(fx.solve_modal(fx.solve_static(model), modes=modes + 2), modes, beam)


CHAIN = Case(
    id="e05-chain",
    title="Chains under gravity",
    area="modes",
    summary=(
        "Small vibrations of a hanging chain: the continuous one, by a cable whose bending stiffness goes to zero, and "
        "chains of 2 to 10 stiff bars joined by hinges. All stiffness comes from the weight."
    ),
    run=run_chain,
    source="D. Bernoulli (1733): zeros of Bessel's function; hinged bars by their exact eigenproblem.",
    equations=(r"\omega_n = \dfrac{j_{0,n}}{2} \sqrt{g/L}",),
)

STRETCHED = Case(
    id="stretched-beams",
    title="String under tension, beam in tension and close to buckling",
    area="modes",
    summary=(
        "A pinned beam is stretched or compressed by an axial force, and vibrates about that state. The closed form "
        "contains the stretch lambda exactly, for both strain measures."
    ),
    run=run_stretched,
    source="Closed form derived from the energy of the rod to second order about the stretched state.",
    equations=(
        r"\omega_n^2 = \dfrac{k_n^2}{m}\left( \dfrac{N}{\lambda} + \dfrac{EI\,k_n^2}{\lambda^p} \right), \quad "
        r"k_n = \dfrac{n\pi}{L}, \quad p = 2 \;(\mathrm{material}) \;\; 4 \;(\mathrm{Green})",
    ),
)
