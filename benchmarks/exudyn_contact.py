"""Exudyn's side of `bench_contact.py`, for an interpreter that has exudyn and nothing else: spheres settle in a box.

Every line of standard input is a problem (JSON); an answer is a line ``{"row": [CPU seconds of the solver call, mean
height at the end, largest speed at the end]}`` or ``{"error": ...}``. The first line tells the version. Contacts are
those of its GeneralContact: linear springs and dampers, friction in proportion to the slip up to a speed; walls are
triangles. Two springs in series act between two shapes.
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
import exudyn.graphics  # noqa: E402
import exudyn.itemInterface  # noqa: E402
import numpy as np  # noqa: E402

items = exudyn.itemInterface


def settle(p: dict[str, Any]) -> list[float]:
    """Spheres in a box."""
    system = exudyn.SystemContainer()
    mbs = system.AddSystem()
    contact = mbs.AddGeneralContact()
    contact.verboseMode = 0
    contact.SetFrictionPairings(p["friction"] * np.eye(1))
    contact.frictionProportionalZone = p["speed"]
    x, y, z = p["box"]
    cells = [max(2, int(side / (2.2 * p["radius"]))) for side in (x, y, z)]
    contact.SetSearchTreeCellSize(numberOfCells=cells)
    contact.SetSearchTreeBox(pMin=np.array([-0.1 * x, -0.1 * y, -0.1 * z]), pMax=np.array([1.1 * x, 1.1 * y, 1.5 * z]))
    ground = mbs.AddMarker(
        items.MarkerNodeRigid(nodeNumber=mbs.AddNode(items.NodePointGround(referenceCoordinates=[0, 0, 0])))
    )
    corners = np.array([[i * x, j * y, k * z] for i in (0, 1) for j in (0, 1) for k in (0, 1.5)])
    faces = [
        (0, 4, 6),
        (0, 6, 2),
        (0, 2, 3),
        (0, 3, 1),
        (4, 5, 7),
        (4, 7, 6),
        (0, 1, 5),
        (0, 5, 4),
        (2, 6, 7),
        (2, 7, 3),
    ]
    stiffness, damping = 2.0 * p["stiffness"], 2.0 * p["damping"]
    contact.AddTrianglesRigidBodyBased(
        rigidBodyMarkerIndex=ground, contactStiffness=stiffness, contactDamping=damping, frictionMaterialIndex=0,
        pointList=[list(c) for c in corners], triangleList=[list(f) for f in faces],
    )  # fmt: skip
    inertia = 0.4 * p["mass"] * p["radius"] ** 2
    nodes = []
    for place, velocity in zip(p["positions"], p["velocities"], strict=True):
        node = mbs.AddNode(
            items.NodeRigidBodyRotVecLG(referenceCoordinates=[*place, 0, 0, 0], initialVelocities=[*velocity, 0, 0, 0])
        )
        mbs.AddObject(
            items.ObjectRigidBody(physicsMass=p["mass"], physicsInertia=[inertia] * 3 + [0] * 3, nodeNumber=node)
        )
        marker = mbs.AddMarker(items.MarkerNodeRigid(nodeNumber=node))
        mbs.AddLoad(items.Force(markerNumber=marker, loadVector=[0, 0, -9.81 * p["mass"]]))
        contact.AddSphereWithMarker(
            marker, radius=p["radius"], contactStiffness=stiffness, contactDamping=damping, frictionMaterialIndex=0
        )
        nodes.append(node)
    mbs.Assemble()
    settings = exudyn.SimulationSettings()
    settings.solutionSettings.writeSolutionToFile = False
    settings.solutionSettings.sensorsWritePeriod = 1e9
    settings.displayGlobalTimers = False
    settings.timeIntegration.verboseMode = 0
    settings.timeIntegration.endTime = p["until"]
    settings.timeIntegration.numberOfSteps = round(p["until"] / p["step"])
    settings.timeIntegration.explicit.computeEndOfStepAccelerations = False
    settings.timeIntegration.newton.useModifiedNewton = p["scheme"] != "explicit"
    settings.linearSolver.solverType = exudyn.LinearSolverType.EigenSparse
    settings.timeIntegration.generalizedAlpha.spectralRadius = 0.5
    kind = exudyn.DynamicSolverType
    scheme = kind.ExplicitEuler if p["scheme"] == "explicit" else kind.GeneralizedAlpha
    began = time.process_time()
    mbs.SolveDynamic(settings, solverType=scheme)
    seconds = time.process_time() - began
    out = [mbs.GetNodeOutput(node, exudyn.OutputVariableType.Position) for node in nodes]
    speeds = [mbs.GetNodeOutput(node, exudyn.OutputVariableType.Velocity) for node in nodes]
    return [seconds, float(np.mean(out, axis=0)[2]), float(np.linalg.norm(speeds, axis=1).max())]


def answer(line: str) -> dict[str, Any]:
    try:
        return {"row": settle(json.loads(line))}
    except Exception as error:  # noqa: BLE001  # whatever it is, the other side reports it
        return {"error": f"{type(error).__name__}: {error}"}


print(json.dumps({"version": exudyn.__version__}), flush=True)
for line in sys.stdin:
    print("\n" + json.dumps(answer(line)), flush=True)
