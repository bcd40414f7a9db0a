"""Release: the recipes for tables."""
