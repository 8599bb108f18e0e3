"""A hundred balls of many sizes fall into a drum: what they weigh stands on its floor."""

import matplotlib.pyplot as plt
import numpy as np

import flexmbs as fx

rng = np.random.default_rng(4)
number, density, drum, pitch = 100, 2500.0, 0.2, 0.085
radius = 0.04 * 0.5 ** rng.random(number)
grid = np.arange(-2, 3) * pitch
x, y = (a.ravel() for a in np.meshgrid(grid, grid))
x, y = x[np.hypot(x, y) < 0.13], y[np.hypot(x, y) < 0.13]
layer, place = np.divmod(np.arange(number), len(x))
balls = [
    fx.RigidBody.sphere(
        radius=r, mass=density * 4 / 3 * np.pi * r**3, position=(x[k], y[k], 0.045 + pitch * z),
        velocity=(*(0.3 * rng.standard_normal(2)), -1.0), name=f"ball {i}",
    )
    for i, (r, k, z) in enumerate(zip(radius, place, layer, strict=True))
]  # fmt: skip
floor = fx.contact.Plane(fx.ground.marker((0, 0, 0), axis=(0, 0, 1)))
wall = fx.contact.Cylinder(fx.ground.marker((0, 0, 0), axis=(0, 0, 1)), radius=drum, inside=True)
shapes = [floor, wall, *(fx.contact.Sphere(ball, radius=r) for ball, r in zip(balls, radius, strict=True))]
law = fx.contact.HuntCrossleyLaw(stiffness=3e5, restitution=0.4, at_speed=1.0)
touch = fx.Contact(shapes, law, fx.contact.CoulombLaw(0.4, speed=0.02), name="touch")
model = fx.Model(*balls, touch, fx.Gravity((0, 0, -9.81)))
run = fx.simulate(model, until=1.0, step=1e-3, output=fx.Output(every=0.01))

figure = plt.figure(figsize=(8, 4.2), layout="constrained")
u, w = np.meshgrid(np.linspace(0, 2 * np.pi, 13), np.linspace(0, np.pi, 8))
unit = np.stack((np.cos(u) * np.sin(w), np.sin(u) * np.sin(w), np.cos(w)))
for k, t in enumerate((0.0, 0.2, 1.0)):
    axes = figure.add_subplot(1, 3, k + 1, projection="3d", title=f"{t:g} s")
    for ball, r in zip(balls, radius, strict=True):
        axes.plot_surface(
            *(run.position(ball, round(t / 0.01))[:, None, None] + r * unit), color=plt.cm.viridis(r / 0.04)
        )
    axes.set(xlim=(-0.2, 0.2), ylim=(-0.2, 0.2), zlim=(0, 1.03))
    axes.set_box_aspect((0.4, 0.4, 1.03), zoom=1.1)
    axes.set_axis_off()
figure.savefig("pile.png", dpi=80)

# By hand: once the balls lie, floor and wall carry their weight

history = run.contact(touch)
pressed = history.force[:, [pair.a in (floor, wall) for pair in history.pairs], 2].sum(axis=1)
found, by_hand = pressed[run.t > 0.8].mean(), 9.81 * sum(ball.mass for ball in balls)
print(f"{len(history.pairs)} pairs met; drum and floor carry {found:.2f}, by hand the weight is {by_hand:.2f}")
