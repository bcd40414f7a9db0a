"""The command line that is running, written so that a reader can run it again."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import Any

import click


def command_line() -> str:
    """Return the running command with the options that differ from their defaults, quoted."""
    context = click.get_current_context()
    words = ["loglift", context.info_name or ""]
    for parameter in context.command.params:
        value = context.params.get(parameter.name or "")
        if isinstance(parameter, click.Option):
            words += _option(parameter, value)
        elif value is not None:
            words.append(str(value))
    return shlex.join(words)


def _option(option: click.Option, value: Any) -> Iterator[str]:
    name = max(option.opts, key=len)
    if name in ("--force", "--json", "--quiet") or value is None or value == option.default:
        return
    if option.is_flag:
        yield from [name] * bool(value)
        return
    if isinstance(value, dict):
        value = tuple(f"{key}={item}" for key, item in value.items())
    for item in value if isinstance(value, tuple) else (value,):
        yield from (name, str(item))
