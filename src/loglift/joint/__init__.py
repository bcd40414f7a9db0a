"""The joint of public and sensitive values, and all checks of distributions.

Everything that comes in from outside and claims to be a distribution passes through here once;
the rest of the library works on arrays it can trust.
"""

from loglift.joint.arrays import FloatArray, frozen
from loglift.joint.columns import Column, Survey, Variable
from loglift.joint.distributions import SMALLEST_SHARE, SUM_TOLERANCE, as_channel, as_distribution
from loglift.joint.joint import Joint, as_joint
from loglift.joint.labels import one_nan
from loglift.sparse import IntArray

__all__ = [
    "SMALLEST_SHARE",
    "SUM_TOLERANCE",
    "Column",
    "FloatArray",
    "IntArray",
    "Joint",
    "Survey",
    "Variable",
    "as_channel",
    "as_distribution",
    "as_joint",
    "frozen",
    "one_nan",
]
