"""How the public columns of a table are rewritten: what mechanism.json holds.

It names the columns, the public values and the block of each, and what every block is released
as; for a randomized release, p(y|x) in place of blocks. It holds no counts and no sensitive values.
The bound is on released values, not on this file: a partition was chosen by looking at S, and it
tells, as released groups do, which values were outside the bound (docs/guarantee.md). The numbers
of a channel lie on the bound: lifts of public values can be worked out from them. Give a channel
only to those who may know these lifts; never publish it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any

from loglift._version import __version__
from loglift.errors import InputError, MechanismError
from loglift.mechanism.channel import Channel
from loglift.mechanism.naming import ReleasedColumn
from loglift.promise.bound import Bound
from loglift.values import NUMBERS, TYPE_NAMES, decode, encode_all, pretty, type_name

FORMAT = "loglift mechanism"
VERSION = 2  # 1: partitions, which are still written as such; 2: channels
GROUP_COLUMN = "loglift_group"
METHODS = ("search", "exact", "ordered", "greedy", "complete")
RANDOMIZED = "randomized"


@dataclass(frozen=True)
class PublicColumn:
    """A public column: its name, the type of its values, and the width of its bins, if any."""

    name: str
    type: str
    bin: float | None = None


@dataclass(frozen=True)
class SensitiveColumn:
    """A sensitive column: its name, and the width of its bins, if any; never its values."""

    name: str
    bin: float | None = None


@dataclass(frozen=True, eq=False, repr=False)
class Recoding:
    """The block of each public value, and how each block is released.

    Attributes
    ----------
    public
        The public columns.
    sensitive
        The sensitive columns it protects, for `verify`.
    each
        Whether each sensitive column is bounded on its own, rather than their joint value.
    bound, method, min_count
        How it was made.
    groups
        The public columns whose values are never merged with different ones; None without any,
        empty when groups were given value by value.
    values
        The public values, as tuples with one entry per column.
    blocks
        The block number of each; with a channel, its row there.
    released
        The released columns, with one value per block, or per released value of the channel.
    unseen
        The block that a certificate for the population counts all other public values in, if any.
    channel
        p(y|x) of a randomized release; None when every public value is released as its block.

    """

    public: tuple[PublicColumn, ...]
    sensitive: tuple[SensitiveColumn, ...]
    each: bool
    bound: Bound
    method: str
    min_count: int | None
    groups: tuple[str, ...] | None
    values: tuple[tuple[Any, ...], ...]
    blocks: tuple[int, ...]
    released: tuple[ReleasedColumn, ...]
    unseen: int | None = None
    channel: Channel | None = None

    def __repr__(self) -> str:
        kind = "blocks" if self.channel is None else "random released values"
        return f"Recoding({len(self.values)} public values in {self.size} {kind})"

    @property
    def size(self) -> int:
        """The number of released values: of blocks, or of outputs of the channel."""
        return len(self.released[0].values)

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the public columns."""
        return tuple(column.name for column in self.public)

    @property
    def bins(self) -> dict[str, float]:
        """The width of each binned public column."""
        return {column.name: column.bin for column in self.public if column.bin is not None}

    @property
    def sensitive_bins(self) -> dict[str, float]:
        """The width of each binned sensitive column."""
        return {column.name: column.bin for column in self.sensitive if column.bin is not None}

    @cached_property
    def lookup(self) -> Mapping[tuple[Any, ...], int]:
        """The block number of each public value, or its row of the channel."""
        return dict(zip(self.values, self.blocks, strict=True))

    def __reduce__(self) -> tuple[Any, ...]:
        return (Recoding.from_json, (self.to_json(),))  # look-ups find NaN by identity

    def to_json(self) -> str:
        """Return the text of mechanism.json."""
        document = {
            "format": FORMAT,
            "version": 1 if self.channel is None else 2,
            "made_by": f"loglift {__version__}",
            "method": self.method,
            "bound": {"lower": _side(self.bound.lower), "upper": _side(self.bound.upper)},
            "min_count": self.min_count,
            "groups": self.groups,
            "sensitive": [vars(column) for column in self.sensitive],
            "each": self.each,
            "public": [vars(column) for column in self.public],
            "values": map(encode_all, self.values),
            **self._choice(),
            "released": [
                {**vars(column), "values": encode_all(column.values)} for column in self.released
            ],
        }
        if self.unseen is not None:
            document["unseen"] = self.unseen
        return pretty(document)

    def _choice(self) -> dict[str, Any]:
        """Return the JSON form of what becomes of each value."""
        if self.channel is None:
            return {"blocks": list(self.blocks)}
        return {"channel": self.channel.document()}

    @classmethod
    def from_json(cls, text: str, where: str = "the mechanism") -> Recoding:
        """Read mechanism.json back; a damaged or newer one is refused with what is wrong."""
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
        if version > VERSION:
            raise MechanismError(
                f"{where} was made by a newer loglift (format {version}, this one reads "
                f"{VERSION}): upgrade loglift"
            )
        try:
            return _checked(_from_document(cls, document))
        except Exception as error:  # noqa: BLE001, whatever is wrong with it, the file is damaged
            detail = str(error) if isinstance(error, InputError) else type(error).__name__
            raise MechanismError(f"{where} is damaged ({detail}): make it again") from None

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Recoding:
        """Read a mechanism.json."""
        place = Path(path)
        if place.exists() and not (place.is_file() or place.is_dir()):
            raise MechanismError(f"{place} is a pipe or a device: give the mechanism.json itself")
        try:
            text = place.read_text("utf-8")
        except UnicodeDecodeError:
            raise MechanismError(f"{place} is not JSON: give a mechanism.json of loglift") from None
        except OSError as error:
            raise MechanismError(f"{place} cannot be read: {error.strerror}") from None
        return cls.from_json(text, str(place))


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return a JSON object; a key that stands twice is refused: readers differ in which counts."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise MechanismError("a key stands twice")
    return found


