r"""Linear models that stay sparse and of second order, for thousands of unknowns.

.. math:: M\ddot y + C\dot y + S y + G^T\lambda = f u, \qquad G y = 0, \qquad z = c y + d\,\dot y

Poles nearest to zero follow by Arnoldi's method with one factorisation. The zeros from an input to an output are the
roots of the model with the output as one more constraint, whose multiplier is the input: with the border (f, c) beside
(G^T, G) the same method finds them. So zeros cost as much as poles.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import matrix_balance
from scipy.sparse import block_array, csc_array, diags_array
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigs, splu

from flexmbs.analysis.inputs import find_inputs, load_column, outside_columns, without_inputs
from flexmbs.analysis.linear.zeros import transmission_zeros
from flexmbs.analysis.linear_model import numbers_of, telling_frequencies
from flexmbs.analysis.operating_point import OperatingPoint, operating_point
from flexmbs.analysis.output_names import output_names, output_sensors
from flexmbs.analysis.small_motions import SmallMotions, stiffness_by_mass
from flexmbs.core.checks import as_array, as_count, is_list
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ConvergenceError, ModelError
from flexmbs.dynamics.linearisation import held_columns, moved
from flexmbs.dynamics.minimal import orthonormal_basis
from flexmbs.linear.frequency_response import FrequencyResponse
from flexmbs.model.control.sensors import as_sensors, read_sensor
from flexmbs.model.model import Model
from flexmbs.results.static import StaticSolution
from flexmbs.results.time import TimeSolution
from flexmbs.system.system import System

__all__ = ["SparseLinearModel", "linearise_sparse"]

STEP = 1e-6
"""Step of the differences of sensors, relative to the size of the model."""
ROUND_OFF = 8.0 * float(np.finfo(float).eps) / STEP
"""Derivative of a sensor, relative to its largest one, up to which it is round-off."""
REFINED, FAR = 8, 0.1
"""Steps of the refinement of a root, and how far it may be moved, relative to its size."""
PASSES = 3
"""How often the shift is brought to the size of the lowest roots."""


@dataclass(frozen=True, eq=False, repr=False)
class SparseLinearModel:
    r"""Small deviations from a state of rest, :math:`M\ddot y + C\dot y + S y + G^T\lambda = f u`, sparse.

    Attributes
    ----------
    motions : SmallMotions
        M, C, S and G.
    forces : (n, n_u) array
        f: what unit inputs do.
    positions, rates : (n_y, n) arrays
        c and d of the outputs.
    inputs, outputs : tuples of str
        As of `LinearModel`.
    sources, sensors : tuples
        The loads, actuators ... and the sensors that inputs and outputs are.
    """

    motions: SmallMotions
    forces: FloatArray
    positions: FloatArray
    rates: FloatArray
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    sources: tuple[Any, ...] = ()
    sensors: tuple[Any, ...] = ()

    def __repr__(self) -> str:
        n, n_c = self.motions.S.shape[0], self.motions.G.shape[0]
        return (
            f"<sparse linear model: {n} unknowns, {n_c} constraints, {len(self.inputs)} inputs, {len(self.outputs)} "
            f"outputs>"
        )

    def poles(self, count: int = 20) -> Any:
        """About the ``count`` poles nearest to zero [1/time], complex with their conjugates, by ascending size."""
        n, n_c = self.motions.S.shape[0], self.motions.G.shape[0]
        nothing = np.zeros((n, 0))
        return _nearest(self.motions, nothing, nothing.T, as_count("poles", "count", count, minimum=1), n - n_c)

    def zeros(self, inputs: Any = 0, outputs: Any = 0, count: int = 20) -> Any:
        """About the ``count`` zeros nearest to zero [1/time] from inputs to as many outputs.

        Inputs and outputs as `LinearModel.part` takes them.

        Raises
        ------
        ModelError
            If inputs and outputs are not equally many, or an output depends on rates.
        """
        i = numbers_of("input", inputs, self.inputs, self.sources)
        o = numbers_of("output", outputs, self.outputs, self.sensors)
        if len(i) != len(o):
            raise ModelError(f"zeros: {len(i)} inputs and {len(o)} outputs; take equally many.")
        c, more = self.positions[o], 0
        if np.any(self.rates[o]):
            if np.any(c):
                raise ModelError("zeros: an output depends on positions and rates; take one of positions.")
            c, more = self.rates[o], len(o)  # the same, and zero besides
        n, n_c = self.motions.S.shape[0], self.motions.G.shape[0]
        wanted = as_count("zeros", "count", count, minimum=1)
        found = _nearest(self.motions, self.forces[:, i], c, wanted, n - n_c - len(i))
        return np.concatenate((np.zeros(more), found))[: max(wanted, more)] if more else found

    def transfer(self, omega: Any) -> Any:
        """Frequency response (n_y, n_u), or (n_w, n_y, n_u) for several omega [rad/time]."""
        w, p = np.asarray(omega, dtype=np.float64), self.motions
        n = p.S.shape[0]
        found = []
        right = np.vstack((self.forces, np.zeros((p.G.shape[0], self.forces.shape[1])))).astype(complex)
        for x in np.atleast_1d(w):
            y = splu(_matrix(p, p.S - x * x * p.M + 1j * x * p.C, right[:, :0], right[:0].T[:, :n].T)).solve(right)[:n]
            found.append((self.positions + 1j * x * self.rates) @ y)
        return found[0] if w.ndim == 0 else np.array(found)

    def sweep(self, frequencies: Any = None) -> FrequencyResponse:
        """Frequency response over frequencies (n_w,) [1/time]; left out, around the lowest poles."""
        if frequencies is None:
            f = telling_frequencies(self.poles(20))
        else:
            f = as_array("sweep", "frequencies", frequencies, (None,), unit="1/time")
        return FrequencyResponse(f, self.transfer(2.0 * np.pi * f), self.outputs, self.inputs)

    def bode(self, frequencies: Any = None, ax: Any = None) -> Any:
        """Draw amplitudes and phases over the frequency."""
        return self.sweep(frequencies).bode(ax)


def _matrix(p: SmallMotions, A: Any, f: Any, c: Any) -> csc_array:
    """[A, G^T, f; G, -compliance, 0; c, 0, 0]."""
    rows: list[list[Any]] = [[A]]
    if p.G.shape[0]:
        rows = [[A, p.G.T], [p.G, -diags_array(p.compliance)]]
    if f.shape[1]:
        rows[0].append(csc_array(f))
        for row in rows[1:]:
            row.append(None)
        rows.append([csc_array(c), *[None] * (len(rows[0]) - 1)])
    return csc_array(block_array(rows)) if len(rows) > 1 else csc_array(A)


def _nearest(p: SmallMotions, f: FloatArray, c: FloatArray, count: int, degrees: int) -> Any:
    """Roots nearest to zero of the model with the border (f, c), with conjugates."""
    sigma = float(np.sqrt(1e-6 * stiffness_by_mass(p)))
    found: Any = np.zeros(0, dtype=complex)
    few = 2 * degrees - 2 < count + 4  # Arnoldi's method finds some of many
    if few:
        _factorised(p, f, c, sigma)
        found = _all(p, f, c)
    for _ in range(0 if few else PASSES):
        found = _beside(p, f, c, count + 4, sigma)
        size = np.abs(found)
        middle = float(np.median(size[size > 1e-6 * size.max(initial=0.0)])) if len(size) else sigma
        if 0.1 * middle <= sigma <= 10.0 * middle:
            break
        sigma = middle
    size = max(float(np.abs(found).max(initial=0.0)), 1e-300)
    found = found[found.imag >= 0.0]
    found = found[np.lexsort((found.real, np.round(np.abs(found) / size, 7)))]
    kept: list[complex] = []
    for s in found:
        if len(kept) >= count:
            break
        root = complex(s) if few else _refined(p, f, c, complex(s))
        kept += [root.conjugate(), root] if root.imag else [root]
    return np.array(kept, dtype=complex)


def _refined(p: SmallMotions, f: FloatArray, c: FloatArray, s: complex) -> complex:
    """A root by successive linear problems: fine meshes and far inputs cost Arnoldi's method digits."""
    n, start = p.S.shape[0], s
    y = np.random.default_rng(2).standard_normal(n).astype(complex)
    for k in range(REFINED):
        A = _matrix(p, s * s * p.M + s * p.C + p.S, f, c).astype(complex)
        b = np.concatenate(((2.0 * s) * (p.M @ y) + p.C @ y, np.zeros(A.shape[0] - n)))
        try:
            x = splu(csc_array(A)).solve(b)[:n]
        except RuntimeError:  # s is the root to the last digit
            return s
        change = (y.conj() @ y) / (y.conj() @ x)
        y = x / np.linalg.norm(x)
        if k:
            s = s - change
            if abs(change) <= 1e-12 * abs(s):
                break
    if start.imag == 0.0:
        s = complex(s.real, 0.0)
    return s if abs(s - start) <= FAR * abs(start) else start


