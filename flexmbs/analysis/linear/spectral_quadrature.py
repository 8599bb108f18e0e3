r"""Integrals over the frequency of :math:`|H(2\pi i f)|^2 G(f)`, with a checked error.

Panels in log f, in which straight lines of a table in log-log scales are exponentials, end at its points, at the poles
and at distances from these that grow geometrically from their widths; of no panel the ends are farther apart than
``RATIO``. In each are the 15 points of Kronrod's rule, with Gauss' 7 among them. Panels in which the two differ are
halved until the sum of the differences is small for every output. Kronrod's values, which are returned, are closer.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ConvergenceError

if TYPE_CHECKING:
    from flexmbs.analysis.linear.spectra import TableSpectrum
    from flexmbs.analysis.linear_model import LinearModel

__all__ = ["mean_squares_of_table"]

NODES = np.array([
    0.991455371120812639, 0.949107912342758525, 0.864864423359769073, 0.741531185599394440,
    0.586087235467691130, 0.405845151377397167, 0.207784955007898468, 0.0,
])  # fmt: skip
"""Of Kronrod's rule on [-1, 1], those above zero; every second one, from the second, is Gauss'."""
KRONROD = np.array([
    0.022935322010529225, 0.063092092629978553, 0.104790010322250184, 0.140653259715525919,
    0.169004726639267903, 0.190350578064785410, 0.204432940075298892, 0.209482141084727828,
])  # fmt: skip
GAUSS = np.array([0.129484966168869693, 0.279705391489276668, 0.381830050505118945, 0.417959183673469388])

RATIO = 4.0
"""Of the ends of a panel at most, and of the distances from a pole at which panels end."""
ERROR = 1e-8
"""Sum of the differences of the two rules, relative to the integral."""
ROUND_OFF = 1e-11
"""Of an output, relative to the sum of the sizes of what it is added up from; it cannot be told from zero below."""
HALVINGS = 50
PANELS = 100_000
"""That are halved at once, at most."""
BLOCK = 256
"""Panels whose states are in memory at once."""


def mean_squares_of_table(linear: LinearModel, j: int, table: TableSpectrum) -> tuple[FloatArray, FloatArray]:
    """Mean squares (n_y,) of the outputs and of their rates under a table of input j, within its range.

    Raises
    ------
    ConvergenceError
        If the rules keep differing, as in a range so narrow that rounding shows.
    """
    n_y, n = linear.C.shape
    of_states = replace(linear.part(j), C=np.eye(n), D=np.zeros((n, 1)))
    total, unsure = np.zeros((4, n_y)), np.zeros((4, n_y))
    start, width = _panels(linear, table)
    for _ in range(HALVINGS):
        found, gauss = _rules(linear, of_states, j, table, start, width)
        off = np.abs(found - gauss)
        everything = total + found.sum(axis=0)
        squares, sizes = everything[:2], everything[2:]
        allowed = np.sqrt(squares) * (ERROR * np.sqrt(squares) + ROUND_OFF * np.sqrt(sizes)) + ROUND_OFF**2 * sizes
        # Half of what is allowed for the panels of this round, the other half for those of all rounds after it.
        share = 0.5 * (allowed - unsure[:2]) / len(start)
        poor = np.any(off[:, :2] > share, axis=(1, 2))
        total, unsure = total + found[~poor].sum(axis=0), unsure + off[~poor].sum(axis=0)
        if not poor.any():
            return total[0], total[1]
        name = linear.outputs[int(np.any(off[:, :2] > share, axis=(0, 1)).argmax())]
        near = float(start[poor][0])
        if poor.sum() > PANELS:
            break
        half = 0.5 * width[poor]
        start, width = np.concatenate((start[poor], start[poor] * np.exp(half))), np.concatenate((half, half))
    raise ConvergenceError(
        f"random: the mean square of the output {name!r} under the table of the input {linear.inputs[j]!r} does not "
        f"converge near {near:.6g} 1/time, where the response is known with round-off only; widen the table, raise "
        f"the damping, or leave this output out with part(outputs=...)."
    )


def _panels(linear: LinearModel, table: TableSpectrum) -> tuple[FloatArray, FloatArray]:
    """Lower ends, and widths in log f, of panels to begin with."""
    known = np.asarray(table.frequencies)
    low, high = float(known[0]), float(known[-1])
    marks = [known, np.geomspace(low, high, 1 + int(np.ceil(np.log(high / low) / np.log(RATIO))))]
    for s in linear.poles[linear.poles != 0.0]:  # near integrals the grid of the range is as fine
        centre, width = abs(s.imag) / (2.0 * np.pi), abs(s.real) / (2.0 * np.pi)
        # Beyond the distance of the centre from zero the grid of the range is as fine.
        away = width * RATIO ** np.arange(1 + np.ceil(np.log(max(centre / width, 1.0)) / np.log(RATIO)))
        marks += [np.array([centre]), centre - away, centre + away]
    ends = np.unique(np.concatenate(marks))
    ends = ends[(ends >= low) & (ends <= high)]
    # Not the difference of two logarithms, of which narrow panels would lose digits.
    return ends[:-1], np.log1p(np.diff(ends) / ends[:-1])


def _rules(
    linear: LinearModel, of_states: LinearModel, j: int, table: TableSpectrum, start: FloatArray, width: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Integrals (n_p, 4, n_y) over panels by Kronrod's and by Gauss' rule.

    Of the outputs squared, of their rates squared, and of both if all that is added up had one sign.
    """
    x = np.concatenate((-NODES, NODES[-2::-1]))
    kronrod, gauss = np.concatenate((KRONROD, KRONROD[-2::-1])), np.zeros(len(x))
    gauss[1::2] = np.concatenate((GAUSS, GAUSS[-2::-1]))
    found, check = [], []
    for i in range(0, len(start), BLOCK):
        half = 0.5 * width[i : i + BLOCK, None]
        f = start[i : i + BLOCK, None] * np.exp(half * (1.0 + x))
        states = of_states.transfer(2.0 * np.pi * f.ravel())[:, :, 0]
        density = (half * f * table(f)).ravel()[:, None]
        y = np.abs(states @ linear.C.T + linear.D[:, j]) ** 2 * density
        size = (np.abs(states) @ np.abs(linear.C.T) + np.abs(linear.D[:, j])) ** 2 * density
        rate = (2.0 * np.pi * f.ravel()[:, None]) ** 2
        all_four = np.stack((y, rate * y, size, rate * size), axis=1).reshape(*f.shape, 4, -1)
        found.append(np.einsum("x,pxij->pij", kronrod, all_four))
        check.append(np.einsum("x,pxij->pij", gauss, all_four))
    return np.concatenate(found), np.concatenate(check)
