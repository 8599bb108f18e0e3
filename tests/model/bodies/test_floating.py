"""Bodies in floating frames: descriptions, their checks, and small models of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

import flexmbs as fx
from tests.models.floating import PLASTIC, bar

G = np.array([0.0, 0.0, -9.81])


@cache
def held_by_a_spring() -> Any:
    """A part with springs to the ground is not free."""
    mesh = fx.meshes.box((0.0, -0.03, -0.05), (1.0, 0.06, 0.1), (4, 1, 1))
    spring = fx.linear.NodalSpring(0, stiffness=(1e6, 1e6, 1e6))
    region = fx.linear.Region(None, fx.elements.Hexahedron8(), PLASTIC)
    return fx.reduction.reduce(
        fx.linear.Part(mesh, regions=[region], connections=[spring], name="held"), ["right"], 2, progress=False
    )


def thin() -> Any:
    """A line without inertia about itself."""
    rod = fx.BeamStiffness(EA=1e4, EI_z=1.0, GJ=1.0, mass_per_length=0.1)
    region = fx.linear.Region(None, fx.elements.Frame(section=rod))
    part = fx.linear.Part(fx.meshes.line((0, 0, 0), (1, 0, 0), 2), regions=[region])
    return fx.reduction.reduce(part, ["start", "end"], 2, progress=False)


def nodes_only() -> Any:
    mesh = fx.meshes.box((0.0, -0.03, -0.05), (1.0, 0.06, 0.1), (4, 1, 1))
    part = fx.linear.Part(mesh, regions=[fx.linear.Region(None, fx.elements.Hexahedron8(), PLASTIC)], name="bar")
    return fx.reduction.reduce(part, [fx.reduction.Interface("left", kind="nodes"), "right"], 0, progress=False)


def truncated() -> Any:
    """Rigid motions and free modes are the coordinates, so that none is that of an interface."""
    mesh = fx.meshes.box((0.0, -0.03, -0.05), (1.0, 0.06, 0.1), (4, 1, 1))
    part = fx.linear.Part(mesh, regions=[fx.linear.Region(None, fx.elements.Hexahedron8(), PLASTIC)], name="bar")
    return fx.reduction.reduce(
        part, ["left", "right"], progress=False,
        method=lambda a: fx.reduction.modal_truncation(a.operators.K, a.operators.M, 6,
        rigid=a.operators.rigid_motions()),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: fx.FloatingBody("bar"), "reduced must be a ReducedModel"),
        (lambda: fx.FloatingBody(replace(bar(), inertia=None)), "no exact inertia"),
        (lambda: fx.FloatingBody(replace(bar(), inertia=replace(bar().inertia, exact=False))), "no exact inertia"),
        (lambda: fx.FloatingBody(bar(), modes=7), "7 modes were asked for, but the reduced model has 6"),
        (lambda: fx.FloatingBody(bar(), modes=-1), "modes"),
        (lambda: fx.FloatingBody(bar(), reference="top"), "no interface named 'top'"),
        (lambda: fx.FloatingBody(nodes_only(), reference="left"), "has 12 coordinates; a frame is fixed to a rigid"),
        (lambda: fx.FloatingBody(nodes_only()).interface("left"), "kind 'nodes' has no frame; use node"),
        (lambda: fx.FloatingBody(held_by_a_spring()), r"must be free.*1e\+06 \[force/length\] at node 0"),
        (lambda: fx.FloatingBody(replace(bar(), K=np.zeros_like(bar().K)), reference="left"), "can move freely"),
        (lambda: fx.FloatingBody(truncated(), reference="left"), "'left' is not among its coordinates"),
        (lambda: fx.FloatingBody(truncated(), reference=("left", 3)), "'left' is not among its coordinates"),
        (lambda: fx.FloatingBody(truncated()).interface("right"), "'right' is not among its coordinates"),
        (lambda: fx.FloatingBody(truncated()).marker((1.0, 0.0, 0.0)), "'right' is not among its coordinates"),
        (lambda: fx.FloatingBody(bar(), reference=("left", "left")), "the two places of its reference are one"),
        (lambda: fx.FloatingBody(bar(), reference=("left", 1000)), "node 1000 of its reference has no displacements"),
        (lambda: fx.FloatingBody(bar(), reference=("left", "top")), "no interface named 'top'"),
        (lambda: fx.FloatingBody(thin(), reference=("start", "end")), "can move without inertia. Give beams rotary"),
        (lambda: fx.FloatingBody(bar(), reference=3), "reference must be 'mean', the name of an interface or a pair"),
        (lambda: fx.FloatingBody(replace(bar(), K=0 * bar().K), reference=("left", "right")), "can move freely"),
        (lambda: fx.FloatingBody(bar(), damping=-0.1), "damping"),
        (lambda: fx.FloatingBody(bar(), damping=[0.1, -0.1, 0, 0, 0, 0]), "must not be negative"),
        (lambda: fx.FloatingBody(bar(), damping=[0.1]), "damping"),
        (lambda: fx.FloatingBody(bar(), deformation=[0.0]), "deformation"),
        (lambda: fx.FloatingBody(bar(), deformation_rate=[0.0]), "deformation_rate"),
        (lambda: fx.FloatingBody(bar(), position=(0, 0)), "position"),
        (lambda: fx.FloatingBody(bar(), velocity=(0, np.nan, 0)), "velocity"),
        (lambda: fx.FloatingBody(bar(), rotation=2 * np.eye(3)), "rotation"),
        (lambda: fx.FloatingBody(bar(), name=""), "name"),
        (lambda: fx.FloatingBody(bar()).interface("top"), "no interface named 'top'"),
        (lambda: fx.FloatingBody(bar()).node(1000), "node 1000 has no displacements"),
        (lambda: fx.FloatingBody(bar()).node(-1), "number"),
        (lambda: fx.FloatingBody(bar()).marker((0.3, 0.0, 0.0)), "neither an interface nor a node is at"),
        (lambda: fx.FloatingBody(bar()).stresses(np.zeros(6)), "made without stresses"),
    ],
)  # fmt: skip
def test_bad_input_is_refused(make: Callable[[], Any], message: str) -> None:
    with pytest.raises(fx.ModelError, match=message):
        make()


def test_planar_gravity_is_refused() -> None:
    with pytest.raises(fx.ModelError, match="acceleration has 2 components, but body 'bar' moves in space"):
        fx.compile_model(fx.Model(fx.FloatingBody(bar()), fx.Gravity((0.0, -9.81))))


@pytest.mark.parametrize("reference", ["mean", "left"])
def test_markers_by_name_number_and_place_are_the_same(reference: str) -> None:
    body = fx.FloatingBody(bar(), reference=reference, position=(0.3, 0.2, 0.1), rotation=[0.5, 0.5, 0.5, 0.5])
    face, there = body.interface("right"), body.marker((1.0, 0.0, 0.0))
    assert np.array_equal(face.phi, there.phi)
    assert np.allclose(face.position0(), np.array((0.3, 0.2, 0.1)) + body.rotation @ (1.0, 0.0, 0.0), atol=1e-15)
    corner = body.marker(bar().points[3])
    assert np.array_equal(corner.phi, body.node(3).phi)
    assert not corner.rotates
    assert face.rotates
    assert body.marker_at(face.position0()).name == "right"


def test_no_shape_of_a_mean_frame_has_momentum() -> None:
    """Buckens' conditions: shapes carry neither linear nor angular momentum in the undeformed state."""
    body = fx.FloatingBody(bar())
    size = np.sqrt(body.mass)
    assert np.abs(body.inertia.P).max() < 1e-9 * size
    assert np.abs(body.inertia.rotation).max() < 1e-9 * size
    assert np.abs(body.inertia.first).max() < 1e-12 * body.mass


