r"""Trees from tables of Denavit and Hartenberg: `DHRow`, `dh_tree`.

Every row is a link with its joint, given by numbers. With elementary rotations R and displacements T about and along
the axes x and z, the frame of a link in that of the link before is, in the two conventions in use,

.. math:: R_z(\theta)\,T_z(d)\,T_x(a)\,R_x(\alpha) \qquad\text{(standard: Denavit and Hartenberg, Paul)},

.. math:: T_z(\varepsilon)\,R_z(\gamma)\,R_x(\alpha)\,T_x(a)\;
   R_z(\theta^*)\,T_z(d^*)\,R_x(\alpha^*)\,R_z(\theta)\,T_z(d)
   \qquad\text{(modified: Craig; Khalil and Kleinfinger)}.

The letters are those of data sheets: a is the length along x, d the offset along z. Khalil and Kleinfinger write d for
a, and r for d.

In the modified form the first four shape the body before (the first two for branches, where a body has several
successors), and the joint may have several coordinates with one frame in between instead of massless bodies
(D. Bernier, A. Dequidt, E. Valdes, Symbolic and systematic multibody modeling for mechatronic design):

======================= ================================ =============================================
joint                   coordinates are added to         becomes
======================= ================================ =============================================
``fixed``               nothing                          `Fixed`
``revolute``            theta                            `Revolute`
``prismatic``           d                                `Prismatic`
``cylindrical``         d, theta                         `Cylindrical`
``universal``           theta*, theta                    `Screws`: no parallel axes, sin(alpha*) not 0
``spherical``           theta*, alpha*, theta            `Spherical`: a quaternion, singular nowhere
``prismatic-spherical`` d*; theta*, alpha*, theta        `PrismaticSpherical`
``spherical-prismatic`` theta*, alpha*, theta, d         `Screws`: Euler angles, sin(alpha*) not 0
======================= ================================ =============================================

The numbers in the table hold at zero coordinates.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from flexmbs.core.checks import as_angle, as_array, as_number, show
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError, unknown_name
from flexmbs.core.field_terms import meant
from flexmbs.core.rotations import RotationLike
from flexmbs.model.trees.joints import (
    Cylindrical,
    Fixed,
    Prismatic,
    PrismaticSpherical,
    Revolute,
    Screws,
    Spherical,
    TreeJoint,
    screw_motion,
)
from flexmbs.model.trees.link import Link
from flexmbs.model.trees.tree import Tree

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = ["DHRow", "dh_tree"]

X, Z = 0, 2
VARIABLE = {
    "fixed": (),
    "revolute": ("theta",),
    "prismatic": ("d",),
    "cylindrical": ("d", "theta"),
    "universal": ("theta_star", "theta"),
    "spherical": ("theta_star", "alpha_star", "theta"),
    "prismatic-spherical": ("d_star", "theta_star", "alpha_star", "theta"),
    "spherical-prismatic": ("theta_star", "alpha_star", "theta", "d"),
}
"""What of a row the coordinates of a joint are added to."""
STARRED = ("theta_star", "d_star", "alpha_star")
SHAPE = (("eps", Z, False), ("gamma", Z, True), ("alpha", X, True), ("a", X, False))
JOINT = (
    ("theta_star", Z, True), ("d_star", Z, False), ("alpha_star", X, True), ("theta", Z, True), ("d", Z, False),
)  # fmt: skip
STANDARD = (("theta", Z, True), ("d", Z, False), ("a", X, False), ("alpha", X, True))
"""Elementary motions in their order: name, axis, whether a rotation."""
PARALLEL = 1e-6


@dataclass(frozen=True, eq=False)
class DHRow:
    """A row of a table of Denavit and Hartenberg, with the link it leads to.

    Parameters
    ----------
    name : str
        Of the link.
    joint : str
        ``"revolute"`` and the others of the table in `flexmbs.model.trees.denavit_hartenberg`; the standard convention
        has the first four.
    a, alpha : float
        Link length [length] and twist [rad], along and about x between the axes: of the body before (modified) or of
        this (standard).
    d, theta : float
        Link offset [length] and joint angle [rad], along and about z, at zero coordinates.
    eps, gamma : float
        Distance and angle along z at which a further branch leaves the body before; modified convention only.
    theta_star, d_star, alpha_star : float
        Angle, distance and angle of the intermediate frame of a joint of several coordinates; modified convention only.
    parent : str, optional
        Name of the link before; by default the row before, and the base for the first. ``"base"`` is the base.
    mass, inertia, centre, start, rate
        As of a `Link`, in the frame of the table.
    """

    name: str
    joint: str = "revolute"
    _: KW_ONLY
    a: float = 0.0
    alpha: float = 0.0
    d: float = 0.0
    theta: float = 0.0
    eps: float = 0.0
    gamma: float = 0.0
    theta_star: float = 0.0
    d_star: float = 0.0
    alpha_star: float = 0.0
    parent: str | None = None
    mass: float = 0.0
    inertia: ArrayLike = (0.0, 0.0, 0.0)
    centre: ArrayLike = (0.0, 0.0, 0.0)
    start: Any = None
    rate: ArrayLike | None = None

    def __post_init__(self) -> None:
        if self.joint not in VARIABLE:
            raise ModelError(f"{self}: {unknown_name('joint', self.joint, VARIABLE)}{meant('joint', self.joint)}")
        for name, _, turns in (*SHAPE, *JOINT):
            value = getattr(self, name)
            object.__setattr__(
                self, name, as_angle(str(self), name, value) if turns else as_number(str(self), name, value)
            )
        starred = [name for name in STARRED if getattr(self, name) and not self._has_frame()]
        if starred:
            raise ModelError(f"{self}: {starred[0]} is for joints with an intermediate frame; {self.joint!r} has none.")
        if self.joint in ("spherical", "prismatic-spherical") and self.d:
            raise ModelError(f"{self}: d must be zero: the frame is at the centre of the ball. Shift what comes next.")
        if self.joint in ("universal", "spherical-prismatic") and abs(np.sin(self.alpha_star)) < PARALLEL:
            raise ModelError(
                f"{self}: with alpha_star={self.alpha_star:g} its first and last rotation have one axis; a joint "
                f"{self.joint!r} needs an angle between them, such as pi/2."
            )

    def _has_frame(self) -> bool:
        return "theta_star" in VARIABLE[self.joint]

    def __str__(self) -> str:
        return f"DHRow {self.name!r}"


def dh_tree(
    *rows: DHRow,
    convention: Literal["modified", "standard"],
    position: ArrayLike = (0.0, 0.0, 0.0),
    rotation: RotationLike = None,
    name: str = "tree",
) -> Tree:
    """A tree from the rows of a table; the frames of its links are those of the table.

    Parameters
    ----------
    *rows : DHRow
    convention : "modified" (Craig; Khalil and Kleinfinger) or "standard" (Denavit and Hartenberg, Paul)
        Has to be given: the same numbers are two different robots. In a modified table the first a and alpha are
        mostly zero, as they belong to the base; in a standard one the last are.
    position, rotation, name
        Of the `Tree`.

    Raises
    ------
    ModelError
        If a row has what its convention or its joint does not, and as by `Tree`.

    Examples
    --------
    Two links of an arm in the plane, each with its frame at its far end:

    >>> from flexmbs import trees
    >>> rod = dict(mass=1.0, inertia=(0.01, 0.1, 0.1), centre=(-0.5, 0, 0))
    >>> upper, lower = trees.DHRow("upper", a=1.0, **rod), trees.DHRow("lower", a=1.0, **rod)
    >>> arm = trees.dh_tree(upper, lower, convention="standard")
    >>> place, _ = trees.TreeDynamics(arm).poses([0.5, -0.5])
    >>> print(place[1].round(3))
    [1.878 0.479 0.   ]
    """
    if convention not in ("modified", "standard"):
        raise ModelError(
            f"dh_tree: convention must be 'modified' or 'standard', not {show(convention)}."
            f"{meant('convention', convention)}"
        )
    links = []
    before: str | None = None
    for row in rows:
        if not isinstance(row, DHRow):
            raise ModelError(f"dh_tree: rows must be DHRow objects, not {show(row)}.")
        parent = before if row.parent is None else None if row.parent == "base" else row.parent
        shape, motions = (SHAPE, JOINT) if convention == "modified" else ((), STANDARD)
        if convention == "standard":
            _refuse_modified(row)
        R, p, screws = _passed(row, shape, motions)
        links.append(
            Link(
                row.name, row.mass, row.inertia, row.centre, parent, _joint(row, screws, convention), p, R,
                row.start, row.rate,
            )
        )  # fmt: skip
        before = row.name
    return Tree(*links, position=position, rotation=rotation, name=name)


def _refuse_modified(row: DHRow) -> None:
    if row.joint not in ("fixed", "revolute", "prismatic", "cylindrical"):
        raise ModelError(f"{row}: the standard convention has no joint {row.joint!r}; use convention='modified'.")
    for name in ("eps", "gamma"):
        if getattr(row, name):
            raise ModelError(f"{row}: {name} is of the modified convention; in the standard one leave it out.")


def _passed(
    row: DHRow, shape: tuple[tuple[str, int, bool], ...], motions: tuple[tuple[str, int, bool], ...]
) -> tuple[FloatArray, FloatArray, dict[str, FloatArray]]:
    """The frame of the link in that of the link before, at zero coordinates, and the screws of its variables in it."""
    R, p = np.eye(3), np.zeros(3)
    lying: dict[str, FloatArray] = {}
    for name, axis, turns in (*shape, *motions):
        s = np.zeros(6)
        s[axis + 3 * turns] = 1.0
        if name in VARIABLE[row.joint]:
            w = R @ s[3:]
            lying[name] = np.concatenate((R @ s[:3] - np.cross(w, p), w))
        E, t = screw_motion(s, getattr(row, name))
        R, p = R @ E, p + R @ t
    screws = {}
    for name, s in lying.items():
        screws[name] = np.concatenate((R.T @ (s[:3] + np.cross(s[3:], p)), R.T @ s[3:]))
    return R, p, screws


def _joint(row: DHRow, screws: dict[str, FloatArray], convention: str) -> TreeJoint:
    """The joint about the frame of its link."""
    match row.joint:
        case "fixed":
            return Fixed()
        case "spherical":
            return Spherical()
        case "prismatic-spherical":
            return PrismaticSpherical(screws["d_star"][:3])
        case "prismatic":
            return Prismatic(screws["d"][:3])
        case "revolute" if convention == "modified":
            return Revolute()
        case "cylindrical" if convention == "modified":
            return Cylindrical()
    label = {"theta": "angle", "d": "displacement", "theta_star": "angle 1", "alpha_star": "nutation"}
    names = VARIABLE[row.joint]
    labels = tuple("angle 2" if name == "theta" and "theta_star" in names else label[name] for name in names)
    return Screws(as_array(str(row), "columns", [screws[name] for name in names], (len(names), 6)), labels)
