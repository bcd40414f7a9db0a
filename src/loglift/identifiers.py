"""Columns that look like identifiers: nearly every record has a value of its own.

Such a column says nothing that could be kept, and tells records apart: it is better left out.
"""

from __future__ import annotations

import re

MIN_RECORDS = 50  # in a smaller table, a different value in each record is no sign
MIN_SHARE = 0.9  # distinct values per record
# Words of a name, at its end or its beginning, such as person_id, idPerson, caseNo, key.
_WORDS = frozenset(
    {"id", "ids", "key", "no", "nr", "num", "number", "nummer", "numero", "uuid", "guid", "pid"}
    | {"ssn", "bsn", "index", "idx", "serial", "row", "rownum", "identifier", "record"}
)
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")


def is_identifier(name: str, kind: str, distinct: int, records: int) -> bool:
    """Whether a column looks like an identifier: texts, or integers with a name like person_id.

    `distinct` is the number of its different values.
    """
    words = [word.lower() for word in _WORD.findall(str(name))]
    named = bool(words) and not _WORDS.isdisjoint({words[0], words[-1]})
    own_values = records >= MIN_RECORDS and distinct >= MIN_SHARE * records
    return own_values and (kind == "text" or (kind == "integer" and named))
