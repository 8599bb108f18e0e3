"""The first run of a model compiles what the model has, and nothing else."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

SCRIPT = """
from numba.core import event
import flexmbs as fx

class Compiled(event.Listener):
    def on_start(self, event):
        print(event.data["dispatcher"].py_func.__module__)
    def on_end(self, event):
        pass

event.register("numba:compile", Compiled())
crank = fx.PlanarRigidBody.rod((0, 0), (0.15, 0), mass=0.5, name="crank")
rod = fx.PlanarRigidBody.rod((0.15, 0), (0.65, 0), mass=0.3, name="rod")
slider = fx.PlanarRigidBody(mass=0.5, inertia=1e-3, position=(0.65, 0), name="slider")
model = fx.Model(crank, rod, slider, fx.RevoluteJoint(fx.ground, crank, at=(0, 0)), fx.RevoluteJoint(crank, rod,
at=(0.15, 0)),
                 fx.RevoluteJoint(rod, slider, at=(0.65, 0)),
                 fx.PrismaticJoint(fx.ground, slider, at=(0.65, 0), axis=(1, 0)), fx.Gravity((0, -9.81)))
fx.simulate(model, 0.01, step=1e-3)
"""

ABSENT = (
    "flexmbs.kernels.trees",
    "flexmbs.kernels.floating",
    "flexmbs.kernels.substructure",
    "flexmbs.kernels.row_forces",
    "flexmbs.kernels.rows.rolling_rows",
    "flexmbs.kernels.rows.swing_rows",
    "flexmbs.kernels.markers.tree",
    "flexmbs.kernels.markers.floating",
    "flexmbs.kernels.markers.rigid",
    "flexmbs.elements",
    "flexmbs.linear",
)
"""Trees, floating bodies, substructures, springs, rolling, bushings, spatial bodies, elements: it has none."""


def test_a_kernel_that_the_model_does_not_use_is_never_compiled(tmp_path: Path) -> None:
    own = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path), "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", SCRIPT], env=own, capture_output=True, text=True, check=True)
    compiled = done.stdout.split()
    assert "flexmbs.kernels.pairs" in compiled
    assert [name for name in compiled if name.startswith(ABSENT)] == []
