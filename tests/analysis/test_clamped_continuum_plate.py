"""Clamps of the fully parameterised plate hold their edges whatever the direction of the edges and of the material."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import flexmbs as fx

MATERIAL = fx.Elastic(youngs_modulus=2e7, poissons_ratio=0.3, density=1000.0)
TURN = Rotation.from_rotvec([1.1, -2.0, 0.7]).as_matrix()


def plane(skew: float = 0.0) -> fx.Mesh:
    """A strip of 1 by 0.4, whose cells lean by ``skew`` times their height."""
    mesh = fx.meshes.rectangle((0, 0), (1, 0.4), (6, 2))
    points = np.pad(mesh.points, ((0, 0), (0, 3 - mesh.points.shape[1])))
    mesh = mesh.with_node_set("middle", np.flatnonzero(np.abs(points[:, 0] - 0.5) < 1e-9))
    return replace(mesh, points=points + skew * points[:, 1:2] * [1.0, 0.0, 0.0])


def shell() -> fx.Mesh:
    """A strip rolled into an eighth of a cylinder, so that the clamped edge is straight and its neighbours are arcs."""
    mesh = plane()
    x, y = mesh.points[:, 0], mesh.points[:, 1]
    angle = 0.25 * np.pi * x
    return replace(mesh, points=np.column_stack((np.sin(angle), y, 1.0 - np.cos(angle))))


def tip(mesh: fx.Mesh, axis: tuple[float, ...], turn: np.ndarray, held: str = "left") -> np.ndarray:
    """Displacement of the loaded nodes, turned back."""
    body = fx.FlexibleBody(
        replace(mesh, points=mesh.points @ turn.T), fx.elements.ANCFPlateFullyParameterized(), material=MATERIAL,
        section=fx.ShellSection(0.03, axis=tuple(turn @ axis)), name="plate",
    )  # fmt: skip
    loads = fx.EdgeLoad(body.set("right"), (turn @ [2.0, 7.5, -3.0]).tolist())
    solution = fx.solve_static(fx.Model(body, fx.Clamp(body.set(held)), loads))
    return np.asarray(solution.displacement(body.set("right"), step=-1) @ turn)


@pytest.mark.parametrize(
    ("mesh", "held"), [(plane(), "left"), (plane(), "middle"), (plane(0.6), "left"), (shell(), "left")],
    ids=["edge", "line inside", "skew", "shell"],
)  # fmt: skip
def test_neither_axis_nor_turn_matters(mesh: fx.Mesh, held: str) -> None:
    """The material is isotropic: results are those of the same structure, to what Newton's method leaves."""
    plain = tip(mesh, (1.0, 0.0, 0.0), np.eye(3), held)
    size = np.abs(plain).max()
    assert size > 1e-4
    for angle in (30.0, 45.0, 100.0):
        axis = (np.cos(np.radians(angle)), np.sin(np.radians(angle)), 0.0)
        np.testing.assert_allclose(tip(mesh, axis, np.eye(3), held), plain, atol=1e-6 * size)
    np.testing.assert_allclose(tip(mesh, (0.8, 0.6, 0.0), TURN, held), plain, atol=1e-6 * size)


@pytest.mark.parametrize("skew", [0.0, 0.6, 1.0])
def test_clamped_edges_do_not_stretch(skew: float) -> None:
    """No point of a clamped edge moves, between the nodes neither."""
    mesh = plane(skew)
    body = fx.FlexibleBody(
        mesh, fx.elements.ANCFPlateFullyParameterized(), material=MATERIAL,
        section=fx.ShellSection(0.03, axis=(0.6, 0.8, 0.0)), name="plate",
    )  # fmt: skip
    load = fx.EdgeLoad(body.set("right"), (0.0, 7.5, 0.0))
    solution = fx.solve_static(fx.Model(body, fx.Clamp(body.set("left")), load))
    group, q0 = solution.system.group(body), solution.system.coordinates.reference
    edge = np.column_stack((np.full(9, -1.0), np.linspace(-1.0, 1.0, 9)))
    moved = body.element.positions(group, solution.q[-1].copy(), edge) - body.element.positions(group, q0, edge)
    at_edge = np.isin(body.cells[:, [0, 3]], body.set("left").nodes).all(axis=1)
    assert at_edge.sum() == 2
    assert np.abs(moved[at_edge]).max() < 1e-12
    assert np.abs(moved[~at_edge]).max() > 1e-5
