"""Stress resultants at the points where they are asked for by default, against equilibrium of the cut beam."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import flexmbs as fx
from flexmbs.core.errors import ModelError
from flexmbs.elements import ANCFBeam, GeometricallyExactBeam
from flexmbs.elements.rod_strain import rod_shape

LOAD = 10.0


def bent(axial: float, elements: int = 32) -> tuple[fx.FlexibleBody, fx.StaticSolution]:
    beam = fx.FlexibleBody.line(
        (0, 0),
        (1, 0),
        elements=elements,
        element=fx.elements.ANCFCable2D(),
        stiffness=fx.BeamStiffness(EA=axial, EI_z=1.0, mass_per_length=1.0),
    )
    return beam, fx.solve_static(fx.Model(beam, fx.Clamp(beam.start), fx.PointForce(beam.end, (0.0, LOAD))))


@pytest.mark.parametrize("axial", [1e3, 1e5, 1e7])
def test_normal_force_and_moment_follow_from_equilibrium(axial: float) -> None:
    beam, solution = bent(axial)
    system, body = solution.system, beam
    group, q = system.group(body), solution.q[-1]
    tip = solution.position(beam.end, step=-1)[:2]
    for symbol in ("N", "M"):
        xi = body.element.accurate_points(symbol)
        found = solution.resultant(body, symbol, step=-1)
        assert found.shape == (32, len(xi))
        points = body.element.positions(group, q, xi)
        step = 1e-5
        ahead = body.element.positions(group, q, xi + step) - body.element.positions(group, q, xi - step)
        tangent = ahead / np.linalg.norm(ahead, axis=-1, keepdims=True)
        # The part beyond a cut carries (0, LOAD) at the tip: N = F . t, M = (tip - r) x F about z.
        exact = LOAD * tangent[..., 1] if symbol == "N" else LOAD * (tip[0] - points[..., 0])
        assert np.abs(found - exact).max() < 5e-3 * LOAD


def test_other_points_are_given_by_the_caller() -> None:
    beam, solution = bent(1e3)
    assert solution.resultant(beam, "M", xi=[-1.0, 0.0, 0.5, 1.0], step=-1).shape == (32, 4)
    with pytest.raises(ModelError, match="xi"):
        solution.resultant(beam, "M", xi="everywhere", step=-1)


def test_rotation_vector_is_for_spatial_beams() -> None:
    beam, solution = bent(1e3)
    with pytest.raises(ModelError, match="rotation_vector"):
        solution.rotation_vector(beam.end, step=-1)


FORCE, MOMENT = np.array([0.4, -0.3, 0.9]), np.array([0.6, 0.35, -0.75])


def cut(element: Any, elements: int) -> np.ndarray:
    """Largest errors (6,) of the resultants of an arc, bent and twisted by force and moment at its end."""
    whole = element.cell_type == "line3"
    mesh = fx.meshes.arc(
        (0, 0, 0), radius=2.0, start_angle=0.0, end_angle=1.5, elements=(2 if whole else 1) * elements
    ).in_space()
    body = fx.FlexibleBody(
        fx.meshes.three_node(mesh) if whole else mesh, element, name="arc",
        stiffness=fx.BeamStiffness(EA=1e4, EI_y=2.0, EI_z=3.0, GJ=1.5, GA_y=4e3, GA_z=3e3, mass_per_length=1.2,
                                   rhoI_y=0.003, rhoI_z=0.004),
    )  # fmt: skip
    loads = fx.PointForce(body.end, FORCE.tolist()), fx.Moment(body.end, MOMENT.tolist())
    solution = fx.solve_static(fx.Model(body, fx.Clamp(body.start), *loads))
    nodes = np.array(solution.q[-1]).reshape(body.mesh.n_points, -1)
    if isinstance(element, GeometricallyExactBeam):
        R = Rotation.from_quat(nodes[:, 3:], scalar_first=True).as_matrix()
        nodes = np.hstack((nodes[:, :3], R[:, :, 1], R[:, :, 2]))
    N, _ = rod_shape(element.accurate_points("N"), body.cells.shape[1])
    r, d2, d3 = np.moveaxis(np.einsum("gi,eic->egc", N, nodes[body.cells]).reshape(elements, len(N), 3, 3), 2, 0)
    t3, t1 = d3 / np.linalg.norm(d3, axis=-1)[..., None], np.cross(d2, d3)
    t1 /= np.linalg.norm(t1, axis=-1)[..., None]
    axes = np.stack((t1, np.cross(t3, t1), t3))
    moment = MOMENT + np.cross(nodes[body.end.nodes[0], :3] - r, FORCE)
    exact = np.concatenate((axes @ FORCE, (axes * moment).sum(axis=-1)))
    found = np.stack([solution.resultant(body, symbol, step=-1) for symbol in ("N", "Q_y", "Q_z", "M_x", "M_y", "M_z")])
    return np.abs(found - exact).max(axis=(1, 2))


@pytest.mark.filterwarnings("ignore:Model .* unstable")  # moments of fixed direction have no potential
@pytest.mark.parametrize(
    ("element", "counts", "order"),
    [
        (ANCFBeam(), (4, 8), 2.6),
        (GeometricallyExactBeam(), (4, 8), 2.6),
        (GeometricallyExactBeam(nodes=2), (16, 32), 1.7),
    ],
    ids=["directors", "exact", "two nodes"],
)
def test_beams_in_space_are_in_equilibrium_at_every_cut(element: Any, counts: tuple[int, int], order: float) -> None:
    """Forces to round-off, moments to the third order, or the second with two nodes; in the axes of the section."""
    coarse, fine = (cut(element, n) for n in counts)
    assert fine[:3].max() < 1e-9
    assert fine[3:].max() < 0.01
    assert np.log2(coarse[3:].max() / fine[3:].max()) > order
