"""Coordinates chosen by the user: the ring of six links in three positions, and a four-bar linkage on a spring."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import flexmbs as fx
from flexmbs.core.contracts import FloatArray
from flexmbs.verification import Case, Measured, Outcome, Progress
from flexmbs.verification.cases.common import measured
from flexmbs.verification.reference.data import load_reference

POSITIONS = {"triangle": (0.0, 120.0), "cube": (90.0, 90.0), "theta=60 deg": (60.0, math.degrees(math.acos(-1 / 3)))}
PICKED = "rotation about body y of body 'link 5'"


def ring(theta: float, phi: float) -> fx.Model:
    """Six links in a ring, turned by theta and phi [rad] at every other joint; frames at the inboard joints."""
    p = load_reference("n19").parameters
    a, mass = p["a"], p["mass"]
    c, s = math.cos(theta), math.sin(theta)
    about_2 = np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])
    c, s = math.cos(phi), math.sin(phi)
    about_1 = np.array([[1, 0, 0], [0, c, -s], [0, s, c]])
    points, frames = [np.zeros(3)], [np.eye(3)]
    for joint in range(5):
        points.append(points[-1] + a * frames[-1][:, 2])
        frames.append(frames[-1] @ (about_2 if joint % 2 == 0 else about_1))
    across = mass * a**2 / 12.0
    links = [
        fx.RigidBody(mass, (across, across, 1e-6), position=x + 0.5 * a * R[:, 2], rotation=R, name=f"link {i + 1}")
        for i, (x, R) in enumerate(zip(points[:5], frames[:5], strict=True))
    ]
    sides: list[Any] = [*links, fx.ground]
    joints = [
        fx.RevoluteJoint(sides[i], sides[i + 1], at=points[i + 1], axis=frames[i][:, 1 - i % 2], name=f"joint {i + 1}")
        for i in range(5)
    ]
    joints.append(fx.RevoluteJoint(fx.ground, links[0], at=points[0], axis=frames[0][:, 0], name="joint 6"))
    spring = fx.TorsionSpring(joints[4], stiffness=2.0, damping=0.05, name="spring")
    return fx.Model(*links, *joints, spring, name="ring")


def twists(y: fx.IndependentCoordinates, model: fx.Model) -> FloatArray:
    """The motion with unit rate (5, 6): velocity of the inboard joint and angular velocity, both in body axes."""
    out = np.zeros((5, 6))
    half = 0.5 * load_reference("n19").parameters["a"]
    for i, body in enumerate(model.bodies):
        J = y.J_y[6 * i : 6 * i + 6, 0]
        R = np.asarray(body.rotation)
        out[i, 3:] = J[3:]
        out[i, :3] = R.T @ J[:3] + np.cross(J[3:], (0.0, 0.0, -half))
    return out


def run(progress: Progress) -> Outcome:
    """The ring in three positions; the four-bar linkage at its equilibrium."""
    stored, quantities = load_reference("n19"), []
    for name, degrees in POSITIONS.items():
        progress(name)
        model = ring(*map(math.radians, degrees))
        y = fx.independent_coordinates(model, [PICKED])
        quantities.append(measured(f"{name}: rank of 30 equations", "-", y.rank, 29, stored.source, atol=0.5))
        found = twists(y, model)
        for body in range(5):
            label = f"{name}: direction of motion, body {body + 1} (translation 1-3, rotation 1-3), r2 of body 5 = 1"
            exact = np.array(stored.quantities[label]["value"])
            quantities.append(
                measured(f"{name}: largest error of the direction of body {body + 1}", "m, rad",
                         np.abs(found[body] - exact).max(), 0.0, stored.source, 1e-13, atol=1e-12)
            )  # fmt: skip
        label = f"{name}: condensed mass, stiffness, damping in the coordinate r2 of body 5"
        for k, (what, matrix) in enumerate((("mass", y.M), ("stiffness", y.K), ("damping", y.D))):
            quantities.append(_known(stored, f"{name}: condensed {what}", label, matrix[0, 0], 1e-12, k, atol=1e-12))
        parts = np.hstack((y.J_z, y.J_y))
        wrong = max(
            np.abs(y.G @ y.J_y).max(), np.abs(y.G @ y.J_z - np.eye(29)).max(), np.abs(y.J_y.T @ y.J_z).max()
        )  # fmt: skip
        quantities += [
            measured(f"{name}: G J_y = 0, G J_z = 1, J_y^T J_z = 0", "-", wrong, 0.0, "identity", atol=1e-12),
            measured(f"{name}: rank of [J_z, J_y]", "-", np.linalg.matrix_rank(parts), 30, "identity", atol=0.5),
        ]
    progress("four-bar linkage")
    return Outcome(quantities + _linkage())


def _known(
    stored: Any, label: str, name: str, value: float, rtol: float, index: int | None = None, *, atol: float = 0.0
) -> Measured:
    reference = stored.reference(name, index)
    return measured(label, "-", value, reference.value, stored.source, reference.uncertainty, rtol=rtol, atol=atol)


def four_bar(angles: tuple[float, float, float]) -> fx.Model:
    """Crank, coupler and rocker at these angles under gravity, the crank on a spring that is relaxed at 60 degrees."""
    p = load_reference("n20").parameters
    ends, at = list[FloatArray](), np.zeros(2)
    bodies = []
    lengths = (p["crank"], p["coupler"], p["rocker"])
    starts = [np.zeros(2), np.zeros(2), np.array([p["ground"], 0.0])]
    for i, (name, length, angle) in enumerate(zip(("crank", "coupler", "rocker"), lengths, angles, strict=True)):
        along = length * np.array([math.cos(angle), math.sin(angle)])
        at = ends[0] if i == 1 else starts[i]
        ends.append(at + along)
        mass = p[f"m_{name}"]
        bodies.append(
            fx.PlanarRigidBody(mass, mass * length**2 / 12.0, position=tuple(at + 0.5 * along), angle=angle, name=name)
        )
    crank, coupler, rocker = bodies
    pins = (
        fx.RevoluteJoint(fx.ground, crank, at=(0.0, 0.0), name="crank pin"),
        fx.RevoluteJoint(crank, coupler, at=tuple(ends[0]), name="pin A"),
        fx.RevoluteJoint(coupler, rocker, at=tuple(ends[2]), name="pin B"),
        fx.RevoluteJoint(fx.ground, rocker, at=(p["ground"], 0.0), name="rocker pin"),
    )
    turned = math.radians(p["spring_relaxed_at_deg"]) - angles[0]
    spring = fx.TorsionSpring(pins[0], stiffness=p["k"], free_angle=turned, name="spring")
    return fx.Model(*bodies, *pins, spring, fx.Gravity((0.0, -p["g"])), name="four-bar linkage")


def assembled(crank: float) -> tuple[float, float, float]:
    """Angles of crank, coupler and rocker, with the coupler's far end above the line of centres."""
    p = load_reference("n20").parameters
    A = p["crank"] * np.array([math.cos(crank), math.sin(crank)])
    across = np.array([p["ground"], 0.0]) - A
    d = float(np.hypot(*across))
    along = (p["coupler"] ** 2 - p["rocker"] ** 2 + d * d) / (2.0 * d)
    up = math.sqrt(p["coupler"] ** 2 - along**2)
    B = A + (along * across + up * np.array([-across[1], across[0]])) / d
    return crank, math.atan2(*(B - A)[::-1]), math.atan2(B[1], B[0] - p["ground"])


