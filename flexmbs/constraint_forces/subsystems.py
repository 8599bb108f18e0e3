r"""Subsystems condensed to their interfaces, level by level, and solved by an upward and a downward sweep.

A subsystem is known to the others by its interface coordinates e alone: with forces Q there,

.. math:: a_e = D\,Q + R.

Of bodies with the joints H among them, :math:`P = H M^{-1} H^T`,

.. math:: D = E (M^{-1} - M^{-1} H^T P^{-1} H M^{-1}) E^T, \qquad
   R = -E M^{-1} (f + H^T P^{-1}(\gamma - H M^{-1} f)).

Subsystems that joints G couple are a subsystem again. With D and R of all of them, on their interfaces e, of which x
are met from outside, and :math:`P = G D_{ee} G^T`,

.. math:: D' = D_{xx} - D_{xe} G^T P^{-1} G D_{ex}, \qquad R' = R_x - D_{xe} G^T P^{-1} (G R_e + \gamma).

At the top nothing is met from outside; the multipliers there are forces on the interfaces below, and so on down. The
result is that of all equations together.

After R. Kasper and D. Vlasenko, *Method for distributed forward dynamic simulation of constrained mechanical systems*;
with the blocks :math:`D_{ex}` that its formulas leave out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import block_diag

from flexmbs.constraint_forces.constraint_matrix import ConstraintMatrix
from flexmbs.constraint_forces.reduced_system import ConstraintForces
from flexmbs.core.checks import as_array, as_number, show
from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.errors import ModelError
from flexmbs.dynamics.evaluation import Dynamics
from flexmbs.dynamics.linearisation import free_directions
from flexmbs.model.model import Model
from flexmbs.system.system import System, compile_model

__all__ = ["CondensedSystem", "Subsystem", "condense"]

DEPENDENT = 1e-12
"""Eigenvalue of P, relative to the largest, below which a combination of constraints follows from others."""


class _Factors(NamedTuple):
    """What does not depend on the right side: D of all that the equations are about, the rows, and how they are solved.

    ``over``: D G^T; ``inverse``: of P; ``held``, ``met``: multipliers and accelerations for forces on the interface.
    """

    D: FloatArray
    rows: FloatArray
    over: FloatArray
    inverse: FloatArray
    held: FloatArray
    met: FloatArray


@dataclass(eq=False, repr=False)
class Subsystem:
    """Some bodies, or other subsystems and the joints that couple them.

    Attributes
    ----------
    name : str
        Of its bodies.
    level : int
        0 of bodies, one more than the highest of its parts.
    parts : tuple of Subsystem
    velocities : (n,) int array
        Free velocities of its bodies.
    constraints : (m,) int array
        Constraints that it owns: those of joints within it, and not within a part.
    interface : (n_e,) int array
        Free velocities that joints outside it hold.
    D : (n_e, n_e) array
        Acceleration of the interface for forces on it.
    R : (n_e,) array
        Acceleration of the interface without them.
    at : int array
        Free velocities that its equations are about: of its bodies, or of the interfaces of its parts.
    factors : object
        What both sweeps share.
    """

    name: str
    level: int
    parts: tuple[Subsystem, ...]
    velocities: IntArray
    constraints: IntArray
    interface: IntArray
    D: FloatArray = field(default_factory=lambda: np.zeros((0, 0)))
    R: FloatArray = field(default_factory=lambda: np.zeros(0))
    at: IntArray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    factors: _Factors | None = None

    def __repr__(self) -> str:
        return (
            f"<subsystem {self.name} of level {self.level}: {len(self.velocities)} velocities, "
            f"{len(self.constraints)} constraints, interface of {len(self.interface)}>"
        )

    def all(self) -> Iterator[Subsystem]:
        """The subsystem and all below it, the lowest first."""
        for part in self.parts:
            yield from part.all()
        yield self


class CondensedSystem:
    """A model whose equations are condensed to the interfaces of its subsystems.

    Attributes
    ----------
    root : Subsystem
        The whole model; ``parts`` lead down.
    levels : int
        Above the lowest subsystems.
    """

    def __init__(self, model: Model | System, groups: Any) -> None:
        if not isinstance(model, Model | System):
            raise ModelError(f"condense: expected a Model, not {show(model)}.")
        system = model if isinstance(model, System) else compile_model(model)
        self._dyn = dyn = Dynamics(system)
        self._name = f"condense: model {system.model.name!r}"
        if not dyn.n_c:
            raise ModelError(f"{self._name} has no joints, and so nothing couples its parts.")
        self._places = np.sort(system.free[system.free < dyn.n_v])
        self._E = free_directions(dyn, self._places)
        self._G = ConstraintMatrix(dyn, self._places, self._E)
        dyn.start_turns(0.0)
        dyn.set_time(0.0)
        self._start = dyn.coordinates.reference.copy(), dyn.coordinates.velocity.copy()
        self._taken: dict[int, Any] = {}
        self._evaluate(*self._start, 0.0)
        entries = self._G.read()
        entries.data[:] = 1.0  # also those that are zero at the start
        self._pattern = entries.toarray() != 0.0
        self.root = self._grown(groups)
        self._complete(system.model)
        M = self.mass
        for leaf in (s for s in self.root.all() if not s.parts):
            outside = np.setdiff1d(np.arange(len(M)), leaf.velocities)
            if np.any(M[np.ix_(leaf.velocities, outside)]):
                raise ModelError(
                    f"{self._name}: the mass couples {leaf.name} with other bodies; put them in one group."
                )
        self._share()
        self.levels = self.root.level

    # --- the structure -----------------------------------------------------------------------------------------------

    def _grown(self, groups: Any) -> Subsystem:
        """The subsystem of a group: of bodies, or of groups."""
        if isinstance(groups, str) or not isinstance(groups, Sequence) or not len(groups):
            raise ModelError(f"{self._name}: groups are lists of bodies, or of groups, not {show(groups)}.")
        nested = [isinstance(x, Sequence) and not isinstance(x, str) for x in groups]
        if all(nested) and len(groups):
            parts = tuple(self._grown(x) for x in groups)
            name = " + ".join(p.name for p in parts)
            velocities = np.sort(np.concatenate([p.velocities for p in parts]))
            level = 1 + max(p.level for p in parts)
            none = np.zeros(0, dtype=np.int64)
            return Subsystem(f"({name})", level, parts, velocities, none, none)
        if any(nested):
            raise ModelError(f"{self._name}: a group holds bodies or groups, not both: {show(groups)}.")
        names, places = [], []
        for item in groups:
            body = self._dyn.system.model.body(item) if isinstance(item, str) else item
            dofs = self._dyn.coordinates.velocities(body)
            name = getattr(body, "name", show(body))
            if id(body) in self._taken:
                raise ModelError(f"{self._name}: body {name!r} is in two groups.")
            self._taken[id(body)] = body
            names.append(name)
            places.append(np.flatnonzero(np.isin(self._places, dofs)))
        none = np.zeros(0, dtype=np.int64)
        return Subsystem(f"[{', '.join(names)}]", 0, (), np.sort(np.concatenate(places)), none, none)

    def _complete(self, model: Model) -> None:
        """Refuse bodies that no group holds."""
        missing = [b.name for b in (*model.bodies, *model.flexible_bodies, *model.trees) if id(b) not in self._taken]
        held = np.isin(np.arange(len(self._places)), self.root.velocities)
        if missing or not held.all():
            what = ", ".join(map(repr, missing)) or self._dyn.coordinates.describe(int(self._places[~held][0]))
            raise ModelError(f"{self._name}: no group holds {what}.")

    def _share(self) -> None:
        """Each constraint goes to the lowest subsystem that holds all it touches; and what interfaces are."""
        owner = np.full(self._dyn.n_c, -1)
        order = list(self.root.all())
        for number, part in enumerate(order):
            inside = np.isin(np.arange(len(self._places)), part.velocities)
            mine = (owner < 0) & ~(self._pattern[:, ~inside]).any(axis=1)
            part.constraints = np.flatnonzero(mine)
            owner[mine] = number
        for part in order:
            below = {id(x) for x in part.all()}
            above = [k for k, x in enumerate(order) if id(x) not in below]
            rows = np.isin(owner, above)
            touched = self._pattern[rows].any(axis=0)
            part.interface = part.velocities[touched[part.velocities]]
            part.at = np.concatenate([p.interface for p in part.parts]) if part.parts else part.velocities

    # --- the sweeps --------------------------------------------------------------------------------------------------

    def solve(self, q: Any = None, v: Any = None, t: float = 0.0) -> ConstraintForces:
        """Accelerations and multipliers at a state, or at the start, by both sweeps.

        Multipliers of constraints that follow from others are those of least norm in their subsystem.
        """
        f, G, gamma = self.equations(q, v, t)
        M = self.mass
        for part in self.root.all():
            _condense(part, M, G)
        a, lam = self._sweeps(f, gamma)
        biases = [part.R for part in self.root.all()]
        da, dlam = self._sweeps(M @ a + f + G.T @ lam, G @ a + gamma)  # what round-off has left over the levels
        for part, R in zip(self.root.all(), biases, strict=True):
            part.R = R
        return ConstraintForces(np.asarray(self._E @ (a + da)), lam + dlam)

    def _sweeps(self, f: FloatArray, gamma: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Accelerations and multipliers for a right side, up and down."""
        a, lam = np.zeros(len(f)), np.zeros(len(gamma))
        free: dict[int, tuple[FloatArray, FloatArray]] = {}
        for part in self.root.all():
            free[id(part)] = _upward(part, f, gamma)
        _downward(self.root, np.zeros(len(self.root.interface)), free, a, lam)
        return a, lam

    @property
    def mass(self) -> FloatArray:
        """Mass on the free velocities (n, n), at the state evaluated last."""
        return np.asarray((self._E.T @ self._dyn.mass_matrix @ self._E).toarray())

    def equations(self, q: Any = None, v: Any = None, t: float = 0.0) -> tuple[FloatArray, FloatArray, FloatArray]:
        """f (n,), G (n_c, n) and gamma (n_c,) of M a + f + G^T lam = 0, G a + gamma = 0 on the free velocities."""
        dyn = self._dyn
        q = self._start[0] if q is None else as_array("condense", "q", q, (dyn.n_q,))
        v = self._start[1] if v is None else as_array("condense", "v", v, (dyn.n_v,))
        return self._evaluate(np.array(q), np.array(v), as_number("condense", "t", t, unit="time"))

    def _evaluate(self, q: FloatArray, v: FloatArray, t: float) -> tuple[FloatArray, FloatArray, FloatArray]:
        dyn = self._dyn
        dyn.set_time(t)
        dyn.T[:] = np.eye(3)
        gamma = dyn.gamma(q, v).copy()
        f = self._E.T @ dyn.residual_and_rows(q, v, np.zeros(dyn.n_v), np.zeros(dyn.n_c))[: dyn.n_v]
        return np.asarray(f), self._G.read().toarray(), gamma


