"""The boom of the short electrodynamic tether under its line load, which turns in the inertial frame."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.integrate import cumulative_simpson

import flexmbs as fx
from flexmbs.core.contracts import FloatArray
from flexmbs.elements import ANCFCable3D, Frame
from flexmbs.verification import Case, Outcome, Progress
from flexmbs.verification.cases.common import COLOURS, figure, measured
from flexmbs.verification.cases.flexible_motion import tether_model as given

LOAD = 40e-6
"""Of the paper [N/m]."""
RATE = 0.05
"""Of its turning [rad/s]: between the two lowest frequencies and their double, so that both planes answer."""
UNTIL, STEP = 400.0, 0.25
MANY = 50.0
"""Times the load that bends the boom far, for statics."""


def _turning(bodies: Any, size: float = LOAD) -> list[fx.DistributedLoad]:
    """(cos, 0, sin) of the angle RATE t, in the inertial frame."""
    return [
        fx.DistributedLoad(body, load, history=history)
        for body in bodies
        for load, history in (
            ((size, 0.0, 0.0), lambda t: np.cos(RATE * t)), ((0.0, 0.0, size), lambda t: np.sin(RATE * t))
        )
    ]  # fmt: skip


def _part() -> fx.linear.Part:
    """The boom with its disk, as one linear part."""
    mesh = fx.meshes.line((0, 0, 0), (0, given.LENGTH, 0), 10)
    frame = fx.linear.Region(None, Frame(section=given.stiffness(), shear=False))
    polar = 0.5 * given.MASS * given.RADIUS**2
    disk = fx.linear.NodalMass("end", given.MASS, np.diag([given.DIAMETRAL, polar, given.DIAMETRAL]))
    return fx.linear.Part(mesh, regions=[frame], connections=[disk], name="boom")


def _roads() -> dict[str, tuple[list[Any], list[Any], Any]]:
    """Items of the model, the bodies that are loaded, and where the end is."""
    reduced = fx.reduction.reduce(_part(), ["start", "end"], modes=6, geometric_stiffening=True, progress=False)
    floating = fx.FloatingBody(reduced, "start", name="boom")
    linear = fx.LinearBody(reduced, fixed="start", name="boom")
    pieces = given.tether(3, None, bow=0.0, retardation=0.0)
    return {
        "substructures, n = 3": (list(pieces.model.items), list(pieces.boom.parts), pieces.contactor),
        "floating body": (
            [floating, fx.FixedJoint(fx.ground, floating.interface("start"))], [floating], floating.interface("end")
        ),
        "linear body": ([linear], [linear], linear.interface("end")),
    }  # fmt: skip


def _exact(t: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Displacements (n_t, 2) of the end along x and z from rest, and the work of the load (n_t,)."""
    places, power = [], np.zeros_like(t)
    rates: dict[Any, Callable[[float], FloatArray]] = {
        np.cos: lambda w: -RATE * np.sin(RATE * t) + w * np.sin(w * t),
        np.sin: lambda w: RATE * (np.cos(RATE * t) - np.cos(w * t)),
    }
    for EI, (force, along) in zip((given.SOFT, given.STIFF), rates.items(), strict=True):
        omega, end, works = given.BOOM.under_load(EI)
        place = np.zeros_like(t)
        for w, e, p in zip(omega, end, works, strict=True):
            free = np.cos(w * t) if force is np.cos else RATE / w * np.sin(w * t)
            gain = LOAD * p / (w**2 - RATE**2)
            place += e * gain * (force(RATE * t) - free)
            power += LOAD * p * force(RATE * t) * gain * along(w)
        places.append(place)
    return np.column_stack(places), np.concatenate(([0.0], cumulative_simpson(power, x=t)))


