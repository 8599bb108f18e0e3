"""Prescribed motions over time: ramps, sines, splines, trapezoidal profiles, functions."""

from __future__ import annotations

from flexmbs.core import facade as _facade
from flexmbs.model.motion_values import motion_at as motion_at
from flexmbs.model.motions import Constant as Constant
from flexmbs.model.motions import Function as Function
from flexmbs.model.motions import Linear as Linear
from flexmbs.model.motions import Ramp as Ramp
from flexmbs.model.motions import Sine as Sine
from flexmbs.model.motions import Spline as Spline
from flexmbs.model.motions import Sum as Sum
from flexmbs.model.motions import as_motion as as_motion
from flexmbs.model.trapezoid import Trapezoid as Trapezoid

_facade.gather(globals())
