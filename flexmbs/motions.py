"""Prescribed motions over time: ramps, sines, splines, functions."""

from __future__ import annotations

from flexmbs.core.calls import explain
from flexmbs.model.motions import Constant, Function, Linear, Ramp, Sine, Spline, Sum, as_motion, motion_at

__all__ = ["Constant", "Function", "Linear", "Ramp", "Sine", "Spline", "Sum", "as_motion", "motion_at"]

explain(globals(), __all__)
