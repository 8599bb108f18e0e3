"""Arms of flexible links: relative coordinates against bodies in floating frames with joints, and a stiff limit."""

from __future__ import annotations

from typing import Any

import numpy as np

import flexmbs as fx
from flexmbs import trees
from flexmbs.core.contracts import FloatArray
from flexmbs.reduction.model import ReducedModel
from flexmbs.verification import Case, ConvergenceStudy, Outcome, Progress, Table
from flexmbs.verification.cases.common import measured
from flexmbs.verification.cases.moving import over_time, worst

UNTIL = 0.2
SHOULDER, ELBOW = np.array([0.0, 1.0, 0.3]), np.array([0.2, 1.0, 0.0])
RATES = 0.5, 1.0
WEIGHT = fx.Gravity((0.0, 0.3, -9.81))
SOFT = 2e6
"""Young's modulus [N/m^2] of the bars that are compared: such that they bend by a third of their length."""
STIFFNESSES = (4e7, 8e7, 1.6e8, 3.2e8)
"""Of those that become rigid."""
STEP = 1e-3
SAME = "bodies in floating frames and revolute joints"


def bar(modulus: float = SOFT) -> ReducedModel:
    """A bar of 1 m by 60 mm by 100 mm, reduced to its two ends."""
    material = fx.Elastic(youngs_modulus=modulus, poissons_ratio=0.3, density=1000.0, name="rubber")
    mesh = fx.meshes.box((0.0, -0.03, -0.05), (1.0, 0.06, 0.1), (4, 1, 1))
    part = fx.linear.Part(mesh, regions=[fx.linear.Region(None, fx.elements.Hexahedron8(), material)], name="bar")
    return fx.reduction.reduce(part, ["left", "right"], 0, progress=False)


def in_joints(reduced: ReducedModel, links: int) -> tuple[fx.Model, Any]:
    """The arm as a tree, and its tip."""
    made = [
        trees.FlexibleLink("link 0", reduced, "left", joint=trees.Revolute(SHOULDER), rate=RATES[0]),
        trees.FlexibleLink("link 1", reduced, "left", "link 0", trees.Revolute(ELBOW), at="right", rate=RATES[1]),
    ][:links]
    tree = trees.Tree(*made, name="arm")
    return fx.Model(tree, WEIGHT), tree.bodies[-1].interface("right")


def in_frames(reduced: ReducedModel, links: int) -> tuple[fx.Model, Any]:
    """The same with bodies in floating frames."""
    e, f = (x / np.linalg.norm(x) for x in (SHOULDER, ELBOW))
    spin = RATES[0] * e
    upper = fx.FloatingBody(reduced, "left", angular_velocity=spin, name="link 0")
    hinge = fx.RevoluteJoint(fx.ground.marker((0, 0, 0), axis=e), upper.interface("left", axis=e), name="shoulder")
    if links == 1:
        return fx.Model(upper, hinge, WEIGHT), upper.interface("right")
    lower = fx.FloatingBody(
        reduced, "left", position=(1, 0, 0), velocity=np.cross(spin, (1.0, 0, 0)),
        angular_velocity=spin + RATES[1] * f, name="link 1",
    )  # fmt: skip
    elbow = fx.RevoluteJoint(upper.interface("right", axis=f), lower.interface("left", axis=f), name="elbow")
    return fx.Model(upper, lower, hinge, elbow, WEIGHT), lower.interface("right")


def fine(model: fx.Model) -> fx.TimeSolution:
    """The motion with errors below 1e-8 of its size."""
    scheme, step = fx.RungeKutta(), fx.ErrorControl(rtol=1e-11)
    return fx.simulate(model, UNTIL, step=step, integrator=scheme, output=fx.Output(every=0.02))


def rigid_arm(reduced: ReducedModel) -> FloatArray:
    """Tip (n, 3) of an arm of one rigid link with the inertia of the bar."""
    inside = trees.FlexibleLink("link", reduced, "left").floating.inertia
    second = inside.second - np.outer(inside.first, inside.first) / inside.mass
    link = trees.Link("link 0", inside.mass, np.trace(second) * np.eye(3) - second, inside.first / inside.mass,
                      joint=trees.Revolute(SHOULDER), rate=RATES[0])  # fmt: skip
    tree = trees.Tree(link, name="arm")
    run = fx.simulate(fx.Model(tree, WEIGHT), UNTIL, step=STEP)
    return run.position(tree.bodies[0].marker((1.0, 0.0, 0.0)))


def run(progress: Progress) -> Outcome:
    """One and two links in both descriptions; one link as it becomes rigid."""
    quantities, rows, curves = [], [], []
    reduced = bar()
    for links in (1, 2):
        found = {}
        for name, make in (("joints", in_joints), ("frames", in_frames)):
            progress(f"{links} links, {name}")
            model, tip = make(reduced, links)
            result = fine(model)
            found[name] = result.position(tip)
            report = fx.model_report(model)
            drift = float(np.abs(result.energy.balance).max() / result.energy.kinetic.max())
            rows.append(
                (f"{links} in {name}", report.n_coordinates, len(report.constraints), len(result.steps), f"{drift:.1e}",
                 f"{result.residuals[:, 0].max():.1e}")
            )  # fmt: skip
            quantities.append(
                measured(f"{links} links in {name}: energy gained, by the largest kinetic one", "-", drift, 0.0,
                         "conservation", atol=1e-8)
            )  # fmt: skip
            if name == "joints":
                curves.append((f"tip z, {links} links", result.t, found[name][:, 2]))
        quantities.append(
            measured(f"{links} links: tip over {UNTIL} s", "m", worst(found["joints"], found["frames"]), 0.0, SAME,
                     atol=1e-8)
        )  # fmt: skip
    errors = []
    place = rigid_arm(reduced)
    for modulus in STIFFNESSES:
        progress(f"E = {modulus:g}")
        model, tip = in_joints(bar(modulus), 1)
        errors.append(worst(fx.simulate(model, UNTIL, step=STEP).position(tip), place))
    # the bar bends by its weight, and swings about that, by the inverse of its stiffness
    study = ConvergenceStudy("one link: tip against a rigid link, by the compliance", STIFFNESSES, errors, 1.0, 0.8,
                             counts=True)  # fmt: skip
    head = ("links", "velocities", "equations", "steps", "energy gained", "violation [m]")
    drawing = over_time(curves, "tip z in m")
    return Outcome(
        quantities, [study], [Table("Both descriptions", head, rows)], [("The tips of the arms in joints.", drawing)]
    )


CASE = Case(
    id="tree-flexible-arms",
    title="Arms of flexible links",
    area="trees",
    summary=(
        "One and two soft bars on oblique hinges fall and bend. As trees of flexible links they have their joint "
        "angles and shapes as unknowns and no equations; as bodies in floating frames twelve more coordinates and ten "
        "equations. The motion is the same, and becomes that of a rigid link as the bar is made stiffer."
    ),
    run=run,
    source="Two descriptions of one mechanism.",
    limits=("Both rest on the same reduced models; absolute-nodal beams are compared in the case floating-slewing.",),
    basic=True,
)
