"""Predictive control of a planar robot with four drives for three freedoms, in classical and in root form."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import cho_factor, cho_solve, expm, solve_triangular

import flexmbs as fx
from flexmbs.core.contracts import FloatArray
from flexmbs.verification import Case, Outcome, Progress
from flexmbs.verification.cases.common import COLOURS, figure, measured

PERIOD, HORIZON, WEIGHT = 0.01, 10, 2e-3
"""Of the samples [s]; steps that are looked ahead; L on generalised forces [m/N]."""
FRAME, SIZE, CRANK, LINK = 0.5, 0.08, 0.4, 0.4
"""Half a side of the square of motors and of that of the platform's pins, lengths of the legs [m]."""
MASSES = {"crank": 0.12, "link": 0.08, "platform": 0.5}
TURN, LAP, RADIUS = 1.0, 0.8, 0.06
"""Duration of the run and of a lap [s], radius of the path [m]."""
CORNERS = np.array([(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)])
POSE = ("x of body 'platform'", "y of body 'platform'", "angle of body 'platform'")


class Legs(NamedTuple):
    """Motors, elbows and pins (4, 2) of a pose."""

    motors: FloatArray
    elbows: FloatArray
    pins: FloatArray


def legs(pose: FloatArray) -> Legs:
    """By geometry: each elbow to the left of the way from its motor to its pin."""
    x, y, angle = pose
    turned = np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])
    motors, pins = FRAME * CORNERS, np.array([x, y]) + SIZE * CORNERS @ turned.T
    way = pins - motors
    far = np.hypot(*way.T)[:, None]
    along = (CRANK**2 - LINK**2 + far**2) / (2.0 * far)
    left = np.column_stack((-way[:, 1], way[:, 0])) / far
    return Legs(motors, motors + along * way / far + np.sqrt(CRANK**2 - along**2) * left, pins)


def rates_by_hand(pose: FloatArray) -> FloatArray:
    """Rates of the four cranks by the pose's, (4, 3): the links are rigid, e . (v_pin - v_elbow) = 0."""
    where = legs(pose)
    e = where.pins - where.elbows
    arm, crank = where.pins - pose[:2], where.elbows - where.motors
    own = e[:, 1] * crank[:, 0] - e[:, 0] * crank[:, 1]
    return np.column_stack((e, arm[:, 0] * e[:, 1] - arm[:, 1] * e[:, 0])) / own[:, None]


def robot(pose: FloatArray) -> fx.Model:
    """At rest in a pose, under gravity."""
    where = legs(pose)
    platform = fx.PlanarRigidBody(
        MASSES["platform"], 2e-3, position=tuple(pose[:2]), angle=float(pose[2]), name="platform"
    )
    items: list[Any] = [platform]
    for i, (motor, elbow, pin) in enumerate(zip(*where, strict=True)):
        crank = fx.PlanarRigidBody.rod(tuple(motor), tuple(elbow), mass=MASSES["crank"], name=f"crank {i}")
        link = fx.PlanarRigidBody.rod(tuple(elbow), tuple(pin), mass=MASSES["link"], name=f"link {i}")
        items += [
            crank, link, fx.RevoluteJoint(fx.ground, crank, at=tuple(motor), name=f"motor {i}"),
            fx.RevoluteJoint(crank, link, at=tuple(elbow), name=f"elbow {i}"),
            fx.RevoluteJoint(link, platform, at=tuple(pin), name=f"pin {i}"),
        ]  # fmt: skip
    return fx.Model(*items, fx.Gravity((0, -9.81)), name="robot with four drives")


def path(t: Any) -> FloatArray:
    """The pose that is wanted, (3,) or (n, 3): a lap on a circle from rest to rest, then rest."""
    part = np.clip(np.asarray(t) / LAP, 0.0, 1.0)
    s = 2.0 * math.pi * part - np.sin(2.0 * math.pi * part)
    return np.stack((RADIUS * (np.cos(s) - 1.0), RADIUS * np.sin(s), 0.15 * np.sin(s)), axis=-1)


class Prediction(NamedTuple):
    """x = f + G u over the horizon, all poses and all inputs one after the other, and R^T T of the drives."""

    f: FloatArray
    G: FloatArray
    drives: FloatArray


