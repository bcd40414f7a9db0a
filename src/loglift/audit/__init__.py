"""Audit: what a table reveals."""
