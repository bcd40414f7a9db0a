"""The study of subset size: what a limit on the values of a block costs.

Random joints are drawn as in the paper's experiment, and protected at eps = 0.5, where blocks have
several values: by Algorithm 1 with a cap (`capped_greedy`), by search with `max_block`, and by
randomizing, which has no blocks. Three sweeps: the cap at |X| = 20 and |S| = 13; |X| at |S| = 13;
|S| at |X| = 20.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

from loglift._compute.progress import OnProgress, Progress
from loglift.display.chart import Spec
from loglift.errors import UnsafeError
from loglift.joint import FloatArray
from loglift.mechanism.mechanism import Mechanism
from loglift.merging.merge import merge
from loglift.merging.watchdog import merge_subsets
from loglift.paper.capped_greedy import capped_algorithm1
from loglift.paper.experiment import PUBLIC_VALUES, SENSITIVE_VALUES, draw_joints
from loglift.paper.study import Recipe, Study, chart_of, curves, mean, told_apart
from loglift.randomizing.randomize import randomize
from loglift.report.words import number_of
from loglift.values import checked_number

EPS = 0.5
CAPS = (1, 2, 3, 4, 5, 6, 8, 10, PUBLIC_VALUES)
SIZED_CAP = 3  # of the sweeps of |X| and |S|, beside no cap
PUBLIC_SIZES = (5, 10, 20, 40)
SENSITIVE_SIZES = (2, 5, 9, 13, 20)

Sweep: TypeAlias = Literal["cap", "public", "sensitive"]
SizedMethod: TypeAlias = Literal["greedy", "search", "randomized"]
CHARTS = (
    "cap-nmil",
    "cap-leakage",
    "cap-safe",
    "public-nmil",
    "public-leakage",
    "sensitive-nmil",
    "sensitive-leakage",
)
_NAMES = {"greedy": "Algorithm 1", "search": "Search", "randomized": "Randomized"}
_X_TITLES: dict[Sweep, str] = {
    "cap": "cap K on the values of a block",
    "public": "|X|, public values",
    "sensitive": "|S|, sensitive values",
}
_Y_TITLES = {
    "nmil": "NMIL = 1 − I(X;Y)/H(X), mean",
    "leakage": "max ω(y) (nats), mean",
    "safe": "share of draws within eps",
}
_TITLES = {"nmil": "Information lost", "leakage": "Leakage", "safe": "Releases within eps"}
_TOOLTIP = ("curve", "max_block", "public_values", "sensitive_values", "nmil", "leakage", "safe")


@dataclass(frozen=True)
class SizePoint:
    """Means over the draws of one method at one setting.

    `max_block` is the cap, None without one. `safe` is the share of draws whose release is within
    eps: Algorithm 1 always has a release, search only where it finds a safe partition. The means
    are over the draws that have a release: None if there is no such draw. `largest_block` is the
    mean of the most values that are merged into one; None for randomizing.
    """

    sweep: Sweep
    method: SizedMethod
    max_block: int | None
    public_values: int
    sensitive_values: int
    safe: float
    nmil: float | None
    leakage: float | None
    largest_block: float | None


class Setting(NamedTuple):
    """The sizes of the joints and the caps to try on them."""

    sweep: Sweep
    public: int
    sensitive: int
    caps: tuple[int | None, ...]


SETTINGS = (
    Setting("cap", PUBLIC_VALUES, SENSITIVE_VALUES, CAPS),
    *(Setting("public", n, SENSITIVE_VALUES, (SIZED_CAP, None)) for n in PUBLIC_SIZES),
    *(Setting("sensitive", PUBLIC_VALUES, m, (SIZED_CAP, None)) for m in SENSITIVE_SIZES),
)


def subset_size(draws: int, seed: int, on_progress: OnProgress) -> Study:
    """Run the study; `draws` joints of every size."""
    checked_number(draws, "draws", least=1, whole=True)
    points: list[SizePoint] = []
    for done, setting in enumerate(SETTINGS):
        on_progress(Progress("protecting random joints", done, len(SETTINGS)))
        joints = draw_joints(draws, seed, setting.public, setting.sensitive)
        points += _points(setting, joints)
    return Study(
        name="subset-size",
        title="Subset size: what a limit on the values of a block costs",
        about=(
            f"{number_of(draws, 'random joint')} of each size, seed {seed}, eps {EPS:g}; |X| = "
            f"{PUBLIC_VALUES} and |S| = {SENSITIVE_VALUES} where nothing else is said"
        ),
        draws=draws,
        seed=seed,
        points=tuple(points),
        charts=_charts(points),
    )


RECIPE = Recipe(subset_size, draws=15, charts=CHARTS)


def _points(setting: Setting, joints: FloatArray) -> Iterator[SizePoint]:
    free = [merge(joint, EPS) for joint in joints]
    for cap in setting.caps:
        subsets = [capped_algorithm1(joint, EPS, cap or len(joint)) for joint in joints]
        grown = [merge_subsets(joint, EPS, of) for joint, of in zip(joints, subsets, strict=True)]
        yield _point(setting, "greedy", cap, grown)
        found = [_searched(joint, cap, best) for joint, best in zip(joints, free, strict=True)]
        yield _point(setting, "search", cap, found)
    yield _point(setting, "randomized", None, [randomize(joint, EPS) for joint in joints])


def _searched(joint: FloatArray, cap: int | None, free: Mechanism) -> Mechanism | None:
    """Return the release of search; None where it finds no safe partition.

    `free` is the release without a cap, which is the answer where it meets the cap.
    """
    if cap is None or _largest_block(free) <= cap:
        return free
    try:
        return merge(joint, EPS, max_block=cap)
    except UnsafeError:
        return None


def _largest_block(made: Mechanism) -> int:
    return max(map(len, made.blocks))


def _point(
    setting: Setting,
    method: SizedMethod,
    cap: int | None,
    found: Sequence[Mechanism | None],
) -> SizePoint:
    made = [mechanism for mechanism in found if mechanism is not None]
    merged = [] if method == "randomized" else made
    return SizePoint(
        setting.sweep,
        method,
        cap,
        setting.public,
        setting.sensitive,
        safe=sum(mechanism.safe for mechanism in made) / len(found),
        nmil=mean([mechanism.nmil for mechanism in made]),
        leakage=mean([mechanism.leakage for mechanism in made]),
        largest_block=mean([_largest_block(mechanism) for mechanism in merged]),
    )


def _charts(points: list[SizePoint]) -> dict[str, Spec]:
    return {
        f"{sweep}-{figure}": _chart(points, sweep, figure)
        for sweep in _X_TITLES
        for figure in _Y_TITLES
        if f"{sweep}-{figure}" in CHARTS
    }


def _chart(points: list[SizePoint], sweep: Sweep, figure: str) -> Spec:
    rows = [_row(point) for point in points if point.sweep == sweep]
    apart = told_apart("curve", list(dict.fromkeys(row["curve"] for row in rows)))
    x = {"field": "x", "type": "quantitative", "title": _X_TITLES[sweep]}
    y = {"field": figure, "type": "quantitative", "title": _Y_TITLES[figure]}
    layers = curves(x, y, apart, _TOOLTIP)
    if sweep == "cap":  # randomizing has no cap: a line across
        across = {"filter": "datum.x == null"}
        rule = {"mark": {"type": "rule", "strokeDash": [5, 4]}, "transform": [across]}
        layers.append({**rule, "encoding": {"y": y, "color": apart["color"]}})
    return chart_of(f"{_TITLES[figure]}, against {_X_TITLES[sweep]}", rows, layers)


def _row(point: SizePoint) -> dict[str, Any]:
    """Return a point with its place on the axis and the name of its curve.

    Means of search are shown where it has a release for every draw: others are of other draws than
    the rest of the chart.
    """
    x = {
        "cap": point.max_block,
        "public": point.public_values,
        "sensitive": point.sensitive_values,
    }[point.sweep]
    capped = point.sweep != "cap" and point.max_block is not None
    name = _NAMES[point.method] + (f", K = {point.max_block}" if capped else "")
    of_some = point.method == "search" and point.safe < 1
    hidden = {"nmil": None, "leakage": None} if of_some else {}
    return {**asdict(point), **hidden, "x": x, "curve": name}
