"""Contact between bodies: shapes on markers, laws of normal force and friction, and contacts of pairs of shapes."""
