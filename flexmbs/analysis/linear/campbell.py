r"""Campbell diagrams: the roots of a model over its speed, and the speeds at which an excitation meets a root.

At each speed the roots are those of `flexmbs.solve_modal` about the steady motion, followed as branches
(`flexmbs.analysis.linear.branches`). A speed is critical for the order p where :math:`|\mathrm{Im}\,s(\Omega)| = p\,
\Omega`; from the change of sign between two speeds it is found by Brent's method with the model at speeds in between,
to 1e-10 of its value. For the order 0 it is also one at which a real root passes zero.
"""

from __future__ import annotations

import itertools
import re
import warnings
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np
from scipy.optimize import brentq

from flexmbs.analysis.linear.branches import Branches, modes_of, next_branches
from flexmbs.analysis.linear.speeds import SpinningModel, as_speeds
from flexmbs.analysis.steady_motion import name_of_frame
from flexmbs.core.checks import as_array, as_count
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import AccuracyWarning, ModelError
from flexmbs.model.model import Model
from flexmbs.results.campbell import CampbellDiagram, CriticalSpeed
from flexmbs.system.system import System

__all__ = ["campbell"]

NEAR = 1e-3
"""Part of an interval to which a speed is found before it is asked whether a branch meets the line there."""
MET = 0.02
"""Distance of a branch from the line that it meets, over that at the speeds beside."""
HALVINGS = 6
"""How often an interval is halved in which a branch jumps over the line."""
ZERO = 1e-3
"""Size, relative to the other roots, of one that passes zero."""
CLOSE = 1e-10
"""Relative accuracy of critical speeds."""


def campbell(
    model: Callable[[float], Model | System] | Model | System,
    speeds: Sequence[float] | FloatArray,
    modes: int = 8,
    orders: Sequence[float] | None = None,
) -> CampbellDiagram:
    r"""Campbell diagram: natural frequencies over the speed as branches, with sense of whirl, and critical speeds.

    Parameters
    ----------
    model : function of the speed [rad/time] that returns a Model, or Model
        Each model must be in a steady motion at its start, as `solve_modal` treats it: a spinning rotor, a blade on a
        driven hub. Of a single model all initial velocities are scaled, so that what turns fastest has the speed; one
        with drivers has to be a function.
    speeds : (n,) array
        Ascending, not negative [rad/time]. Speed zero is the state of rest.
    modes : int, default 8
        Branches that are followed: those of the lowest roots at the lowest speed above zero, rigid motions left out.
    orders : sequence of float, optional
        Excitations of the frequency order x speed whose critical speeds are located. The default is 1 (unbalance) in
        inertial axes; 0 (unbalance, divergence) and 1 (forces fixed in space) in axes that turn.

    Returns
    -------
    CampbellDiagram

    Raises
    ------
    ModelError
        If a state is not steady, nobody sees constant matrices (the message names Floquet; see `flexmbs.floquet`),
        the frame changes with the speed, or the speeds are no ascending list.

    Notes
    -----
    Bearings that are stiffer one way than the other are a `Bushing` (or springs) with the fixed marker first: its axes
    are those of the first marker. In such bearings whirl is along ellipses and unbalance excites backward modes too.
    Steps over the speed are halved where branches are not told apart by their modes. Two crossings of one line between
    two neighbouring speeds are not seen.

    Examples
    --------
    A disc on a massless shaft in its middle (Laval, Jeffcott): the critical speed is sqrt(k / m) = 100 rad/s.

    >>> import flexmbs as fx
    >>> disc = fx.RigidBody(10.0, (0.2, 0.1, 0.1), angular_velocity=(50, 0, 0), name="disc")
    >>> bearing = fx.Bushing(fx.ground, disc, (1e6, 1e5, 1e5, 0, 4e3, 4e3), at=(0, 0, 0))
    >>> diagram = fx.campbell(fx.Model(disc, bearing), speeds=[0, 60, 120, 180], modes=5)
    >>> diagram.critical(whirl="forward").round(6).tolist()
    [100.0]
    """
    values = as_speeds("campbell", speeds)
    count = as_count("campbell", "modes", modes, minimum=1)
    wanted = None if orders is None else tuple(as_array("campbell", "orders", orders, (None,)).tolist())
    spinning = SpinningModel.of("campbell", model)
    frames: dict[str, float] = {}
    size: list[float] = []

    told: dict[str, tuple[float, Any]] = {}

    @cache
    def at(speed: float) -> Branches:
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            point = spinning.at(speed)
        for warned in seen:  # each kind is told once, of the highest speed
            kind = re.sub(r"[-+.\de]*\d", "#", str(warned.message))
            if kind not in told or told[kind][0] < speed:
                told[kind] = speed, warned.message
        if point.seen_by is not None:
            frames.setdefault(name_of_frame(point.dyn, point.state, point.seen_by), speed)
            if len(frames) > 1:
                (one, there), (other, here) = frames.items()
                raise ModelError(
                    f"campbell: the roots are constant in axes of {one!r} at speed {there:g} and of {other!r} at "
                    f"{here:g}; make two diagrams."
                )
        return modes_of(point, count, f"campbell, speed {speed:g}", size[0] if size else None)

    first = int(values[0] == 0.0)
    start = at(values[first])
    start = start.some(np.arange(min(count, len(start.s))))
    if not len(start.s):
        raise ModelError(f"campbell, speed {values[first]:g}: nothing vibrates.")
    size.append(float(np.median(np.abs(start.s))))
    found = {first: start}
    for k in range(first + 1, len(values)):
        found[k] = next_branches(found[k - 1], values[k - 1], values[k], at)
    if first:
        found[0] = next_branches(start, values[1], values[0], at)
    frame = next(iter(frames), "inertial")
    chosen = wanted if wanted is not None else (1.0,) if frame == "inertial" else (0.0, 1.0)
    columns = [found[k] for k in range(len(values))]
    lost: list[tuple[float, float]] = []
    critical = [c for order in chosen for c in _critical(values, columns, order, at, lost)]
    for _, message in told.values():
        warnings.warn(message, stacklevel=3)
    for speed, order in lost:
        warnings.warn(
            f"campbell: near speed {speed:.4g} a branch cannot be told from another one, so that a critical speed of "
            f"order {order:g} may be there that is not found. Give more speeds about it.",
            AccuracyWarning,
            stacklevel=3,
        )
    roots, whirl = np.array([b.s for b in columns]), np.array([b.whirl for b in columns])
    against = (whirl == "backward").sum(axis=0) > (whirl == "forward").sum(axis=0)
    mean = np.mean(roots.imag, axis=0)
    flipped = np.where(against, mean > 0.0, mean < 0.0)
    return CampbellDiagram(
        speeds=values,
        roots=np.where(flipped, roots.conj(), roots),
        whirl=whirl,
        frame=frame,
        orders=chosen,
        critical_speeds=tuple(sorted(critical)),
        unit_of_time=start.point.dyn.system.model.units.time,
    )


