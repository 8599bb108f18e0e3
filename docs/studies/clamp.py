"""What it costs to fix the length of the slope at a clamp, instead of its direction alone.

    .venv/bin/python docs/studies/clamp.py

prints the table on the page "Planar absolute-nodal cable".
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

import numpy as np

import flexmbs as fx
from flexmbs.model.forces.elastic_support import LINEAR_SPRING
from flexmbs.model.forces.items import Items, Places
from flexmbs.verification.reference.rod import Rod
from flexmbs.verification.reference.rod_solver import solve_rod

EA, FORCE = 1e3, (20.0, 10.0)
ELEMENTS = (8, 16, 32, 64)


@dataclass(frozen=True, eq=False)
class FixedLength:
    """A spring so stiff that it keeps the slope vector of a node as it is when free of stress."""

    at: fx.Attachment
    history: None = None
    label: str = "fixed slope length"

    @property
    def targets(self) -> tuple[fx.FlexibleBody, ...]:
        return (self.at.body,)

    def items(self, places: Places, index: int) -> tuple[Items, ...]:
        slope = self.at.body.element.layout.slope
        stiff = 1e6 * np.eye(2)[None]
        dofs, rest = places.dofs(self.at)[:, slope], places.reference(self.at)[:, slope]
        return (Items(LINEAR_SPRING, np.ascontiguousarray(dofs), (stiff, np.ascontiguousarray(rest))),)


def tip_errors(fixed_length: bool) -> list[float]:
    """Distance of the tip from that of the extensible rod, for each mesh."""
    exact = np.array(solve_rod(Rod(EI=1.0, EA=EA, force=FORCE)).tip[:2])
    found = []
    for n in ELEMENTS:
        rod = fx.FlexibleBody.line(
            (0, 0),
            (1, 0),
            elements=n,
            element=fx.elements.ANCFCable2D(),
            stiffness=fx.BeamStiffness(EA=EA, EI_z=1.0, mass_per_length=1.0),
        )
        model = fx.Model(rod, fx.Clamp(rod.start), fx.PointForce(rod.end, FORCE))
        if fixed_length:
            model = model.with_(FixedLength(rod.start))
        found.append(float(np.linalg.norm(fx.solve_static(model).position(rod.end, step=-1)[:2] - exact)))
    return found


def table() -> list[tuple[int, float, float]]:
    """Rows of (elements, error with the direction fixed, error with the length fixed, too)."""
    return list(zip(ELEMENTS, tip_errors(False), tip_errors(True), strict=True))


if __name__ == "__main__":
    for n, free, fixed in table():
        sys.stdout.write(f"{n:4d}  {free:.2e}  {fixed:.2e}\n")
