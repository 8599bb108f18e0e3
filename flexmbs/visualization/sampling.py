"""What is drawn and exported of a result: curves along every element, and stress resultants on them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from flexmbs.core.contracts import FloatArray, IntArray

if TYPE_CHECKING:
    from flexmbs.model.bodies.flexible import FlexibleBody
    from flexmbs.model.model import Model
    from flexmbs.results.modal import ModalSolution
    from flexmbs.results.states import States

__all__ = [
    "FACETS", "MOMENT", "PIECES", "Curves", "drawn_at", "facets", "label_of", "outline", "symbols",
]  # fmt: skip

PIECES = 8
"""Straight pieces that an element of a line is drawn with."""
FACETS = 4
"""Flat pieces in each direction that an element of a surface is drawn with."""
MOMENT = "|M|"
"""Symbol of the magnitude of the moment, where a body has its components in space."""


class Curves:
    """Points and stress resultants on the elements of a result, at states ``q (n_q,)`` of its system.

    Lines have PIECES + 1 points on every element, surfaces a grid of (FACETS + 1)^2, with xi running first.
    """

    def __init__(self, result: States | ModalSolution) -> None:
        self.reference: FloatArray = result.system.coordinates.reference
        self._system = result.system

    def shape(self, body: FlexibleBody, q: FloatArray) -> FloatArray:
        """Points (n_e, n_p, dim) [length]."""
        return body.element.positions(self._system.group(body), q, drawn_at(body))

    def resultant(self, body: FlexibleBody, symbol: str, q: FloatArray, v: FloatArray) -> FloatArray:
        """A stress resultant (n_e, n_p): straight lines, or bilinear, through its values at the accurate points."""
        own = _own_symbols(body)
        if symbol == MOMENT and symbol not in own and not body.surface:
            return np.asarray(
                np.linalg.norm([self.resultant(body, s, q, v) for s in own if s.startswith("M_")], axis=0)
            )
        xi = body.element.accurate_points(symbol)
        values = body.element.stress_resultants(self._system.group(body), q, v, xi)
        if body.surface:
            xi, eta = np.unique(xi[:, 0]), np.unique(xi[:, 1])
            there = np.linspace(-1.0, 1.0, FACETS + 1)
            weights = np.kron(_straight(eta, there), _straight(xi, there))
        else:
            weights = _straight(xi, drawn_at(body))
        drawn: FloatArray = values[..., own.index(symbol)] @ weights
        return drawn


def drawn_at(body: FlexibleBody) -> FloatArray:
    """Natural coordinates of the points that an element is drawn with."""
    return body.natural((FACETS if body.surface else PIECES) + 1)


def facets(count: int = FACETS) -> IntArray:
    """Quadrilaterals (count^2, 4) of the grid on an element of a surface."""
    first = (np.arange(count)[:, None] * (count + 1) + np.arange(count)).ravel()
    return np.column_stack((first, first + 1, first + count + 2, first + count + 1))


def outline(count: int = FACETS) -> IntArray:
    """Points (4 count + 1,) of the grid around an element of a surface."""
    n = count + 1
    bottom, right = np.arange(count), np.arange(count) * n + count
    return np.concatenate((bottom, right, n * n - 1 - bottom, n * n - 1 - right, [0]))


def symbols(body: FlexibleBody) -> list[str]:
    """The stress resultants of a body, with the magnitude of the moment where there are components of it."""
    own = _own_symbols(body)
    lines_moment = not body.surface and MOMENT not in own and any(s.startswith("M_") for s in own)
    return [*own, MOMENT] if lines_moment else own


def label_of(model: Model, symbol: str) -> str:
    """A stress resultant with its unit, such as ``"M [N m]"``."""
    for body in model.flexible_bodies:
        for resultant in body.element.resultants:
            if resultant.symbol == symbol or (symbol == MOMENT and resultant.symbol.startswith("M_")):
                return f"{symbol} [{model.units.of(resultant.dimension)}]"
    return symbol


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
