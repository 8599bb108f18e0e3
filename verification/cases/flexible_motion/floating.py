"""Bodies in floating frames: the rigid limit, free flight, and a falling pendulum beside absolute-nodal cables."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

import flexmbs as fx
from flexmbs.core.contracts import FloatArray
from flexmbs.elements import Frame
from flexmbs.linear.part import Part
from flexmbs.linear.region import Region
from flexmbs.verification import Case, ConvergenceStudy, Outcome, Progress, Table
from flexmbs.verification.cases.common import measured
from flexmbs.verification.cases.moving import CONSERVED, orders, over_time, worst
from flexmbs.verification.reference import pendulums, tops

G = 9.81


# --- rigid limit -----------------------------------------------------------------------------------------------------

SIDES = (1.0, 0.2, 0.1)
STIFF = (1e8, 1e9, 1e10)
"""Young's moduli [N/m^2]; the density is 1000 kg/m^3."""
LIMIT_STEP = 2e-3


@cache
def block(E: float) -> Any:
    """A box of eight hexahedra with an interface at either end, and four modes."""
    mesh = fx.meshes.box((0.0, -SIDES[1] / 2, -SIDES[2] / 2), SIDES, (4, 2, 1))
    material = fx.Elastic(youngs_modulus=E, poissons_ratio=0.3, density=1000.0, name="stuff")
    part = Part(mesh, regions=[Region(None, fx.elements.Hexahedron8(), material)], name="block")
    return fx.reduction.reduce(part, ["left", "right"], 4, progress=False)


def _chain(E: float | None) -> tuple[fx.Model, Any]:
    """Two bars on hinges, flexible or rigid, released from the horizontal; and the place of the end."""
    bars: list[Any] = []
    for k in range(2):
        if E is None:
            mass = 1000.0 * float(np.prod(SIDES))
            bars.append(fx.RigidBody.box(size=SIDES, mass=mass, position=(0.5 + k, 0, 0), name=f"bar {k}"))
        else:
            bars.append(fx.FloatingBody(block(E), reference="left", position=(k, 0, 0), name=f"bar {k}"))
    joints = [
        fx.RevoluteJoint(fx.ground, bars[0], at=(0, 0, 0), axis=(0, 1, 0), name="hinge"),
        fx.RevoluteJoint(bars[0], bars[1], at=(1, 0, 0), axis=(0, 1, 0), name="elbow"),
    ]
    return fx.Model(*bars, *joints, fx.Gravity((0, 0, -G))), bars[1].marker_at((2.0, 0, 0))


def _go(model: fx.Model, until: float, step: float, **options: Any) -> fx.TimeSolution:
    """With the scheme of all cases here."""
    return fx.simulate(model, until, step=step, integrator=fx.GeneralizedAlpha(rho_inf=0.9), **options)


