"""The study of promises: what each costs, and what it implies for the others.

Random joints are drawn as in the paper's experiment, and merged by search under one promise at a
time, from a tight limit to a loose one. Every release is then measured by all measures.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass

import numpy as np

from loglift._compute.progress import OnProgress, Progress
from loglift.display.chart import Spec
from loglift.joint import FloatArray, Joint
from loglift.measures.closeness import average_log_lift, total_variation
from loglift.measures.leakage import alpha_lift, chi_squared_lift, l1_lift
from loglift.measures.lift import omega
from loglift.mechanism.mechanism import Mechanism
from loglift.merging.merge import merge
from loglift.paper.experiment import PUBLIC_VALUES, SENSITIVE_VALUES, draw_joints
from loglift.paper.study import Recipe, Study, chart_of, curves, mean, told_apart
from loglift.promise.bound import Bound
from loglift.promise.closeness import L1Lift, TCloseness
from loglift.promise.divergence import AlphaLift, AverageLogLift, ChiSquaredLift
from loglift.report.words import number_of
from loglift.values import checked_number

ORDER = 10.0  # of the alpha-lift: order 2 is the chi-squared-lift in another unit


@dataclass(frozen=True)
class Measured:
    """A measure of released values, and the promise that limits it.

    `of` takes the joint of released values y and returns one number for each y.
    """

    words: str
    limits: tuple[float, ...]
    bound: Callable[[float], Bound]
    of: Callable[[Joint], FloatArray]


_T = (0.05, 0.075, 0.1, 0.15, 0.2, 0.25, 0.3)
MEASURES = {
    "eps": Measured(
        "|log-lift| (nats)",
        (0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 2.5),
        Bound.symmetric,
        omega,
    ),
    "t": Measured(
        "total variation distance t",
        _T,
        lambda limit: Bound.requiring(TCloseness(limit)),
        total_variation,
    ),
    "l1": Measured(
        "l1-lift",
        tuple(2 * limit for limit in _T),
        lambda limit: Bound.requiring(L1Lift(limit)),
        l1_lift,
    ),
    "chi2": Measured(
        "chi-squared-lift",
        (0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4),
        lambda limit: Bound.requiring(ChiSquaredLift(limit)),
        chi_squared_lift,
    ),
    "alpha": Measured(
        f"log alpha-lift of order {ORDER:g} (nats)",
        (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7),
        lambda limit: Bound.requiring(AlphaLift(limit, alpha=ORDER)),
        lambda released: np.log(alpha_lift(released, ORDER)),
    ),
    "average": Measured(
        "average log-lift (nats)",
        (0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3),
        lambda limit: Bound.requiring(AverageLogLift(limit)),
        average_log_lift,
    ),
}
CHARTS = ("frontiers", *(f"implied-{measure}" for measure in MEASURES if measure != "l1"))
_KEPT = "I(X;Y)/H(X) kept, mean"


@dataclass(frozen=True)
class PromisePoint:
    """One measure of the releases under one promise at one limit; means over the draws.

    `kept` is I(X;Y)/H(X), `values` the number of released values. `mean` is the measure averaged
    over released values, by p(y); `worst` is its largest value over them.
    """

    promise: str
    limit: float
    kept: float | None
    values: float | None
    measure: str
    mean: float | None
    worst: float | None


def promise_study(draws: int, seed: int, on_progress: OnProgress) -> Study:
    """Run the study on `draws` joints."""
    checked_number(draws, "draws", least=1, whole=True)
    joints, points = draw_joints(draws, seed), []
    for done, promise in enumerate(MEASURES):
        on_progress(Progress(f"merging under {promise}", done, len(MEASURES)))
        points += list(_points(promise, joints))
    return Study(
        name="promises",
        title="Promises: what each costs, and what it implies for the others",
        about=(
            f"{number_of(draws, 'random joint')}, seed {seed}, |X| = {PUBLIC_VALUES}, |S| = "
            f"{SENSITIVE_VALUES}; merged by search under one promise at a time"
        ),
        draws=draws,
        seed=seed,
        points=tuple(points),
        charts=_charts(points),
    )


RECIPE = Recipe(promise_study, draws=5, charts=CHARTS)


def _points(promise: str, joints: FloatArray) -> Iterator[PromisePoint]:
    """Yield the points of one promise; a partition within a tight limit starts the next search."""
    made: list[Mechanism | None] = [None] * len(joints)
    for limit in MEASURES[promise].limits:
        bound = MEASURES[promise].bound(limit)
        made = [
            merge(joint, bound=bound, start=None if tighter is None else tighter.labels)
            for joint, tighter in zip(joints, made, strict=True)
        ]
        yield from _measured(promise, limit, joints, [each for each in made if each is not None])


def _measured(
    promise: str, limit: float, joints: FloatArray, made: list[Mechanism]
) -> Iterator[PromisePoint]:
    released = [each.release(joint) for each, joint in zip(made, joints, strict=True)]
    kept = mean([1 - each.nmil for each in made])
    values = mean([len(each.blocks) for each in made])
    for measure, measured in MEASURES.items():
        found = [(measured.of(joint), joint.p_public) for joint in released]
        average = mean([float(each @ p) for each, p in found])
        worst = mean([float(each.max()) for each, _ in found])
        yield PromisePoint(promise, limit, kept, values, measure, average, worst)


def _charts(points: list[PromisePoint]) -> dict[str, Spec]:
    specs = {name: _implied(points, name.removeprefix("implied-")) for name in CHARTS[1:]}
    return {"frontiers": _frontiers(points), **specs}


def _frontiers(points: list[PromisePoint]) -> Spec:
    x = {
        "field": "limit",
        "type": "quantitative",
        "title": "limit, each in the unit of its measure",
        "scale": {"type": "log", "nice": False},
    }
    y = {"field": "kept", "type": "quantitative", "title": _KEPT, "scale": {"zero": False}}
    own = [point for point in points if point.measure == point.promise]
    return _spec("What each promise keeps, against its limit", own, x, y)


def _implied(points: list[PromisePoint], measure: str) -> Spec:
    words = f"worst {MEASURES[measure].words}"
    x = {"field": "kept", "type": "quantitative", "title": _KEPT, "scale": {"zero": False}}
    y = {"field": "worst", "type": "quantitative", "title": f"{words}, mean of draws"}
    of = [point for point in points if point.measure == measure]
    return _spec(f"{words[0].upper()}{words[1:]}, under each promise", of, x, y)


def _spec(title: str, points: list[PromisePoint], x: Spec, y: Spec) -> Spec:
    apart = told_apart("promise", list(MEASURES))
    layers = curves(x, y, apart, ("promise", "limit", "kept", "mean", "worst"))
    return chart_of(title, [asdict(point) for point in points], layers)
