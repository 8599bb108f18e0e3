"""Which kernels have been compiled for arrays that cannot be written to, in this process."""

from __future__ import annotations

import sys
from typing import Any

from numba import types
from numba.core.dispatcher import Dispatcher

ENGINE = "flexmbs.kernels", "flexmbs.dynamics", "flexmbs.integrators", "flexmbs.core.sparsity"


def is_protected(kind: Any) -> bool:
    """Whether a numba type is a read-only array, or a tuple that holds one."""
    if isinstance(kind, types.Array):
        return not kind.mutable
    return any(is_protected(k) for k in getattr(kind, "types", ()))


def compiled_for_protected() -> list[tuple[str, str, str]]:
    """Module, name and signature of each; they are compiled twice, as numba's types of read-only arrays are others."""
    return [
        (module.__name__, name, str(signature))
        for module in list(sys.modules.values())
        if module.__name__.startswith(ENGINE)
        for name, kernel in vars(module).items()
        if isinstance(kernel, Dispatcher)
        for signature in kernel.signatures
        if any(is_protected(kind) for kind in signature)
    ]
