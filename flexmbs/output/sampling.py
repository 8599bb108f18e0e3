"""What is drawn and exported of a result: curves along every element, and stress resultants on them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from flexmbs.core.contracts import FloatArray

if TYPE_CHECKING:
    from flexmbs.analysis.modal import Modes
    from flexmbs.body import FlexibleBody
    from flexmbs.model import Model
    from flexmbs.solution import Solution

__all__ = ["MOMENT", "PIECES", "Curves", "label_of", "model_size", "symbols"]

PIECES = 8
"""Straight pieces that an element is drawn with."""
MOMENT = "|M|"
"""Symbol of the magnitude of the moment, where a body has its components in space."""


class Curves:
    """Points and stress resultants along the elements of a result, at states ``q (n_q,)`` of its system."""

    def __init__(self, result: Solution | Modes) -> None:
        self.reference: FloatArray = result.system.coordinates.reference
        self._system = result.system
        self._xi = np.linspace(-1.0, 1.0, PIECES + 1)

    def shape(self, body: FlexibleBody, q: FloatArray) -> FloatArray:
        """Points (n_e, n_p, dim) [length]."""
        return body.element.positions(self._system.group(body), q, self._xi)

    def resultant(self, body: FlexibleBody, symbol: str, q: FloatArray) -> FloatArray:
        """A stress resultant (n_e, n_p): straight lines through its values at the element's accurate points."""
        own = _own_symbols(body)
        if symbol == MOMENT and symbol not in own:
            return np.asarray(np.linalg.norm([self.resultant(body, s, q) for s in own if s.startswith("M_")], axis=0))
        xi = body.element.accurate_points(symbol)
        values = body.element.stress_resultants(self._system.group(body), q, np.zeros_like(q), xi)
        drawn: FloatArray = values[..., own.index(symbol)] @ _straight(xi, self._xi)
        return drawn


def symbols(body: FlexibleBody) -> list[str]:
    """The stress resultants of a body, with the magnitude of the moment where there are components of it."""
    own = _own_symbols(body)
    return [*own, MOMENT] if MOMENT not in own and any(s.startswith("M_") for s in own) else own


def label_of(model: Model, symbol: str) -> str:
    """A stress resultant with its unit, such as ``"M [N m]"``."""
    for body in model.flexible_bodies:
        for resultant in body.element.resultants:
            if resultant.symbol == symbol or (symbol == MOMENT and resultant.symbol.startswith("M_")):
                return f"{symbol} [{model.units.of(resultant.dimension)}]"
    return symbol


def model_size(model: Model) -> float:
    """The longest side of the box around the stress-free shape [length]."""
    points = np.concatenate([body.mesh.points for body in model.flexible_bodies])
    return float(np.ptp(points, axis=0).max())


def _straight(xi: FloatArray, there: FloatArray) -> FloatArray:
    """Weights (n, n_there) of the values at ascending ``xi (n,)``: straight between them, and on beyond the ends."""
    if len(xi) == 1:
        return np.ones((1, len(there)))
    left = np.clip(np.searchsorted(xi, there) - 1, 0, len(xi) - 2)
    share = (there - xi[left]) / (xi[left + 1] - xi[left])
    weights = np.zeros((len(xi), len(there)))
    weights[left, np.arange(len(there))] = 1.0 - share
    weights[left + 1, np.arange(len(there))] = share
    return weights


def _own_symbols(body: FlexibleBody) -> list[str]:
    return [resultant.symbol for resultant in body.element.resultants]
