"""Cases: elements."""
