"""The plan of a release: all its options in one TOML file, `release.toml`.

The keys are the long names of the options of `loglift protect`. An option that is given for a
column, `--bin age=10`, is a table: `[bin]`, `age = 10`. `KEYS` is the one list of them: a new
option is one more line in it.

`plan_of` (`loglift.release.noting`) notes what a release was asked for, `Plan.text` writes it, and
`read_plan` reads it back as values of options. A plan has no counts and no passwords, and no
sensitive values but those that options name. It is for the custodian.
"""

from __future__ import annotations

import csv
import io
import math
import os
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal, TypeAlias

from loglift._version import __version__
from loglift.cuts import IGNORE
from loglift.errors import PlanError
from loglift.release.places import located, relative
from loglift.release.toml import is_plain, toml_comment, toml_key, toml_line, toml_value
from loglift.tables.addresses import is_database

NAME = "release.toml"
INCOMPLETE = "incomplete"  # the key of a plan that cannot say all that a release was made with
EXAMPLE = "loglift protect --config release.toml -o DIR"

# number: any number; whole: an integer; texts: one text or a list; columns: a table by column.
Kind: TypeAlias = Literal["text", "number", "whole", "flag", "texts", "columns"]
_WORDS = {
    "text": "a text",
    "number": "a number",
    "whole": "a whole number",
    "flag": "true or false",
    "texts": "a list of texts",
    "columns": "a table that maps columns, such as [{}] and a line age = ...",
}


@dataclass(frozen=True)
class Key:
    """A key of a plan: an option of `protect` under its long name.

    `field` is the field of `Options` that holds its value, by default that of the same name; None
    where `plan_of` or `Release.save` knows the value. A `path` is relative to the plan's folder.
    """

    name: str
    kind: Kind
    section: str
    field: str | None = ""
    path: bool = False

    @property
    def of_options(self) -> str | None:
        """The field of `Options` that holds the value."""
        return self.name.replace("-", "_") if self.field == "" else self.field


_TABLE, _BOUND, _KEEP = "The table and its columns", "What is promised", "What is worth keeping"
_HOW, _SHOWN, _FILES = "How to choose what to merge", "What is released", "What is written"
_BY_COLUMN = ""  # tables come last, each under its own name

KEYS = (
    Key("table", "text", _TABLE, None, path=True),
    Key("sensitive", "texts", _TABLE),
    Key("public", "texts", _TABLE),
    Key("ordered", "text", _TABLE, None),
    Key("unordered", "texts", _TABLE),
    Key("each", "flag", _TABLE),
    Key("weights", "text", _TABLE),
    Key("eps", "number", _BOUND, None),
    Key("lower", "number", _BOUND, None),
    Key("upper", "number", _BOUND, None),
    Key("beta", "number", _BOUND, None),
    Key("t", "number", _BOUND, None),
    Key("ordered-t", "number", _BOUND, None),
    Key("l1-lift", "number", _BOUND, None),
    Key("chi2-lift", "number", _BOUND, None),
    Key("alpha-lift", "text", _BOUND, None),
    Key("average-log-lift", "number", _BOUND, None),
    Key("distinct-l", "whole", _BOUND, None),
    Key("entropy-l", "number", _BOUND, None),
    Key("min-information", "number", _BOUND),
    Key("min-count", "whole", _BOUND),
    Key("max-block", "whole", _BOUND),
    Key("both", "flag", _BOUND),
    Key("known", "texts", _BOUND),
    Key("given", "texts", _BOUND, None, path=True),
    Key("confidence", "number", _BOUND),
    Key("choose-share", "number", _BOUND),
    Key("utility", "text", _KEEP),
    Key("for", "texts", _KEEP, "purposes"),
    Key("intact", "texts", _KEEP),
    Key("method", "text", _HOW),
    Key("over", "text", _HOW),
    Key("time-limit", "number", _HOW),
    Key("coarser-than", "text", _HOW, None, path=True),
    Key("update", "text", _HOW, None, path=True),
    Key("as", "text", _SHOWN, "show"),
    Key("ranges", "text", _SHOWN),
    Key("key", "text", _SHOWN),
    Key("draw-seed", "whole", _SHOWN),
    Key("passthrough", "texts", _SHOWN),
    Key("keep-sensitive", "flag", _SHOWN),
    Key("keep-order", "flag", _SHOWN),
    Key("output", "text", _FILES, None, path=True),
    Key("format", "text", _FILES, None),
    Key("escape-formulas", "flag", _FILES, None),
    Key("public-report", "flag", _FILES, None),
    Key("evaluate", "flag", _FILES, None),
    Key("bin", "columns", _BY_COLUMN, None),
    Key("missing", "columns", _BY_COLUMN, None),
    Key("importance", "columns", _BY_COLUMN),
    Key("taxonomy", "columns", _BY_COLUMN, "taxonomies", path=True),
    Key("bound", "columns", _BY_COLUMN, None),
    Key("combine", "columns", _BY_COLUMN, None),
)
BY_NAME = {key.name: key for key in KEYS}

