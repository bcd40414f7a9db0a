"""The terminal shows every statement of the summary, and no text of a table controls it."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest
from rich.console import Console

import loglift
from loglift.display.numbers import percent
from loglift.explain.hints import Hint
from loglift.report.document import document
from loglift.report.page import render
from loglift.report.sentences.explanation import hint_words
from loglift.report.sentences.statement import Statement
from loglift.report.summary import Summary
from loglift.report.terminal import (
    MAX_LIMITS,
    MAX_UNSAFE,
    print_certificate,
    print_release,
    print_statement,
    shown,
)


def printed(show, *parts):
    out = io.StringIO()
    console = Console(file=out, width=2000)
    show(parts[0], console, *parts[1:])
    return out.getvalue()


def plain(text):
    return text.replace("│", "|")


def test_a_release_shows_every_statement_and_note(summary):
    text = printed(print_release, summary, "people.csv")
    assert text.startswith("people.csv: 4,000 records\n")
    for statement in summary.statements:
        assert str(statement) in text
    for note in summary.notes:
        assert note in text
    assert "Why it keeps no more" in text
    assert "What would keep more of what was asked for:" in text
    assert "What happened to each column" in text
    kept, rows = percent(summary.kept), percent(summary.after.kept)
    assert f"kept of what was asked for     | 100.0 % | {kept}" in plain(text)
    assert f"information in whole rows kept | 100.0 % | {rows}" in plain(text)
    assert f"{summary.before.fewest_records:,}" in text


def test_what_would_help_each_column_is_shown_on_every_surface(summary):
    hint = Hint("age", "--intact age", 1.0, 0.82, 0.75, 0.76, "intact")
    helped = replace(summary, explanation=replace(summary.explanation, hints=(hint,)))
    line = hint_words(hint, 2)
    assert f"What would help each column:\n  {line}" in printed(print_release, helped, "t")
    assert f"<h3>What would help each column</h3>\n<ul><li>{line}</li></ul>" in render(helped)
    [told] = document(helped)["explanation"]["hints"]
    assert {**told, "bands": ()} == vars(hint)
    bare = replace(summary, explanation=replace(summary.explanation, hints=()))
    assert "What would help each column" not in printed(print_release, bare, "t")
    assert "What would help each column" not in render(bare)


def test_with_the_joint_goal_there_is_one_share(made):
    table, _ = made
    columns = {"sensitive": "illness", "public": ["town", "age"], "utility": "joint"}
    found = loglift.protect(str(table), **columns, eps=0.4, explain=True).summary
    text = printed(print_release, found, "t")
    assert f"information kept          | 100.0 % | {percent(found.after.kept)}" in plain(text)
    assert "asked for" not in text
    assert "asked for" not in render(found).replace("not asked for", "")
    assert "What would keep more:" in text


def test_many_limits_are_counted(summary):
    limits = summary.explanation.limits
    many = replace(summary.explanation, limits=(limits * 9)[: MAX_LIMITS + 2])
    assert len(many.limits) == MAX_LIMITS + 2
    assert "2 more bind." in printed(print_release, replace(summary, explanation=many), "t")
    lost_nothing = replace(summary.explanation, kept=1.0)
    assert "Why" not in printed(print_release, replace(summary, explanation=lost_nothing), "t")


def test_a_check_names_the_values_that_are_not_safe(summary):
    certificate = summary.certificate
    assert printed(print_certificate, certificate).startswith("Holds: ")
    first = replace(certificate.values[0], safe=False)
    broken = replace(certificate, values=(first, *certificate.values[1:]))
    text = printed(print_certificate, broken)
    assert "Released values that are not safe" in text
    many = replace(certificate, values=(first,) * (MAX_UNSAFE + 3))
    assert f"not safe ({MAX_UNSAFE} of {MAX_UNSAFE + 3})" in printed(print_certificate, many)
    assert f"{first.direction} illness = " in text
    assert "Does not hold." in text
    few = printed(print_certificate, replace(broken, min_count=10**6))
    assert "has fewer than 1,000,000 records" in few


@pytest.mark.parametrize("text", ["\x1b[2J", "[red]x[/]", "a\nb", "\u202e"])
def test_no_text_controls_the_terminal(text):
    statement = Statement("bad", f"head {text}", f"text {text}")
    said = printed(print_statement, statement)
    assert said.count("\n") == 1
    assert shown(text).plain in said
    assert all(c.isprintable() or c == "\n" for c in said)


def test_only_a_release_has_a_before_and_an_after(summary):
    alone = Summary.of_mechanism(summary.mechanism)
    with pytest.raises(TypeError, match="only the summary of a release"):
        printed(print_release, alone, "t")
