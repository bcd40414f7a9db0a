"""Sentences that state a result. Terminal, page and JSON show these and word none themselves."""

from __future__ import annotations

import math
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from loglift.audit.audit import Audit
from loglift.audit.columns import MAX_PAIRED_COLUMNS
from loglift.audit.readers import ReaderAudit
from loglift.certify.certificate import Certificate, ReaderCheck
from loglift.cuts import Cut
from loglift.explain.caps import Cap
from loglift.explain.explain import Explanation, Remedy
from loglift.explain.hints import Hint
from loglift.explain.suggest import Step
from loglift.identifiers import is_identifier
from loglift.joint import Column
from loglift.mechanism.kept import WHOLE_ROWS, KeptTarget
from loglift.mechanism.mechanism import Mechanism
from loglift.mechanism.naming import BLOCK_COLUMN, text_of
from loglift.promise.bound import Bound, ValueBound
from loglift.report.population import (
    audited_population,
    released_population,
    verified_population,
)
from loglift.report.words import (
    MAX_LISTED_NAMES,
    amount,
    binned,
    either,
    event_words,
    events_words,
    exact,
    fold,
    fraction,
    held,
    limit_of,
    listed,
    nats,
    number_of,
    percent,
    percent_up,
    required,
    requirement_words,
    series,
)
from loglift.values import NUMBERS

Tone: TypeAlias = Literal["good", "bad", "plain"]

CHANNEL_NOTE = (
    "Released values are drawn at random: the bound is on what a reader of the table can infer, "
    "and the records of one draw fluctuate. mechanism.json tells more than the table: whoever "
    "knows how common the sensitive values are can work out from p(y|x) and p(x|y) how common they "
    "are among the records of a public value. Never publish it; give it only to those who may know "
    "that."
)
MECHANISM_NOTE = (
    "What mechanism.json tells is not bounded: what to merge was chosen by looking at the "
    "sensitive columns. Whoever knows how many records each public value has can often tell which "
    "values were outside the bound. The released blocks show the same. docs/guarantee.md has "
    "figures."
)
AS_VALUES = (
    "Each record shows a value of its block, drawn at random. What is said here of released "
    "values, of labels after, of unchanged cells and of records of a value is about the blocks."
)
VALUES_NOTE = (
    "Each record shows a value of its block, drawn at random: next to other columns it is true of "
    "the block only. What mechanism.json tells is not bounded: it shows which values were merged, "
    "and that was chosen by looking at the sensitive columns. The released table does not show it, "
    "unless the sensitive columns are released too. docs/guarantee.md has figures."
)
NOTHING_LOST = "Nothing is lost."
NOTHING_TRIED = "The table has too many values to try what would keep more."
BINDING = (
    "A sensitive value binds in a released value that would break its limit if one of the public "
    "values in it left."
)
MIN_UNCHANGED = 0.5  # of the cells of a column: a column with fewer is warned of
HIGHER_IMPORTANCE = 3  # times the importance a column has, to suggest
OF_WHOLE_ROWS = " of the information in whole rows"
COLUMNS_TITLE = "What happened to each column"
READERS_TITLE = "Readers who know more"
RECORD_TITLE = "For the data protection officer"
PREVIEW = "As readers get them: rows of the released table, drawn at random, in random order."
HINTS_TITLE = "What would help each column"
NUMERALS = {1: "One", 10: "Ten"}
GROUPED = "The bound then holds for a grouped value as a whole, and not for its members."
OTHER_BOUNDS_NOT_TRIED = (
    "Other bounds were not tried: the table has too many values, or the bound is too extreme."
)


@dataclass(frozen=True)
class Statement:
    """A result: its headline, the sentences that go with it, and whether it is good news."""

    tone: Tone
    headline: str
    text: str

    def __str__(self) -> str:
        return f"{self.headline} {self.text}"


