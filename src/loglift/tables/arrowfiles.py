"""Arrow and Feather files, in their own types."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from loglift.errors import TableError
from loglift.tables.extras import needed
from loglift.tables.labels import Labels
from loglift.tables.relations import Source, refuse_different

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Connection

EXTRA, WHAT = "arrow", "Arrow and Feather files"


def read(connection: Connection, files: Sequence[Path]) -> Source:
    """Return all columns, read lazily where names are not repeated; categories are texts."""
    arrow, ipc = needed("pyarrow", EXTRA, WHAT), needed("pyarrow.ipc", EXTRA, WHAT)
    schemas, parts = [], []
    for i, file in enumerate(files):
        try:
            found, schema, first = _open(arrow, ipc, file)
        except arrow.ArrowInvalid as error:
            raise TableError(
                f"{file} is not a readable Arrow or Feather file: it is damaged, or has another "
                f"format ({str(error).splitlines()[0]})"
            ) from None
        schemas.append((file, schema.remove_metadata()))
        connection.register(f"loglift_part{i}", found)
        parts.append(f"FROM loglift_part{i}")
    refuse_different(schemas)
    names = tuple(schemas[0][1].names)
    relation = connection.sql(" UNION ALL ".join(parts))
    labels = _orders(arrow, names, first) if len(files) == 1 else {}
    return Source("arrow", names, "native", relation, labels=labels)


def _open(arrow: Any, ipc: Any, file: Path) -> tuple[Any, Any, Any]:
    """Return a lazy dataset or a table, the schema and the first batch; a stream is read whole."""
    dataset = needed("pyarrow.dataset", EXTRA, WHAT)
    mapped = arrow.memory_map(str(file))
    try:
        batches = ipc.open_file(mapped)
    except arrow.ArrowInvalid:
        mapped.seek(0)
        whole = ipc.open_stream(mapped).read_all()
        return _as_table(arrow, whole), whole.schema, next(iter(whole.to_batches()), None)
    first = batches.get_batch(0) if batches.num_record_batches else None
    if len(set(batches.schema.names)) < len(batches.schema.names):
        return _as_table(arrow, batches.read_all()), batches.schema, first
    return dataset.dataset(str(file), format="ipc"), batches.schema, first


def _as_table(arrow: Any, whole: Any) -> Any:
    """Return a table with its names numbered where they are repeated, which DuckDB cannot read."""
    names = [f"{i} {name}" for i, name in enumerate(whole.schema.names)]
    return arrow.Table.from_arrays(whole.columns, names=names)


def _orders(arrow: Any, names: Sequence[str], first: Any) -> dict[str, Labels]:
    """Return the categories of the columns whose file says that they are ordered."""
    found = {}
    for name, column in zip(names, [] if first is None else first.columns, strict=False):
        kind = column.type
        if arrow.types.is_dictionary(kind) and kind.ordered and kind.value_type == arrow.string():
            texts = dict(enumerate(column.dictionary.to_pylist()))
            found[name] = Labels(texts=texts, ordered=True)
    return found
