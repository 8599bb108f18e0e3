"""A windscreen wiper: a crank, flexible rods and two flexible wiper arms."""

import numpy as np

import flexmbs as fx

motor, pivots = np.array([0.0, -0.08]), np.array([[0.30, 0.05], [0.80, 0.05]])
crank_length, lever_length, arm_length, rate = 0.04, 0.08, 0.45, 2 * np.pi
section = fx.Rectangle(width=0.015, height=0.005)
bar = {"element": fx.elements.ANCFCable2D(), "section": section, "material": fx.steel}

up = np.array([0.0, 1.0])
pin = motor + crank_length * up
pins = pivots - lever_length * up
crank = fx.PlanarRigidBody.rod(motor, pin, mass=0.2, name="crank")
rod = fx.FlexibleBody.line(pin, pins[0], elements=4, name="rod", **bar)
tie = fx.FlexibleBody.line(pins[0], pins[1], elements=4, name="tie rod", **bar)
shaft = fx.RevoluteJoint(fx.ground, crank, at=motor, name="motor shaft")
motor_drive = fx.RotationDriver(shaft, rate=fx.motions.Ramp(0, rate, duration=0.5), name="motor")
items = [crank, rod, tie, shaft, motor_drive, fx.RevoluteJoint(crank, rod.start)]
bearings = []
for name, pivot, joined in (("left", pivots[0], [rod.end, tie.start]), ("right", pivots[1], [tie.end])):
    lever = fx.PlanarRigidBody.rod(pivot, pivot - lever_length * up, mass=0.15, name=f"{name} lever")
    arm = fx.FlexibleBody.line(pivot, pivot + arm_length * up, elements=6, name=f"{name} arm", **bar)
    bearings.append(fx.RevoluteJoint(fx.ground, lever, at=pivot, name=f"{name} bearing"))
    blade = fx.PointMass(0.25, position=pivot + arm_length * up, name=f"{name} blade")
    items += [lever, arm, blade, bearings[-1], fx.FixedJoint(lever, arm.start), fx.SphericalJoint(arm.end, blade)]
    items += [fx.TorsionSpring(bearings[-1], damping=0.5, name=f"{name} wiping")]
    items += [fx.RevoluteJoint(lever, end) for end in joined]
wiper = fx.Model(*items, name="wiper")
run = fx.simulate(wiper, until=2.0, step=1e-3, output=fx.Output(every=5e-3))
run.animate("wiper.gif", speed=0.5, fps=12, dpi=50)

# By hand: at the dead positions rod and crank are in line, which gives two triangles motor, pivot, pin.
base, rod_length = np.hypot(*(pivots[0] - motor)), np.hypot(*(pins[0] - pin))
dead = rod_length + crank_length * np.array([1, -1])
angles = np.arccos((base**2 + lever_length**2 - dead**2) / (2 * base * lever_length))
by_hand = angles[0] - angles[1]
found = np.ptp(run.angle(bearings[0])[run.t > 0.5])
print(f"the arms wipe {np.degrees(found):.4f} degrees, by hand {np.degrees(by_hand):.4f}")
