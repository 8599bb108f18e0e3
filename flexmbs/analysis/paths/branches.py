r"""The first points of a branch beside a simple bifurcation.

The primary path goes through the bifurcation :math:`y_0` along its tangent t; the kernel has one direction more,
:math:`\varphi`. On the plane :math:`w\cdot(y - y_0) = \varepsilon`, with w the part of :math:`\varphi` across t, the
primary path has no point, so that Newton's method from :math:`y_0 + \varepsilon w` finds the branch, whatever its
slope there; :math:`-\varepsilon` finds its other side.
"""

from __future__ import annotations

import numpy as np

from flexmbs.analysis.paths.critical import Critical
from flexmbs.analysis.paths.curve import Curve, PathPoint

__all__ = ["beside"]

TRIED = (5e-3, 1e-3, 2e-2, 2e-4, 5e-5)
"""Ways [sizes of the model, root mean square] that are gone along the kernel, one after the other."""
NEAR = 3.0
"""Distance of the first point, by that way, beyond which it belongs to something else."""


def beside(curve: Curve, critical: Critical, side: float) -> PathPoint | None:
    """The first point of the branch on one side (1 or -1), with its tangent away from the bifurcation."""
    at, measure = critical.at, curve.measure
    unit = measure.length(at.tangent, at.rate)
    t, rate = at.tangent / unit, at.rate / unit
    phi = critical.kernel[:, 0] * side
    along = measure.inner(phi, 0.0, t, rate)
    w, drop = phi - along * t, -along * rate
    size = measure.length(w, drop)
    if not size > 0.0:
        return None
    w, drop = w / size, drop / size
    for way in TRIED:
        length = way / measure.far
        curve.recall(at)
        away = at._replace(tangent=w, rate=drop)
        start, p = curve.ahead(away, length)
        found = curve.correct(start, p, (w, drop), length, away)
        if found is None:
            continue
        dx = curve.between(at.point, at.p, found.point)
        if measure.length(dx, found.p - at.p) <= NEAR * length and np.isfinite(found.rate):
            return found
    return None
