"""D21: a chain whirls steadily about the vertical."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np

import flexmbs as fx
from flexmbs.core.contracts import FloatArray
from flexmbs.elements import ANCFCable3D
from flexmbs.meshes.generate import chain
from flexmbs.verification import Case, ConvergenceStudy, Outcome, Progress
from flexmbs.verification.cases.common import COLOURS, figure, measured
from flexmbs.verification.cases.moving import CONSERVED, against, over_time
from flexmbs.verification.reference.data import load_reference
from flexmbs.verification.reference.steady_rotation import whirling_chain

FACTORS = (1.2, 2.0, 3.0)
"""Squares of the speed by that of the critical speed."""
BARS = (10, 20, 40)


def _whirling(bars: int, omega: float, turns: float) -> tuple[fx.TimeSolution, list[fx.RigidBody], fx.SphericalJoint]:
    """Bars on the shape of the chain, turning with it; the top is at the origin, all data are scaled to 1."""
    length = 1.0 / bars
    joints = whirling_chain(1.0, 1.0, 1.0, omega, np.linspace(0.0, 1.0, bars + 1))
    along = np.diff(np.column_stack([joints.radius, 0.0 * joints.radius, joints.height]), axis=0)
    along /= np.linalg.norm(along, axis=1)[:, None]
    points = np.vstack([np.zeros(3), np.cumsum(along * length, axis=0)])
    spin = np.array([0.0, 0.0, omega])
    bodies = []
    for i, (t, (a, b)) in enumerate(zip(along, pairwise(points), strict=True)):
        frame = np.column_stack([t, (0.0, 1.0, 0.0), np.cross(t, (0.0, 1.0, 0.0))])
        middle, J = (a + b) / 2.0, length**3 / 12.0
        bodies.append(
            fx.RigidBody(length, (1e-3 * J, J, J), position=middle, rotation=frame, velocity=np.cross(spin, middle),
                         angular_velocity=frame.T @ spin, name=f"bar {i}")
        )  # fmt: skip
    links = [
        fx.SphericalJoint(a, b, at=p, name=f"link {i}")
        for i, (a, b, p) in enumerate(zip([fx.ground, *bodies], bodies, points, strict=False))
    ]
    model = fx.Model(*bodies, *links, fx.Gravity((0.0, 0.0, -1.0)))
    period = 2.0 * math.pi / omega
    run = fx.simulate(model, turns * period, step=period / 400.0, output=fx.Output(every=period / 40.0))
    return run, bodies, links[0]


def _cable(elements: int, omega: float) -> tuple[fx.TimeSolution, FloatArray]:
    """A spatial cable on the shape, free of stress there and turning with it; the path of its free end for a turn."""
    shape = whirling_chain(1.0, 1.0, 1.0, omega, np.linspace(0.0, 1.0, elements + 1))
    still = 0.0 * shape.radius
    mesh = chain(
        np.column_stack([shape.radius, still, shape.height]),
        np.column_stack([shape.radius_slope, still, shape.height_slope]),
    )
    stiffness = fx.BeamStiffness(EA=1e4, EI_y=1e-5, EI_z=1e-5, mass_per_length=1.0)
    cable = fx.FlexibleBody(mesh, ANCFCable3D(), stiffness=stiffness, name="cable")
    turning = fx.InitialVelocity(cable, angular_velocity=(0.0, 0.0, omega))
    model = fx.Model(cable, turning, fx.Pin(cable.start), fx.Gravity((0.0, 0.0, -1.0)))
    period = 2.0 * math.pi / omega
    scheme = fx.GeneralizedAlpha(rho_inf=0.6)
    run = fx.simulate(model, period, step=period / 400.0, integrator=scheme, output=fx.Output(every=period / 40.0))
    return run, run.position(cable.end)


def _radius(run: fx.TimeSolution, bodies: list[fx.RigidBody]) -> FloatArray:
    """Radius of the free end over time."""
    place = run.position(bodies[-1].marker((0.5 / len(bodies), 0.0, 0.0)))
    return np.asarray(np.hypot(place[:, 0], place[:, 1]))


def run(progress: Progress) -> Outcome:
    """One turn at three speeds."""
    stored = load_reference("d21")
    critical = stored.value("critical omega^2 L/g for whirl modes n=1..3 (j0n^2/4)", 0)
    quantities, studies, curves = [], [], []
    drawing, axes = figure(4.8, 4.4)
    for factor, colour in zip(FACTORS, COLOURS, strict=False):
        square = factor * critical
        omega = math.sqrt(square)
        prefix = f"omega^2 L/g = {square:.10g}: "
        radius_name, tension_name = (
            prefix + "radius of the free end / L (mode 1)",
            prefix + "tension at the top / (mu g L)",
        )
        radii, tensions = [], []
        for bars in BARS:
            progress(f"{factor:g} times the square of the critical speed, {bars} bars")
            motion, bodies, top = _whirling(bars, omega, 1.0)
            radius, force = _radius(motion, bodies), motion.reaction(top)
            radii.append(float(radius.mean()))
            tensions.append(float(np.linalg.norm(force, axis=1).mean()))
        label = f"omega² = {factor:g} times the critical one, {BARS[-1]} bars"
        quantities += against("d21", radius_name, f"{label}: mean radius of the free end", [radii[-1]], 1e-4)
        quantities += against("d21", tension_name, f"{label}: mean tension at the top", [tensions[-1]], 1e-4)
        quantities.append(
            measured(f"{label}: swing of the radius", "L", float(np.ptp(radius)), 0.0, "steady motion", atol=2e-4)
        )
        balance = float(np.abs(motion.energy.balance).max()) / float(motion.energy.kinetic[0])
        quantities.append(
            measured(f"{label}: change of energy / kinetic energy", "-", balance, 0.0, CONSERVED, atol=1e-5)
        )
        _, spin = motion.momentum()
        drift = float(np.ptp(spin[:, 2]) / abs(spin[0, 2]))
        quantities.append(
            measured(f"{label}: change of angular momentum about z", "-", drift, 0.0, CONSERVED, atol=1e-5)
        )
        quantities.append(
            measured(f"{label}: largest gap", "L", float(motion.residuals[:, 0].max()), 0.0, CONSERVED, atol=1e-10)
        )
        progress(f"{factor:g} times the square of the critical speed, cable")
        _, path = _cable(16, omega)
        label = f"omega² = {factor:g} times the critical one, cable of 16 elements"
        radii_of_cable = np.hypot(path[:, 0], path[:, 1])
        quantities += against(
            "d21", radius_name, f"{label}: mean radius of the free end", [float(radii_of_cable.mean())], 2e-4
        )
        turned = float(np.arctan2(path[-1, 1], path[-1, 0]))
        quantities.append(
            measured(f"{label}: angle from the start after a turn", "rad", turned, 0.0, "steady motion", atol=5e-3)
        )
        exact = stored.value(radius_name)
        studies.append(
            ConvergenceStudy(f"mean radius, {factor:g}", BARS, [abs(r - exact) for r in radii], 2.0, 1.6, counts=True)
        )
        curves.append((f"{factor:g}", motion.t * omega / (2.0 * math.pi), radius))
        shape = whirling_chain(1.0, 1.0, 1.0, omega, np.linspace(0.0, 1.0, 101))
        axes.plot(shape.radius, shape.height, color="black", linewidth=0.8, linestyle=(0, (4, 3)))
        ends = np.array([motion.position(b)[-1] for b in bodies])
        axes.plot(np.hypot(ends[:, 0], ends[:, 1]), ends[:, 2], ".", color=colour, label=f"{factor:g}")
    axes.set_aspect("equal")
    axes.set_xlabel("radius / L")
    axes.set_ylabel("z / L")
    axes.legend(frameon=False, title="omega² / critical")
    over = over_time(curves, "radius of the free end / L")
    over.axes[0].set_xlabel("turns")
    return Outcome(
        quantities, studies, (),
        [("After a turn: centres of the bars, and the steady shape (dashed).", drawing), ("The free end.", over)],
    )  # fmt: skip


CASE = Case(
    id="d21-whirl",
    title="Whirling chain",
    area="flexible motion",
    summary=(
        "Above a critical speed a chain that turns about the vertical through its upper end does not hang straight but "
        "whirls on a curved shape that turns as a whole. The shape is computed beforehand; a chain of rigid bars with "
        "ball joints and a spatial cable, laid on it and moving with it, must stay on it."
    ),
    run=run,
    source="Kolodner, Comm. Pure Appl. Math. 8 (1955) 395. Shape and tension by shooting.",
    equations=(
        r"(N\,\rho')' = -\mu\omega^2\rho, \quad N_z = \mu g s, \quad \omega_c^2 = \dfrac{j_{0,1}^2}{4}\,\dfrac{g}{L}",
    ),
    limits=("Bars lie on a curve only to second order in their length, so the whirl is steady only to that order.",),
)
