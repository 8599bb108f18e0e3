"""The steps of `newton_step` with the decisions of `implicit_step` and their operations as one text."""

from __future__ import annotations

import ast
import inspect
from copy import deepcopy
from typing import Any

from flexmbs.integrators import implicit_step
from flexmbs.integrators.compiled import newton_step

__all__ = ["steps"]

CALL = "implicit_step.advance(step)"
NUMBERS = {name: value for name, value in vars(implicit_step).items() if isinstance(value, int | float)}
"""The constants of the decisions, which are written as numbers."""


SAMPLES = "c.samples == 1"
"""The condition of what is written only for systems with sampled controllers."""


def steps(samples: bool) -> ast.FunctionDef:
    """`newton_step.advance` in which the members of ``step`` are variables, and calls of its methods their text."""
    function = _Kept(samples).visit(_parsed(newton_step.advance))
    operations = {part.name: part for part in function.body if isinstance(part, ast.FunctionDef)}
    function.body = [part for part in function.body if not isinstance(part, ast.FunctionDef)]
    return _Inline(operations).visit(function)  # type: ignore[no-any-return]


def _parsed(function: Any) -> ast.FunctionDef:
    found = ast.parse(inspect.getsource(function)).body[0]
    assert isinstance(found, ast.FunctionDef)  # noqa: S101
    return found


class _Kept(ast.NodeTransformer):
    """Statements for sampled controllers, or nothing in their place."""

    def __init__(self, samples: bool) -> None:
        self.samples = samples

    def visit_If(self, node: ast.If) -> Any:  # the names of ast
        self.generic_visit(node)
        if ast.unparse(node.test) != SAMPLES:
            return node
        return node.body if self.samples else []


class _Inline(ast.NodeTransformer):
    """An operation of one expression is written anywhere; others where a statement assigns what they return."""

    def __init__(self, operations: dict[str, ast.FunctionDef]) -> None:
        self.operations = operations

    def visit_Assign(self, node: ast.Assign) -> Any:  # the names of ast
        if ast.unparse(node.value) == CALL:
            return self._text(_parsed(implicit_step.advance), node)
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
        return ast.Constant(NUMBERS[node.id]) if node.id in NUMBERS else node

    def _operation(self, node: ast.expr) -> ast.FunctionDef | None:
        """The operation that is called, if one is."""
        called = node.func if isinstance(node, ast.Call) else None
        own = isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name) and called.value.id == "step"
        return self.operations[called.attr] if own else None  # type: ignore[union-attr]

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