def _factorised(p: SmallMotions, f: FloatArray, c: FloatArray, sigma: float) -> Any:
    """The equations at a real sigma."""
    try:
        return splu(_matrix(p, sigma**2 * p.M + sigma * p.C + p.S, f, c))
    except RuntimeError:
        raise ModelError("zeros: the input has no effect on the output, at any frequency.") from None


def _all(p: SmallMotions, f: FloatArray, c: FloatArray) -> Any:
    """All finite roots, of first-order equations on what the constraints allow."""
    N = orthonormal_basis(p.G.toarray(), p.sizes)
    M, C, S = (N.T @ (A @ N) for A in (p.M, p.C, p.S))
    n = len(M)
    A = np.block([[np.zeros((n, n)), np.eye(n)], [-np.linalg.solve(M, S), -np.linalg.solve(M, C)]])
    if not f.shape[1]:
        s = np.linalg.eigvals(matrix_balance(A, permute=False)[0])
    else:
        B = np.vstack((np.zeros((n, f.shape[1])), np.linalg.solve(M, N.T @ f)))
        s = transmission_zeros(A, B, np.hstack((c @ N, np.zeros((len(c), n)))), np.zeros((len(c), f.shape[1])))
    return np.asarray(s, dtype=complex)


def _beside(p: SmallMotions, f: FloatArray, c: FloatArray, count: int, sigma: float) -> Any:
    """Eigenvalues of the first-order equations nearest to a real sigma, on what the constraints allow."""
    n, lu = p.S.shape[0], _factorised(p, f, c, sigma)
    more = lu.shape[0] - n
    C = csc_array(p.C + sigma * p.M)

    def solve(b: Any) -> Any:
        return lu.solve(np.concatenate((b, np.zeros(more))))[:n]

    def inverse(z: Any) -> Any:  # of y and dy/dt / sigma, which are of one size
        y, u = np.ravel(z)[:n], sigma * np.ravel(z)[n:]
        x = -solve(p.M @ u + C @ y)
        return np.concatenate((x, y / sigma + x))

    start = np.concatenate([solve(p.M @ x) for x in np.random.default_rng(0).standard_normal((2, n))])
    for _ in range(3):  # into the space without infinite roots
        start = inverse(start)
        start = start / np.linalg.norm(start)
    operator = LinearOperator((2 * n, 2 * n), matvec=inverse, dtype=np.float64)
    vectors = min(2 * count + 20, 2 * n)
    try:
        mu = eigs(operator, k=count, which="LM", v0=start, ncv=vectors, tol=1e-13, return_eigenvectors=False)
    except ArpackNoConvergence as error:
        mu = error.eigenvalues
        if len(mu) < count:
            raise ConvergenceError(f"the roots were not found: {error}; ask for fewer.") from None
    mu = mu[np.abs(mu) > 0.0]
    s = sigma + 1.0 / mu
    return np.where(np.abs(s.imag) <= 1e-10 * np.abs(s).max(initial=0.0), s.real, s)


