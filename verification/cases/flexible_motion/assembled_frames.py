"""Elements in several moving frames, assembled: a four-bar of elastic links whose rigid motion is prescribed."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import flexmbs as fx
from flexmbs.core.contracts import FloatArray
from flexmbs.elements import ANCFCable2D, Frame, Truss
from flexmbs.verification import Case, Measured, Outcome, Progress
from flexmbs.verification.cases.common import COLOURS, figure, measured
from flexmbs.verification.reference.driven import FourBar

BAR = FourBar(0.2, 0.5, 0.4, 0.55)
START, RATE = 0.6, 12.0
"""Angle of the crank at the start [rad], and its speed [rad/s]."""
DENSITY, YOUNG, WIDTH, HEIGHT = 7850.0, 210e9, 0.02, 0.005
ELEMENTS, UNTIL, STEP = 4, 0.15, 2e-4
PLANE = np.array([0, 1, 5])
"""Displacements in the plane and the turn about z, among six of a node."""


class Link(NamedTuple):
    """A link in its frame: matrices of its unknowns in the plane, and its moving frame."""

    frame: fx.linear.MovingFrame
    rows: Any
    M: FloatArray


def section(factor: float) -> fx.BeamStiffness:
    """Of the strip, its Young's modulus times a factor."""
    area, second = WIDTH * HEIGHT, WIDTH * HEIGHT**3 / 12.0
    return fx.BeamStiffness(EA=factor * YOUNG * area, EI_z=factor * YOUNG * second, EI_y=factor * YOUNG * second,
                            GJ=factor * YOUNG * second, mass_per_length=DENSITY * area)  # fmt: skip


def _link(length: float, factor: float) -> Link:
    part = fx.linear.Part(fx.meshes.line((0, 0, 0), (length, 0, 0), ELEMENTS), name="link",
                          regions=[fx.linear.Region(None, Frame(section=section(factor), shear=False))])  # fmt: skip
    frame = fx.linear.moving_frame(part)
    table = frame.structure.dofs.table(ELEMENTS + 1)
    rows = table[:, PLANE].ravel()
    return Link(frame, rows, frame.structure.M.toarray()[np.ix_(rows, rows)])


def _rigid(t: float) -> list[tuple[complex, float, float, float]]:
    """Acceleration of the origin, angle, rate and its derivative of the frames of crank, coupler and rocker."""
    theta = np.array([START + RATE * t])
    (beta, b1, b2), (psi, p1, p2) = BAR.angles(theta)
    pin = -BAR.a * RATE**2 * np.exp(1j * theta[0])
    two = RATE**2
    return [
        (0.0, float(theta[0]), RATE, 0.0), (complex(pin), float(beta[0]), float(b1[0]) * RATE, float(b2[0]) * two),
        (0.0, float(psi[0]), float(p1[0]) * RATE, float(p2[0]) * two),
    ]  # fmt: skip


def _places() -> tuple[FloatArray, int]:
    """Number of the assembled unknown, -1 where held, of each unknown of crank, coupler and rocker (3, n); count."""
    n = 3 * (ELEMENTS + 1)
    at, count = np.full((3, n), -2), 0
    at[0, :3] = -1  # the crank is clamped to its drive
    at[2, :2] = -1
    for link in range(3):
        for k in range(n):
            if link == 1 and k < 2:
                at[1, k] = at[0, n - 3 + k]
            elif link == 2 and n - 3 <= k < n - 1:
                at[2, k] = at[1, k]
            elif at[link, k] == -2:
                at[link, k], count = count, count + 1
    return at, count


def _cancelling() -> list[Measured]:
    """Of elements whose interpolation is the same in all directions, as bars, all terms of the motion cancel."""
    bar = fx.linear.Region(None, Truss(area=WIDTH * HEIGHT), fx.Elastic(youngs_modulus=YOUNG, density=DENSITY))
    frame = fx.linear.moving_frame(fx.linear.Part(fx.meshes.line((0, 0, 0), (BAR.b, 0, 0), ELEMENTS), regions=[bar]))
    angle, w, e = 0.7, 5.0, -30.0
    c, s = np.cos(angle), np.sin(angle)
    R, spin = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1.0]]), np.array([[0, -1.0, 0], [1.0, 0, 0], [0, 0, 0]])
    A, A1, A2 = (
        np.kron(np.eye(ELEMENTS + 1), x) for x in (R.T, -w * spin @ R.T, (w * w * spin @ spin - e * spin) @ R.T)
    )
    found = frame.operators((0, 0, w), (0, 0, e), geometric=False)
    M, k, C, K = (x.toarray() for x in (frame.structure.M, frame.structure.K, found.D, found.K))
    left = A.T @ (2.0 * M @ A1 + C @ A), A.T @ (M @ A2 + C @ A1 + K @ A) - A.T @ k @ A
    sizes = w * np.abs(M).max(), np.abs(k).max()
    return [
        measured(f"bars: {name} terms that are left in inertial axes", "-", float(np.abs(x).max() / size), 0.0,
                 "they cancel with those of A", atol=1e-12)
        for name, x, size in zip(("Coriolis", "Euler and centrifugal"), left, sizes, strict=True)
    ]  # fmt: skip


