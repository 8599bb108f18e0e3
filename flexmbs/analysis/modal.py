"""Natural frequencies and modes about the stress-free shape or about an equilibrium."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from scipy.linalg import LinAlgError, eig, eigh
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigs, eigsh

from flexmbs.analysis import rigidity
from flexmbs.core.checks import as_count, show
from flexmbs.core.contracts import Env, FloatArray
from flexmbs.core.errors import ConvergenceError, ModelError
from flexmbs.core.sparsity import Blocks
from flexmbs.model import Model
from flexmbs.results.modal import ModalSolution, OperatingState, roots_of
from flexmbs.results.static import StaticSolution
from flexmbs.results.time import TimeSolution
from flexmbs.system import Linearisation, System, compile_model

__all__ = ["solve_modal"]

DENSE = 200
"""Number of unknowns up to which all eigenvalues are computed by LAPACK."""
BALANCED = 1e-5
"""Residual, relative to the largest internal force (reactions included), up to which a state is an equilibrium."""
NOISE = 2e-14
"""The same relative to the sum of what cancels in the internal forces: a hundred times their round-off."""
SYMMETRIC = 1e-9
"""Asymmetry of the blocks of a load, relative to their largest entry, up to which it is round-off."""


def solve_modal(model: Model | System | StaticSolution | TimeSolution, modes: int | None = None) -> ModalSolution:
    r"""Lowest natural frequencies and modes, (K - omega^2 M) phi = 0.

    K is the exact tangent at the state, with everything that prestress, loads and reactions contribute.

    Parameters
    ----------
    model : Model, System, StaticSolution or TimeSolution
        A model or system of flexible bodies with supports: about its stress-free shape, without loads. One that can
        move: about its initial state, under its loads. A solution: about its last state, under the loads there.
    modes : int, optional
        How many; at most the number of unknowns. The default is 10, or all of a smaller model.

    Returns
    -------
    ModalSolution
        Of models that can move with damping, gyroscopic terms and first-order states the roots are complex.

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
    roots = roots_of(values)
    state = OperatingState(q, np.zeros(len(q)), np.zeros(0), env.t)
    found = ModalSolution(
        system=system, state=state, roots=roots, vectors=whole, state_vectors=whole * roots, conservative=conservative
    )
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
    if isinstance(model, StaticSolution):
        return bool(model.model.moves)
    return isinstance(model, TimeSolution)


def _state(model: object) -> tuple[System, FloatArray, Env, FloatArray]:
    """System, coordinates, load factors and frames that the modes are about."""
    if isinstance(model, StaticSolution):
        system = model.system
        env = Env(float(model.load_factors[-1]), np.array(model.scales[-1]))
        return system, np.array(model.q[-1]), env, system.fixation.frames(model.drives[-1])
    if not isinstance(model, Model | System):
        raise ModelError(f"solve_modal: expected a Model or a StaticSolution, not {show(model)}.")
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
