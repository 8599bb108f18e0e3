"""Reduction methods handed over to `reduce`: a meshed part with rigid interfaces."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import linalg

import flexmbs as fx
from flexmbs.meshes.generate import box


@pytest.fixture(scope="module")
def bar():
    return fx.linear.Part(box((0, 0, 0), (0.5, 0.1, 0.04), (12, 3, 2)), material=fx.steel, name="bar")


def rubin(a):
    return fx.reduction.rubin(a.operators.K, a.operators.M, a.boundary, 10, a.operators.rigid_motions(), a.labels)


def krylov(a):
    return fx.reduction.krylov(a.operators.K, a.operators.M, a.boundary, 4, labels=a.labels)


def balanced(a):
    K, M = a.operators.K, a.operators.M
    start = fx.reduction.krylov(K, M, a.boundary, 4, interface=False)
    D = 20.0 * M + 2e-7 * K
    return fx.reduction.balanced_truncation(K, M, D, a.boundary, 20, start=start, interface=True, labels=a.labels).basis


@pytest.mark.parametrize("method", [rubin, krylov, balanced])
def test_couples_as_craig_bampton_does_and_has_the_frequencies_of_the_part(bar, method):
    small = fx.reduction.reduce(bar, ["left", "right"], method=method, progress=False)
    usual = fx.reduction.reduce(bar, ["left", "right"], modes=10, progress=False)
    assert small.n_interface == usual.n_interface == 12
    assert small.labels[:12] == usual.labels[:12]
    scale = np.sqrt(np.outer(usual.K.diagonal()[:12], usual.K.diagonal()[:12]))
    np.testing.assert_allclose(small.K[:12, :12] / scale, usual.K[:12, :12] / scale, atol=1e-9)
    assert np.abs(small.K[:12, 12:]).max() < 1e-9 * np.abs(small.K).max()
    full = small.source.attached.operators
    exact = linalg.eigh(full.K.toarray(), full.M.toarray(), eigvals_only=True)[:12]
    found = linalg.eigh(small.K, small.M, eigvals_only=True)[:12]
    assert np.abs(found[:6]).max() < 1e-9 * exact[6]
    np.testing.assert_allclose(found[6:], exact[6:], rtol=1e-6)


def test_interface_of_many_nodes_by_characteristic_modes(bar):
    """A face whose nodes all stay has 36 coordinates; fewer shapes come nearer and nearer to their frequencies.

    Each set of shapes holds the one before, so no frequency rises (Rayleigh); one to which new shapes are orthogonal,
    such as bending in the other plane, stays as it is, to round-off, and all four together fall.
    """

    def face(count):
        def method(a):
            K, M = a.operators.K, a.operators.M
            return fx.reduction.characteristic_modes(
                fx.reduction.krylov(K, M, a.boundary, 2, labels=a.labels), K, M, count
            )

        small = fx.reduction.reduce(bar, fx.reduction.Interface("left", kind="nodes"), method=method, progress=False)
        assert small.n_interface == 0
        return linalg.eigh(small.K, small.M, eigvals_only=True)[:10]

    every = face(36)
    previous = np.full(4, np.inf)
    for count in (12, 18, 24, 30):
        found = face(count)
        assert np.abs(found[:6]).max() < 1e-9 * every[6]
        error = found[6:] / every[6:] - 1.0
        assert error.min() > -1e-9
        assert (error < previous + 1e-9).all()
        assert error.sum() < previous.sum() - 4e-9
        previous = error
