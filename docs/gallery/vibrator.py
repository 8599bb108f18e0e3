"""An electromagnet shakes a mass on a hardening spring; a load shifts the vibration."""

import matplotlib.pyplot as plt
import numpy as np
from scipy.integrate import solve_ivp

import flexmbs as fx

mass, damping, k, k3 = 2.0, 25.0, 2e4, 4e8
gap, resistance, turns, area = 4e-3, 2.0, 400, 6e-4
reluctance = 2.1 / (4e-7 * np.pi * turns**2 * area)  # current by flux linkage and gap [A/(Wb m)]


def voltage(t):
    return 3 + 3 * np.sin(2 * np.pi * 12 * t)


def vibrator(load):
    block = fx.PointMass(mass, position=(0, 0), name="block")
    spring = fx.SpringDamper(fx.ground.marker((-1, 0)), block, stiffness=(k, 0, k3), damping=damping, name="spring")
    guide = fx.CoordinateJoint(block, "y", name="guide")
    coil = fx.control.FirstOrder(
        [0.0],
        lambda flux, x, t: voltage(t) - resistance * flux * reluctance * (gap - x),
        inputs=fx.control.PositionSensor(block, (1, 0), name="place"),
        actuators=fx.control.ForceActuator(block, (1, 0), name="magnet"),
        output=lambda flux, x, t: flux**2 * reluctance / 2,
        name="coil",
    )
    return fx.Model(block, spring, guide, coil, fx.PointForce(block, (-load, 0)), name="vibrator")


figure, axes = plt.subplots(figsize=(6, 3.3), layout="constrained")
for load in (0, 30):
    run = fx.simulate(vibrator(load), until=0.3, step=5e-4)
    place = run.position("block")[:, 0]
    axes.plot(run.t, 1e3 * place, label=f"load {load} N")
axes.set(xlabel="t [s]", ylabel="displacement [mm]")
axes.legend(frameon=False)
figure.savefig("vibrator.png", dpi=80)


# By hand: three equations of first order, here under the load.
def rates(t, y):
    x, v, flux = y
    force = flux**2 * reluctance / 2 - k * x - k3 * x**3 - damping * v - load
    return [v, force / mass, voltage(t) - resistance * flux * reluctance * (gap - x)]


exact = solve_ivp(rates, (0, run.t[-1]), [0, 0, 0], rtol=1e-10, atol=1e-12, t_eval=run.t).y[0]
found, by_hand = place[run.t > 0.05].mean(), exact[run.t > 0.05].mean()
print(f"under the load the block vibrates about {1e3 * found:.4f} mm, by hand {1e3 * by_hand:.4f} mm")
