"""Texts that say something of a column: age=10, income=-9,-8, ill=HIV:0.3, ill=NULL,unknown."""

from __future__ import annotations

import csv
import math
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

import click

Said = TypeVar("Said")


def groups_of(given: tuple[str, ...]) -> dict[str, list[list[str]]]:
    """Return the values that --combine names, in groups for each column."""
    groups: dict[str, list[list[str]]] = {}
    for text in given:
        column, equals, values = text.partition("=")
        group = listed(values)
        if not equals or not column or len(group) < 2:  # noqa: PLR2004, one value is not several
            message = f"--combine {text!r} is not COL=V1,V2 with two values or more"
            raise click.UsageError(message)
        groups.setdefault(column, []).append(group)
    return groups


def value_bounds_of(given: tuple[str, ...]) -> list[tuple[str, str, tuple[float, float]]]:
    """Return column, value, and lower and upper bound that each --bound names."""
    found: list[tuple[str, str, tuple[float, float]]] = []
    for text in given:
        column, equals, rest = text.partition("=")
        value, colon, sides = rest.rpartition(":")
        numbers = [
            math.inf if side.strip() == "none" else number_in(side, otherwise=-1)
            for side in sides.split(",")
        ]
        if not equals or not column or not colon or len(numbers) > 2 or min(numbers) < 0:  # noqa: PLR2004
            raise click.UsageError(
                f"--bound {text!r} is not COL=VALUE:NATS, for example ill=HIV:0.3, ill=flu:0.5,1 "
                "or ill=NULL:none"
            )
        if any((column, value) == (c, v) for c, v, _ in found):
            message = f"--bound: {value!r} of {column!r} has two bounds, give one"
            raise click.UsageError(message)
        found.append((column, value, (float(numbers[0]), float(numbers[-1]))))
    return found


def weights_of(
    context: click.Context, parameter: click.Parameter, given: tuple[str, ...]
) -> dict[str, float]:
    """Return the weight of each column: COL=W."""

    def read(text: str) -> float | None:
        number = number_in(text, otherwise=-1)
        return number if 0 <= number < math.inf else None

    form = "COL=W with a weight of 0 or more, for example age=3"
    return _once(context, parameter, given, read, form=form, twice="has two weights: give one")


def files_of(
    context: click.Context, parameter: click.Parameter, given: tuple[str, ...]
) -> dict[str, str]:
    """Return the file of each column: COL=FILE, which may have an = in its name."""
    form, twice = "COL=FILE, for example province=provinces.csv", "has two files: give one"
    return _once(context, parameter, given, str, form=form, twice=twice, first=True)


def cuts_of(
    context: click.Context, parameter: click.Parameter, given: tuple[str, ...]
) -> dict[str, str]:
    """Return how each column is cut: COL=CUT."""
    from loglift.cuts import Cut  # noqa: PLC0415, loads when it is needed
    from loglift.errors import TableError  # noqa: PLC0415

    cuts: dict[str, str] = {}
    for text in given:
        column, _, how = text.partition("=")
        if not column or not how:
            message = f"{text!r} is not COL=CUT, for example age=10 or age=20,40,65"
            raise click.BadParameter(message, context, parameter)
        try:
            Cut.of(how, column)
        except TableError as error:
            # Labels may hold = signs, as in age=18,65:minor,adult,>=65; so may the column's name.
            column, _, how = text.rpartition("=")
            try:
                Cut.of(how, column)
            except TableError:
                raise click.BadParameter(str(error), context, parameter) from None
        if column in cuts:
            message = f"{column!r} is cut twice: give one --bin for it"
            raise click.BadParameter(message, context, parameter)
        cuts[column] = how
    return cuts


def _once(
    context: click.Context,
    parameter: click.Parameter,
    given: tuple[str, ...],
    read: Callable[[str], Said | None],
    *,
    form: str,
    twice: str,
    first: bool = False,
) -> dict[str, Said]:
    """Return what each text COL=... says of its column, one for each column.

    `read` returns None for what is not of the `form`. The column ends at the last =, or at the
    `first`.
    """
    found: dict[str, Said] = {}
    for text in given:
        column, _, rest = text.partition("=") if first else text.rpartition("=")
        said = read(rest) if column and rest else None
        if said is None:
            raise click.BadParameter(f"{text!r} is not {form}", context, parameter)
        if column in found:
            raise click.BadParameter(f"{column!r} {twice}", context, parameter)
        found[column] = said
    return found


def codes_of(
    context: click.Context, parameter: click.Parameter, given: tuple[str, ...]
) -> dict[str, list[str]]:
    """Return the codes of each column that count as missing: COL=CODE,..."""
    codes: dict[str, list[str]] = {}
    for text in given:
        column, equals, values = text.partition("=")
        found = listed(values)
        if not equals or not column or not all(found) or not found:
            message = f"{text!r} is not COL=CODE,..., for example income=-9,-8 or ill=ignore"
            raise click.BadParameter(message, context, parameter)
        codes.setdefault(column, []).extend(found)
    return codes


def number_in(text: str, *, otherwise: float = 0) -> float:
    """Return the number in a text, as an int if it is whole; `otherwise` if it is not a number."""
    with suppress(ValueError):
        return int(text)
    with suppress(ValueError):
        number = float(text)
        return int(number) if number.is_integer() else number
    return otherwise


def listed(text: str) -> list[str]:
    """Return the texts between commas, some in quotes; none where the quotes cannot be read."""
    with suppress(csv.Error):
        return next(csv.reader([text], skipinitialspace=True, strict=True), [])
    return []