def predicted(y: fx.IndependentCoordinates, pose: FloatArray, horizon: int) -> Prediction:
    """By R^T M R y'' + R^T M R' y' = R^T g + u, its coefficients as they are now, u held over the samples."""
    mass, bent = y.M, y.J_y.T @ (y.matrices.M @ y.J_y_rate)
    whole = np.zeros((12, 12))
    whole[:3, 3:6] = np.eye(3)
    whole[3:6, 3:6], whole[3:6, 6:9] = -np.linalg.solve(mass, bent), np.linalg.inv(mass)
    step = expm(PERIOD * whole)
    A, B = step[:6, :6], step[:6, 6:9]
    state, force = np.concatenate((pose, y.rates)), y.J_y.T @ y.applied
    f, G = np.zeros((horizon, 3)), np.zeros((horizon, 3, horizon, 3))
    answers: list[FloatArray] = []
    for i in range(horizon):
        answers.append(B if not i else A @ answers[-1])
        state = A @ state + B @ force
        f[i] = state[:3]
        for j in range(i + 1):
            G[i, :, j] = answers[i - j][:3]
    cranks = [y.velocities.index(f"angle of body 'crank {i}'") for i in range(4)]
    return Prediction(f.ravel(), G.reshape(3 * horizon, 3 * horizon), y.J_y[cranks].T)


def classical(G: FloatArray, gap: FloatArray, weight: float) -> FloatArray:
    """u = (G^T G + L^T L)^-1 G^T (w - f), by Cholesky's factors."""
    return np.asarray(cho_solve(cho_factor(G.T @ G + weight**2 * np.eye(len(G.T))), G.T @ gap))


def root(G: FloatArray, gap: FloatArray, weight: float) -> tuple[FloatArray, float]:
    """u from the triangle of [G, w - f; L, 0], and the loss |c_z|^2."""
    n = G.shape[1]
    stacked = np.vstack((np.column_stack((G, gap)), np.column_stack((weight * np.eye(n), np.zeros(n)))))
    R = np.asarray(np.linalg.qr(stacked, mode="r"))
    return np.asarray(solve_triangular(R[:n, :n], R[:n, n])), float(R[n, n] ** 2)


def exact(G: FloatArray, gap: FloatArray, weight: float) -> FloatArray:
    """The same from the normal equations with 60 digits, by Gauss' elimination."""
    with localcontext() as context:
        context.prec = 60
        g = [[Decimal(float(x)) for x in row] for row in G.T]
        b = [Decimal(float(x)) for x in gap]
        n = len(g)
        add = Decimal(weight) ** 2
        rows = [
            [sum(map(Decimal.__mul__, g[i], g[j]), add if i == j else Decimal(0)) for j in range(n)]
            + [sum(map(Decimal.__mul__, g[i], b), Decimal(0))]
            for i in range(n)
        ]
        for i in range(n):  # positive definite: no interchanges
            for k in range(i + 1, n):
                ratio = rows[k][i] / rows[i][i]
                rows[k][i:] = [x - ratio * y for x, y in zip(rows[k][i:], rows[i][i:], strict=True)]
        u = [Decimal(0)] * n
        for i in reversed(range(n)):
            u[i] = (rows[i][n] - sum(map(Decimal.__mul__, rows[i][i + 1 : n], u[i + 1 :]), Decimal(0))) / rows[i][i]
        return np.array([float(x) for x in u])


def torques(
    x: FloatArray, u: FloatArray, t: float, *, coordinates: fx.IndependentCoordinates, horizon: int, weight: float
) -> FloatArray:
    """Torques (4,) of the drives; u: q and v of the robot one after the other."""
    del x
    n = len(u) // 2
    y = coordinates.at(u[:n], u[n:])
    ahead = predicted(y, _pose(y, u[:n]), horizon)
    wanted = path(t + PERIOD * np.arange(1, horizon + 1)).ravel()
    forces = root(ahead.G, wanted - ahead.f, weight)[0][:3]
    return np.asarray(np.linalg.pinv(ahead.drives) @ forces)


