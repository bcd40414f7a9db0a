"""Solvers that choose a partition: arrays in, block numbers out, one solver a file."""
