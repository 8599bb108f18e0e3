import flexmbs as fx

plastic = fx.Elastic(youngs_modulus=2e9, poissons_ratio=0.3, density=1200)
mesh = fx.meshes.box((0, -0.03, -0.03), (1, 0.06, 0.06), (20, 2, 2))
part = fx.linear.Part(mesh, regions=[fx.linear.Region(None, fx.elements.Hexahedron8(), plastic)], name="bar")
small = fx.reduction.reduce(part, interfaces=["left", "right"], modes=8)

bar = fx.FloatingBody(small, reference="left")
hinge = fx.RevoluteJoint(fx.ground, bar, at=(0, 0, 0), axis=(0, 0, 1))
model = fx.Model(bar, hinge, fx.Gravity((0, -9.81, 0)))

run = fx.simulate(model, until=0.3, step=5e-4)
print("end [m]", run.position(bar.interface("right"))[-1].round(4))
