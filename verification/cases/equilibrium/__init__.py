"""Cases: equilibrium."""
