"""Tables in and out: reading, counting, applying, writing; the only room that knows dataframes.

An engine (DuckDB, Polars, pandas, PyArrow, Spark, Dask) does two things: a GROUP BY that counts,
and a JOIN with a mapping, which may draw at random. Its library is imported when a table is used.
"""

from loglift.tables.counting import Use, count, count_as, count_released, count_values, settled
from loglift.tables.export import FORMATS, Format, format_like, write
from loglift.tables.held_rows import HeldRows, hold_rows
from loglift.tables.mapping import apply, begin_order, refuse_types, unseen_records, widened
from loglift.tables.noise import Noise
from loglift.tables.opened import Table, open_table

__all__ = [
    "FORMATS",
    "Format",
    "HeldRows",
    "Noise",
    "Table",
    "Use",
    "apply",
    "begin_order",
    "count",
    "count_as",
    "count_released",
    "count_values",
    "format_like",
    "hold_rows",
    "open_table",
    "refuse_types",
    "settled",
    "unseen_records",
    "widened",
    "write",
]
