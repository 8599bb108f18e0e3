"""What is kept by the layout of a system: the same for systems of one structure, and never that of another one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import flexmbs as fx
from flexmbs.dynamics.evaluation import Dynamics
from flexmbs.studies.outcomes import Job, Plan
from flexmbs.system import layout
from flexmbs.system.layout import Layouts, layouts_kept


def crank(radius: float, mass: float = 0.8, offset: float = 0.0) -> fx.Model:
    """A slider-crank; with an ``offset`` its guide lies beside the axle, and entries differ from zero."""
    rod = float(np.sqrt(0.25 - offset**2))
    wheel = fx.PlanarRigidBody(1.0, 0.01, position=(radius / 2, 0), name="crank")
    link = fx.PlanarRigidBody(mass, 0.02, position=(radius + rod / 2, offset / 2), name="rod")
    slider = fx.PlanarRigidBody(0.5, 5e-4, position=(radius + rod, offset), name="slider")
    joints = [
        fx.RevoluteJoint(fx.ground, wheel, at=(0, 0), name="axle"),
        fx.RevoluteJoint(wheel, link, at=(radius, 0), name="pin"),
        fx.RevoluteJoint(link, slider, at=(radius + rod, offset), name="wrist"),
        fx.PrismaticJoint(fx.ground, slider, at=(radius + rod, offset), axis=(1, 0), name="guide"),
    ]
    return fx.Model(wheel, link, slider, *joints, fx.Gravity((0, -9.81)), name="slider-crank")


def chain(length: float, mass: float = 1.0, spatial: bool = False) -> fx.Model:
    """Two bars, one behind the other."""
    axis = {"axis": (0, 1, 0)} if spatial else {}
    point: Callable[[float], tuple[float, ...]] = (lambda x: (x, 0, 0)) if spatial else (lambda x: (x, 0))
    bars: list[Any] = []
    for i in range(2):
        at = point((i + 0.5) * length)
        if spatial:
            bars.append(fx.RigidBody(mass, (0.1, 0.2, 0.3), position=at, name=f"bar {i}"))
        else:
            bars.append(fx.PlanarRigidBody(mass, 0.1, position=at, name=f"bar {i}"))
    joints = [
        fx.RevoluteJoint(a, b, at=point(i * length), **axis, name=f"hinge {i}")
        for i, (a, b) in enumerate(zip([fx.ground, *bars], bars, strict=False))
    ]
    return fx.Model(*bars, *joints, fx.Gravity((0, 0, -9.81) if spatial else (0, -9.81)), name="chain")


FAMILY: list[Callable[[], fx.Model]] = [
    lambda: crank(0.1), lambda: chain(1.0), lambda: crank(0.15, 1.2), lambda: chain(1.0, spatial=True),
    lambda: crank(0.1, offset=0.05), lambda: chain(0.3, 2.0), lambda: crank(0.1), lambda: chain(0.3, spatial=True),
    lambda: chain(1.0),
]  # fmt: skip
"""Two structures by turns, in the plane and in space, with other numbers, and some that were there before."""


def places(model: fx.Model) -> list[bytes]:
    """Which entries the matrix of a step has and where they lie, with the masses among them."""
    matrix = Dynamics(fx.compile_model(model)).matrix
    assert matrix.static is not None
    found = matrix.entries, matrix.equations, matrix.massive, matrix.mass, matrix.static_slots, matrix._slots
    return [np.asarray(part).tobytes() for part in (*found, matrix.static.reach)] + [repr(matrix.cut).encode()]


def test_places_of_entries_are_those_of_a_system_by_itself() -> None:
    alone = [places(make()) for make in FAMILY]
    assert len({tuple(part) for part in alone}) > 4  # of one structure, too, since other entries are zero
    with layouts_kept(Layouts()):
        assert [places(make()) for make in FAMILY] == alone


@pytest.mark.parametrize("compiled", [False, True])
def test_motions_by_turns_are_those_of_runs_by_themselves(compiled: bool) -> None:
    def end(model: fx.Model, rho: float) -> tuple[bytes, ...]:
        scheme = fx.GeneralizedAlpha(rho_inf=rho, index=3, compiled=compiled)
        run = fx.simulate(model, 0.15, step=1e-3, integrator=scheme, progress=False)
        return run.q.tobytes(), run.lam.tobytes(), run.steps.tobytes()

    schemes = [0.9, 0.7, 0.9]  # another one between two of a kind
    alone = [end(make(), schemes[i % 3]) for i, make in enumerate(FAMILY)]
    with layouts_kept(Layouts()):
        assert [end(make(), schemes[i % 3]) for i, make in enumerate(FAMILY)] == alone


def built(kind: str, radius: float) -> fx.Model:
    return crank(radius) if kind == "crank" else chain(radius)


def test_a_study_of_two_structures_by_turns() -> None:
    """In one process, whose plan remembers layouts: the numbers of runs that remember nothing."""
    family = fx.studies.Family(built, kind=fx.studies.Choices("crank", "chain"), radius=fx.studies.Between(0.1, 0.2))
    low = fx.studies.Measure("low", lambda run: float(run.q[:, 1].min()))
    scheme = fx.GeneralizedAlpha(rho_inf=0.9, index=3)
    analysis = fx.studies.Simulation(0.2, step=1e-3, integrator=scheme, output=fx.Output(every=0.01, energy=False))

    def numbers(plans: list[Plan]) -> list[float]:
        values = [{"kind": kind, "radius": r} for r in (0.1, 0.17, 0.2) for kind in ("crank", "chain")]
        jobs = [Job(i, v, plan) for i, (v, plan) in enumerate(zip(values, plans, strict=True))]
        return [job.run().numbers["low"] for job in jobs]

    one = Plan(family, analysis, (low,), None, 1000)
    alone = numbers([Plan(family, analysis, (low,), None, 1000) for _ in range(6)])
    assert np.isfinite(alone).all()
    assert numbers([one] * 6) == alone
    assert one.layouts.found == 2


def test_the_last_results_are_kept() -> None:
    found = fx.compile_model(chain(1.0)).layout
    asked: list[int] = []

    def times(of: layout.Layout, factor: int) -> int:
        asked.append(factor)
        return factor * of.n_c

    first = list(range(layout.MOST + 1))
    assert [found.once(times, k) for k in first + first[1:]] == [k * found.n_c for k in first + first[1:]]
    assert asked == first
    found.once(times, 0)
    assert asked[-1] == 0
