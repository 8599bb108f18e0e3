"""Locking study of the planar cable: which quadrature rules converge, and which have zero-energy modes.

A cantilever of length 1 and EI = 1 carries the dead tip load P = 10 across its axis. The error is the distance of its
tip from that of the same extensible rod, solved as a boundary-value problem (flexmbs.verification.reference).

    .venv/bin/python docs/studies/quadrature.py

prints the table and writes quadrature.csv beside this file.
"""

from __future__ import annotations

import csv
import math
import sys
import warnings
from pathlib import Path

import numpy as np

import flexmbs as fx
from flexmbs.dynamics.evaluation import Dynamics
from flexmbs.elements import ANCFCable2D, CableStrain, Gauss, Lobatto
from flexmbs.integrators.contracts import StepState
from flexmbs.verification.reference.rod import ENGINEERING, GREEN
from flexmbs.verification.reference.rod_problems import cantilever_dead_tip

LOAD = 10.0
STIFFNESSES = (1e3, 1e5, 1e7)
ELEMENTS = (8, 16, 32)
AXIAL = (*(Gauss(n) for n in range(1, 6)), *(Lobatto(n) for n in range(2, 6)))
BENDING = (*(Gauss(n) for n in range(1, 5)), Lobatto(3))
LAWS = {CableStrain.MATERIAL: ENGINEERING, CableStrain.GREEN: GREEN}
ZERO = 1e-11
"""Eigenvalues below this share of the largest count as zero; the softest bending mode measured here lies above 1e-8."""


def main() -> None:
    rows = [study(strain, axial, bending) for strain in CableStrain for axial in AXIAL for bending in BENDING]
    with Path(__file__).with_suffix(".csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    show(rows)


def study(strain: CableStrain, axial: Gauss | Lobatto, bending: Gauss | Lobatto) -> dict[str, object]:
    """One row: tip errors for all stiffnesses and meshes, orders, and zero-energy modes."""
    element = ANCFCable2D(strain=strain, axial=axial, bending=bending)
    row: dict[str, object] = {"strain": strain.name, "axial": name(axial), "bending": name(bending)}
    for EA in STIFFNESSES:
        exact = np.array(cantilever_dead_tip(LOAD, EA, LAWS[strain]).tip[:2])
        errors = [tip_error(element, EA, n, exact) for n in ELEMENTS]
        row |= {f"error_{n}_{EA:.0e}": f"{e:.3e}" for n, e in zip(ELEMENTS, errors, strict=True)}
        row[f"order_{EA:.0e}"] = f"{math.log2(errors[-2] / errors[-1]):.2f}"
    straight = fx.meshes.line((0, 0), (1, 0), 8)
    curved = fx.meshes.arc((0, 0), radius=2 / math.pi, start_angle=0.0, end_angle=math.pi / 2, elements=8)
    row |= {"modes_straight": zero_energy_modes(element, straight), "modes_curved": zero_energy_modes(element, curved)}
    return row


def tip_error(element: ANCFCable2D, EA: float, elements: int, exact: np.ndarray) -> float:
    """Distance of the tip from the exact one, by the length; NaN where no equilibrium was found."""
    stiffness = fx.BeamStiffness(EA=EA, EI_z=1.0, mass_per_length=1.0)
    rod = fx.FlexibleBody.line((0, 0), (1, 0), elements=elements, element=element, stiffness=stiffness)
    model = fx.Model(rod, fx.Clamp(rod.start), fx.PointForce(rod.end, (0.0, LOAD)))
    options = fx.StaticOptions(rtol=1e-9, max_steps=200, check_stability=False, progress=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            solution = fx.solve_static(model, options, throw=False)
        except fx.SingularError:
            return math.nan
    if solution.status is not fx.Status.DONE:
        return math.nan
    return float(np.linalg.norm(solution.position(rod.end, step=-1)[:2] - exact))


def zero_energy_modes(element: ANCFCable2D, mesh: fx.meshes.Mesh) -> int:
    """Zero eigenvalues of the tangent of an unsupported, stress-free chain, beyond the three rigid motions."""
    rod = fx.FlexibleBody(mesh, element, stiffness=fx.BeamStiffness(EA=1e3, EI_z=1.0, mass_per_length=1.0))
    dyn = Dynamics(fx.compile_model(fx.Model(rod)))
    dyn.set_time(0.0)
    lin = dyn.linearise(StepState.unaccelerated(0.0, dyn.coordinates.reference, np.zeros(dyn.n_v), np.zeros(0)))
    values = np.linalg.eigvalsh(lin.K.toarray())
    return int((np.abs(values) < ZERO * values[-1]).sum()) - 3


def name(rule: Gauss | Lobatto) -> str:
    """Such as "Gauss 3"."""
    return f"{type(rule).__name__} {rule.n}"


def show(rows: list[dict[str, object]]) -> None:
    """The table on the terminal."""
    for row in [{key: key for key in rows[0]}, *rows]:
        sys.stdout.write("  ".join(f"{value!s:>14}" for value in row.values()) + "\n")


if __name__ == "__main__":
    main()
