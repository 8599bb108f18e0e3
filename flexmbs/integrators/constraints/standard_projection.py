r"""Coordinate projection after each step: positions by Newton's method, velocities by a further decomposition.

.. math:: q \leftarrow q \circ \exp\delta, \; \begin{bmatrix} M & G^T \\ G & 0 \end{bmatrix}
   \begin{bmatrix} \delta \\ \mu \end{bmatrix} = -\begin{bmatrix} 0 \\ g \end{bmatrix}, \qquad
   v \leftarrow v - M^{-1}G^T(G M^{-1} G^T)^{-1}(G v + b).

C. Lubich, C. Engstler, U. Nowak, U. Poehle, Mech. Struct. Mach. 23 (1995) 473-495.
"""

from __future__ import annotations

from dataclasses import dataclass

from flexmbs.core.checks import as_count, as_number
from flexmbs.core.contracts import FloatArray
from flexmbs.integrators.constraints.contracts import Plain
from flexmbs.integrators.index_one import IndexOne

__all__ = ["StandardProjection"]


@dataclass(frozen=True, kw_only=True)
class StandardProjection:
    r"""Projection of positions and velocities onto the constraints, the smallest change in the metric of the mass.

    .. math:: \delta = -M^{-1}G^T(G M^{-1} G^T)^{-1} g \text{ until } g = 0, \qquad
       v \leftarrow v - M^{-1}G^T(G M^{-1} G^T)^{-1}(G v + b)

    C. Lubich, C. Engstler, U. Nowak, U. Poehle, Mech. Struct. Mach. 23 (1995) 473-495.

    Parameters
    ----------
    atol : float
        Violation of positions, relative to the size of the model, up to which they are projected.
    max_iterations : int
        Iterations at most; what is then left is left to the next step, if it is below 1e-6 of the size of the model.

    Raises
    ------
    ModelError
        If a value is out of bounds.

    Notes
    -----
    Every iteration decomposes the matrix anew, and the velocities have one of their own, at the positions found; it
    serves the accelerations of the next step, too, where no equations follow from others. `SuccessiveProjection` has
    one for all of this projection.

    Examples
    --------
    >>> StandardProjection(atol=1e-10).max_iterations
    5
    """

    atol: float = 1e-13
    max_iterations: int = 5

    def __post_init__(self) -> None:
        as_number("StandardProjection", "atol", self.atol, above=0.0, maximum=1e-3)
        as_count("StandardProjection", "max_iterations", self.max_iterations, minimum=1)

    def check(self, equations: IndexOne, redundant: tuple[str, ...]) -> None:
        """Everything can be treated."""

    def keeper(self, equations: IndexOne) -> _Standard:
        """What does the work in one run."""
        return _Standard(equations, self.atol, self.max_iterations)


class _Standard(Plain):
    """Newton's method for the positions, one linear step for the velocities."""

    def __init__(self, equations: IndexOne, atol: float, most: int) -> None:
        super().__init__(equations)
        self.atol, self.most = atol, most
        self._decomposed = False

    def velocity(self, t: float, q: FloatArray, v: FloatArray) -> FloatArray:
        self._decomposed = False
        return super().velocity(t, q, v)

    def accelerations(self, v: FloatArray) -> tuple[FloatArray, FloatArray]:
        if not self._decomposed:
            self.equations.decompose()
        self._decomposed = False
        return self.equations.accelerations(v)

    def project(self, t: float, q: FloatArray, v: FloatArray) -> tuple[FloatArray, FloatArray]:
        e = self.equations
        if not e.n_c:
            return super().project(t, q, v)
        e.evaluate(t, q, v)
        for _ in range(self.most):
            if e.gap() <= self.atol:
                break
            e.decompose()
            q = self.moved(t, q, v, e.step_to_positions())
        e.decompose()
        v = v + e.step_to_velocities()
        e.evaluate(t, q, v)
        self._decomposed = not len(e.left_out)  # the accelerations then need another matrix
        return q, v
