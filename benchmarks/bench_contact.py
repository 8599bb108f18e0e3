"""Contact of many bodies: the search for neighbours alone, ways to search beside each other, spheres that settle.

Search: spheres of radii 1:5 at one density. Ways: all pairs, cells as wide as the largest sphere, boxes sorted along
the axes and kept so from step to step (B. Muth, P. Eberhard, Collision detection and administration for many colliding
bodies, NATO ASI Prague 2002), and the grids by size of flexmbs, on spheres that fly through a box; equal ones, and of
radii 1:20. Settling: 6^3 and 10^3 spheres of 50 mm and 0.5 kg fall into a box, with friction 0.4; flexmbs by
generalized-alpha with 1 ms and explicitly by the classical Runge-Kutta method with 0.5 ms, Exudyn (GeneralContact,
linear springs of 1e5 N/m) explicitly with 0.1 ms and implicitly with 1 ms, MuJoCo (216) with 1 ms. The contact of
flexmbs yields as much as that spring under 30 N. Mesh: distances of points from spheres of 8 to 131 072 triangles, up
to a fifth of their radius away, in the tree of boxes, and from all triangles one by one.

    python benchmarks/bench_contact.py [search] [ways] [mesh] [settle] [--seconds 0.5] [--implicit-peer]

EXUDYN_PYTHON and MUJOCO_PYTHON name interpreters that have the other programs.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import measure
import numpy as np
from peer import Peer, find_peer

import flexmbs as fx
from flexmbs.core.jit import kernel
from flexmbs.kernels.neighbours import neighbours
from flexmbs.kernels.triangle_meshes import mesh_distance

SIZES = (2_000, 20_000, 200_000)
LIMITS = {2_000: 0.5, 200_000: 80.0}
EXPONENT = 0.15
STEP_TARGETS = {216: 8.0, 1000: 50.0}
RADIUS, MASS, FRICTION, SLIP = 0.05, 0.5, 0.4, 0.05
SPRING, LOAD = 1e5, 30.0


def spheres(n: int, spread: float, seed: int = 1, density: float = 2_000.0) -> tuple[Any, Any]:
    """Places and radii; ``density`` of spheres of the largest radius 0.02 a unit of volume."""
    u = np.random.default_rng(seed).random((n, 4))
    return u[:, :3] * (n / density) ** (1 / 3), 0.02 * spread ** (u[:, 3] - 1.0)


def search() -> None:
    """Time of one search and its growth."""
    rows, times = [], []
    for n in SIZES:
        x, radius = spheres(n, 5.0)
        taken = measure.repeated(lambda x=x, radius=radius: neighbours(x, radius), 9, 0.05).scaled(1e3)
        times.append(taken.low)
        limit = LIMITS.get(n)
        told = "" if limit is None else f"{limit:g} ms {measure.verdict(taken.low, limit)}"
        rows.append([n, len(neighbours(x, radius)), f"{taken.median:.3f}", f"{taken.low:.3f}", told])
    measure.table(["spheres", "pairs", "median [ms]", "lowest [ms]", "target"], rows)
    exponent = float(np.polyfit(np.log(SIZES), np.log(times), 1)[0])
    print(
        f"exponent of the lowest times: {exponent:.2f}, 1.0 +- 0.15 {measure.verdict(abs(exponent - 1.0), EXPONENT)}\n"
    )


# --- ways to search ---------------------------------------------------------------------------------------------------


@kernel
def all_pairs(x: Any, radius: Any) -> int:
    """Number of overlapping pairs."""
    found = 0
    for i in range(x.shape[0]):
        for j in range(i + 1, x.shape[0]):
            s, square = radius[i] + radius[j], 0.0
            for axis in range(3):
                square += (x[i, axis] - x[j, axis]) ** 2
            if square < s * s:
                found += 1
    return found


@kernel
def sort_ends(low: Any, order: Any) -> int:
    """Insertion sort of an order that is nearly right; returns the exchanges."""
    swaps = 0
    for p in range(1, order.shape[0]):
        i, q = order[p], p
        while q > 0 and low[order[q - 1]] > low[i]:
            order[q] = order[q - 1]
            q -= 1
            swaps += 1
        order[q] = i
    return swaps


@kernel
def sweep(x: Any, radius: Any, order: Any) -> int:
    """Overlapping pairs along the boxes sorted by their lower ends in x; the other axes are asked of each."""
    found = 0
    for p in range(order.shape[0]):
        i = order[p]
        for q in range(p + 1, order.shape[0]):
            j = order[q]
            if x[j, 0] - radius[j] > x[i, 0] + radius[i]:
                break
            s, d1, d2 = radius[i] + radius[j], x[i, 1] - x[j, 1], x[i, 2] - x[j, 2]
            if abs(d1) < s and abs(d2) < s and (x[i, 0] - x[j, 0]) ** 2 + d1 * d1 + d2 * d2 < s * s:
                found += 1
    return found


def one_size(x: Any, radius: Any) -> int:
    """Cells as wide as the largest sphere, for all: those of the grid for one size, then the true radii."""
    pairs = neighbours(x, np.full(len(radius), radius.max()), boxes=True)
    i, j = pairs.T
    return int((((x[i] - x[j]) ** 2).sum(axis=1) < (radius[i] + radius[j]) ** 2).sum())


def over(places: list[Any], call: Callable[[Any], int]) -> None:
    """Call for all places."""
    for x in places:
        call(x)


def ways() -> None:
    """Milliseconds a step, over 20 steps in which a sphere moves by a tenth of the smallest radius."""
    rows = []
    for spread, label in ((1.0, "equal"), (20.0, "1:20")):
        for n in (300, 1_000, 3_000, 10_000):
            x0, radius = spheres(n, spread, density=4_000.0)
            side = float(x0.max())
            v = np.random.default_rng(2).standard_normal((n, 3)) * 0.1 * radius.min()
            moved = [side - np.abs((x0 + k * v) % (2 * side) - side) for k in range(21)]
            order = np.argsort(x0[:, 0] - radius).astype(np.int64)
            counts = {}

            def sorted_ends(x: Any, order: Any = order, radius: Any = radius) -> int:
                sort_ends(x[:, 0] - radius, order)
                return int(sweep(x, radius, order))

            calls = {
                "all pairs": lambda x, radius=radius: int(all_pairs(x, radius)),
                "one size of cells": lambda x, radius=radius: one_size(x, radius),
                "sorted ends": sorted_ends,
                "grids by size": lambda x, radius=radius: len(neighbours(x, radius)),
            }
            row: list[Any] = [label, n]
            for name, call in calls.items():
                if name == "all pairs" and n > 3_000:
                    row.append("")
                    continue
                counts[name] = call(moved[0])
                taken = [measure.cpu_time(partial(over, moved[1:], call)) for _ in range(3)]
                row.append(f"{min(taken) * 1e3 / 20:.3f}")
                counts[name] = call(moved[-1])
            assert len(set(counts.values())) == 1, counts
            rows.append([*row, counts["grids by size"]])
    heads = ["radii", "spheres", "all pairs", "one size of cells", "sorted ends", "grids by size", "pairs"]
    measure.table(heads, rows)
    print("milliseconds of processor time a step\n")


# --- solids of triangles ----------------------------------------------------------------------------------------------


@kernel
def distances(places: Any, data: Any) -> float:
    """The sum of the distances of all places."""
    total = 0.0
    for x in places:
        total += mesh_distance((0.0, 0.0, 0.0), (x[0], x[1], x[2]), data, 0)[0]
    return total


def fine_sphere(times: int) -> fx.contact.TriangleMesh:
    """An octahedron whose triangles are divided so often, with its vertices on the unit sphere."""
    corners = np.array([
        [(x, 0.0, 0.0), (0.0, y, 0.0), (0.0, 0.0, z)] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)
    ])  # fmt: skip
    inside_out = np.linalg.det(corners) < 0.0
    corners[inside_out] = corners[inside_out, ::-1]
    for _ in range(times):
        a, b, c = corners.transpose(1, 0, 2)
        ab, bc, ca = (x / np.linalg.norm(x, axis=1)[:, None] for x in (a + b, b + c, c + a))
        corners = np.concatenate([np.stack(t, axis=1) for t in ((a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca))])
    triangles = np.arange(3 * len(corners)).reshape(-1, 3)
    return fx.contact.TriangleMesh(fx.ground.marker((0, 0, 0)), vertices=corners.reshape(-1, 3), triangles=triangles)


def mesh() -> None:
    """Microseconds of a distance."""
    drawn, rows = np.random.default_rng(1), []
    places = drawn.normal(size=(2_000, 3))
    places *= drawn.uniform(0.8, 1.2, size=(2_000, 1)) / np.linalg.norm(places, axis=1)[:, None]
    for times in (0, 2, 4, 6, 7):
        solid = fine_sphere(times)
        tree = np.array(solid.surface.table)
        leaves = 1 << int(tree[0])
        boxes = 2 + leaves
        root, faces = tree[boxes : boxes + 6], tree[boxes + 6 * (2 * leaves - 1) :]
        flat = np.concatenate(([0.0, 0.0, float(len(solid.triangles))], root, faces))  # one leaf
        few = places[: max(20, 40_000 // len(solid.triangles))]
        assert np.isclose(distances(few, tree), distances(few, flat), rtol=1e-12)
        ours = measure.repeated(lambda tree=tree: distances(places, tree), 7).scaled(1e6 / len(places))
        all_faces = measure.repeated(lambda flat=flat, few=few: distances(few, flat), 7).scaled(1e6 / len(few))
        rows.append([len(solid.triangles), f"{ours.median:.2f}", f"{ours.low:.2f}", f"{all_faces.median:.2f}"])
    measure.table(["triangles", "median [us]", "lowest [us]", "one by one [us]"], rows)


# --- settling ---------------------------------------------------------------------------------------------------------


def problem(n: int, seconds: float) -> dict[str, Any]:
    """n^3 spheres above each other in a box that they fill from side to side."""
    rng = np.random.default_rng(0)
    pitch = 2.1 * RADIUS
    grid = np.stack(np.meshgrid(*(np.arange(n),) * 3, indexing="ij"), axis=-1).reshape(-1, 3)
    positions = pitch * (grid + 0.5) + 0.05 * RADIUS * rng.random((n**3, 3))
    side = n * pitch + 0.2 * RADIUS
    return {
        "positions": positions.tolist(), "velocities": (0.1 * rng.standard_normal((n**3, 3))).tolist(),
        "box": [side, side, n * pitch], "radius": RADIUS, "mass": MASS, "stiffness": SPRING, "damping": 40.0,
        "friction": FRICTION, "speed": SLIP, "until": seconds,
    }  # fmt: skip


def model(p: dict[str, Any]) -> tuple[fx.Model, list[Any]]:
    """The same for flexmbs."""
    balls = [
        fx.RigidBody.sphere(radius=p["radius"], mass=p["mass"], position=tuple(at), velocity=tuple(v), name=f"ball {i}")
        for i, (at, v) in enumerate(zip(p["positions"], p["velocities"], strict=True))
    ]
    x, y, _ = p["box"]
    places = (((0, 0, 0), (0, 0, 1)), ((0, 0, 0), (1, 0, 0)), ((x, 0, 0), (-1, 0, 0)), ((0, 0, 0), (0, 1, 0)),
              ((0, y, 0), (0, -1, 0)))  # fmt: skip
    walls = [fx.contact.Plane(fx.ground.marker(at, axis=axis)) for at, axis in places]
    law = fx.contact.HuntCrossleyLaw(stiffness=LOAD / (LOAD / SPRING) ** 1.5, restitution=0.5, at_speed=1.0)
    shapes = [*walls, *(fx.contact.Sphere(ball, radius=p["radius"]) for ball in balls)]
    touch = fx.Contact(shapes, law, fx.contact.CoulombLaw(p["friction"], speed=p["speed"]), name="touch")
    return fx.Model(*balls, touch, fx.Gravity((0, 0, -9.81))), balls


def ours(p: dict[str, Any], scheme: Any, step: float) -> list[float]:
    """Processor seconds of the simulation, mean height and largest speed at the end, and steps made."""
    described, balls = model(p)
    system = fx.compile_model(described)
    fx.simulate(system, until=2 * step, step=step, integrator=scheme)
    runs: list[Any] = []
    output = fx.Output(every=p["until"])
    taken = measure.cpu_time(
        lambda: runs.append(fx.simulate(system, until=p["until"], step=step, integrator=scheme, output=output))
    )
    run = runs[0]
    height = float(np.mean([run.position(ball)[-1, 2] for ball in balls]))
    speed = float(max(np.linalg.norm(run.velocity(ball)[-1]) for ball in balls))
    return [taken, height, speed, len(run.steps)]


def find_mujoco() -> Peer | None:
    """MuJoCo, if the interpreter in MUJOCO_PYTHON, or else this one, has it."""
    python = os.environ.get("MUJOCO_PYTHON") or sys.executable
    found = subprocess.run([python, "-c", "import mujoco"], capture_output=True, check=False)
    if found.returncode == 0:
        return Peer(python, "mujoco_contact.py")
    print("MuJoCo cannot be imported: `pip install mujoco`, or MUJOCO_PYTHON.\n")
    return None


def settle(seconds: float, implicit_peer: bool) -> None:
    """Spheres that fall into a box."""
    exudyn, mujoco = find_peer("exudyn_contact.py"), find_mujoco()
    rows = []
    for n in (6, 10):
        p = problem(n, seconds)
        count = n**3

        def add(name: str, step: float, row: list[float], steps: float | None = None, count: int = count) -> None:
            steps = seconds / step if steps is None else steps
            told = ""
            if name.startswith("flexmbs implicit"):
                told = f"{STEP_TARGETS[count]:g} ms {measure.verdict(1e3 * row[0] / steps, STEP_TARGETS[count])}"
            rows.append([count, name, f"{1e3 * step:g}", f"{1e3 * row[0] / steps:.2f}", f"{row[0] / seconds:.2f}",
                         f"{row[1]:.4f}", f"{row[2]:.2f}", told])  # fmt: skip

        *found, steps = ours(p, fx.GeneralizedAlpha(rho_inf=0.5), 1e-3)
        add("flexmbs implicit", 1e-3, found, steps)
        *found, steps = ours(p, fx.RungeKutta(order=4), 5e-4)
        add("flexmbs explicit", 5e-4, found, steps)
        if exudyn is not None:
            add("Exudyn explicit", 1e-4, exudyn.solve({**p, "scheme": "explicit", "step": 1e-4}))
            if implicit_peer and n == 6:
                add("Exudyn implicit", 1e-3, exudyn.solve({**p, "scheme": "implicit", "step": 1e-3}))
        if mujoco is not None and n == 6:
            add("MuJoCo", 1e-3, mujoco.solve({**p, "step": 1e-3}))
    heads = ["spheres", "by", "step [ms]", "ms/step", "CPU s/s", "mean height", "largest speed", "target"]
    measure.table(heads, rows)
    for peer in (exudyn, mujoco):
        if peer is not None:
            print(f"{peer.process.args[1]}: {peer.version}")
            peer.close()


if __name__ == "__main__":
    words = [a for a in sys.argv[1:] if not a.startswith("-")]
    seconds = float(sys.argv[sys.argv.index("--seconds") + 1]) if "--seconds" in sys.argv else 0.5
    parts = ("search", "ways", "mesh", "settle")
    wanted = [w for w in words if w in parts] or list(parts)
    print(measure.facts())
    if "search" in wanted:
        search()
    if "ways" in wanted:
        ways()
    if "mesh" in wanted:
        mesh()
    if "settle" in wanted:
        settle(seconds, "--implicit-peer" in sys.argv)
