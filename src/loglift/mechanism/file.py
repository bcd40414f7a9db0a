"""The file of a mechanism, mechanism.json: its parts as text, and back.

It names the columns, the public values and the block of each, and what every block is released
as; for a randomized release, p(y|x) in place of blocks; for a release that is shown as values, the
share of each public value in its block. It holds no counts, and no sensitive values but those with
a bound of their own, those that are combined or stand for a missing one, and the edges of bands.
The bound is on released values, not on this file: a partition was chosen by looking at S, and it
tells, as released blocks do, which values were outside the bound (docs/guarantee.md). The numbers
of a channel lie on the bound: lifts of public values can be worked out from them. Give a channel
only to those who may know these lifts; never publish it.

`json_of` and `mechanism_from` are each other's inverse. What a file says fits together, or the file
is refused: better no release than a wrong one.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any, TypedDict

import numpy as np

from loglift._version import __version__
from loglift.cuts import Cut
from loglift.errors import InputError, MechanismError
from loglift.joint import frozen
from loglift.mechanism.channel import Channel
from loglift.mechanism.columns import EarlierRelease, PublicColumn, SensitiveColumn
from loglift.mechanism.mechanism import Mechanism
from loglift.mechanism.naming import ReleasedColumn
from loglift.promise.bound import Bound
from loglift.promise.catalogue import requirement_from
from loglift.promise.integers import DENOMINATOR
from loglift.promise.value_bound import ValueBound
from loglift.values import (
    NUMBERS,
    TYPE_NAMES,
    Parts as Written,
    decode,
    decode_all,
    decode_rows,
    encode,
    encode_all,
    json_text,
    pretty,
    row_texts,
    type_names,
)

FILE_NAME = "mechanism.json"
FORMAT = "loglift mechanism"
# 1 and 2: loglift 0.1, with "groups"; 3: no "show"; 4: no "known"; 5: bin widths, no "weights"
VERSION = 6
PARTITION_METHODS = ("search", "exact", "ordered", "greedy", "complete", "watchdog", "given")
_HASH_DIGITS = 64
CHANNEL_METHODS = ("randomized", "given", "watchdog")


class Parts(TypedDict):
    """What a file says, before it is checked; see `Mechanism`.

    `values` are the public values as tuples; `labels` their block numbers, or None for a channel.
    """

    public: tuple[PublicColumn, ...]
    beside: tuple[PublicColumn, ...]
    sensitive: tuple[SensitiveColumn, ...]
    each: bool
    weights: str | None
    both: bool
    known: tuple[PublicColumn, ...]
    given: tuple[EarlierRelease, ...]
    bound: Bound
    method: str
    min_count: float | None
    intact: tuple[str, ...] | None
    values: tuple[tuple[Any, ...], ...]
    labels: list[int] | None
    channel: Channel | None
    shares: list[int] | None
    released: tuple[ReleasedColumn, ...]
    unseen: int | None


def json_of(mechanism: Mechanism) -> str:
    """Return the text of mechanism.json."""
    bound, channel, shares = mechanism.bound, mechanism.exact_channel, mechanism.shares
    document = {
        "format": FORMAT,
        "version": VERSION,
        "made_by": f"loglift {__version__}",
        "method": mechanism.method,
        "bound": {
            **_sides(bound),
            "values": [
                {"column": entry.column, "value": encode(entry.value), **_sides(entry)}
                for entry in bound.values
            ],
            "beta": bound.beta,
            "requirements": [each.document() for each in bound.requirements],
        },
        "min_count": mechanism.min_count,
        "intact": mechanism.intact,
        "sensitive": [
            {**_column(column), "combined": [encode_all(group) for group in column.combined]}
            for column in mechanism.sensitive
        ],
        "each": mechanism.each,
        "weights": mechanism.weights,
        "both": mechanism.both,
        "known": [_column(column) for column in mechanism.known],
        "given": [vars(release) for release in mechanism.given],
        "public": [_column(column) for column in mechanism.columns],
        "beside": [_column(column) for column in mechanism.beside],
        "values": Written(_texts_of_values(mechanism)),
        **(
            {"blocks": mechanism.partition.tolist()}
            if channel is None
            else {"channel": channel.document()}
        ),
        "show": "groups" if shares is None else "values",
        **({} if shares is None else {"shares": shares.tolist()}),
        "released": [
            {**vars(column), "values": encode_all(column.values)} for column in mechanism.released
        ],
    }
    if mechanism.unseen is not None:
        document["unseen"] = mechanism.unseen
    return pretty(document)


def _texts_of_values(mechanism: Mechanism) -> Iterator[str]:
    """Yield each public value, as the text of a list with one entry per column."""
    values, width = mechanism.public, len(mechanism.columns)
    if width == 0:  # labels of a joint that was given as numbers
        return map(json_text, map(encode_all, mechanism.tuples))
    return row_texts([values] if width == 1 else list(zip(*mechanism.tuples, strict=True)))


def _column(column: PublicColumn | SensitiveColumn) -> dict[str, Any]:
    """Return a column in JSON, with how it is cut: None where it is not."""
    return {**vars(column), "bin": None if column.bin is None else column.bin.document()}


def _public(document: dict[str, Any]) -> PublicColumn:
    return PublicColumn(**{**document, "bin": _cut(document["bin"])})


def _cut(document: dict[str, Any] | None) -> Cut | None:
    return None if document is None else Cut.from_document(document)


def _sides(bound: Bound | ValueBound) -> dict[str, float | None]:
    """Return both sides of a bound in JSON: None where there is no limit."""
    sides = (("lower", bound.lower), ("upper", bound.upper))
    return {side: None if math.isinf(limit) else limit for side, limit in sides}


def read(path: str | PathLike[str]) -> str:
    """Return the text of a mechanism.json; a folder of a release stands for the one in it."""
    place = Path(path)
    if place.is_dir():
        if not (place / FILE_NAME).is_file():
            raise MechanismError(
                f"{place} has no {FILE_NAME}: give the folder that protect wrote, or the path of "
                f"a {FILE_NAME}"
            )
        place /= FILE_NAME
    if place.exists() and not place.is_file():
        raise MechanismError(f"{place} is a pipe or a device: give the mechanism.json itself")
    try:
        return place.read_text("utf-8")
    except UnicodeDecodeError:
        raise MechanismError(f"{place} is not JSON: give a mechanism.json of loglift") from None
    except FileNotFoundError:
        raise MechanismError(
            f"there is no file {place}: give the folder that protect wrote, or the path of the "
            f"{FILE_NAME} in it"
        ) from None
    except OSError as error:
        raise MechanismError(f"{place} cannot be read: {error.strerror}") from None


def mechanism_from(text: str, where: str) -> Mechanism:
    """Read mechanism.json back; a damaged one, or one of another version, is refused."""
    parts = _checked_parts(text, where)
    values, names = parts["values"], [column.name for column in parts["public"]]
    groups = None
    if parts["intact"]:
        places = [names.index(name) for name in parts["intact"]]
        keys = [tuple(value[i] for i in places) for value in values]
        numbers = {key: i for i, key in enumerate(dict.fromkeys(keys))}
        groups = np.array([numbers[key] for key in keys], dtype=np.int64)
    return Mechanism(
        public=values if len(names) > 1 else tuple(v[0] if len(v) == 1 else v for v in values),
        groups=groups,
        labels=None if parts["labels"] is None else frozen(np.array(parts["labels"])),
        bound=parts["bound"],
        method=parts["method"],
        min_count=parts["min_count"],
        intact=parts["intact"],
        exact_channel=parts["channel"],
        shares=None if parts["shares"] is None else frozen(np.array(parts["shares"])),
        columns=parts["public"],
        sensitive=parts["sensitive"],
        each=parts["each"],
        weights=parts["weights"],
        both=parts["both"],
        known=parts["known"],
        given=parts["given"],
        beside=parts["beside"],
        unseen=parts["unseen"],
        _released=parts["released"],
    )


def _checked_parts(text: str, where: str) -> Parts:
    """Return what a file says, if it fits together."""
    try:
        document = json.loads(text, object_pairs_hook=_object)
    except MechanismError as error:
        raise MechanismError(f"{where} is damaged ({error}): make it again") from None
    except (ValueError, RecursionError):
        raise MechanismError(f"{where} is not JSON: give a mechanism.json of loglift") from None
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise MechanismError(f"{where} is not a mechanism of loglift: give its mechanism.json")
    version = document.get("version")
    if type(version) is not int or version < 1:
        raise MechanismError(f"{where} is damaged (its version is {version!r}): make it again")
    if version < VERSION:
        raise MechanismError(
            f"{where} was made by an older loglift (format {version}, this one reads {VERSION}): "
            "make it again with protect"
        )
    if version > VERSION:
        raise MechanismError(
            f"{where} was made by a newer loglift (format {version}, this one reads {VERSION}): "
            "upgrade loglift"
        )
    try:
        parts = _from_document(document)
        _check(parts)
    except Exception as error:  # noqa: BLE001, whatever is wrong with it, the file is damaged
        detail = str(error) if isinstance(error, InputError) else type(error).__name__
        raise MechanismError(f"{where} is damaged ({detail}): make it again") from None
    return parts


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return a JSON object; a repeated key is refused, because readers differ in which counts."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise MechanismError("a key is repeated")
    return found


def _from_document(document: dict[str, Any]) -> Parts:
    intact, bound = document["intact"], document["bound"]
    if not (intact is None or isinstance(intact, list)):
        raise MechanismError("its intact columns are not a list")
    if document["show"] not in ("groups", "values"):
        raise MechanismError("it shows neither groups nor values")
    return Parts(
        public=tuple(map(_public, document["public"])),
        beside=tuple(map(_public, document["beside"])),
        sensitive=tuple(
            SensitiveColumn(
                column["name"],
                _cut(column["bin"]),
                tuple(tuple(map(decode, group)) for group in column["combined"]),
            )
            for column in document["sensitive"]
        ),
        each=document["each"],
        weights=document["weights"],
        both=document["both"],
        known=tuple(map(_public, document["known"])),
        given=tuple(
            EarlierRelease(each["sha256"], tuple(each["public"])) for each in document["given"]
        ),
        bound=_bound_of(bound),
        method=document["method"],
        min_count=document["min_count"],
        intact=None if intact is None else tuple(intact),
        values=decode_rows(document["values"]),
        labels=document["blocks"] if "channel" not in document else None,
        channel=Channel.from_document(document["channel"]) if "channel" in document else None,
        shares=list(document["shares"]) if document["show"] == "values" else None,
        released=tuple(
            ReleasedColumn(c["name"], c["type"], decode_all(c["values"]))
            for c in document["released"]
        ),
        unseen=document.get("unseen"),
    )


def _bound_of(document: dict[str, Any]) -> Bound:
    """Read a bound back, with the bounds of single sensitive values."""

    def sides(of: dict[str, Any]) -> tuple[float, float]:
        lower, upper = (math.inf if of[side] is None else of[side] for side in ("lower", "upper"))
        return lower, upper

    required = tuple(map(requirement_from, document["requirements"]))
    if document["beta"] is not None:
        plain = replace(Bound.beta_likeness(document["beta"]), requirements=required)
        if sides(document) != (plain.lower, plain.upper):
            raise MechanismError("its bound is not that of its beta")
    else:
        plain = Bound(*sides(document), requirements=required)
    for entry in document["values"]:
        plain = plain.with_values({decode(entry["value"]): sides(entry)}, entry["column"])
    return plain


def _check(parts: Parts) -> None:
    """Raise `MechanismError` if parts do not fit together."""
    labels, channel, values = parts["labels"], parts["channel"], parts["values"]
    released, unseen, least = parts["released"], parts["unseen"], parts["min_count"]
    columns: tuple[Any, ...] = (*parts["public"], *released, *parts["known"], *parts["beside"])
    blocks = range(len(channel.rows)) if channel is not None else labels or []
    size = channel.size if channel is not None else len(set(blocks))
    width = len(parts["public"])
    names = [column.name for column in (*columns, *parts["sensitive"])]
    names += [] if parts["weights"] is None else [parts["weights"]]
    methods = PARTITION_METHODS if channel is None else CHANNEL_METHODS
    faults = {
        "its block numbers are not integers": not set(map(type, blocks)) <= {int},
        "it has no values": not blocks or not values,
        "its block numbers do not fit its values": len(blocks) != len(values)
        or (bool(blocks) and (min(blocks), max(blocks)) != (0, len(set(blocks)) - 1)),
        "its values do not fit its columns": width > 0 and set(map(len, values)) != {width},
        "a public value is repeated": len(set(values)) != len(values),
        "it has columns, but nothing sensitive or released": bool(width)
        != (bool(parts["sensitive"]) and bool(released)),
        "its released values do not fit its blocks": any(len(c.values) != size for c in released),
        "its block of unseen values does not exist": unseen is not None
        and not (type(unseen) is int and 0 <= unseen < size),
        "two of its released values look the same": channel is not None
        and len(set(released[-1].values)) != size,
        "a column has no name": not all(isinstance(n, str) and _writable(n) for n in names),
        "a column has no type": not all(column.type in TYPE_NAMES for column in columns),
        "its earlier releases are not named by their hashes": not all(
            isinstance(each.sha256, str) and len(each.sha256) == _HASH_DIGITS
            for each in parts["given"]
        ),
        "its options are not of their types": type(parts["each"]) is not bool
        or type(parts["both"]) is not bool
        or parts["method"] not in methods
        or not (least is None or (type(least) in (int, float) and 0 < least < math.inf)),
        "it bounds records and weights, but has no weights": parts["both"]
        and parts["weights"] is None,
        "its shares do not fit its blocks": not _are_shares(parts),
        "its intact columns are not public": not set(parts["intact"] or ())
        <= {column.name for column in parts["public"]},
    }
    for fault, found in faults.items():
        if found:
            raise MechanismError(fault)
    if parts["intact"] and _mixes_intact(parts, size):
        raise MechanismError("its released values mix values of an intact column")
    for column, entries in _typed_values(parts):
        kinds = type_names(entries)
        if not (kinds <= {column.type} or kinds | {column.type} <= NUMBERS):
            raise MechanismError(f"column {column.name!r} has values of another type")


def _are_shares(parts: Parts) -> bool:
    """Whether shares, if any, are whole numbers that add up to 2^52 in each block."""
    shares, labels = parts["shares"], parts["labels"]
    if shares is None:
        return True
    if labels is None or len(shares) != len(labels) or not all(type(n) is int for n in shares):
        return False
    totals = dict.fromkeys(labels, 0)
    for block, share in zip(labels, shares, strict=True):
        totals[block] += share
    return min(shares) >= 0 and set(totals.values()) == {DENOMINATOR}


def _mixes_intact(parts: Parts, size: int) -> bool:
    """Whether one of `size` released values stands for two values of an intact column."""
    channel, labels = parts["channel"], parts["labels"] or []
    becomes = [[y for y, _ in row] for row in channel.rows] if channel else [[b] for b in labels]
    names = [column.name for column in parts["public"]]
    places = [names.index(name) for name in parts["intact"] or ()]
    found = {
        (released, *(value[i] for i in places))
        for value, several in zip(parts["values"], becomes, strict=True)
        for released in several
    }
    return len(found) > size


def _typed_values(parts: Parts) -> Iterator[tuple[PublicColumn | ReleasedColumn, Sequence[Any]]]:
    """Yield each column of the input and of the release, and the values the file has for it."""
    for i, column in enumerate(parts["public"]):
        yield column, [value[i] for value in parts["values"]]
    for released in parts["released"]:
        yield released, released.values


def _writable(text: str) -> bool:
    """Whether a text can be written as UTF-8: it has no lone surrogate."""
    return text.isascii() or not any("\ud800" <= c <= "\udfff" for c in text)
