"""Exudyn's side of `bench_belt.py`, for an interpreter that has exudyn and nothing else: a belt on two pulleys.

Every line of standard input is a problem (JSON); an answer is a line ``{"row": [CPU seconds of the solver call, mean
angular velocity of the driven pulley at the end, Newton iterations]}`` or ``{"error": ...}``. The first line tells the
version. The belt are its planar cables, the contact is `ObjectContactFrictionCircleCable2D`: a linear spring and damper
and friction in proportion to the slip up to the limit, at points along each element. Times of what is prescribed are
set once a step, which costs less than a function of the user in the constraints.
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

items = exudyn.itemInterface


def drive(p: dict[str, Any]) -> list[float]:
    """The belt is stretched, run up, and braked."""
    system = exudyn.SystemContainer()
    mbs = system.AddSystem()
    ground = mbs.AddMarker(items.MarkerNodeCoordinate(nodeNumber=mbs.AddNode(items.NodePointGround()), coordinate=0))
    n, points, length = len(p["nodes"]), p["points"], p["length"] / len(p["nodes"])
    piece = length / points
    nodes = [mbs.AddNode(items.NodePoint2DSlope1(referenceCoordinates=place)) for place in p["nodes"]]
    shapes = []
    for i in range(n):
        cable = items.ObjectANCFCable2D(
            length=length, massPerLength=p["mass"], axialStiffness=p["EA"], bendingStiffness=p["EI"],
            axialDamping=p["EA"] * p["retardation"], bendingDamping=p["EI"] * p["retardation"],
            strainIsRelativeToReference=1.0, nodeNumbers=[nodes[i], nodes[(i + 1) % n]],
            useReducedOrderIntegration=p["reduced"],
        )  # fmt: skip
        marker = items.MarkerBodyCable2DShape(bodyNumber=mbs.AddObject(cable), numberOfSegments=points)
        shapes.append(mbs.AddMarker(marker))
    held, wheels = [], []
    for x in (0.0, p["near"]):
        wheel = mbs.AddNode(items.NodeRigidBody2D(referenceCoordinates=[x, 0.0, 0.0]))
        body = mbs.AddObject(
            items.ObjectRigidBody2D(mass=p["pulley_mass"], inertia=p["pulley_inertia"], nodeNumber=wheel)
        )
        for axis in (0, 1):
            own = mbs.AddMarker(items.MarkerNodeCoordinate(nodeNumber=wheel, coordinate=axis))
            held.append(mbs.AddObject(items.CoordinateConstraint(markerNumbers=[ground, own])))
        rim = mbs.AddMarker(items.MarkerBodyRigid(bodyNumber=body))
        wheels.append((wheel, mbs.AddMarker(items.MarkerNodeCoordinate(nodeNumber=wheel, coordinate=2))))
        for shape in shapes:
            start = [0.1] * points + [0.0] * 2 * points
            history = mbs.AddNode(items.NodeGenericData(initialCoordinates=start, numberOfDataCoordinates=3 * points))
            touch = items.ObjectContactFrictionCircleCable2D(
                markerNumbers=[rim, shape], nodeNumber=history, numberOfContactSegments=points,
                contactStiffness=p["stiffness"] * piece, contactDamping=p["damping"] * piece,
                frictionVelocityPenalty=p["friction_slope"] * piece, frictionCoefficient=p["friction"],
                circleRadius=p["radius"], useSegmentNormals=p["segment_normals"],
            )  # fmt: skip
            mbs.AddObject(touch)
    driver = mbs.AddObject(items.CoordinateConstraint(markerNumbers=[ground, wheels[0][1]], velocityLevel=True))
    brake = mbs.AddLoad(items.LoadCoordinate(markerNumber=wheels[1][1], load=0.0))
    stretched, up, loaded = p["times"]

    def prescribe(mbs: Any, t: float) -> bool:
        if t < loaded + 2.0 * p["step"]:
            mbs.SetObjectParameter(held[2], "offset", p["stretch"] * min(1.0, t / stretched))
            mbs.SetObjectParameter(
                driver, "offset", p["speed"] * min(1.0, max(0.0, (t - stretched) / (up - stretched)))
            )
            mbs.SetLoadParameter(brake, "load", -p["torque"] * min(1.0, max(0.0, (t - up) / (loaded - up))))
        return True

    mbs.SetPreStepUserFunction(prescribe)
    sensor = items.SensorNode(
        nodeNumber=wheels[1][0], storeInternal=True, outputVariableType=exudyn.OutputVariableType.AngularVelocity
    )
    omega = mbs.AddSensor(sensor)
    mbs.Assemble()
    settings = exudyn.SimulationSettings()
    settings.solution.file.write = False
    settings.solution.sensors.writePeriod = p["every"]
    settings.show.globalTimers = False
    settings.parallel.numberOfThreads = 1
    settings.linearSolver.solverType = exudyn.LinearSolverType.EigenSparse
    integration = settings.timeIntegration
    integration.verboseMode = 0
    integration.endTime = p["until"]
    integration.numberOfSteps = round(p["until"] / p["step"])
    integration.newton.useModifiedNewton = p["modified"]
    integration.newton.relativeTolerance = p["rtol"]
    integration.discontinuous.iterationTolerance = p["dtol"]
    integration.discontinuous.maxIterations = p["dmax"]
    integration.generalizedAlpha.spectralRadius = p["rho"]
    kind = exudyn.DynamicSolverType
    scheme = kind.TrapezoidalIndex2 if p["scheme"] == "trapezoidal" else kind.GeneralizedAlpha
    began = time.process_time()
    mbs.SolveDynamic(settings, solverType=scheme)
    seconds = time.process_time() - began
    data = mbs.GetSensorStoredData(omega)
    late = data[:, 0] > p["until"] - p["window"]
    return [seconds, float(np.mean(data[late, 3])), float(data[late, 3].std())]


def answer(line: str) -> dict[str, Any]:
    try:
        return {"row": drive(json.loads(line))}
    except Exception as error:  # noqa: BLE001  # whatever it is, the other side reports it
        return {"error": f"{type(error).__name__}: {error}"}


print(json.dumps({"version": exudyn.__version__}), flush=True)
for line in sys.stdin:
    print("\n" + json.dumps(answer(line)), flush=True)
