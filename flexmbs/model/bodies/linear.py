r"""Linear bodies: a reduced part that stays near its place, in its uncoupled modal coordinates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from flexmbs.core.checks import as_array, as_count, as_counts, as_name, as_names, frozen_copy, show
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError
from flexmbs.core.rotations import RotationLike, as_rotation
from flexmbs.model.bodies.marker import Marker
from flexmbs.model.bodies.shaped import ShapedBody, ShapedMarker, as_coordinates, as_ratios
from flexmbs.reduction.model import ReducedModel

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = ["LinearBody", "LinearMarker"]

UNSTABLE = 1e-10
"""Squared frequencies below minus this part of the largest are no round-off."""
COUPLED = 1e-12
"""Damping between two modes that is this part of what belongs to them is round-off."""
STRAY = 1e-8
"""What given shapes may miss of being mass-normalised modes, relative."""


@dataclass(frozen=True, eq=False, init=False)
class LinearBody(ShapedBody):
    r"""A reduced part (superelement) that does not move far: linear equations, constant matrices, and markers on it.

    A point of the part is at :math:`x_0 + R_0 (s + \phi(s)\,\eta)`, with the place :math:`x_0, R_0` of the mesh, which
    is fixed, and the place s of the point in it. The material there turns by the small rotation
    :math:`\psi(s)\,\eta`. The coordinates :math:`\eta` are the mass-normalised modes of the reduced model with the
    interfaces of ``fixed`` held, so that

    .. math:: \ddot\eta + D\dot\eta + \Omega^2\eta = \Phi^T f, \qquad
              D = 2\,\mathrm{diag}(\zeta_k\omega_k) + \Phi^T D_r \Phi .

    With all modes these are the equations of the reduced model in other coordinates; nothing is left out. Rigid motions
    that are not held are modes of frequency zero.

    Parameters
    ----------
    reduced : ReducedModel
        With inertia; its coordinates in units of the model. Prestress is part of its stiffness
        (`flexmbs.linear.prestressed`).
    fixed : str or sequence of str, default ()
        Interfaces held to the ground. They are taken out of the equations, and so have no reactions; for these hold
        the interface by a joint.
    modes : int, optional
        How many modes to keep, from the lowest; by default all.
    damping : float or (m,) array, default 0
        Modal damping ratios, added to the damping of the reduced model.
    position : (3,) array, default the origin
        Where the origin of the mesh is, inertial frame [length].
    rotation : (3, 3) array, (4,) array or scipy Rotation, optional
        Orientation of the axes of the mesh.
    deformation, deformation_rate : (m,) array, optional
        Modal coordinates at the start and their rates.
    name : str, optional
        That of the reduced model by default.

    Raises
    ------
    ModelError
        If the reduced model has no inertia, the part is unstable (compressed beyond buckling), an interface is unknown,
        or an array has another shape.

    Notes
    -----
    Limits: displacements and rotations are small, those of rigid motions too; for parts that move far there is
    `FloatingBody`. Forces on markers are in inertial axes, but act at the undeformed place of the part.

    Examples
    --------
    >>> import flexmbs as fx
    >>> lug = fx.linear.Part(fx.meshes.read_mesh(fx.meshes.sample("lug.inp")), material=fx.steel, name="lug")
    >>> body = fx.LinearBody(fx.reduction.reduce(lug, ["ROOT", "BORE"], modes=4), fixed="ROOT")
    >>> body.modes, body.interface("BORE").name
    (10, 'BORE')
    """

    kind: ClassVar[str] = "linear"
    collection: ClassVar[str] = "linear_bodies"

    reduced: ReducedModel
    fixed: tuple[str, ...]
    modes: int
    damping: FloatArray
    position: FloatArray
    rotation: FloatArray
    deformation: FloatArray
    deformation_rate: FloatArray
    name: str
    basis: FloatArray = field(init=False, repr=False)
    frequencies: FloatArray = field(init=False, repr=False)
    viscosity: FloatArray = field(init=False, repr=False)

    def __init__(
        self,
        reduced: ReducedModel,
        fixed: str | Sequence[str] = (),
        modes: int | None = None,
        damping: ArrayLike = 0.0,
        position: ArrayLike = (0.0, 0.0, 0.0),
        rotation: RotationLike = None,
        deformation: ArrayLike | None = None,
        deformation_rate: ArrayLike | None = None,
        name: str | None = None,
    ) -> None:
        if not isinstance(reduced, ReducedModel):
            raise ModelError(
                f"LinearBody: reduced must be a ReducedModel, from flexmbs.reduction.reduce, not {show(reduced)}."
            )
        title = reduced.name if name is None else as_name("LinearBody", "name", name)
        owner = f"LinearBody {title!r}"
        if reduced.inertia is None:
            raise ModelError(f"{owner}: its reduced model has no nodes, so neither a mass nor places for markers.")
        held = as_names(owner, "fixed", fixed)
        values, basis = reduced.modes(held)
        largest = float(values[-1]) if len(values) else 0.0
        if not len(values) or values[0] < -UNSTABLE * largest:
            lowest = f"its lowest squared frequency is {values[0]:.3g}" if len(values) else "nothing of it is free"
            raise ModelError(f"{owner}: {lowest}; a stable part with some free coordinates is needed.")
        kept = len(values) if modes is None else as_count(owner, "modes", modes, minimum=1)
        if kept > len(values):
            raise ModelError(f"{owner}: {kept} modes were asked for, but there are {len(values)}.")
        basis, frequencies = basis[:, :kept], np.sqrt(np.maximum(values[:kept], 0.0))
        ratios = as_ratios(owner, damping, kept)
        own = np.zeros((kept, kept)) if reduced.D is None else basis.T @ reduced.D @ basis
        given: dict[str, Any] = {
            "reduced": reduced, "fixed": held, "modes": kept, "damping": ratios,
            "position": as_array(owner, "position", position, (3,), unit="length"),
            "rotation": as_rotation(owner, "rotation", rotation),
            "deformation": as_coordinates(owner, "deformation", deformation, kept),
            "deformation_rate": as_coordinates(owner, "deformation_rate", deformation_rate, kept),
            "name": title, "basis": basis, "frequencies": frequencies,
            "viscosity": np.diag(2.0 * ratios * frequencies) + 0.5 * (own + own.T),
        }  # fmt: skip
        for key, value in given.items():
            object.__setattr__(self, key, frozen_copy(value) if isinstance(value, np.ndarray) else value)

    def take_shapes(self, basis: FloatArray) -> None:
        """Move in other mass-normalised shapes (n, m) of the same frequencies, as those of a file.

        Of equal frequencies the computation of the modes leaves open which two shapes they have.
        """
        reduced, owner = self.reduced, str(self)
        basis = as_array(owner, "shapes", basis, (reduced.size, self.modes))
        squares = self.frequencies**2
        stray = np.abs(basis.T @ reduced.M @ basis - np.eye(self.modes)).max()
        stray += np.abs(basis.T @ reduced.K @ basis - np.diag(squares)).max() / max(float(squares.max()), 1e-300)
        if stray > STRAY:
            raise ModelError(f"{owner}: these shapes are not its modes; they are wrong by {stray:.1g}.")
        own = np.zeros((self.modes, self.modes)) if reduced.D is None else basis.T @ reduced.D @ basis
        viscosity = np.diag(2.0 * self.damping * self.frequencies) + 0.5 * (own + own.T)
        object.__setattr__(self, "basis", frozen_copy(basis))
        object.__setattr__(self, "viscosity", frozen_copy(viscosity))

    def __str__(self) -> str:
        return f"LinearBody {self.name!r}"

    @property
    def origin(self) -> FloatArray:
        """Where the origin of its frame is in the mesh (3,): at its origin."""
        return np.zeros(3)

    @property
    def held_to_ground(self) -> bool:
        """Whether an interface is held."""
        return bool(self.fixed)

    @property
    def mass(self) -> float:
        """[mass]."""
        assert self.reduced.inertia is not None  # noqa: S101  # checked on construction
        return self.reduced.inertia.mass

    @property
    def uncoupled(self) -> bool:
        """Whether damping couples no modes."""
        size = np.sqrt(np.abs(np.outer(self.viscosity.diagonal(), self.viscosity.diagonal())))
        rest = np.abs(self.viscosity - np.diag(self.viscosity.diagonal()))
        return bool((rest <= COUPLED * max(float(size.max(initial=0.0)), 1e-300)).all())

    @property
    def place(self) -> tuple[FloatArray, FloatArray]:
        return self.position, self.rotation

    @property
    def initial_q(self) -> FloatArray:
        return self.deformation

    @property
    def initial_v(self) -> FloatArray:
        return self.deformation_rate

    @property
    def momentum_shapes(self) -> FloatArray:
        r"""Integrals (3, m) of the shapes over the mass, inertial axes: momentum, and gravity, are these times eta."""
        assert self.reduced.inertia is not None  # noqa: S101  # checked on construction
        return np.asarray(self.rotation @ self.reduced.inertia.P @ self.basis)

    def _marker(self, point: FloatArray, axes: FloatArray, shapes: FloatArray, name: str, turns: bool) -> LinearMarker:
        return LinearMarker(self, point, axes, shapes, name, turns)

    def nodal_force(self, nodes: ArrayLike, force: ArrayLike) -> FloatArray:
        """Modal forces (m,) of equal forces (3,) on nodes, inertial axes, whose sum is ``force`` [force]."""
        owner = f"nodal force on {self}"
        numbers = np.unique(as_counts(owner, "each of nodes", nodes))
        local = self.rotation.T @ as_array(owner, "force", force, (3,), unit="force")
        dofs = self.reduced.dofs
        rows = dofs.of(numbers, (0, 1, 2))
        if len(rows) != 3 * len(numbers) or not len(rows):
            raise ModelError(f"{owner}: each of its {len(numbers)} nodes needs displacements.")
        values = local[dofs.component[rows]] / len(numbers)
        first, last = int(rows.min()), int(rows.max()) + 1
        shapes = np.asarray(self.reduced.shapes[first:last])[rows - first]
        return np.asarray((values @ shapes) @ self.basis)

    @property
    def centre(self) -> Marker:
        raise ModelError(f"{self}: it has no marker of its own; take one with node(number) or interface(name).")


@dataclass(frozen=True, eq=False, init=False, repr=False)
class LinearMarker(ShapedMarker):
    """A marker on a linear body: ``point (3,)`` of the mesh, shapes ``phi``, ``psi`` (3, m) there, axes of the mesh."""
