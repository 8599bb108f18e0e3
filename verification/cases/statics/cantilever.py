"""S01: a cantilever bent by a dead tip force, far beyond small deflections."""

from __future__ import annotations

import numpy as np

import flexmbs as fx
from flexmbs.dynamics.evaluation import Dynamics
from flexmbs.elements import ANCFCable2D
from flexmbs.integrators.contracts import StepState
from flexmbs.verification import Case, ConvergenceStudy, Outcome, Progress, Table
from flexmbs.verification.cases.common import cantilever, draw_shapes, figure, measured, tip_error
from flexmbs.verification.reference.elastica import cantilever_tip_load
from flexmbs.verification.reference.rod_problems import cantilever_dead_tip

LOADS = (0.25, 0.5, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0)
AXIAL = (1e3, 1e5, 1e7)
ELEMENTS = (4, 8, 16, 32)
ELASTICA = "Bisshopp and Drucker (1945), elliptic integrals"
ROD = "extensible elastica, two-point boundary-value problem by Chebyshev collocation"


def _solve(elements: int, axial: float) -> tuple[fx.FlexibleBody, fx.StaticSolution]:
    beam = cantilever(elements, axial)
    model = fx.Model(beam, fx.Clamp(beam.start), fx.PointForce(beam.end, (0.0, LOADS[-1])))
    return beam, fx.solve_static(model, fx.StaticOptions(at=[p / LOADS[-1] for p in LOADS]))


def _zero_energy_modes() -> int:
    """Zero eigenvalues of the stiffness of an unsupported chain beyond its three rigid motions, at rest and bent."""
    extra = 0
    for bent in (False, True):
        beam = fx.FlexibleBody(
            fx.meshes.arc((0, 0), radius=1.0, start_angle=0.0, end_angle=2.0, elements=3)
            if bent
            else fx.meshes.line((0, 0), (1, 0), 3),
            ANCFCable2D(),
            stiffness=fx.BeamStiffness(EA=1e3, EI_z=1.0, mass_per_length=1.0),
        )
        dyn = Dynamics(fx.compile_model(fx.Model(beam)))
        dyn.set_time(0.0)
        q = dyn.coordinates.reference
        lin = dyn.linearise(StepState.unaccelerated(0.0, q, np.zeros(dyn.n_v), np.zeros(0)))
        values = np.linalg.eigvalsh(lin.K.toarray())
        extra += int((values < 1e-10 * values[-1]).sum()) - 3
    return extra


