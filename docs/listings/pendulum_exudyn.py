import exudyn as exu
from exudyn.itemInterface import *

SC = exu.SystemContainer()
mbs = SC.AddSystem()
ground = mbs.AddObject(ObjectGround())
node = mbs.AddNode(NodeRigidBody2D(referenceCoordinates=[0.5, 0, 0]))
rod = mbs.AddObject(ObjectRigidBody2D(nodeNumber=node, mass=2, inertia=2 / 12))
pin = mbs.AddMarker(MarkerBodyPosition(bodyNumber=rod, localPosition=[-0.5, 0, 0]))
wall = mbs.AddMarker(MarkerBodyPosition(bodyNumber=ground))
mbs.AddObject(ObjectJointRevolute2D(markerNumbers=[wall, pin]))
body = mbs.AddMarker(MarkerBodyMass(bodyNumber=rod))
mbs.AddLoad(LoadMassProportional(markerNumber=body, loadVector=[0, -9.81, 0]))
mbs.Assemble()

settings = exu.SimulationSettings()
settings.timeIntegration.endTime = 1
settings.timeIntegration.numberOfSteps = 1000
settings.timeIntegration.verboseMode = 0
settings.solution.file.write = False
mbs.SolveDynamic(settings)
x, y, angle = mbs.GetNodeOutput(node, exu.OutputVariableType.Coordinates)
print("angle [rad]", round(angle, 3))
