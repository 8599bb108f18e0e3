"""Two loads on a rope over a pulley, which friction turns."""

import numpy as np

import flexmbs as fx

radius, thick, g = 0.2, 0.01, 9.81
heavy, light, inertia, per_length = 10.0, 8.0, 0.1, 0.1
arc = np.pi * radius
strand = arc
length = 2 * strand + arc


def axis(s):
    """The rope from its left end up, over the pulley, and down: points (2, n) at arc lengths s (n,)."""
    angle = np.pi - np.clip((s - strand) / radius, 0.0, np.pi)
    hangs = np.where(s < strand, strand - s, np.maximum(s - strand - arc, 0.0))
    return radius * np.cos(angle), radius * np.sin(angle) - hangs


rope = fx.FlexibleBody(
    fx.meshes.curve(axis, 36, (0.0, length)), fx.elements.ANCFCable2D(), name="rope",
    stiffness=fx.BeamStiffness(EA=2e5, EI_z=5e-4, mass_per_length=per_length, retardation_time=2e-4),
)  # fmt: skip
turn = np.linspace(0.0, 2 * np.pi, 37)
disk = fx.Wireframe(
    [(0, 0), *((radius - thick) * np.column_stack((np.cos(turn), np.sin(turn))))],
    [(0, 1), (0, 13), (0, 25), *((i, i + 1) for i in range(1, 37))],
)
pulley = fx.PlanarRigidBody(2.0, inertia, position=(0, 0), name="pulley", shape=disk)
loads = [
    fx.PointMass(mass, position=(x, -strand), name=name)
    for mass, x, name in ((light, -radius, "light"), (heavy, radius, "heavy"))
]
groove = fx.contact.Cylinder(pulley.centre, radius=radius - thick)
normal = fx.contact.HuntCrossleyLaw(stiffness=5e7, damping=5.0)  # per length of rope
touch = fx.Contact(
    (groove, fx.contact.Tube(rope, radius=thick)),
    normal,
    fx.contact.CoulombLaw(0.3, speed=5e-3),
    allow_overlap=True,
    name="groove",
)
model = fx.Model(
    rope, pulley, *loads, touch, fx.RevoluteJoint(fx.ground, pulley, at=(0, 0)), fx.Gravity((0, -g)),
    fx.SphericalJoint(rope.start, loads[0]), fx.SphericalJoint(rope.end, loads[1]), name="pulley",
)  # fmt: skip
run = fx.simulate(
    model, until=0.9, step=1e-3, output=fx.Output(every=0.02), integrator=fx.GeneralizedAlpha(rho_inf=0.5)
)
run.plot_shape("N").figure.savefig("pulley.png", dpi=90)

# By hand: one mass that is pulled by the difference of the weights, which grows as rope runs over.
moved = heavy + light + per_length * length + inertia / radius**2
rate = np.sqrt(2 * per_length * g / moved)
by_hand = (heavy - light) / (2 * per_length) * (np.cosh(rate * run.t[-1]) - 1)
found = -run.displacement(loads[1])[-1, 1]
print(f"the heavy load sinks by {found:.4f} m, by hand {by_hand:.4f} m")
