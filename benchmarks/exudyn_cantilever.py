"""Exudyn's side of `bench_static.py`, run by an interpreter that has exudyn and needs nothing else.

Every line of standard input is a problem (JSON); every answer is a line ``{"row": [CPU seconds of the solver call,
iterations, displacement of the tip]}`` or ``{"error": ...}``. The first line tells the version.
"""

from __future__ import annotations

import json
import os
import sys
import time
from typing import Any

for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_variable] = "1"
sys.exudynFast = True  # type: ignore[attr-defined]  # the build without range checks; read by the import

import exudyn  # noqa: E402
from exudyn.beams import GenerateBeamElementsAlongLine  # noqa: E402
from exudyn.itemInterface import LoadForceVector, MarkerNodePosition, ObjectANCFCable2D  # noqa: E402


def solve(problem: dict[str, Any]) -> list[Any]:
    """One cantilever, clamped at the origin, with a dead force downwards at its end."""
    container = exudyn.SystemContainer()
    mbs = container.AddSystem()
    cable = ObjectANCFCable2D(
        massPerLength=problem["mass"], axialStiffness=problem["EA"], bendingStiffness=problem["EI"]
    )
    made = GenerateBeamElementsAlongLine(
        mbs, [0, 0, 0], [problem["length"], 0, 0], problem["elements"], cable, groundConstraintsStart=[1, 1, 1, 1]
    )
    tip = made["nodes"][-1]
    marker = mbs.AddMarker(MarkerNodePosition(nodeNumber=tip))
    mbs.AddLoad(LoadForceVector(markerNumber=marker, loadVector=[0, -problem["force"], 0]))
    mbs.Assemble()
    settings = exudyn.SimulationSettings()
    settings.solution.file.write = False
    settings.solution.sensors.active = False
    settings.linearSolver.solverType = exudyn.LinearSolverType.EigenSparse
    settings.linearSolver.reuseAnalyzedPattern = True
    settings.parallel.numberOfThreads = 1
    settings.staticSolver.numberOfLoadSteps = problem["steps"]
    settings.staticSolver.verboseMode = 0
    settings.staticSolver.newton.relativeTolerance = problem["rtol"]
    begin = time.process_time()
    mbs.SolveStatic(settings)
    taken = time.process_time() - begin
    moved = mbs.GetNodeOutput(tip, exudyn.OutputVariableType.Displacement)
    return [taken, int(mbs.sys["staticSolver"].it.newtonStepsCount), [float(moved[0]), float(moved[1])]]


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
