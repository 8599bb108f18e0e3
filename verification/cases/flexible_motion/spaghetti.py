"""D16: the flying spaghetti, a free rod under a force and a torque at one end."""

from __future__ import annotations

from itertools import product

import numpy as np

import flexmbs as fx
from flexmbs.core.contracts import FloatArray
from flexmbs.elements import ANCFCable2D
from flexmbs.verification import Case, ConvergenceStudy, Outcome, Progress
from flexmbs.verification.cases.common import COLOURS, figure, measured
from flexmbs.verification.cases.moving import CONSERVED, against, extrapolated, orders, worst
from flexmbs.verification.reference.data import load_reference

TIMES = (1.0, 2.5, 3.0, 4.0, 5.0, 7.0, 10.0)
PULSE = fx.Table((0.0, 2.5, 5.0), (0.0, 1.0, 0.0))
SPECK = 1e-6
"""Mass of a disc, which is to bring rotary inertia only."""


def _thrown(elements: int, step: float, until: float, rotary: bool) -> tuple[fx.TimeSolution, FloatArray]:
    """The motion, and both ends (n_t, 2, 2) every half second: loaded, free."""
    p = load_reference("d16-cable").parameters
    rod = fx.FlexibleBody.line(
        (6.0, 0.0), (0.0, 8.0), elements=elements, element=ANCFCable2D(),
        stiffness=fx.BeamStiffness(EA=p["EA"], EI_z=p["EI"], mass_per_length=p["rhoA"]), name="rod",
    )  # fmt: skip
    items: list[object] = [
        rod,
        fx.PointForce(rod.start, (20.0, 0.0), history=PULSE),
        fx.Moment(rod.start, -200.0, history=PULSE),
    ]
    if rotary:
        h = p["L"] / elements
        for node in range(elements + 1):
            part = h / 2.0 if node in (0, elements) else h
            point = rod.mesh.points[node]
            disc = fx.PlanarRigidBody(SPECK, p["rhoI"] * part, position=point, name=f"disc {node}")
            items += [disc, fx.FixedJoint(rod.node(node), disc, name=f"weld {node}")]
    run = fx.simulate(fx.Model(*items), until, step=step, output=fx.Output(every=0.5))
    return run, np.stack([run.position(end)[:, :2] for end in (rod.start, rod.end)], axis=1)


def run_bare(progress: Progress) -> Outcome:
    """Rod without rotary inertia."""
    return _run(progress, rotary=False)


def run_discs(progress: Progress) -> Outcome:
    """Rod with the rotary inertia in discs at the nodes."""
    return _run(progress, rotary=True)


