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
    """Anything loglift refuses to do."""


class InputError(LogliftError, ValueError):
    """Input that has to be changed; the message says how."""


class JointError(InputError):
    """An invalid mass array, distribution or list of labels."""


class BoundError(InputError):
    """An invalid eps, lower or upper."""


class PartitionError(InputError):
    """Blocks that do not partition, or row numbers that do not exist."""


class MechanismError(InputError):
    """A channel p(y|x), a release rule R(y) or a method that cannot be used."""


class UtilityError(InputError):
    """A target, an importance or a taxonomy that cannot be used."""


class OutputError(InputError):
    """A place that cannot be written to."""


class PlanError(InputError):
    """A plan, release.toml, that cannot be read or followed."""


class TableError(InputError):
    """A table, a file or a column that cannot be read, counted or applied to."""


class UnsafeError(LogliftError):
    """No safe release exists under the given limits."""
