"""Write a table as a Stata or SPSS file, with its labels and without the time at which it was made.

A labelled column is written as codes with a label for each text that it has: a text of the input
keeps its code, and what was merged gets a code of its own. NULL is the program's missing value, so
that NaN and the empty text, which it does not tell apart from it, are missing too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from loglift.errors import OutputError
from loglift.tables.extras import needed
from loglift.tables.labels import Labels
from loglift.tables.statfiles import EXTRA, WHAT

if TYPE_CHECKING:
    from duckdb import DuckDBPyRelation as Relation

_STATA_VERSION = 14  # the oldest that has texts in UTF-8; later programs read it
_MAX_STATA_INTEGER = 2_147_483_620  # larger integers of 32 bits are missing values
_MAX_WHOLE = 2**53  # larger integers are not exact in a double
_MAX_LABEL_BYTES = {"dta": 32_000, "sav": 120}
_MAX_TITLE_CHARACTERS = {"dta": 80, "sav": 256}
_NAMES = {"dta": "Stata", "sav": "SPSS"}
# The time at which the file was made, as its format has it, and what is written in its place.
_STAMP = {
    "dta": (re.compile(rb"(<timestamp>\x11)[^<]{17}(?=<)"), rb"\g<1>01 Jan 1980 00:00"),
    "sav": (re.compile(rb"\A(.{92})[^\0]{17}", re.DOTALL), rb"\g<1>01 Jan 8000:00:00"),
}
_HEADER_BYTES = 512

Ending = Literal["dta", "sav"]


def write(relation: Relation, path: Path, ending: Ending, labels: Mapping[str, Labels]) -> None:
    """Write a relation; columns that `labels` knows are labelled as in the input."""
    pandas = needed("pandas", EXTRA, WHAT)
    pyreadstat, arrow = needed("pyreadstat", EXTRA, WHAT), needed("pyarrow", EXTRA, WHAT)
    table, data, coded = relation.to_arrow_table(), {}, {}
    for name, column in zip(table.column_names, table.columns, strict=True):
        known = labels.get(name, Labels()).texts
        codes = _codes(arrow, column, known, ending) if known else None
        if codes is None:
            data[name] = _cells(arrow, pandas, name, column, ending)
            continue
        places = arrow.compute.index_in(column, value_set=arrow.array(list(codes)))
        numbers = arrow.compute.take(arrow.array(list(codes.values()), arrow.int32()), places)
        data[name] = numbers.to_pandas(types_mapper={arrow.int32(): pandas.Int32Dtype()}.get)
        coded[name] = {code: text for text, code in sorted(codes.items(), key=lambda item: item[1])}
    titles = {name: each.title for name, each in labels.items() if name in data and each.title}
    limit = _MAX_TITLE_CHARACTERS[ending]
    options = {
        "column_labels": {name: title[:limit] for name, title in titles.items()},
        "variable_value_labels": coded,
        **({"version": _STATA_VERSION} if ending == "dta" else {}),
    }
    function: Callable[..., None] = getattr(pyreadstat, f"write_{ending}")
    try:
        function(pandas.DataFrame(data), path, **options)
    except (pyreadstat.ReadstatError, pyreadstat.PyreadstatError) as error:
        raise OutputError(
            f"the release cannot be a {_NAMES[ending]} file: {str(error).splitlines()[0]}; rename "
            "the column, or choose another format (--format parquet)"
        ) from None
    _forget_time(path, ending)


def _codes(
    arrow: Any, column: Any, known: Mapping[Any, str], ending: Ending
) -> dict[str, int] | None:
    """Return the code of each text of a column; None where it is written as texts.

    SPSS would cut long labels, and what was merged would look alike.
    """
    if not arrow.types.is_string(column.type):
        return None
    texts = [text for text in arrow.compute.unique(column).to_pylist() if text is not None]
    if any(len(text.encode()) > _MAX_LABEL_BYTES[ending] for text in texts):
        return None
    old = {text: _whole(code) for code, text in known.items()}
    numbers = {text: old.get(text, _whole(text)) for text in texts}
    used = {code for code in [*old.values(), *numbers.values()] if code is not None}
    following = max(used, default=0) + 1
    for text in sorted(texts):
        if numbers[text] is None:
            numbers[text], following = following, following + 1
    return {text: code for text, code in numbers.items() if code is not None}


def _whole(code: Any) -> int | None:
    """Return a code as an integer of Stata; None where it is not one."""
    if isinstance(code, str):
        code = int(code) if re.fullmatch(r"0|-?[1-9][0-9]{0,8}", code) else None
    whole = code is not None and code == int(code) and abs(code) <= 10**9
    return int(code) if whole else None


def _cells(  # noqa: PLR0911 - one line a type
    arrow: Any, pandas: Any, name: str, column: Any, ending: Ending
) -> Any:
    """Return a column as pandas has it; numbers that the program cannot hold become texts."""
    kind, types = column.type, arrow.types
    if types.is_boolean(kind):
        column, kind = column.cast(arrow.int8()), arrow.int8()
    if types.is_integer(kind):
        return _integers(arrow, pandas, column, ending)
    if types.is_floating(kind):
        if arrow.compute.any(arrow.compute.is_inf(column)).as_py():
            raise OutputError(
                f"column {name!r} holds infinite numbers, which a {_NAMES[ending]} file has none "
                "of: replace them, or choose another format (--format parquet)"
            )
        return column.to_numpy()
    if types.is_decimal(kind):
        return column.cast(arrow.float64()).to_numpy()
    if types.is_timestamp(kind) and kind.tz is not None:
        return _objects(pandas, column.cast(arrow.timestamp(kind.unit)).to_pylist())  # in UTC
    if types.is_time(kind) and ending == "dta":  # Stata has none
        return _objects(pandas, column.cast(arrow.string()).to_pylist())
    if types.is_temporal(kind):
        return _objects(pandas, column.to_pylist())
    if not types.is_string(kind):
        raise OutputError(
            f"column {name!r} holds {kind} values, which a {_NAMES[ending]} file has none of: "
            "choose another format (--format parquet)"
        )
    return _objects(pandas, column.to_pylist())


def _integers(arrow: Any, pandas: Any, column: Any, ending: Ending) -> Any:
    ends = arrow.compute.min_max(column).as_py()
    largest = max(abs(end or 0) for end in ends.values())
    if largest > _MAX_WHOLE:
        return _objects(pandas, column.cast(arrow.string()).to_pylist())
    if ending == "sav" or largest > _MAX_STATA_INTEGER:
        return column.cast(arrow.float64()).to_numpy()
    narrow = column.cast(arrow.int32())
    return narrow.to_pandas(types_mapper={arrow.int32(): pandas.Int32Dtype()}.get)


def _objects(pandas: Any, values: Iterable[Any]) -> Any:
    return pandas.Series(list(values), dtype=object)


def _forget_time(path: Path, ending: Ending) -> None:
    """Overwrite the time at which the file was made; everything else stays where it is."""
    pattern, instead = _STAMP[ending]
    with path.open("r+b") as file:
        header = file.read(_HEADER_BYTES)
        plain, found = pattern.subn(instead, header, count=1)
        if found != 1 or len(plain) != len(header):
            raise OutputError(f"the {_NAMES[ending]} file has no time where one is expected")
        file.seek(0)
        file.write(plain)
