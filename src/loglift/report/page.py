"""Summaries as self-contained HTML pages: of a release, of an audit, and one to publish."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from loglift.audit.columns import worst_first
from loglift.certify.certificate import Belief
from loglift.mechanism.words import limit_of
from loglift.promise.bound import Bound
from loglift.report import markup
from loglift.report.columns import PAGE_HEAD, column_lines
from loglift.report.curves import Curves, Line
from loglift.report.data import page_data
from loglift.report.heat import legend_of
from loglift.report.notions import (
    HEAD as NOTIONS_HEAD,
    NOTE as NOTIONS_NOTE,
    TITLE as NOTIONS_TITLE,
    notion_lines,
)
from loglift.report.sentences.audit import leakage_words, pairs_left_out_words
from loglift.report.sentences.explanation import (
    BINDING,
    OTHER_BOUNDS_NOT_TRIED,
    cap_words,
    explanation_words,
    hint_words,
    remedy_words,
    unexplained_words,
)
from loglift.report.sentences.kept import asked_for
from loglift.report.sentences.release import partition_words
from loglift.report.sentences.statement import Statement
from loglift.report.sentences.titles import (
    COLUMNS_TITLE,
    EVALUATION_TITLE,
    HINTS_TITLE,
    PREVIEW,
    READERS_TITLE,
    RECORD_TITLE,
    fewest_words,
    kept_name,
    more_title,
    preview_title,
    rows_kept_name,
)
from loglift.report.summary import Summary
from loglift.report.words import belief_words, event_words

PRIVATE = "For the custodian only: this page names sensitive values and counts."
OPEN = (
    "This page says what mechanism.json says, and no more. The bound is on what released values "
    "tell, not on what this page tells: publish it only where all may know what was merged."
)
MAX_LIMITS = 12
MAX_CONTEXTS = 10  # things that readers may know, of each reader
MAX_DRIVERS = 12
MAX_BELIEFS = 12
_POINTS_OF_A_CURVE = 2


@dataclass(frozen=True)
class Section:
    """A part of a page: its address in the page, its title, and its template.

    Of a page with parts that are `brief`, only these are printed.
    """

    id: str
    title: str
    template: str
    brief: bool = False


def put_together(
    title: str,
    audience: str,
    sections: Sequence[Section],
    statements: Sequence[Statement] = (),
    *,
    private: bool = True,
    data: Any = None,
    **parts: Any,
) -> str:
    """Return a page as one HTML document that needs no other file and no network.

    `data` is what its script reads; `parts` are what the templates of its sections show.
    """
    return markup.render(
        "loglift.report",
        "page.html",
        title=title,
        audience=audience,
        private=private,
        sections=sections,
        brief=any(section.brief for section in sections),
        statements=statements,
        data=markup.script_data(data),
        css=markup.file_of("report.css"),
        js=markup.file_of("report.js"),
        **parts,
    )


def render(summary: Summary, *, command: str | None = None) -> str:
    """Return the page of a summary; `command` is the command line that repeats it."""
    names = ", ".join(summary.public)
    titles = {
        "release": f"Release of {names}",
        "audit": f"Audit of {names}",
        "mechanism": f"How {names} was released",
    }
    private, certificate = summary.kind != "mechanism", summary.certificate
    return put_together(
        titles[summary.kind],
        PRIVATE if private else OPEN,
        _sections(summary),
        summary.statements,
        private=private,
        data=page_data(summary),
        summary=summary,
        command=command,
        words=_words(summary),
        legend=() if summary.heat is None else legend_of(summary.heat, summary.bound),
        curves=None if summary.nearby is None else nearby_curves(summary),
        # Single columns, then pairs, those that leak most first.
        leaking=sorted(
            worst_first(() if summary.audit is None else summary.audit.columns),
            key=lambda column: len(column.columns),
        ),
        columns=[] if certificate is None else list(column_lines(certificate)),
        columns_head=("column", *PAGE_HEAD),
        beliefs=listed_beliefs(summary.beliefs),
        max_limits=MAX_LIMITS,
        max_drivers=MAX_DRIVERS,
        max_contexts=MAX_CONTEXTS,
        notions=[]
        if summary.audit is None
        else notion_lines(summary.audit.notions, summary.notions),
        **_evaluation(summary),
    )


def _evaluation(summary: Summary) -> dict[str, Any]:
    """Return the parts of an evaluation, if there is one."""
    if summary.evaluation is None:
        return {}
    from loglift.report.sheets.evaluation import evaluation_parts  # noqa: PLC0415, if there is one

    return evaluation_parts(summary.evaluation)


def listed_beliefs(beliefs: Sequence[Belief]) -> list[tuple[str, ...]]:
    """Return the commonest and the rarest values of each sensitive variable, as rows of texts.

    About `MAX_BELIEFS` in all, and at least two of each variable, commonest first.
    """
    variables: dict[tuple[str, ...], list[Belief]] = {}
    for belief in beliefs:
        variables.setdefault(tuple(belief.sensitive), []).append(belief)
    found: list[tuple[str, ...]] = []
    for values in variables.values():
        most = max(2, MAX_BELIEFS // len(variables))
        ordered = sorted(values, key=lambda belief: -belief.before)
        rare = ordered[max(most - most // 2, len(ordered) - most // 2) :]
        shown = [*ordered[: most - most // 2], *rare]
        found += [(event_words(belief.sensitive), *belief_words(belief)) for belief in shown]
    return found


def nearby_curves(summary: Summary) -> Curves | None:
    """Return what is kept at other bounds as a chart; None where fewer than two were tried."""
    points, bound, kept = summary.nearby or (), summary.bound, summary.kept
    if len(points) < _POINTS_OF_A_CURVE or bound is None or kept is None:
        return None
    title, scale = _axis(bound)
    return Curves(
        x_title=title,
        lines=(
            Line("what merging keeps", tuple((scale * near.factor, near.kept) for near in points)),
        ),
        y_title=kept_name(summary.goal),
        chosen=(scale, kept),
        at_most=summary.upper_bound,
        proven=summary.proven,
        description=(
            f"Share of {asked_for(summary.goal)} kept against {title}; the table below has the "
            "numbers."
        ),
    )


def _sections(summary: Summary) -> list[Section]:
    partition = "All public values"
    if summary.partition.blocks:
        partition = "Which values were merged"
    values = Section("values", partition, "partition.html")
    parameters = Section("parameters", "How it was made", "parameters.html")
    release = summary.kind == "release"
    guarantee = Section("guarantee", "What is guaranteed", "guarantee.html", brief=release)
    heat = Section("heat-map", "Log-lift", "heat.html")
    if summary.kind == "mechanism":
        return [values, guarantee, parameters]
    readers = []
    if summary.audit is not None and summary.audit.readers:
        readers = [Section("readers", READERS_TITLE, "readers.html")]
    notions = Section("notions", NOTIONS_TITLE, "notions.html")
    if summary.kind == "audit":
        found = [Section("figures", "What it reveals", "revealed.html"), notions, heat, *readers]
        if summary.audit and (summary.audit.drivers or summary.audit.columns):
            found.append(Section("why", "What is behind it", "drivers.html"))
        return [*found, values, parameters]
    found = [Section("columns", COLUMNS_TITLE, "columns.html", brief=True)]
    if summary.preview is not None:
        found.append(Section("preview", preview_title(len(summary.preview.rows)), "preview.html"))
    found += [
        Section("figures", "Before and after", "figures.html"),
        notions,
        *readers,
        heat,
        values,
    ]
    if summary.nearby is not None:
        found.append(Section("frontier", "Other bounds", "nearby.html"))
    if summary.explanation is not None or summary.unexplained is not None:
        found.append(Section("why", "What it costs, and what would help", "explanation.html"))
    if summary.evaluation is not None:
        found.append(Section("evaluation", EVALUATION_TITLE, "evaluation.html"))
    record = Section("record", RECORD_TITLE, "record.html", brief=True)
    return [*found, record, guarantee, parameters]


def _words(summary: Summary) -> dict[str, Any]:
    """Return the sentences of the sections, by the name that their templates use."""
    partition, audit, explanation = summary.partition, summary.audit, summary.explanation
    figures = summary.after or summary.before
    bound, of_rows = summary.bound, not summary.keeps_rows
    return {
        "partition": partition_words(
            partition.public_values,
            partition.released_values,
            partition.merged_values,
            len(partition.values),
            drawn=not partition.blocks and partition.released_values > 0,
        ),
        "leakage": "" if figures is None else leakage_words(figures.leakage),
        "limit": "eps 1, as no bound was asked for" if bound is None else limit_of(bound),
        "caps": [cap_words(cap, of_rows=of_rows) for cap in (audit.caps[:1] if audit else ())],
        "pairs_left_out": (
            pairs_left_out_words(audit.pairs_left_out) if audit and audit.pairs_left_out else ""
        ),
        "columns": COLUMNS_TITLE,
        "notions": NOTIONS_TITLE,
        "notions_head": NOTIONS_HEAD,
        "notions_note": NOTIONS_NOTE,
        "preview": PREVIEW,
        "kept": kept_name(summary.goal),
        "rows_kept": rows_kept_name(summary.goal),
        "explanation": ()
        if explanation is None
        else explanation_words(explanation, of_rows=of_rows),
        "unexplained": (
            "" if summary.unexplained is None else unexplained_words(summary.unexplained)
        ),
        "hints": [
            hint_words(hint, len(summary.public))
            for hint in (explanation.hints if explanation is not None else ())
        ],
        "hints_title": HINTS_TITLE,
        "more_title": more_title(summary.goal),
        "remedies": [] if explanation is None else list(map(remedy_words, explanation.remedies)),
        "binding": BINDING,
        "fewest": fewest_words(drawn=summary.drawn),
        "not_tried": OTHER_BOUNDS_NOT_TRIED,
    }


def _axis(bound: Bound) -> tuple[str, float]:
    """Return the title of the axis of bounds, and where on it a bound is."""
    if len(bound.sides) == 1:
        [(name, side)] = bound.sides.items()
        return f"{name} (nats)", side
    return f"multiples of {limit_of(bound)}", 1.0
