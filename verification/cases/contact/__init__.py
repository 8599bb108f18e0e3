"""Cases: contact and friction between bodies."""
