"""Prescribed motions: a module for each family."""
