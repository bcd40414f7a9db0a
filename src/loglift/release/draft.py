"""A first plan for a table: its columns are counted, guessed, and written down to edit."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from loglift import tables
from loglift._compute.progress import OnProgress, Progress, silent
from loglift.errors import PlanError
from loglift.release.guess import Guess, guesses
from loglift.release.places import absolute
from loglift.release.plan import BY_NAME, NAME, laid_out
from loglift.release.toml import toml_key, toml_line, toml_value
from loglift.report.roles import RoleLine, aligned
from loglift.report.words import number_of
from loglift.tables.columns import missing_column
from loglift.tables.overview import Overview, overview

EPS = 1.0  # proposed: belief moves by at most the factor e


@dataclass(frozen=True)
class Draft:
    """The columns of a table, counted one by one, and where the table is; None for a dataframe."""

    columns: tuple[Overview, ...]
    where: str | None

    def guess(self, sensitive: Sequence[str] = (), public: Sequence[str] = ()) -> tuple[Guess, ...]:
        """Guess what the columns are; raises `TableError` if the user names others."""
        names = [column.name for column in self.columns]
        for name in (*sensitive, *public):
            if name not in names:
                raise missing_column(name, names, self.where or "the table")
        return guesses(self.columns, sensitive, public)

    @property
    def records(self) -> int:
        """The number of records."""
        return max(column.records for column in self.columns)

    def text(
        self,
        found: Sequence[Guess],
        folder: str | os.PathLike[str],
        *,
        eps: float = EPS,
        name: str = NAME,
        output: str = "release",
    ) -> str:
        """Return the text of a plan to edit, for a file of a name in a folder; `output` is in it.

        `name` is what the plan calls itself.
        """
        roles = {
            role: [guess.name for guess in found if guess.role == role]
            for role in ("sensitive", "public")
        }
        options: dict[str, Any] = {
            **roles,
            "eps": float(eps),
            "output": os.path.join(absolute(os.fspath(folder) + "/"), output),  # noqa: PTH118
        }
        if self.where is not None:
            options["table"] = absolute(self.where)
        if len(roles["sensitive"]) > 1:
            options["each"] = True
        cuts = {guess.name: guess.cut for guess in found if guess.cut is not None}
        if cuts:
            options["bin"] = {name: cut for name, cut in cuts.items() if "=" not in name}
        return laid_out(self._header(found, name), options, folder, _notes(found, roles))

    def _header(self, found: Sequence[Guess], name: str) -> str:
        counted = number_of(self.records, "record")
        return "\n".join(
            [
                "A plan to look at and to edit. When it is right:",
                f"    loglift protect --config {shlex.quote(name)}",
                "Its keys are the options of 'loglift protect'. Paths are relative to this folder.",
                "",
                f"{counted}. What the columns are taken for is a guess, from names and counts:",
                "",
                aligned(role_lines(found)),
            ]
        )


def draft(table: Any, *, on_progress: OnProgress = silent) -> Draft:
    """Count the columns of a table, one at a time.

    Takes what `protect` takes. At most 50,000 values of a column are held at once.
    """
    opened = tables.open_table(table)
    if not opened.columns:
        raise PlanError(f"{opened.where} has no columns: give a table with columns")
    found = []
    for number, name in enumerate(opened.columns):
        on_progress(Progress("counting columns", number, len(opened.columns)))
        found.append(overview(opened, name))
    return Draft(tuple(found), opened.where if opened.is_file else None)


def role_lines(found: Sequence[Guess]) -> tuple[RoleLine, ...]:
    """Return what is told of each column; names are written so that they stay on their line."""
    return tuple(
        RoleLine(
            name=toml_key(guess.name),
            type=guess.column.type,
            values="" if guess.column.fault else f"{guess.column.distinct:,}",
            nulls=""
            if guess.column.fault
            else f"{100 * guess.column.nulls / max(guess.column.records, 1):.1f} %",
            role=guess.role,
            why=guess.why,
        )
        for guess in found
    )


def _notes(found: Sequence[Guess], roles: dict[str, list[str]]) -> dict[str, str]:
    """Return a comment for each key that needs a look."""
    notes = {
        "eps": "No released value moves belief in a sensitive value by more than the factor e^eps:"
        "\n1 is a factor of 2.7, 0.5 of 1.6.",
    }
    if not roles["sensitive"]:
        notes["sensitive"] = "No column looks sensitive by its name: name at least one."
    if not roles["public"]:
        notes["public"] = "No column is left to be public: name at least one."
    if len(roles["sensitive"]) > 1:
        notes["each"] = "Each sensitive column is bounded on its own, not their combinations."
    if any(guess.cut is not None for guess in found):
        notes["bin"] = (
            "Columns with many numbers or dates are cut into bands first. Edges of your own:"
            "\nage = [20, 40, 65]."
        )
    weights = [guess.name for guess in found if guess.weighs]
    if weights:
        what = "may be survey weights"
        _suggest(notes, "weights", [toml_line("weights", weights[0])], what, map(toml_key, weights))
    coded = [guess for guess in found if guess.has_codes]
    if coded:
        tables_of = [
            f"{toml_key(guess.name)} = {toml_value(guess.codes) if guess.codes else '[...]'}"
            for guess in coded
        ]
        what = "some numbers may stand for a missing value"
        _suggest(notes, "missing", ["[missing]", *tables_of], what, map(_coded, coded))
    return notes


def _coded(guess: Guess) -> str:
    """Return the name of a column, with its codes unless it is sensitive."""
    codes = ", ".join(f"{code:g}" for code in guess.codes)
    return f"{toml_key(guess.name)} ({codes})" if codes else toml_key(guess.name)


def _suggest(
    notes: dict[str, str], key: str, lines: list[str], what: str, names: Iterable[str]
) -> None:
    """Add a comment at the place of an option, with the lines to add; else beside `public`."""
    said = f"{', '.join(names)}: {what}."
    place = key if key in BY_NAME else "public"
    text = "\n".join([f"{said} Then add:", *lines]) if key in BY_NAME else said
    notes[place] = f"{notes[place]}\n{text}" if place in notes else text
