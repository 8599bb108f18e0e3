"""The contract of linear elements: what a `flexmbs.linear.Part` asks of a formulation for small displacements.

An element is a frozen dataclass of its choices (a section, a thickness, a quadrature). It is handed the points of many
cells at once and answers with arrays over them; the time it takes is spent in jitted kernels over the whole batch.
Nothing is kept between two calls but the group, which is private to the element.

Coordinates of a node are displacements and, for beams and shells, small rotations, both along the inertial axes:
(u_x, u_y, u_z) or (u_x, u_y, u_z, theta_x, theta_y, theta_z). The k coordinates of an element run node by node. Signs
are those of the right-hand rule; stress is positive in tension.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from flexmbs.core.contracts import FloatArray, IntArray

if TYPE_CHECKING:
    from flexmbs.core.material import Material

__all__ = ["COMPONENTS", "LINEAR_ELEMENT_MEMBERS", "STRESS_NAMES", "LinearElement", "MassPoints"]

COMPONENTS = ("ux", "uy", "uz", "rx", "ry", "rz")
"""The coordinates of a node in their order."""

STRESS_NAMES = ("xx", "yy", "zz", "xy", "yz", "xz")
"""Components of a symmetric tensor in their order everywhere in flexmbs; shear strains are engineering strains."""


class MassPoints(NamedTuple):
    """The mass of elements as points: kinetic energy is the sum of ``weights / 2 * |shapes @ velocities|^2``.

    The consistent mass matrix is exactly the sum over the points of ``w H^T H``: for solids the points of a quadrature
    that is exact for straight cells, for beams and shells points beside the axis or the middle surface, so that rotary
    inertia is in them too. Everything that depends on the distribution of mass (gravity, centrifugal forces, the
    inertia invariants of a floating frame) is a sum over these points.

    Parameters
    ----------
    weights : (n_e, n_g) array
        Mass of each point.
    positions : (n_e, n_g, 3) array
        Where it is in the undeformed shape.
    shapes : (n_e, n_g, 3, k) array
        H: its displacement by the coordinates of the element. For elements whose coordinates are displacements alone
        and share one interpolation this is N_a times the unit matrix.
    arms : (n_e, n_g, n_d, 3) array, optional
        Rigid arms d on which the point sits, such as that from the axis or the middle surface to it.
    turns : (n_e, n_g, n_d, 3, k) array, optional
        The rotations theta of these arms by the coordinates. To second order the point moves by the sum of theta x
        (theta x d)/2 beside H, in which body forces do work: that holds up a spinning disc of beam elements.
    """

    weights: FloatArray
    positions: FloatArray
    shapes: FloatArray
    arms: FloatArray | None = None
    turns: FloatArray | None = None


class LinearElement(Protocol):
    """An element formulation for small displacements."""

    @property
    def name(self) -> str:
        """A word for messages and reports."""

    @property
    def cell_type(self) -> str:
        """The mesh cell it lives on, by meshio's name."""

    @property
    def n_components(self) -> int:
        """3 (displacements) or 6 (and rotations) coordinates per node."""

    @property
    def needs_material(self) -> bool:
        """Whether a material must be given beside it (False for a laminate, which brings its own)."""

    @property
    def stress_names(self) -> tuple[str, ...]:
        """What `stresses` gives: components of the stress, or stress resultants."""

    def tabulate(self, owner: str, points: FloatArray, material: Material | None, numbers: IntArray) -> Any:
        """The group of the cells with corner ``points (n_e, n_a, 3)``.

        Raises a `MeshError` that names ``owner`` and the ``numbers`` (n_e,) of cells that are inverted, have no size or
        cannot be treated, and a `ModelError` if the material is not of a kind that the element understands.
        """

    def stiffness(self, group: Any) -> FloatArray:
        """Stiffness matrices (n_e, k, k) [force/length, ...], symmetric to the last bit."""

    def mass(self, group: Any) -> FloatArray:
        """Consistent mass matrices (n_e, k, k) [mass, ...], symmetric to the last bit."""

    def mass_points(self, group: Any) -> MassPoints:
        """The mass as points, with ``sum w H^T H`` equal to ``mass`` to round-off for straight cells."""

    def geometric_stiffness(self, group: Any, u: FloatArray) -> FloatArray:
        """Stress stiffness (n_e, k, k) of the linear stresses that the coordinates ``u (n_e, k)`` cause."""

    def stresses(self, group: Any, u: FloatArray) -> FloatArray:
        """Stresses (n_e, n_s, n_c) at the element's own points, where they are most accurate, inertial axes.

        Beams give stress resultants instead, in their local axes, and shells both faces; see ``stress_names``.
        """

    def nodal_stresses(self, group: Any, u: FloatArray) -> FloatArray:
        """The same (n_e, n_a, n_c) carried over to the nodes of each element; not averaged between elements."""

    def stress_positions(self, group: Any) -> FloatArray:
        """Where `stresses` are (n_e, n_s, 3)."""

    def thermal_load(self, group: Any, expansion: FloatArray) -> FloatArray:
        """Nodal forces (n_e, k) of a free thermal strain (n_e,), equal in all directions (zero where rigid)."""


LINEAR_ELEMENT_MEMBERS = tuple(name for name in vars(LinearElement) if not name.startswith("_"))
"""What a linear element must have."""
