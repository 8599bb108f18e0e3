"""A man of 21 bodies on 20 ball joints sits in a car that is stopped; a belt of three points holds him."""

import matplotlib.pyplot as plt
import numpy as np

import flexmbs as fx
from flexmbs import trees

body = {  # body before, joint and centre [m; x forwards, y to the left, z up], mass [kg], radius of gyration [m]
    "pelvis": ("", (0, 0, 0.1), (0, 0, 0.1), 11.4, 0.09),
    "lumbar": ("pelvis", (-0.05, 0, 0.2), (-0.06, 0, 0.27), 2.4, 0.07),
    "chest": ("lumbar", (-0.08, 0, 0.34), (-0.12, 0, 0.5), 18.0, 0.1),
    "neck": ("chest", (-0.15, 0, 0.68), (-0.15, 0, 0.74), 1.0, 0.04),
    "head": ("neck", (-0.14, 0, 0.8), (-0.11, 0, 0.88), 4.1, 0.06),
    "clavicle": ("chest", (-0.08, 0.03, 0.63), (-0.1, 0.09, 0.64), 0.3, 0.03),
    "scapula": ("clavicle", (-0.13, 0.17, 0.65), (-0.18, 0.13, 0.6), 0.7, 0.04),
    "upper arm": ("scapula", (-0.14, 0.19, 0.62), (-0.06, 0.2, 0.5), 1.8, 0.06),
    "forearm": ("upper arm", (0.02, 0.21, 0.36), (0.14, 0.2, 0.4), 1.4, 0.05),
    "hand": ("forearm", (0.26, 0.19, 0.43), (0.33, 0.18, 0.45), 0.5, 0.03),
    "thigh": ("pelvis", (0, 0.09, 0.09), (0.2, 0.1, 0.12), 8.6, 0.1),
    "shin": ("thigh", (0.42, 0.1, 0.15), (0.52, 0.1, -0.02), 3.6, 0.09),
    "foot": ("shin", (0.66, 0.1, -0.25), (0.72, 0.1, -0.28), 1.0, 0.05),
}
rows = {}
for name, (before, joint, centre, mass, size) in body.items():
    for hand, side in {"left ": 1, "right ": -1}.items() if centre[1] else (("", 1),):
        at = [np.array(p) * (1, side, 1) for p in (joint, centre)]
        rows[hand + name] = (hand + before if before and body[before][2][1] else before, *at, mass, size)
man = trees.Tree(*[
    trees.Link(name, mass, np.full(3, mass * size**2), centre - joint, before or None,
               trees.Spherical() if before else trees.Free(), at=joint - rows[before][1] if before else (0, 0, 0),
               start=None if before else (joint, np.eye(3)))
    for name, (before, joint, centre, mass, size) in rows.items()])  # fmt: skip
on = lambda name, place: man.link(name).marker(np.subtract(place, rows[name][1]))  # noqa: E731
turn, push, soft = np.array([0, 0, 0, 1, 1, 1]), np.array([3e3, 3e3, 5e4]), "forearm hand thigh shin foot"
balls = [fx.Bushing(on(r[0], r[1]), on(n, r[1]), stiffness=k * turn, damping=k * turn / 50, name=f"at {n}")
         for n, r in rows.items() if r[0] for k in [15 if n.split()[-1] in soft else 150]]  # fmt: skip
seat = [fx.Bushing(fx.ground.marker_at(rows[n][2]), on(n, rows[n][2]), stiffness=push, damping=push / 100, name=n)
        for n in ("pelvis", "left foot", "right foot")]  # fmt: skip
pull = fx.ForceCurve(x := np.linspace(-0.5, 0.5, 401), 2e4 * (x + np.hypot(x, 5e-3)))  # a belt never pushes
belts = [fx.SpringDamper(fx.ground.marker_at(a), on(name, b), stiffness=pull, name=label,
                         free_length=np.linalg.norm(np.subtract(a, b)) + 0.02)
         for label, a, name, b in (("shoulder", (-0.35, 0.25, 0.75), "chest", (-0.02, 0.08, 0.6)),
                                   ("chest to buckle", (-0.1, -0.25, -0.05), "chest", (0, -0.08, 0.38)),
                                   ("lap, left", (-0.15, 0.25, -0.08), "pelvis", (0.1, 0.12, 0.15)),
                                   ("lap, right", (-0.1, -0.25, -0.05), "pelvis", (0.1, -0.12, 0.15)))]  # fmt: skip
crash = fx.Gravity((200, 0, 0), history=lambda t: np.sin(np.pi * t / 0.1) ** 2 * (t < 0.1))  # seen from the car
run = fx.simulate(fx.Model(man, *balls, *seat, *belts, crash, fx.Gravity((0, 0, -9.81))), until=0.15, step=1e-3)

# By hand: the pulse gives the man m A T / 2; what belts, seat and floor take off again leaves his momentum.
off = [run.force(b.name).force for b in seat]
away = [run.position(b.b) - run.position(b.a) for b in belts]
forces = [run.force(b.name).force * d[:, 0] / np.linalg.norm(d, axis=1) for b, d in zip(belts, away, strict=True)]
taken = np.trapezoid(sum(forces) + sum(f[:, 0] for f in off), run.t)
found, by_hand = run.momentum()[0][-1, 0] + taken, sum(row[3] for row in rows.values()) * 200 * 0.1 / 2
freedoms = fx.topology(fx.Model(man)).degrees_of_freedom
print(f"{freedoms} freedoms; the pulse gives {found:.2f} N s, by hand {by_hand:.2f} N s")

figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3.6), layout="constrained")
for k, shade in ((0, "0.75"), (80, "0.45"), (120, "#1f5fa8")):
    for name, row in rows.items():
        ends = [on(row[0], rows[row[0]][2]), on(name, row[1])] if row[0] else []
        line = np.array([run.position(m)[k] for m in (*ends, on(name, row[2]))])
        left.plot(line[:, 0], line[:, 2], "-", color=shade, label=f"{k} ms" if name == "pelvis" else None)
left.set(xlabel="x [m]", ylabel="z [m]", aspect="equal")
left.legend(frameon=False, loc="upper right")
for b in belts:
    right.plot(1e3 * run.t, run.force(b.name).force / 1e3, label=b.name)
right.set(xlabel="time [ms]", ylabel="force of a belt [kN]")
right.legend(frameon=False)
figure.savefig("occupant.png", dpi=80)
