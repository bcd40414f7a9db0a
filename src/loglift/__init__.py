"""Publish data without giving secrets away.

The lift p(s|x)/p(s) says how much a public value x moves belief about a sensitive value s.
loglift measures it, and rewrites public values so that nothing released moves belief by more than
a factor e^eps, while keeping as much information about them as possible.
"""

TYPE_CHECKING = False  # as typing has it, which is slow to import
if TYPE_CHECKING:
    from loglift._api import *
    from loglift._version import __version__

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
    "__version__",
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


def __getattr__(name: str) -> object:
    """Load the public names at the first use of one: `import loglift` alone takes no time."""
    # Imported here, so that the command line begins, and can be interrupted, at once.
    from importlib import import_module  # noqa: PLC0415

    if name == "__version__":
        return import_module("loglift._version").__version__
    if not name.startswith("_"):
        api = import_module("loglift._api")
        globals().update({public: getattr(api, public) for public in api.__all__})
        if name in globals():  # a public name, or a module that came along
            return globals()[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
