"""How good a reduction is: one call, one object of plain data, for the terminal, JSON and HTML."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from flexmbs.core.checks import as_count, as_number, is_list, show
from flexmbs.core.eigen import lowest_modes
from flexmbs.core.errors import FlexmbsError, ModelError, SingularError
from flexmbs.core.info import version
from flexmbs.core.progress import Progress
from flexmbs.reduction.methods.complement import Complement
from flexmbs.reduction.model import ReducedModel, Source, projected
from flexmbs.reduction.report.checks import (
    Problem,
    effective_masses,
    frequency_table,
    inertia_check,
    massive_motions,
    problem,
    static_check,
)
from flexmbs.reduction.report.data import (
    EffectiveMasses,
    FrequencyTable,
    InertiaCheck,
    InterfaceRow,
    MeshCheck,
    StaticCheck,
    Stiffening,
    TransferCheck,
    Trust,
    from_json,
    to_json,
)
from flexmbs.reduction.report.mesh_error import mesh_check
from flexmbs.reduction.report.transfer import DIRECT, ports, transfer_check
from flexmbs.reduction.report.warnings import warnings_of

__all__ = ["ReductionReport", "report"]

MANY = 150
"""Coordinates above which each frequency of the transfer functions takes noticeable time."""

TRUSTED = 1e-2
"""Bound of the relative error of a frequency up to which it is trusted."""


@dataclass(frozen=True)
class ReductionReport:
    """How good a reduced model is.

    ``print(report)`` gives tables, `write_json` and `write_html` files. Frequencies are cycles per time; errors are
    relative. What was not computed is None or empty. The JSON is described in `flexmbs.reduction.report.data`, which
    holds the classes of the fields; what the numbers mean and the equations are in docs/theory/reduction_report.md.

    Parameters
    ----------
    name : str
        Of the model.
    made_by : str
        Version of flexmbs.
    method : str
        Of the reduction.
    unknowns, displacements, coordinates, modes : int
        Of the full operators; of the part; of the reduced model; and how many of the last are not of interfaces.
    units, provenance : dict of str to str
        As in the model.
    times : dict of str to float
        Seconds that the parts of this report took.
    interfaces : tuple of InterfaceRow
    frequencies : tuple of FrequencyTable
        Of the free part, then with interfaces held where that was asked for.
    masses : EffectiveMasses or None
    static : StaticCheck
    inertia : InertiaCheck or None
    transfer : TransferCheck or None
    stiffening : Stiffening or None
        Where there are rigid interfaces.
    trust : Trust or None
    warnings : tuple of str
    mesh : MeshCheck or None
        What the mesh misses; None where operators do not know their elements.
    model : ReducedModel or None
        For pictures; not part of the data.
    """

    name: str
    made_by: str
    method: str
    unknowns: int
    displacements: int
    coordinates: int
    modes: int
    units: dict[str, str]
    provenance: dict[str, str]
    times: dict[str, float]
    interfaces: tuple[InterfaceRow, ...]
    frequencies: tuple[FrequencyTable, ...]
    masses: EffectiveMasses | None
    static: StaticCheck
    inertia: InertiaCheck | None
    transfer: TransferCheck | None
    stiffening: Stiffening | None
    trust: Trust | None
    warnings: tuple[str, ...]
    mesh: MeshCheck | None = None
    model: ReducedModel | None = field(default=None, repr=False, compare=False)

    def __str__(self) -> str:
        from flexmbs.reduction.report.text import text

        return text(self)

    def to_json(self) -> str:
        """All data as JSON."""
        return to_json(self)

    @classmethod
    def from_json(cls, text: str, where: str = "reduction report") -> ReductionReport:
        """A report from its JSON; raises `ReadError` if it is no such text."""
        made: ReductionReport = from_json(cls, text, where)
        return made

    def write_json(self, path: str | Path) -> Path:
        """Write the data; raises `FlexmbsError` if that is not possible."""
        return _write(path, self.to_json() + "\n")

    def write_html(self, path: str | Path) -> Path:
        """Write a page that needs nothing but itself; a folder gets an ``index.html``."""
        from flexmbs.reduction.report.page import page_of

        path = Path(path)
        return _write(path if path.suffix.lower() in (".html", ".htm") else path / "index.html", page_of(self))


def report(
    model: ReducedModel,
    *,
    band: float | None = None,
    full: bool = True,
    held: Sequence[str | Sequence[str]] = (),
    count: int | None = None,
    damping: float = 0.01,
    points: int | None = None,
    full_points: int | None = None,
    progress: bool = True,
) -> ReductionReport:
    r"""How good a reduced model is.

    Parameters
    ----------
    model : ReducedModel
        One just made by `reduce`; one from a file gives back the report that was made before it was saved.
    band : float, optional
        Highest frequency of interest [1/time], which warnings then are about; by default half the cut-off.
    full : bool
        Whether the full part is solved for comparison: its lowest modes with the factor that the estimate needs
        anyway, and one more factorisation where rigid interfaces may stiffen it. Without, there are bounds only.
    held : sequence of str, optional
        Interfaces whose holding is a further table of frequencies; a sequence of names holds them together.
    count : int, optional
        Elastic frequencies to show; by default those below the cut-off, at least 6 and at most 30.
    damping : float
        Damping ratio :math:`\zeta` of the transfer functions: stiffness :math:`(1 + 2 i \zeta) K`. Damping of the
        materials is left out of them.
    points : int, optional
        Frequencies of the transfer functions; by default 200, or 40 for more than 150 coordinates.
    full_points : int, optional
        At how many frequencies the full transfer functions are computed, each by a factorisation; by default 8 for at
        most 20 000 unknowns and none beyond.
    progress : bool
        Whether to show progress of work longer than a second.

    Returns
    -------
    ReductionReport

    Raises
    ------
    ModelError
        If the model comes from a file without a report, an option is out of bounds, or an interface is unknown.
    SingularError
        If the stiffness of the full part is not positive semidefinite.

    Examples
    --------
    >>> import flexmbs as fx
    >>> lug = fx.linear.Part(fx.meshes.read_mesh(fx.meshes.sample("lug.inp")), material=fx.steel, name="lug")
    >>> found = report(fx.reduction.reduce(lug, ["ROOT", "BORE"], modes=20), count=3, points=20, full_points=0)
    >>> table = found.frequencies[0]
    >>> all(error <= bound for error, bound in zip(table.error, table.bound))
    True
    """
    if not isinstance(model, ReducedModel):
        raise ModelError(f"report: expected a ReducedModel, not {show(model)}.")
    if model.source is None:
        return _stored(model, (band, full, held, count, damping, points, full_points) != _DEFAULTS)
    if band is not None:
        band = as_number("report", "band", band, above=0.0, unit="1/time")
    damping = as_number("report", "damping", damping, above=0.0, below=1.0)
    if points is not None:
        points = as_count("report", "points", points, minimum=2)
    elif model.size <= MANY:
        points = 200
    else:
        points = 40
    if count is not None:
        count = as_count("report", "count", count, minimum=1)
    if full_points is not None:
        full_points = as_count("report", "full_points", full_points)
    if isinstance(held, str) or not is_list(held):
        raise ModelError(f"report: held must be a list of names of interfaces, not {show(held)}.")
    groups = [(h,) if isinstance(h, str) else tuple(h) for h in held]
    times: dict[str, float] = {}
    with Progress(f"report on {model.name}", progress) as shown:
        wanted = _Wanted(band, full, groups, count, 2.0 * damping, points, full_points)
        found = _report(model, model.source, wanted, times, shown)
    object.__setattr__(model, "report_text", found.to_json())
    return found


_DEFAULTS = (None, True, (), None, 0.01, None, None)


@dataclass(frozen=True)
class _Wanted:
    """The options of a report."""

    band: float | None
    full: bool
    held: list[tuple[str, ...]]
    count: int | None
    loss: float
    points: int
    full_points: int | None


def _stored(model: ReducedModel, asked: bool) -> ReductionReport:
    """The report in a file."""
    if model.report_text is None:
        raise ModelError(
            f"{model!r}: it comes from a file, without the operators that a report compares with, and no report was "
            f"made before it was saved. Reduce the part again and call report() before save()."
        )
    if asked:
        raise ModelError(
            f"{model!r}: it comes from a file, without the operators that a report compares with; report() without "
            f"options gives the one that was saved with it."
        )
    return replace(ReductionReport.from_json(model.report_text, f"report in {model.name}"), model=model)


def _report(
    model: ReducedModel, source: Source, wanted: _Wanted, times: dict[str, float], shown: Progress
) -> ReductionReport:
    full, count, band = wanted.full, wanted.count, wanted.band
    operators = source.attached.operators
    clock = time.perf_counter()

    def lap(name: str, fraction: float, text: str) -> None:
        nonlocal clock
        now = time.perf_counter()
        times[name] = times.get(name, 0.0) + now - clock
        clock = now
        shown.show(fraction, text)

    shown.show(0.02, "factorisation and estimate")
    where = ports(source.attached)
    free = problem(model, source)
    doubts: list[str] = []
    rest = None
    if _is_projection(model, source):
        rest = _complement(free, where.vectors, doubts)
    else:
        doubts.append("no estimate of errors: the reduced matrices are not projections of the full ones")
    lap("estimate [s]", 0.35, "frequencies of the full part" if full else "checks")
    tables = [frequency_table(free, rest, count, full)[0]]
    if rest is not None:
        rest.release()  # before others are factorised
    for names in wanted.held:
        other = problem(model, source, names)
        beside = None if rest is None else _complement(other, None, doubts)
        tables.append(frequency_table(other, beside, count, full)[0])
    lap("frequencies [s]", 0.6, "checks")
    masses = effective_masses(model, source, free, attainable=full)
    static = static_check(model, source, free)
    inertia = inertia_check(model, source)
    lap("checks [s]", 0.65, "transfer functions")
    transfer = None
    trust = None
    if rest is not None:
        trust = _trust(rest, tables[0])
        if band is None:
            band = _band(rest)
        if len(where.names) and band > 0.0:
            at = wanted.full_points
            if at is None:
                at = 8 if full and operators.n <= DIRECT else 0
            transfer = transfer_check(operators.K, operators.M, where, rest, band, wanted.loss, wanted.points, at)
    lap("transfer functions [s]", 0.9, "stiffening by rigid interfaces")
    stiffening = _stiffening(source, free, tables[0]) if full else None
    lap("stiffening [s]", 1.0, "done")
    made = ReductionReport(
        name=model.name,
        made_by=f"flexmbs {version()}",
        method=source.basis.method,
        unknowns=operators.n,
        displacements=len(model.dofs),
        coordinates=model.size,
        modes=model.size - model.n_interface,
        units=dict(model.units),
        provenance=dict(model.provenance),
        times=times,
        interfaces=tuple(
            InterfaceRow(f.name, f.kind, len(f.nodes), len(f.coordinates), tuple(float(x) for x in f.origin))
            for f in model.frames
        ),
        frequencies=tuple(tables),
        masses=masses,
        static=static,
        inertia=inertia,
        transfer=transfer,
        stiffening=stiffening,
        trust=trust,
        warnings=(),
        mesh=mesh_check(model, source, free),
        model=model,
    )
    return replace(made, warnings=(*doubts, *warnings_of(made, model, source, free, wanted.band)))


def _is_projection(model: ReducedModel, source: Source) -> bool:
    """Whether the matrices are those of the basis; others could be put into a model."""
    for mine, theirs in zip((model.K, model.M), projected(source.attached, source.basis)[:2], strict=True):
        scale = np.sqrt(np.abs(theirs.diagonal()))
        if (np.abs(mine - theirs) > 1e-9 * np.outer(scale, scale) + 1e-13 * np.abs(theirs).max()).any():
            return False
    return True


def _complement(given: Problem, loads: Any, doubts: list[str]) -> Complement | None:
    try:
        return Complement(given.K, given.M, given.T, given.K_r, given.M_r, given.shift, loads)
    except SingularError as error:
        with_held = f" with {', '.join(given.held)} held" if given.held else ""
        doubts.append(f"no estimate of errors{with_held}: {error}")
        return None


def _trust(rest: Complement, table: FrequencyTable) -> Trust:
    """Frequencies below the first one that may err by more than the tolerance."""
    cut_off = math.sqrt(max(rest.cut_off + rest.shift, 0.0)) / (2.0 * math.pi) if math.isfinite(rest.cut_off) else None
    good = 0
    while good < len(table.bound) and (b := table.bound[good]) is not None and b <= TRUSTED:
        good += 1
    trusted = table.reduced[good - 1] if good else 0.0
    return Trust(cut_off, trusted, TRUSTED)


def _band(rest: Complement) -> float:
    """Half the cut-off, or the highest frequency of a model that leaves nothing out."""
    if math.isfinite(rest.cut_off):
        return 0.5 * math.sqrt(max(rest.cut_off + rest.shift, 0.0)) / (2.0 * math.pi)
    return math.sqrt(max(float(rest.values[-1]), 0.0)) / (2.0 * math.pi)


def _stiffening(source: Source, free: Problem, table: FrequencyTable) -> Stiffening | None:
    """What the rigid bodies at rigid interfaces do to the first elastic frequency of the free part."""
    names = tuple(f.name for f in source.attached.frames if f.kind == "rigid" and len(f.nodes) > 1)
    original = source.attached.free
    if not names or original is None or not table.full:
        return None
    motions = massive_motions(original.K, original.M, original.rigid_motions(original.points.mean(axis=0)))
    more = free.rigid - motions.shape[1]
    if more < 0:
        return None
    what = "the stiffness of the part"
    pairs = lowest_modes(original.K, original.M, more + 1, None, free.shift, what, rigid=motions)
    part = math.sqrt(max(float(pairs.values[-1]), 0.0)) / (2.0 * math.pi)
    return Stiffening(part, table.full[0], names) if part > 0.0 else None


def _write(path: str | Path, text: str) -> Path:
    path = Path(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise FlexmbsError(f"cannot write {path}: {error.strerror or error}.") from None
    return path