def test_no_shape_of_a_tangent_frame_moves_its_interface() -> None:
    marker = fx.FloatingBody(bar(), reference="left").interface("left")
    assert not np.abs(marker.phi).any()
    assert not np.abs(marker.psi).any()


@pytest.mark.parametrize("place", ["right", "a corner"])
def test_no_shape_of_a_chord_frame_leaves_the_line(place: str) -> None:
    """The first end rests but for turns across the line, the second moves along it only."""
    second: Any = place if place == "right" else int(np.argmax(bar().points @ (1.0, 0.1, 0.1)))
    body = fx.FloatingBody(bar(), reference=("left", second))
    end = body.interface(second) if isinstance(second, str) else body.node(second)
    begin = body.interface("left")
    along = end.point / np.linalg.norm(end.point)
    size = np.abs(end.phi).max()
    assert size > 0.0
    assert np.abs(begin.phi).max() < 1e-9 * size
    assert np.abs(along @ begin.psi).max() < 1e-9 * np.abs(begin.psi).max()
    assert np.abs(end.phi - np.outer(along, along @ end.phi)).max() < 1e-9 * size
    assert body.modes == bar().size - 6


def test_held_body_has_the_frequencies_of_the_reduced_model() -> None:
    """In all frames; a frame that is not held has to follow its interface then."""
    expected = bar().angular_frequencies("left") / (2.0 * np.pi)
    for reference in ("mean", "left", ("left", "right")):
        body = fx.FloatingBody(bar(), reference=reference)
        modes = fx.solve_modal(fx.Model(body, fx.FixedJoint(fx.ground, body, at=(0, 0, 0))))
        np.testing.assert_allclose(modes.frequencies, expected, rtol=1e-7)


def test_free_body_has_those_of_the_free_part() -> None:
    expected = bar().angular_frequencies()[6:] / (2.0 * np.pi)
    found = fx.solve_modal(fx.Model(fx.FloatingBody(bar(), reference="left")), 12).frequencies
    np.testing.assert_allclose(np.sort(found)[-6:], expected, rtol=1e-7)


