"""Solids in bending: work of an exactly loaded cantilever, slender beams of few cells, Cook's membrane."""

from __future__ import annotations

from typing import Any

import numpy as np

import flexmbs as fx
from flexmbs.core.contracts import FloatArray
from flexmbs.elements import Hexahedron8, Hexahedron20, Tetra4, Tetra10
from flexmbs.elements.linear.solid import SolidElement
from flexmbs.linear.faces import faces_within, outer_faces
from flexmbs.linear.loads import NodalForce
from flexmbs.linear.part import Part
from flexmbs.linear.region import Region
from flexmbs.linear.statics import static_response
from flexmbs.meshes import Mesh
from flexmbs.meshes.cells import cell_type, gradients, quadrature, shapes
from flexmbs.verification import Case, ConvergenceStudy, Outcome, Progress, Table
from flexmbs.verification.cases.common import COLOURS, figure, measured
from flexmbs.verification.reference.data import load_reference

ALL: tuple[SolidElement, ...] = (
    Tetra4(), Tetra10(), Hexahedron8(incompatible=False), Hexahedron8(), Hexahedron20(), Hexahedron20(reduced=True),
)  # fmt: skip
LENGTH, HALF, MODULUS, NU, FORCE = 4.0, 0.5, 1e3, 0.3, 1.0
"""Plane-strain cantilever, of unit width."""


def block(element: SolidElement, corner: Any, size: Any, counts: tuple[int, int, int]) -> Mesh:
    """A box of the cells of an element."""
    linear = cell_type(element.cell_type).linear
    mesh = fx.meshes.box(corner, size, counts, linear)
    return mesh if element.cell_type == linear else mesh.quadratic()


def moved(mesh: Mesh, points: FloatArray) -> Mesh:
    """A mesh with its points elsewhere."""
    return Mesh(points, mesh.cells, node_sets=dict(mesh.node_sets))


def nearest(mesh: Mesh, place: tuple[float, float, float]) -> int:
    """The node at a place."""
    return int(np.argmin(np.abs(mesh.points - place).sum(axis=1)))


def work_of_cantilever() -> float:
    """Work P^2 L^3 / (3 E' I) + 6 P^2 L / (5 G A), E' = E / (1 - nu^2), of the exact tractions by unit width."""
    inertia, area, shear = 2.0 * HALF**3 / 3.0, 2.0 * HALF, MODULUS / (2.0 * (1.0 + NU))
    bending = FORCE**2 * LENGTH**3 * (1.0 - NU**2) / (3.0 * MODULUS * inertia)
    return bending + 6.0 * FORCE**2 * LENGTH / (5.0 * shear * area)


def tractions(points: FloatArray, normal: float) -> FloatArray:
    """Exact tractions (..., 3) on an end face with this outward normal along x."""
    inertia, x, y = 2.0 * HALF**3 / 3.0, points[..., 0], points[..., 1]
    out = np.zeros_like(points)
    out[..., 0] = -normal * FORCE * (LENGTH - x) * y / inertia
    out[..., 1] = normal * FORCE * (HALF**2 - y**2) / (2.0 * inertia)
    return out


def end_forces(mesh: Mesh) -> FloatArray:
    """Nodal forces (n,) of the exact tractions on the left and right end, consistent with the elements."""
    faces = outer_faces((cells.cell_type, cells.nodes) for cells in mesh.cells)
    forces = np.zeros((mesh.n_points, 3))
    for side, normal in (("left", -1.0), ("right", 1.0)):
        for kind, nodes in faces_within(faces, mesh.node_set(side)).items():
            # degree 4: the traction is quadratic, too
            xi, weights = quadrature({"triangle": "triangle6", "quad": "quad8"}.get(kind, kind))
            N, x = shapes(cell_type(kind), xi), mesh.points[nodes]
            J = np.einsum("cad,gai->cgdi", x, gradients(cell_type(kind), xi))
            area = np.linalg.norm(np.cross(J[..., 0], J[..., 1]), axis=-1) * weights
            values = tractions(np.einsum("ga,cad->cgd", N, x), normal)
            np.add.at(forces, nodes, np.einsum("cg,ga,cgd->cad", area, N, values))
    return forces.ravel()


def cantilever_error(element: SolidElement, over_height: int) -> tuple[float, int]:
    """How much too small the work is, relatively, and the number of unknowns; cubes in one layer."""
    n = over_height
    mesh = block(element, (0, -HALF, 0), (LENGTH, 2 * HALF, 1.0 / n), (4 * n, n, 1))
    mesh = mesh.with_node_set("all", np.arange(mesh.n_points))
    material = fx.Elastic(youngs_modulus=MODULUS, poissons_ratio=NU, density=1.0)
    operators = Part(mesh, regions=[Region(None, element, material)]).assemble()
    forces = end_forces(mesh)
    # the tractions balance each other: what holds the plane motions carries nothing
    low, high = nearest(mesh, (0, -HALF, 0)), nearest(mesh, (0, HALF, 0))
    fixed: dict[Any, Any] = {"all": "uz", low: ("ux", "uy"), high: "ux"}
    solution = static_response(operators, fixed, forces)
    return 1.0 - float(forces @ solution.u) * n / work_of_cantilever(), operators.n


