"""Small chains of every element, straight and curved, and the plain evaluation of their kernels."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
import pytest

from flexmbs.core.contracts import Env, State, Work
from flexmbs.core.section import BeamStiffness
from flexmbs.elements import ALL, ANCFBeam, ANCFBeamFullyParameterized, CableStrain, LinearBeam2D, LinearBeam3D

STIFFNESS = BeamStiffness(
    EA=700.0, EI_z=3.0, mass_per_length=1.3, GJ=2.0, GA_y=90.0, GA_z=60.0, rhoI_y=0.02, rhoI_z=0.03
)
UNEQUAL = replace(STIFFNESS, EI_y=5.0)
EPS = np.finfo(float).eps


@dataclass(frozen=True)
class Sample:
    """A chain of elements with its own coordinates, numbered node by node."""

    element: Any
    points: np.ndarray
    group: Any
    reference: np.ndarray
    stiffness: BeamStiffness
    b1: int
    cells: np.ndarray

    @property
    def n(self) -> int:
        return len(self.reference)

    @property
    def is_cable(self) -> bool:
        return is_cable(self.element)

    @property
    def finite(self) -> bool:
        """Whether its coordinates are positions and slopes, so that it may be moved as far as one likes."""
        return bool(self.element.layout.absolute)

    @property
    def dim(self) -> int:
        return self.element.layout.dim

    def force(self, q, v=None):
        r, refused = self.attempt(q, v)
        assert refused == -1
        return r

    def attempt(self, q, v=None):
        """Forces and what the kernel returned."""
        r = np.zeros(self.n)
        v = np.zeros(self.n) if v is None else v
        return r, self.element.force(self.group, self._state(q, v), self._env(), Work(r, np.zeros(0)))

    def matrix(self, q, v=None, wq=1.0, wv=0.0):
        """Forces and the assembled matrix wq K + wv D."""
        v = np.zeros(self.n) if v is None else v
        n_e, k = self.group.dofs.shape
        r, B = np.zeros(self.n), np.full(self.b1 + n_e * k * k, np.nan)  # NaN: blocks are overwritten, not added to
        assert self.element.tangent(self.group, self._state(q, v), self._env(), Work(r, B), (wq, wv)) == -1
        assert np.isnan(B[: self.b1]).all()
        return r, self.assembled(B[self.b1 :].reshape(n_e, k, k))

    def assembled(self, blocks):
        full = np.zeros((self.n, self.n))
        for dofs, block in zip(self.group.dofs, blocks, strict=True):
            full[np.ix_(dofs, dofs)] += block
        return full

    def mass(self):
        return self.assembled(self.element.mass(self.group))

    def energy(self, q):
        return float(self.element.energy(self.group, q).sum())

    def load(self, load, per_mass=False):
        f = np.zeros(self.n)
        np.add.at(f, self.group.dofs, self.element.body_load(self.group, np.asarray(load, dtype=float), per_mass))
        return f

    def translation(self, direction):
        """Velocities of a rigid translation."""
        v = np.zeros((len(self.points), len(self.element.layout.names)))
        v[:, list(self.element.layout.position)] = direction
        return v.ravel()

    def spin(self, q, omega):
        """Velocities of a rigid rotation about the origin with the angular velocity omega (3,), from q."""
        layout = self.element.layout
        q, v = q.reshape(len(self.points), -1), np.zeros((len(self.points), len(layout.names)))
        where = q[:, list(layout.position)] if layout.absolute else self.points
        v[:, list(layout.position)] = self._turned(omega, where)
        if layout.slope:
            v[:, list(layout.slope)] = self._turned(omega, q[:, list(layout.slope)])
        for part in (layout.directors[:3], layout.directors[3:]):
            if part:
                v[:, part] = self._turned(omega, q[:, part])
        if layout.rotation:
            v[:, list(layout.rotation)] = omega[-len(layout.rotation) :]
        return v.ravel()

    def moved(self, q, R, shift):
        """A chain of positions and slopes after a finite rotation and a translation."""
        q = q.reshape(len(self.points), -1, self.dim) @ R.T
        q[:, 0] += shift
        return q.ravel()

    def random(self, rng, size=0.01):
        """A state near the stress-free shape, and velocities."""
        return self.reference + size * rng.standard_normal(self.n), rng.standard_normal(self.n)

    @staticmethod
    def rotation(vector):
        """Rotation matrix of a rotation vector, by Rodrigues."""
        angle = np.linalg.norm(vector)
        k = np.cross(np.eye(3), np.asarray(vector) / -angle)
        return np.eye(3) + np.sin(angle) * k + (1 - np.cos(angle)) * k @ k

    @staticmethod
    def turn(angle):
        """Rotation matrix in the plane."""
        return np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])

    @staticmethod
    def difference(f, x, h):
        """Derivative of f by x, by central differences of order 4."""
        columns = []
        for i in range(len(x)):
            e = np.zeros_like(x)
            e[i] = h
            columns.append((8 * (f(x + e) - f(x - e)) - (f(x + 2 * e) - f(x - 2 * e))) / (12 * h))
        return np.stack(columns, axis=-1)

    def _turned(self, omega, x):
        x = np.hstack((x, np.zeros((len(x), 3 - x.shape[1]))))
        return np.cross(omega, x)[:, : self.dim]

    def _state(self, q, v):
        return State(np.ascontiguousarray(q), np.ascontiguousarray(v), np.zeros(self.n), np.zeros(0))

    def _env(self):
        return Env(0.0, np.zeros(0))


def shape(dim, curved, n_e, opening=3.0):
    """Points and unit tangents of a line of length 1.5 in an oblique direction, straight or bent to a circular arc."""
    s = np.linspace(0.0, 1.5, n_e + 1)
    if curved:
        a, radius = s / 1.5 * opening, 1.5 / opening
        points, tangents = radius * np.stack((np.sin(a), 1 - np.cos(a)), 1), np.stack((np.cos(a), np.sin(a)), 1)
    else:
        points, tangents = np.stack((s, 0 * s), 1), np.stack((1 + 0 * s, 0 * s), 1)
    if dim == 3:
        points, tangents = np.pad(points, ((0, 0), (0, 1))), np.pad(tangents, ((0, 0), (0, 1)))
    R = Sample.rotation([0.3, -0.5, 0.4]) if dim == 3 else Sample.turn(0.4)
    return points @ R.T + np.array([0.2, -0.1, 0.3])[:dim], tangents @ R.T


@cache
def build(element, curved=False, viscosity=0.0, n_e=3, opening=3.0, stiffness=None) -> Sample:
    """A chain of ``n_e`` elements of total length 1.5 (an arc of that length, if curved)."""
    n = n_e * (2 if element.cell_type == "line3" else 1)
    points, tangents = shape(element.layout.dim, curved, n, opening)
    return on_points(element, points, tangents, viscosity, stiffness)


def on_points(element, points, tangents=None, viscosity=0.0, stiffness=None, b1=5) -> Sample:
    """A chain of elements through the points; those of three nodes take every second one as their middle."""
    points = np.asarray(points)
    if stiffness is None:
        stiffness = UNEQUAL if isinstance(element, LinearBeam3D | ANCFBeam | ANCFBeamFullyParameterized) else STIFFNESS
    stiffness = replace(stiffness, retardation_time=viscosity)
    reference = element.reference(points, tangents)
    nodes = np.arange(len(points))
    if element.cell_type == "line3":
        cells = np.stack((nodes[:-1:2], nodes[2::2], nodes[1::2]), 1)
    else:
        cells = np.stack((nodes[:-1], nodes[1:]), 1)
    n_e = len(cells)
    node_dofs = np.arange(reference.size).reshape(reference.shape)
    dofs = node_dofs[cells].reshape(n_e, -1)
    group = element.tabulate(points[cells], reference[cells].reshape(n_e, -1), dofs, stiffness, b1)
    return Sample(element, points, group, reference.ravel(), stiffness, b1, cells)


def is_cable(element) -> bool:
    """Whether its nodes have a slope and nothing else beside their position."""
    return bool(element.layout.slope) and not element.layout.directors


CHAINS = tuple(e for e in ALL if hasattr(e, "lengths") and not e.layout.quaternion)
"""Elements of lines whose coordinates are a vector space, so that a state is an array to which one may add.

