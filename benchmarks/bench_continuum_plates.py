"""Time per element of the fully parameterised plate: force, and force with tangent, as printed and cured.

A folded plate, near its stress-free shape. Folds cost nothing, since their factors are in the tables.

    python benchmarks/bench_continuum_plates.py [elements along a side]
"""

from __future__ import annotations

import sys
from functools import partial
from typing import Any

import measure
import numpy as np

import flexmbs as fx
from flexmbs.core.contracts import Env, State, Work
from flexmbs.elements import ANCFPlateFullyParameterized

SIDE = 20
CHOICES = (
    ("cured", ANCFPlateFullyParameterized()),
    ("shears not assumed", ANCFPlateFullyParameterized(assumed_shear=False)),
    ("as printed", ANCFPlateFullyParameterized(split=False, nodal=False, assumed_shear=False, twist=False)),
)


def folded(element: ANCFPlateFullyParameterized, side: int, viscosity: float) -> fx.FlexibleBody:
    """A square with a right angle along its middle."""
    flat = fx.meshes.rectangle((0, 0), (2, 2), (side, side))
    x, y = flat.points.T
    points = np.stack((np.minimum(x, 1.0), y, np.maximum(x - 1.0, 0.0)), axis=1)
    material = fx.Elastic(youngs_modulus=2e11, poissons_ratio=0.3, density=7850.0, retardation_time=viscosity)
    mesh = fx.meshes.Mesh(points, flat.cells, flat.node_sets)
    return fx.FlexibleBody(mesh, element, section=fx.ShellSection(0.01), material=material)


def main() -> None:
    side = int(sys.argv[1]) if len(sys.argv) > 1 else SIDE
    print(measure.facts())
    rows = []
    for label, element in CHOICES:
        for viscosity in (0.0, 1e-4):
            body = folded(element, side, viscosity)
            group: Any = body.tabulate(np.arange(body.reference.size).reshape(body.reference.shape), 0)
            q = body.reference.ravel() + 1e-5 * np.sin(np.arange(body.reference.size))
            state, env = State(q, 1e-3 * np.cos(q), np.zeros(0), np.zeros(0)), Env(0.0, np.zeros(0))
            n_e, k = group.dofs.shape
            work = Work(np.zeros(q.size), np.zeros(n_e * k * k))
            taken = [
                measure.repeated(partial(element.force, group, state, env, work), 7),
                measure.repeated(partial(element.tangent, group, state, env, work, (1.0, 0.0)), 7),
            ]
            name = label + (", damped" if viscosity else "")
            rows.append([name, *(f"{t.scaled(1e6 / n_e).median:.1f} ({t.scaled(1e6 / n_e).low:.1f})" for t in taken)])
    measure.table(("plate", "force us (lowest)", "force and tangent us (lowest)"), rows)


if __name__ == "__main__":
    main()
