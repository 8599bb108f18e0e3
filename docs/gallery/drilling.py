"""An arm for drilling: a hinge, a slide and a hinge on one axis; how errors of the joints come to the drill."""

import matplotlib.pyplot as plt
import numpy as np

import flexmbs as fx
from flexmbs import trees

I1, I2, I3, m2, m3, z = 0.02, 0.011, 0.0007, 1.4, 0.35, (0, 0, 1)
column = trees.Link("column", 3.0, (0.3, 0.3, I1), joint=trees.Revolute(z))
slide = trees.Link("slide", m2, (0.03, 0.03, I2), parent="column", joint=trees.Prismatic(z), at=(0, 0, 0.2))
drill = trees.Link("drill", m3, (0.001, 0.001, I3), parent="slide", joint=trees.Revolute(z), at=(0, 0, 0.1))
tree = trees.Tree(column, slide, drill, name="arm")

arm = trees.TreeDynamics(tree)
turns, sensitivity = np.linspace(0, np.pi, 73), []
for turn in turns:  # of both hinges together
    q = (turn / 2, 0.05, turn / 2)
    x_axis = np.array(arm.poses(q)[1][tree.index("drill")])[:, 0]
    moved = np.cross(arm.jacobian(q, "drill")[3:].T, x_axis)[:, 1]  # the direction cosine by each joint
    sensitivity.append(np.linalg.eigvalsh(np.outer(moved, moved))[-1])

# Drilling: motors turn the column and the drill, the bone pushes against the feed.
feed, column_torque, drill_torque, bone = 25.0, 0.4, 0.03, 10.0
motors = [fx.JointForce(tree.joint(name), value, name=f"motor of the {name}")
          for name, value in (("column", column_torque), ("slide", feed - bone), ("drill", drill_torque))]  # fmt: skip
run = fx.simulate(fx.Model(tree, *motors), until=0.1, step=1e-3, progress=False)
figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3.3), layout="constrained")
left.plot(np.degrees(turns), sensitivity, label="of a direction cosine")
left.axhline(2.0, color="C1", label="of the turn itself")
left.plot([95, 45], [0.015205, 1.0], "ko", label="printed")
left.set(xlabel="turn of both hinges [deg]", ylabel="sensitivity", ylim=(-0.1, 2.7))
left.legend(frameon=False, loc="upper center", ncols=2)
right.plot(1e3 * run.t, run.angular_velocity(tree.link("drill"))[:, 2], label="drill")
right.plot(1e3 * run.t, run.angular_velocity(tree.link("column"))[:, 2], label="column")
right.set(xlabel="time [ms]", ylabel="angular velocity [rad/s]")
right.legend(frameon=False)
figure.savefig("drilling.png", dpi=80)

# By hand: only the torque of its own motor turns the drill.
found = run.angular_velocity(tree.link("drill"))[-1, 2]
by_hand = drill_torque / I3 * run.t[-1]
print(f"after {run.t[-1]:g} s the drill turns with {found:.6f} rad/s, by hand {by_hand:.6f} rad/s")
