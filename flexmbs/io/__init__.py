"""Files: results, journals, checkpoints, models as plain data."""
