"""Natural frequencies and modes about the stress-free shape or about an equilibrium."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from flexmbs.analysis.operating_point import OperatingPoint, operating_point
from flexmbs.analysis.roots import Roots, lowest_roots
from flexmbs.analysis.steady_motion import name_of_frame
from flexmbs.analysis.whirl import with_sense
from flexmbs.body import Attachment, FlexibleBody
from flexmbs.core.checks import as_count, show
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError
from flexmbs.model import Model
from flexmbs.solution import Solution
from flexmbs.system import System
from flexmbs.time_solution import TimeSolution

if TYPE_CHECKING:
    from os import PathLike
    from pathlib import Path

    from matplotlib.axes import Axes

__all__ = ["Modes", "solve_modal"]


@dataclass(frozen=True, eq=False, repr=False)
class Modes:
    r"""Natural frequencies and mode shapes of a model about a state.

    Attributes
    ----------
    angular_frequencies : (m,) array
        omega [rad/time], ascending. Rigid motions have zero; a mode that grows without vibrating has the negative
        square root of -omega^2, so that it cannot be overlooked; one that flutters has the real part of omega.
    vectors : (n_q, m) array
        Over all coordinates, of unit modal mass.
    eigenvalues : (m,) array
        omega^2; complex if the loads are not conservative (`conservative` False) and the modes flutter.
    """

    system: System
    q: FloatArray
    eigenvalues: Any
    vectors: Any
    conservative: bool

    @property
    def angular_frequencies(self) -> FloatArray:
        """omega [rad/time]; negative for an unstable mode (see the class)."""
        values = np.asarray(self.eigenvalues, dtype=complex)
        waves = np.abs(values.imag) > 1e-10 * np.abs(values)
        still = np.sign(values.real) * np.sqrt(np.abs(values.real))
        return np.asarray(np.where(waves, np.sqrt(values).real, still))

    @property
    def frequencies(self) -> FloatArray:
        """omega / (2 pi) [1/time]."""
        return self.angular_frequencies / (2.0 * np.pi)

    @property
    def damping_ratios(self) -> FloatArray:
        """-Re s / |s| of the motion e^(s t): 0 of an undamped mode, -1 of one that grows without vibrating."""
        s = 1j * np.sqrt(np.asarray(self.eigenvalues, dtype=complex))
        size = np.abs(s)
        ratio = -s.real / np.where(size > 0.0, size, 1.0)
        return np.asarray(np.where(np.abs(s.imag) > 1e-10 * size, ratio, -np.sign(size)))

    @property
    def model(self) -> Model:
        """The model they belong to."""
        return self.system.model

    def __len__(self) -> int:
        return len(self.eigenvalues)

    def __repr__(self) -> str:
        first = ", ".join(f"{f:.5g}" for f in self.frequencies[:6]) + (" ..." if len(self) > 6 else "")
        unit = "Hz" if self.model.units.time == "s" else self.model.units.of("frequency")
        return f"<{len(self)} modes of model {self.model.name!r}: {first} {unit}>"

    def shape(self, body: FlexibleBody, mode: int, amplitude: float, points: int = 9) -> FloatArray:
        """Points (n_e, points, dim) along every element, displaced by ``amplitude`` times a mode of unit modal mass.

        Of a surface (n_e, points^2, 3), a grid on every element.
        """
        self._check(mode)
        group = self.system.group(body)
        q = self.q + amplitude * np.real(self.vectors[:, mode])
        return body.element.positions(group, q, body.natural(points))

    def displacement(self, at: Attachment, mode: int) -> FloatArray:
        """Components (dim,) or (n, dim) of a mode of unit modal mass at nodes."""
        self._check(mode)
        dofs = self.system.coordinates.dofs(at)[:, list(at.body.element.layout.position)]
        values = self.vectors[dofs, mode]
        return np.asarray(values[0] if len(values) == 1 else values)

    def plot(self, mode: int = 0, ax: Axes | None = None) -> Axes:
        """Draw a mode over the state it belongs to."""
        from flexmbs.output.plots import plot_mode

        return plot_mode(self, mode, ax)

    def to_paraview(self, path: str | PathLike[str]) -> Path:
        """Write an XDMF series for ParaView, a mode at a time."""
        from flexmbs.output.paraview import write_modes

        return write_modes(self, path)

    def save(self, path: str | PathLike[str]) -> Path:
        """Write to an HDF5 file that `flexmbs.load` reads."""
        from flexmbs.output.store import save

        return save(self, path)

    def _check(self, mode: int) -> None:
        if isinstance(mode, bool) or not isinstance(mode, int | np.integer) or not 0 <= mode < len(self):
            raise ModelError(f"there is no mode {show(mode)}; modes are numbered 0 to {len(self) - 1}.")


def solve_modal(model: Model | System | Solution | TimeSolution, modes: int | None = None) -> Modes:
    r"""Lowest natural frequencies and modes, (K - omega^2 M) phi = 0.

    K is the exact tangent at the state, with everything that prestress, loads and reactions contribute.

    Parameters
    ----------
    model : Model, System, Solution or TimeSolution
        A model or system of flexible bodies with supports: about its stress-free shape, without loads. One that can
        move: about its initial state, under its loads. A solution: about its last state, under the loads there.
    modes : int, optional
        How many; at most the number of unknowns. The default is 10, or all of a smaller model.

    Returns
    -------
    Modes or ConstrainedModes
        The latter, which is a kind of the former, for models that can move: with damping, gyroscopic terms and
        first-order states its roots are complex.

    Raises
    ------
    ModelError
        If the state is not an equilibrium (for example a solution that stopped half way is one; a model with a
        prestress at s = 0 is not), or more modes are asked for than there are.
    ConvergenceError
        If Lanczos' method does not converge.

    Notes
    -----
    Up to 200 unknowns LAPACK; above, Lanczos' method with K + sigma M factorised once (band LU or CHOLMOD); sigma is
    positive for bodies that can move freely. A matrix K that is not symmetric because loads follow the structure is
    kept so; the modes may then be complex.

    Examples
    --------
    >>> import flexmbs as fx
    >>> beam = fx.FlexibleBody.line((0, 0), (1, 0), elements=16, element=fx.elements.PlanarCable(),
    ...                             stiffness=fx.BeamStiffness(EA=1e6, EI_z=1.0, mass_per_length=1.0))
    >>> modes = fx.solve_modal(fx.Model(beam, fx.Pin(beam.start), fx.Pin(beam.end)), modes=2)
    >>> modes.angular_frequencies.round(3).tolist()
    [9.87, 39.479]

    A pendulum, omega^2 = m g l / J:

    >>> bar = fx.PlanarRigidBody(2.0, 0.1, position=(0.0, -0.5), name="bar")
    >>> hinge = fx.Revolute(fx.ground, bar, at=(0, 0), name="hinge")
    >>> swing = fx.solve_modal(fx.Model(bar, hinge, fx.Gravity((0, -9.81))))
    >>> bool(abs(swing.eigenvalues[0] - 2.0 * 9.81 * 0.5 / 0.6) < 1e-9)
    True
    """
    wanted = None if modes is None else as_count("solve_modal", "modes", modes, minimum=1)
    point = operating_point("solve_modal", model, unloaded=True)
    dyn = point.dyn
    name = f"Model {dyn.system.model.name!r}"
    found = lowest_roots(point.motions(), wanted, name)
    if not len(found.s):
        raise ModelError(f"{name}: the joints leave nothing that can vibrate.")
    _warn(name, found, point.seen_by is not None)
    found, whirl = with_sense(point, found)
    return _solution(point, found, whirl)


def _warn(name: str, found: Roots, spinning: bool) -> None:
    """Say that the state is not stable."""
    if not found.n_growing:
        return
    shown = found.s[found.growing]
    beyond = found.n_growing - len(shown)
    what = f"{found.n_growing} modes grow" if found.n_growing > 1 else "1 mode grows"
    waves = int((np.abs(shown.imag) > 0.0).sum())
    if waves:
        what += f", {waves} of them by flutter" if waves < found.n_growing else " by flutter"
    if beyond:
        what += f" ({beyond} beyond those returned)"
    state = "steady motion" if spinning else "equilibrium"
    warnings.warn(f"{name}: {what}: the state is not a stable {state}.", RuntimeWarning, stacklevel=3)


def _solution(point: OperatingPoint, found: Roots, whirl: Any) -> Modes:
    """The result."""
    E, dyn = point.lin.directions, point.dyn
    values = -(found.s**2)
    values = np.real(values) if found.real or not np.any(np.abs(values.imag) > 1e-10 * np.abs(values)) else values
    conservative = found.real and point.motions().symmetric
    y, dy = E @ found.y, E @ found.dy
    if dyn.mechanics is None:
        return Modes(dyn.system, point.state.q, values, y, conservative)
    from flexmbs.analysis.constrained_modes import ConstrainedModes

    frame = "inertial" if point.seen_by is None else name_of_frame(dyn, point.state, point.seen_by)
    return ConstrainedModes(
        dyn.system, point.state.q, values, y, conservative, found.s, dy, point.state, frame, whirl, found.growing
    )
