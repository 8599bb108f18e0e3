"""The boom of a tether under a line load that turns: three substructures, one load on each."""

import matplotlib.pyplot as plt
import numpy as np

import flexmbs as fx

length, soft, stiff, load, rate = 30.0, 21.0, 38.0, 40e-6, 0.05  # m, N m^2, N m^2, N/m, rad/s
section = fx.BeamStiffness(
    EA=5.49e5, EI_z=soft, EI_y=stiff, GJ=22.0, mass_per_length=0.0343, rhoI_y=2.4e-6, rhoI_z=1.3e-6
)
module = fx.RigidBody(10.0, (1, 1, 1), name="module")
disk = fx.RigidBody(3.0, (0.03, 0.06, 0.03), position=(0, length, 0), name="contactor")
frame = fx.elements.Frame(section=section, shear=False)
boom = fx.SubstructuredBeam.straight((0, 0, 0), (0, length, 0), module, disk, n=3, element=frame, name="boom")
clamp = fx.FixedJoint(fx.ground, module, at=(0, 0, 0), name="clamp")
held = fx.Model(module, disk, *boom.items, clamp, name="tether")

still = held.with_(*(fx.DistributedLoad(part, (load, 0, 0)) for part in boom.parts))
rest = fx.solve_static(still)

turning = [
    fx.DistributedLoad(part, direction, history=history)
    for part in boom.parts
    for direction, history in (
        ((load, 0, 0), lambda t: np.cos(rate * t)),
        ((0, 0, load), lambda t: np.sin(rate * t)),
    )
]
run = fx.simulate(held.with_(*turning), until=400.0, step=0.5, progress=False)
place = run.position(disk)
figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3.4), layout="constrained")
left.plot(place[:, 0], place[:, 2], color="#1f5fa8")
left.set(xlabel="x of the contactor [m]", ylabel="z [m]", aspect="equal")
right.plot(run.t, 1e6 * run.energy.work_loads, color="#c8553d", label="work of the load")
right.plot(run.t, 1e6 * run.energy.balance, color="black", linewidth=0.8, label="balance")
right.set(xlabel="time [s]", ylabel="energy [µJ]")
right.legend(frameon=False)
figure.savefig("tether.png", dpi=80)

# By hand: at rest the boom is a cantilever under an even load.
found, by_hand = rest.position(disk, step=-1)[0], load * length**4 / (8 * soft)
print(f"the contactor is {found:.5f} m off the axis at rest, by hand {by_hand:.5f} m")
