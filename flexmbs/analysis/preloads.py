r"""Preloads of springs that hold a model where it is described: static trim, as vehicles are set up."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import lstsq, null_space, svd

from flexmbs.core.attributes import Hinted
from flexmbs.core.checks import as_flag, show
from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.errors import ConvergenceError, ModelError, unknown_name
from flexmbs.core.references import ReferenceMap, says_what_it_refers_to
from flexmbs.dynamics.consistent_state import assemble
from flexmbs.dynamics.evaluation import Dynamics
from flexmbs.dynamics.linearisation import linearise_state, moved
from flexmbs.dynamics.minimal import DENSE, Sizes, orthonormal_basis, pseudo_inverse
from flexmbs.integrators.contracts import StepState
from flexmbs.model.model import Model
from flexmbs.system.system import compile_model

__all__ = ["Preloads", "solve_preloads"]

SMALL = 1e-9
"""Force that may be left, relative to the largest one, and independence of springs, relative to the strongest."""
ROUND_OFF = 1e-12
"""Stiffness, relative to the largest one, below which there is none."""
STAYS = 1e-7
"""Way of a rigid body, relative to the size of the model, up to which it stays where it is described."""
MAX_ITERATIONS = 30
NAMED = 0.1
"""Share of the largest entry from which springs and coordinates are named."""


@dataclass(frozen=True)
class Preloads(Hinted):
    """What `solve_preloads` found.

    Attributes
    ----------
    model : Model
        The model with springs that have these preloads; the one that was given is as it was.
    values : mapping of str to float or array
        Preload by name of spring: positive pulls the ends together [force], turns against a positive angle [moment];
        of a `Bushing` all components of its ``preload``.
    """

    model: Model
    values: Mapping[str, Any]

    def __repr__(self) -> str:
        listed = (f"{name} {np.array2string(np.asarray(v), precision=6)}" for name, v in self.values.items())
        return f"<preloads of model {self.model.name!r}: {', '.join(listed)}>"


class _Unknown(NamedTuple):
    """A preload to be found: number of its spring, and component where it has several."""

    spring: int
    component: int | None


def solve_preloads(model: Model, springs: Sequence[Any] | None = None, *, least_norm: bool = False) -> Preloads:
    r"""Preloads of springs with which a model rests where it is described.

    With the forces f, the constraints g = 0 and their multipliers, and the springs' coordinates s(q), preloads P solve

    .. math:: f(q) + G^T \lambda + \Big(\frac{\partial s}{\partial q}\Big)^T P = 0, \quad g(q) = 0, \quad s(q) = s(q_0),

    at the loads and motions of time zero: springs keep their described lengths, and what is flexible between them bends
    under its load. Where there is nothing flexible this is one linear equation in P and lambda.

    Parameters
    ----------
    model : Model
    springs : sequence, optional
        `SpringDamper`, `TorsionSpring` or `Bushing` of the model, or their names; all of them by default. Of a bushing
        the components with stiffness get a preload.
    least_norm : bool, default False
        Where preloads are not unique, as in a car on four springs, whether those with the least sum of squares are
        taken, instead of an error.

    Returns
    -------
    Preloads
        The values and a new model that has them, for `solve_static`, `solve_modal` and `simulate`.

    Raises
    ------
    ModelError
        If preloads are not unique (the message names the springs that can work against each other), if none hold the
        model (it names what is not balanced, or what moves), or something given is no spring of the model.
    ConvergenceError
        If flexible bodies do not find their shape.

    Notes
    -----
    Lengths of springs are kept to second order in the deformation of flexible bodies. Up to 1 500 unknowns. Preloads
    act from the first load factor of `solve_static` on: give the weight the history `Constant`, so that it does, too.

    Examples
    --------
    A plank of 30 kg on two springs, its centre nearer to the left one; levers give 2/3 and 1/3 of its weight:

    >>> import flexmbs as fx
    >>> plank = fx.PlanarRigidBody(30.0, 5.0, position=(1.0, 1.0), name="plank")
    >>> guide = fx.PointOnLineConstraint(fx.ground, plank, at=(1.0, 1.0), axis=(0, 1, 0), name="guide")
    >>> left, right = (
    ...     fx.SpringDamper(fx.ground.marker((x, 0)), plank.marker_at((x, 1.0)), stiffness=1e4, name=name)
    ...     for x, name in ((0.0, "left"), (3.0, "right"))
    ... )
    >>> balanced = fx.solve_preloads(fx.Model(plank, guide, left, right, fx.Gravity((0, -9.81))))
    >>> [round(balanced.values[name], 6) for name in ("left", "right")]
    [-196.2, -98.1]
    """
    if not isinstance(model, Model):
        raise ModelError(f"solve_preloads: model must be a Model, not {show(model)}.")
    least_norm = as_flag("solve_preloads", "least_norm", least_norm)
    chosen = _chosen(model, springs)
    unknowns = [_Unknown(i, c) for i, spring in enumerate(chosen) for c in _components(spring)]
    p = np.zeros(len(unknowns))
    trim = _Trim(model, chosen, unknowns)
    q, v, lam = trim.start()
    for count in range(MAX_ITERATIONS):
        found = trim.step(q, v, lam, p, least_norm, first=count == 0)
        q, lam, p = found.q, found.lam, p + found.change
        if found.done:
            break
    else:
        raise ConvergenceError(f"solve_preloads of {model.name!r}: flexible bodies find no shape with these springs.")
    trim.check_still(q)
    named = {}
    for i, spring in enumerate(chosen):
        named[spring.name] = _preload(spring, unknowns, p, i)
    return Preloads(trim.with_preloads(p), named)


def _chosen(model: Model, springs: Sequence[Any] | None) -> tuple[Any, ...]:
    """The springs, each once."""
    able = [force for force in model.forces if hasattr(force, "preload")]
    if springs is None:
        springs = [spring for spring in able if getattr(spring, "force", None) is None]
    if isinstance(springs, str) or not isinstance(springs, Iterable):
        springs = [springs]
    found: list[Any] = []
    for given in springs:
        spring: Any = next((one for one in able if one.name == given), given) if isinstance(given, str) else given
        spring = model.present(spring)
        if not any(spring is one for one in able):
            names = [one.name for one in able]
            what = given if isinstance(given, str) else getattr(given, "name", show(given))
            raise ModelError(f"solve_preloads: {unknown_name('spring with a preload', what, names)}")
        function = getattr(spring, "force", None) or getattr(spring, "torque", None)
        if function is not None:
            raise ModelError(f"solve_preloads: {spring.name!r} is a function, which has no preload; leave it out.")
        if not any(spring is one for one in found):
            found.append(spring)
    if not found:
        raise ModelError(f"solve_preloads: model {model.name!r} has no springs with a preload.")
    return tuple(found)


def _components(spring: Any) -> list[int | None]:
    """Components of a preload; those that have a stiffness where it has several."""
    if np.ndim(spring.preload) == 0:
        return [None]
    stiffness = np.asarray(spring.stiffness, dtype=float)
    rows = np.abs(stiffness) if stiffness.ndim == 1 else np.abs(stiffness).sum(axis=1)
    return [int(i) for i in np.flatnonzero(rows)]


def _preload(spring: Any, unknowns: Sequence[_Unknown], p: FloatArray, number: int) -> Any:
    """The preload of a spring with its part of p, on top of the one it has."""
    own = [(u.component, x) for u, x in zip(unknowns, p, strict=True) if u.spring == number]
    if own and own[0][0] is None:
        return float(spring.preload + own[0][1])
    whole = np.array(spring.preload, dtype=float)
    for component, x in own:
        whole[component] += x
    return whole


class _Step(NamedTuple):
    q: FloatArray
    lam: FloatArray
    change: FloatArray
    done: bool


class _Trim:
    """The equations at a state and preloads; every evaluation compiles the model with these, and writes to none."""

    def __init__(self, model: Model, springs: tuple[Any, ...], unknowns: list[_Unknown]) -> None:
        self.model, self.springs, self.unknowns = model, springs, unknowns
        self.name = f"solve_preloads of model {model.name!r}"
        self.reference = np.zeros(0)
        self.weight = 1.0
        self.dyn = self.dynamics(np.zeros(len(unknowns)))

    def with_preloads(self, p: FloatArray) -> Model:
        """The model with preloads; what refers to a spring refers to the new one."""
        new = {
            id(spring): replace(spring, preload=_preload(spring, self.unknowns, p, i))
            for i, spring in enumerate(self.springs)
        }
        mapping = ReferenceMap((spring, new[id(spring)]) for spring in self.springs)
        items = []
        for item in self.model.items:
            if id(item) in new:
                items.append(new[id(item)])
            else:
                refers = says_what_it_refers_to(item) and any(id(thing) in new for thing in item.references())
                items.append(item.replaced(mapping) if refers else item)
        return Model(*items, units=self.model.units, name=self.model.name)

    def dynamics(self, p: FloatArray) -> Dynamics:
        dyn = Dynamics(compile_model(self.with_preloads(p)))
        dyn.start_turns(0.0)
        dyn.set_time(0.0)
        if dyn.n_v > DENSE:
            raise ModelError(f"{self.name}: it has {dyn.n_v} unknowns, and this is for at most {DENSE}.")
        return dyn

    def start(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """The described positions, with the constraints met."""
        dyn = self.dyn
        found = assemble(dyn, 0.0, dyn.coordinates.reference.copy(), np.zeros(dyn.n_v))
        self.reference = found.q
        return found.q, np.zeros(dyn.n_v), np.zeros(dyn.n_c)

    def step(
        self, q: FloatArray, v: FloatArray, lam: FloatArray, p: FloatArray, least_norm: bool, first: bool
    ) -> _Step:
        """One of Newton's method; the first one also tells what is not unique and what nothing holds."""
        dyn = self.dynamics(p)
        dyn.compliance(False)
        lin = linearise_state(dyn, StepState.unaccelerated(0.0, q, v, lam))
        still = ~lin.states
        E = lin.directions.tocsc()[:, still]
        K, G = lin.K.toarray()[np.ix_(still, still)], lin.G.toarray()[:, still]
        whole = dyn.residual(q, v, np.zeros(dyn.n_v), lam).copy()
        r, g = E.T @ whole[: dyn.n_v], whole[dyn.n_v :]
        free = E.T @ dyn.residual(q, v, np.zeros(dyn.n_v), np.zeros(dyn.n_c))[: dyn.n_v].copy()
        unit = float(np.abs(free).max(initial=0.0)) or 1.0
        self.weight = max(self.weight if not first else 0.0, unit)
        B = np.empty((len(r), len(p)))
        for j in range(len(p)):
            other = self.dynamics(p + unit * np.eye(len(p))[j])
            B[:, j] = (E.T @ other.residual(q, v, np.zeros(dyn.n_v), lam)[: dyn.n_v] - r) / unit
        sizes = Sizes.of(dyn, lin.free[still])
        N, P = orthonormal_basis(G, sizes), pseudo_inverse(G, sizes)
        gap = -P @ g
        A = N.T @ B
        if first and not least_norm:
            self.check_unique(A)
        Z = null_space(A.T, rcond=SMALL)
        needed = N.T @ (r + K @ gap)
        stiffness = Z.T @ (N.T @ K @ N) @ Z
        w = _solved(stiffness, -Z.T @ needed, float(np.abs(K).max(initial=0.0)))
        left = Z.T @ needed + stiffness @ w
        if np.abs(left).max(initial=0.0) > SMALL * self.weight:
            self.refuse_unbalanced(dyn, lin.free[still], N @ Z @ left)
        z = gap + N @ (Z @ w)
        change = lstsq(A, -(N.T @ (r + K @ z)), cond=SMALL)[0]
        if len(g):
            lam = lam - P.T @ (r + K @ z + B @ change)
        inner = float(np.abs(N.T @ r).max(initial=0.0))
        done = not first and inner <= SMALL * self.weight and float(np.abs(z / sizes.columns).max(initial=0.0)) <= STAYS
        return _Step(moved(dyn, q, np.asarray(E @ z)), lam, change, done)

    def check_unique(self, A: FloatArray) -> None:
        """Refuse springs of which some can work against each other."""
        sizes = np.linalg.norm(A, axis=0)
        names = [self.label(u) for u in self.unknowns]
        idle = [name for name, size in zip(names, sizes, strict=True) if size <= SMALL * sizes.max(initial=0.0)]
        if idle:
            raise ModelError(
                f"{self.name}: {', '.join(idle)} can hold nothing, since joints keep its length; leave it out."
            )
        _, s, Vt = svd(A / sizes)
        rank = int((s > SMALL * s.max(initial=0.0)).sum())
        if rank == len(names):
            return
        share = np.abs(Vt[rank:]).max(axis=0)
        against = [name for name, x in zip(names, share, strict=True) if x > NAMED * share.max()]
        raise ModelError(
            f"{self.name}: the preloads are not unique: {', '.join(against)} can work against each other without "
            f"moving anything. Leave {len(names) - rank} of them out, or pass least_norm=True."
        )

    def label(self, unknown: _Unknown) -> str:
        name = repr(self.springs[unknown.spring].name)
        return name if unknown.component is None else f"component {unknown.component} of {name}"

    def refuse_unbalanced(self, dyn: Dynamics, free: IntArray, left: FloatArray) -> None:
        """Say what the springs cannot balance."""
        size = np.abs(left)
        largest = [i for i in np.argsort(-size)[:4] if size[i] > NAMED * size.max()]
        named = [dyn.coordinates.describe(int(free[i])) for i in largest]
        raise ModelError(
            f"{self.name}: no preloads of {', '.join(repr(s.name) for s in self.springs)} balance the model where it "
            f"is described: forces are left at {', '.join(named)}. Add springs that act there, supports, or joints."
        )

    def check_still(self, q: FloatArray) -> None:
        """Refuse a balance that other springs help to keep, further down."""
        c = self.dyn.coordinates
        for body in self.model.rigid_bodies:
            places = c.in_q(body)
            change = np.abs(q[places] - self.reference[places])
            way = float(change.max(initial=0.0))
            if (change / np.where(np.isin(places, c.displacements), self.dyn.length, 1.0)).max(initial=0.0) > STAYS:
                raise ModelError(
                    f"{self.name}: {body} would move by {way:.3g} from where it is described, since springs without a "
                    f"preload to be found hold it, too. Name these in springs=, too, or remove them."
                )


def _solved(A: FloatArray, b: FloatArray, scale: float) -> FloatArray:
    """The least solution; directions without stiffness, beside all there is, are not moved along."""
    if not len(b):
        return b
    U, s, Vt = svd(A)
    kept = s > ROUND_OFF * scale
    return np.asarray(Vt[kept].T @ ((U[:, kept].T @ b) / s[kept]))
