r"""Harmonic response of full and reduced linear models.

For forces :math:`f e^{i\omega t}` the steady motion is :math:`u e^{i\omega t}` with

.. math:: \left(K - \omega^2 M + i\omega D + i\eta K\right) u = f .

Full operators: one sparse factorisation per frequency, complex with damping and real without (SuperLU, in an order by
nested dissection that is found once), so the cost is that of a factorisation times the number of frequencies. Reduced
models: one dense solution of their small order per frequency.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import linalg, sparse
from scipy.sparse.linalg import splu

from flexmbs.core.checks import as_array, as_count, show
from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.errors import ModelError, SingularError
from flexmbs.core.linsolve.order import sparse_order
from flexmbs.elements.linear.contract import COMPONENTS
from flexmbs.linear.damping import ModalDamping, ProportionalDamping, StructuralDamping, as_damping
from flexmbs.linear.frequency_response import FrequencyResponse
from flexmbs.linear.loads import LinearLoad, load_vector
from flexmbs.linear.modally_damped import DampedModes, solve_modally_damped
from flexmbs.linear.operators import Operators
from flexmbs.linear.part import Part
from flexmbs.linear.statics import refuse_free_motions
from flexmbs.linear.structure import as_operators
from flexmbs.linear.supports import Supports, nodes_at, supports

__all__ = ["harmonic_response"]


LOST = 1e-12
"""Lowest eigenvalue of a stiffness with a unit diagonal at which a model counts as free."""


FOREIGN = 1e-3
"""What a mode may leave of its equation, over its size."""
LARGE = 2_000
"""Order above which nested dissection pays."""

PIVOT = 0.01
"""A pivot off the diagonal is taken only where that on it is this much smaller, which keeps the order."""


class Pencil(NamedTuple):
    """(1 + i loss) K - omega^2 M + i omega (D + B diag(c) B^T) of the free unknowns, and an order of them.

    B and c are those of the modes, if the damping is modal.
    """

    K: Any
    M: Any
    D: Any
    loss: float
    modes: DampedModes | None
    order: IntArray | None


def harmonic_response(
    model: Any,
    frequencies: Any,
    forces: Any,
    outputs: Any,
    damping: StructuralDamping | ProportionalDamping | ModalDamping | None = None,
    fixed: Mapping[Any, Any] | None = None,
) -> FrequencyResponse:
    r"""Complex amplitudes of a linear model under harmonic forces.

    Parameters
    ----------
    model : Part, Operators, or any object with attributes K, M and D
        Full or reduced; D may be None and is always part of the damping.
    frequencies : (n_w,) array
        In cycles per time, Hz where the time is in seconds; not negative.
    forces : mapping of str to load, load, or array (n,) or (n, n_in)
        Loads need operators. Each entry of a mapping, and each column, is one input.
    outputs : sequence of (place, component) pairs, of int, or array (n_out, n)
        Such as ``[("TIP", "uz")]`` (operators; the mean over the nodes of a set), numbers of unknowns, or rows that are
        multiplied with the unknowns.
    damping : StructuralDamping, ProportionalDamping or ModalDamping, optional
        Beside D.
    fixed : mapping, optional
        Supports of operators as in `static_response`, at zero.

    Returns
    -------
    FrequencyResponse
        With ``values (n_w, n_out, n_in)``: displacement (or rotation) per unit of the input.

    Raises
    ------
    ModelError
        If something does not fit the model.
    SingularError
        If a frequency is an undamped resonance, or zero for a free structure.

    Examples
    --------
    >>> import types
    >>> oscillator = types.SimpleNamespace(K=np.array([[4.0]]), M=np.array([[1.0]]), D=np.array([[0.1]]))
    >>> response = harmonic_response(oscillator, [2.0 / (2.0 * np.pi)], np.array([1.0]), [0])
    >>> complex(response.values[0, 0, 0].round(12))
    -5j
    """
    owner = "harmonic_response"
    frequencies = as_array(owner, "frequencies", frequencies, (None,), unit="1/time")
    if not len(frequencies) or frequencies.min() < 0.0:
        raise ModelError(f"{owner}: frequencies must be one or more numbers that are not negative.")
    damping = as_damping(owner, damping)
    if isinstance(model, Part | Operators):
        operators = as_operators(owner, model)
        held = supports(owner, operators, fixed)
        if np.any(held.values != 0.0):
            raise ModelError(f"{owner}: prescribed values in fixed must be zero.")
        free, n = held.free, operators.n
        K, M, D = operators.K, operators.M, operators.D
    else:
        operators, held = None, None
        K, M, D = _matrices(owner, model)
        if fixed is not None:
            raise ModelError(f"{owner}: fixed is for parts and operators; reduce with the supports in place.")
        n = K.shape[0]
        free = np.arange(n)
    names_in, f = _inputs(owner, operators, forces, n)
    names_out, C = _outputs(owner, operators, outputs, n)
    pencil = _pencil(owner, K, M, D, damping, free)
    if frequencies.min() == 0.0:
        _refuse_free(owner, operators, held, pencil.K)
    omega = 2.0 * np.pi * frequencies
    values = np.empty((len(omega), C.shape[0], f.shape[1]), dtype=np.complex128)
    right, rows = f[free], C[:, free]
    for i, w in enumerate(omega):
        values[i] = rows @ _solve(owner, pencil, float(w), right)
    return FrequencyResponse(frequencies, values, names_out, names_in)


def _matrices(owner: str, model: Any) -> tuple[Any, Any, Any]:
    """K, M and D of a reduced model."""
    if isinstance(model, type) or any(not hasattr(model, name) for name in ("K", "M")):
        raise ModelError(f"{owner}: model must be a Part, Operators or an object with K, M and D, not {show(model)}.")
    found: list[Any] = []
    for name in ("K", "M", "D"):
        matrix = getattr(model, name, None)
        if matrix is None:
            found.append(None)
        elif sparse.issparse(matrix):
            found.append(sparse.csc_matrix(matrix))
        else:
            found.append(as_array(owner, name, matrix, (None, None)))
    K, M, D = found
    if K is None or M is None or any(m is not None and m.shape != (K.shape[0], K.shape[0]) for m in found):
        raise ModelError(f"{owner}: K, M and D must be square and of one size.")
    return K, M, D


def _inputs(owner: str, operators: Operators | None, forces: Any, n: int) -> tuple[tuple[str, ...], FloatArray]:
    """Names and columns (n, n_in) of the forces."""
    if isinstance(forces, np.ndarray) or sparse.issparse(forces):
        given = forces.toarray() if sparse.issparse(forces) else forces
        array = as_array(owner, "forces", given if given.ndim == 2 else given[:, None], (n, None))
        return tuple(f"input {i}" for i in range(array.shape[1])), array
    cases: Mapping[str, LinearLoad | Any] = forces if isinstance(forces, Mapping) else {"load": forces}
    if not cases:
        raise ModelError(f"{owner}: there is no force.")
    columns = []
    for load in cases.values():
        if operators is not None:
            columns.append(load_vector(owner, operators, load))
        elif isinstance(load, np.ndarray):
            columns.append(as_array(owner, "a force", load, (n,)))
        else:
            raise ModelError(f"{owner}: forces on a reduced model are arrays ({n},) or ({n}, any), not {show(load)}.")
    return tuple(str(name) for name in cases), np.column_stack(columns)


def _outputs(owner: str, operators: Operators | None, outputs: Any, n: int) -> tuple[tuple[str, ...], FloatArray]:
    """Names and rows (n_out, n) of what is asked for."""
    if isinstance(outputs, np.ndarray) and outputs.ndim == 2 and outputs.dtype.kind == "f":
        rows = as_array(owner, "outputs", outputs, (None, n))
        return tuple(f"output {i}" for i in range(len(rows))), rows
    if not isinstance(outputs, Sequence | np.ndarray) or isinstance(outputs, str) or not len(outputs):
        raise ModelError(f"{owner}: outputs must be a list such as [('TIP', 'uz')] or [12], not {show(outputs)}.")
    names, found = [], []
    for output in outputs:
        row = np.zeros(n)
        if isinstance(output, tuple):
            names.append(f"{output[0]} {output[1]}" if len(output) == 2 else show(output))
            if operators is None:
                raise ModelError(f"{owner}: outputs of a reduced model are numbers of coordinates or rows (any, {n}).")
            row = _measured(owner, operators, output)
        else:
            i = as_count(owner, "an output", output)
            if i >= n:
                raise ModelError(f"{owner}: there is no unknown {i}; there are {n}, counted from 0.")
            row[i] = 1.0
            names.append(operators.dofs.name(i) if operators is not None else f"coordinate {i}")
        found.append(row)
    return tuple(names), np.vstack(found)


def _measured(owner: str, operators: Operators, output: tuple[Any, ...]) -> FloatArray:
    """Row (n,) of the mean of a component over the nodes of a place."""
    if len(output) != 2 or output[1] not in COMPONENTS:
        raise ModelError(f"{owner}: an output must be (place, one of {', '.join(COMPONENTS)}), not {show(output)}.")
    everything = operators.all_dofs
    assert everything is not None  # noqa: S101  # set on construction
    nodes = nodes_at(f"{owner}: output {output[0]!r}", operators, output[0])
    dofs = everything.of(nodes, COMPONENTS.index(output[1]))
    if len(dofs) != len(nodes):
        raise ModelError(f"{owner}: not all nodes of output {output[0]!r} have {output[1]}.")
    row = np.zeros(len(everything))
    row[dofs] = 1.0 / len(dofs)
    return row if operators.expansion is None else np.asarray(operators.expansion.T @ row)


def _pencil(owner: str, K: Any, M: Any, D: Any, damping: Any, free: IntArray) -> Pencil:
    """The matrices of the free unknowns, with damping in its place."""

    def part(A: Any) -> Any:
        return None if A is None else A[free][:, free]

    Kf, Mf, Df = part(K), part(M), part(D)
    loss, modes = 0.0, None
    if isinstance(damping, StructuralDamping):
        loss = damping.loss_factor
    elif isinstance(damping, ProportionalDamping):
        both = damping.mass * Mf + damping.stiffness * Kf
        Df = both if Df is None else Df + both
    elif isinstance(damping, ModalDamping):
        if damping.modes is not None:
            vectors, w = damping.modes.vectors, damping.modes.angular_frequencies
            if vectors.shape[0] != K.shape[0]:
                raise ModelError(f"{owner}: the modes have {vectors.shape[0]} unknowns, the model {K.shape[0]}.")
            _refuse_foreign(owner, vectors, w, Kf, Mf, free)
            vectors = vectors[free]
        elif sparse.issparse(K):
            raise ModelError(f"{owner}: modal damping of a full model needs its modes: ModalDamping(ratio, modes).")
        else:
            squares, vectors = linalg.eigh(Kf, Mf)
            w = np.sqrt(np.maximum(squares, 0.0))
        modes = DampedModes(vectors, w, np.asarray(Mf @ vectors), damping.factors(w))
    order = None
    if sparse.issparse(Kf) and Kf.shape[0] > LARGE:
        order = sparse_order(sum((abs(A) for A in (Mf, Df) if A is not None), abs(Kf)).tocsc())
    return Pencil(Kf, Mf, Df, loss, modes, order)


def _refuse_foreign(owner: str, vectors: FloatArray, w: FloatArray, Kf: Any, Mf: Any, free: IntArray) -> None:
    """Modes of other operators or supports would damp another motion."""
    held, x = np.delete(vectors, free, axis=0), vectors[free]
    stiff, inert = Kf @ x, Mf @ x
    size = np.linalg.norm(stiff, axis=0) + w**2 * np.linalg.norm(inert, axis=0)
    size = size + FOREIGN * np.linalg.norm(abs(Kf) @ abs(x), axis=0)  # of rigid motions
    off = np.linalg.norm(stiff - w**2 * inert, axis=0) > FOREIGN * size
    off |= np.abs(np.einsum("ij,ij->j", x, inert) - 1.0) > FOREIGN
    off |= np.abs(held).max(axis=0, initial=0.0) > FOREIGN * np.abs(x).max(axis=0, initial=0.0)
    if off.any():
        raise ModelError(
            f"{owner}: mode {int(off.argmax()) + 1} of ModalDamping is none of these operators with these supports; "
            f"give the modes that vibration_modes finds with the same `fixed` (and prestress)."
        )


def _factorised(A: Any, order: IntArray | None) -> Callable[[FloatArray], Any]:
    """Solutions of a symmetric system, real or complex, by factors in a given order or that of minimum degree."""
    if order is None:
        lu = splu(A, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=PIVOT)
        return lambda b: lu.solve(np.asfortranarray(b.astype(A.dtype)))
    lu = splu(
        A[order][:, order].tocsc(), permc_spec="NATURAL", diag_pivot_thresh=PIVOT, options={"SymmetricMode": True}
    )

    def solve(b: FloatArray) -> Any:
        x = np.empty(b.shape, dtype=A.dtype)
        x[order] = lu.solve(np.asfortranarray(b[order].astype(A.dtype)))
        return x

    return solve


def _refuse_free(owner: str, operators: Operators | None, held: Supports | None, K: Any) -> None:
    """At zero frequency a model must be held; round-off hides it from a factorisation."""
    if operators is not None and held is not None:
        refuse_free_motions(owner, operators, held)
        return
    A = K.toarray() if sparse.issparse(K) else K
    size = np.sqrt(np.abs(A.diagonal()))
    scaled = A / np.outer(np.where(size > 0.0, size, 1.0), np.where(size > 0.0, size, 1.0))
    if not np.linalg.eigvalsh(scaled)[0] > LOST:
        raise SingularError(f"{owner}: at zero frequency the model is free to move; leave this frequency out.")


def _solve(owner: str, p: Pencil, w: float, right: FloatArray) -> Any:
    """Amplitudes (n_f, n_in) at one angular frequency."""
    damped = p.loss > 0.0 or (p.D is not None and w > 0.0)
    A = p.K - w**2 * p.M
    if damped:
        A = A * (1.0 + 0.0j) + 1j * p.loss * p.K
        if p.D is not None:
            A = A + 1j * w * p.D
    dense = not sparse.issparse(A)
    modal = p.modes if w > 0.0 else None
    try:
        if dense:
            if modal is not None:
                A = A + 1j * w * (modal.B * modal.c) @ modal.B.T
            u = np.linalg.solve(A, right.astype(A.dtype))
        elif modal is not None:
            size = np.abs(p.K.diagonal())
            u = solve_modally_damped(A, size, modal, w, right, lambda base: _factorised(base, p.order))
        else:
            u = _factorised(sparse.csc_matrix(A), p.order)(right)
    except (RuntimeError, np.linalg.LinAlgError):
        u = None
    if u is None or not np.isfinite(u).all():
        raise SingularError(
            f"{owner}: at {w / (2.0 * np.pi):g} 1/time the dynamic stiffness is singular: an undamped resonance, or a "
            "structure that nothing holds at zero frequency. Add damping, or leave this frequency out."
        )
    return u
