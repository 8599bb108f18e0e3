import exudyn as exu
import numpy as np
from exudyn.FEM import FEMinterface, HCBstaticModeSelection, ObjectFFRFreducedOrderInterface
from exudyn.itemInterface import *

fem = FEMinterface()  # matrices, nodes and elements as another program has written them
data = np.load("bar.npz", allow_pickle=True)
fem.nodes = {"Position": data["points"]}
fem.elements = [{"Name": "bar", "Hex8": data["cells"]}]
fem.massMatrix, fem.stiffnessMatrix = data["M"].item(), data["K"].item()
left = fem.GetNodesInPlane([0, 0, 0], [1, 0, 0])
right = fem.GetNodesInPlane([1, 0, 0], [1, 0, 0])
fem.ComputeHurtyCraigBamptonModes([left, right], 8, computationMode=HCBstaticModeSelection.RBE2)
cms = ObjectFFRFreducedOrderInterface(fem)

SC = exu.SystemContainer()
mbs = SC.AddSystem()
bar = cms.AddObjectFFRFreducedOrder(mbs, positionRef=[0, 0, 0], gravity=[0, -9.81, 0])
ground = mbs.AddObject(ObjectGround())
m0 = mbs.AddMarker(MarkerBodyRigid(bodyNumber=ground))
m1 = mbs.AddMarker(
    MarkerSuperElementRigid(
        bodyNumber=bar["oFFRFreducedOrder"], meshNodeNumbers=left, weightingFactors=[1 / len(left)] * len(left)
    )
)
mbs.AddObject(ObjectJointRevoluteZ(markerNumbers=[m0, m1]))
m2 = mbs.AddMarker(
    MarkerSuperElementPosition(
        bodyNumber=bar["oFFRFreducedOrder"], meshNodeNumbers=right, weightingFactors=[1 / len(right)] * len(right)
    )
)
mbs.Assemble()

settings = exu.SimulationSettings()
settings.timeIntegration.endTime = 0.3
settings.timeIntegration.numberOfSteps = 600
settings.timeIntegration.verboseMode = 0
settings.solution.file.write = False
mbs.SolveDynamic(settings)
print("end [m]", mbs.GetMarkerOutput(m2, exu.OutputVariableType.Position).round(4))
