"""Certify: an exact re-check of a release against the counts, and its certificate."""
