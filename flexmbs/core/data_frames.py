"""Tables as DataFrames of pandas, which is optional."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

from flexmbs.core.errors import ModelError

__all__ = ["data_frame", "optional"]


def data_frame(columns: Mapping[str, Any], index: tuple[str, Any] | None = None, /, **attributes: Any) -> Any:
    """A DataFrame with these columns over an index of a name and values, and ``attributes`` (units) in its ``attrs``.

    Raises
    ------
    ModelError
        If pandas is not installed.
    """
    pandas = optional("to_dataframe", "pandas")
    over = None if index is None else pandas.Index(index[1], name=index[0])
    frame = pandas.DataFrame(dict(columns), index=over)
    frame.attrs |= attributes
    return frame


def optional(owner: str, name: str) -> Any:
    """A package for tables that flexmbs does not need otherwise.

    Raises
    ------
    ModelError
        If it is not installed; the message names the extra.
    """
    try:
        return importlib.import_module(name)
    except ImportError:
        raise ModelError(
            f"{owner}: {name} is not installed, and flexmbs does not need it otherwise; install it (pip install "
            f"'flexmbs[tables]', or pip install {name}), or take the arrays from the result itself."
        ) from None
