"""What is made of a kernel: code to be compiled into others, and machine code with an entry for Python.

numba makes both of every function, and an entry for C as well, though most kernels are called from kernels alone, into
which their code is compiled anyway. Here these get neither entries nor machine code of their own.
"""

from __future__ import annotations

from typing import Any

import llvmlite.binding as llvm  # type: ignore[import-untyped]
from numba.core.codegen import JITCodeLibrary

__all__ = ["CalledLibrary", "LinkedLibrary", "library_from"]

ENTRY = "_ZN7cpython"
"""How the names of functions begin that Python calls."""
COUNTING = "NRT_incref"
"""Name of the function that counts a reference, where there is one."""
LARGE = 12_000
"""Bytes of code, with that of all kernels that it calls, from which on the loops of a kernel are not unrolled.

Small loops (scatter) are up to a third faster unrolled, in a few hundredths of a second. Larger kernels are as fast
without: the tangent of a floating body takes 2.2 s of 3.6 s less.
"""


class _Library(JITCodeLibrary):  # type: ignore[misc]  # numba has no type information
    """What both have in common."""

    def _optimize_functions(self, ll_module: Any) -> None:
        """Little: the passes over the whole do the rest, in less time than all of them would take here and there.

        Variables instead of places in memory, simpler operations and fewer blocks: 1.3 s for the README's lug, where
        numba's first level takes 1.9 s, after which the passes over the whole take 3.4 s, and 5.7 s without.
        """
        ll_module.data_layout = self._codegen._data_layout
        settings = llvm.create_pipeline_tuning_options(1)
        for function in ll_module.functions:
            if not function.is_declaration:
                builder = llvm.create_pass_builder(self._codegen._tm, settings)
                passes = llvm.create_new_function_pass_manager()
                passes.add_sroa_pass()
                passes.add_instruction_combine_pass()
                passes.add_simplify_cfg_pass()
                passes.run(function, builder)


class LinkedLibrary(_Library):
    """Code of a function that compiled functions call, and nobody else."""

    is_last = False
    """Whether no compiled function calls it: then the passes over the whole are the only ones.

    Of what makes variables of tuples the time grows with the square of their number: the driver of an arm with its
    controller waited 6 to 9 s for it, and takes 0.5 s more in the passes over the whole without.
    """

    def _optimize_functions(self, ll_module: Any) -> None:
        if self.is_last:
            ll_module.data_layout = self._codegen._data_layout
        else:
            super()._optimize_functions(ll_module)

    def _optimize_final_module(self) -> None:
        """Left to those that it is compiled into; the passes over single functions have been made."""

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """There is no machine code."""
        return 0

    def serialize_using_object_code(self) -> tuple[Any, ...]:
        """For the cache."""
        return self.name, "linked", self._get_module_for_linking().as_bitcode()


class CalledLibrary(_Library):
    """Machine code of a function that Python calls, and of all that it calls."""

    def _optimize_final_module(self) -> None:
        """As numba does, but loops are not vectorised, and those of large kernels not unrolled.

        Loops here are short, and where it pays vectors are written out (`flexmbs.core.wide`); in large kernels the
        copies of loops for all cases take more than half of the time of compiling, and of the machine code. What is
        written side by side is put into vectors: forces of planar cables take a third less, tangents a tenth, in a
        fiftieth of the time of compiling. The numbers are the same, as no sum is made in another order.

        Kernels that others call belong to this library alone, so LLVM passes them what they use. An array has seven
        fields, of which most kernels need two; handing on all of them took a third of the steps of small models.
        """
        counts = False
        for function in self._defined():
            counts = counts or function.name == COUNTING
            if not function.name.startswith(ENTRY):
                function.linkage = "internal"
        small = len(self._final_module.as_bitcode()) < LARGE
        for level in (0, 3) if counts else (3,):
            settings = llvm.create_pipeline_tuning_options(level)
            settings.loop_vectorization, settings.slp_vectorization = False, True
            settings.loop_unrolling = small
            builder = llvm.create_pass_builder(self._codegen._tm, settings)
            passes = builder.getModulePassManager()
            if level == 0:  # bring together what counts references, to be removed
                passes.add_loop_rotate_pass()
                passes.add_instruction_combine_pass()
                passes.add_jump_threading_pass()
            passes.add_refprune_pass()
            passes.run(self._final_module, builder)

    def _defined(self) -> list[Any]:
        """Functions that are not only declared."""
        return [f for f in self._final_module.functions if not f.is_declaration]

    def serialize_using_object_code(self) -> tuple[Any, ...]:
        """For the cache."""
        self._ensure_finalized()
        names = [f.name for f in self._defined() if f.linkage != llvm.Linkage.internal]
        names += [v.name for v in self._final_module.global_variables if not v.is_declaration]
        return self.name, "called", self._get_compiled_object(), names


def library_from(codegen: Any, state: tuple[Any, ...]) -> Any:
    """A library as it was put into the cache."""
    name, form = state[:2]
    if form == "linked":
        linked = LinkedLibrary(codegen, name)
        linked._final_module = llvm.parse_bitcode(state[2])
        linked._finalize_final_module()
        return linked
    called = CalledLibrary(codegen, name)
    called.enable_object_caching()
    called._set_compiled_object(state[2])
    called._finalize_final_module()
    codegen._engine._defined_symbols.update(state[3])
    return called
