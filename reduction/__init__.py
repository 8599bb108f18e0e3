"""Room reserved for model order reduction; it holds no code yet."""

from __future__ import annotations

if __name__ != "flexmbs.reduction":
    raise ImportError(f"import flexmbs.reduction, not {__name__}: as a bare name its classes would exist twice.")
