"""Roots of matrices with known spectra, by every method: what rests or vibrates does not grow, what grows is told."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csc_array

from flexmbs.analysis import roots
from flexmbs.analysis.roots import lowest_roots
from flexmbs.analysis.small_motions import Roots, SmallMotions, stiffness_by_mass
from flexmbs.dynamics.minimal import Sizes

seeds = st.integers(0, 10**6)
sizes = st.integers(3, 8)
scales = st.sampled_from((1e-6, 1.0, 1e4, 1e10))
"""Of the stiffness: time may be in any unit."""
METHODS = ("symmetric", "general", "first order")


def mixed(seed: int, n: int) -> Any:
    """A regular matrix (n, n) of coordinates in which nothing is uncoupled, of condition up to 9."""
    random = np.random.default_rng(seed)
    left, right = (np.linalg.qr(random.standard_normal((n, n)))[0] for _ in range(2))
    return left * random.uniform(1 / 3, 3.0, n) @ right


def motions(M: Any, C: Any, S: Any, symmetric: bool, G: Any = None) -> SmallMotions:
    """Without states; with constraints G y = 0."""
    n = len(S)
    G = np.zeros((0, n)) if G is None else np.atleast_2d(G)
    made = (csc_array(np.asarray(A, dtype=float)) for A in (M, C, S, G))
    return SmallMotions(*made, np.zeros(n, dtype=bool), symmetric, np.zeros(len(G)), Sizes(np.ones(n), np.ones(len(G))))


def found(method: str, M: Any, S: Any, G: Any = None) -> Roots:
    """All roots of an undamped symmetric problem by one of the methods.

    A first-order problem becomes of it by damping in proportion to the stiffness, which leaves rigid motions alone, and
    of divergence neither the number nor the sign.
    """
    C = np.zeros_like(S)
    if method == "first order":
        C = 0.01 * S / np.sqrt(np.abs(S).max() * np.abs(M).max())
    return lowest_roots(motions(M, C, S, method == "symmetric", G), None, "model")


def free_chain(n: int, random: np.random.Generator) -> Any:
    """Stiffness of n masses in a row, with springs between neighbours: one rigid motion."""
    k = random.uniform(0.5, 2.0, n - 1)
    return np.diag(np.r_[k, 0.0] + np.r_[0.0, k]) - np.diag(k, 1) - np.diag(k, -1)


@settings(max_examples=60, deadline=None)
@given(
    seed=seeds, n=sizes, bodies=st.integers(1, 3), scale=scales, method=st.sampled_from((*METHODS, "gyroscopic")),
    light=st.floats(0.0, 8.0),
)  # fmt: skip
def test_free_bodies_rest(seed: int, n: int, bodies: int, scale: float, method: str, light: float) -> None:
    """As many double roots at zero as there are bodies, none of which grows, however light some coordinates are.

    Masses down to 1e-8 of the largest, which no coordinate shows alone: roots of the first-order matrix have errors of
    the size of the largest, 1e4 of the lowest, and zeros the root of that.
    """
    random = np.random.default_rng(seed)
    S = np.kron(np.eye(bodies), np.zeros((n, n)))
    for b in range(bodies):
        S[b * n : (b + 1) * n, b * n : (b + 1) * n] = free_chain(n, random)
    T, mass = mixed(seed + 1, bodies * n), 2.0 * 10.0 ** -(light * random.random(bodies * n))
    M, S = (T.T * mass) @ T, scale * T.T @ S @ T
    if method == "gyroscopic":  # of what strains the body, not of its rigid motions
        W = random.standard_normal(S.shape)
        C = 0.1 * S @ (W - W.T) @ S / np.sqrt(scale**3)
        every = lowest_roots(motions(M, C, S, True), None, "model")
    else:
        every = found(method, M, S)
    assert not every.growing.any()
    assert every.n_growing == 0


@settings(max_examples=60, deadline=None)
@given(
    seed=seeds, rigid=st.integers(0, 3), stable=st.integers(1, 5), scale=scales, method=st.sampled_from(METHODS),
    below=st.lists(st.floats(-6.0, 0.0), min_size=1, max_size=3),
)  # fmt: skip
def test_divergence_is_told(seed: int, rigid: int, stable: int, scale: float, method: str, below: list[float]) -> None:
    """omega^2 below zero by 1e-6 to 1 of the largest, beside rigid motions and vibrations: each grows, no other."""
    random = np.random.default_rng(seed)
    squares = np.r_[np.zeros(rigid), -(10.0 ** np.array(below)), random.uniform(0.1, 1.0, stable), 1.0]
    T = mixed(seed, len(squares))
    every = found(method, T.T @ T, scale * (T.T * squares) @ T)
    assert every.n_growing == len(below)
    wanted = np.sqrt(scale * 10.0 ** np.array(below))
    if method == "first order":  # s^2 + c s - w^2 = 0
        c = -0.01 * wanted**2 / np.sqrt(np.abs(scale * (T.T * squares) @ T).max() * np.abs(T.T @ T).max())
        wanted = -0.5 * c + np.sqrt(0.25 * c**2 + wanted**2)
    shown = np.sort(every.s[every.growing].real)  # the ten lowest roots are
    assert shown == pytest.approx(np.sort(wanted)[: len(shown)], rel=1e-6)
    assert len(shown) == len(below) or len(every.s) == 10


@settings(max_examples=40, deadline=None)
@given(seed=seeds, rigid=st.integers(0, 2), scale=scales, angle=st.floats(1e-4, 1.5))
def test_flutter_is_told(seed: int, rigid: int, scale: float, angle: float) -> None:
    r"""Squares :math:`e^{\pm i\alpha}` of a stiffness that is not symmetric: one root grows, by sin(alpha/2)."""
    a, b = np.cos(angle), np.sin(angle)
    S = np.zeros((rigid + 4, rigid + 4))
    S[rigid : rigid + 2, rigid : rigid + 2] = [[a, b], [-b, a]]
    S[rigid + 2 :, rigid + 2 :] = np.diag([0.3, 2.0])
    T = mixed(seed, len(S))
    every = lowest_roots(motions(T.T @ T, 0 * S, scale * T.T @ S @ T, False), None, "model")
    assert every.growing.sum() == 1
    s = every.s[every.growing][0] / np.sqrt(scale)
    assert (s.real, s.imag) == pytest.approx((np.sin(angle / 2), np.cos(angle / 2)), rel=1e-6)


@settings(max_examples=40, deadline=None)
@given(seed=seeds, scale=scales, ratio=st.floats(0.01, 3.0), rigid=st.integers(0, 2))
def test_gyroscopic_forces_stabilise(seed: int, scale: float, ratio: float, rigid: int) -> None:
    r"""An unstable pair held by its spin, :math:`\ddot x + g\,\Omega\dot x - k x = 0`: grows where :math:`g^2 < 4k`.

    .. math:: s = \pm i g / 2 \pm \sqrt{k - g^2 / 4}
    """
    if abs(ratio - 2.0) < 1e-3:  # a double root, as sensitive as sqrt(eps)
        ratio = 2.1
    n = rigid + 4
    S, C = np.zeros((n, n)), np.zeros((n, n))
    S[rigid:, rigid:] = np.diag([-1.0, -1.0, 0.7, 3.0])
    C[rigid, rigid + 1], C[rigid + 1, rigid] = ratio, -ratio
    T = mixed(seed, n)
    every = lowest_roots(motions(T.T @ T, np.sqrt(scale) * T.T @ C @ T, scale * T.T @ S @ T, True), None, "model")
    s = every.s[every.growing] / np.sqrt(scale)
    real = np.sqrt(max(0.0, 1.0 - ratio**2 / 4.0))
    if real == 0.0:
        assert not len(s)
    else:
        assert len(s) == 1
        assert s.real == pytest.approx(real, rel=1e-6)
        assert s.imag == pytest.approx(ratio / 2.0, abs=1e-6)


@settings(max_examples=30, deadline=None)
@given(seed=seeds, n=st.integers(4, 8), scale=scales, method=st.sampled_from(METHODS))
def test_constraints_take_what_is_unstable(seed: int, n: int, scale: float, method: str) -> None:
    """Of a free chain with one spring that pushes: it grows until the constraint y_0 = y_1 takes the spring away."""
    random = np.random.default_rng(seed)
    S = free_chain(n, random)
    S[:2, :2] -= 4.0 * np.array([[1.0, -1.0], [-1.0, 1.0]])
    T = mixed(seed, n)
    G = (np.eye(n)[0] - np.eye(n)[1]) @ T
    M, S = T.T @ T, scale * T.T @ S @ T
    assert found(method, M, S).n_growing == 1
    assert found(method, M, S, G).n_growing == 0


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("unstable", [False, True])
def test_sparse_methods_say_the_same(method: str, unstable: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """A free chain of 60 masses by Lanczos' and Arnoldi's methods; with a spring that pushes at its end."""
    monkeypatch.setattr(roots, "DIRECT", 10)
    monkeypatch.setattr(roots, "DENSE", 10)
    S = 1e4 * free_chain(60, np.random.default_rng(3))
    if unstable:
        S[0, 0] -= 1e3
    every = found(method, np.eye(60), S)
    assert len(every.s) >= 10
    assert every.n_growing == int(unstable)


@pytest.mark.parametrize("noise", [1e-9, 1e-4])
def test_round_off_is_no_stiffness(noise: float) -> None:
    """What springs of 1e12 leave on the diagonal of a coordinate that is free sets no scale; a soft spring does."""
    S, M = np.diag([1e12, 3.0, 2e12]), np.diag([2.0, 1.5, 4.0])
    p = motions(M, 0.0 * S, S, True)
    assert stiffness_by_mass(p) == pytest.approx(2.0)
    S = np.array(
        [[2e12, noise, -2e12, 0.0], [noise, noise, noise, 0.0], [-2e12, noise, 2e12, 0.0], [0.0, 0.0, 0.0, 8e3]]
    )
    p = motions(np.diag([2.0, 0.5, 2.0, 1.0]), 0.0 * S, S, True)
    assert stiffness_by_mass(p) == pytest.approx(8e3)
