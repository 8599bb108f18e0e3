"""Kernels of trees of links."""
