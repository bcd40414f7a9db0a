"""Compute: compiling, threads and random numbers that the solvers share."""
