r"""Points on a curve of equilibria r(q, lambda, p) = 0, g(q, p) = 0, and how one is found near another.

With the unknowns x of `flexmbs.analysis.rest`, their tangent matrix A, and the derivative b of the equations by p, one
point of the curve on the plane n . (y - y_0) = 0 through y_0 = (x_0, p_0) is found by

.. math:: \begin{bmatrix} A & b \\ n_x^T & n_p \end{bmatrix} \begin{bmatrix} \delta x \\ \delta p \end{bmatrix}
   = -\begin{bmatrix} r \\ 0 \end{bmatrix}: \qquad
   \delta p = -\frac{n_x^T x_1}{n_x^T x_2 + n_p}, \quad \delta x = x_1 + \delta p\, x_2, \quad
   x_1 = -A^{-1} r, \; x_2 = -A^{-1} b,

with one factorisation of A, which is that of statics. The tangent of the curve is (x_2, 1), whatever A's condition.
An iteration ends with an increment that is small beside
the step, so that the factors, from which tangent and inertia follow, are those of the point.
Lengths are measured in the displacements and rotations of bodies and in p, each by how far the curve has gone so far.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from flexmbs.analysis.newton import EPS, NEAR_FLOOR, STAGNANT
from flexmbs.analysis.paths.inertia import unstable_directions
from flexmbs.analysis.paths.parameter import Parameter
from flexmbs.analysis.paths.varied import VariedModel
from flexmbs.analysis.rest import EquationsOfRest, Point, TurnMemory
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import SingularError
from flexmbs.results.records import Iteration
from flexmbs.system.system import EvaluationError

__all__ = ["Curve", "PathPoint"]

MOST = 10
"""Iterations."""
FARTHEST = 2.0
"""Largest turn [rad] of a slope in one step."""
RISING = 2.0
"""Increment over the last one, after the second, that is divergence."""
FLOORED = 1e-6
"""Increment, over the size of the model, up to which one that stagnates is round-off."""


class PathPoint(NamedTuple):
    """An equilibrium of a curve: its state and parameter, and of its tangent the unknowns and the parameter.

    ``tangent (n,)``, ``rate``: along the curve, of length one when it was made; ``unstable``: number of unstable
    directions; ``memory``: of turns; ``iterations``: that it took.
    """

    point: Point
    p: float
    tangent: FloatArray
    rate: float
    unstable: int
    memory: TurnMemory
    iterations: int


@dataclass
class Measure:
    """How long a step (dx, dp) is: sqrt(|dx|^2 / far^2 + dp^2 / wide^2), |dx| by ``weight (n,)`` of the unknowns."""

    weight: FloatArray
    far: float
    wide: float

    def inner(self, dx: FloatArray, dp: float, ex: FloatArray, ep: float) -> float:
        """Scalar product of two steps."""
        return float((self.weight * dx) @ ex) / self.far**2 + dp * ep / self.wide**2

    def length(self, dx: FloatArray, dp: float) -> float:
        """Length of a step."""
        return float(np.sqrt(self.inner(dx, dp, dx, dp)))

    def turn(self, a: PathPoint, b: PathPoint) -> float:
        """Cosine of the angle between two tangents."""
        size = self.length(a.tangent, a.rate) * self.length(b.tangent, b.rate)
        return self.inner(a.tangent, a.rate, b.tangent, b.rate) / size


class Curve:
    """Evaluates and corrects points of one system over one parameter.

    Attributes
    ----------
    measure : Measure
    forward : bool
        On which side of p the derivative by p is taken: ahead of where the path goes, which matters at kinks.
    message : str
        Why the last correction failed.
    rows : list of Iteration
        All iterations.
    """

    def __init__(
        self, equations: EquationsOfRest, parameter: Parameter | VariedModel, rtol: float, wide: float
    ) -> None:  # fmt: skip
        self.equations, self.parameter, self.rtol = equations, parameter, rtol
        eq, dyn = equations, equations.dyn
        weight = np.zeros(dyn.n_v + dyn.n_c)
        weight[: dyn.n_v] = 1.0 / eq.scale**2
        keep = eq.rigid.copy()
        keep[eq.lengths] = True
        keep[eq.states] = False
        weight[~keep] = 0.0
        weight = weight[eq.free]
        if not weight.any():
            weight = np.where(eq.velocities, 1.0, 0.0)
        self.measure = Measure(weight / max(1, int((weight > 0.0).sum())), 1.0, wide)
        self.message, self.residual = "", np.nan
        self._last = np.zeros(0)
        self.forward = True
        self._dead = parameter.dead()
        self._by_p: FloatArray | None = None
        self._still = not np.any(equations.fixation.frame_drive >= 0)
        self.rows: list[Iteration] = []
        self.diagonal = np.ones(len(eq.free))

    # --- evaluation --------------------------------------------------------------------------------------------------

    def equations_at(self, p: float) -> EquationsOfRest:
        """The equations at p: the same for all p but where the description varies with it."""
        return self.parameter.equations(p) or self.equations

    def hold(self, p: float) -> FloatArray:
        """Loads, supports and drivers as p asks; the frames of nodes there. The equations are now those of p."""
        eq = self.equations_at(p)
        if eq is not self.equations:
            eq.restore(self.equations.memory())
            self.equations = eq
        eq.dyn.hold(*self.parameter.held(p))
        return eq.dyn.frames

    def frames(self, p: float) -> FloatArray:
        """Frames of nodes at p."""
        fixation = self.equations_at(p).fixation
        return fixation.frames0 if self._still else fixation.frames(self.parameter.held(p)[1])

    def moved(self, point: Point, p: float, dx: FloatArray, dp: float) -> Point:
        """The state after a step, with what is prescribed at p + dp where it goes."""
        eq, old = self.equations, self.frames(p)
        found = eq.moved(point, eq.whole(dx, old))
        return self.imposed(found, old, p + dp)

    def imposed(self, point: Point, old: FloatArray, p: float) -> Point:
        """The state with what supports hold where that is at p; ``old``: frames of nodes so far."""
        eq, drives = self.equations_at(p), self.parameter.held(p)[1]
        return self.parameter.placed(eq.imposed(point, old, eq.fixation.frames(drives), drives), p)

    def between(self, a: Point, p: float, b: Point) -> FloatArray:
        """The step of the unknowns from one state, at p, to another."""
        return self.equations.reduced(self.equations.between(a, b), self.frames(p))[0]

    def tangent_at(self, point: Point, p: float) -> tuple[FloatArray, FloatArray]:
        """The equations' residual and their derivative by p, with the matrix factorised."""
        frames = self.hold(p).copy()
        eq = self.equations
        r = eq.reduced(eq.tangent(point), frames)[0].copy()
        eq.accept(point)
        self.diagonal = eq.factorise(point, frames)
        if self._by_p is None or not self._dead:
            self._by_p = self._derivative(point, p, frames, r)
        return r, self._by_p

    def _derivative(self, point: Point, p: float, frames: FloatArray, r: FloatArray) -> FloatArray:
        """Derivative of the residual by p, by a difference, which is exact where p enters linearly."""
        eq = self.equations
        h = self.parameter.difference(p, self.forward)
        ahead = self.hold(p + h)
        there, eq = self.imposed(point, frames, p + h), self.equations
        b = (eq.reduced(eq.residual(there), ahead)[0] - r) / h
        self.hold(p)
        return np.asarray(b)

    # --- points ------------------------------------------------------------------------------------------------------

    def correct(
        self, start: Point, p: float, normal: tuple[FloatArray, float] | None, way: float, before: PathPoint | None
    ) -> PathPoint | None:
        """The point of the curve on the plane through a state, across ``normal``; at this p where that is None.

        ``way``: length of the step, against which increments are judged; ``before``: whose tangent the new one goes
        with. None where there is none: `message` says why.
        """
        memory = self.equations.memory()
        try:
            found = self._iterate(start, p, normal, way, before)
        except (EvaluationError, SingularError) as error:
            self.message, found = str(error), None
        if found is None:
            self.equations.restore(memory)
        return found

    def _iterate(
        self, point: Point, p: float, normal: tuple[FloatArray, float] | None, way: float, before: PathPoint | None
    ) -> PathPoint | None:
        eq, measure = self.equations, self.measure
        last, reference = np.inf, before.point if before is not None else point
        for number in range(MOST):
            r, b = self.tangent_at(point, p)
            eq = self.equations
            x1, x2 = eq.solve(-r), eq.solve(-b)
            dp = 0.0
            if normal is not None:
                across = measure.inner(normal[0], normal[1], x2, 1.0)
                dp = -measure.inner(normal[0], normal[1], x1, 0.0) / across if across else np.nan
            dx = x1 + dp * x2
            D = np.where(eq.velocities, self.diagonal, 0.0)
            gone = self.between(reference, p, point) if number else dx
            size, whole = (float(np.sqrt(np.sum(D * x**2))) for x in (dx, gone))
            if before is None:  # a start may be the equilibrium to the last digit: judged by the size of the model
                sizes = np.where(eq.velocities, eq.scale[np.minimum(eq.free, eq.dyn.n_v - 1)], 0.0)
                whole = max(whole, float(np.sqrt(np.sum(D * sizes**2))))
            far = float(np.abs(eq.whole(dx, self.frames(p))[eq.lengths]).max(initial=0.0)) / eq.length
            self.residual = float(np.abs(r[eq.velocities]).max(initial=0.0))
            self._last = r
            self.rows.append(Iteration(p, number, np.nan, size, self.residual, np.nan, 1.0))
            if not np.isfinite(size) or not np.isfinite(dp):
                self.message = "the iteration diverges"
                return None
            point, p = self.moved(point, p, dx, dp), p + dp
            if number > 1 and size > RISING * last and far > FLOORED:
                self.message = f"the iteration diverges; {self.worst}"
                return None
            stuck = number >= 3 and size > STAGNANT * last and far <= FLOORED
            if stuck:
                floor = EPS * eq.magnitude(point)[eq.free]
                stuck = float(np.sqrt(np.sum(r**2 / self.diagonal))) <= NEAR_FLOOR * float(
                    np.sqrt(np.sum(floor**2 / self.diagonal))
                )
            if number and (size <= self.rtol * whole or stuck):
                return self._point(point, p, x2, before, number + 1)
            last = size
        self.message = f"no equilibrium after {MOST} iterations; {self.worst}"
        return None

    @property
    def worst(self) -> str:
        """The largest residual of the last iteration, and where it was; empty before the first."""
        if not len(self._last):
            return ""
        eq, r = self.equations, self._last
        places = np.flatnonzero(eq.velocities)
        k = int(places[np.argmax(np.abs(r[places]))])
        return f"largest residual {self.residual:.3g}, at {eq.dyn.coordinates.describe(int(eq.free[k]))}"

    def _point(
        self, point: Point, p: float, x2: FloatArray, before: PathPoint | None, iterations: int
    ) -> PathPoint | None:
        """The point with its tangent, by the last factors, and its unstable directions."""
        eq = self.equations
        if before is not None and eq.dyn.coordinates.largest_turn(before.point.q, point.q) > FARTHEST:
            self.message = "a node turned by more than 2 rad in one step"
            return None
        size = self.measure.length(x2, 1.0)
        if before is not None and self.measure.inner(before.tangent, before.rate, x2, 1.0) < 0.0:
            size = -size
        unstable = unstable_directions(eq, point)
        return PathPoint(point, p, x2 / size, 1.0 / size, unstable, eq.memory(), iterations)

    def recall(self, point: PathPoint) -> None:
        """Count turns from a point again."""
        self.equations.restore(point.memory)

    def ahead(self, now: PathPoint, h: float, bend: FloatArray | None = None) -> tuple[Point, float]:
        """State and parameter a length h along the tangent, which ``bend`` (n + 1,) changes per length."""
        scale = h / self.measure.length(now.tangent, now.rate)
        dx, dp = scale * now.tangent, scale * now.rate
        if bend is not None:
            dx, dp = dx + 0.5 * h * h * bend[:-1], dp + 0.5 * h * h * float(bend[-1])
        return self.moved(now.point, now.p, dx, dp), now.p + dp