def run_rigid(progress: Progress) -> Outcome:
    """A double pendulum for 1 s, and a free body for 2 s."""
    quantities, drawings = [], []
    off: dict[str, list[float]] = {"end of a double pendulum up to 1 s": [], "angular velocity of a free body": []}
    names = list(off)
    output = fx.Output(energy=False)
    model, end = _chain(None)
    rigid = _go(model, 1.0, LIMIT_STEP, output=output).position(end)
    spin = (0.1, 4.0, 0.05)
    inertia = fx.RigidBody.box(size=SIDES, mass=20.0).inertia
    still = _go(fx.Model(fx.RigidBody(20.0, inertia, angular_velocity=spin, name="body")), 2.0, LIMIT_STEP,
                output=output)  # fmt: skip
    rates = still.angular_velocity("body")
    last: FloatArray = rigid
    for E in STIFF:
        progress(f"E = {E:g} N/m^2")
        model, end = _chain(E)
        last = _go(model, 1.0, LIMIT_STEP, output=output).position(end)
        off[names[0]].append(worst(last, rigid))
        body = fx.FloatingBody(block(E), angular_velocity=spin)
        found = _go(fx.Model(body), 2.0, LIMIT_STEP, output=output).angular_velocity(body)
        off[names[1]].append(worst(found, rates))
    studies = [
        ConvergenceStudy(f"{name} against rigid bodies", [1.0 / E for E in STIFF], errors, 1.0, 0.85, floor=1e-11,
                         label="compliance 1/E in m^2/N")
        for name, errors in off.items()
    ]  # fmt: skip
    exact = pendulums.bars(2, 1.0, 20.0)
    # the cross-section has an inertia of its own, which thin bars do not
    thick = pendulums.LinkChain(
        exact.lengths, exact.coupling, exact.inertia + 20.0 * SIDES[2] ** 2 / 12.0, exact.moment
    )
    times = np.linspace(0.1, 1.0, 10)
    theta = thick.motion((0.0, 0.0), (0.0, 0.0), times)[:, :2]
    place = thick.joints(theta)[:, -1]
    rows = np.rint(times / LIMIT_STEP).astype(int)
    quantities.append(
        measured("stiffest double pendulum against the equations of rigid bars, up to 1 s", "m",
                 worst(last[rows][:, [0, 2]], place), 0.0, "integrated to 1e-13", atol=5e-4)
    )  # fmt: skip
    principal = np.diag(inertia) if np.ndim(inertia) == 2 else np.asarray(inertia)
    free = tops.free_body_rates(tuple(principal), spin, times)
    quantities.append(
        measured("stiffest free body against Euler's equations, up to 1 s", "rad/s", worst(found[rows], free), 0.0,
                 "closed form", atol=1e-3)
    )  # fmt: skip
    drawings.append(
        ("End of the stiffest double pendulum, and of rigid bars.",
         over_time([("x", rigid_t(last), last[:, 0]), ("z", rigid_t(last), last[:, 2])], "in m",
                   [(times, place[:, 0]), (times, place[:, 1])]))
    )  # fmt: skip
    return Outcome(quantities, studies, (), drawings)


def rigid_t(values: FloatArray) -> FloatArray:
    """The stored times."""
    return np.asarray(LIMIT_STEP * np.arange(len(values)))


# --- free flight -----------------------------------------------------------------------------------------------------

FLIGHT_STEPS = (5e-4, 2.5e-4, 1.25e-4)
SIZES = (1.0, 0.5, 0.25)


def _flying(reference: Any, size: float) -> tuple[fx.Model, fx.FloatingBody]:
    """A soft box that turns; ``size``: of the initial bending rate, which is the same field in every frame."""
    reduced = block(1e8)
    free = fx.FloatingBody(reduced)
    rates = size * (np.arange(free.modes) < 4)
    if reference == "mean":
        return _free(fx.FloatingBody(reduced, deformation_rate=rates))
    body = fx.FloatingBody(reduced, reference=reference)
    # the field of four modes is a rigid motion of the frame and shapes in it: solved for in reduced coordinates
    rigid = _rigid_motions(reduced, body.origin)
    parts = np.linalg.lstsq(np.hstack((rigid, body.basis)), free.basis @ rates, rcond=None)[0]
    return _free(
        fx.FloatingBody(
            reduced, reference=reference, deformation_rate=parts[6:], velocity=parts[:3], angular_velocity=parts[3:6]
        )
    )


def _free(body: fx.FloatingBody) -> tuple[fx.Model, fx.FloatingBody]:
    return fx.Model(body), body


def _rigid_motions(reduced: Any, origin: FloatArray) -> FloatArray:
    """Translations and small rotations about a point in reduced coordinates (n, 6); modes with held interfaces rest."""
    out = np.zeros((reduced.size, 6))
    for face in reduced.frames:
        arm = np.asarray(face.origin) - origin
        for component, coordinate in zip(face.component, face.coordinates, strict=True):
            if component < 3:
                out[coordinate, component] = 1.0
                out[coordinate, 3:] = np.cross(np.eye(3), arm)[:, component]
            else:
                out[coordinate, component] = 1.0
    return out


