"""The errors loglift raises, and what each of them means.

LogliftError
├── InputError            something handed in has to be changed; the message says what
│   ├── JointError        a distribution or its labels
│   ├── BoundError        eps, lower or upper
│   ├── PartitionError    blocks, subsets or row numbers
│   ├── MechanismError    p(y|x), R(y), or a method that does not exist
│   ├── UtilityError      targets, importance, taxonomies
│   ├── OutputError       a place to write to
│   ├── PlanError         a release.toml
│   └── TableError        a table, its file or its columns
└── UnsafeError           no safe release exists under the given limits

Every InputError is a ValueError too, so that callers need not know loglift to catch it. The
command line maps InputError to exit code 2 and UnsafeError to exit code 3.
"""

from __future__ import annotations


class LogliftError(Exception):
    """Anything loglift refuses to do.

    Examples
    --------
    >>> import loglift
    >>> try:
    ...     loglift.merge([[1, -1]], 0.5)
    ... except loglift.LogliftError as error:
    ...     print(error)
    the mass of a joint holds negative entries, the least is -1: remove them
    """


class InputError(LogliftError, ValueError):
    """Input that has to be changed; the message says how.

    Examples
    --------
    >>> import loglift
    >>> try:
    ...     loglift.merge([[1, 2], [2, 1]], -0.5)
    ... except loglift.InputError as error:
    ...     print(error)
    eps (nats) must be at least 0, got -0.5
    """


class JointError(InputError):
    """An invalid mass array, distribution or list of labels.

    Examples
    --------
    >>> import loglift
    >>> try:
    ...     loglift.Joint([1, 2])
    ... except loglift.JointError as error:
    ...     print(error)
    the mass of a joint must have shape (public values, sensitive values), got (2,)
    """


class BoundError(InputError):
    """An invalid eps, lower or upper.

    Examples
    --------
    >>> import loglift
    >>> try:
    ...     loglift.Bound.symmetric(-1)
    ... except loglift.BoundError as error:
    ...     print(error)
    eps (nats) must be at least 0, got -1
    """


class PartitionError(InputError):
    """Blocks that do not partition, or row numbers that do not exist.

    Examples
    --------
    >>> import loglift
    >>> try:
    ...     loglift.merge_subsets([[1, 2], [2, 1]], 0.5, [[0, 7]])
    ... except loglift.PartitionError as error:
    ...     print(error)
    a subset names row 7, but the rows are 0 to 1
    """


class MechanismError(InputError):
    """A channel p(y|x), a release rule R(y) or a method that cannot be used.

    Examples
    --------
    >>> import loglift
    >>> try:
    ...     loglift.merge([[1, 2], [2, 1]], 0.5, method="best")
    ... except loglift.MechanismError as error:
    ...     print(error)
    no method 'best': choose one of search, exact, ordered, greedy, complete
    """


class UtilityError(InputError):
    """A target, an importance or a taxonomy that cannot be used.

    Examples
    --------
    >>> import loglift
    >>> try:
    ...     loglift.Target.given("income", [[1, 2]], weight=-1)
    ... except loglift.UtilityError as error:
    ...     print(error)
    the weight of a target must be at least 0 and at most 1000000, got -1
    """


class OutputError(InputError):
    """A place that cannot be written to.

    Examples
    --------
    >>> import loglift
    >>> import polars as pl
    >>> table = pl.DataFrame({"job": ["a", "b"], "ill": ["y", "n"]})
    >>> release = loglift.protect(table, sensitive="ill", public="job", eps=0.5)
    >>> try:
    ...     release.save(".")
    ... except loglift.OutputError as error:
    ...     print(error)
    . exists already: choose another place, or use force (--force)
    """


class PlanError(InputError):
    """A plan, release.toml, that cannot be read or followed.

    Examples
    --------
    >>> import loglift
    >>> from pathlib import Path
    >>> from loglift.release.plan import read_plan
    >>> try:
    ...     read_plan(Path("nowhere.toml"))
    ... except loglift.PlanError as error:
    ...     print(error)
    there is no plan nowhere.toml: check the name, or write one with 'loglift plan TABLE'
    """


class TableError(InputError):
    """A table, a file or a column that cannot be read, counted or applied to.

    Examples
    --------
    >>> import loglift
    >>> try:
    ...     loglift.audit("nowhere.csv", sensitive="ill", public="job")
    ... except loglift.TableError as error:
    ...     print(error)
    there is no file nowhere.csv: check the name and the folder
    """


class UnsafeError(LogliftError):
    """No safe release exists under the given limits.

    Examples
    --------
    >>> import loglift
    >>> try:
    ...     loglift.merge([[1, 2], [2, 1]], 0.5, min_count=100)
    ... except loglift.UnsafeError as error:
    ...     print(error)
    no release can have 100 records for every value: there are 6 in all, ask for fewer
    """
