r"""Linearisation with inputs and outputs, in minimal coordinates.

With independent coordinates z, the rest following from the constraints, :math:`\delta q = N z + P d` (d: prescribed
motions that are inputs), the equations projected by :math:`N^T` give

.. math:: N^T M N \ddot z = -N^T [D\,\delta v + K\,\delta q + M P \ddot d + R u], \qquad
   \delta v = N \dot z + P \dot d,

with :math:`R = \partial r/\partial u` for loads and actuators. First-order states x come with their own equations.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from flexmbs.analysis.inputs import Input, find_inputs, load_column, outside_columns
from flexmbs.analysis.linear_model import LinearModel
from flexmbs.analysis.minimal import DENSE, dependent_first, partitioned_basis
from flexmbs.analysis.operating_point import OperatingPoint, check_steady, is_moving, operating_point, transport
from flexmbs.control.sensors import as_sensors, read_sensor
from flexmbs.core.checks import is_list
from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.errors import ModelError
from flexmbs.linearisation import held_columns, moved
from flexmbs.model import Model
from flexmbs.results.static import StaticSolution
from flexmbs.results.time import TimeSolution
from flexmbs.system import System

__all__ = ["linearise"]

STEP = 1e-6
"""Step of the differences of sensors."""


def linearise(
    model: Model | System | StaticSolution | TimeSolution, inputs: Sequence[Any] = (), outputs: Sequence[Any] = ()
) -> LinearModel:
    r"""Linear model of small motions about the initial state of a model, or about the last state of a solution.

    The states are independent coordinates z (named; some of the coordinates themselves), their rates, first-order
    states, and displacement and rate of every prescribed motion that is an input.

    Parameters
    ----------
    model : Model, System, StaticSolution or TimeSolution
        A `StaticSolution` as `solve_static` finds it, or a model whose initial state is an equilibrium (or a spin about
        fixed axes).
    inputs : sequence of load, JointForce, actuator, driver joint, or the label or name of one
        Loads, joint forces and actuators need not be in the model. A load or a `JointForce` (a number) enters by its
        factor: u = 1 is the load as described. Loads of the model among the inputs do not act at its initial state, and
        act at that of a solution; those that are not in the model never act at the state. An actuator enters by the
        value that is held for it, or added to the output of its states. A joint with a prescribed motion enters by the
        acceleration of the motion.
    outputs : sequence of sensors

    Returns
    -------
    LinearModel

    Raises
    ------
    ModelError
        If the state is not an equilibrium, an input is unknown, or the model has more than 1 500 free velocities.

    Notes
    -----
    Matrices are exact where kernels have derivatives. Differences (relative step 1e-6) serve sensors and the functions
    of first-order states and of actuators. Sampled controllers hold their outputs.

    Examples
    --------
    A pendulum with a torque: A = [[0, 1], [-m g l / J, 0]], B = [0, 1 / J].

    >>> import flexmbs as fx
    >>> bar = fx.PlanarRigidBody(2.0, 0.1, position=(0.0, -0.5), name="bar")
    >>> hinge = fx.Revolute(fx.ground, bar, at=(0, 0), name="hinge")
    >>> model = fx.Model(bar, hinge, fx.Gravity((0, -9.81)))
    >>> linear = fx.linearise(model, inputs=[fx.JointForce(hinge, 1.0)], outputs=[fx.JointSensor("hinge")])
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
    off = tuple(i.name for i in chosen if i.kind == "load")
    point = operating_point("linearise", model, () if solved else off)
    if len(point.lin.free) > DENSE:
        raise ModelError(
            f"linearise: model {described.name!r} has {len(point.lin.free)} free velocities; it goes up to {DENSE}. "
            f"Use Dynamics.linearise for the sparse matrices."
        )
    sensors = () if is_list(outputs, 0) else as_sensors("linearise", outputs)
    return _Linear(point, chosen, sensors).model()


