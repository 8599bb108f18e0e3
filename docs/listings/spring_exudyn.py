import exudyn as exu
from exudyn.itemInterface import *

SC = exu.SystemContainer()
mbs = SC.AddSystem()
ground = mbs.AddObject(ObjectGround())
node = mbs.AddNode(NodePoint(referenceCoordinates=[0.5, 0, 0]))
mass = mbs.AddObject(MassPoint(nodeNumber=node, mass=1.6))
m0 = mbs.AddMarker(MarkerBodyPosition(bodyNumber=ground))
m1 = mbs.AddMarker(MarkerBodyPosition(bodyNumber=mass))
mbs.AddObject(SpringDamper(markerNumbers=[m0, m1], stiffness=4000, damping=8, referenceLength=0.5))
mbs.AddLoad(LoadForceVector(markerNumber=m1, loadVector=[80, 0, 0]))
sensor = mbs.AddSensor(
    SensorNode(nodeNumber=node, storeInternal=True, outputVariableType=exu.OutputVariableType.Displacement)
)
mbs.Assemble()

settings = exu.SimulationSettings()
settings.timeIntegration.endTime = 1
settings.timeIntegration.numberOfSteps = 1000
settings.timeIntegration.verboseMode = 0
settings.solution.file.write = False
settings.solution.sensors.writePeriod = 1e-2
mbs.SolveDynamic(settings)
data = mbs.GetSensorStoredData(sensor)  # columns: t, x, y, z
print("displacement [m]", data[-1, 1].round(4), "largest", data[:, 1].max().round(4))
