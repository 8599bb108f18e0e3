"""Bounds of errors by what a basis leaves out: they hold, whatever the structure and the basis."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import linalg, sparse

from flexmbs.core.errors import SingularError
from flexmbs.reduction.methods.complement import Complement
from flexmbs.reduction.methods.craig_bampton import craig_bampton
from tests.models.lattice import lattice

EPS = float(np.finfo(float).eps)
ROUND_OFF = 1e-9  # of an eigenvalue relative to the largest one; the structures are small and well scaled


@st.composite
def structures(draw):
    """A free or grounded lattice of random points, stiffnesses and masses."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n = draw(st.integers(4, 9))
    points = rng.uniform(-1.0, 1.0, (n, 3))
    pairs = n * (n - 1) // 2
    what = lattice(points, None, 10.0 ** rng.uniform(-1, 1, pairs), 10.0 ** rng.uniform(-1, 1, n))
    exact = exact_of(what)
    assume(exact[6] > 1e-6 * exact[-1])  # four points in a plane are a mechanism: bounds do not cover its round-off
    return what, rng


def exact_of(what):
    return linalg.eigvalsh(what.K.toarray(), what.M.toarray())


def check(what, T, rng, loss=0.02):
    K, M = what.K.toarray(), what.M.toarray()
    exact = linalg.eigvalsh(K, M)
    shift = -1e-3 * exact[6]
    ports = rng.standard_normal((what.n, 2))
    try:
        rest = Complement(what.K, what.M, T, T.T @ K @ T, T.T @ M @ T, shift, ports)
    except SingularError:
        return None
    m = T.shape[1]
    slack = ROUND_OFF * exact[-1]
    lower, better = rest.lower_bounds(m), rest.improved(m)
    assert (lower <= exact[:m] + slack).all()
    assert (better >= exact[:m] - slack).all()
    assert (better[np.isfinite(better)] <= rest.values[np.isfinite(better)] + slack).all()
    assert (rest.values >= exact[:m] - slack).all()
    top = np.sqrt(exact[-1])
    for omega in rng.uniform(0.05, 1.2, 6) * min(top, np.sqrt(rest.cut_off) if np.isfinite(rest.cut_off) else top):
        found = rest.receptance(omega, loss)
        Z = (1 + 1j * loss) * K - omega**2 * M
        X = np.linalg.solve(Z, ports)
        full = ports.T @ X
        # solutions are exact for a Z that is off by round-off of its size, which moves the receptance by X^T dZ X
        noise = 1e2 * EPS * np.linalg.norm(Z, 2) * np.linalg.norm(X, 2) ** 2
        factored = 1e2 * EPS * exact[-1] / abs(shift)  # round-off of solutions with K - shift M, by its condition
        slack = noise + (1e-8 + factored) * np.linalg.norm(full, 2)
        assert np.linalg.norm(full - found.reduced, 2) <= found.bound * (1 + 1e-9) + slack
    return rest, exact


@settings(max_examples=60, deadline=None)
@given(structures(), st.data())
def test_bounds_hold_for_craig_bampton(case, data):
    what, rng = case
    nodes = data.draw(st.integers(3, max(3, len(what.points) - 1)))
    boundary = what.dofs.of(rng.permutation(len(what.points))[:nodes])
    inside = what.n - len(boundary)
    modes = data.draw(st.integers(0, inside))
    basis = craig_bampton(what.K, what.M, boundary, modes)
    checked = check(what, basis.vectors, rng)
    assert checked is not None
    if modes == inside:  # nothing is left out
        rest, exact = checked
        assert rest.cut_off == np.inf
        np.testing.assert_allclose(rest.lower_bounds(what.n), exact, atol=1e-11 * exact[-1])


@settings(max_examples=60, deadline=None)
@given(structures(), st.data())
def test_bounds_hold_for_any_basis(case, data):
    """Not even the rigid motions need to be in it."""
    what, rng = case
    m = data.draw(st.integers(1, what.n))
    check(what, rng.standard_normal((what.n, m)), rng)


def test_bounds_are_close_far_below_the_cut_off():
    """The bound is the error to the order of the square of the frequency by the cut-off."""
    rng = np.random.default_rng(3)
    what = lattice(rng.uniform(-1, 1, (40, 3)))
    boundary = what.dofs.of([0, 1, 2])
    basis = craig_bampton(what.K, what.M, boundary, 60)
    rest, exact = check(what, basis.vectors, rng)
    k = 6
    true = rest.values[k] - exact[k]
    bound = rest.values[k] - rest.lower_bounds(k + 1)[k]
    assert true <= bound <= true * (1.0 + 3.0 * exact[k] / rest.cut_off) + ROUND_OFF * exact[k]


@pytest.mark.parametrize("n", [20, 90])  # below and above the order up to which the solution is dense
def test_cut_off_is_the_first_dropped_mode(n):
    """With Craig-Bampton what is left out are the dropped fixed-interface modes, made orthogonal to rigid motions."""
    rng = np.random.default_rng(5)
    what = lattice(rng.uniform(-1, 1, (n, 3)), None, 1.0, rng.uniform(0.5, 2.0, n))
    boundary = what.dofs.of([0, 1, 2, 3])
    inside = np.setdiff1d(np.arange(what.n), boundary)
    M = what.M
    for K in (what.K + 1e-3 * sparse.identity(what.n, format="csc"), what.K):  # on a soft ground, and free
        T = craig_bampton(K, M, boundary, 8).vectors
        rest = Complement(K, M, T, T.T @ K @ T, T.T @ M @ T, -1e-9)
        fixed = linalg.eigvalsh(K.toarray()[np.ix_(inside, inside)], M.toarray()[np.ix_(inside, inside)])
        if K is what.K:
            W = linalg.null_space(((K + 1e-9 * M) @ T).T)
            lowest = linalg.eigvalsh(W.T @ K @ W, W.T @ M @ W)[0]
            assert lowest * (1 - 3e-4) < rest.cut_off <= lowest * (1 + 1e-6)
            assert rest.cut_off >= fixed[8] * (1 - 3e-4)
        else:
            assert rest.cut_off == pytest.approx(fixed[8], rel=3e-4)


def test_dependent_columns_are_refused():
    what = lattice(np.random.default_rng(1).uniform(-1, 1, (5, 3)))
    T = np.ones((what.n, 2))
    with pytest.raises(SingularError, match="reduced stiffness and mass are not positive definite"):
        Complement(what.K, what.M, T, T.T @ (what.K @ T), T.T @ (what.M @ T), -1.0)
