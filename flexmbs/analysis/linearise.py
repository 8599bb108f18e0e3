r"""Linearisation with inputs and outputs, in minimal coordinates.

With independent coordinates z, the rest following from the constraints, :math:`\delta q = N z + P d` (d: prescribed
motions that are inputs), the equations projected by :math:`N^T` give

.. math:: N^T M N \ddot z = -N^T [D\,\delta v + K\,\delta q + M P \ddot d + R u], \qquad
   \delta v = N \dot z + P \dot d,

with :math:`R = \partial r/\partial u` for loads and actuators. First-order states x come with their own equations.
About a steady motion y in the axes of who sees constant matrices stands for :math:`\delta q`, with the matrices M, C
and S of `flexmbs.analysis.steady_motion`; inputs and outputs must be constant in these axes as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.sparse import eye_array

from flexmbs.analysis.directions import Directions
from flexmbs.analysis.inputs import Input, find_inputs, load_column, outside_columns, without_inputs
from flexmbs.analysis.linear_model import LinearModel
from flexmbs.analysis.moving_point import directions_in_motion, independent_places, moving_point, wanted_names
from flexmbs.analysis.operating_point import OperatingPoint, operating_point, seen_later
from flexmbs.analysis.output_names import output_names, output_sensors
from flexmbs.analysis.steady_motion import name_of_frame, times
from flexmbs.core.checks import as_flag, is_list
from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.errors import ModelError
from flexmbs.dynamics.linearisation import hold_more, input_column, moved
from flexmbs.dynamics.minimal import DENSE, Sizes, pseudo_inverse
from flexmbs.model.control.sensors import as_sensors, read_sensor
from flexmbs.model.model import Model
from flexmbs.results.static import StaticSolution
from flexmbs.results.time import TimeSolution
from flexmbs.system.system import System

__all__ = ["linear_model_at", "linearise"]

STEP = 1e-6
"""Step of the differences of sensors by positions and velocities, relative to the size of the model."""
GROWING, SEEN = (1e-4, 1.0), 1e-6
"""Steps by accelerations and multipliers, of those at the state and of the column, and a change with digits enough."""
ROUND_OFF = 8.0 * float(np.finfo(float).eps)
"""What a sensor reads is known to, relative to its size."""
CONSTANT = 1e-5
"""Change of inputs and outputs along a motion, relative to the largest, up to which they are constant."""


def linearise(
    model: Model | System | StaticSolution | TimeSolution,
    inputs: Sequence[Any] = (),
    outputs: Sequence[Any] = (),
    *,
    moving: bool = False,
    coordinates: Sequence[str] = (),
) -> LinearModel:
    r"""Linear model of small motions about the initial state of a model, or about the last state of a solution.

    The states are independent coordinates z (named; some of the coordinates themselves), their rates, first-order
    states, and displacement and rate of every prescribed motion that is an input. About a motion that rolls, or is
    driven by a rate, less coordinates have rates of their own than there are: what the others change by follows.

    Parameters
    ----------
    model : Model, System, StaticSolution or TimeSolution
        A `StaticSolution` as `solve_static` finds it, or a model whose initial state is an equilibrium, or a steady
        motion as `solve_modal` treats it: then states, inputs and outputs are in the frame in which it is steady.
    inputs : sequence of load, JointForce, actuator, driver joint, or the label or name of one
        Loads, joint forces and actuators need not be in the model. A load or a `JointForce` (a number) enters by its
        factor: u = 1 is the load as described. Those of the model among the inputs do not act at its initial state, and
        act at that of a solution; those that are not in the model never act at the state. An actuator enters by the
        value that is held for it, or added to the output of its states, with what first-order states that read the
        value make of it. A joint with a prescribed motion enters by the acceleration of the motion.
        Equal names are numbered in the result, those of the model first: "force on 'tip' (1)".
    outputs : sequence of sensors
        Equal names are numbered likewise.
    moving : bool
        Whether the state may move in any way. A and B are then those of this moment, of deviations from the motion that
        goes on from there (`linearise_along` follows it); rotations of bodies count in body axes. Its poles say nothing
        about stability.
    coordinates : sequence of str
        Names of the independent coordinates, as many as the model can move in different ways; left out, those that
        follow least from others are taken. Only where the state may move.

    Returns
    -------
    LinearModel

    Raises
    ------
    ModelError
        If the state is neither an equilibrium nor steady, an input is unknown, inputs or outputs change along a steady
        motion, first-order states read forces of joints, or the model has more than 1 500 free velocities.

    Notes
    -----
    Matrices are exact where kernels have derivatives. Differences (steps of 1e-6 of the size of the model, 1e-4 of
    accelerations and reactions) serve sensors and the functions of first-order states, which may read accelerations
    and what other states hold. Sampled controllers hold their outputs.

    Examples
    --------
    A pendulum with a torque: A = [[0, 1], [-m g l / J, 0]], B = [0, 1 / J].

    >>> import flexmbs as fx
    >>> bar = fx.PlanarRigidBody(2.0, 0.1, position=(0.0, -0.5), name="bar")
    >>> hinge = fx.RevoluteJoint(fx.ground, bar, at=(0, 0), name="hinge")
    >>> model = fx.Model(bar, hinge, fx.Gravity((0, -9.81)))
    >>> linear = fx.linearise(model, inputs=[fx.JointForce(hinge, 1.0)], outputs=[fx.control.JointSensor("hinge")])
    >>> linear.states
    ("angle of body 'bar'", "rate of angle of body 'bar'")
    >>> linear.A.round(6).tolist(), linear.B.round(6).tolist(), linear.C.round(6).tolist()
    ([[0.0, 1.0], [-16.35, 0.0]], [[0.0], [1.666667]], [[1.0, 0.0]])
    """
    solved = isinstance(model, StaticSolution | TimeSolution)
    compiled = model.system if isinstance(model, StaticSolution | TimeSolution) else model
    described = compiled.model if isinstance(compiled, System) else compiled
    if not isinstance(described, Model):
        raise ModelError(f"linearise: expected a Model or a solution, not {model!r}.")
    chosen = find_inputs(described, inputs)
    off = tuple(i.number for i in chosen if i.kind == "load")
    if not solved and without_inputs(described, chosen) is not described:
        model = without_inputs(described, chosen)
    wanted = wanted_names("linearise", coordinates)
    if not as_flag("linearise", "moving", moving):
        if wanted:
            raise ModelError("linearise: coordinates are chosen with moving=True; see independent_coordinates.")
        return linear_model_at(operating_point("linearise", model, () if solved else off), chosen, outputs)
    point = moving_point("linearise", model, () if solved else off)
    return linear_model_at(point, chosen, outputs, independent_places("linearise", point, wanted))


def linear_model_at(
    point: OperatingPoint, inputs: list[Input], outputs: Sequence[Any], independent: IntArray | None = None
) -> LinearModel:
    """The linear model at an operating point, with inputs as `find_inputs` finds them and sensors as outputs.

    ``independent``: places of the independent coordinates about a motion.
    """
    if len(point.lin.free) > DENSE:
        raise ModelError(
            f"linearise: model {point.dyn.system.model.name!r} has {len(point.lin.free)} free velocities; it goes up "
            f"to {DENSE}. linearise_sparse goes beyond."
        )
    sensors = () if is_list(outputs, 0) else as_sensors("linearise", outputs)
    return _Linear(point, inputs, sensors, independent).model()


class _Linear:
    """Matrices of one linear model; columns of X are (z, rates, x, d, dd/dt), of U the inputs."""

    def __init__(
        self, point: OperatingPoint, inputs: list[Input], sensors: Any, independent: IntArray | None
    ) -> None:  # fmt: skip
        self.point, self.inputs, self.sensors = point, inputs, sensors
        dyn, lin = point.dyn, point.lin
        self.viewer = dyn.python.viewer
        self.n = n = len(lin.free)
        self.X: Any = eye_array(n)
        moving = point.moving
        self.allowed = directions_in_motion("linearise", point, independent) if moving else Directions.of(point)
        self.N, self.P = self.allowed.N, self.allowed.P
        self.independent: IntArray = self.allowed.independent
        self.moving = [self._equation(i) for i in inputs if i.kind == "motion"]
        if self.moving and (point.seen_by is not None or point.moving):
            raise ModelError("linearise: prescribed motions are inputs about equilibria only, and this state moves.")

    def _equation(self, item: Input) -> int:
        """The constraint of a prescribed motion."""
        dyn = self.point.dyn
        m = dyn.mechanics
        joint = dyn.system.model.joints[item.number]
        for k in m.equations_of(joint):
            equation = m.equations[k].equation
            if equation.motion is not None:
                if equation.level == 1:
                    raise ModelError(f"linearise: joint {joint.name!r} prescribes a rate; take a driver of positions.")
                return int(k)
        raise ModelError(f"linearise: the motion of joint {joint.name!r} is not among the constraints of the model.")

    def model(self) -> LinearModel:
        """Everything together."""
        A, B, C, D = self._matrices()
        reading = self._read(None, None)
        if self.point.seen_by is not None:
            self._check_constant(B, C, D)
        return LinearModel(
            A, B, C, D, self._state_names(), tuple(i.name for i in self.inputs), output_names(self.sensors), reading,
            self._energy(len(A)), tuple(i.thing for i in self.inputs), output_sensors(self.sensors),
        )  # fmt: skip

    def _energy(self, size: int) -> FloatArray | None:
        """Twice the energy as a form of the states, where there is one."""
        lin, n_z = self.point.lin, self.N.shape[1]
        if size != 2 * n_z or self.point.moving or not self.point.motions().symmetric:
            return None
        E = np.zeros((size, size))
        K = self.N.T @ (lin.K @ self.N)
        E[:n_z, :n_z], E[n_z:, n_z:] = 0.5 * (K + K.T), self.N.T @ (lin.M @ self.N)
        return E

    def _check_constant(self, B: FloatArray, C: FloatArray, D: FloatArray) -> None:
        """Refuse inputs and outputs that change along a steady motion."""
        here, dyn = self.point, self.point.dyn
        memory = dyn.turns.memory()
        try:
            for span in times(dyn, here.state, here.seen_by):  # type: ignore[arg-type]
                self.point, self.X = seen_later(here, span)
                later = self._matrices()[1:]
                for name, kept, changed in zip(("inputs", "outputs", "outputs"), (B, C, D), later, strict=True):
                    if kept.size and np.abs(changed - kept).max() > CONSTANT * max(float(np.abs(kept).max()), 1e-300):
                        raise ModelError(
                            f"linearise: the {name} change with the turning as seen in the frame of the linear model "
                            f"({name_of_frame(dyn, here.state, here.seen_by)}); "  # type: ignore[arg-type]
                            f"take such as are fixed in that frame."
                        )
        finally:
            self.point, self.X = here, eye_array(self.n)
            dyn.turns.restore(memory)
            dyn.prescribed.changed = True
            dyn.set_time(here.state.t)
            dyn.residual(here.state.q, here.state.v, here.state.a, here.state.lam)

    def _matrices(self) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """A, B, C and D at the state of the point."""
        lin, n, allowed = self.point.lin, self.n, self.allowed
        n_z, n_r = allowed.positions.shape[1], self.N.shape[1]
        E = np.eye(n)[:, lin.states]
        n_x, n_d, n_u = E.shape[1], len(self.moving), len(self.inputs)
        P = self.P[:, self.moving]
        zero = np.zeros
        frame = self.point.matrices
        Q = np.hstack((allowed.positions, zero((n, n_r + n_x)), P, zero((n, n_d))))
        R = np.hstack((allowed.turning, self.N, E, zero((n, n_d)), P))
        T = np.hstack((allowed.bending, allowed.slowing, zero((n, n_x + 2 * n_d))))
        forces, accelerations = self._input_columns(P)
        whole = np.hstack((self.N, E))
        mass = whole.T @ (frame.M @ whole)
        F_x = frame.S @ Q + frame.C @ R + frame.M @ T
        F_u = forces + frame.M @ accelerations
        try:
            rates_x, rates_u = (-np.linalg.solve(mass, whole.T @ F) for F in (F_x, F_u))
        except np.linalg.LinAlgError:
            raise ModelError("linearise: something that moves has no mass; give it some.") from None
        d0 = n_z + n_r + n_x
        size = d0 + 2 * n_d
        A, B = zero((size, size)), zero((size, n_u))
        A[:n_z, : n_z + n_r] = R[self.independent, : n_z + n_r]
        A[n_z:d0], B[n_z:d0] = rates_x, rates_u
        A[d0 : d0 + n_d, d0 + n_d :] = np.eye(n_d)
        places = [j for j, item in enumerate(self.inputs) if item.kind == "motion"]
        B[d0 + n_d + np.arange(n_d), places] = 1.0
        a_x, a_u = T + whole @ rates_x, accelerations + whole @ rates_u
        back = pseudo_inverse(frame.G.toarray(), Sizes.of(self.point.dyn, lin.free)).T
        lam_x, lam_u = -back @ (F_x + frame.M @ (whole @ rates_x)), -back @ (F_u + frame.M @ (whole @ rates_u))
        V = R + frame.W @ Q
        C = self._outputs(Q, V, a_x + frame.by_rates @ R + frame.by_positions @ Q, lam_x, None)
        D = self._outputs(zero((n, n_u)), zero((n, n_u)), a_u, lam_u, self.inputs)
        return A + 0.0, B + 0.0, C, D  # no -0

    def _input_columns(self, P: FloatArray) -> tuple[FloatArray, FloatArray]:
        """What unit inputs add to the residual, and the accelerations they prescribe; (n, n_u) each."""
        point = self.point
        dyn, state, E = point.dyn, point.state, point.lin.directions
        forces, accelerations = np.zeros((self.n, len(self.inputs))), np.zeros((self.n, len(self.inputs)))
        outside = [i for i in self.inputs if i.kind == "outside"]
        others = outside_columns(dyn.system.model, state, outside) if outside else forces
        motion = 0
        for j, item in enumerate(self.inputs):
            if item.kind == "load":
                forces[:, j] = E.T @ load_column(dyn, state, item.number)
            elif item.kind == "outside":
                forces[:, j] = E.T @ others[:, item.number]
            elif item.kind == "actuator":
                forces[:, j] = E.T @ input_column(dyn, state, item.number)
            else:
                accelerations[:, j] = P[:, motion]
                motion += 1
        return self.X.T @ forces, accelerations

    def _outputs(self, Q: FloatArray, V: FloatArray, A: FloatArray, L: FloatArray, inputs: Any) -> FloatArray:
        """Derivatives (size, columns) of all sensors along the columns.

        Central differences by positions, velocities, accelerations, multipliers and held values, each with steps of its
        own. They are told apart because only so what is round-off can be told: the accelerations that follow from a
        displacement are larger by the square of a frequency, and multipliers by a stiffness.
        """
        E, lin, dyn = self.point.lin.directions @ self.X, self.point.lin, self.point.dyn
        if not self.sensors:
            return np.zeros((0, Q.shape[1]))
        state, unit = self.point.state, dyn.system.increment_sizes[lin.free][:, None]
        places = dyn.coordinates.displacements
        far = max(1.0, float(np.abs(state.q[places[places < dyn.n_linear]]).max(initial=0.0)) / dyn.system.reach)
        rates = np.abs(lin.directions.T @ state.v)
        speed = max(1.0, float((rates / unit[:, 0])[~lin.states].max(initial=0.0)))
        own = np.where(lin.states, np.maximum(rates, 1.0) / speed, unit[:, 0])[:, None]
        out = self._geometric(0, STEP * np.cbrt(far), far, E @ Q, np.abs(Q / unit))
        out += self._geometric(1, STEP * speed, 1.0, E @ V, np.abs(V / own))
        out += self._nearly_linear(2, state.a, E @ A)
        out += self._nearly_linear(3, state.lam, L)
        if dyn.python.states:
            dyn.residual(state.q, state.v, state.a, state.lam)
        for j, item in enumerate(inputs or ()):
            if item.kind == "actuator":
                out[:, j] += self._by_held(item.number)
        return out

    def _geometric(self, part: int, h: float, far: float, ways: FloatArray, sizes: FloatArray) -> FloatArray:
        """By positions (0) or velocities (1) along columns ``ways``, with steps ``h`` in columns of these sizes.

        What is within the round-off of what is read, or of what it would be a size away from here, is zero. ``far``:
        how far away zero is, in sizes of the model.
        """
        largest = sizes.max(axis=0, initial=0.0)
        moves = np.flatnonzero(largest > 0.0)
        out = np.zeros((sum(s.size for s in self.sensors), ways.shape[1]))
        if not len(moves):
            return out
        steps, read = h / largest[moves], np.zeros(len(out))
        changes = np.zeros((len(out), len(moves)))
        for k, j in enumerate(moves):
            sides = [self._read(part, step * ways[:, j]) for step in (steps[k], -steps[k])]
            changes[:, k] = sides[0] - sides[1]
            read = np.maximum(read, np.maximum(*np.abs(sides)))
        whole = np.abs(changes).max(axis=1) / h * far
        changes[np.abs(changes) <= ROUND_OFF * np.maximum(read, whole)[:, None]] = 0.0
        out[:, moves] = changes / (2.0 * steps)
        return out

    def _nearly_linear(self, part: int, at: FloatArray, ways: FloatArray) -> FloatArray:
        """By accelerations (2) or multipliers (3) along columns ``ways``, of which most sensors are linear functions.

        A sensor may read much else beside them: the first step that changes what it reads by more than `SEEN` is taken,
        or the largest. What is round-off of the column is zero.
        """
        out = np.zeros((sum(s.size for s in self.sensors), ways.shape[1]))
        for j in np.flatnonzero(np.abs(ways).max(axis=0, initial=0.0) > 0.0):
            largest = float(np.abs(ways[:, j]).max())
            open_ = np.ones(len(out), dtype=bool)
            usual = float(np.abs(at).max(initial=0.0)) / largest
            for h in sorted({share * size for share in GROWING for size in (usual, 1.0) if size > 0.0}):
                forth, back = (self._read(part, step * ways[:, j]) for step in (h, -h))
                out[open_, j] = (forth - back)[open_] / (2.0 * h)
                open_ &= ~(np.abs(forth - back) > SEEN * np.maximum(np.abs(forth), np.abs(back)))
                if not open_.any():
                    break
            out[np.abs(out[:, j]) <= ROUND_OFF * largest, j] = 0.0
        return out

    def _by_held(self, number: int) -> FloatArray:
        """By the value that is held for an actuator, and what first-order states make of it."""
        held, s = self.point.dyn.mechanics.held, self.point.state
        before, sides = held.copy(), []
        h = STEP * max(1.0, abs(float(held[number])))
        for step in (h, -h):
            hold_more(self.point.dyn, s, number, step)
            sides.append(self._read(None, None))
            held[:] = before
        return (sides[0] - sides[1]) / (2.0 * h)

    def _read(self, part: int | None, change: Any) -> FloatArray:
        """All sensors at the operating point, or after a change of its positions (0), velocities, ..., multipliers."""
        dyn, s = self.point.dyn, self.point.state
        state = [s.q, s.v, s.a, s.lam]
        if part is not None:
            state[part] = moved(dyn, s.q, change) if part == 0 else state[part] + change
            if dyn.python.states:  # what they hold there may be read
                dyn.residual(*state)
        view = self.viewer.view(s.t, *state)
        return np.concatenate([np.zeros(0), *(np.atleast_1d(read_sensor(x, view)) for x in self.sensors)])

    def _state_names(self) -> tuple[str, ...]:
        lin, c = self.point.lin, self.point.dyn.coordinates
        z = [c.describe(int(lin.free[i])) for i in self.independent]
        d = [i.name for i in self.inputs if i.kind == "motion"]
        x = [c.describe(int(i)) for i in lin.free[lin.states]]
        rates = z[: self.N.shape[1]]  # about a motion that rolls there are less than coordinates
        return (*z, *(f"rate of {name}" for name in rates), *x, *(f"motion of {name}" for name in d),
                *(f"rate of the motion of {name}" for name in d))  # fmt: skip
