"""Two links with dry friction crawl: the joint between them turns slowly, and the mechanism turns as a whole."""

import matplotlib.pyplot as plt
import numpy as np

import flexmbs as fx

g, mu, rate, creep, stiffness = 9.81, 0.5, 0.02, 1e-6, 1e6
long, short, tiny = 1.0, 0.7, 1e-5  # links without mass, with 1 kg at both ends and in the joint

first = fx.trees.Link("first", 2.0, (tiny, 0.5, 0.5), centre=(-long / 2, 0, 0), joint=fx.trees.Planar((0, 0, 1)))
second = fx.trees.Link("second", 1.0, (tiny,) * 3, (short, 0, 0), "first", fx.trees.Revolute((0, 0, 1)))
tree = fx.trees.Tree(first, second, name="crawler")
one, two = tree.link("first"), tree.link("second")
motor = fx.RotationDriver((one.centre, two.centre), rate=rate, name="motor")

masses = {"A1": one.marker((-long, 0, 0)), "A0": one.marker((0, 0, 0)), "A2": two.marker((short, 0, 0))}
floor = fx.contact.Plane(fx.ground.marker((0, 0, g / stiffness), axis=(0, 0, 1)))  # pressed in by the weight of 1 kg
law = fx.contact.HuntCrossleyLaw(stiffness=stiffness, exponent=1.0)
friction = fx.contact.CoulombLaw(mu, speed=creep)
feet = {
    name: fx.Contact((floor, fx.contact.Vertex(at)), law, friction, allow_overlap=True, name=name)
    for name, at in masses.items()
}

model = fx.Model(tree, motor, *feet.values(), name="crawler")
stops = feet["A0"].event("sticks", level=5e-4 * rate)
control = fx.ErrorControl(rtol=1e-6, max_step=0.006 / rate)
run = fx.simulate(model, until=2 * np.pi / rate, step=control, events=[stops])

figure, axes = plt.subplots(figsize=(6, 3.6), layout="constrained")
for name, at in masses.items():
    x, y, _ = run.position(at).T
    axes.plot(x, y, label=name)
for i in (0, len(run.t) - 1):
    ends = np.array([run.position(at)[i, :2] for at in masses.values()])
    axes.plot(*ends.T, "o-", color="black", linewidth=0.8, markersize=4)
axes.set(xlabel="x [m]", ylabel="y [m]", aspect="equal")
axes.legend(frameon=False)
figure.savefig("crawler.png", dpi=80)

# By hand: in the last phase only A2 moves, once the joint has turned by 30 degrees + asin(l2/l1).
found = np.degrees(rate * run.events[0].t)
by_hand = 30 + np.degrees(np.arcsin(short / long))
print(f"the joint comes to rest at {found:.2f} degrees, by hand {by_hand:.2f}")