def release_statements(
    certificate: Certificate, audit: Audit, passthrough_audit: Audit | None
) -> tuple[Statement, ...]:
    """Return what there is to say about a release: it is safe, what it keeps, what stays open."""
    words = (
        f"{_none_moves(certificate)}, checked exactly on "
        f"{number_of(certificate.records, 'record')}. {kept_words(certificate)}"
    )
    found = [Statement("good", _within("Safe", certificate), words)]
    found += weights_statements(certificate)
    found += reader_statements(certificate.readers, certificate.bound)
    if certificate.kept_without is not None:
        found.append(_cost(certificate))
    found += own_bands(certificate.bins)
    if certificate.combined:
        found.append(Statement("plain", "Counted as one.", combined_words(certificate.combined)))
    if certificate.show == "values":
        found.append(Statement("plain", "Shown as values.", AS_VALUES))
    if certificate.keeps_nothing:
        left = nothing_left(certificate, audit)
        found.append(Statement("bad", "Nothing is left to analyse.", left))
    else:
        found += mostly_sets(certificate, audit)
    if certificate.population is not None:
        words = released_population(certificate)
        found.append(Statement("good", "Beyond this table.", words))
    shown = [name for name in certificate.beside if name in certificate.sensitive]
    if shown:
        words = (
            f"{', '.join(shown)} {either(len(shown), 'is', 'are')} released as in the table: "
            "whoever finds the row of a person reads it there. The bound is only about readers who "
            "do not see it."
        )
        found.append(Statement("bad", "Not protected.", words))
    if passthrough_audit is not None:
        alone = ", for readers who know no more" if certificate.readers else ""
        found.append(_passthrough(passthrough_audit, alone=alone))
        found += _identifiers(passthrough_audit)
    return tuple(found)


def weights_statements(of: Certificate | Audit) -> list[Statement]:
    """Say that shares are sums of survey weights, and what records tell that count the same."""
    if of.weights is None or of.unweighted_leakage is None:
        return []
    words = (
        f"Shares are sums of {of.weights}, so this is about the population that the survey stands "
        f"for. Where every record counts the same, the leakage is {amount(of.unweighted_leakage)}"
    )
    limits = None if of.bound is None else max(of.bound.lower, of.bound.upper)
    bounded = isinstance(of, Certificate) and of.both
    if limits is not None and of.unweighted_leakage > limits and not bounded:
        words += ", beyond the bound"
        words += ": --both bounds that, too" if isinstance(of, Certificate) else ""
    return [Statement("plain", f"Weighted by {of.weights}.", f"{words}.")]


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


def _cost(certificate: Certificate) -> Statement:
    """Say what is kept with the readers who know more, and what would be without them."""
    without = certificate.kept_without or 0.0
    others = "for readers who know no more"
    if not certificate.known and not certificate.given:
        others = "that bounds weighted shares alone"
    words = (
        f"A release {others} would keep {percent(without)} of "
        f"{asked_for(certificate.goal_words)}; this one keeps {percent(certificate.goal_share)}."
    )
    absent = sum(certificate.absent)
    if absent:
        have = either(absent, "has a value", "have values")
        words += (
            f" {number_of(absent, 'record')} {have} "
            "that an earlier release does not know: not being in it counts as one of its values."
        )
    return Statement("plain", "What this costs.", words)


def together_statements(
    check: Sequence[ReaderCheck], bounds: Sequence[Bound], promised: Sequence[bool]
) -> list[Statement]:
    """Say what several releases tell together, against the bound that each of them promises.

    `promised` tells which of them promise anything about all of them.
    """
    found = []
    numbered = enumerate(zip(check, bounds, promised, strict=True), start=1)
    for number, (one, bound, whole) in numbered:
        limit = limit_of(bound)
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


def audit_statements(audit: Audit) -> tuple[Statement, ...]:
    """Say whether a table is inside the bound, or what it reveals, and what that proves."""
    found = [_audited(audit), *weights_statements(audit)]
    found += [_audited_reader(reader, audit) for reader in audit.readers]
    counted = (*audit.joint.columns, *audit.joint.sensitive_columns)
    found += own_bands({column.name: column.bin for column in counted if column.bin is not None})
    if audit.population is not None:
        words = audited_population(audit)
        found.append(Statement("plain", "Beyond this table.", words))
    return tuple(found)


