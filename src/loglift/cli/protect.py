"""`loglift protect`: a safe table from one command."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from loglift.cli import _options as options

if TYPE_CHECKING:
    from loglift.release.learning import Protected


@click.command(
    epilog="Examples: 'loglift protect adult.parquet -s salary -p education -p occupation --eps 1 "
    "-o release', 'loglift protect people.csv -s diagnosis -p age --bin age=10 --upper 0.7 "
    "--min-count 10 --format csv -o release', 'loglift protect people.csv -s diagnosis -p age "
    "--keep-information 0.9 --public-report -o release'."
)
@options.table
@options.sensitive
@options.public
@options.bound
@click.option(
    "--keep-information",
    type=float,
    metavar="SHARE",
    help="In place of a bound: the least eps that keeps this share of the information, say 0.9 "
    "(--keep 0.9 without a bound does the same).",
)
@click.option(
    "-o",
    "--output",
    required=True,
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="The directory to write.",
)
@click.option(
    "--method",
    type=click.Choice(["search", "exact", "ordered", "greedy", "complete", "randomized"]),
    default="search",
    show_default=True,
    help="How to choose what to merge, or with randomized: what to draw at random.",
)
@click.option(
    "--time-limit",
    type=click.FloatRange(min=0),
    metavar="SECONDS",
    help="How long exact may take to prove its release the best (60 by default), or search to "
    "improve it.",
)
@click.option(
    "--ordered",
    metavar="COL",
    help="The public column is ordered: release runs of it as intervals, such as [25, 34].",
)
@click.option(
    "--over",
    type=click.Choice(["all", "high-risk"]),
    default="all",
    show_default=True,
    help="Merge any values, or high-risk ones among themselves only.",
)
@click.option(
    "--min-count", type=int, metavar="K", help="Every released value covers at least K records."
)
@click.option(
    "--groups",
    multiple=True,
    metavar="COL",
    help="A public column whose values are never merged with different ones; repeat for several.",
)
@options.confidence
@click.option(
    "--choose-share",
    type=float,
    metavar="SHARE",
    help="With --confidence: the share of the records that choose what to merge.  [default: 0.4]",
)
@options.key
@options.seed
@options.keep
@click.option("--keep-sensitive", is_flag=True, help="Publish the sensitive columns too.")
@options.keep_order
@options.each
@options.bins
@click.option(
    "--format",
    "file_format",
    type=click.Choice(["parquet", "csv"]),
    default="parquet",
    show_default=True,
    help="The format of the released table.",
)
@options.escape_formulas
@click.option(
    "--public-report",
    is_flag=True,
    help="Also write public-report.html, for readers: it says no more than mechanism.json.",
)
@options.force
@options.as_json
@options.quiet
def protect(
    table: str,
    output: Path,
    file_format: str,
    escape_formulas: bool,
    ordered: str | None,
    public_report: bool,
    force: bool,
    as_json: bool,
    quiet: bool,
    **choices: Any,
) -> None:
    """Rewrite the public columns of TABLE so that none of their values gives S away.

    Writes released.parquet (or .csv), mechanism.json (to apply again), certificate.json and
    report.html (both for the custodian: they contain sensitive values). Only the protected public
    columns come out unless --keep or --keep-sensitive name others.

    mechanism.json has no sensitive values and no counts, but eps does not bound what it tells: what
    is merged was chosen by looking at S. Groups show the same; --public-report adds a page that
    says no more. Never publish the mechanism.json of a randomized release.
    """
    from loglift.cli._repeat import command_line  # noqa: PLC0415
    from loglift.cli._terminal import console, stages  # noqa: PLC0415
    from loglift.release import protect as pipeline  # noqa: PLC0415, loads when the command runs
    from loglift.report.terminal import print_protected  # noqa: PLC0415
    from loglift.report.terminal_why import print_why  # noqa: PLC0415
    from loglift.writing import check_directory, refuse_input, whole_directory  # noqa: PLC0415

    released = f"released.{file_format}"
    _take_share(choices)
    if ordered is not None:
        _check_ordered(ordered, choices["public"], choices["method"])
        choices["method"] = "ordered"
    if escape_formulas and file_format != "csv":
        raise click.UsageError("--escape-formulas: formulas are escaped in CSV only, --format csv")
    if public_report and choices["method"] == "randomized":
        message = (
            "--public-report shows the mechanism, and that of a randomized release is not public"
        )
        raise click.UsageError(message)
    refuse_input(output, table)
    check_directory(output, FILES, force=force)
    with stages(quiet=quiet) as on_stage:
        result = pipeline.protect(table, on_stage=on_stage, **choices)
        on_stage("writing and explaining")
        with whole_directory(output, FILES, force=force) as directory:
            formulas = _write(
                result,
                directory / released,
                command_line(),
                public=public_report,
                escape_formulas=escape_formulas,
            )
    options.warn_of_seed(choices["seed"])
    options.warn_of_formulas(formulas, output / released)
    if as_json:
        click.echo(json.dumps(_summary(result, output, released), ensure_ascii=False))
    else:
        print_protected(result, console(), table)
        if result.why is not None:
            print_why(result.why, console())
        names = [released, "mechanism.json", "certificate.json", "report.html"]
        names += ["public-report.html"] if public_report else []
        if not quiet:
            click.echo(f"Written to {output}: {', '.join(names)}.")


def _check_ordered(column: str, public: tuple[str, ...], method: str) -> None:
    given = click.get_current_context().get_parameter_source("method")
    if method != "ordered" and given is ParameterSource.COMMANDLINE:
        message = f"--ordered {column} is a method of its own: leave --method {method} out"
        raise click.UsageError(message)
    if public != (column,):
        message = f"--ordered {column}: it must be the only public column"
        raise click.UsageError(message)


def _take_share(choices: dict[str, Any]) -> None:
    """Take --keep 0.9 for the share to keep where no bound is given: a column would need one."""
    bounds = (choices[name] for name in ("eps", "lower", "upper", "keep_information"))
    shares = [name for name in choices["keep"] if name.replace(".", "", 1).isdecimal()]
    if len(shares) == 1 and all(bound is None for bound in bounds):
        choices["keep_information"] = float(shares[0])
        choices["keep"] = tuple(name for name in choices["keep"] if name != shares[0])


FILES = frozenset(
    {
        "released.parquet",
        "released.csv",
        "mechanism.json",
        "certificate.json",
        "report.html",
        "public-report.html",
    }
)


def _pages(result: Protected, command: str, *, public: bool) -> dict[str, str]:
    """Return the reports by file name."""
    from loglift.report.html import render, render_public  # noqa: PLC0415, loads when used

    pages = {"report.html": render(result, command=command)}
    if public:
        pages["public-report.html"] = render_public(result.recoding)
    return pages


def _write(
    result: Protected, released: Path, command: str, *, public: bool, escape_formulas: bool
) -> tuple[str, ...]:
    """Write all files beside the released table; return its columns with formulas.

    The release is explained while DuckDB writes the table, which leaves the interpreter idle.
    """
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415, loads when used

    from loglift.tables import write  # noqa: PLC0415

    directory = released.parent
    with ThreadPoolExecutor(max_workers=1) as aside:
        explained = aside.submit(_pages, result, command, public=public)
        formulas = write(result.table, released, escape_formulas=escape_formulas)
        pages = explained.result()
    (directory / "mechanism.json").write_text(result.recoding.to_json(), "utf-8")
    with (directory / "certificate.json").open("w", encoding="utf-8") as file:
        file.writelines(result.certificate.written())
    for name, page in pages.items():
        (directory / name).write_text(page, "utf-8")
    return formulas


def _summary(result: Protected, output: Path, released: str) -> dict[str, Any]:
    certificate = replace(result.certificate, values=()).as_dict()
    kept_audit = None if result.kept_audit is None else result.kept_audit.as_dict()
    chosen = (
        "holds",
        "sensitive",
        "public",
        "beside",
        "bound",
        "method",
        "records",
        "public_values",
        "leakage",
        "entropy",
        "utility",
        "nmil",
        "upper_bound",
        "upper_bound_scope",
        "population",
        "draws",
    )
    return {
        **{name: certificate[name] for name in chosen},
        "leakage_before": result.audit.as_dict()["leakage"],
        "released_values": len(result.certificate.values),
        "information_kept": 1 - result.certificate.nmil,
        "groups": certificate["groups"],
        "kept_audit": kept_audit,
        "why": None if result.why is None else result.why.as_dict(),
        "output": str(output),
        "released": str(output / released),
    }
