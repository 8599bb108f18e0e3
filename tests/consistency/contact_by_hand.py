"""Contact of two rigid bodies computed without flexmbs: distances, forces, and motion by an integrator of SciPy.

Plain vectors of the inertial frame, no rows and no derivatives: what is compared with the engine shares nothing with it
but the statement of the laws in `flexmbs.contact`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

Vector = NDArray[np.float64]
Z = np.array([0.0, 0.0, 1.0])


@dataclass(frozen=True)
class Place:
    """A marker of a body: its point and axes in those of the body."""

    point: Vector
    frame: NDArray[np.float64]


@dataclass(frozen=True)
class Rigid:
    """A rigid body with the place of its shape: mass, inertia in its axes, pose, velocities (angular in its axes)."""

    mass: float
    inertia: NDArray[np.float64]
    p: Vector
    R: NDArray[np.float64]
    v: Vector
    w: Vector
    place: Place
    fixed: bool = False


def distance(shape: str, sizes: dict[str, float], x: Vector) -> tuple[float, Vector]:
    """Signed distance of x from a shape in its axes, and the direction in which it grows."""
    if shape == "plane":
        return float(x[2]), Z
    if shape in ("cylinder", "bore"):
        rho = math.hypot(x[0], x[1])
        n = np.array([x[0], x[1], 0.0]) / rho
        return (rho - sizes["radius"], n) if shape == "cylinder" else (sizes["radius"] - rho, -n)
    if shape == "box":
        half = np.array([sizes["a"], sizes["b"], sizes["c"]])
        outside = x - np.clip(x, -half, half)
        if outside.any():
            size = float(np.linalg.norm(outside))
            return size, outside / size
        depth = np.abs(x) - half
        face = int(depth.argmax())
        return float(depth[face]), np.eye(3)[face] * np.sign(x[face])
    if shape == "sphere":
        near = np.zeros(3)
    elif shape == "capsule":
        near = np.array([0.0, 0.0, np.clip(x[2], -sizes["half"], sizes["half"])])
    else:  # a rim with round stuff about it
        near = np.array([x[0], x[1], 0.0]) * sizes["circle"] / math.hypot(x[0], x[1])
    size = float(np.linalg.norm(x - near))
    return size - sizes["radius"], (x - near) / size


def normal_force(law: dict[str, float], depth: float, rate: float) -> float:
    """N, with the rate of the depth."""
    if depth <= 0.0:
        return 0.0
    if "full" in law:
        x = min(depth / law["full"], 1.0)
        damped = law["c"] * (3.0 * x * x - 2.0 * x**3) * rate
    else:
        damped = law["k"] * depth ** law["n"] * law["c"] * rate
    return max(0.0, law["k"] * depth ** law["n"] + damped)


def friction(law: dict[str, float], N: float, u: Vector, z: Vector) -> tuple[Vector, Vector]:
    """What friction does against the slip u, and the rates of its states, in the same axes."""
    if not law:
        return np.zeros_like(u), np.zeros(0)
    mu, static, speed = law["mu"], law["static"], float(np.linalg.norm(u))
    if "creep" in law:
        size = N * (mu + (static - mu) * math.exp(-((speed / law["falling"]) ** 2))) * math.tanh(speed / law["creep"])
        return (size / speed * u if speed else 0.0 * u), np.zeros(0)
    k, sigma = law["k"], law["sigma"]
    if "tau" not in law:
        limit = N * (mu + (static - mu) * math.exp(-((speed / law["falling"]) ** 2)))
        length = float(np.linalg.norm(z))
        e = z / length if length else 0.0 * z
        z1, z0 = limit / k, law["b"] * N * mu / k
        if length >= z1 and length > 0.0:
            slip = 1.0
            share = 1.0
        elif length > z0:
            slip = 0.5 + 0.5 * math.sin(math.pi * (length - 0.5 * (z0 + z1)) / (z1 - z0))
            share = length / z1
        else:
            slip, share = 0.0, 0.0
        rate = u - slip * share * max(float(e @ u), 0.0) * e
        T = k * z + sigma * rate
        if np.linalg.norm(T) > limit:
            held = limit / np.linalg.norm(T)
            T = held * T + (1.0 - held) * (k * z + sigma * u)
            T = T * limit / np.linalg.norm(T)
            rate = (T - k * z) / sigma
        return T, rate
    bent, rest = z[:-1], float(z[-1])
    s = math.exp(-((speed / law["stribeck"]) ** 2))
    small = speed / law["creep_speed"]
    along = u / law["creep_speed"] * (1.5 - 0.5 * small**2) if small < 1.0 else u / speed
    rate = s * u + (1.0 - s) * (mu * N / sigma * along - k / sigma * bent)
    T = k * bent + sigma * rate
    limit = N * (mu + (static - mu) * rest)
    if np.linalg.norm(T) > limit:
        T = T * limit / np.linalg.norm(T)
    return T, np.append(rate, (s - rest) / (law["tau"] if s >= rest else sigma / k))


@dataclass(frozen=True)
class Touch:
    """A contact: shape A with its sizes, B a ball (``ball``; 0: a point) or a thin rim (``rim``), and the laws."""

    shape: str
    sizes: dict[str, float]
    ball: float
    rim: float
    normal: dict[str, float]
    friction: dict[str, float]

    @property
    def directions(self) -> int:
        """Components of the slip that have states."""
        return 2 if self.shape == "plane" else 3

    @property
    def states(self) -> int:
        """Number of first-order states."""
        if "k" not in self.friction:
            return 0
        return self.directions + ("tau" in self.friction)

    def act(self, a: Any, b: Any, z: Vector) -> tuple[Vector, Vector, Vector, float]:
        """Force on B, where it acts, the rates of the states, and the gap; a and b: (p, R, v, w inertial, place)."""
        (pa, Ra, va, wa, on_a), (pb, Rb, vb, wb, on_b) = a, b
        A, origin = Ra @ on_a.frame, pa + Ra @ on_a.point
        centre = pb + Rb @ on_b.point
        if self.rim:
            axis, n = Rb @ on_b.frame @ Z, A @ Z
            down = (axis @ n) * axis - n
            point = centre + self.rim * down / np.linalg.norm(down)
            gap = float((point - origin) @ n)
        else:
            gap, n = distance(self.shape, self.sizes, A.T @ (centre - origin))
            gap, n = gap - self.ball, A @ n
            point = centre - self.ball * n
        relative = vb + np.cross(wb, point - pb) - va - np.cross(wa, point - pa)
        N = normal_force(self.normal, -gap, -float(relative @ n))
        u = A.T @ (relative - (relative @ n) * n)
        T, rates = friction(self.friction, N, u[: self.directions], z)
        back = A @ np.append(T, np.zeros(3 - len(T)))
        return N * n - (back - (back @ n) * n), point, rates, gap


def motion(bodies: tuple[Rigid, Rigid], touch: Touch, until: float) -> tuple[Vector, list[Vector]]:
    """States at the end: places (2, 3), and rotation matrices of both bodies."""

    def rate(t: float, y: Vector) -> Vector:
        seen, out = [], np.zeros_like(y)
        for i, body in enumerate(bodies):
            s = y[13 * i : 13 * i + 13]
            R = Rotation.from_quat(s[3:7]).as_matrix()
            seen.append((s[0:3], R, s[7:10], R @ s[10:13], body.place))
        F, point, rates, _ = touch.act(*seen, y[26:])
        for i, (body, f) in enumerate(zip(bodies, (-F, F), strict=True)):
            if body.fixed:
                continue
            s, d = y[13 * i : 13 * i + 13], out[13 * i : 13 * i + 13]
            p, R, v, _, _ = seen[i]
            w = s[10:13]
            x, y4, z4, w4 = s[3:7]
            d[0:3] = v
            d[3:7] = 0.5 * np.array([
                w4 * w[0] + y4 * w[2] - z4 * w[1], w4 * w[1] + z4 * w[0] - x * w[2],
                w4 * w[2] + x * w[1] - y4 * w[0], -x * w[0] - y4 * w[1] - z4 * w[2],
            ])  # fmt: skip
            d[7:10] = f / body.mass
            d[10:13] = np.linalg.solve(body.inertia, R.T @ np.cross(point - p, f) - np.cross(w, body.inertia @ w))
        out[26:] = rates
        return out

    start = [np.concatenate((b.p, Rotation.from_matrix(b.R).as_quat(), b.v, b.w)) for b in bodies]
    y0 = np.concatenate((*start, np.zeros(touch.states)))
    found = solve_ivp(rate, (0.0, until), y0, method="DOP853", rtol=1e-9, atol=1e-11, max_step=until / 20)
    end = found.y[:, -1]
    turned = [Rotation.from_quat(end[13 * i + 3 : 13 * i + 7]).as_matrix() for i in range(2)]
    return np.stack((end[0:3], end[13:16])), turned
