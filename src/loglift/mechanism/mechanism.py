"""The mechanism p(y|x): what becomes of each public value, what that gives away and what it keeps.

One class serves all: a partition (each public value is released as its block) or a channel (a
released value is drawn from p(y|x)); made from a joint of numbers, or from a table, whose columns,
types and names of released values it then knows; or read from a file.
"""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from loglift.cuts import Cut
from loglift.errors import MechanismError, TableError, UnsafeError
from loglift.joint import Column, FloatArray, IntArray, Joint, as_joint, frozen, one_nan
from loglift.measures.entropy import entropy
from loglift.mechanism.channel import Channel, refuse_dense, shares_of
from loglift.mechanism.columns import EarlierRelease, PublicColumn, SensitiveColumn
from loglift.mechanism.figures import Figures, ReaderLeakage, figures_of, released_mass
from loglift.mechanism.naming import (
    BLOCK_COLUMN,
    ReleasedColumn,
    named_blocks,
    named_posteriors,
    with_suppressed,
)
from loglift.mechanism.scope import ALL_RELEASES
from loglift.mechanism.upper_bound import Proven, UpperBound
from loglift.promise.bound import Bound, bound_from
from loglift.promise.integers import DENOMINATOR
from loglift.sparse import Cells, Mass, is_large
from loglift.utility.utility import Utility
from loglift.writing import whole_file

if TYPE_CHECKING:
    from loglift.mechanism.all_measures import Measures

