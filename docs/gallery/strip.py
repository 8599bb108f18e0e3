"""A steel strip that runs over two rollers: its frequencies fall with its speed."""

from dataclasses import replace

import matplotlib.pyplot as plt
import numpy as np
from scipy import sparse

import flexmbs as fx

length, tension, mass, cells = 50.0, 23.8e3, 7.85, 100  # m, N, kg/m
section = fx.BeamStiffness(EA=2.1e8, EI_y=17.5, EI_z=1.75e7, GJ=50.0, mass_per_length=mass)
mesh = fx.meshes.line((0, 0, 0), (length, 0, 0), cells)
mesh = replace(mesh, node_sets={**mesh.node_sets, "all": np.arange(cells + 1)})
strip = fx.linear.Part(
    mesh, regions=[fx.linear.Region(None, fx.elements.Frame(section=section, shear=False))], name="strip"
)
ends = {"start": ("ux", "uy", "uz", "rx", "rz"), "end": ("uy", "uz", "rx", "rz")}
pulled = fx.linear.static_response(strip, ends, fx.linear.NodalForce("end", (tension, 0, 0)))
stress = fx.linear.geometric_stiffness(pulled)
across = {"start": ("ux", "uy", "uz"), "end": ("ux", "uy", "uz"), "all": ("ux", "uy", "rx", "rz")}
still = fx.linear.vibration_modes(strip, 4, across, prestress=pulled)

# Seen from the rollers the material that passes adds 2 v mu dw'/dt, and takes mu v^2 off the tension.
w = still.operators.dofs.of(np.arange(cells + 1), 2)
passing = sparse.diags([-0.5, 0.5], [-1, 1], (cells + 1, cells + 1))
place = sparse.csc_matrix((np.ones(cells + 1), (w, np.arange(cells + 1))), (still.operators.n, cells + 1))
carried = (mass * place @ passing @ place.T).tocsc()
speeds = np.linspace(0, 30, 13)
frequencies = []
for speed in speeds:
    running = fx.linear.FrameOperators(
        still.operators,
        still.supports,
        D=2 * speed * carried,
        K=(still.operators.K + (1 - mass * speed**2 / tension) * stress).tocsc(),
        load=np.zeros(still.operators.n),
        omega=np.zeros(3),
    )
    frequencies.append(running.modes(4).frequencies)
figure, axes = plt.subplots(figsize=(7, 3.4), layout="constrained")
axes.plot(speeds, frequencies, color="#1f5fa8")
axes.set(xlabel="speed of the strip [m/s]", ylabel="frequency [Hz]", ylim=(0, None))
axes.axvline(15, color="black", linewidth=0.8, linestyle=":")
figure.savefig("strip.png", dpi=80)

# By hand: waves run at c = sqrt(T / mu); a mode takes the time of a wave down at c + v and back at c - v.
c = np.sqrt(tension / mass)
found, by_hand = frequencies[6][0], (c**2 - 15.0**2) / (2 * length * c)
print(f"at 15 m/s the strip has {found:.4f} Hz, by hand {by_hand:.4f} Hz; at rest {frequencies[0][0]:.4f} Hz")