def _critical(
    speeds: FloatArray, columns: list[Branches], order: float, at: Callable[[float], Branches],
    lost: list[tuple[float, float]],
) -> list[CriticalSpeed]:  # fmt: skip
    """Where branches meet the line of an order, between speeds or at one."""
    found = []
    for k in range(len(speeds) - 1):
        begin, end = (float(speeds[k]), columns[k]), (float(speeds[k + 1]), columns[k + 1])
        met = _between(begin, end, order, at, lost)
        if order == 0.0:
            through = [c for c in met if c.root.imag == 0.0]
            stops = sorted({begin[0], end[0], *(c.speed for c in through)})
            met = [c for c in met if c not in through]
            for one, other in itertools.pairwise(stops):
                met += _divergence(one, other, begin, at)
        found += met
    return found


def _divergence(
    first: float, last: float, known: tuple[float, Branches], at: Callable[[float], Branches]
) -> list[CriticalSpeed]:
    """Where a root passes zero, and growth without vibration begins or ends.

    What stands still in the axes of the roots, such as unbalance, finds no stiffness at such a speed. A pair of roots
    of a rotor that is not round meets at zero there and is real until the next: imaginary parts do not change sign.
    """

    def leaving(speed: float) -> int:
        s = at(speed).s
        return int(np.sum((s.imag == 0.0) & (s.real > 0.0)))

    begin = leaving(first)
    if begin == leaving(last):
        return []

    sizes = []

    def value(speed: float) -> float:
        sizes.append(float(np.abs(at(speed).s).min(initial=np.inf)))
        square = min(sizes[-1], 1e100) ** 2  # linear where a pair meets at zero
        return square if leaving(speed) == begin else -square

    speed = float(brentq(value, first, last, xtol=CLOSE * max(last, 1e-300), rtol=CLOSE))
    if min(sizes) > ZERO * float(np.median(np.abs(known[1].s))):  # a pair that met elsewhere on the real axis
        return []
    there = next_branches(known[1], known[0], speed, at, halvings=0)
    branch = int(np.argmin(np.abs(there.s)))
    return [CriticalSpeed(speed, 0.0, branch, "", 0j)]


def _gap(s: Any, speed: float, order: float) -> Any:
    return np.imag(s) if order == 0.0 else np.abs(np.imag(s)) - order * speed


def _between(
    begin: tuple[float, Branches], end: tuple[float, Branches], order: float, at: Callable[[float], Branches],
    lost: list[tuple[float, float]], halvings: int = HALVINGS,
) -> list[CriticalSpeed]:  # fmt: skip
    """The same of one interval. All branches are followed: one alone may be taken for another that it crosses."""
    (first, here), (last, there) = (float(begin[0]), begin[1]), (float(end[0]), end[1])
    before, after = _gap(here.s, first, order), _gap(there.s, last, order)
    known, found = {first: here, last: there}, []
    for j in np.flatnonzero((before * after < 0.0) & ((here.s.imag != 0.0) | (there.s.imag != 0.0))).tolist():

        def value(speed: float, j: int = j) -> float:
            if speed not in known:
                nearest = min(known, key=lambda x: abs(x - speed))
                known[speed] = next_branches(known[nearest], nearest, speed, at)
            return float(_gap(known[speed].s, speed, order)[j])

        speed = float(brentq(value, first, last, xtol=NEAR * (last - first)))
        if abs(value(speed)) <= MET * max(abs(before[j]), abs(after[j])):
            speed = float(brentq(value, first, last, xtol=CLOSE * max(last, 1e-300), rtol=CLOSE))
            value(speed)
        else:  # it jumps over the line
            if not halvings:
                lost.append((speed, order))
                continue
            middle = 0.5 * (first + last)
            half = middle, next_branches(here, first, middle, at)
            sides = ((first, here), half), (half, (last, next_branches(half[1], middle, last, at)))
            return [c for one, other in sides for c in _between(one, other, order, at, lost, halvings - 1)]
        met = known[speed]
        found.append(CriticalSpeed(speed, order, j, str(met.whirl[j]), complex(met.s[j])))
    for j in np.flatnonzero((after == 0.0) & (there.s.imag != 0.0)).tolist():
        found.append(CriticalSpeed(last, order, j, str(there.whirl[j]), complex(there.s[j])))
    return found
