"""The loop over steps with the operations of a scheme, and the decisions that call them, as one text."""

from __future__ import annotations

import ast
import inspect
from copy import deepcopy
from typing import TYPE_CHECKING, Any

from flexmbs.integrators.compiled import loop

if TYPE_CHECKING:
    from types import ModuleType

__all__ = ["steps"]

SYSTEMS, SCHEMES = ("samples", "constrained", "moves", "factors"), ("recalls", "projected")
CONDITIONS = {f"c.{name} == 1": name for name in SYSTEMS + SCHEMES}
"""The conditions of what is written only for some systems and schemes, and their names (`Form.kept`)."""


def steps(module: ModuleType, kept: frozenset[str]) -> ast.FunctionDef:
    """`loop.advance` in which the members of ``step`` are variables, and calls of its methods their text.

    ``module``: that of a scheme, with its ``operations`` and ``DECISIONS``; ``kept``: which `CONDITIONS` hold.
    """
    function, own = (_Kept(kept).visit(_parsed(part)) for part in (loop.advance, module.operations))
    operations = {part.name: part for part in own.body if isinstance(part, ast.FunctionDef)}
    first = [part for part in own.body if not isinstance(part, ast.FunctionDef) and not _is_text(part)]
    function.body[1:1] = first  # behind the docstring
    return _Inline(operations, module.DECISIONS).visit(function)  # type: ignore[no-any-return]


def _parsed(function: Any) -> ast.FunctionDef:
    found = ast.parse(inspect.getsource(function)).body[0]
    assert isinstance(found, ast.FunctionDef)  # noqa: S101
    return found


class _Kept(ast.NodeTransformer):
    """Statements under one of `CONDITIONS`, or nothing in their place."""

    def __init__(self, kept: frozenset[str]) -> None:
        self.kept = kept

    def visit_If(self, node: ast.If) -> Any:  # the names of ast
        self.generic_visit(node)
        name = CONDITIONS.get(ast.unparse(node.test))
        if name is None:
            return node
        return node.body if name in self.kept else []


class _Inline(ast.NodeTransformer):
    """An operation of one expression is written anywhere; others where a statement assigns what they return."""

    def __init__(self, operations: dict[str, ast.FunctionDef], decisions: ModuleType) -> None:
        self.operations, self.decisions = operations, decisions
        self.call = f"{decisions.__name__.rsplit('.', 1)[-1]}.advance(step)"
        self.numbers = {name: value for name, value in vars(decisions).items() if isinstance(value, int | float)}

    def visit_Assign(self, node: ast.Assign) -> Any:  # the names of ast
        if ast.unparse(node.value) == self.call:
            return self._text(_parsed(self.decisions.advance), node)
        operation = self._operation(node.value)
        if operation is None or len(operation.body) == 1:
            return self.generic_visit(node)
        return self._text(operation, node)

    def visit_Call(self, node: ast.Call) -> Any:
        operation = self._operation(node)
        if operation is None:
            return self.generic_visit(node)
        (result,) = operation.body
        assert isinstance(result, ast.Return) and result.value is not None  # noqa: S101, PT018
        return self.visit(deepcopy(result.value))

    def visit_Attribute(self, node: ast.Attribute) -> Any:
        if isinstance(node.value, ast.Name) and node.value.id == "step":
            return ast.Name(node.attr, node.ctx)
        return self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> Any:
        """Constants of the decisions are written as numbers."""
        return ast.Constant(self.numbers[node.id]) if node.id in self.numbers else node

    def _operation(self, node: ast.expr) -> ast.FunctionDef | None:
        """The operation that is called, if one is; its arguments have the names of variables."""
        called = node.func if isinstance(node, ast.Call) else None
        if not (isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name) and called.value.id == "step"):
            return None
        operation = self.operations[called.attr]
        names = [argument.arg for argument in operation.args.args]
        assert [ast.unparse(a) for a in node.args] == names  # type: ignore[attr-defined]  # noqa: S101
        return operation

    def _text(self, function: ast.FunctionDef, node: ast.Assign) -> list[ast.stmt]:
        """The statements of a function, the last of which returns a value, with the assignment of this value."""
        *body, last = deepcopy(function.body)
        assert isinstance(last, ast.Return) and last.value is not None  # noqa: S101, PT018
        found: list[ast.stmt] = []
        for part in body:
            if not isinstance(part, ast.Nonlocal) and not _is_text(part):
                written = self.visit(part)
                found += written if isinstance(written, list) else [written]
        value = self.visit(last.value)
        if ast.unparse(node.targets[0]).strip("()") != ast.unparse(value).strip("()"):
            found.append(ast.Assign(node.targets, value))
        return found


def _is_text(part: ast.stmt) -> bool:
    """Whether a statement is a docstring."""
    return isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant)
