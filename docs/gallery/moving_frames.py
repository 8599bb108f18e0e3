"""Elastic crank and rod in frames that move as the rigid slider-crank does, assembled by the nodes between them."""

import matplotlib.pyplot as plt
import numpy as np

import flexmbs as fx

crank, rod, spin, n = 0.15, 0.5, 30.0, 4  # lengths [m], rate of the crank [rad/s], elements of a link
density, young, width, height = 7850.0, 210e9, 0.02, 0.004
area, EI = width * height, young * width * height**3 / 12
section = fx.BeamStiffness(EA=young * area, EI_z=EI, EI_y=EI, GJ=EI, mass_per_length=density * area)
region = fx.linear.Region(None, fx.elements.Frame(section=section, shear=False))
frames = [fx.linear.moving_frame(fx.linear.Part(fx.meshes.line((0, 0, 0), (length, 0, 0), n), regions=[region]))
          for length in (crank, rod)]  # fmt: skip
rows = frames[0].structure.dofs.table(n + 1)[:, [0, 1, 5]].ravel()  # in the plane: u, v, turn of each node
plane = lambda matrix: matrix.toarray()[np.ix_(rows, rows)]  # noqa: E731
places = np.full((2, size := 3 * (n + 1)), -1)  # unknowns of both links among all; -1 where held
places[0, 3:] = np.arange(3 * n)  # the crank is clamped to its drive
places[1, :2] = places[0, -3:-1]  # the pin
places[1, [*range(2, size - 2), size - 1]] = 3 * n + np.arange(size - 3)  # the slider does not move up or down
count = places.max() + 1
selected = [np.eye(count + 1)[p][:, :count] for p in places]


def rigid(t):  # acceleration of the origin, angle, its first and second rate
    s, c = crank / rod * np.sin(spin * t), np.sqrt(1 - (crank / rod * np.sin(spin * t)) ** 2)
    rate = -crank / rod * spin * np.cos(spin * t) / c
    pin = -crank * spin**2 * np.exp(1j * spin * t)
    return (0, spin * t, spin, 0), (pin, -np.arcsin(s), rate, (s * spin**2 - rate**2 * s) / c)


def system(t):
    M, D, K, f = np.zeros((count, count)), np.zeros((count, count)), np.zeros((count, count)), np.zeros(count)
    for frame, S, (a, angle, w, e) in zip(frames, selected, rigid(t), strict=True):
        J, own = np.array([[0, -1, 0], [1, 0, 0], [0, 0, 0]]), a * np.exp(-1j * angle)
        R = np.array([[np.cos(angle), np.sin(angle), 0], [-np.sin(angle), np.cos(angle), 0], [0, 0, 1]])
        A, A1, A2 = (np.kron(np.eye(n + 1), x) @ S for x in (R, -w * J @ R, (w**2 * J @ J - e * J) @ R))
        found = frame.operators((0, 0, w), (0, 0, e), (own.real, own.imag, 0), geometric=False)
        m, c, k = plane(frame.structure.M), plane(found.D), plane(found.K)
        M, D = M + A.T @ m @ A, D + A.T @ (2 * m @ A1 + c @ A)
        K, f = K + A.T @ (m @ A2 + c @ A1 + k @ A), f + A.T @ found.load[rows]
    return M, D, K, f


step, states = 1e-3, []  # by the trapezoidal rule, from rest in the frames, in quasi-static deformation
M, D, K, f = system(0.0)
q, v, a = np.linalg.solve(K, f), np.zeros(count), np.zeros(count)
times = step * np.arange(1, 421)
for t in times:
    M, D, K, f = system(t)
    q, v = q + step * v + step**2 / 4 * a, v + step / 2 * a
    a = np.linalg.solve(M + step / 2 * D + step**2 / 4 * K, f - D @ v - K @ q)
    q, v = q + step**2 / 4 * a, v + step / 2 * a
    states.append(q)

# By hand: the crank alone is stretched by its own centrifugal forces.
still = frames[0].operators((0, 0, spin), (0, 0, 0), (0, 0, 0), geometric=False)
found = np.linalg.solve(plane(still.K)[3:, 3:], still.load[rows][3:])[-3]
by_hand = density * spin**2 * crank**3 / (3 * young)
print(f"the crank alone grows by {1e9 * found:.6f} nm, by hand {1e9 * by_hand:.6f} nm")

u = np.array(states) @ selected[1][3 * (n // 2) : 3 * (n // 2) + 2].T  # of the middle of the rod, inertial axes
angles = np.array([rigid(t)[1][1] for t in times])
figure, axes = plt.subplots(figsize=(6.4, 3.3), layout="constrained")
axes.plot(times, 1e3 * (u[:, 1] * np.cos(angles) - u[:, 0] * np.sin(angles)), label="middle of the rod, across")
axes.plot(times, 1e3 * np.array(states) @ selected[1][-3], label="slider")
axes.set(xlabel="time [s]", ylabel="off the rigid motion [mm]")
axes.set_ylim(-2.0, 2.9)
axes.legend(frameon=False, loc="upper right", ncols=2)
figure.savefig("moving_frames.png", dpi=80)
