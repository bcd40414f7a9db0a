"""A scikit-learn transformer that merges public values, for pipelines and cross-validation.

It needs scikit-learn (`pip install loglift[sklearn]`), which `import loglift` does not load.

    X, s --read--> distinct rows and places --count--> Joint --merge--> Recoding
    X --read--> distinct rows and places --look up--> blocks --show--> names or codes

Reading is `loglift.tables.rows`: Python sees distinct values only; rows are numbers in an array.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from loglift.certify.certificate import Certificate
from loglift.errors import BoundError, InputError, TableError
from loglift.joint import Joint
from loglift.mechanism.mechanism import Mechanism
from loglift.mechanism.naming import ReleasedColumn
from loglift.mechanism.recoding import GROUP_COLUMN, Recoding
from loglift.merging.merge import Method, Over
from loglift.promise.bound import Bound
from loglift.release.apply import with_suppressed_block
from loglift.release.learning import bound_of, check_options, learn
from loglift.tables import Table, open_table
from loglift.tables.applying import Mapped
from loglift.tables.rows import Rows, count_rows, read_rows
from loglift.tables.values import native
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
_CLIPPED = 2.0**60  # a bin number that `Bin.label` refuses as too large


class LiftProtector(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Merge public values so that no released one moves belief about the sensitive variable.

    `fit` learns which values of X to merge; after it no released value of the training data has
    a log-lift outside the bound, and `certificate_` says so in exact arithmetic. `transform`
    rewrites any rows in the same way, row by row.

    Parameters
    ----------
    eps
        The bound on |log-lift| in nats.
    lower, upper
        The bound of each direction, with eps=None; one that is left out is infinite.
    method
        How to choose what to merge, as in `loglift.merge`.
    over
        "all" may merge low-risk values too, and always finds a release; "high-risk" merges
        high-risk values among themselves only, as the paper does.
    min_count
        The least number of training records of every released value.
    each
        With several sensitive columns, bound each one on its own instead of their joint value.
    bins
        Widths of the intervals to cut numeric columns into first, by column name. The columns
        of an array are named x0, x1, ...; sensitive ones "sensitive", or sensitive0, ....
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

    Attributes
    ----------
    mechanism_
        The mechanism, with `.labels`, `.leakage`, `.utility`; its rows are `recoding_.values`.
    recoding_
        How values are rewritten: `recoding_.to_json()` is a mechanism.json, for `loglift.apply`.
        The bound is not on what it tells (docs/guarantee.md).
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
    `loglift_group`. Rows keep their order, as scikit-learn requires; `loglift.protect`, which
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
    another one:

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
    recoding_: Recoding
    certificate_: Certificate
    n_features_in_: int

    def __init__(
        self,
        eps: float | None = 1.0,
        *,
        lower: float | None = None,
        upper: float | None = None,
        method: Method = "search",
        over: Over = "all",
        min_count: int | None = None,
        each: bool = False,
        bins: Mapping[str, float] | None = None,
        unseen: Literal["suppress", "refuse"] = "suppress",
        output: Literal["auto", "names", "codes"] = "auto",
    ) -> None:
        self.eps = eps
        self.lower = lower
        self.upper = upper
        self.method = method
        self.over = over
        self.min_count = min_count
        self.each = each
        self.bins = bins
        self.unseen = unseen
        self.output = output

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
        bound = self._checked_bound()
        given = y if sensitive is None else sensitive
        if given is None:
            raise InputError(
                "LiftProtector requires y to be passed, but the target y is None: give the "
                "sensitive variable as y or as sensitive"
            )
        public = self._read_public(X, fitting=True)
        hidden = _read_sensitive(given, public.names, self.bins)
        check_consistent_length(public.places, hidden.places)
        self._learn(count_rows(public, hidden), bound)
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
        mapped = Mapped(
            self.recoding_.lookup,
            [column.type for column in self.recoding_.public],
            None,
            self.recoding_.size if suppress else "refuse",
        )
        blocks = np.array(mapped.blocks_of(rows.groups, rows.names), dtype=np.int64)
        columns = [column[blocks[rows.places]] for column in self._shown(suppress=suppress)]
        if _get_output_config("transform", self)["dense"] == "default":
            return np.column_stack(columns)
        # Not one array: in a dataframe every column has a type of its own.
        names = self.get_feature_names_out()
        return {name: column.tolist() for name, column in zip(names, columns, strict=True)}

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Return the names of the released columns: those of X, then loglift_group if several."""
        names = super().get_feature_names_out(input_features)
        group_column = [] if len(names) == 1 else [GROUP_COLUMN]
        return np.array([*names, *group_column], dtype=object)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.target_tags.multi_output = True
        tags.input_tags.categorical = True
        tags.input_tags.allow_nan = True
        tags.transformer_tags.preserves_dtype = []
        return tags

    def _checked_bound(self) -> Bound:
        if self.unseen not in ("suppress", "refuse"):
            raise InputError(f"unseen must be 'suppress' or 'refuse', got {self.unseen!r}")
        if self.output not in ("auto", "names", "codes"):
            raise InputError(f"output must be 'auto', 'names' or 'codes', got {self.output!r}")
        check_options(self.over, self.min_count)
        if self.eps is not None and not self.lower is self.upper is None:
            raise BoundError("give eps, or lower and upper with eps=None, not both")
        return bound_of(self.eps, self.lower, self.upper)

    def _read_public(self, X: Any, *, fitting: bool) -> Rows:  # noqa: N803
        opened = _opened(X)
        if opened is None:
            X = _as_array(X, estimator=self, ensure_min_samples=2 if fitting else 1)  # noqa: N806
        validate_data(self, X, reset=fitting, skip_check_array=True)
        source: Table | NDArray[Any] = X if opened is None else opened
        names = tuple(getattr(self, "feature_names_in_", ()))
        names = names or tuple(f"x{i}" for i in range(self.n_features_in_))
        if not fitting:
            types = [column.type for column in self.recoding_.public]
            return read_rows(source, names, self.recoding_.bins, types)
        bins = {name: width for name, width in (self.bins or {}).items() if name in names}
        return read_rows(source, names, bins)

    def _learn(self, counts: Joint, bound: Bound) -> None:
        learned = learn(
            counts,
            bound,
            method=self.method,
            over=self.over,
            min_count=self.min_count,
            each=self.each,
            bins=self.bins,
        )
        self.mechanism_ = learned.mechanism
        self.recoding_ = learned.recoding
        self.certificate_ = learned.certificate

    def _shown(self, *, suppress: bool) -> list[NDArray[Any]]:
        """Return what each column shows for each block, and last for unseen values."""
        released = self.recoding_.released
        numeric = {column.type for column in self.recoding_.public} <= NUMBERS | {"boolean"}
        if self.output == "codes" or (self.output == "auto" and numeric):
            return [_codes(column) for column in released]
        columns = with_suppressed_block(self.recoding_) if suppress else released
        return [np.array(column.values, dtype=object) for column in columns]


