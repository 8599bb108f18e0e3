"""Numbers as files and command lines write them: what Python alone takes for one, such as 2_1E11, is none."""

from __future__ import annotations

import math

__all__ = ["written_number"]


def written_number(word: str, *, fortran: bool = False) -> float:
    """The number that a word is, and nan if it is none or not finite; blanks around it do not matter.

    Python's ``float`` also takes underscores, digits of other scripts and words: a slip of the finger between two
    digits would make a number ten times as large.

    Parameters
    ----------
    word : str
    fortran : bool
        Whether the letter before an exponent may be D as well.

    Examples
    --------
    >>> written_number("2.1E11"), written_number("1d-3", fortran=True), written_number("2_1E11")
    (210000000000.0, 0.001, nan)
    """
    if "_" in word or not word.isascii():
        return math.nan
    try:
        value = float(word.replace("D", "E").replace("d", "e") if fortran else word)
    except ValueError:
        return math.nan
    return value if math.isfinite(value) else math.nan
