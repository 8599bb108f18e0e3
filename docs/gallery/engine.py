"""A four-stroke engine is started; at one speed, the fewer cylinders fire the less evenly it runs."""

import matplotlib.pyplot as plt
import numpy as np

import flexmbs as fx

pi, radius, rod, ratio, ambient, gamma, area = np.pi, 0.029, 0.1045, 11.8, 101325.0, 1.4, np.pi * 0.074**2 / 4
least = 2 * radius * area / (ratio - 1)  # volume at the top


def gas(angle, offset, x, ignition):  # force on a piston at x
    if offset is None or pi <= (cycle := (angle + offset) % (4 * pi)) < 3 * pi:  # valves open
        return 0.0
    volume = (least + area * (radius + rod - x)) / least
    pressure = ambient * (ignition * volume**-gamma if cycle < pi else (volume / ratio) ** -gamma)
    return -(pressure - ambient) * area


def friction(speed):
    n = speed * 30 / pi / 1000
    return 2 * radius * area * 1e5 * (0.97 + 0.15 * n + 0.05 * n**2) / pi * np.tanh(speed / 0.5)


def engine(offsets, speed, ignition=50.0, starter=0.0):
    shaft = fx.PlanarRigidBody(1.0, 0.5, angular_velocity=speed, name="shaft")
    bearing = fx.RevoluteJoint(fx.ground, shaft, at=(0, 0), name="bearing")
    items, sensors, actuators = [fx.Moment(shaft.centre, starter)], [fx.control.JointSensor(bearing, rate=True)], []
    for i, r in enumerate((radius, -radius, -radius, radius)):  # cranks of the four cylinders
        piston = fx.PointMass(0.5, position=(r + rod, 0), name=f"piston {i}")
        items += [piston, fx.CoordinateJoint(piston, "y"), fx.DistanceConstraint(shaft.marker_at((r, 0)), piston)]
        sensors.append(fx.control.PositionSensor(piston, (1, 0)))
        actuators.append(fx.control.ForceActuator(piston, (1, 0)))
    out = lambda a, u, t: [*(gas(a[0], c, x, ignition) for c, x in zip(offsets, u[1:], strict=True)), -friction(u[0])]  # noqa: E731
    actuators.append(fx.control.JointActuator(bearing))
    cycle = fx.control.FirstOrder([0.0], lambda a, u, t: u[:1], sensors, actuators, output=out, name="cycle")
    return fx.Model(shaft, bearing, *items, cycle, name="engine")


four, one = (0, pi, 3 * pi, 2 * pi), (0, None, None, None)
model, speed = engine(four, 1.0, starter=22.0), fx.control.JointSensor("bearing", rate=True)
load = model.loads[0].label
half, off = (lambda view: {load: 0.5}), (lambda view: {load: 0.0})
events = [fx.control.Event(speed, level=400 * pi / 30, direction=1, name="starter at half torque", action=half),
          fx.control.Event(fx.control.StateSensor("cycle"), level=10 * pi, name="starter off", action=off)]  # fmt: skip
start = fx.simulate(model, 1.6, step=2e-3, events=events, progress=False)
figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3.3), layout="constrained")
left.plot(start.t, start.angular_velocity("shaft")[:, 2] * 30 / pi)
left.vlines([e.t for e in start.events], 0, 800, color="0.8", label="starter")
left.set(xlabel="time [s]", ylabel="crank [rpm]", title="start")
for ignition, fired in ((39.6, four), (47.6, (0, None, None, 2 * pi)), (63.5, one)):
    run = fx.simulate(engine(fired, 1000 * pi / 30, ignition), 0.12, step=5e-4, progress=False)
    right.plot(run.t, run.angular_velocity("shaft")[:, 2] * 30 / pi, label=f"{4 - fired.count(None)} of 4 fire")
right.set(xlabel="time [s]", title="two turns at 1000 rpm")
right.legend(frameon=False)
figure.savefig("engine.png", dpi=80)

# By hand: over a cycle at a constant speed a motor takes up the work of the gas in one cylinder.
steady = 1000 * pi / 30
driven = engine(one, steady)
driven = driven.with_(fx.RotationDriver(driven.joints[0], rate=steady))
run = fx.simulate(driven, 0.12, step=0.12 / 720, progress=False)
expansion = 50 * ambient * least * (1 - ratio ** (1 - gamma))
compression = ambient * least * ratio * (ratio ** (gamma - 1) - 1)
found, by_hand = 4 * pi * friction(steady) - run.energy.work_drivers[-1], (expansion - compression) / (gamma - 1)
print(f"the gas does {found:.2f} J in a cycle of a cylinder, by hand {by_hand:.2f} J")