# Ways to say the same: one on the command line replaces the others in the plan.
WAYS = (
    ({"eps"}, {"lower", "upper"}, {"beta"}, {"min-information"}),
    ({"method"}, {"ordered"}),
    ({"coarser-than"}, {"update"}),
)


@dataclass(frozen=True)
class Plan:
    """What a release was asked for, by the keys of a plan. Paths are absolute here.

    `left_out` says, in words, what a plan cannot hold, such as an object of Python.
    """

    options: Mapping[str, Any]
    left_out: tuple[str, ...] = ()

    def also(self, **options: Any) -> Plan:
        """Return the plan with more options, by keys with underscores; None and False are left out.

        Options that are there already are replaced.
        """
        more = {name.replace("_", "-"): v for name, v in options.items() if v not in (None, False)}
        return replace(self, options={**self.options, **more})

    def text(self, folder: str | os.PathLike[str]) -> str:
        """Return the text of a release.toml in a folder, to which its paths are relative."""
        notes = {"output": "The folder to write is not noted: give -o DIR."}
        if "table" not in self.options:
            notes["table"] = (
                "The table was a dataframe: name a file here, or give TABLE on the command line."
            )
        elif is_database(self.options["table"]):
            notes["table"] = "A password is not noted: give it in PGPASSWORD, or in ~/.pgpass."
        named = [f"[{name}]" for name in ("bound", "combine") if name in self.options]
        codes = self.options.get("missing", {})
        if any(
            codes.get(column, [IGNORE]) != [IGNORE] for column in self.options.get("sensitive", ())
        ):
            named.append("[missing]")
        lines = [
            f"The plan of a release, written by loglift {__version__}. It repeats the release:",
            f"    {EXAMPLE}",
            "It is for the custodian, not for publication. Paths are relative to the folder of",
            "this file; options that are not listed have their defaults.",
        ]
        if named:
            lines.append(
                f"It names sensitive values in {' and '.join(named)}, because the options did."
            )
        if "draw-seed" in self.options:
            lines.append("Whoever knows draw-seed can undo the draws: never publish this release.")
        return laid_out("\n".join(lines), self.options, folder, notes, self.left_out)


def laid_out(
    header: str,
    options: Mapping[str, Any],
    folder: str | os.PathLike[str],
    notes: Mapping[str, str],
    left_out: Sequence[str] = (),
) -> str:
    """Return the text of a plan: a header, options in sections, and a note before some of them.

    A note of an option that is not given stands in its place.
    """
    parts = [toml_comment(header)]
    if left_out:
        why = "What a file cannot hold is left out, so loglift refuses to repeat this plan."
        parts.append(f"{toml_comment(why)}\n{toml_line(INCOMPLETE, list(left_out))}")
    for section in dict.fromkeys(key.section for key in KEYS if key.kind != "columns"):
        keys = [key for key in KEYS if key.section == section]
        lines = [line for key in keys for line in _lines(key, options, folder, notes)]
        if lines:
            parts.append("\n".join([toml_comment(section), *lines]))
    for key in KEYS:
        if key.kind == "columns":
            parts += ["\n".join(lines)] if (lines := _lines(key, options, folder, notes)) else []
    return "\n\n".join(parts) + "\n"


def _lines(
    key: Key,
    options: Mapping[str, Any],
    folder: str | os.PathLike[str],
    notes: Mapping[str, str],
) -> list[str]:
    """Return the lines of one key: its note, and its value or its table."""
    found = [toml_comment(notes[key.name])] if key.name in notes else []
    if key.name not in options:
        return found
    value = options[key.name]
    if key.path:
        if isinstance(value, Mapping):
            value = {column: relative(path, folder) for column, path in value.items()}
        elif isinstance(value, str):
            value = relative(value, folder)
        else:
            value = [relative(path, folder) for path in value]
    if key.kind != "columns":
        return [*found, toml_line(key.name, value)]
    pairs = (f"{toml_key(column)} = {toml_value(item)}" for column, item in value.items())
    return [f"[{key.name}]", *found, *pairs]


