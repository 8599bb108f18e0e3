"""Motion by geometry alone: driven mechanisms, drive forces, poses, paths through singular positions."""
