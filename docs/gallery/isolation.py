"""A platform on a sampled drive that keeps still while its base shakes."""

import matplotlib.pyplot as plt
import numpy as np

import flexmbs as fx

rate, period, mass, omega = 13.8, 0.01, 25.0, np.pi  # of the drive [1/s], of the samples [s], platform, base at 0.5 Hz
gains = np.array([-0.85, 0.156, 0.632, -4.30, 5.19, 0.661, -0.472, -0.326])

start = (0, -1 / omega)
base = fx.PlanarRigidBody(100.0, 1.0, position=(0, 0), velocity=start, name="base")
platform = fx.PlanarRigidBody(mass, 1.0, position=(0, 0.5), velocity=start, name="platform")
post = fx.PrismaticJoint(fx.ground, base, at=(0, 0), axis=(0, 1), name="post")
strut = fx.PrismaticJoint(base, platform, at=(0, 0.5), axis=(0, 1), name="strut")
shaker = fx.TranslationDriver(post, lambda t: -np.sin(omega * t) / omega**2, name="shaker")
# The drive follows its command u with a lag, whatever the base does: s'' = rate (u - s').
drive = fx.control.JointActuator(
    strut, law=lambda u, s, v, t: mass * (rate * (u - v) + np.sin(omega * t)), name="drive"
)  # fmt: skip
sensors = [
    fx.control.JointSensor(strut),
    fx.control.JointSensor(strut, rate=True),
    fx.control.AccelerationSensor(base.centre, (0, 1), name="accelerometer"),
]
law = fx.control.Controller(
    sensors, drive, period=period, start=np.zeros(5), name="isolation",
    output=lambda x, u, t: gains @ [u[0], x[0], x[1], u[1], x[2], u[2], x[3], x[4]],
    update=lambda x, u, t: np.array([u[0], x[0], u[1], u[2], x[3]]),
)  # fmt: skip
model = fx.Model(base, platform, post, strut, shaker, law, name="isolated platform")
run = fx.simulate(model, until=8.0, step=period / 4, output=fx.Output(every=period))

figure, axes = plt.subplots(figsize=(6, 3.3), layout="constrained")
axes.plot(run.t, run.acceleration(base)[:, 1], color="#c8553d", label="base")
axes.plot(run.t, run.acceleration(platform)[:, 1], color="#1f5fa8", label="platform")
axes.set(xlabel="t [s]", ylabel="acceleration")
axes.legend(frameon=False)
figure.savefig("isolation.png", dpi=80)

# By hand: over a period with a held command the lag has a closed solution, and the loop is a recursion.
e = np.exp(-rate * period)
s, v, x, by_hand = 0.0, 0.0, np.zeros(5), 0.0
for i in range(800):
    u = np.array([s, v, np.sin(omega * period * i)])
    command, x = law.output(x, u, 0.0), law.update(x, u, 0.0)
    s, v = s + (1 - e) / rate * v + (period - (1 - e) / rate) * command, e * v + (1 - e) * command
    by_hand = max(by_hand, abs(s))
found = abs(run.coordinate(strut, "displacement")).max()
print(f"the platform moves by {found:.5f} against its base, by hand {by_hand:.5f}")