def check_statements(certificate: Certificate) -> tuple[Statement, ...]:
    """Say whether a mechanism is safe for the records it was checked on."""
    unsafe, least = sum(not value.safe for value in certificate.values), certificate.min_count
    checked = (
        f"checked exactly on {number_of(certificate.records, 'record')}; leakage "
        f"{amount(certificate.leakage)}."
    )
    if unsafe:
        few = f" or {either(unsafe, 'has', 'have')} fewer than {number_of(least or 0, 'record')}"
        words = (
            f"{unsafe:,} of {number_of(len(certificate.values), 'released value')} of "
            f"{_released(certificate)} {_breaks(certificate, either(unsafe, 's', ''))}"
            f"{few if least else ''}, {checked}"
        )
        found = [Statement("bad", "Does not hold.", words)]
    else:
        each = "Each block" if certificate.show == "values" else "Each"
        enough = f" {each} has at least {number_of(least, 'record')}." if least else ""
        words = f"{_none_moves(certificate)}, {checked}{enough}"
        found = [Statement("good", _within("Holds", certificate), words)]
    found += weights_statements(certificate)
    found += reader_statements(certificate.readers, certificate.bound)
    if certificate.given:
        number = len(certificate.given)
        words = (
            f"The mechanism was made to be safe together with "
            f"{either(number, 'an earlier release', f'{number} earlier releases')} of "
            f"{'; '.join(', '.join(each.public) for each in certificate.given)}. 'loglift verify' "
            "with all mechanism.json files checks them together."
        )
        found.append(Statement("plain", "Earlier releases are not checked here.", words))
    if certificate.unseen_records:
        records = certificate.unseen_records
        words = (
            f"{records:,} {either(records, 'record has a value', 'records have values')} that the "
            "mechanism does not know: checked as 'apply --unseen "
            f"{certificate.unseen}' releases them."
        )
        found.append(Statement("plain", "Unseen values.", words))
    if certificate.population is not None:
        words = verified_population(certificate.population, certificate.bound)
        tone: Tone = "good" if certificate.population.holds else "bad"
        found.append(Statement(tone, "Beyond this table.", words))
    beside = [name for name in certificate.beside if name not in certificate.known]
    if beside:
        words = (
            f"{listed(beside)} (the other columns of the table). What they add to the "
            "released values is not part of this check."
        )
        found.append(Statement("plain", "Not covered.", words))
    return tuple(found)


def mechanism_statement(
    bound: Bound, public: Sequence[str], sensitive: Sequence[str], values: int, released: int
) -> Statement:
    """Say what a mechanism does, from its file alone."""
    words = (
        f"{number_of(values, 'value')} of {', '.join(public)} {either(values, 'is', 'are')} "
        f"released as {released:,}, and every released value is within {limit_of(bound)} for "
        f"{', '.join(sensitive)}."
    )
    return Statement("good", f"Bounded: {held(bound)}.", words)


def proven(certificate: Certificate) -> str:
    """Say what is proven about the most that a release can keep, and for which releases."""
    words = f"no {certificate.upper_bound_scope} can keep more"
    kept, most = certificate.goal_kept, certificate.upper_bound
    if kept is None or most is None or not certificate.goal_most:
        return words
    if kept >= most * (1 - 1e-9) - 1e-12:
        return words
    return f"{words} than {percent_up(certificate.at_most)}"


def kept_words(certificate: Certificate) -> str:
    """Say which share of the goal is kept, what is proven about it, and what whole rows keep."""
    rows = percent(1 - certificate.nmil)
    if certificate.keeps_rows:
        return f"Kept {rows} of the information; {proven(certificate)}."
    return (
        f"Kept {percent(certificate.goal_share)} of {asked_for(certificate.goal_words)}; "
        f"{proven(certificate)}. It keeps {rows} of the information in whole rows."
    )


def asked_for(goal_words: str | None) -> str:
    """Return what shares are shares of: "the information", or what was asked for, in words."""
    if goal_words in (None, WHOLE_ROWS):
        return "the information"
    return f"what was asked for ({goal_words})"


def shares_of_words(goal_words: str, *, rows: bool) -> str:
    """Say what the shares of a sweep are shares of; `rows` if whole rows have their own column."""
    words = f"What is kept is a share of {asked_for(goal_words)}."
    return f"{words} Whole rows: the share of their information, I(X;Y)/H(X)." if rows else words


def kept_name(goal_words: str | None) -> str:
    """Return the name of the share that is kept, for an axis, a column of a table, or a card."""
    if goal_words in (None, WHOLE_ROWS):
        return "information kept"
    return "kept of what was asked for"


def more_title(goal_words: str | None) -> str:
    """Return the title of remedies: their shares are of the goal."""
    if goal_words in (None, WHOLE_ROWS):
        return "What would keep more"
    return "What would keep more of what was asked for"


