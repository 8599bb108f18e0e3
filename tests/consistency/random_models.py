"""Random models from a number, each of which can be described in several ways that must move alike.

A sample holds dimensionless numbers; `build` makes a model of them: seen from another place, in other units, in
another order, held by a support or a joint, loaded at a marker or an attachment, in the plane or in space, in Cartesian
or relative coordinates. What is asked of a model is brought back to the frame and the units of the sample.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import flexmbs as fx
from flexmbs.core.rotations import from_vector

UP = np.array([0.0, 0.0, 1.0])


@dataclass(frozen=True)
class Way:
    """How a sample is described; the default is the plain one.

    ``turn``: rotation vector, ``shift``: place of the origin of the sample; ``length``, ``mass``, ``time``: how many of
    the units of the model are one of the sample.
    """

    turn: tuple[float, float, float] = (0.0, 0.0, 0.0)
    shift: tuple[float, float, float] = (0.0, 0.0, 0.0)
    length: float = 1.0
    mass: float = 1.0
    time: float = 1.0
    hold: str = "support"
    load: str = "attachment"
    reverse: bool = False
    rename: str = ""
    space: bool = True
    tree: bool = False

    @property
    def R(self) -> Any:
        """From the axes of the sample to those of the model."""
        return from_vector(np.array(self.turn))

    @property
    def force(self) -> float:
        """Units of force."""
        return self.mass * self.length / self.time**2

    def point(self, x: Any) -> Any:
        """A point of the sample in the model."""
        y = self.R @ (np.asarray(x, dtype=float) + np.array(self.shift)) * self.length
        return y if self.space else y[:2]

    def vector(self, x: Any, unit: float) -> Any:
        """A vector of the sample in the model."""
        y = self.R @ np.asarray(x, dtype=float) * unit
        return y if self.space else y[:2]

    def back(self, x: Any) -> Any:
        """Points (n, 3) of the model in the sample."""
        return np.asarray(x) / self.length @ self.R - np.array(self.shift)


@dataclass(frozen=True)
class Described:
    """A model, the places that are asked for, and how it is described."""

    model: fx.Model
    places: tuple[Any, ...]
    way: Way


@dataclass(frozen=True)
class Beam:
    """A beam held at its start, loaded at its end, perhaps with a body and a spring there."""

    element: str
    cells: int
    direction: tuple[float, float, float]
    force: tuple[float, float, float]
    moment: tuple[float, float, float]
    follower: bool
    body: bool
    spring: float
    damping: float
    planar: bool

    @classmethod
    def of(cls, seed: int, element: str = "", planar: bool | None = None) -> Beam:
        """The sample of a number."""
        r = np.random.default_rng(seed)
        flat = bool(r.integers(2)) if planar is None else planar
        names = ("ANCFCable2D",) if flat else ("ANCFBeam", "GeometricallyExactBeam")
        element = element or str(r.choice(names))
        direction = r.standard_normal(3) * (1.0, 1.0, 0.0 if flat else 1.0)
        force, moment = 0.4 * r.standard_normal(3), 0.3 * r.standard_normal(3)
        if flat:
            force[2], moment[:2] = 0.0, 0.0
        return cls(
            element, int(r.integers(2, 4)), tuple(direction / np.linalg.norm(direction)), tuple(force), tuple(moment),
            bool(r.integers(2)), bool(r.integers(2)), float(r.choice((0.0, 3.0))),
            float(r.choice((0.0, 0.2))), flat,
        )  # fmt: skip

    def build(self, way: Way) -> Described:
        """The model described in this way."""
        u, f = way, way.force
        end = np.array(self.direction)
        stiffness = fx.BeamStiffness(
            EA=1e3 * f, EI_y=f * u.length**2, EI_z=f * u.length**2, GJ=0.8 * f * u.length**2, GA_y=400.0 * f,
            GA_z=400.0 * f, mass_per_length=u.mass / u.length, rhoI_y=1e-2 * u.mass * u.length,
            rhoI_z=1e-2 * u.mass * u.length,
        )  # fmt: skip
        name = "ANCFCable3D" if self.planar and u.space else self.element
        beam = fx.FlexibleBody.line(
            u.point((0, 0, 0)), u.point(end), elements=self.cells, element=getattr(fx.elements, name)(),
            stiffness=stiffness, name="beam" + u.rename,
        )  # fmt: skip
        at = beam.end if u.load == "attachment" else beam.end.marker()
        items: list[Any] = [beam]
        items.append(fx.Clamp(beam.start) if u.hold == "support" else fx.FixedJoint(fx.ground, beam.start))
        force = u.vector(self.force, f)
        if self.follower and u.load == "marker":  # in the axes of the marker; on nodes in those of the model
            force = at.rotation0()[: len(force), : len(force)].T @ force
        items.append(fx.PointForce(at, force, follower=self.follower))
        if any(self.moment):
            moment = np.array(self.moment) * f * u.length
            items.append(fx.Moment(at, u.vector(self.moment, f * u.length) if u.space else float(moment[2])))
        if self.body:
            inertia = 0.02 * u.mass * u.length**2
            if u.space:
                body: Any = fx.RigidBody(0.3 * u.mass, (inertia,) * 3, position=u.point(end), name="tip" + u.rename)
            else:
                body = fx.PlanarRigidBody(0.3 * u.mass, inertia, position=u.point(end), name="tip" + u.rename)
            items += [body, fx.FixedJoint(beam.end, body, name="weld" + u.rename)]
        if self.spring:
            anchor = fx.ground.marker(u.point(end + np.array((0.3, 0.5, 0.0 if self.planar else 0.4))))
            items.append(
                fx.SpringDamper(
                    anchor, beam.end.marker(), stiffness=self.spring * f / u.length,
                    damping=self.damping * f * u.time / u.length, name="spring" + u.rename,
                )
            )  # fmt: skip
        return Described(fx.Model(*(items[::-1] if u.reverse else items)), (beam.end, beam.node(1)), way)


@dataclass(frozen=True)
class Chain:
    """Rigid bodies in a row, hung from the ground, with springs and dampers between neighbours."""

    joints: tuple[str, ...]
    ends: tuple[tuple[float, float, float], ...]
    axes: tuple[tuple[float, float, float], ...]
    masses: tuple[float, ...]
    spring: float
    damping: float
    spin: tuple[float, float, float]

    @classmethod
    def of(cls, seed: int) -> Chain:
        """The sample of a number."""
        r = np.random.default_rng(seed)
        n = int(r.integers(1, 4))
        ends = np.cumsum(r.standard_normal((n, 3)) * (0.3, 0.3, 0.1) + (0.6, 0.0, -0.4), axis=0)
        axes = r.standard_normal((n, 3))
        axes /= np.linalg.norm(axes, axis=1)[:, None]
        kinds = tuple(
            str(k) for k in r.choice(("RevoluteJoint", "SphericalJoint", "UniversalJoint", "RevoluteJoint"), n)
        )
        return cls(
            kinds, tuple(map(tuple, ends)), tuple(map(tuple, axes)), tuple(r.uniform(0.5, 2.0, n)),
            float(r.choice((0.0, 20.0))), float(r.choice((0.0, 1.0))), tuple(r.standard_normal(3) * 0.5),
        )  # fmt: skip

    def build(self, way: Way) -> Described:
        """The model described in this way."""
        u, f = way, way.force
        items: list[Any] = []
        places: list[Any] = []
        before: Any = fx.ground
        start = np.zeros(3)
        for i, (kind, end, axis, mass) in enumerate(zip(self.joints, self.ends, self.axes, self.masses, strict=True)):
            stop = np.array(end)
            along = (stop - start) / np.linalg.norm(stop - start)
            length = float(np.linalg.norm(stop - start))
            own = mass * (length**2 / 12.0 * (np.eye(3) - np.outer(along, along)) + 1e-3 * np.eye(3))
            body = fx.RigidBody(
                mass * u.mass, u.R @ own @ u.R.T * u.mass * u.length**2, position=u.point(0.5 * (start + stop)),
                name=f"link {i}{u.rename}",
            )  # fmt: skip
            at = u.point(start)
            first = u.vector(axis, 1.0)
            name = f"joint {i}{u.rename}"
            if kind == "RevoluteJoint":
                joint: Any = fx.RevoluteJoint(before, body, at=at, axis=first, name=name)
            elif kind == "SphericalJoint":
                joint = fx.SphericalJoint(before, body, at=at, name=name)
            else:
                second = np.cross(first, u.vector(UP, 1.0))
                joint = fx.UniversalJoint(before, body, at=at, axes=(first, second / np.linalg.norm(second)), name=name)
            items += [body, joint]
            if self.spring or self.damping:
                anchor = fx.ground.marker(u.point(stop + np.array((0.4, 0.3, 0.9))))
                items.append(
                    fx.SpringDamper(
                        anchor, body.marker_at(u.point(stop)), stiffness=self.spring * f / u.length,
                        damping=self.damping * f * u.time / u.length, name=f"spring {i}{u.rename}",
                    )
                )  # fmt: skip
            places.append(body)
            before, start = body, stop
        items.append(fx.Gravity(u.vector(-9.81 * UP, u.length / u.time**2)))
        model = fx.Model(*(items[::-1] if u.reverse else items))
        if not u.tree:
            return Described(model, tuple(places), way)
        model = fx.trees.to_relative_coordinates(model)
        return Described(model, tuple(model.body(f"{model.trees[0].name}/{body.name}") for body in places), way)


def other_units(way: Way) -> Way:
    """In millimetres, tonnes and seconds."""
    return replace(way, length=1e3, mass=1e-3)


def moved(way: Way, seed: int) -> Way:
    """Turned and shifted at random; in the plane about its normal."""
    r = np.random.default_rng(seed + 10_000)
    turn, shift = r.standard_normal(3), r.standard_normal(3)
    if not way.space:
        turn[:2], shift[2] = 0.0, 0.0
    return replace(way, turn=tuple(turn), shift=tuple(shift))