def _condense(part: Subsystem, M: FloatArray, G: FloatArray) -> None:
    """D of a subsystem, from its bodies or from its parts."""
    if part.parts:
        D = block_diag(*(p.D for p in part.parts))
    else:
        D = np.linalg.inv(M[np.ix_(part.velocities, part.velocities)])
    rows = G[np.ix_(part.constraints, part.at)]
    over = D @ rows.T
    inverse = _inverse(rows @ over)
    outside = np.isin(part.at, part.interface)
    held = inverse @ over[outside].T
    met = D[:, outside] - over @ held
    part.D = met[outside]
    part.factors = _Factors(D, rows, over, inverse, held, met)


def _upward(part: Subsystem, f: FloatArray, gamma: FloatArray) -> tuple[FloatArray, FloatArray]:
    """R of a subsystem; accelerations and multipliers without forces on its interface."""
    x = _factors(part)
    R: FloatArray = np.concatenate([p.R for p in part.parts]) if part.parts else -x.D @ f[part.velocities]
    lam = x.inverse @ (x.rows @ R + gamma[part.constraints])
    free: FloatArray = R - x.over @ lam
    part.R = free[np.isin(part.at, part.interface)]
    return free, lam


def _downward(
    part: Subsystem, Q: FloatArray, free: dict[int, tuple[FloatArray, FloatArray]], a: FloatArray, lam: FloatArray
) -> None:
    """Multipliers of a subsystem under forces Q on its interface, and the accelerations of its bodies."""
    x, (accelerations, multipliers) = _factors(part), free[id(part)]
    own = multipliers + x.held @ Q
    lam[part.constraints] = own
    if not part.parts:
        a[part.velocities] = accelerations + x.met @ Q
        return
    forces = -x.rows.T @ own
    forces[np.isin(part.at, part.interface)] += Q
    first = 0
    for p in part.parts:
        n = len(p.interface)
        _downward(p, forces[first : first + n], free, a, lam)
        first += n


