"""Methods of reduction, one file each."""
