"""Mechanism: how public values are rewritten, the names of what is released, and its file."""
