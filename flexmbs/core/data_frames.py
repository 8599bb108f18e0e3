"""Tables as DataFrames of pandas, which is optional."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

from flexmbs.core.errors import ModelError

__all__ = ["data_frame"]


def data_frame(columns: Mapping[str, Any], **attributes: Any) -> Any:
    """A DataFrame with these columns, and ``attributes`` (such as units) in its ``attrs``.

    Raises
    ------
    ModelError
        If pandas is not installed.
    """
    try:
        pandas: Any = importlib.import_module("pandas")
    except ImportError:
        raise ModelError(
            "to_dataframe: pandas is not installed, and flexmbs does not need it otherwise; install it (pip install "
            "pandas), or take the arrays from the result itself."
        ) from None
    frame = pandas.DataFrame(dict(columns))
    frame.attrs |= attributes
    return frame
