"""Balls roll down a hill whose heights are given on a grid; what they lose in height is their speed."""

import matplotlib.pyplot as plt
import numpy as np

import flexmbs as fx

radius, g = 0.15, 9.81
x, y = np.linspace(-4, 4, 41), np.linspace(-3, 3, 31)
u, v = np.meshgrid(x, y, indexing="ij")
heights = 1.2 * np.exp(-0.5 * (u + 2) ** 2 - 0.3 * v**2) + 0.6 * np.exp(-0.8 * (u - 1) ** 2 - 0.8 * (v - 0.8) ** 2)
hills = fx.contact.HeightField(fx.ground.marker((0, 0, 0)), x=x, y=y, heights=heights)
law = fx.contact.HuntCrossleyLaw(stiffness=1e7, damping=1.0)
friction = fx.contact.CoulombLaw(0.8, speed=1e-3)
balls, touches = [], []
for k, across in enumerate((-0.4, -0.2, 0.02, 0.25, 0.5)):
    place = np.array((-1.7, across, hills.height(-1.7, across))) + radius * hills.normal(-1.7, across)
    ball = fx.RigidBody.sphere(radius=radius, mass=2.0, position=place, name=f"ball {k}")
    shapes = (hills, fx.contact.Sphere(ball, radius=radius))
    balls.append(ball)
    touches.append(fx.Contact(shapes, law, friction, allow_overlap=True, name=f"touch {k}"))
model = fx.Model(*balls, *touches, fx.Gravity((0, 0, -g)))
run = fx.simulate(model, until=2.0, step=1e-3, output=fx.Output(every=0.01))

axes = plt.figure(figsize=(8, 3.6)).add_axes((-0.1, -0.35, 1.2, 2.0), projection="3d", computed_zorder=False)
axes.plot_surface(u, v, heights, cmap="terrain", alpha=0.7, linewidth=0, vmin=-0.6, zorder=1)
for k, ball in enumerate(balls):
    way = run.position(ball)
    axes.plot(*way.T, color=f"C{k}", zorder=2)
    axes.plot(*way[::25].T, "o", color=f"C{k}", markersize=5, zorder=3)
axes.set_box_aspect((8, 6, 1.8), zoom=1.2)
axes.view_init(35, -65)
axes.set_axis_off()
axes.figure.savefig("hills.png", dpi=90)

# By hand: rolling, 7/10 m v^2 is what the weight has done
fall = np.array([run.position(ball)[0, 2] - run.position(ball)[-1, 2] for ball in balls])
found = np.array([np.linalg.norm(run.velocity(ball)[-1]) for ball in balls])
by_hand = np.sqrt(10 / 7 * g * fall)
for ball, a, b in zip(balls, found, by_hand, strict=True):
    print(f"{ball.name}: {a:.3f} m/s, by hand {b:.3f} m/s")
