"""A star of three links with dry friction in slow motion."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from flexmbs.verification import Case, Measured, Outcome, Progress
from flexmbs.verification.cases.common import measured
from flexmbs.verification.cases.contact.crawlers import CREEP, RATE, Crawler
from flexmbs.verification.cases.moving import on_paths

ANGLES = 0.5
"""Tolerance of angles [deg], as in two-link-crawler."""
START = 0.05
"""Angle between the links that are opened, at the start [rad]."""
OTHER = 1.05
"""Mass of the link that a motor leans on, over that which it turns, so that the latter is the one to move."""


def _closeness(hub: float) -> Measured:
    """How far the hub moves while a link is turned away from its neighbour up to 2 asin(hub/2), or half a turn."""
    most = 2.0 * math.asin(min(1.0, hub / 2.0))
    crawler = Crawler.star(
        hub, {"A2": (OTHER, 1.0, 0.0), "A1": (1.0, 1.0, START), "A3": (1.0, 1.0, -2.0 * math.pi / 3.0)}, {"A1": RATE}
    )
    run = crawler.moves(most - START, finest=0.02)
    moved = float(np.linalg.norm(np.ptp(crawler.places(run)["A0"], axis=0)))
    return measured(
        f"m0/m = {hub:.4g}: way of the hub while a link turns up to {math.degrees(most):.4g} deg", "m", moved, 0.0,
        "2 asin(m0/(2 m))", atol=10.0 * CREEP * float(run.t[-1]),
    )  # fmt: skip


def _gait(hub: float) -> tuple[list[Measured], Crawler, Any]:
    """Two links open symmetrically about the third one: where the hub begins to move, and how straight."""
    ends = {"A3": (1.0, 1.0, math.pi), "A1": (1.0, 1.0, START / 2.0), "A2": (1.0, 1.0, -START / 2.0)}
    crawler = Crawler.star(hub, ends, {"A1": RATE / 2.0, "A2": -RATE / 2.0})
    run = crawler.moves(math.pi - START, events=[crawler.event("A0", "slips")])
    (first, *_) = run.events
    path = crawler.places(run)["A0"]
    exact = 2.0 * math.degrees(math.asin((1.0 + hub) / 2.0))
    return [
        measured(
            f"m0/m = {hub:g}: angle between two links at which the hub begins to move", "deg",
            math.degrees(START + RATE * first.t), exact, "2 asin((1 + m0/m)/2)", atol=ANGLES,
        ),
        measured(
            f"m0/m = {hub:g}: the hub beside its line", "m", float(np.abs(path[:, 1]).max()), 0.0, "symmetry", atol=1e-6
        ),
    ], crawler, run  # fmt: skip


def run(progress: Progress) -> Outcome:
    """Hubs that stay, and hubs that go."""
    quantities = []
    for hub in (0.8, math.sqrt(3.0), 2.1):
        progress(f"hub of {hub:.3g} stays")
        quantities.append(_closeness(hub))
    curves = []
    for hub in (0.3, 0.5, 0.8):
        progress(f"hub of {hub:g} goes")
        found, crawler, motion = _gait(hub)
        quantities += found
        if hub == 0.5:
            curves = list(crawler.places(motion).items())
    return Outcome(
        quantities, [], [], [("Paths of hub and ends while two links open, hub of half a mass.", on_paths(curves))]
    )


CASE = Case(
    id="star-crawler",
    title="A star of three links with dry friction in slow motion",
    area="contact",
    summary=(
        "Three links with equal masses at their ends and another one at their hub lie on a rough plane. A link that is "
        "closer to another one than 2 asin(m0/(2 m)) can be turned without moving the hub, any link where m0 is at "
        "least sqrt(3) m. Two links that open symmetrically leave the hub at rest up to 2 asin((1 + m0/m)/2); then hub "
        "and third link move along their line."
    ),
    run=run,
    source="T. Yu. Figurina, NATO ASI Virtual Nonlinear Multibody Systems, Prague 2002, propositions 2 and 3.",
    limits=(
        "The first angle is sufficient, not necessary: the third link can help to hold the hub.",
        "The link that the motor leans on has 1.05 times the mass, since with equal ones either may turn.",
    ),
)
