"""Counts of records against each sensitive variable, as the confidence limits need them.

A joint of k sensitive variables has every record k times. Lifts do not depend on that, but
confidence limits do: they count records. So each variable has an array of its own here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from loglift.errors import JointError
from loglift.joint import IntArray, Joint
from loglift.sparse import dense

# n(s,y) of each sensitive variable: one row per public (or released) value, in the same order.
Counts: TypeAlias = Sequence[IntArray]


def counts_of(counts: Joint | ArrayLike) -> list[IntArray]:
    """Return n(s,y) of each sensitive variable, dense; an array is the counts of one variable.

    An array may have rows and columns of zeros, which a `Joint` refuses.
    """
    if isinstance(counts, Joint):
        arrays = [dense(one.mass) for one in counts.by_variable()]
    else:
        arrays = [np.asarray(counts)]
    for array in arrays:
        if array.ndim != 2 or array.size == 0:  # noqa: PLR2004, rows and columns
            raise JointError(
                "counts have one row per public value and one column per sensitive value"
            )
        if array.dtype.kind not in "iu" or array.min() < 0:
            raise JointError(
                "confidence is about numbers of records: give whole counts, not shares"
            )
    return [array.astype(np.int64, copy=False) for array in arrays]
