"""The chain of `bench_trees.py` in Pinocchio: processor seconds per call from Python, for each number of links."""

from __future__ import annotations

import json
import sys

import measure
import numpy as np
import pinocchio as pin


def chain(n: int) -> pin.Model:
    """Rods of length 1 on hinges across, hanging in gravity."""
    model, last = pin.Model(), 0
    model.gravity.linear = np.array([0.0, 0.0, -9.81])
    rod = pin.Inertia(1.0, np.array([0.5, 0.0, 0.0]), np.diag([0.01, 1 / 12, 1 / 12]))
    for i in range(n):
        at = pin.SE3(np.eye(3), np.array([float(i > 0), 0.0, 0.0]))
        last = model.addJoint(last, pin.JointModelRY(), at, f"rod {i}")
        model.appendBodyToJoint(last, rod, pin.SE3.Identity())
    return model


def times(n: int) -> list[float]:
    """Of forward and inverse dynamics."""
    model = chain(n)
    data = model.createData()
    q, v, tau = np.full(n, 0.1), np.full(n, 0.2), np.zeros(n)
    a = pin.aba(model, data, q, v, tau).copy()
    calls = (lambda: pin.aba(model, data, q, v, tau), lambda: pin.rnea(model, data, q, v, a))
    return [measure.repeated(call).median for call in calls]


def main() -> None:
    rows = [times(int(word)) for word in sys.argv[1:]]
    print(json.dumps({"version": pin.__version__, "rows": rows}))


if __name__ == "__main__":
    main()
