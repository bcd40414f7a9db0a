"""The public names and where they come from; `loglift` loads this at the first use of one."""

from loglift.bound import BiPartition, Bound, bipartition
from loglift.certificate import Certificate
from loglift.confidence.leakage import leakage_bound
from loglift.confidence.population import Population
from loglift.errors import (
    BoundError,
    InputError,
    JointError,
    LogliftError,
    MechanismError,
    OutputError,
    PartitionError,
    TableError,
    UnsafeError,
)
from loglift.estimating import Estimate, estimate
from loglift.joint import Joint
from loglift.learning import Protected
from loglift.measures import entropy, lift, log_lift, nmil, omega, refines
from loglift.mechanism import Mechanism
from loglift.pipeline import audit, protect
from loglift.randomized import randomize
from loglift.recoding import Recoding
from loglift.report.audit import Audit
from loglift.reuse import apply, verify
from loglift.solve import merge, merge_subsets, watchdog
from loglift.sweep import Frontier, FrontierPoint, LeastEps, frontier, least_eps
from loglift.why.explain import Explanation, explain
from loglift.why.suggest import Step, suggest

__all__ = [
    "Audit",
    "BiPartition",
    "Bound",
    "BoundError",
    "Certificate",
    "Estimate",
    "Explanation",
    "Frontier",
    "FrontierPoint",
    "InputError",
    "Joint",
    "JointError",
    "LeastEps",
    "LogliftError",
    "Mechanism",
    "MechanismError",
    "OutputError",
    "PartitionError",
    "Population",
    "Protected",
    "Recoding",
    "Step",
    "TableError",
    "UnsafeError",
    "apply",
    "audit",
    "bipartition",
    "entropy",
    "estimate",
    "explain",
    "frontier",
    "leakage_bound",
    "least_eps",
    "lift",
    "log_lift",
    "merge",
    "merge_subsets",
    "nmil",
    "omega",
    "protect",
    "randomize",
    "refines",
    "suggest",
    "verify",
    "watchdog",
]
