"""What is known of a kind of row, in one record; a module ``*_rows`` of this folder has those of a family.

`flexmbs.kernels.rows.rows` collects them and makes the kernels that choose by kind; joints, forces, sensors, planar
models, energy-momentum, reactions and pictures ask the record.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

__all__ = ["RowKind", "Use"]

Use: TypeAlias = Literal["", "first", "second", "z", "all"]
"""What of the orientation of a marker counts: nothing, a direction (a vector of the constants, or z), or everything."""


@dataclass(frozen=True, kw_only=True, eq=False)
class RowKind:
    """A scalar function of two poses, as `flexmbs.kernels.rows.rows` describes it.

    The kernels take what they need, by the names of their parameters: ``e = c[0:3]``, ``b = c[3:6]`` and ``radius =
    c[6]`` of the constants, ``d = p_B - p_A``, ``delta = A^T d``, the orientations ``A`` and ``B``, and ``near``, the
    value at the last accepted step.

    Parameters
    ----------
    number : int
        By which kernels know it; every kind has its own.
    name : str
        For messages.
    unit : str
        Of its value: ``"length"``, ``"angle"``, ``"velocity"`` or ``"1"``.
    uses : (str, str)
        What of the orientations of A and B counts.
    normal : str
        The gradient n by the positions: ``"fixed"`` in inertial axes, ``"first"`` for A e, ``"z"`` for the third axis
        of A, ``"own"`` for another, whose Hessian is in ``add_hessian``; empty where there is none.
    value : kernel
        The value; None, with ``velocity_only``, for a row that has none.
    gradient : kernel, optional
        Value and gradient (-n, a, n, b) as (value, n, a, b).
    hessian : kernel, optional
        Derivatives of (a, b) by the rotations, as blocks (th_A, th_A), (th_A, th_B), (th_B, th_A), (th_B, th_B); none
        where no rotation counts. What n = A e brings elsewhere is added for it.
    add_hessian : kernel, optional
        Adds ``factor`` times the whole Hessian to ``H``, of a kind whose ``normal`` is ``"own"``.
    distance : kernel, optional
        In place of all of these, the signed distance of a shape, of which a contact with a ball is made
        (`flexmbs.kernels.rows.contact_rows`): ``(b, x)`` -> value, gradient and its derivative at x, in the axes of A.
        It may also take ``data, where``: the numbers of all contacts, and where those of this one begin.
    change : kernel, optional
        Of ``e``, ``b``, and ``d0, d1, A0, B0, A1, B1`` at two states: the gradients between them, into ``S``
        (`flexmbs.kernels.rows.row_gradients`); without it `EnergyMomentum` refuses the kind.
    velocity_only : bool
        Whether it has no value: the gradient is a row that gives a velocity.
    counts_turns : bool
        Whether its value goes over full turns, so that ``near`` is remembered.
    coordinate : (str, vector), optional
        The name of the coordinate that it is between two markers, and the constants it has then.
    connects : bool
        Whether it is drawn as a line from A to B.
    contact : bool
        Whether contacts alone have it: joints and other forces are compiled without it.
    """

    number: int
    name: str
    unit: Literal["length", "angle", "velocity", "1"]
    uses: tuple[Use, Use]
    normal: Literal["", "fixed", "first", "z", "own"]
    gradient: Callable[..., Any] | None = None
    value: Callable[..., float] | None = None
    hessian: Callable[..., Any] | None = None
    add_hessian: Callable[..., None] | None = None
    distance: Callable[..., Any] | None = None
    change: Callable[..., None] | None = None
    velocity_only: bool = False
    counts_turns: bool = False
    coordinate: tuple[str, tuple[float, ...]] | None = None
    connects: bool = False
    contact: bool = False

    @property
    def turns(self) -> bool:
        """Whether an orientation counts."""
        return self.uses != ("", "")

    @property
    def curvature(self) -> int:
        """0: the gradient is constant; 1: it is one by the rotations, and changes with these; 2: all others."""
        if self.normal == "fixed" and not self.turns:
            return 0
        return 2 if self.normal else 1
