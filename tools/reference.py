"""Make the reference pages from the program, when mkdocs builds the documentation.

mkdocs calls `on_files` (see `hooks` in mkdocs.yml). cli.md has the help of every command; api.md
has the signature, the docstring and the methods of every public name, and the measures.
"""

from __future__ import annotations

import inspect
import textwrap
from typing import TYPE_CHECKING

import click

import loglift
from loglift import measures
from loglift.cli import main

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files

WIDTH = 96  # columns of the help texts


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the generated pages to those of the docs folder."""
    from mkdocs.structure.files import File  # noqa: PLC0415, only where mkdocs runs

    files.append(File.generated(config, "cli.md", content=cli_page()))
    files.append(File.generated(config, "api.md", content=api_page()))
    return files


def cli_page() -> str:
    """Return the help of `loglift` and of every command."""
    parts = ["# Command line", "The help of every command, as the program prints it."]
    context = click.Context(main, info_name="loglift", max_content_width=WIDTH)
    parts.append(_fenced(main.get_help(context)))
    for name in main.list_commands(context):
        command = main.get_command(context, name)
        if command is None:
            raise LookupError(name)
        inner = click.Context(command, info_name=name, parent=context, max_content_width=WIDTH)
        parts += [f"## loglift {name}", _fenced(command.get_help(inner))]
    return "\n\n".join(parts) + "\n"


def api_page() -> str:
    """Return every public name with its signature and docstring."""
    intro = (
        "Everything in `loglift.__all__`. Unit of all information: nats. A default written as "
        "`...` is a function that does nothing."
    )
    parts = ["# Python", intro]
    for name in sorted(loglift.__all__, key=str.lower):
        thing = getattr(loglift, name)
        if callable(thing):
            parts += [f"## {name}", _fenced(f"{_signature(name, thing)}\n\n{_described(thing)}")]
    parts += ["## loglift.measures", "Pure functions on joints and channels, for research."]
    for name in measures.__all__:
        thing = getattr(measures, name)
        parts += [f"### {name}", _fenced(f"{_signature(name, thing)}\n\n{_described(thing)}")]
    return "\n\n".join(parts) + "\n"


def _described(thing: object) -> str:
    """Return the docstring; for a class, also the first lines of its public methods'."""
    text = inspect.getdoc(thing) or ""
    if not inspect.isclass(thing):
        return text
    for name, member in vars(thing).items():
        summary = (inspect.getdoc(member) or "").partition("\n")[0]
        if not name.startswith("_") and summary and (callable(member) or _is_property(member)):
            text += f"\n\n.{name}: {summary}"
    return text


def _is_property(member: object) -> bool:
    return isinstance(member, (property, classmethod)) or hasattr(member, "func")


class _Dots:
    """Stands for a function as a default; its own text is a memory address that changes."""

    def __repr__(self) -> str:
        return "..."


_DOTS = _Dots()


def _signature(name: str, thing: object) -> str:
    """Return the name with its arguments, wrapped to the width of the page.

    Types are left out, because the docstring explains the arguments. A function as a default is
    written `...`.
    """
    if inspect.isclass(thing) and issubclass(thing, Exception):
        return name
    found = inspect.signature(thing)  # type: ignore[arg-type]
    plain = [
        parameter.replace(
            annotation=inspect.Parameter.empty,
            default=_DOTS if inspect.isroutine(parameter.default) else parameter.default,
        )
        for parameter in found.parameters.values()
    ]
    written = str(found.replace(parameters=plain, return_annotation=inspect.Signature.empty))
    indent = " " * (len(name) + 1)
    return textwrap.fill(name + written, WIDTH, subsequent_indent=indent, break_long_words=False)


def _fenced(text: str) -> str:
    return f"```\n{text.strip()}\n```"
