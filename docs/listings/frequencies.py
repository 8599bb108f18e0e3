import flexmbs as fx

stiffness = fx.BeamStiffness(EA=1e6, EI_z=1, mass_per_length=1)
cable = fx.elements.ANCFCable2D()
beam = fx.FlexibleBody.line((0, 0), (1, 0), elements=16, element=cable, stiffness=stiffness)
model = fx.Model(beam, fx.Clamp(beam.start))

modes = fx.solve_modal(model, modes=3)
print("frequencies [Hz]", modes.frequencies.round(3))
