"""Pure functions on joints and channels, one idea a file. Natural logarithms, nats.

All measures take stacks as well: joints of shape (..., public values, sensitive values), or a list
of `Joint`s of one shape. Their figures have the leading axes first. The measures of partitions
(`omega_of_blocks` and the information of merging) take one at a time.
"""

from loglift.measures.closeness import (
    average_log_lift,
    basic_beta_likeness,
    ordered_distance,
    total_variation,
)
from loglift.measures.distortion import f_information, hamming_distortion
from loglift.measures.diversity import distinct_sensitive, entropy_diversity
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
from loglift.measures.lift import lift, log_lift, omega, omega_of_blocks, omega_of_subset, outside

__all__ = [
    "alpha_leakage",
    "alpha_lift",
    "average_log_lift",
    "basic_beta_likeness",
    "chi_squared_lift",
    "distinct_sensitive",
    "entropy",
    "entropy_diversity",
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
    "ordered_distance",
    "outside",
    "shannon_information",
    "sibson_information",
    "total_variation",
]
