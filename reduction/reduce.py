"""From a part to a reduced model in one call."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from flexmbs.core.checks import as_counts, as_flag, as_name, show
from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.errors import ModelError
from flexmbs.core.field_terms import meant
from flexmbs.core.info import version
from flexmbs.core.progress import Progress
from flexmbs.core.units import Units, names_of_units
from flexmbs.linear.linear_solution import LinearSolution
from flexmbs.linear.modes import stressed_stiffness
from flexmbs.linear.operators import Operators
from flexmbs.linear.part import Part
from flexmbs.linear.stresses import stress_operator, stress_rows
from flexmbs.linear.units_check import check_named_units
from flexmbs.reduction.basis import Basis
from flexmbs.reduction.free_parts import HELD, rigid_motions, what_holds
from flexmbs.reduction.inertia import InertiaInvariants, inertia_of_mass_matrix, inertia_of_part, with_rigid_motions
from flexmbs.reduction.interfaces import Attached, Interface, attach
from flexmbs.reduction.kept import Kept, fingerprint
from flexmbs.reduction.line_moments import line_moments_of_part
from flexmbs.reduction.methods.craig_bampton import craig_bampton
from flexmbs.reduction.model import ReducedModel, Source, projected
from flexmbs.reduction.selection import ModeSelection
from flexmbs.reduction.stiffening import stiffening_of

__all__ = ["reduce"]

Method = Callable[[Attached], Basis]


def reduce(
    what: Part | Operators,
    interfaces: Sequence[str | Interface] | str | Interface,
    modes: ModeSelection | int = 20,
    *,
    method: Method | None = None,
    stresses: str | Sequence[int] | None = None,
    geometric_stiffening: bool = False,
    prestress: LinearSolution | None = None,
    name: str | None = None,
    units: Units | Mapping[str, str] | None = None,
    work: str | Path | None = None,
    progress: bool = True,
) -> ReducedModel:
    r"""Reduce a part to its interfaces and a few modes.

    By default the method is Craig-Bampton: :math:`u = T q` with the static shapes of unit motions of the interfaces
    (rigid motions among them) and modes with the interfaces held. Coordinates of the interfaces come first.

    Parameters
    ----------
    what : Part or Operators
        The free part; what is held later is held by its interfaces.
    interfaces : sequence of str or Interface
        Where it will be joined to others; a name is a rigid interface of the node set of that name.
    modes : int or ModeSelection
        How many modes, or a rule such as ``UpToFrequency(500.0)`` (`flexmbs.reduction.selection`).
    method : callable, optional
        ``method(attached) -> Basis`` for another method, such as
        ``lambda a: rubin(a.operators.K, a.operators.M, a.boundary, 20)``; ``modes`` then does not count.
    stresses : str or sequence of int, optional
        Node set, numbers of nodes or ``"all"``: where the model can tell stresses without the part. They are those of
        `flexmbs.linear.stresses.nodal_stresses`: a node has several where elements are kept apart (borders of regions,
        folds of shells, frames), and stands in ``stress_nodes`` as often.
    geometric_stiffening : bool, default False
        Whether to keep the second-order fields of geometric stiffening, which bodies that spin fast or are taut need;
        a static solution for each of 6 inertia loads and 6 loads of each interface (`flexmbs.reduction.stiffening`).
    prestress : LinearSolution, optional
        A static solution of the same part (`static_response`), whose stress stiffness is added to K. The stressed state
        is the one without deformation; the loads that hold it are in balance with its stresses and not to be applied
        again. They keep their directions in the frame of the part, so that its rotation strains it: hold an interface.
        ``stresses`` are then those by which the motion changes the prestress, without it.
    name : str, optional
        Of the model; that of the part by default.
    units : Units or mapping of str to str, optional
        Names of the units of ``length``, ``mass``, ``time`` and ``force``, or of some of them, kept with the model.
    work : path, optional
        A folder in which a long reduction keeps what is done, so that an interrupted one goes on.
    progress : bool
        Whether to show progress of work longer than a second.

    Returns
    -------
    ReducedModel

    Raises
    ------
    ModelError
        If interfaces are empty, unknown or overlap, more modes are asked for than there are, or ``units`` has a name of
        something else.
    SingularError
        If the part can still move with its interfaces held.

    Examples
    --------
    >>> import flexmbs as fx
    >>> lug = fx.linear.Part(fx.meshes.read_mesh(fx.meshes.sample("lug.inp")), material=fx.steel, name="lug")
    >>> small = fx.reduction.reduce(lug, ["ROOT", "BORE"], modes=6)
    >>> small
    reduced model 'lug': 18 coordinates for 1851 displacements; interfaces ROOT (rigid, 6), ...
    """
    if not isinstance(what, Part | Operators):
        raise ModelError(f"reduce: expected a Part or Operators, not {show(what)}.")
    title = as_name("reduce", "name", name) if name is not None else what.name if isinstance(what, Part) else "part"
    if prestress is not None and stresses is not None:
        warnings.warn(
            f"reduce {title}: the stresses of the model are those of its deformation, zero in the prestressed state. "
            f"Add those of the prestress, prestress.stresses(), for what is in the material.",
            stacklevel=2,
        )
    named = names_of_units("reduce", {} if units is None else units)
    part = what if isinstance(what, Part) else what.part
    if part is not None:
        check_named_units(f"reduce {title}", [p.region.material for p in part.pieces], named, stacklevel=3)
    began = time.perf_counter()
    with Progress(f"reduce {title}", progress) as shown:
        operators = what.assemble(lambda f, text: shown.show(0.2 * f, text)) if isinstance(what, Part) else what
        bare = operators
        if prestress is not None:
            operators = replace(operators, K=stressed_stiffness("reduce", operators, prestress))
        assembled = time.perf_counter()
        attached = attach(operators, interfaces)
        joined = time.perf_counter()
        basis = _basis(attached, modes, method, work, lambda f, text: shown.show(0.25 + 0.6 * f, text))
        shown.show(0.87, "reduced matrices")
        made = time.perf_counter()
        K, M, D = projected(attached, basis)
        full = attached.operators
        shapes = full.expand(basis.vectors)
        inertia = _inertia(operators, full, shapes, basis, M, lambda f, text: shown.show(0.88 + 0.08 * f, text))
        nodes, names, stress_shapes = _stresses(full, shapes, stresses)
        second = None
        if as_flag("reduce", "geometric_stiffening", geometric_stiffening):
            free = attached if prestress is None else attach(bare, interfaces)
            second = stiffening_of(free, basis, shapes, lambda f, text: shown.show(0.96 + 0.04 * f, text))
        done = time.perf_counter()
    assert full.all_dofs is not None  # noqa: S101  # set on construction
    return ReducedModel(
        name=title,
        K=K, M=M, D=D,
        labels=basis.labels,
        n_interface=basis.n_interface,
        frames=attached.frames,
        frequencies=np.asarray(basis.frequencies),
        shapes=shapes,
        dofs=full.all_dofs,
        points=full.points,
        inertia=inertia,
        cells=_cells(full),
        node_sets=full.node_sets,
        units=named,
        provenance={
            "method": basis.method,
            "origin": operators.origin,
            "unknowns": str(operators.n),
            **({HELD: held} if (held := what_holds(bare)) else {}),
            **({} if prestress is None else {"prestress": "stress stiffness of a static solution"}),
            **{str(k): str(v) for k, v in basis.settings.items()},
            "made by": f"flexmbs {version()}",
            "made on": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
            "assembly [s]": f"{assembled - began:.3f}",
            "interfaces [s]": f"{joined - assembled:.3f}",
            "basis [s]": f"{made - joined:.3f}",
            **{k: f"{v:.6g}" for k, v in basis.stats.items()},
            "projection and inertia [s]": f"{done - made:.3f}",
        },
        stress_nodes=nodes,
        stress_shapes=stress_shapes,
        stress_names=names,
        stiffening=second,
        line=None if full.part is None else line_moments_of_part(full.part, shapes),
        source=Source(attached, basis),
    )  # fmt: skip


def _basis(
    attached: Attached, modes: Any, method: Method | None, work: str | Path | None, say: Callable[[float, str], None]
) -> Basis:
    """The shapes, by the method asked for."""
    full = attached.operators
    if method is None:
        if not len(attached.boundary):
            raise ModelError("reduce: give one interface or more; without any, pass a method such as modal truncation.")
        kept = None
        if work is not None:
            kept = Kept(work, fingerprint(full.K, full.M, attached.boundary, repr(modes)))
        return craig_bampton(
            full.K, full.M, attached.boundary, modes, attached.labels, say, kept, full.rigid_motions()
        )  # fmt: skip
    if not callable(method):
        raise ModelError(
            f"reduce: method must be a function of the attached part that returns a Basis, not {show(method)}."
            f"{meant('method', method)}"
        )
    basis = method(attached)
    if isinstance(getattr(basis, "basis", None), Basis):
        raise ModelError(
            f"reduce: method returned a {type(basis).__name__} with a basis, and matrices or figures beside it, which "
            f"reduce makes itself, by projection: return its .basis."
        )
    if not isinstance(basis, Basis) or len(basis.vectors) != full.n:
        raise ModelError(f"reduce: method must return a Basis with {full.n} rows, not {show(basis)}.")
    return basis


def _inertia(
    given: Operators,
    full: Operators,
    shapes: FloatArray,
    basis: Basis,
    M: FloatArray,
    say: Callable[[float, str], None],
) -> InertiaInvariants | None:
    """Inertia invariants, whose modal mass must be the reduced mass matrix where they are exact."""
    if full.part is not None:
        inertia = inertia_of_part(full.part, shapes, say)
        size = np.sqrt(np.abs(np.outer(M.diagonal(), M.diagonal())))
        error = float((np.abs(inertia.modal_mass - M) / np.where(size > 0, size, 1.0)).max(initial=0.0))
        if error > 1e-6:
            raise ModelError(
                f"reduce: the mass points of an element of {full.part!r} are not its mass matrix: the modal mass "
                f"differs by {error:.1e}; its inertia invariants would be wrong."
            )
        return inertia
    # interfaces couple the components in the mass matrix; that of the operators as given is still one for x, y and z
    plain, vectors = (given, shapes) if given.expansion is None else (full, basis.vectors)
    found = inertia_of_mass_matrix(plain.M, plain.dofs.node, plain.dofs.component, plain.points, vectors)
    if not isinstance(found, InertiaInvariants) or found.exact:
        return found if isinstance(found, InertiaInvariants) else None
    return with_rigid_motions(found, plain.M, rigid_motions(plain), vectors)


def _stresses(full: Operators, shapes: FloatArray, wanted: Any) -> tuple[IntArray | None, tuple[str, ...], Any]:
    """Nodes (s,), one for each value, names and stress shapes (s, n_c, m)."""
    if wanted is None:
        return None, (), None
    if full.part is None:
        raise ModelError("reduce: stresses need a Part; operators alone do not know the elements.")
    nodes = np.unique(np.concatenate([p.cells.ravel() for p in full.part.pieces]))
    if isinstance(wanted, str) and wanted != "all":
        nodes = np.intersect1d(nodes, full.node_set(wanted))
    elif not isinstance(wanted, str):
        nodes = np.intersect1d(nodes, as_counts("reduce", "each of stresses", wanted))
    if not len(nodes):
        raise ModelError(f"reduce: no node of {show(wanted)} belongs to an element.")
    operator, names = stress_operator(full.part, nodes)
    nodes = stress_rows(full.part, nodes)
    return nodes, names, (operator @ shapes).reshape(len(nodes), len(names), shapes.shape[1])


def _cells(full: Operators) -> dict[str, IntArray]:
    """Cells of the part by type."""
    if full.part is None:
        return {}
    found: dict[str, list[IntArray]] = {}
    for piece in full.part.pieces:
        found.setdefault(piece.region.element.cell_type, []).append(piece.cells)
    return {kind: np.concatenate(blocks) for kind, blocks in found.items()}