def run(progress: Progress) -> Outcome:
    """Solve for all loads, meshes and axial stiffnesses."""
    quantities, studies, remarks, tables = [], [], [], []
    errors = np.zeros((len(AXIAL), len(ELEMENTS), len(LOADS)))
    exact = {(a, p): cantilever_dead_tip(p, a) for a in AXIAL for p in LOADS}
    finest = {}
    drawn = []
    for i, axial in enumerate(AXIAL):
        for j, elements in enumerate(ELEMENTS):
            progress(f"EA L^2/EI = {axial:g}, {elements} elements")
            beam, solution = _solve(elements, axial)
            for k, load in enumerate(LOADS):
                step = solution.at_parameter(load / LOADS[-1])
                errors[i, j, k] = tip_error(solution.position(beam.end, step)[:2], exact[axial, load])
                if elements == 32:
                    finest[axial, load] = (*solution.displacement(beam.end, step)[:2], solution.angle(beam.end, step))
                if elements == 8 and axial == 1e5 and load in (1.0, 2.0, 5.0, 10.0):
                    drawn.append((f"P L²/EI = {load:g}", solution.shape(beam, step)[..., :2], exact[axial, load]))
        for elements, allowed in ((8, 1e-4), (32, 1e-6)):
            worst = errors[i, ELEMENTS.index(elements)].max()
            quantities.append(
                measured(
                    f"EA L²/EI = {axial:.0e}, {elements} elements: largest tip error of all loads",
                    "L",
                    worst,
                    0.0,
                    ROD,
                    1e-13,
                    atol=allowed,
                )
            )
        studies.append(
            ConvergenceStudy(
                f"tip position, P L²/EI = 10, EA L²/EI = {axial:.0e}",
                ELEMENTS,
                errors[i, :, -1].tolist(),
                4.0,
                3.8,
                floor=1e-11,
                counts=True,
            )
        )
    for load in LOADS:
        tip, (u, w, theta) = cantilever_tip_load(load), finest[1e7, load]
        for name, unit, value, reference in (
            ("tip rotation", "rad", theta, tip.theta),
            ("shortening u/L", "-", -u, 1.0 - tip.x),
            ("deflection w/L", "-", w, tip.y),
        ):
            # The beam of EA L²/EI = 1e7 is longer by at most P/EA = 1e-6 than the inextensible one of the reference.
            quantities.append(
                measured(f"P L²/EI = {load:g}: {name}", unit, value, reference, ELASTICA, 1e-12, atol=3e-6)
            )
    quantities.append(
        measured("zero-energy modes beyond the rigid ones, straight and bent", "-", _zero_energy_modes(), 0.0,
                 "rigid motions of a plane body", atol=0.5)
    )  # fmt: skip
    tables.append(_three_digits())
    drawing, axes = figure()
    draw_shapes(axes, [d[:2] for d in drawn], [(d[2].x, d[2].y) for d in drawn])
    caption = "Shapes with 8 elements (colours) and exact elastica (dashed), EA L²/EI = 1e5."
    remarks.append("References with the same axial stiffness; the inextensible elastica is compared at EA L²/EI = 1e7.")
    return Outcome(quantities, studies, tables, [(caption, drawing)], remarks)


def _three_digits() -> Table:
    """The smallest number of elements whose rounded tip rotation and deflections agree with the elastica's."""
    tips = {}
    for elements in range(1, 13):
        beam, solution = _solve(elements, 1e7)
        for load in LOADS:
            step = solution.at_parameter(load / LOADS[-1])
            u, w = solution.displacement(beam.end, step)[:2]
            tips[elements, load] = (solution.angle(beam.end, step), w, -u)
    rows = []
    for load in LOADS:
        tip = cantilever_tip_load(load)
        wanted = (tip.theta, tip.y, 1.0 - tip.x)
        enough = [
            n
            for n in range(1, 13)
            if all(abs(a - b) < 0.5e-3 * abs(b) for a, b in zip(tips[n, load], wanted, strict=True))
        ]
        rows.append((f"{load:g}", *(f"{x:.6f}" for x in wanted), enough[0] if enough else "> 12"))
    return Table(
        "Elements that reproduce three digits (0.05 %) of rotation and both deflections",
        ("P L²/EI", "theta [rad]", "w/L", "u/L", "elements"),
        rows,
    )


CASE = Case(
    id="s01-cantilever",
    title="Cantilever under a dead tip force",
    area="statics",
    summary=(
        "A straight cantilever of length L is bent by a force at its free end that keeps its direction, across the "
        "undeformed axis, up to P L²/EI = 10.\n\nTip position and rotation are compared with the elastica: closed form "
        "for the inextensible beam, and a boundary-value solution with the same axial stiffness for EA L²/EI = 1e3, "
        "1e5 and 1e7. The table takes the place of the one in Dmitrotchenko's paper on rigid-flexible multibody "
        "dynamics: the smallest number of elements that reproduces three digits."
    ),
    run=run,
    source="K. E. Bisshopp and D. C. Drucker, Q. Appl. Math. 3 (1945) 272-275; K. Mattiasson, IJNME 17 (1981) 145-153.",
    equations=(
        r"EI\,\theta'' + P\cos\theta = 0, \quad \theta(0) = 0, \quad \theta'(L) = 0",
        r"U = \dfrac{1}{2}\int_0^L \left( EA\,(|r'| - 1)^2 + EI\,\theta'^2 \right) ds",
    ),
    limits=("No shear deformation; a stocky beam needs another element.",),
    basic=True,
)
