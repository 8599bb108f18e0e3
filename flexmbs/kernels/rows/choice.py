"""Kernels that choose by the kind of a row, written from the records of all kinds.

numba compiles neither tables of functions nor functions that are passed in, so a choice is a chain of comparisons with
the numbers of the kinds. It is written here as text, so that no list of kinds is kept by hand.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from flexmbs.core.jit import inlined, kernel
from flexmbs.kernels.rows.kind import RowKind

__all__ = ["choice", "fact"]


def choice(
    names: dict[str, Any], name: str, kinds: Iterable[RowKind], member: str, arguments: str, *,
    derived: Mapping[str, tuple[Any, str]] | None = None, otherwise: str = "None", last: int | None = None,
    inline: bool = False,
) -> Any:  # fmt: skip
    """A kernel ``name(kind, arguments)`` that calls the kernel ``member`` of the kind, for the module ``names``.

    Each is given what its parameters are called: arguments, or what is ``derived`` from these by a kernel. Of a kind
    without value it returns 0.0, of other kinds ``otherwise``, an expression, or what the kind ``last`` returns.
    """
    lines = [f"def {name}(kind, {arguments}):"]
    known = {argument: argument for argument in arguments.split(", ")}
    for argument, (function, of) in (derived or {}).items():
        names[f"_{argument}"] = function
        known[argument] = f"_{argument}({of})"
    given = [kind for kind in kinds if getattr(kind, member) or (member == "value" and kind.velocity_only)]
    for kind in sorted(given, key=lambda kind: (kind.number == last, kind.number)):
        function, called = getattr(kind, member), f"_{member}_{kind.number}"
        result = "0.0"
        if function is not None:
            names[called] = function
            wanted = inspect.signature(getattr(function, "py_func", function)).parameters
            missing = [parameter for parameter in wanted if parameter not in known]
            if missing:
                raise TypeError(f"{member} of the kind of rows {kind.name} asks for {missing}; there are {list(known)}")
            result = f"{called}({', '.join(known[parameter] for parameter in wanted)})"
        if kind.number == last:
            otherwise = result
        else:
            lines += [f"    if kind == {kind.number}:", f"        return {result}"]
    lines.append(f"    return {otherwise}")
    return _made(names, name, lines, inlined if inline else kernel)


def fact(names: dict[str, Any], name: str, kinds: Iterable[RowKind], of: Callable[[RowKind], int]) -> Any:
    """A kernel ``name(kind)`` that returns a number that is known of the kind; 0 of a kind that there is not."""
    lines = [f"def {name}(kind):"]
    for kind in kinds:
        if of(kind):
            lines += [f"    if kind == {kind.number}:", f"        return {of(kind)}"]
    return _made(names, name, [*lines, "    return 0"], inlined)


def _made(names: dict[str, Any], name: str, lines: list[str], compiled: Callable[[Any], Any]) -> Any:
    """The function of a text, as one of the module, so that what is compiled is kept beside its file."""
    before = names.get(name)
    exec(compile("\n".join(lines), names["__file__"], "exec"), names)  # noqa: S102 - text of this file alone
    function = names.pop(name)
    if before is not None:
        names[name] = before
    function.__module__ = names["__name__"]
    return compiled(function)