def _pose(y: fx.IndependentCoordinates, q: FloatArray) -> FloatArray:
    """Of the platform: in the plane coordinates have the places of their velocities."""
    return np.asarray(q[[y.velocities.index(name) for name in POSE]])


def _state(t: float, view: Any) -> FloatArray:
    del t
    return np.concatenate((view.q, view.v))


def controlled(horizon: int, weight: float = WEIGHT) -> tuple[fx.TimeSolution, fx.IndependentCoordinates]:
    """A lap under control."""
    model = robot(path(0.0))
    y = fx.independent_coordinates(model, POSE)
    size = len(y.velocities)
    law = partial(torques, coordinates=y, horizon=horizon, weight=weight)
    seen = fx.control.FunctionSensor(_state, 2 * size, name="state")
    motors = [fx.control.JointActuator(f"motor {i}", name=f"drive {i}") for i in range(4)]
    control = fx.control.Controller([seen], motors, period=PERIOD, output=law, name="predictive")
    run = fx.simulate(model.with_(control), until=TURN, step=PERIOD / 4, output=fx.Output(every=PERIOD))
    return run, y


def far(run: fx.TimeSolution) -> FloatArray:
    """Distance of the platform from its path (n,)."""
    return np.asarray(np.hypot(*(run.position(run.model.body("platform"))[:, :2] - path(run.t)[:, :2]).T))


def run_robot(progress: Progress) -> Outcome:
    """One lap with three horizons; both forms at all samples, and against 60 digits."""
    quantities = []
    runs = {}
    for horizon in (4, HORIZON, 20):
        progress(f"horizon of {horizon} samples")
        runs[horizon], y = controlled(horizon)
    run = runs[HORIZON]
    progress("both forms")
    worst = dict.fromkeys(("forms", "loss", "torques", "least", "cranks", "rate"), 0.0)
    for k in range(0, len(run.t), 4):
        q, v = np.array(run.q[k]), np.array(run.v[k])
        here = y.at(q, v)
        pose = _pose(here, q)
        ahead = predicted(here, pose, HORIZON)
        gap = path(run.t[k] + PERIOD * np.arange(1, HORIZON + 1)).ravel() - ahead.f
        one, (two, loss) = classical(ahead.G, gap, WEIGHT), root(ahead.G, gap, WEIGHT)
        size = max(float(np.abs(two).max()), 1e-300)
        cost = float(np.sum((ahead.G @ two - gap) ** 2) + WEIGHT**2 * (two @ two))
        tau = np.linalg.pinv(ahead.drives) @ two[:3]
        null = np.linalg.svd(ahead.drives)[2][3]
        hand = rates_by_hand(pose)
        h = 1e-5
        moved = [rates_by_hand(pose + s * h * here.rates) for s in (1.0, -1.0)]
        cranks = [here.velocities.index(f"angle of body 'crank {i}'") for i in range(4)]
        found = {
            "forms": np.abs(one - two).max() / size, "loss": abs(loss / cost - 1.0),
            "torques": np.abs(ahead.drives @ tau - two[:3]).max() / np.abs(two[:3]).max(),
            "least": abs(null @ tau) / np.abs(tau).max(), "cranks": np.abs(ahead.drives.T - hand).max(),
            "rate": np.abs(here.J_y_rate[cranks] - (moved[0] - moved[1]) / (2.0 * h)).max(),
        }  # fmt: skip
        worst = {name: max(worst[name], float(value)) for name, value in found.items()}
    quantities += [
        measured("input, classical and root form, largest difference", "1", worst["forms"], 0.0,
                 f"both minimise the same, N = {HORIZON}", atol=1e-12),
        measured("loss |c_z|^2 against the criterion, largest difference", "1", worst["loss"], 0.0, "J = c_z^T c_z",
                 atol=1e-12),
        measured("R^T T u - F, largest part", "1", worst["torques"], 0.0, "four torques for three forces", atol=1e-12),
        measured("part of the torques that does nothing, largest", "1", worst["least"], 0.0, "least norm", atol=1e-12),
        measured("rates of the cranks by R, largest error", "1/m", worst["cranks"], 0.0, "geometry", atol=1e-9),
        measured("R', largest error", "1/(m s)", worst["rate"], 0.0, "differences of the geometry along the motion",
                 atol=1e-6),
    ]  # fmt: skip
    quantities += _digits(y, run, progress)
    errors = {n: float(far(r).max()) for n, r in runs.items()}
    rows = sorted(errors)
    quantities.append(
        measured("horizons after which a longer one follows the path worse", "1",
                 sum(errors[b] >= errors[a] for a, b in pairwise(rows)), 0.0,
                 "largest errors " + ", ".join(f"{1e3 * errors[n]:.3g} mm with N = {n}" for n in rows), atol=0.5)
    )  # fmt: skip
    return Outcome(tuple(quantities), figures=(("Wanted and real path of the platform.", _drawn(runs)),))


