"""The parts of a page, each from the summary alone."""

from __future__ import annotations

import math
from collections.abc import Iterator
from html import escape

from loglift.certify.certificate import Belief
from loglift.explain.around import Nearby
from loglift.explain.binding import Limit
from loglift.mechanism.recoding import Recoding
from loglift.promise.bound import Bound
from loglift.report.chart import Chart, Line, drawn
from loglift.report.heat import BOUNDED, UNBOUNDED, Heat
from loglift.report.markup import Section, bullets, fill, paragraph, table
from loglift.report.summary import Summary
from loglift.report.words import (
    CHANNEL_NOTE,
    MECHANISM_NOTE,
    belief_words,
    cap_words,
    event_words,
    left_out_words,
    limit_of,
    nats,
    percent,
    remedy_words,
)

_MOST_LIMITS = 12
_MOST_DRIVERS = 12
_MOST_BELIEFS = 12


def before_after(summary: Summary) -> Section:
    """Leakage, information and number of values, large; then all figures in a table."""
    before, after = summary.before, summary.after
    if before is None:
        raise TypeError("a mechanism alone has no figures")
    if after is None:
        cards = [
            ("leakage", f"{_nats(before.leakage)} nats", _factor(before.leakage)),
            ("public values", f"{before.values:,}", f"{summary.records or 0:,} records"),
            ("information", f"{_nats(before.information)} nats", "H(X) of the public values"),
        ]
        return Section("figures", "What it gives away", _cards(cards))
    cards = [
        (
            "leakage",
            f"{_nats(before.leakage)} → {_nats(after.leakage)} nats",
            _factor(after.leakage),
        ),
        ("information kept", percent(after.kept), summary.proven),
        ("values", f"{before.values:,} → {after.values:,}", "public values to released ones"),
    ]
    rows = [
        ("leakage (nats)", _nats(before.leakage), _nats(after.leakage)),
        ("information (nats)", _nats(before.information), _nats(after.information)),
        ("information kept", percent(before.kept), percent(after.kept)),
        ("values", f"{before.values:,}", f"{after.values:,}"),
        ("fewest records of a value", f"{before.fewest_records:,}", f"{after.fewest_records:,}"),
        ("records", f"{summary.records:,}", f"{summary.records:,}"),
    ]
    body = _cards(cards) + table(("", "before", "after"), rows, label="Before and after")
    return Section("figures", "Before and after", body)


def heat_map(summary: Summary, heat: Heat) -> Section:
    """The frame the script draws the heat map into, and its legend."""
    total = summary.partition.public_values
    note = (
        "" if heat.rows == total else f"These are the {heat.rows:,} riskiest of {total:,} values. "
    )
    after = "" if heat.after is None else " Left: before. Right: what it is released as."
    intro = (
        "How far each public value moves belief about each sensitive value: red (+) raises it, "
        "blue (−) lowers it, the stronger the colour the further; a hatched cell rules it out. "
        f"Framed cells are outside {_limit(summary)}.{after}"
    )
    legend = _legend(heat, summary.bound or Bound.symmetric(1.0))
    body = fill("heat.html", intro=escape(intro), legend=legend, note=escape(note))
    return Section("heat-map", "Log-lift", body)


def partition_view(summary: Summary) -> Section:
    """The frame the script draws the table of released values into."""
    partition = summary.partition
    total, merged = partition.public_values, partition.merged_values
    if partition.blocks:
        alone = total - merged
        intro = (
            f"{total:,} public values are released as {partition.released_values:,}: {merged:,} "
            f"are merged with others, {alone:,} stay as they are."
        )
        title = "Which values were merged"
    else:
        intro = f"The {total:,} public values."
        if partition.released_values:
            intro += f" Each is released as one of {partition.released_values:,}, drawn at random."
        title = "All public values"
    if partition.left_out:
        intro += f" The page holds the first {len(partition.values):,} of them."
    return Section("values", title, fill("partition.html", intro=escape(intro)))


