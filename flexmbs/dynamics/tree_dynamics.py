r"""Kinematics and dynamics of a tree by itself: `TreeDynamics`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from scipy.linalg import lapack

from flexmbs.core.attributes import Hinted
from flexmbs.core.checks import as_array, show
from flexmbs.core.contracts import Env, FloatArray, IntArray, MarkerWork, State
from flexmbs.core.errors import ModelError, SingularError
from flexmbs.kernels.trees.canonical import canonical_rates, momenta
from flexmbs.kernels.trees.dynamics import tree_energy, tree_mass, tree_tangent
from flexmbs.kernels.trees.local import P_, R_, ROOM, S_, V_
from flexmbs.kernels.trees.moves import UNIT, step_between, stepped
from flexmbs.kernels.trees.summed import centroidal, direct_mass
from flexmbs.kernels.trees.sweeps import forward_sweeps, inverse_sweeps, motion_sweep
from flexmbs.model.trees.columns import columns_of, free_standing, start_of
from flexmbs.model.trees.tree import Tree

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = ["Centroidal", "Derivatives", "TreeDynamics"]

LAST_RIGID = 3
"""Kinds of columns up to here are motions of joints; beyond are shapes of links."""
Method = Literal["articulated", "composite", "direct"]
Terms = Literal["all", "velocity", "forces"]


class Centroidal(NamedTuple):
    """What `TreeDynamics.centroidal` gives: ``matrix (6, n_v)`` and ``centre (3,)`` of mass, inertial frame."""

    matrix: FloatArray
    centre: FloatArray


class Derivatives(NamedTuple):
    """What derivatives `TreeDynamics` gives: ``q``, ``v`` (n_v, n_v), along moves of the coordinates and velocities."""

    q: FloatArray
    v: FloatArray


class TreeDynamics(Hinted):
    r"""The algorithms of trees for one tree by itself, outside of any model.

    With the mass matrix M, the forces h of velocity and gravity, forces tau of the joints, and wrenches W on links,

    .. math:: M(q)\,\dot v + h(q, v) = \tau + J^T W .

    **Coordinates.** v has a place for each velocity of the joints, joint after joint in the order of ``tree.links``
    (which puts parents first); names in `names`. q has the same order, and behind it the four numbers (scalar first) of
    each quaternion in the order of their joints; the three places of a rotation in the first part are not used. A
    rotation moves as R exp(d~), with d in axes of the link: `move` and `step` do so, and derivatives are along such
    moves.

    **Frames.** Poses, twists and wrenches are in inertial axes and refer to the origins of the links. Links that
    `FixedJoint` joints hold to the base are at rest; what acts on them is left out, and so is their mass.

    Parameters
    ----------
    tree : Tree
    gravity : (3,) array, default none
        Inertial frame [length time^-2].

    Raises
    ------
    ModelError
        If the tree has no joint that moves, or a flexible link; by its methods, where arrays have wrong shapes, are
        not finite, or a quaternion is not of unit length (within 1e-8 of its square).

    Notes
    -----
    An object keeps its arrays of work: not for several threads at once.

    Sources: R. Featherstone, Rigid Body Dynamics Algorithms, 2008; docs/theory/trees_algorithms.md has all equations.

    Examples
    --------
    >>> from flexmbs import trees
    >>> rod = trees.Link("rod", 2.0, (0.1, 0.1, 0.001), (0, 0, -0.5), joint=trees.Revolute((0, 1, 0)), start=0.3)
    >>> pendulum = trees.TreeDynamics(trees.Tree(rod), gravity=(0, 0, -9.81))
    >>> q, v = pendulum.start
    >>> a = pendulum.forward(q, v)  # -m g l sin(q) / (J + m l^2)
    >>> print(f"{a[0]:.6f}")
    -4.831755
    >>> bool(abs(pendulum.inverse(q, v, a)[0]) < 1e-12)
    True
    """

    def __init__(self, tree: Tree, gravity: ArrayLike | None = None) -> None:
        if not isinstance(tree, Tree):
            raise ModelError(f"trees.TreeDynamics: tree must be a Tree, not {show(tree)}.")
        self.tree = tree
        self.owner = f"TreeDynamics of {tree}"
        field = None if gravity is None else as_array(self.owner, "gravity", gravity, (3,), unit="length time^-2")
        self.gravity = np.zeros(3) if field is None else field
        columns = columns_of(tree)
        if (columns.kind > LAST_RIGID).any():
            raise ModelError(f"{self.owner}: its recursions are for rigid links; put flexible ones into a Model.")
        self.group = free_standing(tree, field)
        self.behind, self.joint, self._R_L, self._p_L = columns.behind, columns.joint, columns.R_L, columns.p_L
        self.n_v = len(self.group.kind)
        if not self.n_v:
            raise ModelError(f"{self.owner}: no joint moves; give a link another joint than Fixed.")
        self.n_q = self.n_v + 4 * int(np.count_nonzero(self.group.kind == 1))
        self._scale = np.ones(len(self.group.load))
        self._w = np.zeros((self.n_v, ROOM))
        self._none = (self.behind, self._p_L, np.zeros((0, 6)))
        self._zero = np.zeros(self.n_v)

    # --- coordinates -------------------------------------------------------------------------------------------------

    @property
    def names(self) -> tuple[str, ...]:
        """Of all velocities, ``link: coordinate``."""
        return tuple(f"{link.name}: {name}" for link in self.tree.links for name in link.joint.names)

    @property
    def start(self) -> tuple[FloatArray, FloatArray]:
        """q (n_q,) and v (n_v,) at the start."""
        return start_of(self.tree)

    def move(self, q: ArrayLike, d: ArrayLike) -> FloatArray:
        """q moved by d (n_v,): sums, and R exp(d~) of rotations."""
        q, d = self._q(q), self._vector("d", d)
        self._finite(q=q, d=d)
        out = q.copy()
        stepped(self.group, q, d, out)
        return out

    def step(self, q: ArrayLike, other: ArrayLike) -> FloatArray:
        """The d (n_v,) by which `move` goes from q to the other position, of rotations the shorter way."""
        first, second = self._q(q), self._q(other)
        self._finite(q=first, other=second)
        out = np.zeros(self.n_v)
        step_between(self.group, first, second, out)
        return out

    # --- kinematics --------------------------------------------------------------------------------------------------

    def poses(self, q: ArrayLike) -> tuple[FloatArray, FloatArray]:
        """Places (n_links, 3) of the origins of links and their axes (n_links, 3, 3), inertial frame."""
        R, p = self._frames(self._moved(q, self._zero))
        return p + np.einsum("ijk,ik->ij", R, self._p_L), R @ self._R_L

    def twists(self, q: ArrayLike, v: ArrayLike) -> FloatArray:
        """Velocities of the origins of links and their angular velocities, (n_links, 6), inertial axes."""
        w = self._moved(q, v)
        R, _ = self._frames(w)
        V = np.where(self.behind[:, None] < 0, 0.0, w[self.behind, V_ : V_ + 6])
        V[:, :3] += np.cross(V[:, 3:], np.einsum("ijk,ik->ij", R, self._p_L))
        return V

    def jacobian(self, q: ArrayLike, link: str, point: ArrayLike = (0.0, 0.0, 0.0)) -> FloatArray:
        """J (6, n_v) with J v the velocity of a point of a link, given in its frame, and the angular velocity."""
        i = self.tree.index(link)
        x = as_array(self.owner, "point", point, (3,), unit="length")
        w = self._moved(q, self._zero)
        R, p = self._frames(w)
        place = p[i] + R[i] @ (self._p_L[i] + self._R_L[i] @ x)
        J = np.zeros((6, self.n_v))
        c = int(self.behind[i])
        while c >= 0:
            J[3:, c] = w[c, S_ + 3 : S_ + 6]
            J[:3, c] = w[c, S_ : S_ + 3] + np.cross(J[3:, c], place - w[c, P_ : P_ + 3])
            c = int(self.group.parent[c])
        return J

    # --- dynamics ----------------------------------------------------------------------------------------------------

    def inverse(self, q: ArrayLike, v: ArrayLike, a: ArrayLike, wrenches: ArrayLike | None = None) -> FloatArray:
        """Forces tau (n_v,) of the joints for the accelerations a; recursive Newton-Euler, linear in the links.

        ``wrenches (n_links, 6)``: forces on the origins of links, and moments, inertial axes.
        """
        q, v, a = self._q(q), self._vector("v", v), self._vector("a", a)
        out = np.empty(self.n_v)
        if not inverse_sweeps(self.group, q, v, a, self._scale, self._links(wrenches), self._w, out):
            self._finite(q=q, v=v, a=a)
            raise ModelError(f"{self.owner}: the forces of the joints are too large for floating-point numbers.")
        return out

    def bias(self, q: ArrayLike, v: ArrayLike, wrenches: ArrayLike | None = None) -> FloatArray:
        """Forces h (n_v,) of velocity and gravity, less those of wrenches: `inverse` without acceleration."""
        return self.inverse(q, v, self._zero, wrenches)

    def mass(self, q: ArrayLike, method: Method = "composite") -> FloatArray:
        """The mass matrix (n_v, n_v) by composite bodies, or link by link with ``method="direct"``."""
        q = self._q(q)
        self._finite(q=q)
        M = np.empty((self.n_v, self.n_v))
        if _one_of(self.owner, "method", method, ("composite", "direct")) == "direct":
            direct_mass(self.group, q, M)
        else:
            tree_mass(self.group, q, M.reshape(-1))
        return M

    def forward(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike | None = None,
        wrenches: ArrayLike | None = None,
        method: Method = "articulated",
    ) -> FloatArray:
        """Accelerations (n_v,) under the forces tau of the joints and wrenches on links as in `inverse`.

        ``"articulated"`` is linear in the number of links; ``"composite"`` and ``"direct"`` form the mass matrix in two
        ways and factorise it. All agree to round-off; articulated bodies are the fastest beyond a few links and the
        most accurate for long chains, since nothing in them refers to the far base.
        """
        q, v = self._q(q), self._vector("v", v)
        tau = self._zero if tau is None else self._vector("tau", tau)
        if method == "articulated":
            out = np.empty(self.n_v)
            if not forward_sweeps(self.group, q, v, tau, self._scale, self._links(wrenches), self._w, out):
                self._finite(q=q, v=v, tau=tau)
                raise self._singular()
            return out
        _one_of(self.owner, "method", method, ("articulated", "composite", "direct"))
        self._finite(tau=tau)
        return self._solve(self.mass(q, method), tau - self.bias(q, v, wrenches))

    def momenta(self, q: ArrayLike, v: ArrayLike) -> FloatArray:
        """Canonical momenta p = M v (n_v,) by one sweep; those of rotations in axes of the link."""
        q, v = self._q(q), self._vector("v", v)
        self._finite(q=q, v=v)
        p = np.empty(self.n_v)
        momenta(self.group, q, v, self._w, p)
        return p

    def canonical_rates(
        self, q: ArrayLike, p: ArrayLike, tau: ArrayLike | None = None, wrenches: ArrayLike | None = None
    ) -> tuple[FloatArray, FloatArray]:
        r"""Velocities v (n_v,) of the momenta p, and the rates :math:`\dot p`: two sweeps, no accelerations."""
        q, p = self._q(q), self._vector("p", p)
        tau = self._zero if tau is None else self._vector("tau", tau)
        self._finite(q=q, p=p, tau=tau)
        rates = np.empty((2, self.n_v))
        if canonical_rates(self.group, q, p, tau, self._scale, self._links(wrenches), self._w, rates) >= 0:
            raise self._singular()
        return rates[0], rates[1]

    def centroidal(self, q: ArrayLike) -> Centroidal:
        """The matrix A with A v = (momentum, moment of momentum about the centre of mass), and that centre."""
        q = self._q(q)
        self._finite(q=q)
        A, centre = np.zeros((6, self.n_v)), np.zeros(3)
        centroidal(self.group, q, A, centre)
        return Centroidal(A, centre)

    def energy(self, q: ArrayLike, v: ArrayLike) -> tuple[float, float]:
        """Kinetic energy, and that of gravity on what moves, zero at the origin of the inertial frame."""
        kinetic = 0.5 * float(self.momenta(q, v) @ self._vector("v", v))
        potential = np.zeros(1)
        tree_energy(self.group, self._q(q), self._scale, potential)
        return kinetic, float(potential[0])

    # --- derivatives -------------------------------------------------------------------------------------------------

    def inverse_derivatives(self, q: ArrayLike, v: ArrayLike, a: ArrayLike) -> Derivatives:
        """Exact derivatives of `inverse` without wrenches by q, along moves, and by v; that by a is the mass matrix."""
        return Derivatives(self._tangent(q, v, a, 1.0, 0.0), self._tangent(q, v, a, 0.0, 1.0))

    def forward_derivatives(self, q: ArrayLike, v: ArrayLike, tau: ArrayLike | None = None) -> Derivatives:
        r"""Exact derivatives of `forward` without wrenches by q and v: :math:`-M^{-1}` times those of `inverse`.

        That by tau is the inverse of the mass matrix.
        """
        d = self.inverse_derivatives(q, v, self.forward(q, v, tau))
        both = self._solve(self.mass(q), -np.hstack(d))
        return Derivatives(both[:, : self.n_v].copy(), both[:, self.n_v :].copy())

    def newton_matrix(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        weights: tuple[float, float],
        stiffness: ArrayLike | None = None,
        damping: ArrayLike | None = None,
        terms: Terms = "all",
    ) -> FloatArray:
        r"""The matrix of Newton's method for an implicit step, in full or in the cheaper forms of Pogorelov.

        .. math:: M + w_v (D + D_f) + w_q (K + K_f),

        with K, D of the inertia and gravity (`inverse_derivatives`) and those of forces in the joints given as
        ``stiffness``, ``damping`` (n_v, n_v), derivatives of minus these forces; ``weights`` are (w_q, w_v), what the
        step makes of a change of acceleration in q and v.

        ``terms``: ``"all"``; ``"velocity"`` leaves out K and K_f, for stiff damping; ``"forces"`` leaves out K and D,
        for stiff forces and slow motion. An approximate matrix changes how fast Newton's method converges, not what it
        converges to.
        """
        w_q, w_v = (float(w) for w in as_array(self.owner, "weights", weights, (2,)))
        _one_of(self.owner, "terms", terms, ("all", "velocity", "forces"))
        square = (self.n_v, self.n_v)
        out = self.mass(q)
        if terms != "forces":
            out += self._tangent(q, v, a, w_q if terms == "all" else 0.0, w_v)
        if stiffness is not None and terms != "velocity":
            out += w_q * as_array(self.owner, "stiffness", stiffness, square)
        if damping is not None:
            out += w_v * as_array(self.owner, "damping", damping, square)
        return out

    # --- helpers -----------------------------------------------------------------------------------------------------

    def _tangent(self, q: ArrayLike, v: ArrayLike, a: ArrayLike, w_q: float, w_v: float) -> FloatArray:
        q, v, a = self._q(q), self._vector("v", v), self._vector("a", a)
        self._finite(q=q, v=v, a=a)
        n = self.n_v
        none, B = np.zeros((0, 6)), np.zeros(n * n)
        turns = np.tile(np.eye(3), ((self.n_q - n) // 4, 1, 1))
        places, axes, room = np.zeros((0, 3)), np.zeros((0, 3, 3)), np.zeros((64, 12))
        work = MarkerWork(np.zeros(n), B, places, axes, none, none, none, none, none, turns, room)
        tree_tangent(self.group, State(q, v, a, self._zero), Env(0.0, self._scale), work, (w_q, w_v))
        return B.reshape(n, n)

    def _solve(self, M: FloatArray, b: FloatArray) -> FloatArray:
        _, x, info = lapack.dposv(M.T, b, lower=0, overwrite_a=1)
        if info:
            raise self._singular()
        return np.ascontiguousarray(x)

    def _moved(self, q: ArrayLike, v: ArrayLike) -> FloatArray:
        """The rows of the columns with frames and velocities."""
        q, v = self._q(q), self._vector("v", v)
        self._finite(q=q, v=v)
        motion_sweep(self.group, q, v, self._w)
        return self._w

    def _frames(self, w: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Axes and places behind the columns that move the links, or of the base."""
        fixed = self.behind < 0
        R = np.where(fixed[:, None, None], self.tree.rotation, w[self.behind, R_ : R_ + 9].reshape(-1, 3, 3))
        return R, np.where(fixed[:, None], self.tree.position, w[self.behind, P_ : P_ + 3])

    def _vector(self, name: str, value: ArrayLike, size: int | None = None) -> FloatArray:
        n = self.n_v if size is None else size
        if type(value) is np.ndarray and value.shape == (n,) and value.dtype == np.float64 and value.flags.carray:
            return value
        return as_array(self.owner, name, value, (n,))

    def _q(self, value: ArrayLike) -> FloatArray:
        return self._vector("q", value, self.n_q)

    def _links(self, wrenches: ArrayLike | None) -> tuple[IntArray, FloatArray, FloatArray]:
        if wrenches is None:
            return self._none
        return self.behind, self._p_L, as_array(self.owner, "wrenches", wrenches, (len(self.tree.links), 6))

    def _finite(self, **vectors: Any) -> None:
        """Refuse what is not finite, and quaternions that are none."""
        for name, value in vectors.items():
            if not np.isfinite(value).all():
                as_array(self.owner, name, value, value.shape)
            if len(value) > self.n_v:
                for i in range(self.n_v, self.n_q, 4):
                    square = float(value[i : i + 4] @ value[i : i + 4])
                    if abs(square - 1.0) > UNIT:
                        c = int(np.flatnonzero((self.group.qi == i) & (self.group.kind == 1))[0])
                        raise ModelError(
                            f"{self.owner}: {name}[{i}:{i + 4}], the quaternion of the joint of "
                            f"{self.tree.links[self.joint[c]]}, has length {np.sqrt(square):.9g}; divide it by that."
                        )

    def _singular(self) -> SingularError:
        return SingularError(
            f"{self.owner}: the mass matrix is singular at this position: some motion of the joints moves no inertia."
        )


def _one_of(owner: str, name: str, value: object, known: tuple[str, ...]) -> str:
    if value not in known:
        raise ModelError(f"{owner}: {name} must be one of {', '.join(known)}, not {show(value)}.")
    return str(value)
