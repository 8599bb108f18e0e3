"""Small structures with known answers that the tests of this folder share."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy import sparse

import flexmbs as fx
from flexmbs.linear.operators import DofMap
from flexmbs.meshes import box

MATERIAL = fx.Elastic(youngs_modulus=2e11, density=8000.0, poissons_ratio=0.3)


@pytest.fixture(scope="session")
def block() -> Callable[..., fx.linear.Part]:
    """A block of 1 x 0.1 x 0.2 along x with sets left (x = 0), right, front (y = 0), back, bottom (z = 0), top."""

    def make(element=None, n=(4, 1, 2), material=MATERIAL, **more) -> fx.linear.Part:
        mesh = box((0, 0, 0), (1.0, 0.1, 0.2), n)
        if element is not None and element.cell_type == "hexahedron20":
            mesh = mesh.quadratic()
        regions = () if element is None else (fx.linear.Region(None, element, material),)
        return fx.linear.Part(mesh, material=None if regions else material, regions=regions, name="block", **more)

    return make


@pytest.fixture(scope="session")
def chain() -> Callable[..., fx.linear.Operators]:
    """Masses m in a row along x, joined by springs k, free at both ends."""

    def make(n: int = 5, k: float = 1.0, m: float = 1.0) -> fx.linear.Operators:
        main = np.full(n, 2.0 * k)
        main[[0, -1]] = k
        K = sparse.diags([main, np.full(n - 1, -k), np.full(n - 1, -k)], [0, 1, -1])
        points = np.column_stack([np.arange(n, dtype=float), np.zeros((n, 2))])
        dofs = DofMap(np.arange(n), np.zeros(n, dtype=int))
        return fx.linear.Operators(K, m * sparse.eye(n), dofs, points, node_sets={"left": [0], "right": [n - 1]})

    return make
