"""All ways of counting unstable directions give the same numbers: pivots in the band, sparse, dense, eigenvalues."""

from __future__ import annotations

import numpy as np
import pytest

import flexmbs as fx
from flexmbs.analysis.paths import inertia
from flexmbs.analysis.rest import EquationsOfRest, Point
from flexmbs.core.linsolve.band import Band
from flexmbs.dynamics.evaluation import Dynamics
from flexmbs.verification.cases.statics.equilibrium_paths import column, lee, right_angle

MODELS = {
    "a column, without constraints": (lambda: column(1000.0, 16)[1], 105.0, False),
    "a frame of cables with a joint": (lambda: lee(10)[1], 20000.0, True),
    "a frame of rods with quaternions and a joint": (lambda: right_angle(1.0, 4)[1], 1.6, False),
}


@pytest.mark.parametrize("name", MODELS)
def test_all_counts_agree_along_a_path(name: str) -> None:
    make, until, turns = MODELS[name]
    path = fx.trace_static(make(), until=until)[0]
    dyn = Dynamics(path.system)
    eq = EquationsOfRest(dyn)
    m = int((~eq.velocities).sum())
    assert isinstance(eq.solver, Band)
    seen = set()
    critical = {int(k) for k in np.flatnonzero(np.diff(path.unstable))}
    for k in range(len(path)):
        if {k - 1, k, k + 1} & critical:  # beside a change an eigenvalue may be round-off
            continue
        path.set_loads(dyn, k)
        point = Point(path.q[k], path.v[k], path.lam[k])
        eq.tangent(point)
        eq.factorise(point, dyn.frames)
        A = inertia._equilibrated(inertia._matrix(eq.solver), eq.velocities)
        dense = np.linalg.eigvalsh(0.5 * (A + A.T).toarray())
        counts = [
            inertia._by_pivots(A, m),
            int((dense < 0.0).sum()) - m,
            inertia._by_eigenvalues(eq, point),
        ]
        assert counts == [path.unstable[k]] * 3
        band = inertia._by_band(eq.solver, eq.velocities, m)  # which may give up beside constraints
        assert band == path.unstable[k] or (m and band == inertia.UNKNOWN)
        seen.add(counts[0])
    assert len(seen) > 1
    assert turns == bool(np.any(np.diff(path.load_factors) < 0.0))