class _Linear:
    """Matrices of one linear model; columns of X are (z, dz/dt, x, d, dd/dt), of U the inputs."""

    def __init__(self, point: OperatingPoint, inputs: list[Input], sensors: Any) -> None:
        self.point, self.inputs, self.sensors = point, inputs, sensors
        dyn, lin = point.dyn, point.lin
        self.viewer = dyn.python.viewer
        self.n = n = len(lin.free)
        self.M, self.K, self.D, self.G = (x.toarray() for x in (lin.M, lin.K, lin.D, lin.G))
        still = np.flatnonzero(~lin.states)
        N, P, independent = partitioned_basis(self.G[:, still], dependent_first(dyn, lin)[still])
        self.N, self.P = np.zeros((n, N.shape[1])), np.zeros((n, dyn.n_c))
        self.N[still], self.P[still] = N, P
        self.independent: IntArray = still[independent]
        self.moving = [self._equation(i) for i in inputs if i.kind == "motion"]
        check_steady(point)
        if self.moving and is_moving(point):
            raise ModelError("linearise: prescribed motions are inputs about equilibria only, and this state moves.")
        self.along = transport(point, self.N, self.P, self.independent)

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
        lin, n, n_z = self.point.lin, self.n, self.N.shape[1]
        E = np.eye(n)[:, lin.states]
        n_x, n_d, n_u = E.shape[1], len(self.moving), len(self.inputs)
        P, along = self.P[:, self.moving], self.along
        zero = np.zeros
        Q = np.hstack((self.N, zero((n, n_z + n_x)), P, zero((n, n_d))))
        V = np.hstack((along.V, self.N, E, zero((n, n_d)), P))
        S = np.hstack((along.A_z, along.A_w, zero((n, n_x + 2 * n_d))))
        forces, accelerations = self._input_columns(P)
        whole = np.hstack((self.N, E))
        mass = whole.T @ self.M @ whole
        F_x = self.K @ Q + self.D @ V + self.M @ S
        F_u = forces + self.M @ accelerations
        try:
            rates_x, rates_u = (-np.linalg.solve(mass, whole.T @ F) for F in (F_x, F_u))
        except np.linalg.LinAlgError:
            raise ModelError("linearise: something that moves has no mass; give it some.") from None
        size = 2 * n_z + n_x + 2 * n_d
        A, B = zero((size, size)), zero((size, n_u))
        A[:n_z, n_z : 2 * n_z] = np.eye(n_z)
        A[n_z : 2 * n_z + n_x], B[n_z : 2 * n_z + n_x] = rates_x, rates_u
        d0 = 2 * n_z + n_x
        A[d0 : d0 + n_d, d0 + n_d :] = np.eye(n_d)
        places = [j for j, item in enumerate(self.inputs) if item.kind == "motion"]
        B[d0 + n_d + np.arange(n_d), places] = 1.0
        a_x, a_u = S + whole @ rates_x, accelerations + whole @ rates_u
        back = np.linalg.pinv(self.G.T) if len(self.G) else zero((0, n))
        lam_x, lam_u = -back @ (self.K @ Q + self.D @ V + self.M @ a_x), -back @ (forces + self.M @ a_u)
        C = self._outputs(Q, V, a_x, lam_x, None)
        D = self._outputs(zero((n, n_u)), zero((n, n_u)), a_u, lam_u, self.inputs)
        A, B = A + 0.0, B + 0.0  # no -0
        return LinearModel(A, B, C, D, self._state_names(), tuple(i.name for i in self.inputs), self._output_names(),
                           self._read(0.0, None, None, None, None))  # fmt: skip

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
                forces[:, j] = (E.T @ held_columns(dyn, state, [item.number]))[:, 0]
            else:
                accelerations[:, j] = P[:, motion]
                motion += 1
        return forces, accelerations

    def _outputs(self, Q: FloatArray, V: FloatArray, A: FloatArray, L: FloatArray, inputs: Any) -> FloatArray:
        """Central differences of all sensors along the columns."""
        E = self.point.lin.directions
        size = sum(s.size for s in self.sensors)
        out = np.zeros((size, Q.shape[1]))
        if not size:
            return out
        m = self.point.dyn.mechanics
        for j in range(Q.shape[1]):
            largest = max(float(np.abs(x[:, j]).max(initial=0.0)) for x in (Q, V)) or 1.0
            h = STEP / largest
            number = inputs[j].number if inputs is not None and inputs[j].kind == "actuator" else None
            sides = []
            for step in (h, -h):
                if number is not None:
                    m.held[number] += step
                sides.append(self._read(step, E @ Q[:, j], E @ V[:, j], E @ A[:, j], L[:, j]))
                if number is not None:
                    m.held[number] -= step
            out[:, j] = (sides[0] - sides[1]) / (2.0 * h)
        out[np.abs(out) < 1e-9 * np.abs(out).max(initial=0.0)] = 0.0
        return out

    def _read(self, h: float, q: Any, v: Any, a: Any, lam: Any) -> FloatArray:
        """All sensors at the operating point, or h times a direction away from it."""
        dyn, s = self.point.dyn, self.point.state
        state = (s.q, s.v, s.a, s.lam)
        if q is not None:
            state = (moved(dyn, s.q, h * q), s.v + h * v, s.a + h * a, s.lam + h * lam)
        view = self.viewer.view(s.t, *state)
        return np.concatenate([np.zeros(0), *(np.atleast_1d(read_sensor(x, view)) for x in self.sensors)])

    def _state_names(self) -> tuple[str, ...]:
        lin, c = self.point.lin, self.point.dyn.coordinates
        z = [c.describe(int(lin.free[i])) for i in self.independent]
        d = [i.name for i in self.inputs if i.kind == "motion"]
        x = [c.describe(int(i)) for i in lin.free[lin.states]]
        return (*z, *(f"rate of {name}" for name in z), *x, *(f"motion of {name}" for name in d),
                *(f"rate of the motion of {name}" for name in d))  # fmt: skip

    def _output_names(self) -> tuple[str, ...]:
        names: list[str] = []
        for s in self.sensors:
            names += [s.name] if s.size == 1 else [f"{s.name}[{k}]" for k in range(s.size)]
        return tuple(names)
