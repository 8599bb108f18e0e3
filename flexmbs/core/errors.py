"""The exceptions of flexmbs: each names the object, the value, what was expected and what to do.

`FlexmbsError` is the common base, so that ``except FlexmbsError`` catches whatever the package itself raises.
"""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = [
    "AccuracyWarning",
    "ArgumentError",
    "AxesWarning",
    "CompilationWarning",
    "ConvergenceError",
    "FlexmbsError",
    "LossWarning",
    "MeshError",
    "ModelError",
    "ReadError",
    "SingularError",
    "UnitsWarning",
    "a_or_an",
    "unknown_name",
]


class FlexmbsError(Exception):
    """Base of every exception that flexmbs raises on purpose.

    Attributes
    ----------
    solution : object or None
        What a simulation had computed, if one was under way: the states up to the failure.
    """

    solution: Any = None


class ModelError(FlexmbsError, ValueError):
    """A description cannot mean anything: a wrong shape, a negative stiffness, an unknown name, a free body."""


class ArgumentError(ModelError, TypeError):
    """A call has an argument that does not exist, or lacks one; the message has the names that there are."""


class MeshError(ModelError):
    """A mesh cannot be used: coincident points, inverted cells, cells of a foreign type, empty sets."""


class ReadError(FlexmbsError, OSError):
    """A file is missing, empty, truncated, of another kind or of another version."""


class SingularError(FlexmbsError, ArithmeticError):
    """A system matrix is singular; the message names the bodies and coordinates that are free to move.

    Attributes
    ----------
    unknown : int or None
        Number of the unknown at which a factorisation stopped, where the solver can tell.
    """

    def __init__(self, message: str, unknown: int | None = None) -> None:
        super().__init__(message)
        self.unknown = unknown


class ConvergenceError(FlexmbsError, RuntimeError):
    """An analysis could not go on.

    Attributes
    ----------
    solution : object or None
        Everything computed up to the failure, as the analysis would have returned it.
    """

    def __init__(self, message: str, solution: Any = None) -> None:
        super().__init__(message)
        self.solution = solution


class AccuracyWarning(UserWarning):
    """Round-off limits the result: the message carries the estimated accuracy."""


class LossWarning(UserWarning):
    """A file holds less than what it was to hold, the model or the motion; the message says what is missing."""


class AxesWarning(UserWarning):
    """Numbers are given in axes that move, where axes that stand still may be meant."""


class CompilationWarning(UserWarning):
    """A function of a user's, compiled by numba, cannot be compiled into the steps: it is called in Python."""


class UnitsWarning(UserWarning):
    """Numbers look as if they were in units that do not belong together."""


def a_or_an(word: object) -> str:
    """A word behind the article that its first letter asks for.

    Examples
    --------
    >>> a_or_an("planar beam"), a_or_an("exact beam")
    ('a planar beam', 'an exact beam')
    """
    return f"{'an' if str(word)[:1].lower() in tuple('aeiou') else 'a'} {word}"


def unknown_name(what: str, name: object, known: Iterable[str]) -> str:
    """Say that a name is unknown, which ones are nearest, and which ones there are.

    The name of a part alone is near that of the part in its whole: ``arm`` near ``robot/arm``.
    """
    names = sorted(known)
    given = " ".join(repr(name).split())
    given = given if len(given) <= 80 else given[:77] + "..."
    near = [known for known in names if "/" in known and known.rpartition("/")[2] == name][:3]
    near = near or get_close_matches(str(name)[:80], names, n=3, cutoff=0.5)
    hint = f"; did you mean {' or '.join(repr(n) for n in near)}?" if near else "."
    shown = ", ".join(repr(n) for n in names[:20]) + (f" and {len(names) - 20} more" if len(names) > 20 else "")
    return f"there is no {what} named {given}{hint} Known: {shown or 'none'}."
