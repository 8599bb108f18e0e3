"""Cases: statics."""
