"""Natural frequencies and modes about the stress-free shape or about an equilibrium."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.linalg import LinAlgError, eig, eigh
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigs, eigsh

from flexmbs.analysis import rigidity
from flexmbs.body import Attachment, FlexibleBody
from flexmbs.core.checks import as_count, show
from flexmbs.core.contracts import Env, FloatArray
from flexmbs.core.errors import ConvergenceError, ModelError
from flexmbs.core.sparsity import Blocks
from flexmbs.model import Model
from flexmbs.solution import Solution
from flexmbs.system import Linearisation, System, compile_model
from flexmbs.time_solution import TimeSolution

if TYPE_CHECKING:
    from os import PathLike
    from pathlib import Path

    from matplotlib.axes import Axes

__all__ = ["Modes", "solve_modal"]

DENSE = 200
"""Number of unknowns up to which all eigenvalues are computed by LAPACK."""
BALANCED = 1e-5
"""Residual, relative to the largest internal force (reactions included), up to which a state is an equilibrium."""
NOISE = 2e-14
"""The same relative to the sum of what cancels in the internal forces: a hundred times their round-off."""
SYMMETRIC = 1e-9
"""Asymmetry of the blocks of a load, relative to their largest entry, up to which it is round-off."""


@dataclass(frozen=True, eq=False, repr=False)
class Modes:
    r"""Natural frequencies and mode shapes of a model about a state.

    Attributes
    ----------
    angular_frequencies : (m,) array
        omega [rad/time], ascending. Rigid motions have zero; a mode that grows without vibrating has the negative
        square root of -omega^2, so that it cannot be overlooked; one that flutters has the real part of omega.
    vectors : (n_q, m) array
        Over all coordinates, of unit modal mass.
    eigenvalues : (m,) array
        omega^2; complex if the loads are not conservative (`conservative` False) and the modes flutter.
    """

    system: System
    q: FloatArray
    eigenvalues: Any
    vectors: Any
    conservative: bool

    @property
    def angular_frequencies(self) -> FloatArray:
        """omega [rad/time]; negative for an unstable mode (see the class)."""
        values = np.asarray(self.eigenvalues, dtype=complex)
        waves = np.abs(values.imag) > 1e-10 * np.abs(values)
        still = np.sign(values.real) * np.sqrt(np.abs(values.real))
        return np.asarray(np.where(waves, np.sqrt(values).real, still))

    @property
    def frequencies(self) -> FloatArray:
        """omega / (2 pi) [1/time]."""
        return self.angular_frequencies / (2.0 * np.pi)

    @property
    def damping_ratios(self) -> FloatArray:
        """-Re s / |s| of the motion e^(s t): 0 of an undamped mode, -1 of one that grows without vibrating."""
        s = 1j * np.sqrt(np.asarray(self.eigenvalues, dtype=complex))
        size = np.abs(s)
        ratio = -s.real / np.where(size > 0.0, size, 1.0)
        return np.asarray(np.where(np.abs(s.imag) > 1e-10 * size, ratio, -np.sign(size)))

    @property
    def model(self) -> Model:
        """The model they belong to."""
        return self.system.model

    def __len__(self) -> int:
        return len(self.eigenvalues)

    def __repr__(self) -> str:
        first = ", ".join(f"{f:.5g}" for f in self.frequencies[:6]) + (" ..." if len(self) > 6 else "")
        unit = "Hz" if self.model.units.time == "s" else self.model.units.of("frequency")
        return f"<{len(self)} modes of model {self.model.name!r}: {first} {unit}>"

    def shape(self, body: FlexibleBody, mode: int, amplitude: float, points: int = 9) -> FloatArray:
        """Points (n_e, points, dim) along every element, displaced by ``amplitude`` times a mode of unit modal mass.

        Of a surface (n_e, points^2, 3), a grid on every element.
        """
        self._check(mode)
        group = self.system.group(body)
        q = self.q + amplitude * np.real(self.vectors[:, mode])
        return body.element.positions(group, q, body.natural(points))

    def displacement(self, at: Attachment, mode: int) -> FloatArray:
        """Components (dim,) or (n, dim) of a mode of unit modal mass at nodes."""
        self._check(mode)
        dofs = self.system.coordinates.dofs(at)[:, list(at.body.element.layout.position)]
        values = self.vectors[dofs, mode]
        return np.asarray(values[0] if len(values) == 1 else values)

    def plot(self, mode: int = 0, ax: Axes | None = None) -> Axes:
        """Draw a mode over the state it belongs to."""
        from flexmbs.output.plots import plot_mode

        return plot_mode(self, mode, ax)

    def to_paraview(self, path: str | PathLike[str]) -> Path:
        """Write an XDMF series for ParaView, a mode at a time."""
        from flexmbs.output.paraview import write_modes

        return write_modes(self, path)

    def save(self, path: str | PathLike[str]) -> Path:
        """Write to an HDF5 file that `flexmbs.load` reads."""
        from flexmbs.output.store import save

        return save(self, path)

    def _check(self, mode: int) -> None:
        if isinstance(mode, bool) or not isinstance(mode, int | np.integer) or not 0 <= mode < len(self):
            raise ModelError(f"there is no mode {show(mode)}; modes are numbered 0 to {len(self) - 1}.")


def solve_modal(model: Model | System | Solution | TimeSolution, modes: int | None = None) -> Modes:
    r"""Lowest natural frequencies and modes, (K - omega^2 M) phi = 0.

    K is the exact tangent at the state, with everything that prestress, loads and reactions contribute.

    Parameters
    ----------
    model : Model, System, Solution or TimeSolution
        A model or system of flexible bodies with supports: about its stress-free shape, without loads. One that can
        move: about its initial state, under its loads. A solution: about its last state, under the loads there.
    modes : int, optional
        How many; at most the number of unknowns. The default is 10, or all of a smaller model.

    Returns
    -------
    Modes or ConstrainedModes
        The latter, which is a kind of the former, for models that can move: with damping, gyroscopic terms and
        first-order states its roots are complex.

    Raises
    ------
    ModelError
        If the state is not an equilibrium (for example a solution that stopped half way is one; a model with a
        prestress at s = 0 is not), or more modes are asked for than there are.
    ConvergenceError
        If Lanczos' method does not converge.

    Notes
    -----
    Up to 200 unknowns LAPACK; above, Lanczos' method with K + sigma M factorised once (band LU or CHOLMOD); sigma is
    positive for bodies that can move freely. A matrix K that is not symmetric because loads follow the structure is
    kept so; the modes may then be complex.

    Examples
    --------
    >>> import flexmbs as fx
    >>> beam = fx.FlexibleBody.line((0, 0), (1, 0), elements=16, element=fx.elements.PlanarCable(),
    ...                             stiffness=fx.BeamStiffness(EA=1e6, EI_z=1.0, mass_per_length=1.0))
    >>> modes = fx.solve_modal(fx.Model(beam, fx.Pin(beam.start), fx.Pin(beam.end)), modes=2)
    >>> modes.angular_frequencies.round(3).tolist()
    [9.87, 39.479]

    A pendulum, omega^2 = m g l / J:

    >>> bar = fx.PlanarRigidBody(2.0, 0.1, position=(0.0, -0.5), name="bar")
    >>> hinge = fx.Revolute(fx.ground, bar, at=(0, 0), name="hinge")
    >>> swing = fx.solve_modal(fx.Model(bar, hinge, fx.Gravity((0, -9.81))))
    >>> bool(abs(swing.eigenvalues[0] - 2.0 * 9.81 * 0.5 / 0.6) < 1e-9)
    True
    """
    if _moves(model):
        from flexmbs.analysis.constrained_modes import solve_constrained_modes

        return solve_constrained_modes(model, modes)
    system, q, env, frames = _state(model)
    modes = min(10, system.n) if modes is None else as_count("solve_modal", "modes", modes, minimum=1)
    if modes > system.n:
        raise ModelError(f"solve_modal: {modes} modes of a model with {system.n} unknowns; ask for fewer.")
    _check_equilibrium(system, q, env, frames)
    lin = system.linearise(q, env, frames)
    K, M = lin.matrix(lin.K), lin.matrix(lin.M)
    conservative = _is_conservative(system, q, env)
    sigma = _shift(system, lin)
    if system.n <= DENSE or modes > system.n // 2:
        values, vectors = _dense(K.toarray(), M.toarray(), conservative, modes, sigma)
    else:
        values, vectors = _lanczos(system, lin, conservative, modes, sigma)
    whole = np.zeros((system.coordinates.n, modes), dtype=vectors.dtype)
    for j in range(modes):
        column = np.zeros(system.coordinates.n, dtype=vectors.dtype)
        column[system.free] = vectors[:, j]
        whole[:, j] = system.fixation.from_frames(column, frames)
    found = Modes(system, q, values, whole, conservative)
    diagonal, mass = K.diagonal(), M.diagonal()
    noise = NOISE * float(np.max(np.abs(diagonal[mass > 0.0]) / mass[mass > 0.0], initial=0.0))
    noise = max(noise, 1e-8 * float(np.abs(values).max()))
    growing, fluttering = int((np.real(values) < -noise).sum()), int((np.abs(np.imag(values)) > 100.0 * noise).sum())
    if growing or fluttering:
        warnings.warn(
            f"Model {system.model.name!r}: {growing} modes are unstable and {fluttering} flutter: the state is not a "
            f"stable equilibrium.",
            RuntimeWarning,
            stacklevel=2,
        )
    return found


def _moves(model: object) -> bool:
    """Whether there is anything beyond flexible bodies with supports, or motion."""
    if isinstance(model, Model):
        return model.moves
    if isinstance(model, System):
        return model.model.moves
    return isinstance(model, TimeSolution)


def _state(model: object) -> tuple[System, FloatArray, Env, FloatArray]:
    """System, coordinates, load factors and frames that the modes are about."""
    if isinstance(model, Solution):
        system = model.system
        env = Env(float(model.parameters[-1]), np.array(model.scales[-1]))
        return system, np.array(model.q[-1]), env, system.fixation.frames(model.drives[-1])
    if not isinstance(model, Model | System):
        raise ModelError(f"solve_modal: expected a Model or a Solution, not {show(model)}.")
    system = model if isinstance(model, System) else compile_model(model)
    drives = np.zeros(len(system.fixation.drives))
    env = Env(0.0, np.zeros(len(system.model.loads)))
    return system, system.coordinates.reference.copy(), env, system.fixation.frames(drives)


def _check_equilibrium(system: System, q: FloatArray, env: Env, frames: FloatArray) -> None:
    """Refuse a state in which forces do not balance."""
    r = system.fixation.to_frames(system.tangent(q, env), frames)[system.free]
    floor = NOISE * float(system.magnitude(q).max(initial=0.0))
    internal = system.residual(q, env._replace(scale=np.zeros_like(env.scale)))
    if np.abs(r).max(initial=0.0) > BALANCED * float(np.abs(internal).max(initial=0.0)) + floor:
        worst = int(np.argmax(np.abs(r)))
        raise ModelError(
            f"Model {system.model.name!r}: the state is not an equilibrium: the force on "
            f"{system.coordinates.describe(int(system.free[worst]))} is {r[worst]:.3g}. Take the modes of a converged "
            f"static solution."
        )


def _is_conservative(system: System, q: FloatArray, env: Env) -> bool:
    """Whether no load makes K unsymmetric; judged by those loads alone, since K dwarfs them on slender beams."""
    system.tangent(q, env)
    for term in system.terms:
        if term.tangent is not None and not term.symmetric:
            n, k = term.group.dofs.shape
            B = system.work_blocks(Blocks(term.group.dofs, term.group.b1)).reshape(n, k, k)
            if np.abs(B - B.transpose(0, 2, 1)).max(initial=0.0) > SYMMETRIC * np.abs(B).max(initial=0.0):
                return False
    return True


def _dense(K: FloatArray, M: FloatArray, conservative: bool, modes: int, sigma: float) -> tuple[Any, Any]:
    """All by LAPACK; M phi = mu (K - sigma M) phi keeps the digits of the lowest modes of a definite matrix."""
    if not conservative:
        values, vectors = eig(K, M)
        return _sorted_modes(values, vectors, M, modes)
    K, n = 0.5 * (K + K.T), len(K)
    try:
        mu, vectors = eigh(M, K - sigma * M, subset_by_index=(n - modes, n - 1))
    except LinAlgError:
        values, vectors = eigh(K, M, subset_by_index=(0, modes - 1))
        return values, vectors
    values, vectors = sigma + 1.0 / mu[::-1], vectors[:, ::-1]
    return values, vectors / np.sqrt(np.einsum("ij,ij->j", vectors, M @ vectors))


def _sorted_modes(values: Any, vectors: Any, M: Any, modes: int) -> tuple[Any, Any]:
    """Lowest complex modes, scaled to unit modal mass."""
    order = np.argsort(np.real(values))[:modes]
    values, vectors = values[order], vectors[:, order]
    mass = np.sqrt(np.real(np.einsum("ij,ij->j", vectors.conj(), M @ vectors)))
    if np.abs(np.imag(values)).max() <= 1e-10 * np.abs(values).max():
        values, vectors = np.real(values), np.real(vectors)
    return values, vectors / mass


def _shift(system: System, lin: Linearisation) -> float:
    """Zero where supports hold the model; where it can move, below zero by a little of the first elastic omega^2.

    min K_ii / M_ii is of the size of bending waves as long as an element, (n / 1)^4 times that of the whole body; the
    shift must also stand out of the round-off of K.
    """
    return -_scale(system, lin) if rigidity.is_loose(system) else 0.0


def _scale(system: System, lin: Linearisation) -> float:
    """A little of the first elastic omega^2; see `_shift`."""
    K, M = lin.matrix(lin.K).diagonal(), lin.matrix(lin.M).diagonal()
    longest = max(len(b.cells) for b in system.coordinates.bodies)
    ratio = K[M > 0.0] / M[M > 0.0]
    return float(np.abs(ratio).min()) * max(1e-3 / longest**4, 1e-12)


def _lanczos(system: System, lin: Linearisation, conservative: bool, modes: int, sigma: float) -> tuple[Any, Any]:
    """Shift-invert with K - sigma M factorised once."""
    M = lin.matrix(lin.M)
    columns = np.repeat(np.arange(system.n), np.diff(lin.pattern.indptr))
    slot = system.solver.slots(lin.pattern.indices, columns)
    for attempt in range(60):
        system.solver.data[:] = 0.0
        np.add.at(system.solver.data, slot, lin.K - sigma * lin.M)
        system.solver.refactor()
        # The modes nearest to sigma are the lowest only where all lie above it.
        if not (conservative and system.symmetric) or system.solver.is_positive_definite():
            break
        sigma = -_scale(system, lin) * 4.0**attempt
    solve = LinearOperator((system.n, system.n), matvec=system.solver.solve, dtype=np.float64)
    find = eigsh if conservative else eigs
    start = np.random.default_rng(0).standard_normal(system.n)
    try:
        values, vectors = find(lin.matrix(lin.K), k=modes, M=M, sigma=sigma, OPinv=solve, v0=start, which="LM")
    except ArpackNoConvergence as error:
        raise ConvergenceError(
            f"Model {system.model.name!r}: Lanczos' method found {len(error.eigenvalues)} of {modes} modes; ask for "
            f"fewer."
        ) from None
    if not conservative:
        return _sorted_modes(values, vectors, M, modes)
    order = np.argsort(values)
    return values[order], vectors[:, order]
