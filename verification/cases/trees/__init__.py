"""Cases: trees."""
