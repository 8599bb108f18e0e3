"""Start: what the first run of each kind of model costs with nothing compiled, what it compiles, and the second run.

Each model is a script of a few lines in processes of its own: one with an empty cache folder of numba, then some with
the filled one. All times are processor time; "compiling" is the part of it inside numba's compiler, "kernels" the
number of compilations (of a kernel that Python calls there are two: of its code, and of machine code with an entry),
and the list after the table names the dearest of them with what each took itself, without the functions that it calls.

With a wheel that holds compiled kernels (``tools/build_wheel.py``) each model is run from its content as well, with an
empty cache folder; the last column tells whether the results are those of the tree to the last bit.

    python benchmarks/bench_start.py [--models strip,crank,...] [--wheel FILE] [--list 12] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path
from typing import Any

import measure

ROOT = Path(__file__).resolve().parents[1]

SPY = """
import json, sys, time
from numba.core import event

class Spy(event.Listener):
    def __init__(self):
        self.stack, self.found = [], []
    def on_start(self, event):
        self.stack.append([time.process_time(), 0.0])
    def on_end(self, event):
        began, inner = self.stack.pop()
        whole = time.process_time() - began
        if self.stack:
            self.stack[-1][1] += whole
        f = event.data["dispatcher"].py_func
        self.found.append((f.__module__ + "." + f.__qualname__, whole - inner, whole))

spy = Spy()
event.register("numba:compile", spy)
began = time.process_time()
import flexmbs as fx
imported = time.process_time()
import numpy as np
{script}
done = time.process_time()
import hashlib
result = globals().get("run") or bent
states = [np.ascontiguousarray(getattr(result, name)) for name in ("q", "v", "lam") if hasattr(result, name)]
digest = hashlib.sha256(b"".join(x.tobytes() for x in states)).hexdigest()
found = dict(start=began, imported=imported - began, all=done, compiled=spy.found, digest=digest, from_=fx.__file__)
with open(sys.argv[1], "w") as file:
    json.dump(found, file)
"""
"""``all`` begins with the process: it holds the start of Python and of numba; ``digest``: of its states."""

CRANK = """
crank = fx.PlanarRigidBody.rod((0, 0), (0.15, 0), mass=0.5, name="crank")
rod = fx.FlexibleBody.line((0.15, 0), (0.65, 0), elements=6, element=fx.elements.ANCFCable2D(),
                           section=fx.Rectangle(width=0.02, height=0.004), material=fx.steel, name="rod")
slider = fx.PlanarRigidBody(mass=0.5, inertia=1e-3, position=(0.65, 0), name="slider")
bearing = fx.RevoluteJoint(fx.ground, crank, at=(0, 0))
model = fx.Model(crank, rod, slider, bearing, fx.RevoluteJoint(crank, rod.start), fx.RevoluteJoint(rod.end, slider),
                 fx.PrismaticJoint(fx.ground, slider, at=(0.65, 0), axis=(1, 0)),
                 fx.RotationDriver(bearing, rate=fx.motions.Ramp(0, 50, duration=0.3), name="motor"))
run = fx.simulate(model, until=0.6, step=5e-4, output=fx.Output(every=2e-3))
assert abs(run.angle(bearing)[-1] - 22.5) < 1e-3
run.energy
"""

STRIP = """
strip = fx.FlexibleBody.line((0, 0), (1, 0), elements=16, element=fx.elements.ANCFCable2D(),
                             section=fx.Rectangle(width=0.02, height=0.002), material=fx.steel)
model = fx.Model(strip, fx.Clamp(strip.start), fx.PointForce(strip.end, (0, -8.4)))
bent = fx.solve_static(model)
bent.position(strip.end, step=-1), bent.angle(strip.end, step=-1), bent.reaction_moment(strip.start, step=-1)
fx.solve_modal(model, modes=3).frequencies, fx.solve_modal(bent, modes=3).frequencies
"""

LUG = f"""
part = fx.linear.Part(fx.meshes.read_mesh({str(ROOT / "meshes" / "data" / "lug.inp")!r}), material=fx.steel, name="lug")
small = fx.reduction.reduce(part, interfaces=["ROOT", "BORE"], modes=20)
lug = fx.FloatingBody(small, reference="ROOT", modes=6, damping=0.02)
hinge = fx.RevoluteJoint(fx.ground, lug, at=small.frame("ROOT").origin, axis=(0, 1, 0), name="hinge")
run = fx.simulate(fx.Model(lug, hinge, fx.Gravity((0, 0, -9.81))), until=0.2, step=1e-3)
run.position(lug.interface("BORE"))
"""

TREE = """
joint = fx.trees.Revolute((0, 1, 0))
links = [fx.trees.Link(f"rod {i}", 1.0, (0.01, 1 / 12, 1 / 12), (0.5, 0, 0), f"rod {i - 1}" if i else None, joint,
                       (float(i > 0), 0, 0), start=[0.1]) for i in range(6)]
