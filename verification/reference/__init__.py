"""Known answers that owe nothing to flexmbs: stored figures with sources, closed forms, boundary-value problems.

Nothing here imports the engine, the elements or the meshes.
"""
