r"""What a modal analysis found: roots and mode shapes of any model about a state."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from flexmbs.core.attributes import Hinted
from flexmbs.core.calls import with_methods
from flexmbs.core.checks import as_count, as_number, show
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError
from flexmbs.kernels.steps import retract
from flexmbs.model.bodies.attachment import Attachment, as_attachment
from flexmbs.model.bodies.flexible import FlexibleBody
from flexmbs.results.given_states import GivenStates
from flexmbs.results.kinematics import in_space, kinematics, nodal_components
from flexmbs.results.states import of_place
from flexmbs.results.status import Status
from flexmbs.results.time import Energy, TimeSolution

if TYPE_CHECKING:
    from os import PathLike
    from pathlib import Path

    from matplotlib.axes import Axes

    from flexmbs.model.model import Model
    from flexmbs.system.system import System

__all__ = ["ModalSolution", "OperatingState", "roots_of", "which_grow"]

GROWING = 1e-6
"""Real part of a root, relative to its size, up to which it counts as round-off."""


def which_grow(s: Any, error: Any) -> Any:
    """Which roots s (m,) grow, beyond what is known of their ``error (m,)`` or ()."""
    return np.real(s) > GROWING * np.abs(s) + error


def roots_of(values: Any) -> Any:
    """Roots s (m,) of values of -s^2 = omega^2, with positive imaginary part, or positive where they grow alone."""
    values = np.asarray(values, dtype=complex)
    roots = 1j * np.sqrt(values)
    return np.where((values.imag == 0.0) & (values.real < 0.0), np.abs(roots), roots)


class OperatingState(NamedTuple):
    """What modes are about: coordinates (n_q,), velocities (n_v,), multipliers (n_c,), time."""

    q: FloatArray
    v: FloatArray
    lam: FloatArray
    t: float


@with_methods
@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ModalSolution(Hinted):
    r"""Roots and mode shapes of a model about a state.

    Motions are :math:`x_0 + \phi e^{st}` with a root s and a mode shape :math:`\phi`. Without damping, gyroscopic terms
    and loads that follow the structure (``conservative``) :math:`-s^2 = \omega^2` is real; a rigid motion has zero.

    Attributes
    ----------
    system : System
    state : OperatingState
        The state the modes are about: q, v, lam, t.
    roots : (m,) complex array
        s [1/time], by ascending size; of each conjugate pair the one with positive imaginary part, but of a mode that
        whirls backward the other. A mode that grows without vibrating has a positive real root. A free motion stands
        once, with zero; a freedom that does not vibrate, since it is damped beyond that, has two real roots and stands
        twice, so that a damped model may have more roots than freedoms.
    vectors : (n_v, m) array
        Increments of all coordinates (rotations of rigid bodies in body axes), of unit modal mass; zero for states.
    state_vectors : (n_v, m) array
        The rates; for first-order states their amplitudes.
    conservative : bool
        Whether the roots are those of a symmetric problem.
    frame : str
        In whose axes modes and roots are: ``"inertial"``, or the body that turns with the observer.
    whirl : (m,) array of str
        Sense of whirl of each mode against a spin: ``"forward"``, ``"backward"``, or empty.
    growing : (m,) bool array
        Which modes grow.

    Examples
    --------
    >>> import flexmbs as fx
    >>> ball = fx.PointMass(2.0, position=(0.0, -1.0), name="ball")
    >>> spring = fx.SpringDamper(fx.ground.marker((0, 0, 0)), ball, stiffness=100.0, damping=2.0, name="spring")
    >>> modes = fx.solve_modal(fx.solve_static(fx.Model(ball, spring, fx.Gravity((0, -9.81)))))
    >>> round(float(modes.damping_ratios[1]), 4), modes.displacement(ball).shape
    (0.0707, (2, 3))
    """

    system: System
    state: OperatingState
    roots: Any
    vectors: Any
    state_vectors: Any
    conservative: bool
    frame: str
    whirl: Any
    growing: Any

    def __post_init__(self) -> None:
        object.__setattr__(self, "roots", np.asarray(self.roots, dtype=complex))

    @property
    def model(self) -> Model:
        """The model they belong to."""
        return self.system.model

    @property
    def q(self) -> FloatArray:
        """Coordinates (n_q,) of the state the modes are about."""
        return self.state.q

    @property
    def eigenvalues(self) -> Any:
        """:math:`-s^2` (m,): omega^2 of an undamped mode, negative where it grows alone; real if all are."""
        values = -(self.roots**2)
        real = not np.any(np.abs(values.imag) > 1e-10 * np.abs(values))
        return np.real(values) if self.conservative or real else values

    @property
    def angular_frequencies(self) -> FloatArray:
        """Imaginary part of the root [rad/time], of the damped vibration; a mode that grows without one has -s."""
        s = self.roots
        return np.asarray(np.where((s.imag == 0.0) & (s.real > 0.0), -s.real, s.imag))

    @property
    def frequencies(self) -> FloatArray:
        """`angular_frequencies` / (2 pi) [1/time]."""
        return self.angular_frequencies / (2.0 * np.pi)

    @property
    def natural_frequencies(self) -> FloatArray:
        """|s| / (2 pi) [1/time]: of a damped mode, what its frequency would be without damping."""
        return np.asarray(np.abs(self.roots) / (2.0 * np.pi))

    @property
    def damping_ratios(self) -> FloatArray:
        """-Re s / |s|: 1 for a mode that decays without vibrating, negative for one that grows; 0 where s = 0."""
        size = np.abs(self.roots)
        return np.asarray(np.where(size > 0.0, -np.real(self.roots) / np.where(size > 0.0, size, 1.0), 0.0))

    def __len__(self) -> int:
        return len(self.roots)

    def __repr__(self) -> str:
        first = ", ".join(f"{f:.5g}" for f in self.frequencies[:6]) + (" ..." if len(self) > 6 else "")
        unit = "Hz" if self.model.units.time == "s" else self.model.units.of("frequency")
        where = "" if self.frame == "inertial" else f" in the frame of {self.frame}"
        growing = int(np.sum(self.growing))
        more = f", {growing} growing" if growing else ""
        return f"<{len(self)} modes of model {self.model.name!r}{where}: {first} {unit}{more}>"

    def displacement(self, at: Any, mode: int | None = None) -> Any:
        """Displacement (m, 3) of a place in the modes of unit modal mass, inertial frame; with ``mode`` of one, (3,).

        Of an attachment of several nodes (m, n_nodes, 3). Complex where phases differ.
        """
        modes = range(len(self)) if mode is None else [self.number(mode)]
        if isinstance(at, Attachment):
            layout = as_attachment("displacement", at).body.element.layout
            vectors = np.asarray(self.vectors)[:, list(modes)].T
            found: Any = of_place(in_space(nodal_components(vectors, self.system, at, layout.position)), at)
        else:
            parts = []
            for part in (np.real, np.imag):
                rates = np.ascontiguousarray(part(self.vectors[:, list(modes)]).T, dtype=np.float64)
                still = GivenStates(self.system, np.tile(self.q, (len(rates), 1)), rates)
                parts.append(of_place(kinematics(still, at).twist[..., :3], at))
            found = parts[0] + 1j * parts[1] if np.any(parts[1]) else parts[0]
        return found if mode is None else found[0]

    def shape(self, body: FlexibleBody, mode: int, amplitude: float, points: int = 9) -> FloatArray:
        """Points (n_e, points, 3) along every element, displaced by ``amplitude`` times a mode of unit modal mass.

        Of a surface (n_e, points^2, 3), a grid on every element. Of a complex mode at the phase of its real part.
        """
        amplitude = as_number("shape", "amplitude", amplitude)
        q = self.moved(amplitude * np.real(self.vectors[:, self.number(mode)]))
        return GivenStates(self.system, q[None, :]).shape(body, 0, points)

    def motion(self, mode: int, amplitude: float, frames: int = 24) -> TimeSolution:
        """One period of a mode, damping left out, as a motion that can be drawn and animated.

        ``amplitude``: of the largest entry of the mode, [length] or [rad]; the first frame has it.
        """
        mode = self.number(mode)
        amplitude = as_number("motion", "amplitude", amplitude)
        frames = as_count("motion", "frames", frames, minimum=1)
        vector = np.asarray(self.vectors[:, mode], dtype=complex)
        largest = vector[int(np.argmax(np.abs(vector)))]
        vector = vector * (amplitude / largest if largest else 0.0)
        omega = float(abs(self.roots[mode].imag)) or 1.0
        t = np.asarray(np.arange(frames) * (2.0 * np.pi / omega / frames), dtype=np.float64)
        turns = np.exp(1j * omega * t)
        q = np.array([self.moved(np.real(vector * z)) for z in turns])
        v = np.array([np.real(1j * omega * vector * z) for z in turns])
        n = len(t)
        nothing = np.full(n, np.nan)
        return TimeSolution(
            system=self.system, t=t, q=q, v=v, a=np.zeros_like(v), lam=np.tile(self.state.lam, (n, 1)),
            energy=Energy(*[nothing] * 7), residuals=np.full((n, 3), np.nan), steps=np.zeros((0, 4)), counts={},
            redundant=(), status=Status.DONE, settings={"modes": len(self)},
        )  # fmt: skip

    def moved(self, step: FloatArray) -> FloatArray:
        """Coordinates (n_q,) of the state after an increment (n_v,), such as a multiple of a mode."""
        out = np.empty_like(self.q)
        retract(np.array(self.q), np.ascontiguousarray(step), self.system.coordinates.n_linear, out)
        return out

    def plot(self, mode: int = 0, ax: Axes | None = None) -> Axes:
        """Draw a mode over the state it belongs to."""
        from flexmbs.visualization.plots import plot_mode

        return plot_mode(self, mode, ax)

    def table(self) -> Any:
        """A row for each mode: frequency, natural frequency, damping ratio, whether it grows."""
        from flexmbs.io.history_table import HistoryTable

        unit = self.model.units.of("frequency")
        columns = {
            "mode": np.arange(len(self)), "frequency": self.frequencies, "natural frequency": self.natural_frequencies,
            "damping ratio": self.damping_ratios, "growing": np.asarray(self.growing, dtype=bool),
        }  # fmt: skip
        units = {"frequency": unit, "natural frequency": unit}
        return HistoryTable(columns, units, {}, f"modes of {self.model.name}")

    def to_dataframe(self) -> Any:
        """The `table` as a pandas DataFrame over the number of the mode.

        Raises
        ------
        ModelError
            If pandas is not installed: ``pip install flexmbs[tables]``.
        """
        return self.table().to_dataframe()

    def visible(self, mode: int = 0, share: float = 0.1, frames: int = 24) -> TimeSolution:
        """One period of a mode as `motion`, with the largest displacement a ``share`` of the size of the model."""
        from flexmbs.visualization.body_parts import mode_parts

        found = mode_parts(self, self.number(mode), share=as_number("visible", "share", share, above=0.0))
        largest = float(np.abs(self.vectors[:, self.number(mode)]).max(initial=0.0))
        return self.motion(mode, found.amplitude * largest, frames)

    def animate(self, path: Any, mode: int = 0, share: float = 0.1, **options: Any) -> Any:
        """Write one period of a mode as an animation (gif or mp4) of about a second; see `visible`."""
        run = self.visible(mode, share)
        return run.animate(path, **{"speed": _period(run), **options})

    def view(self, path: Any = None, mode: int = 0, share: float = 0.1, **options: Any) -> Any:
        """Write the page that plays one period of a mode, and show it; see `visible` and `States.view`."""
        run = self.visible(mode, share)
        return run.view(path, **{"speed": _period(run), **options})

    def _repr_html_(self) -> str:
        """A small picture and a table, for notebooks."""
        from flexmbs.visualization.notebook import html_of_modes

        return html_of_modes(self)

    def to_paraview(self, path: str | PathLike[str]) -> Path:
        """Write an XDMF series for ParaView, a mode at a time."""
        from flexmbs.visualization.paraview import write_modes

        return write_modes(self, path)

    def save(self, path: str | PathLike[str]) -> Path:
        """Write to an HDF5 file that `flexmbs.load` reads."""
        from flexmbs.io.store import save

        return save(self, path)

    def number(self, mode: int) -> int:
        """The number of a mode, checked."""
        if isinstance(mode, bool) or not isinstance(mode, int | np.integer) or not 0 <= mode < len(self):
            raise ModelError(f"there is no mode {show(mode)}; modes are numbered 0 to {len(self) - 1}.")
        return int(mode)


def _period(run: TimeSolution) -> float:
    """Time of the model per second of a film in which one period takes a second."""
    return float(run.t[1] * len(run.t)) if len(run.t) > 1 else 1.0
