"""A planar robot with three and with four legs: maps of stiffness, frequency and acceleration over its workspace."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from scipy.optimize import linprog

import flexmbs as fx
from flexmbs.core.contracts import FloatArray
from flexmbs.verification import Case, Outcome, Progress
from flexmbs.verification.cases.common import figure, measured

MASS, INERTIA, STIFFNESS, LIMIT = 6.0, 0.08, 4e5, 200.0
"""Of the platform [kg, kg m^2], of a leg [N/m], of its drive [N]."""
REACH, SIZE, TURN = 1.0, 0.12, 0.6
"""Of the frame and the platform [m], and by how much the legs are set against its middle [rad]."""
SPAN, COUNT = 0.3, 5


def ends(x: float, y: float, legs: int) -> tuple[FloatArray, FloatArray]:
    """Feet of the legs, and their points on the platform, which is not turned: (legs, 2) each."""
    angle = 2.0 * np.pi * np.arange(legs) / legs + 0.5
    feet = REACH * np.column_stack((np.cos(angle), np.sin(angle)))
    held = np.array([x, y]) + SIZE * np.column_stack((np.cos(angle + TURN), np.sin(angle + TURN)))
    return feet, held


def robot(x: float = 0.0, y: float = 0.0, *, legs: int) -> fx.Model:
    """The platform at a place, with springs for its driven legs."""
    platform = fx.PlanarRigidBody(MASS, INERTIA, position=(x, y), name="platform")
    springs = [
        fx.SpringDamper(
            fx.ground.marker((*foot, 0.0)),
            platform.marker(held - (x, y)),
            stiffness=STIFFNESS,
            free_length=float(np.hypot(*(held - foot))),
            name=f"leg {i}",
        )
        for i, (foot, held) in enumerate(zip(*ends(x, y, legs), strict=True))
    ]
    return fx.Model(platform, *springs, name=f"robot with {legs} legs")


AXES = ((1.0, 0.0), (0.0, 1.0))


def forces(model: fx.Model) -> list[Any]:
    """Unit forces at the platform."""
    return [fx.PointForce(model.rigid_bodies[0].centre, axis) for axis in AXES]


def motions(model: fx.Model) -> list[Any]:
    """Displacements along them."""
    return [fx.control.PositionSensor(model.rigid_bodies[0].centre, axis) for axis in AXES]


def angle_of(model: fx.Model) -> list[Any]:
    """The turn of the platform."""
    return [fx.control.CoordinateSensor(model.rigid_bodies[0], 2)]


def drives(model: fx.Model) -> list[Any]:
    """A drive in each leg."""
    return [fx.control.LineActuator(leg.a, leg.b, name=f"drive {i}") for i, leg in enumerate(model.forces)]


def rates(x: float, y: float, legs: int) -> FloatArray:
    """Lengths of the legs by x, y and the turn of the platform, by geometry: (legs, 3)."""
    feet, held = ends(x, y, legs)
    along = (held - feet) / np.hypot(*(held - feet).T)[:, None]
    arm = held - (x, y)
    return np.column_stack((along, arm[:, 0] * along[:, 1] - arm[:, 1] * along[:, 0]))


def by_hand(x: float, y: float, legs: int) -> tuple[FloatArray, float, float]:
    """Stiffness in the plane, lowest frequency, and acceleration by the dual of the linear programme."""
    J = rates(x, y, legs)
    K, M = STIFFNESS * J.T @ J, np.array([MASS, MASS, INERTIA])
    plane = np.linalg.inv(np.linalg.inv(K)[:2, :2])
    scaled = K / np.sqrt(np.outer(M, M))
    frequency = float(np.sqrt(np.linalg.eigvalsh(scaled)[0]) / (2.0 * np.pi))
    W = (J / M).T  # of x, y and the turn, by the drives
    least = np.inf
    for angle in 2.0 * np.pi * np.arange(24) / 24:
        along = np.array([np.cos(angle), np.sin(angle), 0.0])
        # min F sum |W^T p| with p . along = 1: the largest s with W f = s along, |f| <= F
        size = np.append(np.zeros(3), np.full(legs, LIMIT))
        beyond = np.block([[W.T, -np.eye(legs)], [-W.T, -np.eye(legs)]])
        dual = linprog(size, A_ub=beyond, b_ub=np.zeros(2 * legs), A_eq=[np.append(along, np.zeros(legs))], b_eq=[1.0],
                       bounds=[(None, None)] * 3 + [(0.0, None)] * legs, method="highs")  # fmt: skip
        least = min(least, float(dual.fun))
    return plane, frequency, least


def run_maps(progress: Progress) -> Outcome:
    """Two maps of twenty-five poses, against stiffness, frequencies and linear programmes by hand."""
    pose = fx.studies.Workspace(forces, motions, drives, LIMIT, rest=angle_of)
    across = fx.studies.Between(-SPAN, SPAN)
    maps, quantities = {}, []
    source = "K = J^T k J, M^-1 K, dual of the linear programme"
    for legs in (3, 4):
        progress(f"{legs} legs, {COUNT**2} poses")
        family = fx.studies.Family(partial(robot, legs=legs), x=across, y=across)
        done = fx.studies.Study(family, fx.studies.Grid(x=COUNT, y=COUNT), fx.studies.workspace_measures(), pose).run(
            progress=False
        )
        hand = [by_hand(x, y, legs) for x, y in zip(done["x"], done["y"], strict=True)]
        eigen = np.array([np.linalg.eigvalsh(plane) for plane, _, _ in hand])
        expected = {
            "least stiffness": eigen[:, 0], "greatest stiffness": eigen[:, 1],
            "frequency": np.array([f for _, f, _ in hand]), "acceleration": np.array([a for _, _, a in hand]),
        }  # fmt: skip
        for name, values in expected.items():
            worst = float(np.abs(done[name] / values - 1.0).max()) if not done.failed else np.nan
            quantities.append(measured(f"{name}, {legs} legs, largest error", "1", worst, 0.0, source, atol=1e-8))
        maps[legs] = done
    both = [[STIFFNESS * rates(x, y, n).T @ rates(x, y, n) for n in (3, 4)] for x, y in
            zip(maps[3]["x"], maps[3]["y"], strict=True)]  # fmt: skip
    more = min(float(np.linalg.eigvalsh(four)[0] / np.linalg.eigvalsh(three)[0]) for three, four in both)
    quantities.append(measured("poses in which four legs are softer than three", "1",
                               float((maps[4]["least stiffness"] < maps[3]["least stiffness"]).sum()), 0.0,
                               f"own geometry; least ratio by hand {more:.2f}", atol=0.5))  # fmt: skip

    def draw() -> Any:
        drawing, axes = figure()
        for legs, done in maps.items():
            middle = np.flatnonzero(np.abs(done["y"]) < 1e-12)
            axes.plot(done["x"][middle], done["acceleration"][middle], "o-", label=f"{legs} legs")
        axes.set_xlabel("x of the platform [m]")
        axes.set_ylabel("acceleration in every direction [m/s$^2$]")
        axes.legend()
        return drawing

    return Outcome(tuple(quantities), figures=(("acceleration along the middle", draw()),))


ROBOT = Case(
    "redundant-robot",
    "A planar robot with three and with four driven legs over its workspace",
    "studies",
    "Stiffness at the platform, lowest frequency, and the acceleration that limited drives reach in every direction "
    "without turning it, on a grid of poses.",
    run_maps,
    "Jacobian of the lengths by geometry; duals of the linear programmes. Z. Sika, M. Valasek, V. Bauma, T. Vampola, "
    "Design of redundant parallel robots, whose geometry is not given.",
    (r"K = J^T k J", r"\max s:\; W f = s\,n,\; |f_i| \leq F"),
    limits=("The geometry is one of our own: gains of redundancy are its own, too.",),
    slow=True,
)
