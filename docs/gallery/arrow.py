"""An arrow that a string pushes: its own inertia presses it, and from some push on it buckles in flight."""

import warnings

import matplotlib.pyplot as plt
import numpy as np
from scipy.optimize import brentq
from scipy.special import airy

import flexmbs as fx

tail, head, elements = 0.2, 0.25, 64  # masses by that of the arrow; its length, mass and bending stiffness are 1
section = fx.BeamStiffness(EA=1e7, EI_y=1.0, EI_z=1.0, GJ=1.0, mass_per_length=1.0)
mesh = fx.meshes.line((0, 0, 0), (1, 0, 0), elements)
shaft = fx.linear.Region(None, fx.elements.Frame(section=section, shear=False))
masses = [fx.linear.NodalMass("start", tail), fx.linear.NodalMass("end", head)]
arrow = fx.linear.Part(mesh, regions=[shaft], connections=masses, name="arrow")
plane = dict.fromkeys(range(elements + 1), ("uz", "rx", "ry"))

# The string pushes with m a in all, and the inertia of every part answers.
push = fx.linear.NodalForce("start", (1 + tail + head, 0, 0))
inertia = fx.linear.Acceleration((-1, 0, 0))
buckling = fx.linear.buckling_loads(arrow, plane, [push, inertia], 2)

warnings.simplefilter("ignore", RuntimeWarning)  # of modes that grow, which are looked for here
pushes = np.linspace(0.5, 60, 30)
squares = []
for phi in pushes:
    pressed = fx.linear.static_response(arrow, plane | {0: "all"}, fx.linear.Acceleration((-phi, 0, 0)))
    free = plane | {0: ("ux", "uz", "rx", "ry")}
    squares.append(fx.linear.vibration_modes(arrow, 4, free, prestress=pressed).eigenvalues)
figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3.3), layout="constrained")
left.plot(pushes, np.sort(squares), color="#1f5fa8")
left.set(ylim=(-400, 500), xlabel="push $m a l^2/EI$", ylabel="square of the frequency")
left.axhline(0, color="black", linewidth=0.8)
for k in range(2):
    y = buckling.shape(k)[:, 1]
    right.plot(np.linspace(0, 1, elements + 1), y / abs(y).max(), label=f"push {buckling.factors[k]:.2f}")
right.set(xlabel="along the arrow, pushed at 0")
right.legend(frameon=False)
figure.savefig("arrow.png", dpi=80)

# By hand: the slope S has S'' + phi (1 + head - x) S = 0, S'(0) = S'(1) = 0: Airy functions of phi^(1/3) (x - 1 - head)


def residual(phi):
    (_, a0, _, b0), (_, a1, _, b1) = (airy(-np.cbrt(phi) * x) for x in (1 + head, head))
    return a0 * b1 - a1 * b0


found, by_hand = buckling.factors[0], brentq(residual, 5, 20)
print(f"the arrow buckles at the push {found:.4f}, by hand {by_hand:.4f}")
