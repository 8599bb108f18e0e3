r"""Natural vibrations of linear structures, :math:`K\phi = \omega^2 M\phi`, free or held."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import linalg

from flexmbs.core.checks import as_count, show
from flexmbs.core.contracts import FloatArray
from flexmbs.core.eigen import EigenPairs, lowest_modes, negative_shift
from flexmbs.core.errors import ModelError, SingularError
from flexmbs.core.linsolve.definite import Definite
from flexmbs.linear.linear_modes import LinearModes
from flexmbs.linear.linear_solution import LinearSolution
from flexmbs.linear.operators import Operators
from flexmbs.linear.part import Part
from flexmbs.linear.prestress import geometric_stiffness
from flexmbs.linear.rigid import describe_motion, free_motions, scaled_motions, smooth_fields, unstressed_motions
from flexmbs.linear.structure import as_operators
from flexmbs.linear.supports import supports

__all__ = ["stressed_stiffness", "vibration_modes"]

ROUNDING = 100.0 * float(np.finfo(float).eps)
"""Share of |x|^T |K| |x|, all terms taken positive, up to which x^T K x is round-off."""
RAISED = 6
"""How often the shift is raised tenfold before a stiffness is given up as indefinite."""


def vibration_modes(
    structure: Part | Operators,
    count: int,
    fixed: Mapping[Any, Any] | None = None,
    prestress: LinearSolution | None = None,
) -> LinearModes:
    r"""The lowest natural frequencies and modes of a linear structure.

    Rigid motions that the supports leave free come first, with the frequency zero: they are known from the geometry
    (translations, then rotations about the centre of mass), and the elastic modes are sought among the shapes that are
    M-orthogonal to them. The others follow by shift-invert Lanczos with one Cholesky factorisation; up to 200 unknowns
    by LAPACK.

    In operators from a file with few digits the rigid motions are lost in the rounding. They then come out as modes
    with low frequencies, or zero where the eigenvalue is negative, and are not counted as rigid.

    A prestress may make modes of a structure unstable. Of one that is not held completely they come out first, with
    negative eigenvalues and frequencies, and are marked (``unstable``); one that is held is refused.

    Parameters
    ----------
    structure : Part or Operators
    count : int
        How many modes, rigid ones included.
    fixed : mapping, optional
        As in `static_response`; prescribed values must be zero. None: the structure is free.
    prestress : LinearSolution, optional
        A static solution of the same structure whose stresses stiffen or soften it (`geometric_stiffness`).

    Raises
    ------
    ModelError
        If more modes are asked for than there are free unknowns with mass, or something does not fit.
    SingularError
        If the structure is held, and unstable under the prestress.

    Warns
    -----
    RuntimeWarning
        If a structure that is not held is unstable under the prestress.

    Examples
    --------
    >>> import flexmbs as fx
    >>> lug = fx.linear.Part(fx.meshes.read_mesh(fx.meshes.sample("lug.inp")), material=fx.steel, name="lug")
    >>> modes = fx.linear.vibration_modes(lug, 8)
    >>> modes.n_rigid, modes.frequencies[:6].tolist()
    (6, [0.0, 0.0, 0.0, 0.0, 0.0, 0.0])
    """
    owner = "vibration_modes"
    count = as_count(owner, "count", count, minimum=1)
    operators = as_operators(owner, structure)
    held = supports(owner, operators, fixed)
    if np.any(held.values != 0.0):
        raise ModelError(f"{owner}: modes are motions about a state at rest; prescribed values in fixed must be zero.")
    K, M, f = stressed_stiffness(owner, operators, prestress), operators.M, held.free
    Kf, Mf = (K, M) if len(f) == operators.n else (K[f][:, f], M[f][:, f])
    motions = free_motions(operators, held.held)
    if prestress is not None:
        motions = unstressed_motions(operators, motions, K - operators.K)
    rigid = rigid_shapes(operators, motions)[f]
    r = rigid.shape[1]
    massive = int((Mf.diagonal() > 0).sum())
    if count > massive:
        raise ModelError(f"{owner}: {count} modes were asked for, but only {massive} free unknowns have mass.")
    elastic = _elastic(owner, operators, Kf, Mf, max(count - r, 0), rigid, f, prestress is not None)
    vectors = np.zeros((operators.n, count))
    vectors[f, : min(r, count)] = rigid[:, :count]
    vectors[f, r:] = elastic.vectors
    values = np.concatenate([np.zeros(min(r, count)), elastic.values])
    between = np.abs(abs(Kf) @ np.abs(rigid[:, :count])).max(axis=0, initial=0.0)
    left = np.abs(Kf @ rigid[:, :count]).max(axis=0, initial=0.0) / np.where(between > 0.0, between, 1.0)
    unstable = np.zeros(count, dtype=bool)
    if prestress is not None:
        size = np.abs(vectors[f])
        unstable = values < -ROUNDING * np.einsum("ij,ij->j", size, abs(Kf) @ size)
    if unstable.any():
        warnings.warn(
            f"{owner}: {int(unstable.sum())} modes are unstable under the prestress: they grow, and are "
            f"shown with negative frequencies. The stresses are beyond those of buckling, or belong to other supports.",
            RuntimeWarning,
            stacklevel=2,
        )
    return LinearModes(
        operators, held, values, vectors, np.concatenate([left, elastic.residuals]), min(r, count), unstable
    )


def stressed_stiffness(owner: str, operators: Operators, prestress: LinearSolution | None) -> Any:
    """The stiffness (n, n), that of the stresses of a static solution included.

    Raises
    ------
    ModelError
        If it is no static solution, or one of another structure.
    """
    if prestress is None:
        return operators.K
    if not isinstance(prestress, LinearSolution):
        raise ModelError(f"{owner}: prestress must be a LinearSolution of static_response, not {show(prestress)}.")
    if prestress.operators.n != operators.n:
        raise ModelError(
            f"{owner}: prestress has {prestress.operators.n} unknowns, the structure {operators.n}; solve the same one."
        )
    return (operators.K + geometric_stiffness(prestress)).tocsc()


def _elastic(
    owner: str, operators: Operators, K: Any, M: Any, count: int, rigid: FloatArray, free: Any, loaded: bool
) -> EigenPairs:
    """The elastic modes: without shift if the stiffness is definite, else with one below zero."""
    what = f"{owner}: the stiffness"
    if not rigid.shape[1]:
        try:
            return lowest_modes(K, M, count, Definite(K, what) if K.shape[0] else None, 0.0, what)
        except SingularError as error:
            if loaded:
                raise SingularError(
                    f"{owner}: the structure is unstable under the prestress (or free to move); see buckling_loads."
                ) from error
    # rotations of nodes follow half the curl in solids and membranes, the slope in plates and beams
    turns = (0.5, 1.0) if (operators.dofs.component >= 3).any() else (0.5,)
    shift = max(negative_shift(K, M, smooth_fields(operators, turn)[free], rigid) for turn in turns)
    for attempt in range(RAISED + 1):
        try:
            factor = Definite(K - shift * M, what)
            break
        except SingularError:
            # a matrix from a file with few digits is indefinite by its rounding, which a larger shift covers
            if attempt == RAISED:
                raise
            shift *= 10.0
    return lowest_modes(K, M, count, factor, shift, what, rigid=rigid)


def rigid_shapes(operators: Operators, motions: FloatArray) -> FloatArray:
    """M-orthonormal shapes (n, r) of combinations (6, r) of `scaled_motions`.

    Six motions are the translations and the rotations about the centre of mass along the principal axes of inertia.
    """
    V = scaled_motions(operators) @ motions
    if not V.shape[1]:
        return V
    mass = V.T @ (operators.M @ V)
    moving = np.abs(motions[3:]).max(axis=0, initial=0.0) == 0.0
    n_t = int(moving.sum())
    if n_t:  # rotations become those about the centre of mass
        V[:, n_t:] -= V[:, :n_t] @ np.linalg.solve(mass[:n_t, :n_t], mass[:n_t, n_t:])
        mass = V.T @ (operators.M @ V)
    out = np.empty_like(V)
    for part in (slice(0, n_t), slice(n_t, None)):
        values, turn = linalg.eigh(mass[part, part])
        if not (values > 1e-12 * np.abs(mass).max()).all():
            idle = describe_motion(operators, motions[:, part] @ turn[:, int(np.argmin(values))])
            raise SingularError(
                f"vibration_modes: the structure {idle}, which nothing holds and moves no mass. Hold it in `fixed`, or "
                f"give the structure inertia about it (rhoI_y and rhoI_z of a BeamStiffness, a NodalMass)."
            )
        out[:, part] = V[:, part] @ (turn / np.sqrt(values))
    out -= out @ (0.5 * (out.T @ (operators.M @ out) - np.eye(out.shape[1])))  # round-off of the first pass
    return out
