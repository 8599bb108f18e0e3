"""Root loci: poles of linear models over a parameter or the gain of a feedback, followed as branches.

A branch goes on with the pole whose eigenvector is most alike and which is nearest, in the assignment with the best
sum. What grows is told by real parts without round-off (`flexmbs.analysis.linear.real_parts`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import brentq, linear_sum_assignment

from flexmbs.analysis.linear.real_parts import decided_real_parts
from flexmbs.analysis.linear_model import LinearModel
from flexmbs.analysis.linearise import linearise
from flexmbs.core.checks import as_array, show
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError
from flexmbs.results.root_locus import RootLocus

__all__ = ["root_locus"]


CLOSE = 1e-9
"""Share of an interval to which crossings are located."""


class _Poles(NamedTuple):
    """Poles, their vectors, and the largest real part of a pole that is none of round-off (0 if that decides)."""

    s: Any
    vectors: Any
    growth: float


def root_locus(
    model: Callable[[float], Any], values: Sequence[float] | FloatArray, parameter: str = "parameter"
) -> RootLocus:
    """Poles over a parameter, and the values at which stability is won or lost.

    Parameters
    ----------
    model : function of a number that returns a Model, a solution or a LinearModel
        Models and solutions are linearised (`linearise`).
    values : (n,) array
        Ascending.
    parameter : str
        Its name, for tables and plots.

    Returns
    -------
    RootLocus

    Raises
    ------
    ModelError
        If the values do not ascend, or the number of states changes.

    Notes
    -----
    Crossings are located to 1e-9 of the interval between two values. Poles that rest (free motions, vibrations without
    damping) do not grow: a crossing is where some pole begins to, or ceases to. Two within an interval are not seen.

    Examples
    --------
    An inverted pendulum on a torsion spring stands where k > m g l = 9.81.

    >>> import flexmbs as fx
    >>> def upright(k):
    ...     bar = fx.PlanarRigidBody(1.0, 0.1, position=(0, 1), name="bar")
    ...     pin = fx.RevoluteJoint(fx.ground, bar, at=(0, 0), name="pin")
    ...     spring = fx.TorsionSpring(pin, stiffness=k, damping=0.3)
    ...     return fx.Model(bar, pin, spring, fx.Gravity((0, -9.81)))
    >>> fx.root_locus(upright, [5.0, 8.0, 12.0], "k").crossings.round(6).tolist()
    [9.81]
    """
    if not callable(model):
        raise ModelError(f"root_locus: expected a function of a number, not {show(model)}.")
    x = as_array("root_locus", "values", values, (None,))
    if len(x) < 2 or np.any(np.diff(x) <= 0.0):
        raise ModelError(f"root_locus: values must ascend, and there must be two or more, not {show(x.tolist())}.")

    def poles(value: float) -> _Poles:
        made = model(float(value))
        linear = made if isinstance(made, LinearModel) else linearise(made)
        s, vectors = np.linalg.eig(linear.A)
        order = np.argsort(np.abs(s), kind="stable")
        return _Poles(s[order], vectors[:, order], float(decided_real_parts(linear.A).max(initial=-np.inf)))

    found = [poles(value) for value in x]
    sizes = {len(p.s) for p in found}
    if len(sizes) > 1:
        raise ModelError(f"root_locus: the number of states changes with {parameter}: {sorted(sizes)}.")
    for k in range(1, len(found)):
        found[k] = _continued(found[k - 1], found[k])
    roots = np.array([p.s for p in found])
    growth = np.array([p.growth for p in found])
    crossings = _crossings(x, growth, lambda value: poles(value).growth)
    return RootLocus(values=x, roots=roots, growth=growth, crossings=crossings, parameter=parameter)


def _continued(here: _Poles, there: _Poles) -> _Poles:
    """Poles in the order of those before."""
    alike = np.abs(here.vectors.conj().T @ there.vectors)
    size = max(float(np.abs(there.s).max(initial=0.0)), 1e-300)
    apart = np.abs(here.s[:, None] - there.s) / (np.abs(here.s[:, None]) + np.abs(there.s) + 1e-9 * size)
    _, order = linear_sum_assignment(2.0 * apart - alike)
    return there._replace(s=there.s[order], vectors=there.vectors[:, order])


def _crossings(x: FloatArray, growth: FloatArray, of: Callable[[float], float]) -> FloatArray:
    """Where poles begin to grow, or cease to."""
    found = []
    for k in np.flatnonzero((growth[1:] > 0.0) != (growth[:-1] > 0.0)):
        a, b = float(x[k]), float(x[k + 1])
        if growth[k] * growth[k + 1] < 0.0:
            found.append(float(brentq(of, a, b, xtol=CLOSE * (b - a), rtol=1e-12)))
            continue
        begins, least = growth[k + 1] > 0.0, CLOSE * (b - a)
        while b - a > least:
            middle = 0.5 * (a + b)
            a, b = (a, middle) if (of(middle) > 0.0) == begins else (middle, b)
        found.append(a if begins else b)
    return np.array(found)
