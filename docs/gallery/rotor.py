"""An overhung rotor: natural frequencies over the spin speed, whirl and critical speed."""

import matplotlib.pyplot as plt
import numpy as np

import flexmbs as fx

length, diameter, mass, radius, width = 0.4, 0.02, 10.0, 0.15, 0.018
along = np.array([[0, 0, 1], [1, 0, 0], [0, 1, 0]])  # the axis z of the disk points along x


def rotor(spin):
    shaft = fx.FlexibleBody.line((0, 0, 0), (length, 0, 0), elements=4, element=fx.elements.GeometricallyExactBeam(),
                                 section=fx.Circle(diameter=diameter), material=fx.steel, name="shaft")  # fmt: skip
    disk = fx.RigidBody.cylinder(radius=radius, length=width, mass=mass, position=(length, 0, 0), rotation=along,
                                 angular_velocity=(0, 0, spin), name="disk")  # fmt: skip
    bearing = fx.RevoluteJoint(fx.ground, shaft.start, axis=(1, 0, 0), name="bearing")
    motor = fx.RotationDriver(bearing, rate=spin, name="motor")
    seat = fx.FixedJoint(shaft.end, disk, name="seat")
    turning = fx.InitialVelocity(shaft, angular_velocity=(spin, 0, 0))
    return fx.Model(shaft, disk, bearing, motor, seat, turning, name="rotor")


def whirling(spin):
    """Angular frequencies of the lowest modes that whirl backward (negative) and forward."""
    modes = fx.solve_modal(rotor(spin), modes=6)
    return [modes.angular_frequencies[modes.whirl == sense][0] for sense in ("backward", "forward")]


speeds = np.linspace(5, 155, 7)
lowest = np.array([whirling(spin) for spin in speeds])
critical = 90.0
for _ in range(6):  # where forward whirl meets the spin: a fixed point, and the curve is flat
    critical = whirling(critical)[1]

figure, axes = plt.subplots(figsize=(5.5, 3.5), layout="constrained")
for column, style, label in ((0, "v-", "backward whirl"), (1, "^-", "forward whirl")):
    axes.plot(speeds, abs(lowest[:, column]), style, label=label)
axes.plot(speeds, speeds, "--", color="0.6", label="spin")
axes.set(xlabel="spin [rad/s]", ylabel="angular frequency [rad/s]", ylim=(0, 160), title="Campbell diagram")
axes.plot(critical, critical, "o", color="black", label="critical speed")
axes.legend(frameon=False)
figure.savefig("rotor.png", dpi=80)

# By hand: a disk on a shaft of two coordinates in the plane y + iz, w of shapes e^{iwt}: K + w spin J - w^2 M singular.
E, G, area = fx.steel.youngs_modulus, fx.steel.shear_modulus, np.pi * diameter**2 / 4
EI, GA, shaft_mass = E * np.pi * diameter**4 / 64, 0.886 * G * area, fx.steel.density * area * length
bend = length**2 / (2 * EI)
K = np.linalg.inv([[length**3 / (3 * EI) + length / GA, bend], [bend, length / EI]])
J = np.diag([0, mass * radius**2 / 2])
disk = np.diag([mass, mass * (radius**2 / 4 + width**2 / 12)])
M = disk + shaft_mass / 420 * np.array([[156, -22 * length], [-22 * length, 4 * length**2]])


def whirling_by_hand(spin):
    """The two roots nearest to zero, the negative one first."""
    system = np.block([[np.zeros((2, 2)), np.eye(2)], [np.linalg.solve(M, K), spin * np.linalg.solve(M, J)]])
    return np.sort(np.linalg.eigvals(system).real)[1:3]


squares = np.linalg.eigvals(np.linalg.solve(M - J, K))  # w = spin
found, by_hand = critical, np.sqrt(squares[squares > 0].min())
print(f"critical speed {found:.4f} rad/s, by hand {by_hand:.4f} rad/s")
