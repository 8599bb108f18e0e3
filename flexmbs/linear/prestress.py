r"""Stress stiffness and linear buckling.

The stresses of a static solution change the stiffness by :math:`K_g`, which grows with the load: tension stiffens,
compression softens. At the load factors :math:`\lambda` of linear buckling, :math:`(K + \lambda K_g)\phi = 0`.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import linalg
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh

from flexmbs.core.checks import as_count, show
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import AccuracyWarning, ConvergenceError, ModelError
from flexmbs.linear.assembly import add_blocks, node_pattern, sparse_matrix
from flexmbs.linear.connections import RigidCoupling, find_nodes
from flexmbs.linear.constraints import place
from flexmbs.linear.linear_solution import BodyForce, LinearSolution
from flexmbs.linear.loads import load_vector
from flexmbs.linear.mass_moments import on_turns, turning_elements, turning_lumps, turning_stiffness
from flexmbs.linear.operators import Operators
from flexmbs.linear.part import Part
from flexmbs.linear.pictures import draw_structure
from flexmbs.linear.rigid import describe_motion, free_motions, scaled_motions
from flexmbs.linear.statics import factorised, solutions
from flexmbs.linear.stresses import element_displacements
from flexmbs.linear.structure import as_operators, part_of
from flexmbs.linear.supports import Supports, supports

__all__ = ["BucklingLoads", "buckling_loads", "geometric_stiffness", "prestressed"]

DENSE = 200
"""Order up to which a dense solution is quicker."""

NONE = 1e-9
"""Softening, relative to the strongest, that is no more than round-off."""

ARM = 1e-3
"""Arm of a load on a link, by the size of the part, that is too short to matter."""

UNBALANCED = 1e-8
"""Resultant of loads, relative to these, that is no more than round-off."""


def geometric_stiffness(solution: LinearSolution) -> Any:
    r"""Stress stiffness (n, n) of the unknowns of a static solution, compressed columns.

    A rigid mass on a node (`NodalMass`) turns with it under the accelerations among the loads, and so do the sections
    of beams and shells: with the force f on a point of it, at d from the node, the part of that point of the stiffness
    against rotations is :math:`(f\cdot d)\,1 - (f d^T + d f^T)/2`. Follower loads and the turning of rigid links
    (`RigidCoupling`) under load have no part in the stress stiffness.

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
    _warn_of_links(part, solution)
    pattern = node_pattern(part.nodes.n_dofs, [p.cells for p in part.pieces])
    data = np.zeros(int((pattern.length * pattern.n_dofs).sum()))
    for piece, cells, group in part.groups():
        own = element_displacements(part, piece, cells, u, solution.thermal)
        add_blocks(pattern, cells, piece.region.element.geometric_stiffness(group, own), data)
    for _, cells, _, block in turning_elements(part, solution.fields):
        add_blocks(pattern, cells, block, data)
    K = sparse_matrix(pattern, data) + _of_masses(part, solution.fields)
    T = solution.operators.expansion
    return K if T is None else (T.T @ K @ T).tocsc()


def _warn_of_links(part: Part, solution: LinearSolution) -> None:
    """Warn where a load acts on a rigid link beside the nodes that it moves: the link does not turn under it here."""
    given = solution.operators
    for link in part.connections:
        if isinstance(link, RigidCoupling):
            at = place("geometric_stiffness", part.mesh, part.nodes, link.name)
            force = solution.forces[given.dofs.of(at)[:3]]
            arm = part.nodes.points[at] - part.nodes.points[find_nodes(link.name, part.mesh, link.nodes)].mean(axis=0)
            if np.linalg.norm(arm) * np.linalg.norm(force) > ARM * np.ptp(part.nodes.points, axis=0).max() * np.abs(
                solution.forces
            ).max(initial=0.0):
                warnings.warn(
                    f"geometric_stiffness: a load acts on the link {link.name!r}, {np.linalg.norm(arm):.3g} beside the "
                    f"nodes that it moves. The turning of this arm under the load is not in the stress stiffness, so "
                    f"that a column under it buckles at less than is found; model the arm by stiff Frame elements.",
                    AccuracyWarning,
                    stacklevel=4,
                )


