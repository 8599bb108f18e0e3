"""An arrow pushed by a string: frequencies under its own inertia, critical pushes, the unstable mode."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

import flexmbs as fx
from flexmbs.core.contracts import FloatArray
from flexmbs.linear import LinearModes, Part
from flexmbs.verification import Case, ConvergenceStudy, Measured, Outcome, Progress, Reference, Tolerance
from flexmbs.verification.cases.common import COLOURS, figure, measured
from flexmbs.verification.reference.arrow import critical_pushes, eigenvalues

TAIL, HEAD, BOW, STRING = 0.2, 0.25, 2.5, 20.0
"""Masses by that of the arrow, and the stiffness of the string across the arrow by EI/l^3, as printed."""

MESH: Any = fx.meshes.Mesh  # takes pairs and lists, too
RITZ = "Legendre-Ritz, 24 terms"
COUNTS = (8, 16, 32, 64)
PRINTED = (14.5, 56.5)


def arrow(elements: int, head: float = HEAD, bow: bool = True) -> Part:
    """The arrow along x with masses at its ends; the bow, a mass, is tied to its tail by the string along y."""
    line = fx.meshes.line((0, 0, 0), (1, 0, 0), elements)
    shaft = fx.BeamStiffness(EA=1e7, EI_y=1.0, EI_z=1.0, GJ=1.0, mass_per_length=1.0)
    frame = fx.elements.Frame(section=shaft, shear=False)
    masses = [fx.linear.NodalMass(at, m) for at, m in (("tail", TAIL), ("head", head)) if m]
    cells = line.cells[0].nodes
    sets = {"tail": [int(cells[0, 0])], "head": [int(cells[-1, 1])]}
    if not bow:
        mesh = MESH(line.points, [("line", cells)], sets)
        return Part(mesh, regions=[fx.linear.Region(None, frame)], connections=masses, name="arrow")
    mesh = MESH(
        [*line.points, (0.0, -1.0, 0.0)],
        [("line", np.vstack([cells, [cells[0, 0], elements + 1]]))],
        {**sets, "bow": [elements + 1]},
        {"shaft": [np.arange(elements)], "string": [np.array([elements])]},
    )
    string = fx.elements.Truss(section=fx.BeamStiffness(EA=STRING, EI_z=1.0, mass_per_length=1e-12))
    regions = [fx.linear.Region("shaft", frame), fx.linear.Region("string", string)]
    masses.append(fx.linear.NodalMass("bow", BOW))
    return Part(mesh, regions=regions, connections=masses, name="arrow on its string")


def in_plane(elements: int) -> dict[int | str, tuple[str, ...]]:
    """What keeps the shaft in the plane x, y; nothing holds it along or across its axis."""
    return dict.fromkeys(range(elements + 1), ("uz", "rx", "ry"))


def pushed(elements: int, phi: float, modes: int) -> LinearModes:
    """Modes across the arrow that accelerates along x with ``phi``; they are counted from its tail."""
    operators = arrow(elements).assemble()
    across = in_plane(elements) | {"bow": ("ux", "uz"), 0: ("ux", "uz", "rx", "ry")}
    if phi == 0.0:
        return fx.linear.vibration_modes(operators, modes, across)
    rest = across | {0: ("ux", "uy", "uz", "rx", "ry", "rz")}
    state = fx.linear.static_response(operators, rest, fx.linear.Acceleration((-phi, 0.0, 0.0)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # of instability, which is what is looked for
        return fx.linear.vibration_modes(operators, modes, across, prestress=state)


def critical(elements: int, head: float, count: int = 2) -> FloatArray:
    """Pushes at which the arrow by itself buckles, in balance with its inertia."""
    push = fx.linear.NodalForce("tail", (1.0 + TAIL + head, 0.0, 0.0))
    loads = [push, fx.linear.Acceleration((-1.0, 0.0, 0.0))]
    return fx.linear.buckling_loads(arrow(elements, head, bow=False), in_plane(elements), loads, count).factors


def elastic(values: FloatArray, phi: float) -> FloatArray:
    """Without the zero of arrow and bow moving together, and without the turn that is free where nothing pushes."""
    kept = np.delete(values, np.argsort(np.abs(values))[: 1 if phi else 2])
    return np.asarray(np.sort(kept))


def run(progress: Progress) -> Outcome:
    """Critical pushes, eigenvalues below them, and the sign of what grows."""
    quantities, studies = [], []
    for head in (HEAD, 0.0):
        progress(f"critical pushes, head mass {head:g}")
        found = [critical(n, head) for n in COUNTS]
        for i, push in enumerate(critical_pushes(head, 2)):
            name = f"critical push {i + 1}, head mass {head:g}"
            quantities.append(measured(name, "-", found[-1][i], push, "Airy functions", 1e-9, rtol=1e-3))
            errors = [abs(f[i] / push - 1.0) for f in found]
            studies.append(ConvergenceStudy(name, COUNTS[i:], errors[i:], 2.0, 1.9, counts=True))
            if head:
                between = Reference(PRINTED[i], "I. Zanevskyy: between 14 and 15, 56 and 57")
                quantities.append(Measured(f"{name}, as printed", "-", found[-1][i], between, Tolerance(atol=0.5)))
    for phi in (0.0, 10.0, 14.0):
        progress(f"modes at the push {phi:g}")
        exact = elastic(eigenvalues(phi, TAIL, HEAD, BOW, STRING)[:7], phi)[:4]
        modes = [pushed(n, phi, 6) for n in COUNTS]
        values = np.array([elastic(m.eigenvalues, phi)[:4] for m in modes])
        for k, reference in enumerate(exact):
            name = f"push {phi:g}: omega^2 of mode {k + 1}"
            quantities.append(measured(name, "-", values[-1, k], reference, RITZ, 1e-6, rtol=1.5e-3))
            if phi and k < 3:
                errors = list(np.abs(values[:, k] / reference - 1.0))
                studies.append(ConvergenceStudy(name, COUNTS, errors, 2.0, 1.9, counts=True))
        growing = int(modes[-1].unstable.sum())
        quantities.append(measured(f"push {phi:g}: modes that grow", "-", growing, float(phi > 0.0), RITZ, atol=0.5))
    progress("pushes up to 60")
    pushes = np.linspace(0.0, 60.0, 21)
    curve = np.array([np.sort(pushed(16, phi, 5).eigenvalues) for phi in pushes])
    fine = np.array([eigenvalues(phi, TAIL, HEAD, BOW, STRING)[:5] for phi in pushes])
    drawing, axes = figure()
    for k in range(5):
        axes.plot(pushes, fine[:, k], color="black", linewidth=0.9, label="Legendre-Ritz" if k == 0 else None)
        axes.plot(pushes, curve[:, k], ".", color=COLOURS[k])
    for push in critical_pushes(HEAD, 2):
        axes.axvline(push, color="#888888", linewidth=0.8, linestyle="--")
    axes.set_ylim(-400.0, 300.0)
    axes.set_xlabel("push m a l²/EI")
    axes.set_ylabel("omega² m l³/EI")
    axes.legend(frameon=False)
    return Outcome(
        quantities, studies, (), [("Squares of the frequencies; dashed: critical pushes.", drawing)],
        ["Arrow and bow together move across at no cost at any push: their eigenvalue zero is left out."],
    )  # fmt: skip


CASE = Case(
    id="arrow-in-flight",
    title="Arrow pushed by a string: critical pushes and the mode that grows",
    area="modes",
    summary=(
        "An elastic arrow with masses at tail and head is accelerated along its axis, with a bow (a mass) on a string "
        "across its tail. Its own inertia presses it, so that its frequencies fall with the push. The turn of the "
        "whole arrow grows at any push; at pushes that depend on the mass of the head alone, elastic modes join it."
    ),
    run=run,
    source="I. Zanevskyy (man and shooting device); critical pushes by Airy functions, modes by Legendre-Ritz.",
    equations=(
        r"X'''' + \varphi\,[(1 + \mu_1 - \xi)\,X']' - \lambda X = 0, \quad \varphi = m a l^2/EI",
        r"S'' + \varphi\,(1 + \mu_1 - \xi)\,S = 0, \quad S'(0) = S'(1) = 0",
    ),
    limits=(
        "The paper prints no dimensions of bow and arrow; release and loss of contact are not computed.",
        "The axial force is constant within an element, which makes the order two.",
    ),
)
