"""Crawlers of point masses on weightless links that lie on a rough plane and are bent slowly."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import flexmbs as fx
from flexmbs.core.contracts import FloatArray

__all__ = ["MU", "RATE", "Crawler", "G"]

G, MU = 9.81, 0.5
RATE = 0.02
"""Of the joints [rad/s]: inertia is l RATE^2/(mu g) = 8e-5 of friction."""
CREEP = 1e-6
"""Speed of the regularised friction [m/s], 5e-5 of the speed of what moves."""
MOVES = 5e-4 * RATE
"""Speed from which a mass counts as moving [m/s]. Speeds begin and end as straight lines over the angle, so that it is
late by MOVES over their slope, some hundredths of a degree."""
STIFF = 1e6
TINY = 1e-5  # moments of inertia of a point mass, over those of the crawler


class Crawler(NamedTuple):
    """A model, the markers of its masses by name, their contacts, and the drivers of its joints."""

    model: fx.Model
    masses: dict[str, Any]
    contacts: dict[str, fx.Contact]
    drives: tuple[fx.RotationDriver, ...]

    @classmethod
    def star(cls, hub: float, ends: dict[str, tuple[float, float, float]], rates: dict[str, float]) -> Crawler:
        """Links from a hub.

        Parameters
        ----------
        hub : float
            Mass of the hub A0 [kg].
        ends : dict
            Mass, length and direction [rad] of the link to each end; the first one is the root of the tree.
        rates : dict
            Angular velocity of a link relative to the root; of those that are not named the joint is free.
        """
        root, *_ = ends
        mass, length, angle = ends[root]
        centre = mass * length / (hub + mass)
        inertia = mass * length**2 - (hub + mass) * centre**2
        links = [
            fx.trees.Link(
                root, hub + mass, (TINY, inertia + TINY, inertia + TINY), centre=(centre, 0, 0),
                joint=fx.trees.Planar((0, 0, 1)), start=(0.0, 0.0, angle),
            )
        ]  # fmt: skip
        for name, (m, far, turned) in ends.items():
            if name != root:
                joint = fx.trees.Revolute((0, 0, 1))
                links.append(
                    fx.trees.Link(name, m, (TINY,) * 3, (far, 0, 0), root, joint=joint, start=turned - angle)
                )  # fmt: skip
        tree = fx.trees.Tree(*links, name="crawler")
        masses = {"A0": tree.link(root).marker((0, 0, 0))}
        masses |= {name: tree.link(name).marker((x[1], 0, 0)) for name, x in ends.items()}
        weights = {"A0": hub, **{name: x[0] for name, x in ends.items()}}
        contacts = {name: _lies(masses[name], m, name) for name, m in weights.items()}
        drives = tuple(
            fx.RotationDriver((tree.link(root).centre, tree.link(name).centre), rate=rate, name=f"motor of {name}")
            for name, rate in rates.items()
        )
        return cls(fx.Model(tree, *contacts.values(), *drives), masses, contacts, drives)

    def moves(self, angle: float, finest: float = 0.006, **options: Any) -> fx.TimeSolution:
        """Bent by an angle [rad] at RATE, in steps of ``finest`` [rad] at most."""
        control = fx.ErrorControl(rtol=1e-6, max_step=finest / RATE)
        return fx.simulate(self.model, angle / RATE, step=control, **options)

    def event(self, name: str, what: str, **options: Any) -> fx.control.Event:
        """When a mass begins or ceases to move."""
        return self.contacts[name].event(what, level=MOVES, **options)

    def places(self, run: fx.TimeSolution) -> dict[str, FloatArray]:
        """Places (n, 2) of the masses."""
        return {name: np.asarray(run.position(at)[:, :2]) for name, at in self.masses.items()}


def _lies(mass: Any, m: float, name: str) -> fx.Contact:
    """A mass on the plane, which lies as high as makes the normal force its weight."""
    plane = fx.contact.Plane(fx.ground.marker((0, 0, m * G / STIFF), axis=(0, 0, 1)))
    law = fx.contact.HuntCrossleyLaw(stiffness=STIFF, exponent=1.0)
    friction = fx.contact.CoulombLaw(MU, speed=CREEP)
    return fx.Contact((plane, fx.contact.Vertex(mass)), law, friction, allow_overlap=True, name=name)
