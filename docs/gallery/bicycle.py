"""A bicycle with a rider who holds still: roots over the speed, and the speeds between which it steadies itself."""

import warnings

import matplotlib.pyplot as plt
import numpy as np
from scipy.optimize import brentq

import flexmbs as fx

base, trail, tilt, rear, front = 1.02, 0.08, np.pi / 10, 0.3, 0.35  # wheel base, trail, steering axis, radii of wheels
rider = [[9.2, 0, -2.4], [0, 11, 0], [-2.4, 0, 2.8]]
handlebar = [[0.05892, 0, 0.00756], [0, 0.06, 0], [0.00756, 0, 0.00708]]
across, steering = (0, 1, 0), (-np.sin(tilt), 0, np.cos(tilt))
warnings.simplefilter("ignore", RuntimeWarning)  # of what grows, which is what we look for


def bicycle(v):
    def body(name, mass, inertia, x, z, spin=0.0):
        return fx.RigidBody(
            mass, inertia, position=(x, 0, z), velocity=(v, 0, 0), angular_velocity=(0, spin, 0), name=name
        )

    back = body("rear wheel", 2.0, (0.0603, 0.12, 0.0603), 0, rear, v / rear)
    lead = body("front wheel", 3.0, (0.1405, 0.28, 0.1405), base, front, v / front)
    frame, fork = body("frame", 85.0, rider, 0.3, 0.9), body("fork", 4.0, handlebar, 0.9, 0.7)
    return fx.Model(
        back, lead, frame, fork, fx.Gravity((0, 0, -9.81)),
        fx.RevoluteJoint(frame, back, at=(0, 0, rear), axis=across, name="rear hub"),
        fx.RevoluteJoint(frame, fork, at=(base + trail, 0, 0), axis=steering, name="steering"),
        fx.RevoluteJoint(fork, lead, at=(base, 0, front), axis=across, name="front hub"),
        fx.RollingDisk(fx.ground, back, radius=rear, axis=across),
        fx.RollingDisk(fx.ground, lead, radius=front, axis=across),
    )  # fmt: skip


def lean_and_steer(v):
    roots = fx.solve_modal(bicycle(v)).roots
    return roots[np.argsort(np.abs(roots))[2:]]  # the lowest two are way and speed, which stay as they are


figure, axes = plt.subplots(figsize=(5.5, 3.5), layout="constrained")
for v in np.linspace(0.5, 9, 35):
    s = lean_and_steer(v)
    axes.plot(np.full(len(s), v), s.real, "C0.", v, np.abs(s.imag).max() or np.nan, "C1.")
axes.axhline(0, color="grey", lw=0.8, zorder=0)
axes.set(xlabel="speed in m/s", ylabel="real parts (blue) and frequency in 1/s", ylim=(-10, 10))
figure.savefig("bicycle.png", dpi=80)
weave, capsize = (brentq(lambda v: lean_and_steer(v).real.max(), *ends) for ends in ((4, 5), (5, 7)))

# By hand: it falls slowly where g K0 + v^2 K2 of lean and steer is singular, K0 and K2 from first moments and spins.
mass_x, mass_z = 85 * 0.3 + 4 * 0.9 + 3 * base, -(2 * rear + 85 * 0.9 + 4 * 0.7 + 3 * front)  # z is down here
ahead = (4 * 0.9 + 3 * base - 7 * (base + trail)) * np.cos(tilt) + (4 * 0.7 + 3 * front) * np.sin(tilt)
steered, spins = ahead + trail / base * np.cos(tilt) * mass_x, (0.12 / rear + 0.28 / front, 0.28 / front)
K0 = np.array([[mass_z, -steered], [-steered, -steered * np.sin(tilt)]])
K2 = np.array([[0, spins[0] - mass_z], [0, steered + spins[1] * np.sin(tilt)]]) * np.cos(tilt) / base
by_hand = np.sqrt(9.81 * np.linalg.det(K0) / (K2[0, 1] * K0[1, 0] - K0[0, 0] * K2[1, 1]))
found = capsize
print(f"steady from {weave:.4f} to {found:.6f} m/s, by hand to {by_hand:.6f} m/s")
