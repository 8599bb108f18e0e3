"""Markers on floating bodies against differences of their pose, with rotations of the material of any size."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from flexmbs.core.contracts import FloatArray
from flexmbs.kernels.markers.floating import FLOATING

N, MODES = 3, 2
MK = np.array([2, 0, 3])


def group(rng: np.random.Generator, size: float, turns: bool = True) -> tuple[Any, FloatArray, FloatArray]:
    """Two bodies with two shapes each, two markers on the second; Psi eta is about ``size``."""
    body = np.array([1, 0, 1])
    shapes = 1 + MODES * body[:, None] + np.arange(MODES)  # one other linear coordinate before
    frames = 1 + 2 * MODES + 6 * body[:, None] + np.arange(6)
    dofs = np.hstack((frames, shapes))
    eta = rng.normal(size=2 * MODES)
    poses = [
        np.concatenate((rng.normal(size=3), Rotation.random(rng=rng).as_quat(scalar_first=True))) for _ in range(2)
    ]
    q = np.concatenate(([0.3], eta, *poses))
    Psi = rng.normal(size=(N, 3, MODES)) if turns else np.zeros((N, 3, MODES))
    if turns and size:
        angle = np.linalg.norm(np.einsum("iak,ik->ia", Psi, q[shapes]), axis=1)
        Psi *= (size / angle)[:, None, None]
    made = FLOATING.group(
        mk=MK, row=1 + (8 + 2) * np.array([1, 0, 2]), dofs=dofs, pdofs=np.ascontiguousarray(dofs[:, 3:]), b1=5,
        qi=1 + 2 * MODES + 7 * body, rot=body, s=rng.normal(size=(N, 3)),
        R_BM=Rotation.random(N, rng=rng).as_matrix(), Phi=rng.normal(size=(N, 3, MODES)), Psi=Psi,
    )  # fmt: skip
    return made, q, rng.normal(size=1 + 2 * MODES + 12)


@pytest.mark.parametrize("size", [1e-9, 1e-3, 0.05, 0.8, 2.5])
def test_promises_hold(size: float, bench: Any, check_markers: Callable[..., None]) -> None:
    rng = np.random.default_rng(7)
    made, q, v = group(rng, size)
    rigid = ((1 + 2 * MODES, 1 + 2 * MODES), (8 + 2 * MODES, 7 + 2 * MODES))
    check_markers(bench(FLOATING, made, q, v, rigid=rigid), 0.4 * rng.normal(size=len(v)))


def test_nodes_without_rotations(bench: Any, check_markers: Callable[..., None]) -> None:
    rng = np.random.default_rng(8)
    made, q, v = group(rng, 0.0, turns=False)
    rigid = ((1 + 2 * MODES, 1 + 2 * MODES), (8 + 2 * MODES, 7 + 2 * MODES))
    check_markers(bench(FLOATING, made, q, v, rigid=rigid), 0.4 * rng.normal(size=len(v)))


def test_place_is_that_of_the_definition(bench: Any) -> None:
    """Position x_0 + R (s + Phi eta), orientation R exp(Psi eta) R_BM."""
    made, q, v = group(np.random.default_rng(9), 0.7)
    rigid = ((1 + 2 * MODES, 1 + 2 * MODES), (8 + 2 * MODES, 7 + 2 * MODES))
    work = bench(FLOATING, made, q, v, rigid=rigid).place(q)
    for i, k in enumerate(MK):
        R = Rotation.from_quat(q[made.qi[i] + 3 : made.qi[i] + 7], scalar_first=True).as_matrix()
        eta = q[made.dofs[i, 6:]]
        place = q[made.qi[i] : made.qi[i] + 3] + R @ (made.s[i] + made.Phi[i] @ eta)
        turned = R @ Rotation.from_rotvec(made.Psi[i] @ eta).as_matrix() @ made.R_BM[i]
        np.testing.assert_allclose(work.p[k], place, rtol=0.0, atol=1e-13)
        np.testing.assert_allclose(work.R[k], turned, rtol=0.0, atol=1e-13)
