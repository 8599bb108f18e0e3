"""A vaulting pole throws a man: the hinge in the box stops, the pole bends and stretches again."""

import matplotlib.pyplot as plt
import numpy as np

import flexmbs as fx

length, EI, man, run_up, stop = 5.0, 2800.0, 70.0, 8.0, 0.1  # m, N m^2, kg, m/s, s
section = fx.BeamStiffness(EA=2e7, EI_z=EI, mass_per_length=0.45)


def pole(chord, radius):
    first = chord - 0.5 * length / radius - np.pi / 2
    centre = (-radius * np.cos(first), -radius * np.sin(first))
    arc = fx.meshes.arc(centre, radius=radius, start_angle=first, end_angle=first + length / radius, elements=12)
    return fx.FlexibleBody(arc, fx.elements.ANCFCable2D(), stiffness=section, name="pole")


def slowing(t):
    return run_up * 0.5 * (1 + np.cos(np.pi * t / stop)) if t < stop else 0.0


body = pole(np.radians(150), 30.0)
vaulter = fx.PointMass(man, position=body.mesh.points[-1], velocity=(run_up, 0), name="man")
foot = fx.PlanarRigidBody(1.0, 0.1, position=(0, 0), velocity=(run_up, 0), name="foot of the pole")
slide = fx.PrismaticJoint(fx.ground, foot, at=(0, 0), axis=(1, 0), name="slide")
model = fx.Model(body, vaulter, foot, slide, fx.TranslationDriver(slide, rate=slowing, name="box"),
                 fx.RevoluteJoint(body.start, foot), fx.SphericalJoint(body.end, vaulter), fx.Gravity((0, -9.81)),
                 fx.InitialVelocity(body, (run_up, 0)), name="vault")  # fmt: skip
run = fx.simulate(model, until=1.0, step=5e-4, progress=False)

figure, axes = plt.subplots(figsize=(7, 3.8), layout="constrained")
for k in range(0, len(run.t), 200):
    shape = run.shape(body, step=k).reshape(-1, 3)
    axes.plot(shape[:, 0], shape[:, 1], color=plt.cm.viridis(run.t[k]))
axes.plot(*run.position(vaulter)[:, :2].T, color="black", linewidth=0.8, linestyle=":")
axes.set(xlabel="x [m]", ylabel="y [m]", aspect="equal")
figure.savefig("pole.png", dpi=80)

# By hand: a nearly straight pole, shortened by delta, carries Euler's load (1 + delta / 2 L), less by its own bow.
straight, delta, radius = pole(0.0, 500.0), 0.1, 500.0
shortened = fx.Prescribe(straight.end, (-delta, 0.0))
squeezed = fx.solve_static(fx.Model(straight, fx.Pin(straight.start), shortened))
bow, bent = length**2 / (8 * radius), 2 * np.sqrt(delta * length) / np.pi
found = -squeezed.reaction(straight.end, step=-1)[0]
by_hand = np.pi**2 * EI / length**2 * (1 + delta / (2 * length)) * (1 - bow / bent)
print(f"the pole pushes with {found:.1f} N, by hand {by_hand:.1f} N")