tree = fx.trees.Tree(*links)
run = fx.simulate(fx.Model(tree, fx.Gravity((0, 0, -9.81))), until=0.5, step=1e-3)
run.energy
"""

FLOATING = """
mesh = fx.meshes.box((0, -0.05, -0.005), (1, 0.1, 0.01), (10, 1, 1))
part = fx.linear.Part(mesh, regions=[fx.linear.Region(None, fx.elements.Hexahedron8(), fx.steel)], name="panel")
small = fx.reduction.reduce(part, ["left", "right"], 4, progress=False)
panel = fx.FloatingBody(small, angular_velocity=(0.1, 5, 0.2), modes=6)
run = fx.simulate(fx.Model(panel), until=0.5, step=1e-3)
run.energy
"""

PLATE = """
sheet = fx.FlexibleBody.plate((1.0, 0.5), elements=(4, 2), element=fx.elements.ANCFThinPlate(),
                              section=fx.ShellSection(0.01), material=fx.steel)
model = fx.Model(sheet, fx.Clamp(sheet.set("left")), fx.Gravity((0, 0, -9.81)))
bent = fx.solve_static(model)
fx.solve_modal(model, modes=3).frequencies
run = fx.simulate(model, until=0.05, step=1e-3)
"""

ARM = """
arm = fx.FlexibleBody.line((0, 0), (0.8, 0), elements=6, element=fx.elements.ANCFCable2D(),
                           section=fx.Rectangle(width=0.03, height=0.004), material=fx.aluminium, name="arm")
hub = fx.PlanarRigidBody(mass=1.0, inertia=0.02, position=(0, 0), name="hub")
hinge = fx.RevoluteJoint(fx.ground, hub, at=(0, 0), name="hinge")
plant = [arm, hub, hinge, fx.FixedJoint(hub, arm.start, name="clamp")]
motor = fx.control.JointActuator("hinge", law=lambda volt, angle, rate, t: 0.5 * (volt - 0.5 * rate), name="motor")
pid = fx.control.PID(fx.control.JointSensor("hinge"), motor, period=0.01, delay=1, proportional=8.0, derivative=1.2,
             filter_time=0.01, limits=(-24, 24), reference=fx.motions.Ramp(0, 1.0, duration=0.4), name="PID")
run = fx.simulate(fx.Model(*plant, pid), until=0.6, step=1e-3, output=fx.Output(every=5e-3))
run.angle("hinge")
"""

CHAIN = """
bars = [fx.RigidBody(mass=1.0, inertia=(0.01, 0.08, 0.08), position=(i + 0.5, 0, 0), name=f"bar {i}")
        for i in range(4)]
spring = fx.SpringDamper(fx.Marker(bars[-1], (0.5, 0, 0)), fx.Marker(fx.ground, (5, 0, 1)), stiffness=50.0, damping=1.0)
joints = [fx.RevoluteJoint(a, b, at=(i, 0, 0), axis=(0, 1, 0))
          for i, (a, b) in enumerate(zip([fx.ground, *bars], bars))]
run = fx.simulate(fx.Model(*bars, *joints, spring, fx.Gravity((0, 0, -9.81))), until=0.5, step=1e-3)
run.energy
"""

MODELS = {
    "strip": (STRIP, 4.0),
    "crank": (CRANK, 8.0),
    "lug": (LUG, 12.0),
    "tree": (TREE, 12.0),
    "floating": (FLOATING, 15.0),
    "plate": (PLATE, 15.0),
    "arm": (ARM, 15.0),
    "chain": (CHAIN, 15.0),
}
"""The models, and how many seconds of processor time the first run may take; the first three are the README's."""

WARM = 3
SECOND_TARGET, HELP_TARGET, IMPORT_TARGET = 1.2, 0.3, 0.15
"""Seconds of processor time of a second run; of ``flexmbs --help``; of ``import flexmbs`` without numba and numpy."""


