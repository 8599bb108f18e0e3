"""Seven muscles hold a forearm: activations between 0 and 1 that leave no acceleration, then a weight is added."""

import matplotlib.pyplot as plt
import numpy as np
from scipy.optimize import lsq_linear

import flexmbs as fx

muscles = {  # on the upper arm and on the forearm [m], largest force [N]; the first four bend the elbow
    "biceps, long head": ((0.025, 0.28), (0.045, 0.0), 320.0),
    "biceps, short head": ((0.015, 0.27), (0.043, 0.0), 280.0),
    "brachialis": ((0.012, 0.12), (0.030, 0.0), 600.0),
    "brachioradialis": ((0.010, 0.08), (0.220, 0.0), 200.0),
    "triceps, long head": ((-0.030, 0.27), (-0.022, 0.0), 300.0),
    "triceps, lateral head": ((-0.020, 0.18), (-0.021, 0.0), 250.0),
    "triceps, medial head": ((-0.015, 0.12), (-0.020, 0.0), 250.0),
}
mass, length, inertia, g = 1.5, 0.30, 0.012, 9.80665


def elbow(activations, loads=()):
    forearm = fx.PlanarRigidBody(mass, inertia, position=(length / 2, 0), name="forearm")
    hinge = fx.RevoluteJoint(fx.ground, forearm, at=(0, 0), name="elbow")
    pulls = []
    for (name, (above, below, largest)), a in zip(muscles.items(), activations, strict=True):
        rest = np.hypot(above[0] - below[0], above[1] - below[1])
        law = lambda s, u, t, f=a * largest, rest=rest: -f * (1 + 12 * (s / rest - 1)) - 8 * u  # noqa: E731
        ends = (fx.ground.marker(above), forearm.marker_at(below))
        pulls.append(fx.JointForce(ends, law, coordinate="distance", name=name))
    weights = [fx.PointForce(forearm.marker_at((x, 0)), (0, -f), history=h) for x, f, h in loads]
    return fx.Model(forearm, hinge, *pulls, *weights, name="elbow")


def turning(model):
    return fx.constraint_forces.ReducedSystem(model).solve().a[2]


held = [(length / 2, mass * g, None), (length, 1.0 * g, None)]
each = np.array([turning(elbow(one)) for one in np.eye(7)])
down = turning(elbow(np.zeros(7), held))
added = (length / 2, 4.0 * g, lambda t: float(t > 0.05))
figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3.6), layout="constrained")
for k, level in enumerate((0.2, 0.5, 1.0)):  # of contraction, which the antagonists have
    rest = down + level * each[4:].sum()
    rows = np.vstack((1e4 * each[:4] / abs(each).max(), np.eye(4)))
    right_side = np.append(-1e4 * rest / abs(each).max(), np.full(4, level))
    activations = np.append(lsq_linear(rows, right_side, (0, 1), method="bvls").x, np.full(3, level))
    left.barh(np.arange(7) + 0.25 * k, activations, 0.22, label=f"contraction {level:g}")
    run = fx.simulate(elbow(activations, [*held, added]), until=0.4, step=2e-3, progress=False)
    right.plot(run.t, np.degrees(run.angle("forearm")))
left.set(yticks=np.arange(7) + 0.25, yticklabels=list(muscles), xlabel="activation")
left.legend(frameon=False, fontsize="small")
right.set(xlabel="time [s]", ylabel="angle of the elbow [deg]")
figure.savefig("muscles.png", dpi=80)

# By hand: the moment of the weights about the elbow by the moment of inertia there.
found, by_hand = down, -(mass * g * length / 2 + g * length) / (inertia + mass * length**2 / 4)
print(f"without muscles the forearm would fall with {found:.4f} rad/s^2, by hand {by_hand:.4f} rad/s^2")
