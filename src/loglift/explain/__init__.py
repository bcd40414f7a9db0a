"""Explain: why a release keeps no more, what limits cost, and what would help."""
