"""The elements against each other: both strain measures, the cable in space, and the linear beams."""

from __future__ import annotations

import math

import numpy as np
from scipy.spatial.transform import Rotation

import flexmbs as fx
from flexmbs.elements import ANCFCable3D, CableStrain, LinearBeam2D, LinearBeam3D
from flexmbs.verification import Case, ConvergenceStudy, Measured, Outcome, Progress
from flexmbs.verification.cases.common import cantilever, draw_shapes, figure, measured, tip_error
from flexmbs.verification.reference.rod import ENGINEERING, GREEN
from flexmbs.verification.reference.rod_problems import cantilever_dead_tip, cantilever_follower_tip

ROD = "extensible elastica with the same strain measure, boundary-value problem"
AXIAL, LOAD = 300.0, 10.0
COUNTS = (8, 16, 32, 64)


def run_strains(progress: Progress) -> Outcome:
    """A soft cantilever with each strain measure against the rod with the same law."""
    quantities, studies, shapes, exact = [], [], [], []
    tips = {}
    for strain, law in ((CableStrain.MATERIAL, ENGINEERING), (CableStrain.GREEN, GREEN)):
        name = strain.name.lower()
        for label, follower, reference in (
            ("dead force", False, cantilever_dead_tip(LOAD, AXIAL, law)),
            ("follower force", True, cantilever_follower_tip(LOAD, AXIAL, law)),
        ):
            errors = []
            for elements in COUNTS:
                progress(f"{name}, {label}, {elements} elements")
                beam = cantilever(elements, AXIAL, strain=strain)
                force = fx.PointForce(beam.end, (0.0, LOAD), follower=follower)
                solution = fx.solve_static(fx.Model(beam, fx.Clamp(beam.start), force))
                errors.append(tip_error(solution.position(beam.end, step=-1)[:2], reference))
            for axis, value, wanted in zip("xy", solution.position(beam.end, step=-1)[:2], reference.tip, strict=False):
                quantities.append(
                    measured(f"{name} strain, {label}: tip {axis}/L", "-", value, wanted, ROD, 1e-12, atol=1e-6)
                )
            studies.append(
                ConvergenceStudy(f"{name} strain, {label}", COUNTS, errors, 4.0, 3.8, floor=1e-11, counts=True)
            )
            shapes.append((f"{name}, {label}", solution.shape(beam, step=-1)[..., :2]))
            exact.append((reference.x, reference.y))
            tips[name, label] = np.array(reference.tip[:2])
    gap = float(np.linalg.norm(tips["material", "dead force"] - tips["green", "dead force"]))
    drawing, axes = figure()
    draw_shapes(axes, shapes, exact)
    remark = f"At EA L²/EI = {AXIAL:g} the two measures put the tip {gap:.1e} L apart (exact solutions, dead force)."
    return Outcome(
        quantities, studies, (), [("Shapes with 64 elements (colours), references (dashed).", drawing)], [remark]
    )


def run_space(progress: Progress) -> Outcome:
    """The planar problems in an inclined plane of space, by the spatial cable."""
    turn = Rotation.from_rotvec([0.4, -0.7, 1.1]).as_matrix()
    x, y, z = turn.T
    axial = 1e5
    quantities: list[Measured] = []
    studies, errors = [], []
    exact = cantilever_dead_tip(LOAD, axial)
    for elements in COUNTS:
        progress(f"dead force, {elements} elements")
        beam = _spatial(elements, x, axial)
        solution = fx.solve_static(fx.Model(beam, fx.Clamp(beam.start), fx.PointForce(beam.end, LOAD * y)))
        position = turn.T @ solution.position(beam.end, step=-1)
        errors.append(tip_error(position[:2], exact))
    quantities += [
        measured(f"dead force: tip {c}/L in the plane of bending", "-", value, wanted, ROD, 1e-12, atol=1e-6)
        for c, value, wanted in zip("xyz", position, (*exact.tip[:2], 0.0), strict=True)
    ]
    studies.append(ConvergenceStudy("dead force, tip position", COUNTS, errors, 4.0, 3.8, floor=1e-11, counts=True))
    progress("tip moment")
    beam = _spatial(32, x, axial)
    solution = fx.solve_static(fx.Model(beam, fx.Clamp(beam.start), fx.Moment(beam.end, 2.0 * math.pi * z)))
    for c, value in zip("xyz", turn.T @ solution.position(beam.end, step=-1), strict=True):
        quantities.append(
            measured(f"moment of one full turn, 32 elements: tip {c}/L", "-", value, 0.0, "circle", atol=1e-5)
        )
    progress("follower force")
    reference = cantilever_follower_tip(5.0, axial)
    beam = _spatial(64, x, axial)
    force = fx.PointForce(beam.end, 5.0 * y, follower=True)
    solution = fx.solve_static(fx.Model(beam, fx.Clamp(beam.start), force))
    tip = turn.T @ solution.position(beam.end, step=-1)
    for c, value, wanted in zip("xyz", tip, (*reference.tip[:2], 0.0), strict=True):
        quantities.append(measured(f"follower force: tip {c}/L", "-", value, wanted, ROD, 1e-12, atol=1e-6))
    return Outcome(quantities, studies)


