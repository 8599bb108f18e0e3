"""Spatial rods from thick to very slender: deflections by the exact ones, for the search after locking."""

from __future__ import annotations

import math
import warnings

import flexmbs as fx
from flexmbs.core.contracts import Element
from flexmbs.elements import (
    ANCFBeam,
    ANCFBeamFullyParameterized,
    ANCFCable2D,
    ANCFCable3D,
    GeometricallyExactBeam,
    LinearBeam3D,
)
from flexmbs.verification import Case, Outcome, Progress, Table
from flexmbs.verification.cases.common import measured
from flexmbs.verification.cases.statics.spatial_rods import arc

SLENDERNESS = (10, 100, 1_000, 10_000)
ELEMENTS = (
    ("directors", ANCFBeam(), 4, 2e-3),
    ("exact", GeometricallyExactBeam(), 4, 2e-3),
    ("exact, 2 nodes", GeometricallyExactBeam(nodes=2), 16, 1e-2),
    ("continuum", ANCFBeamFullyParameterized(), 16, 1e-2),
    ("linear beam", LinearBeam3D(), 16, 1e-2),
    ("spatial cable", ANCFCable3D(), 16, 1e-2),
    ("planar cable", ANCFCable2D(), 16, 1e-2),
)
"""Elements, how many are taken, and what error of a curved rod is allowed: that of the mesh, not of slenderness."""
LOADS = ("straight, force across", "quarter circle, force out of its plane", "quarter circle, force in its plane")


def loads(element: Element) -> tuple[str, ...]:
    """Those an element can carry: arcs of spatial cables are held in their plane only, planar ones know no other."""
    if isinstance(element, ANCFCable3D):
        return LOADS[:1]
    return LOADS[::2] if isinstance(element, ANCFCable2D) else LOADS


def ratio(element: Element, elements: int, slender: float, load: str) -> float:
    """Displacement along a small tip force over the exact one, a rod of length 1 and bending stiffness 1.

    Castigliano's theorem with shear and stretch; the square section has the height 1/``slender``.
    """
    h = 1.0 / slender
    section = fx.Rectangle(width=h, height=h)
    material = fx.Elastic(youngs_modulus=12.0 / h**4, density=1.0, poissons_ratio=0.3)
    E, G = material.youngs_modulus, material.shear_modulus
    shear = section.shear_y or 1.0
    EA, GA, GJ, R = E * section.area, shear * G * section.area, G * section.J, 2.0 / math.pi
    if isinstance(element, ANCFBeamFullyParameterized):  # its sections do not warp
        GJ = shear * G * (section.I_y + section.I_z)
    dim = element.layout.dim
    if isinstance(element, ANCFCable3D | ANCFCable2D):  # rigid in shear
        GA = math.inf
    if load == LOADS[0]:
        ends = (0.0, 0.0, 0.0)[:dim], (1.0, 0.0, 0.0)[:dim]
        body = fx.FlexibleBody.line(*ends, elements=elements, element=element, section=section, material=material)
        direction, exact = (0.0, 1.0, 0.0), 1.0 / 3.0 + 1.0 / GA
    else:
        mesh = (
            fx.meshes.arc((0.0, 0.0), radius=R, start_angle=0.0, end_angle=math.pi / 2.0, elements=elements)
            if dim == 2
            else arc(element, (0.0, 0.0, 0.0), R, 0.0, math.pi / 2.0, elements)
        )
        body = fx.FlexibleBody(mesh, element, section=section, material=material)
        if load == LOADS[1]:
            direction = (0.0, 0.0, 1.0)
            exact = R**3 * (math.pi / 4.0 + (0.75 * math.pi - 2.0) / GJ) + R * math.pi / 2.0 / GA
        else:
            direction = (1.0, 0.0, 0.0)
            exact = R**3 * (0.75 * math.pi - 2.0) + R * math.pi / 4.0 * (1.0 / EA + 1.0 / GA)
    small = 1e-5
    force = fx.PointForce(body.end, tuple(small * c for c in direction[:dim]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fx.AccuracyWarning)
        solution = fx.solve_static(fx.Model(body, fx.Clamp(body.start), force))
    tip = solution.position(body.end, step=-1)[:dim]
    return float((tip - body.mesh.points[list(body.end.nodes)][0]) @ direction[:dim] / small / exact)


def run(progress: Progress) -> Outcome:
    """The ratio must not depend on slenderness, and be one but for the mesh."""
    quantities, rows = [], []
    for label, element, elements, allowed in ELEMENTS:
        for load in loads(element):
            progress(f"{label}, {load}")
            found = [ratio(element, elements, s, load) for s in SLENDERNESS]
            rows.append((label, str(elements), load, *(f"{f:.6f}" for f in found)))
            straight = load == LOADS[0] and label not in ("exact, 2 nodes", "continuum")
            quantities.append(
                measured(f"{label}, {load}, slenderness {SLENDERNESS[-1]}", "-", found[-1], 1.0, "Castigliano",
                         atol=1e-8 if straight else allowed)
            )  # fmt: skip
            quantities.append(
                measured(f"{label}, {load}: slenderness 10 000 against 100", "-", found[3] / found[1], 1.0,
                         "no locking", atol=1e-4)
            )  # fmt: skip
    nu = 0.3
    locked = (1.0 + nu) * (1.0 - 2.0 * nu) / (1.0 - nu)
    for load in LOADS:
        progress(f"continuum as printed, {load}")
        found = [
            ratio(ANCFBeamFullyParameterized(split=False, nodal=False, torsion=False), 16, s, load) for s in SLENDERNESS
        ]
        rows.append(("continuum, as printed", "16", load, *(f"{f:.6f}" for f in found)))
        if load == LOADS[0]:
            quantities.append(
                measured("continuum as printed, straight: held from narrowing", "-", found[1], locked,
                         "E instead of E (1 - nu)/((1 + nu)(1 - 2 nu))", rtol=2e-3)
            )  # fmt: skip
    head = ("element", "elements", "load", *(f"L/h = {s}" for s in SLENDERNESS))
    return Outcome(quantities, (), [Table("Displacement along the force by the exact one", head, rows)])


CASE = Case(
    id="spatial-rod-slenderness",
    title="Spatial rods from thick to very slender",
    area="elements",
    summary=(
        "A straight cantilever and a quarter circle with square sections of 1/10 to 1/10 000 of their length carry a "
        "small force at the tip. An element that locks becomes stiffer with slenderness."
    ),
    run=run,
    source="Castigliano's theorem with bending, torsion, shear and stretch.",
    slow=True,
    equations=(r"u = \int \left(\dfrac{M\,\bar M}{EI} + \dfrac{T\,\bar T}{GJ} + \dfrac{Q\,\bar Q}{GA} + "
               r"\dfrac{N\,\bar N}{EA}\right) ds",),
)  # fmt: skip