@pytest.mark.parametrize("reference", ["mean", "left"])
def test_sag_under_weight(reference: str) -> None:
    """The reduced model says how far the end of a stiff bar sinks; the frame adds its turn squared only."""
    reduced = bar()
    free = np.setdiff1d(np.arange(reduced.size), reduced.frame("left").coordinates)
    u = np.zeros(reduced.size)
    u[free] = np.linalg.solve(reduced.K[np.ix_(free, free)], (reduced.inertia.P.T @ G)[free])
    expected = u[reduced.frame("right").coordinates[2]]
    body = fx.FloatingBody(reduced, reference=reference)
    model = fx.Model(body, fx.FixedJoint(fx.ground, body, at=(0, 0, 0)), fx.Gravity(G))
    found = fx.solve_static(model).position(body.interface("right"))[-1, 2]
    assert abs(found / expected - 1.0) < (expected**2 if reference == "mean" else 1e-9) + 1e-9


def test_rigid_motions_in_the_basis_are_left_out() -> None:
    """Mean axes take the elastic modes of a basis with rigid columns: those of a free part, with their nodes."""
    body, whole = fx.FloatingBody(truncated()), fx.FloatingBody(bar(modes=20))
    assert body.modes == 6
    np.testing.assert_allclose(body.frequencies[:4], whole.frequencies[:4], rtol=1e-3)
    size = np.sqrt(body.mass)
    assert np.abs(body.inertia.P).max() < 1e-8 * size
    assert np.abs(body.inertia.rotation).max() < 1e-8 * size
    assert body.node(3).phi.shape == (3, 6)


def test_report_knows_the_mass_and_its_centre() -> None:
    body = fx.FloatingBody(
        bar(), reference="left", position=(0.0, 1.0, 0.0), rotation=[np.sqrt(0.5), 0, 0, np.sqrt(0.5)]
    )
    report = fx.model_report(fx.Model(body, name="one"))
    assert abs(report.mass - 1200.0 * 0.006) < 1e-12
    np.testing.assert_allclose(report.centre, (0.0, 1.5, 0.0), atol=1e-12)
    assert "floating body 'bar': mass 7.2 kg" in str(report.system.model)


def test_mean_and_tangent_frames_give_one_shape() -> None:
    """Their shapes span the same motions to first order: the difference grows with the square of the load."""
    apart = []
    for factor in (1.0, 4.0):
        ends = []
        for reference in ("mean", "left"):
            body = fx.FloatingBody(bar(), reference=reference)
            model = fx.Model(body, fx.FixedJoint(fx.ground, body, at=(0, 0, 0)), fx.Gravity(factor * G))
            ends.append(fx.solve_static(model).position(body.interface("right"))[-1])
        apart.append(np.abs(ends[0] - ends[1]).max())
    assert apart[1] > 1e-6
    assert abs(np.log2(apart[1] / apart[0]) / 2.0 - 2.0) < 0.2


def test_energy_is_balanced_where_gravity_varies() -> None:
    """The work of gravity with a history is that of a load; the trapezoidal rule of the balance is of second order."""

    def lost(step: float) -> float:
        body = fx.FloatingBody(bar(), reference="left", velocity=(0.0, 0.0, 0.5), angular_velocity=(0.1, 0.4, 0.2))
        weight = fx.Gravity(G, history=lambda t: np.cos(20.0 * t))
        run = fx.simulate(fx.Model(body, weight), 0.2, step=step, integrator=fx.GeneralizedAlpha(rho_inf=1.0))
        assert np.abs(run.energy.work_loads).max() > 1.0
        return float(np.abs(run.energy.balance).max())

    coarse, fine = lost(1e-3), lost(5e-4)
    assert coarse < 0.05
    assert fine < 0.3 * coarse


def test_energy_is_balanced_in_a_chain() -> None:
    """Two bodies in frames of both kinds on hinges, without damping of any kind."""
    body = fx.FloatingBody(bar(), reference="left", name="one")
    other = fx.FloatingBody(bar(), position=(1.0, 0.0, 0.0), name="other")
    hinge = fx.RevoluteJoint(fx.ground, body, at=(0, 0, 0), axis=(0, 1, 0), name="hinge")
    elbow = fx.RevoluteJoint(body, other, at=(1, 0, 0), axis=(0, 1, 0), name="elbow")
    model = fx.Model(body, hinge, other, elbow, fx.Gravity(G))
    off = []
    for step in (1e-3, 5e-4):
        run = fx.simulate(model, 0.2, step=step, integrator=fx.GeneralizedAlpha(rho_inf=1.0))
        off.append(np.abs(run.energy.balance).max() / np.ptp(run.energy.potential))
    assert off[0] < 1e-3
    assert off[1] < 0.3 * off[0]
