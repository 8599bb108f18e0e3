"""A stone, the convex hull of a few points, tumbles down a slope and comes to rest on one of its faces."""

import matplotlib.pyplot as plt
import numpy as np
from mpl_toolkits.mplot3d.art3d import Poly3DCollection

import flexmbs as fx

g, angle = 9.81, np.radians(35)
points = np.random.default_rng(4).normal(size=(24, 3)) * (0.3, 0.25, 0.2)
mass, centre, inertia = fx.contact.TriangleMesh.hull(fx.ground.marker((0, 0, 0)), points).mass_properties(2700)
stone = fx.RigidBody(mass, inertia, position=(-2.6, 0, 2.6), angular_velocity=(0.5, 1, 0), name="stone")
hull = fx.contact.TriangleMesh.hull(stone.centre, points - centre)
floor = fx.contact.Plane(fx.ground.marker((0, 0, 0), axis=(0, 0, 1)))
slope = fx.contact.Plane(fx.ground.marker((0, 0, 0), axis=(np.sin(angle), 0, np.cos(angle))))
law = fx.contact.HuntCrossleyLaw(stiffness=1e7, damping=2.0)
friction = fx.contact.CoulombLaw(0.6, speed=1e-3)
touch = fx.Contact((floor, slope, *hull.corners), law, friction, name="touch")
model = fx.Model(stone, touch, fx.Gravity((0, 0, -g)))
run = fx.simulate(model, until=5.0, step=1e-3, output=fx.Output(every=0.01))

axes = plt.figure(figsize=(8, 3.6)).add_axes((-0.05, -0.25, 1.1, 1.5), projection="3d", computed_zorder=False)
for x0, x1, z0 in ((-3, 0, 3 * np.tan(angle)), (0, 3.5, 0)):
    axes.plot_surface(
        *np.broadcast_arrays([[x0], [x1]], [[-0.8, 0.8]], [[z0], [0]]), color="0.85", shade=False, zorder=1
    )
for n, k in enumerate((0, 60, 85, 105, 130, 160, -1)):
    corners = run.position(stone)[k] + hull.vertices @ run.rotation(stone)[k].T
    faces = Poly3DCollection(corners[hull.triangles], facecolor=f"C{n}", edgecolor="0.3", linewidth=0.4, zorder=3)
    axes.add_collection3d(faces)
axes.set(xlim=(-3, 3.5), ylim=(-1.2, 1.2), zlim=(0, 3.1))
axes.set_box_aspect((6.5, 2.4, 3.1), zoom=1.15)
axes.view_init(15, -75)
axes.set_axis_off()
axes.figure.savefig("stone.png", dpi=90)

# By hand: at rest the floor carries the weight
found, by_hand = run.contact(touch).normal[-1].sum(), mass * g
print(f"normal forces {found:.2f} N, weight {by_hand:.2f} N")
