"""D08: a thin disk that rolls on a plane without slip."""

from __future__ import annotations

import math

import numpy as np
from scipy.spatial.transform import Rotation

import flexmbs as fx
from flexmbs.core.contracts import FloatArray
from flexmbs.verification import Case, Measured, Outcome, Progress
from flexmbs.verification.cases.common import measured
from flexmbs.verification.cases.moving import (
    G,
    against,
    energy_change,
    extrapolated,
    largest,
    on_paths,
    orders,
    prefixed,
    refine,
    stored_times,
    worst,
)
from flexmbs.verification.reference.data import load_reference
from flexmbs.verification.reference.tops import RollingDisk

DISK = RollingDisk()


def disk(tilt_degrees: float, spin: float, others: tuple[float, float, float]) -> tuple[fx.RigidBody, fx.Model]:
    """A disk with the axis (0, cos, sin) of its tilt; angular velocity spin * axis + others, no slip."""
    tilt = math.radians(tilt_degrees)
    axis = np.array([0.0, math.cos(tilt), math.sin(tilt)])
    up = np.array([0.0, -math.sin(tilt), math.cos(tilt)])
    omega = spin * axis + np.array(others)
    body = fx.RigidBody(
        DISK.mass, (DISK.diametral, DISK.diametral, DISK.axial), position=(0.0, 0.0, DISK.radius * math.cos(tilt)),
        rotation=Rotation.from_rotvec([tilt - math.pi / 2.0, 0.0, 0.0]), name="disk",
        velocity=DISK.radius * np.cross(omega, up),
    ).with_spin(omega)  # fmt: skip
    floor = fx.ground.marker_at((0, 0, 0), axis=(0, 0, 1))
    rolling = fx.RollingDisk(floor, body.marker((0, 0, 0), axis=(0, 0, 1)), radius=DISK.radius, name="rolling")
    return body, fx.Model(body, rolling, fx.Gravity((0, 0, -G)))


def _contact(run: fx.TimeSolution, body: fx.RigidBody) -> tuple[FloatArray, FloatArray]:
    """Lowest point of the disk and its velocity as a point of the body, (n_t, 3) each."""
    R, p = run.rotation(body), run.position(body)
    n = R[:, :, 2]
    up = np.array([0.0, 0.0, 1.0]) - n[:, 2:] * n
    arm = -DISK.radius * up / np.linalg.norm(up, axis=1, keepdims=True)
    omega = np.einsum("tij,tj->ti", R, run.angular_velocity(body))
    return p + arm, run.velocity(body) + np.cross(omega, arm)


def run(progress: Progress) -> Outcome:
    """Steady circle and a transient of four seconds."""
    tilt, names = 20.0, list(load_reference("d08").quantities)
    rate = DISK.steady_precession(math.radians(tilt), -10.0)
    body, model = disk(tilt, -10.0, (0.0, 0.0, rate))
    circle = refine(model, 4.0, (1e-2, 5e-3), prefixed(progress, "steady circle"))
    heading = [np.polyfit(c.t, np.unwrap(np.arctan2(*c.rotation(body)[:, 1::-1, 2].T)), 1)[0] for c in circle]
    track = _contact(circle[-1], body)[0]
    lean = np.degrees(np.arcsin(circle[-1].rotation(body)[:, 2, 2])) - tilt
    quantities: list[Measured] = [
        *against("d08", names[0], f"extrapolated to step 0: {names[0]}", extrapolated(*heading), 1e-5),
        *against("d08", names[1], "radius of the circle of the contact point", [_radius(track)], 1e-2),
        measured("steady circle: largest change of the tilt", "degrees", np.abs(lean).max(), 0.0, "steady motion",
                 atol=5e-3),
    ]  # fmt: skip
    body, model = disk(10.0, -8.0, (0.3, 0.0, 0.0))
    times, steps = (0.5, 1.0, 2.0, 4.0), (1e-2, 5e-3, 2.5e-3)
    runs = refine(model, 4.0, steps, progress)
    found = [r.position(body)[stored_times(r, times)] for r in runs]
    axis = np.array([0.0, math.cos(math.radians(10.0)), math.sin(math.radians(10.0))])
    exact = DISK.motion(math.radians(10.0), -8.0 * axis + np.array([0.3, 0.0, 0.0]), times)[:, :3]
    quantities.append(largest("transient, step 2.5 ms: largest error of the centre", "m", found[-1], exact, 1e-3))
    for name, better in zip(names[2:6], extrapolated(found[-2], found[-1]), strict=True):
        short = name[name.index("t=") :]
        quantities += against("d08", name, f"transient, extrapolated to step 0: {short}", better, 1e-5)
    fine = runs[-1]
    spot, slip = _contact(fine, body)
    quantities += [
        energy_change(fine, DISK.mass * G * DISK.radius, 1e-5),
        measured("largest height of the contact point", "m", np.abs(spot[:, 2]).max(), 0.0, "contact", atol=1e-10),
        measured("largest slip", "m/s", np.linalg.norm(slip, axis=1).max(), 0.0, "no slip", atol=1e-9),
    ]
    studies = [orders("centre of the disk", steps, [worst(p, exact) for p in found])]
    drawing = on_paths([("steady circle", track[:, :2]), ("transient", spot[:, :2])], exact[:, :2])
    return Outcome(quantities, studies, (), [("Tracks of the contact point; centre of the disk (black).", drawing)])


def _radius(points: FloatArray) -> float:
    """Radius of the circle through plane points, by least squares."""
    x, y = points[:, 0], points[:, 1]
    a = np.linalg.lstsq(np.column_stack([2 * x, 2 * y, np.ones_like(x)]), x**2 + y**2, rcond=None)[0]
    return math.sqrt(a[2] + a[0] ** 2 + a[1] ** 2)


CASE = Case(
    id="d08-rolling",
    title="Disk rolling on a plane",
    area="mechanisms",
    summary=(
        "A thin disk of 1 kg and 0.5 m radius rolls on a rough plane: in a steady circle with its axis tilted by 20 "
        "degrees, and in a transient that starts with a tilt of 10 degrees and a rate of tilting.\n\n"
        "No slip is a condition on velocities that no condition on positions can replace."
    ),
    run=run,
    source="Nonholonomic equations of Newton and Euler, order 8; Neimark and Fufaev, Dynamics of Nonholonomic Systems.",
    equations=(
        r"\dot x = R\, w \times e",
        r"\dfrac{d}{dt}(J w) = -R\, e \times m\, (\ddot x + g e_z)",
    ),
    limits=("Contact at a point, without friction against spinning; the disk cannot lift off.",),
    basic=True,
)
