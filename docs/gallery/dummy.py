"""A seated dummy of twelve bodies on a shaken seat: accelerations, and the vibration dose that they make."""

import matplotlib.pyplot as plt
import numpy as np

import flexmbs as fx

boxes = {  # mass [kg], centre, size of a box of the same inertia [m]; x forwards, y to the left, z up
    "pelvis": (11.0, (0, 0, 0.30), (0.18, 0.30, 0.16)), "trunk": (35.0, (-0.12, 0, 0.66), (0.22, 0.32, 0.75)),
    "thigh": (8.5, (0.21, 0.095, 0.32), (0.42, 0.14, 0.14)), "leg": (3.6, (0.54, 0.1, 0.18), (0.24, 0.1, 0.36)),
    "foot": (1.0, (0.72, 0.1, 0.02), (0.22, 0.08, 0.06)), "arm": (2.0, (-0.04, 0.22, 0.67), (0.17, 0.09, 0.22)),
    "forearm": (1.9, (0.2, 0.21, 0.62), (0.3, 0.08, 0.12)), "car": (20.0, (-0.1, 0, 0.1), (0.3, 0.3, 0.05)),
}  # fmt: skip
sides = {"left": 1, "right": -1}
joints = (("hip", "pelvis", "thigh", (0, 0.09, 0.28)), ("knee", "thigh", "leg", (0.42, 0.1, 0.36)),
          ("ankle", "leg", "foot", (0.66, 0.1, 0)), ("shoulder", "trunk", "arm", (-0.12, 0.2, 0.78)),
          ("elbow", "arm", "forearm", (0.05, 0.23, 0.56)))  # fmt: skip
cushions = (("pelvis", (0, 0, 0.2), (2e4, 2e4, 4e4)), ("trunk", (-0.26, 0, 0.7), (8e3, 8e3, 2e3)),
            ("thigh", (0.25, 0.1, 0.25), (1e4, 1e4, 2e4)), ("foot", (0.68, 0.1, -0.03), (2e5, 2e5, 2e5)),
            ("forearm", (0.35, 0.19, 0.68), (2e5, 2e5, 2e5)))  # fmt: skip
bodies = {}
for name, (mass, at, size) in boxes.items():
    for side, s in sides.items():
        where, full = np.multiply(at, (1, s, 1)), f"{side} {name}" if at[1] else name
        known = None if at[1] else bodies.get((name, "left"))
        bodies[name, side] = known or fx.RigidBody.box(size=size, mass=mass, position=where, name=full)
pelvis, trunk, car = (bodies[name, "left"] for name in ("pelvis", "trunk", "car"))
items, springs = [fx.SpringDamper(pelvis.centre, trunk.centre, stiffness=6e4, damping=300, name="spine")], []
for side, s in sides.items():
    for name, first, second, at in joints:
        ball = name in ("hip", "shoulder")
        pair, where = (bodies[first, side], bodies[second, side]), np.multiply(at, (1, s, 1))
        kind, axis = (fx.SphericalJoint, {}) if ball else (fx.RevoluteJoint, {"axis": (0, 1, 0)})
        items.append(kind(*pair, at=where, name=f"{side} {name}", **axis))
    items.append(fx.TorsionSpring(items[-1], stiffness=30, damping=0.15, name=f"{side} elbow, muscles"))
    springs += [fx.Bushing(car, bodies[name, side], at=np.multiply(at, (1, s, 1)), stiffness=k,
                           damping=np.array(k) / 200, name=f"{side} {name} on the car")
                for name, at, k in cushions if s > 0 or at[1]]  # fmt: skip
back = np.subtract(trunk.position, pelvis.position)
torso = fx.PrismaticJoint(pelvis, trunk, at=pelvis.position, axis=back, name="torso")
post = fx.PrismaticJoint(fx.ground, car, at=car.position, axis=(0, 0, 1), name="post")
road = lambda t: min(1, t) ** 3 * (2e-3 * np.sin(8 * np.pi * t) + 8e-4 * np.sin(23 * np.pi * t))  # noqa: E731
moved = fx.TranslationDriver(post, road, name="road")
model = fx.Model(*dict.fromkeys(bodies.values()), *items, *springs, torso, post, moved, fx.Gravity((0, 0, -9.81)))
still = fx.solve_static(model)
run = fx.simulate(model, until=5.0, step=4e-3, start=still, progress=False)

# By hand: at rest cushions, pedals and steering wheel carry the weight of the dummy.
found = -sum(still.force(spring.name).force[-1][2] for spring in springs)
by_hand = 9.81 * sum(mass * (2 if at[1] else 1) for name, (mass, at, _) in boxes.items() if name != "car")
print(f"the car carries {found:.4f} N, by hand {by_hand:.4f} N; freedoms {fx.topology(model).degrees_of_freedom}")

figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3.4), layout="constrained", width_ratios=(2, 1))
late, doses = run.t > 3.0, {}
for body in (car, pelvis, trunk):
    a = run.acceleration(body)[:, 2]
    doses[body.name] = fx.vibration_dose(run.t[late], fx.weighted_acceleration(run.t, a, "Wk")[late])
    left.plot(run.t[late], a[late], label=body.name)
left.set(xlabel="time [s]", ylabel="vertical acceleration [m/s²]", ylim=(-13, 17))
left.legend(frameon=False, loc="upper right", ncols=3)
right.bar(list(doses), list(doses.values()), color=["C0", "C1", "C2"])
right.set(ylabel="vibration dose in 2 s [m/s$^{1.75}$]")
figure.savefig("dummy.png", dpi=80)