def run_bending(progress: Progress) -> Outcome:
    """Work of the exact tractions under refinement."""
    studies, rows = [], []
    drawing, axes = figure(8.0, 3.8)
    for i, element in enumerate(ALL):
        progress(element.name)
        quadratic = element.cell_type in ("tetra10", "hexahedron20")
        counts = (1, 2, 4) if quadratic else (4, 8, 16)
        found = [cantilever_error(element, n) for n in counts]
        order, least = (4.0, 3.6) if quadratic else (2.0, 1.6 if element == Tetra4() else 1.9)
        errors = [abs(error) for error, _ in found]
        studies.append(ConvergenceStudy(element.name, counts, errors, order, least, floor=1e-12, counts=True))
        axes.loglog([n for _, n in found], errors, "o-", color=COLOURS[i], label=element.name)
        rows += [(element.name, n, size, f"{error:.2e}") for n, (error, size) in zip(counts, found, strict=True)]
    axes.set_xlabel("unknowns")
    axes.set_ylabel("too stiff by")
    axes.set_xlim(1e2, 1e4)
    axes.legend(frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
    table = Table("Work of the end forces", ("element", "cells over the height", "unknowns", "too small by"), rows)
    remark = (
        "The error of the work is that of the energy: order 2 for linear and 4 for quadratic displacements. The order "
        "of the linear tetrahedron is still rising at 16 cells over the height, where it is 1.4 % too stiff. "
        "Incompatible modes leave the order of the linear hexahedron and divide its error by 12."
    )
    return Outcome((), studies, [table], [("Error by the number of unknowns.", drawing)], [remark])


SLENDER = {"extension": (0, 3e-5), "bending in plane": (1, 0.1081), "bending out of plane": (2, 0.4321)}
"""Unit forces at the tip: direction, and tip displacement by beam theory."""
PUBLISHED = {
    ("bending in plane", "regular"): 0.978,
    ("bending out of plane", "regular"): 0.973,
    ("bending in plane", "parallelograms"): 0.624,
    ("bending out of plane", "parallelograms"): 0.529,
    ("bending in plane", "trapezoids"): 0.047,
    ("bending out of plane", "trapezoids"): 0.030,
}
"""Normalised tip displacements of the linear hexahedron of a commercial program (three digits)."""


def slender_mesh(element: SolidElement, shape: str) -> Mesh:
    """The beam of 6 x 0.2 x 0.1 with six bricks along, cut at 45 degrees between them."""
    linear = cell_type(element.cell_type).linear
    mesh = fx.meshes.box((0, -0.1, -0.05), (6, 0.2, 0.1), (6, 1, 1), linear)
    points = mesh.points.copy()
    inner = (points[:, 0] > 0.5) & (points[:, 0] < 5.5)
    lean = np.full(len(points), 0.0 if shape == "regular" else 1.0)
    if shape == "trapezoids":
        lean[np.rint(points[:, 0]) % 2 == 1] = -1.0
    points[:, 0] += inner * lean * points[:, 1]
    mesh = moved(mesh, points)
    return mesh if element.cell_type == linear else mesh.quadratic()


def run_slender(progress: Progress) -> Outcome:
    """Six cells along a slender beam, regular and leaning."""
    quantities, rows = [], []
    material = fx.Elastic(youngs_modulus=1e7, poissons_ratio=0.3, density=1.0)
    for element in ALL[:-1]:
        progress(element.name)
        row = [element.name]
        for shape in ("regular", "parallelograms", "trapezoids"):
            operators = Part(slender_mesh(element, shape), regions=[Region(None, element, material)]).assemble()
            loads = {n: NodalForce("right", np.eye(3)[axis], share="faces") for n, (axis, _) in SLENDER.items()}
            for name, found in static_response(operators, {"left": "all"}, loads).items():
                axis, beam = SLENDER[name]
                ratio = float(found.displacement("right")[:, axis].mean() / beam)
                row.append(f"{ratio:.3f}")
                if element == Hexahedron8() and (name, shape) in PUBLISHED:
                    quantities.append(
                        measured(f"{element.name}, {shape}, {name}", "-", ratio, PUBLISHED[name, shape],
                                 "OptiStruct verification manual, OS-V 0720, HEX8", 5e-4, atol=2e-3)
                    )  # fmt: skip
                if isinstance(element, Hexahedron20 | Tetra10) and shape == "regular":
                    quantities.append(
                        measured(f"{element.name}, {name}", "-", ratio, 1.0, "beam theory", 0.01, atol=0.05)
                    )
        rows.append(tuple(row))
    head = ("element", *(f"{shape}: {name}" for shape in ("regular", "parallelograms", "trapezoids")
                         for name in ("extension", "in plane", "out of plane")))  # fmt: skip
    remarks = [
        "All cells are ten times as long as thick. The plain linear elements lock even when regular; the incompatible "
        "modes cure that, but not for cells that lean. The quadratic elements keep about 0.9 and more.",
        "The quadratic hexahedron with reduced integration is not in the table: in a single row of cells its motions "
        "without stiffness are not suppressed, and static_response refuses the structure.",
    ]
    return Outcome(quantities, tables=[Table("Tip displacement by that of a beam", head, rows)], remarks=remarks)


def cook(element: SolidElement, n: int, nu: float) -> tuple[float, int]:
    """Deflection of the middle of the right edge, and the number of unknowns, of n x n cells in one layer.

    Without Poisson's ratio across the thickness and with that held, the solid is in plane stress.
    """
    plane = fx.Orthotropic(
        E_1=1.0, E_2=1.0, E_3=1.0, nu_12=nu, nu_13=0.0, nu_23=0.0,
        G_12=0.5 / (1.0 + nu), G_13=0.5, G_23=0.5, density=1.0,
    )  # fmt: skip
    mesh = fx.meshes.box((0, 0, 0), (1, 1, 1), (n, n, 1), cell_type(element.cell_type).linear)
    a, b, z = mesh.points.T
    mesh = moved(mesh, np.column_stack([48.0 * a, 44.0 * a + b * (44.0 - 28.0 * a), 48.0 / n * z]))
    mesh = mesh if element.cell_type == cell_type(element.cell_type).linear else mesh.quadratic()
    mesh = mesh.with_node_set("all", np.arange(mesh.n_points))
    part = Part(mesh, regions=[Region(None, element, plane)])
    load = NodalForce("right", (0.0, 48.0 / n, 0.0), share="faces")  # a unit force by unit thickness
    found = static_response(part, {"left": ("ux", "uy"), "all": "uz"}, load)
    return float(found.displacement(nearest(mesh, (48, 52, 0)))[1]), found.operators.n


def run_cook(progress: Progress) -> Outcome:
    """Deflection of Cook's membrane by all elements."""
    stored = load_reference("s10")
    name = "vertical displacement at the midpoint of the right edge (48,52)"
    reference = stored.reference(name)
    quantities, rows = [], []
    for element in ALL:
        progress(element.name)
        for n in (4, 8, 16, 32):
            if n == 32 and (element.cell_type != "hexahedron" or element == Hexahedron8(incompatible=False)):
                continue
            value, unknowns = cook(element, n, stored.parameters["nu"])
            rows.append((element.name, n, unknowns, f"{value:.4f}", f"{value / reference.value - 1.0:+.2e}"))
        if element not in (Tetra4(), Hexahedron8(incompatible=False)):
            quantities.append(
                measured(f"{element.name}: {name}", "-", value, reference.value, stored.source, reference.uncertainty,
                         rtol=2e-3)
            )  # fmt: skip
    table = Table("Deflection", ("element", "cells along a side", "unknowns", "deflection", "error"), rows)
    remark = (
        "All errors fall slowly since the stress is infinite at the upper end of the clamped edge. The two elements "
        "that lock are in the table alone."
    )
    return Outcome(quantities, tables=[table], remarks=[remark])


BENDING = Case(
    id="solids-bending",
    title="Solids in bending: convergence to the exact solution",
    area="linear parts",
    summary=(
        "A beam four times as long as high in plane strain, loaded by the exact bending stress and parabolic shear "
        "stress at both ends. All solid elements; the error is that of the work of these forces."
    ),
    run=run_bending,
    source="S. P. Timoshenko, J. N. Goodier, Theory of Elasticity, 3rd ed., 1970, section 21.",
    equations=(
        r"W = \dfrac{P^2 L^3}{3 E' I} + \dfrac{6 P^2 L}{5 G A}, \qquad E' = \dfrac{E}{1 - \nu^2}",
        r"\sigma_{xx} = -\dfrac{P (L - x) y}{I}, \qquad \sigma_{xy} = \dfrac{P (c^2 - y^2)}{2 I}",
    ),
)

SLENDER_CASE = Case(
    id="solids-slender",
    title="Slender beam of six solids, regular and distorted",
    area="linear parts",
    summary=(
        "A cantilever of 6 x 0.2 x 0.1 with six bricks along its length, under unit forces at its tip: what locking in "
        "shear and by the shape of cells costs, element by element."
    ),
    run=run_slender,
    source=(
        "R. H. MacNeal, R. L. Harder, A proposed standard set of problems to test finite element accuracy, Finite "
        "Elem. Anal. Des. 1 (1985) 3-20."
    ),
    basic=True,
)

COOK = Case(
    id="s10-cook-solids",
    title="Cook's membrane by solids",
    area="linear parts",
    summary=(
        "The tapered, swept panel in plane stress, which an orthotropic solid without Poisson's ratio across the "
        "thickness reproduces exactly. Bending, shear and skewed cells at once."
    ),
    run=run_cook,
    source="R. D. Cook, J. Struct. Div. ASCE 100 (1974) 1851-1863; reference by refinement.",
)
