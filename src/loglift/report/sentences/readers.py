"""What is told to readers who know more, and by several releases together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from loglift.certify.certificate import ReaderCheck
from loglift.certify.together import TogetherCheck
from loglift.mechanism.naming import BLOCK_COLUMN
from loglift.mechanism.words import limit_of
from loglift.promise.bound import Bound
from loglift.report.sentences.statement import Statement
from loglift.report.words import amount, event_words, number_of


def reader_statements(readers: Sequence[ReaderCheck], bound: Bound) -> list[Statement]:
    """Say what a release tells readers who know more; those within the bound in one statement."""
    limit, fine = limit_of(bound), [reader for reader in readers if reader.holds]
    found = [
        Statement(
            "bad",
            f"Does not hold for {reader.readers}.",
            f"Compared with {reader.before}, {told_words(reader)} {reader.direction} "
            f"{event_words(reader.sensitive)} beyond {limit}; leakage {amount(reader.leakage)}.",
        )
        for reader in readers
        if not reader.holds
    ]
    for reader in fine:
        words = (
            f"Compared with {reader.before}, no released value moves their belief beyond "
            f"{limit}; leakage {amount(reader.leakage)}"
        )
        if reader.contexts > 1:
            words += f", over {number_of(reader.contexts, 'different thing')} they may know"
        words += "."
        found.append(Statement("good", f"Holds for {reader.readers}.", words))
    return found


def told_words(reader: ReaderCheck) -> str:
    """Say what a reader knows and reads where it tells most: "region = North, with age = 20-29"."""
    if isinstance(reader.knows, list):  # several releases, of which some may not have the record
        parts = [
            "not released" if shows is None else event_words(_without_block(shows))
            for shows in reader.knows
        ]
        return "; ".join(parts)
    knows = [event_words(reader.knows)] if isinstance(reader.knows, dict) else []
    shows = [event_words(_without_block(reader.released))] if reader.released else []
    return ", with ".join([*knows, *shows])


def _without_block(shows: Mapping[str, object]) -> dict[str, object]:
    return {name: value for name, value in shows.items() if name != BLOCK_COLUMN}


def together_statements(check: TogetherCheck) -> list[Statement]:
    """Say what several releases tell together, against the bound that each of them promises."""
    found = []
    checked = zip(check.together, check.certificates, check.promised, strict=True)
    for number, (one, certificate, whole) in enumerate(checked, start=1):
        limit = limit_of(certificate.bound)
        if not (whole or one.holds):
            words = (
                f"It promises {limit} for itself, and says nothing of the others; leakage of all "
                f"together {amount(one.leakage)}."
            )
            found.append(Statement("plain", f"Beyond the bound of release {number}.", words))
        elif one.holds:
            words = (
                f"No combination of what they show moves belief beyond {limit}; leakage "
                f"{amount(one.leakage)}."
            )
            found.append(
                Statement("good", f"Together within the bound of release {number}.", words)
            )
        else:
            words = (
                f"{told_words(one)} {one.direction} {event_words(one.sensitive)} beyond {limit}; "
                f"leakage {amount(one.leakage)}."
            )
            headline = f"Together they do not keep the bound of release {number}."
            found.append(Statement("bad", headline, words))
    return found
