"""Reactions of supports on flexible bodies in motion and in equilibria of models that can move."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import flexmbs as fx
from flexmbs.elements import ANCFBeam, ANCFCable2D, ANCFCable3D, GeometricallyExactBeam, LinearBeam3D

PLAIN = fx.BeamStiffness(
    EA=1e4, EI_y=2.0, EI_z=2.0, GJ=1.5, GA_y=4e3, GA_z=3e3, mass_per_length=1.2, rhoI_y=0.003, rhoI_z=0.004
)


def rod(element: Any) -> fx.FlexibleBody:
    return fx.FlexibleBody.line((0, 0, 0), (1, 1.5, 0.5), elements=4, element=element, stiffness=PLAIN, name="rod")


def held(element: Any, joint: bool) -> tuple[fx.FlexibleBody, fx.Model]:
    body = rod(element)
    root = fx.FixedJoint(fx.ground, body.start, at=(0, 0, 0), name="root") if joint else fx.Clamp(body.start)
    mass = fx.PointMass(0.7, body.mesh.points[body.end.nodes[0]], name="mass")  # a model that moves, whatever the beam
    tie = fx.SphericalJoint(body.end, mass, name="tie")
    return body, fx.Model(body, root, mass, tie, fx.Gravity((0.5, -1.0, -2.0)))


@pytest.mark.parametrize("element", [ANCFBeam(), GeometricallyExactBeam()], ids=["directors", "exact"])
def test_a_clamp_reacts_as_a_joint_does(element: Any) -> None:
    body, clamped = held(element, joint=False)
    _, joined = held(element, joint=True)
    both = []
    for model in (clamped, joined):
        run = fx.simulate(model, 0.3, step=1e-3, output=fx.Output(every=0.1))
        place = body.start if model is clamped else "root"
        moment = run.reaction_moment(place)
        if model is joined:  # in the axes of the marker of the joint
            marker = run.model.joint("root").pairs[0].b
            moment = np.einsum("tij,tj->ti", run.rotation(marker), moment)
        both.append(np.hstack((run.reaction(place), moment)))
    scale = np.abs(both[1]).max()
    np.testing.assert_allclose(both[0][1:], both[1][1:], atol=1e-3 * scale)


@pytest.mark.parametrize(
    "element",
    [ANCFBeam(), GeometricallyExactBeam(), ANCFCable3D(), LinearBeam3D()],
    ids=["directors", "exact", "cable", "linear"],
)
@pytest.mark.filterwarnings("ignore:Body .* turns by")  # the linear beam, which balances all the same
def test_at_rest_they_carry_the_weight(element: Any) -> None:
    body, model = held(element, joint=False)
    solution = fx.solve_static(model)
    weight = np.array([0.5, -1.0, -2.0])
    force, moment = solution.reaction(body.start)[-1], solution.reaction_moment(body.start)[-1]
    np.testing.assert_allclose(force, -weight * (0.7 + body.mass), atol=1e-7)
    tip = solution.position(model.body("mass"))[-1]
    about = moment + np.cross(tip, 0.7 * weight)
    if not isinstance(element, LinearBeam3D):  # which does not move the lever of its loads
        shape = np.reshape(solution.shape(body, -1, 201), (-1, 201, 3))
        weights = np.ones(201)
        weights[[0, -1]] = 0.5
        centre = np.einsum("ept,p->t", shape, weights) / 200.0 / len(shape)
        np.testing.assert_allclose(about, -np.cross(centre, body.mass * weight), atol=2e-3)


def test_springs_are_supports() -> None:
    springs = [[5.0, 1.0, 0.0], [1.0, 8.0, 0.5], [0.0, 0.5, 9.0]]
    found = []
    for element in (ANCFBeam(), GeometricallyExactBeam()):
        body = rod(element)
        mass = fx.PointMass(0.7, (5, 5, 5), name="elsewhere")
        items = fx.ElasticSupport(body.end, springs), fx.Clamp(body.start), fx.PointForce(body.node(4), (1, 2, 3))
        hung = fx.SphericalJoint(fx.ground, mass, at=(5, 5, 5), name="nail")
        solution = fx.solve_static(fx.Model(body, mass, hung, *items))
        away = solution.position(body.end)[-1] - body.mesh.points[body.end.nodes[0]]
        force = solution.reaction(body.end)[-1]
        np.testing.assert_allclose(force, -np.array(springs) @ away, atol=1e-8)
        np.testing.assert_allclose(force + solution.reaction(body.start)[-1], [-1, -2, -3], atol=1e-7)
        np.testing.assert_allclose(solution.reaction_moment(body.end)[-1], 0.0, atol=1e-7)
        found.append(force)
    np.testing.assert_allclose(found[0], found[1], atol=1e-4)


def test_a_rotational_spring_of_an_exact_beam() -> None:
    body = rod(GeometricallyExactBeam())
    root = fx.ElasticSupport(body.start, (1e7, 1e7, 1e7), 4.0)
    solution = fx.solve_static(fx.Model(body, root, fx.PointForce(body.end, (0.1, 0.2, 0.3))))
    tip = solution.position(body.end)[-1]
    np.testing.assert_allclose(solution.reaction_moment(body.start)[-1], -np.cross(tip, (0.1, 0.2, 0.3)), atol=1e-5)


def test_in_the_plane() -> None:
    cable = fx.FlexibleBody.line(
        (0, 0), (2, 0), elements=4, element=ANCFCable2D(),
        stiffness=fx.BeamStiffness(EA=1e5, EI_z=300.0, mass_per_length=1.0), name="cable",
    )  # fmt: skip
    mass = fx.PointMass(0.5, (2, 0), name="mass")
    tie = fx.SphericalJoint(cable.end, mass, name="tie")
    solution = fx.solve_static(fx.Model(cable, mass, tie, fx.Clamp(cable.start), fx.Gravity((0.0, -1.0))))
    np.testing.assert_allclose(solution.reaction(cable.start)[-1], [0.0, 2.5, 0.0], atol=1e-7)
    assert solution.reaction_moment(cable.start)[-1][:2] == pytest.approx([0.0, 0.0], abs=1e-12)
    assert solution.reaction_moment(cable.start)[-1][2] == pytest.approx(2.0 * 1.0 + 2.0 * 0.5, rel=1e-3)


def test_a_body_of_another_model_is_refused() -> None:
    _, model = held(GeometricallyExactBeam(), joint=False)
    solution = fx.solve_static(model)
    with pytest.raises(fx.ModelError, match="body 'rod' is not the one in this model"):
        solution.reaction(rod(GeometricallyExactBeam()).start)
