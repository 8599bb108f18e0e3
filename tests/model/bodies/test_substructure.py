"""Substructures and chains of them: descriptions, their checks, files, and small motions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import flexmbs as fx
from flexmbs.dynamics.evaluation import Dynamics
from flexmbs.kernels.steps import retract
from flexmbs.system.substructure_set import substructure_sets
from flexmbs.visualization.time_views import scene
from tests.models.floating import PLASTIC, bar

ROD = fx.BeamStiffness(EA=1e4, EI_z=1.0, GJ=1.0, mass_per_length=0.1, rhoI_y=1e-4, rhoI_z=1e-4)
ELEMENT = fx.elements.Frame(section=ROD)
THIN = fx.elements.Frame(section=fx.BeamStiffness(EA=1e4, EI_z=1.0, GJ=1.0, mass_per_length=0.1))
HUB = fx.RigidBody(5.0, (1, 1, 1), name="hub")
TIP = fx.RigidBody(1.0, (0.1, 0.1, 0.1), (1, 0, 0), name="tip")


@cache
def arch() -> Any:
    mesh = fx.meshes.polyline([(0, 0, 0), (0.5, 0.1, 0), (1, 0, 0)], [2, 2])
    part = fx.linear.Part(mesh, regions=[fx.linear.Region(None, ELEMENT)], name="arch")
    return fx.reduction.reduce(
        part, [fx.reduction.Interface("START", nodes=[0]), fx.reduction.Interface("END", nodes=[4])], 2, progress=False
    )


def between(reduced: Any, **options: Any) -> fx.Substructure:
    return fx.Substructure(reduced, HUB, TIP, ("left", "right"), **options)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: fx.Substructure("bar", HUB, TIP), "reduced must be a ReducedModel"),
        (lambda: fx.Substructure(bar(), HUB, fx.ground), "end must be a RigidBody or a SectionFrame"),
        (lambda: fx.Substructure(bar(), None, TIP), "start must be a RigidBody"),
        (lambda: fx.Substructure(bar(), HUB, HUB), "start and end are the same body"),
        (lambda: fx.Substructure(bar(), HUB, TIP), "no interface named 'START'"),
        (lambda: fx.Substructure(bar(), HUB, TIP, ("left", "left")), "names of two interfaces"),
        (lambda: between(replace(bar(), inertia=None)), "no exact inertia"),
        (lambda: between(replace(bar(), stiffening=None)), "no chain of lines and has no second-order displacements"),
        (lambda: fx.Substructure(arch(), HUB, TIP), "its line is not straight"),
        (lambda: between(bar(), geometric_stiffening=False, retardation_time=-1.0), "retardation_time"),
        (lambda: between(bar(), geometric_stiffening=False, ratio=2.0), "ratio"),
        (lambda: between(bar(), geometric_geometric_stiffening="yes"), "geometric_stiffening"),
        (lambda: between(replace(bar(), K=np.zeros_like(bar().K)), geometric_stiffening=False), "can move freely"),
        (lambda: fx.SectionFrame((0, 0)), "position"),
        (lambda: fx.SectionFrame((0, 0, 0), name=""), "name"),
        (lambda: fx.Model(HUB, fx.SectionFrame((0, 0, 0))), "no Substructure ends in it"),
        (lambda: fx.SubstructuredBeam([(0, 0, 0)], HUB, element=ELEMENT), "two corners or more"),
        (lambda: fx.SubstructuredBeam([(0, 0, 0), (0, 0, 0)], HUB, element=ELEMENT), "each at another place"),
        (lambda: fx.SubstructuredBeam([(0, 0, 0), (1, 0, 0)], "hub", element=ELEMENT), "start must be a RigidBody"),
        (lambda: fx.SubstructuredBeam.straight((0, 0, 0), (1, 0, 0), HUB, n=0, element=ELEMENT), "n must"),
        (lambda: fx.SubstructuredBeam([(0, 0, 0), (1, 0, 0)], HUB, element=ELEMENT, elements=0), "elements"),
        (lambda: fx.SubstructuredBeam([(0, 0, 0), (1, 0, 0)], HUB, element=THIN), "end rx can move without inertia"),
    ],
)
def test_what_is_refused(make: Callable[[], Any], message: str) -> None:
    with pytest.raises(fx.ModelError, match=message):
        make()


def test_bodies_have_to_be_in_the_model() -> None:
    boom = fx.SubstructuredBeam.straight((0, 0, 0), (1, 0, 0), HUB, TIP, n=2, element=ELEMENT, elements=2, modes=2)
    with pytest.raises(fx.ModelError, match="body 'tip' is not in the model"):
        fx.Model(HUB, *boom.items)


@pytest.mark.parametrize(
    ("scheme", "message"),
    [(fx.RadauIIA(), "has a mass that changes"), (fx.EnergyMomentum(), "has a mass that changes")],
)
def test_schemes_of_constant_mass_refuse_them(scheme: Any, message: str) -> None:
    boom = fx.SubstructuredBeam.straight((0, 0, 0), (1, 0, 0), HUB, element=ELEMENT, elements=2, modes=2)
    with pytest.raises(fx.ModelError, match=message):
        fx.simulate(fx.Model(HUB, *boom.items), 0.1, step=0.01, integrator=scheme)


def tumbling() -> tuple[fx.Model, fx.SubstructuredBeam]:
    hub = fx.RigidBody(5.0, (1, 1.2, 0.8), (-0.1, 0.05, 0), name="hub").with_spin((0.3, 0.5, 2.0), (0, 0, 0))
    boom = fx.SubstructuredBeam.straight(
        (0, 0, 0), (1, 0, 0), hub, n=2, element=ELEMENT, elements=3, modes=2, retardation_time=1e-3
    )
    return fx.Model(hub, *boom.items), boom


def test_sections_start_with_the_body_they_hang_on() -> None:
    model, boom = tumbling()
    run = fx.simulate(model, 0.0, step=0.01)
    np.testing.assert_allclose(run.velocity(boom.end)[0], np.cross((0.3, 0.5, 2.0), (1, 0, 0)), atol=1e-12)


def test_energy_balance_and_momentum_of_a_damped_tumbling_body() -> None:
    model, boom = tumbling()
    run = fx.simulate(model, 1.0, step=2e-3)
    P, L = run.momentum()
    assert np.abs(P - P[0]).max() < 1e-4 * np.abs(P[0]).max()
    assert np.abs(L - L[0]).max() < 1e-4 * np.abs(L[0]).max()
    total = run.energy.total
    assert total[-1] < total[0]
    nodes = boom.nodes(run)
    assert nodes.shape == (len(run), 7, 3)
    np.testing.assert_allclose(nodes[:, -1], run.position(boom.end), atol=1e-12)
    np.testing.assert_allclose(nodes[:, 3], run.position(boom.frames[0]), atol=1e-12)


@pytest.mark.parametrize("n", [2, 20])
@pytest.mark.parametrize("rotary", [1e-3, 5e-4])
def test_mass_of_frames_in_common_where_parts_cancel_at_first(rotary: float, n: int) -> None:
    """Of equal substructures in one line what couples translation and rotation of the frame between them cancels.

    Whether to the last digit is chance: such entries had no place in the mass, and the motion was another one, which
    lost a thousandth of its energy.
    """
    rod = fx.BeamStiffness(EA=1e4, EI_z=2.0, GJ=1.5, mass_per_length=0.5, rhoI_y=rotary, rhoI_z=rotary)
    hub = fx.RigidBody(2.0, (0.1, 0.1, 0.1), name="hub")
    boom = fx.SubstructuredBeam.straight(
        (0, 0, 0), (0.75 * n, 0, 0), hub, n=n, element=fx.elements.Frame(section=rod), elements=2, modes=0
    )
    system = fx.compile_model(fx.Model(hub, *boom.items))
    dynamics = Dynamics(system)
    turned, rng = np.empty_like(system.coordinates.reference), np.random.default_rng(0)
    retract(system.coordinates.reference, 0.05 * rng.standard_normal(dynamics.n_v), dynamics.n_linear, turned)
    none = np.zeros(dynamics.n_v)
    dynamics.residual(turned, none, none, np.zeros(0))
    expected = np.diag([2.0] * 3 + [0.1] * 3 + [0.0] * 6 * n)
    (parts,) = substructure_sets(system.model.substructures, system.model, system.coordinates, 0)
    blocks = np.zeros(parts.end)
    parts.write(turned, blocks)
    for dofs, block in zip(parts.dofs, blocks.reshape(n, 12, 12), strict=True):
        expected[np.ix_(dofs, dofs)] += block
    np.testing.assert_allclose(dynamics.mass_matrix.toarray(), expected, atol=1e-12)


def test_energy_of_a_boom_of_equal_substructures() -> None:
    """Undamped, under gravity, by steps of order 4."""
    rod = fx.BeamStiffness(EA=1e4, EI_z=2.0, GJ=1.5, mass_per_length=0.5, rhoI_y=1e-3, rhoI_z=1e-3)
    hub = fx.RigidBody(2.0, (0.1, 0.1, 0.1), name="hub").with_spin((0, 0, 3.0), (0, 0, 0))
    boom = fx.SubstructuredBeam.straight(
        (0, 0, 0), (1.5, 0, 0), hub, n=2, element=fx.elements.Frame(section=rod), elements=2, modes=0
    )
    hinge = fx.RevoluteJoint(fx.ground, hub, at=(0, 0, 0), axis=(0, 0, 1), name="hinge")
    model = fx.Model(hub, *boom.items, hinge, fx.Gravity((0, -9.81, -3.0)))
    run = fx.simulate(model, 0.1, step=2e-4, integrator=fx.RungeKutta())
    assert np.abs(run.energy.balance).max() < 1e-9 * run.energy.kinetic.max()  # 1e-3


def test_an_animation_shows_the_lines() -> None:
    model, boom = tumbling()
    run = fx.simulate(model, 0.02, step=1e-2)
    drawn = {line.label: line for line in scene(run).lines}
    assert {part.name for part in boom.parts} <= set(drawn)
    assert not {frame.name for frame in boom.frames} & set(drawn)
    ends = np.asarray(drawn["beam 1"].points)[:, [0, 7]]
    np.testing.assert_allclose(ends, boom.nodes(run)[:, [0, 3]], atol=1e-12)


def test_nodes_need_the_model_of_the_beam() -> None:
    _, boom = tumbling()
    other, _ = tumbling()
    with pytest.raises(fx.ModelError, match="it is not in model"):
        boom.nodes(fx.simulate(other, 0.0, step=0.01))


def test_a_run_goes_on_bitwise_and_from_a_file(tmp_path: Path) -> None:
    model, boom = tumbling()
    whole = fx.simulate(model, 0.2, step=1e-2)
    half = fx.simulate(model, 0.1, step=1e-2, file=tmp_path / "half.h5")
    rest = fx.simulate(model, 0.2, step=1e-2, start=half)
    np.testing.assert_array_equal(rest.q[-1], whole.q[-1])
    loaded = fx.load(tmp_path / "half.h5")
    np.testing.assert_array_equal(np.array(loaded.q), np.array(half.q))
    assert [part.name for part in loaded.model.substructures] == [part.name for part in boom.parts]
    again = fx.simulate(loaded.model, 0.2, step=1e-2, start=loaded)
    np.testing.assert_array_equal(again.q[-1], whole.q[-1])


def test_the_model_and_its_report_know_the_substructures() -> None:
    model, boom = tumbling()
    assert "substructure 'beam 1' from 'hub' to 'beam section 1': 2 inner modes" in str(model)
    report = fx.model_report(model)
    np.testing.assert_allclose((report.mass, boom.mass), (5.1, 0.1), rtol=1e-12)
    np.testing.assert_allclose(report.centre, np.array([-0.45, 0.25, 0.0]) / 5.1, atol=1e-12)


@pytest.mark.parametrize(
    "scheme", [fx.BDF(max_order=2), fx.AugmentedLagrangian(), fx.RungeKutta()], ids=lambda s: type(s).__name__
)
def test_other_schemes_agree(scheme: Any) -> None:
    """Soft enough for an explicit scheme."""
    soft = fx.BeamStiffness(EA=10.0, EI_z=0.1, GJ=0.1, mass_per_length=1.0, rhoI_y=0.05, rhoI_z=0.05)
    hub = fx.RigidBody(5.0, (1, 1.2, 0.8), (-0.1, 0.05, 0), name="hub").with_spin((0.3, 0.5, 1.0), (0, 0, 0))
    boom = fx.SubstructuredBeam.straight(
        (0, 0, 0), (1, 0, 0), hub, n=1, element=fx.elements.Frame(section=soft), elements=2, modes=0
    )
    model = fx.Model(hub, *boom.items)
    ends = [
        fx.simulate(model, 0.5, step=1e-3, integrator=s).position(boom.end)[-1]
        for s in (fx.GeneralizedAlpha(rho_inf=0.9), scheme)
    ]
    np.testing.assert_allclose(*ends, atol=1e-5)


def test_a_solid_part_between_two_bodies_is_the_same_as_a_floating_body_welded_to_them() -> None:
    """Small motion of a bar between two bodies: frequencies of both descriptions."""
    mesh = fx.meshes.box((0.0, -0.03, -0.05), (1.0, 0.06, 0.1), (6, 1, 1))
    part = fx.linear.Part(mesh, regions=[fx.linear.Region(None, fx.elements.Hexahedron8(), PLASTIC)], name="bar")
    reduced = fx.reduction.reduce(part, ["left", "right"], 6, progress=False)
    clamp = fx.FixedJoint(fx.ground, HUB, at=(0, 0, 0), name="clamp")
    shared = fx.Model(
        HUB, TIP, fx.Substructure(reduced, HUB, TIP, ("left", "right"), geometric_stiffening=False), clamp
    )
    body = fx.FloatingBody(reduced, reference="left", name="bar")
    welded = fx.Model(
        HUB,
        TIP,
        body,
        clamp,
        fx.FixedJoint(HUB, body, at=(0, 0, 0), name="root"),
        fx.FixedJoint(TIP, body, at=(1, 0, 0)),
    )
    found, expected = (
        np.sort(np.asarray(fx.solve_modal(model).angular_frequencies))[-12:] for model in (shared, welded)
    )
    count = min(6, len(found))
    low = np.sort(found[found > 1e-6])[:count]
    np.testing.assert_allclose(low, np.sort(expected[expected > 1e-6])[:count], rtol=1e-6)


def test_a_beam_of_substructures_is_no_item_but_has_some() -> None:
    beam = fx.SubstructuredBeam.straight((0, 0, 0), (1, 0, 0), HUB, n=1, element=ELEMENT)
    with pytest.raises(fx.ModelError, match=r"SubstructuredBeam 'beam'.*neither a body.* Model\(\*boom\.items\)"):
        fx.Model(HUB, beam)
