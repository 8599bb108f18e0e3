"""Families for the tests of studies, which worker processes can import: a mass on a spring."""

from __future__ import annotations

import os
import signal
import time
from functools import partial

import flexmbs as fx
from flexmbs.studies import Between, Family, Grid, History, Measure, Simulation, Study

STIFFNESS = 200.0


def bob(length: float = 1.0, mass: float = 2.0, fail: str = "") -> fx.Model:
    """A point mass on a spring under its weight; ``fail`` says what goes wrong for masses above 2.5."""
    if mass > 2.5:
        if fail == "raise":
            raise ZeroDivisionError("no such mass")
        if fail == "model":
            return fx.Model()
        if fail == "die":
            os._exit(3)
        if fail == "other":
            return "a model"  # type: ignore[return-value]
        if fail == "sleep":
            time.sleep(0.05)
    bob = fx.PointMass(mass, position=(0, 0, -length), name="bob")
    spring = fx.SpringDamper(fx.ground.marker((0, 0, 0)), bob, stiffness=STIFFNESS, name="spring")
    return fx.Model(bob, spring, fx.Gravity((0, 0, -9.81)), name="bob")


def killing(length: float, mass: float, once: str) -> fx.Model:
    """Heavy models end their process; the first light one has it killed by the system, as the file ``once`` tells."""
    if mass < 1.2 and not os.path.exists(once):  # noqa: PTH110
        with open(once, "w", encoding="utf-8"):  # noqa: PTH123
            pass
        os.kill(os.getpid(), signal.SIGKILL)
    return bob(length, mass, "die")


def lowest(run: fx.TimeSolution) -> float:
    return float(run.position("bob")[:, 2].min())


def height(run: fx.TimeSolution) -> object:
    return run.position("bob")[:, 2]


def family(builder: object = bob) -> Family:
    return Family(builder, length=Between(0.5, 1.5), mass=Between(1.0, 3.0))  # type: ignore[arg-type]


def study(builder: object = bob, samples: object = None, **options: object) -> Study:
    return Study(
        family(builder),
        samples or Grid(length=2, mass=3),  # type: ignore[arg-type]
        [Measure("lowest", lowest, unit="m"), History("height", height, unit="m")],
        Simulation(until=0.05, step=5e-3),
        **options,  # type: ignore[arg-type]
    )


def deadly(length: float, mass: float, number: float = -1.0, once: str = "", pause: float = 0.0) -> fx.Model:
    """As `bob`; the mass ``number`` ends its process, and the first mass above it has its own killed by the system."""
    time.sleep(pause)
    if abs(mass - number) < 1e-9 and abs(length - 0.7) < 1e-9:
        os._exit(3)
    if once and length > 1.2 and not os.path.exists(once):  # noqa: PTH110
        with open(once, "w", encoding="utf-8"):  # noqa: PTH123
            pass
        os.kill(os.getpid(), signal.SIGKILL)
    return bob(length, mass)


def sixty(kills: int = -1, once: str = "", pause: float = 0.0, samples: object = None) -> Study:
    """Six lengths and ten masses; run ``kills`` ends its process."""
    masses = [1.0 + 2.0 * i / 9 for i in range(10)]
    at = masses[kills % 10] if kills >= 0 else -1.0
    return study(partial(deadly, number=at, once=once, pause=pause), samples or Grid(length=6, mass=10))