def _opened(data: Any) -> Table | None:
    """Return a dataframe as a table, and None for what numpy can read."""
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
    """Return data as an array: NumPy's as it is, all else as objects.

    NumPy would make one type of all: texts of numbers, floats of large integers beside a gap.
    """
    if isinstance(data, np.ma.MaskedArray) and np.ma.is_masked(data):
        raise TableError("the data has masked entries: fill them, or leave them out")
    dtype = None if isinstance(data, np.ndarray) else object
    for exactly in ("to_pylist", "tolist"):  # of PyArrow; of pandas and others
        if dtype is object and hasattr(data, exactly):
            data = getattr(data, exactly)()
    array: NDArray[Any] = check_array(data, dtype=dtype, ensure_all_finite=False, **checks)
    return array


def _read_sensitive(given: Any, public: Sequence[str], bins: Mapping[str, float] | None) -> Rows:
    data = given.to_frame() if hasattr(given, "to_frame") else given
    opened = _opened(data)
    source: Any = opened
    if opened is None:
        array = _as_array(data, ensure_2d=False, input_name="y")
        source = array.reshape(len(array), -1)
    names = _sensitive_names(source, public)
    rest = {name: width for name, width in (bins or {}).items() if name not in public}
    rows = read_rows(source, names, rest)
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
    """Number the distinct values of a released column; the last entry is for unseen values."""
    values = [native(value) for value in column.values]
    place = {value: i for i, value in enumerate(dict.fromkeys(values))}
    return np.array([*(place[value] for value in values), SUPPRESSED], dtype=np.int64)
