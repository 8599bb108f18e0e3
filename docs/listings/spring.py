import flexmbs as fx

mass = fx.PointMass(1.6, position=(0.5, 0, 0), name="mass")
spring = fx.SpringDamper(fx.ground.marker((0, 0, 0)), mass, stiffness=4000, damping=8, free_length=0.5)
model = fx.Model(mass, spring, fx.PointForce(mass, (80, 0, 0)))

run = fx.simulate(model, until=1, step=1e-3, output=fx.Output(every=1e-2))
x = run.displacement(mass)[:, 0]  # at the times run.t
print("displacement [m]", x[-1].round(4), "largest", x.max().round(4))
