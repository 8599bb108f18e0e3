"""MuJoCo's side of `bench_controlled.py`: an arm of six hinges with PD on all of them, for an interpreter with mujoco.

Every line of standard input is a problem (JSON); an answer is a line ``{"row": [CPU seconds, angles at the end]}`` or
``{"error": ...}``. The first line tells the version. The motors are MuJoCo's own position actuators, evaluated at each
step in compiled code, and all steps are made by one call.
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


def described(p: dict[str, Any]) -> str:
    """The model as MuJoCo reads it."""
    opened, motors = [], []
    for i, link in enumerate(p["links"]):
        place = " ".join(map(str, link["at"]))
        opened.append(
            f'<body name="link{i}" pos="{place}">'
            f'<inertial pos="{" ".join(map(str, link["centre"]))}" mass="{link["mass"]}" '
            f'diaginertia="{" ".join(map(str, link["inertia"]))}"/>'
            f'<joint name="joint{i}" type="hinge" axis="{" ".join(map(str, link["axis"]))}"/>'
        )
        motors.append(f'<general joint="joint{i}" gainprm="{p["stiffness"][i]}" biastype="affine" '
                      f'biasprm="0 {-p["stiffness"][i]} {-p["damping"][i]}"/>')  # fmt: skip
    return (
        f'<mujoco><option timestep="{p["step"]}" gravity="0 0 {-p["gravity"]}" integrator="{p["integrator"]}">'
        f'<flag contact="disable"/></option><worldbody>{"".join(opened)}{"</body>" * len(opened)}</worldbody>'
        f"<actuator>{''.join(motors)}</actuator></mujoco>"
    )


def solve(p: dict[str, Any]) -> list[Any]:
    """One run from rest at zero to the angles asked for."""
    model = mujoco.MjModel.from_xml_string(described(p))
    data = mujoco.MjData(model)
    data.ctrl[:] = p["targets"]
    begin = time.process_time()
    mujoco.mj_step(model, data, nstep=round(p["until"] / p["step"]))
    return [time.process_time() - begin, data.qpos.tolist()]


def main() -> None:
    print(json.dumps({"version": mujoco.__version__}), flush=True)
    for line in sys.stdin:
        try:
            answer: dict[str, Any] = {"row": solve(json.loads(line))}
        except Exception as error:  # noqa: BLE001  # whatever it is, the other side reports it
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
