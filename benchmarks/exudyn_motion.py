"""Exudyn's side of `bench_dynamics.py` and `bench_beams.py`, for an interpreter that has exudyn and nothing else.

Every line of standard input is a problem (JSON) with a ``kind``, "pendulum", "beam", "chain", "crank" or "tree"; an
answer is a line ``{"row": [CPU seconds of the solver call, steps, Newton iterations, Jacobians, position at the end]}``
or ``{"error": ...}``. The first line tells the version.
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
from exudyn.beams import GenerateBeamElementsAlongLine  # noqa: E402
from exudyn.rigidBodyUtilities import (  # noqa: E402
    AngularVelocity2EulerParameters_t,
    AngularVelocity2RotXYZ_t,
    RotationMatrix2EulerParameters,
    RotationMatrix2RotXYZ,
)

items = exudyn.itemInterface


class Bodies:
    """Rigid bodies with Euler parameters or Tait-Bryan angles, under gravity, and markers on them."""

    def __init__(self, mbs: Any, variant: str, gravity: list[float]) -> None:
        self.mbs, self.variant, self.gravity = mbs, variant, gravity
        self.ground = mbs.AddObject(items.ObjectGround())

    def add(
        self, mass: float, inertia: Any, place: Any, frame: Any = None, velocity: Any = None, spin: Any = None
    ) -> int:
        """A body by its centre of mass, principal inertia, orientation, velocity and angular velocity (inertial)."""
        frame = np.eye(3) if frame is None else np.asarray(frame)
        velocity = np.zeros(3) if velocity is None else velocity
        spin = np.zeros(3) if spin is None else spin
        if self.variant == "euler":
            turn = RotationMatrix2EulerParameters(frame)
            rate, node_type = AngularVelocity2EulerParameters_t(spin, turn), items.NodeRigidBodyEP
        else:
            turn = RotationMatrix2RotXYZ(frame)
            rate, node_type = AngularVelocity2RotXYZ_t(spin, turn), items.NodeRigidBodyRxyz
        node = self.mbs.AddNode(
            node_type(
                referenceCoordinates=[*map(float, place), *map(float, turn)],
                initialVelocities=[*map(float, velocity), *map(float, rate)],
            )
        )
        body = items.ObjectRigidBody(mass=mass, inertia=[*inertia, 0, 0, 0], nodeNumber=node)
        number = self.mbs.AddObject(body)
        centre = self.mbs.AddMarker(items.MarkerBodyMass(bodyNumber=number))
        self.mbs.AddLoad(items.LoadMassProportional(markerNumber=centre, loadVector=self.gravity))
        return int(number)

    def at(self, body: int, point: Any, frame: Any = None) -> int:
        """A marker by its point and orientation in body axes."""
        place = [*map(float, point)]
        if frame is None:
            marker = items.MarkerBodyRigid(bodyNumber=body, localPosition=place)
        else:
            marker = items.MarkerBodyRigid(bodyNumber=body, localHT=exudyn.HT(rotation=frame, translation=place))
        return int(self.mbs.AddMarker(marker))


def pendulum(mbs: Any, p: dict[str, Any]) -> Any:
    """A cable of absolute-nodal elements, hinged at the origin, that falls from the horizontal."""
    cable = items.ObjectANCFCable2D(massPerLength=p["mass"], axialStiffness=p["EA"], bendingStiffness=p["EI"])
    made = GenerateBeamElementsAlongLine(
        mbs, [0, 0, 0], [p["length"], 0, 0], p["elements"], cable, gravity=[0, -p["gravity"], 0],
        groundConstraintsStart=[1, 1, 0, 0],
    )  # fmt: skip
    return lambda: mbs.GetNodeOutput(made["nodes"][-1], POSITION)


def beam(mbs: Any, p: dict[str, Any]) -> Any:
    """The same pendulum of spatial beams of two nodes: absolute-nodal ones with shear, or geometrically exact ones."""
    n, section = p["elements"], exudyn.BeamSection()
    section.stiffnessMatrix = np.diag(p["stiffness"])
    section.massPerLength = p["mass"]
    section.inertia = np.diag(p["inertia"])
    exact = p["variant"] == "exact"
    nodes = []
    for k in range(n + 1):
        place = [p["length"] * k / n, 0, 0]
        node = (
            items.NodeRigidBodyRotVecLG(referenceCoordinates=[*place, 0, 0, 0])
            if exact
            else items.NodePointSlope23(referenceCoordinates=[*place, 0, 1, 0, 0, 0, 1])
        )
        nodes.append(mbs.AddNode(node))
    element = items.ObjectBeamGeometricallyExact if exact else items.ObjectANCFBeam
    for k in range(n):
        body = mbs.AddObject(element(nodeNumbers=nodes[k : k + 2], length=p["length"] / n, sectionData=section))
        marker = mbs.AddMarker(items.MarkerBodyMass(bodyNumber=body))
        mbs.AddLoad(items.LoadMassProportional(markerNumber=marker, loadVector=[0, -p["gravity"], 0]))
    ground = mbs.AddMarker(items.MarkerNodeCoordinate(nodeNumber=mbs.AddNode(items.NodePointGround()), coordinate=0))
    for c in range(3):
        held = mbs.AddMarker(items.MarkerNodeCoordinate(nodeNumber=nodes[0], coordinate=c))
        mbs.AddObject(items.ObjectConnectorCoordinate(markerNumbers=[ground, held]))
    return lambda: mbs.GetNodeOutput(nodes[-1], POSITION)


def chain(mbs: Any, p: dict[str, Any]) -> Any:
    """Bars along x, hinged to each other about z, that fall from the horizontal."""
    bodies = Bodies(mbs, p["variant"], [0, -p["gravity"], 0])
    half = p["link"] / 2
    last = bodies.at(bodies.ground, (0, 0, 0))
    for i in range(p["bodies"]):
        bar = bodies.add(p["mass"], p["inertia"], (p["link"] * (i + 0.5), 0, 0))
        mbs.AddObject(items.ObjectJointRevoluteZ(markerNumbers=[last, bodies.at(bar, (-half, 0, 0))]))
        last = bodies.at(bar, (half, 0, 0))
    return lambda: mbs.GetMarkerOutput(last, POSITION)


def tree(mbs: Any, p: dict[str, Any]) -> Any:
    """The same bars in joint coordinates: one kinematic tree."""
    n = p["bodies"]
    node = mbs.AddNode(
        items.NodeGenericODE2(
            numberOfODE2Coordinates=n, referenceCoordinates=[0.0] * n, initialCoordinates=[0.0] * n,
            initialCoordinates_t=[0.0] * n,
        )
    )  # fmt: skip
    turns, inertia = exudyn.Matrix3DList(), exudyn.Matrix3DList()
    offsets, centres = exudyn.Vector3DList(), exudyn.Vector3DList()
    for i in range(n):
        turns.Append(np.eye(3))
        offsets.Append([p["link"] if i else 0.0, 0.0, 0.0])
        centres.Append([p["link"] / 2, 0.0, 0.0])
        inertia.Append(np.diag(p["inertia"]))
    mbs.AddObject(
        items.ObjectKinematicTree(
            nodeNumber=node, gravity=[0.0, -p["gravity"], 0.0], jointTypes=[exudyn.JointType.RevoluteZ] * n,
            linkParents=[i - 1 for i in range(n)], jointTransformations=turns, jointOffsets=offsets,
            linkInertiasCOM=inertia, linkCOMs=centres, linkMasses=[p["mass"]] * n,
        )
    )  # fmt: skip

    def end() -> Any:
        angles = np.cumsum(mbs.GetNodeOutput(node, exudyn.OutputVariableType.Coordinates))
        return [p["link"] * float(np.cos(angles).sum()), p["link"] * float(np.sin(angles).sum()), 0.0]

    return end


def crank(mbs: Any, p: dict[str, Any]) -> Any:
    """A crank about x, a rod, and a block that slides along x; the poses and velocities are given."""
    bodies = Bodies(mbs, p["variant"], [0, 0, -p["gravity"]])
    wheel, rod, block = (bodies.add(**p[name]) for name in ("crank", "rod", "block"))
    along_x = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])  # its third axis is x
    arm, length = p["arm"], p["length"]
    axle = [bodies.at(bodies.ground, p["axle"], along_x), bodies.at(wheel, (0, 0, -arm / 2), along_x)]
    mbs.AddObject(items.ObjectJointRevoluteZ(markerNumbers=axle))
    pin = [bodies.at(wheel, (0, 0, arm / 2)), bodies.at(rod, (length / 2, 0, 0))]
    mbs.AddObject(items.ObjectJointSpherical(markerNumbers=pin))
    # Universal: three translations and one of three rotations, about the rod at the start.
    cross = [bodies.at(block, (0, 0, 0)), bodies.at(rod, (-length / 2, 0, 0))]
    mbs.AddObject(items.ObjectJointGeneric(markerNumbers=cross, constrainedAxes=[1, 1, 1, 1, 0, 0]))
    slide = bodies.at(block, (0, 0, 0))
    mbs.AddObject(items.ObjectJointPrismaticX(markerNumbers=[bodies.at(bodies.ground, (0, 0, 0)), slide]))
    return lambda: mbs.GetMarkerOutput(slide, POSITION)


POSITION = exudyn.OutputVariableType.Position
KINDS = {"pendulum": pendulum, "beam": beam, "chain": chain, "crank": crank, "tree": tree}


def solve(p: dict[str, Any]) -> list[Any]:
    """One run with constant steps of generalized-alpha, index 3, modified Newton."""
    container = exudyn.SystemContainer()
    mbs = container.AddSystem()
    where = KINDS[p["kind"]](mbs, p)
    mbs.Assemble()
    settings = exudyn.SimulationSettings()
    settings.solution.file.write = False
    settings.solution.sensors.active = False
    dense = p.get("dense", False)
    settings.linearSolver.solverType = getattr(exudyn.LinearSolverType, "EigenDense" if dense else "EigenSparse")
    settings.linearSolver.reuseAnalyzedPattern = not dense
    settings.parallel.numberOfThreads = 1
    integration = settings.timeIntegration
    integration.numberOfSteps = round(p["until"] / p["step"])
    integration.endTime = p["until"]
    integration.verboseMode = 0
    integration.generalizedAlpha.spectralRadius = p["rho"]
    integration.newton.useModifiedNewton = True
    integration.newton.relativeTolerance = p["rtol"]
    begin = time.process_time()
    mbs.SolveDynamic(settings)
    taken = time.process_time() - begin
    it = mbs.sys["dynamicSolver"].it
    place = [float(x) for x in where()]
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
