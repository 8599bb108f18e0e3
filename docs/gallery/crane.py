"""A crane's trolley carries a load on a heavy cable."""

import numpy as np
from scipy.optimize import brentq
from scipy.special import j0, j1, y0, y1

import flexmbs as fx

length, load_mass, way, g = 10.0, 200.0, 6.0, 9.81
rope = fx.BeamStiffness(EA=2e7, EI_z=5.0, mass_per_length=4.0)

corners = [(-0.6, -0.2), (0.6, -0.2), (0.6, 0.2), (-0.6, 0.2)]
box = fx.Wireframe(corners, [(0, 1), (1, 2), (2, 3), (3, 0)])
trolley = fx.PlanarRigidBody(300.0, 20.0, position=(0, 0), name="trolley", shape=box)
cable = fx.FlexibleBody.line((0, 0), (0, -length), elements=20, element=fx.elements.ANCFCable2D(),
                             stiffness=rope, name="cable")  # fmt: skip
load = fx.PointMass(load_mass, position=(0, -length), name="load")
rail = fx.PrismaticJoint(fx.ground, trolley, at=(0, 0), axis=(1, 0), name="rail")
drive = fx.TranslationDriver(rail, fx.motions.Ramp(0.0, way, duration=5.0, begin=0.5), name="drive")
eye = fx.RevoluteJoint(trolley, cable.start, name="eye")
hook = fx.SphericalJoint(cable.end, load, name="hook")
weight = fx.Gravity((0, -g), history=fx.Constant())  # from the start: without it nothing holds the cable
crane = fx.Model(trolley, cable, load, rail, drive, eye, hook, weight, name="crane")

hanging = fx.solve_static(crane)
modes = fx.solve_modal(hanging, modes=3)
run = fx.simulate(crane, until=15.0, step=5e-3, start=hanging, output=fx.Output(every=0.05))
run.animate("crane.gif", speed=1.5, fps=10, dpi=50)

# By hand: a chain with a mass at its end, whose shapes are Bessel functions of u = 2 w sqrt(z/g).
bottom = load_mass / rope.mass_per_length  # length of rope that weighs as much as the load
top = bottom + length


def closing(omega):
    """Zero where the shape that moves the load by its tension is at rest on the trolley."""
    u, U = 2 * omega * np.sqrt(bottom / g), 2 * omega * np.sqrt(top / g)
    root = omega * np.sqrt(bottom / g)
    return (j1(u) - root * j0(u)) * y0(U) - (y1(u) - root * y0(u)) * j0(U)


by_hand = brentq(closing, 0.8, 1.2)
found = modes.angular_frequencies[0]
print(f"sway {found:.5f} rad/s, by hand {by_hand:.5f} rad/s, a mass without rope {np.sqrt(g / length):.5f} rad/s")
