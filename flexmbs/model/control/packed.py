"""Controllers as numbers: what the kernel `flexmbs.kernels.control_laws.control_law` knows of them.

A controller that has a law there says so by ``packed``, and by ``signals`` what it needs at a sample time beside
readings: references, and their rates. Its ``output`` and ``update`` are the same kernel, called for one sample.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from flexmbs.core.contracts import FloatArray
from flexmbs.kernels.control_laws import control_law

__all__ = ["Packed", "evaluated", "numbers"]

Signals = Callable[[float], Sequence[float] | FloatArray]


class Packed(NamedTuple):
    """A controller as numbers.

    ``law``: number of its law; ``data``: its numbers; ``signals(t)``: what else it needs at a sample time; ``steady``:
    whether that is the same at all times; ``n_signals``: how many numbers it is.
    """

    law: int
    data: tuple[float, ...]
    signals: Signals
    steady: bool
    n_signals: int


def numbers(*parts: Any) -> tuple[float, ...]:
    """Numbers and arrays one after the other."""
    return tuple(float(x) for part in parts for x in np.ravel(np.asarray(part, dtype=np.float64)))


def evaluated(controller: Any, x: FloatArray, u: FloatArray, t: float) -> tuple[FloatArray, FloatArray]:
    """Output (n_f,) and next state (n_x,) of a controller with ``packed``."""
    packed: Packed = controller.packed
    f, following = np.empty(len(controller.actuators)), np.empty(len(controller.start))
    read = np.array(u, dtype=np.float64)
    control_law(
        packed.law, 0, np.array(packed.data), np.array(x, dtype=np.float64), read, float(t),
        np.array(packed.signals(t), dtype=np.float64), f, following, np.empty_like(read),
    )  # fmt: skip
    return f, following
