r"""The equations of motion of a compiled system, evaluated and linearised at a state: what integrators call.

.. math:: r = M a + f(q, v, t) + G^T \lambda, \qquad g(q, t) = 0, \qquad G v + b = 0 \text{ (velocity rows)}.

The residual holds r on the velocities and g (or G v + b) behind them. The iteration matrix is normalised to unit weight
of the mass, so that its condition does not depend on the step size:

.. math:: \begin{bmatrix} M + w_v D + w_q K T & G^T \\ G T & 0 \end{bmatrix}
   \begin{bmatrix} \delta q \\ \delta\lambda / w_a \end{bmatrix} = - \begin{bmatrix} r / w_a \\ g \end{bmatrix}.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from flexmbs.core.contracts import Env, FloatArray, IntArray, MarkerWork, State, Term
from flexmbs.core.errors import SingularError
from flexmbs.core.given import VELOCITY
from flexmbs.core.rotations import IDENTITY
from flexmbs.core.sparsity import clear_blocks, rotate_blocks
from flexmbs.core.user_calls import UserCalls
from flexmbs.dynamics.candidates import ENOUGH, Candidates, exchange_laws, has_regularised
from flexmbs.dynamics.compliance import compliances
from flexmbs.dynamics.laws import Laws
from flexmbs.dynamics.linearisation import linearise_state
from flexmbs.dynamics.prescribed import Prescribed
from flexmbs.dynamics.python_stages import PythonStages
from flexmbs.dynamics.stage_calls import Direct, Made, Prepared, state_of
from flexmbs.dynamics.stages import Stage, motion_stages
from flexmbs.dynamics.step_matrix import StepMatrix, possible_entries
from flexmbs.dynamics.turns import Angle, Turns, angles_by_name
from flexmbs.kernels.pairs import (
    joint_coupling,
    joint_gamma,
    joint_rates,
)
from flexmbs.kernels.steps import largest_of_bodies, reduce, spread
from flexmbs.model.forces.items import DEAD
from flexmbs.system.mass import as_rows, mass_damping, mass_matrix
from flexmbs.system.moving_mass import MovingMass, mass_moves
from flexmbs.system.python_items import PythonItems
from flexmbs.system.refusals import singular
from flexmbs.system.system import System

if TYPE_CHECKING:
    from flexmbs.dynamics.control_table import ControlTable
    from flexmbs.dynamics.linearisation import ConstrainedLinearisation
    from flexmbs.dynamics.watched import Watched
    from flexmbs.integrators.contracts import StepState

__all__ = ["Dynamics"]


def _turning(term: Term, T: FloatArray) -> Term:
    """A term whose elements have rotations, with the tangent operators of the run."""
    return replace(term, group=term.group._replace(T=T)) if hasattr(term.group, "n_linear") else term


class Dynamics:
    """Evaluates one system in a workspace of its own, so one object serves one run at a time.

    Attributes
    ----------
    system : System
    n_q, n_v, n_c, n_linear : int
    r : (n_v + n_c,) array
        Residual of the last evaluation, overwritten by the next.
    mass : (n_v,) array
        Diagonal of the mass matrix: the weights of norms; zero for first-order states, which have units of their own.
    states : int array
        Places of first-order states in v.
    prescribed : Prescribed
        Loads and motions at the time set; ``motion`` is its array.
    turns : Turns
        What a run remembers of turns.
    multiplier_compliance : (n_c,) array
        Compliance of the multipliers, zero where constraints are independent.
    candidates : Candidates or None
        Pairs of contacts that are searched.
    control : ControlTable or None
        Sampled controllers of the run.
    watched : Watched, optional
        What compiled steps look at between steps: the conditions of events.
    python_stages : PythonStages
        Functions in Python that compiled steps call.
    user_calls : UserCalls
        Calls of the functions of users.
    mass_factors : int
        ``factorisations`` when the factors became those of a constant mass alone, which last as long as it is this one.
    seconds : dict
        Time spent so far in parts of steps: evaluation, assembly, factorisation, solve; and in compiled steps.
    """

    def __init__(self, system: System) -> None:
        self.system, self.coordinates = system, system.coordinates
        damped = any(np.any(getattr(t.group, "tau", 0.0)) for t in system.terms)
        self.workspace = system.workspace(symmetric=system.symmetric and not damped, in_place=True)
        self.mechanics = mechanics = self.workspace.mechanics
        self.turns = Turns(mechanics)
        self.n_q, self.n_v, self.n_linear = self.coordinates.n, self.coordinates.n_v, self.coordinates.n_linear
        self.n_c = mechanics.n_c
        n = self.n_v + self.n_c
        self.solver = self.workspace.solver
        self.r, self.B = self.workspace.work
        self.d, self.b = np.zeros(n), np.zeros(system.n)
        self.velocity_rows = mechanics.levels
        self.frames = np.array(system.fixation.frames0)
        self.frame_dofs = system.fixation.frame_dofs
        self._moves = mass_moves(mechanics)
        self.mass_rows = system.mass_rows
        self.damped_mass = mass_damping(system)
        if len(self.damped_mass):
            self.damping_rows = as_rows(mass_matrix(system, self.damped_mass))
        c = self.coordinates
        self.states, self.mass, self.length = system.states, system.mass_diagonal, system.length
        self.body_of, self.body_sizes = system.body_sizes
        self.velocity_sizes, self.equation_sizes = system.velocity_sizes, system.equation_sizes
        self.user_calls = UserCalls()
        self.prescribed = Prescribed(system, self.velocity_rows, self.user_calls)
        self.motion, self.given = self.prescribed.motion, self.prescribed.given
        self._without_multipliers = np.zeros(self.n_c)
        self.markers: MarkerWork = mechanics.markers.work(self.r, self.B)
        self.T = self.markers.T
        self.terms = tuple(_turning(t, self.T) for t in system.terms if t.force is not DEAD.force)
        self.python = PythonItems(self)
        self.python_stages = PythonStages(self)
        self.laws = Laws(self)
        self.turns.follow(self.laws.readings)
        self.multiplier_compliance = np.zeros(self.n_c)
        self.control: ControlTable | None = None
        self.seconds = dict.fromkeys(("evaluation", "assembly", "factorisation", "solve"), 0.0)
        self.candidates = Candidates(self) if mechanics.searched else None
        if self._moves:
            self.moving_mass = MovingMass(system, mechanics, system.mass_matrix.copy(), self.matrix)
            self.mass_rows = as_rows(self.moving_mass.rows)
            self.moving_mass.update(self.coordinates.reference)
        self.stages = motion_stages(self)
        made: Made = {}
        force, tangent, states, place, place_tangent, pull, rows, _ = (
            Prepared(part, self.given, made) for part in self.stages
        )
        self._force, self._tangent, self._pull, self._rows, self._states = force, tangent, pull, rows, states
        self._place, self._place_tangent = place, place_tangent
        self._joint_rates = Direct(joint_rates, mechanics.joints, self.markers)
        self._gamma = np.zeros(self.n_c)
        second = mechanics.joints, VELOCITY, mechanics.markers.dof, self.markers, self._gamma
        self._joint_gamma = Prepared((Stage("joints", joint_gamma, second),), self.given)
        self._joint_coupling = Direct(joint_coupling, mechanics.joints, mechanics.markers.dof, self.B)
        self._sums = np.empty(len(self.body_sizes))
        self.position_size = float(np.sqrt(self.body_sizes.sum()))
        self.angles_of_bodies = c.angles
        self.evaluations = self.factorisations = self.compiled_steps = 0
        self.mass_factors = -1
        self.watched: Watched | None = None

    @cached_property
    def matrix(self) -> StepMatrix:
        """The matrix of a step, made when it is first asked for."""
        return StepMatrix(self.system, possible_entries(self.system, self.mechanics), self.seconds, self.solver)

    @property
    def mass_matrix(self) -> Any:
        """Mass in compressed rows over all velocities, at the state that was evaluated last."""
        return self.moving_mass.matrix if self._moves else self.system.mass_matrix

    @property
    def mass_changes(self) -> bool:
        """Whether the mass matrix depends on the state."""
        return self._moves

    @property
    def mass_blocks(self) -> FloatArray:
        """Masses in the layout of the blocks, at the state that was evaluated last."""
        return self.moving_mass.blocks if self._moves else self.system.mass_blocks

    @property
    def env(self) -> Env:
        """Time and factors of loads."""
        return self.prescribed.env

    def set_time(self, t: float) -> None:
        """Loads and prescribed motions at time t; nothing while they are held."""
        self.prescribed.at(t)

    def hold(self, scales: FloatArray, drives: FloatArray, t: float) -> None:
        """Evaluate equilibria from now on.

        Loads act times ``scales (n_loads,)``, supports are moved by ``drives (n_drives,)`` times their motion, drivers
        of joints rest where they are at time t.
        """
        self.prescribed.hold(scales, t)
        self.frames[:] = self.system.fixation.frames(drives)

    def residual(self, q: FloatArray, v: FloatArray, a: FloatArray, lam: FloatArray) -> FloatArray:
        """M a + f + G^T lam, and the constraints, at the time set; also positions and twists of all markers."""
        self.evaluations += 1
        if self._moves:
            self.moving_mass.update(q)
        self._force.run(state_of(q, v, a, lam), self.env)
        return self.r

    def tangent(
        self,
        q: FloatArray,
        v: FloatArray,
        a: FloatArray,
        lam: FloatArray,
        weights: tuple[float, float],
        on_rates: int = 0,
    ) -> FloatArray:
        """The residual, and ``wq K + wv D``, G and G^T into the blocks.

        ``on_rates`` = 1: the rows of G are those of the derivative of G v + g_t by the increments, over wv; -1:
        all are G alone, where with 0 constraints of velocities have rows as with 1.
        """
        self.evaluations += 1
        if self._moves:
            self.moving_mass.update(q)
        if len(self.system.turned_blocks):
            clear_blocks(self.B, self.system.turned_blocks)
        self._tangent.run(state_of(q, v, a, lam), self.env, weights, on_rates)
        return self.r

    @cached_property
    def first_order(self) -> IntArray:
        """Places in v of states by functions of users, and of filters: what they read and drive is in no tangent."""
        places = [np.asarray(places, dtype=np.int64) for _, places in self.python.states]
        return np.concatenate(places) if places else np.zeros(0, dtype=np.int64)

    def state_rates(self, state: State) -> FloatArray:
        """Minus the rates (n_v,) of first-order states, and what they hold into the held values."""
        kept = self.r.copy()
        self.r[:] = 0.0
        self._states.run(state_of(*state), self.env)
        rates = self.r[: self.n_v].copy()
        self.r[:] = kept
        return rates

    @cached_property
    def has_secants(self) -> bool:
        """Whether there is regularised friction in contacts, whose tangents may be by secants."""
        contacts = self.mechanics.contacts
        return self.candidates is not None or has_regularised(contacts.data, contacts.where)

    def by_secants(self, wanted: bool) -> None:
        """Whether tangents of regularised friction in contacts are by its secants; the forces are the same."""
        contacts = self.mechanics.contacts
        exchange_laws(contacts.data, contacts.where, wanted)
        if self.candidates is not None:
            self.candidates.by_secants(wanted)

    def place(self, state: State, tangents: bool = False) -> None:
        """Poses and twists of all markers, with what changes of J where ``tangents`` are needed."""
        (self._place_tangent if tangents else self._place).run(state_of(*state), self.env)

    def constraint_rows(self, state: State, weights: tuple[float, float] = (0.0, 0.0)) -> None:
        """G and G^T, and the stiffness of the multipliers, into the blocks; the markers being in place."""
        self._rows.run(state_of(*state), self.env, weights)

    def pull(self, state: State, weights: tuple[float, float]) -> None:
        """The stiffness that the wrenches on markers have, into the blocks."""
        self._pull.run(state_of(*state), self.env, weights)

    def residual_and_rows(self, q: FloatArray, v: FloatArray, a: FloatArray, lam: FloatArray) -> FloatArray:
        """The residual, and G and G^T alone into the blocks: with the mass all that explicit schemes factorise.

        The tangents of elements and forces, which cost some times as much as what they are of, are not evaluated.
        """
        self.residual(q, v, a, lam)
        self.B[:] = 0.0
        if self.candidates is not None:
            self.candidates.uncouple()
        if self.n_c:
            values = self.r.copy()
            state = State(q, v, a, self._without_multipliers)
            self.place(state, tangents=True)
            self.constraint_rows(state)
            self.r[:] = values
        return self.r

    def linearise(self, state: StepState) -> ConstrainedLinearisation:
        """K, D, M and G at a state, sparse, at the loads and motions of the time set."""
        return linearise_state(self, state)

    @property
    def compliant(self) -> bool:
        """Whether the multipliers have a compliance."""
        return bool(self.multiplier_compliance.any())

    def compliance(self, wanted: bool) -> None:
        """Whether the multipliers get a small compliance, which redundant constraints need."""
        if not wanted:
            self.multiplier_compliance = np.zeros(self.n_c)
        elif not self.compliant:
            before = self.turns.memory()
            self.turns.reset()  # frames of cables are counted among the reference configuration
            self.multiplier_compliance = compliances(self.system, self.mass)
            self.turns.restore(before)

    def size_of(self, increment: FloatArray) -> float:
        """Largest over the bodies of sqrt(sum m d^2) of an increment (n_v,), relative to the size of the body.

        For translations that size is the length of the model, for rotations and slopes it is one; first-order states do
        not count. This is what error estimates are measured by; NaN if a number is not finite.
        """
        return float(largest_of_bodies(increment, self.mass, self.body_of, self.body_sizes, self._sums))

    def factorise(self, wa: float = 1.0, compliance: FloatArray | None = None) -> None:
        """Assemble the blocks with ``wa`` times the mass into the solver and factorise.

        ``compliance (n_c,)`` of the multipliers; by default that of the model.
        """
        system = self.system
        if len(system.turned_blocks):
            rotate_blocks(self.B, system.turned_blocks, self.frames)
        self.factorisations += 1
        if self._moves:
            _ = self.moving_mass.blocks
        compliance = self.multiplier_compliance if compliance is None else compliance
        if self.candidates is not None:
            self.candidates.factorised(wa, compliance)
        try:
            self.matrix.factorise(self.B, wa, compliance)
        except SingularError as error:
            raise singular(system, error) from None

    def solve(self, scale: float, position: float, velocity: float, enough: float = ENOUGH) -> FloatArray:
        """Solve for -(scale r, position g, velocity (G v + b)) as it stands in ``r``; the result covers (v, lam).

        ``enough``: what may be left of it, over its size, where contacts that are searched couple bodies.
        """
        began, system = time.perf_counter(), self.system
        reduce(
            self.r, system.free, self.frame_dofs, self.frames, self.n_v, scale, position, velocity,
            self.velocity_rows, self.b,
        )  # fmt: skip
        if self.candidates is None:
            x = self.matrix.solve(self.b)
        else:
            x = self.candidates.solve(self.matrix, self.b, system, self.B, enough)
        spread(x, self.system.free, self.frame_dofs, self.frames, self.d)
        self.seconds["solve"] += time.perf_counter() - began
        return self.d

    def rates(self) -> FloatArray:
        """G v + g_t (n_c,) of all constraints at the state evaluated last."""
        rate = -self.motion[:, 1]
        if self.n_c:
            self._joint_rates(rate)
        return rate

    def add_rates(self, out: FloatArray) -> None:
        """Add G v (n_c,) by the twists that the markers have."""
        self._joint_rates(out)

    def rate_coupling(self, y: FloatArray, out: FloatArray) -> None:
        """out -= what increments y of the positions do to G v / wv, from the last tangent with ``on_rates``."""
        if len(self.system.turned_blocks):  # so are the blocks
            whole = np.zeros(self.n_q)
            whole[: self.n_v] = y[: self.n_v]
            y = self.system.fixation.to_frames(whole, self.frames)[: self.n_v]
        self._joint_coupling(np.ascontiguousarray(y), out)

    def gamma(self, q: FloatArray, v: FloatArray) -> FloatArray:
        """The part of d2g/dt2 that is not G a, (n_c,); evaluates the kinematics at this state."""
        if not self.n_c:
            return np.zeros(0)
        self.markers.T[:] = IDENTITY
        state = State(q, v, v, np.zeros(self.n_c))
        self.place(state, tangents=True)
        return self.gamma_here(v)

    def gamma_here(self, v: FloatArray) -> FloatArray:
        """The same where the kinematics are in place already, with their derivatives."""
        out = self._gamma
        np.negative(self.motion[:, 2], out=out)
        self._joint_gamma.run(state_of(v, v, v, v), self.env)
        return out.copy()

    def start_turns(self, t: float, begins: Iterable[Angle] = ()) -> None:
        """Forget turns; angles, and what sensors read of them, count from those given and from their motions at t."""
        self.turns.reset()
        begins, moving = tuple(begins), [i for i, _ in self.prescribed.moving]
        self.set_time(0.0)
        described = self.turns.driven(self.motion, moving)
        if t:
            self.set_time(t)
        driven = self.turns.driven(self.motion, moving)
        self.turns.count_from(begins, described, driven)
        before = angles_by_name(self.system.model, [*begins, *driven.values()])
        self.python.viewer.before = before
        for readings in self.turns.readings:
            readings.count_from(before)

    def accept(self, q: FloatArray) -> None:
        """After an accepted step: turns are counted from the poses evaluated last."""
        self.turns.accept(q, self.markers)
        viewer = self.python.viewer
        if viewer.near:  # angles that sensors read in Python
            still = np.zeros(self.n_v)
            viewer.accept(viewer.view(self.env.t, q, still, still, np.zeros(self.n_c)))
