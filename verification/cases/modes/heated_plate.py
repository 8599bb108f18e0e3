"""A heated plate between edges that do not move: its frequency falls to zero at the buckling temperature."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import flexmbs as fx
from flexmbs.elements import ANCFShell, ANCFThinPlate
from flexmbs.verification import Case, ConvergenceStudy, Outcome, Progress, Table
from flexmbs.verification.cases.common import measured

SIDE, THICKNESS = 1.0, 0.005
ALLOY = fx.Elastic(youngs_modulus=7e10, density=2700.0, poissons_ratio=0.3, name="alloy")
COUNTS = (4, 8, 16)
SHARES = (0.0, 0.3, 0.6, 0.9)
"""Heatings by that at which the plate buckles."""
FORMULATIONS: tuple[tuple[str, Any, float, float], ...] = (
    ("shear shell", ANCFShell(), 2.0, 1.7), ("thin plate", ANCFThinPlate(), 4.0, 3.5),
)  # fmt: skip


def closed_form() -> tuple[float, float]:
    """Square of the first angular frequency of the cold plate, and the strain of heating at which it buckles.

    Simply supported square, Kirchhoff: w^2 = (D k^2 - N) k / (rho h) with k = 2 (pi / a)^2 and the equal compressions
    N = E h strain / (1 - nu) along both sides.
    """
    E, nu, h = ALLOY.youngs_modulus, ALLOY.poissons_ratio, THICKNESS
    D, k = E * h**3 / (12.0 * (1.0 - nu**2)), 2.0 * (math.pi / SIDE) ** 2
    return D * k**2 / (ALLOY.density * h), D * k * (1.0 - nu) / (E * h)


def softened(element: Any, n: int, share: float) -> float:
    """Square of the first angular frequency of the plate, heated by a share of the strain of buckling."""
    _, critical = closed_form()
    plate = fx.FlexibleBody.plate(
        (SIDE, SIDE), elements=(n, n), element=element, section=fx.ShellSection(THICKNESS), material=ALLOY, name="plate"
    )
    edges = [fx.Pin(plate.set(name)) for name in ("left", "right", "bottom", "top")]
    strain = share * critical
    model = fx.Model(plate, *edges, fx.ThermalStrain(plate, (strain, strain, 0.0)))
    modes = fx.solve_modal(fx.solve_static(model), 1)
    return float(np.real(modes.eigenvalues[0]))


def run_heated(progress: Progress) -> Outcome:
    """Four temperatures, three meshes, two elements."""
    cold, _ = closed_form()
    quantities, studies, rows = [], [], []
    for name, element, order, least in FORMULATIONS:
        errors, signed = [], []
        for n in COUNTS:
            progress(f"{name}, {n} by {n}")
            found = [softened(element, n, share) / cold for share in SHARES]
            signed.append(np.array([f - (1.0 - s) for f, s in zip(found, SHARES, strict=True)]))
            errors.append(float(np.abs(signed[-1]).max()))
            rows.append((name, f"{n} x {n}", *(f"{f:.5f}" for f in found)))
        studies.append(ConvergenceStudy(f"{name}: square of the frequency by that of the cold plate",
                                        [SIDE / n for n in COUNTS], errors, order, least, floor=1e-7))  # fmt: skip
        # what two meshes tell of the limit is uncertain by the next order; Kirchhoff has no shear and rotary inertia,
        # which are of the order of (pi h / a)^2
        limit = float(np.abs((2.0**order * signed[-1] - signed[-2]) / (2.0**order - 1.0)).max())
        quantities.append(
            measured(f"{name}: error of the limit of fine meshes", "-", limit, 0.0, "Kirchhoff, 1 - share",
                     atol=errors[-1] / 2.0**order + (math.pi * THICKNESS / SIDE) ** 2)
        )  # fmt: skip
    head = ("element", "mesh", *(f"heated by {s:g}" for s in SHARES))
    return Outcome(quantities, studies, [Table("Square of the frequency by that of the cold plate", head, rows)])


HEATED = Case(
    id="heated-plate",
    title="A plate heated between edges that do not move",
    area="modes",
    summary=(
        "The square of the first frequency of a simply supported square plate falls in proportion to the thermal "
        "strain, to zero at buckling."
    ),
    run=run_heated,
    slow=True,
    source="Closed form of Kirchhoff's plate; S. P. Timoshenko, J. M. Gere, Theory of Elastic Stability, section 9.2.",
)
