"""Codes that stand for missing values, by column."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from loglift.cuts.cut import Cut
from loglift.errors import TableError
from loglift.values import plain

IGNORE = "ignore"  # in place of a code: NULL is not counted as a value


def with_codes(bins: Mapping[str, Any] | None, missing: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return how columns are cut, with the codes of each that count as NULL."""
    codes, _ = codes_of(missing)
    found = {**(bins or {})}
    for name, given in codes.items():
        found[name] = (Cut.of(found[name], name) if name in found else Cut()).with_missing(given)
    return found


def codes_of(
    missing: Mapping[str, Any] | None,
) -> tuple[dict[str, tuple[Any, ...]], tuple[str, ...]]:
    """Return the codes of missing values by column, and the columns in which NULL is ignored.

    `missing` maps columns to codes, to "ignore", or to both in a list.
    """
    if missing and not isinstance(missing, Mapping):
        raise TableError(
            f"missing must map columns to codes, such as {{'income': [-9]}}, got {missing!r}"
        )
    codes: dict[str, tuple[Any, ...]] = {}
    ignored = []
    for name, given in dict(missing or {}).items():
        several = plain(given)
        if isinstance(several, (set, frozenset)):
            several = sorted(several, key=str)  # a plan and a mechanism repeat byte for byte
        listed = several if isinstance(several, (list, tuple)) else [several]
        several = [plain(code) for code in listed]
        ignored += [name] if IGNORE in several else []
        found = tuple(code for code in several if code != IGNORE)
        if not several or any(code is None or code == "" for code in found):
            raise TableError(
                f"missing (--missing) of {name!r} needs codes, such as -9, or {IGNORE!r}: NULL is "
                "missing already"
            )
        if found:
            codes[name] = found
    return codes, tuple(ignored)
