"""MuJoCo's side of `bench_contact_incline.py`: a box on an incline, for an interpreter with mujoco.

Every line of standard input is a problem (JSON); an answer is a line ``{"row": [CPU seconds, creep in m]}`` or
``{"error": ...}``. The first line tells the version. The creep is the way from 1 s on; all steps are made by one loop.
"""

from __future__ import annotations

import json
import math
import os
import sys
import time
from typing import Any

for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_variable] = "1"

import mujoco  # noqa: E402


def solve(p: dict[str, Any]) -> list[float]:
    """Seconds and creep."""
    a, (x, y, z) = math.radians(p["angle"]), (0.5 * s for s in p["size"])
    model = mujoco.MjModel.from_xml_string(
        f'<mujoco><option timestep="{p["step"]}" cone="{p["cone"]}" impratio="{p["impratio"]}" '
        f'noslip_iterations="{p["noslip"]}" gravity="{-9.81 * math.sin(a)} 0 {-9.81 * math.cos(a)}"/>'
        f'<default><geom friction="{p["friction"]} 0 0" condim="3"/></default>'
        f'<worldbody><geom type="plane" size="9 9 1"/><body pos="0 0 {z}"><freejoint/>'
        f'<geom type="box" size="{x} {y} {z}" mass="{p["mass"]}"/></body>'
        f"</worldbody></mujoco>"
    )
    data = mujoco.MjData(model)
    begin, start = time.process_time(), math.nan
    for i in range(round(p["until"] / p["step"])):
        if i == round(1.0 / p["step"]):
            start = float(data.qpos[0])
        mujoco.mj_step(model, data)
    return [time.process_time() - begin, abs(float(data.qpos[0]) - start)]


print(json.dumps({"version": mujoco.__version__}), flush=True)
for line in sys.stdin:
    try:
        print(json.dumps({"row": solve(json.loads(line))}), flush=True)
    except Exception as error:  # noqa: BLE001 - told to the other side
        print(json.dumps({"error": repr(error)}), flush=True)
