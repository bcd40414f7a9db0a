"""Sheets of what readers can do: columns, pairs, count queries, models."""

from __future__ import annotations

from collections.abc import Sequence

from loglift.display.numbers import percent
from loglift.readers.evaluation import Evaluation
from loglift.readers.pairs import PairReading
from loglift.readers.queries import QueryErrors
from loglift.report.sheets.sheet import THREE, Sheet, three_numbers
from loglift.report.words import number_of

_MEANS_NOTE = " Means are those that readers compute, shifts in standard deviations."


def columns_sheet(found: Evaluation) -> Sheet:
    """Return what is left of each public column."""
    rows = []
    numbers = any(column.mean is not None for column in found.columns)
    for column in found.columns:
        unchanged, mean, shift = column.unchanged, column.mean, column.mean_shift
        shares = (unchanged.released, unchanged.shuffled, column.information.released)
        means = [""] * 3 if numbers else []
        if mean is not None and shift is not None:
            means = [f"{of:,.4g}" for of in (mean.original, mean.released)]
            means.append(f"{shift.released:+.3f}")
        rows.append((column.name, *map(percent, shares), *means))
    of_mean = ("mean", "mean released", "shift (sd)") if numbers else ()
    return Sheet(
        "Columns",
        "Cells that show the one value that was there; if shuffled, by chance. Kept is the "
        "information I(X;Y)/H(X): 100 % of the original's, 0 % if shuffled."
        f"{_MEANS_NOTE if numbers else ''}",
        ("column", "unchanged", "if shuffled", "kept", *of_mean),
        tuple(rows),
    )


def pairs_sheet(pairs: Sequence[PairReading], most: int) -> Sheet:
    """Return what is left of the relation of two columns, at most that many pairs."""
    rows = []
    for pair in pairs[:most]:
        distance = ["", ""]
        if pair.distance is not None:
            distance = [f"{of:.3f}" for of in (pair.distance.released, pair.distance.shuffled)]
        first, *others = three_numbers(pair.association)
        strength = (f"{'r' if pair.measure == 'correlation' else 'V'} {first}", *others)
        rows.append((" x ".join(pair.columns), *distance, *strength))
    more = len(pairs) - most
    return Sheet(
        "Pairs of columns, the worst first",
        "Distance: the share of records that would have to move in the cross-table that readers "
        "get (total variation; 0 in the original). Association: V is Cramer's V, r a correlation.",
        ("columns", "distance", "if shuffled", *THREE),
        tuple(rows),
        (f"{more:,} more pairs are in --json.",) if more > 0 else (),
    )


def queries_sheet(queries: Sequence[QueryErrors]) -> Sheet:
    """Return how far counts are off."""

    def row(errors: QueryErrors) -> tuple[str, ...]:
        on = "" if errors.columns is None else f" on {number_of(errors.columns, 'column')}"
        figures = (errors.median, errors.mean, errors.ninety)
        texts = [percent(of) for each in figures for of in (each.released, each.shuffled)]
        return (f"{errors.queries:,}{on}", *texts)

    names = [name for of in ("median", "mean", "90 %") for name in (of, "if shuffled")]
    return Sheet(
        "Count queries",
        "Errors of random counts on one to three columns, in percent of the true count (or of 0.1 "
        "% of the records, if that is more); nine tenths of the queries have at most the one at 90 "
        "%. The original has none.",
        ("queries", *names),
        tuple(map(row, queries)),
    )


def models_sheet(found: Evaluation) -> Sheet:
    """Return how well models predict that are trained on the release."""
    rows = []
    for model in found.models:
        rows += [
            (f"{model.target}: {name}", *three_numbers(score))
            for name, score in model.scores.items()
        ]
    how = {
        "groups": "tested on the others, rewritten by the mechanism",
        "random values": "tested on the others, drawn by the mechanism",
        "values": "tested on the others as they are in the original",
    }
    return Sheet(
        "Models",
        "Gradient boosting that predicts a column from the public ones, trained on half of the "
        f"records as they are released and {how[found.shows]}. The gain is in nats of log-loss "
        "over the shares of the classes. What to merge was chosen by looking at all records: for a "
        "column that the release was made for (--for), the tested ones fit too well.",
        ("predicted", *THREE),
        tuple(rows),
    )
