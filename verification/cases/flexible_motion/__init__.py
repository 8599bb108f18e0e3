"""Cases: flexible motion."""
