"""Arguments of an analysis that belong to another kind of what is analysed."""

from __future__ import annotations

from flexmbs.core.errors import ModelError, a_or_an

__all__ = ["refuse_given"]


def refuse_given(owner: str, of: str, **arguments: object) -> None:
    """Refuse arguments that say nothing for what is analysed; those that are None were not given."""
    given = [name for name, value in arguments.items() if value is not None]
    if given:
        has = "has supports and loads among its items" if of == "Model" else "takes fixed= and loads= (or prestress=)"
        raise ModelError(f"{owner}: {' and '.join(given)} cannot be given for {a_or_an(of)}, which {has}.")
