"""Cases: modes."""
