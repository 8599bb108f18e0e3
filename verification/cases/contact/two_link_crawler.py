"""Two links with dry friction in slow motion."""

from __future__ import annotations

import numpy as np

from flexmbs.core.contracts import FloatArray
from flexmbs.verification import Case, Measured, Outcome, Progress
from flexmbs.verification.cases.common import measured
from flexmbs.verification.cases.contact.beside import beside
from flexmbs.verification.cases.contact.crawlers import MU, RATE, Crawler, G
from flexmbs.verification.cases.moving import on_paths
from flexmbs.verification.reference.data import load_reference

LENGTH = 0.7
ANGLES = 0.5
"""Tolerance of angles [deg]: a step of 0.34 deg, and 0.1 to 0.2 deg until what begins to move has the speed MOVES."""


def _crawler(length: float, masses: tuple[float, float, float] = (1.0, 1.0, 1.0)) -> Crawler:
    """A1 at (-1, 0), the joint A0 at the origin, A2 at (length, 0); the masses of A0, A1, A2."""
    hub, one, two = masses
    return Crawler.star(hub, {"A1": (one, 1.0, np.pi), "A2": (two, length, 0.0)}, {"A2": RATE})


def _switches(ratio: float) -> list[Measured]:
    """Angles at which A1 begins and A0 ceases to move, for equal masses."""
    crawler = _crawler(ratio)
    events = [crawler.event("A0", "sticks", terminal=True)]
    if ratio > 0.5:
        events.append(crawler.event("A1", "slips"))
    run = crawler.moves(np.pi, events=events)
    found = {event.name: float(np.degrees(RATE * event.t)) for event in run.events}
    exact = {"A0 sticks": np.degrees(np.arccos(1.0 - ratio))}
    if ratio > 0.5:
        exact = {
            "A1 slips": 60.0 - np.degrees(np.arccos(0.5 / ratio)), "A0 sticks": 30.0 + np.degrees(np.arcsin(ratio))
        }  # fmt: skip
    return [
        measured(f"l2/l1 = {ratio:g}: angle where {name}", "deg", found[name], angle, "closed form", atol=ANGLES)
        for name, angle in exact.items()
    ]


def _track() -> float:
    """Distance of the straight track of A2 from A1 while A1 rests, for masses 0.8, 1.5 and 1."""
    crawler = _crawler(1.2, (0.8, 1.5, 1.0))
    places = crawler.places(crawler.moves(0.2))
    x, y = (places["A2"][5:] - places["A1"][0]).T
    slope, offset = np.polyfit(y, x, 1)  # across the link at first
    return float(abs(offset) / np.hypot(1.0, slope))


def run(progress: Progress) -> Outcome:
    """A whole turn, and where masses begin and cease to move."""
    figures = load_reference("two-link-crawler")
    progress("a whole turn")
    crawler = _crawler(LENGTH)
    turn = crawler.moves(2.0 * np.pi)
    places = crawler.places(turn)
    gamma = RATE * turn.t

    def at(angle: float) -> FloatArray:
        found = [np.interp(angle, gamma, places[n][:, i]) for n in ("A1", "A0", "A2") for i in (0, 1)]
        return np.array(found)

    def direction(angle: float) -> float:
        x = at(angle)
        return float(np.arctan2(x[3] - x[1], x[2] - x[0]))

    low, high = (np.radians(figures.value("gamma_23, gamma_31", i)) for i in (0, 1))
    torque = np.asarray(turn.multipliers(crawler.drives[0]))[(gamma > 1.5) & (gamma < 3.0), 0]
    quantities = [
        *beside(figures, "A1, A0, A2 at gamma_23", at(low), atol=3e-3),
        *beside(figures, "A1, A0, A2 at gamma_31", at(high), atol=3e-3),
        *beside(figures, "A1, A0, A2 at gamma = 180 deg", at(np.pi), atol=3e-3),
        *beside(figures, "direction of link 1 at gamma_23, gamma_31 and from then on",
                [direction(low), direction(high)], atol=3e-3),
        *beside(figures, "A1, A0, A2 after a whole turn of gamma by 360 deg", at(2.0 * np.pi), atol=5e-3),
        *beside(figures, "turn of the mechanism in a whole turn of gamma", direction(2.0 * np.pi), atol=5e-3),
        *beside(figures, "torque of the joint over mu m g l2 in the last phase",
                np.abs(torque).max() / (MU * G * LENGTH), rtol=5e-3),
    ]  # fmt: skip
    for ratio in (0.3, 0.4, 0.6, 0.8):
        progress(f"l2/l1 = {ratio:g}")
        quantities += _switches(ratio)
    progress("unequal masses")
    name = "masses m0, m1, m2 = 0.8, 1.5, 1: distance of the straight track of A2 from A1 while A1 rests"
    quantities += beside(figures, name, _track(), rtol=5e-3)
    drawing = on_paths([(name, places[name]) for name in ("A1", "A0", "A2")])
    return Outcome(quantities, [], [], [("Paths of the three masses in a whole turn of the joint.", drawing)])


CASE = Case(
    id="two-link-crawler",
    title="Two links with dry friction in slow motion",
    area="contact",
    summary=(
        "Three masses on two weightless links lie on a rough plane, and the joint turns slowly. First one end rests, "
        "then all three masses move, then only the other end; a whole turn of the joint turns the mechanism by 41 "
        "degrees. Contact of points with regularised friction; events tell when a mass begins and ceases to move."
    ),
    run=run,
    source=(
        "T. Yu. Figurina, NATO ASI Virtual Nonlinear Multibody Systems, Prague 2002, whose condition l2 < l1/2 must "
        "read l2 > l1/2, and m_j l_j/m_i must read m_0 l_j/m_i; phases and path by least dissipation."
    ),
    limits=("Friction is regularised over 1e-6 m/s, so that what rests creeps by 1e-4 of the way of what moves.",),
    equations=(r"\gamma_{23} = 60^\circ - \arccos\frac{1}{2\kappa},\quad \gamma_{31} = 30^\circ + \arcsin\kappa",),
)
