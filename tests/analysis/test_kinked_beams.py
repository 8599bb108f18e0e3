"""Beams that meet at an angle: nodal slopes of one frame, slopes of the elements by constant factors."""

from __future__ import annotations

import numpy as np
import pytest

import flexmbs as fx
from flexmbs.elements import ANCFBeam, ANCFBeamFullyParameterized

SOFT = fx.Elastic(youngs_modulus=1e6, density=1.0, poissons_ratio=0.0)
SQUARE = fx.Rectangle(width=0.05, height=0.05)
EI, EA, GA = 1e6 * SQUARE.I_z, 1e6 * SQUARE.area, 5 / 6 * 5e5 * SQUARE.area


def angled(elements, angle=90.0, element=None, mesh=None):
    a = np.radians(angle)
    mesh = mesh or fx.meshes.polyline([(0, 0, 0), (1, 0, 0), (1 + np.cos(a), np.sin(a), 0)], [elements, elements])
    return fx.FlexibleBody(
        mesh, element or ANCFBeamFullyParameterized(poissons_ratio=0.0), section=SQUARE, material=SOFT
    )


def pushed(body, force, at):
    return fx.solve_static(fx.Model(body, fx.Clamp(body.at((0, 0, 0))), fx.PointForce(body.at(at), force)))


@pytest.mark.parametrize("angle", [60, 90, 135])
def test_an_angled_cantilever_bends_by_castigliano(angle):
    a, P = np.radians(angle), 1e-4
    tip = (1 + np.cos(a), np.sin(a), 0)
    n = np.array([-np.sin(a), np.cos(a), 0])
    # force across the second leg: M = P s on it, M = P (1 + x cos a) and shear and stretch on the first
    c = np.cos(a)
    exact = P * (1 / (3 * EI) + (1 + c + c**2 / 3) / EI + (1 + c**2) / GA + np.sin(a) ** 2 / EA)
    errors = []
    for elements in (4, 8, 16):
        body = angled(elements, angle)
        u = pushed(body, P * n, tip).displacement(body.at(tip), step=-1)
        errors.append(u @ n / exact - 1.0)
        assert abs(u[2]) < 1e-12
    assert abs(errors[-1]) < 1.5e-3
    assert abs(errors[0]) > 3 * abs(errors[1])


def test_a_force_out_of_the_plane_twists_the_first_leg():
    P = 1e-4
    GJ = 5e5 * SQUARE.J
    exact = P * (2 / (3 * EI) + 2 / GA + 1 / GJ)
    body = angled(16)
    u = pushed(body, (0, 0, P), (1, 1, 0)).displacement(body.at((1, 1, 0)), step=-1)
    assert u[2] == pytest.approx(exact, rel=3e-3)


def test_a_finer_mesh_does_not_soften_the_corner():
    """Without shear stiffness of its own it would give way by M / (GA l) times a constant, l the length of elements."""
    P = 1e-4
    exact = P * (1 / (3 * EI) + 1 / EI + 1 / GA + 1 / EA)
    body = angled(64)  # elements a third as long as they are thick
    assert pushed(body, (-P, 0, 0), (1, 1, 0)).displacement(body.at((1, 1, 0)), step=-1)[0] == pytest.approx(
        -exact, rel=2e-3
    )


def test_the_numbering_of_cells_does_not_matter():
    straight = angled(4)
    mesh = straight.mesh
    cells = mesh.cells[0].nodes.copy()
    cells[5:] = cells[5:, ::-1]
    cells[2] = cells[2, ::-1]
    turned = angled(4, mesh=fx.meshes.Mesh(mesh.points, (("line", cells),), mesh.node_sets))
    force, tip = (0.02, -0.03, 0.05), (1, 1, 0)
    one, two = (pushed(b, force, tip).displacement(b.at(tip), step=-1) for b in (straight, turned))
    assert np.linalg.norm(one) > 0.1
    np.testing.assert_allclose(two, one, rtol=2e-3)


def test_a_branch():
    """A crossbar at the end of a cantilever: forces on both arms bend the stem, opposed ones twist it."""
    stem = fx.meshes.polyline([(0, 0, 0), (1, 0, 0)], 8)
    bar = fx.meshes.polyline([(1, -0.5, 0), (1, 0, 0), (1, 0.5, 0)], [4, 4])
    body = angled(1, mesh=stem.merged(bar))
    P, tips = 1e-5, ((1, 0.5, 0), (1, -0.5, 0))
    for sign, part in ((1.0, 2 * (1 / (3 * EI) + 1 / GA)), (-1.0, 0.5 / (5e5 * SQUARE.J))):
        loads = [fx.PointForce(body.at(t), (0, 0, s * P)) for t, s in zip(tips, (1.0, sign), strict=True)]
        solution = fx.solve_static(fx.Model(body, fx.Clamp(body.at((0, 0, 0))), *loads))
        exact = P * (part + 0.125 / (3 * EI) + 0.5 / GA)
        assert solution.displacement(body.at(tips[0]), step=-1)[2] == pytest.approx(exact, rel=5e-3)


def test_mass_and_rigid_motion():
    body = angled(3, 70.0)
    assert body.mass == pytest.approx(2.0 * SQUARE.area, rel=1e-12)
    modes = fx.solve_modal(fx.Model(body), 8)
    assert np.abs(modes.frequencies[:6]).max() < 1e-3 * modes.frequencies[6]


def test_free_flight_keeps_momentum():
    body = fx.FlexibleBody(
        fx.meshes.polyline([(0, 0, 0), (1, 0, 0), (1, 1, 0)], [2, 2]), ANCFBeamFullyParameterized(),
        section=fx.Rectangle(width=0.2, height=0.3), material=fx.Elastic(youngs_modulus=1e3, density=1.0),
    )  # fmt: skip
    spin = fx.InitialVelocity(body, velocity=(0.3, 0, 0.1), angular_velocity=(0.5, 0.2, 1.3))
    run = fx.simulate(fx.Model(body, spin), 0.5, step=2e-3, output=fx.Output(every=0.1))
    for values in run.momentum():
        np.testing.assert_allclose(values, np.broadcast_to(values[0], values.shape), atol=1e-5)


def test_other_beams_with_slopes_or_directors_still_refuse_corners():
    mesh = fx.meshes.three_node(fx.meshes.polyline([(0, 0, 0), (1, 0, 0), (1, 1, 0)], [2, 2]))
    with pytest.raises(fx.MeshError, match="turns by 90 degrees"):
        fx.FlexibleBody(mesh, ANCFBeam(), section=SQUARE, material=SOFT)
