"""Tables in and out: reading, counting, applying, writing; the only room that knows dataframes.

The engine does two things: a GROUP BY count and a JOIN with a mapping, at random where the mapping
is. Nothing here is imported before a table is used.
"""

from loglift.tables.applying import apply, refuse_types, unseen_records
from loglift.tables.counting import count, count_values
from loglift.tables.drawing import Drawing, Noise
from loglift.tables.engines import Output
from loglift.tables.table import Table, open_table
from loglift.tables.writing import write

__all__ = [
    "Drawing",
    "Noise",
    "Output",
    "Table",
    "apply",
    "count",
    "count_values",
    "open_table",
    "refuse_types",
    "unseen_records",
    "write",
]
