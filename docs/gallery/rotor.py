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


speeds = np.linspace(5, 155, 7)
diagram = fx.campbell(rotor, speeds, modes=2)
critical = diagram.critical(whirl="forward")[0]

figure, axes = plt.subplots(figsize=(5.5, 3.5), layout="constrained")
diagram.plot(axes)
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
