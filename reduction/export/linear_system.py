r"""A reduced model as a system with inputs and outputs, in uncoupled modal coordinates.

.. math:: \ddot\eta + \Delta\dot\eta + \Omega^2\eta = B\,u, \qquad y = C\,[\eta;\ \dot\eta] + F\,u ,

with the mass-normalised modes :math:`\Phi` of the model in which the interfaces of ``fixed`` and ``driven`` are held,
:math:`q = \Phi\eta`. Inputs are forces and moments at the free interfaces and chosen places, and maybe modal forces;
outputs their displacements, rotations and velocities, maybe accelerations and stresses.

A **driven** interface turns this round: its displacement, velocity and acceleration are inputs, and the output is the
force it needs, the reaction that the surroundings must give. With b for driven and i for all other coordinates

.. math:: \ddot\eta + \Delta\dot\eta + \Omega^2\eta = \Phi^T (f_i - M_{ib}\ddot u - D_{ib}\dot u - K_{ib} u), \qquad
          r = M_{bb}\ddot u + D_{bb}\dot u + K_{bb} u + M_{bi}\ddot q_i + D_{bi}\dot q_i + K_{bi} q_i .
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import numpy as np
from scipy import linalg

from flexmbs.core.checks import as_array, as_count, as_flag, as_number, shape_of
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError, unknown_name
from flexmbs.linear.operators import rigid_motions
from flexmbs.reduction.export.exposed import Nodes, expose
from flexmbs.reduction.export.ports import Ports, Signal
from flexmbs.reduction.model import ReducedModel

__all__ = ["LinearSystem", "balanced", "modal_system", "state_space"]

COUPLED = 1e-12
"""Damping between two modes, relative to the largest, that is round-off."""
FREE, ALIKE = 1e-10, 1e-6
"""Of a rigid motion: its energy relative to the energies that cancel in it, and what is not rigid in its picture."""
NO_LOADS: Mapping[str, Any] = MappingProxyType({})
UNSTABLE = 1e-10
"""Squared frequencies below minus this part of the largest are no round-off."""


@dataclass(frozen=True, eq=False)
class LinearSystem:
    """A linear system that can be written as a functional mock-up unit (FMU).

    Attributes
    ----------
    name : str
    stiffness : (n,) array
        Squares of the angular frequencies of modes [1/time^2]; empty for a system of first order.
    damping : (n,) or (n, n) array
        A row where it couples no modes.
    A : (s, s) array or None
        Of a system of first order, dx/dt = A x + B u; None for modes.
    B : (n, n_u) or (s, n_u) array
    C : (n_y, 2 n) or (n_y, s) array
    F : (n_y, n_u) array
        Direct feed-through.
    offset : (n_y,) array
        Outputs at rest.
    inputs, outputs : tuple of Signal
    states : tuple of str
        Names of the modes, or of the states.
    losses : tuple of str
    blocks : tuple of int
        Sizes of the blocks on the diagonal of A, outside of which it is zero; by default one block; none for modes.
    """

    name: str
    stiffness: FloatArray
    damping: FloatArray
    A: FloatArray | None
    B: FloatArray
    C: FloatArray
    F: FloatArray
    offset: FloatArray
    inputs: tuple[Signal, ...]
    outputs: tuple[Signal, ...]
    states: tuple[str, ...]
    losses: tuple[str, ...] = ()
    blocks: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if self.A is not None and not self.blocks:
            object.__setattr__(self, "blocks", (len(self.A),))

    @property
    def n_states(self) -> int:
        """Number of states of first order."""
        return int(self.C.shape[1])

    @property
    def is_modal(self) -> bool:
        """Whether the states are modes that damping does not couple."""
        return self.A is None and self.damping.ndim == 1

    def diagonal_blocks(self) -> list[FloatArray]:
        """The blocks of A."""
        ends = np.cumsum(self.blocks).tolist()
        return [np.asarray(self.A)[e - n : e, e - n : e] for n, e in zip(self.blocks, ends, strict=True)]

    def states_in_words(self) -> tuple[str, ...]:
        """What each state is; rates of modes follow their coordinates."""
        if len(self.states) == self.n_states:
            return self.states
        return tuple(f"{s}, mass-normalised" for s in self.states) + tuple(f"rate of {s}" for s in self.states)

    def first_order(self) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """A, B, C, F of the states [eta, rates]."""
        if self.A is not None:
            return self.A, self.B, self.C, self.F
        n = len(self.stiffness)
        damping = np.diag(self.damping) if self.damping.ndim == 1 else self.damping
        A = np.block([[np.zeros((n, n)), np.eye(n)], [-np.diag(self.stiffness), -damping]])
        return A, np.vstack([np.zeros_like(self.B), self.B]), self.C, self.F


def modal_system(
    model: ReducedModel,
    fixed: str | Sequence[str] = (),
    driven: str | Sequence[str] = (),
    nodes: Nodes = (),
    modes: int | None = None,
    damping: Any = 0.0,
    accelerations: bool = False,
    modal_forces: bool = False,
    stresses: bool = False,
    interfaces: str | Sequence[str] | None = None,
    loads: Mapping[str, Any] = NO_LOADS,
) -> LinearSystem:
    """The system of a reduced model.

    Parameters
    ----------
    model : ReducedModel
    fixed : str or sequence of str, default ()
        Interfaces that are held.
    driven : str or sequence of str, default ()
        Interfaces whose motion is given and whose reaction is an output.
    nodes : str or sequence, default ()
        Further places for forces and displacements (`flexmbs.reduction.export.exposed.expose`). Of the nodes of an
        interface of kind "nodes", only the components it keeps are inputs and outputs, unless they are named here.
    modes : int, optional
        How many, from the lowest; all by default, with which nothing is left out.
    damping : float or (n,) array, default 0
        Modal damping ratios, added to the damping of the model.
    accelerations : bool, default False
        Whether accelerations of the places are outputs. They depend on forces at once, without integration.
    modal_forces : bool, default False
        Whether forces on the modes are inputs.
    stresses : bool, default False
        Whether the stresses that the model can tell are outputs.
    interfaces : str or sequence of str, optional
        Interfaces where forces act and motions are seen; by default all that are neither fixed nor driven.
    loads : mapping of str to (m,) array, optional
        Further inputs, each a factor of generalised forces, such as those of ``model.force(node, ...)``.

    Raises
    ------
    ModelError
        If an interface is unknown or both fixed and driven, nothing is free, or the model is unstable.
    """
    owner = f"system of {model.name!r}"
    places = expose(model, nodes)
    held, given = _interfaces(owner, model, fixed, driven)
    inner = np.setdiff1d(np.arange(model.size), np.concatenate([held, given]))
    values, vectors = _modes(owner, model, inner, modes)
    n = len(values)
    Phi = np.zeros((model.size, n))
    Phi[inner] = vectors
    D = np.zeros_like(model.K) if model.D is None else model.D
    viscosity = Phi.T @ D @ Phi + np.diag(2.0 * _ratios(owner, damping, n) * np.sqrt(values))
    viscosity = _uncoupled(0.5 * (viscosity + viscosity.T))

    ports = Ports(places, Phi)
    taken = {*held.tolist(), *given.tolist()}
    open_to = _open(owner, model, interfaces, taken)
    for k in range(len(places)):
        own = np.flatnonzero(places.place == k)
        driven_here = [int(np.flatnonzero(given == c)[0]) for c in own if c in given]
        if driven_here:
            ports.drive(k, places.component[own], driven_here)
        elif places.asked[k] or set(own.tolist()) & open_to:
            ports.load(k, places.held[k] if places.asked[k] else places.own[k], accelerations)
    for name, load in loads.items():
        forces = as_array(owner, f"loads[{name!r}]", load, (model.size,))
        ports.inputs.append((Signal(name, ("factor of the load",), "number"), (forces @ Phi)[:, None]))
    if as_flag(owner, "modal_forces", modal_forces):
        ports.inputs.append((Signal("modal_force", tuple(f"mode {i + 1}" for i in range(n)), "number"), np.eye(n)))
    if as_flag(owner, "stresses", stresses):
        ports.stress(model)
    if not ports.outputs:
        raise ModelError(f"{owner}: it has no free interface and no further place; there is nothing to see of it.")
    return _put_together(model, ports, values, viscosity, Phi, given, D)


def _put_together(
    model: ReducedModel, ports: Ports, values: FloatArray, viscosity: FloatArray, Phi: FloatArray, given: Any, D: Any
) -> LinearSystem:
    """B, C and F from what was collected."""
    n = len(values)
    driven = sum(len(which) for _, which, _ in ports.driven)
    # u, its rate and its acceleration (3, n_b, n_u) from the inputs
    motion = np.zeros((3, len(given), driven + sum(len(s) for s, _ in ports.inputs)))
    B = np.zeros((n, motion.shape[2]))
    column = 0
    for signal, which, order in ports.driven:
        motion[order, which, column + np.arange(len(signal))] = 1.0
        column += len(signal)
    for signal, modal in ports.inputs:
        B[:, column : column + len(signal)] = modal
        column += len(signal)
    matrices = (model.K, D, model.M)
    for A, moved in zip(matrices, motion, strict=True):
        B -= Phi.T @ A[:, given] @ moved
    dense = np.diag(viscosity) if viscosity.ndim == 1 else viscosity
    # displacement, rate and acceleration of the modes (n, 2 n) and (n, n_u), from states and inputs
    state = (np.eye(n, 2 * n), np.eye(n, 2 * n, n), np.hstack([-np.diag(values), -dense]))
    direct = (np.zeros_like(B), np.zeros_like(B), B)
    C, F = [], []
    orders = {"displacement": 0, "velocity": 1, "acceleration": 2}
    for _, kind, shape in ports.outputs:
        if kind == "reaction":
            rows = given[shape]
            C.append(sum(A[rows] @ Phi @ s for A, s in zip(matrices, state, strict=True)))
            F.append(
                sum(
                    A[rows] @ Phi @ d + A[np.ix_(rows, given)] @ m
                    for A, d, m in zip(matrices, direct, motion, strict=True)
                )
            )
        else:
            k = orders[kind]
            C.append(shape @ Phi @ state[k])
            F.append(shape @ Phi @ direct[k] + shape[:, given] @ motion[k])
    rows = np.vstack(F)
    return LinearSystem(
        model.name, values, viscosity, None, B, np.vstack(C), rows, np.zeros(len(rows)),
        tuple(s for s, _, _ in ports.driven) + tuple(s for s, _ in ports.inputs),
        tuple(s for s, _, _ in ports.outputs),
        tuple(f"mode {k + 1}" for k in range(n)),
        () if model.stiffening is None else ("geometric stiffening: the system is linear",),
    )  # fmt: skip


def state_space(name: str, linear: Any) -> LinearSystem:
    """The system of a `LinearModel`, such as a whole mechanism about its operating point.

    Outputs are those of the sensors, their values at the operating point included.
    """
    n, n_u = np.shape(linear.B)
    C = as_array(f"system of {name!r}", "C", linear.C, (None, n))
    return LinearSystem(
        name, np.zeros(0), np.zeros(0), np.asarray(linear.A, dtype=float), np.asarray(linear.B, dtype=float),
        C, as_array(f"system of {name!r}", "D", linear.D, (len(C), n_u)),
        np.asarray(linear.operating_outputs, dtype=float),
        tuple(Signal(text, (text,), "number") for text in linear.inputs),
        tuple(Signal(text, (text,), "number") for text in linear.outputs),
        tuple(linear.states),
    )  # fmt: skip


def balanced(system: LinearSystem) -> LinearSystem:
    """The system of first order, its states scaled by powers of two so that rows and columns of A are of like size."""
    A, B, C, F = system.first_order()
    even, (scale, _) = linalg.matrix_balance(A, permute=False, separate=True)
    words = tuple(f"{s}, times {1.0 / x:g}" for s, x in zip(system.states_in_words(), scale, strict=True))
    return replace(system, A=even, B=B / scale[:, None], C=C * scale, F=F, states=words)


def _open(owner: str, model: ReducedModel, interfaces: Any, taken: set[int]) -> set[int]:
    """Coordinates of interfaces where forces act."""
    names = [f.name for f in model.frames]
    if interfaces is None:
        return {int(c) for f in model.frames for c in f.coordinates} - taken
    wanted = [interfaces] if isinstance(interfaces, str) else list(interfaces)
    for name in wanted:
        if name not in names:
            raise ModelError(f"{owner}: {unknown_name('interface', name, names)}")
        if taken & set(model.frame(name).coordinates.tolist()):
            raise ModelError(f"{owner}: interface {name!r} is fixed or driven, so that no forces act there.")
    return {int(c) for name in wanted for c in model.frame(name).coordinates}


def _interfaces(owner: str, model: ReducedModel, fixed: Any, driven: Any) -> tuple[Any, Any]:
    """Coordinates that are held, and that are driven."""
    out = []
    names = [f.name for f in model.frames]
    both: list[str] = []
    for given in (fixed, driven):
        wanted = [given] if isinstance(given, str) else list(given)
        for name in wanted:
            if name not in names:
                raise ModelError(f"{owner}: {unknown_name('interface', name, names)}")
            if name in both:
                raise ModelError(f"{owner}: interface {name!r} is named twice among fixed and driven.")
            both.append(name)
        out.append(np.concatenate([np.empty(0, np.int64), *(model.frame(n).coordinates for n in wanted)]))
    return out[0], out[1]


def _modes(owner: str, model: ReducedModel, inner: Any, modes: int | None) -> tuple[FloatArray, FloatArray]:
    """Squared frequencies and mass-normalised shapes with the others held."""
    if not len(inner):
        raise ModelError(f"{owner}: nothing of it is free.")
    block = np.ix_(inner, inner)
    try:
        values, vectors = linalg.eigh(model.K[block], model.M[block])
    except linalg.LinAlgError:
        raise ModelError(f"{owner}: its mass matrix is not positive definite.") from None
    if values[0] < -UNSTABLE * values[-1]:
        raise ModelError(f"{owner}: its lowest squared frequency is {values[0]:.3g}; a stable part is needed.")
    kept = len(values) if modes is None else as_count(owner, "modes", modes, minimum=1)
    if kept > len(values):
        raise ModelError(f"{owner}: {kept} modes were asked for, but there are {len(values)}.")
    values, vectors = np.maximum(values[:kept], 0.0), vectors[:, :kept]
    return np.where(_is_rigid(model, inner, values, vectors), 0.0, values), vectors


def _is_rigid(model: ReducedModel, inner: Any, values: FloatArray, vectors: FloatArray) -> Any:
    """Which modes (k,) are rigid motions that nothing resists.

    What is left of their stiffness is round-off, and would bring a free part back to where it began.
    """
    size = np.abs(vectors)
    cancelling = np.einsum("ik,ik->k", size, np.abs(model.K[np.ix_(inner, inner)]) @ size)
    found = values <= FREE * cancelling
    if found.any():
        moved = np.asarray(model.shapes)[:, inner] @ vectors[:, found]
        R = rigid_motions(model.dofs, model.points, model.points.mean(axis=0))
        rest = moved - R @ np.linalg.lstsq(R, moved, rcond=None)[0]
        whole = np.linalg.norm(moved, axis=0)
        found[found] = (whole > 0.0) & (np.linalg.norm(rest, axis=0) <= ALIKE * whole)
    return found


def _ratios(owner: str, damping: Any, count: int) -> FloatArray:
    """A damping ratio for each mode."""
    if not shape_of(damping):
        return np.full(count, as_number(owner, "damping", damping, minimum=0.0))
    ratios = as_array(owner, "damping", damping, (count,))
    if (ratios < 0).any():
        raise ModelError(f"{owner}: damping ratios must not be negative.")
    return ratios


def _uncoupled(viscosity: FloatArray) -> FloatArray:
    """The diagonal alone, where there is nothing else but round-off."""
    diagonal = viscosity.diagonal()
    rest = np.abs(viscosity - np.diag(diagonal)).max(initial=0.0)
    return diagonal.copy() if rest <= COUPLED * np.abs(diagonal).max(initial=0.0) else viscosity
