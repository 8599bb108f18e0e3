"""Exudyn's side of `bench_controlled.py`: a pendulum on a cart, whose state is fed back by a function in Python.

Every line of standard input is a problem (JSON); an answer is a line ``{"row": [CPU seconds of the solver call, steps,
calls of the function, position of the cart at the end]}`` or ``{"error": ...}``. The first line tells the version. The
function keeps the force of the last sample; it reads the state once a sample, at the first call behind it.
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
sys.exudynFast = True  # type: ignore[attr-defined]  # the build without range checks; read by the import

import exudyn  # noqa: E402
import exudyn.itemInterface  # noqa: E402
import numpy as np  # noqa: E402

items = exudyn.itemInterface
OUTPUT = exudyn.OutputVariableType


def solve(p: dict[str, Any]) -> list[Any]:
    """One run with constant steps of generalized-alpha, index 3, modified Newton; coordinates are Tait-Bryan angles."""
    container = exudyn.SystemContainer()
    mbs = container.AddSystem()
    ground = mbs.AddObject(items.ObjectGround())
    nodes, bodies = [], []
    for body in (p["cart"], p["pole"]):
        nodes.append(mbs.AddNode(items.NodeRigidBodyRxyz(referenceCoordinates=[*body["place"], 0, 0, 0])))
        inertia = [*body["inertia"], 0, 0, 0]
        bodies.append(mbs.AddObject(items.ObjectRigidBody(mass=body["mass"], inertia=inertia, nodeNumber=nodes[-1])))
        centre = mbs.AddMarker(items.MarkerBodyPosition(bodyNumber=bodies[-1]))
        mbs.AddLoad(items.Force(markerNumber=centre, loadVector=[0, 0, -p["gravity"] * body["mass"]]))

    def at(body: int, place: Any, frame: Any) -> int:
        transform = exudyn.HT(rotation=frame, translation=np.array(place, dtype=float))
        return int(mbs.AddMarker(items.MarkerBodyRigid(bodyNumber=body, localHT=transform)))

    about_y = np.array([[1.0, 0, 0], [0, 0, 1.0], [0, -1.0, 0]])  # its third axis is y
    mbs.AddObject(
        items.ObjectJointPrismaticX(
            markerNumbers=[at(ground, (0, 0, 0), np.eye(3)), at(bodies[0], (0, 0, 0), np.eye(3))]
        )
    )
    pin = [-x for x in p["pole"]["place"]]
    mbs.AddObject(
        items.ObjectJointRevoluteZ(markerNumbers=[at(bodies[0], (0, 0, 0), about_y), at(bodies[1], pin, about_y)])
    )
    gain, period = np.array(p["gain"]), p["period"]
    held = {"sample": -1, "force": 0.0, "calls": 0}

    def force(mbs: Any, t: float, load: Any) -> list[float]:
        held["calls"] += 1
        sample = int(t / period + 1e-9)
        if sample != held["sample"]:
            x, v = mbs.GetNodeOutput(nodes[0], OUTPUT.Position)[0], mbs.GetNodeOutput(nodes[0], OUTPUT.Velocity)[0]
            angle = mbs.GetNodeOutput(nodes[1], OUTPUT.Rotation)[1]
            rate = mbs.GetNodeOutput(nodes[1], OUTPUT.AngularVelocity)[1]
            held["sample"], held["force"] = sample, -float(gain @ np.array([x, angle, v, rate]))
        return [held["force"], 0.0, 0.0]

    marker = at(bodies[0], (0, 0, 0), np.eye(3))
    mbs.AddLoad(items.Force(markerNumber=marker, loadVector=[0, 0, 0], loadVectorUserFunction=force))
    mbs.Assemble()
    settings = exudyn.SimulationSettings()
    settings.solution.file.write = False
    settings.solution.sensors.active = False
    settings.linearSolver.solverType = exudyn.LinearSolverType.EigenSparse
    settings.linearSolver.reuseAnalyzedPattern = True
    settings.parallel.numberOfThreads = 1
    integration = settings.timeIntegration
    integration.numberOfSteps, integration.endTime = round(p["until"] / p["step"]), p["until"]
    integration.verboseMode = 0
    integration.generalizedAlpha.spectralRadius = p["rho"]
    integration.newton.useModifiedNewton = True
    integration.newton.relativeTolerance = p["rtol"]
    begin = time.process_time()
    mbs.SolveDynamic(settings)
    taken = time.process_time() - begin
    place = float(mbs.GetNodeOutput(nodes[0], OUTPUT.Position)[0])
    if not math.isfinite(place):
        raise RuntimeError("the result is not finite")
    return [taken, integration.numberOfSteps, held["calls"], place]


def main() -> None:
    print(json.dumps({"version": exudyn.__version__}), flush=True)
    for line in sys.stdin:
        try:
            answer: dict[str, Any] = {"row": solve(json.loads(line))}
        except Exception as error:  # noqa: BLE001  # whatever it is, the other side reports it
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
