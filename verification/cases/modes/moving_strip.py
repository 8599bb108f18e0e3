"""The strip of a galvanizing line that runs over its rollers: frequencies over its speed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse

import flexmbs as fx
from flexmbs.core.contracts import FloatArray
from flexmbs.elements import ShellQuad
from flexmbs.verification import Case, ConvergenceStudy, Outcome, Progress, Table
from flexmbs.verification.cases.common import COLOURS, figure, measured
from flexmbs.verification.cases.reduction import galvanizing_model as line
from flexmbs.verification.reference.tensioned_strip import flexion, moving, torsion

SPEEDS = (0.0, 5.0, 10.0, 15.0)
COUNT = 4
MESHES = (30, 60, 120)
AROUND = {"rollers at a fixed distance": False, "rollers with a take-up": True}
HELD = {"left": line.ENDS, "right": line.ENDS, "all": ("ux", "uy", "rz")}
"""The strip vibrates across only."""


class Strip:
    """The strip at rest, its stress stiffness, and what its transport adds."""

    def __init__(self, along: int, across: int = 2) -> None:
        mesh = fx.meshes.rectangle((0, 0), (line.LENGTH, line.WIDTH), (along, across), "quad").in_space()
        mesh = replace(mesh, node_sets={**mesh.node_sets, "all": np.arange(mesh.n_points)})
        steel = fx.Elastic(youngs_modulus=line.YOUNG, poissons_ratio=line.POISSON, density=line.DENSITY)
        shell = fx.linear.Region(None, ShellQuad(thickness=line.THICKNESS), steel)
        self.per_length = line.DENSITY * line.WIDTH * line.THICKNESS
        self.tension = self.per_length * (2.0 * line.LENGTH * line.FIRST) ** 2
        free = fx.linear.Part(mesh, regions=[shell], name="strip").assemble()
        middle = int(np.argmin(np.linalg.norm(mesh.points - [0.0, 0.5 * line.WIDTH, 0.0], axis=1)))
        elongation = self.tension * line.LENGTH / (line.YOUNG * line.WIDTH * line.THICKNESS)
        pull: dict[Any, Any] = {
            "left": ("ux", "uz", "rz"), "right": {"ux": elongation, "uz": 0.0, "rz": 0.0}, middle: ("uy",)
        }  # fmt: skip
        self.still = fx.linear.static_response(free, pull)
        self.stress = fx.linear.geometric_stiffness(self.still)
        self.operators, self.points = free, mesh.points
        self.carried = self._transport(mesh.cells[0].nodes)

    def _transport(self, cells: Any) -> Any:
        """Integral of rho t N^T N,x for displacements across: bilinear, antisymmetric but for the ends."""
        places = self.points[cells]
        low = places.min(axis=1)[:, None]
        side = (places[..., :2] > low[..., :2] + 1e-9).astype(int)  # which end along and across, (n_e, 4, 2)
        width = np.ptp(places[..., 1], axis=1)
        slope = np.array([[-0.5, 0.5], [-0.5, 0.5]])  # integral of N_i N_j' over a length
        mass = np.array([[2.0, 1.0], [1.0, 2.0]]) / 6.0
        x, y = side[..., 0], side[..., 1]
        blocks = slope[x[:, :, None], x[:, None, :]] * mass[y[:, :, None], y[:, None, :]] * width[:, None, None]
        dofs = self.operators.dofs.table(len(self.points))[cells, 2]
        rows, columns = np.broadcast_arrays(dofs[:, :, None], dofs[:, None, :])
        n = self.operators.n
        values = line.DENSITY * line.THICKNESS * blocks
        return sparse.csc_matrix((values.ravel(), (rows.ravel(), columns.ravel())), shape=(n, n))

    def frequencies(self, speed: float, taken_up: bool) -> tuple[FloatArray, FloatArray]:
        """Flexion and torsion [Hz]: M w'' + 2 v G w' + (K + (T - mu v^2) K_T) w = 0."""
        rest = fx.linear.vibration_modes(self.operators, 2, HELD, prestress=self.still)
        push = 0.0 if taken_up else self.per_length * speed**2 / self.tension
        running = fx.linear.FrameOperators(
            structure=self.operators, supports=rest.supports, D=2.0 * speed * self.carried,
            K=(self.operators.K + (1.0 - push) * self.stress).tocsc(), load=np.zeros(self.operators.n),
            omega=np.zeros(3),
        )  # fmt: skip
        modes = running.modes(2 * COUNT + 4)
        w = np.array([modes.shape(k)[:, 2] for k in range(2 * COUNT + 4)])
        far, near = (w[:, np.abs(self.points[:, 1] - y) < 1e-9] for y in (line.WIDTH, 0.0))
        together = np.real(np.sum(far * near.conj(), axis=1)) > 0.0
        return modes.frequencies[together][:COUNT], modes.frequencies[~together][:COUNT]


