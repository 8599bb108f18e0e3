"""Beams with directors in models: closed forms, rigid motions, joints, moments, followers, files, and bad input."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import flexmbs as fx
from flexmbs.core.section_matrix import SectionStiffness
from flexmbs.elements import ANCFBeam, ANCFCable3D, GeometricallyExactBeam, LinearBeam3D

PLAIN = fx.BeamStiffness(
    EA=1e4, EI_y=2.0, EI_z=3.0, GJ=1.5, GA_y=4e3, GA_z=3e3, mass_per_length=1.2, rhoI_y=0.003, rhoI_z=0.004
)


def beam(elements=4, end=(2.0, 0, 0), stiffness=PLAIN, up=(0, 0, 1), name="beam"):
    return fx.FlexibleBody.line(
        (0, 0, 0), end, elements=elements, element=ANCFBeam(up=up), stiffness=stiffness, name=name
    )


def arc(elements=8):
    mesh = fx.meshes.three_node(
        fx.meshes.arc((0, 0, 0), radius=1.0, start_angle=0.0, end_angle=math.pi, elements=2 * elements)
    )
    return fx.FlexibleBody(mesh, ANCFBeam(), stiffness=PLAIN, name="arc")


# --- closed forms ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("turns", [0.5, 1.0])
def test_a_moment_rolls_the_beam_up_to_a_circle(turns):
    """Constant curvature M/EI; position and moment converge with the fourth order."""
    errors, moments = [], []
    for elements in (8, 16):
        body = beam(elements)
        M = 2 * math.pi * turns * PLAIN.EI_z / 2.0
        solution = fx.solve_static(fx.Model(body, fx.Clamp(body.start), fx.Moment(body.end, (0, 0, M))))
        radius = PLAIN.EI_z / M
        exact = [radius * math.sin(2.0 / radius), radius * (1 - math.cos(2.0 / radius)), 0.0]
        errors.append(np.linalg.norm(solution.position(body.end, step=-1) - exact))
        moments.append(np.abs(solution.resultant(body, "M_z", step=-1) / M - 1.0).max())
        np.testing.assert_allclose(solution.reaction_moment(body.start, step=-1), [0, 0, -M], atol=1e-6 * M)
    assert errors[1] < errors[0] / 12.0
    assert moments[1] < moments[0] / 12.0
    assert errors[1] < 2e-3


def test_torque_twists_by_its_length_over_its_stiffness():
    body = beam(2)
    solution = fx.solve_static(fx.Model(body, fx.Clamp(body.start), fx.Moment(body.end, (0.6, 0, 0))))
    angle = 0.6 * 2.0 / PLAIN.GJ
    frame = solution.section_frame(body.end, step=-1)
    assert math.atan2(frame[2, 1], frame[1, 1]) == pytest.approx(angle, rel=2e-3)  # two elements of 0.4 rad each
    np.testing.assert_allclose(solution.resultant(body, "M_x", step=-1), 0.6, rtol=1e-3)


def test_small_loads_give_timoshenko_deflections():
    """Exact at the end for a tip force with one element, thanks to reduced integration."""
    body = beam(1)
    F = 1e-7
    solution = fx.solve_static(fx.Model(body, fx.Clamp(body.start), fx.PointForce(body.end, (F, F, F))))
    u = solution.displacement(body.end, step=-1) / F
    L = 2.0
    exact = [L / PLAIN.EA, L**3 / 3 / PLAIN.EI_z + L / PLAIN.GA_y, L**3 / 3 / PLAIN.EI_y + L / PLAIN.GA_z]
    np.testing.assert_allclose(u[0], exact[0], rtol=1e-3)  # bending shortens by the square of the force
    np.testing.assert_allclose(u[1:], exact[1:], rtol=1e-6)


def test_a_force_beside_the_shear_centre_twists():
    at = np.array([0.03, 0.05])
    body = beam(2, stiffness=SectionStiffness.of(PLAIN, shear_centre=at))
    F = 1e-4
    solution = fx.solve_static(fx.Model(body, fx.Clamp(body.start), fx.PointForce(body.end, (0, F, 0))))
    frame = solution.section_frame(body.end, step=-1)
    # The force at the axis has the arm -z to the shear centre: its moment there is +z F about x.
    assert math.atan2(frame[2, 1], frame[1, 1]) == pytest.approx(F * at[1] * 2.0 / PLAIN.GJ, rel=1e-5)


def test_gravity_and_line_load_of_equal_size_agree_and_carry_over():
    body = beam()
    g = 2.0
    clamp = fx.Clamp(body.start)
    weight = fx.solve_static(fx.Model(body, clamp, fx.Gravity((0, 0, -g))))
    load = fx.solve_static(fx.Model(body, clamp, fx.DistributedLoad(body, (0, 0, -1.2 * g))))
    np.testing.assert_allclose(weight.position(body.end, step=-1), load.position(body.end, step=-1), atol=1e-12)
    np.testing.assert_allclose(weight.reaction(body.start, step=-1), [0, 0, 1.2 * g * 2.0], atol=1e-9)


# --- objectivity ----------------------------------------------------------------------------------------------------


def test_prescribed_turns_are_free_of_strain_whatever_the_path():
    """An arc is clamped at one end and turned by two whole turns and a bit: rigid, and no energy is left."""
    body = arc()
    vector = 2 * math.pi * 2.1 * np.array([0.48, 0.6, 0.64])
    solution = fx.solve_static(fx.Model(body, fx.Clamp(body.start)) if False else fx.Model(
        body, fx.Prescribe(body.start, (0.3, 0.2, 0.1), tuple(vector))
    ))  # fmt: skip
    assert solution.strain_energy(step=-1) < 1e-18 * PLAIN.EA
    R = Rotation.from_rotvec(vector).as_matrix()
    expected = body.mesh.points[0] + [0.3, 0.2, 0.1] + R @ (body.mesh.points[-1] - body.mesh.points[0])
    np.testing.assert_allclose(solution.position(body.end, step=-1), expected, atol=1e-9)


def test_the_path_of_the_loads_does_not_matter():
    """Force first, then moment, or the reverse, or together: one equilibrium."""
    body = beam(4)
    tips = []
    for force, moment in (((0, 0.5, 1), (0, 1, 1)), ((0, 1, 1), (0, 0.5, 1)), ((0, 0.5, 1), (0, 0.5, 1))):
        loads = (
            fx.PointForce(body.end, (0.3, 0.5, -0.7), history=fx.Table((0, 0.5, 1), force)),
            fx.Moment(body.end, (0.4, 0.8, 1.5), history=fx.Table((0, 0.5, 1), moment)),
        )
        tips.append(fx.solve_static(fx.Model(body, fx.Clamp(body.start), *loads)).position(body.end, step=-1))
    np.testing.assert_allclose(tips[1], tips[0], atol=1e-8)
    np.testing.assert_allclose(tips[2], tips[0], atol=1e-8)


def test_free_flight_keeps_momentum_and_energy():
    body = beam(3)
    spin = fx.InitialVelocity(body, velocity=(0.3, 0, 0.1), angular_velocity=(1.0, 2.0, 3.0), about=(0.4, 0.1, 0))
    run = fx.simulate(fx.Model(body, spin), until=0.5, step=1e-3, output=fx.Output(every=0.1))
    for values in run.momentum():
        np.testing.assert_allclose(values, np.broadcast_to(values[0], values.shape), rtol=1e-4, atol=1e-5)


# --- joints, followers, files -------------------------------------------------------------------------------------


def test_a_rigid_body_fixed_to_the_end_is_as_its_weight_and_moment_there():
    """Statics with a marker: a heavy body off the axis hangs on the tip; the tip sees its force and moment."""
    body = beam(4)
    mass, g = 0.05, 9.81
    tip = fx.RigidBody.box(size=(0.1, 0.1, 0.1), mass=mass, position=(2.0, 0.2, 0), name="tip")
    fixed = fx.FixedJoint(body.end, tip, at=(2.0, 0, 0), name="weld")
    found = fx.solve_static(
        fx.Model(body, tip, fx.Clamp(body.start), fixed, fx.PointForce(tip.centre, (0, 0, -mass * g)))
    )
    end, frame = found.position(body.end)[-1], found.rotation(body.end.marker())[-1]
    arm = frame @ [0.0, 0.2, 0.0]
    moment = np.cross(arm, [0, 0, -mass * g])
    same = fx.solve_static(
        fx.Model(
            body,
            fx.Clamp(body.start),
            fx.PointForce(body.end, (0, 0, -mass * g)),
            fx.Moment(body.end, tuple(moment)),
        )
    )
    np.testing.assert_allclose(end, same.position(body.end, step=-1), atol=1e-7)


def test_a_follower_turns_with_its_section():
    """Torque first, then a small follower: it acts along the turned axis of the section."""
    body = beam(2)
    torque = 0.5 * math.pi * PLAIN.GJ / 2.0 / 2  # a quarter of a half turn
    F = 1e-3
    solution = fx.solve_static(
        fx.Model(
            body,
            fx.Clamp(body.start),
            fx.Moment(body.end, (torque, 0, 0)),
            fx.PointForce(body.end, (0, F, 0), follower=True),
        )
    )
    frame = solution.section_frame(body.end, step=-1)
    np.testing.assert_allclose(solution.reaction(body.start, step=-1), -F * frame[:, 1], atol=1e-8)


def test_markers_turn_with_the_section():
    body = beam(2, up=(0, 1, 0))
    marker = body.end.marker()
    assert marker.spin
    assert marker.rotates
    np.testing.assert_allclose(marker.rotation0(), [[1, 0, 0], [0, 0, 1], [0, -1, 0]], atol=1e-15)


def test_results_come_back_from_files(tmp_path):
    body = beam(2, stiffness=SectionStiffness.of(PLAIN, shear_centre=(0.01, 0.02)))
    solution = fx.solve_static(fx.Model(body, fx.Clamp(body.start), fx.PointForce(body.end, (0, 0.1, 0.2))))
    back = fx.load(solution.save(tmp_path / "beam.h5"))
    again = back.model.body("beam")
    assert again.stiffness == body.stiffness
    np.testing.assert_array_equal(back.position(again.end, step=-1), solution.position(body.end, step=-1))


def test_a_pre_twisted_blade_takes_its_axes_from_the_mesh():
    """Twisted by a quarter turn when free: the end is as if turned, and there is no stress."""
    mesh = fx.meshes.three_node(fx.meshes.line((0, 0, 0), (2, 0, 0), 8))
    angle = 0.25 * math.pi * mesh.points[:, 0]
    up = np.column_stack((0 * angle, -np.sin(angle), np.cos(angle)))
    mesh = fx.meshes.Mesh(mesh.points, mesh.cells, mesh.node_sets, point_data={**mesh.point_data, "up": up})
    body = fx.FlexibleBody(mesh, ANCFBeam(), stiffness=PLAIN, name="blade")
    np.testing.assert_allclose(body.end.marker().rotation0()[:, 2], [0, -1, 0], atol=1e-12)
    solution = fx.solve_static(fx.Model(body, fx.Clamp(body.start), fx.PointForce(body.end, (0, 1e-5, 0))))
    assert abs(solution.displacement(body.end, step=-1)[2]) > 1e-2 * abs(
        solution.displacement(body.end, step=-1)[1]
    )  # coupled


# --- bad input ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"GJ": None}, "lacks GJ"),
        ({"GA_y": None, "GA_z": None}, "lacks GA_y, GA_z"),
        ({"rhoI_y": 0.0}, "rhoI_y = 0 and rhoI_z = .* must be positive"),
    ],
)
def test_what_a_beam_needs(change, why):
    body = beam(2, stiffness=replace(PLAIN, **change))
    with pytest.raises(fx.ModelError, match=why):
        fx.solve_static(fx.Model(body, fx.Clamp(body.start), fx.PointForce(body.end, (0, 1, 0))))


def test_up_along_the_beam_is_refused():
    with pytest.raises(fx.ModelError, match=r"ANCFBeam: up = \(1.0, 0.0, 0.0\) is parallel to the beam at point 0"):
        beam(2, up=(1, 0, 0))


def test_cells_of_two_nodes_are_refused_with_advice():
    with pytest.raises(fx.ModelError, match=r"lives on cells of three nodes; take flexmbs.meshes.three_node"):
        fx.FlexibleBody(fx.meshes.line((0, 0, 0), (1, 0, 0), 2), ANCFBeam(), stiffness=PLAIN)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ((0, 0, -1.0), "diagonal|positive definite"),
        ((0, 1, 1e5), "positive definite|symmetric"),
        ((3, 3, 0.0), "diagonal"),
    ],
)
def test_section_matrices_are_positive_definite(change, why):
    C = np.diag([1e4, 4e3, 3e3, 1.5, 2.0, 3.0])
    C[change[0], change[1]] = C[change[1], change[0]] = change[2]
    with pytest.raises(fx.ModelError, match=why):
        SectionStiffness(matrix=C, mass_per_length=1.0)


def test_asymmetric_section_matrices_are_refused():
    C = np.diag([1e4, 4e3, 3e3, 1.5, 2.0, 3.0])
    C[4, 5] = 0.1
    with pytest.raises(fx.ModelError, match="asymmetry"):
        SectionStiffness(matrix=C, mass_per_length=1.0)


def test_coupling_is_refused_where_it_would_be_ignored():
    coupled = SectionStiffness.of(PLAIN, shear_centre=(0, 0.1))
    with pytest.raises(fx.ModelError, match="no use for a section matrix"):
        fx.FlexibleBody.line((0, 0, 0), (1, 0, 0), elements=2, element=LinearBeam3D(), stiffness=coupled)


def test_two_orientations_at_one_node_are_refused():
    body = beam(2)
    model = fx.Model(
        body, fx.Clamp(body.start), fx.Prescribe(body.start, rotation=(0, 0, 1)), fx.PointForce(body.end, (0, 1, 0))
    )
    with pytest.raises(fx.ModelError, match="both give the orientation"):
        fx.solve_static(model)


def test_up_of_the_mesh_is_checked():
    mesh = fx.meshes.three_node(fx.meshes.line((0, 0, 0), (2, 0, 0), 4))
    for up, why in ((np.tile([1.0, 0, 0], (5, 1)), "point 0.*parallel"), (np.ones((5, 2)), "a vector for every point")):
        bad = fx.meshes.Mesh(mesh.points, mesh.cells, point_data={**mesh.point_data, "up": up})
        with pytest.raises(fx.MeshError, match=why):
            fx.FlexibleBody(bad, ANCFBeam(), stiffness=PLAIN)


def test_a_slender_beam_is_a_cable():
    """Bent far by a force in an oblique direction, where neither shear nor torsion has a part."""
    h = 1e-3
    made_of = {
        "section": fx.Rectangle(width=h, height=h),
        "material": fx.Elastic(youngs_modulus=12.0 / h**4, density=1.0),
    }
    tips = []
    for element in (ANCFBeam(), ANCFCable3D()):
        body = fx.FlexibleBody.line((0, 0, 0), (1, 0, 0), elements=16, element=element, **made_of)
        model = fx.Model(body, fx.Clamp(body.start), fx.PointForce(body.end, (0, 2.0, 1.0)))
        tips.append(fx.solve_static(model).position(body.end, step=-1))
    np.testing.assert_allclose(tips[0], tips[1], atol=2e-5)


def test_sections_turned_against_each_other_are_refused():
    """Here `up` changes its sign from one point to the next."""
    mesh = fx.meshes.three_node(fx.meshes.line((0, 0, 0), (2, 0, 0), 4))
    up = np.tile([0.0, 0.0, 1.0], (5, 1))
    up[3] *= -1.0
    bad = fx.meshes.Mesh(mesh.points, mesh.cells, point_data={**mesh.point_data, "up": up})
    for element in (ANCFBeam(), GeometricallyExactBeam()):
        with pytest.raises(fx.MeshError, match=r"points 2 and 3 are turned by 180 degrees"):
            fx.FlexibleBody(bad, element, stiffness=PLAIN)


def test_an_element_that_folds_is_refused():
    cells = (fx.meshes.CellBlock("line3", np.array([[0, 1, 2]])),)
    for middle in (0.2, 1.4):
        mesh = fx.meshes.Mesh(np.array([[0.0, 0, 0], [1, 0, 0], [middle, 0, 0]]), cells,
                       point_data={"tangent": np.tile([1.0, 0, 0], (3, 1))})  # fmt: skip
        with pytest.raises(fx.MeshError, match="middle node of element 0 is at"):
            fx.FlexibleBody(mesh, ANCFBeam(), stiffness=PLAIN)
