import exudyn as exu
from exudyn.beams import GenerateBeamElementsAlongLine
from exudyn.itemInterface import *

SC = exu.SystemContainer()
mbs = SC.AddSystem()
E, b, h = 210e9, 0.02, 0.002
cable = ObjectANCFCable2D(massPerLength=7850 * b * h, axialStiffness=E * b * h, bendingStiffness=E * b * h**3 / 12)
strip = GenerateBeamElementsAlongLine(mbs, [0, 0, 0], [1, 0, 0], 16, cable, groundConstraintsStart=[1, 1, 1, 1])
tip = mbs.AddMarker(MarkerNodePosition(nodeNumber=strip["nodes"][-1]))
mbs.AddLoad(LoadForceVector(markerNumber=tip, loadVector=[0, -8.4, 0]))
mbs.Assemble()

settings = exu.SimulationSettings()
settings.staticSolver.numberOfLoadSteps = 10
settings.staticSolver.verboseMode = 0
settings.solution.file.write = False
mbs.SolveStatic(settings)
p = mbs.GetNodeOutput(strip["nodes"][-1], exu.OutputVariableType.Position)
print("tip [m]", p.round(3))
