"""Numbers of options as command lines write them: what Python alone takes for one, such as 1_0, is none."""

from __future__ import annotations

import argparse
import math

from flexmbs.core.written_numbers import written_number

__all__ = ["number", "whole_number"]


def number(text: str) -> float:
    """A finite number; anything else is an error of the option."""
    value = written_number(text)
    if math.isnan(value):
        raise argparse.ArgumentTypeError(f"must be a number, not {text!r}")
    return value


def whole_number(text: str) -> int:
    """A whole number of digits only, 0 or more; anything else is an error of the option."""
    if not text.isascii() or not text.isdigit():
        raise argparse.ArgumentTypeError(f"must be a whole number of at least 0, not {text!r}")
    return int(text)
