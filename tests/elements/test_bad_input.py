"""What an element refuses, and how it says so."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from flexmbs.core.errors import ModelError
from flexmbs.core.section import BeamStiffness
from flexmbs.elements import ANCFBeam, ANCFCable2D, ANCFCable3D, Gauss, LinearBeam2D, LinearBeam3D, Lobatto

CABLES = [ANCFCable2D, ANCFCable3D]
BEAMS = [LinearBeam2D, LinearBeam3D]
THICK = BeamStiffness(EA=1, EI_y=1, EI_z=1, GJ=1, GA_y=1, GA_z=1, mass_per_length=1, rhoI_y=1, rhoI_z=1)


@pytest.mark.parametrize("kind", CABLES)
@pytest.mark.parametrize("strain", ["material", 0, None])
def test_strain_measure_must_be_one(kind, strain):
    with pytest.raises(ModelError, match=rf"{kind.__name__}: strain must be CableStrain\.MATERIAL"):
        kind(strain=strain)


@pytest.mark.parametrize("kind", CABLES)
@pytest.mark.parametrize("name", ["axial", "bending"])
@pytest.mark.parametrize("rule", [3, "Gauss", Gauss])
def test_rules_must_be_rules(kind, name, rule):
    with pytest.raises(ModelError, match=rf"{kind.__name__}: {name} must be a quadrature rule such as Gauss\(3\)"):
        kind(**{name: rule})


@pytest.mark.parametrize("kind", BEAMS)
@pytest.mark.parametrize("shear", [1, "yes", None])
def test_shear_must_be_a_truth_value(kind, shear):
    with pytest.raises(ModelError, match=f"{kind.__name__}: shear must be True or False"):
        kind(shear=shear)


@pytest.mark.parametrize(
    ("up", "why"),
    [((0, 0, 0), "zero vector"), ((0, 1), "shape"), ((0, 0, np.nan), "finite"), ("z", "vector of 3 components")],
)
def test_up_must_be_a_direction(up, why):
    with pytest.raises(ModelError, match=rf"LinearBeam3D: up .*{why}"):
        LinearBeam3D(up=up)


def test_up_is_kept_as_a_unit_vector():
    given = [0.0, 3.0, 4.0]
    assert LinearBeam3D(up=given).up == pytest.approx((0.0, 0.6, 0.8))
    assert given == [0.0, 3.0, 4.0]


def test_up_parallel_to_an_element_names_the_element(on_points):
    points = np.array([[0.0, 0, 0], [1, 0, 0], [1, 0, 2], [2, 0, 2]])
    with pytest.raises(ModelError, match=r"LinearBeam3D: up = .* parallel to the axis of element 1 from \[1.0, 0.0, 0"):
        on_points(LinearBeam3D(), points, stiffness=BeamStiffness(EA=1, EI_z=1, GJ=1, mass_per_length=1))
    on_points(LinearBeam3D(up=(0, 1, 0)), points, stiffness=BeamStiffness(EA=1, EI_z=1, GJ=1, mass_per_length=1))


def test_up_at_the_points_is_refused_where_the_element_has_its_own():
    """An element whose nodes have sections takes it, one without sections has no use for it."""
    import flexmbs as fx

    mesh = fx.meshes.polyline([(0, 0, 0), (1, 0, 0)], [2])
    turned = replace(mesh, point_data={"up": np.tile((0.0, 1.0, 0.0), (3, 1))})
    rod = BeamStiffness(EA=1, EI_z=1, GJ=1, mass_per_length=1)
    with pytest.raises(fx.MeshError, match=r"'beam'.*point data 'up'.*LinearBeam3D\(up=\.\.\.\)"):
        fx.FlexibleBody(turned, element=LinearBeam3D(), stiffness=rod, name="beam")
    for element, nodes in ((ANCFBeam(), fx.meshes.three_node(turned)), (ANCFCable3D(), turned)):
        assert fx.FlexibleBody(nodes, element=element, stiffness=THICK, name="beam").element is element
    region = fx.linear.Region(None, fx.elements.Frame(section=rod))
    with pytest.raises(fx.MeshError, match=r"Part 'frame'.*point data 'up'.*Frame\(up=\.\.\.\)"):
        fx.linear.Part(turned, regions=[region], name="frame")
    assert len(fx.linear.Part(mesh, regions=[region], name="frame").pieces) == 1


def test_spatial_beam_needs_torsional_stiffness(build):
    with pytest.raises(ModelError, match=r"LinearBeam3D: .*torsional stiffness GJ"):
        build(LinearBeam3D(), stiffness=BeamStiffness(EA=1, EI_z=1, mass_per_length=1))


def test_spatial_cable_refuses_unequal_bending_stiffness(build):
    unequal = BeamStiffness(EA=1, EI_z=1, EI_y=1 + 1e-8, mass_per_length=1)
    with pytest.raises(ModelError, match=r"ANCFCable3D: EI_y = 1 and EI_z = 1 must be equal.*LinearBeam3D"):
        build(ANCFCable3D(), stiffness=unequal)
    build(ANCFCable3D(), stiffness=replace(unequal, EI_y=1 + 1e-12))


@pytest.mark.parametrize("name", ["EA", "EI_z", "GJ", "GA_y", "mass_per_length", "retardation_time"])
def test_stiffness_must_be_finite(name):
    with pytest.raises(ModelError, match=f"BeamStiffness: {name} must be finite"):
        BeamStiffness(**{"EA": 1.0, "EI_z": 1.0, "mass_per_length": 1.0, name: np.nan})


def test_elements_take_keywords_only():
    with pytest.raises(TypeError):
        ANCFCable2D(Gauss(3))
    with pytest.raises(TypeError):
        LinearBeam3D((0, 0, 1))
    assert ANCFCable3D(axial=Lobatto(3), bending=Gauss(3)) == ANCFCable3D()


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_kernels_name_the_first_element_that_is_not_finite(element, viscosity, bad, build):
    chain = build(element, False, viscosity)
    q = chain.reference.copy()
    q[chain.group.dofs[2, -1]] = bad  # a coordinate of the last element alone
    forces, refused = chain.attempt(q)
    assert refused == 2
    assert np.isfinite(forces).all()


def test_a_cable_without_length_is_refused(cable, build):
    chain = build(cable)
    assert chain.attempt(np.zeros(chain.n))[1] == 0


def test_a_spatial_arc_bent_straight_is_refused(build):
    chain = build(ANCFCable3D(), True)
    q = chain.reference.reshape(-1, 2, 3).copy()
    direction = q[1, 1].copy()
    q[2, 0] = q[1, 0] + chain.group.L[1] * direction
    q[2, 1] = direction
    assert chain.attempt(q.ravel())[1] == 1
    assert "straight" in chain.element.diagnosis
    values = chain.element.stress_resultants(chain.group, q.ravel(), np.zeros(chain.n), np.array([0.0]))
    np.testing.assert_array_equal(np.isnan(values[:, 0]), [[False] * 4, [False, True, True, True], [False] * 4])


def test_a_planar_arc_bent_straight_has_the_moment_of_its_curvature(build):
    chain = build(ANCFCable2D(), True)
    q = chain.reference.reshape(-1, 2, 2).copy()
    q[:, 0] = q[0, 0] + np.cumsum([0.0, *chain.group.L])[:, None] * q[0, 1]
    q[:, 1] = q[0, 1]
    xi = np.array([-1.0, 1.0]) / np.sqrt(3.0)  # where the curvature of an interpolated arc is most accurate
    values = chain.element.stress_resultants(chain.group, q.ravel(), np.zeros(chain.n), xi)
    np.testing.assert_allclose(values[..., 1], -chain.stiffness.EI_z * 3.0 / 1.5, rtol=0.01)


def test_round_off_of_a_straight_mesh_is_no_curvature(on_points, rng):
    points = np.linspace([0.0, 0, 0], [1.0, 2, 3], 5)
    tangents = np.tile([1.0, 2, 3] / np.sqrt(14.0), (5, 1))
    chain = on_points(ANCFCable3D(), points + 1e-9 * rng.standard_normal(points.shape), tangents)
    np.testing.assert_array_equal(chain.group.kappa0, 0.0)
    _, K = chain.matrix(chain.reference)
    assert np.linalg.eigvalsh(K).min() > -1e-6