def frontier_view(summary: Summary) -> Section | None:
    """What would be kept at other bounds, as a chart and a table."""
    if summary.around is None or summary.after is None or summary.bound is None:
        return None
    title = "Other bounds"
    if len(summary.around) < 2:  # noqa: PLR2004, a curve has two points
        too_large = "Other bounds were not tried: too many values, or too extreme a bound."
        return Section("frontier", title, paragraph(too_large))
    of, scale = _axis(summary.bound)
    points = tuple((scale * near.factor, near.kept) for near in summary.around)
    chart = Chart(
        x_title=of,
        lines=(Line("what merging keeps", points),),
        chosen=(scale, summary.after.kept),
        at_most=summary.upper_bound,
        proven=summary.proven,
        summary=f"Share of the information kept against {of}; the table below has the numbers.",
    )
    words = (
        "What merging keeps at other bounds, found with a tenth of the effort of this release: at "
        "least that much can be had. The ring is this release."
    )
    if summary.population is not None:
        words += " The curve is for the table alone, without the confidence."
    rows = [_near(near) for near in summary.around]
    numbers = table(("bound", "kept", "released values"), rows, label="Other bounds")
    body = f"{paragraph(words)}{drawn(chart)}<details><summary>Numbers</summary>{numbers}</details>"
    return Section("frontier", title, body)


def why_view(summary: Summary) -> Section | None:
    """Which sensitive values bind, and what would help."""
    why = summary.why
    if why is None:
        return None
    title = "What it costs, and what would help"
    if why.kept >= 1:
        return Section("why", title, paragraph("Nothing is lost."))
    said = [paragraph(cap_words(cap)) for cap in why.caps[:1]]
    if why.remedies:
        said += ["<h3>What would keep more</h3>", bullets(map(remedy_words, why.remedies))]
    if why.compared_with is None:
        said.append(paragraph("The table has too many values to try what would keep more."))
    if why.limits:
        said += [
            "<h3>Sensitive values that bind</h3>",
            paragraph(
                "A sensitive value binds in a released value that would break its limit if one of "
                "the public values in it left."
            ),
            table(
                (
                    "sensitive value",
                    "records with it",
                    "binds below",
                    "binds above",
                    "kept without it",
                ),
                [_bind(limit) for limit in why.limits[:_MOST_LIMITS]],
                label="Sensitive values that bind",
            ),
        ]
        if len(why.limits) > _MOST_LIMITS:
            said.append(paragraph(f"{len(why.limits) - _MOST_LIMITS:,} more bind.", "note"))
    return Section("why", title, "\n".join(said))


def drivers_view(summary: Summary) -> Section | None:
    """Of an audit: the sensitive values behind the risk, and each public column on its own."""
    audit = summary.audit
    if audit is None or not (audit.drivers or audit.columns):
        return None
    behind = "values outside the bound" if audit.bound else "values that move it most"
    parts = [
        table(
            ("sensitive value", "records with it", behind, "their records"),
            [
                (event_words(d.sensitive), f"{d.records_with:,}", f"{d.values:,}", f"{d.records:,}")
                for d in audit.drivers[:_MOST_DRIVERS]
            ],
            label="Sensitive values behind the risk",
        )
    ]
    parts += [paragraph(cap_words(cap)) for cap in audit.caps[:1]]
    if audit.columns:
        rows = [(" x ".join(c.columns), f"{c.values:,}", _nats(c.leakage)) for c in audit.columns]
        parts += [
            "<h3>Public columns on their own</h3>",
            table(("columns", "values", "leakage (nats)"), rows, label="Public columns"),
        ]
    if audit.pairs_left_out:
        parts.append(paragraph(left_out_words(audit.pairs_left_out), "note"))
    return Section("why", "What is behind it", "\n".join(parts))


