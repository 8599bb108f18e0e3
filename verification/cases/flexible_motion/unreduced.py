"""The full, unreduced floating frame: every displacement of a mesh is a coordinate, and reduced bodies come to it."""

from __future__ import annotations

from typing import Any

import numpy as np

import flexmbs as fx
from flexmbs.core.contracts import FloatArray
from flexmbs.verification import Case, ConvergenceStudy, Outcome, Progress, Table
from flexmbs.verification.cases.common import measured
from flexmbs.verification.cases.moving import G, over_time, worst

UNTIL, STEP = 0.4, 2e-3
MODES = (2, 4, 8, 16)


def _swung(part: fx.linear.Part, stiffening: bool, reference: Any = "mean", **how: Any) -> tuple[FloatArray, int]:
    """Place (n_t, 3) of the end of a bar that falls about a hinge and is pulled aside, and its number of shapes."""
    reduced = fx.reduction.reduce(part, ["left", "right"], geometric_stiffening=stiffening, progress=False, **how)
    body = fx.FloatingBody(reduced, reference=reference)
    hinge = fx.RevoluteJoint(fx.ground, body, at=(0, 0, 0), axis=(0, 0, 1), name="hinge")
    run = fx.simulate(
        fx.Model(body, hinge, fx.Gravity((0, -G, 0.5))), UNTIL, step=STEP, integrator=fx.GeneralizedAlpha(rho_inf=0.8),
        output=fx.Output(energy=False),
    )  # fmt: skip
    return run.position(body.interface("right")), body.modes


def run(progress: Progress) -> Outcome:
    """All displacements against all modes, and fewer and fewer of them; with and without stiffening."""
    rubber = fx.Elastic(youngs_modulus=2e7, poissons_ratio=0.3, density=1200.0, name="soft plastic")
    mesh = fx.meshes.box((0, -0.04, -0.04), (1, 0.08, 0.08), (6, 2, 2))
    part = fx.linear.Part(mesh, regions=[fx.linear.Region(None, fx.elements.Hexahedron8(), rubber)], name="bar")
    quantities, studies, rows, curves = [], [], [], []
    for stiffening in (False, True):
        words = "with stiffening" if stiffening else "without stiffening"
        progress(f"unreduced, {words}")
        full, shapes = _swung(part, stiffening, method=fx.reduction.full_basis)
        inside = shapes + 6 - 12
        every, _ = _swung(part, stiffening, modes=inside)
        quantities.append(
            measured(f"{words}: {shapes} shapes of all displacements against {inside} modes", "m", worst(every, full),
                     0.0, "one space of shapes", atol=1e-9)
        )  # fmt: skip
        errors = []
        for modes in MODES:
            progress(f"{modes} modes, {words}")
            errors.append(worst(_swung(part, stiffening, modes=modes)[0], full))
        # a mode left out would answer with the inverse square of its frequency, which grows with the first power of its
        # number for stretching and twisting, and with the second for bending
        studies.append(
            ConvergenceStudy(f"{words}: end of the bar by the number of modes", MODES, errors, 3.0, 2.0, counts=True)
        )
        frames = [
            worst(_swung(part, stiffening, r, method=fx.reduction.full_basis)[0], full)
            for r in ("left", ("left", "right"))
        ]
        rows.append((words, *(f"{e:.1e}" for e in (*errors, *frames))))
        curves.append((words, np.log10(MODES), np.log10(errors)))
    drawing = over_time(curves, "log10 of the distance in m")
    drawing.axes[0].set_xlabel("log10 of the number of modes")
    head = ("body", *(f"{m} modes" for m in MODES), "all, tangent frame", "all, chord frame")
    table = Table("Distance of the end from that of all displacements in mean axes, in m", head, rows)
    return Outcome(quantities, studies, [table], [("Reduced bodies against the unreduced one.", drawing)])


CASE = Case(
    id="floating-unreduced",
    title="The full, unreduced floating frame",
    area="flexible motion",
    summary=(
        "A soft bar of hexahedra with 147 coordinates falls about a hinge, moved by all displacements of its mesh, and "
        "reduced to its ends and modes. All modes span the same shapes; fewer come to them as they grow in number."
    ),
    run=run,
    source="One mesh, two bases.",
    limits=("The frames differ by the square of the deflection, which is a few per cent of the length.",),
    slow=True,
)