class Assembled:
    """A^T M A q'' + A^T (2 M A' + C A) q' + A^T (M A'' + C A' + K A) q = A^T (forces of the rigid motion)."""

    def __init__(self, factor: float) -> None:
        self.links = [_link(length, factor) for length in (BAR.a, BAR.b, BAR.c)]
        self.at, self.n = _places()

    def matrices(self, t: float) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray, FloatArray]:
        """M, D, K, loads, and the elastic part of K alone."""
        M, D, K, elastic = (np.zeros((self.n, self.n)) for _ in range(4))
        f = np.zeros(self.n)
        for link, at, (a, angle, w, e) in zip(self.links, self.at, _rigid(t), strict=True):
            c, s = np.cos(angle), np.sin(angle)
            R = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
            spin = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
            turn = [R.T, -w * spin @ R.T, (w * w * spin @ spin - e * spin) @ R.T]
            own = a * np.exp(-1j * angle)
            found = link.frame.operators((0, 0, w), (0, 0, e), (own.real, own.imag, 0.0), geometric=False)
            C, Kf = (A.toarray()[np.ix_(link.rows, link.rows)] for A in (found.D, found.K))
            k = link.frame.structure.K.toarray()[np.ix_(link.rows, link.rows)]
            held = np.where(at >= 0)[0]
            S = np.zeros((len(at), self.n))
            S[held, at[held]] = 1.0
            A, A1, A2 = (np.kron(np.eye(ELEMENTS + 1), x) @ S for x in turn)
            M += A.T @ link.M @ A
            D += A.T @ (2.0 * link.M @ A1 + C @ A)
            K += A.T @ (link.M @ A2 + C @ A1 + Kf @ A)
            elastic += A.T @ k @ A
            f += A.T @ found.load[link.rows]
        return M, D, K, f, elastic

    def march(self) -> tuple[FloatArray, FloatArray]:
        """Times, and displacements (n_t, 2) of the pin between coupler and rocker, from rest without deformation."""
        pin = self.at[1, 3 * ELEMENTS : 3 * ELEMENTS + 2]
        q, v = np.zeros(self.n), np.zeros(self.n)
        M, D, K, f, _ = self.matrices(0.0)
        a = np.linalg.solve(M, f)
        times, seen = [0.0], [q[pin]]
        for i in range(1, round(UNTIL / STEP) + 1):
            M, D, K, f, _ = self.matrices(i * STEP)
            q0, v0 = q + STEP * v + 0.25 * STEP**2 * a, v + 0.5 * STEP * a
            a = np.linalg.solve(M + 0.5 * STEP * D + 0.25 * STEP**2 * K, f - D @ v0 - K @ q0)
            q, v = q0 + 0.25 * STEP**2 * a, v0 + 0.5 * STEP * a
            times.append(i * STEP)
            seen.append(q[pin])
        return np.array(times), np.array(seen)


