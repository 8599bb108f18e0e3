"""Two leaves of a spring that slide on each other: the loop that friction makes of load and deflection."""

import matplotlib.pyplot as plt
import numpy as np

import flexmbs as fx

length, width, height, mu = 0.5, 0.05, 0.02, 0.5
steel = fx.Elastic(youngs_modulus=2.1e11, poissons_ratio=0.0, density=780.0, name="light steel")
EI = steel.youngs_modulus * width * height**3 / 12
top, bottom = (
    fx.FlexibleBody.line(
        (0, y), (length, y), elements=20, element=fx.elements.ANCFCable2D(), material=steel, name=name,
        section=fx.Rectangle(width=width, height=height),
    )
    for y, name in ((height, "top"), (0.0, "bottom"))
)  # fmt: skip
tubes = [fx.contact.Tube(leaf, radius=height / 2) for leaf in (top, bottom)]
normal = fx.contact.HuntCrossleyLaw(stiffness=1e10, exponent=1.0)  # per length
touch = fx.Contact(tubes, normal, fx.contact.CoulombLaw(mu, speed=2e-6), name="leaves")
P0, P1 = 0.2, 1.0
largest = 6 * EI / length**3 * 2e-3  # deflects by 2 mm


def load(t):
    """Up to P0 within a second, then to and fro between P0 and P1."""
    if t < 1:
        return P0 * np.sin(np.pi / 2 * t) ** 2
    return P0 + (P1 - P0) * np.sin(np.pi / 2 * (t - 1)) ** 2


push = fx.PointForce(top.end, (0, -largest), history=load)
model = fx.Model(top, bottom, touch, fx.Clamp(top.start), fx.Clamp(bottom.start), push)
run = fx.simulate(model, until=5.0, step=5e-3, integrator=fx.GeneralizedAlpha(rho_inf=0.0))

P, deflection = np.array([load(t) for t in run.t]), -run.displacement(top.end)[:, 1] / 2e-3
figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3), layout="constrained", width_ratios=(3, 2))
for leaf, shift in ((top, height), (bottom, 0.0)):
    x, y = np.array([run.position(leaf.node(k), 400) for k in range(21)]).T[:2]  # at the largest load
    left.fill_between(x, *(shift + 50 * (y - shift) + s * height / 2 for s in (-1, 1)), alpha=0.6)
left.set(xlabel="x in m", ylabel="deflections 50 times", aspect="equal")
right.plot(P, 100 * (deflection - P))
right.set(xlabel="load over the largest", ylabel="deflection by friction in %")
figure.savefig("leaf_spring.png", dpi=80)

# By hand: each leaf carries P/2, they touch at the tip, and friction mu P/2 acts there half a leaf off both axes

c, kappa = 0.75 * mu * height / length, 3 * length / (8 * height)
turn = (kappa - mu / 2) / (kappa + mu / 2)  # the load at which the tips slip back, over that of the reversal
by_hand = c * (P1**2 * turn - P0**2 / turn) * largest * 2e-3
lost = run.energy.dissipated
found = lost[-1] - lost[np.searchsorted(run.t, 3 - 1e-9)]
print(f"a cycle takes {1e3 * found:.3f} mJ, by hand {1e3 * by_hand:.3f}; the contact spreads the force at the tip")
