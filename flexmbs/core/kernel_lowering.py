"""From what numba knows of a kernel to instructions of LLVM.

numba writes out each statement, for a log that nobody keeps, before it is translated. And it ends the life of each
variable: it puts a zero in its place, and drops what was there before another value is stored, by which references to
arrays are counted. Kernels that do not count (`flexmbs.core.borrowing`) get neither, nor is it found out for them where
lives end: of the statements of the README's lug half are such ends.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from numba.core import ir, typed_passes
from numba.core.compiler_machinery import register_pass
from numba.core.errors import LoweringError, new_error_context  # type: ignore[attr-defined]
from numba.core.lowering import Lower

__all__ = ["EndsOfLives", "KernelLowering"]


class _Lower(Lower):  # type: ignore[misc]  # numba has no type information
    """Of one kernel."""

    def lower_block(self, block: Any) -> None:
        """All statements of a block; what fails is told as numba tells it."""
        self.pre_block(block)
        for statement in block.body:
            self.loc = statement.loc
            try:
                self.lower_inst(statement)
            except Exception:
                with new_error_context('lowering "{inst}" at {loc}', inst=statement, loc=self.loc,
                                       errcls_=partial(LoweringError, loc=self.loc)):  # fmt: skip
                    raise
        self.post_block(block)

    def lower_inst(self, inst: Any) -> None:
        """One statement."""
        if type(inst) is ir.Assign:
            name = inst.target.name
            self.storevar(self.lower_assign(self.typeof(name), inst), name)
        elif type(inst) is ir.Del:
            self.delvar(inst.value)
        else:
            super().lower_inst(inst)

    def storevar(self, value: Any, name: str, argidx: int | None = None) -> None:
        """Give a variable a value."""
        if self.context.enable_nrt or name in self._singly_assigned_vars:
            super().storevar(value, name, argidx)
        else:
            self.builder.store(value, self.getvar(name))


@register_pass(mutates_CFG=True, analysis_only=False)
class KernelLowering(typed_passes.BaseNativeLowering):  # type: ignore[misc]
    """numba's pass with the above."""

    _name = "kernel_lowering"

    @property
    def lowering_class(self) -> Any:
        return _Lower


@register_pass(mutates_CFG=False, analysis_only=False)
class EndsOfLives(typed_passes.IRLegalization):  # type: ignore[misc]
    """numba's pass, for kernels that count references."""

    _name = "ends_of_lives"

    def run_pass(self, state: Any) -> bool:
        if state.flags.nrt:
            return bool(super().run_pass(state))
        state.func_ir.generator_info = None
        return False
