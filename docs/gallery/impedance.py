"""Two drives pull at one hinge against each other: their preload sets how stiff it is."""

import matplotlib.pyplot as plt
import numpy as np

import flexmbs as fx

load, rotor, damping, quadratic, touch = 0.08, 0.02, 0.15, 4.0, 0.5  # kg m^2, kg m^2, N m s, N m/rad^2, N m


def drive(preload):
    arm = fx.PlanarRigidBody(1.0, load, name="arm")
    motor = fx.PlanarRigidBody(0.1, rotor, name="motor")
    hinge = fx.RevoluteJoint(fx.ground, arm, at=(0, 0), name="hinge")
    gear = fx.FixedJoint(arm, motor, name="gear")

    def spring(sign):  # of quadratic characteristic
        def moment(angle, rate, t):
            stretch = preload - sign * angle
            return sign * quadratic * stretch * abs(stretch) - damping * rate / 2

        return moment

    pulls = [fx.JointForce(hinge, spring(sign), name=name) for sign, name in ((1, "forwards"), (-1, "backwards"))]
    return fx.Model(arm, motor, hinge, gear, *pulls, fx.JointForce(hinge, touch, name="touch"), name="drive")


figure, axes = plt.subplots(figsize=(6, 3.3), layout="constrained")
for preload in (0.5, 1.0, 2.0):
    run = fx.simulate(drive(preload), until=2.0, step=2e-3, progress=False)
    angle = run.angle("hinge")
    axes.plot(run.t, angle, label=f"preload {preload:g} rad")
axes.set(xlabel="time [s]", ylabel="angle under a touch of 0.5 N m [rad]")
axes.legend(frameon=False)
figure.savefig("impedance.png", dpi=80)

# By hand: both characteristics make one linear spring, 4 k e0; the first overshoot of its damped vibration.
stiffness, inertia = 4 * quadratic * preload, load + rotor
decay = damping / (2 * inertia)
omega = np.sqrt(stiffness / inertia - decay**2)
found, by_hand = angle.max(), touch / stiffness * (1 + np.exp(-np.pi * decay / omega))
print(f"the stiffest turns by {found:.6f} rad at most, by hand {by_hand:.6f} rad")
