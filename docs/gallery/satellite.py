"""A satellite with two solar panels turns by a pulse of torque and its reverse."""

import numpy as np
from scipy.optimize import brentq

import flexmbs as fx

hub_mass, size, length, width, thickness = 200.0, 1.0, 4.0, 1.0, 0.02
sandwich = fx.Elastic(youngs_modulus=8e9, poissons_ratio=0.0, density=150.0)

mesh = fx.meshes.rectangle((0, -width / 2), (length, width), (32, 4)).in_space()
panel = fx.linear.Part(mesh, regions=[fx.linear.Region(None, fx.elements.ShellQuad(thickness=thickness), sandwich)])
reduced = fx.reduction.reduce(panel, ["left"], modes=8, name="panel", progress=False)

hub = fx.RigidBody.box(size=(size, size, size), mass=hub_mass, name="hub")
half_turn = np.diag([-1.0, -1.0, 1.0])
right = fx.FloatingBody(reduced, reference="left", position=(size / 2, 0, 0), name="right")
left = fx.FloatingBody(reduced, reference="left", position=(-size / 2, 0, 0), rotation=half_turn, name="left")
roots = [fx.FixedJoint(hub, wing.interface("left"), name=f"root of {wing.name}") for wing in (right, left)]
steps = ((1, 0.0), (-2, 2.0), (1, 4.0))  # on, reversed, off
pulses = [fx.motions.Ramp(0, by, duration=0.2, begin=t) for by, t in steps]
torque = fx.Moment(hub.centre, (0, 20.0, 0), history=pulses[0] + pulses[1] + pulses[2])
satellite = fx.Model(hub, right, left, *roots, torque, name="satellite")

modes = fx.solve_modal(satellite, modes=12)
run = fx.simulate(satellite, until=8.0, step=5e-3, output=fx.Output(every=5e-2))
run.animate("satellite.gif", fps=10, dpi=50)

# By hand: two Euler-Bernoulli beams on a hub that they turn to and fro.
EI, mu = 8e9 * width * thickness**3 / 12, 150.0 * width * thickness


def closing(omega):
    """Zero where amplitudes of cos, sin, cosh, sinh and the hub's angle exist that meet all five conditions."""
    b, r = np.sqrt(omega * np.sqrt(mu / EI)), size / 2
    c, s, C, S = np.cos(b * length), np.sin(b * length), np.cosh(b * length), np.sinh(b * length)
    turn = [-2 * EI * b**2, 2 * EI * r * b**3, 2 * EI * b**2, -2 * EI * r * b**3, hub.inertia[1, 1] * omega**2]
    rows = [[1, 0, 1, 0, -r], [0, b, 0, b, -1], [-c, -s, C, S, 0], [s, -c, S, C, 0], turn]
    return np.linalg.det([row / np.abs(row).max() for row in np.array(rows)])


by_hand = brentq(closing, 3.0, 30.0)
found = min(modes.angular_frequencies, key=lambda w: abs(w - by_hand))
print(f"hub against panels {found:.4f} rad/s, by hand {by_hand:.4f} rad/s")
