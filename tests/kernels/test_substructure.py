"""Substructures: tangents against differences, energy against forces, mass, and what rigid motions do."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import flexmbs as fx
from flexmbs.core.contracts import FloatArray
from flexmbs.dynamics.evaluation import Dynamics
from flexmbs.dynamics.linearisation import moved

SOFT = fx.BeamStiffness(EA=1e3, EI_z=1.0, EI_y=2.0, GJ=1.0, mass_per_length=0.1, rhoI_y=1e-3, rhoI_z=2e-3)
PLASTIC = fx.Elastic(youngs_modulus=1e4, density=1500.0, poissons_ratio=0.3)


def ends(a: tuple[float, float, float], b: tuple[float, float, float], seed: int) -> tuple[fx.RigidBody, fx.RigidBody]:
    """Two bodies that are turned anyhow and do not lie where the part ends."""
    turned = [Rotation.random(rng=np.random.default_rng(seed + i)).as_matrix() for i in range(2)]
    return (
        fx.RigidBody(5.0, (1.0, 1.5, 2.0), a, turned[0], name="hub"),
        fx.RigidBody(1.0, (0.1, 0.15, 0.2), b, turned[1], name="tip"),
    )


def chain(stiffening: bool = True, damped: bool = True) -> tuple[fx.Model, tuple[fx.Substructure, ...]]:
    """Three substructures of frames around corners, damped in both ways, under gravity."""
    hub, tip = ends((-0.2, 0.3, 0.1), (3.2, 0.1, 0.1), 1)
    corners = [(0, 0, 0), (1, 0.05, -0.02), (2, 0.2, -0.1), (3, 0.4, -0.3)]
    boom = fx.SubstructuredBeam(
        corners, hub, tip, element=fx.elements.Frame(section=SOFT), elements=4, modes=4,
        retardation_time=0.3 * damped, ratio=0.02 * damped, geometric_stiffening=stiffening,
    )  # fmt: skip
    weight = fx.Gravity((0.3, -0.4, -9.8), history=fx.Constant())
    return fx.Model(hub, tip, *boom.items, weight), boom.parts


def block() -> tuple[fx.Model, tuple[fx.Substructure, ...]]:
    """One substructure of hexahedra with displacements of second order."""
    mesh = fx.meshes.box((0.0, -0.1, -0.1), (1.0, 0.2, 0.2), (4, 1, 1))
    part = fx.linear.Part(mesh, regions=[fx.linear.Region(None, fx.elements.Hexahedron8(), PLASTIC)], name="block")
    hub, tip = ends((-0.1, 0.2, 0.1), (1.2, 0.1, -0.1), 5)
    reduced = fx.reduction.reduce(part, ["left", "right"], 3, geometric_stiffening=True, progress=False)
    one = fx.Substructure(reduced, hub, tip, ("left", "right"), retardation_time=0.1)
    return fx.Model(hub, tip, one), (one,)


MODELS = {"chain": chain, "linear chain": lambda: chain(False), "block": block}
UNDAMPED = {"undamped chain": lambda: chain(damped=False)}


class Compiled(NamedTuple):
    """A model that is evaluated."""

    dynamics: Dynamics
    parts: tuple[fx.Substructure, ...]

    def matrix(self, state: tuple[FloatArray, ...], weights: tuple[float, float]) -> FloatArray:
        dyn = self.dynamics
        dyn.T[:] = np.eye(3)
        dyn.tangent(*state, np.zeros(0), weights)
        K = np.zeros((dyn.n_v, dyn.n_v))
        for block in dyn.system.blocks:
            k = block.dofs.shape[1]
            for i, dofs in enumerate(block.dofs):
                K[np.ix_(dofs, dofs)] += dyn.B[block.b1 + i * k * k : block.b1 + (i + 1) * k * k].reshape(k, k)
        return K

    def residual(self, q: FloatArray, v: FloatArray, a: FloatArray) -> FloatArray:
        return np.array(self.dynamics.residual(q, v, a, np.zeros(0)))

    def state(self, seed: int, size: float = 0.04) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Bodies moved and turned, inner modes bent, any velocities and accelerations."""
        rng, dyn = np.random.default_rng(seed), self.dynamics
        q = moved(dyn, dyn.coordinates.reference, size * rng.normal(size=dyn.n_v))
        return q, rng.normal(size=dyn.n_v), rng.normal(size=dyn.n_v)


@cache
def compiled(name: str) -> Compiled:
    model, parts = (MODELS | UNDAMPED)[name]()
    dynamics = Dynamics(fx.compile_model(model))
    dynamics.set_time(0.0)
    return Compiled(dynamics, parts)


def steps(n: int, h: float) -> FloatArray:
    return h * np.eye(n)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", MODELS)
def test_tangents_are_derivatives(name: str, seed: int) -> None:
    given = compiled(name)
    dyn = given.dynamics
    q, v, a = given.state(seed)
    K, D = given.matrix((q, v, a), (1.0, 0.0)), given.matrix((q, v, a), (0.0, 1.0))
    h = 1e-6
    by_q = [given.residual(moved(dyn, q, e), v, a) - given.residual(moved(dyn, q, -e), v, a) for e in steps(dyn.n_v, h)]
    by_v = [given.residual(q, v + e, a) - given.residual(q, v - e, a) for e in steps(dyn.n_v, h)]
    by_a = [given.residual(q, v, a + e) - given.residual(q, v, a - e) for e in steps(dyn.n_v, 1.0)]
    for found, difference in ((K, np.array(by_q).T / 2 / h), (D, np.array(by_v).T / 2 / h)):
        assert np.abs(found - difference).max() < 1e-6 * np.abs(difference).max()
    given.residual(q, v, a)
    M = dyn.mass_matrix.toarray()
    assert np.abs(M - np.array(by_a).T / 2).max() < 1e-11 * np.abs(M).max()
    assert np.linalg.eigvalsh(M)[0] > 0.0


