"""The compiled model: numbering, groups of bodies, tables of joints and forces, eliminations."""
