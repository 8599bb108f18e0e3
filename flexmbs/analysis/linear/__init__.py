"""Linear analyses: Campbell diagrams, frequency responses, zeros, root loci, random vibration, Floquet multipliers."""
