"""Integrators."""
