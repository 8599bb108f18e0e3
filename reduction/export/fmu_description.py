"""The descriptions of functional mock-up units (FMU): modelDescription.xml of FMI 2.0 and 3.0, and a page in words."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any
from xml.etree import ElementTree

import numpy as np

from flexmbs.core.info import version
from flexmbs.reduction.export.fmu_variables import Unit, Variable
from flexmbs.reduction.export.linear_system import LinearSystem

__all__ = ["build_description", "description_2", "description_3", "page"]

Node = ElementTree.Element


def description_2(
    system: LinearSystem,
    name: str,
    table: Sequence[Variable],
    units: Mapping[str, Unit],
    token: str,
    files: Sequence[str],
) -> str:
    """modelDescription.xml of FMI 2.0."""
    root = Node(
        "fmiModelDescription", {"fmiVersion": "2.0", **_head(system, "guid", token), "numberOfEventIndicators": "0"}
    )
    able = {"canGetAndSetFMUstate": "true", "canSerializeFMUstate": "true", "providesDirectionalDerivative": "true"}
    for kind in ("ModelExchange", "CoSimulation"):
        more = {"canHandleVariableCommunicationStepSize": "true"} if kind == "CoSimulation" else {}
        node = _sub(root, kind, modelIdentifier=name, **able, **more)
        sources = _sub(node, "SourceFiles")
        for file in files:
            _sub(sources, "File", name=file)
    _units(root, units)
    _sub(_sub(root, "LogCategories"), "Category", name="logStatusError")
    _sub(root, "DefaultExperiment", **_experiment(system))
    listed = _sub(root, "ModelVariables")
    for reference, v in enumerate(table):
        node = _sub(
            listed, "ScalarVariable", name=v.name, valueReference=str(reference), description=v.description,
            causality=_causality(v), variability="continuous", **_initial(v),
        )  # fmt: skip
        real = _sub(node, "Real", **_unit(v, units))
        if v.kind in ("input", "state"):
            real.set("start", "0")
        if v.kind == "derivative":
            real.set("derivative", str(v.of + 1))
    structure = _sub(root, "ModelStructure")
    known = _known(table)
    for kind, group in (("output", "Outputs"), ("derivative", "Derivatives")):
        node = _sub(structure, group)
        for reference, depends in _dependencies(system, table, known, kind):
            _sub(node, "Unknown", index=str(reference + 1), dependencies=" ".join(str(d + 1) for d in depends))
        if not len(node):
            structure.remove(node)
    node = _sub(structure, "InitialUnknowns")
    for reference, v in enumerate(table):
        if v.kind in ("output", "derivative"):
            _sub(node, "Unknown", index=str(reference + 1))
    return _text(root)


def description_3(
    system: LinearSystem, name: str, table: Sequence[Variable], units: Mapping[str, Unit], token: str
) -> str:
    """modelDescription.xml of FMI 3.0."""
    root = Node("fmiModelDescription", {"fmiVersion": "3.0", **_head(system, "instantiationToken", token)})
    able = {"canGetAndSetFMUState": "true", "canSerializeFMUState": "true", "providesDirectionalDerivatives": "true"}
    _sub(root, "ModelExchange", modelIdentifier=name, **able)
    _sub(root, "CoSimulation", modelIdentifier=name, canHandleVariableCommunicationStepSize="true", **able)
    _units(root, units)
    _sub(_sub(root, "LogCategories"), "Category", name="logStatusError")
    _sub(root, "DefaultExperiment", **_experiment(system))
    listed = _sub(root, "ModelVariables")
    for reference, v in enumerate(table):
        node = _sub(
            listed, "Float64", name=v.name, valueReference=str(reference), description=v.description,
            causality=_causality(v), variability="continuous", **_initial(v), **_unit(v, units),
        )  # fmt: skip
        if v.kind in ("input", "state"):
            node.set("start", " ".join(["0"] * v.size))
        if v.kind == "derivative":
            node.set("derivative", str(v.of))
        if v.kind != "time":
            _sub(node, "Dimension", start=str(v.size))
    structure = _sub(root, "ModelStructure")
    known = _known(table)
    for kind, tag in (("output", "Output"), ("derivative", "ContinuousStateDerivative")):
        for reference, depends in _dependencies(system, table, known, kind):
            _sub(structure, tag, valueReference=str(reference), dependencies=" ".join(map(str, depends)))
    for reference, v in enumerate(table):
        if v.kind in ("output", "derivative"):
            _sub(structure, "InitialUnknown", valueReference=str(reference))
    return _text(root)


def build_description(name: str, files: Sequence[str]) -> str:
    """sources/buildDescription.xml of FMI 3.0."""
    root = Node("fmiBuildDescription", {"fmiVersion": "3.0"})
    sources = _sub(_sub(root, "BuildConfiguration", modelIdentifier=name), "SourceFileSet", language="C99")
    for file in files:
        _sub(sources, "SourceFile", name=file)
    return _text(root)


def page(system: LinearSystem, table: Sequence[Variable], units: Mapping[str, Unit], losses: Sequence[str]) -> str:
    """documentation/index.html: inputs and outputs in words, and what was left out."""
    rows = []
    for v in table:
        if v.kind in ("input", "output"):
            unit = units[v.quantity].name if v.quantity in units else ""
            size = f"[{v.size}]" if v.size > 1 else ""
            cells = (v.name + size, v.kind, v.description, unit)
            rows.append("<tr>" + "".join(f"<td>{html.escape(printable(c))}</td>" for c in cells) + "</tr>")
    title = html.escape(printable(system.name))
    lost = "".join(f"<li>{html.escape(text)}</li>" for text in losses) or "<li>nothing</li>"
    return (
        f'<!DOCTYPE html>\n<html lang="en"><meta charset="utf-8"><title>{title}</title>\n'
        f"<h1>{title}</h1>\n<p>A linear system of {system.n_states} states, written by flexmbs "
        f"{version()}. In co-simulation, inputs are held during a step, and the step is exact.</p>\n"
        f"<table><tr><th>name<th>kind<th>what<th>unit</tr>\n{chr(10).join(rows)}\n</table>\n"
        f"<p>What the model has and this unit does not:</p><ul>{lost}</ul>\n</html>\n"
    )


def _head(system: LinearSystem, token_name: str, token: str) -> dict[str, str]:
    lost = f"; without {', '.join(system.losses)}" if system.losses else ""
    return {
        "modelName": printable(system.name),
        token_name: token,
        "description": f"Linear system of {system.n_states} states{lost}",
        "generationTool": f"flexmbs {version()}",
        "generationDateAndTime": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "variableNamingConvention": "structured",
    }


def _experiment(system: LinearSystem) -> dict[str, str]:
    """A few periods of the slowest oscillation, in steps of a fiftieth of it."""
    elastic = system.stiffness[system.stiffness > 1e-9 * system.stiffness.max(initial=0.0)]
    period = 2.0 * np.pi / float(np.sqrt(elastic.min())) if len(elastic) else 1.0
    rounded = 10.0 ** np.floor(np.log10(period))
    return {"startTime": "0", "stopTime": f"{10 * rounded:.17g}", "stepSize": f"{rounded / 50:.17g}"}


def _causality(v: Variable) -> str:
    return {"time": "independent", "input": "input", "output": "output"}.get(v.kind, "local")


def _initial(v: Variable) -> dict[str, str]:
    return {"output": {"initial": "calculated"}, "state": {"initial": "exact"},
            "derivative": {"initial": "calculated"}}.get(v.kind, {})  # fmt: skip


def _unit(v: Variable, units: Mapping[str, Unit]) -> dict[str, str]:
    return {"unit": units[v.quantity].name} if v.quantity in units and v.kind in ("time", "input", "output") else {}


def _units(root: Node, units: Mapping[str, Unit]) -> None:
    """Each unit once."""
    if not units:
        return
    node = _sub(root, "UnitDefinitions")
    for unit in {u.name: u for u in units.values()}.values():
        base = {key: str(getattr(unit, key)) for key in ("kg", "m", "s") if getattr(unit, key)}
        if unit.factor != 1.0:
            base["factor"] = repr(unit.factor)
        if unit.name.startswith("rad"):
            base["rad"] = "1"
        _sub(_sub(node, "Unit", name=unit.name), "BaseUnit", **base)


def _known(table: Sequence[Variable]) -> list[tuple[int, Variable]]:
    """Value references of what others may depend on."""
    return [(reference, v) for reference, v in enumerate(table) if v.kind in ("input", "state")]


def _dependencies(
    system: LinearSystem, table: Sequence[Variable], known: Sequence[tuple[int, Variable]], kind: str
) -> list[tuple[int, list[int]]]:
    """What each output, or each derivative, depends on."""
    A, B, C, F = system.first_order()
    states, inputs = (C, F) if kind == "output" else (A, B)
    blocks = {"state": states != 0.0, "input": inputs != 0.0}
    out = []
    for reference, v in enumerate(table):
        if v.kind == kind:
            rows = slice(v.first, v.first + v.size)
            depends = [r for r, w in known if blocks[w.kind][rows, w.first : w.first + w.size].any()]
            out.append((reference, depends))
    return out


def _sub(parent: Node, tag: str, **attributes: Any) -> Node:
    return ElementTree.SubElement(parent, tag, {key: printable(value) for key, value in attributes.items()})


def printable(text: str) -> str:
    """Without characters that XML does not allow."""
    return "".join(c if c.isprintable() else " " for c in text)


def _text(root: Node) -> str:
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"
