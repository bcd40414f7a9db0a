"""Utility: what is worth keeping."""