def rows_kept_name(goal_words: str | None) -> str:
    """Return the name of the share of I(X;Y) that is kept."""
    if goal_words in (None, WHOLE_ROWS):
        return "information kept"
    return "information in whole rows kept"


def weights_words(targets: Sequence[KeptTarget]) -> str:
    """Return the targets of a goal with their weights, such as "age 50 %, whole rows 50 %"."""
    if len(targets) == 1:
        return "the information in whole rows"
    return ", ".join(f"{target.name} {100 * target.weight:.3g} %" for target in targets)


def mostly_sets(certificate: Certificate, audit: Audit) -> list[Statement]:
    """Warn of columns in which most cells stand for several values, and say what may help.

    Runs of an ordered column are ranges because ranges were asked for.
    """
    few = [column for column in certificate.columns if column.unchanged < MIN_UNCHANGED]
    if not few or certificate.method == "ordered":
        return []
    shares = [percent(1 - column.unchanged) for column in few]
    what = "stand for several values"
    if certificate.show == "values":
        what = "may show another value of their block"
    if len(few) == 1:
        headline = f"Most cells of {few[0].name} {what} ({shares[0]})."
    else:
        names = [f"{column.name} ({share})" for column, share in zip(few, shares, strict=True)]
        columns = series(names) if len(names) <= MAX_LISTED_NAMES else listed(names)
        headline = f"Most cells of {columns} {what}."
    helps = _remedies_of_sets([column.name for column in few], certificate, audit)
    return [Statement("bad", headline, f"What may help: {series(helps, 'or')}.")]


def _remedies_of_sets(names: Sequence[str], certificate: Certificate, audit: Audit) -> list[str]:
    """Return what may leave more cells of these columns as they are, in the order of effort."""
    several, first = len(names) > 1, names[0]
    helps = [_looser(certificate)] if _is_looser_better(certificate, audit) else []
    if len(certificate.public) > 1:
        helps.append("leaving some of them out" if several else f"leaving {first} out")
    numbers = [c.name for c in audit.joint.columns if c.name in names and _holds_numbers(c)]
    if numbers:
        wider = "wider bands" if numbers[0] in certificate.bins else "bands"
        option = shlex.quote(f"{numbers[0]}=WIDTH")
        helps.append(f"{wider} of {listed(numbers)} (--bin {option})")
    if len(numbers) < len(names):
        others = listed([name for name in names if name not in numbers])
        helps.append(f"coarser values of {others}")
    if len(certificate.public) > 1 and certificate.goal == "joint":
        helps.append("--utility columns, which keeps what each column says")
    elif len(certificate.public) > 1 and certificate.goal == "columns":
        option = shlex.quote(f"{first}={_higher_importance(first, certificate)}")
        some = "--importance for the one that matters most, such as "
        helps.append(f"{some if several else '--importance '}{option}")
    return helps


def own_bands(bins: Mapping[str, Cut]) -> list[Statement]:
    """Say which columns were cut because they have very many values, and how to cut them else."""
    own = {name: cut for name, cut in bins.items() if cut.automatic}
    if not own:
        return []
    first, cut = next(iter(own.items()))
    example = "month" if cut.is_of_dates else "quantiles:20"
    each = series([f"{name} {cut.band_words}" for name, cut in own.items()])
    words = (
        f"{each}, with round edges: very many values differ. Cut {either(len(own), 'it', 'them')} "
        f"otherwise with --bin, for example --bin {shlex.quote(f'{first}={example}')}."
    )
    return [Statement("plain", "Cut into bands.", words)]


def _holds_numbers(column: Column) -> bool:
    banded = column.bin is not None and column.bin.bands and not column.bin.is_of_dates
    return column.type in NUMBERS or banded


def _higher_importance(name: str, certificate: Certificate) -> str:
    """Return three times the importance that a column has now, at least 3."""
    now = certificate.importance.get(name, 1.0)
    return exact(max(HIGHER_IMPORTANCE, HIGHER_IMPORTANCE * now))


def at_most_words(scopes: Mapping[str, str]) -> str:
    """Say for which releases "at most" is proven; `scopes` has them by method."""
    if len(set(scopes.values())) == 1:
        return f"At most: no {next(iter(scopes.values()))} can keep more."
    said = (f"for {method}, no {scope} can keep more" for method, scope in scopes.items())
    return f"At most: {'; '.join(said)}."


