"""MuJoCo's side of `bench_contact.py`, for an interpreter with mujoco: spheres settle in a box.

Every line of standard input is a problem (JSON); an answer is a line ``{"row": [CPU seconds, mean height at the end,
largest speed at the end]}`` or ``{"error": ...}``. The first line tells the version. Elliptic cones; contacts are soft
by default, and have no stiffness of their own.
"""

from __future__ import annotations

import json
import os
import sys
import time
from typing import Any

for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_variable] = "1"

import mujoco  # noqa: E402
import numpy as np  # noqa: E402


def described(p: dict[str, Any]) -> str:
    """The model as MuJoCo reads it."""
    x, y, _ = p["box"]
    planes = (((0, 0, 0), (0, 0, 1)), ((0, 0, 0), (1, 0, 0)), ((x, 0, 0), (-1, 0, 0)), ((0, 0, 0), (0, 1, 0)),
              ((0, y, 0), (0, -1, 0)))  # fmt: skip
    geoms = "".join(
        f'<geom type="plane" size="9 9 1" pos="{" ".join(map(str, at))}" zaxis="{" ".join(map(str, axis))}"/>'
        for at, axis in planes
    )
    bodies = "".join(
        f'<body pos="{" ".join(map(str, at))}"><freejoint/>'
        f'<geom type="sphere" size="{p["radius"]}" mass="{p["mass"]}"/></body>'
        for at in p["positions"]
    )
    return (
        f'<mujoco><option timestep="{p["step"]}" gravity="0 0 -9.81" cone="elliptic"/>'
        f'<default><geom friction="{p["friction"]} 0 0" condim="3"/></default>'
        f"<worldbody>{geoms}{bodies}</worldbody></mujoco>"
    )


def settle(p: dict[str, Any]) -> list[float]:
    """Steps one by one: its own loop over many steps is left out of what is timed no more than ours."""
    model = mujoco.MjModel.from_xml_string(described(p))
    data = mujoco.MjData(model)
    data.qvel.reshape(-1, 6)[:, :3] = p["velocities"]
    began = time.process_time()
    for _ in range(round(p["until"] / p["step"])):
        mujoco.mj_step(model, data)
    seconds = time.process_time() - began
    height = float(data.qpos.reshape(-1, 7)[:, 2].mean())
    return [seconds, height, float(np.linalg.norm(data.qvel.reshape(-1, 6)[:, :3], axis=1).max())]


def answer(line: str) -> dict[str, Any]:
    try:
        return {"row": settle(json.loads(line))}
    except Exception as error:  # noqa: BLE001  # whatever it is, the other side reports it
        return {"error": f"{type(error).__name__}: {error}"}


print(json.dumps({"version": mujoco.__version__}), flush=True)
for line in sys.stdin:
    print("\n" + json.dumps(answer(line)), flush=True)
