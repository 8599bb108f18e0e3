"""Shared by the tests of joints."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from flexmbs.kernels.rows.rows import row_gradient


def _start(joint: Any) -> tuple[np.ndarray, np.ndarray, list[Any]]:
    """Values (n,) of the equations of a joint at the start, Jacobian (n, 6 markers) by the twists of all markers."""
    markers = list({id(m): m for pair in joint.pairs for m in (pair.a, pair.b)}.values())
    index = {id(m): i for i, m in enumerate(markers)}
    p, R = np.array([m.position0() for m in markers]), np.array([m.rotation0() for m in markers])
    value, J = np.zeros(len(joint.equations)), np.zeros((len(joint.equations), 6 * len(markers)))
    for pair in joint.pairs:
        i, k = index[id(pair.a)], index[id(pair.b)]
        for row in pair.rows:
            c, G = np.zeros((1, 12)), np.zeros((1, 12))
            c[0, : len(row.constants)] = row.constants
            value[row.equation] += row.factor * row_gradient(row.kind, 0, c, np.zeros(1), i, k, p, R, G, 0)
            J[row.equation, 6 * i : 6 * i + 6] += row.factor * G[0, :6]
            J[row.equation, 6 * k : 6 * k + 6] += row.factor * G[0, 6:]
    value -= [e.offset + (e.motion.at(0.0)[0] if e.motion and e.level == 0 else 0.0) for e in joint.equations]
    return value, J, markers


@pytest.fixture
def start():
    """Violation, Jacobian and markers of a joint at the start."""
    return _start