def nothing_left(certificate: Certificate, audit: Audit) -> str:
    """Say that a release without information has no use, and what may help."""
    values, bound = f"{audit.public_values:,}", certificate.bound
    if len(certificate.values) == 1:
        fact = f"All {values} public values are released as one."
    else:
        fact = f"A released value tells nothing about which of {values} values it was."
    helps = ["fewer or coarser sensitive values"]
    if certificate.given:
        drawn = [] if certificate.drawn else ["values that are drawn (--method randomized)"]
        coarser = "earlier releases with more records in each value (--min-count)"
        helps = [*drawn, coarser, "one release of all columns"]
        return f"{fact} What may keep more: {series(helps, 'or')}."
    if math.isfinite(bound.lower):
        helps.append("a bound upwards only (--upper)")
    if _is_looser_better(certificate, audit):
        helps.append("a looser bound")
    return f"{fact} What may keep more: {series(helps, 'or')}."


def _is_looser_better(certificate: Certificate, audit: Audit) -> bool:
    """Whether a looser bound may keep more.

    By merging, a sensitive value that only one public value has allows one block at any bound.
    """
    return certificate.drawn or not audit.caps or audit.caps[0].blocks > 1


def _looser(certificate: Certificate) -> str:
    bound = certificate.bound
    plain = bound.lower == bound.upper and bound.is_plain
    return "a larger eps" if plain else "a looser bound"


def guaranteed(
    bound: Bound,
    sensitive: Sequence[str],
    min_count: float | None,
    population: str | None,
    *,
    as_values: bool = False,
    known: Sequence[str] = (),
    earlier: int = 0,
    combined: Mapping[str, Sequence[Sequence[object]]] | None = None,
) -> tuple[str, ...]:
    """Return what a release promises, a sentence each."""
    names, found = ", ".join(sensitive), []
    others = "any other value" if bound.values else "any value"
    if bound.beta is not None:
        found.append(
            f"No released value makes {others} of {names} more than 1 + min({exact(bound.beta)}, "
            "-log p(s)) times as likely as it is in the whole table, where p(s) is its share there."
        )
    elif math.isfinite(bound.upper):
        found.append(
            f"No released value makes {others} of {names} more than {fold(bound.upper)} times as "
            "likely as it is in the whole table."
        )
    if math.isfinite(bound.lower):
        found.append(
            f"No released value makes {others} of {names} less than {fraction(bound.lower)} times "
            "as likely, and no released value rules one out."
        )
    found += [_value_promise(value) for value in bound.values]
    found += [required(each, names) for each in bound.requirements]
    if combined:
        found.append(combined_words(combined))
    if known:
        found.append(
            f"The same holds for readers who know {series(known, 'or')} of a person, compared with "
            "what that tells alone: any of these columns, or several together."
        )
    if earlier:
        releases = either(earlier, "earlier release", f"{earlier} earlier releases")
        found.append(
            f"Together with the {releases} of the same records it stays within the same limits."
        )
    found.append(
        "This holds for whoever sees the released columns of this table and knows how common each "
        "sensitive value is in it, however they compute."
    )
    if min_count:
        covers = "Every block" if as_values else "Every released value"
        found.append(f"{covers} covers at least {number_of(min_count, 'record')}.")
    return tuple(found) if population is None else (*found, population)


def combined_words(combined: Mapping[str, Sequence[Sequence[object]]]) -> str:
    """Say which sensitive values count as one, and that they are not told apart."""
    parts = [
        f"{series([text_of(value) for value in group])} of {name}"
        for name, groups in combined.items()
        for group in groups
    ]
    return (
        f"{'; '.join(parts)} {either(len(parts), 'counts', 'each count')} as one value: nothing is "
        "promised about which of them a person has."
    )


def _value_promise(value: ValueBound) -> str:
    """Say what is promised of a sensitive value with a bound of its own."""
    name = text_of(value.value)
    sides = []
    if math.isfinite(value.upper):
        sides.append(f"more than {fold(value.upper)} times")
    if math.isfinite(value.lower):
        sides.append(f"less than {fraction(value.lower)} times")
    if not sides:
        return f"Nothing is promised about {name}: it has no bound."
    return f"No released value makes {name} {' or '.join(sides)} as likely."


