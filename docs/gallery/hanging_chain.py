"""A chain of thirty flexible links, as a tree and as bodies in floating frames, swings like a rope."""

import matplotlib.pyplot as plt
import numpy as np
from scipy.special import j0, jn_zeros

import flexmbs as fx
from flexmbs import trees

length, links, g = 4.0, 30, 9.81
size = length / links
section = fx.BeamStiffness(EA=2e5, EI_z=1e6, EI_y=5.0, GJ=5.0, mass_per_length=0.6, rhoI_y=1e-5, rhoI_z=1e-5)
region = fx.linear.Region(None, fx.elements.Frame(section=section, shear=False, up=(1, 0, 0)))
part = fx.linear.Part(fx.meshes.line((0, 0, 0), (0, 0, -size), 2), regions=[region], name="link")
reduced = fx.reduction.reduce(part, ["start", "end"], modes=0, progress=False)
hinge = trees.Revolute((0, 1, 0))
at = [(0, 0, 0), *["end"] * (links - 1)]
chain = [
    trees.FlexibleLink(f"link {k}", reduced, "start", f"link {k - 1}" if k else None, hinge, at=at[k])
    for k in range(links)
]  # fmt: skip
tree = fx.Model(trees.Tree(*chain, name="chain"), fx.Gravity((0, 0, -g)), name="chain")
flat = trees.to_absolute_coordinates(tree)  # each link a body in a floating frame, whose matrix is sparse
still = fx.solve_static(flat)
modes = fx.solve_modal(still, modes=3)
print(fx.topology(tree).n_coordinates, "unknowns as a tree;", fx.topology(flat).n_coordinates, "as bodies")
figure, axes = plt.subplots(figsize=(5, 3.8), layout="constrained")
depth = size * np.arange(1, links + 1)
for k, root in enumerate(jn_zeros(0, 3)):
    ends = [modes.displacement(flat.body(link.name).interface("end"), k)[0] for link in chain]
    axes.plot(
        np.array(ends) / ends[-1], -depth, "o", markersize=3, color=f"C{k}", label=f"{modes.frequencies[k]:.3f} Hz"
    )
    axes.plot(j0(root * np.sqrt(1 - depth / length)), -depth, color=f"C{k}", linewidth=0.8)
axes.set(xlabel="shape (lines: rope)", ylabel="z [m]")
axes.legend(frameon=False, loc="upper right")
figure.savefig("hanging_chain.png", dpi=80)

# By hand: a hanging rope, whose shapes are Bessel's functions.
found, by_hand = modes.frequencies[0], jn_zeros(0, 1)[0] / 2 * np.sqrt(g / length) / (2 * np.pi)
print(f"the chain swings with {found:.5f} Hz, a rope by hand with {by_hand:.5f} Hz")