def run(command: list[str], cache: str, **settings: str) -> tuple[float, float]:
    """Wall and processor time of a process with this cache folder."""
    own = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}  # as users have it
    env = {**own, "NUMBA_CACHE_DIR": cache, **settings}
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(
        command, env=env, cwd=cache if settings else None, capture_output=True, text=True, check=False
    )
    wall, after = time.perf_counter() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command[:3])[:200]} ... failed:\n{done.stderr}")
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def told(script: str, cache: str, **settings: str) -> dict[str, Any]:
    """What the spy in a process with this script found."""
    file = Path(cache) / "told.json"
    wall, processor = run([sys.executable, "-c", SPY.replace("{script}", script), str(file)], cache, **settings)
    return {**json.loads(file.read_text()), "wall": wall, "processor": processor}


def of_wheel(script: str, wheel: str, digest: str) -> tuple[str, int, str]:
    """First run from the content of a wheel: processor time, compilations, and whether its results have this digest."""
    with tempfile.TemporaryDirectory() as cache, tempfile.TemporaryDirectory() as site:
        with zipfile.ZipFile(wheel) as content:
            content.extractall(site)
        run([sys.executable, "-m", "compileall", "-q", site], cache)  # as pip does
        found = told(script, cache, PYTHONPATH=site)
    if not found["from_"].startswith(site):
        raise RuntimeError(f"{found['from_']} was run in place of {wheel}")
    return f"{found['processor']:.1f}", len(found["compiled"]), "yes" if found["digest"] == digest else "NO"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--models", default=",".join(MODELS))
    parser.add_argument("--list", type=int, default=12, help="dearest kernels to be listed per model")
    parser.add_argument("--wheel", help="a wheel with compiled kernels, to be measured beside the tree")
    parser.add_argument("--json", help="write everything that was found to this file")
    options = parser.parse_args()
    print(measure.facts(), end="\n\n")
    rows, lists, verdicts, everything = [], [], [], {}
    for name in options.models.split(","):
        script, target = MODELS[name]
        with tempfile.TemporaryDirectory() as cache:
            cold = told(script, cache)
            warm = [told(script, cache) for _ in range(WARM)]
        everything[name] = cold, warm
        found = sorted(cold["compiled"], key=lambda row: -row[1])
        compiling = sum(own for _, own, _ in found)
        second = statistics.median(w["processor"] for w in warm)
        rows.append([name, f"{cold['processor']:.1f}", f"{compiling:.1f}", len(found), f"{cold['wall']:.1f}",
                     f"{second:.2f}", sum(len(w["compiled"]) for w in warm)])  # fmt: skip
        if options.wheel:
            rows[-1] += of_wheel(script, options.wheel, cold["digest"])
        lists.append((name, found[: options.list]))
        verdicts.append(f"{name}: first {cold['processor']:.1f} s, target {target}: "
                        f"{measure.verdict(cold['processor'], target)}; second {second:.2f} s, target "
                        f"{SECOND_TARGET}: {measure.verdict(second, SECOND_TARGET)}")  # fmt: skip
        if options.json:
            Path(options.json).write_text(json.dumps(everything, indent=0))
    head = ("model", "first [s]", "compiling [s]", "kernels", "first, wall", "second [s]", "compiled then")
    measure.table((*head, "wheel, first [s]", "compiled", "same bits") if options.wheel else head, rows)
    print("\n".join(["", *verdicts]))
    for name, found in lists:
        print(f"\n{name}:")
        dearest = [(f.removeprefix("flexmbs."), f"{own:.2f}", f"{whole:.2f}") for f, own, whole in found]
        measure.table(("dearest kernels", "own [s]", "with callees"), dearest)
    with tempfile.TemporaryDirectory() as cache:
        helps = [run([sys.executable, "-m", "flexmbs", "--help"], cache)[1] for _ in range(5)]
        imports = [run([sys.executable, "-c", "import flexmbs"], cache)[1] for _ in range(5)]
        bare = [run([sys.executable, "-c", "pass"], cache)[1] for _ in range(5)]
    for what, times, target in (("flexmbs --help", helps, HELP_TARGET), ("import flexmbs", imports, IMPORT_TARGET)):
        sample = measure.Sample.of(times)
        print(f"\n{what}: {sample.median:.3f} s (least {sample.low:.3f}; Python alone {min(bare):.3f}), "
              f"target {target}: {measure.verdict(sample.median, target)}")  # fmt: skip


if __name__ == "__main__":
    main()
