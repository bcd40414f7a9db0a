"""All vertices of Q as dense rows, for oracles."""

from __future__ import annotations

import numpy as np

from loglift.randomizing.vertices import all_vertices


def listed(posteriors):
    """All vertices as dense rows."""
    rows = []
    for group in all_vertices(posteriors):
        for support, values in zip(group.supports, group.values, strict=True):
            rows.append(np.bincount(support, values, posteriors.p.size))
    return np.array(rows)


def entropies(q):
    return -(q * np.log(q, out=np.zeros_like(q), where=q > 0)).sum(axis=-1)
