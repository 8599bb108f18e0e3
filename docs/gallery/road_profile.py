"""The road on which a car with a linear tyre shakes like one with a real tyre, found from the recorded wheel."""

import matplotlib.pyplot as plt
import numpy as np

import flexmbs as fx

body_mass, wheel_mass, spring, damper, tyre, height = 300.0, 40.0, 2e4, 1500.0, 1.8e5, 0.5
sample, count = 0.01, 1024
t = sample * np.arange(count)
waves = 0.012 * np.sin(2 * np.pi * 1.3 * t) + 0.008 * np.sin(2 * np.pi * 4.1 * t + 1)
road = np.sin(np.pi * np.clip((t - 0.3) / 8, 0, 1)) ** 2 * waves  # at rest before and after


def car(*items):
    body = fx.PointMass(body_mass, position=(0, 1.0), name="body")
    wheel = fx.PointMass(wheel_mass, position=(0, height), name="wheel")
    strut = fx.SpringDamper(wheel, body, stiffness=(spring, 0, 1.5e7), damping=damper, name="strut")
    guides = [fx.CoordinateJoint(m, "x", name=f"guide of the {m.name}") for m in (body, wheel)]
    return fx.Model(body, wheel, strut, *guides, *(make(wheel) for make in items), name="quarter car")


def shaken(*items):
    run = fx.simulate(car(*items), t[-1], step=sample / 2, output=fx.Output(every=sample, energy=False), progress=False)
    return run.acceleration("wheel")[:, 1]


ground = fx.ground.marker((0, 0, 0))
linear_tyre = lambda wheel: fx.SpringDamper(ground, wheel, stiffness=tyre, name="tyre")  # noqa: E731


def on_linear_tyre(profile):  # the road is a force on the wheel
    fine = fx.Table(t, profile)
    return shaken(linear_tyre, lambda wheel: fx.PointForce(wheel, (0, tyre), history=fine))


def real(s, rate, time):  # it hardens, and may lift off
    e = s - height - np.interp(time, t, road)
    return max(-tyre * e - 2.5e8 * e**3, -(body_mass + wheel_mass) * 9.81)


recorded = shaken(lambda wheel: fx.JointForce((ground, wheel), real, coordinate="distance", name="tyre"))
model = car(linear_tyre)
push = fx.PointForce(model.body("wheel"), (0, tyre))
linear = fx.linearise(model, [push], [fx.control.AccelerationSensor(model.body("wheel"), (0, 1), name="wheel")])
match = fx.match_response(on_linear_tyre, recorded, sample, linear, band=(0.4, 20.0), improvements=3, tolerance=1e-4)
figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3.3), layout="constrained", width_ratios=(2, 1))
left.plot(t, 1e3 * road, label="under the real tyre")
left.plot(t, 5e4 * (match.drive - road), label="more under the linear tyre, times 50")
left.set(xlabel="time [s]", ylabel="road [mm]", ylim=(-20, 26))
left.legend(frameon=False, loc="upper right", fontsize="small")
right.semilogy(match.errors, "o-")
right.set(xlabel="improvement", ylabel="error of the acceleration", xticks=range(4))
figure.savefig("road_profile.png", dpi=80)

# By hand: two masses, two springs and a damper at 11 Hz, where the wheel hops.
w = 2 * np.pi * 11
strut = spring + 1j * w * damper
K = np.array([[strut - body_mass * w**2, -strut], [-strut, strut + tyre - wheel_mass * w**2]])
found, by_hand = abs(linear.transfer(w)).item(), abs(w**2 * np.linalg.solve(K, [0, tyre])[1])
print(f"wheel by road at 11 Hz: {found:.4f} 1/s^2, by hand {by_hand:.4f} 1/s^2; errors {match.errors.round(3)}")
