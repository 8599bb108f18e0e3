"""Kernels: jitted functions over arrays, which know no descriptions."""
