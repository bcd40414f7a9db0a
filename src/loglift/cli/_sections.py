"""The help of a command with many options: in sections, each of at most a screen."""

from __future__ import annotations

import click

# Section -> the long names of its options, in the order in which the help shows them.
SECTIONS = {
    "Columns": "sensitive public each combine passthrough keep-sensitive known",
    "How the table is read": "config bin missing weights both unseen",
    "Bound": "eps lower upper bound beta min-information min-count confidence choose-share",
    "Other promises, beside a bound or alone": (
        "t ordered-t l1-lift chi2-lift alpha-lift average-log-lift distinct-l entropy-l"
    ),
    "Other releases": "given coarser-than update",
    "What to keep": "utility for importance unordered taxonomy intact max-block",
    "Method": "method methods ordered over time-limit",
    "What a record shows": "as ranges key draw-seed keep-order",
    "Output": (
        "top suggest output format escape-formulas report public-report evaluate force json quiet "
        "help"
    ),
}


def name_of(parameter: click.Parameter) -> str:
    """Return the long name of an option or argument: its key in a plan, and in SECTIONS."""
    return max(parameter.opts, key=len).lstrip("-")


class SectionedCommand(click.Command):
    """A command whose help groups its options as SECTIONS says; others come last."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, one section after the other."""
        records = {}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None and isinstance(parameter, click.Option):
                records[name_of(parameter)] = record
        for title, names in SECTIONS.items():
            rows = [records.pop(name) for name in names.split() if name in records]
            _write(formatter, title, rows)
        _write(formatter, "Options", list(records.values()))


def _write(formatter: click.HelpFormatter, title: str, rows: list[tuple[str, str]]) -> None:
    if rows:
        with formatter.section(title):
            formatter.write_dl(rows)
