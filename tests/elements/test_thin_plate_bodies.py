"""Bodies of thin plates: supports of edges, curved shapes, joints."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest

import flexmbs as fx
from flexmbs.core.errors import MeshError
from flexmbs.dynamics.evaluation import Dynamics
from flexmbs.elements import ANCFThinPlate

MATERIAL = fx.Elastic(youngs_modulus=1e7, density=1000.0, poissons_ratio=0.3)


def square(n: int, element: ANCFThinPlate | None = None) -> fx.FlexibleBody:
    return fx.FlexibleBody.plate(
        (1.0, 1.0),
        elements=(n, n),
        element=element or ANCFThinPlate(),
        section=fx.ShellSection(0.01),
        material=MATERIAL,
    )


@pytest.mark.parametrize("mixed", [True, False])
def test_held_edges_stay_straight_between_their_nodes(mixed: bool) -> None:
    body = square(2, ANCFThinPlate(mixed=mixed))
    sides = [fx.Pin(body.set(side)) for side in ("left", "right", "bottom", "top")]
    solution = fx.solve_static(fx.Model(body, *sides, fx.Gravity((0.0, 0.0, -9.81))))
    group = solution.system.group(body)
    xi = np.column_stack((np.linspace(-1, 1, 9), -np.ones(9)))  # the lower edge of the first element
    edge = body.element.positions(group, solution.q[-1], xi)[0]
    np.testing.assert_allclose(edge[:, 1:], 0.0, atol=1e-14)
    np.testing.assert_allclose(edge[:, 0], np.linspace(0.0, 0.5, 9), atol=1e-14)
    assert solution.displacement(body.node(4), step=-1)[2] < -1e-4


def test_clamp_and_roller_meet_at_a_corner() -> None:
    body = square(2)
    model = fx.Model(
        body, fx.Roller(body.set("bottom"), (0, 0, 1)), fx.Clamp(body.set("left")), fx.Gravity((0.0, 0.0, -0.1))
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        solution = fx.solve_static(model)
    assert solution.displacement(body.node(8), step=-1)[2] < 0.0
    np.testing.assert_allclose(solution.displacement(body.set("bottom"), step=-1)[:, 2], 0.0, atol=1e-15)


def test_pressurised_pipe_has_the_hoop_force_of_its_radius() -> None:
    R, p = 2.0, 100.0
    mesh = fx.meshes.cylinder(radius=R, length=1.0, elements=(16, 2))
    body = fx.FlexibleBody(
        mesh, ANCFThinPlate(), section=fx.ShellSection(0.02, axis=(0, 0, 1)),
        material=fx.Elastic(youngs_modulus=1e9, density=1.0, poissons_ratio=0.0),
    )  # fmt: skip
    ends = [fx.Roller(body.set(side), (0, 0, 1)) for side in ("bottom", "top")]
    held = [fx.Roller(body.node(k), d) for k, d in ((0, (0, 1, 0)), (8, (0, 1, 0)), (4, (1, 0, 0)))]
    solution = fx.solve_static(fx.Model(body, *ends, *held, fx.Pressure(body, -p)))
    group = solution.system.group(body)
    q = solution.q[-1]
    at = body.element.accurate_points("N_22")
    hoop = body.element.stress_resultants(group, q, 0 * q, at)[..., 1]
    # a polynomial of third degree is off the circle by a^4 / 384 of its radius, the curvature by a^2 / 12
    np.testing.assert_allclose(np.abs(hoop), p * R, rtol=(math.tau / 16) ** 2 / 12)
    assert abs(np.abs(hoop).mean() / (p * R) - 1.0) < 1e-3


def test_irregular_meshes_name_their_node_and_another_element() -> None:
    points = [(1, 0), (0.5, 0.9), (-0.5, 0.9), (-1, 0), (-0.5, -0.9), (0.5, -0.9), (0, 0)]
    mesh = fx.meshes.Mesh(np.pad(points, ((0, 0), (0, 1))), [("quad", [[0, 1, 2, 6], [2, 3, 4, 6], [4, 5, 0, 6]])])
    with pytest.raises(MeshError, match=r"3 cells meet at the inner node 6.*ANCFShell"):
        fx.FlexibleBody(mesh, ANCFThinPlate(), section=fx.ShellSection(0.01), material=MATERIAL)


def test_plate_on_a_joint_moves_as_on_a_support_and_has_a_bordered_matrix() -> None:
    body = square(12)
    ends = []
    for held in (fx.Pin(body.node(0)), fx.SphericalJoint(fx.ground, body.node(0))):
        system = fx.compile_model(fx.Model(body, held, fx.Gravity((0.0, 0.0, -9.81))))
        run = fx.simulate(system, 0.02, step=1e-3, progress=False)
        ends.append(run.position(body.node(body.mesh.n_points - 1))[-1])
        dyn = Dynamics(system)
        dyn.start_turns(0.0)
        q, still = system.coordinates.reference, np.zeros(dyn.n_v)
        dyn.tangent(q, still, still, np.zeros(dyn.n_c), (0.25 * 1e-3**2, 0.0))
        dyn.factorise()  # which tells whether the part inside of the border is definite
        assert dyn.solver.name == ("CHOLMOD" if isinstance(held, fx.Pin) else "CHOLMOD with a border")
    np.testing.assert_allclose(ends[1], ends[0], atol=1e-8)


def test_a_tumbling_free_shell_keeps_its_momentum_and_energy() -> None:
    mesh = fx.meshes.cylinder(radius=0.2, length=0.3, elements=(3, 3), start_angle=0.0, end_angle=1.5)
    body = fx.FlexibleBody(mesh, ANCFThinPlate(), section=fx.ShellSection(0.004, axis=(0, 0, 1)), material=MATERIAL)
    start = fx.InitialVelocity(body, velocity=(1.0, 0.0, 2.0), angular_velocity=(8.0, 5.0, -3.0))
    changes, drifts = [], []
    for step in (2e-3, 1e-3):
        run = fx.simulate(
            fx.Model(body, start), 0.1, step=step, integrator=fx.GeneralizedAlpha(rho_inf=0.8), progress=False
        )
        linear, angular = run.momentum()
        np.testing.assert_allclose(linear, np.broadcast_to(linear[0], linear.shape), rtol=1e-9, atol=1e-9)
        changes.append(np.linalg.norm(angular - angular[0], axis=1).max() / np.linalg.norm(angular[0]))
        total = run.energy.total
        drifts.append(np.abs(total - total[0]).max() / total[0])
    assert run.energy.strain.max() > 1e-4 * run.energy.kinetic.max()  # it does bend
    assert changes[1] < 1e-3
    assert math.log2(changes[0] / changes[1]) > 1.7  # the scheme keeps angular momentum to its second order
    assert drifts[1] < 2e-3
