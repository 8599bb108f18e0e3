import flexmbs as fx

crank = fx.PlanarRigidBody.rod((0, 0), (0.1, 0), mass=0.3, name="crank")
rod = fx.PlanarRigidBody.rod((0.1, 0), (0.4, 0), mass=0.6, name="rod")
slider = fx.PointMass(0.5, position=(0.4, 0), name="slider")
model = fx.Model(
    crank, rod, slider,
    fx.RevoluteJoint(fx.ground, crank, at=(0, 0)),
    fx.RevoluteJoint(crank, rod, at=(0.1, 0)),
    fx.SphericalJoint(rod, slider, at=(0.4, 0)),
    fx.PointOnLineConstraint(fx.ground, slider, at=(0.4, 0), axis=(1, 0)),
    fx.Moment(crank.centre, 0.5),
)  # fmt: skip

run = fx.simulate(model, until=0.2, step=2e-4)
print("slider [m]", run.position(slider)[-1, 0].round(4))
