"""A reduction report in the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from flexmbs.reduction.report.data import FrequencyTable

if TYPE_CHECKING:
    from flexmbs.reduction.report.report import ReductionReport

__all__ = ["frequency_unit", "text"]

DIRECTIONS = ("x", "y", "z", "about x", "about y", "about z")


def text(report: ReductionReport) -> str:
    """All that is in a report, as lines of at most 110 characters."""
    lines = [
        f"Reduction of {report.name}: {report.method}, {report.coordinates} coordinates "
        f"({report.coordinates - report.modes} of interfaces, {report.modes} others) for {report.unknowns} unknowns"
    ]
    for row in report.interfaces:
        lines.append(f"  interface {row.name}: {row.kind}, {row.nodes} nodes, {row.coordinates} coordinates")
    for table in report.frequencies:
        lines += ["", *_frequencies(report, table)]
    lines += ["", *_trust(report), *_mesh(report), "", *_checks(report)]
    if report.masses is not None:
        lines += ["", *_masses(report)]
    if report.transfer is not None:
        lines += ["", *_transfer(report)]
    spent = [f"{k.removesuffix(' [s]')} {float(v):.3g} s" for k, v in report.provenance.items() if k.endswith(" [s]")]
    spent_here = [f"{k.removesuffix(' [s]')} {v:.3g} s" for k, v in report.times.items()]
    if spent:
        lines += ["", "Time of the reduction: " + ", ".join(spent)]
    lines.append("Time of this report: " + ", ".join(spent_here))
    if report.warnings:
        lines += ["", *(f"Warning: {w}." for w in report.warnings)]
    return "\n".join(lines)


def frequency_unit(report: ReductionReport) -> str:
    """Hz where time is in seconds."""
    time = report.units.get("time", "")
    return "Hz" if time == "s" else f"1/{time}" if time else "1/time"


def _table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    everything = [list(header), *(list(row) for row in rows)]
    width = [max(len(row[i]) for row in everything) for i in range(len(header))]
    return ["  " + "  ".join(cell.rjust(w) for cell, w in zip(row, width, strict=True)) for row in everything]


def _short(value: float | None, digits: int = 2) -> str:
    return "-" if value is None else f"{value:.{digits}g}" if 1e-3 <= abs(value) < 1e4 else f"{value:.{digits - 1}e}"


def _frequencies(report: ReductionReport, table: FrequencyTable) -> list[str]:
    unit = frequency_unit(report)
    how = f"with {', '.join(table.held)} held" if table.held else "of the free part"
    head = f"Frequencies {how} [{unit}]"
    if table.rigid:
        ratio = "" if table.rigid_ratio is None else f" (squared, at most {table.rigid_ratio:.0e} of the first elastic)"
        head += f": {table.rigid} rigid motions{ratio}"
    rows = [
        [
            str(i),
            f"{f:.6g}",
            "-" if g is None else f"{g:.6g}",
            _short(e),
            _short(b),
            "-" if mac is None else f"{mac:.4f}" + ("" if partner == i else f" with {partner}"),
        ]
        for i, f, g, e, b, mac, partner in table.rows
    ]
    return [head, *_table(("mode", "reduced", "full", "error", "at most", "MAC"), rows)]


def _trust(report: ReductionReport) -> list[str]:
    trust, unit = report.trust, frequency_unit(report)
    if trust is None:
        return ["No bounds of errors."]
    cut = "nothing is left out" if trust.cut_off is None else f"cut-off {trust.cut_off:.6g} {unit}"
    if not trust.trusted:
        return [f"No elastic frequency is known to be right to {100 * trust.tolerance:g} %; {cut}"]
    return [f"Frequencies are right to {100 * trust.tolerance:g} % up to {trust.trusted:.6g} {unit}; {cut}"]


def _mesh(report: ReductionReport) -> list[str]:
    head = "All errors above are of the reduction; what the mesh misses is not in them"
    mesh, unit = report.mesh, frequency_unit(report)
    if mesh is None:
        return [f"{head}, and not known of operators without elements."]
    cells = ", ".join(f"{count} {kind}" for kind, count in mesh.cells.items())
    if mesh.energy_error is None or mesh.too_high is None:
        return [f"{head}, and not estimated for {cells}."]
    rows = [
        [str(i + 1), f"{f:.6g}", f"{100 * e:.2g}", f"{100 * h:.2g}"]
        for i, (f, e, h) in enumerate(zip(mesh.frequencies, mesh.energy_error, mesh.too_high, strict=True))
    ]
    return [
        f"{head}. Estimate for {cells} by recovered stresses [%]:",
        *_table(("mode", f"[{unit}]", "energy norm", "frequency too high by about"), rows),
    ]


def _checks(report: ReductionReport) -> list[str]:
    static, inertia = report.static, report.inertia
    lines = []
    if static.imbalance is not None:
        lines.append(
            f"Static solutions for the interface: force left inside {_short(static.imbalance)}, "
            f"reactions {_short(static.reactions)}"
        )
    if static.rigid_motions:
        lines.append(
            f"Rigid motions: {static.rigid_motions}; outside the basis {_short(static.rigid_span)}, "
            f"forces {_short(static.rigid_stiffness)}, inertia {_short(static.rigid_mass)}"
        )
    if inertia is not None:
        centre = ", ".join(f"{x:.6g}" for x in inertia.centre)
        principal = ", ".join(f"{inertia.tensor[k][k]:.6g}" for k in range(3))
        lines.append(f"Mass {inertia.mass:.6g}, centre ({centre}), moments of inertia about it {principal}")
        lines.append(
            f"  from the {'elements' if inertia.exact else 'nodes'}; the mass matrix differs by "
            f"{_short(inertia.mass_error)} and {_short(inertia.tensor_error)}"
        )
    if report.stiffening is not None:
        s, unit = report.stiffening, frequency_unit(report)
        lines.append(
            f"Rigid interfaces {', '.join(s.interfaces)} raise the first elastic frequency by {100 * s.rise:.2g} % "
            f"({s.part:.6g} to {s.attached:.6g} {unit})"
        )
    return lines


def _masses(report: ReductionReport) -> list[str]:
    masses = report.masses
    assert masses is not None  # noqa: S101  # asked before
    rows = [
        [str(i + 1), f"{f:.6g}", *(f"{100 * v:.2f}" for v in row)]
        for i, (f, row) in enumerate(zip(masses.frequencies[:20], masses.fractions, strict=False))
    ]
    rows.append(["all", "", *(f"{100 * v:.2f}" for v in masses.sums)])
    if masses.attainable is not None:
        rows.append(["possible", "", *(f"{100 * v:.2f}" for v in masses.attainable)])
    return [
        "Effective masses of modes with the interfaces held [%]",
        *_table(("mode", f"[{frequency_unit(report)}]", *DIRECTIONS), rows),
    ]


def _transfer(report: ReductionReport) -> list[str]:
    transfer, unit = report.transfer, frequency_unit(report)
    assert transfer is not None  # noqa: S101  # asked before
    known = [b for b in transfer.bound if b is not None]
    lost = len(transfer.bound) - len(known)
    lines = [
        f"Receptance of the interfaces up to {transfer.band:.6g} {unit}, loss factor {transfer.loss:g}: "
        f"errs by at most {_short(max(known, default=None))}"
        + (f"; no bound at {lost} of {len(transfer.bound)} frequencies" if lost else "")
    ]
    if transfer.error:
        rows = [
            [f"{f:.6g}", _short(e), _short(b)]
            for f, e, b in zip(transfer.full_frequencies, transfer.error, transfer.error_bound, strict=True)
        ]
        lines += ["  full receptance " + transfer.how, *_table((f"[{unit}]", "error", "at most"), rows)]
    else:
        lines.append(f"  full receptance {transfer.how}")
    return lines
