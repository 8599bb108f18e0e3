"""Portal frames with and without hinges against slope-deflection, and a space bent against Castigliano."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import flexmbs as fx
from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.linsolve.definite import Definite
from flexmbs.elements import Frame, linear_beam
from flexmbs.linear.part import Part
from flexmbs.linear.region import Region
from flexmbs.verification import Case, Measured, Outcome, Progress, Table
from flexmbs.verification.cases.common import COLOURS, figure, measured

H, SPAN = 3.0, 5.0
EI_C, EI_B = 2.0, 3.0
P = 1.0
K_RATIO = EI_B * H / (EI_C * SPAN)
STIFF = 1e8
"""EA. Slope-deflection leaves out the lengthening of the members: 1e-8 of the results here, as much as round-off."""

HINGES = {
    "fixed": {},
    "hinged feet": {"left": ("rz", ""), "right": ("rz", "")},
    "hinged beam": {"beam 1": ("rz", ""), "beam 2": ("", "rz")},
    "hinge at midspan": {"beam 1": ("", "rz")},
}


@dataclass(frozen=True)
class Portal:
    """A solved portal: sway, deflection at midspan, and of every member the moments at its ends (2,) and its shape."""

    sway: float
    sag: float
    moments: dict[str, FloatArray]
    shapes: dict[str, tuple[FloatArray, FloatArray]]


def portal(hinges: dict[str, tuple[str, str]], sideways: float, down: float) -> Portal:
    """Two columns of height H and a beam in two halves, loaded at the left corner and at midspan."""
    points = np.array([[0, 0, 0], [0, H, 0], [SPAN / 2, H, 0], [SPAN, H, 0], [SPAN, 0, 0]])
    members = {"left": (0, 1), "beam 1": (1, 2), "beam 2": (2, 3), "right": (4, 3)}
    mesh = _members(points, members)
    regions = []
    for name in members:
        EI = EI_B if name.startswith("beam") else EI_C
        section = fx.BeamStiffness(EA=STIFF, EI_z=EI, GJ=1.0, mass_per_length=1.0)
        regions.append(Region(name, Frame(section=section, shear=False, releases=hinges.get(name, ("", "")))))
    part = Part(mesh, regions=regions, name="portal")
    operators = part.assemble()
    dofs = operators.dofs
    held = np.concatenate([dofs.of([0, 4]), dofs.of(np.arange(5), (2, 3, 4))])
    load = np.zeros(operators.n)
    load[dofs.of([1], 0)], load[dofs.of([2], 1)] = sideways, -down
    u = _solved(operators.K, load, held)
    moments, shapes = {}, {}
    for piece, cells, group in part.groups():
        u_e = u[part.element_dofs(piece, cells)]
        name = str(piece.region.cells)
        moments[name] = piece.region.element.nodal_stresses(group, u_e)[0, :, 5]
        field = linear_beam.fields(group.beam, np.linspace(-1, 1, 21))[0][0]
        x = np.linspace(0, 1, 21)[:, None]
        axis = (1 - x) * group.beam.points[0, 0] + x * group.beam.points[0, 1]
        shapes[name] = axis, field @ (group.tie[0] @ u_e[0]) @ group.beam.axes[0]
    moved = operators.displacements(u)
    return Portal(float(moved[1, 0]), float(-moved[2, 1]), moments, shapes)


def _members(points: FloatArray, members: dict[str, tuple[int, int]]) -> fx.meshes.Mesh:
    """A mesh of lines, each a set of its own."""
    mesh = fx.meshes.Mesh(points, (fx.meshes.CellBlock("line", np.array(list(members.values()))),))
    for i, name in enumerate(members):
        mesh = mesh.with_cell_set(name, [i])
    return mesh


def _solved(K: Any, load: FloatArray, held: IntArray) -> FloatArray:
    """Displacements with some unknowns held; the others must be held by the structure."""
    free = np.setdiff1d(np.arange(len(load)), held)
    u = np.zeros(len(load))
    u[free] = Definite(K[free][:, free], "the frame").solve(load[free])
    return u


def run(progress: Progress) -> Outcome:
    """All portals, then the bent."""
    quantities, rows = [], []
    progress("portals")
    k = K_RATIO
    slope = "slope-deflection"
    full, half = P * H**3 / (12 * EI_C), P * H / 2
    expected = {
        "fixed": (full * (2 + 3 * k) / (1 + 6 * k), half * (1 + 3 * k) / (1 + 6 * k), half * 3 * k / (1 + 6 * k)),
        "hinged feet": (full * (1 + 2 * k) / k, 0.0, half),
        "hinged beam": (2 * full, half, 0.0),
    }
    expected["hinge at midspan"] = expected["fixed"]  # the load is antisymmetric: no moment there in any case
    for name, (sway, foot, corner) in expected.items():
        found = portal(HINGES[name], P, 0.0)
        left = np.abs(found.moments["left"])
        quantities += [
            _close(f"{name}, side load: sway", "m", found.sway, sway, slope),
            _close(f"{name}, side load: moment at the foot", "N m", left[0], foot, slope),
            _close(f"{name}, side load: moment at the corner", "N m", left[1], corner, slope),
        ]
        rows.append((f"{name}, side load", f"{found.sway:.7f}", f"{left[0]:.7f}", f"{left[1]:.7f}"))
    for name, foot, corner in (
        ("fixed", P * SPAN / (8 * (k + 2)), P * SPAN / (4 * (k + 2))),
        ("hinged feet", 0.0, 3 * P * SPAN / (8 * (2 * k + 3))),
        ("hinged beam", 0.0, 0.0),
    ):
        found = portal(HINGES[name], 0.0, P)
        left, middle = np.abs(found.moments["left"]), abs(float(found.moments["beam 1"][1]))
        quantities += [
            _close(f"{name}, load on the beam: moment at the foot", "N m", left[0], foot, slope),
            _close(f"{name}, load on the beam: moment at the corner", "N m", left[1], corner, slope),
            _close(f"{name}, load on the beam: moment at midspan", "N m", middle, P * SPAN / 4 - corner, slope),
        ]
        rows.append((f"{name}, load on the beam", f"{found.sag:.7f}", f"{left[0]:.7f}", f"{left[1]:.7f}"))
    progress("bent")
    quantities += _bent()
    table = Table(
        "Portals: displacement of the load, moments in the left column",
        ("portal", "displacement [m]", "foot [N m]", "corner [N m]"),
        rows,
    )
    return Outcome(quantities, [], [table], [("Portals under a side load, hinges as circles.", _drawing())])


def _close(name: str, unit: str, value: float, reference: float, source: str) -> Measured:
    """To what lengthening of the members may change, or to round-off where the reference is zero."""
    return measured(name, unit, value, reference, source, rtol=2e-7, atol=2e-7)


def _bent() -> list[Measured]:
    """A bent of three legs along x, y and z, clamped, with a force in every direction at its tip."""
    a, b, c = 1.3, 0.9, 0.7
    stiffness = fx.BeamStiffness(
        EA=500.0, EI_z=3.0, EI_y=5.0, GJ=2.0, GA_y=40.0, GA_z=30.0, mass_per_length=1.0, rhoI_y=0.0, rhoI_z=0.0
    )
    points = np.array([[0, 0, 0], [a, 0, 0], [a, b, 0], [a, b, c]])
    mesh = _members(points, {"first": (0, 1), "second": (1, 2), "column": (2, 3)})
    regions = [
        Region("column", Frame(section=stiffness, up=(1, 0, 0))),
        Region(None, Frame(section=stiffness)),
    ]
    operators = Part(mesh, regions=regions, name="bent").assemble()
    quantities = []
    for axis in range(3):
        load = np.zeros(operators.n)
        load[operators.dofs.of([3], axis)] = P
        tip = _solved(operators.K, load, operators.dofs.of([0]))[operators.dofs.of([3], (0, 1, 2))]
        exact = _castigliano(stiffness, (a, b, c), np.eye(3)[axis])
        quantities += [
            measured(f"bent, force along {'xyz'[axis]}: u_{'xyz'[i]}", "m", tip[i], exact[i],
                     "Castigliano's theorem", rtol=1e-10, atol=1e-11)
            for i in range(3)
        ]  # fmt: skip
    return quantities


def _castigliano(s: fx.BeamStiffness, legs: tuple[float, float, float], force: FloatArray) -> FloatArray:
    """Displacement of the tip: the integral of the resultants of the load against those of unit forces.

    Resultants of a force at the tip are linear along each leg, so Simpson's rule integrates their products exactly.
    """
    corners = np.array([[0, 0, 0], [legs[0], 0, 0], [legs[0], legs[1], 0], list(legs)])
    # local axes of the legs: z the part of `up` normal to the leg, y = z x x
    frames = (
        [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
        [[0, 1, 0], [-1, 0, 0], [0, 0, 1]],
        [[0, 0, 1], [0, -1, 0], [1, 0, 0]],
    )
    assert s.EI_y is not None  # noqa: S101  # given above
    assert s.GJ is not None  # noqa: S101
    assert s.GA_y is not None  # noqa: S101
    assert s.GA_z is not None  # noqa: S101
    flexibility = 1.0 / np.array([s.EA, s.GA_y, s.GA_z, s.GJ, s.EI_y, s.EI_z])
    out = np.zeros(3)
    for leg, axes in enumerate(frames):
        R = np.array(axes, dtype=float)
        ends = corners[leg : leg + 2]
        for x, weight in ((0.0, 1 / 6), (0.5, 4 / 6), (1.0, 1 / 6)):
            lever = corners[3] - ((1 - x) * ends[0] + x * ends[1])
            own = np.concatenate([R @ force, R @ np.cross(lever, force)])
            for i in range(3):
                unit = np.concatenate([R[:, i], R @ np.cross(lever, np.eye(3)[i])])
                out[i] += weight * legs[leg] * float(own @ (flexibility * unit))
    return out


def _drawing() -> Any:
    """Portals beside each other, displacements drawn a third as large as they are for P = 1."""
    drawing, axes = figure(6.4, 3.6)
    for i, (name, hinges) in enumerate(HINGES.items()):
        corner = np.array([7.5 * (i % 2), -4.5 * (i // 2)])
        for member, (axis, moved) in portal(hinges, P, 0.0).shapes.items():
            line = axis[:, :2] + corner
            shape = line + moved[:, :2] / 3
            axes.plot(*line.T, color="black", linewidth=0.8, linestyle=(0, (4, 3)))
            axes.plot(*shape.T, color=COLOURS[i])
            for released, point in zip(hinges.get(member, ("", "")), shape[[0, -1]], strict=True):
                if released:
                    axes.plot(*point, "o", color=COLOURS[i], markerfacecolor="white", zorder=3)
        axes.text(corner[0] + SPAN / 2, corner[1] + H / 2, name, ha="center", va="center")
    axes.set_aspect("equal")
    axes.set_axis_off()
    return drawing


CASE = Case(
    id="frame-statics",
    title="Portal frames with hinges and a bent in space",
    area="statics",
    summary=(
        "Portal frames of frame elements, one element a member: clamped, with hinged feet, with a hinged beam and with "
        "a hinge at midspan, under a side load and a load on the beam, against slope-deflection. Hinges are released "
        "ends. Then a bent with legs along x, y and z and an unsymmetric section, with shear, under forces in all "
        "directions."
    ),
    run=run,
    source="Slope-deflection: G. A. Maney, Studies in Engineering 1, University of Minnesota, 1915. Castigliano.",
    equations=(
        r"\Delta = \dfrac{P h^3}{12\,EI_c}\,\dfrac{2 + 3k}{1 + 6k}, \qquad M_{foot} = \dfrac{P h}{2}\,"
        r"\dfrac{1 + 3k}{1 + 6k}, \qquad k = \dfrac{EI_b\,h}{EI_c\,l}",
    ),
    limits=("Slope-deflection leaves out the lengthening of the members; EA is made large to leave it out, too.",),
    basic=True,
)
