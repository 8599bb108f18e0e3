"""A box on an incline of 20 degrees with a friction of 0.4: how far it creeps in 10 s, and time of a step.

    python benchmarks/bench_contact_incline.py [repetitions]

Four corners on a plane, steps of 1 ms: bristles, which hold, and regularised friction, which creeps as its law says,
u_0 atanh(T/(mu N)), beside MuJoCo with its defaults, with the elliptic cone, and with its iterations against slip.
The creep is the way from 1 s to 10 s, when what is elastic has come to rest. Times are those of whole runs without
stored states, in compiled steps, shared among the steps; both sides alternate. MuJoCo is imported by the interpreter
in MUJOCO_PYTHON, or else by this one.
"""

from __future__ import annotations

import math
import os
import subprocess
import sys
from typing import Any

import measure
import numpy as np
from peer import Peer

import flexmbs as fx

ANGLE, MU, MASS, SIZE, UNTIL, STEP = 20.0, 0.4, 2.0, (0.2, 0.15, 0.1), 10.0, 1e-3
STIFF = 1e7
SLOW = 1e-4
MOST = {"bristle": 1e-9}
"""Largest creep [m]."""
LARGEST_STEP = 15.0
"""Microseconds."""
PEERS: dict[str, dict[str, Any]] = {
    "MuJoCo, defaults": {"cone": "pyramidal", "impratio": 1, "noslip": 0},
    "MuJoCo, elliptic, impratio 10": {"cone": "elliptic", "impratio": 10, "noslip": 0},
    "MuJoCo, elliptic, noslip 5": {"cone": "elliptic", "impratio": 10, "noslip": 5},
}


def box(friction: Any) -> tuple[fx.Model, fx.RigidBody]:
    """In the axes of the incline, pressed in by its weight."""
    a = math.radians(ANGLE)
    depth = MASS * 9.81 * math.cos(a) / 4.0 / STIFF
    body = fx.RigidBody.box(size=SIZE, mass=MASS, position=(0, 0, 0.5 * SIZE[2] - depth), name="box")
    floor = fx.contact.Plane(fx.ground.marker((0, 0, 0), axis=(0, 0, 1)))
    lower = [c for c in fx.contact.Box(body.centre, size=SIZE).corners if c.marker.point[2] < 0.0]
    law = fx.contact.HuntCrossleyLaw(stiffness=STIFF, exponent=1.0, damping=1.0)
    touch = fx.Contact((floor, *lower), law, friction, allow_overlap=True, name="touch")
    return fx.Model(body, touch, fx.Gravity((-9.81 * math.sin(a), 0, -9.81 * math.cos(a)))), body


def creep(friction: Any) -> float:
    """Way from 1 s on [m]."""
    model, body = box(friction)
    run = fx.simulate(model, UNTIL, step=STEP, output=fx.Output(every=0.5), progress=False)
    x = run.position(body)[run.t > 0.999, 0]
    return float(np.ptp(x))


def seconds(friction: Any) -> float:
    """Processor time of a run."""
    model, _ = box(friction)
    system = fx.compile_model(model)
    scheme, output = fx.GeneralizedAlpha(compiled=True), fx.Output(every=UNTIL, energy=False)
    fx.simulate(system, 10 * STEP, step=STEP, integrator=scheme, output=output, progress=False)
    return measure.cpu_time(
        lambda: fx.simulate(system, UNTIL, step=STEP, integrator=scheme, output=output, progress=False)
    )  # fmt: skip


def find_mujoco() -> Peer | None:
    """MuJoCo's process, if there is one."""
    python = os.environ.get("MUJOCO_PYTHON") or sys.executable
    found = subprocess.run([python, "-c", "import mujoco"], capture_output=True, check=False)
    return Peer(python, "mujoco_incline.py") if found.returncode == 0 else None


def main(repetitions: int) -> None:
    """Tables."""
    laws = {
        "bristle": fx.contact.BristleLaw(MU, stiffness=STIFF, damping=5e3),
        "regularised, 0.1 mm/s": fx.contact.CoulombLaw(MU, speed=SLOW),
    }
    peer = find_mujoco()
    print(measure.facts())
    rows: list[list[object]] = []
    n = round(UNTIL / STEP)
    times: dict[str, list[float]] = {name: [] for name in (*laws, *PEERS)}
    found: dict[str, float] = {name: creep(law) for name, law in laws.items()}
    for _ in range(repetitions):
        for name, law in laws.items():
            times[name].append(seconds(law))
        for name, options in PEERS.items() if peer is not None else ():
            problem = {
                "angle": ANGLE,
                "friction": MU,
                "mass": MASS,
                "size": SIZE,
                "until": UNTIL,
                "step": STEP,
                **options,
            }
            took, found[name] = peer.solve(problem)
            times[name].append(took)
    by_law = SLOW * math.atanh(math.tan(math.radians(ANGLE)) / MU) * (UNTIL - 1.0)
    for name, way in found.items():
        took = float(np.median(times[name])) / n * 1e6
        wanted = measure.verdict(way, MOST[name]) if name in MOST else ""
        rows.append(
            [
                name,
                f"{way:.2e} m",
                wanted,
                f"{took:.1f} us",
                measure.verdict(took, LARGEST_STEP) if name in laws else "",
            ]
        )
    measure.table(["friction", "creep from 1 s to 10 s", "", "a step", ""], rows)
    print(f"by the regularised law it creeps {by_law:.2e} m in that time")
    if peer is None:
        print("MuJoCo cannot be imported: pip install mujoco, or set MUJOCO_PYTHON.")
    else:
        peer.close()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5)