def _linkage() -> list[Measured]:
    stored = load_reference("n20")
    model = four_bar(assembled(math.radians(60.0)))
    rest = fx.solve_static(model)
    y = fx.independent_coordinates(rest, ["angle of body 'crank'"])
    rows = [y.velocities.index(f"angle of body '{name}'") for name in ("crank", "coupler", "rocker")]
    angles = [
        math.atan2(*np.asarray(rest.rotation(name, step=-1))[1::-1, 0]) for name in ("crank", "coupler", "rocker")
    ]
    slopes = y.J_y[rows, 0]
    M, K = y.M[0, 0], y.K[0, 0]
    gain = slopes[2] / K
    out = []
    name = "equilibrium: crank angle, coupler angle, rocker angle"
    out += [_known(stored, f"linkage: angle {k + 1}", name, a, 1e-7, k) for k, a in enumerate(angles)]
    name = "condensed inertia and stiffness in the crank angle"
    out += [
        _known(stored, f"linkage: {n}", name, v, 1e-6, k) for k, (n, v) in enumerate((("inertia", M), ("stiffness", K)))
    ]
    out.append(_known(stored, "linkage: natural frequency", "natural frequency", math.sqrt(K / M), 1e-6))
    name = "d coupler angle / d crank angle, d rocker angle / d crank angle"
    out += [_known(stored, f"linkage: slope {k + 1}", name, slopes[k + 1], 1e-7, k) for k in range(2)]
    out.append(
        _known(stored, "linkage: static gain", "static gain from a torque on the crank to the rocker angle", gain, 1e-6)
    )
    name = "|gain| at 5 rad/s and at 20 rad/s"
    out += [
        _known(stored, f"linkage: gain at {w:g} rad/s", name, abs(slopes[2] / (K - w * w * M)), 1e-6, k)
        for k, w in enumerate((5.0, 20.0))
    ]
    name = "equilibrium: pin force of the coupler on the rocker (x, y)"
    pin = rest.reaction("pin B", step=-1)
    out += [_known(stored, f"linkage: pin force {k + 1}", name, pin[k], 1e-6, k) for k in range(2)]
    return out


CHOSEN = Case(
    id="chosen-coordinates",
    title="Coordinates chosen by the user: a ring of six links, a four-bar linkage",
    area="mechanisms",
    summary=(
        "A ring whose thirty equations have rank 29, in three positions: the direction in which it moves; mass, "
        "damping and stiffness condensed to one rotation. A loaded four-bar linkage at its equilibrium, in terms of "
        "its crank: the loaded joints bring a part of the stiffness."
    ),
    run=run,
    source="C. Fuehrer and O. Wallrapp, DFVLR IB 515-84/2 (1984), table 1, one entry restored; energies by hand.",
    equations=(r"G J_y = 0, \quad G J_z = 1, \quad J_y^T J_z = 0, \quad M_y = J_y^T M J_y",),
)