def beliefs_view(summary: Summary) -> Section:
    """What a reader may believe about the commonest and the rarest values of each variable."""
    variables: dict[tuple[str, ...], list[Belief]] = {}
    for belief in summary.beliefs:
        variables.setdefault(tuple(belief.sensitive), []).append(belief)
    room = max(2, _MOST_BELIEFS // len(variables))
    listed = [belief for found in variables.values() for belief in _ends(found, room)]
    words = (
        "How common each sensitive value is in the table, which a reader may know before, and the "
        "range that belief in it can reach after any released value. No value can become certain "
        "while the others must keep a part of their shares: the ranges count the limits on all of "
        "them."
    )
    rows = [(event_words(belief.sensitive), *belief_words(belief)) for belief in listed]
    head = ("sensitive value", "before", "at least, after", "at most, after")
    body = paragraph(words) + table(head, rows, label="What a reader may believe")
    left = len(summary.beliefs) - len(listed)
    if left:
        note = f"These are the commonest and the rarest; {left:,} more are in certificate.json."
        body += paragraph(note, "note")
    return Section("beliefs", "What a reader may believe", body)


def _ends(beliefs: list[Belief], most: int) -> list[Belief]:
    """Return the commonest and the rarest, at most so many, commonest first."""
    found = sorted(beliefs, key=lambda belief: -belief.before)
    rare = most // 2
    return found if len(found) <= most else [*found[: most - rare], *found[-rare:]]


def guarantee_view(summary: Summary, bound: Bound) -> Section:
    """What is promised and what is not, in plain words."""
    names = _listed(summary.sensitive)
    promised = []
    if math.isfinite(bound.upper):
        promised.append(
            f"No released value makes any value of {names} more than {_times(bound.upper)} times "
            "as likely as it is in the whole table."
        )
    if math.isfinite(bound.lower):
        promised.append(
            f"No released value makes any value of {names} less than {math.exp(-bound.lower):.3g} "
            "times as likely, and none rules one out."
        )
    promised.append(
        "This holds for whoever sees the released columns of this table and knows how common each "
        "sensitive value is in it, however they compute."
    )
    least = summary.recoding and summary.recoding.min_count
    if least:
        promised.append(f"Every released value covers at least {least:,} records.")
    open_ends = [
        "What columns that are published beside the released ones give away.",
        "What a second release of the same people gives away together with this one.",
        "What a reader knows from elsewhere about a person, or about the same people.",
    ]
    if summary.population is None:
        open_ends.append(
            "Other tables: the guarantee is for this one. 'loglift verify' checks another."
        )
    else:
        promised.append(summary.population)
    if summary.recoding is not None:
        open_ends.append(MECHANISM_NOTE if summary.recoding.channel is None else CHANNEL_NOTE)
    if math.isinf(bound.lower):
        open_ends.insert(
            0, f"That a released value rules a value of {names} out: only rising belief is bounded."
        )
    if math.isinf(bound.upper):
        open_ends.insert(
            0,
            f"That a released value points at a value of {names}: only falling belief is bounded.",
        )
    if len(summary.sensitive) > 1 and summary.each:
        open_ends.insert(0, "Combinations of the sensitive columns: each is bounded on its own.")
    body = (
        f'<div class="columns"><div><h3>Guaranteed</h3>{bullets(promised)}</div>'
        f"<div><h3>Not guaranteed</h3>{bullets(open_ends)}</div></div>"
    )
    return Section("guarantee", "What is guaranteed", body)


def parameters_view(summary: Summary, command: str | None) -> Section:
    """How to make the same again."""
    rows = list(_parameters(summary))
    parts = [table(("", ""), rows, label="Parameters", numbers_from=2)]
    if command is not None:
        parts.insert(
            0,
            '<div class="scroll" tabindex="0" role="group" aria-label="Command">'
            f"<pre>{escape(command)}</pre></div>",
        )
    return Section("parameters", "How it was made", "\n".join(parts))


def _parameters(summary: Summary) -> Iterator[tuple[str, str]]:
    yield "public columns", ", ".join(summary.public)
    yield "sensitive columns", ", ".join(summary.sensitive)
    if len(summary.sensitive) > 1:
        yield "bounded", "each on its own" if summary.each else "their joint value"
    yield "bound", "none asked for" if summary.bound is None else limit_of(summary.bound)
    recoding = summary.recoding
    if recoding is not None:
        yield "method", recoding.method
        if summary.draws is not None:
            yield "draws", f"{summary.draws.source}: {summary.draws.note}"
            yield "key", summary.draws.key or "none"
        yield "least records of a value", str(recoding.min_count or "not asked for")
        yield "never merged across", _groups(recoding.groups)
        widths = [f"{n} by {w:g}" for n, w in (recoding.bins | recoding.sensitive_bins).items()]
        yield "cut into intervals", ", ".join(widths) or "nothing"
    if summary.records is not None:
        yield "certified for the population", summary.population or "not asked for"
    if summary.counts_sha256 is not None:
        yield "hash of the counts (SHA-256)", summary.counts_sha256


def _groups(groups: tuple[str, ...] | None) -> str:
    if groups is None:
        return "nothing"
    return ", ".join(groups) or "groups given value by value"


def _cards(cards: list[tuple[str, str, str]]) -> str:
    items = "".join(
        f'<div class="card"><dt>{escape(name)}</dt><dd class="big">{escape(number)}</dd>'
        f"<dd>{escape(words)}</dd></div>"
        for name, number, words in cards
    )
    return f'<dl class="cards">{items}</dl>'


def _legend(heat: Heat, bound: Bound) -> str:
    """Return the colours from the lowest log-lift to the highest, with where one ends."""
    below, above = (f"−{step:.3g}" for step in heat.steps_down), heat.steps_up
    edges = ["−∞", *reversed(list(below)), "0", *(f"{step:.3g}" for step in above), ""]
    down = "z" + BOUNDED[::-1] if math.isfinite(bound.lower) else "Z" + UNBOUNDED[::-1]
    up = BOUNDED if math.isfinite(bound.upper) else UNBOUNDED
    return "\n".join(
        f'<li><span class="cell m-{mark}" aria-hidden="true">{_sign(mark)}</span>'
        f'<span class="edge{_edge_kind(mark)}">{edge}</span></li>'
        for mark, edge in zip(down + up.upper(), edges, strict=True)
    )


def _sign(mark: str) -> str:
    """Return what a colour says to those who do not see it; minus infinity has its pattern."""
    if mark in "zZ":
        return ""
    return "+" if mark.isupper() else "−"


def _edge_kind(mark: str) -> str:
    """Edges between pale colours give way on a phone; that of minus infinity is its own."""
    return " minor" if mark in "cbAB" else " own" if mark in "zZ" else ""


def _bind(limit: Limit) -> tuple[str, ...]:
    numbers = (limit.records_with, limit.lower_blocks, limit.upper_blocks)
    without = "" if limit.kept_without is None else percent(limit.kept_without)
    return (event_words(limit.sensitive), *(f"{number:,}" for number in numbers), without)


def _near(near: Nearby) -> tuple[str, str, str]:
    return limit_of(near.bound), percent(near.kept), f"{near.values:,}"


def _axis(bound: Bound) -> tuple[str, float]:
    """Return what the bound is measured by, and how much it is."""
    if bound.lower == bound.upper:
        return "eps (nats)", bound.upper
    sides = {"lower": bound.lower, "upper": bound.upper}
    finite = [(name, side) for name, side in sides.items() if math.isfinite(side)]
    if len(finite) == 1:
        return f"{finite[0][0]} (nats)", finite[0][1]
    return f"multiples of {limit_of(bound)}", 1.0


def _limit(summary: Summary) -> str:
    return "eps 1, as no bound was asked for" if summary.bound is None else limit_of(summary.bound)


def _factor(leakage: float) -> str:
    if math.isinf(leakage):
        return "some value rules a sensitive value out"
    return f"belief moves by a factor of {_times(leakage)} at most"


def _times(size: float) -> str:
    return f"{math.exp(min(size, 700.0)):.3g}"


def _nats(number: float) -> str:
    return nats(number).replace("inf", "∞")


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(names)


def recoding_words(recoding: Recoding) -> str:
    """Say what a mechanism does, from the mechanism alone."""
    return (
        f"{len(recoding.values):,} values of {', '.join(recoding.columns)} are released as "
        f"{recoding.size:,}"
    )
