"""What a logarithmic norm says of two damped masses: a bound for every motion, good or bad by its metric."""

import matplotlib.pyplot as plt
import numpy as np
from scipy.linalg import solve_continuous_lyapunov

import flexmbs as fx

masses, stiffness, damping = (1.0, 2.0), (4.0, 9.0), (0.3, 0.15)  # kg, N/m, N s/m, from the wall on


def row(*velocities):
    bodies = [
        fx.PlanarRigidBody(m, 1.0, position=(i + 1, 0), velocity=(v, 0), name=f"mass {i}")
        for i, (m, v) in enumerate(zip(masses, velocities, strict=True))
    ]
    guides = [fx.PrismaticJoint(fx.ground, b, at=b.position, axis=(1, 0), name=f"guide of {b.name}") for b in bodies]
    ends = [fx.ground.marker((0, 0)), *(body.centre for body in bodies)]
    springs = [
        fx.SpringDamper(ends[i], ends[i + 1], stiffness=k, damping=c, name=f"spring {i}")
        for i, (k, c) in enumerate(zip(stiffness, damping, strict=True))
    ]
    return fx.Model(*bodies, *guides, *springs, name="two masses")


linear = fx.linearise(row(0, 0))
metric = solve_continuous_lyapunov(linear.A.T, -np.eye(4))  # P A + A' P = -1
run = fx.simulate(row(0.02, -0.05), until=20.0, step=5e-3, progress=False)
bodies = [run.model.body(f"mass {i}") for i in range(2)]
places = [run.position(body)[:, 0] - body.position[0] for body in bodies]
state = np.column_stack([*places, *(run.velocity(body)[:, 0] for body in bodies)])
figure, axes = plt.subplots(figsize=(6, 3.6), layout="constrained")
for label, P, norm in (("Euclidean", np.eye(4), "euclidean"), ("by Lyapunov's equation", metric, metric)):
    size = np.sqrt(np.einsum("ti,ij,tj->t", state, P, state))
    (line,) = axes.semilogy(run.t, size / size[0], label=label)
    axes.semilogy(run.t, np.exp(linear.logarithmic_norm(norm) * run.t), "--", color=line.get_color())
axes.set(xlabel="time [s]", ylabel="size of the state, and its bound (dashed)", ylim=(0.2, 10))
axes.legend(frameon=False)
figure.savefig("logarithmic_norm.png", dpi=80)

# By hand: the largest eigenvalue of the symmetric part of the matrix of the two masses.
(k1, k2), (c1, c2), (m1, m2) = stiffness, damping, masses
A = np.array([[0, 0, 1, 0], [0, 0, 0, 1], [-(k1 + k2) / m1, k2 / m1, -(c1 + c2) / m1, c2 / m1],
              [k2 / m2, -k2 / m2, c2 / m2, -c2 / m2]])  # fmt: skip
found, by_hand = linear.logarithmic_norm("euclidean"), np.linalg.eigvalsh((A + A.T) / 2)[-1]
print(f"the Euclidean norm bounds growth by {found:.6f} 1/s, by hand {by_hand:.6f} 1/s")
