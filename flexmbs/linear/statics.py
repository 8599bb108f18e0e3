r"""Static response of linear structures: :math:`K u = f` with held unknowns, many load cases by one factorisation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, overload

import numpy as np

from flexmbs.core.checks import as_name
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError, SingularError
from flexmbs.core.linsolve.definite import Definite
from flexmbs.linear.body_loads import ThermalLoad
from flexmbs.linear.linear_solution import BodyForce, LinearSolution
from flexmbs.linear.loads import LinearLoad, load_vector
from flexmbs.linear.operators import Operators
from flexmbs.linear.part import Part
from flexmbs.linear.rigid import describe_motion, free_motions
from flexmbs.linear.structure import as_operators
from flexmbs.linear.supports import Supports, supports

__all__ = ["static_response"]

LOOSE = 1e-5
"""Force of a rigid motion below which it is named when a factorisation fails: matrices from files have few digits."""


@overload
def static_response(
    structure: Part | Operators, fixed: Mapping[Any, Any] | None, loads: Mapping[str, Any]
) -> dict[str, LinearSolution]: ...
@overload
def static_response(
    structure: Part | Operators,
    fixed: Mapping[Any, Any] | None,
    loads: LinearLoad | list[Any] | tuple[Any, ...] | Any = (),
) -> LinearSolution: ...
def static_response(structure: Part | Operators, fixed: Mapping[Any, Any] | None, loads: Any = ()) -> Any:
    r"""Displacements, reactions and stresses of a linear structure at rest.

    With the held unknowns h at given values and the others free, :math:`K_{ff} u_f = f_f - K_{fh} u_h`, solved by a
    Cholesky factorisation of K_ff; the reactions are :math:`r_h = K_{hf} u_f + K_{hh} u_h - f_h`.

    Parameters
    ----------
    structure : Part or Operators
        A part is assembled; give ``part.assemble()`` to do that once for several calls.
    fixed : mapping or None
        By node set, node number: ``"all"``, a component (``"ux"``, ``"uy"``, ``"uz"``, ``"rx"``, ``"ry"``, ``"rz"``), a
        tuple of them, or prescribed values such as ``{"ux": 1e-3}`` [length, rad]. None: nothing is held.
    loads : load, list of loads, array (n,) or mapping, optional
        `NodalForce`, `SurfaceLoad`, `Acceleration`, `Centrifugal`, `ThermalLoad`, or forces on the unknowns. A list
        acts together. A mapping by name holds load cases, which share one factorisation.

    Returns
    -------
    LinearSolution, or dict of LinearSolution by the names of the load cases

    Raises
    ------
    ModelError
        If a name, component or load does not fit the structure.
    SingularError
        If the structure can move without resistance; the message says how.

    Examples
    --------
    >>> import flexmbs as fx
    >>> lug = fx.linear.Part(fx.meshes.read_mesh(fx.meshes.sample("lug.inp")), material=fx.steel, name="lug")
    >>> pulled = fx.linear.static_response(lug, {"ROOT": "all"},
    ...     fx.linear.NodalForce("BORE", (1e3, 0, 0), share="faces"))
    >>> print(f"{pulled.reaction('ROOT')[0]:.6f}")
    -1000.000000
    """
    owner = "static_response"
    operators = as_operators(owner, structure)
    held = supports(owner, operators, fixed)
    cases = loads if isinstance(loads, Mapping) else {"load": loads}
    if not cases:
        raise ModelError(f"{owner}: there is no load case.")
    for name in cases:
        as_name(owner, "name of a load case", name)
    forces = np.column_stack([load_vector(owner, operators, load) for load in cases.values()])
    refuse_free_motions(owner, operators, held)
    found = solutions(owner, operators, held, cases, forces)
    return found if isinstance(loads, Mapping) else found["load"]


def solutions(
    owner: str, operators: Operators, held: Supports, cases: Mapping[str, Any], forces: FloatArray
) -> dict[str, LinearSolution]:
    """The solutions of load cases with ``forces (n, n_cases)`` where ``held`` leaves nothing free."""
    K, f, h = operators.K, held.free, held.held
    rows = K[f]
    right = forces[f] - (rows[:, h] @ held.values)[:, None]
    u = np.zeros_like(forces)
    u[h] = held.values[:, None]
    u[f] = factorised(owner, operators, held, rows[:, f]).solve(right)
    for name, column in zip(cases, u.T, strict=True):
        if not np.isfinite(column).all():
            raise ModelError(f"{owner}: the displacements of {name!r} are no finite numbers; its loads are too large.")
    return {
        name: LinearSolution(operators, held, u[:, i].copy(), forces[:, i].copy(), _thermal(load), _fields(load))
        for i, (name, load) in enumerate(cases.items())
    }


def factorised(owner: str, operators: Operators, held: Supports, K: Any) -> Definite:
    """The factor of the free part of a stiffness; if there is none, the error says what is free."""
    try:
        return Definite(K, "the stiffness")
    except SingularError as error:
        refuse_free_motions(owner, operators, held, LOOSE)
        where = (
            "" if error.unknown is None else f": {operators.dofs.name(int(held.free[error.unknown]))} has no support"
        )
        raise SingularError(
            f"{owner}: the stiffness is not positive definite{where}. Look for a part of the structure that hangs on a "
            "hinge or a single node, for nodes without stiffness, or for a material near its limits.",
            error.unknown,
        ) from None


def refuse_free_motions(owner: str, operators: Operators, held: Supports, tolerance: float | None = None) -> None:
    """Name the rigid motions that supports leave free."""
    free = free_motions(operators, held.held, **({} if tolerance is None else {"tolerance": tolerance}))
    if free.shape[1]:
        motions = "; ".join(describe_motion(operators, motion) for motion in free.T)
        names = ", ".join(repr(n) for n in operators.node_sets) or "none"
        raise SingularError(
            f"{owner}: the supports leave {free.shape[1]} rigid motion{'s' if free.shape[1] > 1 else ''} free; the "
            f"structure {motions}. Hold more components in `fixed` (node sets: {names})."
        )


def _thermal(load: Any) -> tuple[ThermalLoad, ...]:
    """Thermal loads among loads, which stresses must know."""
    return tuple(x for x in _each(load) if isinstance(x, ThermalLoad))


def _fields(load: Any) -> tuple[BodyForce, ...]:
    """Fields of force per mass among loads, which the stress stiffness of rigid masses must know."""
    return tuple(x.field for x in _each(load) if hasattr(x, "field"))


def _each(load: Any) -> list[Any]:
    return list(load) if isinstance(load, list | tuple) else [load]
