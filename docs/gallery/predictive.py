"""A platform lifted by predictive control: four drives for three freedoms."""

import matplotlib.pyplot as plt
import numpy as np
from scipy.linalg import expm, solve_triangular

import flexmbs as fx

T, N, weight, mass, g, corners = 0.01, 20, 1e-3, 0.5, 9.81, np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)])


def path(t):  # 0.2 m up in 0.6 s
    s = np.clip(t / 0.6, 0, 1)
    return np.array([0 * s, 0.2 * (s - np.sin(2 * np.pi * s) / (2 * np.pi)) - 0.1, 0 * s]).T


platform = fx.PlanarRigidBody(mass, 2e-3, position=path(0.0)[:2], name="platform")
items = [platform, fx.Gravity((0, -g))]
for i, (motor, pin) in enumerate(zip(0.5 * corners, path(0.0)[:2] + 0.08 * corners, strict=True)):
    way = pin - motor
    elbow = motor + way / 2 + np.sqrt(0.16 / (way @ way) - 0.25) * np.array([-way[1], way[0]])
    crank = fx.PlanarRigidBody.rod(motor, elbow, mass=1e-5, name=f"crank {i}")
    link = fx.PlanarRigidBody.rod(elbow, pin, mass=1e-5, name=f"link {i}")
    items += [crank, link, fx.RevoluteJoint(fx.ground, crank, at=motor, name=f"motor {i}"),
              fx.RevoluteJoint(crank, link, at=elbow, name=f"elbow {i}"),
              fx.RevoluteJoint(link, platform, at=pin, name=f"pin {i}")]  # fmt: skip
robot, pose = fx.Model(*items), [f"{what} of body 'platform'" for what in ("x", "y", "angle")]
chosen = fx.independent_coordinates(robot, pose)
of_pose = [chosen.velocities.index(x) for x in pose]
of_cranks = [chosen.velocities.index(f"angle of body 'crank {i}'") for i in range(4)]


def torques(x, u, t):
    y = chosen.at(*np.split(u, 2))  # with R = J_y at the state that is read
    change = np.linalg.solve(y.M, np.hstack((-y.J_y.T @ y.matrices.M @ y.J_y_rate, np.eye(3))))
    step = expm(T * np.vstack((np.eye(3, 9, 3), np.hstack((np.zeros((3, 3)), change)), np.zeros((3, 9)))))
    A, state, answers, f = step[:6, :6], np.append(u[of_pose], y.rates), [step[:6, 6:]], []
    for _ in range(N):
        state = A @ state + answers[0] @ y.J_y.T @ y.applied
        f, answers = [*f, state[:3]], [*answers, A @ answers[-1]]
    G = np.block([[answers[i - j][:3] * (i >= j) for j in range(N)] for i in range(N)])
    gap = path(t + T * np.arange(1, N + 1)).ravel() - np.ravel(f)
    R = np.linalg.qr(np.block([[G, gap[:, None]], [weight * np.eye(3 * N), np.zeros((3 * N, 1))]]), mode="r")
    return np.linalg.pinv(y.J_y[of_cranks].T) @ solve_triangular(R[:-1, :-1], R[:-1, -1])[:3]


seen = fx.control.FunctionSensor(lambda t, view: np.append(view.q, view.v), 2 * len(chosen.velocities))
drives = [fx.control.JointActuator(f"motor {i}", name=f"drive {i}") for i in range(4)]
law = fx.control.Controller([seen], drives, period=T, output=torques)
run = fx.simulate(robot.with_(law), until=1.2, step=T / 4, output=fx.Output(every=T))
figure, axes = plt.subplots(figsize=(6, 3.3), layout="constrained")
axes.plot(run.t, 1e3 * (run.position(platform)[:, 1] - path(run.t)[:, 1]), "#1f5fa8")
axes.set(xlabel="t [s]", ylabel="height above the path [mm]")
figure.savefig("predictive.png", dpi=80)

# By hand: from rest to rest the drives do the work that lifts the platform; the legs are light.
by_hand = mass * g * 0.2
found = run.energy.work_loads[-1]
print(f"work of the drives {found:.4f} J, by hand {by_hand:.4f} J")
