"""A scikit-learn transformer that merges public values, for pipelines and cross-validation.

It needs scikit-learn (`pip install loglift[sklearn]`), which `import loglift` does not load.

    X, s --read--> distinct rows and places --count--> Joint --choose--> Mechanism
    X --read--> distinct rows and places --look up--> blocks --show--> names or codes

Reading is `loglift.tables.rows`: Python sees distinct values only; rows are numbers in an array.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from loglift.certify.certificate import Certificate
from loglift.certify.certify import certify_written
from loglift.cuts import with_codes
from loglift.errors import BoundError, InputError, TableError
from loglift.mechanism.columns import PublicColumn
from loglift.mechanism.mechanism import Mechanism
from loglift.mechanism.naming import BLOCK_COLUMN, ReleasedColumn
from loglift.merging.merge import Over
from loglift.promise.bound import Bound
from loglift.release.choose import Task, choose
from loglift.release.draws import draws_of
from loglift.release.goal import goal_of
from loglift.release.options import Options, ReleaseMethod, options_of
from loglift.release.sensitive import resolved
from loglift.tables import Noise, Table, open_table
from loglift.tables.canonical import native
from loglift.tables.columns import Names
from loglift.tables.mapping import values_of
from loglift.tables.noise import Lots
from loglift.tables.rows import Rows, count_rows, read_rows
from loglift.utility.utility import Utility
from loglift.values import NUMBERS

try:
    from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
    from sklearn.utils._set_output import _get_output_config
    from sklearn.utils.validation import (
        check_array,
        check_consistent_length,
        check_is_fitted,
        validate_data,
    )
except ImportError as error:
    raise ImportError(
        "loglift.sklearn needs scikit-learn 1.6 or newer: pip install loglift[sklearn]"
    ) from error

__all__ = ["LiftProtector"]

Ints: TypeAlias = NDArray[np.int64]

SUPPRESSED = -1  # the code of values never seen in `fit`
_IN_MEMORY = frozenset({"pandas", "polars", "arrow"})


class LiftProtector(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Merge public values so that no released one moves belief about the sensitive variable.

    `fit` learns which values of X to merge; after it no released value of the training data has
    a log-lift outside the bound, and `certificate_` says so in exact arithmetic. `transform`
    rewrites any rows in the same way, row by row.

    Parameters
    ----------
    eps
        The bound on |log-lift| in nats.
    bound
        A `Bound` in place of eps, with eps=None.
    method
        How to choose what to merge, as in `loglift.merge`; "randomized" draws released values at
        random, anew in every `transform`, which keeps more.
    over
        "all" may merge low-risk values too, and always finds a release; "high-risk" merges
        high-risk values among themselves only, as the paper does.
    utility
        What is worth keeping, as in `loglift.protect`: "columns", "joint" or a `Utility`.
    min_count
        The least number of training records of every released value.
    intact
        Public columns whose values are never merged with different ones, by name.
    time_limit
        Seconds that "exact" may take to prove its release the best (60 by default), or "search" to
        go on improving it (none by default).
    each
        With several sensitive columns, bound each one on its own instead of their joint value.
    bins
        How to cut columns of numbers and dates into bands first, by column name, as in `audit`. The
        columns of an array are named x0, x1, ...; sensitive ones "sensitive", or sensitive0, ....
    missing
        Values that count as NULL, by column name, and "ignore", as in `audit`.
    unseen
        What to do with values that `fit` did not see: "suppress" releases them as one value,
        "(suppressed)" or the code -1; "refuse" raises.
    output
        "names" releases what `loglift.protect` does: an untouched value as it is, a merged one
        by its members (`Craft-repair | Sales`). With unseen="suppress" all columns are texts,
        whether or not a value is suppressed. "codes" numbers the released values of each
        column from 0. "auto" is "codes" when all columns of X are numbers, so that numbers give
        numbers, and "names" otherwise. Codes and names are categories, not quantities: put a
        `OneHotEncoder` behind them.
    draw_seed
        For "randomized", and for tests only: whoever knows it can repeat the draws.

    Attributes
    ----------
    mechanism_
        The mechanism, with `.blocks`, `.leakage`, `.utility`; `mechanism_.save(path)` writes a
        mechanism.json, for `loglift.apply`. The bound is not on what it tells (docs/guarantee.md).
    certificate_
        The exact check on the training data, for the custodian. It holds sensitive values, and
        so does a pickle of the fitted transformer.
    n_features_in_
        The number of public columns.
    feature_names_in_
        Their names, when X is a dataframe whose names are texts.

    Notes
    -----
    The columns that come out are those that went in and, when these are several, the block as
    `loglift_block`. Rows keep their order, as scikit-learn requires; `loglift.protect`, which
    shuffles them, is the way to a table for publication. The bound is proven on the rows of
    `fit`, not on other rows.

    Missing values (NULL; NaN in pandas and in arrays) are a value of their own.

    Examples
    --------
    >>> from loglift.sklearn import LiftProtector
    >>> jobs = [["clerk"], ["nurse"], ["smith"], ["clerk"], ["nurse"], ["smith"]]
    >>> ill = ["yes", "yes", "no", "no", "yes", "no"]
    >>> protector = LiftProtector(eps=0.5).fit(jobs, ill)
    >>> protector.transform([["clerk"], ["nurse"], ["pilot"]]).tolist()
    [['clerk'], ['nurse | smith'], ['(suppressed)']]
    >>> protector.certificate_.holds
    True

    In a pipeline the target is taken for the sensitive variable, unless metadata routing brings
    another one; docs/sklearn.md predicts a salary from columns that tell little about a sex, and
    measures what that costs:

    >>> import sklearn
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import OneHotEncoder
    >>> model = make_pipeline(LiftProtector(eps=0.5), OneHotEncoder(), LogisticRegression())
    >>> _ = model.fit(jobs, ill)
    >>> rich = [0, 1, 1, 0, 1, 0]
    >>> with sklearn.config_context(enable_metadata_routing=True):
    ...     _ = model[0].set_fit_request(sensitive=True)
    ...     _ = model.fit(jobs, rich, sensitive=ill)

    """

    mechanism_: Mechanism
    certificate_: Certificate
    n_features_in_: int

    def __init__(
        self,
        eps: float | None = 1.0,
        *,
        bound: Bound | None = None,
        method: ReleaseMethod = "search",
        over: Over = "all",
        utility: Utility | Literal["joint", "columns"] | None = None,
        min_count: int | None = None,
        intact: Names | None = None,
        time_limit: float | None = None,
        each: bool = False,
        bins: Mapping[str, Any] | None = None,
        missing: Mapping[str, Any] | None = None,
        unseen: Literal["suppress", "refuse"] = "suppress",
        output: Literal["auto", "names", "codes"] = "auto",
        draw_seed: int | None = None,
    ) -> None:
        self.eps = eps
        self.bound = bound
        self.method = method
        self.over = over
        self.utility = utility
        self.min_count = min_count
        self.intact = intact
        self.time_limit = time_limit
        self.each = each
        self.bins = bins
        self.missing = missing
        self.unseen = unseen
        self.output = output
        self.draw_seed = draw_seed

    def fit(self, X: Any, y: Any = None, *, sensitive: Any = None) -> LiftProtector:  # noqa: N803 - scikit-learn's name
        """Learn which values of X to merge.

        Parameters
        ----------
        X
            The public columns: an array, a list of rows, or a dataframe of pandas, Polars or
            PyArrow.
        y
            The sensitive variable, of one column or several; ignored when `sensitive` is given.
        sensitive
            The sensitive variable where y is something else: in a pipeline, ask for it with
            `set_fit_request(sensitive=True)`.

        Raises
        ------
        UnsafeError
            When there is no safe release under these limits.

        """
        self._check_own_options()
        given = y if sensitive is None else sensitive
        if given is None:
            raise InputError(
                "LiftProtector requires y to be passed, but the target y is None: give the "
                "sensitive variable as y or as sensitive"
            )
        public = self._read_public(X, fitting=True)
        hidden = _read_sensitive(given, public.names, self._cuts())
        check_consistent_length(public.places, hidden.places)
        options = self._options(public.names, hidden.names)
        joint = count_rows(public, hidden)
        limit = resolved(self._bound(), joint, options.ignored)
        chosen = choose(Task(joint, options, limit, goal_of(None, joint, options)))
        self.certificate_ = replace(
            certify_written(chosen.mechanism, options.shown(joint)),
            draws=draws_of(chosen.mechanism, None, self.draw_seed),
        )
        self.mechanism_ = chosen.mechanism
        return self

    def transform(self, X: Any) -> Any:  # noqa: N803 - scikit-learn's name
        """Return the released columns, row by row.

        Raises
        ------
        TableError
            When a value was not seen in `fit` and unseen="refuse", or when a column is of
            another type than in `fit`.

        """
        check_is_fitted(self)
        rows = self._read_public(X, fitting=False)
        suppress = self.unseen == "suppress"
        mechanism = self.mechanism_.with_suppressed() if suppress else self.mechanism_
        released = mechanism.rows_of(values_of(rows.groups, mechanism))[rows.places]
        if mechanism.exact_channel is not None:
            numbers = Noise.of(self.draw_seed).numbers(released.size)
            released = Lots.of(mechanism.exact_channel.rows).drawn(released, numbers)
        columns = [column[released] for column in self._shown(mechanism, suppress=suppress)]
        if _get_output_config("transform", self)["dense"] == "default":
            return np.column_stack(columns)
        # Not one array: in a dataframe every column has a type of its own.
        names = self.get_feature_names_out()
        return {name: column.tolist() for name, column in zip(names, columns, strict=True)}

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Return the names of the released columns: those of X, then loglift_block if several."""
        names = super().get_feature_names_out(input_features)
        block_column = [] if len(names) == 1 else [BLOCK_COLUMN]
        return np.array([*names, *block_column], dtype=object)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.target_tags.multi_output = True
        tags.input_tags.categorical = True
        tags.input_tags.allow_nan = True
        tags.transformer_tags.preserves_dtype = []
        return tags

    def _check_own_options(self) -> None:
        """Raise if an option that `protect` does not have is invalid."""
        if self.unseen not in ("suppress", "refuse"):
            raise InputError(f"unseen must be 'suppress' or 'refuse', got {self.unseen!r}")
        if self.output not in ("auto", "names", "codes"):
            raise InputError(f"output must be 'auto', 'names' or 'codes', got {self.output!r}")
        self._bound()

    def _bound(self) -> Bound:
        if self.bound is None and self.eps is not None:
            return Bound.symmetric(self.eps)
        if self.bound is None:
            raise BoundError("give a bound: eps, or bound")
        if self.eps is not None:
            raise BoundError("give eps, or bound with eps=None, not both")
        return self.bound

    def _options(self, public: Sequence[str], sensitive: Sequence[str]) -> Options:
        """Return what is asked for, as `protect` takes it."""
        return options_of(
            sensitive=sensitive,
            public=public,
            eps=None,
            bound=self._bound(),
            method=self.method,
            over=self.over,
            utility=self.utility,
            min_count=self.min_count,
            intact=self.intact,
            time_limit=self.time_limit,
            each=self.each,
            bins=self.bins,
            missing=self.missing,
            draw_seed=self.draw_seed,
        )

    def _read_public(self, X: Any, *, fitting: bool) -> Rows:  # noqa: N803
        opened = _opened(X)
        if opened is None:
            X = _as_array(X, estimator=self, ensure_min_samples=2 if fitting else 1)  # noqa: N806
        validate_data(self, X, reset=fitting, skip_check_array=True)
        source: Table | NDArray[Any] = X if opened is None else opened
        names = tuple(getattr(self, "feature_names_in_", ()))
        names = names or tuple(f"x{i}" for i in range(self.n_features_in_))
        if not fitting:
            types = [column.type for column in self.mechanism_.columns]
            cuts = {c.name: c.bin for c in self.mechanism_.columns if c.bin is not None}
            return read_rows(source, names, cuts, types)
        bins = {name: cut for name, cut in self._cuts().items() if name in names}
        return read_rows(source, names, bins)

    def _cuts(self) -> dict[str, Any]:
        return with_codes(self.bins, self.missing)

    def _shown(self, mechanism: Mechanism, *, suppress: bool) -> list[NDArray[Any]]:
        """Return what each column shows for each block, and last for unseen values."""
        numeric = all(map(_is_numeric, mechanism.columns))
        if self.output == "codes" or (self.output == "auto" and numeric):
            codes = [_codes(column) for column in self.mechanism_.released]
            return [np.append(code, SUPPRESSED) for code in codes] if suppress else codes
        return [np.array(column.values, dtype=object) for column in mechanism.released]


def _is_numeric(column: PublicColumn) -> bool:
    """Whether a column holds numbers, in bands only because they are so many."""
    cut = column.bin
    banded = cut is not None and cut.automatic and not cut.is_of_dates
    return banded or column.type in NUMBERS | {"boolean"}


def _opened(data: Any) -> Table | None:
    """Open a dataframe as a table; return None for data that NumPy reads."""
    if not hasattr(type(data), "columns"):  # asking a lazy frame itself would make it warn
        return None
    opened = open_table(data)
    if opened.kind not in _IN_MEMORY or not hasattr(data, "shape"):
        raise TableError(
            f"scikit-learn works on rows in memory, not on {opened.where}: collect it into pandas, "
            "Polars or PyArrow first, or use loglift.protect"
        )
    return opened


def _as_array(data: Any, **checks: Any) -> NDArray[Any]:
    """Return a NumPy array unchanged, and other data as an array of objects.

    NumPy would convert all values to one type: numbers beside texts to texts, and large integers
    beside a missing value to floats.
    """
    if isinstance(data, np.ma.MaskedArray) and np.ma.is_masked(data):
        raise TableError("the data has masked entries: fill them, or leave them out")
    dtype = None if isinstance(data, np.ndarray) else object
    for exactly in ("to_pylist", "tolist"):  # of PyArrow; of pandas and others
        if dtype is object and hasattr(data, exactly):
            data = getattr(data, exactly)()
    array: NDArray[Any] = check_array(data, dtype=dtype, ensure_all_finite=False, **checks)
    return array


def _read_sensitive(given: Any, public: Sequence[str], bins: Mapping[str, Any]) -> Rows:
    data = given.to_frame() if hasattr(given, "to_frame") else given
    opened = _opened(data)
    source: Any = opened
    if opened is None:
        array = _as_array(data, ensure_2d=False, input_name="y")
        source = array.reshape(len(array), -1)
    names = _sensitive_names(source, public)
    rest = {name: cut for name, cut in bins.items() if name not in public}
    rows = read_rows(source, names, rest, is_public=False)
    for name, column in zip(names, rows.groups.columns, strict=True):
        if len(column.values) == 1:
            raise TableError(
                f"the sensitive column {name!r} has the same value in every record (1 class): "
                "there is nothing to protect"
            )
    return rows


def _sensitive_names(source: Table | NDArray[Any], public: Sequence[str]) -> tuple[str, ...]:
    """Return the names of a dataframe's columns, or plain ones; a public name is not reused."""
    width = source.shape[1] if isinstance(source, np.ndarray) else len(source.columns)
    plain = ["sensitive"] if width == 1 else [f"sensitive{i}" for i in range(width)]
    names = plain
    if isinstance(source, Table):
        named = zip(source.columns, plain, strict=True)
        names = [name if name and isinstance(name, str) else other for name, other in named]
    return tuple(f"sensitive {name}" if name in public else name for name in names)


def _codes(column: ReleasedColumn) -> Ints:
    """Number the distinct values of a released column."""
    values = [native(value) for value in column.values]
    place = {value: i for i, value in enumerate(dict.fromkeys(values))}
    return np.array([place[value] for value in values], dtype=np.int64)