def run_flight(progress: Progress) -> Outcome:
    """Momentum and energy of a turning soft body; the same vibration in three frames."""
    quantities = []
    energy, momentum = [], []
    spin = (0.5, 3.0, 1.0)
    for step in FLIGHT_STEPS:
        progress(f"step {step:g} s")
        body = _turning(spin)
        run = fx.simulate(fx.Model(body), 0.2, step=step, integrator=fx.GeneralizedAlpha(rho_inf=1.0))
        P, L = run.momentum()
        energy.append(float(np.abs(run.energy.balance).max() / run.energy.total[0]))
        momentum.append(float(np.linalg.norm(L - L[0], axis=1).max() / np.linalg.norm(L[0])))
        linear = float(np.linalg.norm(P - P[0], axis=1).max() / np.linalg.norm(P[0]))
        quantities.append(
            measured(
                f"step {step:g} s: change of linear momentum, by its size", "-", linear, 0.0, CONSERVED, atol=1e-11
            )
        )
    studies = [orders("energy, by its size", FLIGHT_STEPS, energy), orders("angular momentum", FLIGHT_STEPS, momentum)]
    for other in ("left", ("left", "right")):
        apart = []
        for size in SIZES:
            progress(f"{other}, vibration times {size:g}")
            places = []
            for reference in ("mean", other):
                model, body = _flying(reference, size)
                run = _go(model, 0.05, 2.5e-4, output=fx.Output(energy=False))
                places.append(run.position(body.interface("right")) - (1.0, 0.0, 0.0))
            apart.append(worst(*places))
        name = "tangent" if other == "left" else "chord"
        studies.append(
            ConvergenceStudy(
                f"end in the mean and in the {name} frame", SIZES, apart, 2.0, 1.8, floor=1e-12,
                label="relative size of the vibration",
            )
        )  # fmt: skip
        quantities.append(
            measured(f"mean and {name} frame, smallest vibration: largest distance of the end", "m", apart[-1], 0.0,
                     "one physics", atol=1e-4)
        )  # fmt: skip
    return Outcome(quantities, studies)


def _turning(spin: tuple[float, float, float]) -> fx.FloatingBody:
    rate = np.zeros(fx.FloatingBody(block(1e8)).modes)
    rate[:2] = 0.5, 0.3
    return fx.FloatingBody(block(1e8), velocity=(1.0, 0.5, 0.0), angular_velocity=spin, deformation_rate=rate)


# --- falling pendulum ------------------------------------------------------------------------------------------------

BENDING = (12.5, 25.0, 50.0)
"""EI of a rod of 1 m and 1 kg [N m^2]."""
AXIAL = 1e5
FALL, FALL_STEP = 0.5, 2.5e-4


def _fallen(EI: float, floating: bool, stiffening: bool = False) -> tuple[FloatArray, FloatArray]:
    """Times and the end of the pendulum (n_t, 2) in its plane."""
    section = fx.BeamStiffness(EA=AXIAL, EI_y=EI, EI_z=EI, GJ=EI, mass_per_length=1.0, rhoI_y=1e-8, rhoI_z=1e-8)
    output = fx.Output(energy=False)
    if floating:
        mesh = fx.meshes.line((0, 0, 0), (1, 0, 0), 12)
        part = Part(mesh, regions=[Region(None, Frame(section=section, shear=False))], name="rod")
        reduced = fx.reduction.reduce(part, ["start", "end"], 12, geometric_stiffening=stiffening, progress=False)
        body = fx.FloatingBody(reduced, reference=("start", "end"))
        hinge = fx.RevoluteJoint(fx.ground, body, at=(0, 0, 0), axis=(0, 0, 1), name="hinge")
        run = _go(fx.Model(body, hinge, fx.Gravity((0, -G, 0))), FALL, FALL_STEP, output=output)
        return run.t, run.position(body.interface("end"))[:, :2]
    stiffness = fx.BeamStiffness(EA=AXIAL, EI_z=EI, mass_per_length=1.0)
    cable = fx.FlexibleBody.line(
        (0, 0), (1, 0), elements=12, element=fx.elements.ANCFCable2D(), stiffness=stiffness, name="rod"
    )
    run = _go(fx.Model(cable, fx.Pin(cable.start), fx.Gravity((0, -G))), FALL, FALL_STEP, output=output)
    return run.t, run.position(cable.end)[:, :2]