def run(progress: Progress) -> Outcome:
    """Large static bending, then the motion under the turning load by every road."""
    quantities = []
    across, along = given.BOOM.bent(given.SOFT, MANY * LOAD)
    bent = given.tether(6, None, bow=0.0, retardation=0.0)
    section = fx.BeamStiffness(EA=given.YOUNG * given.AREA, EI_z=given.SOFT, mass_per_length=given.PER_LENGTH)
    cable = fx.FlexibleBody.line((0, 0, 0), (0, given.LENGTH, 0), elements=16, element=ANCFCable3D(), stiffness=section)
    still = {
        "substructures, n = 6": (
            bent.model.with_(*(fx.DistributedLoad(p, (MANY * LOAD, 0, 0)) for p in bent.boom.parts)), bent.contactor
        ),
        "16 absolute-nodal cables": (
            fx.Model(cable, fx.Clamp(cable.start), fx.DistributedLoad(cable, (MANY * LOAD, 0, 0))), cable.end
        ),
    }  # fmt: skip
    for name, (model, end) in still.items():
        progress(f"statics, {name}")
        place = np.ravel(fx.solve_static(model).position(end, step=-1))
        for k, which, wanted in ((0, "across", across), (1, "along", along)):
            quantities.append(
                measured(f"{MANY:g} times the load, {name}: end, {which}", "m", place[k], wanted, "elastica", rtol=1e-3)
            )
    drawing, axes = figure(6.4, 3.8)
    for number, (name, (items, loaded, end)) in enumerate(_roads().items()):
        progress(f"motion, {name}")
        model = fx.Model(*items, *_turning(loaded))
        motion = fx.simulate(model, UNTIL, step=STEP, progress=False)
        exact, work = _exact(motion.t)
        place = motion.position(end)[:, [0, 2]]
        reach = float(np.abs(exact).max())
        quantities += [
            measured(f"turning load, {name}: largest error of the end by its reach", "-",
                     float(np.abs(place - exact).max()) / reach, 0.0, "Ritz, by modes", atol=2e-3),
            measured(f"turning load, {name}: work of the load, by its largest", "-",
                     float(np.abs(motion.energy.work_loads - work).max() / np.abs(work).max()), 0.0, "Ritz, by modes",
                     atol=1e-2),
            measured(f"turning load, {name}: balance of energy, by the largest work", "-",
                     float(np.abs(motion.energy.balance).max() / np.abs(work).max()), 0.0, "conservation", atol=1e-2),
        ]  # fmt: skip
        axes.plot(place[:, 0], place[:, 1], color=COLOURS[number], linewidth=2.2 - 0.7 * number, label=name)
    axes.plot(exact[:, 0], exact[:, 1], color="black", linewidth=0.8, linestyle=(0, (4, 3)), label="Ritz")
    axes.set_aspect("equal")
    axes.set_xlabel("x of the end [m]")
    axes.set_ylabel("z of the end [m]")
    axes.legend(frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
    return Outcome(quantities, figures=[("The end under the load that turns, from rest.", drawing)])


CASE = Case(
    id="tether-line-load",
    title="Boom of a tether under a line load that turns",
    area="flexible motion",
    summary=(
        "The distributed force of 40e-6 N/m on the boom of the short electrodynamic tether, which turns in the "
        "inertial frame: two loads with a cosine and a sine as histories, on substructures, on a floating body and on "
        "a linear body. The motion of the end and the work of the load against Ritz's method by modes; fifty times "
        "the load at rest against the elastica, and beside absolute-nodal cables."
    ),
    run=run,
    source=(
        "J. Valverde et al., Dynamic analysis of a light structure in space: short electrodynamic tether, Virtual "
        "Nonlinear Multibody Systems, NATO ASI, Prague 2002: Q = int F^T (dr/dq) dy, F = (F cos Wt, 0, F sin Wt)."
    ),
    equations=(
        r"Q = \int \left(\frac{\partial r}{\partial q}\right)^T F\, dy, \quad F = f\,(\cos\Omega t, 0, \sin\Omega t)",
    ),
    limits=(
        "The module is held and the boom straight and undamped, so that a closed form stands. The rate of turning is "
        "chosen (the paper prints none).",
    ),
)
