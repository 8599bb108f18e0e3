"""A RUSR loop, an arm of six joints and a Stewart platform, against closed forms and Cartesian coordinates."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import flexmbs as fx
from flexmbs import trees
from flexmbs.core.contracts import FloatArray
from flexmbs.core.rotations import axis_rotation
from flexmbs.verification import Case, Outcome, Progress
from flexmbs.verification.cases.moving import over_time
from flexmbs.verification.cases.trees.mixed_coordinates import SAME, counted, gap
from flexmbs.verification.cases.trees.tree_models import FINE, found

DRIVEN = FINE | {"step": 1e-2}
"""All freedoms are driven: each step meets the constraints; multipliers between steps would be interpolated."""

# --- RUSR ------------------------------------------------------------------------------------------------------------

INPUT, OUTPUT, CRANK, ROCKER = np.zeros(3), np.array([1.0, 0.4, 0.0]), 0.2, 0.6
FIRST = np.array([0.0, 0.0, 0.2])
"""Of the pin of the crank at the start, which turns about x in the plane y, z; the rocker turns about y."""


def rusr() -> fx.Model:
    """Crank on a hinge, universal joint, rod, ball joint, rocker on a hinge: one freedom, driven."""
    P = INPUT + FIRST
    S = OUTPUT + np.array([0.0, 0.0, ROCKER])
    along = (S - P) / np.linalg.norm(S - P)
    crank = fx.RigidBody.box(size=(0.03, 0.03, 0.2), mass=1.0, position=(INPUT + P) / 2.0, name="crank")
    frame = np.column_stack(
        [along, np.cross((0, 0, 1), along) / np.linalg.norm(np.cross((0, 0, 1), along)), np.zeros(3)]
    )
    frame[:, 2] = np.cross(frame[:, 0], frame[:, 1])
    size = (float(np.linalg.norm(S - P)), 0.03, 0.03)
    rod = fx.RigidBody.box(size=size, mass=2.0, position=(P + S) / 2.0, rotation=frame, name="rod")
    rocker = fx.RigidBody.box(size=(0.03, 0.03, 0.6), mass=1.5, position=(OUTPUT + S) / 2.0, name="rocker")
    hinge = fx.RevoluteJoint(fx.ground, crank, at=INPUT, axis=(1, 0, 0), name="input")
    return fx.Model(
        crank, rod, rocker, hinge,
        fx.UniversalJoint(crank, rod, at=P, axes=((1, 0, 0), np.cross((1, 0, 0), along)), name="cross"),
        fx.SphericalJoint(rod, rocker, at=S, name="ball"),
        fx.RevoluteJoint(fx.ground, rocker, at=OUTPUT, axis=(0, 1, 0), name="output"),
        fx.RotationDriver(hinge, fx.motions.Linear(2.0), name="motor"), fx.Gravity((0, 0, -9.81)), name="RUSR",
    )  # fmt: skip


def rusr_output(t: FloatArray) -> FloatArray:
    """Angle of the rocker over time from the length of the rod: a cos + b sin = c, on the branch of the start."""
    turn = 2.0 * t
    P = INPUT + 0.2 * np.column_stack([0 * t, -np.sin(turn), np.cos(turn)])
    length = np.linalg.norm(OUTPUT - INPUT - FIRST + np.array([0.0, 0.0, ROCKER]))
    # the ball is at OUTPUT + ROCKER (sin psi, 0, cos psi)
    d = OUTPUT - P
    a, b = 2.0 * ROCKER * d[:, 2], 2.0 * ROCKER * d[:, 0]
    c = length**2 - ROCKER**2 - (d**2).sum(axis=1)
    # at the start psi = 0: the branch of minus lies there
    middle, half = np.arctan2(b, a), np.arccos(c / np.hypot(a, b))
    return np.asarray(middle - half if abs(middle[0] - half[0]) < abs(middle[0] + half[0]) else middle + half)


def run_rusr(progress: Progress) -> Outcome:
    """One turn of the crank."""
    flat = rusr()
    tree = fx.trees.to_relative_coordinates(flat)
    quantities = counted("Cartesian", flat, 18, 18, "5 + 4 + 3 + 5 equations and the motor")
    quantities += counted("mixed", tree, 4, 4, "1 + 2 and 1 coordinates, the ball joint and the motor")
    psi, moment = [], []
    for model in (flat, tree):
        progress("mixed" if model.trees else "Cartesian")
        run = fx.simulate(model, np.pi, **DRIVEN)
        z = run.rotation(found(model, "rocker").marker_at((0, 0, 0)))[:, :, 2]
        psi.append(np.unwrap(np.arctan2(z[:, 0], z[:, 2])))
        moment.append(run.multipliers("motor")[:, 0])
    exact = rusr_output(run.t)
    source = "length of the rod, closed form"
    quantities += [
        gap("Cartesian: largest error of the output angle", "rad", psi[0], exact, 1e-9, source),
        gap("mixed: largest error of the output angle", "rad", psi[1], exact, 1e-9, source),
        gap("largest difference of the moments of the motor", "N m", moment[1], moment[0], 1e-10),
    ]
    drawing = over_time([("output angle in rad", run.t, psi[1])], "", [(run.t[::20], exact[::20])])
    return Outcome(quantities, (), (), [("One turn of the crank.", drawing)])


# --- an arm of six joints --------------------------------------------------------------------------------------------

A2, A3, D3, D4 = 0.4318, 0.0203, 0.1500, 0.4318
MASSES = (10.0, 17.4, 4.8, 0.82, 0.34, 0.09)


def arm() -> trees.Tree:
    """Six hinges like those of a PUMA 560: waist, shoulder, elbow, and three that meet in the wrist."""
    z, y = (0, 0, 1), (0, 1, 0)
    places = [(0, 0, 0.67), (0, 0.24, 0), (A2, -0.09, 0), (A3, 0, D4), (0, 0, 0), (0, 0, 0)]
    axes = [z, y, y, z, y, z]
    centres = [(0, 0, -0.1), (0.2, 0.0, 0.02), (0.0, 0.01, 0.14), (0, 0, -0.05), (0, 0, 0.01), (0, 0, 0.03)]
    starts = (0.1, -0.6, 0.9, 0.3, 0.5, -0.2)
    links = [
        trees.Link(f"link {i + 1}", MASSES[i], MASSES[i] * np.array((0.02, 0.021, 0.015)), centres[i],
                   None if i == 0 else f"link {i}", trees.Revolute(axes[i]), at=places[i], start=starts[i])
        for i in range(6)
    ]  # fmt: skip
    return trees.Tree(*links, name="arm")


def run_arm(progress: Progress) -> Outcome:
    """The moments that a motion of all six joints needs."""
    tree = arm()
    drivers = [
        fx.RotationDriver(
            tree.joint(link.name),
            fx.motions.Constant(float(link.start[0])) + fx.motions.Sine(0.3 + 0.1 * i, frequency=0.4 + 0.1 * i),
            name=f"motor {i + 1}",
        )
        for i, link in enumerate(tree.links)
    ]
    model = fx.Model(tree, *drivers, fx.Gravity((0, 0, -9.81)), name="arm")
    flat = fx.trees.to_absolute_coordinates(model)
    quantities = counted("relative", model, 6, 6, "six joints, six motors")
    quantities += counted("Cartesian", flat, 36, 36, "six bodies, six hinges, six motors")
    moments = []
    for one in (model, flat):
        progress("relative" if one.trees else "Cartesian")
        run = fx.simulate(one, 1.0, **DRIVEN)
        moments.append(np.column_stack([-run.multipliers(f"motor {i}")[:, 0] for i in range(1, 7)]))
    for i in range(6):
        largest = float(np.abs(moments[1][:, i]).max())
        quantities.append(
            gap(f"motor {i + 1}: largest difference of the moments, by the largest", "-", moments[0][:, i] / largest,
                moments[1][:, i] / largest, 1e-10)
        )  # fmt: skip
    drawing = over_time([(f"motor {i + 1}", run.t, moments[0][:, i]) for i in range(6)], "moment in N m")
    return Outcome(quantities, (), (), [("Moments of the six motors.", drawing)])


# --- Stewart platform ------------------------------------------------------------------------------------------------

BASE = np.array([(np.cos(a), np.sin(a), 0.0) for a in np.radians([-10, 10, 110, 130, 230, 250])])
TOP = 0.6 * np.array([(np.cos(a), np.sin(a), 0.0) for a in np.radians([-50, 50, 70, 170, 190, 290])])
HEIGHT = 1.2


def platform_motion(t: float) -> tuple[tuple[FloatArray, ...], tuple[FloatArray, ...]]:
    """Place of the platform and its rotation matrix about z with two derivatives each; at rest at the start."""
    s, c = np.sin(2.0 * t), np.cos(2.0 * t)
    amplitude = np.array([0.1, -0.08, 0.12])
    p = np.array([0.0, 0.0, HEIGHT]) + amplitude * (1.0 - c)
    angle, rate, second = 0.15 * (1.0 - c), 0.3 * s, 0.6 * c
    R, W = axis_rotation(2, angle), np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
    return (p, 2.0 * amplitude * s, 4.0 * amplitude * c), (R, R @ W * rate, R @ (W * second + W @ W * rate**2))


@dataclass(frozen=True)
class LegMotion:
    """How far a leg is extended for `platform_motion`: inverse kinematics in closed form."""

    leg: int

    def at(self, t: float) -> tuple[float, float, float]:
        """Value and two derivatives."""
        (p, v, a), (R, Rt, Rtt) = platform_motion(t)
        u, ut, utt = p + R @ TOP[self.leg] - BASE[self.leg], v + Rt @ TOP[self.leg], a + Rtt @ TOP[self.leg]
        length = float(np.linalg.norm(u))
        rate = float(u @ ut) / length
        start = float(np.linalg.norm(TOP[self.leg] + (0, 0, HEIGHT) - BASE[self.leg]))
        return length - start, rate, float(ut @ ut + u @ utt - rate**2) / length


def stewart() -> fx.Model:
    """Platform on six legs, each with universal joint, slide and ball joint, and a motor at the slide."""
    platform = fx.RigidBody(20.0, (2.0, 2.0, 3.6), (0, 0, HEIGHT), name="platform")
    items: list[object] = [platform, fx.Gravity((0, 0, -9.81))]
    for i in range(6):
        b, top = BASE[i], TOP[i] + (0, 0, HEIGHT)
        along = (top - b) / np.linalg.norm(top - b)
        first = np.cross(along, (1.0, 0.0, 0.0))
        first /= np.linalg.norm(first)
        frame = np.column_stack([first, np.cross(along, first), along])
        lower = fx.RigidBody(2.0, (0.05, 0.05, 0.002), b + 0.3 * along, frame, name=f"cylinder {i}")
        upper = fx.RigidBody(1.0, (0.03, 0.03, 0.001), top - 0.3 * along, frame, name=f"piston {i}")
        slide = fx.PrismaticJoint(lower, upper, at=top, axis=along, name=f"slide {i}")
        items += [
            lower, upper, slide,
            fx.UniversalJoint(fx.ground, lower, at=b, axes=(first, np.cross(along, first)), name=f"foot {i}"),
            fx.SphericalJoint(upper, platform, at=top, name=f"ball {i}"),
            fx.TranslationDriver(slide, LegMotion(i), name=f"motor {i}"),
        ]  # fmt: skip
    return fx.Model(*items, name="Stewart platform")


def run_stewart(progress: Progress) -> Outcome:
    """Lengths of the legs for a motion of the platform, the motion from the lengths, and the forces it needs."""
    flat = stewart()
    tree = fx.trees.to_relative_coordinates(flat)
    quantities = counted("Cartesian", flat, 78, 78, "13 bodies; 6 (4 + 5 + 3) equations and 6 motors")
    quantities += counted("mixed", tree, 21, 21, "6 (2 + 1) + 3 coordinates; 5 ball joints cut and 6 motors")
    places, turned, forces = [], [], []
    for model in (flat, tree):
        progress("mixed" if model.trees else "Cartesian")
        run = fx.simulate(model, 1.0, **DRIVEN)
        body = found(model, "platform")
        places.append(run.position(body.centre))
        x = run.rotation(body.marker_at((0, 0, HEIGHT)))[:, :, 0]
        turned.append(np.arctan2(x[:, 1], x[:, 0]))
        forces.append(np.column_stack([run.multipliers(f"motor {i}")[:, 0] for i in range(6)]))
    exact = np.array([platform_motion(float(t))[0][0] for t in run.t])
    angle = 0.15 * (1.0 - np.cos(2.0 * run.t))
    source = "inverse kinematics in closed form"
    for i, label in enumerate(("Cartesian", "mixed")):
        quantities += [
            gap(f"{label}: largest error of the place of the platform", "m", places[i], exact, 1e-9, source),
            gap(f"{label}: largest error of its rotation", "rad", turned[i], angle, 1e-9, source),
        ]
    quantities.append(
        gap("largest difference of the forces of the motors, by the weight", "-", forces[1] / 372.8, forces[0] / 372.8,
            1e-10)
    )  # fmt: skip
    drawing = over_time([(f"motor {i + 1}", run.t, -forces[1][:, i]) for i in range(6)], "force in N")
    return Outcome(quantities, (), (), [("Forces of the six motors.", drawing)])


RUSR = Case(
    id="tree-rusr", title="RUSR loop", area="trees",
    summary=(
        "Crank, rod and rocker in space with a hinge, a universal joint, a ball joint and a hinge, driven through one "
        "turn. As trees 4 coordinates; the multi-degree joints have no massless bodies in between."
    ),
    run=run_rusr, source=f"Closed form from the length of the rod; {SAME}. After C. Bernier and others.",
)  # fmt: skip

ARM = Case(
    id="tree-arm", title="Inverse dynamics of an arm of six joints", area="trees",
    summary=(
        "An arm with the arrangement of a PUMA 560 follows a prescribed motion of all joints; the moments of its "
        "motors are the multipliers of six drivers."
    ),
    run=run_arm, source=f"{SAME}.".capitalize(),
    limits=("Inertias are round numbers, not those of a certain robot.",),
)  # fmt: skip

STEWART = Case(
    id="tree-stewart", title="Stewart platform", area="trees",
    summary=(
        "A platform on six legs with universal joint, slide and ball joint. The lengths of the legs follow a motion of "
        "the platform that is known in closed form; the platform must do it. The forces of the legs are compared."
    ),
    run=run_stewart, source=f"Inverse kinematics in closed form; {SAME}.",
)  # fmt: skip
