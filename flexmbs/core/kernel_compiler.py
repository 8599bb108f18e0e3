"""How a kernel is translated: by those of numba's passes that it needs.

Most of the time of a first run goes into numba's own Python, and half of that not into the kernel at hand: into passes
for what it does not contain (closures, ``with``, generators, comprehensions, exceptions, loops over tuples of mixed
types), into looking up after each of them where variables live, and into finding again that the sum of two floats is a
float, by trying all that numba knows of sums. Here the passes are those that are left, and what an operation returns is
asked once a process for the types of its operands. The code that comes out is the same, but for how functions of this
package reach the numbers of arrays (`flexmbs.core.array_access`); a function that is not `ordinary` goes numba's way.
"""

from __future__ import annotations

import dis
import operator
from functools import cache, partial
from types import CodeType
from typing import Any

from numba.core import typed_passes, types, untyped_passes
from numba.core.compiler import CompilerBase
from numba.core.compiler_machinery import PassManager, _pass_registry, register_pass
from numba.core.interpreter import Interpreter, peep_hole_delete_with_exit, peep_hole_fuse_dict_add_updates
from numba.core.ir_utils import build_definitions
from numba.core.rewrites import rewrite_registry
from numba.core.ssa import reconstruct_ssa
from numba.core.targetconfig import ConfigStack
from numba.core.transforms import canonicalize_cfg

from flexmbs.core.array_access import direct_access, uncounted
from flexmbs.core.borrowing import is_ours
from flexmbs.core.kernel_lowering import EndsOfLives, KernelLowering

__all__ = ["KernelCompiler", "ordinary"]

APART = {"BEFORE_WITH", "RAISE_VARARGS", "RETURN_GENERATOR", "SETUP_WITH", "YIELD_VALUE"}
"""Instructions of Python for which numba has passes of their own; comprehensions and closures are code within code."""
BY_NAME = {"literal_unroll", "literally"}
"""Names for which it has."""


@register_pass(mutates_CFG=False, analysis_only=False)
class _SingleAssignments(untyped_passes.ReconstructSSA):  # type: ignore[misc]  # numba has no type information
    """numba's, but where variables live is found out before lowering, and nobody asks in between."""

    _name = "single_assignments"

    def run_pass(self, state: Any) -> bool:
        state.func_ir = reconstruct_ssa(state.func_ir)
        self._patch_locals(state)
        state.func_ir._definitions = build_definitions(state.func_ir.blocks)
        return True


@register_pass(mutates_CFG=True, analysis_only=False)
class _WithoutPhis(typed_passes.PreLowerStripPhis):  # type: ignore[misc]
    """Likewise."""

    _name = "without_phis"

    def run_pass(self, state: Any) -> bool:
        state.func_ir = self._strip_phi_nodes(state.func_ir)
        state.func_ir._definitions = build_definitions(state.func_ir.blocks)
        return True


@register_pass(mutates_CFG=True, analysis_only=False)
class _Translation(untyped_passes.TranslateByteCode):  # type: ignore[misc]
    """numba's, which looks for ``with`` and for dictionaries afterwards."""

    _name = "translation"

    def run_pass(self, state: Any) -> bool:
        state["func_ir"] = _Interpreter(state["func_id"]).interpret(state["bc"])
        return True


class _Interpreter(Interpreter):  # type: ignore[misc]
    def post_process(self, peepholes: Any, func_ir: Any) -> Any:
        found = [one for one in peepholes if one not in (peep_hole_delete_with_exit, peep_hole_fuse_dict_add_updates)]
        return super().post_process(found, func_ir)


@register_pass(mutates_CFG=True, analysis_only=False)
class _Rewrites(untyped_passes.GenericRewrites):  # type: ignore[misc]
    """numba's, which finds out afterwards where variables live."""

    _name = "rewrites"

    def run_pass(self, state: Any) -> bool:
        func_ir = state.func_ir
        for one in rewrite_registry.rewrites["before-inference"]:
            rewrite = one(state)
            for key in list(func_ir.blocks):
                while rewrite.match(func_ir, func_ir.blocks[key], state.typemap, state.calltypes):
                    func_ir.blocks[key] = rewrite.apply()
        func_ir.blocks = canonicalize_cfg(func_ir.blocks)
        return True


PASSES = (
    _Translation, untyped_passes.FixupArgs,
    untyped_passes.RewriteSemanticConstants, untyped_passes.DeadBranchPrune, _Rewrites,
    _SingleAssignments, untyped_passes.DeadBranchPrune,
    typed_passes.NopythonTypeInference, _WithoutPhis, typed_passes.InlineOverloads,
    typed_passes.NopythonRewrites, EndsOfLives, KernelLowering,
    typed_passes.NoPythonBackend,
)  # fmt: skip
"""Of numba's, in its order. Those that change blocks bring what is known of variables up to date themselves."""


