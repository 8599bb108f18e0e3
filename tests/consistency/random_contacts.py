"""Random contacts of two bodies from a number, described in several ways that must move alike.

A sample holds shapes, laws, and the motion of two bodies that overlap a little at the start, in dimensionless numbers;
`build` makes a model of them, seen from another place, in other units, with the parts or the bodies in another order,
or with the same shapes on markers that stand otherwise in bodies with other axes; `by_hand` is without flexmbs.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

import flexmbs as fx
from flexmbs.core.rotations import from_vector
from tests.consistency.contact_by_hand import Place, Rigid, Touch, Vector, distance, motion
from tests.consistency.random_models import Described, Way

C = fx.contact
SHAPES = ("plane", "rim on plane", "sphere", "cylinder", "bore", "capsule", "box", "ring")
FRICTIONS = ("smooth", "coulomb", "bristle", "dwell")


@dataclass(frozen=True)
class Contacts:
    """Two bodies and their contact."""

    a: Rigid
    b: Rigid
    touch: Touch

    @classmethod
    def of(cls, seed: int, shape: str = "", friction: str = "") -> Contacts:
        """The sample of a number; the first numbers have every shape with every friction."""
        r = np.random.default_rng(seed)
        shape = shape or SHAPES[seed % len(SHAPES)]
        friction = friction or FRICTIONS[seed // len(SHAPES) % len(FRICTIONS)]
        on_rim, shape = shape == "rim on plane", shape.removeprefix("rim on ")
        ball = 0.0 if on_rim or (r.integers(4) == 0 and shape != "box") else float(r.uniform(0.3, 0.5))
        rim = float(r.uniform(0.4, 0.6)) if on_rim else 0.0
        sizes = {
            "radius": r.uniform(0.3, 0.5) + (0.8 if shape == "bore" else 0.0), "half": r.uniform(0.2, 0.6),
            "circle": r.uniform(0.7, 1.0), "a": r.uniform(0.4, 0.8), "b": r.uniform(0.4, 0.8), "c": r.uniform(0.4, 0.8),
        }  # fmt: skip
        sizes = {name: float(x) for name, x in sizes.items()}
        a = _body(r, Place(0.3 * r.standard_normal(3), _turn(r)), fixed=bool(r.integers(3) == 0))
        place = Place(0.3 * r.standard_normal(3), _turn(r))
        b = _body(r, place, fixed=False)
        depth = float(r.uniform(0.01, 0.03))
        x, n = _surface(r, shape, sizes)
        A, origin = a.R @ a.place.frame, a.p + a.R @ a.place.point
        reach = ball
        if rim:
            along = float((b.R @ place.frame)[:, 2] @ (A @ n))
            reach = rim * float(np.sqrt(1.0 - along**2))
        centre = origin + A @ (x + (reach - depth) * n)
        b = replace(b, p=centre - b.R @ place.point, v=b.v - 0.4 * (A @ n))
        stiff = float(r.uniform(200.0, 400.0))
        normal = (
            {"k": stiff, "n": float(r.choice((1.0, 1.5, 2.0))), "c": float(r.uniform(0.0, 0.6))}
            if r.integers(3) else {"k": stiff, "n": 1.0, "c": float(r.uniform(1.0, 5.0)), "full": 0.05}
        )  # fmt: skip
        mu = float(r.uniform(0.2, 0.6))
        laws: dict[str, dict[str, float]] = {
            "smooth": {},
            "coulomb": {"mu": mu, "static": 1.2 * mu, "falling": 0.6, "creep": 0.2},
            "bristle": {"mu": mu, "static": 1.2 * mu, "falling": 0.5, "k": 80.0, "sigma": 2.0, "b": 0.4},
            "dwell": {
                "mu": mu, "static": 1.4 * mu, "k": 60.0, "sigma": 4.0, "stribeck": 0.5, "creep_speed": 0.3, "tau": 0.4
            },
        }  # fmt: skip
        return cls(a, b, Touch(shape, sizes, ball, rim, normal, laws[friction]))

    def by_hand(self, until: float) -> tuple[Vector, list[NDArray[Any]]]:
        """Places of the centres (2, 3) and rotations of both bodies after a time, without flexmbs."""
        return motion((self.a, self.b), self.touch, until)

    def other_bodies(self, seed: int) -> Contacts:
        """The same with bodies whose axes stand otherwise, so that markers do too."""
        r = np.random.default_rng(seed + 20_000)

        def again(body: Rigid) -> Rigid:
            Q = _turn(r)  # the old axes in the new ones
            return replace(
                body, R=body.R @ Q.T, inertia=Q @ body.inertia @ Q.T, w=Q @ body.w,
                place=Place(Q @ body.place.point, Q @ body.place.frame),
            )  # fmt: skip

        return replace(self, a=again(self.a), b=again(self.b))

    def build(self, way: Way, swap: bool = False, named: bool = False) -> Described:
        """The model; ``swap``: the parts the other way round, ``named``: the pair named."""
        u = way
        made = [_made(body, u, name + u.rename) for body, name in ((self.a, "a"), (self.b, "b"))]
        one = _shape(self.touch, made[0][1], u)
        other = _partner(self.touch, made[1][1], u)
        parts = (other, one) if swap else (one, other)
        touch = fx.Contact(
            parts, normal_law(self.touch.normal, u), friction_law(self.touch.friction, u),
            pairs=(parts,) if named else None, allow_overlap=True, name="touch",
        )  # fmt: skip
        bodies = [body for body, _ in made if body is not fx.ground]
        items = [*bodies, touch]
        return Described(fx.Model(*(items[::-1] if u.reverse else items)), tuple(bodies), way)


def _turn(r: np.random.Generator) -> NDArray[Any]:
    return np.asarray(from_vector(r.standard_normal(3)))


def _body(r: np.random.Generator, place: Place, fixed: bool) -> Rigid:
    """A body with moments of inertia as those of three pairs of masses."""
    far = r.uniform(0.1, 0.4, 3)
    Q = _turn(r)
    still = 0.0 if fixed else 1.0
    return Rigid(
        float(r.uniform(1.0, 2.0)), Q @ np.diag(far.sum() - far) @ Q.T, r.standard_normal(3), _turn(r),
        still * 0.3 * r.standard_normal(3), still * r.standard_normal(3), place, fixed,
    )  # fmt: skip


def _surface(r: np.random.Generator, shape: str, sizes: dict[str, float]) -> tuple[Vector, Vector]:
    """A point on the surface of a shape, and the normal there."""
    while True:
        e = r.standard_normal(3)
        if shape == "plane":
            return np.array([e[0], e[1], 0.0]), np.array([0.0, 0.0, 1.0])
        start = e * (0.2 if shape == "bore" else 1.0)
        gap, n = distance(shape, sizes, start)
        if shape == "ring" and np.hypot(*start[:2]) < 0.3:
            continue
        if gap > 0.0:
            return start - gap * n, n


def _made(body: Rigid, u: Way, name: str) -> tuple[Any, Any]:
    """The body of the model, and the marker of its shape."""
    if body.fixed:
        R = u.R @ body.R @ body.place.frame
        at = u.point(body.p + body.R @ body.place.point)
        return fx.ground, fx.Marker(fx.ground, at, R)
    made = fx.RigidBody(
        body.mass * u.mass, body.inertia * u.mass * u.length**2, position=u.point(body.p), rotation=u.R @ body.R,
        velocity=u.vector(body.v, u.length / u.time), angular_velocity=body.w / u.time, name=name,
    )  # fmt: skip
    return made, fx.Marker(made, body.place.point * u.length, body.place.frame)


def _shape(touch: Touch, marker: Any, u: Way) -> Any:
    s = {name: x * u.length for name, x in touch.sizes.items()}
    if touch.shape == "plane":
        return C.Plane(marker)
    if touch.shape == "sphere":
        return C.Sphere(marker, radius=s["radius"])
    if touch.shape == "capsule":
        return C.Capsule(marker, radius=s["radius"], length=2.0 * s["half"])
    if touch.shape == "box":
        return C.Box(marker, size=(2.0 * s["a"], 2.0 * s["b"], 2.0 * s["c"]))
    if touch.shape == "ring":
        return C.Rim(marker, radius=s["circle"], tube=s["radius"])
    return C.Cylinder(marker, radius=s["radius"], inside=touch.shape == "bore")


def _partner(touch: Touch, marker: Any, u: Way) -> Any:
    if touch.rim:
        return C.Rim(marker, radius=touch.rim * u.length)
    return C.Sphere(marker, radius=touch.ball * u.length) if touch.ball else C.Vertex(marker)


def normal_law(law: dict[str, float], u: Way) -> Any:
    """The law of numbers, in the units of a way."""
    stiffness, n = law["k"] * u.force / u.length ** law["n"], law["n"]
    if "full" in law:
        damping = law["c"] * u.force * u.time / u.length
        return C.ImpactLaw(stiffness=stiffness, exponent=n, damping=damping, depth=law["full"] * u.length)
    return C.HuntCrossleyLaw(stiffness=stiffness, exponent=n, damping=law["c"] * u.time / u.length)


def friction_law(law: dict[str, float], u: Way) -> Any:
    """The law of numbers, in the units of a way; None without any."""
    if not law:
        return None
    speed = u.length / u.time
    if "creep" in law:
        return C.CoulombLaw(
            law["mu"], speed=law["creep"] * speed, static=law["static"], falling=law["falling"] * speed
        )  # fmt: skip
    bristle = {"stiffness": law["k"] * u.force / u.length, "damping": law["sigma"] * u.force * u.time / u.length}
    if "tau" in law:
        return C.DwellLaw(
            law["mu"], law["static"], **bristle, stribeck_speed=law["stribeck"] * speed,
            speed=law["creep_speed"] * speed, dwell_time=law["tau"] * u.time,
        )  # fmt: skip
    return C.BristleLaw(
        law["mu"], **bristle, static=law["static"], falling=law["falling"] * speed, breakaway=law["b"]
    )  # fmt: skip