def mechanism_note(mechanism: Mechanism) -> str:
    """Return what the file of a mechanism tells beyond the released table."""
    if mechanism.labels is None:
        return CHANNEL_NOTE
    return MECHANISM_NOTE if mechanism.shares is None else VALUES_NOTE


def not_guaranteed(
    bound: Bound,
    sensitive: Sequence[str],
    *,
    each: bool,
    population: bool,
    note: str,
    known: Sequence[str] = (),
    earlier: int = 0,
    combined: Sequence[str] = (),
) -> tuple[str, ...]:
    """Return what a release does not promise, a sentence each; `note` is about its mechanism.

    `known` are columns that readers may know, `earlier` is the number of earlier releases that it
    is safe with, and `combined` are sensitive columns some values of which count as one.
    """
    names, found = ", ".join(sensitive), []
    if len(sensitive) > 1 and each:
        found.append("Combinations of the sensitive columns: each is bounded on its own.")
    found += _open_sides(bound, names)
    for value in bound.values:
        name = text_of(value.value)
        if math.isinf(value.lower):
            found.append(f"That no released value rules out {name}: its fall is not bounded.")
        if math.isinf(value.upper):
            found.append(f"That no released value points at {name}: its rise is not bounded.")
    if combined:
        found.append(f"Which of the values of {series(combined)} that count as one a person has.")
    found.append("What columns that are published beside the released ones reveal.")
    if earlier:
        found.append("What further releases of the same people reveal together with this one.")
    else:
        found.append("What a second release of the same people reveals together with this one.")
    beyond = f", other than {series(known)}" if known else ""
    found.append(
        f"What a reader knows from elsewhere about a person{beyond}, or about the same people."
    )
    if not population:
        found.append(
            "Other tables: the guarantee is for this one. 'loglift verify' checks another."
        )
    return (*found, note)


def _open_sides(bound: Bound, names: str) -> list[str]:
    """Return what is not promised about values of these columns: sides without a limit."""
    if not bound.bounds_lift:
        words = f"How many times as likely a single value of {names} becomes, and that none is "
        return [f"{words}ruled out: log-lifts are not bounded."]
    sides = {
        f"points at a value of {names}: only falling belief is bounded.": bound.upper,
        f"rules out a value of {names}: only rising belief is bounded.": bound.lower,
    }
    return [f"That no released value {words}" for words, side in sides.items() if math.isinf(side)]


def partition_words(public: int, released: int, merged: int, shown: int, *, drawn: bool) -> str:
    """Say how many public values are released as how many, and how many of them a page shows."""
    if released and not drawn:
        alone = public - merged
        words = (
            f"{number_of(public, 'public value')} {either(public, 'is', 'are')} released as "
            f"{released:,}: {merged:,} {either(merged, 'is', 'are')} merged with others, {alone:,} "
            f"{either(alone, 'stays', 'stay')} as {either(alone, 'it is', 'they are')}."
        )
    else:
        words = f"The {number_of(public, 'public value')}."
        if drawn:
            words += f" Each is released as one of {released:,}, drawn at random."
    return words if shown == public else f"{words} The page holds the first {shown:,} of them."


def cap_words(cap: Cap, *, of_rows: bool = False) -> str:
    """Say what a rare sensitive value allows at most.

    The cap is on I(X;Y), whatever the goal is; with `of_rows` the words say so.
    """
    one = cap.blocks == 1
    return (
        f"Every released value must contain {event_words(cap.sensitive)}, which "
        f"{'one public value has' if one else f'{cap.blocks:,} public values have'} "
        f"({number_of(cap.records_with, 'record')}): a merging has at most "
        f"{'one released value' if one else f'{cap.blocks:,} released values'}, and keeps at most "
        f"{percent_up(cap.kept)}{OF_WHOLE_ROWS if of_rows else ''}."
    )


