import flexmbs as fx

rod = fx.PlanarRigidBody.rod((0, 0), (1, 0), mass=2, name="rod")
pin = fx.RevoluteJoint(fx.ground, rod, at=(0, 0), name="pin")
model = fx.Model(rod, pin, fx.Gravity((0, -9.81)))

run = fx.simulate(model, until=1, step=1e-3)
print("angle [rad]", run.angle(pin)[-1].round(3))
