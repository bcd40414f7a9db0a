"""Merging: solvers that take a problem and return block numbers, one solver a file."""
