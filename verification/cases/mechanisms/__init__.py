"""Cases: mechanisms."""
