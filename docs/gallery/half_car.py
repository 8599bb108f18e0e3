"""Half a car drives over a bump, and its bump stops catch the body."""

import numpy as np

import flexmbs as fx

mass, inertia, arm, wheel_mass, radius, g = 600.0, 900.0, 1.3, 40.0, 0.3, 9.81  # arm: from the centre to an axle
k, c, k_tyre, speed, height = 25e3, 1500.0, 180e3, 8.0, 0.08

outline = [(-2, -0.1), (2, -0.1), (2, 0.2), (0.9, 0.3), (0.5, 0.7), (-1.2, 0.7), (-2, 0.3)]
car_shape = fx.Wireframe(outline, [(i, (i + 1) % 7) for i in range(7)])
rim = [(radius * np.cos(a), radius * np.sin(a)) for a in np.linspace(0, 2 * np.pi, 16, endpoint=False)]
wheel_shape = fx.Wireframe(rim, [(i, (i + 1) % 16) for i in range(16)])
road_shape = fx.Wireframe([(-0.2, 0), (0.2, 0)], [(0, 1)])

body = fx.PlanarRigidBody(mass, inertia, position=(0, 2 * radius), name="body", shape=car_shape)
upright = fx.PointOnLineConstraint(fx.ground, body, at=(0, 2 * radius), axis=(0, 1), name="upright")
items = [body, upright, fx.Gravity((0, -g))]
for name, x, delay in (("front", arm, 0.1), ("rear", -arm, 0.1 + 2 * arm / speed)):
    axle, top = (x, radius), (x, 2 * radius)
    wheel = fx.PlanarRigidBody(wheel_mass, 1.0, position=axle, name=f"{name} wheel", shape=wheel_shape)
    road = fx.PlanarRigidBody(1.0, 1.0, position=(x, 0), name=f"{name} road", shape=road_shape)
    post = fx.PrismaticJoint(fx.ground, road, at=(x, 0), axis=(0, 1), name=f"{name} post")
    up = fx.motions.Ramp(0, height, duration=0.5 / speed, begin=delay)
    down = fx.motions.Ramp(0, -height, duration=0.5 / speed, begin=delay + 1 / speed)
    travel = fx.PrismaticJoint(wheel, body, at=top, axis=(0, 1), name=f"{name} travel")
    spring = {"stiffness": k, "damping": c, "preload": -mass * g / 2, "name": f"{name} spring"}
    tyre = {"stiffness": k_tyre, "preload": -(mass / 2 + wheel_mass) * g, "name": f"{name} tyre"}
    items += [wheel, road, post, travel, fx.TranslationDriver(post, up + down, name=f"{name} bump")]
    items += [fx.SpringDamper(wheel.centre, body.marker_at(top), **spring)]
    items += [fx.SpringDamper(road.centre, wheel.centre, **tyre)]
    items += [fx.JointStop(travel, lower=-0.05, stiffness=2e7, exponent=2.0, name=f"{name} bump stop")]
car = fx.Model(*items, name="half car")

modes = fx.solve_modal(car)
run = fx.simulate(car, until=2.0, step=5e-4, output=fx.Output(every=5e-3))
run.animate("half_car.gif", speed=0.5, fps=12, dpi=50)

# By hand: both axles are alike, so the car heaves as a quarter car does: a polynomial of fourth order.
half = mass / 2
heave = [wheel_mass * half, c * (wheel_mass + half), k * (wheel_mass + half) + k_tyre * half, c * k_tyre, k * k_tyre]
by_hand = min((root for root in np.roots(heave) if root.imag > 0), key=abs)
found = min(modes.roots, key=lambda root: abs(root - by_hand))
print(f"heave: root {found:.6f} 1/s, by hand {by_hand:.6f} 1/s")
