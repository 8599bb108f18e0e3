"""Analyses: functions of a model (or a compiled system) and options, which return a `flexmbs.solution.Solution`."""

from __future__ import annotations

from flexmbs.analysis.modal import Modes, solve_modal
from flexmbs.analysis.static import StaticOptions, solve_static

__all__ = ["Modes", "StaticOptions", "solve_modal", "solve_static"]
