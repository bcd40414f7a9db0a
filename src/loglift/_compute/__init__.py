"""Compute: compiling, threads, random numbers and linear programs that the solvers share."""
