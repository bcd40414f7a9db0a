"""What `protect` returns: the released table, and everything to know about it."""

from __future__ import annotations

import csv
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any

from loglift import tables
from loglift._compute.progress import OnProgress, Progress, silent
from loglift._compute.threads import Begun
from loglift.audit.audit import Audit
from loglift.certify.certificate import Certificate
from loglift.display import chart
from loglift.errors import InputError, OutputError
from loglift.explain.around import Nearby
from loglift.explain.explain import Explanation
from loglift.mechanism.codebook import codebook
from loglift.mechanism.file import FILE_NAME
from loglift.mechanism.kept import KeptColumn
from loglift.mechanism.mechanism import Mechanism
from loglift.mechanism.notions import Notions
from loglift.readers.evaluation import Evaluation
from loglift.release.card import release_card
from loglift.release.origin import Input, preview_of
from loglift.release.plan import NAME, Plan
from loglift.release.reasons import Reasons
from loglift.report import markup
from loglift.report.detail import Detail
from loglift.report.origin import Preview
from loglift.report.page import render
from loglift.report.summary import Summary
from loglift.tables.formulas import escaped, has_formula
from loglift.values import in_chunks
from loglift.writing import check_directory, whole_directory, whole_file

# All that `Release.save` writes: a directory that holds anything else is never replaced.
FILES = frozenset(
    {
        *(f"released.{ending}" for ending in tables.FORMATS),
        "codebook.csv",
        FILE_NAME,
        "certificate.json",
        "report.html",
        "public-report.html",
        NAME,
    }
)


def check_output(directory: Path, *, force: bool) -> None:
    """Raise `OutputError` if a release cannot be written to a directory.

    One that holds a plan and no release is not replaced: the plan may have been written by hand.
    """
    check_directory(directory, FILES, force=force)
    if (directory / NAME).exists() and not (directory / FILE_NAME).exists():
        raise OutputError(
            f"{directory} holds a plan ({NAME}) and no release: choose another place, such as "
            f"{directory / 'release'}"
        )


@dataclass(frozen=True)
class Saved:
    """What `Release.save` wrote: the directory, its files, columns with formulas, the release.

    Texts that begin with = + - or @ in a CSV file are run by spreadsheets as formulas;
    `codebook_formulas` says whether codebook.csv has any.
    """

    directory: Path
    files: tuple[str, ...]
    formulas: tuple[str, ...]
    release: Release
    codebook_formulas: bool = False


