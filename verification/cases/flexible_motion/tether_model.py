"""The short electrodynamic tether: a boom with a disk at its end on a module that spins, as its paper gives it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import flexmbs as fx
from flexmbs.core.contracts import FloatArray
from flexmbs.elements import Frame
from flexmbs.verification.reference.spinning_boom import SpinningBoom

LENGTH, YOUNG, POISSON, AREA = 30.0, 132e9, 0.3, 4.16e-6
STIFF, SOFT = 38.0, 21.0
"""Bending stiffnesses about x (displacements along z) and about z (along x) [N m^2]."""
DENSITY = 8250.0
"""Of copper-beryllium; not in the paper."""
MASS, RADIUS, THICKNESS = 3.0, 0.2, 0.01
BOW = 3.0
RATIO = 0.05
UP = 10.0
PER_LENGTH = DENSITY * AREA
DIAMETRAL = MASS * (3.0 * RADIUS**2 + THICKNESS**2) / 12.0
BOOM = SpinningBoom(LENGTH, PER_LENGTH, MASS, DIAMETRAL)
RETARDATION = 2.0 * RATIO / BOOM.frequencies(SOFT)[0]
"""Of a Kelvin-Voigt law that damps the lowest mode by the ratio of the paper [s]."""


class Tether(NamedTuple):
    """A model and its bodies."""

    model: fx.Model
    boom: fx.SubstructuredBeam
    module: fx.RigidBody
    contactor: fx.RigidBody


def corners(n: int, bow: float, direction: float = 0.0) -> FloatArray:
    """Ends (n + 1, 3) of n equal pieces along y; their distance from it grows to ``bow`` as the square.

    ``direction``: of the bow, from x (soft) towards z (stiff) [rad].
    """
    away = bow * np.linspace(0.0, 1.0, n + 1) ** 2
    along = np.sqrt((LENGTH / n) ** 2 - np.diff(away) ** 2)
    y = np.concatenate(([0.0], np.cumsum(along)))
    return np.column_stack((away * np.cos(direction), y, away * np.sin(direction)))


def stiffness(soft: float = SOFT, stiff: float = STIFF) -> fx.BeamStiffness:
    """Of the hollow section; its torsion is that of a closed round tube with the mean of both moments of inertia."""
    I_x, I_z = stiff / YOUNG, soft / YOUNG
    return fx.BeamStiffness(
        EA=YOUNG * AREA, EI_z=soft, EI_y=stiff, GJ=0.5 * YOUNG / (1.0 + POISSON) * (I_x + I_z),
        mass_per_length=PER_LENGTH, rhoI_y=DENSITY * I_x, rhoI_z=DENSITY * I_z,
    )  # fmt: skip


def contactor(place: FloatArray, velocity: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> fx.RigidBody:
    """The disk, its axis along y."""
    polar = 0.5 * MASS * RADIUS**2
    return fx.RigidBody(MASS, (DIAMETRAL, polar, DIAMETRAL), place, velocity=velocity, name="contactor")


def tether(
    n: int = 6,
    spin: float | None = 0.1,
    *,
    bow: float = BOW,
    direction: float = 0.0,
    retardation: float = RETARDATION,
    ratio: float = 0.0,
    linear: bool = False,
    modes: int = 6,
    section: fx.BeamStiffness | None = None,
    velocity: tuple[float, float, float] = (0.0, 0.0, 0.0),
) -> Tether:
    """The boom in n substructures; the module turns from rest to ``spin`` within 10 s, or is fixed (None)."""
    places = corners(n, bow, direction)
    module = fx.RigidBody(10.0, (1.0, 1.0, 1.0), name="module")
    disk = contactor(places[-1], velocity)
    boom = fx.SubstructuredBeam(
        places, module, disk, element=Frame(section=section or stiffness(), shear=False), modes=modes,
        retardation_time=retardation, ratio=ratio, geometric_stiffening=not linear, name="boom",
    )  # fmt: skip
    items: list[object] = [module, disk, *boom.items]
    if spin is None:
        items.append(fx.FixedJoint(fx.ground, module, at=(0.0, 0.0, 0.0), name="clamp"))
    else:
        bearing = fx.RevoluteJoint(fx.ground, module, at=(0.0, 0.0, 0.0), axis=(0.0, 1.0, 0.0), name="bearing")
        items += [bearing, fx.RotationDriver(bearing, rate=fx.motions.Ramp(0.0, spin, UP), name="motor")]
    return Tether(fx.Model(*items, name="tether"), boom, module, disk)


def whirl(run: fx.TimeSolution, body: fx.RigidBody, module: fx.RigidBody, begin: float) -> complex:
    """The eigenvalue of the largest real part, in the frame of the module, that a motion from ``begin`` on shows.

    Positions and velocities across the axis at equal times obey x_{k+1} = A x_k when only the lowest pair of whirls
    is left; A by least squares.
    """
    keep = run.t >= begin
    R, x, v = run.rotation(module)[keep], run.position(body)[keep], run.velocity(body)[keep]
    state = np.hstack([np.einsum("tba,tb->ta", R, y)[:, [0, 2]] for y in (x, v)])
    A = np.linalg.lstsq(state[:-1], state[1:], rcond=None)[0].T
    found = np.log(np.linalg.eigvals(A).astype(complex)) / float(np.diff(run.t[keep]).mean())
    return complex(found[np.argmax(found.real)])
