"""Contacts in compiled models: derivatives of the residual by q, v and the states, against differences of order 4."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import flexmbs as fx
from flexmbs.dynamics.energies import Energies
from flexmbs.dynamics.evaluation import Dynamics
from flexmbs.kernels.steps import retract
from tests.models.floating import RUBBER, bar

C = fx.contact
H = 5e-5
LAW = C.HuntCrossleyLaw(stiffness=40.0, exponent=1.5, damping=0.2)
FRICTION: dict[str, Any] = {
    "smooth": None,
    "coulomb": C.CoulombLaw(0.3, speed=0.7, static=0.4, falling=2.0),
    "bristle": C.BristleLaw(0.3, stiffness=2.5, damping=0.4, static=0.4, falling=2.0, breakaway=0.1),
    "dwell": C.DwellLaw(0.3, 0.5, stiffness=2.0, damping=0.5, stribeck_speed=1.5, speed=0.8, dwell_time=1.2),
}


def turned() -> np.ndarray:
    c, s = math.cos(0.4), math.sin(0.4)
    return np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])


def two_bodies() -> tuple[Any, Any]:
    a = fx.RigidBody(1.0, (1.0, 2.0, 2.5), position=(0, 0, 0), name="a")
    b = fx.RigidBody(2.0, (1.0, 1.5, 0.8), position=(0.6, 0.4, 0.3), rotation=turned(), name="b")
    return a, b


def at(body: Any, where: tuple[float, float, float], axis: tuple[float, float, float]) -> Any:
    return body.marker_at(where, axis=axis)


def stone(marker: Any) -> Any:
    """A tetrahedron."""
    return C.TriangleMesh.hull(marker, [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)])


def on_stone(a: Any, b: Any, where: tuple[float, float, float], radius: float) -> tuple[Any, Any]:
    """It, and a ball or a point of another body at a place in its axes."""
    marker = at(a, (0.1, 0.0, 0.1), (0.1, 0.2, 1.0))
    place = at(b, tuple(marker.position0() + marker.rotation0() @ where), (0, 0, 1.0))
    return stone(marker), C.Sphere(place, radius=radius) if radius else C.Vertex(place)


def hills(marker: Any, profile: bool = False) -> Any:
    """Ground whose heights are of third degree."""
    x, y = np.array([-2.0, -0.9, 0.1, 1.2, 2.0]), np.array([-2.0, -0.7, 0.4, 2.0])
    if profile:
        return C.HeightField(marker, x=x, heights=0.2 * x - 0.25 * x**2 + 0.05 * x**3)
    u, v = np.meshgrid(x, y, indexing="ij")
    return C.HeightField(marker, x=x, y=y, heights=0.2 * u - 0.15 * u**2 + 0.1 * u * v + 0.2 * v**2 + 0.05 * u**2 * v)


PAIRS: dict[str, Any] = {
    "plane, ball": lambda a, b: (
        C.Plane(at(a, (0.1, 0.0, 0.1), (0.2, 0.1, 1.0))), C.Sphere(at(b, (0.4, 0.3, 0.4), (0, 0, 1.0)), radius=0.5)
    ),
    "plane, vertex": lambda a, b: (
        C.Plane(at(a, (0.1, 0.0, 0.5), (0.2, 0.1, 1.0))), C.Vertex(at(b, (0.4, 0.3, 0.2), (0, 0, 1.0)))
    ),
    "plane, rim": lambda a, b: (
        C.Plane(at(a, (0.1, 0.0, 0.1), (0.2, 0.1, 1.0))), C.Rim(at(b, (0.4, 0.3, 0.4), (0.3, 1.0, 0.2)), radius=0.6)
    ),
    "ball, ball": lambda a, b: (
        C.Sphere(at(a, (0.1, 0.0, 0.1), (0, 0, 1.0)), radius=0.3),
        C.Sphere(at(b, (0.4, 0.3, 0.4), (0, 0, 1.0)), radius=0.4),
    ),
    "ball, vertex": lambda a, b: (
        C.Sphere(at(a, (0.1, 0.0, 0.1), (0, 0, 1.0)), radius=0.6), C.Vertex(at(b, (0.4, 0.3, 0.4), (0, 0, 1.0)))
    ),
    "cylinder, ball": lambda a, b: (
        C.Cylinder(at(a, (0.1, 0.0, 0.1), (1.0, 0.2, 0.1)), radius=0.3),
        C.Sphere(at(b, (0.4, 0.3, 0.4), (0, 0, 1.0)), radius=0.3),
    ),
    "bore, ball": lambda a, b: (
        C.Cylinder(at(a, (0.1, 0.0, 0.1), (1.0, 0.2, 0.1)), radius=0.6, inside=True),
        C.Sphere(at(b, (0.4, 0.3, 0.4), (0, 0, 1.0)), radius=0.4),
    ),
    "capsule, ball": lambda a, b: (
        C.Capsule(at(a, (0.1, 0.0, 0.1), (1.0, 0.2, 0.1)), radius=0.3, length=1.5),
        C.Sphere(at(b, (0.4, 0.3, 0.4), (0, 0, 1.0)), radius=0.3),
    ),
    "end of a capsule, ball": lambda a, b: (
        C.Capsule(at(a, (0.1, 0.0, 0.1), (1.0, 0.2, 0.1)), radius=0.3, length=0.2),
        C.Sphere(at(b, (0.4, 0.3, 0.4), (0, 0, 1.0)), radius=0.3),
    ),
    "capsule, capsule": lambda a, b: (
        C.Capsule(at(a, (0.1, 0.0, 0.1), (1.0, 0.2, 0.1)), radius=0.3, length=1.5),
        C.Capsule(at(b, (0.4, 0.3, 0.4), (0.1, 1.0, 0.3)), radius=0.25, length=1.2),
    ),
    "end of a capsule, capsule": lambda a, b: (
        C.Capsule(at(a, (0.1, 0.0, 0.1), (1.0, 0.2, 0.1)), radius=0.3, length=0.2),
        C.Capsule(at(b, (0.4, 0.3, 0.4), (0.1, 1.0, 0.3)), radius=0.25, length=1.2),
    ),
    "capsule, end of a capsule": lambda a, b: (
        C.Capsule(at(a, (0.1, 0.0, 0.1), (1.0, 0.2, 0.1)), radius=0.3, length=1.5),
        C.Capsule(at(b, (0.4, 0.4, 0.4), (0.1, 1.0, 0.3)), radius=0.25, length=0.1),
    ),
    "ends of capsules": lambda a, b: (
        C.Capsule(at(a, (0.1, 0.0, 0.1), (1.0, 0.2, 0.1)), radius=0.3, length=0.2),
        C.Capsule(at(b, (0.4, 0.35, 0.4), (0.1, 1.0, 0.3)), radius=0.35, length=0.1),
    ),
    "face of a box, ball": lambda a, b: (
        C.Box(at(a, (0.1, 0.0, 0.1), (0.1, 0.2, 1.0)), size=(2.0, 2.0, 0.3)),
        C.Sphere(at(b, (0.4, 0.3, 0.4), (0, 0, 1.0)), radius=0.3),
    ),
    "edge of a box, ball": lambda a, b: (
        C.Box(at(a, (0.1, 0.0, 0.1), (0.1, 0.2, 1.0)), size=(2.0, 0.4, 0.3)),
        C.Sphere(at(b, (0.4, 0.3, 0.4), (0, 0, 1.0)), radius=0.3),
    ),
    "corner of a box, ball": lambda a, b: (
        C.Box(at(a, (0.1, 0.0, 0.1), (0.1, 0.2, 1.0)), size=(0.2, 0.2, 0.2)),
        C.Sphere(at(b, (0.4, 0.3, 0.4), (0, 0, 1.0)), radius=0.5),
    ),
    "face of a triangle, ball": lambda a, b: (
        C.Triangle(at(a, (0.1, 0.0, 0.1), (0.1, 0.2, 1.0)), corners=((-2, -2, 0), (3, -2, 0), (0, 3, 0.2)), radius=0.1),
        C.Sphere(at(b, (0.4, 0.3, 0.4), (0, 0, 1.0)), radius=0.8),
    ),
    "edge of a triangle, ball": lambda a, b: (
        C.Triangle(at(a, (0.1, 0.0, 0.1), (0.1, 0.2, 1.0)), corners=((0.4, -2, 0), (0.5, 2, 0.1), (-3, 0, 0.2))),
        C.Sphere(at(b, (0.4, 0.3, 0.4), (0, 0, 1.0)), radius=0.9),
    ),
    "corner of a triangle, ball": lambda a, b: (
        C.Triangle(at(a, (0.1, 0.0, 0.1), (0.1, 0.2, 1.0)), corners=((0.3, 0, 0.1), (-3, -1, 0.1), (-3, 0, 0.2))),
        C.Sphere(at(b, (0.4, 0.3, 0.4), (0, 0, 1.0)), radius=1.3),
    ),
    "stone, ball over a face": lambda a, b: on_stone(a, b, (0.5, 0.6, 0.5), 0.5),
    "stone, ball at an edge": lambda a, b: on_stone(a, b, (-0.3, 0.4, -0.3), 0.6),
    "stone, ball at a corner": lambda a, b: on_stone(a, b, (1.3, -0.1, -0.2), 0.6),
    "stone, vertex": lambda a, b: on_stone(a, b, (0.3, 0.2, 0.4), 0.0),
    "hills, ball": lambda a, b: (
        hills(at(a, (0.1, 0.0, 0.1), (0.1, 0.2, 1.0))), C.Sphere(at(b, (0.4, 0.3, 0.4), (0, 0, 1.0)), radius=0.5)
    ),
    "hills, vertex": lambda a, b: (
        hills(at(a, (0.1, 0.0, 0.5), (0.1, 0.2, 1.0))), C.Vertex(at(b, (0.4, 0.3, 0.2), (0, 0, 1.0)))
    ),
    "profile, ball": lambda a, b: (
        hills(at(a, (0.1, 0.0, 0.1), (0.1, 0.2, 1.0)), profile=True),
        C.Sphere(at(b, (0.4, 0.3, 0.4), (0, 0, 1.0)), radius=0.5),
    ),
    "rim, ball": lambda a, b: (
        C.Rim(at(a, (0.1, 0.0, 0.1), (0.2, 0.3, 1.0)), radius=0.5, tube=0.25),
        C.Sphere(at(b, (0.4, 0.3, 0.4), (0, 0, 1.0)), radius=0.3),
    ),
}  # fmt: skip


def derivatives(dynamics: Dynamics, q: np.ndarray, v: np.ndarray, weights: tuple[float, float]) -> np.ndarray:
    """wq K + wv D as a full matrix."""
    n = dynamics.n_v
    dynamics.T[:] = np.eye(3)
    dynamics.B[:] = 0.0
    dynamics.tangent(q, v, np.zeros(n), np.zeros(dynamics.n_c), weights)
    matrix = np.zeros((n, n))
    for block in dynamics.system.blocks:
        for i, dofs in enumerate(block.dofs):
            k = len(dofs)
            values = dynamics.B[block.b1 + i * k * k : block.b1 + (i + 1) * k * k].reshape(k, k)
            inside = dofs < n
            np.add.at(matrix, np.ix_(dofs[inside], dofs[inside]), values[np.ix_(inside, inside)])
    return matrix


def check(model: Any, free: Dynamics | None = None) -> None:
    """K and D of a model near its start, where its contact is closed; less those of the model without it, if given."""
    dynamics = Dynamics(fx.compile_model(model))
    rng = np.random.default_rng(3)
    n = dynamics.n_v
    q, moved, zero, lam = np.zeros(dynamics.n_q), np.zeros(dynamics.n_q), np.zeros(n), np.zeros(dynamics.n_c)
    retract(dynamics.coordinates.reference, 0.01 * rng.normal(size=n), dynamics.n_linear, q)
    v = rng.normal(size=n)
    v[dynamics.states] = 0.2 * rng.normal(size=len(dynamics.states))
    K, D = (derivatives(dynamics, q, v, w) for w in ((1.0, 0.0), (0.0, 1.0)))
    if free is not None:
        K, D = K - derivatives(free, q, v, (1.0, 0.0)), D - derivatives(free, q, v, (0.0, 1.0))

    def residual(dq: np.ndarray, dv: np.ndarray) -> np.ndarray:
        retract(q, dq, dynamics.n_linear, moved)
        found = dynamics.residual(moved, v + dv, zero, lam)[:n].copy()
        return found if free is None else found - free.residual(moved, v + dv, zero, lam)[:n]

    def differences(of: Any) -> np.ndarray:
        def along(e: np.ndarray) -> np.ndarray:
            near, far = of(e) - of(-e), of(2 * e) - of(-2 * e)
            return (8.0 * near - far) / (12.0 * H)

        return np.column_stack([along(H * e) for e in np.eye(n)])

    by_q, by_v = differences(lambda e: residual(e, zero)), differences(lambda e: residual(zero, e))
    assert Energies(dynamics).springs(q, v)[0] > 1e-3  # it is closed
    for exact, found in ((K, by_q), (D, by_v)):
        size = max(1.0, float(np.abs(found).max()))
        assert np.abs(exact - found).max() < 1e-9 * size


@pytest.mark.parametrize("friction", FRICTION)
@pytest.mark.parametrize("pair", PAIRS)
def test_every_pair_of_shapes(pair: str, friction: str) -> None:
    a, b = two_bodies()
    contact = fx.Contact(PAIRS[pair](a, b), LAW, FRICTION[friction], allow_overlap=True)
    check(fx.Model(a, b, contact))


def planar() -> tuple[Any, ...]:
    a = fx.PlanarRigidBody(1.0, 0.5, position=(0.0, 0.0), angle=0.2, name="a")
    b = fx.PlanarRigidBody(2.0, 0.4, position=(0.5, 0.45), angle=0.3, name="b")
    return (a, b), a.marker((0.1, 0.2), axis=(0.1, 1.0)), b.marker((-0.1, -0.05))


def links() -> tuple[Any, ...]:
    inertia = np.diag((1.0, 1.2, 0.8))
    tree = fx.trees.Tree(
        fx.trees.Link("base", 1.0, inertia, (0.1, 0.0, 0.0), None, fx.trees.Free()),
        fx.trees.Link("arm", 0.5, 0.3 * inertia, (0.3, 0.1, 0.0), "base", fx.trees.Revolute((0, 1, 0.3)), (0.2, 0, 0)),
    )  # fmt: skip
    arm = tree.link("arm")
    return (tree,), arm.marker((0.3, 0.2, 0.1), axis=(0.1, 0.2, 1.0)), fx.ground.marker((0.6, 0.3, 0.4))


def beam() -> tuple[Any, ...]:
    body = fx.FlexibleBody.line(
        (0, 0, 0), (1, 0.2, 0.1), elements=2, element=fx.elements.GeometricallyExactBeam(),
        section=fx.Circle(diameter=0.05), material=fx.Elastic(youngs_modulus=1e4, density=1000.0), name="beam",
    )  # fmt: skip
    b = fx.RigidBody(2.0, (1.0, 1.5, 0.8), position=(0.9, 0.5, 0.4), rotation=turned(), name="b")
    return (body, b), fx.Marker(body, node=2), b.marker((0.0, 0.0, 0.1))


def cable() -> tuple[Any, ...]:
    body = fx.FlexibleBody.line(
        (0, 0, 0), (1, 0.2, 0.1), elements=2, element=fx.elements.ANCFCable3D(), name="cable",
        stiffness=fx.BeamStiffness(EA=50.0, EI_y=2.0, EI_z=2.0, mass_per_length=0.9),
    )  # fmt: skip
    return (body,), fx.ground.marker((0.9, 0.3, -0.1), axis=(0.1, 0.2, 1.0)), fx.Marker(body, node=2)


def floating() -> tuple[Any, ...]:
    body = fx.FloatingBody(bar(RUBBER), reference="left", damping=0.02, name="one")
    return (body,), fx.ground.marker((1.1, 0.2, -0.2), axis=(0.1, 0.2, 1.0)), body.interface("right")


WORLDS = {"planar": planar, "links": links, "beam": beam, "cable": cable, "floating": floating}


@pytest.mark.parametrize("kind", ["plane", "ball"])
@pytest.mark.parametrize("world", WORLDS)
def test_every_kind_of_body(world: str, kind: str) -> None:
    bodies, a, b = WORLDS[world]()
    d = b.position0() - a.position0()
    if kind == "plane":
        parts = C.Plane(a), C.Sphere(b, radius=float(a.rotation0()[:, 2] @ d) + 0.1)
    else:
        parts = C.Sphere(a, radius=0.1), C.Sphere(b, radius=float(np.linalg.norm(d)))
    contact = fx.Contact(parts, LAW, FRICTION["coulomb"], allow_overlap=True)
    free = Dynamics(fx.compile_model(fx.Model(*bodies)))
    check(fx.Model(*bodies, contact), free=free)


@pytest.mark.parametrize("friction", FRICTION)
def test_states_in_the_plane(friction: str) -> None:
    bodies, a, b = planar()
    contact = fx.Contact(
        (C.Sphere(a, radius=0.2), C.Sphere(b, radius=0.25)), LAW, FRICTION[friction], allow_overlap=True
    )
    check(fx.Model(*bodies, contact))