@dataclass(frozen=True, eq=False, repr=False)
class Release:
    """A protected table, and everything to know about it.

    Attributes
    ----------
    table
        The released table: the same kind of dataframe as came in; for a path, a DuckDB relation.
    mechanism
        How values are rewritten: `.blocks`, `.leakage`, `.utility` and the rest. The bound is not
        on what it tells.
    certificate
        The exact check, for the custodian.
    columns
        What became of each public column: cells unchanged, information kept, labels.
    audit
        What the table gave away before.
    notions
        How the release stands by k-anonymity, l-diversity, t-closeness and other notions;
        `.audit.notions` are those of the table.
    passthrough_audit
        What the released columns give away together with those that pass through; None without
        any.
    explaining
        The work on `explanation`, `nearby` and `unexplained`, which wait for it. None unless asked
        for with explain=True.
    input
        The table it was made from: its name and its files, for the report.
    preview
        Some released rows, for the report; None until it is written.
    evaluation
        What readers can do with it, and what an attacker can. None unless asked for with
        evaluate=True.
    plan
        What was asked for: `save` writes it as release.toml, which repeats the release.
    narrow_table
        The released table with texts as ENUMs, where DuckDB released it: Parquet is written of it.
    detail
        What a report shows value by value, once it is worked out.

    Examples
    --------
    >>> import polars as pl
    >>> import loglift
    >>> people = [("a", "y"), ("a", "n"), ("b", "y"), ("b", "y"), ("c", "n"), ("c", "n")]
    >>> table = pl.DataFrame(people, schema=["job", "ill"], orient="row")
    >>> release = loglift.protect(table, sensitive="ill", public="job", eps=0.5)
    >>> release.table.shape, release.certificate.holds
    ((6, 1), True)
    >>> release.columns[0].name, round(release.columns[0].information, 2)
    ('job', 0.58)
    """

    table: Any
    mechanism: Mechanism
    certificate: Certificate
    audit: Audit
    notions: Notions
    passthrough_audit: Audit | None = None
    explaining: Begun[Reasons] | None = None
    input: Input | None = None
    preview: Preview | None = None
    evaluation: Evaluation | None = None
    plan: Plan | None = None
    narrow_table: Any = None
    detail: Detail | None = None

    def __repr__(self) -> str:
        return f"Release({self.mechanism!r})"

    def _repr_html_(self) -> str:
        """Return what a notebook shows: figures for the custodian, not for publication."""
        return release_card(self).html()

    @cached_property
    def summary(self) -> Summary:
        """All that a report shows, as numbers and texts."""
        return Summary.of_release(
            mechanism=self.mechanism,
            certificate=self.certificate,
            audit=self.audit,
            notions=self.notions,
            passthrough_audit=self.passthrough_audit,
            explanation=self.explanation,
            nearby=self.nearby,
            origin=None if self.input is None else self.input.origin,
            preview=self.preview,
            evaluation=self.evaluation,
            unexplained=self.unexplained,
            detail=self.detail,
        )

    @property
    def explanation(self) -> Explanation | None:
        """Which sensitive values bind, what they cost, and what would help.

        None unless asked for with explain=True, and for a release that `unexplained` is about.
        """
        return self._reasons.explanation

    @property
    def nearby(self) -> tuple[Nearby, ...] | None:
        """What merging would keep at bounds around the one asked for.

        Empty where the table is too large to try. None unless asked for with explain=True, and for
        a release that is not solved again: all that `unexplained` is about but the certified ones.
        """
        return self._reasons.nearby

    @property
    def unexplained(self) -> str | None:
        """Why there is no explanation where one was asked for, in words that complete "because".

        The release is randomized, or certified for the population, or made with `known`, `given`,
        `update`, `coarser_than` or bounds of single sensitive values.
        """
        return self._reasons.unexplained

    @property
    def _reasons(self) -> Reasons:
        return Reasons() if self.explaining is None else self.explaining.result()

    @property
    def columns(self) -> tuple[KeptColumn, ...]:
        """What became of each public column, as `KeptColumn`s."""
        return self.certificate.columns

    @property
    def has_codebook(self) -> bool:
        """Whether cells stand for sets of values, which a codebook lists."""
        return self.mechanism.labels is not None and self.mechanism.shares is None

    def _prepare_report(self) -> None:
        """Do what the report needs and what does not wait for the explanation.

        Read the input for its hash: by then the engine is at work, and needs no interpreter, whose
        lock is held while the charts start.
        """
        if self.input is not None:
            _ = self.input.origin
        if self.explaining is not None and (self.nearby if self.explaining.done() else True):
            chart.prepare()
        if self.detail is not None:
            _ = self.detail.partition, self.detail.heat
        markup.load("loglift.report")

    def _write_documents(self, place: Path, *, escape_formulas: bool) -> bool:
        """Write mechanism.json, certificate.json and codebook.csv, where there is one.

        Returns whether codebook.csv has texts that spreadsheets run as formulas.
        """
        (place / FILE_NAME).write_text(self.mechanism.to_json(), "utf-8")
        with (place / "certificate.json").open("w", encoding="utf-8") as file:
            file.writelines(self.certificate.written())
        if not self.has_codebook:
            return False
        found = False
        with (place / "codebook.csv").open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            for lines in in_chunks(codebook(self.mechanism, self.certificate.block_records)):
                if escape_formulas:
                    writer.writerows(map(escaped, line) for line in lines)
                else:
                    writer.writerows(lines)
                    found = found or any(map(has_formula, zip(*lines, strict=True)))
        return found

    def report(self, path: str | PathLike[str]) -> None:
        """Write the report, a page for the custodian: it names sensitive values and counts."""
        told = self.previewed(self.table).summary
        with whole_file(Path(path), force=True) as place:
            place.write_text(render(told), "utf-8")

    def previewed(self, released: Any) -> Release:
        """Return the release with some rows of its table, or of the file it was written to."""
        keeps_order = self.input is not None and self.input.keeps_order
        return replace(self, preview=preview_of(released, keeps_order=keeps_order))

    def save(
        self,
        directory: str | PathLike[str],
        *,
        format: tables.Format | None = None,  # noqa: A002, what it is
        force: bool = False,
        public_report: bool = False,
        escape_formulas: bool = False,
        command: str | None = None,
        on_progress: OnProgress = silent,
    ) -> Saved:
        """Write the release into a directory, all of it or nothing.

        Writes released.parquet (or another format), codebook.csv (which values each block stands
        for; not for a release that is randomized or shown as values), mechanism.json,
        certificate.json, report.html and release.toml. The last three are for the custodian:
        certificate and report contain sensitive values, and release.toml is the plan that repeats
        the release (`loglift protect --config release.toml`). A file that changed since it was
        counted is refused.

        Parameters
        ----------
        directory
            Where to write; one that exists is replaced only with `force`, and only if it holds
            nothing but files of an earlier release.
        format
            "parquet", "csv", "arrow", "dta" (Stata), "sav" (SPSS) or "xlsx" (Excel). By default
            that of the input for Stata, SPSS, Excel and Arrow files, else "parquet".
        public_report
            Also write public-report.html, for readers: it says no more than mechanism.json.
        escape_formulas
            In CSV, and in codebook.csv, put a ' before texts that spreadsheets would run as
            formulas.
        command
            The command that repeats the release, for the report.
        on_progress
            Called with a `Progress` before the table is written.

        """
        kind = format or tables.format_like("" if self.input is None else self.input.kind)
        if kind not in tables.FORMATS:
            raise InputError(f"format must be one of {', '.join(tables.FORMATS)}, got {kind!r}")
        if public_report and self.mechanism.labels is None:
            raise InputError(
                "a public report (--public-report) shows the mechanism, and that of a randomized "
                "release is not public: leave it out"
            )
        check_output(Path(directory), force=force)
        released = f"released.{kind}"
        on_progress(Progress("writing"))
        with (
            whole_directory(Path(directory), FILES, force=force) as place,
            ThreadPoolExecutor(3) as aside,
        ):
            # All this is done while the engine writes the table, which leaves the interpreter idle.
            runs = aside.submit(self._write_documents, place, escape_formulas=escape_formulas)
            prepared = aside.submit(self._prepare_report)
            pages = {}
            if public_report:  # it says no more than mechanism.json, so not the command either
                public = Summary.of_mechanism(self.mechanism)
                pages["public-report.html"] = aside.submit(render, public)
            narrow = kind == "parquet" and self.narrow_table is not None
            formulas = tables.write(
                self.narrow_table if narrow else self.table,
                place / released,
                escape_formulas=escape_formulas and not (kind != "csv" and self.has_codebook),
                labels=None if self.input is None else self.input.labels,
                check=None if self.input is None else self.input.refuse_changed,
            )
            if self.explaining is not None and not self.explaining.done():
                on_progress(Progress("explaining"))
                self.explaining.result()
            prepared.result()
            on_progress(Progress("reporting"))
            shown = self.previewed(place / released)
            pages = {"report.html": aside.submit(render, shown.summary, command=command)} | pages
            for name, page in pages.items():
                (place / name).write_text(page.result(), "utf-8")
            if self.plan is not None:
                plan = self.plan.also(
                    format=None if format == "parquet" else format,
                    escape_formulas=escape_formulas,
                    public_report=public_report,
                )
                (place / NAME).write_text(plan.text(directory), "utf-8")
            codebook_formulas = runs.result()
        book = ("codebook.csv",) if self.has_codebook else ()
        noted = () if self.plan is None else (NAME,)
        names = (released, *book, FILE_NAME, "certificate.json", *pages, *noted)
        return Saved(Path(directory), names, tuple(formulas), shown, codebook_formulas)
