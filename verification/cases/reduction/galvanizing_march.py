"""The strip integrated without the engine: the same scheme on matrices, full or reduced, with one factorisation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import process_time
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.sparse import diags_array

import flexmbs as fx
from flexmbs.core.contracts import FloatArray
from flexmbs.core.linsolve.definite import Definite
from flexmbs.verification.cases.reduction import galvanizing_model as line

__all__ = ["March", "Matrices", "full", "march", "modal", "reduced"]

RHO = 0.9


@dataclass(frozen=True, eq=False)
class Matrices:
    """M, D, K of the free unknowns, ``forces (n, n_z)`` of the zones, and ``rows (n_s, n)``: what is seen, in order."""

    M: Any
    D: Any
    K: Any
    forces: FloatArray
    rows: FloatArray


class March(NamedTuple):
    """What is seen at the ends of steps (n_t, n_s), processor time of the steps [s], and numbers in the factor."""

    seen: FloatArray
    seconds: float
    factor: int


def full(strip: line.Strip, nodes: Sequence[int]) -> Matrices:
    """The full strip with the rollers held."""
    given = strip.operators
    ends = np.concatenate([given.dofs.of(given.node_set(end), (0, 1, 2, 3, 5)) for end in ("left", "right")])
    free = np.setdiff1d(np.arange(given.n), ends)
    rows = np.zeros((len(nodes), given.n))
    rows[np.arange(len(nodes)), [strip.across(n) for n in nodes]] = 1.0
    M, D, K = (A[free][:, free].tocsr() for A in (given.M, given.D, given.K))
    return Matrices(M, D, K, line.zone_matrix(strip)[free], rows[:, free])


def reduced(strip: line.Strip, nodes: Sequence[int]) -> Matrices:
    """The reduced strip with the rollers held: dense matrices."""
    small = strip.reduced
    held = np.concatenate([small.frame(name).coordinates for name in ("stabilizing roller", "top roller")])
    free = np.setdiff1d(np.arange(small.size), held)
    shapes = np.asarray(small.shapes)[:, free]
    rows = shapes[[strip.across(n) for n in nodes]]
    assert small.D is not None  # noqa: S101  # the strip has drag
    M, D, K = (np.ascontiguousarray(A[np.ix_(free, free)]) for A in (small.M, small.D, small.K))
    return Matrices(M, D, K, shapes.T @ line.zone_matrix(strip), rows)


def modal(strip: line.Strip, nodes: Sequence[int]) -> Matrices:
    """The reduced strip in its modes: diagonal matrices."""
    body = strip.body
    rows = np.array([body.node(n).phi[2] for n in nodes])
    forces = np.array([body.nodal_force(zone, (0.0, 0.0, line.FORCE)) for zone in strip.zones]).T
    M, D, K = (diags_array(d).tocsr() for d in (np.ones(body.modes), body.viscosity.diagonal(), body.frequencies**2))
    return Matrices(M, D, K, forces, rows)


def march(
    given: Matrices, tables: Sequence[fx.Table], until: float, magnets: Sequence[int], on: float, magnet: line.Magnet
) -> March:
    """Generalised alpha from rest with the steps of the controller; ``magnets`` are rows with a sensor and a magnet.

    The first acceleration is smoothed as `flexmbs.integrators.generalized_alpha.GeneralizedAlpha.start` does it.
    """
    h = line.PERIOD
    scheme = fx.GeneralizedAlpha(rho_inf=RHO)
    am, af, beta, gamma = scheme.alpha_m, scheme.alpha_f, scheme.beta, scheme.gamma
    c = (1.0 - af) / (1.0 - am)
    solve, factor = _factorised(given.M + c * gamma * h * given.D + c * beta * h * h * given.K)
    count = round(until / h)
    times = h * np.arange(count + 1)
    factors = np.array([np.interp(times, table.times, table.values) for table in tables]).T
    n = given.forces.shape[0]
    q, v = np.zeros(n), np.zeros(n)
    smooth = _factorised(given.M + gamma * h * given.D + beta * h * h * given.K)[0]
    once = smooth(given.forces @ factors[0])
    a = vd = smooth(given.forces @ factors[0] + gamma * h * (given.D @ once))
    seen = np.zeros((count + 1, len(given.rows)))
    first = round(on / h)
    pull = given.rows[list(magnets)]
    began = process_time()
    for i in range(count):
        f = given.forces @ factors[i + 1]
        if i >= first and len(magnets):
            f += pull.T @ [magnet.force(x, -line.GAIN * rate) for x, rate in zip(pull @ q, pull @ v, strict=True)]
        known = (af * vd - am * a) / (1.0 - am)
        q0 = q + h * v + h * h * ((0.5 - beta) * a + beta * known)
        v0 = v + h * ((1.0 - gamma) * a + gamma * known)
        vd = solve(f - given.D @ v0 - given.K @ q0)
        a = known + c * vd
        q, v = q0 + c * beta * h * h * vd, v0 + c * gamma * h * vd
        seen[i + 1] = given.rows @ q
    return March(seen, process_time() - began, factor)


def _factorised(A: Any) -> tuple[Callable[[FloatArray], FloatArray], int]:
    """A solver, and how many numbers its factor has."""
    if isinstance(A, np.ndarray):
        factor = cho_factor(A, lower=True, check_finite=False)
        return lambda b: cho_solve(factor, b, check_finite=False), len(A) * (len(A) + 1) // 2
    sparse = Definite(A.tocsc())
    return sparse.solve, int(sparse.nnz)
