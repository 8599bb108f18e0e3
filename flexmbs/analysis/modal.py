"""Natural frequencies and modes about the stress-free shape or about an equilibrium."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, overload

from flexmbs.analysis.given import refuse_given
from flexmbs.analysis.operating_point import operating_point
from flexmbs.analysis.roots import lowest_roots
from flexmbs.analysis.small_motions import Roots
from flexmbs.analysis.steady_motion import name_of_frame
from flexmbs.analysis.whirl import with_sense
from flexmbs.core.checks import as_count
from flexmbs.core.errors import ModelError
from flexmbs.model.model import Model
from flexmbs.results.modal import ModalSolution, OperatingState
from flexmbs.results.static import StaticSolution
from flexmbs.results.time import TimeSolution
from flexmbs.system.system import System

if TYPE_CHECKING:
    from flexmbs.linear.linear_modes import LinearModes
    from flexmbs.linear.linear_solution import LinearSolution
    from flexmbs.linear.operators import Operators
    from flexmbs.linear.part import Part

__all__ = ["solve_modal"]


@overload
def solve_modal(model: Model | System | StaticSolution | TimeSolution, modes: int | None = None) -> ModalSolution: ...
@overload
def solve_modal(
    model: Part | Operators,
    modes: int | None = None,
    *,
    fixed: Mapping[Any, Any] | None = None,
    prestress: LinearSolution | None = None,
) -> LinearModes: ...
def solve_modal(
    model: Any,
    modes: int | None = None,
    *,
    fixed: Mapping[Any, Any] | None = None,
    prestress: LinearSolution | None = None,
) -> Any:
    r"""Lowest natural frequencies and modes about an equilibrium or a steady motion.

    Roots s and modes y of the small motions :math:`y\,e^{st}`,

    .. math:: (s^2 M + s\,C + S)\,y + G^T\lambda = 0, \qquad G y = 0,

    with the exact tangents at the state: everything that prestress, loads, reactions, damping and gyroscopic forces
    contribute. Without damping and spin :math:`-s^2 = \omega^2` are those of :math:`(K - \omega^2 M)\,y = 0`.

    Parameters
    ----------
    model : Model, System, StaticSolution or TimeSolution; Part or Operators
        A solution: about its last state, under the loads there. A model: about its initial state under its loads;
        where its supports and joints hold it, and its loads would deform it, without loads in the shape in which it is
        described (pass ``solve_static(model)`` for the deformed one). A model whose initial velocities are steady (a
        spinning rotor, a blade on a driven hub): about the steady motion, in the shape in which it turns.
    modes : int, optional
        How many; at most the number of unknowns. The default is 10, or all of a smaller model.
    fixed, prestress
        Of a part or its operators: supports by node sets, and a solution whose stresses stiffen, as
        `flexmbs.linear.vibration_modes` takes them, which gives the result, `LinearModes`.

    Returns
    -------
    ModalSolution
        The roots of smallest magnitude; which of them grow is in ``growing``. About a steady motion ``frame`` says in
        whose axes they are: "inertial" where matrices are constant there (rotors with circular symmetry), else of what
        turns (blades, rotors without symmetry in symmetric supports). ``whirl`` is the sense in which a mode goes round
        in these axes, and the imaginary part of its root has its sign: negative backward.

    Raises
    ------
    ModelError
        If the state is no equilibrium and no steady motion, or more modes are asked for than there are. Where nobody
        sees constant matrices (an unsymmetric rotor in unsymmetric supports) there are no roots, but Floquet
        multipliers (`flexmbs.floquet`).
    ConvergenceError
        If Lanczos' or Arnoldi's method does not converge.

    Warns
    -----
    RuntimeWarning
        If modes grow: the state is not stable.

    Notes
    -----
    Up to 200 unknowns, or 1 500 with joints, LAPACK computes all roots. Above, the roots nearest to zero follow by
    Lanczos' method where K is symmetric, which is known from the items of the model, else by Arnoldi's; of undamped
    conservative models growing modes are found wherever they are, else among the roots returned.

    Examples
    --------
    >>> import flexmbs as fx
    >>> beam = fx.FlexibleBody.line((0, 0), (1, 0), elements=16, element=fx.elements.ANCFCable2D(),
    ...                             stiffness=fx.BeamStiffness(EA=1e6, EI_z=1.0, mass_per_length=1.0))
    >>> modes = fx.solve_modal(fx.Model(beam, fx.Pin(beam.start), fx.Pin(beam.end)), modes=2)
    >>> modes.angular_frequencies.round(3).tolist()
    [9.87, 39.479]

    A pendulum, omega^2 = m g l / J:

    >>> bar = fx.PlanarRigidBody(2.0, 0.1, position=(0.0, -0.5), name="bar")
    >>> hinge = fx.RevoluteJoint(fx.ground, bar, at=(0, 0), name="hinge")
    >>> swing = fx.solve_modal(fx.Model(bar, hinge, fx.Gravity((0, -9.81))))
    >>> bool(abs(swing.eigenvalues[0] - 2.0 * 9.81 * 0.5 / 0.6) < 1e-9)
    True
    """
    wanted = None if modes is None else as_count("solve_modal", "modes", modes, minimum=1)
    linear_modes = getattr(model, "linear_modes", None)
    if linear_modes is not None:
        return linear_modes(10 if wanted is None else wanted, fixed, prestress)
    refuse_given("solve_modal", "Model", fixed=fixed, prestress=prestress)
    point = operating_point("solve_modal", model, unloaded=True)
    dyn = point.dyn
    name = f"Model {dyn.system.model.name!r}"
    found = lowest_roots(point.motions(), wanted, name)
    if not len(found.s):
        raise ModelError(f"{name}: the joints leave nothing that can vibrate.")
    moving = point.seen_by is not None
    _warn(name, found, moving)
    found, whirl = with_sense(point, found)
    E, state = point.lin.directions, point.state
    return ModalSolution(
        system=dyn.system,
        state=OperatingState(state.q, state.v, state.lam, state.t),
        roots=found.s,
        vectors=E @ found.y,
        state_vectors=E @ found.dy,
        conservative=found.symmetric,
        frame=name_of_frame(dyn, state, point.seen_by) if point.seen_by is not None else "inertial",
        whirl=whirl,
        growing=found.growing,
    )


def _warn(name: str, found: Roots, spinning: bool) -> None:
    """Say that the state is not stable."""
    if not found.n_growing:
        return
    shown = found.s[found.growing]
    waves = int((shown.imag != 0.0).sum())
    what = f"{found.n_growing} modes grow" if found.n_growing > 1 else "1 mode grows"
    beyond = found.n_growing - len(shown)
    if beyond:
        what += f", {beyond} of them beyond those returned"
    warnings.warn(
        f"{name}: {what} ({len(shown) - waves} modes are unstable without vibrating, {waves} flutter): the state is "
        f"not a stable {'steady motion' if spinning else 'equilibrium'}.",
        RuntimeWarning,
        stacklevel=3,
    )
