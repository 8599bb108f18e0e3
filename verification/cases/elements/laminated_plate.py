"""Layered plates against Navier's series of first-order shear theory."""

from __future__ import annotations

from typing import Any

import numpy as np

import flexmbs as fx
from flexmbs.core.laminate import Ply
from flexmbs.core.material import Orthotropic
from flexmbs.elements import ShellQuad, ShellTriangle
from flexmbs.verification import Case, ConvergenceStudy, Outcome, Progress, Table
from flexmbs.verification.cases.common import measured
from flexmbs.verification.cases.statics.plates import square
from flexmbs.verification.reference.laminated_plate import CrossPly, navier_deflection, shear_stiffness

SUPPORTS = {
    "left": ("uy", "uz", "rx"),
    "right": ("uy", "uz", "rx"),
    "bottom": ("ux", "uz", "ry"),
    "top": ("ux", "uz", "ry"),
}
CARBON: dict[str, Any] = {"E_1": 25.0, "E_2": 1.0, "nu_12": 0.25, "G_12": 0.5, "G_13": 0.5, "G_23": 0.2}
SOURCE = "Navier series, summed for the case"
PUBLISHED = "J. N. Reddy, J. Appl. Mech. 51 (1984) 745-752, table 3 (first-order theory)"


def _plate(along_y: tuple[bool, ...]) -> CrossPly:
    return CrossPly(**CARBON, thickness=1.0, along_y=along_y)


def _deflection(kind: Any, along_y: tuple[bool, ...], side: float, n: int) -> float:
    """In the centre, of the finite elements."""
    material = Orthotropic(**CARBON, E_3=1.0, nu_13=0.25, nu_23=0.25, density=1.0)
    plies = tuple(Ply(material, 1.0 / len(along_y), 0.5 * np.pi * turned) for turned in along_y)
    mesh = square(kind.cell_type, n, (side, side))
    part = fx.linear.Part(mesh, regions=[fx.linear.Region(None, kind(layers=plies, reference=(1.0, 0.0, 0.0)))])
    solution = fx.linear.static_response(part, SUPPORTS, fx.linear.SurfaceLoad("all", pressure=-1.0))
    centre = int(np.argmin(np.linalg.norm(mesh.points[:, :2] - 0.5 * side, axis=1)))
    return float(solution.displacements[centre, 2])


def run(progress: Progress) -> Outcome:
    """The series against published figures, then the elements against the series."""
    quantities, studies, rows = [], [], []
    symmetric = _plate((False, True, True, False))
    for slenderness, published in ((4.0, 1.7100), (10.0, 0.6628), (20.0, 0.4912), (100.0, 0.4337)):
        value = navier_deflection(symmetric, slenderness, None, shear_stiffness(symmetric, 5.0 / 6.0))
        quantities.append(
            measured(f"the series itself, factor 5/6, a/h = {slenderness:g}: 100 w E_2 h^3 / q a^4", "-",
                     100.0 * value / slenderness**4, published, PUBLISHED, 1e-4, rtol=1e-3)
        )  # fmt: skip
    counts = (8, 12, 20)
    for name, along_y in (("[0/90]", (False, True)), ("[0/90/90/0]", (False, True, True, False))):
        plate = _plate(along_y)
        for slenderness in (10.0, 100.0):
            exact = navier_deflection(plate, slenderness, 60, shear_stiffness(plate))
            for label, kind in (("quad", ShellQuad), ("triangle", ShellTriangle)):
                progress(f"{name}, a/h = {slenderness:g}, {label}")
                title = f"{label}: {name}, a/h = {slenderness:g}"
                values = [_deflection(kind, along_y, slenderness, n) for n in counts]
                errors = [value / exact - 1.0 for value in values]
                scale = 100.0 / slenderness**4
                quantities.append(
                    measured(f"{title}: 100 w E_2 h^3 / q a^4", "-", values[-1] * scale, exact * scale, SOURCE,
                             1e-6 * exact * scale, rtol=2.5e-3 if label == "quad" else 1.2e-2)
                )  # fmt: skip
                if len(along_y) == 2:  # the errors of the other plates are small from the start
                    studies.append(ConvergenceStudy(title, counts, [abs(e) for e in errors], 2.0, 1.6, counts=True))
                rows.append((title, *(f"{e:+.1e}" for e in errors)))
    table = Table("Relative errors", ("plate", *(f"{n} x {n}" for n in counts)), rows)
    return Outcome(quantities, studies, [table])


CASE = Case(
    id="laminated-plate",
    title="Cross-ply plates under pressure",
    area="elements",
    summary=(
        "Square, simply supported plates of unidirectional layers, [0/90], which couples stretching and bending, and "
        "[0/90/90/0], thick and thin. Shear is weighted by the energy of the shear flow, in the elements as in the "
        "series, which computes it on its own; the series with a factor of 5/6 repeats published figures."
    ),
    run=run,
    source="J. N. Reddy, Mechanics of Laminated Composite Plates and Shells, 2nd ed., 2004, chapters 6 and 7.",
    equations=(r"w = \sum_{m,n} W_{mn} \sin\dfrac{m \pi x}{a} \sin\dfrac{n \pi y}{b}",),
    limits=("First-order theory: at a/h = 10 its error against elasticity is below 1 % with this shear stiffness.",),
)
