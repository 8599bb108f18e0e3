"""What is known of a format; the file of a writer ends with its formats, where `formats` finds them."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import NamedTuple

from flexmbs.reduction.export.linear_system import modal_system
from flexmbs.reduction.export.written import ExportResult

__all__ = ["Format"]


class Format(NamedTuple):
    """A format: its writer, the ``suffix`` of its file or folder by default, and what it is in words.

    Either ``write(model, path, overwrite, ...)`` for parts; or ``write_system(system, path, overwrite, units, ...)``
    for linear systems, which reduced models become by `modal_system`, and linear models of mechanisms are. All formats
    of one ``family`` can be written by its name.
    """

    suffix: str
    text: str
    write: Callable[..., ExportResult] | None = None
    write_system: Callable[..., ExportResult] | None = None
    family: str = ""

    @property
    def options(self) -> tuple[str, ...]:
        """What can be said about a reduced model."""
        if self.write is not None:
            return _parameters(self.write)[3:]
        return _parameters(modal_system)[1:] + self.system_options

    @property
    def system_options(self) -> tuple[str, ...]:
        """What can be said about a linear system, beside its units."""
        return () if self.write_system is None else _parameters(self.write_system)[4:]


def _parameters(function: Callable[..., object]) -> tuple[str, ...]:
    return tuple(inspect.signature(function).parameters)
