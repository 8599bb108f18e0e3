"""D20: a tether with a mass at its tip that rotates about a fixed point: vibrations about the radial steady state."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.optimize import least_squares

import flexmbs as fx
from flexmbs.core.contracts import FloatArray
from flexmbs.elements import ANCFBeam, ANCFCable3D, Gauss, GeometricallyExactBeam
from flexmbs.verification import Case, ConvergenceStudy, Outcome, Progress
from flexmbs.verification.cases.common import COLOURS, figure, measured
from flexmbs.verification.cases.modes.spatial_rod_modes import spinning
from flexmbs.verification.reference.data import load_reference

RATIOS = (0, 0.1, 1, 10)
"""Mass at the tip by that of the tether."""
ACROSS, WITHIN = "out-of-plane", "in-plane"
CABLE = ANCFCable3D(axial=Gauss(3))
"""Not its own rule of Lobatto, one point of which is the free end, where there is no tension."""
STIFFNESS = {"EI_z": 1e-7, "mass_per_length": 1.0}
SHEAR = {"EI_y": 1e-7, "GJ": 1e-3, "GA_y": 1e5, "GA_z": 1e5, "rhoI_y": 1e-6, "rhoI_z": 1e-6}
"""Bending so soft that it counts for nothing; length, mass and rate of rotation are one."""


def tether(element: Any, elements: int, EA: float = 1e7) -> fx.FlexibleBody:
    """The tether along x."""
    more = {} if isinstance(element, ANCFCable3D) else SHEAR
    stiffness = fx.BeamStiffness(EA=EA, **STIFFNESS, **more)
    return fx.FlexibleBody.line(
        (0, 0, 0), (1, 0, 0), elements=elements, element=element, stiffness=stiffness, name="tether"
    )


def modes(element: Any, elements: int, ratio: float) -> dict[str, FloatArray]:
    """The lowest frequencies across the plane of rotation and in it, by the rate; those of torsion are left out."""
    body = tether(element, elements)
    found, shares = spinning(fx.Model(body, fx.Pin(body.start)), 1.0, {body.end: ratio})
    across = shares[:, 2] > shares[:, :2].sum(axis=1)
    moving = shares.sum(axis=1) > 1e-6
    lateral = shares[:, 1] > shares[:, 0]
    return {ACROSS: found[across & moving], WITHIN: found[~across & lateral & moving]}


def run_modes(progress: Progress) -> Outcome:
    """Cable and beam with directors, four masses."""
    stored = load_reference("d20")
    kinds: dict[str, tuple[Any, int]] = {"cable": (CABLE, 12), "directors": (ANCFBeam(), 12)}
    quantities, drawn = [], []
    for label, (element, elements) in kinds.items():
        for ratio in RATIOS:
            progress(f"{label}, mass {ratio:g}")
            found = modes(element, elements, ratio)
            for plane in (ACROSS, WITHIN):
                name = f"tip mass/tether mass = {ratio:g}: {plane} omega_n/Omega"
                # the first one in the plane is the rotation of all, of frequency zero
                first = 1 if plane == WITHIN else 0
                own = found[plane][found[plane] > 0.1] if first else found[plane]
                for i in range(first, 3):
                    reference = stored.reference(name, i)
                    value = own[i - first]
                    quantities.append(
                        measured(f"{label}, mass {ratio:g}, {plane} {i + 1}", "-", value, reference.value,
                                 stored.source, reference.uncertainty, rtol=1e-3)
                    )  # fmt: skip
                    drawn.append((label, ratio, plane, i + 1, value))
    studies = []
    for label, element in (("cable", CABLE), ("directors", ANCFBeam())):
        progress(f"{label}, meshes")
        second = stored.value("tip mass/tether mass = 1: out-of-plane omega_n/Omega", 1)
        counts = (2, 3, 5) if label == "cable" else (2, 4, 8)
        errors = [abs(modes(element, n, 1)[ACROSS][1] / second - 1.0) for n in counts]
        studies.append(
            ConvergenceStudy(f"{label}: second frequency out of the plane, mass 1", counts, errors, 4.0, 3.0,
                             floor=1e-6, counts=True)
        )  # fmt: skip
    drawing, axes = figure()
    for label, marker in (("cable", "o"), ("directors", "x")):
        for plane, colour in ((ACROSS, COLOURS[0]), (WITHIN, COLOURS[1])):
            points = [(ratio, value) for which, ratio, where, _, value in drawn if which == label and where == plane]
            axes.plot([max(r, 0.03) for r, _ in points], [v for _, v in points], marker, color=colour,
                      fillstyle="none", label=f"{label}, {plane}")  # fmt: skip
    axes.set_xscale("log")
    axes.set_xlabel("mass at the tip / mass of the tether (none: at 0.03)")
    axes.set_ylabel("frequency / rate of rotation")
    axes.legend(frameon=False, fontsize="small")
    return Outcome(quantities, studies, (), [("Frequencies about the radial steady state.", drawing)])


def _push(t: float) -> float:
    """A short push, smooth."""
    return math.sin(math.pi * t / 0.8) ** 2 if t < 0.8 else 0.0


def whirl(element: Any, elements: int, step: float, until: float) -> tuple[fx.TimeSolution, FloatArray, FloatArray]:
    """The motion of a tether with a mass of its own weight, pushed off the radius: inner point and tip (n_t, 3)."""
    body = tether(element, elements, EA=1e4)
    end = fx.PointMass(1.0, (1.0, 0, 0), name="end", velocity=(0.0, 1.0, 0.0))
    inner = fx.Attachment(body, (int(np.argmin(np.abs(body.mesh.points[:, 0] - 0.25))),), "inner")
    model = fx.Model(
        body, end, fx.Pin(body.start), fx.SphericalJoint(body.end, end, name="tie"),
        fx.InitialVelocity(body, angular_velocity=(0.0, 0.0, 1.0)),
        fx.PointForce(inner, (0.0, 0.004, 0.008), history=_push), name="tether",
    )  # fmt: skip
    run = fx.simulate(model, until, step=step, output=fx.Output(every=0.05))
    return run, run.position(inner), run.position(end)


def lines(t: FloatArray, signal: FloatArray, guess: FloatArray) -> FloatArray:
    """Frequencies of the sum of sines, with a constant, that fits a signal best."""

    def table(w: FloatArray) -> FloatArray:
        return np.column_stack([np.ones_like(t), *(f(k * t) for k in w for f in (np.cos, np.sin))])

    def rest(w: FloatArray) -> FloatArray:
        A = table(w)
        return np.asarray(A @ np.linalg.lstsq(A, signal, rcond=None)[0] - signal)

    return np.asarray(least_squares(rest, guess, x_scale=0.01, xtol=1e-12, ftol=1e-12).x)


def run_whirl(progress: Progress) -> Outcome:
    """Frequencies from the motion, and Omega +- omega_n in axes at rest."""
    stored = load_reference("d20")
    exact = {
        plane: [stored.reference(f"tip mass/tether mass = 1: {plane} omega_n/Omega", i) for i in range(3)]
        for plane in (ACROSS, WITHIN)
    }
    quantities, shown = [], []
    kinds: dict[str, tuple[Any, int]] = {
        "exact": (GeometricallyExactBeam(), 8), "directors": (ANCFBeam(), 8), "cable": (CABLE, 16),
    }  # fmt: skip
    for label, (element, elements) in kinds.items():
        progress(label)
        run, inner, tip = whirl(element, elements, 5e-3, 40.0)
        t, late = run.t, run.t >= 1.0
        radial = tip / np.linalg.norm(tip, axis=1)[:, None]
        lag = np.cross(radial[:, :2], inner[:, :2])  # of the inner point behind the tip, in the plane
        shown.append((label, t, inner[:, 2], lag))
        rate = np.polyfit(t[late], np.unwrap(np.arctan2(tip[late, 1], tip[late, 0])), 1)[0]  # the push adds to it
        w = lines(t[late], inner[late, 2], np.array([r.value for r in exact[ACROSS]]) * 1.003) / rate
        for i in range(3):
            reference = exact[ACROSS][i]
            quantities.append(
                measured(f"{label}: {ACROSS} {i + 1}", "-", w[i], reference.value, stored.source,
                         reference.uncertainty, rtol=2e-3)
            )  # fmt: skip
        w = lines(t[late], lag[late], np.array([r.value for r in exact[WITHIN][1:]]) * 1.003) / rate
        for i in (1, 2):
            reference = exact[WITHIN][i]
            quantities.append(
                measured(f"{label}: {WITHIN} {i + 1}", "-", w[i - 1], reference.value, stored.source,
                         reference.uncertainty, rtol=2e-3)
            )  # fmt: skip
        total, (_, H) = run.energy.total, run.momentum()
        quantities += [
            measured(f"{label}: change of energy, by all of it", "-", float(np.abs(total[20:] / total[20] - 1.0).max()),
                     0.0, "conservation law", atol=1e-4),
            measured(f"{label}: change of angular momentum about the axis", "-",
                     float(np.abs(H[20:, 2] / H[20, 2] - 1.0).max()), 0.0, "conservation law", atol=1e-5),
            measured(f"{label}: largest distance of mass and tether", "m",
                     float(np.linalg.norm(tip - run.position(run.system.model.body("tether").end), axis=1).max()), 0.0,
                     "joints stay closed", atol=1e-9),
        ]  # fmt: skip
    drawing, axes = figure()
    for (label, t, z, _), colour in zip(shown, COLOURS, strict=False):
        axes.plot(t, z, color=colour, label=label, linewidth=1.0)
    axes.set_xlabel("rate of rotation x t")
    axes.set_ylabel("inner point out of the plane / L")
    axes.legend(frameon=False)
    return Outcome(quantities, (), (), [("The inner point after a push.", drawing)])


_EQUATIONS = (
    r"\mu\,\ddot w = (T w')', \quad T = \Omega^2\left(M L + \dfrac{1}{2}\mu (L^2 - x^2)\right), \quad "
    r"\omega_{in}^2 = \omega_{out}^2 - \Omega^2",
)
MODES = Case(
    id="d20-in-space",
    title="Rotating tether with tip mass: cable and beam in space",
    area="modes",
    summary=(
        "A tether is held at a point, carries a mass at its tip, and rotates. Its vibrations about the radial steady "
        "state, in the plane of rotation and out of it, from the equations in axes that turn, which hold exactly for "
        "absolute nodal coordinates."
    ),
    run=run_modes,
    source="Simmonds, AIAA J. 3 (1965), for the bare string; Ritz solutions for the tip masses.",
    equations=_EQUATIONS,
    limits=(
        "The bending stiffness, 1e-7 of the centrifugal force times the square of the length, is neglected.",
        "The tension of the cable is integrated by Gauss' rule here. With its own rule, Lobatto's of three points, 12 "
        "elements without a mass at the tip have a false vibration of 2.30 times the rate of rotation, in which the "
        "last slope turns: there is no tension at the end, and the bending stiffness is too small to count.",
    ),
)
WHIRL = Case(
    id="d20-whirl",
    title="Rotating tether with tip mass: motion after a push",
    area="flexible motion",
    summary=(
        "The rotating tether is pushed off the radius at a quarter of its length. Frequencies are fitted to the "
        "motion; energy and angular momentum about the fixed point must stay."
    ),
    run=run_whirl,
    source="Simmonds, AIAA J. 3 (1965), for the bare string; Ritz solutions for the tip masses.",
    equations=_EQUATIONS,
    limits=(
        "Small amplitudes. Forty time units tell frequencies to 2e-3; the first one in the plane, zero, cannot be "
        "fitted.",
    ),
    slow=True,
)
