"""Whether CHOLMOD is there."""

from __future__ import annotations

import importlib.util
import warnings
from functools import cache

__all__ = ["cholmod_available"]


@cache
def cholmod_available() -> bool:
    """Whether scikit-sparse can be imported; says so once if not."""
    try:
        if importlib.util.find_spec("sksparse") is not None:
            import sksparse.cholmod  # noqa: F401

            return True
    except ImportError:
        pass
    warnings.warn(
        "scikit-sparse cannot be imported: sparse symmetric systems are solved by SuperLU, which is slower from some "
        "10 000 unknowns on. Install libsuitesparse-dev, and then pip install 'flexmbs[cholmod]'.",
        RuntimeWarning,
        stacklevel=2,
    )
    return False
