"""Analyses: functions of a model (or a compiled system) and options, which return results (`flexmbs.results`)."""

from __future__ import annotations

from flexmbs.analysis.modal import solve_modal
from flexmbs.analysis.static import solve_static
from flexmbs.results.static_options import StaticOptions

__all__ = ["StaticOptions", "solve_modal", "solve_static"]
