"""What nodes do, of all elements that come with flexmbs: exact identities between their rates, moments and motions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import flexmbs as fx
from flexmbs.core import nodes
from flexmbs.core.rotations import from_quaternion, from_vector, to_quaternion

LAYOUTS: dict[str, Any] = {
    type(e).__name__: e.layout
    for e in (
        fx.elements.ANCFCable2D(),
        fx.elements.ANCFCable3D(),
        fx.elements.LinearBeam2D(),
        fx.elements.LinearBeam3D(),
        fx.elements.ANCFBeam(),
        fx.elements.GeometricallyExactBeam(),
        fx.elements.ANCFBeamFullyParameterized(),
        fx.elements.ANCFThinPlate(),
        fx.elements.ANCFPlateFullyParameterized(),
        fx.elements.ANCFShell(),
    )
}


def sample(layout: Any, n: int = 5) -> tuple[Any, Any]:
    """Coordinates (n, n_q) and points (n, dim) of some nodes."""
    random = np.random.default_rng(3)
    points = random.standard_normal((n, layout.dim))
    width = 7 if layout.quaternion else len(layout.names)
    own = random.standard_normal((n, width))
    if layout.absolute:
        own[:, list(layout.position)] = points
    else:
        own[:, list(layout.position)] = 0.0
    if layout.quaternion:
        own[:, 3:] /= np.linalg.norm(own[:, 3:], axis=1)[:, None]
    return own, points


def turned(layout: Any, own: Any, points: Any, vector: Any, about: Any) -> Any:
    """The coordinates after a rotation of everything about a point; of small rotations to first order."""
    R = from_vector(vector)
    dim, out = layout.dim, own.copy()
    place = np.zeros((len(own), 3))
    place[:, :dim] = points
    moved = ((place - about) @ R.T + about)[:, :dim]
    out[:, list(layout.position)] = moved if layout.absolute else moved - points
    for part in layout.vectors:
        x = np.zeros((len(own), 3))
        x[:, :dim] = own[:, list(part)]
        out[:, list(part)] = (x @ R.T)[:, :dim]
    if layout.quaternion:
        found = np.array([to_quaternion(R @ from_quaternion(q[3:])) for q in own])
        out[:, 3:] = found * np.sign((found * own[:, 3:]).sum(axis=1))[:, None]  # of q and -q the near one
    elif layout.rotation:
        out[:, list(layout.rotation)] += vector[-len(layout.rotation) :]
    return out


def spin_of(layout: Any) -> Any:
    return np.array([0.0, 0.0, 0.7]) if layout.dim == 2 else np.array([0.3, -0.5, 0.7])


@pytest.mark.parametrize("name", LAYOUTS)
def test_rates_are_those_of_a_rotation(name: str) -> None:
    """Against central differences, whose error is of second order."""
    layout = LAYOUTS[name]
    own, points = sample(layout)
    spin, about, h = spin_of(layout), np.array([0.2, 0.1, 0.0]), 1e-5
    rates = nodes.rigid_rates(layout, own, points, np.zeros(3), spin, about)
    after, before = (turned(layout, own, points, s * h * spin, about) for s in (1, -1))
    change = (after - before) / (2 * h)
    if layout.quaternion:  # dq/dt = q (0, Omega) / 2
        half = [2.0 * _vector_part(q[3:], r[3:]) for q, r in zip(own, change, strict=True)]
        change = np.hstack((change[:, :3], half))
    assert rates == pytest.approx(change, abs=1e-8)


def _vector_part(q: Any, r: Any) -> Any:
    """Of conj(q) r."""
    return q[0] * r[1:] - r[0] * q[1:] - np.cross(q[1:], r[1:])


@pytest.mark.parametrize("name", LAYOUTS)
def test_moments_have_the_power_of_their_forces(name: str) -> None:
    """Each node turned about its own place."""
    layout = LAYOUTS[name]
    own, points = sample(layout)
    spin = spin_of(layout)
    pull = np.random.default_rng(4).standard_normal((len(own), len(layout.names)))
    places = np.zeros((len(own), 3))
    places[:, : layout.dim] = points
    power = 0.0
    for k in range(len(own)):
        rates = nodes.rigid_rates(layout, own[k : k + 1], points[k : k + 1], np.zeros(3), spin, places[k])
        power += float(pull[k] @ rates[0])
    assert sum(part @ spin for part in nodes.moments(layout, own, pull)) == pytest.approx(power, rel=1e-12)


@pytest.mark.parametrize("name", LAYOUTS)
def test_rigid_motions_are_rates(name: str) -> None:
    """About the mean of the points, by 1 / size."""
    layout = LAYOUTS[name]
    own, points = sample(layout)
    motions, weights = nodes.rigid_motions(layout, points, own)
    size = np.ptp(points, axis=0).max()
    dim = layout.dim
    centre = np.zeros(3)
    centre[:dim] = points.mean(axis=0)
    axes = np.eye(3)[2:] if dim == 2 else np.eye(3)
    for j, axis in enumerate(axes):
        rates = nodes.rigid_rates(layout, own, points, np.zeros(3), axis / size, centre)
        assert motions[..., dim + j] == pytest.approx(rates, abs=1e-15)
    for c in range(dim):
        rates = nodes.rigid_rates(layout, own, points, np.eye(3)[c], np.zeros(3), centre)
        assert motions[..., c] == pytest.approx(rates, abs=1e-15)
    assert set(weights[list(layout.position)]) == {1.0}


@pytest.mark.parametrize("name", LAYOUTS)
def test_places_in_q(name: str) -> None:
    """Those with quaternions have 7 numbers in q for 6 in v, behind the vector spaces."""
    layout = LAYOUTS[name]
    n_v = len(layout.names)
    dofs = 12 + np.arange(4 * n_v).reshape(4, n_v)
    found = nodes.places_in_q(layout, dofs, 6)
    if layout.quaternion:  # a rigid body is before them
        assert found.tolist() == (13 + np.arange(28)).reshape(4, 7).tolist()
    else:
        assert found is dofs
    assert nodes.positions_in_q(layout, dofs, 6).tolist() == found[:, list(layout.position)].tolist()
