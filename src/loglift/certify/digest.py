"""The hash of the counts that a certificate is about."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from itertools import islice

import numpy as np

from loglift.joint import Joint
from loglift.sparse import in_parts, take_columns
from loglift.values import encoded, in_chunks, json_text, row_texts

_SEED_DIGITS = 12


def _texts_of_values(joint: Joint) -> Iterator[str]:
    """Yield the public values, each as the text of a list with one entry per column."""
    several = len(joint.columns) > 1
    columns = list(zip(*joint.public, strict=True)) if several else [joint.public]
    return row_texts(columns, encoded)


def seed_of(joint: Joint) -> int:
    """Return the seed of what is drawn to certify: from the hash, so that nobody draws again."""
    return int(hash_counts(joint)[:_SEED_DIGITS], 16)


def hash_counts(joint: Joint) -> str:
    """Return the SHA-256 of the counts, the same for the same counts whatever the engine.

    With survey weights it is that of their sums and of the counts.
    """
    digest = hashlib.sha256()
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
            values = _texts_of_values(joint)
            for _, counts in in_parts(take_columns(mass, place)):
                rows = json_text(counts.tolist())[2:-2].split("], [")
                lines = map("[{}, [{}]]".format, islice(values, len(rows)), rows)
                for chunk in in_chunks(lines):
                    digest.update("".join(chunk).encode())
    return digest.hexdigest()
