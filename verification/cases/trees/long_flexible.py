"""Long chains of flexible links: as a tree, and as bodies in floating frames whose matrix is sparse."""

from __future__ import annotations

import numpy as np
from scipy.special import jn_zeros

import flexmbs as fx
from flexmbs import trees
from flexmbs.dynamics.evaluation import Dynamics
from flexmbs.elements import Frame
from flexmbs.verification import Case, ConvergenceStudy, Outcome, Progress, Table
from flexmbs.verification.cases.common import measured

LENGTH, MASS, GRAVITY = 4.0, 0.6, 9.81
"""Of the whole chain [m], per length [kg/m], and g [m/s^2]."""
BENDING = 5.0
"""EI in the plane of the swing [N m^2]: the links stay nearly straight between their hinges."""
STIFF = 1e6
"""EI out of it [N m^2]: no vibration there among the lowest."""


def chain(links: int, start: float = 0.0) -> fx.Model:
    """Flexible links on hinges about y, hanging down from the origin; ``start``: angle of each hinge."""
    section = fx.BeamStiffness(EA=2e5, EI_z=STIFF, EI_y=BENDING, GJ=BENDING, mass_per_length=MASS,
                               rhoI_y=1e-5, rhoI_z=1e-5)  # fmt: skip
    size = LENGTH / links
    frame = fx.linear.Region(None, Frame(section=section, shear=False, up=(1, 0, 0)))
    part = fx.linear.Part(fx.meshes.line((0, 0, 0), (0, 0, -size), 2), regions=[frame], name="link")
    reduced = fx.reduction.reduce(part, ["start", "end"], modes=0, progress=False)
    made = [
        trees.FlexibleLink(f"link {k}", reduced, "start", f"link {k - 1}" if k else None, trees.Revolute((0, 1, 0)),
                           at="end" if k else (0, 0, 0), start=start)
        for k in range(links)
    ]  # fmt: skip
    return fx.Model(trees.Tree(*made, name="chain"), fx.Gravity((0, 0, -GRAVITY)), name="chain")


def run(progress: Progress) -> Outcome:
    """Both descriptions, the entries of their matrices, and the frequencies of a hanging rope."""
    quantities, rows = [], []
    progress("motions")
    model = chain(6, 0.1)
    flat = trees.to_absolute_coordinates(model)
    ends = model.trees[0].bodies[-1].interface("end"), flat.body("link 5").interface("end")
    gaps = []
    steps = (2e-3, 1e-3, 5e-4)
    for step in steps:
        runs = [
            fx.simulate(m, 0.3, step=step, progress=False).position(e)[-1]
            for m, e in zip((model, flat), ends, strict=True)
        ]
        gaps.append(float(np.linalg.norm(runs[1] - runs[0])))
    quantities.append(
        measured("six links after 0.3 s: distance of the ends of both descriptions", "m", gaps[-1], 0.0,
                 "the same system", atol=1e-4 * LENGTH)
    )  # fmt: skip
    progress("entries")
    counts = {}
    for links in (8, 16, 32):
        one = chain(links)
        counts[links] = [
            len(Dynamics(fx.compile_model(m)).matrix.entries) for m in (one, trees.to_absolute_coordinates(one))
        ]
        rows.append((links, *counts[links]))
    for k, (name, growth) in enumerate((("tree: more than linear", 4.0), ("floating frames: linear", 2.0))):
        grown = (counts[32][k] - counts[16][k]) / (counts[16][k] - counts[8][k])
        quantities.append(
            measured(f"growth of the entries of the matrix per doubling, {name}", "-", grown, growth,
                     "counts of pairs", atol=0.1)
        )  # fmt: skip
    studies = []
    errors = []
    lengths = (10, 20, 40)
    exact = 0.5 * jn_zeros(0, 3) * np.sqrt(GRAVITY / LENGTH) / (2.0 * np.pi)
    for links in lengths:
        progress(f"hanging chain of {links} links")
        still = fx.solve_static(trees.to_absolute_coordinates(chain(links)))
        found = np.sort(fx.solve_modal(still, modes=3).frequencies)[:3]
        errors.append(float(np.abs(found / exact - 1.0).max()))
    quantities += [
        measured(f"hanging chain of {lengths[-1]} links: frequency {k + 1}", "Hz", f, e,
                 "hanging rope, Bessel's function", rtol=2e-2)
        for k, (f, e) in enumerate(zip(found, exact, strict=True))
    ]  # fmt: skip
    studies.append(ConvergenceStudy("frequencies of the hanging chain", lengths, errors, 2.0, 0.9, counts=True))
    return Outcome(
        quantities, studies, [Table("Entries of the matrix of a step", ("links", "tree", "floating frames"), rows)]
    )


CASE = Case(
    id="long-flexible-tree",
    title="Long trees of flexible links in sparse form",
    area="trees",
    summary=(
        "Chains of flexible links on hinges as trees, whose matrix couples all of them, and converted to bodies in "
        "floating frames with joints, whose matrix has as many entries for each link, however many there are: the "
        "elimination of a step then takes a time that is linear in the links. The same motion, and the frequencies of "
        "a hanging rope."
    ),
    run=run,
    source=(
        "O. N. Dmitrotchenko: linear-time recursion for chains of rigid and flexible bodies. The elimination of the "
        "sparse descriptor form from the tip to the base is that recursion. Rope: D. Bernoulli's frequencies."
    ),
    equations=(r"M a + G^T\lambda = f, \quad G a = \gamma", r"\omega_k = \frac{1}{2} j_{0,k}\sqrt{g/L}"),
    limits=(
        "`TreeDynamics.forward` takes rigid links only; no crossover of the paper (10 to 15, 30 links) is repeated.",
    ),
)
