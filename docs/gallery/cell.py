"""Two robots work on one table; a sensor under it feels both."""

import matplotlib.pyplot as plt
import numpy as np

import flexmbs as fx
from flexmbs import trees

g, x, y, z = 9.81, (1, 0, 0), (0, 1, 0), (0, 0, 1)
bar = (0.02, 0.2, 0.2)
table = trees.Link("table", 60.0, (9, 12, 20), (0, 0, 0.35), joint=trees.Free())
arm = [
    trees.Link("waist", 10.0, (0.2, 0.2, 0.1), (0, 0, 0.3), "table", trees.Revolute(z), at=(-0.5, 0, 0.7)),
    trees.Link("upper arm", 9.0, bar, (0.2, 0, 0), "waist", trees.Revolute(y), at=(0, 0.2, 0.6), start=-0.6),
    trees.Link("forearm", 5.0, bar, (0.2, 0, 0), "upper arm", trees.Revolute(y), at=(0.43, -0.1, 0), start=0.9),
]
scara = [
    trees.Link("shoulder", 8.0, bar, (-0.18, 0, 0), "table", trees.Revolute(z), at=(0.6, 0.1, 1.0), start=0.4),
    trees.Link("elbow", 5.0, bar, (-0.12, 0, 0), "shoulder", trees.Revolute(z), at=(-0.35, 0, 0.05), start=-0.9),
    trees.Link("quill", 2.0, (0.01, 0.01, 0.001), (0, 0, -0.1), "elbow", trees.Prismatic(z), at=(-0.25, 0, 0)),
]
cell = trees.Tree(table, *arm, *scara, name="cell")
sensor = fx.FixedJoint(fx.ground, cell.link("table"), at=(0, 0, 0), name="sensor")
swings = {"waist": 0.6, "upper arm": 0.3, "forearm": -0.4, "shoulder": 0.5, "elbow": -0.7}
motors = [
    fx.RotationDriver(cell.joint(link.name), fx.motions.Constant(float(link.start[0]))
                      + fx.motions.Ramp(0.0, swings[link.name], duration=1.0), name=link.name)
    for link in (*arm, *scara[:2])
]  # fmt: skip
stroke, rate = 0.05, 15.0  # of the quill, which goes on tapping when the arms have come to rest
tapping = fx.TranslationDriver(cell.joint("quill"), lambda t: stroke * (1 - np.cos(rate * t)), name="quill")
model = fx.Model(cell, sensor, *motors, tapping, fx.Gravity((0, 0, -g)), name="assembly cell")
run = fx.simulate(model, until=2.0, step=2e-3, progress=False)
force, moment = run.reaction(sensor), run.reaction_moment(sensor)
figure, axes = plt.subplots(2, 1, figsize=(7, 4.2), sharex=True, layout="constrained")
axes[0].plot(run.t, force - [0, 0, (60 + 24 + 15) * g], label=["x", "y", "z, less the weight"])
axes[0].set(ylabel="force [N]")
axes[1].plot(run.t, moment, label=["x", "y", "z"])
axes[1].set(xlabel="time [s]", ylabel="moment [N m]")
for one in axes:
    one.legend(frameon=False, loc="upper right")
figure.savefig("cell.png", dpi=80)

# By hand: the weight of everything, and of the tapping quill its mass times the largest acceleration.
found, by_hand = force[run.t > 1.1, 2].max(), (60 + 24 + 15) * g + 2.0 * stroke * rate**2
print(f"the sensor carries up to {found:.2f} N, by hand {by_hand:.2f} N")
