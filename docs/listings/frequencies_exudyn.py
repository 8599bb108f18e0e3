import exudyn as exu
import numpy as np
from exudyn.beams import GenerateBeamElementsAlongLine
from exudyn.itemInterface import *
from exudyn.solver import ComputeODE2Eigenvalues

SC = exu.SystemContainer()
mbs = SC.AddSystem()
cable = ObjectANCFCable2D(massPerLength=1, axialStiffness=1e6, bendingStiffness=1)
beam = GenerateBeamElementsAlongLine(mbs, [0, 0, 0], [1, 0, 0], 16, cable)
fixed = mbs.AddNode(NodePointGround())
zero = mbs.AddMarker(MarkerNodeCoordinate(nodeNumber=fixed, coordinate=0))
for k in (0, 1, 3):  # position, and the slope across
    held = mbs.AddMarker(MarkerNodeCoordinate(nodeNumber=beam["nodes"][0], coordinate=k))
    mbs.AddObject(ObjectConnectorCoordinate(markerNumbers=[zero, held]))
mbs.Assemble()

eigenvalues, _ = ComputeODE2Eigenvalues(mbs, numberOfEigenvalues=3)
print("frequencies [Hz]", (np.sqrt(eigenvalues) / (2 * np.pi)).round(3))
