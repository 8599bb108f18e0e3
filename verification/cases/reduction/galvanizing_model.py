r"""The strip of a hot-dip galvanizing line: mesh, prestress, reduction, excitation, magnets and their control.

The strip runs upwards along x, its width is y, and it vibrates across, along z. What the paper does not give is assumed
here, in one place.

Source: O. Bruels, J.-C. Golinval, Simulation of an active control system in a hot-dip galvanizing line (University of
Liege).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import flexmbs as fx
from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.elements import ShellQuad

__all__ = ["Magnet", "Strip", "excitation", "feedback", "strip"]

LENGTH, WIDTH, THICKNESS = 50.0, 1.0, 1e-3
FIRST = 0.552
"""First frequency of flexion [Hz] that the tension is fitted to; all four printed values are its multiples."""
MAGNETS, GAIN, PERIOD, UNTIL = 3.5, 100.0, 5e-4, 40.0
"""Height of the magnets above the stabilizing roller [m], feedback gain [N s/m], sampling period [s], duration [s]."""
BAND = (0.2, 10.0)

# assumed
DENSITY, YOUNG, POISSON = 7850.0, 210e9, 0.3
KNIVES = 2.5
"""Height of the air knives [m]."""
DRAG = 0.1
"""Damping by the air, in proportion to the mass [1/s]: 1.4 % of critical for the first mode."""
FORCE = 4.0
"""Standard deviation of the force on a zone [N], about 1 Pa."""
COOLER = 38
"""Rows of nodes that the fan cooler blows at, from 18 m on."""
ZONES = (4, 2)
"""Zones along and across."""
MODES = 50


@dataclass(frozen=True, eq=False)
class Strip:
    """The prestressed strip: its operators, its reduced model, and where things are."""

    operators: fx.linear.Operators
    reduced: fx.reduction.ReducedModel
    tension: float
    zones: tuple[IntArray, ...]

    @property
    def body(self) -> fx.LinearBody:
        """The reduced strip held by its rollers."""
        return fx.LinearBody(self.reduced, fixed=("stabilizing roller", "top roller"), name="strip")

    def node(self, x: float, y: float) -> int:
        """The node at a place."""
        return int(np.argmin(np.linalg.norm(self.operators.points - [x, y, 0.0], axis=1)))

    def across(self, node: int) -> int:
        """Number of the displacement of a node across the strip."""
        return int(self.operators.dofs.of(node, 2)[0])

    def held(self) -> dict[str, tuple[str, ...]]:
        """The supports of the rollers, for analyses of the full strip."""
        return {"left": ENDS, "right": ENDS}


ENDS = ("ux", "uy", "uz", "rx", "rz")
"""Held by the rollers, which leave the strip free to turn about them."""


def strip(along: int = 79, across: int = 4, modes: int = MODES) -> Strip:
    """The strip with a mesh of so many cells; 79 times 4 have 400 nodes with 2 400 unknowns."""
    flat = fx.meshes.rectangle((0, 0), (float(along), WIDTH), (along, across), "quad").in_space()
    low, high = max(2, round(0.05 * along)), max(1, round(0.02 * along))
    rows = np.concatenate((
        np.linspace(0.0, KNIVES, low + 1), np.linspace(KNIVES, MAGNETS, high + 1)[1:],
        np.linspace(MAGNETS, LENGTH, along - low - high + 1)[1:],
    ))  # fmt: skip
    points = np.array(flat.points)
    points[:, 0] = rows[np.rint(points[:, 0]).astype(int)]
    mesh = replace(flat, points=points)
    steel = fx.Elastic(youngs_modulus=YOUNG, poissons_ratio=POISSON, density=DENSITY)
    part = fx.linear.Part(mesh, regions=[fx.linear.Region(None, ShellQuad(thickness=THICKNESS), steel)], name="strip")
    free = part.assemble()
    tension = DENSITY * WIDTH * THICKNESS * (2.0 * LENGTH * FIRST) ** 2
    middle = int(np.argmin(np.linalg.norm(points - [0.0, 0.5 * WIDTH, 0.0], axis=1)))
    elongation = tension * LENGTH / (YOUNG * WIDTH * THICKNESS)
    pull: dict[Any, Any] = {
        "left": ("ux", "uz", "rz"), "right": {"ux": elongation, "uz": 0.0, "rz": 0.0}, middle: ("uy",)
    }  # fmt: skip
    stressed = fx.linear.prestressed(fx.linear.static_response(free, pull))
    operators = replace(stressed, D=(DRAG * stressed.M).tocsc())
    blown = rows[np.argmin(np.abs(rows - 18.0)) :][: round(COOLER * along / 79)]

    def row(x: float) -> IntArray:
        return np.flatnonzero(np.abs(points[:, 0] - x) < 1e-9)

    zones = []
    for part_of in np.array_split(blown, ZONES[0]):
        inside = np.isin(points[:, 0], part_of)
        for side in range(ZONES[1]):
            away = points[:, 1] / WIDTH - 0.5 if side else 0.5 - points[:, 1] / WIDTH
            zones.append(np.flatnonzero(inside & (away > 1e-9)))
    cooler = np.flatnonzero(np.isin(points[:, 0], blown))
    faces = [
        fx.reduction.Interface("stabilizing roller", "left", kind="nodes", components=ENDS),
        fx.reduction.Interface("top roller", "right", kind="nodes", components=ENDS),
        fx.reduction.Interface("air knives", row(KNIVES), kind="nodes", components=("uz",)),
        fx.reduction.Interface("magnets", row(MAGNETS), kind="nodes", components=("uz",)),
        fx.reduction.Interface("fan cooler", cooler, kind="nodes", components=("uz",)),
    ]
    reduced = fx.reduction.reduce(operators, faces, modes, name="strip", progress=False)
    return Strip(operators, reduced, tension, tuple(zones))


def excitation(count: int, until: float) -> list[fx.Table]:
    """Factors of independent zones over time: band-limited noise of standard deviation 1, every 2 ms.

    Straight lines between the points are right to 0.2 % at 10 Hz.
    """
    times = np.arange(0.0, until + 4e-3, 2e-3)
    found = []
    for zone in range(count):
        noise = fx.control.BandNoise(1.0, BAND, seed=zone + 1, count=512)
        waves = [
            np.cos(np.outer(2.0 * np.pi * part, noise.frequencies) + noise.phases).sum(axis=1)
            for part in np.array_split(times, 1 + len(times) // 1000)
        ]
        found.append(fx.Table(times, np.sqrt(2.0 / noise.count) * np.concatenate(waves)))
    return found


@dataclass(frozen=True)
class Magnet:
    """Two electromagnets, one on each side of the strip, each of which can only pull: f = c (i/e)^2.

    ``gap`` e of the strip at rest [m], ``constant`` c [N m^2/A^2], largest current ``limit`` [A]; of the gap at least
    ``least`` is left.
    """

    gap: float = 0.05
    constant: float = 1.25e-3
    limit: float = 4.0
    least: float = 0.01

    def force(self, q: float, wanted: float) -> float:
        """What the magnets give at the displacement q for a wanted force: by current, limit and gap."""
        side = 1.0 if wanted > 0.0 else -1.0
        gap = max(self.gap - side * q, self.least)
        current = min(gap * np.sqrt(abs(wanted) / self.constant), self.limit)
        return float(side * self.constant * (current / gap) ** 2)


def feedback(body: fx.LinearBody, node: int, on: float, magnet: Magnet, name: str) -> fx.control.Controller:
    """A sensor and a magnet at a node: velocity feedback, sampled, switched on at a time."""
    marker, z = body.node(node), (0, 0, 1)
    return fx.control.Controller(
        [fx.control.PositionSensor(marker, z, name=f"q {name}"),
        fx.control.VelocitySensor(marker, z, name=f"v {name}")],
        fx.control.ForceActuator(marker, z, name=f"magnet {name}"),
        period=PERIOD, offset=on, name=name,
        output=lambda x, u, t: magnet.force(float(u[0]), -GAIN * float(u[1])),
    )  # fmt: skip


def loads(strip: Strip, body: fx.LinearBody, tables: list[fx.Table]) -> list[fx.NodalLoad]:
    """The forces on the zones of the fan cooler."""
    return [
        fx.NodalLoad(body, zone, (0, 0, FORCE), history=table, name=f"zone {i}")
        for i, (zone, table) in enumerate(zip(strip.zones, tables, strict=True))
    ]


def zone_matrix(strip: Strip) -> FloatArray:
    """Nodal forces (n, n_zones) of the full strip for factors of 1."""
    out = np.zeros((strip.operators.n, len(strip.zones)))
    for column, zone in enumerate(strip.zones):
        out[strip.operators.dofs.of(zone, 2), column] = FORCE / len(zone)
    return out