def _spatial(elements: int, direction: np.ndarray, axial: float) -> fx.FlexibleBody:
    return fx.FlexibleBody.line(
        (0.0, 0.0, 0.0),
        tuple(direction),
        elements=elements,
        element=ANCFCable3D(),
        stiffness=fx.BeamStiffness(EA=axial, EI_z=1.0, mass_per_length=1.0),
        name="beam",
    )


def run_linear(progress: Progress) -> Outcome:
    """Closed forms of linear beam theory; the elements are exact at their nodes, whatever the mesh."""
    E, nu, L, P, w, T = 2.1e11, 0.3, 2.0, 1000.0, 500.0, 50.0
    section = fx.Rectangle(width=0.05, height=0.2)
    material = fx.Elastic(youngs_modulus=E, poissons_ratio=nu, density=7850.0)
    G, k = material.shear_modulus, 5.0 / 6.0
    EIz, EIy, GA = E * section.I_z, E * section.I_y, k * G * section.area
    closed = "linear beam theory, closed form"
    quantities = []
    for elements in (1, 3):
        progress(f"{elements} elements")
        beam = fx.FlexibleBody.line(
            (0, 0), (L, 0), elements=elements, element=LinearBeam2D(), section=section, material=material
        )
        tip = fx.solve_static(fx.Model(beam, fx.Clamp(beam.start), fx.PointForce(beam.end, (0, P))))
        even = fx.solve_static(fx.Model(beam, fx.Clamp(beam.start), fx.DistributedLoad(beam, (0, w))))
        spatial = fx.FlexibleBody.line(
            (0, 0, 0), (L, 0, 0), elements=elements, element=LinearBeam3D(), section=section, material=material
        )
        both = fx.solve_static(
            fx.Model(
                spatial,
                fx.Clamp(spatial.start),
                fx.PointForce(spatial.end, (0, P, P)),
                fx.Moment(spatial.end, (T, 0.0, 0.0)),
            )
        )
        twist = both.rotation_vector(spatial.end, step=-1)[0]
        pulled, spread, out = (s.displacement(b.end, step=-1) for s, b in ((tip, beam), (even, beam), (both, spatial)))
        clamp = float(even.reaction_moment(beam.start, step=-1)[2])
        for name, unit, value, wanted in (
            ("planar, tip force: deflection", "m", pulled[1], P * L**3 / (3 * EIz) + P * L / GA),
            ("planar, tip force: rotation", "rad", tip.angle(beam.end, step=-1), P * L**2 / (2 * EIz)),
            ("planar, line load: deflection", "m", spread[1],
             w * L**4 / (8 * EIz) + w * L**2 / (2 * GA)),
            ("planar, line load: moment at the clamp", "N m", clamp, -w * L**2 / 2),
            ("spatial: deflection along y", "m", out[1], P * L**3 / (3 * EIz) + P * L / GA),
            ("spatial: deflection along z", "m", out[2], P * L**3 / (3 * EIy) + P * L / GA),
            ("spatial: twist", "rad", twist, T * L / (G * section.J)),
        ):  # fmt: skip
            quantities.append(
                measured(f"{name}, {elements} element{'s' if elements > 1 else ''}", unit, value, wanted, closed,
                         1e-14 * abs(wanted), rtol=1e-9)
            )  # fmt: skip
    return Outcome(quantities)


STRAINS = Case(
    id="strain-measures",
    title="Two strain measures, each against its own rod",
    area="elements",
    summary=(
        "The cable can measure its strain per undeformed length (material) or by Green's strain and the geometric "
        "curvature. In a beam as soft as EA L²/EI = 300 they differ visibly, and each must agree with the rod of the "
        "same law."
    ),
    run=run_strains,
    source="M. Berzeri and A. A. Shabana (2000); J. Gerstmayr and H. Irschik (2008); references computed.",
    equations=(
        r"\varepsilon = |r'| - 1, \;\; \kappa = \theta' \qquad \mathrm{or} \qquad "
        r"\varepsilon = \dfrac{1}{2}(|r'|^2 - 1), \;\; \kappa = \theta'/|r'|",
    ),
)

SPACE = Case(
    id="spatial-cable",
    title="The spatial cable in an inclined plane",
    area="elements",
    summary=(
        "A cantilever in a general direction of space is bent by a dead force, a moment of one turn, and a follower "
        "force. It must stay in the plane of bending and agree with the planar elastica."
    ),
    run=run_space,
    source="Planar elastica, boundary-value problem.",
    limits=("The cable has no torsion, so problems in which torsion works are not covered.",),
    basic=True,
)

LINEAR = Case(
    id="linear-beams",
    title="Linear beams: exact at the nodes",
    area="elements",
    summary=(
        "A stocky cantilever (length ten times the height) under a tip force, a line load and a torque, with shear. "
        "One element and three must both give the closed form, in the plane and in space."
    ),
    run=run_linear,
    source="Linear Timoshenko beam theory.",
    equations=(r"w = \dfrac{P L^3}{3 EI} + \dfrac{P L}{k G A}, \quad \varphi_x = \dfrac{T L}{G J}",),
    limits=("Small displacements only.",),
    basic=True,
)
