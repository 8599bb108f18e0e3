"""A multilink robot of segments with two freedoms each, whatever the number of their bodies, and where it locks."""

from __future__ import annotations

import math
from typing import Any

from scipy.optimize import brentq

import flexmbs as fx
from flexmbs.verification import Case, Outcome, Progress, Table
from flexmbs.verification.cases.common import COLOURS, figure, measured

LINK, BACK = 0.2, 0.1
"""Distance of the crosses along a segment, and of the ball on each link behind its cross [m]."""
AT = 1.5
"""When the robot of six bodies a segment locks [s], as in the paper: this chooses the rate of the drive."""
PAPER = "Fraczek: count 2 m for m segments, whatever their bodies"


def robot(segments: int, bodies: int, driven: float | None = None) -> fx.Model:
    """A straight robot along z; with ``driven`` all lowest hinges have motors, that of the last segment turns.

    A segment of n bodies has n/2 crosses and n/2 links by turns on n hinges. A ball on each link but the first lies on
    the axis of the link before the last, a spherical-translational pair, so that one cross bends the next.
    """
    items: list[Any] = []
    before: Any = fx.ground
    height = 0.0
    for s in range(segments):
        links: list[Any] = [before]
        for k in range(bodies // 2):
            here = (0.0, 0.0, height)
            cross = fx.RigidBody.box(size=(0.03, 0.03, 0.03), mass=0.1, position=here, name=f"cross {s}.{k}")
            link = fx.RigidBody.box(size=(0.02, 0.02, LINK), mass=0.5, position=(0, 0, height + LINK / 2),
                                    name=f"link {s}.{k}")  # fmt: skip
            first = fx.RevoluteJoint(links[-1], cross, at=here, axis=(1, 0, 0), name=f"x {s}.{k}")
            second = fx.RevoluteJoint(cross, link, at=here, axis=(0, 1, 0), name=f"y {s}.{k}")
            items += [cross, link, first, second]
            links.append(link)
            if k == 0 and driven is not None:
                turn = fx.motions.Linear(driven) if s == segments - 1 else 0.0
                items += [
                    fx.RotationDriver(first, turn, name=f"motor x {s}"),
                    fx.RotationDriver(second, 0.0, name=f"motor y {s}"),
                ]
            if k > 0:
                ball = (0.0, 0.0, height - BACK)
                items.append(fx.PointOnLineConstraint(links[-3], link, at=ball, axis=(0, 0, 1), name=f"ball {s}.{k}"))
            height += LINK
        before = links[-1]
    return fx.Model(*items, name=f"{segments} segments of {bodies} bodies")


def lock_up(bodies: int) -> float:
    """Angle of the driven cross at which the last pair of a segment cannot bend further [rad].

    In the plane the ball gives LINK sin a_k = BACK sin(a_k + a_k+1), so a_k+1 exists up to sin a_k = BACK / LINK.
    """
    angle = math.asin(BACK / LINK)
    for _ in range(bodies // 2 - 2):
        after = angle
        angle = brentq(lambda a, b=after: LINK * math.sin(a) - BACK * math.sin(a + b), 1e-9, after, xtol=1e-15)
    return angle


def run(progress: Progress) -> Outcome:
    """Counts of robots of two to four segments and six to fourteen bodies; lock-ups of three of them."""
    quantities, rows = [], []
    for segments, bodies in ((2, 6), (3, 6), (4, 6), (3, 8), (3, 10), (3, 12), (3, 14)):
        progress(f"count, {segments} segments of {bodies} bodies")
        found = fx.topology(robot(segments, bodies))
        n = segments * bodies
        equations = 5 * n + 2 * segments * (bodies // 2 - 1)
        rows.append(
            (segments, bodies, found.n_coordinates, found.n_equations, found.degrees_of_freedom, len(found.redundant))
        )
        label = f"{segments} segments of {bodies} bodies"
        quantities += [
            measured(f"{label}: Gruebler's count", "-", found.n_coordinates - found.n_equations, 2.0 * segments, PAPER,
                     atol=0.5),
            measured(f"{label}: degrees of freedom", "-", found.degrees_of_freedom, 2.0 * segments, PAPER, atol=0.5),
            measured(f"{label}: equations", "-", found.n_equations, equations, "5 of a hinge, 2 of a ball in a tube",
                     atol=0.5),
            measured(f"{label}: redundant equations", "-", len(found.redundant), 0.0, PAPER, atol=0.5),
        ]  # fmt: skip
    rate = lock_up(6) / AT
    drawing, axes = figure(6.4, 3.6)
    for number, bodies in enumerate((6, 8, 10)):
        progress(f"lock-up, {bodies} bodies")
        paths = fx.kinematics.trace_kinematics(robot(3, bodies, rate), (-0.1, 2.0), start=0.0, step=0.1)
        points = [p for p in paths.points if p.kind == "turning point" and p.t > 0.0]
        exact = lock_up(bodies) / rate
        quantities += [
            measured(f"three segments of {bodies} bodies: time of the lock-up", "s", min(p.t for p in points), exact,
                     "closed form" + (", chosen as in the paper" if bodies == 6 else ""), atol=1e-9),
        ]  # fmt: skip
        path = paths[0]
        tip = path.position(f"link 2.{bodies // 2 - 1}")
        axes.plot(path.time, tip[:, 1], color=COLOURS[number], label=f"{bodies} bodies a segment")
    axes.set_xlabel("time [s]")
    axes.set_ylabel("last link, sideways [m]")
    axes.legend(frameon=False)
    table = Table("Counts", ("segments", "bodies each", "coordinates", "equations", "freedoms", "redundant"), rows)
    return Outcome(quantities, (), [table], [("Curves of positions turn back in time where the robot locks.", drawing)])


CASE = Case(
    id="multilink-robot",
    title="Multilink robot of three segments",
    area="mechanisms",
    summary=(
        "A welding robot of segments, each of 6 to 14 bodies on hinges and balls in tubes, driven in its two lowest "
        "hinges. Two freedoms a segment whatever its bodies: n hinges and n/2 - 1 balls for n bodies. One drive runs "
        "until the last pair of its segment cannot bend further: the lock-up at 1.5 s, which the tracing passes and "
        "turns back."
    ),
    run=run,
    source="J. Frączek, kinematics near singular positions (Warsaw University of Technology).",
    equations=(r"6n - 5n - 2(\tfrac n2 - 1) = 2", r"l\sin\alpha_k = b\,\sin(\alpha_k + \alpha_{k+1})"),
    limits=(
        "The geometry of the segments is lost. Hinges and spherical-translational pairs with a count of two for 6, 8, "
        "10, 12 and 14 bodies leave n hinges and n/2 - 1 balls as the only numbers; how they are joined is chosen.",
    ),
)
