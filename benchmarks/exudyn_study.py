"""Exudyn's side of `bench_studies.py`: its ParameterVariation over planar slider-cranks, in processes of its own.

Every line of standard input is a problem (JSON); the answer is ``{"row": [wall seconds, [positions of the slider]]}``,
with no workers ``{"row": [processor seconds of each run]}``.
"""

from __future__ import annotations

import json
import os
import sys
import time
import warnings
from typing import Any

for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_variable] = "1"
sys.exudynFast = True  # type: ignore[attr-defined]  # the build without range checks; read by the import

warnings.simplefilter("ignore")  # names that later versions rename

import exudyn  # noqa: E402
from exudyn import itemInterface as items  # noqa: E402, N813
from exudyn.processing import ParameterVariation  # noqa: E402


def slider_crank(parameters: dict[str, Any]) -> float:
    """Position of the slider at the end of one run."""
    radius, rod_mass = parameters["radius"], parameters["rod_mass"]
    p = parameters["functionData"]
    container = exudyn.SystemContainer()
    mbs = container.AddSystem()
    ground = mbs.AddObject(items.ObjectGround())
    length, speed = p["rod"], p["speed"]
    bodies = []
    for mass, inertia, x, spin, rate in (
        (p["crank_mass"], p["crank_mass"] * radius**2 / 12, radius / 2, speed, speed * radius / 2),
        (rod_mass, rod_mass * length**2 / 12, radius + length / 2, -speed * radius / length, speed * radius / 2),
        (p["slider_mass"], p["slider_mass"] * 1e-3, radius + length, 0.0, 0.0),
    ):
        node = mbs.AddNode(
            items.NodeRigidBody2D(referenceCoordinates=[x, 0, 0], initialVelocities=[0, rate, spin])
        )  # fmt: skip
        body = mbs.AddObject(items.ObjectRigidBody2D(physicsMass=mass, physicsInertia=inertia, nodeNumber=node))
        centre = mbs.AddMarker(items.MarkerBodyPosition(bodyNumber=body))
        mbs.AddLoad(items.LoadForceVector(markerNumber=centre, loadVector=[0, -mass * p["gravity"], 0]))
        bodies.append(body)

    def hinge(a: int, at: float, b: int, there: float) -> None:
        first = mbs.AddMarker(items.MarkerBodyPosition(bodyNumber=a, localPosition=[at, 0, 0]))
        second = mbs.AddMarker(items.MarkerBodyPosition(bodyNumber=b, localPosition=[there, 0, 0]))
        mbs.AddObject(items.ObjectJointRevolute2D(markerNumbers=[first, second]))

    wheel, rod, slider = bodies
    hinge(ground, 0.0, wheel, -radius / 2)
    hinge(wheel, radius / 2, rod, -length / 2)
    hinge(rod, length / 2, slider, 0.0)
    fixed = mbs.AddMarker(items.MarkerNodeCoordinate(nodeNumber=mbs.AddNode(items.NodePointGround()), coordinate=0))
    for coordinate in (1, 2):
        moving = mbs.AddMarker(items.MarkerNodeCoordinate(nodeNumber=2, coordinate=coordinate))
        mbs.AddObject(items.ObjectConnectorCoordinate(markerNumbers=[fixed, moving]))
    mbs.Assemble()
    settings = exudyn.SimulationSettings()
    settings.timeIntegration.endTime = p["until"]
    settings.timeIntegration.numberOfSteps = p["steps"]
    settings.timeIntegration.newton.relativeTolerance = p["rtol"]
    settings.timeIntegration.newton.useModifiedNewton = True
    settings.timeIntegration.generalizedAlpha.spectralRadius = p["rho"]
    settings.timeIntegration.verboseMode = 0
    settings.solutionSettings.writeSolutionToFile = False
    settings.solutionSettings.sensorsWritePeriod = p["until"]
    settings.linearSolverType = exudyn.LinearSolverType.EXUdense
    mbs.SolveDynamic(settings)
    return float(mbs.GetNodeOutput(2, exudyn.OutputVariableType.Position)[0])


def processor_seconds(p: dict[str, Any]) -> list[float]:
    """Of each of some runs, one after the other."""
    found = []
    for k in range(p["runs"]):
        began = time.process_time()
        slider_crank({"radius": 0.1 + 0.1 * k / p["runs"], "rod_mass": 0.8, "functionData": p})
        found.append(time.process_time() - began)
    return found


def main() -> None:
    print(json.dumps({"version": exudyn.GetVersionString()}), flush=True)
    for line in sys.stdin:
        p = json.loads(line)
        try:
            if p["workers"] == 0:
                print(json.dumps({"row": processor_seconds(p)}), flush=True)
                continue
            ranges = {name: (low, high, count) for name, (low, high, count) in p["ranges"].items()}
            began = time.perf_counter()
            _, found = ParameterVariation(
                slider_crank, ranges, useMultiProcessing=p["workers"] > 1, numberOfThreads=p["workers"],
                showProgress=False, parameterFunctionData=p,
            )  # fmt: skip
            print(json.dumps({"row": [time.perf_counter() - began, list(found)]}), flush=True)
        except Exception as error:  # noqa: BLE001  told to the other side
            print(json.dumps({"error": f"{type(error).__name__}: {error}"}), flush=True)


if __name__ == "__main__":
    main()
