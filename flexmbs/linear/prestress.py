r"""Stress stiffness and linear buckling.

The stresses of a static solution change the stiffness by :math:`K_g`, which grows with the load: tension stiffens,
compression softens. At the load factors :math:`\lambda` of linear buckling, :math:`(K + \lambda K_g)\phi = 0`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import linalg
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh

from flexmbs.core.checks import as_count, show
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ConvergenceError, ModelError
from flexmbs.linear.assembly import add_blocks, node_pattern, sparse_matrix
from flexmbs.linear.linear_solution import LinearSolution
from flexmbs.linear.operators import Operators
from flexmbs.linear.part import Part
from flexmbs.linear.statics import factorised, static_response
from flexmbs.linear.stresses import element_displacements
from flexmbs.linear.structure import part_of

__all__ = ["BucklingLoads", "buckling_loads", "geometric_stiffness", "prestressed"]

DENSE = 200
"""Order up to which a dense solution is quicker."""

NONE = 1e-9
"""Softening, relative to the strongest, that is no more than round-off."""


def geometric_stiffness(solution: LinearSolution) -> Any:
    """Stress stiffness (n, n) of the unknowns of a static solution, compressed columns.

    Follower loads and the turning of rigid links under load have no part in it.

    Parameters
    ----------
    solution : LinearSolution
        Of a `Part` (matrices alone do not know stresses); the stresses of thermal loads are in it.

    Raises
    ------
    ModelError
        If it is no such solution.
    """
    if not isinstance(solution, LinearSolution):
        raise ModelError(f"geometric_stiffness: expected a LinearSolution, not {show(solution)}.")
    part = part_of("geometric_stiffness", solution.operators)
    u = solution.operators.expand(solution.u)
    pattern = node_pattern(part.nodes.n_dofs, [p.cells for p in part.pieces])
    data = np.zeros(int((pattern.length * pattern.n_dofs).sum()))
    for piece, cells, group in part.groups():
        own = element_displacements(part, piece, cells, u, solution.thermal)
        add_blocks(pattern, cells, piece.region.element.geometric_stiffness(group, own), data)
    K = sparse_matrix(pattern, data)
    T = solution.operators.expansion
    return K if T is None else (T.T @ K @ T).tocsc()


def prestressed(solution: LinearSolution) -> Operators:
    """Operators about a stressed state: with the stress stiffness of a static solution added.

    What vibrates, or is reduced, then is the stressed structure; displacements count from its static place.

    Parameters
    ----------
    solution : LinearSolution
        Of a `Part`, with one load case.

    Raises
    ------
    ModelError
        If it is no such solution.
    """
    G = geometric_stiffness(solution)
    given = solution.operators
    return replace(given, K=(given.K + G).tocsc(), origin=f"{given.origin}, prestressed")


@dataclass(frozen=True, eq=False, repr=False)
class BucklingLoads:
    """Critical load factors of a linear structure, as `buckling_loads` gives them.

    Parameters
    ----------
    factors : (m,) array
        Positive factors on the loads, ascending.
    vectors : (n, m) array
        Shapes of the unknowns; the largest entry of each is 1.
    residuals : (m,) array
        |K phi + factor K_g phi|, relative to the forces that cancel in K phi.
    solution : LinearSolution
        The static solution under the loads themselves.
    """

    factors: FloatArray
    vectors: FloatArray
    residuals: FloatArray
    solution: LinearSolution

    def __repr__(self) -> str:
        return f"BucklingLoads: load factors {', '.join(f'{f:.5g}' for f in self.factors)}"

    def shape(self, mode: int) -> FloatArray:
        """Displacements and rotations (n_nodes, 6) of all nodes in one shape, counted from 0."""
        mode = as_count("shape", "mode", mode)
        if mode >= len(self.factors):
            raise ModelError(f"shape: there is no shape {mode}; {len(self.factors)} were found, counted from 0.")
        return self.solution.operators.displacements(self.vectors[:, mode])


def buckling_loads(structure: Part | Operators, fixed: Mapping[Any, Any], loads: Any, count: int = 1) -> BucklingLoads:
    r"""The lowest load factors at which a linear structure buckles.

    With :math:`K\phi = -\lambda K_g\phi` the factors follow from the most negative eigenvalues
    :math:`\mu = -1/\lambda` of :math:`K_g\phi = \mu K\phi`, by Lanczos with the factor of K.

    The theory takes the state before buckling as linear: displacements small, loads dead and growing together.
    Imperfections and plasticity lower the load that a real structure carries.

    Parameters
    ----------
    structure : Part or Operators
        Operators must come from a part.
    fixed, loads
        As in `static_response`; one load case, no prescribed displacements but zero.
    count : int
        How many factors; fewer are returned if the loads cannot buckle the structure in so many ways.

    Raises
    ------
    ModelError
        If no positive factor exists (the loads stretch the structure), or something does not fit.
    SingularError
        If the structure is not held.
    """
    owner = "buckling_loads"
    count = as_count(owner, "count", count, minimum=1)
    if isinstance(loads, Mapping):
        raise ModelError(f"{owner}: give one load case; call it once for each.")
    solution = static_response(structure, fixed, loads)
    operators, held = solution.operators, solution.supports
    f = held.free
    K = operators.K[f][:, f]
    G = geometric_stiffness(solution)[f][:, f]
    n = len(f)
    if n <= DENSE or count > n // 3:
        mu, shapes = linalg.eigh(G.toarray(), K.toarray())
    else:
        factor = factorised(owner, operators, held, K)
        inverse = LinearOperator((n, n), matvec=lambda b: factor.solve(np.ravel(b)), dtype=np.float64)
        start = np.random.default_rng(0).standard_normal(n)
        try:
            mu, shapes = eigsh(G, count, K, Minv=inverse, which="SA", v0=start, ncv=min(n, max(2 * count + 1, 30)))
        except ArpackNoConvergence as error:
            raise ConvergenceError(f"{owner}: {len(error.eigenvalues)} of {count} factors converged.") from None
    order = np.argsort(mu)[:count]
    order = order[mu[order] < -NONE * np.abs(mu).max(initial=0.0)]
    if not len(order):
        raise ModelError(f"{owner}: these loads do not buckle the structure; no compression softens it.")
    factors, chosen = -1.0 / mu[order], shapes[:, order]
    chosen = chosen / chosen[np.argmax(np.abs(chosen), axis=0), np.arange(len(order))]
    left = np.linalg.norm(K @ chosen + (G @ chosen) * factors, axis=0)
    residuals = left / np.linalg.norm(abs(K) @ np.abs(chosen), axis=0)
    vectors = np.zeros((operators.n, len(order)))
    vectors[f] = chosen
    return BucklingLoads(factors, vectors, residuals, solution)
