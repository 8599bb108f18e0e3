"""Cases: reduction."""
