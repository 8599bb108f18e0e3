"""Arms of hinged links on a free hub, as bodies with joints and in relative coordinates: where the latter pay."""

import time

import matplotlib.pyplot as plt
import numpy as np

import flexmbs as fx


def hub(arms, links):
    middle = fx.RigidBody.box(
        size=(0.4, 0.4, 0.2), mass=20.0, position=(0, 0, 0), angular_velocity=(0, 0, 1), name="hub"
    )
    items = [middle]
    for a in range(arms):
        angle = 2 * np.pi * a / arms
        out, across = np.array([np.cos(angle), np.sin(angle), 0]), (-np.sin(angle), np.cos(angle), 0)
        before = middle
        for k in range(links):
            at, centre = out * (0.2 + 0.3 * k), out * (0.35 + 0.3 * k)
            link = fx.RigidBody.box(size=(0.06, 0.06, 0.06), mass=1.0, position=centre, angular_velocity=(0, 0, 1),
                                    velocity=np.cross((0, 0, 1), centre), name=f"link {a}.{k}")  # fmt: skip
            hinge = fx.RevoluteJoint(before, link, at=at, axis=across, name=f"hinge {a}.{k}")
            spring = fx.TorsionSpring(hinge, stiffness=20.0, damping=0.1, name=f"spring {a}.{k}")
            items += [link, hinge, spring]
            before = link
    return fx.Model(*items, fx.PointForce(before.centre, (0, 0, 5.0)), name="hub with arms")


sizes = ((2, 2), (4, 3), (6, 4), (8, 5))
figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3.3), layout="constrained")
for number, form in enumerate(("bodies and joints", "relative coordinates")):
    unknowns, times = [], []
    for arms, links in sizes:
        model = hub(arms, links) if number == 0 else fx.trees.to_relative_coordinates(hub(arms, links))
        fx.simulate(model, until=4e-3, step=2e-3, progress=False)
        begin = time.process_time()
        run = fx.simulate(model, until=0.4, step=2e-3, progress=False)
        times.append(1e3 * (time.process_time() - begin) / 200)
        unknowns.append(fx.topology(model).n_coordinates + fx.topology(model).n_equations)
    left.plot([a * b for a, b in sizes], unknowns, "o-", label=form)
    right.plot([a * b for a, b in sizes], times, "o-", label=form)
left.set(xlabel="links", ylabel="unknowns")
right.set(xlabel="links", ylabel="processor time [ms a step]", ylim=(0, None))
left.legend(frameon=False)
figure.savefig("mixed.png", dpi=80)

# By hand: a force on the last link gives the whole its momentum.
found, by_hand = run.momentum()[0][-1, 2], 5.0 * 0.4
print(f"in relative coordinates the momentum is {found:.8f} N s, by hand {by_hand:.8f} N s")