def remedy_words(remedy: Remedy) -> str:
    """Say what would keep more, as an option where there is one, and how much."""
    option = remedy.option
    values = " and for ".join(events_words(values) for values in remedy.sensitive)
    words = {
        "search": f"{option}, which finds better mergings",
        "intact": "no --intact",
        "min_count": "no --min-count",
        "eps": f"{option}",
        "upper": f"{option} alone, which lets values be ruled out",
        "unbounded": f"no bound for {values}",
        "sensitive": f"one sensitive value for {values}",
    }
    if option is not None:
        words["unbounded"] = f"{option}, which bounds nothing about {values}"
        words["sensitive"] = f"{option}, which bounds them as one value"
    return f"{words[remedy.change]}: keeps at least {percent(remedy.kept)}"


def suggested_words(step: Step, steps: int) -> str:
    """Say how to ask for the last of some steps; where no option can, say what to do instead."""
    if step.option is None:
        return "No option says this: recode the sensitive columns of the table first."
    of = "" if steps == 1 else f" for all {steps} steps"
    return f"What to add to protect{of}: {step.option}"


def unexplained_words(reason: str) -> str:
    """Say that a release is not explained, and why."""
    return f"Why it keeps no more, and what would help, is not computed, because {reason}."


def explanation_words(explanation: Explanation, *, of_rows: bool = False) -> tuple[str, ...]:
    """Say which rare value caps a release, and where nothing was tried."""
    if explanation.kept >= 1:
        return (NOTHING_LOST,)
    caps = [cap_words(cap, of_rows=of_rows) for cap in explanation.caps[:1]]
    return (*caps, NOTHING_TRIED) if explanation.compared_with is None else tuple(caps)


def hint_words(hint: Hint, columns: int) -> str:
    """Say what would help a column, and what it and the others then keep of their information.

    `columns` is the number of public columns.
    """
    others = _instead(
        "the other column keeps" if columns == 2 else "the other columns keep",  # noqa: PLR2004
        hint.others_after,
        hint.others_before,
    )
    if columns > 2:  # noqa: PLR2004, the mean of one column is that column
        others += " on average"
    if hint.kind == "leave out":
        return f"{hint.change}: {others}"
    who = "its bands keep" if hint.kind == "bands" else f"{hint.column} keeps"
    return f"{hint.change}: {_instead(who, hint.kept, hint.before)}, {others}"


def _instead(who: str, after: float, before: float) -> str:
    return f"{who} at least {percent(after)} instead of {percent(before)}"


def nothing_to_group(kept: float, *, of_rows: bool = False) -> str:
    """Say that grouping sensitive values would not help; `of_rows` as in `cap_words`."""
    share = f"{percent(kept)}{OF_WHOLE_ROWS if of_rows else ''}"
    return f"A release keeps {share}; grouping sensitive values would not keep more."


def pairs_left_out_words(pairs: int) -> str:
    """Say which pairs of public columns were not measured."""
    return (
        f"Only the {MAX_PAIRED_COLUMNS} columns that leak most on their own were paired: "
        f"{number_of(pairs, 'other pair')} {either(pairs, 'was', 'were')} not tried."
    )


def leakage_words(leakage: float) -> str:
    """Say what a leakage means."""
    if math.isinf(leakage):
        return "some value rules out a sensitive value"
    return f"belief moves at most {fold(leakage)}-fold"


def preview_title(rows: int) -> str:
    """Return the title of some released rows."""
    return f"{NUMERALS.get(rows, str(rows))} released {either(rows, 'row', 'rows')}"


def fewest_words(*, drawn: bool) -> str:
    """Name the figure of the smallest released value; draws only have an expected number."""
    return "fewest records expected of a value" if drawn else "fewest records of a value"


def least_eps_statement(
    method: str,
    eps: float,
    asked: float,
    kept: float,
    leakage: float,
    goal_words: str | None = None,
) -> Statement:
    """Say which eps keeps the share of the goal that was asked for."""
    headline = (
        f"eps {exact(eps)} is the least found with {method} that keeps {percent(asked)} of "
        f"{asked_for(goal_words)}."
    )
    return Statement("good", headline, f"It keeps {percent(kept)}; leakage {amount(leakage)}.")


def _within(lead: str, certificate: Certificate) -> str:
    return f"{lead}: {held(certificate.bound)}."


def _none_moves(certificate: Certificate) -> str:
    released, values = _released(certificate), len(certificate.values)
    if values == 1:
        return f"The one released value of {released} does not {_breaks(certificate)}"
    return f"None of the {values:,} released values of {released} {_breaks(certificate, 's')}"