def run_fall(progress: Progress) -> Outcome:
    """Both descriptions at three stiffnesses."""
    apart, stiffened, curves = [], [], []
    for EI in BENDING:
        progress(f"EI = {EI:g} N m^2")
        t, frame = _fallen(EI, True)
        _, nodal = _fallen(EI, False)
        distance = np.linalg.norm(frame - nodal, axis=1)
        apart.append(float(distance.max()))
        stiffened.append(float(np.linalg.norm(_fallen(EI, True, True)[1] - nodal, axis=1).max()))
        curves.append((f"EI = {EI:g} N m$^2$", t, 1e3 * distance))
    study = ConvergenceStudy(
        "end of the pendulum in both descriptions", [1.0 / EI for EI in BENDING], apart, 2.0, 1.3, floor=1e-9,
        label="compliance 1/EI in 1/(N m^2)",
    )  # fmt: skip
    quantities = [
        measured(f"EI = {EI:g} N m^2: largest distance of the ends by the length", "-", value, 0.0,
                 "absolute-nodal cable", atol=limit)
        for EI, value, limit in zip(BENDING, apart, (4e-3, 2e-3, 1e-3), strict=True)
    ]  # fmt: skip
    # what is left has no order: scheme and waves along the rod
    quantities += [
        measured(f"EI = {EI:g} N m^2, with stiffening: largest distance of the ends by the length", "-", value, 0.0,
                 "absolute-nodal cable", atol=3e-5)
        for EI, value in zip(BENDING, stiffened, strict=True)
    ]  # fmt: skip
    head = ("EI in N m^2", "without stiffening", "with stiffening")
    rows = [(f"{EI:g}", f"{1e3 * a:.3f}", f"{1e3 * b:.4f}") for EI, a, b in zip(BENDING, apart, stiffened, strict=True)]
    return Outcome(
        quantities, [study], [Table("Largest distance of the ends in mm", head, rows)],
        [("Distance of the ends, without stiffening.", over_time(curves, "in mm"))],
    )  # fmt: skip


RIGID = Case(
    id="floating-rigid-limit",
    title="Bodies in floating frames become rigid",
    area="flexible motion",
    summary=(
        "A double pendulum of two boxes and a free box that turns, each box reduced from a mesh. With growing modulus "
        "of elasticity the motions approach those of rigid bodies with the same scheme and step, as the compliance, "
        "and with it the exact motions of rigid bodies up to the error of the step."
    ),
    run=run_rigid,
    source="Rigid bars: Lagrange's equations, integrated. Free body: Jacobi's elliptic functions.",
)
FLIGHT = Case(
    id="floating-free-flight",
    title="Free flight of a soft body",
    area="flexible motion",
    summary=(
        "A soft box turns, flies and vibrates. Its linear momentum is kept to round-off, energy and angular momentum "
        "to the order of the scheme. The same vibration of a body at rest is followed in a frame of mean axes, in "
        "one that is fixed to an end, and in one along the chord: shapes are linear in each, so the motions differ "
        "by the square of the vibration."
    ),
    run=run_flight,
    source="Conservation laws; linear vibrations.",
    slow=True,
)
FALL_CASE = Case(
    id="floating-falling-pendulum",
    title="Falling pendulum in a floating frame",
    area="flexible motion",
    summary=(
        "An elastic rod on a hinge is let go from the horizontal, as a reduced body of frame elements in a frame along "
        "its chord and as absolute-nodal cable elements. The difference falls with the compliance to a power between "
        "one and two: what the floating frame lacks is foreshortening, of second order in the deflection, and with "
        "it the stiffening by the pull along the rod. With fields of second order the ends stay together."
    ),
    run=run_fall,
    source="Two descriptions of one rod.",
    limits=("The rod falls for 0.5 s, once through the lowest position.",),
    slow=True,
)