def _of_masses(part: Part, fields: Sequence[BodyForce]) -> Any:
    """Stiffness (N, N) of rigid masses on nodes that turn under body forces, whose fields are affine."""
    blocks = []
    for lump in turning_lumps("geometric_stiffness", part, np.zeros(3)) if fields else []:
        at = lump.X + np.vstack((np.zeros(3), np.eye(3)))
        force, *beside = np.sum([field(at) for field in fields], axis=0)
        blocks.append((lump, turning_stiffness(lump, force, (np.array(beside) - force).T)))
    return on_turns(int(part.nodes.n_dofs.sum()), blocks)


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

    def plot(self, mode: int = 0, ax: Any = None, factor: float | None = None) -> Any:
        """Draw a shape, counted from 0; as ``LinearModes.plot``."""
        axes = draw_structure(self.solution.operators, self.shape(mode), ax=ax, factor=factor)
        axes.set_title(f"shape {mode}: load factor {self.factors[mode]:.5g}", fontsize=10)
        return axes


def buckling_loads(
    structure: Part | Operators, fixed: Mapping[Any, Any] | None, loads: Any, count: int = 1
) -> BucklingLoads:
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
        As in `static_response`; one load case, no prescribed displacements but zero. Where rigid motions are left free
        (``fixed=None``: all), the loads on them have to be in balance; those of an accelerated body are with its
        inertia, an `Acceleration`.
    count : int
        How many factors; fewer are returned if the loads cannot buckle the structure in so many ways.

    Raises
    ------
    ModelError
        If no positive factor exists (the loads stretch the structure), the loads on what is free are not in balance, or
        something does not fit.
    SingularError
        If something beside rigid motions is free.

    Notes
    -----
    Of a free structure with rigid motions R, K R = 0, the equations themselves demand
    :math:`R^T K_g \phi = 0`: the dead loads have no moment on the buckled shape. This takes the rigid part out, and
    leaves :math:`K\phi = -\lambda\,(K_g - K_g R\,(R^T K_g R)^+ R^T K_g)\,\phi` on shapes up to a rigid motion. A
    column pressed at both ends has the load of Euler's hinged one, :math:`\pi^2 EI/L^2`. That dead loads which compress
    turn a free structure over, whatever their factor, is no buckling, and not counted.

    Examples
    --------
    >>> import flexmbs as fx
    >>> mesh = fx.meshes.line((0, 0, 0), (1, 0, 0), 8)
    >>> section = fx.BeamStiffness(EA=1e6, EI_y=1.0, EI_z=2.0, GJ=1.0, mass_per_length=1.0)
    >>> column = fx.linear.Part(mesh, regions=[fx.linear.Region(None, fx.elements.Frame(section=section, shear=False))])
    >>> press = [fx.linear.NodalForce("start", (1.0, 0, 0)), fx.linear.NodalForce("end", (-1.0, 0, 0))]
    >>> print(f"{fx.linear.buckling_loads(column, None, press).factors[0]:.3f}")
    9.870
    """
    owner = "buckling_loads"
    count = as_count(owner, "count", count, minimum=1)
    if isinstance(loads, Mapping):
        raise ModelError(f"{owner}: give one load case; call it once for each.")
    operators = as_operators(owner, structure)
    given = supports(owner, operators, fixed)
    motions = free_motions(operators, given.held)
    R = scaled_motions(operators) @ motions
    force = load_vector(owner, operators, loads)
    _check_balance(owner, operators, motions, R, force)
    held = _statically_held(given, R)
    solution = solutions(owner, operators, held, {"load": loads}, force[:, None])["load"]
    f, free = held.free, given.free
    K, G = operators.K, geometric_stiffness(solution)
    turns, pushed, idle = _turned_by_loads(owner, G[free][:, free], R[free])
    push = np.zeros((operators.n, pushed.shape[1]))
    push[free] = pushed
    K_f, G_f, push_f = K[f][:, f], G[f][:, f], push[f]
    n = len(f)
    if n <= DENSE or count > n // 3:
        mu, shapes = linalg.eigh(G_f.toarray() - push_f @ turns @ push_f.T, K_f.toarray())
    else:
        factor = factorised(owner, operators, held, K_f)
        inverse = LinearOperator((n, n), matvec=lambda b: factor.solve(np.ravel(b)), dtype=np.float64)
        softening = LinearOperator(
            (n, n), matvec=lambda x: G_f @ x - push_f @ (turns @ (push_f.T @ x)), dtype=np.float64
        )
        start = np.random.default_rng(0).standard_normal(n)
        try:
            mu, shapes = eigsh(
                softening, count, K_f, Minv=inverse, which="SA", v0=start, ncv=min(n, max(2 * count + 1, 30))
            )
        except ArpackNoConvergence as error:
            raise ConvergenceError(f"{owner}: {len(error.eigenvalues)} of {count} factors converged.") from None
    order = np.argsort(mu)[:count]
    order = order[mu[order] < -NONE * np.abs(mu).max(initial=0.0)]
    if not len(order):
        raise ModelError(f"{owner}: these loads do not buckle the structure; no compression softens it.")
    factors = -1.0 / mu[order]
    vectors = np.zeros((operators.n, len(order)))
    vectors[f] = shapes[:, order]
    vectors -= R @ (turns @ (push.T @ vectors))
    vectors[given.held] = 0.0
    still = R @ idle
    vectors -= still @ np.linalg.lstsq(still, vectors, rcond=None)[0]
    vectors = vectors / vectors[np.argmax(np.abs(vectors), axis=0), np.arange(len(order))]
    left = np.linalg.norm((K @ vectors + (G @ vectors) * factors)[free], axis=0)
    residuals = left / np.linalg.norm((abs(K) @ np.abs(vectors))[free], axis=0)
    return BucklingLoads(factors, vectors, residuals, solution)


def _check_balance(owner: str, operators: Operators, motions: FloatArray, R: FloatArray, force: FloatArray) -> None:
    """Refuse loads that would accelerate what is free."""
    left, size = np.abs(R.T @ force), np.abs(R).T @ np.abs(force)
    wrong = np.flatnonzero(left > UNBALANCED * size.max(initial=0.0))
    if len(wrong):
        raise ModelError(
            f"{owner}: nothing holds the structure, which {describe_motion(operators, motions[:, wrong[0]])}, and the "
            f"loads push it there. Hold it with `fixed`, or give loads that are in balance; those of an accelerated "
            f"body are with its inertia, Acceleration((-a_x, -a_y, -a_z))."
        )


def _statically_held(given: Supports, R: FloatArray) -> Supports:
    """Supports that hold the free motions R (n, r), too, at as many unknowns, where loads in balance need no force."""
    if not R.shape[1]:
        return given
    _, _, pivots = linalg.qr(R[given.free].T, mode="economic", pivoting=True)
    more = given.free[pivots[: R.shape[1]]]
    held = np.concatenate((given.held, more))
    order = np.argsort(held)
    values = np.concatenate((given.values, np.zeros(len(more))))[order]
    return Supports(held[order], np.setdiff1d(given.free, more), values, given.places)


def _turned_by_loads(owner: str, G: Any, R: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """(R^T K_g R)^+ and K_g R on the unknowns that are not held; combinations of R that the loads do not turn.

    Raises
    ------
    ModelError
        If the loads get a moment by some turns that no turn takes away again.
    """
    push = np.asarray(G @ R)
    size = float((np.abs(R).T @ (abs(G) @ np.abs(R))).max(initial=0.0))
    values, turn = np.linalg.eigh(0.5 * (R.T @ push + push.T @ R)) if R.shape[1] else (np.zeros(0), np.zeros((0, 0)))
    stiff = np.abs(values) > NONE * size
    idle = turn[:, ~stiff]
    if np.abs(push @ idle).max(initial=0.0) > UNBALANCED * np.abs(push).max(initial=0.0) > UNBALANCED * NONE * size:
        raise ModelError(
            f"{owner}: turned as a rigid body, the structure gets moments of its loads that no further turn balances; "
            f"hold it with `fixed`."
        )
    turn = turn[:, stiff]
    return np.asarray((turn / values[stiff]) @ turn.T), push, idle
