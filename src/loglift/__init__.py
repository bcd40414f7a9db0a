"""Publish data without giving secrets away.

The lift p(s|x)/p(s) says how much a public value x moves belief about a sensitive value s.
loglift measures it, and rewrites public values so that nothing released moves belief by more than
a factor e^eps, while keeping as much information about them as possible.
"""

import sys
from types import ModuleType

TYPE_CHECKING = False  # `typing` has it too, but is slow to import
if TYPE_CHECKING:
    from loglift._version import __version__ as __version__
    from loglift.audit.audit import Audit as Audit
    from loglift.certify.certificate import Certificate as Certificate, ReaderCheck as ReaderCheck
    from loglift.certify.together import TogetherCheck as TogetherCheck
    from loglift.confidence.leakage import leakage_bound as leakage_bound
    from loglift.confidence.population import Population as Population
    from loglift.cuts import Cut as Cut
    from loglift.errors import (
        BoundError as BoundError,
        InputError as InputError,
        JointError as JointError,
        LogliftError as LogliftError,
        MechanismError as MechanismError,
        OutputError as OutputError,
        PartitionError as PartitionError,
        PlanError as PlanError,
        TableError as TableError,
        UnsafeError as UnsafeError,
        UtilityError as UtilityError,
    )
    from loglift.explain.explain import Explanation as Explanation, explain as explain
    from loglift.explain.suggest import Step as Step, suggest as suggest
    from loglift.joint import Joint as Joint
    from loglift.measures import (
        entropy as entropy,
        lift as lift,
        log_lift as log_lift,
        nmil as nmil,
        omega as omega,
    )
    from loglift.mechanism.all_measures import Measures as Measures
    from loglift.mechanism.difference import BlockChanges as BlockChanges, Difference as Difference
    from loglift.mechanism.given import Given as Given
    from loglift.mechanism.mechanism import Mechanism as Mechanism
    from loglift.mechanism.notions import Notions as Notions
    from loglift.mechanism.refinement import refines as refines
    from loglift.merging.merge import merge as merge
    from loglift.merging.stack import MergedStack as MergedStack
    from loglift.merging.watchdog import merge_subsets as merge_subsets, watchdog as watchdog
    from loglift.promise.bipartition import BiPartition as BiPartition, bipartition as bipartition
    from loglift.promise.bound import Bound as Bound
    from loglift.promise.closeness import (
        L1Lift as L1Lift,
        OrderedTCloseness as OrderedTCloseness,
        TCloseness as TCloseness,
    )
    from loglift.promise.divergence import (
        AlphaLift as AlphaLift,
        AverageLogLift as AverageLogLift,
        ChiSquaredLift as ChiSquaredLift,
    )
    from loglift.promise.diversity import (
        DistinctDiversity as DistinctDiversity,
        EntropyDiversity as EntropyDiversity,
    )
    from loglift.promise.known import Known as Known
    from loglift.promise.requirement import Requirement as Requirement
    from loglift.promise.value_bound import ValueBound as ValueBound
    from loglift.randomizing.randomize import randomize as randomize
    from loglift.randomizing.response import subset_response as subset_response
    from loglift.readers.evaluation import Evaluation as Evaluation
    from loglift.release.apply import apply as apply
    from loglift.release.audit import audit as audit
    from loglift.release.diff import diff as diff
    from loglift.release.estimate import Estimate as Estimate, estimate as estimate
    from loglift.release.evaluate import evaluate as evaluate
    from loglift.release.frontier import frontier as frontier
    from loglift.release.least_eps import least_eps as least_eps
    from loglift.release.protect import protect as protect
    from loglift.release.result import Release as Release
    from loglift.release.together import verify_together as verify_together
    from loglift.release.verify import verify as verify
    from loglift.report.sweep import (
        Frontier as Frontier,
        FrontierPoint as FrontierPoint,
        LeastEps as LeastEps,
    )
    from loglift.utility.target import Target as Target
    from loglift.utility.utility import Utility as Utility

# The public names and the modules that hold them; a module loads when its name is first used.
_MODULES = {
    "AlphaLift": "promise.divergence",
    "Audit": "audit.audit",
    "AverageLogLift": "promise.divergence",
    "BiPartition": "promise.bipartition",
    "BlockChanges": "mechanism.difference",
    "Bound": "promise.bound",
    "BoundError": "errors",
    "Certificate": "certify.certificate",
    "ChiSquaredLift": "promise.divergence",
    "Cut": "cuts",
    "Difference": "mechanism.difference",
    "DistinctDiversity": "promise.diversity",
    "EntropyDiversity": "promise.diversity",
    "Estimate": "release.estimate",
    "Evaluation": "readers.evaluation",
    "Explanation": "explain.explain",
    "Frontier": "report.sweep",
    "FrontierPoint": "report.sweep",
    "Given": "mechanism.given",
    "InputError": "errors",
    "Joint": "joint",
    "JointError": "errors",
    "Known": "promise.known",
    "L1Lift": "promise.closeness",
    "LeastEps": "report.sweep",
    "LogliftError": "errors",
    "Measures": "mechanism.all_measures",
    "Mechanism": "mechanism.mechanism",
    "MechanismError": "errors",
    "MergedStack": "merging.stack",
    "Notions": "mechanism.notions",
    "OrderedTCloseness": "promise.closeness",
    "OutputError": "errors",
    "PartitionError": "errors",
    "PlanError": "errors",
    "Population": "confidence.population",
    "ReaderCheck": "certify.certificate",
    "Release": "release.result",
    "Requirement": "promise.requirement",
    "Step": "explain.suggest",
    "TCloseness": "promise.closeness",
    "TableError": "errors",
    "Target": "utility.target",
    "TogetherCheck": "certify.together",
    "UnsafeError": "errors",
    "Utility": "utility.utility",
    "UtilityError": "errors",
    "ValueBound": "promise.value_bound",
    "__version__": "_version",
    "apply": "release.apply",
    "audit": "release.audit",
    "bipartition": "promise.bipartition",
    "diff": "release.diff",
    "entropy": "measures",
    "estimate": "release.estimate",
    "evaluate": "release.evaluate",
    "explain": "explain.explain",
    "frontier": "release.frontier",
    "leakage_bound": "confidence.leakage",
    "least_eps": "release.least_eps",
    "lift": "measures",
    "log_lift": "measures",
    "merge": "merging.merge",
    "merge_subsets": "merging.watchdog",
    "nmil": "measures",
    "omega": "measures",
    "protect": "release.protect",
    "randomize": "randomizing.randomize",
    "refines": "mechanism.refinement",
    "subset_response": "randomizing.response",
    "suggest": "explain.suggest",
    "verify": "release.verify",
    "verify_together": "release.together",
    "watchdog": "merging.watchdog",
}

__all__ = list(_MODULES)


def __getattr__(name: str) -> object:
    """Load the module of a public name when it is first used: `import loglift` takes no time."""
    # Imported here, so that the command line begins, and can be interrupted, at once.
    from importlib import import_module  # noqa: PLC0415

    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found: object = getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return list(_MODULES)


class _Package(ModuleType):
    """The package itself: importing the room `audit` does not hide the public function `audit`."""

    def __setattr__(self, name: str, value: object) -> None:
        if not (name in _MODULES and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
