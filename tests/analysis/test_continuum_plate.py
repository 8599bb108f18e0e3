"""Plates with folds and branches in models: closed forms of frames, free flight, eigenmodes, large rotations."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import flexmbs as fx
from flexmbs.elements import ANCFPlateFullyParameterized

SOFT = fx.Elastic(youngs_modulus=1e6, density=1.0, poissons_ratio=0.0)
H, B = 0.05, 0.3
EI, EA, GA = 1e6 * B * H**3 / 12, 1e6 * B * H, 5 / 6 * 5e5 * B * H


def panel(n, m, place):
    flat = fx.meshes.rectangle((0, 0), (1, B), (n, m)).in_space()
    return fx.meshes.Mesh(np.array([place(*p[:2]) for p in flat.points]), flat.cells)


def profile(n, m=1, angle=90.0):
    """Two panels of length 1, the second turned by an angle about their common edge."""
    c, s = np.cos(np.radians(angle)), np.sin(np.radians(angle))
    mesh = panel(n, m, lambda x, y: (x, y, 0.0)).merged(panel(n, m, lambda x, y: (1 + c * x, y, s * x)))
    return named(mesh, np.array([1 + c, 0.0, s]))


def named(mesh, tip):
    at_tip = np.flatnonzero(np.linalg.norm((mesh.points - tip)[:, [0, 2]], axis=1) < 1e-9)
    return mesh.with_node_set("root", np.flatnonzero(mesh.points[:, 0] < 1e-9)).with_node_set("tip", at_tip)


def body(mesh, element=None, material=SOFT):
    return fx.FlexibleBody(
        mesh, element or ANCFPlateFullyParameterized(), section=fx.ShellSection(H), material=material
    )


def pushed(plate, force):
    tip = plate.set("tip")
    loads = [fx.PointForce(plate.node(i), np.array(force) / len(tip.nodes)) for i in tip.nodes]
    solution = fx.solve_static(fx.Model(plate, fx.Clamp(plate.set("root")), *loads))
    return np.mean([solution.displacement(plate.node(i), step=-1) for i in tip.nodes], axis=0), solution


def test_a_folded_strip_bends_as_an_angled_beam():
    """Castigliano: the upper panel bends by P, the lower one by the moment P and is stretched by P."""
    P = 1e-4
    exact = P * (1 / (3 * EI) + 1 / EI + 1 / GA + 1 / EA)
    errors = [pushed(body(profile(n)), (P, 0, 0))[0][0] / exact - 1 for n in (2, 4, 8)]
    assert abs(errors[-1]) < 5e-3
    assert abs(errors[0]) > abs(errors[1]) > abs(errors[2])


def test_the_angle_of_a_fold_stays_where_nothing_bends():
    """A moment turns the free panel as a whole."""
    plate = body(profile(4))
    M = 0.05 * EI
    tip = plate.set("tip")
    loads = [fx.Moment(plate.node(i), (0, -M / 2, 0)) for i in tip.nodes]
    solution = fx.solve_static(fx.Model(plate, fx.Clamp(plate.set("root")), *loads))
    low, top = (solution.displacement(plate.node(i), step=-1) for i in (tip.nodes[0], tip.nodes[1]))
    np.testing.assert_allclose(low, top, atol=1e-8)
    # both panels bend by 0.05: the fold turns by 0.05, the tip by 0.1
    fold = plate.at((1, 0, 0))
    np.testing.assert_allclose(solution.displacement(fold, step=-1)[2], (1 - np.cos(0.05)) / 0.05, rtol=5e-3)


@pytest.mark.parametrize("m", [1, 2])
@pytest.mark.parametrize("turned", [(), (0,), (1,), (2,)], ids=["one sense", "clamped half", "free half", "web"])
def test_a_branch_carries_moments_from_plate_to_plate(turned, m):
    """Flange clamped at one end, web at its middle: the moment of a force on the web bends half of the flange.

    Whatever the senses of the cells: with halves of opposite ones the normal at the branch lies along the flange.
    """
    n = 4
    near, far, web = (
        panel(n, m, place)
        for place in (lambda x, y: (x, y, 0.0), lambda x, y: (1 + x, y, 0.0), lambda x, y: (1.0, y, x))
    )
    parts = [
        fx.meshes.Mesh(part.points, tuple(replace(c, nodes=c.nodes[:, ::-1]) for c in part.cells))
        if i in turned
        else part
        for i, part in enumerate((near, far, web))
    ]
    mesh = named(parts[0].merged(parts[1]).merged(parts[2]), np.array([1.0, 0.0, 1.0]))
    P = 1e-4
    exact = P * (1 / (3 * EI) + 1 / EI + 1 / GA + 1 / EA)
    found, solution = pushed(body(mesh), (P, 0, 0))
    assert found[0] == pytest.approx(exact, rel=2e-2)
    plate = solution.model.flexible_bodies[0]
    # the free half of the flange stays straight and turns by the angle P / EI of the branch
    free, branch = (solution.displacement(plate.at((x, 0, 0)), step=-1)[2] for x in (2.0, 1.0))
    assert free - branch == pytest.approx(-P / EI, rel=2e-2)


def test_momentum_and_energy_of_a_folded_plate_in_free_flight():
    plate = body(profile(2, angle=70.0), material=fx.Elastic(youngs_modulus=1e3, density=1.0, poissons_ratio=0.3))
    spin = fx.InitialVelocity(plate, velocity=(0.3, 0, 0.1), angular_velocity=(1.0, 2.0, 0.3))
    run = fx.simulate(fx.Model(plate, spin), 1.0, step=2.5e-3, output=fx.Output(every=0.1))
    for values in run.momentum():
        np.testing.assert_allclose(values, np.broadcast_to(values[0], values.shape), atol=2e-5 * np.abs(values).max())


def test_free_modes_of_a_folded_plate():
    """Six rigid ones; and fold by fold the frequencies come down to those of a finer mesh."""
    modes = fx.solve_modal(fx.Model(body(profile(2))), 8)
    assert np.abs(modes.frequencies[:6]).max() < 1e-3 * modes.frequencies[6]


def test_curved_strip_under_its_end_moment_opens_to_a_straight_one():
    """A half circle, stress-free, is bent straight by EI / R."""
    R = 1.0 / np.pi
    ends = []
    for n in (6, 12):
        mesh = panel(n, 1, lambda x, y: (R * np.sin(np.pi * x), y, R * (1 - np.cos(np.pi * x))))
        plate = fx.FlexibleBody(
            named(mesh, np.array([0.0, 0.0, 2 * R])).with_node_set("root", [0, n + 1]),
            ANCFPlateFullyParameterized(),
            section=fx.ShellSection(0.005),
            material=SOFT,
        )
        moment = 1e6 * B * 0.005**3 / 12 / R
        tip = plate.set("tip")
        loads = [fx.Moment(plate.node(i), (0, moment / 2, 0)) for i in tip.nodes if plate.mesh.points[i, 2] > R]
        solution = fx.solve_static(fx.Model(plate, fx.Clamp(plate.set("root")), *loads))
        ends.append(solution.position(plate.node(n), step=-1))
    errors = [np.linalg.norm(e - (1.0, 0.0, 0.0)) for e in ends]
    assert errors[1] < 0.05
    assert errors[0] / errors[1] > 3.0
