"""A welding robot of three segments, each of eight bodies and two freedoms, until one of its segments locks."""

import matplotlib.pyplot as plt
import numpy as np
from scipy.optimize import brentq

import flexmbs as fx

link, back, rate = 0.2, 0.1, 0.28  # distance of the crosses, of the ball behind each [m], rate of the drive [rad/s]


def robot(segments, bodies):
    items, before, height = [], fx.ground, 0.0
    for s in range(segments):
        links = [before]
        for k in range(bodies // 2):
            here = (0, 0, height)
            cross = fx.RigidBody.box(size=(0.03, 0.03, 0.03), mass=0.1, position=here, name=f"cross {s}.{k}")
            bar = fx.RigidBody.box(
                size=(0.02, 0.02, link), mass=0.5, position=(0, 0, height + link / 2), name=f"bar {s}.{k}"
            )
            hinges = [fx.RevoluteJoint(links[-1], cross, at=here, axis=(1, 0, 0), name=f"x {s}.{k}"),
                      fx.RevoluteJoint(cross, bar, at=here, axis=(0, 1, 0), name=f"y {s}.{k}")]  # fmt: skip
            items += [cross, bar, *hinges]
            links.append(bar)
            if k == 0:  # the two lowest hinges of a segment are driven
                turn = fx.motions.Linear(rate if s == 2 else 0.4 * rate * (-1) ** s)
                items += [fx.RotationDriver(hinges[0], turn), fx.RotationDriver(hinges[1], 0.0)]
            else:  # a ball on each bar runs in a tube along the bar before the last
                ball = (0, 0, height - back)
                items.append(fx.PointOnLineConstraint(links[-3], bar, at=ball, axis=(0, 0, 1), name=f"ball {s}.{k}"))
            height += link
        before = links[-1]
    return fx.Model(*items, name="multilink robot")


model = robot(3, 8)
print(fx.topology(model).n_coordinates, "coordinates,", fx.topology(model).n_equations, "equations with the drives")
paths = fx.kinematics.trace_kinematics(model, (-0.1, 2.0), start=0.0, step=0.1)
path = paths[0]
locked = next(p for p in paths.points if p.t > 0)
figure, axes = plt.subplots(figsize=(5, 4.2), layout="constrained")
for k in np.linspace(0, locked.index, 6).astype(int):
    ends = [
        path.position(f"bar {s}.{i}")[k] - 0.5 * link * path.rotation(f"bar {s}.{i}")[k][:, 2]
        for s in range(3)
        for i in range(4)
    ]
    ends.append(2 * path.position("bar 2.3")[k] - ends[-1])
    axes.plot(np.array(ends)[:, 1], np.array(ends)[:, 2], "o-", markersize=3, color=plt.cm.viridis(k / locked.index))
axes.set(xlabel="y [m]", ylabel="z [m]", aspect="equal")
figure.savefig("multilink.png", dpi=80)

# By hand: the balls give link sin(a_k) = back sin(a_k + a_k+1); the last but one cross bends to sin(a) = back / link.
angle = np.arcsin(back / link)
for _ in range(2):
    angle = brentq(lambda a, b=angle: link * np.sin(a) - back * np.sin(a + b), 1e-6, angle)
found, by_hand = locked.t, angle / rate
print(f"the last segment locks after {found:.6f} s, by hand {by_hand:.6f} s")