def _factors(part: Subsystem) -> _Factors:
    if part.factors is None:
        raise ModelError("condense: the subsystem has not been condensed yet; call solve().")
    return part.factors


def _inverse(P: FloatArray) -> FloatArray:
    """Inverse of a symmetric matrix on what does not follow from the rest."""
    if not len(P):
        return P
    values, vectors = np.linalg.eigh(0.5 * (P + P.T))
    keep = values > DEPENDENT * values[-1]
    return np.asarray((vectors[:, keep] / values[keep]) @ vectors[:, keep].T)


def condense(model: Model | System, groups: Sequence[Any]) -> CondensedSystem:
    """Condense the equations of motion of a model to the interfaces of its parts.

    Parameters
    ----------
    model : Model or System
        Of any bodies with mass, with joints.
    groups : nested sequence of bodies or their names
        A list of bodies is a subsystem; a list of groups couples them to one of the next level:
        ``[["bar 1", "bar 2"], ["bar 3", "bar 4"]]`` are two subsystems of two bars each and what couples them.

    Returns
    -------
    CondensedSystem
        Whose `solve` gives the accelerations and multipliers at any state, and with them the interface matrices D and R
        of all subsystems (``root.all()``).

    Raises
    ------
    ModelError
        If a body is in no group or in two, groups and bodies are mixed, mass couples groups, or there are no joints.

    Notes
    -----
    An algorithm with checks: it solves what all equations together give, to round-off, with small dense matrices one
    after the other. A body must have mass. The integrators do not use it.

    Examples
    --------
    >>> import flexmbs as fx
    >>> links = [fx.PlanarRigidBody.rod((i, 0), (i + 1, 0), mass=2.0, name=f"link {i}") for i in range(4)]
    >>> pins = [fx.RevoluteJoint(a, b, at=(i, 0)) for i, (a, b) in enumerate(zip((fx.ground, *links), links))]
    >>> model = fx.Model(*links, *pins, fx.Gravity((0, -9.81)))
    >>> halves = fx.constraint_forces.condense(model, [links[:2], links[2:]])
    >>> found, whole = halves.solve(), fx.constraint_forces.ReducedSystem(model).solve()
    >>> bool(abs(found.a - whole.a).max() < 1e-12), halves.root.parts[1].D.shape
    (True, (3, 3))
    """
    return CondensedSystem(model, groups)
