"""Cases: linear parts."""
