"""A run of verification cases as JSON: numbers, statuses and versions, for machines.

NaN and infinities, which JSON has not, are written as null.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

from flexmbs.core.info import version, versions

if TYPE_CHECKING:
    from flexmbs.verification.outcome import ConvergenceStudy, Measured
    from flexmbs.verification.runner import CaseResult, VerificationRun

__all__ = ["run_to_dict", "write_json"]


def write_json(run: VerificationRun, path: str | Path) -> Path:
    """Write a run to a file; folders on the way are made."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(run_to_dict(run), indent=1, allow_nan=False) + "\n", encoding="utf-8")
    return path


def run_to_dict(run: VerificationRun) -> dict[str, Any]:
    """A run as dictionaries, lists, texts and finite numbers.

    The key ``cases`` holds a list with, per case: ``id``, ``title``, ``area``, ``status``, ``wall_s`` and its part
    ``compile_s``, ``quantities`` (errors and tolerances absolute, in the unit of the quantity) and ``convergence``.
    """
    return {
        "flexmbs": version(),
        "versions": versions(),
        "started": run.started,
        "wall_s": round(run.wall_s, 4),
        "compile_s": round(sum(result.compile_s for result in run.results), 4),
        "jobs": run.jobs,
        "interrupted": run.interrupted,
        "not_run": [entry.id for entry in run.not_run],
        "summary": {"pass": run.count("pass"), "fail": run.count("fail"), "error": run.count("error")},
        "cases": [_case(result) for result in run.results],
    }


def _case(result: CaseResult) -> dict[str, Any]:
    """One case."""
    return {
        "id": result.entry.id,
        "title": result.entry.title,
        "area": result.entry.area,
        "slow": result.entry.slow,
        "basic": result.entry.basic,
        "status": result.status,
        "wall_s": round(result.wall_s, 4),
        "compile_s": round(result.compile_s, 4),
        "quantities": [_quantity(quantity) for quantity in result.quantities],
        "convergence": [_study(study) for study in result.convergence],
        "tables": [
            {"title": t.title, "header": list(t.header), "rows": [[_plain(entry) for entry in row] for row in t.rows]}
            for t in result.tables
        ],
        "remarks": list(result.remarks),
        "warnings": list(result.warnings),
        "error": result.error,
        "traceback": result.traceback,
    }


def _quantity(quantity: Measured) -> dict[str, Any]:
    """One quantity."""
    return {
        "name": quantity.name,
        "unit": quantity.unit,
        "value": _plain(quantity.value),
        "reference": quantity.reference.value,
        "source": quantity.reference.source,
        "uncertainty": quantity.reference.uncertainty,
        "error": _plain(quantity.error),
        "tolerance": quantity.allowed,
        "passed": quantity.passed,
    }


def _study(study: ConvergenceStudy) -> dict[str, Any]:
    """One convergence study."""
    return {
        "name": study.name,
        "measured": _plain(study.rate),
        "expected": study.expected,
        "minimum": study.minimum,
        "passed": study.passed,
        "label": study.label,
        "sizes": list(study.sizes),
        "errors": [_plain(error) for error in study.errors],
        "used": list(study.usable),
    }


def _plain(value: object) -> Any:
    """A finite number, a text, a truth value or None."""
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if isinstance(value, int | float | str | bool) or value is None else str(value)
