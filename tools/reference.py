"""The reference pages, made from the program when the documentation is built.

mkdocs calls `on_files` (see `hooks` in mkdocs.yml): cli.md has the help of every command, api.md
the signature and docstring of every public name.
"""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING

import click

import loglift
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
    parts = ["# Python", "Everything in `loglift.__all__`. Unit of all information: nats."]
    for name in sorted(loglift.__all__, key=str.lower):
        thing = getattr(loglift, name)
        if callable(thing):
            parts += [f"## {name}", _fenced(f"{name}{_signature(thing)}\n\n{_described(thing)}")]
    return "\n\n".join(parts) + "\n"


def _described(thing: object) -> str:
    """Return the docstring, and those of the public methods of a class."""
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


def _signature(thing: object) -> str:
    """Return the arguments, one on each line where they are many; no types: the text has them."""
    if inspect.isclass(thing) and issubclass(thing, Exception):
        return ""
    found = inspect.signature(thing)  # type: ignore[arg-type]
    plain = [
        parameter.replace(annotation=inspect.Parameter.empty)
        for parameter in found.parameters.values()
    ]
    return str(found.replace(parameters=plain, return_annotation=inspect.Signature.empty))


def _fenced(text: str) -> str:
    return f"```\n{text.strip()}\n```"
