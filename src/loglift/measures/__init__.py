"""Pure functions on joints and channels, one idea a file. Natural logarithms, nats."""

from loglift.measures.distortion import f_information, hamming_distortion
from loglift.measures.entropy import (
    entropy,
    information_of_complete_merging,
    information_of_subset_merging,
    mutual_information,
    nmil,
)
from loglift.measures.leakage import (
    alpha_leakage,
    alpha_lift,
    chi_squared_lift,
    l1_lift,
    local_privacy_level,
    maximal_leakage,
    shannon_information,
    sibson_information,
)
from loglift.measures.lift import lift, log_lift, omega, omega_of_blocks, omega_of_subset
from loglift.measures.partition import refines

__all__ = [
    "alpha_leakage",
    "alpha_lift",
    "chi_squared_lift",
    "entropy",
    "f_information",
    "hamming_distortion",
    "information_of_complete_merging",
    "information_of_subset_merging",
    "l1_lift",
    "lift",
    "local_privacy_level",
    "log_lift",
    "maximal_leakage",
    "mutual_information",
    "nmil",
    "omega",
    "omega_of_blocks",
    "omega_of_subset",
    "refines",
    "shannon_information",
    "sibson_information",
]
