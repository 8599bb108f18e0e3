"""A walker stands, and makes three steps."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

import flexmbs as fx
from flexmbs.core.contracts import FloatArray
from flexmbs.verification import Case, Outcome, Progress
from flexmbs.verification.cases.common import COLOURS, figure, measured
from flexmbs.verification.cases.contact.beside import G
from flexmbs.verification.cases.contact.walker_model import ANKLE, MASS, STEP, Walker, standing, walking
from flexmbs.verification.cases.moving import over_time

FINE = 2e-3


def pushes(run: fx.TimeSolution, walker: Walker) -> dict[str, FloatArray]:
    """Force (n, 3) of the ground on each sole."""
    return {side: np.asarray(run.contact(sole).force.sum(axis=1)) for side, sole in walker.soles.items()}


def deepest(run: fx.TimeSolution, walker: Walker) -> float:
    """Largest penetration [m]."""
    return max(-float(run.contact(sole).gap.min()) for sole in walker.soles.values())


def _centre(run: fx.TimeSolution, walker: Walker, step: int) -> FloatArray:
    """Centre of mass."""
    links = [link for link in walker.tree.links if link.mass > 0.0]
    places = [run.position(walker.tree.link(link.name).marker(link.centre))[step] for link in links]
    return np.asarray(np.average(places, axis=0, weights=[link.mass for link in links]))


def _sticks(run: fx.TimeSolution, walker: Walker) -> Figure:
    """Legs and trunk seen from the side."""
    drawing, axes = figure(7.2, 2.8)
    at = walker.tree.link
    top = at("trunk").marker((0, 0, 0.55))
    for i in range(0, len(run.t), round(0.12 / FINE)):
        spine = [run.position(m)[i] for m in (at("pelvis").marker((0, 0, 0)), top)]
        axes.plot(*np.array(spine)[:, [0, 2]].T, color="#4a4a4a", linewidth=1.0)
        for side, colour in zip(walker.soles, COLOURS, strict=False):
            heel, toe = (at(f"{side} foot").marker((x, 0, -ANKLE)) for x in (-0.06, 0.19))
            leg = (at(f"{side} thigh").marker((0, 0, 0)), at(f"{side} shank").marker((0, 0, 0)),
                   at(f"{side} foot").marker((0, 0, 0)), heel, toe)  # fmt: skip
            axes.plot(*np.array([run.position(m)[i] for m in leg])[:, [0, 2]].T, color=colour, linewidth=1.0)
    axes.set_aspect("equal")
    axes.set_xlabel("x in m")
    axes.set_ylabel("z in m")
    return drawing


def run(progress: Progress) -> Outcome:
    """Rest, and three steps."""
    progress("stands")
    walker = standing()
    still = fx.simulate(walker.model, 24.0, step=0.02, integrator=fx.GeneralizedAlpha(rho_inf=0.0))
    ground = np.sum([force[-1] for force in pushes(still, walker).values()], axis=0)
    moment = np.zeros(3)
    for sole in walker.soles.values():
        told = still.contact(sole)
        moment += np.cross(told.point[-1], told.force[-1]).sum(axis=0)
    ahead = -float(moment[1] / ground[2]) - float(_centre(still, walker, -1)[0])
    freedoms = fx.compile_model(walker.model).coordinates.n_v
    progress("walks")
    walker_on = walking()
    events = [sole.event("closes") for sole in walker_on.soles.values()]
    steps = fx.simulate(walker_on.model, 3.2 * STEP.duration, step=FINE, events=events)
    found = pushes(steps, walker_on)
    upwards = np.sum(list(found.values()), axis=0)[:, 2]
    momentum = steps.momentum()[0]
    impulse = float(np.trapezoid(upwards, steps.t)) - MASS * G * float(steps.t[-1])
    quantities = [
        measured("freedoms", "-", freedoms, 21, "6 + 1 + 2 (3 + 2 + 2)", atol=1e-9),
        measured("parts with mass", "-", sum(x.mass > 0 for x in walker.tree.links), 8, "count", atol=1e-9),
        measured("at rest: ground force over weight", "-", float(ground[2]) / (MASS * G), 1.0, "statics", rtol=1e-8),
        measured("at rest: pressure centre before centre of mass", "m", ahead, 0.0, "statics", atol=1e-7),
        measured("walking: largest penetration", "m", deepest(steps, walker_on), 0.0, "at most 2 cm (text)", atol=0.02),
        measured("walking: feet set down in 3.2 steps", "-", len(steps.events), 3, "the gait", atol=1e-9),
        measured("walking: impulse of ground and weight over the momentum gained, upwards", "N s", impulse,
                 float(momentum[-1, 2] - momentum[0, 2]), "momentum", atol=1e-3 * MASS * G * float(steps.t[-1])),
    ]  # fmt: skip
    drawing = over_time(
        [(side, steps.t, force[:, 2] / (MASS * G)) for side, force in found.items()], "force over weight"
    )
    sticks = _sticks(steps, walker_on)
    pictures = [("Vertical force of the ground on each foot.", drawing), ("Legs and trunk, every 0.12 s.", sticks)]
    return Outcome(quantities, [], [], pictures)


CASE = Case(
    id="walker",
    title="A walker stands, and makes three steps",
    area="contact",
    summary=(
        "Eight rigid parts with 21 freedoms, a tree with a free root, on five points a foot whose damping comes in "
        "with the depth. Joint drives follow a gait of Fourier series. Standing on both feet without any support, the "
        "ground carries the weight; walking, the pelvis is kept upright by a fictitious support, and the legs carry it "
        "and move it on."
    ),
    run=run,
    source=(
        "M. Wojtyra, Multibody model of human walking, NATO ASI Prague 2002 (parts, joints, ground, drives); shares of "
        "masses and lengths by D. A. Winter."
    ),
    limits=(
        "Data and gait of the paper are lost: lengths, masses, drives and the path of the feet are chosen. The balance "
        "rules that replace the fictitious support in its last stage, and wobbling masses, are not there.",
        "Friction is regularised by a hyperbolic tangent, not by an arctangent.",
    ),
    equations=(r"M = \kappa\,(\varphi_0(t) - \varphi) + \nu\,(\dot\varphi_0(t) - \dot\varphi)",),
)
