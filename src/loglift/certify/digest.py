"""The hash of the counts that a certificate is about."""

from __future__ import annotations

import hashlib
import json

import numpy as np

from loglift.joint import Joint
from loglift.sparse import in_parts, take_columns
from loglift.values import encoded, in_chunks, json_text

_SEED_DIGITS = 12


def seed_of(joint: Joint) -> int:
    """Return the seed of what is drawn to certify: from the hash, so that nobody draws again."""
    return int(hash_counts(joint)[:_SEED_DIGITS], 16)


def hash_counts(joint: Joint) -> str:
    """Return the SHA-256 of the counts, the same for the same counts whatever the engine.

    With survey weights it is that of their sums and of the counts.
    """
    digest, values = hashlib.sha256(), joint.tuples
    masses = [joint.mass]
    if joint.survey is not None:
        masses.append(joint.survey.counts)
        digest.update(json.dumps([joint.survey.column, str(joint.survey.unit)]).encode())
    for variable in joint.variables:
        events = [joint.event(s) for s in range(variable.start, variable.stop)]
        head = [list(events[0]), encoded([list(event.values()) for event in events])]
        digest.update(json_text(head).encode())
        place = np.arange(variable.start, variable.stop)
        for mass in masses:
            for rows, counts in in_parts(take_columns(mass, place)):
                pairs = zip(values[rows], counts.tolist(), strict=True)
                for chunk in in_chunks([encoded(value), row] for value, row in pairs):
                    digest.update("".join(map(json_text, chunk)).encode())
    return digest.hexdigest()