def ordinary(function: Any) -> bool:
    """Whether the function has nothing of what the passes that are left out are for."""
    code = function.__code__
    return (
        not function.__closure__
        and BY_NAME.isdisjoint(code.co_names)
        and not any(isinstance(constant, CodeType) for constant in code.co_consts)
        and APART.isdisjoint(dis.opname[number] for number in set(code.co_code[::2]))
    )


class KernelCompiler(CompilerBase):  # type: ignore[misc]  # numba has no type information
    """Compiles one `ordinary` function."""

    def _compile_core(self) -> Any:
        """One pass after the other; numba's own loop over them looks at the whole function after each."""
        state, passes, ours = self.state, _passes(), is_ours(self.state.func_id.func)
        state.typingctx = _remembering(state.typingctx, bool(state.flags.nrt), ours)
        context = state.targetctx  # of this compilation alone
        inner = partial(_with_typing, context, context.typing_context, context._compile_subroutine_no_cache)
        context._compile_subroutine_no_cache = inner
        context.typing_context = _InLowering(state.typingctx)
        context.get_function = partial(_implementation, context.get_function, context if ours else None)
        with ConfigStack().enter(state.flags.copy()):
            for one, _ in passes.passes:
                if one is typed_passes.NopythonRewrites and not state.flags.nrt:  # it makes loops of array expressions
                    continue
                made = _pass_registry.get(one).pass_inst
                made.analysis = passes._analysis
                made.run_pass(state)
        state.pipeline = None
        return state.cr


def _with_typing(context: Any, typing: Any, usual: Any, *given: Any, **further: Any) -> Any:
    """Compile what numba has written for an operation with numba's own knowledge of types."""
    kept, context.typing_context = context.typing_context, typing
    try:
        return usual(*given, **further)
    finally:
        context.typing_context = kept


def _implementation(usual: Any, own: Any, function: Any, signature: Any, **further: Any) -> Any:
    """What an operation does; whether arrays are something else is asked at each access to one, and found at length.

    ``own``: the context of a function of this package; None for one of a user's.
    """
    if type(function) is _Operation:
        function = function.genuine
    if function == "__array__" and type(signature.args[0]) is types.Array:
        raise NotImplementedError
    if own is not None:
        found = direct_access(own, function, signature)
        if found is not None:
            return found
    return usual(function, signature, **further)


@cache
def _passes() -> PassManager:
    """The list as numba keeps it, with what the passes ask of each other."""
    passes = PassManager("ordinary kernel")
    for one in PASSES:
        passes.add_pass(one)
    passes.finalize()
    return passes


@cache
def _remembering(context: Any, counting: bool, ours: bool) -> _Remembering:
    """The one for a context of numba, of which there is one a process; what counts references calls other functions."""
    return _Remembering(context, on_stack=ours and not counting)


class _Remembering:
    """numba's knowledge of types, which remembers what its own functions return for types of arguments.

    Only of functions that come with numba: what others return may depend on more than types. What is not found, or
    refused, is asked again, and everything else is numba's; but for arrays on the stack (`flexmbs.core.array_access`).
    """

    def __init__(self, context: Any, on_stack: bool) -> None:
        self._context, self._on_stack = context, on_stack
        self._signatures: dict[tuple[int, ...], Any] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._context, name)

    def resolve_function_type(self, func: Any, args: Any, kws: Any) -> Any:
        """The signature of a call."""
        if kws or type(func) is not types.Function:
            return self._context.resolve_function_type(func, args, kws)
        if self._on_stack and (found := uncounted(func, args)) is not None:
            return found
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


class _InLowering:
    """The same for lowering, which asks the operations themselves once more."""

    def __init__(self, known: _Remembering) -> None:
        self._known = known

    def __getattr__(self, name: str) -> Any:
        return getattr(self._known, name)

    def resolve_value_type(self, value: Any) -> Any:
        """An operation, or what else numba finds."""
        found = self._known.resolve_value_type(value)
        return _Operation(found, self._known) if type(found) is types.Function else found


class _Operation:
    """An operation whose signature is remembered; ``genuine`` is numba's."""

    def __init__(self, genuine: Any, known: _Remembering) -> None:
        self.genuine, self._known = genuine, known

    def get_call_type(self, typing: Any, args: Any, kws: Any) -> Any:
        """The signature for these types."""
        return self._known.resolve_function_type(self.genuine, args, kws)
