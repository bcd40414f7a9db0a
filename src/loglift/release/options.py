"""What a release is asked for: one object, checked in one place.

Options that do not go together are refused, never dropped.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, get_args

from loglift.confidence.population import alpha_of
from loglift.cuts import Cut, codes_of, with_codes
from loglift.errors import BoundError, InputError, TableError, UtilityError
from loglift.joint import Joint
from loglift.mechanism.columns import PublicColumn
from loglift.mechanism.mechanism import Mechanism
from loglift.merging.merge import PUBLISHED, SEARCHING, Method, Over, check_choice, check_over
from loglift.promise.bound import Bound
from loglift.promise.knowledge import bounding_lifts
from loglift.tables import Table, count
from loglift.tables.columns import Names, as_names
from loglift.utility.utility import Utility
from loglift.values import checked_number, plain

ReleaseMethod: TypeAlias = Method | Literal["randomized"]
Show: TypeAlias = Literal["groups", "values"]
Ranges: TypeAlias = Literal["text", "columns"]

WEIGHT_BANDS = 5  # of survey weights that pass through
CHOOSE_SHARE = 0.4  # of the records choose what to merge, by default; the others certify it

# Why an option does not go with another one.
_RANDOMIZED = {
    "max_block": "a randomized release merges nothing, so it has no blocks to limit",
    "passthrough": "what other columns give away beside random values is not audited: apply the "
    "mechanism with passthrough instead, at your own judgement",
    "over": "a randomized release is over all values",
    "min_information": "min_information finds an eps for merging, not for random draws",
    "coarser_than": "a randomized release is not coarser than another",
    "update": "a randomized release is drawn anew, nothing of an earlier one is kept",
}
_WHOLE_BLOCKS = "min_information finds an eps for mergings of single values, not of whole blocks"
_CERTIFIED = {
    "intact": "intact columns cannot be certified for the population",
    "max_block": "blocks of a limited size are not certified for the population",
    "time_limit": "a certified release is chosen by many brief searches",
    "over": "with a confidence every value may have to be merged, low-risk ones too",
    "min_information": "what a release keeps with a confidence is not known before it is made",
    "weights": "what weighted records prove about their population is not known to loglift",
    "known": "what readers know is not certified for the population",
    "given": "what earlier releases tell is not certified for the population",
    "coarser_than": "a coarser release is not certified for the population",
    "update": "an update is not certified for the population",
}


@dataclass(frozen=True, kw_only=True)
class Options:
    """The options of `protect`, as it documents them; checked when they are put together.

    `bound` is None where `min_information` stands in its place.
    """

    sensitive: tuple[str, ...]
    public: tuple[str, ...]
    bound: Bound | None
    min_information: float | None = None
    method: ReleaseMethod = "search"
    over: Over = "all"
    utility: Utility | Literal["joint", "columns"] | None = None
    purposes: tuple[str, ...] = ()
    importance: Mapping[str, float] = field(default_factory=dict)
    unordered: tuple[str, ...] = ()
    taxonomies: Mapping[str, Any] = field(default_factory=dict)
    min_count: int | None = None
    max_block: int | None = None
    intact: tuple[str, ...] | Mapping[Any, Hashable] | None = None
    passthrough: tuple[str, ...] = ()
    keep_sensitive: bool = False
    keep_order: bool = False
    each: bool = False
    combine: Mapping[str, Sequence[Sequence[Any]]] = field(default_factory=dict)
    weights: str | None = None
    both: bool = False
    known: tuple[str, ...] = ()
    given: tuple[Mechanism, ...] = ()
    coarser_than: Mechanism | None = None
    update: Mechanism | None = None
    bins: Mapping[str, Cut] = field(default_factory=dict)
    ignored: tuple[str, ...] = ()
    time_limit: float | None = None
    confidence: float | None = None
    choose_share: float | None = None
    show: Show = "groups"
    ranges: Ranges = "text"
    key: str | None = None
    draw_seed: int | None = None

    def __post_init__(self) -> None:
        check_choice(self.method, (*get_args(Method), "randomized"), "method")
        check_choice(self.show, get_args(Show), "show (--as)")
        check_choice(self.ranges, get_args(Ranges), "ranges (--ranges)")
        check_over(self.method, self.over)
        if self.min_count is not None:
            checked_number(self.min_count, "min_count (--min-count)", least=1, whole=True)
        if self.max_block is not None:
            checked_number(self.max_block, "max_block (--max-block)", least=1, whole=True)
        if self.method in PUBLISHED:
            self._refuse({"max_block": f"{self.method} has no limit on the values of a block"})
        if self.confidence is not None:
            alpha_of(self.confidence)
        if self.choose_share is not None:
            share = "choose_share (--choose-share)"
            checked_number(self.choose_share, share, above=0, below=1)
        self._check_bound()
        self._check_weights()
        self._check_utility()
        self._check_together()
        self._check_columns()

    def _check_bound(self) -> None:
        if self.min_information is not None:
            if self.bound is not None:
                raise BoundError("give a bound, or min_information (--min-information), not both")
            name = "min_information (--min-information)"
            checked_number(self.min_information, name, above=0, most=1)
        elif self.bound is None:
            raise BoundError("give a bound: eps (--eps), or bound (--lower, --upper)")
        elif self.known or self.given or self.both:
            bounding_lifts(self.bound)

    def _check_weights(self) -> None:
        if self.weights is not None and not isinstance(self.weights, str):
            raise InputError(f"weights must be the name of a column, got {self.weights!r}")
        if self.both and self.weights is None:
            raise InputError(
                "both (--both) bounds weighted and unweighted shares: name the weights (--weights)"
            )
        if self.method == "randomized" and self.weights is not None:
            reason = "random draws of weighted records have no least number of records"
            self._refuse({"min_count": reason})

    def _check_utility(self) -> None:
        if not (self.utility is None or isinstance(self.utility, Utility)):
            check_choice(self.utility, ("joint", "columns"), "utility (--utility)")
        if self.confidence is not None and self.utility not in (None, "joint"):
            raise UtilityError(
                "a certified release is chosen for I(X;Y) of whole rows: leave utility (--utility) "
                "out, or the confidence (--confidence)"
            )
        if self.confidence is not None or self.utility not in (None, "columns"):
            kept = "a Utility" if isinstance(self.utility, Utility) else "I(X;Y) of whole rows"
            reason = f"{kept} is what is kept"
            for name in ("purposes", "importance", "unordered", "taxonomies"):
                if getattr(self, name):
                    option = {"purposes": "--for", "taxonomies": "--taxonomy"}.get(name)
                    raise UtilityError(f"{reason}: leave {name} ({option or '--' + name}) out")
        for name, weight in self.importance.items():
            checked_number(
                weight, f"the importance (--importance) of {name!r}", least=0, error=UtilityError
            )

    def _check_together(self) -> None:
        if self.method == "randomized":
            self._refuse(_RANDOMIZED)
            if self.show == "values":
                raise InputError(
                    "a randomized release draws released values of its own: leave show (--as) out"
                )
        elif self.show == "groups":
            refuse_draws(self.key, self.draw_seed)
        if self.ranges == "columns" and (self.show == "values" or self.method == "randomized"):
            raise InputError(
                "only groups are released as ranges: leave ranges (--ranges) out, or show groups"
            )
        if self.method == "ordered":
            self._refuse({"over": "runs of an ordered column are over all its values"})
            refuse_several(self.public)
        if self.method not in (*SEARCHING, "randomized"):
            reason = f"only search, exact and randomized take a time limit, not {self.method}"
            self._refuse({"time_limit": reason})
        if self.min_information is not None:
            self._refuse(
                {
                    "over": "min_information finds the least eps of mergings over all values",
                    "max_block": "min_information finds an eps for blocks of any size",
                }
            )
            self._refuse(dict.fromkeys(("coarser_than", "update"), _WHOLE_BLOCKS))
        reason = "an update follows one earlier mechanism"
        self._refuse({} if self.update is None else {"coarser_than": reason})
        if self.confidence is None:
            self._refuse({"choose_share": "the records are split only for a confidence"})
            return
        self._refuse(_CERTIFIED)
        if self.method == "exact":
            raise InputError("a certified release is chosen by many brief searches: use search")

    def _refuse(self, reasons: Mapping[str, str]) -> None:
        """Raise for the first of these options that is given, with its reason."""
        for name, reason in reasons.items():
            if getattr(self, name) not in (None, (), "all"):
                raise InputError(f"{reason}: leave {name} (--{name.replace('_', '-')}) out")

    def _check_columns(self) -> None:
        used = (*self.public, *self.sensitive, *self.known, *self.passthrough, *self.purposes)
        plain = [n for n in self.passthrough if n in self.bins and not self.bins[n].bands]
        refuse_unused(self.bins, [name for name in used if name not in plain])
        for name in self.intact if isinstance(self.intact, tuple) else ():
            if name not in self.public:
                raise TableError(
                    f"intact (--intact) names {name!r}, which is not a public column: name one of "
                    f"{', '.join(self.public)}, or make it public too (-p {name})"
                )
        for name in self.passthrough:
            if name in self.public:
                raise TableError(
                    f"column {name!r} is public, so it is released already: do not pass it through"
                )

    @property
    def counted_bins(self) -> dict[str, Cut]:
        """How public and sensitive columns are cut; without a word, as an earlier release did."""
        cuts = {n: cut for n, cut in self.bins.items() if n in (*self.public, *self.sensitive)}
        for column in self._earlier_columns:
            asked, before = self.bins.get(column.name), column.bin
            same = asked is None or (before is not None and asked.shares == before.shares)
            if before is not None and same and (asked is None or not asked.found):
                cuts[column.name] = before
        return cuts

    @property
    def as_is(self) -> tuple[str, ...]:
        """Public columns whose values mean something by themselves: not cut unless it is asked."""
        uncut = (column.name for column in self._earlier_columns if not column.banded)
        return (*self.unordered, *self.taxonomies, *(self.intact_columns or ()), *uncut)

    @property
    def _earlier_columns(self) -> tuple[PublicColumn, ...]:
        """The public columns of a mechanism that the release follows: they are cut as they were."""
        earlier = self.update or self.coarser_than
        columns = () if earlier is None else earlier.columns
        return tuple(column for column in columns if column.name in self.public)

    def counted(self, opened: Table) -> Joint:
        """Count the public columns of a table against the sensitive ones."""
        return count(
            opened,
            self.public,
            self.sensitive,
            bins=self.counted_bins,
            as_is=self.as_is,
            weights=self.weights,
        )

    @property
    def published(self) -> tuple[str, ...]:
        """The columns that are released as they are, the sensitive ones among them if asked."""
        return (*self.passthrough, *(self.sensitive if self.keep_sensitive else ()))

    @property
    def holds_rows(self) -> bool:
        """Whether rows of a file may be read once: to count what passes through, and released."""
        plain = not (self.weights or self.keep_order or self.key or self.draw_seed is not None)
        banded = any(name in self.bins for name in self.passthrough)
        return bool(self.passthrough) and self.method != "randomized" and plain and not banded

    @property
    def intact_columns(self) -> tuple[str, ...] | None:
        """The intact columns; empty where groups were given value by value, None without any."""
        return () if isinstance(self.intact, Mapping) else self.intact

    def shown(self, joint: Joint) -> Joint:
        """Return the joint with the sensitive variables that are bounded."""
        return joint.apart() if self.each else joint

    def groups(self, joint: Joint) -> Mapping[Any, Hashable] | list[Hashable] | None:
        """Return the group of each public value, as `merge` takes them; None for one group."""
        if self.intact is None or isinstance(self.intact, Mapping):
            return self.intact
        places = [joint.column_names.index(name) for name in self.intact]
        if len(places) == 1:
            return [value[places[0]] for value in joint.tuples]
        return [tuple(value[i] for i in places) for value in joint.tuples]


def options_of(
    *,
    sensitive: Names,
    public: Names,
    eps: float | None,
    bound: Bound | None,
    intact: Names | Mapping[Any, Hashable] | None = None,
    passthrough: Names = (),
    bins: Mapping[str, Any] | None = None,
    missing: Mapping[str, Any] | None = None,
    weights: str | None = None,
    combine: Mapping[str, Any] | None = None,
    known: Names = (),
    purposes: Names = (),
    importance: Mapping[str, float] | None = None,
    unordered: Names = (),
    taxonomies: Mapping[str, Any] | None = None,
    **others: Any,
) -> Options:
    """Put the arguments of a recipe together: one name or several, eps or a bound."""
    if eps is not None and bound is not None:
        raise BoundError("give eps or bound, not both")
    if not (bound is None or isinstance(bound, Bound)):
        raise BoundError(f"bound must be a Bound, got {bound!r}: give a number as eps")
    cuts, ignored = cuts_of(bins, missing, as_names(sensitive, "sensitive"))
    beside = as_names(passthrough, "passthrough", optional=True)
    if weights in beside and not (weights in cuts and cuts[weights].bands):
        cuts[weights] = Cut.quantiles(WEIGHT_BANDS)  # as it is, a weight can be as rare as a person
    for name, given in (("importance", importance), ("taxonomies", taxonomies)):
        if given and not isinstance(given, Mapping):
            raise UtilityError(f"{name} must map columns, such as {{'age': ...}}, got {given!r}")
    apart: tuple[str, ...] | Mapping[Any, Hashable] | None
    if isinstance(intact, Mapping):
        apart = intact
    else:
        apart = None if intact is None else as_names(intact, "intact", optional=True) or None
    return Options(
        sensitive=as_names(sensitive, "sensitive"),
        public=as_names(public, "public"),
        bound=bound if eps is None else Bound.symmetric(eps),
        intact=apart,
        passthrough=beside,
        weights=weights,
        bins=cuts,
        ignored=ignored,
        combine=groups_of(combine or {}),
        known=as_names(known, "known", optional=True),
        purposes=as_names(purposes, "purposes", optional=True),
        importance={name: plain(weight) for name, weight in (importance or {}).items()},
        unordered=as_names(unordered, "unordered", optional=True),
        taxonomies=taxonomies or {},
        **{name: plain(value) for name, value in others.items()},
    )


def cuts_of(
    bins: Mapping[str, Any] | None, missing: Mapping[str, Any] | None, sensitive: Sequence[str]
) -> tuple[dict[str, Cut], tuple[str, ...]]:
    """Return how columns are cut, with codes of missing values, and where NULL is ignored."""
    if bins and not isinstance(bins, Mapping):
        raise TableError(f"bins must map columns to widths, such as {{'age': 10}}, got {bins!r}")
    _, ignored = codes_of(missing)
    for name in ignored:
        if name not in sensitive:
            raise TableError(
                f"missing (--missing) ignores NULL of {name!r}, which is not a sensitive column "
                f"({', '.join(sensitive)}): NULL of other columns is a value like any other"
            )
    found = with_codes(bins, missing)
    return {name: Cut.of(cut, name) for name, cut in found.items()}, ignored


def groups_of(combine: Mapping[str, Any]) -> dict[str, tuple[tuple[Any, ...], ...]]:
    """Return the groups of values that are to be one; a single group may stand for itself."""
    if not isinstance(combine, Mapping):
        raise TableError(
            "combine must map columns to values, such as {'ill': ['flu', 'cold']}, got "
            f"{combine!r}"
        )
    found = {}
    for name, given in combine.items():
        several = plain(given)
        if isinstance(several, (str, bytes)) or not isinstance(several, Sequence):
            raise TableError(f"combine must list values of {name!r} in groups, got {given!r}")
        several = [plain(each) for each in several]
        groups = several if all(isinstance(each, (list, tuple)) for each in several) else [several]
        found[name] = tuple(tuple(map(plain, group)) for group in groups)
    return found


def refuse_unused(cuts: Mapping[str, Cut], used: Sequence[str]) -> None:
    """Raise if a column is cut, or has codes of missing values, that is not used."""
    for name, cut in cuts.items():
        if name not in used:
            what = "bins (--bin) are given for" if cut.bands else "missing (--missing) names"
            raise TableError(
                f"{what} {name!r}, which is neither public nor sensitive: drop them, or name the "
                "column"
            )


def refuse_draws(key: str | None, draw_seed: int | None) -> None:
    """Raise if options of drawing are given where nothing is drawn."""
    for name, value in (("key", key), ("draw_seed", draw_seed)):
        if value is not None:
            option = f"--{name.replace('_', '-')}"
            raise InputError(
                f"{name} ({option}) is for releases that are drawn, randomized or shown as values: "
                "leave it out"
            )


def refuse_several(public: Sequence[str]) -> None:
    """Raise if there are several columns, whose values have no order together."""
    if len(public) > 1:
        raise TableError("ordered takes one ordered column: name one public column, or use search")
