"""The command line that is running, written so that a reader can run it again."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import Any

import click

NOT_REPEATED = ("--config", "--force", "--json", "--quiet")


def command_line() -> str:
    """Return the running command with the options that differ from their defaults, quoted.

    Options that come from a plan (--config) are among them.
    """
    from loglift.release.origin import shown_table  # noqa: PLC0415, loads when it is needed

    context = click.get_current_context()
    words = ["loglift", context.info_name or ""]
    for parameter in context.command.params:
        value = context.params.get(parameter.name or "")
        if isinstance(parameter, click.Option):
            words += _option(parameter, value)
        elif value is not None:
            words.append(shown_table(str(value)))
    return shlex.join(words)


def _option(option: click.Option, value: Any) -> Iterator[str]:
    name = max(option.opts, key=len)
    if name in NOT_REPEATED or value is None or value == option.default:
        return
    if option.is_flag:
        yield from [name] * bool(value)
        return
    if isinstance(value, dict):
        value = tuple(f"{key}={_joined(item)}" for key, item in value.items())
    for item in value if isinstance(value, tuple) else (value,):
        yield from (name, str(item))


def _joined(item: Any) -> str:
    """Return one value, or several as they are given: with commas, quoted where they have one."""
    if not isinstance(item, list):
        return str(item)
    return ",".join(f'"{each}"' if "," in each else each for each in item)
