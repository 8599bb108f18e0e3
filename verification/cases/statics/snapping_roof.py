"""A hinged cylindrical roof under a load at its centre: snap-through of the thick one, snap-back of the thin one."""

from __future__ import annotations

from typing import Any

import numpy as np

import flexmbs as fx
from flexmbs.elements import ANCFShell
from flexmbs.verification import Case, Measured, Outcome, Progress, Table
from flexmbs.verification.cases.common import measured
from flexmbs.verification.cases.statics.absolute_nodal_shells import mapped
from flexmbs.verification.reference.data import load_reference

CELLS = 16
"""Along each side of the quarter that is modelled."""


def roof(thickness: float, cells: int = CELLS) -> tuple[Any, Any, fx.Model]:
    """The centre, the middle of the free edge, and a quarter of the roof under a quarter of a unit load."""
    p = load_reference("n25").parameters
    R, angle, length = p["R"], p["half_angle"], p["length"]
    mesh = mapped(
        (cells, cells),
        lambda u, v: (0.5 * length * u, R * np.sin(angle * v), R * np.cos(angle * v)),
        lambda u, v: (0.0 * u, np.sin(angle * v), np.cos(angle * v)),
    )
    material = fx.Elastic(youngs_modulus=p["E"], poissons_ratio=p["nu"], density=1e-9)
    body = fx.FlexibleBody(mesh, ANCFShell(), fx.ShellSection(thickness), material, name="roof")
    centre, edge = body.at((0.0, 0.0, R)), body.at((0.5 * length, 0.0, R))
    held = [
        fx.Pin(body.set("top")),
        fx.Symmetry(body.set("left"), (1, 0, 0)),
        fx.Symmetry(body.set("bottom"), (0, 1, 0)),
    ]
    return centre, edge, fx.Model(body, *held, fx.PointForce(centre, (0.0, 0.0, -0.25)), name="roof")


def run(progress: Progress) -> Outcome:
    """Both thicknesses; of the thin one the turning points of the deflection, too."""
    stored, quantities, figures, rows = load_reference("n25"), [], [], []
    for thickness, until, ways in ((12.7, 3000.0, (5, 15, 25)), (6.35, 600.0, (5, 10, 28))):
        progress(f"thickness {thickness:g}")
        centre, edge, model = roof(thickness)
        paths = fx.trace_static(model, until=until, stop=lambda s, at=centre: s.displacement(at, step=-1)[2] < -29.0)
        label = f"thickness {thickness:g}"

        def all_of(s: fx.StaticSolution, centre: Any = centre, edge: Any = edge) -> tuple[float, float, float]:
            return s.load_factors[0], -s.displacement(centre, -1)[2], -s.displacement(edge, -1)[2]

        for n, point in enumerate(paths.limit_points):
            name = (
                f"{label}: load limit point {n + 1}: P, deflection at the centre, deflection at the middle of the free "
                "edge"
            )
            quantities += _close(stored, name, f"{label}: limit point {n + 1}", all_of(point), (0, 1, 2))
        for way in ways:
            s = paths.where(lambda x, at=centre: x.displacement(at)[:, 2], -way)[0 if way != 28 else -1]
            name = f"{label}: P and deflection at the free edge at the centre deflection {way}"
            found = all_of(s)
            quantities += _close(stored, name, f"{label}: at deflection {way}", (found[0], found[2]), (0, 1))
        rows.append((label, str(len(paths[0])), str(len(paths[0].iterations))))
        if thickness < 10.0:
            quantities.append(
                measured("thickness 6.35: points of the path, at most 120", "-", min(len(paths[0]), 120), len(paths[0]),
                         "the aim", atol=0.5)
            )  # fmt: skip
        figures.append((f"Load over the deflection of the centre, {label}.", paths.plot((centre, (0, 0, -1))).figure))
    return Outcome(quantities, (), [Table("Paths", ("roof", "points", "iterations"), rows)], figures)


def _close(stored: Any, name: str, label: str, values: tuple[float, ...], numbers: tuple[int, ...]) -> list[Measured]:
    """Loads within 1 %, or 3 N; ways within 1 %, or 0.3 mm."""
    out = []
    for k, value in zip(numbers, values, strict=True):
        reference, load = stored.reference(name, k), k == 0
        what = "load" if load else f"way {k}"
        out.append(
            measured(f"{label}: {what}", "N" if load else "mm", value, reference.value, stored.source,
                     reference.uncertainty, rtol=0.01, atol=3.0 if load else 0.3)
        )  # fmt: skip
    return out


ROOF = Case(
    id="snapping-roof",
    title="Cylindrical roof: snap-through and snap-back",
    area="statics",
    summary=(
        "A shallow cylindrical roof, hinged along its straight edges, is pushed down at its centre. The thick one "
        "snaps through; of the thin one load and deflection both turn back, so that neither can be prescribed."
    ),
    run=run,
    source="A. B. Sabir and A. C. Lock (1972); K. Y. Sze, X. H. Liu and S. H. Lo, Finite Elem. Anal. Des. 40 (2004) "
    "1551-1569; numbers by a thin shell of degree 8 and 11 (Kirchhoff, Love).",
)
