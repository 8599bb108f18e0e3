"""Python's cost is per type of item, and the size of everything grows in proportion to the elements."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import flexmbs as fx
from flexmbs.analysis import rigidity
from flexmbs.analysis.rest import EquationsOfRest, Point
from tests.models.at_coordinates import forces, held, linearised

Maker = Callable[..., fx.FlexibleBody]
THIN = fx.BeamStiffness(EA=1e6, EI_z=1.0, mass_per_length=1.0)


def grid(line: Maker, members: int, elements: int) -> fx.Model:
    """Members in a row, each hinged to the next and held at its start, with loads of several kinds."""
    bodies = [line((i, 0), (i + 1, 0), elements, stiffness=THIN, name=f"m{i}") for i in range(members)]
    joints = [fx.Hinge(a.end, b.start) for a, b in pairwise(bodies)]
    held = [fx.Clamp(b.start) if i == 0 else fx.Roller(b.start, (0.3, 1.0)) for i, b in enumerate(bodies)]
    loads = [fx.PointForce(b.node(elements // 2), (0.0, -1.0), follower=True) for b in bodies]
    springs = [fx.ElasticSupport(b.end, (1.0, 1.0), rotation=1.0) for b in bodies]
    return fx.Model(*bodies, *joints, *held, *loads, *springs, fx.Gravity((0.0, -1.0)))


def counted(system: fx.System) -> dict[str, int]:
    """Calls of force and tangent kernels in one residual, one tangent and one linearisation."""
    calls = {"force": 0, "tangent": 0}

    def count(kind: str, kernel: Any) -> Any:
        def call(*arguments: Any) -> int:
            calls[kind] += 1
            return kernel(*arguments)

        return None if kernel is None else call

    system.terms = tuple(
        replace(t, force=count("force", t.force), tangent=count("tangent", t.tangent)) for t in system.terms
    )
    dyn, q = held(system, np.ones(len(system.model.loads))), system.coordinates.reference.copy()
    calls.update(force=0, tangent=0)
    forces(dyn, q)
    EquationsOfRest(dyn).tangent(Point(q, np.zeros(dyn.n_v), np.zeros(0)))
    linearised(dyn, q)
    return calls


@pytest.mark.parametrize("shape", [(5, 20), (40, 500), (1000, 20)])
def test_calls_depend_on_types_only(line: Maker, shape: tuple[int, int]) -> None:
    """Types: elements, followers, two kinds of springs (each with a tangent), and dead loads (without)."""
    system = fx.compile_model(grid(line, *shape))
    assert len(system.terms) == 5
    n_e = shape[0] * shape[1]
    # residual: 5 forces; tangent: 4 tangents and the force of dead loads; linearise: twice as much.
    assert counted(system) == {"force": 5 + 1 + 2, "tangent": 4 + 2 * 4}
    # Entries: at most three nodes of four coordinates in a column, and a crossing of five at a hinge.
    assert len(system.pattern.indices) < 4 * 12 * (n_e + 8 * shape[0])
    assert system.n < 4 * (n_e + shape[0])


def test_entries_of_a_chain_are_counted_exactly(line: Maker) -> None:
    """n nodes in a row with 4 coordinates: 16 (3 n - 2) entries, less the clamp's."""
    for elements in (500, 20_000):
        body = line(elements=elements, stiffness=THIN)
        free = fx.compile_model(fx.Model(body))
        assert len(free.pattern.indices) == 16 * (3 * (elements + 1) - 2)
        assert free.half_band == 7
        assert len(free.workspace().solver.data) == 22 * free.n + 1
        clamped = fx.compile_model(fx.Model(body, fx.Clamp(body.start)))
        # The first node keeps one of four: it loses 16 - 1 of its own and (4 - 1) * 4 on either side.
        assert len(free.pattern.indices) - len(clamped.pattern.indices) == 15 + 24


def test_the_check_of_supports_is_linear_in_the_bodies(line: Maker) -> None:
    """The matrix of rigid motions has a bounded number of entries a body."""
    from flexmbs.analysis import rigidity

    sizes = []
    for members in (50, 200):
        gram, _ = rigidity._resistance(fx.compile_model(grid(line, members, 4)))
        assert gram.shape == (3 * members, 3 * members)
        assert not rigidity.is_loose(fx.compile_model(grid(line, members, 4)))
        sizes.append(gram.nnz / members)
    assert sizes[1] == pytest.approx(sizes[0], rel=0.05)


def test_grids_are_solved(line: Maker) -> None:
    """A hundred members beside each other, each a cantilever of its own: the same result in every one."""
    bodies = [line((0, i), (1, i), 10, stiffness=THIN, name=f"m{i}") for i in range(100)]
    loads = [fx.PointForce(b.end, (0.0, -2.0)) for b in bodies]
    solution = fx.solve_static(fx.Model(*bodies, *[fx.Clamp(b.start) for b in bodies], *loads))
    tips = np.array([solution.displacement(b.end, step=-1)[:2] for b in bodies])
    alone = fx.solve_static(fx.Model(bodies[0], fx.Clamp(bodies[0].start), loads[0]))
    assert np.allclose(tips, alone.displacement(bodies[0].end, step=-1)[:2], rtol=0, atol=1e-7)


@pytest.mark.parametrize("pinned", [1, 2])
def test_cable_along_a_beam_turns_with_it(pinned: int) -> None:
    """A slope and a small rotation that are clamped to each other at one end, hinged at the other."""
    stiffness = fx.BeamStiffness(EA=1e4, EI_z=1.0, mass_per_length=1.0)
    ends = [(0, 0), (1, 0)]
    cable = fx.FlexibleBody.line(
        *ends, elements=3, element=fx.elements.ANCFCable2D(), stiffness=stiffness, name="cable"
    )
    beam = fx.FlexibleBody.line(*ends, elements=3, element=fx.elements.LinearBeam2D(), stiffness=stiffness, name="beam")
    joints = [fx.FixedJoint(cable.start, beam.start), fx.RevoluteJoint(cable.end, beam.end)]
    pins = [fx.Pin(cable.start), fx.Roller(beam.end, (0, 1))][:pinned]
    system = fx.compile_model(fx.Model(cable, beam, *joints, *pins))
    assert rigidity.free_motions(system).shape[1] == 2 - pinned
