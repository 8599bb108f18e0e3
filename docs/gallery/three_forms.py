"""One slider-crank as links in relative coordinates, as bodies and as particles: the same motion of more unknowns."""

import matplotlib.pyplot as plt
import numpy as np

import flexmbs as fx
from flexmbs import trees

crank, rod, m, g = 0.2, 0.5, 2.0, 9.81  # lengths [m], mass at each end of a bar and of the slider [kg]
A, weight = (crank * np.cos(1.0), crank * np.sin(1.0)), fx.Gravity((0, -g))  # crank pin at the start
B, lean = (A[0] + np.sqrt(rod**2 - A[1] ** 2), 0), np.arcsin(A[1] / rod)  # slider, angle of the rod


def as_particles():  # bars are distances, hinges are particles that coincide
    ends = {n: fx.PointMass(m, position=p, name=n) for n, p in (("A1", A), ("A2", A), ("B2", B), ("B3", B))}
    rods = [fx.DistanceConstraint(fx.ground.marker((0, 0)), ends["A1"], name="crank"),
            fx.DistanceConstraint(ends["A2"].centre, ends["B2"].centre, name="rod")]  # fmt: skip
    hinges = [fx.SphericalJoint(ends[f"{n}{i}"], ends[f"{n}{i + 1}"], at=p) for n, i, p in (("A", 1, A), ("B", 2, B))]
    return fx.Model(*ends.values(), *rods, *hinges, fx.CoordinateJoint(ends["B3"], "y"), weight), ends["B3"]


def as_bodies():  # two masses at the ends of a bar have the moment of inertia m l^2 / 2
    bars = [fx.PlanarRigidBody(2 * m, m * length**2 / 2, position=np.add(a, b) / 2, name=n)
            for n, length, a, b in (("crank", crank, (0, 0), A), ("rod", rod, A, B))]  # fmt: skip
    slider = fx.PlanarRigidBody(m, 1.0, position=B, name="slider")
    hinges = [fx.RevoluteJoint(fx.ground, bars[0], at=(0, 0)), fx.RevoluteJoint(*bars, at=A),
              fx.RevoluteJoint(bars[1], slider, at=B)]  # fmt: skip
    return fx.Model(*bars, slider, *hinges, fx.PrismaticJoint(fx.ground, slider, at=B, axis=(1, 0)), weight), slider


def as_links():  # the slider is at the end of the rod, whose way is a cut joint
    z, centre = trees.Revolute((0, 0, 1)), (2 * rod / 3, 0, 0)
    first = trees.Link("crank", 2 * m, np.full(3, m * crank**2 / 2), (crank / 2, 0, 0), joint=z, start=1.0)
    inertia = np.full(3, 2 * m * rod**2 / 3)  # of m and 2 m at its ends
    second = trees.Link("rod", 3 * m, inertia, centre, "crank", z, at=(crank, 0, 0), start=-lean - 1.0)
    tree = trees.Tree(first, second, name="slider-crank")
    end = tree.link("rod").marker((rod, 0, 0))
    rail = fx.PointOnPlaneConstraint(fx.ground.marker((0, 0, 0), axis=(0, 1, 0)), end, name="rail")
    return fx.Model(tree, rail, fx.Gravity((0, -g, 0))), end


figure, axes = plt.subplots(figsize=(6, 3.4), layout="constrained")
for make, style in ((as_links, "-"), (as_bodies, "--"), (as_particles, ":")):
    model, end = make()
    run, counts = fx.simulate(model, until=0.8, step=1e-3, progress=False), fx.topology(model)
    label = f"{make.__name__[3:]}: {counts.n_coordinates} coordinates, {counts.n_equations} equations"
    axes.plot(run.t, run.position(end)[:, 0], style, linewidth=2, label=label)
axes.set(xlabel="time [s]", ylabel="slider [m]", ylim=(0.25, 0.95))
axes.legend(frameon=False)
figure.savefig("three_forms.png", dpi=80)

# By hand: where the crank points down, the rod moves along, and its pin has fallen by crank (1 + sin 1).
pin = run.position("A1")[:, 0]
down = np.flatnonzero(pin < 0)[0]
share = pin[down - 1] / (pin[down - 1] - pin[down])
speeds = run.velocity(end)[down - 1 : down + 1, 0]
found, by_hand = -(speeds[0] + share * (speeds[1] - speeds[0])), np.sqrt(g * crank * (1 + np.sin(1.0)))
print(f"with the crank down the slider has {found:.5f} m/s, by hand {by_hand:.5f} m/s")
