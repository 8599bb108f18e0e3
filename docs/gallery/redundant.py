"""A planar robot with three and with four legs: stiffness and acceleration over its workspace."""

import matplotlib.pyplot as plt
import numpy as np

import flexmbs as fx

st = fx.studies
mass, inertia, stiffness, limit = 6.0, 0.08, 4e5, 200.0  # platform, a leg [N/m], its drive [N]
reach, size, twist = 1.0, 0.12, 0.6  # frame and platform [m], how far the legs are set against its middle [rad]


def ends(legs):  # of the legs on the frame, and on the platform from its middle
    angle = 2 * np.pi * np.arange(legs) / legs + 0.5
    return [r * np.column_stack((np.cos(a), np.sin(a))) for r, a in ((reach, angle), (size, angle + twist))]


def robot(x, y, legs):
    platform = fx.PlanarRigidBody(mass, inertia, position=(x, y), name="platform")
    springs = [
        fx.SpringDamper(fx.ground.marker((*foot, 0)), platform.marker(held), stiffness=stiffness, name=f"leg {i}")
        for i, (foot, held) in enumerate(zip(*ends(legs), strict=True))
    ]
    return fx.Model(platform, *springs, name=f"robot with {legs} legs")


middle = lambda model: model.body("platform").centre  # noqa: E731
pose = st.Workspace(
    forces=lambda model: [fx.PointForce(middle(model), axis) for axis in ((1, 0), (0, 1))],
    motions=lambda model: [fx.control.PositionSensor(middle(model), axis) for axis in ((1, 0), (0, 1))],
    drives=lambda model: [fx.control.LineActuator(leg.a, leg.b, name=f"drive of {leg.name}") for leg in model.forces],
    limits=limit,
    rest=lambda model: [fx.control.CoordinateSensor(model.body("platform"), 2)],  # it is not to turn
    directions=12,
)
across, count = st.Between(-0.3, 0.3), 7
figure, axes = plt.subplots(2, 2, figsize=(8, 5.8), layout="constrained", sharex=True, sharey=True)
for column, legs in zip(axes.T, (3, 4), strict=True):
    family = st.Family(lambda x, y, legs=legs: robot(x, y, legs), x=across, y=across)
    done = st.Study(family, st.Grid(x=count, y=count), st.workspace_measures(), pose).run(progress=False)
    x, y, K, a = (done[name].reshape(count, count) for name in ("x", "y", "least stiffness", "acceleration"))
    for one, values, levels, unit in ((column[0], K / 1e5, 12, "1e5 N/m"), (column[1], a, 12, "m/s²")):
        shades = one.contourf(x, y, values, levels=levels)
        figure.colorbar(shades, ax=one, label=unit)
    column[0].set(title=f"{legs} legs: least stiffness", aspect="equal")
    column[1].set(title="acceleration in any direction", xlabel="x [m]", aspect="equal")
for one in axes[:, 0]:
    one.set(ylabel="y [m]")
figure.savefig("redundant.png", dpi=80)

# By hand: K = J' k J of the lengths of the four legs by x, y and the turn; the platform may turn.
feet, held = ends(4)
along = (held - feet) / np.linalg.norm(held - feet, axis=1)[:, None]
J = np.column_stack((along, held[:, 0] * along[:, 1] - held[:, 1] * along[:, 0]))
compliance = np.linalg.inv(stiffness * J.T @ J)[:2, :2]
found, by_hand = K[count // 2, count // 2], 1 / np.linalg.eigvalsh(compliance)[-1]
print(f"in the middle four legs are as stiff as {found:.1f} N/m, by hand {by_hand:.1f} N/m")
