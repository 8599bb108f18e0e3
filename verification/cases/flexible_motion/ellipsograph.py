"""An ellipsograph with a soft beam: ends on two perpendicular guides, a pendulum at the middle."""

from __future__ import annotations

import math

import numpy as np

import flexmbs as fx
from flexmbs.core.contracts import FloatArray
from flexmbs.elements import ANCFCable2D
from flexmbs.verification import Case, ConvergenceStudy, Outcome, Progress
from flexmbs.verification.cases.common import COLOURS, figure, measured
from flexmbs.verification.cases.moving import CONSERVED, G, extrapolated, orders, over_time, worst
from flexmbs.verification.reference.ellipse import Ellipsograph

LENGTH, MASS, SOFT = 1.0, 0.78, 1.0
RIGID = Ellipsograph(LENGTH, MASS, pendulum=0.2, arm=0.5, inertia=0.1, gravity=G)
START = math.pi / 6.0
UNTIL, EVERY = 1.0, 0.05
LIMIT = "rigid beam: two coordinates, Runge-Kutta method of order 8"


def _swing(elements: int, EI: float, step: float, until: float = UNTIL) -> tuple[fx.TimeSolution, FloatArray]:
    """The motion, and (n_t, 4): middle of the beam, centre of mass of the pendulum."""
    ends = (LENGTH * math.cos(START), 0.0), (0.0, LENGTH * math.sin(START))
    beam = fx.FlexibleBody.line(
        *ends, elements=elements, element=ANCFCable2D(),
        stiffness=fx.BeamStiffness(EA=1e4 * EI, EI_z=EI, mass_per_length=MASS / LENGTH), name="beam",
    )  # fmt: skip
    middle = np.mean(ends, axis=0)
    hanging = fx.PlanarRigidBody(RIGID.pendulum, RIGID.inertia, position=middle - (0.0, RIGID.arm), name="pendulum")
    model = fx.Model(
        beam, hanging,
        fx.Roller(beam.start, normal=(0, 1)), fx.Roller(beam.end, normal=(1, 0)),
        fx.RevoluteJoint(beam.at(middle), hanging, at=middle, name="hinge"),
        fx.Gravity((0.0, -G)),
    )  # fmt: skip
    run = fx.simulate(model, until, step=step, output=fx.Output(every=EVERY))
    return run, np.hstack([run.position(beam.at(middle))[:, :2], run.position(hanging)[:, :2]])


def run(progress: Progress) -> Outcome:
    """Swing for a second, from very soft to stiff."""
    times = np.arange(0.0, UNTIL + EVERY / 2.0, EVERY)
    angles = RIGID.run(START, 0.0, times)
    middle = RIGID.middle(angles)
    exact = np.hstack([middle, middle + RIGID.arm * np.column_stack([np.sin(angles[:, 1]), -np.cos(angles[:, 1])])])
    quantities, studies = [], []
    stiffnesses, gaps = (1e2, 1e3, 1e4), []
    for EI in stiffnesses:
        progress(f"EI = {EI:g} N m²")
        (_, coarse), (stiff, path) = (_swing(4, EI, h) for h in (2e-3, 1e-3))
        gaps.append(worst(extrapolated(coarse, path), exact))
    quantities.append(
        measured("EI = 1e4 N m²: largest distance of beam or pendulum from the rigid ones", "m", gaps[-1], 0.0, LIMIT,
                 1e-10, atol=1e-3)
    )  # fmt: skip
    studies.append(
        ConvergenceStudy("distance from the rigid mechanism as EI grows", [1.0 / EI for EI in stiffnesses], gaps, 1.0,
                         0.9, label="1/EI")
    )  # fmt: skip
    progress("EI = 1 N m²")
    meshes, steps, early = (6, 10, 16), (4e-3, 2e-3, 1e-3), 0.4
    limits = {
        n: extrapolated(*(_swing(n, SOFT, h, early)[1] for h in (1e-3, 5e-4))) for n in (*meshes, 24)
    }  # fmt: skip
    by_mesh = [worst(limits[n], limits[24]) for n in meshes]
    studies.append(ConvergenceStudy("EI = 1, up to 0.4 s, against 24 elements", meshes, by_mesh, 4.0, 3.0, counts=True))
    by_step = [worst(_swing(16, SOFT, h, early)[1], limits[16]) for h in steps]
    studies.append(orders("EI = 1, up to 0.4 s, 16 elements", steps, by_step))
    soft, path = _swing(20, SOFT, 5e-4)
    scale = G * MASS * LENGTH
    quantities += [
        measured("EI = 1, 20 elements: change of energy / (m g L)", "-",
                 float(np.abs(soft.energy.balance).max()) / scale, 0.0, CONSERVED, atol=4e-3),
        measured("EI = 1e4: change of energy / (m g L)", "-",
                 float(np.abs(stiff.energy.balance).max()) / scale, 0.0, CONSERVED, atol=1e-3),
        measured("EI = 1: largest gap of the hinge", "m", float(soft.residuals[:, 0].max()), 0.0, CONSERVED,
                 atol=1e-10),
    ]  # fmt: skip
    drawing, axes = figure(6.4, 4.8)
    for k, colour in zip(range(0, len(soft), 4), COLOURS * 2, strict=False):
        line = soft.shape(soft.model.body("beam"), k)[..., :2].reshape(-1, 2)
        axes.plot(line[:, 0], line[:, 1], color=colour, linewidth=1.6, label=f"t = {soft.t[k]:.1f} s")
        axes.plot(path[k, 0::2], path[k, 1::2], "o-", color=colour, linewidth=0.7, markersize=2.5)
    axes.set_aspect("equal")
    axes.set_xlabel("x in m")
    axes.set_ylabel("y in m")
    axes.legend(frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
    curves = [
        ("EI = 1 N m²", times, path[:, 3]), ("EI = 1e4 N m²", times, _swing(4, 1e4, 1e-3)[1][:, 3]),
    ]  # fmt: skip
    return Outcome(
        quantities, studies, (),
        [("Beam of EI = 1 N m² and its pendulum.", drawing),
         ("Height of the pendulum.", over_time(curves, "y in m", [(times, exact[:, 3])]))],
    )  # fmt: skip


CASE = Case(
    id="ellipsograph",
    title="Ellipsograph with a soft beam",
    area="flexible motion",
    summary=(
        "The ends of a beam slide on two perpendicular guides, and a pendulum hangs from its middle. Let go at 30 "
        "degrees, the rigid mechanism swings with two degrees of freedom. With EI = 1 N m² the beam bends as far as "
        "it is long; as EI grows the motion becomes that of the rigid mechanism, and the difference falls with 1/EI."
    ),
    run=run,
    source=(
        "After O. N. Dmitrotchenko, Efficient simulation of rigid-flexible multibody dynamics: some implementations "
        "and results (beam of 1 m, 7800 kg/m³, 1e-4 m², EI = 1 N m², 20 elements; pendulum of 0.5 m, 0.2 kg, "
        "0.1 kg m²); initial state and gravity chosen here. Reference: the rigid limit."
    ),
    limits=(
        "For the soft beam only convergence and energy are shown; there is no independent reference.",
        "The moment of inertia of the pendulum is taken about its centre of mass, 0.5 m from the hinge.",
    ),
)
