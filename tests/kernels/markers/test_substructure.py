"""Points of substructures against differences of their position."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from flexmbs.kernels.markers.substructure import SUBSTRUCTURE_POINT

N, INNER = 3, 2


@pytest.mark.parametrize("seed", range(2))
def test_promises_hold(seed: int, bench: Any, check_markers: Callable[..., None]) -> None:
    """Three frames behind the inner modes of two substructures, which share the second frame; the second has two."""
    rng = np.random.default_rng(seed)
    part = np.array([1, 0, 1])
    n = 2 * INNER
    ends = np.array([[0, 1], [1, 2]])[part]  # frames
    turn = lambda count: Rotation.random(count, rng=rng).as_matrix()  # noqa: E731
    poses = [
        np.concatenate((rng.normal(size=3), Rotation.random(rng=rng).as_quat(scalar_first=True))) for _ in range(3)
    ]
    q = np.concatenate((rng.normal(size=n), *poses))
    dofs = np.hstack([
        n + 6 * ends[:, :1] + np.arange(6), n + 6 * ends[:, 1:] + np.arange(6), INNER * part[:, None] + np.arange(INNER)
    ])  # fmt: skip
    group = SUBSTRUCTURE_POINT.group(
        mk=np.array([2, 0, 3]), row=1 + 16 * np.array([1, 0, 2]), dofs=dofs, pdofs=dofs, b1=5,
        at=rng.normal(size=(N, 3)), Phi=rng.normal(size=(N, 3, 6 + INNER)), qa=n + 7 * ends[:, 0],
        qb=n + 7 * ends[:, 1], ra=np.ascontiguousarray(ends[:, 0]), rb=np.ascontiguousarray(ends[:, 1]),
        s=rng.normal(size=(N, 3)), d0=rng.normal(size=(N, 3)), C=turn(N), room=np.full((N, 8, 3, 3), np.nan),
        line=np.concatenate((np.full((N, 8, 3), np.nan), np.zeros((N, 1, 3))), axis=1),
    )  # fmt: skip
    rigid = tuple((n + 7 * k, n + 6 * k) for k in range(3))
    check_markers(
        bench(SUBSTRUCTURE_POINT, group, q, rng.normal(size=n + 18), rigid=rigid), 0.4 * rng.normal(size=n + 18)
    )
