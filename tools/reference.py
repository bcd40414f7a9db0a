"""Make the reference pages when mkdocs builds the documentation (a hook of mkdocs.yml).

cli.md has the help of every command. api.md lists all public names by task; the pages under
reference/ name them for mkdocstrings, which shows signature, types and docstring of each.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

import click

from loglift.cli import main

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files

WIDTH = 80  # columns of the help texts


@dataclass(frozen=True)
class Task:
    """A page of the reference: the public names that serve one task."""

    title: str
    words: str
    names: str
    module: str = "loglift"


TASKS = {
    "tables": Task(
        "Publish a table",
        "A table is a path or a dataframe: see [tables](../tables.md). In signatures `Names` is "
        "the name of a column or several, `MechanismLike` a `Mechanism`, a `Release` or the path "
        "of a mechanism.json.",
        "protect audit apply verify verify_together diff evaluate estimate frontier least_eps Cut",
    ),
    "releases": Task(
        "Read a result",
        "What the functions for tables return.",
        "Release Certificate ReaderCheck TogetherCheck Population Audit Notions Explanation "
        "Difference BlockChanges Evaluation Estimate Frontier FrontierPoint LeastEps",
    ),
    "joints": Task(
        "Merge or randomize a joint",
        "For research: a joint distribution in, a mechanism out.",
        "Joint merge randomize watchdog merge_subsets subset_response bipartition BiPartition "
        "Mechanism Measures MergedStack refines explain suggest Step leakage_bound",
    ),
    "promises": Task(
        "Say what is promised",
        "Wherever a bound is meant: `eps=` or `bound=Bound(...)`. See [promises](../promises.md).",
        "Bound ValueBound Known Given Requirement TCloseness OrderedTCloseness L1Lift "
        "ChiSquaredLift AlphaLift AverageLogLift DistinctDiversity EntropyDiversity",
    ),
    "utility": Task(
        "Say what to keep",
        "What a release should still tell its readers: see [what a release keeps](../utility.md).",
        "Utility Target",
    ),
    "measures": Task(
        "Measure",
        "Pure functions on joints and channels. Unit of all information: nats. Where a signature "
        "says `Joint`, an array and a stack of joints are taken, too. Some of them are "
        "names of `loglift` itself: `entropy`, `lift`, `log_lift`, `nmil`, `omega`.",
        "lift log_lift omega omega_of_subset omega_of_blocks outside entropy mutual_information "
        "nmil information_of_complete_merging information_of_subset_merging "
        "shannon_information sibson_information maximal_leakage alpha_leakage alpha_lift l1_lift "
        "chi_squared_lift average_log_lift local_privacy_level total_variation ordered_distance "
        "basic_beta_likeness distinct_sensitive entropy_diversity f_information hamming_distortion",
        module="loglift.measures",
    ),
    "sklearn": Task(
        "Use a pipeline of scikit-learn",
        "Needs the extra `sklearn`.",
        "LiftProtector",
        module="loglift.sklearn",
    ),
    "paper": Task(
        "Reproduce the paper",
        "The paper's example, table and figures: see [the paper, reproduced](../reproduction.md).",
        "paper_joint read_data example1 table1 Comparison draw_joints draw_stacks "
        "capped_algorithm1 reproduce Reproduction Point figure PaperFigure charts write_figures",
        module="loglift.paper",
    ),
    "errors": Task(
        "Handle errors",
        "Every error that loglift raises is a `LogliftError`.",
        "LogliftError InputError BoundError JointError MechanismError PartitionError PlanError "
        "TableError UtilityError OutputError UnsafeError",
    ),
}


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the generated pages to those of the docs folder."""
    from mkdocs.structure.files import File  # noqa: PLC0415, only where mkdocs runs

    pages = {"cli.md": cli_page(), "api.md": api_page()}
    pages |= {f"reference/{name}.md": task_page(task) for name, task in TASKS.items()}
    for path, content in pages.items():
        files.append(File.generated(config, path, content=content))
    return files


def cli_page() -> str:
    """Return the help of `loglift` and of every command, as an 80-column terminal shows it."""
    parts = ["# Command line", "The help of every command, as the program prints it."]
    settings = {**main.context_settings, "max_content_width": WIDTH}
    context = click.Context(main, info_name="loglift", **settings)
    parts.append(_fenced(main.get_help(context)))
    for name in main.list_commands(context):
        command = main.get_command(context, name)
        if command is None:
            raise LookupError(name)
        inner = click.Context(command, info_name=name, parent=context, max_content_width=WIDTH)
        parts += [f"## loglift {name}", _fenced(command.get_help(inner))]
    return "\n\n".join(parts) + "\n"


def api_page() -> str:
    """Return the list of all public names by task, each with the first line of its docstring."""
    parts = [
        "# Python",
        "Everything public, by task. Unit of all information: nats. The tests run every example.",
    ]
    for page, task in TASKS.items():
        rows = [
            f"| [`{name}`](reference/{page}.md#{path}) | {_cell(_summary(thing))} |"
            for name, path, thing in _things(task)
        ]
        parts += [
            f"## {task.title}",
            f"`{task.module}`: [all of this page](reference/{page}.md)",
            "\n".join(["| name | what it is |", "|---|---|", *rows]),
        ]
    return "\n\n".join(parts) + "\n"


def task_page(task: Task) -> str:
    """Return a page that names the public names of a task for mkdocstrings."""
    parts = [f"# {task.title}", task.words]
    for name, path, _ in _things(task):
        heading = f"{task.module}.{name}"
        parts.append(f"::: {path}\n    options:\n      heading: {heading}\n      toc_label: {name}")
    return "\n\n".join(parts) + "\n"


def _things(task: Task) -> Iterator[tuple[str, str, object]]:
    """Yield the names of a task, where each is defined, and what it is."""
    module = import_module(task.module)
    for name in task.names.split():
        thing = getattr(module, name)
        yield name, f"{thing.__module__}.{name}", thing


def _summary(thing: object) -> str:
    return (inspect.getdoc(thing) or "").partition("\n")[0]


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _fenced(text: str) -> str:
    return f"```\n{text.strip()}\n```"