def _nonlinear(factor: float) -> tuple[FloatArray, FloatArray]:
    """Times and places of the same pin: absolute-nodal cables, hinges and a motor."""
    (beta, b1, _), (_, p1, _) = BAR.angles(np.array([START]))
    A, B = 0.0, BAR.a * np.exp(1j * START)
    C, D = B + BAR.b * np.exp(1j * beta[0]), BAR.d
    items: list[Any] = []
    bodies = []
    speeds = ((A, 0.0, RATE), (B, 1j * RATE * B, b1[0] * RATE), (D, 0.0, p1[0] * RATE))
    for name, (first, last), (about, velocity, spin) in zip(
        ("crank", "coupler", "rocker"), ((A, B), (B, C), (D, C)), speeds, strict=True
    ):
        ends = [(float(np.real(z)), float(np.imag(z))) for z in (first, last)]
        body = fx.FlexibleBody.line(
            *ends, elements=2 * ELEMENTS, element=ANCFCable2D(), stiffness=section(factor), name=name
        )
        bodies.append(body)
        items += [body, fx.InitialVelocity(body, (np.real(velocity), np.imag(velocity)), float(spin),
                                           (float(np.real(about)), float(np.imag(about))))]  # fmt: skip
    crank, coupler, rocker = bodies
    drive = fx.RevoluteJoint(fx.ground, crank.start, name="drive")
    items += [
        drive, fx.RotationDriver(drive, fx.motions.Linear(RATE), name="motor"),
        fx.RevoluteJoint(crank.end, coupler.start, name="B"), fx.RevoluteJoint(coupler.end, rocker.end, name="C"),
        fx.RevoluteJoint(fx.ground, rocker.start, name="D"),
    ]  # fmt: skip
    run = fx.simulate(fx.Model(*items), UNTIL, step=STEP, integrator=fx.GeneralizedAlpha(rho_inf=0.98), progress=False)
    return run.t, np.asarray(run.position(coupler.end))[:, :2]


def run(progress: Progress) -> Outcome:
    """What cancels in the assembled equations, then the motion of a soft and of a stiff linkage."""
    progress("assembly")
    linkage, h = Assembled(1.0), 1e-4
    D = linkage.matrices(0.11)[1]
    changed = (linkage.matrices(0.11 + h)[0] - linkage.matrices(0.11 - h)[0]) / (2.0 * h)
    quantities = [
        measured("D + D^T less twice the rate of the mass matrix, by the largest of D", "-",
                 float(np.abs(D + D.T - 2.0 * changed).max() / np.abs(D).max()), 0.0, "C is antisymmetric", atol=1e-5),
        *_cancelling(),
    ]  # fmt: skip
    drawing, axes = figure(6.4, 3.6)
    for number, factor in enumerate((1.0, 8.0)):
        progress(f"motion, stiffness times {factor:g}")
        t, moved = Assembled(factor).march()
        times, place = _nonlinear(factor)
        assert np.allclose(t, times)  # noqa: S101  # the same steps
        psi = BAR.angles(START + RATE * t)[1][0]
        rigid = BAR.d + BAR.c * np.exp(1j * psi)
        known = place - np.column_stack((rigid.real, rigid.imag))
        size = float(np.abs(known).max())
        quantities.append(
            measured(f"stiffness times {factor:g}: rms difference of the pin's displacement, by its largest", "-",
                     float(np.sqrt(np.mean((moved - known) ** 2)) / size), 0.0, "absolute-nodal cables, large motions",
                     atol=0.02)
        )  # fmt: skip
        axes.plot(t, 1e3 * known[:, 0], color=COLOURS[number], label=f"cables, EI times {factor:g}")
        axes.plot(t, 1e3 * moved[:, 0], color="black", linewidth=0.8, linestyle=(0, (4, 3)),
                  label="assembled frames" if number == 0 else None)  # fmt: skip
    axes.set_xlabel("time [s]")
    axes.set_ylabel("displacement x of pin C [mm]")
    axes.legend(frameon=False)
    return Outcome(quantities, figures=[("The pin between coupler and rocker, away from its rigid motion.", drawing)])


CASE = Case(
    id="assembled-frames",
    title="Elements in several moving frames: an elastic four-bar",
    area="flexible motion",
    summary=(
        "Crank, coupler and rocker of a four-bar are elastic; each has a frame that moves as the rigid linkage does, "
        "with Coriolis, Euler and centrifugal terms, and the frames are assembled by the velocities of the nodes. For "
        "bars the terms cancel against those of the changing assembly, as they must in inertial axes; for beams, whose "
        "interpolation is not the same along and across, what is left obeys the law of energy. The motion is that of "
        "absolute-nodal cables in large motion, as far as deflections are small."
    ),
    run=run,
    source=(
        "S. I. Vlase, M. C. Tofan, I. A. Goia, Some aspects of finite element analysis of flexible multi-bodies "
        "systems (Transilvania University of Brasov), equations 10 to 23, dots and transposes mended."
    ),
    equations=(r"A^T M A\,\ddot q + A^T(2 M\dot A + C A)\,\dot q + A^T(M\ddot A + C\dot A + K A)\,q = A^T Q",),
    limits=("The rigid motion is prescribed, deflections do not act back on it; no stress stiffness. Own data.",),
)
