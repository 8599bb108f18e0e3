"""A robot arm from a table of Denavit and Hartenberg, its forearm a reduced part."""

import numpy as np

import flexmbs as fx
from flexmbs import trees

length, width, payload, g = 0.8, 0.04, 5.0, 9.81
mesh = fx.meshes.box((0, -width / 2, -width / 2), (length, width, width), (32, 2, 2))
part = fx.linear.Part(mesh, regions=[fx.linear.Region(None, fx.elements.Hexahedron8(), fx.aluminium)], name="forearm")
reduced = fx.reduction.reduce(part, ["left", "right"], modes=6, progress=False)

arm = trees.dh_tree(
    trees.DHRow("column", d=0.5, mass=20.0, inertia=(0.5, 0.5, 0.2), centre=(0, 0, -0.25)),
    trees.DHRow("upper arm", alpha=np.pi / 2, mass=6.0, inertia=(0.01, 0.2, 0.2), centre=(0.3, 0, 0), start=0.8),
    convention="modified",  # Craig's
)
forearm = trees.FlexibleLink(
    "forearm",
    reduced,
    "left",
    parent="upper arm",
    joint=trees.Revolute((0, 0, 1)),
    at=(0.6, 0, 0),
    start=-0.8,
    damping=0.01,
)
arm = trees.Tree(*arm.links, forearm, name="arm")
tip = arm.link("forearm").interface("right")
tool = fx.PointMass(payload, position=tip.position0(), name="tool")
wrist = fx.SphericalJoint(tip, tool, name="wrist")
weight = fx.Gravity((0, 0, -g))

start = {"column": 0.0, "upper arm": 0.8, "forearm": -0.8}
held = [fx.RotationDriver(arm.joint(name), angle, name=name) for name, angle in start.items()]
rest = fx.solve_static(fx.Model(arm, tool, wrist, weight, *held, name="robot at rest"))

end = {"column": np.pi / 2, "upper arm": 0.3, "forearm": -1.3}
ramps = {name: fx.motions.Ramp(start[name], end[name], duration=1.0) for name in start}
moved = [fx.RotationDriver(arm.joint(name), ramp, name=name) for name, ramp in ramps.items()]
robot = fx.Model(arm, tool, wrist, weight, *moved, name="robot")
run = fx.simulate(robot, until=1.5, step=1e-3, start=rest, output=fx.Output(every=1e-2))
run.animate("robot.gif", fps=10, dpi=50, speed=0.25)

# By hand: the level forearm is a Timoshenko cantilever under the tool and its own weight.
E, G, area = fx.aluminium.youngs_modulus, fx.aluminium.shear_modulus, width**2
EI, GA, q, F = E * width**4 / 12, 5 / 6 * G * area, fx.aluminium.density * area * g, payload * g
sag_by_hand = F * (length**3 / (3 * EI) + length / GA) + q * (length**4 / (8 * EI) + length**2 / (2 * GA))
sag = 0.5 + 0.6 * np.sin(0.8) - rest.position(tool, step=-1)[2]
found, by_hand = -rest.multipliers("forearm")[-1, 0], F * length + q * length**2 / 2
print(f"torque at the elbow {found:.5f} N m, by hand {by_hand:.5f} N m")
print(f"sag of the tool {1e3 * sag:.4f} mm, by hand {1e3 * sag_by_hand:.4f} mm")
