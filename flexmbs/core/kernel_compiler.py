"""How a kernel that only borrows arrays (`flexmbs.core.borrowing`) is translated: by those of numba's passes it needs.

Most of the time of a first run goes into numba's own Python, and half of that not into the kernel at hand: into passes
for what such a kernel cannot contain (closures, ``with``, generators, comprehensions, exceptions, array expressions,
loops over tuples of mixed types), into looking up after each of them where variables live, and into finding again that
the sum of two floats is a float, by trying all that numba knows of sums. Here the passes are those that are left, and
what an operation returns is asked once a process for the types of its operands. The code that comes out is the same.
"""

from __future__ import annotations

import operator
from functools import cache
from typing import Any

from numba.core import typed_passes, types, untyped_passes
from numba.core.compiler import CompilerBase
from numba.core.compiler_machinery import PassManager, _pass_registry
from numba.core.targetconfig import ConfigStack

__all__ = ["KernelCompiler"]

PASSES = (
    untyped_passes.TranslateByteCode, untyped_passes.FixupArgs, untyped_passes.IRProcessing,
    untyped_passes.RewriteSemanticConstants, untyped_passes.DeadBranchPrune, untyped_passes.GenericRewrites,
    untyped_passes.ReconstructSSA, untyped_passes.DeadBranchPrune,
    typed_passes.NopythonTypeInference, typed_passes.PreLowerStripPhis, typed_passes.InlineOverloads,
    typed_passes.IRLegalization, typed_passes.NativeLowering, typed_passes.NoPythonBackend,
)  # fmt: skip
"""Of numba's, in its order. Those that change blocks bring what is known of variables up to date themselves."""


class KernelCompiler(CompilerBase):  # type: ignore[misc]  # numba has no type information
    """Compiles one function, without counting references and into a library for its callers."""

    def __init__(self, typingctx: Any, *others: Any) -> None:
        super().__init__(_remembering(typingctx), *others)

    def _compile_core(self) -> Any:
        """One pass after the other; numba's own loop over them looks at the whole function after each."""
        state, passes = self.state, _passes()
        with ConfigStack().enter(state.flags.copy()):
            for one, _ in passes.passes:
                made = _pass_registry.get(one).pass_inst
                made.analysis = passes._analysis
                made.run_pass(state)
        state.pipeline = None
        return state.cr


@cache
def _passes() -> PassManager:
    """The list as numba keeps it, with what the passes ask of each other."""
    passes = PassManager("borrowing kernel")
    for one in PASSES:
        passes.add_pass(one)
    passes.finalize()
    return passes


@cache
def _remembering(context: Any) -> _Remembering:
    """The one for a context of numba, of which there is one a process."""
    return _Remembering(context)


class _Remembering:
    """numba's knowledge of types, which remembers what its own functions return for types of arguments.

    Only of functions that come with numba: what others return may depend on more than types. What is not found, or
    refused, is asked again, and everything else is numba's.
    """

    def __init__(self, context: Any) -> None:
        self._context = context
        self._signatures: dict[tuple[int, ...], Any] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._context, name)

    def resolve_function_type(self, func: Any, args: Any, kws: Any) -> Any:
        """The signature of a call."""
        if kws or type(func) is not types.Function:
            return self._context.resolve_function_type(func, args, kws)
        return self._remembered(func, args)

    def resolve_setitem(self, target: Any, index: Any, value: Any) -> Any:
        """The signature of an assignment to an item."""
        return self._remembered(self._context.resolve_value_type(operator.setitem), (target, index, value))

    def _remembered(self, function: Any, args: Any) -> Any:
        key = (function._code, *(kind._code for kind in args))
        found = self._signatures.get(key)
        if found is None:
            found = self._context.resolve_function_type(function, args, {})
            if found is not None:
                self._signatures[key] = found
        return found
