"""D01 to D03 and D05 with links that bend and stretch a little: bodies in floating frames against rigid values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import flexmbs as fx
from flexmbs.core.contracts import FloatArray
from flexmbs.elements.linear.frame import Frame
from flexmbs.reduction.model import ReducedModel
from flexmbs.verification import Case, ConvergenceStudy, Measured, Outcome, Progress
from flexmbs.verification.cases.moving import G, against, extrapolated, over_time, stored_times, worst
from flexmbs.verification.reference.data import load_reference

AXIAL = (1e4, 1e5, 1e6, 1e7)
"""Stiffnesses EA [N]; EI is a tenth of it [N m^2], as of a tube."""
LINK, ROTARY = 1e-6, 1e-8
"""Mass [kg/m] and rotary inertia [kg m] of a link; the references have none."""
STEPS = (2e-3, 1e-3)
UNTIL = 2.0


def _section(axial: float) -> fx.BeamStiffness:
    """A light tube."""
    return fx.BeamStiffness(
        EA=axial, EI_y=0.1 * axial, EI_z=0.1 * axial, GJ=0.1 * axial, mass_per_length=LINK, rhoI_y=ROTARY, rhoI_z=ROTARY
    )  # fmt: skip


def _link(axial: float) -> ReducedModel:
    """A link of 1 m along x with 1 kg at its end, which has next to no inertia of rotation."""
    mesh = fx.meshes.line((0, 0, 0), (1, 0, 0), 2)
    ball = fx.linear.NodalMass(2, 1.0, inertia=1e-6 * np.eye(3))
    part = fx.linear.Part(
        mesh, regions=[fx.linear.Region(None, Frame(section=_section(axial)))], connections=[ball], name="link"
    )
    return fx.reduction.reduce(
        part,
        [fx.reduction.Interface("root", [0]), fx.reduction.Interface("ball", [2])],
        0,
        geometric_stiffening=True,
        progress=False,
    )


def _cross(axial: float) -> fx.FloatingBody:
    """Two crossed links with a mass at each end: moments of inertia 1, 2 and 3 kg m^2."""
    arms = (1.0, 0.5)
    points = np.array([(0.0, 0, 0), (arms[0], 0, 0), (-arms[0], 0, 0), (0, arms[1], 0), (0, -arms[1], 0)])
    mesh = fx.meshes.Mesh(points, (fx.meshes.CellBlock("line", np.array([[0, k] for k in range(1, 5)])),))
    region = fx.linear.Region(None, Frame(section=_section(axial), up=(0.0, 0.0, 1.0)))
    rotary = 2.0 * (arms[0] + arms[1]) * ROTARY
    balls = [
        fx.linear.NodalMass(k, (0.5 * wanted - LINK * arm**3 / 3.0 - 0.25 * rotary) / arm**2)
        for k, arm, wanted in ((1, 1.0, 2.0), (2, 1.0, 2.0), (3, 0.5, 1.0), (4, 0.5, 1.0))
    ]
    part = fx.linear.Part(mesh, regions=[region], connections=balls, name="cross")
    reduced = fx.reduction.reduce(
        part,
        [fx.reduction.Interface(f"end {k}", [k]) for k in range(1, 5)],
        0,
        geometric_stiffening=True,
        progress=False,
    )
    p = load_reference("d05").parameters
    return fx.FloatingBody(reduced, angular_velocity=p["omega0"], name="cross")


def _pendulum(axial: float) -> tuple[fx.Model, list[Any]]:
    """D01: hinged at the interface that carries the frame, whose shapes are clamped there."""
    half = np.diag([-1.0, -1.0, 1.0])
    link = fx.FloatingBody(_link(axial), reference="root", rotation=half, name="link")
    hinge = fx.RevoluteJoint(fx.ground, link.interface("root", axis=(0, 0, 1)), name="hinge")
    return fx.Model(link, hinge, fx.Gravity((0, -G, 0))), [link.interface("ball")]


def _spherical(axial: float) -> tuple[fx.Model, list[Any]]:
    """D02: a frame of mean axes."""
    link = fx.FloatingBody(_link(axial), velocity=(0, 2, 0), angular_velocity=(0, 0, 2), name="link")
    joint = fx.SphericalJoint(fx.ground, link.interface("root"), name="joint")
    return fx.Model(link, joint, fx.Gravity((0, 0, -G))), [link.interface("ball")]


def _double(axial: float) -> tuple[fx.Model, list[Any]]:
    """D03: chord frames."""
    links = [
        fx.FloatingBody(_link(axial), reference=("root", "ball"), position=(k, 0, 0), name=f"link {k}") for k in (0, 1)
    ]
    joints = [
        fx.RevoluteJoint(fx.ground, links[0].interface("root", axis=(0, 0, 1)), name="hinge"),
        fx.RevoluteJoint(
            links[0].interface("ball", axis=(0, 0, 1)), links[1].interface("root", axis=(0, 0, 1)), name="elbow"
        ),
    ]
    return fx.Model(*links, *joints, fx.Gravity((0, -G, 0))), [link.interface("ball") for link in links]


def _runs(model: fx.Model) -> list[fx.TimeSolution]:
    """With both steps; the vibrations of the links are far beyond them, and the scheme damps these."""
    scheme = fx.GeneralizedAlpha(rho_inf=0.5)
    return [
        fx.simulate(model, UNTIL, step=h, integrator=scheme, output=fx.Output(every=0.01, energy=False)) for h in STEPS
    ]


def _angles(places: FloatArray) -> FloatArray:
    """Angles (n_t, 2) from the downward vertical of two links, by the places (n_t, 2, 3) of their ends."""
    arms = np.diff(places, axis=1, prepend=0.0)
    return np.asarray(np.arctan2(arms[:, :, 0], -arms[:, :, 1]))


def run(progress: Progress) -> Outcome:
    """Four stiffnesses of four systems; the rest of the step is extrapolated away."""
    quantities: list[Measured] = []
    studies, curves = [], []
    made: Sequence[tuple[str, Any, str, Sequence[float], Any]] = (
        ("d01", _pendulum, "t={:g} s position (x,y)", (0.5, 1.0, 2.0), lambda p: p[:, 0, :2]),
        ("d02", _spherical, "t={:g} s position (x,y,z)", (0.5, 1.0, 2.0), lambda p: p[:, 0]),
        ("d03", _double, "t={:g} s angles (theta1, theta2)", (0.5, 1.0, 2.0), _angles),
        ("d05", _cross, "t={:g} s body angular velocity", (1.0, 2.0), None),
    )
    for identity, build, name, times, of in made:
        stored = load_reference(identity)
        exact = np.array([stored.quantities[name.format(t)]["value"] for t in times])
        errors = []
        for axial in AXIAL:
            progress(f"{identity}, EA = {axial:g} N")
            if of is None:
                body = build(axial)
                model, ends = fx.Model(body), []
            else:
                model, ends = build(axial)
            found = []
            for solution in _runs(model):
                rows = stored_times(solution, times)
                if of is None:
                    found.append(solution.angular_velocity(body)[rows])
                else:
                    found.append(of(np.stack([solution.position(end)[rows] for end in ends], axis=1)))
            better = extrapolated(*found)
            errors.append(worst(better, exact))
        for row, t in zip(better, times, strict=True):
            figure = name.format(t)
            atol = {"d01": 5e-5, "d02": 5e-5, "d03": 1e-4, "d05": 1e-3}[identity]
            quantities += against(identity, figure, f"{identity}, EA = {AXIAL[-1]:g} N: {figure}", row, atol)
        studies.append(
            ConvergenceStudy(f"{identity}: largest error against rigid links", [1.0 / a for a in AXIAL], errors, 1.0,
                             0.9, floor=3e-6, label="compliance 1/EA in 1/N")
        )  # fmt: skip
        curves.append((identity, np.log10(AXIAL), np.log10(errors)))
    drawing = over_time(curves, "log10 of the error")
    drawing.axes[0].set_xlabel("log10 of EA in N")
    return Outcome(quantities, studies, (), [("Errors against rigid links.", drawing)])


CASE = Case(
    id="stiff-links",
    title="D01 to D03 and D05 with stiff flexible links",
    area="flexible motion",
    summary=(
        "A simple, a spherical and a double pendulum and a free body that turns over, made of reduced beams with "
        "masses at their ends in floating frames: a tangent frame, mean axes, chord frames. With growing stiffness "
        "they come to the values of rigid links, as the compliance."
    ),
    run=run,
    source="References D01, D02, D03, D05: closed forms and Taylor series.",
    limits=(
        "The links weigh 1e-6 kg/m, where the references have massless ones.",
        "The cross starts undeformed in its spin and rings, which the scheme damps.",
    ),
    slow=True,
)
