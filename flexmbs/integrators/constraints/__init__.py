"""How schemes on the index-1 form keep the constraints: one object of settings a method, and what it does in a run."""