def _run(progress: Progress, rotary: bool) -> Outcome:
    label = "rhoI=10" if rotary else "rhoI=0"
    meshes, fine = ((8, 16, 32), (2e-2, 1e-2)) if rotary else ((6, 8, 12), (5e-3, 2.5e-3))
    stored = load_reference("d16-cable")
    rows = [round(2 * t) for t in TIMES]
    exact = np.array(
        [
            [[stored.value(f"{label}: t={t:g} s {end} end (x,y)", i) for i in range(2)] for end in ("loaded", "free")]
            for t in TIMES
        ]
    )
    quantities, studies, limits, errors = [], [], {}, []
    for elements in meshes:
        progress(f"{elements} elements")
        (_, coarse), (run, ends) = (_thrown(elements, h, 10.0 if elements == meshes[-1] else 5.0, rotary) for h in fine)
        limits[elements] = extrapolated(coarse, ends)
        errors.append(worst(limits[elements][rows[:5]].reshape(-1, 2), exact[:5].reshape(-1, 2)))
    last = limits[meshes[-1]]
    for (k, t), (j, end) in product(enumerate(TIMES), enumerate(("loaded", "free"))):
        name = f"t={t:g} s {end} end (x,y)"
        quantities += against("d16-cable", f"{label}: {name}", name, last[rows[k], j], 6e-3 if rotary else 5e-3)
        if rotary:
            quantities += against(
                "d16", f"B: triangular load {name}", f"{name}, rod with shear", last[rows[k], j], 0.02
            )
    after = run.t >= 5.0
    momentum, spin = run.momentum()
    energy = run.energy.total[after]
    quantities += against(
        "d16-cable", f"{label}: total energy after unloading (constant)", "energy after unloading", [energy[0]], 0.5
    )
    quantities.append(
        measured("change of energy after unloading", "-", float(np.ptp(energy)) / energy[0], 0.0, CONSERVED, atol=2e-5)
    )
    px = momentum[after][:, 0]
    quantities += [
        measured("momentum after unloading: x", "-", px[-1], 50.0, "force times half its time", atol=1e-6),
        measured("momentum: y", "-", float(np.abs(momentum[:, 1]).max()), 0.0, CONSERVED, atol=1e-9),
        measured("change of momentum from 6 s", "-", float(np.ptp(px[2:])), 0.0, CONSERVED, atol=1e-9),
        measured(
            "change of angular momentum after unloading / its value", "-",
            float(np.ptp(spin[after][:, 2]) / abs(spin[after][0, 2])), 0.0, CONSERVED, atol=1e-5,
        ),
    ]  # fmt: skip
    if rotary:
        gaps = float(run.residuals[:, 0].max())
        quantities.append(measured("largest violation of the welds", "-", gaps, 0.0, CONSERVED, atol=1e-10))
    order = 2.0 if rotary else 4.0
    studies.append(ConvergenceStudy("both ends up to 5 s", meshes, errors, order, order - 0.5, floor=1e-6, counts=True))
    by_step = []
    steps, mesh = (4e-2, 2e-2, 1e-2), meshes[1]
    for step in steps:
        progress(f"step {step:g} s")
        by_step.append(
            worst(_thrown(mesh, step, 5.0, rotary)[1][rows[:5]].reshape(-1, 2), limits[mesh][rows[:5]].reshape(-1, 2))
        )
    studies.append(orders(f"both ends up to 5 s, {mesh} elements", steps, by_step))
    drawing, axes = figure(6.4, 3.6)
    for k, colour in zip(range(0, len(run), 2), COLOURS * 2, strict=False):
        line = run.shape(run.model.body("rod"), k)[..., :2].reshape(-1, 2)
        axes.plot(line[:, 0], line[:, 1], color=colour, linewidth=1.3, label=f"t = {run.t[k]:g} s")
    axes.plot(*exact.reshape(-1, 2).T, "o", color="black", markersize=3.0, label="reference")
    axes.set_aspect("equal")
    axes.set_xlabel("x")
    axes.set_ylabel("y")
    axes.legend(frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize="small")
    return Outcome(quantities, studies, (), [("Shapes every second, and the ends of the reference.", drawing)])


SOURCE = "Data: Simo and Vu-Quoc, J. Appl. Mech. 53 (1986) 855. References computed."
SUMMARY = (
    "A straight rod at rest, free in the plane, gets a force and a torque at its lower end, which grow up to 2.5 s and "
    "are gone at 5 s. It tumbles and bends into loops while it flies away."
)

BARE = Case(
    id="d16-spaghetti",
    title="Flying spaghetti, rod without rotary inertia",
    area="flexible motion",
    summary=SUMMARY + " Here without the rotary inertia of the original, which a cable does not have.",
    run=run_bare,
    source=SOURCE,
    limits=("The original problem has a rotary inertia as large as that of the whole rod; see d16-discs.",),
)

DISCS = Case(
    id="d16-discs",
    title="Flying spaghetti, rotary inertia in discs",
    area="flexible motion",
    summary=(
        SUMMARY + " Its sections have rotary inertia, which is lumped here in rigid discs welded to the nodes. Of two "
        "references one is the rod without shear, the other the original rod with GA = EA."
    ),
    run=run_discs,
    source=SOURCE,
    limits=(
        "Lumped inertia is of second order in the length of an element.",
        "The element has no shear, which shifts the ends of the original rod by up to 6e-3.",
    ),
)
