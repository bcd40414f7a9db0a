"""The record of a release for a data protection officer, in words.

Who made what from which input, under which limits, and what that means for a person in the table.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from loglift.certify.certificate import Certificate
from loglift.display.numbers import exact
from loglift.explain.commands import Combined
from loglift.mechanism.mechanism import Mechanism
from loglift.mechanism.words import limit_of, value_bound_words, value_words
from loglift.promise.bound import Bound
from loglift.report.origin import Origin
from loglift.report.sentences.guarantee import known_words
from loglift.report.sentences.kept import weights_words
from loglift.report.words import (
    as_one,
    belief_words,
    binned,
    either,
    event_words,
    fold,
    fraction,
    listed,
    number_of,
    required,
    series,
    whole_words,
)

NOTHING_MORE = "no others"
METHODS = {
    "search": "by a search for what keeps most",
    "exact": "by exact optimisation",
    "ordered": "into runs of an ordered column, the best there are",
    "greedy": "by Algorithm 1 of the paper, step by step",
    "complete": "by merging all high-risk values",
}


def record_of(
    mechanism: Mechanism, certificate: Certificate, origin: Origin | None
) -> tuple[tuple[str, str], ...]:
    """Return what a record of the release states, as names and texts."""
    return (
        *(() if origin is None else _input(certificate, origin)),
        *_columns(certificate),
        (
            "limit",
            limit_words(
                certificate.bound,
                certificate.sensitive,
                each=certificate.each,
                combined=certificate.combined,
                weights=certificate.weights,
            ),
        ),
        ("how values are rewritten", _rewriting(mechanism, certificate)),
        ("what was to be kept", weights_words(certificate.targets)),
        ("other options", "; ".join(_options(certificate, origin)) or NOTHING_MORE),
    )


def in_plain_words(mechanism: Mechanism, certificate: Certificate) -> str:
    """Say what a release means for the people in the table, without terms of the trade."""
    secret = series(certificate.sensitive)
    says = _what_it_does(mechanism, certificate, secret)
    whole = whole_words(certificate.weights)
    reader = (
        f"Whoever reads it, and knows how common each value of {secret} is in the {whole}, "
        "learns about a person at most this:"
    )
    learns = [required(each, secret, whole) for each in certificate.bound.requirements]
    if certificate.bound.bounds_lift:
        together = f" ({as_one(certificate.combined)})" if certificate.combined else ""
        moves = _moves(certificate.bound)
        learns.insert(0, f"Whatever a row shows, each value{together} is {moves}.")
    covered = known_words(certificate.known, len(certificate.given))
    limit = (
        "This limits what a row says about "
        f"{secret}. It does not promise that nobody recognises a person by the other columns, nor "
        f"does it cover what readers know from elsewhere{covered}."
    )
    names = listed([binned(name, certificate.bins) for name in certificate.public])
    return " ".join(
        [
            f"The released table shows {names} of {number_of(certificate.records, 'record')}.",
            says,
            reader,
            *learns,
            *_example(certificate),
            *_published(certificate),
            limit,
        ]
    )


def limit_words(
    bound: Bound,
    sensitive: Sequence[str],
    *,
    each: bool,
    combined: Combined | None = None,
    weights: str | None = None,
) -> str:
    """Return a bound in words: how far a released value may move belief."""
    names = series(sensitive)
    if len(sensitive) > 1:
        names += ", each on its own" if each else ", taken together"
    names += f" ({as_one(combined)})" if combined else ""
    whole = whole_words(weights)
    told = [required(each, names, whole).rstrip(".") for each in bound.requirements]
    if bound.bounds_lift:
        told.insert(0, f"after any released value, a value of {names} is {_moves(bound)}")
    return f"{limit_of(bound)}: {'. '.join(told)}"


def _moves(bound: Bound) -> str:
    if bound.lower == bound.upper == 0 and bound.is_plain:
        return "as likely as before"
    sides = []
    if bound.beta is not None:
        sides.append(f"at most 1 + min({exact(bound.beta)}, -log of its share) times")
    elif math.isfinite(bound.upper):
        sides.append(f"at most {fold(bound.upper)} times")
    if math.isfinite(bound.lower):
        sides.append(f"at least {fraction(bound.lower)} times")
    told = f"{' and '.join(sides)} as likely as before"
    if not bound.values:
        return told
    own = "; ".join(value_bound_words(value) for value in bound.values)
    return f"{told} (with bounds of their own, in nats: {own})"


def _input(certificate: Certificate, origin: Origin) -> Iterator[tuple[str, str]]:
    yield "date", origin.made_on.isoformat()
    files = f" ({number_of(origin.files, 'file')})" if origin.files > 1 else ""
    name = "a dataframe" if origin.name is None else f"{origin.name}{files}"
    yield "input", f"{name}, {number_of(certificate.records, 'record')}"
    if origin.sha256 is not None:
        yield f"SHA-256 of the input {either(origin.files, 'file', 'files')}", origin.sha256
    else:
        if origin.files:
            yield "SHA-256 of the input file", "unknown: the file changed after it was read"
        yield "SHA-256 of the counts", certificate.counts_sha256


def _columns(certificate: Certificate) -> Iterator[tuple[str, str]]:
    yield (
        "protected columns",
        listed([binned(name, certificate.bins) for name in certificate.public]),
    )
    shown = [name for name in certificate.beside if name in certificate.sensitive]
    others = [name for name in certificate.beside if name not in certificate.sensitive]
    shown_as = listed([binned(name, certificate.bins) for name in others])
    yield "columns released as they are", shown_as or "none"
    yield "sensitive columns", ", ".join(certificate.sensitive)
    if certificate.weights is not None:
        too = "; also bounded where every record counts the same" if certificate.both else ""
        yield "survey weights", f"{certificate.weights}{too}"
    published = f"yes, as in the table: {', '.join(shown)}" if shown else "no"
    yield "sensitive columns published", published


def _rewriting(mechanism: Mechanism, certificate: Certificate) -> str:
    if mechanism.labels is None:
        return "each value is replaced by one that is drawn at random"
    merged = f"values are merged, {METHODS.get(mechanism.method, mechanism.method)}"
    if certificate.draws is None:
        return merged
    return f"{merged}; each record shows one value of its block, drawn at random"


def _what_it_does(mechanism: Mechanism, certificate: Certificate, secret: str) -> str:
    if mechanism.labels is None:
        return f"Its values are drawn at random, so that they say little about {secret}."
    if len(mechanism.public) == mechanism.size:
        return f"No value had to be changed to say little about {secret}."
    few = ", or had too few records," if certificate.min_count else ""
    merged = f"Values that said too much about {secret}{few} were merged with others"
    if certificate.draws is None:
        return f"{merged}."
    return f"{merged}, and a row shows any of the values that are merged with its own."


def _example(certificate: Certificate) -> Iterator[str]:
    """Say how far belief can rise at most, by the sensitive value where it can rise furthest."""
    if not certificate.beliefs:
        return
    furthest = max(certificate.beliefs, key=lambda belief: belief.most - belief.before)
    before, least, most = belief_words(furthest)
    have = "of the records have" if certificate.weights is None else "of that population has"
    yield (
        f"For example, {before} {have} {event_words(furthest.sensitive)}; whatever a "
        f"row shows, belief in that stays between {least} and {most}."
    )


def _published(certificate: Certificate) -> Iterator[str]:
    shown = [name for name in certificate.beside if name in certificate.sensitive]
    if shown:
        yield (
            f"But {series(shown)} {either(len(shown), 'is', 'are')} published as well: whoever "
            "recognises the row of a person reads it there."
        )


def _reader_options(certificate: Certificate) -> Iterator[str]:
    """Yield what was said of readers who know more, and of values that count as one."""
    if certificate.known:
        yield f"the limit also holds for readers who know {series(certificate.known, 'or')}"
    if certificate.given:
        number = len(certificate.given)
        earlier = either(number, "an earlier release", f"{number} earlier releases")
        yield f"the limit holds together with {earlier} of the same records"
    for name, groups in certificate.combined.items():
        told = "; ".join(" or ".join(value_words(value) for value in group) for group in groups)
        yield f"values of {name} that count as one: {told}"


def _options(certificate: Certificate, origin: Origin | None) -> Iterator[str]:
    """Yield the options that are not the usual ones."""
    yield from _reader_options(certificate)
    if certificate.min_count:
        what = "block" if certificate.show == "values" else "released value"
        has = "is expected to have" if certificate.drawn else "has"
        yield f"every {what} {has} at least {number_of(certificate.min_count, 'record')}"
    if certificate.intact and certificate.drawn:
        yield f"every released value stands for one value of {series(certificate.intact)} only"
    elif certificate.intact:
        yield f"values of {series(certificate.intact)} are never merged with different ones"
    elif certificate.intact is not None:
        yield "groups of values, given one by one, are never merged with each other"
    if certificate.population is not None:
        confidence = exact(100 * certificate.population.confidence)
        yield f"certified for the population with {confidence} % confidence"
    if certificate.draws is not None and certificate.draws.key is not None:
        yield f"records of the same {certificate.draws.key} get the same draw"
    if certificate.draws is not None and certificate.draws.seeded:
        yield "drawn with a seed, for tests only"
    if origin is not None:
        order = "keep the order of the input" if origin.keeps_order else "are shuffled"
        yield f"the released rows {order}"
