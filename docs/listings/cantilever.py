import flexmbs as fx

material = fx.Elastic(youngs_modulus=210e9, density=7850)
strip = fx.FlexibleBody.line(
    (0, 0), (1, 0), elements=16, element=fx.elements.ANCFCable2D(),
    section=fx.Rectangle(width=0.02, height=0.002), material=material,
)  # fmt: skip
model = fx.Model(strip, fx.Clamp(strip.start), fx.PointForce(strip.end, (0, -8.4)))

bent = fx.solve_static(model)
print("tip [m]", bent.position(strip.end, step=-1).round(3))
