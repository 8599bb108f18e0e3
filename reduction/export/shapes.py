"""Mode shapes of a reduced model at places, for formats that show them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from flexmbs.core.checks import as_count
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError
from flexmbs.reduction.model import ReducedModel

__all__ = ["mode_shapes"]

RIGID = 1e-10
"""Squared frequencies below this part of the largest are those of rigid motions, and shown as zero."""


def mode_shapes(
    what: str, model: ReducedModel, fixed: str | Sequence[str], modes: int | None
) -> tuple[FloatArray, FloatArray]:
    """Frequencies (k,) [1/time] and mass-normalised shapes (m, k) with interfaces held, from the lowest.

    Raises
    ------
    ModelError
        If an interface is unknown, or there are fewer modes.
    """
    names = [fixed] if isinstance(fixed, str) else list(fixed)
    values, vectors = model.modes([model.joined(name).name for name in names])
    owner = f"{what} of {model.name!r}"
    kept = len(values) if modes is None else as_count(owner, "modes", modes, minimum=1)
    if kept > len(values):
        raise ModelError(f"{owner}: {kept} modes were asked for, but there are {len(values)}.")
    values = np.where(np.abs(values) < RIGID * np.abs(values).max(initial=0.0), 0.0, values)
    return np.sqrt(np.maximum(values[:kept], 0.0)) / (2.0 * np.pi), vectors[:, :kept]
