"""Over which releases an upper bound on the utility is proven, in words.

A scope completes the sentence "no ... can keep more than ...". The terminal, the pages, the JSON
forms and the mechanism itself all say it in these words. A bound proven for fewer releases must
name every restriction: an unrestricted release may keep more.
"""

from __future__ import annotations

ALL_RELEASES = "release of the public values alone, merged or drawn at random, within the bound"
WHOLE = "whole blocks of the earlier release"
ALL_MERGINGS = "merging that stays within the bound"
WHOLE_BLOCKS = f"merging of {WHOLE} that stays within the bound"


def release_scope(*, grouped: bool, readers: bool) -> str:
    """Return the releases for which `randomize` proves its upper bound.

    `grouped` tells whether there are intact groups, `readers` whether the bound is kept to readers
    who know more.
    """
    told = f"{ALL_RELEASES} for all these readers" if readers else ALL_RELEASES
    return f"{told} and with the intact groups apart" if grouped else told


def merging_scope(
    method: str,
    *,
    high_risk_only: bool,
    least: bool,
    grouped: bool,
    whole_blocks: bool = False,
    readers: bool = False,
    capped: bool = False,
) -> str:
    """Return the mergings for which `merge` proves its upper bound.

    `least` tells whether every released value must have a minimum count, `whole_blocks` whether
    only whole blocks of an earlier release are merged, `readers` whether the bound is kept to
    readers who know more, and `capped` whether the size of blocks is limited. "greedy" and
    "complete" have a proof for all mergings within groups, whatever else restricts them. With
    `high_risk_only` small values are merged with others afterwards, which only loses utility, so
    that the bound covers the result.
    """
    kind, limits, afterwards = "merging", ["stays within the bound"], ""
    if readers:
        limits = ["stays within the bound for all these readers"]
    if whole_blocks:
        kind = f"merging of {WHOLE}"
    if method == "ordered":
        kind = "merging of neighbouring values"
    restricted = method in ("search", "exact", "ordered")
    if restricted and high_risk_only:
        kind = f"merging of high-risk {WHOLE if whole_blocks else 'values'} among themselves"
        if least:
            afterwards = ", whatever is merged afterwards to meet the minimum count,"
    elif restricted and least:
        limits.append("meets the minimum count")
    if capped:
        limits.append("has no larger blocks than allowed")
    if grouped:
        limits.append("keeps the intact groups apart")
    *first, last = limits
    that = f"{', '.join(first)} and {last}" if first else last
    return f"{kind} that {that}{afterwards}"


def is_of_whole_blocks(scope: str) -> bool:
    """Return whether a scope is of mergings of whole blocks of an earlier release only."""
    return WHOLE in scope
