"""Between relative and absolute coordinates."""