def _side(side: float) -> float | None:
    return None if math.isinf(side) else side


def _from_document(cls: type[Recoding], document: dict[str, Any]) -> Recoding:
    channel = None if document["version"] == 1 else Channel.from_document(document["channel"])
    bound = {side: document["bound"][side] for side in ("lower", "upper")}
    return cls(
        public=tuple(PublicColumn(**column) for column in document["public"]),
        sensitive=tuple(SensitiveColumn(**column) for column in document["sensitive"]),
        each=document["each"],
        bound=Bound(**{side: math.inf if v is None else v for side, v in bound.items()}),
        method=document["method"],
        min_count=document["min_count"],
        groups=_names(document.get("groups")),  # files made before there were groups have none
        values=tuple(tuple(map(decode, values)) for values in document["values"]),
        blocks=tuple(range(len(channel.rows)) if channel else document["blocks"]),
        released=tuple(
            ReleasedColumn(c["name"], c["type"], tuple(map(decode, c["values"])))
            for c in document["released"]
        ),
        unseen=document.get("unseen"),
        channel=channel,
    )


def _names(names: Any) -> tuple[str, ...] | None:
    if not (names is None or isinstance(names, list)):
        raise MechanismError("its groups are no list of columns")
    return None if names is None else tuple(names)


def _checked(recoding: Recoding) -> Recoding:
    """Refuse a file whose parts do not fit together: better no release than a wrong one."""
    blocks, width = recoding.blocks, len(recoding.public)
    columns = [column for column, _ in _typed_values(recoding)]
    names = [column.name for column in (*columns, *recoding.sensitive)]
    least, other, channel = recoding.min_count, recoding.unseen, recoding.channel
    size = len(set(blocks)) if channel is None else channel.size
    faults = {
        "its block numbers are not integers": not all(type(block) is int for block in blocks),
        "it has no values": not blocks or width == 0 or not recoding.sensitive,
        "its block numbers do not fit its values": len(blocks) != len(recoding.values)
        or sorted(set(blocks)) != list(range(len(set(blocks)))),
        "its values do not fit its columns": any(len(v) != width for v in recoding.values),
        "a public value stands twice": len(set(recoding.values)) != len(recoding.values),
        "its released values do not fit its blocks": not recoding.released
        or any(len(column.values) != size for column in recoding.released),
        "its block of unseen values does not exist": other is not None
        and not (type(other) is int and 0 <= other < size and not channel),
        "two of its released values look the same": channel is not None
        and len(set(recoding.released[-1].values)) != size,
        "a column has no name": not all(
            isinstance(name, str) and _writable(name) for name in names
        ),
        "a column has no type": not all(column.type in TYPE_NAMES for column in columns),
        "its options are not of their types": type(recoding.each) is not bool
        or recoding.method not in (METHODS if channel is None else (RANDOMIZED,))
        or not (least is None or (type(least) is int and least > 0)),
    }
    for fault, found in faults.items():
        if found:
            raise MechanismError(fault)
    if not set(recoding.groups or ()) <= set(recoding.columns):
        raise MechanismError("its groups are not public columns")
    if _mixes_groups(recoding):
        raise MechanismError("its blocks mix values of different groups")
    for column, values in _typed_values(recoding):
        kinds = {type_name(value) for value in values if value is not None}
        if not (kinds <= {column.type} or kinds | {column.type} <= NUMBERS):
            raise MechanismError(f"column {column.name!r} has values of another type")
    return recoding


def _mixes_groups(recoding: Recoding) -> bool:
    """Whether a block has two values of a column whose values are kept apart."""
    if not recoding.groups:
        return False
    places = [recoding.columns.index(name) for name in recoding.groups]
    found = {
        (block, *(value[i] for i in places))
        for value, block in zip(recoding.values, recoding.blocks, strict=True)
    }
    return len(found) > recoding.size


def _typed_values(recoding: Recoding) -> Iterator[tuple[PublicColumn | ReleasedColumn, list[Any]]]:
    for i, column in enumerate(recoding.public):
        yield column, [value[i] for value in recoding.values]
    for released in recoding.released:
        yield released, list(released.values)


def _writable(text: str) -> bool:
    """Whether a text has no half of a surrogate pair, which no file can hold."""
    return text.isascii() or not any("\ud800" <= c <= "\udfff" for c in text)
