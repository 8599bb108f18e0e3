import exudyn as exu
from exudyn.itemInterface import *

SC = exu.SystemContainer()
mbs = SC.AddSystem()
ground = mbs.AddObject(ObjectGround())
n1 = mbs.AddNode(NodeRigidBody2D(referenceCoordinates=[0.05, 0, 0]))
n2 = mbs.AddNode(NodeRigidBody2D(referenceCoordinates=[0.25, 0, 0]))
n3 = mbs.AddNode(NodePoint2D(referenceCoordinates=[0.4, 0]))
crank = mbs.AddObject(ObjectRigidBody2D(nodeNumber=n1, mass=0.3, inertia=0.3 * 0.1**2 / 12))
rod = mbs.AddObject(ObjectRigidBody2D(nodeNumber=n2, mass=0.6, inertia=0.6 * 0.3**2 / 12))
slider = mbs.AddObject(ObjectMassPoint2D(nodeNumber=n3, mass=0.5))


def point(body, x):
    return mbs.AddMarker(MarkerBodyPosition(bodyNumber=body, localPosition=[x, 0, 0]))


mbs.AddObject(ObjectJointRevolute2D(markerNumbers=[point(ground, 0), point(crank, -0.05)]))
mbs.AddObject(ObjectJointRevolute2D(markerNumbers=[point(crank, 0.05), point(rod, -0.15)]))
mbs.AddObject(ObjectJointRevolute2D(markerNumbers=[point(rod, 0.15), point(slider, 0)]))
fixed = mbs.AddNode(NodePointGround())
y_ground = mbs.AddMarker(MarkerNodeCoordinate(nodeNumber=fixed, coordinate=0))
y_slider = mbs.AddMarker(MarkerNodeCoordinate(nodeNumber=n3, coordinate=1))
mbs.AddObject(ObjectConnectorCoordinate(markerNumbers=[y_ground, y_slider]))
shaft = mbs.AddMarker(MarkerNodeRigid(nodeNumber=n1))
mbs.AddLoad(LoadTorqueVector(markerNumber=shaft, loadVector=[0, 0, 0.5]))
mbs.Assemble()

settings = exu.SimulationSettings()
settings.timeIntegration.endTime = 0.2
settings.timeIntegration.numberOfSteps = 1000
settings.timeIntegration.verboseMode = 0
settings.solution.file.write = False
mbs.SolveDynamic(settings)
x = mbs.GetNodeOutput(n3, exu.OutputVariableType.Position)[0]
print("slider [m]", round(x, 4))
