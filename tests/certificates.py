"""Certificates that the tests of sentences vary."""

from __future__ import annotations

from dataclasses import replace

from loglift.certify.certificate import Certificate
from loglift.certify.released_values import ReleasedValue
from loglift.mechanism.kept import KeptColumn, KeptTarget
from loglift.promise.bound import Bound

VALUE = ReleasedValue({"town": "a"}, 10, 0.3, {"ill": "flu"}, "raises", safe=True)
CERTIFICATE = Certificate(
    holds=True,
    sensitive=("ill",),
    public=("town",),
    bins={},
    bound=Bound.symmetric(1),
    method="search",
    each=False,
    min_count=None,
    intact=None,
    records=20,
    public_values=3,
    leakage=0.3,
    entropy=1.0,
    utility=0.8,
    nmil=0.2,
    goal="joint",
    goal_words="whole rows",
    goal_kept=0.8,
    goal_most=1.0,
    upper_bound=0.9,
    upper_bound_scope="merging",
    counts_sha256="0",
    values=(VALUE, VALUE),
    columns=(KeptColumn("town", 0.9, 0.8, 3, 2),),
    rows_unchanged=0.9,
    targets=(KeptTarget("whole rows", 1.0, 0.8),),
)
TOWN, SEX = KeptColumn("town", 0.4, 0.8, 4, 9), KeptColumn("sex", 0.9, 0.95, 2, 3)
BY_COLUMN = replace(
    CERTIFICATE,
    public=("town", "sex"),
    goal="columns",
    goal_words="each column and whole rows",
    goal_kept=0.955,
    upper_bound=0.9905,
    columns=(TOWN, SEX),
    targets=(
        KeptTarget("town", 0.4, 0.8, "town"),
        KeptTarget("sex", 0.4, 0.95, "sex"),
        KeptTarget("whole rows", 0.2, 0.8),
    ),
)
