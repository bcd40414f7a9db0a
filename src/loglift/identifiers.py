"""Columns that look like identifiers: nearly every record has a value of its own.

Such a column says nothing that could be kept, and tells records apart: it is better left out.
"""

from __future__ import annotations

import re

MIN_RECORDS = 50  # of a table in which values of their own mean something
MIN_SHARE = 0.9  # of the records, that have a value of their own
# Words of a name, at its end or its beginning, such as person_id, idPerson, caseNo, key.
_WORDS = frozenset(
    {"id", "ids", "key", "no", "nr", "num", "number", "nummer", "numero", "uuid", "guid", "pid"}
    | {"ssn", "bsn", "index", "idx", "serial", "row", "rownum", "identifier", "record"}
)
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")


def is_identifier(name: str, kind: str, distinct: int, records: int) -> bool:
    """Whether a column looks like an identifier: texts, or integers with a name like id.

    `distinct` is the number of its different values.
    """
    if records < MIN_RECORDS or distinct < MIN_SHARE * records:
        return False
    return kind == "text" or (kind == "integer" and is_named_so(name))


def is_named_so(name: str) -> bool:
    """Whether a name has a word of identifiers at one of its ends: person_id, caseNo, KEY."""
    words = [word.lower() for word in _WORD.findall(str(name))]
    return bool(words) and not _WORDS.isdisjoint({words[0], words[-1]})
