"""Options of `protect` that do not go together: refused, never dropped."""

from __future__ import annotations

from typing import Any, get_args

from loglift.errors import InputError
from loglift.merging.merge import SEARCHING, Method, check_choice
from loglift.release.drawn import refuse_draws

_RANDOMIZED = {
    "confidence": "a randomized release cannot be certified for the population",
    "groups": "groups are for merging, a randomized release has none",
    "keep": "what kept columns give away beside random values is not audited: apply the mechanism "
    "with keep instead, at your own judgement",
    "over": "a randomized release is over all values",
    "keep_information": "keep_information finds an eps for merging: give eps to randomize",
}
_CONFIDENCE = {
    "groups": "groups cannot be certified for the population",
    "time_limit": "a certified release is chosen by many brief searches",
    "over": "with a confidence every value may have to be merged, low-risk ones too",
    "keep_information": "what a release keeps with a confidence is not known before it is made: "
    "give eps with a confidence",
}


def refuse_options(method: str, **options: Any) -> None:
    """Raise if options of `protect` do not go with its method, or with each other."""
    check_choice(method, (*get_args(Method), "randomized"), "method")
    if method == "randomized":
        _refuse(_RANDOMIZED, options)
    else:
        refuse_draws(options["key"], options["seed"])
    if method == "ordered":
        _refuse({"over": "runs of an ordered column are over all its values"}, options)
    if method not in SEARCHING:
        _refuse({"time_limit": f"only search and exact take a time limit, {method} ends"}, options)
    if options["confidence"] is not None:
        _refuse(_CONFIDENCE, options)
        if method == "exact":
            raise InputError("a certified release is chosen by many brief searches: use search")
    else:
        _refuse({"choose_share": "it shares out the records for a confidence, give one"}, options)
    if options["keep_information"] is not None:
        reason = "keep_information finds the least eps of mergings over all values"
        _refuse({"over": reason}, options)


def _refuse(reasons: dict[str, str], options: dict[str, Any]) -> None:
    for name, reason in reasons.items():
        if options[name] not in (None, ()) and (name, options[name]) != ("over", "all"):
            raise InputError(f"{reason}: leave {name} (--{name.replace('_', '-')}) out")
