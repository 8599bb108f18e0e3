"""Model order reduction: interfaces, bases, reduced models with their inertia, reports on how good they are."""

from __future__ import annotations

if __name__ != "flexmbs.reduction":
    raise ImportError(f"import flexmbs.reduction, not {__name__}: as a bare name its classes would exist twice.")

from flexmbs.core.facade import facade

__getattr__, __dir__, __all__ = facade(__name__, __file__)
