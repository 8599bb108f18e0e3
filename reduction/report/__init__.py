"""What a reduction amounts to and how accurate it is, as text and pages."""
