"""The first run of a model compiles what the model has, and nothing else."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

SPY = """
from numba.core import event
import flexmbs as fx

class Compiled(event.Listener):
    def on_start(self, event):
        function = event.data["dispatcher"].py_func
        print(function.__module__ + "." + function.__qualname__)
    def on_end(self, event):
        pass

event.register("numba:compile", Compiled())
"""

CRANK = """
crank = fx.PlanarRigidBody.rod((0, 0), (0.15, 0), mass=0.5, name="crank")
rod = fx.PlanarRigidBody.rod((0.15, 0), (0.65, 0), mass=0.3, name="rod")
slider = fx.PlanarRigidBody(mass=0.5, inertia=1e-3, position=(0.65, 0), name="slider")
model = fx.Model(crank, rod, slider, fx.RevoluteJoint(fx.ground, crank, at=(0, 0)), fx.RevoluteJoint(crank, rod,
at=(0.15, 0)),
                 fx.RevoluteJoint(rod, slider, at=(0.65, 0)),
                 fx.PrismaticJoint(fx.ground, slider, at=(0.65, 0), axis=(1, 0)), fx.Gravity((0, -9.81)))
fx.simulate(model, 0.01, step=1e-3)
"""

NOT_IN_THE_CRANK = (
    "flexmbs.kernels.trees.",
    "flexmbs.kernels.floating",
    "flexmbs.kernels.substructure",
    "flexmbs.kernels.row_forces.",
    "flexmbs.kernels.wrenches.",
    "flexmbs.kernels.rows.rolling_rows.",
    "flexmbs.kernels.rows.swing_rows.",
    "flexmbs.kernels.markers.tree.",
    "flexmbs.kernels.markers.floating",
    "flexmbs.kernels.markers.rigid",
    "flexmbs.elements.",
    "flexmbs.linear.",
)
"""Trees, floating bodies, substructures, springs, forces on markers, rolling, bushings, spatial bodies, elements."""

TREE = """
links = [fx.trees.Link(f"rod {i}", 1.0, (0.01, 1 / 12, 1 / 12), (0.5, 0, 0), f"rod {i - 1}" if i else None,
                       fx.trees.Revolute((0, 1, 0)), (float(i > 0), 0, 0)) for i in range(2)]
fx.simulate(fx.Model(fx.trees.Tree(*links), fx.Gravity((0, 0, -9.81))), 0.01, step=1e-3)
"""

NOT_IN_THE_TREE = (
    "flexmbs.kernels.trees.modal.modal_",
    "flexmbs.kernels.trees.modal.left_operator",
    "flexmbs.kernels.trees.motion.modal_change",
    "flexmbs.kernels.trees.dynamics.carried_shapes",
    "flexmbs.kernels.trees.flexible_kernels.",
    "flexmbs.kernels.pairs.",
    "flexmbs.kernels.rows.",
    "flexmbs.kernels.row_forces.",
    "flexmbs.kernels.wrenches.",
    "flexmbs.kernels.markers.",
    "flexmbs.elements.",
)
"""Shapes of flexible links, joints, springs, forces on markers, markers, elements."""


DRIVEN = CRANK.replace("step=1e-3", "step=1e-3, integrator=fx.GeneralizedAlpha(compiled=True)")

NOT_OF_IMPLICIT_STEPS = (
    "flexmbs.integrators.chart.",
    "flexmbs.integrators.explicit_step.",
    "flexmbs.integrators.compiled.explicit_stages.",
    "flexmbs.integrators.constraints.",
)
"""What explicit stages are made of."""

EXPLICIT = CRANK.replace("step=1e-3", "step=1e-3, integrator=fx.RungeKutta(compiled=True)")
EXPLICIT_TREE = TREE.replace("step=1e-3", "step=1e-3, integrator=fx.RungeKutta(compiled=True)")

NOT_OF_EXPLICIT_STEPS = (
    "flexmbs.integrators.compiled.newton_step.",
    "flexmbs.integrators.newmark_steps.",
    "flexmbs.kernels.steps.begin",
    "flexmbs.kernels.steps.finish",
    "flexmbs.kernels.steps.correct",
    "flexmbs.kernels.pairs.joint_coupling",
    "flexmbs.kernels.trees.motion.tree_tangent",
    "flexmbs.kernels.trees.dynamics.tree_tangent",
    "flexmbs.kernels.trees.dynamics.tree_mass_behind",
)
"""Newton's iteration, its two levels, tangents of trees."""


@pytest.mark.parametrize(
    ("script", "present", "absent"),
    [
        (CRANK, "flexmbs.kernels.pairs.joint_tangent", NOT_IN_THE_CRANK),
        (TREE, "flexmbs.kernels.trees.motion.place_columns", NOT_IN_THE_TREE),
        pytest.param(
            DRIVEN, "flexmbs.integrators.compiled.newton_step.states_settled",
            (*NOT_IN_THE_CRANK, *NOT_OF_IMPLICIT_STEPS), marks=pytest.mark.slow,
        ),
        pytest.param(
            EXPLICIT, "flexmbs.integrators.explicit_step.estimated_error", (*NOT_IN_THE_CRANK, *NOT_OF_EXPLICIT_STEPS),
            marks=pytest.mark.slow,
        ),
        pytest.param(
            EXPLICIT_TREE, "flexmbs.kernels.trees.dynamics.tree_mass", (*NOT_IN_THE_TREE, *NOT_OF_EXPLICIT_STEPS),
            marks=pytest.mark.slow,
        ),
    ],
)  # fmt: skip
def test_a_kernel_that_the_model_does_not_use_is_never_compiled(
    tmp_path: Path, script: str, present: str, absent: tuple[str, ...]
) -> None:
    own = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path), "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", SPY + script], env=own, capture_output=True, text=True, check=True)
    compiled = done.stdout.split()
    assert present in compiled
    assert [name for name in compiled if name.startswith(absent)] == []
