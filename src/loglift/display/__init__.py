"""What a notebook shows: small cards, charts and frames of results."""
