"""Kalker's coefficients of the linear theory of rolling contact on an ellipse."""

from __future__ import annotations

import numpy as np

from flexmbs.core.checks import as_number
from flexmbs.core.errors import ModelError

__all__ = ["kalker_coefficients"]

POISSON = (0.0, 0.25, 0.5)
NARROW = np.arange(1, 11) / 10.0  # a/b, half length over half width; then b/a falls again
RATIO = np.concatenate((NARROW, 1.0 / NARROW[-2::-1]))
# rows: Poisson's ratio 0, 0.25, 0.5; columns: a/b = 0.1 to 1, b/a = 0.9 to 0.1
C11 = np.array((
    (2.51, 2.59, 2.68, 2.78, 2.88, 2.98, 3.09, 3.19, 3.29, 3.40, 3.51, 3.65, 3.82, 4.06, 4.37, 4.84, 5.57, 6.96, 10.7),
    (3.31, 3.37, 3.44, 3.53, 3.62, 3.72, 3.81, 3.91, 4.01, 4.12, 4.22, 4.36, 4.54, 4.78, 5.10, 5.57, 6.34, 7.78, 11.7),
    (4.85, 4.81, 4.80, 4.82, 4.83, 4.91, 4.97, 5.05, 5.12, 5.20, 5.30, 5.42, 5.58, 5.80, 6.11, 6.57, 7.34, 8.82, 12.9),
))  # fmt: skip
C22 = np.array((
    (2.51, 2.59, 2.68, 2.78, 2.88, 2.98, 3.09, 3.19, 3.29, 3.40, 3.51, 3.65, 3.82, 4.06, 4.37, 4.84, 5.57, 6.96, 10.7),
    (2.52, 2.63, 2.75, 2.88, 3.01, 3.14, 3.28, 3.41, 3.54, 3.67, 3.81, 3.99, 4.21, 4.50, 4.90, 5.48, 6.40, 8.14, 12.8),
    (2.53, 2.66, 2.81, 2.98, 3.14, 3.31, 3.48, 3.65, 3.82, 3.98, 4.16, 4.39, 4.67, 5.04, 5.56, 6.31, 7.51, 9.79, 16.0),
))  # fmt: skip
C23 = np.array((
    (.334, .483, .607, .720, .827, .930, 1.03, 1.13, 1.23, 1.33, 1.44, 1.58, 1.76, 2.01, 2.35, 2.88, 3.79, 5.72, 12.2),
    (.473, .603, .715, .823, .929, 1.03, 1.14, 1.25, 1.36, 1.47, 1.59, 1.75, 1.95, 2.23, 2.62, 3.24, 4.32, 6.63, 14.6),
    (.731, .809, .889, .977, 1.07, 1.18, 1.29, 1.40, 1.51, 1.63, 1.77, 1.94, 2.18, 2.50, 2.96, 3.70, 5.01, 7.89, 18.0),
))  # fmt: skip


def kalker_coefficients(ratio: float, poissons_ratio: float) -> tuple[float, float, float]:
    r"""C11 (along), C22 (across) and C23 (spin) of an elliptic patch.

    For small creep the force on the wheel is :math:`F_x = -G a b\, C_{11}\, \xi` and
    :math:`F_y = -G a b\, C_{22}\, \eta - G (ab)^{3/2} C_{23}\, \phi`.

    Parameters
    ----------
    ratio : float
        a/b, half length along the rolling direction over half width, from 0.1 to 10.
    poissons_ratio : float
        From 0 to 0.5.

    Returns
    -------
    tuple of float
        C11, C22, C23.

    Raises
    ------
    ModelError
        If a number is beyond the table.

    Notes
    -----
    Straight between the entries of the table over log(a/b), a parabola over Poisson's ratio. Three digits are given.

    Source: J. J. Kalker, On the rolling contact of two elastic bodies in the presence of dry friction (Delft, 1967).

    Examples
    --------
    >>> kalker_coefficients(1.0, 0.25)
    (4.12, 3.67, 1.47)
    """
    owner = "kalker_coefficients"
    nu = as_number(owner, "poissons_ratio", poissons_ratio, minimum=0.0, maximum=0.5)
    if not 0.1 <= as_number(owner, "ratio", ratio, above=0.0) <= 10.0 + 1e-9:
        raise ModelError(f"{owner}: a/b = {ratio:.4g} is beyond the table, which goes from 0.1 to 10.")
    weights = [
        float(np.prod([(nu - other) / (mine - other) for other in POISSON if other != mine])) for mine in POISSON
    ]  # fmt: skip
    x = float(np.log(ratio))
    c11, c22, c23 = (float(np.interp(x, np.log(RATIO), np.array(weights) @ table)) for table in (C11, C22, C23))
    return c11, c22, c23
