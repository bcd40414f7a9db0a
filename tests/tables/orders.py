"""Tables whose order reveals S, and how much of that order a release still shows."""

import io
import re
from itertools import pairwise

import pyarrow as pa

from loglift.tables import apply
from tables.makers import mechanism_of

NAMED = [f"person-number-{17 * i % 2000:06}" for i in range(2000)]


def passed(table):
    """Release the column x merged, and pass the column name through."""
    merged = mechanism_of("x", {("a",): 0, ("b",): 0}, {"x": ("text", ["all"])})
    return apply(table, merged, passthrough=["name"])


def runs_of_the_input(written, names):
    """Return how many names follow directly the name that they follow in the input."""
    place = {name.encode(): i for i, name in enumerate(names)}
    found = [place[name] for name in re.findall(rb"person-number-[0-9]{6}", written)]
    assert len(found) >= len(names)
    return sum(after - before == 1 for before, after in pairwise(found))


def written_by_arrow(table):
    written = io.BytesIO()
    with pa.ipc.new_file(written, table.schema) as file:
        file.write_table(table)
    return written.getvalue()
