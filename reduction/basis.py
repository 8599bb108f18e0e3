"""Bases: the shapes in which a reduced model can move."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np

from flexmbs.core.checks import frozen_copy
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError

__all__ = ["Basis"]


@dataclass(frozen=True, eq=False)
class Basis:
    r"""Shapes :math:`u = T q` of all unknowns of some operators.

    Parameters
    ----------
    vectors : (n, m) array
        T, one column per reduced coordinate.
    labels : sequence of str
        What each coordinate is: ``"HUB ux"``, ``"fixed-interface mode 3"``.
    n_interface : int
        The first columns whose coordinates are displacements of the interface itself, in its order (one at their own
        unknown, zero at the other ones).
    frequencies : (m,) array, optional
        Angular frequency of the columns that are modes [rad/time], nan for the others.
    method : str
        How it was made.
    settings : mapping, optional
        The numbers and words it was made with.
    stats : mapping of str to float, optional
        Seconds and counts of the work.

    Raises
    ------
    ModelError
        If shapes do not fit or entries are not finite.
    """

    vectors: FloatArray
    labels: tuple[str, ...]
    n_interface: int
    frequencies: FloatArray | None = None
    method: str = "given"
    settings: Mapping[str, Any] = field(default_factory=dict)
    stats: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        vectors = np.ascontiguousarray(self.vectors, dtype=np.float64)
        if vectors.ndim != 2 or not np.isfinite(vectors).all():
            raise ModelError(f"Basis ({self.method}): vectors must be finite numbers (n, m), not {vectors.shape}.")
        m = vectors.shape[1]
        object.__setattr__(self, "vectors", vectors)
        object.__setattr__(self, "labels", tuple(str(s) for s in self.labels))
        frequencies = np.full(m, np.nan) if self.frequencies is None else np.asarray(self.frequencies, dtype=float)
        if len(self.labels) != m or frequencies.shape != (m,) or not 0 <= self.n_interface <= m:
            raise ModelError(
                f"Basis ({self.method}): {m} columns need {m} labels and frequencies and at most {m} interface "
                f"coordinates, not {len(self.labels)}, {frequencies.shape} and {self.n_interface}."
            )
        object.__setattr__(self, "frequencies", frozen_copy(frequencies))
        object.__setattr__(self, "settings", MappingProxyType(dict(self.settings)))
        object.__setattr__(self, "stats", MappingProxyType({k: float(v) for k, v in self.stats.items()}))

    @property
    def size(self) -> int:
        """Number of coordinates m."""
        return int(self.vectors.shape[1])
