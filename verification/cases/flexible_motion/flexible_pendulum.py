"""D17: a very flexible pendulum falls from the horizontal."""

from __future__ import annotations

import numpy as np

import flexmbs as fx
from flexmbs.core.contracts import FloatArray
from flexmbs.elements import ANCFCable2D
from flexmbs.verification import Case, ConvergenceStudy, Outcome, Progress
from flexmbs.verification.cases.common import COLOURS, figure, measured
from flexmbs.verification.cases.moving import CONSERVED, against, extrapolated, orders, over_time, worst
from flexmbs.verification.reference.data import load_reference

TIMES = (0.2, 0.4, 0.6, 0.8)
MESHES = (12, 24, 48, 96)
STEPS = (2e-3, 1e-3, 5e-4)
FINE = (4e-4, 2e-4)


def pendulum(elements: int) -> tuple[fx.FlexibleBody, fx.Model]:
    """The cable along x, hinged at the origin, under its weight."""
    p = load_reference("d17").parameters
    cable = fx.FlexibleBody.line(
        (0.0, 0.0), (p["L"], 0.0), elements=elements, element=ANCFCable2D(),
        stiffness=fx.BeamStiffness(EA=p["E"] * p["A"], EI_z=p["E"] * p["I"], mass_per_length=p["rho"] * p["A"]),
        name="pendulum",
    )  # fmt: skip
    return cable, fx.Model(cable, fx.Pin(cable.start), fx.Gravity((0.0, -p["g"])))


def _falling(elements: int, step: float, until: float = TIMES[-1]) -> tuple[fx.TimeSolution, FloatArray]:
    """The motion, and the tip (n_t, 2) every 0.1 s."""
    cable, model = pendulum(elements)
    run = fx.simulate(model, until, step=step, output=fx.Output(every=0.1))
    return run, run.position(cable.end)[:, :2]


def run(progress: Progress) -> Outcome:
    """Fall for 0.8 s."""
    stored = load_reference("d17-cable")
    exact = np.array([[stored.value(f"t={t} s tip (x,y)", i) for i in range(2)] for t in TIMES])
    errors, limits = [], {}
    for elements in MESHES:
        progress(f"{elements} elements")
        finest = elements == MESHES[-1]
        (_, coarse), (run_, tip) = (_falling(elements, h, TIMES[-1 if finest else -2]) for h in FINE)
        limits[elements] = extrapolated(coarse, tip)
        errors.append(worst(limits[elements][2:7:2], exact[:3]))
    quantities = []
    for t, atol, plain in zip(TIMES, (2e-5, 3e-5, 4e-5, 6e-4), (2e-5, 3e-5, 6e-5, 6e-4), strict=True):
        name, k = f"t={t} s tip (x,y)", round(10 * t)
        quantities += against("d17-cable", name, f"step 0.2 ms: {name}", tip[k], plain)
        quantities += against("d17-cable", name, f"extrapolated to step 0: {name}", limits[MESHES[-1]][k], atol)
    for t, atol in ((0.2, 3e-4), (0.4, 1e-3), (0.6, 2e-3)):
        name = f"nearly shear-rigid (GA x 30) t={t} s tip (x,y)"
        quantities += against("d17", name, f"rod with rotary inertia: {name}", limits[MESHES[-1]][round(10 * t)], atol)
    p = stored.parameters
    scale = p["rho"] * p["A"] * p["g"] * p["L"] ** 2
    change = float(np.abs(run_.energy.balance).max()) / scale
    quantities.append(measured("largest change of energy / (m g L)", "-", change, 0.0, CONSERVED, atol=2e-5))
    studies = [
        ConvergenceStudy("tip at 0.2, 0.4, 0.6 s", MESHES, errors, 4.0, 2.8, counts=True),
    ]
    by_step = []
    for step in STEPS:
        progress(f"step {step:g} s")
        by_step.append(worst(_falling(MESHES[1], step, 0.4)[1][2::2], limits[MESHES[1]][2:5:2]))
    studies.append(orders("tip at 0.2 and 0.4 s, 24 elements", STEPS, by_step))
    drawing, axes = figure(6.4, 4.4)
    for k, colour in zip(range(9), COLOURS * 2, strict=False):
        line = run_.shape(run_.model.body("pendulum"), k)[..., :2].reshape(-1, 2)
        axes.plot(line[:, 0], line[:, 1], color=colour, linewidth=1.4, label=f"t = {run_.t[k]:.1f} s")
    axes.plot(exact[:, 0], exact[:, 1], "o", color="black", markersize=3.5, label="reference")
    axes.set_aspect("equal")
    axes.set_xlabel("x in m")
    axes.set_ylabel("y in m")
    axes.legend(frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
    return Outcome(
        quantities, studies, (),
        [
            ("Shapes every 0.1 s and the tip of the reference.", drawing),
            ("Energies.", over_time([
                ("kinetic", run_.t, run_.energy.kinetic), ("strain", run_.t, run_.energy.strain),
                ("potential", run_.t, run_.energy.potential), ("total", run_.t, run_.energy.total),
            ], "energy in J")),
        ],
    )  # fmt: skip


CASE = Case(
    id="d17-pendulum",
    title="Very flexible falling pendulum",
    area="flexible motion",
    summary=(
        "A soft strip of 1.2 m, hinged at one end, is let go from the horizontal. Its weight is a tenth of EA, so it "
        "stretches and bends far, and the release sends waves along it.\n\n"
        "The cable element has neither shear nor rotary inertia. The first reference is that rod, computed with one "
        "polynomial of degree 96 over the whole length. The second one also has the rotary inertia of the section, "
        "which seems small (the square of its radius of inertia is 5e-6 of that of the length) but moves the tip by "
        "0.5 mm at 0.4 s and by 7 mm at 0.8 s, and a little shear."
    ),
    run=run,
    source=(
        "Data: Escalona, Hussien and Shabana, J. Sound Vib. 214 (1998) 833; Berzeri and Shabana, J. Sound Vib. 235 "
        "(2000) 539. References computed."
    ),
    equations=(
        r"\mu\,\ddot{\mathbf{r}} = \mathbf{n}' + \mu\,\mathbf{g}, \quad n_t = EA(|\mathbf{r}'| - 1), \quad "
        r"M = EI\,\theta'",
    ),
    limits=(
        "Up to 0.8 s. Later the strip whips round, and models that differ in small terms part from each other.",
        "The release excites all wavelengths, so that the error falls irregularly and, on these meshes, with less than "
        "the fourth order of the element.",
    ),
)