def linearise_sparse(
    model: Model | System | StaticSolution | TimeSolution, inputs: Sequence[Any] = (), outputs: Sequence[Any] = ()
) -> SparseLinearModel:
    """Sparse linear model of small motions about a state of rest, for models of any size.

    Parameters
    ----------
    model : Model, System, StaticSolution or TimeSolution
        As `linearise` takes it, at rest.
    inputs : sequence of loads, joint forces, actuators, or their names
        As `linearise` takes them; prescribed motions are refused.
    outputs : sequence of sensors
        Of positions, angles and rates; those of accelerations and reactions are refused.

    Returns
    -------
    SparseLinearModel

    Raises
    ------
    ModelError
        If the state moves, the model has first-order states, or an input or output is of another kind.

    Examples
    --------
    The zeros from a force at the tip to its deflection are the frequencies of the beam that is held there.

    >>> import flexmbs as fx
    >>> beam = fx.FlexibleBody.line((0, 0), (1, 0), elements=200, element=fx.elements.ANCFCable2D(),
    ...                             stiffness=fx.BeamStiffness(EA=1e6, EI_z=1.0, mass_per_length=1.0))
    >>> tip = fx.control.PositionSensor(beam.end, (0, 1))
    >>> sparse = fx.linearise_sparse(fx.Model(beam, fx.Clamp(beam.start)), [fx.PointForce(beam.end, (0, 1))], [tip])
    >>> sparse.zeros(count=4).imag.round(3).tolist()
    [-15.418, 15.418, -49.965, 49.965]
    """
    solved = isinstance(model, StaticSolution | TimeSolution)
    described = model.system.model if isinstance(model, StaticSolution | TimeSolution) else model
    described = described.model if isinstance(described, System) else described
    if not isinstance(described, Model):
        raise ModelError(f"linearise_sparse: expected a Model or a solution, not {model!r}.")
    chosen = find_inputs(described, inputs)
    if any(i.kind == "motion" for i in chosen):
        raise ModelError("linearise_sparse: prescribed motions are no inputs here; take loads or actuators.")
    off = tuple(i.number for i in chosen if i.kind == "load")
    if not solved and without_inputs(described, chosen) is not described:
        model = without_inputs(described, chosen)
    point = operating_point("linearise_sparse", model, () if solved else off)
    if point.seen_by is not None or point.lin.states.any():
        raise ModelError("linearise_sparse: it needs a state of rest and no first-order states; take linearise.")
    dyn, state, E = point.dyn, point.state, point.lin.directions
    forces = np.zeros((len(point.lin.free), len(chosen)))
    outside = [i for i in chosen if i.kind == "outside"]
    others = outside_columns(described, state, outside) if outside else forces
    for j, item in enumerate(chosen):
        if item.kind == "load":
            forces[:, j] = -(E.T @ load_column(dyn, state, item.number))
        elif item.kind == "outside":
            forces[:, j] = -(E.T @ others[:, item.number])
        else:
            forces[:, j] = -(E.T @ held_columns(dyn, state, [item.number]))[:, 0]
    sensors = () if is_list(outputs, 0) else as_sensors("linearise_sparse", outputs)
    rows = _Rows(point, sensors)
    return SparseLinearModel(
        point.motions(), forces, rows.of(0), rows.of(1), tuple(i.name for i in chosen), output_names(sensors),
        tuple(i.thing for i in chosen), output_sensors(sensors),
    )  # fmt: skip


