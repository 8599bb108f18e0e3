"""A reduction report as one HTML page that needs nothing but itself."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING

from flexmbs.core.info import versions
from flexmbs.core.page import definition_list, html_table, number, page, seconds
from flexmbs.reduction.report.data import FrequencyTable
from flexmbs.reduction.report.pictures import pictures
from flexmbs.reduction.report.text import DIRECTIONS, frequency_unit

if TYPE_CHECKING:
    from flexmbs.reduction.report.report import ReductionReport

__all__ = ["page_of"]


def page_of(report: ReductionReport) -> str:
    """The whole page."""
    drawn = pictures(report)
    body = [
        f"<header><p class=kicker>Reduction · {escape(report.method)}</p><h1>{escape(report.name)}</h1>",
        f"<p class=lead>{_summary(report)}</p></header><main>",
    ]
    if report.warnings:
        texts = "".join(f"<li>{escape(w[:1].upper() + w[1:])}.</li>" for w in report.warnings)
        body.append(f"<section class=notice><h2>Warnings</h2><ul>{texts}</ul></section>")
    body.append(_section("What was reduced", _what(report)))
    for i, table in enumerate(report.frequencies):
        body.append(_section(_title(table), _frequencies(report, table) + drawn.get(f"frequencies {i}", "")))
    body.append(_section("Mode shapes", drawn["shapes"]) if "shapes" in drawn else "")
    body.append(_section("How far up it can be trusted", _trust(report)))
    body.append(_section("What the mesh misses", _mesh(report)))
    if report.transfer is not None:
        body.append(_section("Transfer functions of the interfaces", _transfer(report) + drawn.get("transfer", "")))
    body.append(_section("Statics and rigid motions", _static(report)))
    if report.masses is not None:
        body.append(_section("Effective masses", _masses(report)))
    if report.inertia is not None:
        body.append(_section("Inertia", _inertia(report)))
    body.append(_section("Time and provenance", _provenance(report)))
    body.append("</main>")
    return page(f"Reduction of {report.name}", "".join(body))


def _section(title: str, content: str) -> str:
    return f"<section><h2>{escape(title)}</h2>{content}</section>"


def _paragraph(text: str) -> str:
    return f"<p>{text}</p>"


def _summary(report: ReductionReport) -> str:
    unit = escape(frequency_unit(report))
    text = (
        f"{report.coordinates} coordinates, {report.coordinates - report.modes} of interfaces and {report.modes} "
        f"others, stand for {report.unknowns} unknowns."
    )
    trust = report.trust
    if trust is not None and trust.trusted:
        text += f" Frequencies are right to {100 * trust.tolerance:g} % up to {number(trust.trusted)} {unit}."
    return text


def _what(report: ReductionReport) -> str:
    rows = [
        [escape(r.name), escape(r.kind), str(r.nodes), str(r.coordinates), ", ".join(number(x, 5) for x in r.origin)]
        for r in report.interfaces
    ]
    length = report.units.get("length", "")
    header = ("Interface", "Kind", "Nodes", "Coordinates", "Frame at" + (f" [{escape(length)}]" if length else ""))
    facts = {"Origin": report.provenance.get("origin", "given"), "Displacements of the part": str(report.displacements)}
    units = ", ".join(report.units.values())
    return definition_list([*facts.items(), ("Units", units or "not stated")]) + (
        html_table(header, rows, numeric=(2, 3)) if rows else _paragraph("There are no interfaces.")
    )


def _title(table: FrequencyTable) -> str:
    return f"Frequencies with {', '.join(table.held)} held" if table.held else "Frequencies of the free part"


def _frequencies(report: ReductionReport, table: FrequencyTable) -> str:
    unit = escape(frequency_unit(report))
    text = ""
    if table.rigid:
        ratio = "" if table.rigid_ratio is None else (
            f" Their squared frequencies are at most {number(table.rigid_ratio, 2)} of the first elastic one."
        )  # fmt: skip
        text = _paragraph(f"{table.rigid} motions of the part have no stiffness.{ratio}")
    rows = [
        [str(i), number(f), number(g), number(e, 3), number(b, 3), _assurance(i, mac, partner)]
        for i, f, g, e, b, mac, partner in table.rows
    ]
    header = ("Mode", f"Reduced [{unit}]", f"Full [{unit}]", "Error", "At most", "MAC")
    return text + html_table(header, rows, numeric=range(6))


def _assurance(i: int, mac: float | None, partner: int | None) -> str:
    """Modal assurance, with the number of the full mode where it is another one."""
    return "–" if mac is None else f"{mac:.4f}" + ("" if partner == i else f" <small>with {partner}</small>")


def _trust(report: ReductionReport) -> str:
    trust, unit = report.trust, escape(frequency_unit(report))
    if trust is None:
        return _paragraph("There is no estimate; the warnings say why.")
    cut = (
        "The basis leaves nothing out that has mass."
        if trust.cut_off is None
        else f"The lowest frequency of what the basis leaves out, the cut-off, is {number(trust.cut_off)} {unit}; "
        f"no bound reaches beyond it."
    )
    if not trust.trusted:
        return _paragraph(f"No elastic frequency is known to be right to {100 * trust.tolerance:g} %. {cut}")
    return _paragraph(
        f"The bounds of all frequencies up to {number(trust.trusted)} {unit} are at most "
        f"{100 * trust.tolerance:g} %. {cut}"
    )


def _mesh(report: ReductionReport) -> str:
    mesh = report.mesh
    head = "All other errors here are of the reduction, relative to the mesh. What the mesh itself misses is"
    if mesh is None:
        return _paragraph(f"{head} not known of operators without elements.")
    cells = escape(", ".join(f"{count} {kind}" for kind, count in mesh.cells.items()))
    if mesh.energy_error is None or mesh.too_high is None:
        return _paragraph(f"{head} not estimated for {cells}.")
    triples = zip(mesh.frequencies, mesh.energy_error, mesh.too_high, strict=True)
    rows = [[str(i + 1), number(f), f"{100 * e:.2g}", f"{100 * h:.2g}"] for i, (f, e, h) in enumerate(triples)]
    unit = escape(frequency_unit(report))
    text = _paragraph(f"{head} estimated for {cells} by recovered stresses (Zienkiewicz and Zhu).")
    header = ("Mode", f"Frequency [{unit}]", "Error in the energy norm [%]", "Too high by about [%]")
    return text + html_table(header, rows, numeric=range(4))


def _transfer(report: ReductionReport) -> str:
    transfer, unit = report.transfer, escape(frequency_unit(report))
    assert transfer is not None  # noqa: S101  # asked before
    text = _paragraph(
        f"Receptance up to {number(transfer.band)} {unit} with the stiffness (1 + {transfer.loss:g} i) K. Errors are "
        f"2-norms over all {len(transfer.ports)} coordinates of the interfaces, relative to the reduced one; rotations "
        f"count times {number(transfer.arm, 4)}. The full receptance was found {escape(transfer.how)}."
        if transfer.error
        else f"Receptance up to {number(transfer.band)} {unit}; the full one is {escape(transfer.how)}."
    )
    if not transfer.error:
        return text
    rows = [
        [number(f), number(e, 3), number(b, 3)]
        for f, e, b in zip(transfer.full_frequencies, transfer.error, transfer.error_bound, strict=True)
    ]
    return text + html_table((f"Frequency [{unit}]", "Error", "At most"), rows, numeric=(0, 1, 2))


def _static(report: ReductionReport) -> str:
    static = report.static
    rows: list[tuple[str, float | None]] = [
        ("Force left inside for unit motions of the interface", static.imbalance),
        ("Difference of their reactions", static.reactions),
        ("Rigid motions outside the basis", static.rigid_span),
        ("Forces that rigid motions cause", static.rigid_stiffness),
        ("Inertia of rigid motions", static.rigid_mass),
    ]
    table = html_table(("Check", "Relative error"), [[a, number(b, 3)] for a, b in rows if b is not None], numeric=(1,))
    s, unit = report.stiffening, escape(frequency_unit(report))
    if s is None:
        return table
    return table + _paragraph(
        f"The rigid interfaces ({escape(', '.join(s.interfaces))}) raise the first elastic frequency of the free part "
        f"by {number(100 * s.rise, 3)} %, from {number(s.part)} to {number(s.attached)} {unit}."
    )


def _masses(report: ReductionReport) -> str:
    masses = report.masses
    assert masses is not None  # noqa: S101  # asked before
    rows = [
        [str(i + 1), number(f), *(f"{100 * v:.2f}" for v in row)]
        for i, (f, row) in enumerate(zip(masses.frequencies, masses.fractions, strict=True))
    ]
    rows.append(_bold(["all", "", *(f"{100 * v:.2f}" for v in masses.sums)]))
    if masses.attainable is not None:
        rows.append(["possible", "", *(f"{100 * v:.2f}" for v in masses.attainable)])
    header = ("Mode", f"Frequency [{escape(frequency_unit(report))}]", *DIRECTIONS)
    text = (
        "In per cent of the mass (x, y, z) and of the moments of inertia about the centre of mass, for modes with all "
        "interfaces held. What is missing to 100 moves with the interfaces or is in modes that are left out"
        + (": all modes together have what is possible." if masses.attainable is not None else ".")
    )
    return _paragraph(text) + html_table(header, rows, numeric=range(8), css="wide")


def _bold(cells: Iterable[str]) -> list[str]:
    return [f"<strong>{cell}</strong>" if cell else "" for cell in cells]


def _inertia(report: ReductionReport) -> str:
    inertia = report.inertia
    assert inertia is not None  # noqa: S101  # asked before

    def row(name: str, values: Sequence[float]) -> list[str]:
        return [name, *(number(v) for v in values), *("" for _ in range(3 - len(values)))]

    rows = [row("Mass", [inertia.mass]), row("Centre of mass", inertia.centre)]
    rows += [row(f"Inertia tensor {'xyz'[k]}", inertia.tensor[k]) for k in range(3)]
    source = "elements" if inertia.exact else "nodes"
    return html_table(("", "x", "y", "z"), rows, numeric=(1, 2, 3)) + _paragraph(
        f"From the {source}, tensor about the centre of mass. The mass matrix gives a mass that differs by "
        f"{number(inertia.mass_error, 2)} and a tensor that differs by {number(inertia.tensor_error, 2)}."
    )


def _provenance(report: ReductionReport) -> str:
    shown = [(k.removesuffix(" [s]"), seconds(float(v))) for k, v in report.provenance.items() if k.endswith(" [s]")]
    own = [(f"report: {k.removesuffix(' [s]')}", seconds(v)) for k, v in report.times.items()]
    others = [(k, v) for k, v in report.provenance.items() if not k.endswith(" [s]") and k != "origin"]
    made = [(k, v) for k, v in versions().items() if k in ("python", "numpy", "scipy", "scikit-sparse")]
    return definition_list([*others, *shown, *own, ("report by", report.made_by), *made])
