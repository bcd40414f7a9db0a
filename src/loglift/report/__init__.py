"""Reports: one summary object, then renderers."""
