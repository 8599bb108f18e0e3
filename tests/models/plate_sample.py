"""Plates of the continuum element by hand, with a numbering of coordinates of their own, for the tests of elements."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np

from flexmbs.core.contracts import Env, State, SurfaceShape, Work
from flexmbs.core.material import Elastic
from flexmbs.core.shell_section import ShellSection, sheet_stiffness
from flexmbs.elements import ANCFPlateFullyParameterized
from flexmbs.meshes import Mesh, rectangle
from flexmbs.meshes.surface import node_frames

PRINTED = ANCFPlateFullyParameterized(split=False, nodal=False, assumed_shear=False, twist=False)
VARIANTS = {
    "cured": ANCFPlateFullyParameterized(),
    "printed": PRINTED,
    "split and nodal": ANCFPlateFullyParameterized(assumed_shear=False, twist=False),
    "nodal": ANCFPlateFullyParameterized(split=False, assumed_shear=False),
    "split": ANCFPlateFullyParameterized(nodal=False, twist=False),
}
E, NU, H = 3.0, 0.3, 0.1
B1 = 5
GRID = np.array([(a, b) for b in (-0.8, 0.1, 0.9) for a in (-0.7, 0.2, 0.8)])


def warped(x, y):
    return x + 0.1 * x * y, y - 0.07 * x * y + 0.05 * y * y, 0.15 * x * x + 0.1 * x * y


def folded(x, y):
    return (x, y, 0.0) if x <= 0.5 else (0.5, y, x - 0.5)


def flat(x, y):
    return x, y, 0.0


def skew(x, y):
    return x + 0.3 * y, y + 0.2 * x, 0.0


def distorted(x, y):
    inside = 0.0 < x < 1.0 and 0.0 < y < 1.0
    return (x + 0.07 * np.sin(9 * x + 4 * y), y + 0.06 * np.cos(7 * x - 5 * y), 0.0) if inside else (x, y, 0.0)


SHAPES = {"flat": flat, "warped": warped, "folded": folded}


class Sample:
    """A square of cells brought into a shape, with its own numbering of coordinates."""

    def __init__(self, element, place, n=2, viscosity=0.0, stiffness=None, h=H, **sheet):
        mesh = rectangle((0, 0), (1, 1), (n, n))
        mesh = Mesh(np.array([place(*p) for p in mesh.points], dtype=float), mesh.cells)
        self.element, self.points, self.cells = element, mesh.points, mesh.cells[0].nodes
        if stiffness is None:
            material = Elastic(youngs_modulus=E, density=2.0, poissons_ratio=NU)
            stiffness = sheet_stiffness("test", ShellSection(h, **sheet), material)
        self.stiffness = replace(stiffness, retardation_time=viscosity)
        frames, kinks = node_frames("test", mesh, self.cells, self.stiffness.axis)
        self.shape = SurfaceShape(mesh.points, frames, kinks, self.cells, np.zeros((0, 9)), np.zeros((0, 2)))
        reference = element.surface_reference(self.shape)
        self.q0, self.n = reference.ravel(), reference.size
        dofs = np.arange(self.n).reshape(-1, 12)[self.cells].reshape(len(self.cells), -1)
        self.group = element.tabulate_surface(self.shape, self.q0[dofs], dofs, self.stiffness, B1)

    def state(self, q, v):
        return State(q, np.zeros(self.n) if v is None else v, np.zeros(self.n), np.zeros(0)), Env(0.0, np.zeros(0))

    def force(self, q, v=None):
        work = Work(np.zeros(self.n), np.zeros(0))
        assert self.element.force(self.group, *self.state(q, v), work) == -1
        return work.r

    def dense(self, blocks):
        A = np.zeros((self.n, self.n))
        for dofs, block in zip(self.group.dofs, blocks.reshape(len(self.cells), 48, 48), strict=True):
            A[np.ix_(dofs, dofs)] += block
        return A

    def matrix(self, q, v=None, wq=1.0, wv=0.0):
        work = Work(np.zeros(self.n), np.full(B1 + len(self.cells) * 48**2, np.nan))
        assert self.element.tangent(self.group, *self.state(q, v), work, (wq, wv)) == -1
        return work.r, self.dense(work.B[B1:])

    def mass(self):
        return self.dense(self.element.mass(self.group))

    def energy(self, q):
        return float(self.element.energy(self.group, q).sum())

    def random(self, rng, size=0.05):
        return self.q0 + size * rng.standard_normal(self.n), rng.standard_normal(self.n)

    def turned(self, q, R, shift=0.0):
        out = (q.reshape(-1, 4, 3) @ R.T).copy()
        out[:, 0] += shift
        return out.ravel()

    def given(self, position, gradient):
        """Coordinates of a displacement (3,) with gradient (3, 3) by x, y and z of the body, as functions of x, y."""
        u = np.array([position(*p[:2]) for p in self.points])
        G = np.array([gradient(*p[:2]) for p in self.points])
        return np.concatenate(
            (u[:, None], np.einsum("nij,nkj->nki", G, self.q0.reshape(-1, 4, 3)[:, 1:])), axis=1
        ).ravel()

    def resultants(self, u, xi=GRID):
        return self.element.stress_resultants(self.group, self.q0 + u, np.zeros(self.n), xi)


@cache
def build(name, shape="flat", viscosity=0.0):
    return Sample(VARIANTS[name], SHAPES[shape], viscosity=viscosity)


def membrane(s, size):
    e = size * np.array([[1.0, 0.4, 0.0], [0.4, -0.3, 0.0], [0.0, 0.0, -0.7 * NU / (1.0 - NU)]])
    return s.given(lambda x, y: e @ (x, y, 0.0), lambda x, y: e)


def curvature(s, size):
    return s.given(
        lambda x, y: (0.0, 0.0, 0.5 * size * x * x),
        lambda x, y: np.array([[0, 0, -size * x], [0, 0, 0], [size * x, 0, 0]]),
    )


def twist(s, size):
    return s.given(
        lambda x, y: (0.0, 0.0, size * x * y),
        lambda x, y: np.array([[0, 0, -size * y], [0, 0, -size * x], [size * y, size * x, 0]]),
    )
