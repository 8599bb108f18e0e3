"""One mechanism in Cartesian and mixed coordinates: slider-crank of Kuebler and Eberhard, a ring, closures."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import flexmbs as fx
from flexmbs.core.contracts import FloatArray
from flexmbs.model.joints.contracts import Joint
from flexmbs.verification import Case, Measured, Outcome, Progress
from flexmbs.verification.cases.common import measured
from flexmbs.verification.cases.moving import energy_change, over_time
from flexmbs.verification.cases.trees.tree_models import FINE, found, kuebler_eberhard, kuebler_eberhard_tree, ring

SAME = "the same mechanism in Cartesian coordinates"
FINEST = FINE | {"step": 2e-4}
"""Errors add up over 20 s; the tolerances of error control that this needs are too near to round-off."""
ORIGIN = (0.0, 0.0, 0.0)
COUNT = "L. Kuebler and P. Eberhard: 18 + 16 and 7 + 5"


def counted(label: str, model: fx.Model, coordinates: int, equations: int, source: str) -> list[Measured]:
    """Unknowns and equations."""
    report = fx.model_report(model)
    return [
        measured(f"{label}: unknowns", "-", report.n_coordinates, coordinates, source, atol=0.5),
        measured(f"{label}: equations", "-", len(report.constraints), equations, source, atol=0.5),
    ]


def gap(label: str, unit: str, a: FloatArray, b: FloatArray, atol: float, source: str = SAME) -> Measured:
    """Largest difference of two histories."""
    return measured(label, unit, float(np.abs(a - b).max()), 0.0, source, atol=atol)


# --- Kuebler and Eberhard --------------------------------------------------------------------------------------------


def _slider_cranks(until: float, progress: Progress) -> Outcome:
    """The motion in both descriptions."""
    models = {"Cartesian": kuebler_eberhard(), "mixed": kuebler_eberhard_tree()}
    quantities = counted("Cartesian", models["Cartesian"], 18, 16, COUNT)
    quantities += counted("mixed", models["mixed"], 7, 5, COUNT)
    runs = {}
    for name, model in models.items():
        progress(name)
        runs[name] = fx.simulate(model, until, output=fx.Output(every=0.05), **(FINE if until < 1.0 else FINEST))
    for what, unit, atol in (("slider", "m", 1e-8), ("rod", "m", 1e-8), ("crank", "m", 1e-8)):
        places = [run.position(found(models[name], what).centre) for name, run in runs.items()]
        quantities.append(gap(f"largest difference of the {what} over {until:g} s", unit, places[0], places[1], atol))
    for name, run in runs.items():
        quantities.append(energy_change(run, 2.0, 1e-8, f"{name}: "))
    mixed = runs["mixed"]
    quantities.append(_drift(mixed, "mixed"))
    x = mixed.position(found(models["mixed"], "slider").centre)[:, 0]
    drawing = over_time([("slider x in m", mixed.t, x)], "")
    return Outcome(quantities, (), (), [(f"The slider over {until:g} s.", drawing)])


def _drift(run: fx.TimeSolution, label: str) -> Measured:
    """Largest distance of the points of a prismatic joint from its axis."""
    pair = run.model.joints[0].pairs[0]
    d = np.einsum("tji,tj->ti", run.rotation(pair.a), run.position(pair.b) - run.position(pair.a))
    off = float(np.abs(d[:, :2]).max())
    return measured(f"{label}: largest drift of the slot", "m", off, 0.0, "the joint stays closed", atol=1e-10)


def run_slider_crank(progress: Progress) -> Outcome:
    """Half a second."""
    return _slider_cranks(0.5, progress)


def run_long_slider_crank(progress: Progress) -> Outcome:
    """The twenty seconds of the paper."""
    return _slider_cranks(20.0, progress)


# --- a ring of twenty bars -------------------------------------------------------------------------------------------


def run_ring(progress: Progress) -> Outcome:
    """Twenty bars between two points; 3 equations instead of 82."""
    flat = ring(20)
    tree = fx.trees.to_relative_coordinates(flat)
    quantities = counted("Cartesian", flat, 120, 82, "20 bodies, 19 universal and 2 ball joints")
    quantities += counted("mixed", tree, 41, 3, "19 universal and a ball joint in trees, one ball joint cut")
    runs = []
    for model in (flat, tree):
        progress("mixed" if model.trees else "Cartesian")
        runs.append(fx.simulate(model, 0.2, output=fx.Output(every=0.02), **FINE))
    for i in (0, 9, 19):
        places = [run.position(found(run.model, f"bar {i}").centre) for run in runs]
        quantities.append(gap(f"largest difference of bar {i} over 0.2 s", "m", places[0], places[1], 1e-8))
    quantities += [energy_change(runs[1], 9.81, 1e-8, "mixed: ")]
    pair = tree.joints[0].pairs[0]
    apart = float(np.abs(runs[1].position(pair.a) - runs[1].position(pair.b)).max())
    quantities.append(measured("mixed: largest gap of the cut joint", "m", apart, 0.0, "it stays closed", atol=1e-10))
    z = [(f"z of bar {i}", runs[1].t, runs[1].position(found(tree, f"bar {i}").centre)[:, 2]) for i in (0, 5, 9)]
    return Outcome(quantities, (), (), [("Heights of three bars.", over_time(z, "m"))])


# --- closures --------------------------------------------------------------------------------------------------------


def run_closures(progress: Progress) -> Outcome:
    """Four-bar linkage and slider-crank, each closed in several ways."""
    quantities: list[Measured] = []
    curves = []
    for name, kinds in (("four-bar", ("revolute", "point", "ball")), ("slider-crank", ("prismatic", "points"))):
        places = []
        for kind in kinds:
            progress(f"{name}, {kind}")
            flat = four_bar(kind) if name == "four-bar" else slider_crank(kind)
            tree = fx.trees.to_relative_coordinates(
                flat, cut=[j.name for j in flat.joints if j.name.startswith("closure")]
            )
            run = fx.simulate(tree, 1.0, step=2e-3, progress=False)
            redundant = {"revolute": 3, "point": 0, "ball": 1, "prismatic": 3, "points": 2}[kind]
            quantities.append(
                measured(
                    f"{name}, closed by {kind}: redundant equations",
                    "-",
                    len(run.redundant),
                    redundant,
                    "equations - (coordinates of the trees - freedoms)",
                    atol=0.5,
                )
            )
            places.append(run.position(found(tree, "rod").centre))
        for kind, place in zip(kinds[1:], places[1:], strict=True):
            quantities.append(
                gap(f"{name}: largest difference of {kind} to {kinds[0]}", "m", place, places[0], 1e-8,
                    f"closed by a {kinds[0]} joint")
            )  # fmt: skip
        curves.append((f"x of the rod, {name}", run.t, places[0][:, 0]))
    return Outcome(quantities, (), (), [("The rods.", over_time(curves, "m"))])


def _bar(a: tuple[float, ...], b: tuple[float, ...], name: str) -> fx.RigidBody:
    """A bar in the plane x, z."""
    d = np.subtract(b, a).astype(float)
    length = float(np.linalg.norm(d))
    along = d / length
    frame = np.column_stack([along, (0.0, 1.0, 0.0), np.cross(along, (0.0, 1.0, 0.0))])
    return fx.RigidBody.box(
        size=(length, 0.05, 0.05), mass=length, position=np.add(a, b) / 2.0, rotation=frame, name=name
    )


def four_bar(kind: str) -> fx.Model:
    """Crank, rod and rocker; rod and rocker meet in a hinge, a ball joint, or a point on its axis."""
    A, B, C = (0, 0, 1), (2, 0, 2), (2.5, 0, 0)
    crank, rod, rocker = _bar(ORIGIN, A, "crank"), _bar(A, B, "rod"), _bar(B, C, "rocker")
    y = (0, 1, 0)
    closures: dict[str, Callable[[], Joint]] = {
        "revolute": lambda: fx.RevoluteJoint(rod, rocker, at=B, axis=y, name="closure"),
        "point": lambda: fx.PointOnLineConstraint(rod, rocker, at=B, axis=y, name="closure"),
        "ball": lambda: fx.SphericalJoint(rod, rocker, at=B, name="closure"),
    }
    return fx.Model(
        crank,
        rod,
        rocker,
        fx.RevoluteJoint(fx.ground, crank, at=ORIGIN, axis=y, name="O"),
        fx.RevoluteJoint(crank, rod, at=A, axis=y, name="A"),
        fx.RevoluteJoint(fx.ground, rocker, at=C, axis=y, name="C"),
        closures[kind](),
        fx.Gravity((0, 0, -9.81)),
        name=f"four-bar closed by {kind}",
    )


def slider_crank(kind: str) -> fx.Model:
    """Crank, rod and slider; the slot is a prismatic joint, or two points of the slider are on its line."""
    A, B = (0.3, 0, 0.4), (1.5, 0, 0)
    y, x = (0, 1, 0), (1, 0, 0)
    crank, rod = _bar(ORIGIN, A, "crank"), _bar(A, B, "rod")
    slider = fx.RigidBody.box(size=(0.2, 0.1, 0.1), mass=2.0, position=B, name="slider")
    items = [
        crank, rod, slider, fx.RevoluteJoint(fx.ground, crank, at=ORIGIN, axis=y, name="O"),
        fx.RevoluteJoint(crank, rod, at=A, axis=y, name="A"), fx.RevoluteJoint(rod, slider, at=B, axis=y, name="B"),
        fx.Gravity((0, 0, -9.81)),
    ]  # fmt: skip
    if kind == "prismatic":
        items.append(fx.PrismaticJoint(fx.ground, slider, at=B, axis=x, name="closure"))
    else:
        line = fx.ground.marker_at(B, axis=x)
        items += [
            fx.PointOnLineConstraint(line, slider.marker((s, 0, 0)), name=f"closure {k}")
            for k, s in enumerate((-0.1, 0.1))
        ]
    return fx.Model(*items, name=f"slider-crank closed by {kind}")


SUMMARY = (
    "Haug's slider-crank with ball joints on both ends of the rod, which may spin about itself: two freedoms. In "
    "Cartesian coordinates 18 unknowns and 16 equations; crank, rod and slider as a tree of 7 coordinates, closed by "
    "a translational joint of 5 equations. Both are integrated so finely that they must agree."
)
PAPER = (
    "L. Kuebler and P. Eberhard, A formulation for flexible multibody systems with mixed Cartesian and relative "
    "coordinates; geometry of E.J. Haug (1989), as in d13."
)

SLIDER_CRANK = Case(
    id="mixed-slider-crank", title="Spatial slider-crank in mixed coordinates", area="trees", summary=SUMMARY,
    run=run_slider_crank, source=PAPER,
    limits=("Half a second; mixed-slider-crank-20s has the twenty seconds of the paper.",),
)  # fmt: skip

LONG_SLIDER_CRANK = Case(
    id="mixed-slider-crank-20s", title="Spatial slider-crank in mixed coordinates, 20 s", area="trees",
    summary=SUMMARY, run=run_long_slider_crank, source=PAPER, slow=True,
)  # fmt: skip

RING = Case(
    id="mixed-ring", title="Closed loop of twenty bars", area="trees",
    summary=(
        "Twenty bars on universal joints between two ball joints on the ground swing under an oblique gravity. "
        "`to_relative_coordinates` cuts one ball joint: 41 coordinates and 3 equations instead of 120 and 82."
    ),
    run=run_ring, source="Two descriptions of one mechanism.",
)  # fmt: skip

CLOSURES = Case(
    id="tree-closures", title="Loops closed by joints and by points", area="trees",
    summary=(
        "The last joint of a planar loop holds more than the loop needs. A four-bar linkage as two trees is closed by "
        "a hinge (three equations redundant), a ball joint (one) or a point on the axis of the hinge (none); a "
        "slider-crank by a prismatic joint, or by two points on a line. The motion is the same."
    ),
    run=run_closures, source="Different closures of one mechanism.",
    limits=("Reactions of redundant closures are not unique and not compared.",),
)  # fmt: skip
