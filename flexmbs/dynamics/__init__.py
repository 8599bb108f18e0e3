"""The equations of motion of a compiled system: stages, their evaluation, consistent states."""