class _Rows:
    """Rows of sensors by differences; sets of coordinates that they do not see are passed over together."""

    def __init__(self, point: OperatingPoint, sensors: Any) -> None:
        self.point, self.sensors = point, sensors
        self.n = len(point.lin.free)
        self.size = sum(s.size for s in sensors)
        sizes = point.dyn.system.increment_sizes[point.lin.free]
        self.weight = np.random.default_rng(1).uniform(0.5, 1.0, self.n) * sizes
        if not self.size:
            return
        for what in (2, 3):
            if np.any(self._change(np.arange(self._width(what)), what)):
                raise ModelError(
                    "linearise_sparse: an output depends on accelerations or reactions; take positions or rates, or "
                    "linearise."
                )

    def of(self, what: int) -> FloatArray:
        """Derivatives (n_y, n) by positions (0) or rates (1)."""
        out = np.zeros((self.size, self.n))
        stack = [np.arange(self.n)] if self.size else []
        while stack:
            places = stack.pop()
            change = self._change(places, what)
            if not np.any(change):
                continue
            if len(places) == 1:
                out[:, places[0]] = change
            else:
                half = len(places) // 2
                stack += [places[:half], places[half:]]
        out[np.abs(out) <= ROUND_OFF * np.abs(out).max(axis=1, initial=0.0)[:, None]] = 0.0
        return out / self.weight

    def _width(self, what: int) -> int:
        return self.point.dyn.n_c if what == 3 else self.n

    def _change(self, places: Any, what: int) -> FloatArray:
        """Directional derivative of all sensors along some coordinates with their weights."""
        if not len(places):
            return np.zeros(self.size)
        dyn, s = self.point.dyn, self.point.state
        step = np.zeros(self._width(what))
        step[places] = self.weight[places] if what < 3 else 1.0
        d = step if what == 3 else self.point.lin.directions @ step
        sides = []
        for h in (STEP, -STEP):
            state = [s.q, s.v, s.a, s.lam]
            state[what] = moved(dyn, s.q, h * d) if what == 0 else state[what] + h * d
            view = dyn.python.viewer.view(s.t, *state)
            sides.append(np.concatenate([np.atleast_1d(read_sensor(x, view)) for x in self.sensors]))
        return np.asarray((sides[0] - sides[1]) / (2.0 * STEP))
