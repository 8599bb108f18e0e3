"""Prescribed motions over time: ramps, sines, splines, trapezoidal profiles, functions."""

from __future__ import annotations

from flexmbs.core import facade as _facade
from flexmbs.model.motions.curves import Constant as Constant
from flexmbs.model.motions.curves import Linear as Linear
from flexmbs.model.motions.curves import Ramp as Ramp
from flexmbs.model.motions.curves import Sine as Sine
from flexmbs.model.motions.curves import Spline as Spline
from flexmbs.model.motions.curves import Sum as Sum
from flexmbs.model.motions.functions import Function as Function
from flexmbs.model.motions.functions import as_motion as as_motion
from flexmbs.model.motions.trapezoid import Trapezoid as Trapezoid
from flexmbs.model.motions.values import motion_at as motion_at

_facade.gather(globals())
