"""Known answers: cases with independent references, the runner that measures them, and the report.

A `Case` is at once a test, an entry of ``flexmbs verify`` and a page of the report. This room stands above the engine
and below the command line; nothing in the engine imports it.
"""

from __future__ import annotations

if __name__ != "flexmbs.verification":
    raise ImportError(f"import flexmbs.verification, not {__name__}: a second copy of every class would be made.")

from flexmbs.verification.case import Case, CaseEntry, Progress
from flexmbs.verification.outcome import ConvergenceStudy, Measured, Outcome, Reference, Table, Tolerance
from flexmbs.verification.runner import CaseResult, Listener, VerificationRun, run_case, run_cases

__all__ = [
    "Case",
    "CaseEntry",
    "CaseResult",
    "ConvergenceStudy",
    "Listener",
    "Measured",
    "Outcome",
    "Progress",
    "Reference",
    "Table",
    "Tolerance",
    "VerificationRun",
    "run_case",
    "run_cases",
]