@pytest.mark.parametrize("name", MODELS)
def test_force_at_rest_is_the_gradient_of_the_energy(name: str) -> None:
    given = compiled(name)
    dyn = given.dynamics
    q, _, _ = given.state(7)
    none = np.zeros(dyn.n_v)
    found = given.residual(q, none, none)
    strain, potential = (
        lambda x: sum(s.energies(x, dyn.env.scale)[0] for s in dyn.coordinates.group("substructure").sets),
        lambda x: sum(s.energies(x, dyn.env.scale)[1] for s in dyn.coordinates.group("substructure").sets),
    )
    weights = np.zeros(dyn.n_v)
    for body in dyn.system.model.rigid_bodies:
        _, iv = dyn.coordinates.place(body)
        weights[iv : iv + 3] = (
            -body.mass * np.array(dyn.system.model.loads[0].acceleration) if dyn.system.model.loads else 0
        )
    h = 1e-6
    for k, e in enumerate(steps(dyn.n_v, h)):
        forth, back = moved(dyn, q, e), moved(dyn, q, -e)
        slope = (strain(forth) + potential(forth) - strain(back) - potential(back)) / (2.0 * h)
        assert abs(found[k] - slope - weights[k]) < 1e-6 * np.abs(found).max()


@pytest.mark.parametrize("name", MODELS)
def test_rigid_motion_costs_nothing(name: str) -> None:
    """All frames turned and moved as one body: no strain, the mass of the parts, no damping."""
    given = compiled(name)
    dyn, parts = given.dynamics, given.parts
    c = dyn.coordinates
    turn, shift = Rotation.from_rotvec([1.0, -2.0, 0.5]).as_matrix(), np.array([3.0, -1.0, 2.0])
    spin, speed = np.array([0.4, -0.7, 0.3]), np.array([0.1, 0.2, -0.3])
    q, v = c.reference.copy(), np.zeros(dyn.n_v)
    for body in dyn.system.model.rigid_bodies:
        iq, iv = c.place(body)
        x, R = shift + turn @ body.position, turn @ body.rotation
        q[iq : iq + 3], q[iq + 3 : iq + 7] = x, Rotation.from_matrix(R).as_quat(scalar_first=True)
        v[iv : iv + 3], v[iv + 3 : iv + 6] = speed + np.cross(spin, x), R.T @ spin
    assert dyn.system.strain_energy(q) < 1e-20
    P = np.sum([s.momentum(q, v)[0].sum(axis=0) for s in dyn.coordinates.group("substructure").sets], axis=0)
    centre = np.sum([s.centres(q).sum(axis=0) for s in dyn.coordinates.group("substructure").sets], axis=0)
    mass = sum(part.mass for part in parts)
    np.testing.assert_allclose(P, mass * speed + np.cross(spin, centre), rtol=1e-12)
    if name == "chain":
        a = np.random.default_rng(3).normal(size=dyn.n_v)
        damped, undamped = (compiled(which).residual(q, v, a) for which in (name, "undamped chain"))
        assert np.abs(damped - undamped).max() < 1e-12 * np.abs(damped).max()


def test_neighbours_share_their_frame() -> None:
    """No equations of constraint, and one block of coordinates for two substructures."""
    dyn = compiled("chain").dynamics
    assert dyn.n_c == 0
    (shared,) = dyn.coordinates.group("substructure").sets
    assert set(shared.dofs[0, 6:12]) == set(shared.dofs[1, :6])
    assert dyn.n_v == 4 * 6 + 3 * 4


@pytest.mark.parametrize(("n", "accuracy"), [(2, 1e-3), (6, 1e-7)])
def test_a_moment_bends_a_boom_to_a_quarter_of_a_circle(n: int, accuracy: float) -> None:
    """Slopes of a circle are not among the shapes, so that few substructures are off a little."""
    length, hub = 1.0, fx.RigidBody(1.0, (1, 1, 1), name="hub")
    stiff = fx.BeamStiffness(EA=1e8, EI_z=1.0, EI_y=2.0, GJ=1.0, mass_per_length=1.0, rhoI_y=1e-6, rhoI_z=1e-6)
    element = fx.elements.Frame(section=stiff, shear=False)
    boom = fx.SubstructuredBeam.straight((0, 0, 0), (length, 0, 0), hub, n=n, element=element)
    moment = fx.Moment(boom.end.centre, (0.0, 0.0, 0.5 * np.pi / length))
    found = fx.solve_static(fx.Model(hub, *boom.items, fx.FixedJoint(fx.ground, hub, at=(0, 0, 0)), moment))
    place = np.atleast_2d(found.position(boom.end))[-1]
    radius = length / (0.5 * np.pi)
    np.testing.assert_allclose(place, (radius, radius, 0.0), atol=accuracy)
