"""What a reduction report warns of."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from flexmbs.core.contracts import FloatArray
from flexmbs.reduction.model import ReducedModel, Source
from flexmbs.reduction.report.checks import Problem

if TYPE_CHECKING:
    from flexmbs.reduction.report.report import ReductionReport

__all__ = ["warnings_of"]

COVER = 1.5
"""The cut-off should be this many times the band."""

STIFFER = 0.02
"""Rise of the first elastic frequency by rigid interfaces that is worth a warning."""

ERRING = 0.05
"""Bound of the transfer functions within the band that is worth a warning."""

MESH = 0.02
"""Estimated error of one of the lowest frequencies by the mesh that is worth a warning."""

MASS = 0.8
"""Part of the attainable effective mass that modes should have in every direction."""

#: Usual consistent systems of units: moduli and densities of engineering materials, from rubber to tungsten, in them.
SYSTEMS = {
    "m, kg, s": ((1e6, 1.2e12), (5.0, 2.5e4)),
    "mm, t, s": ((1.0, 1.2e6), (5e-12, 2.5e-8)),
    "mm, kg, ms": ((1e-3, 1.2e3), (5e-9, 2.5e-5)),
    "in, lbf s2/in, s": ((1.4e2, 1.8e8), (4.7e-7, 2.4e-3)),
    "ft, slug, s": ((2e4, 2.6e10), (9e-3, 50.0)),
}


def warnings_of(
    made: ReductionReport, model: ReducedModel, source: Source, free: Problem, band: float | None
) -> list[str]:
    """Sentences, the gravest first; those on a band only where one was asked for."""
    return [
        *_soundness(made, model, free),
        *_coverage(made, band),
        *_mesh(made),
        *_interfaces(made),
        *_masses(made),
        *_units(model, source),
        *_inertia(made),
    ]


def _soundness(made: ReductionReport, model: ReducedModel, free: Problem) -> list[str]:
    out = []
    negative = free.values < -1e3 * free.noise
    if negative.any():
        out.append(
            f"the reduced stiffness is not positive semidefinite: {int(negative.sum())} squared frequencies are "
            f"negative, the lowest {free.values[0]:.3g}; the operators are indefinite or the basis is badly scaled"
        )
    for name, A in (("mass", model.M), ("stiffness", model.K - free.shift * model.M)):
        condition = _condition(A)
        if condition > 1e12:
            out.append(
                f"the reduced {name} matrix is ill-conditioned ({condition:.1e} after scaling its diagonal): columns "
                f"of the basis nearly depend on each other"
            )
    residual = float(made.provenance.get("largest residual of a mode", 0.0))
    if residual > 1e-6:
        out.append(f"a kept mode has converged to a residual of {residual:.1e} only")
    span, force = made.static.rigid_span, made.static.rigid_stiffness
    if span is not None and span > 1e-8:
        out.append(f"the basis holds the rigid motions of the part to {span:.1e} only: free motion will strain it")
    elif force is not None and force > 1e-8:
        out.append(f"rigid motions cause forces of {force:.1e} of the elastic ones in the reduced model")
    for table in made.frequencies[:1]:
        if table.rigid > 6:
            out.append(
                f"the free part has {table.rigid} motions without stiffness, more than the six of a rigid body: it "
                f"holds a mechanism or loose pieces"
            )
    return out


def _condition(A: FloatArray) -> float:
    size = np.sqrt(np.abs(A.diagonal()))
    values = np.linalg.eigvalsh(A / np.outer(size, size)) if (size > 0).all() else np.zeros(1)
    return float(values[-1] / values[0]) if values[0] > 0 else math.inf


def _coverage(made: ReductionReport, band: float | None) -> list[str]:
    out: list[str] = []
    trust = made.trust
    if band is None:
        return out
    if trust is not None and trust.cut_off is not None and trust.cut_off < COVER * band:
        out.append(
            f"the band is not covered: the lowest frequency that the basis leaves out, {trust.cut_off:.6g}, is below "
            f"{COVER:g} times the band of {band:.6g}; keep more modes"
        )
    if trust is not None:
        table = made.frequencies[0]
        worst = [
            (f, b) for f, b in zip(table.reduced, table.bound, strict=True) if f <= band and (b is None or b > 0.01)
        ]
        if worst:
            f, b = worst[0]
            text = "has no bound" if b is None else f"may be {100 * b:.2g} % too high"
            out.append(f"within the band of {band:.6g} the frequency {f:.6g} {text}")
    transfer = made.transfer
    if transfer is not None:
        lost = [f for f, b in zip(transfer.frequencies, transfer.bound, strict=True) if b is None or b > ERRING]
        if lost:
            out.append(
                f"transfer functions may err by more than {100 * ERRING:g} % at {len(lost)} of "
                f"{len(transfer.frequencies)} frequencies of the band, from {lost[0]:.6g} on"
            )
    return out


def _mesh(made: ReductionReport) -> list[str]:
    mesh = made.mesh
    if mesh is None:
        return []
    out = []
    if linear := sum(count for kind, count in mesh.cells.items() if kind == "tetra"):
        out.append(
            f"the mesh has {linear} linear tetrahedra (C3D4), which are much too stiff where the part bends; take "
            f"quadratic ones (C3D10), by the program that made the mesh, or Mesh.quadratic()"
        )
    if mesh.too_high is not None and max(mesh.too_high) > MESH:
        k = int(np.argmax(mesh.too_high))
        out.append(
            f"by the mesh the frequency {mesh.frequencies[k]:.6g} is about {100 * mesh.too_high[k]:.2g} % too high; "
            f"refine it where stresses change"
        )
    return out


def _interfaces(made: ReductionReport) -> list[str]:
    stiffening = made.stiffening
    if stiffening is None or stiffening.rise <= STIFFER:
        return []
    return [
        f"the part is flexible at its interfaces: as rigid bodies {', '.join(stiffening.interfaces)} raise its first "
        f"elastic frequency from {stiffening.part:.6g} to {stiffening.attached:.6g}; kind='averaged' does not stiffen"
    ]


def _masses(made: ReductionReport) -> list[str]:
    masses = made.masses
    if masses is None or masses.attainable is None:
        return []
    few = [
        f"{'xyz'[k]} ({100 * masses.sums[k] / masses.attainable[k]:.0f} %)"
        for k in range(3)
        if masses.attainable[k] > 0.01 and masses.sums[k] < MASS * masses.attainable[k]
    ]
    if not few:
        return []
    return [
        f"the modes hold less than {100 * MASS:g} % of the effective mass that all modes have along {', '.join(few)}: "
        f"acceleration of the interfaces deforms the part more than the model shows at higher frequencies"
    ]


def _units(model: ReducedModel, source: Source) -> list[str]:
    part = source.attached.operators.part
    if part is None:
        return []
    out, seen = [], set()
    extent = float(np.ptp(model.points, axis=0).max(initial=0.0))
    for piece in part.pieces:
        material = piece.region.material
        if material is None or material.name in seen:
            continue
        seen.add(material.name)
        modulus, density = _modulus(material.elasticity()), float(material.density)
        fitting = [
            name for name, (E, rho) in SYSTEMS.items() if E[0] <= modulus <= E[1] and rho[0] <= density <= rho[1]
        ]
        if not fitting:
            out.append(
                f"units suspected: no usual system has a material with the modulus {modulus:.3g} and the density "
                f"{density:.3g} of {material.name!r}"
            )
        elif fitting == ["m, kg, s"] and extent > 30.0:
            out.append(
                f"units suspected: {material.name!r} is in metres, kilograms and seconds, but the part is "
                f"{extent:.3g} long; is the mesh in millimetres?"
            )
    return out


def _modulus(C: FloatArray) -> float:
    """Young's modulus along x of an elasticity matrix."""
    return float(1.0 / np.linalg.inv(C)[0, 0])


def _inertia(made: ReductionReport) -> list[str]:
    inertia = made.inertia
    if inertia is None:
        return ["there are no inertia invariants: a floating frame needs them, and they need places of nodes"]
    out = []
    if not inertia.exact:
        out.append(
            "the inertia invariants are taken at the nodes, since the mass matrix couples the components of "
            "displacements; reduce a Part to have them from its elements"
        )
    for name, error in (("mass", inertia.mass_error), ("inertia tensor", inertia.tensor_error)):
        if inertia.exact and error is not None and error > 1e-6:
            out.append(f"the {name} of the inertia invariants and of the mass matrix differ by {error:.1e}")
    return out
