"""Some of many states, evenly over all of them."""

from __future__ import annotations

import numpy as np

from flexmbs.core.contracts import IntArray

__all__ = ["spread_states"]


def spread_states(count: int, most: int) -> IntArray:
    """Numbers of at most so many of ``count`` states, all of them if there are no more; the ends are among them.

    Examples
    --------
    >>> spread_states(9, 3).tolist(), spread_states(2, 3).tolist()
    ([0, 4, 8], [0, 1])
    """
    if count <= most:
        return np.arange(count)
    return np.linspace(0, count - 1, most).round().astype(np.int64)
