"""A ring of a deployable reflector: springs spread its rods, latches lock them; every spring is a little different."""

import itertools

import matplotlib.pyplot as plt
import numpy as np
from scipy.integrate import quad

import flexmbs as fx

side, diagonal, mass, packed, stiffness, free = 1.0, 0.75, 0.2, 0.2, 4.0, 1.4
grid = np.array([(1.0, 0.0), (0.5, np.sqrt(0.75))])


def truss(above, seed=None, latches=True):
    below = [(i + 1 / 3, j + 1 / 3) for i, j in above if {(i + 1, j), (i, j + 1)} <= set(above)]
    height = np.sqrt(diagonal**2 - (packed * side) ** 2 / 3)
    flat = np.array([*above, *below]) @ grid
    layer = [n < len(above) for n in range(len(flat))]
    nodes = [fx.PointMass(mass, position=(*(packed * side * x), 0.0 if up else -height), name=f"node {n}")
             for n, (x, up) in enumerate(zip(flat, layer, strict=True))]  # fmt: skip
    scatter = np.random.default_rng(seed)
    items = []
    for a, b in itertools.combinations(range(len(nodes)), 2):
        ends, apart = (nodes[a].centre, nodes[b].centre), np.linalg.norm(flat[a] - flat[b])
        if layer[a] != layer[b] and apart < 0.6:
            items.append(fx.DistanceConstraint(*ends, name=f"diagonal {a}-{b}"))
        elif layer[a] == layer[b] and apart < 1.1:
            k = stiffness * (1 if seed is None else 1 + 0.05 * scatter.standard_normal())
            items.append(fx.SpringDamper(*ends, stiffness=k, free_length=free, name=f"rod {a}-{b}"))
            if latches:
                items.append(fx.Latch(ends, side, 2e4, 40.0, 2e-3, coordinate="distance", name=f"latch {a}-{b}"))
    return fx.Model(*nodes, *items, name="reflector")


ring = [(0, 0), (1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1)]
figure, axes = plt.subplots(figsize=(7, 3.4), layout="constrained")
for seed in range(8):
    run = fx.simulate(truss(ring, seed), until=0.3, step=5e-4, progress=False)
    rods = [run.force(f.name).coordinate for f in run.model.forces if f.name.startswith("rod")]
    axes.plot(run.t, np.min(rods, axis=0), color=plt.cm.viridis(seed / 8), linewidth=1)
axes.set(xlabel="time [s]", ylabel="shortest rod [m]")
axes.axhline(side, color="black", linewidth=0.8, linestyle=":")
figure.savefig("reflector.png", dpi=80)


# By hand: what three springs gave is the kinetic energy of three nodes in a plane and one on their axis.
def rate(r):
    inertia = 3 * mass * (1 + r**2 / (4 * (diagonal**2 - r**2)))
    given = 1.5 * stiffness * ((packed * side - free) ** 2 - (np.sqrt(3) * r - free) ** 2)
    return np.sqrt(2 * given / inertia)


r0, r1 = packed * side / np.sqrt(3), side / np.sqrt(3)
by_hand = quad(lambda x: 2 * x * (r1 - r0) / rate(r0 + (r1 - r0) * x * x), 0, 1)[0]
cell = fx.simulate(truss([(0, 0), (1, 0), (0, 1)], latches=False), until=0.3, step=5e-4, progress=False)
length = cell.force("rod 0-1").coordinate
found = np.interp(side, length[: length.argmax()], cell.t[: length.argmax()])
print(f"one cell is spread after {found:.5f} s, by hand {by_hand:.5f} s")