def run(progress: Progress) -> Outcome:
    """Frequencies at four speeds under both rules for the tension."""
    size = (line.LENGTH, line.WIDTH, line.THICKNESS, line.YOUNG, line.POISSON, line.DENSITY)
    progress("meshes")
    strips = {along: Strip(along) for along in MESHES}
    along, strip = MESHES[-1], strips[MESHES[-1]]
    last = [moving(f(COUNT, *size, strip.tension), COUNT, line.LENGTH, SPEEDS[-1], False) for f in (flexion, torsion)]
    errors = np.abs([[f[-1] for f in s.frequencies(SPEEDS[-1], False)] for s in strips.values()] / np.array(last) - 1.0)
    studies = [
        ConvergenceStudy(f"{name} {COUNT} at {SPEEDS[-1]:g} m/s", MESHES, list(errors[:, which]), 2.0, 1.8, counts=True)
        for which, name in enumerate(("flexion", "torsion"))
    ]
    quantities, rows = [], []
    drawing, axes = figure(6.4, 3.8)
    for number, (rule, taken_up) in enumerate(AROUND.items()):
        found = {}
        for speed in SPEEDS:
            progress(f"{rule}, {speed:g} m/s")
            found[speed] = strip.frequencies(speed, taken_up)
            for which, still in ((0, flexion), (1, torsion)):
                name = ("flexion", "torsion")[which]
                exact = [
                    moving(still(n, *size, strip.tension), n, line.LENGTH, speed, taken_up) for n in range(1, COUNT + 1)
                ]
                rows.append(
                    (
                        rule,
                        speed,
                        name,
                        *(f"{a:.4f} ({b:.4f})" for a, b in zip(found[speed][which], exact, strict=True)),
                    )
                )
                if speed in (0.0, SPEEDS[-1]):
                    quantities += [
                        measured(f"{rule}, {speed:g} m/s: {name} {n}", "Hz", found[speed][which][n - 1], exact[n - 1],
                                 "waves on a moving string, closed form",
                                 rtol=1.3 * (n * np.pi / along) ** 2 / 24.0 + 2e-4)
                        for n in range(1, COUNT + 1)
                    ]  # fmt: skip
        fall = 1.0 - found[SPEEDS[-1]][0][0] / found[0.0][0][0]
        wave = (SPEEDS[-1] / (2.0 * line.LENGTH * line.FIRST)) ** 2
        known = 1.0 - 1.0 / np.sqrt(1.0 + wave) if taken_up else wave
        quantities.append(
            measured(f"{rule}: fall of the first frequency at {SPEEDS[-1]:g} m/s", "%", 100.0 * fall, 100.0 * known,
                     "closed form; the paper: almost unaffected", atol=0.02)
        )  # fmt: skip
        for which, dash in ((0, "-"), (1, ":")):
            for n in range(COUNT):
                label = f"{rule}, {('flexion', 'torsion')[which]}" if n == 0 else None
                axes.plot(SPEEDS, [found[v][which][n] for v in SPEEDS], dash, color=COLOURS[number], label=label)
    axes.set_xlabel("speed of the strip [m/s]")
    axes.set_ylabel("frequency [Hz]")
    axes.set_ylim(0.0, None)
    axes.legend(frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
    table = Table("Frequencies [Hz], found (closed form)",
                  ("rollers", "speed [m/s]", "motion", *(f"{n}" for n in range(1, COUNT + 1))), rows)  # fmt: skip
    return Outcome(quantities, studies, [table], [("Frequencies over the speed of the strip.", drawing)])


CASE = Case(
    id="moving-strip",
    title="Strip that runs over its rollers",
    area="modes",
    summary=(
        "The strip of the galvanizing line, 50 m between rollers, runs over them with up to 15 m/s. Seen from the "
        "rollers its transport is a gyroscopic matrix and a pull that is lower by the mass per length times the square "
        "of the speed. Between rollers at a fixed distance the frequencies fall by 7.4 %, with a take-up of constant "
        "force, which raises the tension, by 3.5 %; the paper finds them almost unaffected."
    ),
    run=run,
    source=(
        "O. Bruels, J.-C. Golinval, Simulation of an active control system in a hot-dip galvanizing line (University "
        "of Liege), section on the speed of the strip; Sack, Br. J. Appl. Phys. 5 (1954) 224."
    ),
    equations=(
        r"M\ddot w + 2 v G\dot w + \left(K + \frac{T - \mu v^2}{T} K_T\right) w = 0",
        r"G = \int \rho t\, N^T N_{,x}\, dA",
        r"\frac{f}{f_0} = 1 - \frac{v^2}{c^2}, \qquad \frac{f}{f_0} = \frac{1}{\sqrt{1 + v^2/c^2}}",
    ),
    limits=(
        "Places fixed in space: nothing of the strip itself moves along, as in the closed loop of the paper. The "
        "tension is fitted to the printed frequencies.",
    ),
)
