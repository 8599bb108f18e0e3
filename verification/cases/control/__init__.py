"""Cases: control."""
