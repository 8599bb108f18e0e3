"""Reduced models from files of other programs."""
