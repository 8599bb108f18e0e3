"""The gravity of a model, for bodies that apply it in their stages."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.errors import ModelError
from flexmbs.model.forces.distributed import Gravity

if TYPE_CHECKING:
    from flexmbs.model.model import Model

__all__ = ["check_in_space", "gravity_of"]


def check_in_space(what: str, acceleration: FloatArray) -> None:
    """Refuse gravity of the plane on what moves in space."""
    if len(acceleration) != 3:
        raise ModelError(f"Gravity: acceleration has 2 components, but {what} moves in space.")


def gravity_of(model: Model, what: str) -> tuple[IntArray, FloatArray]:
    """Numbers (n_g,) and accelerations (n_g, 3) of the gravity of a model that has ``what`` in space."""
    found = [(i, np.asarray(load.acceleration)) for i, load in enumerate(model.loads) if isinstance(load, Gravity)]
    for _, acceleration in found:
        check_in_space(what, acceleration)
    numbers = np.array([i for i, _ in found], dtype=np.int64)
    return numbers, np.array([g for _, g in found], dtype=np.float64).reshape(len(found), 3)
