"""D13, D14, D15: spatial slider-crank, Bricard loop, stiff flyball governor."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

import flexmbs as fx
from flexmbs.core.contracts import FloatArray
from flexmbs.verification import Case, Measured, Outcome, Progress
from flexmbs.verification.cases.common import measured
from flexmbs.verification.cases.moving import (
    G,
    HeldPoints,
    against,
    closed,
    energy_change,
    extrapolated,
    joint_matrix,
    largest,
    orders,
    over_time,
    prefixed,
    redundant,
    refine,
    stored_times,
    worst,
)
from flexmbs.verification.reference import spatial
from flexmbs.verification.reference.data import load_reference

MINIMAL = "integration in minimal coordinates"
DOWN = fx.Gravity((0.0, 0.0, -G))

# --- D13: slider-crank -----------------------------------------------------------------------------------------------


def slider_crank(other: bool = False) -> tuple[fx.Model, fx.RigidBody, fx.RigidBody, HeldPoints]:
    """Revolute, spherical, universal (of either kind) and prismatic joint; no equation is redundant."""
    centre, pin, slot = np.array([0.0, 0.1, 0.12]), np.array([0.0, 0.1, 0.2]), np.array([0.2, 0.0, 0.0])
    along = (slot - pin) / 0.3
    h = np.array([0.0, 2.0, -1.0]) / math.sqrt(5.0)
    crank = fx.RigidBody(0.12, (1e-4, 1e-4, 1e-5), position=(centre + pin) / 2.0, name="crank").with_spin(
        (6.0, 0.0, 0.0), about=centre
    )
    rod = fx.RigidBody(
        0.5, (4e-4, 4e-3, 4e-3), position=(pin + slot) / 2.0,
        rotation=np.column_stack([along, h, np.cross(along, h)]), velocity=(0.12, -0.24, 0.0), name="rod",
    ).with_spin((2.4, -1.2, 0.0) if other else (1.92, -0.96, 0.48))  # fmt: skip
    slider = fx.RigidBody(2.0, (1e-4, 1e-4, 1e-4), position=slot, velocity=(0.24, 0.0, 0.0), name="slider")
    axes = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0)) if other else (h, (1.0, 0.0, 0.0))
    joints = [
        fx.RevoluteJoint(fx.ground, crank, at=centre, axis=(1, 0, 0), name="main bearing"),
        fx.SphericalJoint(crank, rod, at=pin, name="pin"),
        fx.UniversalJoint(rod, slider, at=slot, axes=axes, name="cross"),
        fx.PrismaticJoint(fx.ground, slider, at=slot, axis=(1, 0, 0), name="slot"),
    ]
    pairs = [(crank.marker_at(pin), rod.marker_at(pin)), (rod.marker_at(slot), slider.centre)]
    return fx.Model(crank, rod, slider, *joints, DOWN), crank, slider, pairs


def run_slider_crank(progress: Progress) -> Outcome:
    """Two seconds, in which the crank speeds up and slows down several times."""
    model, crank, slider, pairs = slider_crank()
    times, steps = (0.1, 0.2, 0.5, 1.0, 2.0), (2e-3, 1e-3, 5e-4)
    runs = refine(model, 2.0, steps, progress)
    found = []
    for run in runs:
        rows = stored_times(run, times)
        x, v = run.position(slider)[rows, 0], run.velocity(slider)[rows, 0]
        found.append(np.column_stack([x, v, run.angular_velocity(crank)[rows, 0]]))
    whats = ("slider position x", "slider velocity", "crank angular velocity")
    names = [[f"rod inertia (4e-4,4e-3,4e-3), x along rod: t={t:g} s {w}" for w in whats] for t in times]
    exact = np.array([[load_reference("d13").value(name) for name in row] for row in names])
    gap = np.abs(found[-1] - exact).max(axis=0)
    better = extrapolated(found[-2], found[-1])
    quantities: list[Measured] = []
    for j, (what, unit, near, nearer) in enumerate(
        zip(whats, ("m", "m/s", "rad/s"), (2e-5, 1e-3, 5e-3), (1e-6, 5e-5, 5e-4), strict=True)
    ):
        label = f"step 0.5 ms: largest error of {what} at five times"
        quantities.append(measured(label, unit, gap[j], 0.0, MINIMAL, 1e-8, atol=near))
        for i, t in enumerate(times):
            label = f"extrapolated to step 0: t={t:g} s {what}"
            quantities += against("d13", names[i][j], label, [better[i, j]], nearer)
    quantities += [energy_change(runs[-1], 2.0, 1e-3), closed(runs[-1], pairs), *_other_cross(progress)]
    # At 2 s the crank is fastest, and steps of 2 ms are not yet small: orders are fitted up to 1 s.
    studies = [orders(f"{w} up to 1 s", steps, [float(np.abs(f - exact)[:4, j].max()) for f in found])
               for j, w in enumerate(whats)]  # fmt: skip
    grid = np.linspace(0.0, 2.0, 41)[1:]
    motion = spatial.slider_crank().motion(0.0, 6.0, grid, rtol=1e-8)
    run = runs[-1]
    drawing = over_time(
        [
            ("slider x in m", run.t, run.position(slider)[:, 0]),
            ("crank speed in 100 rad/s", run.t, run.angular_velocity(crank)[:, 0] / 100.0),
        ],
        "",
        [(grid, spatial.slider_crank_point(motion[:, 0])[1]), (grid, motion[:, 1] / 100.0)],
    )
    return Outcome(quantities, studies, (), [("Two seconds with a step of 0.5 ms.", drawing)])


def _other_cross(progress: Progress) -> list[Measured]:
    """The variant with the axis of the rod along x and that of the slider along y at the start."""
    model, _, slider, _ = slider_crank(other=True)
    runs = refine(model, 0.5, (2e-3, 1e-3), prefixed(progress, "other cross"))
    x = extrapolated(*(run.position(slider)[-1, :1] for run in runs))
    variant = "variant: universal joint with rod-fixed axis global ex(0) perpendicular to slider-fixed ey: "
    name = f"{variant}t=0.5 s slider position x"
    return against("d13", name, f"extrapolated to step 0, {name}", x, 2e-6)


# --- D14: Bricard loop -----------------------------------------------------------------------------------------------

JOINTS = np.array([(0, 0, 0), (1, 0, 0), (1, -1, 0), (1, -1, 1), (0, -1, 1), (0, 0, 1)], dtype=np.float64)
AXES = np.array([(0, 1, 0), (0, 0, 1), (1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 0, 0)], dtype=np.float64)


def bricard(width: float | None) -> tuple[fx.Model, fx.Marker, HeldPoints]:
    """Five bars and the ground, joined by six hinges; thin bars, or square ones."""
    bars = []
    for i in range(5):
        along = JOINTS[i + 1] - JOINTS[i]
        across = AXES[i]
        axial = 1e-6 if width is None else width**2 / 6.0
        normal = 1.0 / 12.0 if width is None else (1.0 + width**2) / 12.0
        frame = np.column_stack([along, across, np.cross(along, across)])
        middle = (JOINTS[i] + JOINTS[i + 1]) / 2.0
        bars.append(fx.RigidBody(1.0, (axial, normal, normal), position=middle, rotation=frame, name=f"bar {i + 1}"))
    sides, joints, pairs = [fx.ground, *bars, fx.ground], [], []
    for i in range(6):
        a, b = sides[i], sides[i + 1]
        joints.append(fx.RevoluteJoint(a, b, at=JOINTS[i], axis=AXES[i], name=f"hinge {i}"))
        pairs.append((a.marker_at(JOINTS[i]), b.marker_at(JOINTS[i])))
    return fx.Model(*bars, *joints, fx.Gravity((0.0, -G, 0.0))), bars[2].marker_at(JOINTS[3]), pairs


def run_bricard(progress: Progress) -> Outcome:
    """Ten seconds from rest with thin bars, two with square ones."""
    model, P3, pairs = bricard(None)
    times, grid, steps = (0.5, 1.0, 2.0, 3.0, 5.0, 10.0), np.linspace(0.0, 2.0, 21)[1:], (2e-2, 1e-2, 5e-3)
    say = prefixed(progress, "thin bars")
    runs = refine(model, 2.0, steps[:1], say) + refine(model, 10.0, steps[1:], say, every=steps[0])
    exact = bricard_path(None, grid)
    found = [run.position(P3)[stored_times(run, grid)] for run in runs]
    quantities = [largest("thin bars, step 5 ms: largest error of P3", "m", found[-1], exact, 1e-4)]
    better = extrapolated(*(run.position(P3)[stored_times(run, times)] for run in runs[1:]))
    for t, place in zip(times, better, strict=True):
        name = f"t={t:g} s position of joint P3 (between bars 3 and 4)"
        quantities += against("d14", name, f"thin bars, extrapolated to step 0: t={t:g} s, P3", place, 1e-5)
    quantities += [energy_change(runs[-1], 29.43, 1e-4, "thin bars: "), closed(runs[-1], pairs, label="thin bars: ")]
    quantities.append(redundant(runs[-1], 1))
    matrix, _ = joint_matrix(model)
    rank = int(np.linalg.matrix_rank(matrix, 1e-9))
    for name, value in (
        ("degrees of freedom = 30 - rank(G)", 30 - rank),
        ("number of redundant constraints (6 revolute joints = 30 equations)", matrix.shape[0] - rank),
    ):
        quantities += against("d14", name, name, [value], 0.5)
    quantities += _square_bars(times[:3], steps[1:], progress)
    curves = [(f"{axis} of P3", runs[-1].t, runs[-1].position(P3)[:, k]) for k, axis in enumerate("xyz")]
    drawing = over_time(curves, "thin bars, m", [(grid, exact[:, k]) for k in range(3)])
    studies = [orders("P3 at 20 times", steps, [worst(p, exact) for p in found])]
    return Outcome(quantities, studies, (), [("Joint P3 during ten seconds with a step of 5 ms.", drawing)])


def bricard_path(width: float | None, times: FloatArray) -> FloatArray:
    """Reference positions of P3."""
    s = spatial.bricard(width).motion(spatial.bricard_start, 0.0, times)[:, 0]
    return spatial.bricard_joints(s)[0][:, 3]


def _square_bars(times: Sequence[float], steps: Sequence[float], progress: Progress) -> list[Measured]:
    """The variant with bars of 1 x 0.1 x 0.1 m."""
    model, P3, pairs = bricard(0.1)
    runs = refine(model, 2.0, steps, prefixed(progress, "square bars"))
    better = extrapolated(*(run.position(P3)[stored_times(run, times)] for run in runs))
    quantities = []
    for t, place in zip(times, better, strict=True):
        name = f"variant: 1 x 0.1 x 0.1 m bars of density 100: t={t:g} s position of P3"
        quantities += against("d14", name, f"square bars, extrapolated to step 0: t={t:g} s, P3", place, 1e-5)
    return [*quantities, closed(runs[-1], pairs, label="square bars: ")]


# --- D15: governor ---------------------------------------------------------------------------------------------------


ENERGY = 5.0 * G  # of a ball lifted by one metre, J


def governor() -> tuple[fx.Model, fx.RigidBody, fx.RigidBody, HeldPoints]:
    """Shaft, slider, two rods with a ball each, two stiff spring-dampers."""
    data, tilt, up = spatial.Governor(), math.pi / 6.0, np.array([0.0, 0.0, 1.0])
    spin = np.array([0.0, 0.0, 2.0 * math.pi])
    size = (data.side, data.side)
    shaft = fx.RigidBody.box(size=(*size, 1.0), density=data.density, position=(0, 0, 0.5), name="shaft").with_spin(
        spin
    )
    slider = fx.RigidBody.box(
        size=(data.slider,) * 3, density=data.density, position=(0, 0, 0.5), name="slider"
    ).with_spin(spin)
    items: list[object] = [shaft, slider]
    pairs: HeldPoints = []
    for name, side in (("right", 1.0), ("left", -1.0)):
        hinge = np.array([side * data.offset, 0.0, data.height])
        along = np.array([side * math.cos(tilt), 0.0, -math.sin(tilt)])
        frame = np.column_stack([along, (0.0, side, 0.0), np.cross(along, (0.0, side, 0.0))])
        rod = fx.RigidBody.box(
            size=(1.0, *size), density=data.density, position=hinge + along / 2.0, rotation=frame, name=f"{name} rod"
        ).with_spin(spin, about=(0, 0, 0))
        end = hinge + along
        ball = fx.PointMass(data.ball, position=end, velocity=np.cross(spin, end), name=f"{name} ball")
        face = (side * data.offset, 0.0, 0.5)
        items += [
            rod, ball,
            fx.RevoluteJoint(shaft, rod, at=hinge, axis=(0, 1, 0), name=f"{name} hinge"),
            fx.SphericalJoint(rod, ball, at=end, name=f"{name} end"),
            fx.SpringDamper(rod.centre, slider.marker_at(face), stiffness=data.stiffness, damping=data.damping,
                            free_length=data.free_length, name=f"{name} spring"),
        ]  # fmt: skip
        pairs += [(shaft.marker_at(hinge), rod.marker_at(hinge)), (rod.marker_at(end), ball.centre)]
    items += [
        fx.RevoluteJoint(fx.ground, shaft, at=(0, 0, 0), axis=up, name="bearing"),
        fx.PrismaticJoint(shaft, slider, at=(0, 0, 0.5), axis=up, name="slide"),
    ]
    return fx.Model(*items, DOWN), shaft, slider, pairs


def run_governor(progress: Progress) -> Outcome:
    """Two seconds of a slow motion with fast, strongly damped springs."""
    model, shaft, slider, pairs = governor()
    times, steps = (0.1, 0.5, 1.0, 2.0), (4e-3, 2e-3, 1e-3)
    runs = refine(model, 2.0, steps, progress)
    found = []
    for run in runs:
        rows = stored_times(run, times)
        found.append(np.column_stack([run.position(slider)[rows, 2], run.angular_velocity(shaft)[rows, 2]]))
    better = extrapolated(found[-2], found[-1])
    whats = (("slider height s", "m", 2e-5, 1e-6), ("shaft angular velocity", "rad/s", 2e-4, 1e-5))
    names = [[f"t={t:g} s {what}" for what, *_ in whats] for t in times]
    exact = np.array([[load_reference("d15").value(name) for name in row] for row in names])
    gap = np.abs(found[-1] - exact).max(axis=0)
    quantities: list[Measured] = []
    for j, (what, unit, near, nearer) in enumerate(whats):
        label = f"step 1 ms: largest error of {what} at four times"
        quantities.append(measured(label, unit, gap[j], 0.0, MINIMAL, 1e-8, atol=near))
        for i, row in enumerate(names):
            quantities += against("d15", row[j], f"extrapolated to step 0: {row[j]}", [better[i, j]], nearer)
    quantities += [_momentum(runs[-1], model), energy_change(runs[-1], ENERGY, 1e-3), closed(runs[-1], pairs)]
    studies = [
        orders(name, steps, [float(np.abs(f - exact)[:, j].max()) for f in found]) for j, (name, *_) in enumerate(whats)
    ]
    grid = np.linspace(0.0, 2.0, 41)[1:]
    motion = spatial.Governor().motion(grid, rtol=1e-8)
    run = runs[-1]
    drawing = over_time(
        [("slider height in m", run.t, run.position(slider)[:, 2]),
         ("shaft speed in 10 rad/s", run.t, run.angular_velocity(shaft)[:, 2] / 10.0)],
        "",
        [(grid, motion[:, 1]), (grid, motion[:, 4] / 10.0)],
    )  # fmt: skip
    return Outcome(quantities, studies, (), [("Two seconds with a step of 1 ms.", drawing)])


def _momentum(run: fx.TimeSolution, model: fx.Model) -> Measured:
    """Change of the angular momentum about the shaft, by its value."""
    total: FloatArray = np.zeros(len(run.t))
    for body in model.bodies:
        p, v = run.position(body), run.velocity(body)
        total = total + body.mass * (p[:, 0] * v[:, 1] - p[:, 1] * v[:, 0])
        if not body.planar and body.rotates:
            spin = run.angular_velocity(body) @ body.inertia
            total = total + np.einsum("tj,tj->t", run.rotation(body)[:, 2, :], spin)
    change = float(np.abs(total - total[0]).max() / abs(total[0]))
    return measured("largest change of the angular momentum about the shaft, by its value", "-", change, 0.0,
                    "no moment about the shaft", atol=1e-4)  # fmt: skip


SLIDER_CRANK = Case(
    id="d13-slider-crank",
    title="Spatial slider-crank",
    area="mechanisms",
    summary=(
        "A crank turns about x, a rod goes from its pin to a slider on the x axis, with a hinge, a ball joint, a "
        "universal joint and a slide: a loop of which no equation is redundant. Haug's example.\n\n"
        "The spin of the rod hangs on the axes of the universal joint: one of them is the direction across rod and x."
    ),
    run=run_slider_crank,
    source=(
        "E.J. Haug, Computer Aided Kinematics and Dynamics of Mechanical Systems (1989), chapter 12; motion from the "
        "energy in the angle of the crank, order 8."
    ),
    equations=(r"M(s)\, \ddot s + \dfrac{1}{2} M'(s)\, \dot s^2 + V'(s) = 0",),
    basic=True,
)

BRICARD = Case(
    id="d14-bricard",
    title="Bricard loop: a mechanism that should not move",
    area="mechanisms",
    summary=(
        "Five bars of 1 m and 1 kg and the ground, joined to a ring by six hinges along the edges of a cube, fall from "
        "rest. Thirty equations for thirty velocities, one of them redundant. Benchmark A04 of the IFToMM library."
    ),
    run=run_bricard,
    source=(
        "Closed motion (1 + cos a)(1 + cos b) = 1 of the ring and the energy along it, order 8; M. Gonzalez et al., "
        "Multibody Syst. Dyn. 16 (2006) 295 (benchmark A04)."
    ),
    equations=(r"(1 + \cos\theta)(1 + \cos\varphi) = 1",),
    limits=("Reactions are not unique where an equation is redundant, and are not compared.",),
    basic=True,
)

GOVERNOR = Case(
    id="d15-governor",
    title="Stiff flyball governor",
    area="mechanisms",
    summary=(
        "A turning shaft with a slider, two hinged rods with a ball each, and between rods and slider spring-dampers "
        "so stiff and so damped that their rates of decay are thousands of times faster than the motion. Steps of "
        "milliseconds must do."
    ),
    run=run_governor,
    source="Data of benchmark A05, M. Gonzalez et al., Multibody Syst. Dyn. 16 (2006) 295; Radau IIA.",
    equations=(r"F = k\, (l - l_0) + c\, \dot l",),
    limits=("Offsets of hinges and slider are as stated here; published models of the benchmark differ in them.",),
)
