"""Exudyn's side of `bench_floating.py`: a reduced bar in a floating frame on a hinge.

A problem names an npz file with the matrices; the answer is ``{"row": [CPU seconds per step, Newton iterations per
step, [place of the free end]]}``. The first line tells the version.
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
import exudyn.itemInterface  # noqa: E402
import numpy as np  # noqa: E402
import scipy.sparse as sp  # noqa: E402
from exudyn.FEM import FEMinterface, HCBstaticModeSelection, ObjectFFRFreducedOrderInterface  # noqa: E402

items = exudyn.itemInterface


def reduced(file: str, modes: int) -> tuple[Any, list[int], list[int]]:
    """The reduced body, and the nodes of its interfaces."""
    with np.load(file) as data:
        fem = FEMinterface()
        fem.nodes = {"Position": data["points"]}
        fem.elements = [{"Name": "bar", "Hex8": data["cells"]}]
        n = 3 * len(data["points"])
        fem.massMatrix = sp.csr_matrix((data["M_data"], data["M_indices"], data["M_indptr"]), (n, n))
        fem.stiffnessMatrix = sp.csr_matrix((data["K_data"], data["K_indices"], data["K_indptr"]), (n, n))
        left, right = data["left"].tolist(), data["right"].tolist()
    fem.ComputeHurtyCraigBamptonModes(
        [left, right], modes, useSparseSolver=True, timerTreshold=10**9, computationMode=HCBstaticModeSelection.RBE2
    )
    return ObjectFFRFreducedOrderInterface(fem), left, right


def swing(p: dict[str, Any]) -> list[Any]:
    """One run with constant steps of generalized-alpha, index 3, modified Newton."""
    body, left, right = reduced(p["file"], p["modes"])
    container = exudyn.SystemContainer()
    mbs = container.AddSystem()
    whole = body.AddObjectFFRFreducedOrder(
        mbs, positionRef=[0, 0, 0], gravity=[0, -9.81, 0], stiffnessProportionalDamping=0.0
    )
    made = whole["oFFRFreducedOrder"]
    ground = mbs.AddObject(items.ObjectGround())
    share = lambda nodes: [1.0 / len(nodes)] * len(nodes)  # noqa: E731
    hinge = [
        mbs.AddMarker(items.MarkerBodyRigid(bodyNumber=ground, localPosition=[0, 0, 0])),
        mbs.AddMarker(
            items.MarkerSuperElementRigid(bodyNumber=made, meshNodeNumbers=left, weightingFactors=share(left))
        ),
    ]
    end = mbs.AddMarker(
        items.MarkerSuperElementPosition(bodyNumber=made, meshNodeNumbers=right, weightingFactors=share(right))
    )
    mbs.AddObject(items.ObjectJointRevoluteZ(markerNumbers=hinge))
    if "hinge" in p:
        _control(mbs, hinge[1], whole["nRigidBody"], p["step"], *p["hinge"])
    mbs.Assemble()
    settings = exudyn.SimulationSettings()
    settings.solution.file.write = False
    settings.solution.sensors.active = False
    settings.linearSolver.solverType = exudyn.LinearSolverType.EigenSparse
    settings.linearSolver.reuseAnalyzedPattern = True
    settings.parallel.numberOfThreads = 1
    integration = settings.timeIntegration
    steps = round(p["until"] / p["step"])
    integration.numberOfSteps = steps
    integration.endTime = p["until"]
    integration.verboseMode = 0
    integration.generalizedAlpha.spectralRadius = p["rho"]
    integration.newton.useModifiedNewton = True
    began = time.process_time()
    solver = exudyn.MainSolverImplicitSecondOrder()
    if not solver.SolveSystem(mbs, settings):
        raise RuntimeError("the run failed")
    seconds = time.process_time() - began
    return [seconds / steps, solver.it.newtonStepsCount / steps, mbs.GetMarkerOutput(end, POSITION).tolist()]


def _control(mbs: Any, marker: int, frame: int, period: float, stiffness: float, damping: float) -> None:
    """A torque on the hinge by the angle and rate of the floating frame, as they were at the last sample.

    A load, since Exudyn differentiates the functions of connectors numerically by all coordinates of the body.
    """
    held = {"sample": -1, "torque": 0.0}

    def torque(mbs: Any, t: float, load: Any) -> list[float]:
        sample = int(t / period + 1e-9)
        if sample != held["sample"]:
            angle = mbs.GetNodeOutput(frame, exudyn.OutputVariableType.Rotation)[2]
            rate = mbs.GetNodeOutput(frame, exudyn.OutputVariableType.AngularVelocity)[2]
            held["sample"], held["torque"] = sample, -stiffness * angle - damping * rate
        return [0.0, 0.0, held["torque"]]

    mbs.AddLoad(items.Torque(markerNumber=marker, loadVector=[0, 0, 0], loadVectorUserFunction=torque))


POSITION = exudyn.OutputVariableType.Position


def main() -> None:
    """Answer line by line."""
    print(json.dumps({"version": exudyn.config.Version()}), flush=True)
    for line in sys.stdin:
        try:
            answer: dict[str, Any] = {"row": swing(json.loads(line))}
        except Exception as error:  # noqa: BLE001  # the other side prints it
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