def _released(certificate: Certificate) -> str:
    return listed([binned(name, certificate.bins) for name in certificate.public])


def _breaks(certificate: Certificate, ending: str = "") -> str:
    """Say in which ways a released value would break the bound: "moves belief ... beyond eps 1"."""
    names = [binned(name, certificate.bins) for name in certificate.sensitive]
    apart = ", each on its own," if certificate.each else ", taken together,"
    about = f"{', '.join(names)}{apart if len(names) > 1 else ''}"
    bound, parts = certificate.bound, []
    if bound.bounds_lift:
        plain = limit_of(replace(bound, requirements=()))
        parts.append(f"move{ending} belief about {about} beyond {plain}")
    if bound.requirements:
        told = series([requirement_words(each) for each in bound.requirements], "or")
        parts.append(f"violate{ending} {told}{'' if parts else f' for {about}'}")
    return " or ".join(parts)


def _passthrough(audit: Audit, *, alone: str) -> Statement:
    """Say what columns that pass through add; `alone` says for which readers, if not for all."""
    bins = {c.name: c.bin for c in audit.joint.columns if c.bin is not None}
    names, number = (
        ", ".join(binned(name, bins) for name in audit.public[1:]),
        len(audit.public) - 1,
    )
    how = (
        "released" if any(name in bins for name in audit.public[1:]) else "released as in the table"
    )
    if audit.holds:
        stays = either(number, "it stays", "they stay")
        words = f"Together with the released values {stays} inside the bound{alone}."
        return Statement("good", f"{how.capitalize()}: {names}.", words)
    words = (
        f"{names} {either(number, 'is', 'are')} {how}. Together with the "
        f"released values {either(number, 'it leaks', 'they leak')} {amount(audit.leakage)}; "
        f"{percent(audit.share_at_risk or 0)} of the records are outside the bound."
    )
    return Statement("bad", "Not protected.", words)


def _identifiers(audit: Audit) -> list[Statement]:
    """Warn of columns that pass through and look like identifiers."""
    columns, records = audit.joint.columns[1:], int(audit.joint.weight.sum())
    names = [c.name for c in columns if is_identifier(c.name, c.type, len(c.values), records)]
    if not names:
        return []
    words = (
        f"{', '.join(names)}: nearly every record has a value of its own, which finds the record "
        f"again wherever {either(len(names), 'the column is', 'these columns are')} known. Leave "
        f"{either(len(names), 'it', 'them')} out."
    )
    return [Statement("bad", "Looks like an identifier.", words)]


def _audited_reader(reader: ReaderAudit, audit: Audit) -> Statement:
    """Say what the public values add to what readers know who know more."""
    words = f"Compared with {reader.before}, the public values leak {amount(reader.leakage)}"
    if audit.bound is None:
        return Statement("plain", f"To {reader.readers}.", f"{words}.")
    limit, share = limit_of(audit.bound), percent(reader.share_at_risk or 0)
    if reader.holds:
        return Statement("good", f"Holds for {reader.readers}.", f"{words}, within {limit}.")
    words += f"; {share} of the records are outside {limit}."
    return Statement("bad", f"Does not hold for {reader.readers}.", words)


def _audited(audit: Audit) -> Statement:
    names, values = ", ".join(audit.sensitive), audit.public_values
    if audit.bound is None and math.isinf(audit.leakage):
        words = f"Some public value rules out a value of {names}."
        return Statement("plain", "Infinite leakage.", words)
    if audit.bound is None:
        moves = f"moves belief about {names} {fold(audit.leakage)}-fold"
        words = f"The most revealing public value {moves}."
        return Statement("plain", f"Leakage {nats(audit.leakage)} nats.", words)
    limit = limit_of(audit.bound)
    if not audit.values_at_risk:
        headline = f"Holds: {held(audit.bound)}."
        which = "The one public value is" if values == 1 else f"All {values:,} public values are"
        return Statement("good", headline, f"{which} within {limit} without any change.")
    risky = audit.values_at_risk or 0
    words = (
        f"{risky:,} of {number_of(values, 'public value')}, with "
        f"{percent(audit.share_at_risk or 0)} of the records, {either(risky, 'is', 'are')} outside "
        f"{limit}: {either(risky, 'it reveals', 'they reveal')} more about {names} than it allows."
    )
    return Statement("bad", "Does not hold.", words)
