"""Exudyn's side of `bench_plates.py`, run by an interpreter that has exudyn and needs nothing else.

Every line of standard input is a plate pendulum (JSON); an answer is a line ``{"row": [CPU seconds of the solver call,
steps, Newton iterations, Jacobians, position of the free corner]}`` or ``{"error": ...}``. The first line tells the
version.
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
from exudyn.shells import ShellMesh  # noqa: E402

items = exudyn.itemInterface


def solve(p: dict[str, Any]) -> list[Any]:
    """One run with constant steps of generalized-alpha, index 3, modified Newton; plates of 36 coordinates."""
    container = exudyn.SystemContainer()
    mbs = container.AddSystem()
    x, y = np.array([p["side"], 0, 0]), np.array([0, p["side"], 0])
    mesh = ShellMesh(
        vertices=[0 * x, x, x + y, y], numberOfElementsX=p["elements"], numberOfElementsY=p["elements"],
        youngsModulus=p["E"], poissonsRatio=p["nu"], density=p["density"], thickness=p["thickness"],
    )  # fmt: skip
    mesh.CreateANCFThinPlateElements(mbs, useReducedOrderIntegration=p["reduced"])
    ground = mbs.AddMarker(items.MarkerNodeCoordinate(nodeNumber=mbs.AddNode(items.NodePointGround()), coordinate=0))
    for j in range(3):
        corner = mbs.AddMarker(items.MarkerNodeCoordinate(nodeNumber=mesh.nodeNumbers[0], coordinate=j))
        mbs.AddObject(items.ObjectConnectorCoordinate(markerNumbers=[ground, corner]))
    for element in mesh.elementNumbers:
        mass = mbs.AddMarker(items.MarkerBodyMass(bodyNumber=element))
        mbs.AddLoad(items.LoadMassProportional(markerNumber=mass, loadVector=[0, 0, -p["gravity"]]))
    mbs.Assemble()
    settings = exudyn.SimulationSettings()
    settings.solution.file.write = False
    settings.solution.sensors.active = False
    settings.linearSolver.solverType = exudyn.LinearSolverType.EigenSparse
    settings.linearSolver.reuseAnalyzedPattern = True
    settings.parallel.numberOfThreads = 1
    integration = settings.timeIntegration
    integration.numberOfSteps = round(p["until"] / p["step"])
    integration.endTime = p["until"]
    integration.verboseMode = 0
    integration.generalizedAlpha.spectralRadius = p["rho"]
    integration.newton.useModifiedNewton = True
    begin = time.process_time()
    mbs.SolveDynamic(settings)
    taken = time.process_time() - begin
    it = mbs.sys["dynamicSolver"].it
    place = [float(c) for c in mbs.GetNodeOutput(mesh.nodeNumbers[-1], exudyn.OutputVariableType.Position)]
    if not all(map(math.isfinite, place)):
        raise RuntimeError("the result is not finite")
    return [taken, int(it.currentStepIndex) - 1, int(it.newtonStepsCount), int(it.newtonJacobiCount), place]


def main() -> None:
    print(json.dumps({"version": exudyn.__version__}), flush=True)
    for line in sys.stdin:
        try:
            answer: dict[str, Any] = {"row": solve(json.loads(line))}
        except Exception as error:  # noqa: BLE001  # whatever it is, the other side reports it
            answer = {"error": str(error)}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
