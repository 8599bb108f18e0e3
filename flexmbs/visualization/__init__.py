"""Results in files, pictures and for ParaView."""