def _digits(y: fx.IndependentCoordinates, run: fx.TimeSolution, progress: Progress) -> list[Any]:
    """Both forms against 60 digits, down to weights at which normal equations lose half of them."""
    k = len(run.t) // 3
    here = y.at(np.array(run.q[k]), np.array(run.v[k]))
    ahead = predicted(here, _pose(here, np.array(run.q[k])), HORIZON)
    gap = path(run.t[k] + PERIOD * np.arange(1, HORIZON + 1)).ravel() - ahead.f
    out, eps = [], float(np.finfo(float).eps)
    for weight in (WEIGHT, 1e-5, 1e-7):
        progress(f"60 digits, weight {weight:g}")
        truth = exact(ahead.G, gap, weight)
        condition = float(np.linalg.cond(np.vstack((ahead.G, weight * np.eye(len(truth))))))
        size = float(np.linalg.norm(truth))
        for form, u, power in (("classical", classical(ahead.G, gap, weight), 2),
                               ("root", root(ahead.G, gap, weight)[0], 1)):  # fmt: skip
            error = float(np.linalg.norm(u - truth)) / size
            residual = float(np.linalg.norm(np.append(ahead.G @ truth - gap, weight * truth)))
            bound = eps * (condition**2 if power == 2 else condition + condition**2 * residual /
                           (float(np.linalg.norm(ahead.G, 2)) * size))  # fmt: skip
            out.append(
                measured(f"error of the {form} form, L = {weight:g}, in units of its bound", "1", error / bound, 0.0,
                         f"error {error:.1e}, condition {condition:.1e}; 60 digits", atol=50.0)
            )  # fmt: skip
    return out


def _drawn(runs: dict[int, fx.TimeSolution]) -> Any:
    drawing, axes = figure()
    t = np.linspace(0.0, LAP, 200)
    axes.plot(*path(t)[:, :2].T, "k:", label="wanted")
    for colour, (n, run) in zip(COLOURS, runs.items(), strict=False):
        axes.plot(*run.position(run.model.body("platform"))[:, :2].T, color=colour, label=f"N = {n}")
    axes.set_aspect("equal")
    axes.set_xlabel("x [m]")
    axes.set_ylabel("y [m]")
    axes.legend()
    return drawing


ROBOT = Case(
    "predictive-control",
    "Predictive control of a planar robot with four drives for three freedoms",
    "control",
    "At every sample the equations are condensed to the pose of the platform, predicted over a horizon, and the inputs "
    "that follow the path best are found in two forms: by normal equations and by an orthogonal triangle. The first of "
    "them is shared by the four drives.",
    run_robot,
    "K. Belda, J. Boehm, M. Valasek, State-space generalized predictive control for redundant parallel robots, whose "
    "robot is not given; geometry, and the normal equations with 60 digits.",
    (
        r"R^T M R\,\ddot y + R^T M \dot R\,\dot y = R^T g + R^T T u, \quad \hat x = f + G u",
        r"\min_u |\hat x - w|^2 + |L u|^2: \quad u = (G^T G + L^T L)^{-1} G^T (w - f) \quad\text{or}\quad "
        r"Q^T \begin{bmatrix} G & w - f \\ L & 0 \end{bmatrix} = \begin{bmatrix} R & c_1 \\ 0 & c_z \end{bmatrix}",
    ),
    limits=(
        "The condition of [G; L] grows with the horizon and with less weight; the error of normal equations with its "
        "square. That both forms agree to 1e-12 holds while the square is below 1e4.",
    ),
)
