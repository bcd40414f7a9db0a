"""Audit: what the public columns of a table reveal about its sensitive ones."""
