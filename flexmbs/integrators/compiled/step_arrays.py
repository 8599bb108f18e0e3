"""What a call of compiled steps is given and what it leaves, by the names that `loop.advance` has for it."""

from __future__ import annotations

from typing import Any, NamedTuple

from flexmbs.core.contracts import FloatArray, IntArray

__all__ = [
    "COUNTS", "EVALUATIONS", "FACTORISATIONS", "FAILED", "HAPPENS", "MADE", "REJECTED", "ControlArrays", "Numbers",
    "Sizes", "StepArrays",
]  # fmt: skip

COUNTS = EVALUATIONS, FACTORISATIONS, REJECTED, FAILED, HAPPENS, MADE = range(6)
"""What is counted; whether the last step has failed, or an event may happen in it; the steps made so far."""


class Numbers(NamedTuple):
    """Numbers of a call, the tolerance of error estimates, and the exponent with which the step goes with the error.

    ``h``: the fixed size of all steps, or the one that step control has planned next; then ``t`` is the time before the
    first, ``largest`` and ``smallest`` are limits of the size, ``barrier`` is where steps must end, ``pause`` the time
    from which no further one is made.
    """

    h: float
    h_old: float
    error_before: float
    t: float
    largest: float
    smallest: float
    barrier: float
    pause: float
    tolerance: float
    exponent: float


class Sizes(NamedTuple):
    """Number of steps, sizes of the system, and choices (0 or 1) of a call.

    ``chunk``: several steps, so turns are counted, and steps judged, in between; ``powers``: forces tell their power;
    ``controlled``: the sizes of the steps of a chunk are chosen by their errors; ``rows``: how many rows of what is
    given a step has. What asks for one of the rest is written for systems alone that have it
    (`flexmbs.integrators.compiled.inline`): ``samples`` of controllers, ``constrained``: constraints, ``moves``: masses
    that change, ``factors``: a matrix that changes, because of either; or for schemes: ``recalls``: what the guess of
    multipliers has yielded counts, ``projected``: velocities and accelerations are projected.
    """

    n: int
    n_v: int
    n_c: int
    n_linear: int
    chunk: int
    powers: int
    controlled: int
    rows: int
    samples: int = 0
    constrained: int = 0
    moves: int = 0
    factors: int = 0
    recalls: int = 0
    projected: int = 0


class StepArrays(NamedTuple):
    """Arrays of a call, in this order.

    States, of which row i is the one before step i; times at which each step is evaluated, and where it ends, which
    differ by round-off; its size, and the one that is planned next; what is given for each step (one row where it never
    changes); results of each step; what is counted (`COUNTS`); constants of the system; its residual, blocks and
    matrix; scratch.
    """

    Q: FloatArray
    V: FloatArray
    A: FloatArray
    AUX: FloatArray
    LAM: FloatArray
    v_old: FloatArray
    times: FloatArray
    ends: FloatArray
    sizes: FloatArray
    planned: FloatArray
    given: FloatArray
    motion: FloatArray
    scale: FloatArray
    errors: FloatArray
    iterations: IntArray
    counts: IntArray
    mass: FloatArray
    body_of: IntArray
    body_sizes: FloatArray
    angles: IntArray
    velocity_rows: IntArray
    equation_sizes: FloatArray
    order: IntArray
    frame_dofs: IntArray
    frames: FloatArray
    turned: IntArray
    r: FloatArray
    B: FloatArray
    T: FloatArray
    d: FloatArray
    b: FloatArray
    source: Any
    slots: Any
    masses: FloatArray
    mass_slots: Any
    compliance: FloatArray
    equations: IntArray
    diagonal: Any
    data: FloatArray
    edge: FloatArray | None
    reach: IntArray
    pivots: FloatArray
    solution: FloatArray
    rate: FloatArray
    sums: FloatArray


class ControlArrays(NamedTuple):
    """Arrays of the sampled controllers of a call; only where a system has any.

    ``starts``: time at which each step begins, and what is given there (one row where it never changes);
    ``A0, AUX0, LAM0``: accelerations, those of the scheme and multipliers of the steps that begin anew, after a jump of
    held forces;
    ``renewed``: which these are; ``anew (1,)``: whether the next one does; ``sampled``: whether a controller samples at
    the end of a step; ``held``: values held from the end of each step on.
    """

    starts: FloatArray
    given: FloatArray
    motion: FloatArray
    scale: FloatArray
    A0: FloatArray
    AUX0: FloatArray
    LAM0: FloatArray
    renewed: IntArray
    anew: IntArray
    sampled: IntArray
    held: FloatArray