def read_plan(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read a plan; return the values of options by key, as the command line would give them.

    What is given by column is a list of texts `COL=...`, as on the command line. Paths are those
    of the plan's folder. Raises `PlanError` if the file cannot be read, has a key that is not in
    `KEYS` or a value of the wrong type, or says that it is incomplete.
    """
    place = Path(path)
    try:
        content = tomllib.loads(place.read_bytes().decode("utf-8-sig"))
    except FileNotFoundError:
        raise PlanError(
            f"there is no plan {place}: check the name, or write one with 'loglift plan TABLE'"
        ) from None
    except IsADirectoryError:
        raise PlanError(f"the plan {place} is a folder: give the release.toml itself") from None
    except OSError as error:
        raise PlanError(f"the plan {place} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise PlanError(f"the plan {place} is not UTF-8: save it as UTF-8") from None
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise PlanError(f"the plan {place} is not TOML: {error}") from None
    missing = content.pop(INCOMPLETE, ())
    if missing not in ((), [], False):
        first = missing[0] if isinstance(missing, list) else missing
        raise PlanError(
            f"the plan {place} is incomplete ({_one_line(first)}): repeat the release from Python, "
            f"or state it here in another way and remove the line {INCOMPLETE!r}"
        )
    for name in content:
        if name not in BY_NAME:
            raise PlanError(f"the plan {place} has an unknown key {name!r}: {_hint(name)}")
    try:
        return {
            name: _option(BY_NAME[name], value, place.parent) for name, value in content.items()
        }
    except PlanError as error:
        raise PlanError(f"the plan {place}: {error}") from None


def _hint(name: str) -> str:
    """Return which key was probably meant."""
    plain = name.lower().replace("_", "-").lstrip("-")
    close = get_close_matches(plain, BY_NAME, n=1, cutoff=0.5)
    if close:
        return f"did you mean {close[0]!r}?"
    return "the keys are the long names of the options of 'loglift protect'"


def _option(key: Key, value: Any, folder: Path) -> Any:
    """Return the value of a key as the command line gives it to its option."""
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    several = [value] if isinstance(value, str) else value
    right = {
        "text": isinstance(value, str) and value != "",
        "number": number and not math.isnan(value) if number else False,
        "whole": number and isinstance(value, int),
        "flag": isinstance(value, bool),
        "texts": isinstance(several, list) and all(isinstance(item, str) for item in several),
        "columns": isinstance(value, dict),
    }
    if not right[key.kind]:
        words = _WORDS[key.kind].format(key.name)
        raise PlanError(f"{key.name} must be {words}, got {_one_line(value)}")
    if key.kind == "columns":
        return [
            text for column, item in value.items() for text in _texts(key, column, item, folder)
        ]
    if not key.path:
        return several if key.kind == "texts" else value
    return located(value, folder) if key.kind == "text" else [located(v, folder) for v in several]


def _texts(key: Key, column: str, value: Any, folder: Path) -> Iterator[str]:
    """Yield what an option says about a column, each as a text `COL=...`.

    A number or a text stands for itself, a list for its items with commas between them, a list of
    lists for several options, and a table for several options `COL=NAME:...`.
    """
    if not column or "=" in column:
        raise PlanError(f"[{key.name}] names the column {column!r}: rename it, without a = sign")
    if isinstance(value, dict):
        for name, item in value.items():
            yield f"{column}={name}:{_joined(key, column, item)}"
    elif isinstance(value, list) and value and all(isinstance(item, list) for item in value):
        for item in value:
            yield f"{column}={_joined(key, column, item)}"
    else:
        text = _joined(key, column, value)
        yield f"{column}={located(text, folder) if key.path else text}"


def _joined(key: Key, column: str, value: Any) -> str:
    """Return a number, a text, a date, or a list of them as a line of CSV."""
    items = value if isinstance(value, list) else [value]
    if not items or not all(isinstance(item, (str, int, float, date)) for item in items):
        raise PlanError(
            f"{column} in [{key.name}] must be a text, a number, a date or a list of them, got "
            f"{_one_line(value)}"
        )
    texts = [toml_value(i) if isinstance(i, bool) else str(i) for i in items]
    if not isinstance(value, list):
        return texts[0]
    if key.name == "bin" and len(items) == 1 and not isinstance(items[0], str):
        return f"{texts[0]},"  # one edge; without the comma it is a width
    line = io.StringIO()
    # Unless a field is quoted, its reader skips spaces before it and refuses line ends in it.
    plain = all(text == text.strip() and text.isprintable() for text in texts)
    writer = csv.writer(
        line, lineterminator="", quoting=csv.QUOTE_MINIMAL if plain else csv.QUOTE_ALL
    )
    writer.writerow(texts)
    return line.getvalue()


def _one_line(value: Any) -> str:
    text = toml_value(value) if is_plain(value) else str(value)
    most = 60
    return text if len(text) <= most else text[: most - 3] + "..."
