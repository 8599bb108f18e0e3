"""Names of users as text in pictures of matplotlib, letter by letter."""

from __future__ import annotations

__all__ = ["as_drawn"]


def as_drawn(text: str) -> str:
    r"""A text with names in it as matplotlib has to be given it, so that it is drawn as it is.

    Two dollar signs would begin and end mathematics, and what does not read as such ends in a bare error; a curve whose
    label begins with an underscore is none of those in the legend, so a space is put before it.

    Examples
    --------
    >>> as_drawn("pay $5 or $6"), as_drawn("_left"), as_drawn("arm_1")
    ('pay \\$5 or \\$6', ' _left', 'arm_1')
    """
    return f"{' ' if text.startswith('_') else ''}{text}".replace("$", r"\$")