MAX_LISTED = 10  # values that an error names


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Mechanism:
    """p(y|x) for one alphabet of public values, with its leakage and utility on one joint.

    Attributes
    ----------
    public
        The public values, in the joint's row order.
    labels
        The block number of each public value, for a partition; None for a channel.
    bound
        The bound it was made for.
    method
        How it was chosen.
    goal
        What it was to keep: the utility that was maximised. I(X;Y) in a mechanism from a file.
    min_count
        The least mass of a released value that was asked for, if any.
    intact
        The public columns whose values are never merged with different ones; None without any,
        empty when groups were given value by value.
    groups
        The number of the group of each public value, where values of different groups may not be
        merged; None for one group, and in a mechanism from a file.
    exact_channel
        p(y|x) in whole numbers, from which tables are drawn; None for a partition, and for a
        channel of a joint that was not counted from a table.
    shares
        2^52 p(x)/p(B) of each public value in its block B, for a partition whose blocks are shown
        as values: each record shows a member of its block, drawn by these shares. None where
        blocks are shown as groups.
    columns, sensitive
        The public and sensitive columns of the table; empty where there was no table.
    each
        Whether each sensitive column is bounded on its own, rather than their joint value.
    weights, both
        The column of survey weights: the bound is about the population that the survey stands for.
        None where every record counts the same. With `both` the bound is about the records, too.
    known
        Columns that readers may know of a record, alone or together: the bound is kept to these
        readers as well.
    given
        Earlier releases of the same records: together with them the release is within the bound.
    beside
        Columns that pass through in bands, wherever the mechanism is applied.
    unseen
        The block, or the released value of a channel, in which a certificate for the population
        counts all other public values, if any.
    leakage
        max over y of omega(y), nats; infinite when a released value rules a sensitive one out.
    safe
        Whether every released value is inside the bound, for all readers that it was made for.
    readers
        Readers who know more than the release, to whom the bound was to be kept as well, and what
        it tells them.
    utility
        What is kept of the `goal`: I(X;Y) in nats, or the weighted mean of I(U;Y)/I(U;X) over
        targets.
    information
        I(X;Y), nats.
    nmil
        1 - I(X;Y)/H(X): the share of information lost.
    upper_bound
        The most utility that is proven possible, for the releases that `upper_bound_scope` names.
        It is worked out when it is first asked for, by `.optimal` too.
    upper_bound_scope
        Over which releases it is proven, in words that complete "no ... can keep more": with
        `min_count`, `intact`, over="high-risk" or "ordered" a release without the restriction may
        keep more.

    Notes
    -----
    A mechanism from a file has no figures (`leakage` to `upper_bound_scope`): the file tells
    nothing about the joint. `measured(joint)` has them.

    Examples
    --------
    >>> import loglift
    >>> joint = loglift.Joint([[30, 10], [10, 30], [20, 20]], public=["a", "b", "c"])
    >>> mechanism = loglift.merge(joint, 0.5)
    >>> mechanism.labels.tolist(), mechanism.blocks
    ([0, 0, 1], (('a', 'b'), ('c',)))
    >>> mechanism.channel.tolist()
    [[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]
    >>> loglift.Mechanism.from_channel(joint, [[1, 0], [1, 0], [0, 1]], 0.5).safe
    True
    """

    public: tuple[Hashable, ...]
    labels: IntArray | None
    bound: Bound
    method: str
    goal: Utility = field(default_factory=Utility.joint)
    min_count: float | None = None
    intact: tuple[str, ...] | None = None
    groups: IntArray | None = None
    exact_channel: Channel | None = None
    shares: IntArray | None = None
    columns: tuple[PublicColumn, ...] = ()
    sensitive: tuple[SensitiveColumn, ...] = ()
    each: bool = False
    weights: str | None = None
    both: bool = False
    known: tuple[PublicColumn, ...] = ()
    given: tuple[EarlierRelease, ...] = ()
    beside: tuple[PublicColumn, ...] = ()
    unseen: int | None = None
    figures: Figures | None = None
    _channel: Mass | None = None
    _released: tuple[ReleasedColumn, ...] | None = None
    _counted: tuple[Column, ...] = ()
    _joint: Joint | None = None  # what it was measured on; neither saved nor pickled

    def __repr__(self) -> str:
        values = "public value" if len(self.public) == 1 else "public values"
        kind = "block" if self.labels is not None else "random released value"
        made = f"{self.method}: {len(self.public)} {values} in {self.size} {kind}"
        made += "" if self.size == 1 else "s"
        if self.figures is None:
            return f"Mechanism({made})"
        state = "safe" if self.safe else "NOT SAFE"
        unit = " nats" if self.goal.is_joint else ""
        return (
            f"Mechanism({made}, {state}, leakage {self.leakage:.4g}, "
            f"utility {self.utility:.4g}{unit}, NMIL {self.nmil:.4g})"
        )

    def _repr_html_(self) -> str:
        """Return what a notebook shows."""
        from loglift.mechanism.card import card_of  # noqa: PLC0415, it shows this class

        return card_of(self).html()

    def __reduce__(self) -> tuple[Any, ...]:
        state = {item.name: getattr(self, item.name) for item in fields(self)}
        return (_unpickled, ({**state, "_joint": None},))

    @classmethod
    def from_channel(
        cls,
        joint: Joint | ArrayLike,
        channel: ArrayLike,
        eps: float | None = None,
        *,
        bound: Bound | None = None,
    ) -> Mechanism:
        """Return the mechanism of your own p(y|x), one row per public value of the joint.

        The bound decides `.safe`, it changes nothing else. Where the joint was counted from a table
        p(y|x) is rounded to multiples of 2^-52, so that it can be drawn exactly.
        """
        from loglift.mechanism.making import channel_mechanism  # noqa: PLC0415, it makes this class

        given = as_joint(joint)
        return channel_mechanism(
            given,
            channel,
            bound_from(eps, bound),
            method="given",
            upper_bound=entropy(given.p_public),
            scope=ALL_RELEASES,
        )

    @property
    def leakage(self) -> float:
        """Return max over y of omega(y), nats."""
        return self._measured.leakage

    @property
    def safe(self) -> bool:
        """Whether every released value is inside the bound."""
        return self._measured.safe

    @property
    def readers(self) -> tuple[ReaderLeakage, ...]:
        """What the release tells readers who know more."""
        return self._measured.readers

    @property
    def utility(self) -> float:
        """What is kept of the goal: I(X;Y) in nats, or a weighted mean of shares."""
        return self._measured.utility

    @property
    def information(self) -> float:
        """I(X;Y), nats."""
        return self._measured.information

    @property
    def nmil(self) -> float:
        """1 - I(X;Y)/H(X)."""
        return self._measured.nmil

    @property
    def upper_bound(self) -> float:
        """The most utility that is proven possible; worked out when it is first asked for."""
        return self._measured.most.value

    @property
    def upper_bound_scope(self) -> str:
        """The releases for which `upper_bound` is proven."""
        return self._measured.most.scope

    @property
    def optimal(self) -> bool:
        """Whether no release that `upper_bound_scope` names keeps more, to one part in 10^9.

        A difference of 10^-12 is rounding.
        """
        return self.safe and self.utility >= self.upper_bound * (1 - 1e-9) - 1e-12

    @property
    def size(self) -> int:
        """The number of released values: of blocks, or of outputs of the channel."""
        if self._released:
            return len(self._released[0].values)
        if self.labels is not None:
            return int(self.labels.max()) + 1
        return int(self.probabilities.shape[1])

    @property
    def is_drawn(self) -> bool:
        """Whether what a record shows is drawn at random."""
        return self.exact_channel is not None or self.shares is not None

    @property
    def column_names(self) -> tuple[str, ...]:
        """The names of the public columns."""
        return tuple(column.name for column in self.columns)

    @property
    def sensitive_names(self) -> tuple[str, ...]:
        """The names of the sensitive columns."""
        return tuple(column.name for column in self.sensitive)

    @property
    def known_names(self) -> tuple[str, ...]:
        """The names of the columns that readers may know."""
        return tuple(column.name for column in self.known)

    @property
    def combined(self) -> dict[str, tuple[tuple[Any, ...], ...]]:
        """The sensitive values that count as one, in groups for each column that has some."""
        return {column.name: column.combined for column in self.sensitive if column.combined}

    @property
    def bins(self) -> dict[str, Cut]:
        """How public and sensitive columns are cut."""
        every: tuple[PublicColumn | SensitiveColumn, ...] = (*self.columns, *self.sensitive)
        return {column.name: column.bin for column in every if column.bin is not None}

    @property
    def tuples(self) -> tuple[tuple[Any, ...], ...]:
        """The public values as tuples, with one entry per column."""
        if len(self.columns) == 1:
            return tuple((value,) for value in self.public)
        return tuple(value if isinstance(value, tuple) else (value,) for value in self.public)

    @cached_property
    def channel(self) -> FloatArray:
        """p(y|x), one row per public value; for a partition, one column per block.

        Of thousands of public values it may be too large to hold: use `probabilities` then.
        """
        found = self.probabilities
        if not isinstance(found, Cells):
            return found
        refuse_dense(*found.shape)
        return frozen(found[:])

    @cached_property
    def probabilities(self) -> Mass:
        """p(y|x), one row per public value: an array, or its non-zero cells where it is large."""
        if self._channel is not None:
            return self._channel
        if self.exact_channel is None:
            labels = self.partition
            ones, starts = np.ones(labels.size), np.arange(labels.size + 1)
            return Cells(starts, labels, ones, int(labels.max()) + 1)
        cells = self.exact_channel.cells().mapped(lambda numerators: numerators / DENOMINATOR)
        return cells if is_large(*cells.shape) else frozen(cells[:])

    @cached_property
    def blocks(self) -> tuple[tuple[Hashable, ...], ...]:
        """The public values of each block, for a partition."""
        members: list[list[Hashable]] = [[] for _ in range(self.size)]
        for value, block in zip(self.public, self.partition, strict=True):
            members[block].append(value)
        return tuple(tuple(block) for block in members)

    @property
    def partition(self) -> IntArray:
        """The block number of each public value; a channel has no blocks, and raises."""
        if self.labels is None:
            raise MechanismError(
                "this mechanism is a randomized channel, it has no blocks: use .probabilities"
            )
        return self.labels

    @cached_property
    def lookup(self) -> Mapping[tuple[Any, ...], int]:
        """The block number of each public value, or its row of the channel."""
        numbers = range(len(self.public)) if self.labels is None else self.labels.tolist()
        return dict(zip(self.tuples, numbers, strict=True))

    @cached_property
    def released(self) -> tuple[ReleasedColumn, ...]:
        """The columns of the released table, with one value per released value; see `naming`."""
        if self._released is not None:
            return self._released
        if not self._counted:
            return ()
        if self.exact_channel is not None:
            return named_posteriors(self._counted, self.exact_channel.posteriors)
        # Records that show values do not show a number: a column may have the name of that one.
        numbered = self.shares is None or BLOCK_COLUMN not in self.column_names
        unordered = self.goal.unordered
        return named_blocks(self._counted, self.partition, unordered=unordered, numbered=numbered)

    def with_ranges(self) -> Mechanism:
        """Return the mechanism that releases ordered columns as two: the ends of each block."""
        unordered, labels = self.goal.unordered, self.partition
        names = named_blocks(self._counted, labels, unordered=unordered, low_and_high=True)
        return replace(self, _released=names)

    @cached_property
    def members(self) -> tuple[ReleasedColumn, ...]:
        """The public columns with one value per public value: what records show as values."""
        cells = zip(*self.tuples, strict=True)
        return tuple(
            ReleasedColumn(column.name, column.type, values)
            for column, values in zip(self.columns, cells, strict=True)
        )

    def rows_of(self, values: Sequence[tuple[Any, ...]]) -> IntArray:
        """Return the block (or row of the channel) of each public value, given as tuples.

        Values it does not know belong to `unseen`; they are refused where there is no such block.
        """
        lookup, other = self.lookup, self.unseen
        if other is not None and self.labels is None:
            other = len(self.public)  # the row that was added for them
        found = [lookup.get(value, other) for value in values]
        if None in found:
            missing = {value for value in values if value not in lookup}
            shown = sorted(repr(v[0] if len(v) == 1 else v) for v in missing)
            several = "s were" if len(missing) > 1 else " was"
            # What is shown as values has no value that could stand for suppressed ones.
            hint = ", or say what becomes of them with unseen (--unseen)"
            raise TableError(
                f"{len(missing)} value{several} not seen when the mechanism was made: "
                f"{', '.join(shown[:MAX_LISTED])}{', ...' if len(shown) > MAX_LISTED else ''}: "
                f"remove them{hint if self.shares is None else ''}"
            )
        return np.array(found, dtype=np.int64)

    def rows_in(self, joint: Joint) -> IntArray:
        """Return the block (or row of the channel) of each public value of a joint of a table.

        As `rows_of`; a joint with the very values of the mechanism needs no look-up.
        """
        alike = len(self.columns) == len(joint.columns) > 0 and self.public == joint.public
        if not alike:
            return self.rows_of(joint.tuples)
        return np.arange(len(self.public)) if self.labels is None else self.labels

    def with_suppressed(self) -> Mechanism:
        """Return the mechanism with one more released value, for public values never seen.

        Its block has the number 0 in the released table, and its columns are texts.
        """
        if self.shares is not None:
            raise MechanismError(
                "a release that is shown as values has no value for suppressed records: refuse "
                "unseen values, or release groups"
            )
        originals = dict(zip(self.column_names, zip(*self.tuples, strict=True), strict=True))
        released = tuple(
            with_suppressed(column, originals[column.name])
            if column.name in originals
            else replace(
                column, values=(*column.values, 0 if column.name == BLOCK_COLUMN else None)
            )
            for column in self.released
        )
        return replace(self, unseen=self.size, _released=released).with_unseen()

    def with_unseen(self) -> Mechanism:
        """Return the mechanism with what becomes of public values never seen: it has `unseen`.

        A channel gets one more row for them.
        """
        if self.exact_channel is None or self.unseen is None:
            return self
        return replace(
            self,
            exact_channel=self.exact_channel.with_one_more(self.unseen),
            _channel=None,
            _joint=None,  # it has one row less
        )

    def release(self, joint: Joint | ArrayLike) -> Joint:
        """Return the joint of released and sensitive values, with one row per released value y.

        Rows are numbered like the columns of `channel`; those that are never released are left
        out. Counts stay counts under a partition.
        """
        given = as_joint(joint)
        labelled = isinstance(joint, Joint)
        if given.mass.shape[0] != len(self.public) or (labelled and given.public != self.public):
            raise MechanismError(
                f"the joint has other public values ({given.mass.shape[0]}) than the mechanism "
                f"({len(self.public)}): use the joint it was made for, rows in the same order"
            )
        names = [
            variable.name
            for variable in given.variables
            for _ in range(variable.start, variable.stop)
        ]
        return Joint(
            released_mass(given, self._mapping),
            sensitive=given.sensitive,
            variables=names,
            empty_public="drop",
        )

    def measured(self, joint: Joint | ArrayLike) -> Mechanism:
        """Return the mechanism with its figures on a joint.

        Its `upper_bound` is the utility of the table as it is.
        """
        given = as_joint(joint)
        self.release(given)  # refuses a joint of other values
        return replace(
            self,
            _joint=given,
            figures=figures_of(
                given,
                self._mapping,
                self.bound,
                self.goal,
                upper_bound=self.goal.most(given),
                scope=ALL_RELEASES,
            ),
        )

    def measures(self, joint: Joint | ArrayLike | None = None, *, alpha: float = 2.0) -> Measures:
        """Return every measure of what it gives away and keeps, in one object.

        Parameters
        ----------
        joint
            The joint to measure it on: by default the one it was made for, or last `measured` on.
            A mechanism from a file, or from a pickle, has none: give it then.
        alpha
            The order of Sibson information, alpha-leakage and alpha-lift.

        """
        from loglift.mechanism.all_measures import Measures  # noqa: PLC0415, it takes this class

        given = self._joint if joint is None else as_joint(joint)
        if given is None:
            raise MechanismError(
                "this mechanism comes from a file or a pickle and has no joint: give one, "
                ".measures(joint)"
            )
        return Measures.of(self, given, alpha)

    def shown_as_values(self, joint: Joint) -> Mechanism:
        """Return a partition whose records show a member of their block, drawn by frequency.

        The block is a function of the member, so leakage and utility are those of the partition;
        this is R_i(y) = p(y)/p(X_i) of the paper.
        """
        if len(self.column_names) != len(joint.columns):
            raise MechanismError("values are shown of a table's columns only: use Joint.from_table")
        return replace(self, shares=frozen(shares_of(joint.records, self.partition)))

    def with_upper_bound(self, value: Proven) -> Mechanism:
        """Return the mechanism with another proven bound on the utility, or how to work it out."""
        most = UpperBound(value, self.upper_bound_scope)
        return replace(self, figures=replace(self._measured, most=most))

    def to_json(self) -> str:
        """Return the text of mechanism.json.

        Raises `UnsafeError` for a mechanism that is known to be outside its bound: whoever reads
        the file could not tell.
        """
        if self.figures is not None and not self.safe:
            raise UnsafeError(
                f"this mechanism leaks {self.leakage:.4g} nats, which is not within its bound: it "
                "is not written"
            )
        if self.labels is None and self.exact_channel is None:
            raise MechanismError(
                "only a channel that was made from the counts of a table is written: its p(y|x) "
                "are whole numbers over 2^52"
            )
        return self._text

    @cached_property
    def _text(self) -> str:
        """The text of mechanism.json, which is checked first and written later."""
        from loglift.mechanism.file import json_of  # noqa: PLC0415, it writes this class

        return json_of(self)

    @classmethod
    def from_json(cls, text: str, where: str = "the mechanism") -> Mechanism:
        """Read the text of mechanism.json; `where` names it in errors."""
        from loglift.mechanism.file import mechanism_from  # noqa: PLC0415, it makes this class

        return mechanism_from(text, where)

    @property
    def sha256(self) -> str:
        """The SHA-256 of mechanism.json, by which a later release names this one."""
        return hashlib.sha256(self.to_json().encode("utf-8")).hexdigest()

    def save(self, path: str | PathLike[str]) -> None:
        """Write mechanism.json. The bound is not on what it tells: see docs/guarantee.md."""
        text = self.to_json()
        try:
            Mechanism.from_json(text.encode("utf-8").decode("utf-8"))
        except (MechanismError, UnicodeEncodeError) as error:
            raise MechanismError(
                f"this mechanism cannot be written to a file and read back: {error}"
            ) from None
        with whole_file(Path(path), force=True) as place:
            place.write_text(text, "utf-8")

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Mechanism:
        """Read a mechanism.json; a damaged one, or one of another version, is refused."""
        from loglift.mechanism.file import read  # noqa: PLC0415, it takes this class

        return cls.from_json(read(path), str(path))

    @property
    def _mapping(self) -> Mass:
        """The block numbers of a partition, or p(y|x)."""
        return self.probabilities if self.labels is None else self.labels

    @property
    def _measured(self) -> Figures:
        if self.figures is None:
            raise MechanismError(
                "a mechanism from a file has no figures: .measured(joint) has them, and verify "
                "checks it on a table"
            )
        return self.figures


def _unpickled(state: dict[str, Any]) -> Mechanism:
    """Put a pickled mechanism together again; `lookup` finds NaN by identity, so there is one."""
    return Mechanism(**{**state, "public": tuple(map(one_nan, state["public"]))})