What holds for all elements, of surfaces and with quaternions too, is in `test_every_element`.
"""


def variants():
    """Every element of `CHAINS` with its choices that change the equations."""
    for element in CHAINS:
        yield element
        if is_cable(element):
            yield replace(element, strain=CableStrain.GREEN)
        if isinstance(element, ANCFBeamFullyParameterized):
            yield replace(element, split=False, nodal=False)
        if isinstance(element, LinearBeam2D | LinearBeam3D):
            yield replace(element, shear=False)


def label(element) -> str:
    choice = getattr(element, "strain", None)
    if choice:
        return f"{type(element).__name__}-{choice.name}"
    changed = "-rigid in shear" if not getattr(element, "shear", True) else ""
    return type(element).__name__ + (changed or ("-as printed" if not getattr(element, "split", True) else ""))


VARIANTS = tuple(variants())


@pytest.fixture(scope="session", params=VARIANTS, ids=label)
def element(request):
    return request.param


@pytest.fixture(scope="session", params=[v for v in VARIANTS if is_cable(v)], ids=label)
def cable(request):
    return request.param


@pytest.fixture(scope="session", params=[v for v in VARIANTS if v.layout.absolute], ids=label)
def absolute(request):
    return request.param


@pytest.fixture(scope="session", params=[v for v in VARIANTS if v.layout.rotation], ids=label)
def beam(request):
    return request.param


@pytest.fixture(scope="session", params=[False, True], ids=["straight", "curved"])
def curved(request):
    return request.param


@pytest.fixture(scope="session", params=[0.0, 0.3], ids=["undamped", "damped"])
def viscosity(request):
    return request.param


@pytest.fixture(scope="session")
def chain(element, curved, viscosity) -> Sample:
    return build(element, curved, viscosity)


@pytest.fixture(scope="session", name="build")
def build_():
    return build


@pytest.fixture(scope="session", name="on_points")
def on_points_():
    return on_points


@pytest.fixture
def rng():
    return np.random.default_rng(7)
