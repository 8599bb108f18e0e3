"""How an analysis ended."""

from __future__ import annotations

from enum import Enum

__all__ = ["Status"]


class Status(Enum):
    """How a static analysis, a simulation or a kinematic analysis ended; the value says what to do."""

    DONE = "Done."
    STOPPED = "Stopped by an event."
    INTERRUPTED = "Interrupted; everything up to there is kept. Go on from it with start=solution."
    STEP_TOO_SMALL = (
        "The step became too small. Look at the last state. In statics: a limit point or buckling, a load that pushes "
        "through the structure, a mesh too coarse for the curvature, or a chain of more than some 10 000 elements, "
        "which round-off spoils; try displacement control with Prescribe. In motion: a jump in a force, a lock-up or a "
        "singular position of the mechanism, an impact; allow smaller steps, smooth the force, or take more numerical "
        "damping."
    )
    TOO_MANY_STEPS = (
        "The steps allowed were made. Go on with start=solution, or allow more with max_steps; if they are much "
        "smaller than a motion needs, take a scheme for stiff systems, more damping, or a larger rtol."
    )
    NO_START = (
        "No equilibrium was found under the loads that act from the start. Let them grow, with a history such as "
        "Table((0, 1), (0, 1))."
    )
    SINGULAR = "The structure is a mechanism."
    FAILED = (
        "Something could not be evaluated, such as a function of a user; everything up to there is kept. Mend what the "
        "message names, and simulate again."
    )
    LOCKED_UP = (
        "The drivers ask for positions that the mechanism cannot reach. Change the motion or the lengths; "
        "trace_kinematics follows the mechanism through such a position."
    )
