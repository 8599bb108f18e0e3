"""Energy and momentum kept to round-off: a flexible pendulum, cables and bodies in free flight, a mechanism."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.figure import Figure

import flexmbs as fx
from flexmbs.core.contracts import FloatArray
from flexmbs.elements import ANCFCable2D, ANCFCable3D
from flexmbs.verification import Case, Measured, Outcome, Progress, Table
from flexmbs.verification.cases.common import COLOURS, figure, measured
from flexmbs.verification.cases.mechanisms.free_body import INERTIA, OMEGA
from flexmbs.verification.cases.mechanisms.integrators import CLOSED, cone
from flexmbs.verification.cases.moving import CONSERVED, G, against, extrapolated, orders, stored_times, worst
from flexmbs.verification.reference import tops

LENGTH, EA, EI, MASS = 1.0, 1e4, 0.2, 1.0
SCHEMES: tuple[tuple[str, Any], ...] = (
    ("energy-momentum", fx.EnergyMomentum()),
    ("generalized-alpha, rho = 0.9", fx.GeneralizedAlpha()),
    ("Newmark, trapezoidal rule", fx.GeneralizedAlpha.newmark()),
    ("generalized-alpha, rho = 0.999", fx.GeneralizedAlpha(rho_inf=0.999)),
)
DRIFT = 1e-9
"""What is asked for, of the largest kinetic and strain energy."""


def pendulum(elements: int) -> tuple[fx.FlexibleBody, fx.Model]:
    """A flexible cable of 1 m and 1 kg along x, pinned at the origin, under its weight."""
    cable = fx.FlexibleBody.line(
        (0.0, 0.0), (LENGTH, 0.0), elements=elements, element=ANCFCable2D(), name="pendulum",
        stiffness=fx.BeamStiffness(EA=EA, EI_z=EI, mass_per_length=MASS / LENGTH),
    )  # fmt: skip
    return cable, fx.Model(cable, fx.Pin(cable.start), fx.Gravity((0.0, -G)))


def pendulum_energy(q: FloatArray, v: FloatArray) -> FloatArray:
    """Kinetic, strain and weight energy (n_t,) of the pendulum, from coordinates (n_t, n) by the definition alone.

    Cubic Hermite curves; kinetic energy and weight by four Gauss points an element, axial strain by three Lobatto
    points, turn of the tangent per length by three Gauss points.
    """
    n = q.shape[1] // 4 - 1
    L = LENGTH / n
    total = np.zeros(len(q))
    lobatto = np.array([-1.0, 0.0, 1.0]), np.array([1.0, 4.0, 1.0]) / 3.0
    ends = [
        np.stack([x[:, 4 * e : 4 * e + 8].reshape(-1, 4, 2) for e in range(n)], axis=1)
        * np.array([1, L, 1, L])[:, None]
        for x in (q, v)
    ]
    gauss = np.polynomial.legendre.leggauss
    for part, (points, weights) in enumerate((gauss(4), lobatto, gauss(3))):
        for s, w in zip(0.5 + 0.5 * points, 0.5 * L * weights, strict=True):
            N = np.array([1 - 3 * s**2 + 2 * s**3, s - 2 * s**2 + s**3, 3 * s**2 - 2 * s**3, s**3 - s**2])
            N1 = np.array([-6 * s + 6 * s**2, 1 - 4 * s + 3 * s**2, 6 * s - 6 * s**2, 3 * s**2 - 2 * s]) / L
            N2 = np.array([-6 + 12 * s, -4 + 6 * s, 6 - 12 * s, 6 * s - 2]) / L**2
            if part == 0:
                speed, place = (np.einsum("i,teic->tec", N, x) for x in (ends[1], ends[0]))
                density = MASS / LENGTH * (0.5 * (speed**2).sum(axis=2) + G * place[:, :, 1])
            else:
                d, dd = (np.einsum("i,teic->tec", M, ends[0]) for M in (N1, N2))
                square = (d**2).sum(axis=2)
                bend = (d[:, :, 0] * dd[:, :, 1] - d[:, :, 1] * dd[:, :, 0]) / square
                density = 0.5 * EA * (np.sqrt(square) - 1.0) ** 2 if part == 1 else 0.5 * EI * bend**2
            total += w * density.sum(axis=1)
    return total


def _drift(run: fx.TimeSolution) -> tuple[FloatArray, float]:
    """Change of the energy over the largest kinetic + strain energy at all times, and the largest."""
    e = run.energy
    change = np.abs(e.total - e.total[0]) / float((e.kinetic + e.strain + e.springs).max())
    return change, float(change.max())


def _turned(values: FloatArray) -> float:
    """Largest change of a vector over its size."""
    return float(np.linalg.norm(values - values[0], axis=1).max() / np.linalg.norm(values[0]))


def _compare(
    count: int, step: float, schemes: int, progress: Progress
) -> tuple[list[Measured], Table, fx.TimeSolution, Figure]:
    """The pendulum with the first few schemes: drifts, and their picture."""
    quantities, rows = [], []
    drawing, axes = figure(6.4, 3.6)
    first: fx.TimeSolution | None = None
    for (name, scheme), colour in zip(SCHEMES[:schemes], COLOURS, strict=False):
        progress(f"pendulum, {count} steps, {name}")
        output = fx.Output(every=step * count / 200)
        run = fx.simulate(pendulum(8)[1], count * step, step=step, integrator=scheme, output=output, throw=False)
        change, most = _drift(run)
        rows.append([name, most, len(run.steps), float(run.steps[:, 2].mean()), float(run.t[-1])])
        axes.semilogy(run.t[1:], np.maximum(change[1:], 1e-17), color=colour, linewidth=1.0, label=name)
        if first is None:
            first = run
            own = pendulum_energy(run.q, run.v)
            scale = float((run.energy.kinetic + run.energy.strain).max())
            quantities += [
                measured(f"{count} steps of the pendulum: drift of the energy", "-", most, 0.0, CONSERVED, atol=DRIFT),
                measured(f"{count} steps: the same, with the energy computed from its definition", "-",
                         float(np.abs(own - own[0]).max()) / scale, 0.0, CONSERVED, atol=DRIFT),
            ]  # fmt: skip
    axes.set_xlabel("t in s")
    axes.set_ylabel("change of energy / largest kinetic + strain")
    axes.legend(frameon=False, fontsize="x-small")
    assert first is not None  # noqa: S101
    table = Table(
        f"Flexible pendulum, 8 elements, step {1e3 * step:g} ms: drift of the energy, by the largest kinetic + strain",
        ("scheme", "drift", "steps", "iterations per step", "reached t in s"), rows,
    )  # fmt: skip
    return quantities, table, first, drawing


def _free_cables() -> list[Measured]:
    """Two cables, hinged to each other, that turn about the hinge in different directions and fly away."""
    cables = [
        fx.FlexibleBody.line((0.0, 0.0, 0.0), end, elements=4, element=ANCFCable3D(), name=name,
                             stiffness=fx.BeamStiffness(EA=EA, EI_z=EI, mass_per_length=MASS / LENGTH))
        for name, end in (("one", (1.0, 0.0, 0.0)), ("other", (0.2, 1.0, 0.1)))
    ]  # fmt: skip
    fields = [
        fx.InitialVelocity(cable, velocity=(1.0, 2.0, 3.0), angular_velocity=w)
        for cable, w in zip(cables, ((0.0, 4.0, -6.0), (3.0, 0.0, 2.0)), strict=True)
    ]
    model = fx.Model(*cables, fx.Hinge(cables[0].start, cables[1].start), *fields)
    run = fx.simulate(model, 0.3, step=1e-3, integrator=fx.EnergyMomentum(), output=fx.Output(every=1e-2))
    P, L = run.momentum()
    return [
        measured(f"free cables in space: change of the {name}", "-", value, 0.0, CONSERVED, atol=1e-11)
        for name, value in (
            ("energy", _drift(run)[1]), ("momentum", _turned(P)), ("angular momentum", _turned(L)),
        )
    ]  # fmt: skip


def _mechanism() -> list[Measured]:
    """A slab on a universal joint at a bar on a hinge, with springs on a distance and on the angle of the hinge."""
    turned = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    bar = fx.RigidBody.box(size=(1.0, 0.1, 0.2), mass=2.0, position=(0.5, 0.0, 0.0), name="bar")
    slab = fx.RigidBody.box(size=(1.0, 0.1, 0.2), mass=1.0, position=(1.0, 0.5, 0.0), rotation=turned, name="slab")
    hinge = fx.RevoluteJoint(fx.ground, bar, at=(0.0, 0.0, 0.0), axis=(0.0, 1.0, 0.0), name="hinge")
    cross = fx.UniversalJoint(bar, slab, at=(1.0, 0.0, 0.0), axes=((0, 1, 0), (0, 0, 1)), name="cross")
    spring = fx.SpringDamper(fx.ground.marker((0.0, 0.0, 1.0)), slab.centre, stiffness=[50.0, 0.0, 20.0], name="spring")
    model = fx.Model(
        bar, slab, hinge, cross, spring, fx.TorsionSpring(hinge, stiffness=20.0), fx.Gravity((0.0, 1.0, -G))
    )
    run = fx.simulate(model, 1.0, step=4e-3, integrator=fx.EnergyMomentum())
    return [
        measured("mechanism with springs: drift of the energy", "-", _drift(run)[1], 0.0, CONSERVED, atol=1e-12),
        measured("mechanism: constraints at the end of steps", "m", float(run.residuals[:, 0].max()), 0.0, CLOSED,
                 atol=1e-13),
    ]  # fmt: skip


def _free_body() -> tuple[list[Measured], list[float], tuple[float, ...]]:
    """D05: energy, angular momentum and angular velocity."""
    times, steps = np.linspace(0.5, 10.0, 20), (2e-2, 1e-2, 5e-3)
    exact = tops.free_body_rates(INERTIA, OMEGA, times)
    body = fx.RigidBody(1.0, INERTIA, angular_velocity=OMEGA, name="body")
    runs = [fx.simulate(fx.Model(body), 10.0, step=h, integrator=fx.EnergyMomentum()) for h in steps]
    found = [run.angular_velocity(body)[stored_times(run, times)] for run in runs]
    better = extrapolated(found[-2], found[-1])
    quantities = []
    for t in (1, 5, 10):
        name = f"t={t} s body angular velocity"
        quantities += against("d05", name, f"free body, extrapolated to step 0: {name}", better[2 * t - 1], 1e-4)
    w = runs[-1].angular_velocity(body)
    energy = 0.5 * (w**2 @ np.array(INERTIA))
    spin = np.einsum("tij,tj->ti", runs[-1].rotation(body), w * np.array(INERTIA))
    quantities += [
        measured("free body: change of the energy", "-", float(np.ptp(energy) / energy[0]), 0.0, CONSERVED, atol=1e-11),
        measured("free body: change of the angular momentum", "-", _turned(spin), 0.0, CONSERVED, atol=1e-11),
    ]
    return quantities, [worst(f, exact) for f in found], steps


def run(progress: Progress) -> Outcome:
    """5000 steps of the pendulum, free cables, a mechanism."""
    quantities, table, motion, drawing = _compare(5_000, 1e-3, 3, progress)
    progress("free cables, mechanism")
    quantities += _free_cables() + _mechanism()
    shapes, axes = figure(5.0, 3.8)
    body = motion.model.body("pendulum")
    for k, colour in zip(range(0, 24, 4), COLOURS, strict=True):
        curve = motion.shape(body, k)[..., :2].reshape(-1, 2)
        axes.plot(curve[:, 0], curve[:, 1], color=colour, linewidth=1.4, label=f"t = {motion.t[k]:.1f} s")
    axes.set_aspect("equal")
    axes.set_xlabel("x in m")
    axes.set_ylabel("y in m")
    axes.legend(frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
    return Outcome(
        quantities,
        (),
        [table],
        [("Change of the energy of the pendulum.", drawing), ("Shapes of the pendulum.", shapes)],
    )


def run_order(progress: Progress) -> Outcome:
    """Free body, conical pendulum, tip of the flexible pendulum."""
    scheme = fx.EnergyMomentum()
    progress("free body")
    quantities, errors, steps = _free_body()
    lines = [("free body", steps, errors)]
    studies = [orders("free body: angular velocity up to 10 s", steps, errors)]
    progress("conical pendulum")
    known, steps = cone(), (4e-2, 2e-2, 1e-2)
    found = [known.errors(fx.simulate(known.model, 2.0, step=h, integrator=scheme)) for h in steps]
    for i, what in enumerate(("position", "velocity", "force of the rod")):
        studies.append(orders(f"conical pendulum: {what}", steps, [e[i] for e in found]))
        lines.append((f"conical pendulum: {what}", steps, [e[i] for e in found]))
    progress("flexible pendulum")
    (cable, model), steps = pendulum(4), (4e-3, 2e-3, 1e-3)
    tips = [
        fx.simulate(model, 0.2, step=h, integrator=chosen, output=fx.Output(every=0.2)).position(cable.end)[-1:, :2]
        for chosen, sizes in ((fx.GeneralizedAlpha(), (1.25e-4, 6.25e-5)), (scheme, steps))
        for h in sizes
    ]
    errors = [worst(tip, extrapolated(tips[0], tips[1])) for tip in tips[2:]]
    studies.append(orders("flexible pendulum: tip at 0.2 s, against generalized-alpha at step 0", steps, errors))
    lines.append(("flexible pendulum: tip", steps, errors))
    drawing, axes = figure(5.0, 3.8)
    for (name, sizes, values), colour in zip(lines, COLOURS, strict=False):
        axes.loglog(sizes, values, "o-", color=colour, label=name)
    axes.set_xlabel("step in s")
    axes.set_ylabel("error in rad/s, m, m/s, N")
    axes.legend(frameon=False, fontsize="x-small")
    return Outcome(quantities, studies, (), [("Errors over the step.", drawing)])


def run_long(progress: Progress) -> Outcome:
    """A hundred thousand steps of the pendulum."""
    quantities, table, _, drawing = _compare(100_000, 1e-3, 4, progress)
    return Outcome(quantities, (), [table], [("Change of the energy of the pendulum.", drawing)])


SOURCE = "Invariants of motion; the energy of the pendulum is also computed from its definition."
EQUATION = r"\bar{f} \cdot (q_1 - q_0) = V(q_1) - V(q_0), \quad \bar{G}\,(q_1 - q_0) = g(q_1) - g(q_0) = 0"

CASE = Case(
    id="energy-momentum",
    title="Energy and momentum to round-off",
    area="flexible motion",
    summary=(
        "A flexible cable, pinned at one end, falls from the horizontal and swings without damping for 5 s: its energy "
        "stays the same to round-off, while generalized-alpha loses or gains some, whatever its damping.\n\n"
        "Two hinged cables in free flight in space keep both momenta; a mechanism with springs keeps its energy and "
        "its constraints."
    ),
    run=run,
    source=SOURCE,
    equations=(EQUATION,),
    limits=(
        "Conserving says nothing about accuracy: the motion of the pendulum is chaotic, and its error of second order "
        "grows all the same.",
    ),
    basic=True,
)

ORDER = Case(
    id="energy-momentum-order",
    title="Order of the energy-momentum scheme",
    area="flexible motion",
    summary=(
        "A free body turning over (D05), the conical pendulum and the tip of a flexible pendulum converge with the "
        "second order of the step, forces of joints included."
    ),
    run=run_order,
    source="Euler's equations, order 8; closed form; generalized-alpha extrapolated to the step zero.",
    equations=(EQUATION,),
)

LONG = Case(
    id="energy-momentum-long",
    title="Energy of a flexible pendulum over a hundred thousand steps",
    area="flexible motion",
    summary="The flexible pendulum of the case energy-momentum for 100 s with steps of 1 ms, with four schemes.",
    run=run_long,
    source=SOURCE,
    equations=(EQUATION,),
    slow=True,
)
