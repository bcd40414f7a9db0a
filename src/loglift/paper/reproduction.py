"""Reproduce the paper: Example 1, Table 1 and every point of its three figures.

A point of a figure is a mean or a standard deviation over random joints. The paper and the
reproduction are two samples of the same experiment, so their difference is judged by its standard
error.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from loglift._compute.progress import OnProgress, Progress, silent
from loglift.joint import FloatArray
from loglift.merging.stack import Published
from loglift.paper.experiment import (
    METHODS,
    Outcomes,
    Statistic,
    draw_joints,
    draw_stacks,
    run,
)
from loglift.paper.other_methods import (
    OTHER_DRAWS,
    OtherMethod,
    OtherPoint,
    other_methods,
    run_others,
)
from loglift.paper.printed import Comparison, example1, read_data, table1
from loglift.values import checked_number

Figure: TypeAlias = Literal["Privacy", "NMIL", "PUT"]

PAPER_DRAWS = 1000
MIN_DRAWS = 2  # a standard deviation needs two
MAX_DRAWS = 1_000_000  # the outcomes of all of them are held in memory
MIN_STANDARD_ERROR = 1e-12  # a smaller one is rounding, not sampling
MAX_ROUNDING = 1e-9  # of a difference from the paper without sampling error
MAX_STANDARD_ERRORS = 3.0  # of a difference from the paper with sampling error
CONTRADICTION = (
    "the paper contradicts itself: no value is low-risk here (see complete merging), so this must "
    "equal the Privacy figure's 0.2303"
)

STATISTIC_OF: dict[Figure, Statistic] = {
    "Privacy": "max_omega_high_risk",
    "NMIL": "nmil",
    "PUT": "max_omega_all",
}


@dataclass(frozen=True)
class Point:
    """One number of a figure: the paper's, ours, and their difference z in standard errors.

    `z` is None if the standard error is below `MIN_STANDARD_ERROR`: the two must then be equal up
    to rounding. `note` says why a point is not judged.

    Attributes
    ----------
    figure, method, eps, statistic
        Which number it is: "mean" or "std" of a method at one eps in one figure.
    paper, ours
        The two numbers.
    z
        Their difference in standard errors; None where the standard error is nearly zero.
    note
        Why a point is not judged; None if it is.

    Examples
    --------
    >>> from loglift import paper
    >>> point = paper.reproduce(draws=10).points[0]
    >>> point.figure, point.method, point.eps, point.statistic
    ('Privacy', 'greedy', 0.25, 'mean')
    """

    figure: Figure
    method: Published
    eps: float
    statistic: Literal["mean", "std"]
    paper: float
    ours: float
    z: float | None
    note: str | None = None

    @property
    def agrees(self) -> bool:
        """Whether the difference is within sampling error, or within rounding if `z` is None."""
        if self.z is None:
            return abs(self.paper - self.ours) <= MAX_ROUNDING
        return abs(self.z) <= MAX_STANDARD_ERRORS


@dataclass(frozen=True, repr=False)
class Reproduction:
    """Everything the paper prints, beside what loglift computes.

    Attributes
    ----------
    points
        One `Point` for each number of the figures.
    example1, table1
        Example 1 and Table 1, each a `Comparison`.
    draws, seed
        How many random joints were drawn, and with which seed.
    seconds
        How long it took.
    others, other_draws
        Points of methods that the paper does not have, and on how many joints.

    Examples
    --------
    >>> from loglift import paper
    >>> result = paper.reproduce(draws=10)
    >>> [point.eps for point in result.series("NMIL", "greedy", "mean")][:3]
    [0.25, 0.5, 0.75]
    """

    points: tuple[Point, ...]
    example1: Comparison
    table1: Comparison
    draws: int
    seed: int
    seconds: float
    others: tuple[OtherPoint, ...] = ()
    other_draws: int = 0

    def __repr__(self) -> str:
        agreeing = sum(point.agrees for point in self.points)
        return (
            f"Reproduction({self.draws} joints, seed {self.seed}: {agreeing} of "
            f"{len(self.points)} points agree with the paper)"
        )

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form of `loglift reproduce --json`."""
        return {
            "points": [asdict(point) for point in self.points],
            "example1": asdict(self.example1),
            "table1": asdict(self.table1),
            "draws": self.draws,
            "seed": self.seed,
            "seconds": self.seconds,
            "others": [asdict(other) for other in self.others],
            "other_draws": self.other_draws,
        }

    @property
    def every(self) -> list[Point | OtherPoint]:
        """The points of the paper's methods and of the others."""
        return [*self.points, *self.others]

    def series(self, figure: Figure, method: str, statistic: str) -> list[Point | OtherPoint]:
        """Return the points of one curve, by eps."""
        wanted = (figure, method, statistic)
        return [p for p in self.every if (p.figure, p.method, p.statistic) == wanted]


def reproduce(
    draws: int = PAPER_DRAWS,
    seed: int = 0,
    *,
    methods: Sequence[str] = METHODS,
    other_draws: int = OTHER_DRAWS,
    on_progress: OnProgress = silent,
) -> Reproduction:
    """Reproduce Example 1, Table 1 and the three figures of the paper.

    Parameters
    ----------
    draws, seed
        How many random joints to draw for the figures, and the seed.
    methods
        Those of "search", "exact", "response" and "randomized" that are named run beside the
        paper's two methods, "greedy" and "complete", which always run.
    other_draws
        On how many of the joints they run, the first ones.
    on_progress
        Told how many joints are done.

    Returns
    -------
    Reproduction
        All numbers of the paper beside ours.

    Raises
    ------
    InputError
        When the draws, the seed or a method cannot be used.

    Examples
    --------
    >>> from loglift import paper
    >>> result = paper.reproduce(draws=10)
    >>> len(result.points), result.example1.agrees
    (100, True)
    """
    others = other_methods(methods)
    checked_number(draws, "draws (--draws)", least=MIN_DRAWS, most=MAX_DRAWS, whole=True)
    checked_number(seed, "seed (--seed)", least=0, whole=True)
    if others:
        name = "other_draws (--other-draws)"
        checked_number(other_draws, name, least=MIN_DRAWS, most=draws, whole=True)
    total, done = draws + (other_draws if others else 0), 0

    def advance(joints: int) -> None:
        nonlocal done
        done += joints
        on_progress(Progress("protecting random joints", done, total))

    start = time.perf_counter()
    figures = read_data("figures")
    results = run(draw_stacks(draws, seed), figures["eps"], advance)
    solved: dict[tuple[OtherMethod, float], Outcomes] = {}
    if others:
        first = draw_joints(other_draws, seed)
        solved = run_others(first, others, figures["eps"], advance)
    return Reproduction(
        points=tuple(_points(figures, results)),
        example1=example1(),
        table1=table1(),
        draws=draws,
        seed=seed,
        seconds=time.perf_counter() - start,
        others=tuple(_others(solved)),
        other_draws=other_draws if others else 0,
    )


def _points(
    figures: dict[str, Any], results: dict[tuple[Published, float], Outcomes]
) -> Iterator[Point]:
    """Yield every number of the paper's figures, beside ours."""
    for figure, statistic in STATISTIC_OF.items():
        for method in METHODS:
            paper = figures["figures"][method][statistic]
            for k, eps in enumerate(figures["eps"]):
                sample = getattr(results[method, eps], statistic)
                sample = sample[~np.isnan(sample)]
                paper_std = paper["std"][k] if "std" in paper else None
                yield _mean_point(figure, method, eps, paper["mean"][k], paper_std, sample)
                if paper_std is not None:
                    yield _std_point(figure, method, eps, paper_std, sample)


def _others(results: dict[tuple[OtherMethod, float], Outcomes]) -> Iterator[OtherPoint]:
    """Yield a mean, and a standard deviation where the paper's figure has one."""
    for figure, statistic in STATISTIC_OF.items():
        for (method, eps), outcomes in results.items():
            sample = getattr(outcomes, statistic)
            sample = sample[~np.isnan(sample)]
            yield OtherPoint(figure, method, eps, "mean", float(sample.mean()))
            if figure != "PUT":
                yield OtherPoint(figure, method, eps, "std", float(sample.std(ddof=1)))


def _mean_point(
    figure: Figure,
    method: Published,
    eps: float,
    paper: float,
    std: float | None,
    sample: FloatArray,
) -> Point:
    """Compare a mean; without a standard deviation from the paper, ours replaces it."""
    variance = float(sample.var(ddof=1))
    paper_variance = variance if std is None else std**2
    error = math.sqrt(variance / sample.size + paper_variance / PAPER_DRAWS)
    ours = float(sample.mean())
    contradicts = (figure, method, eps) == ("PUT", "greedy", 0.25)
    note = CONTRADICTION if contradicts else None
    return Point(figure, method, eps, "mean", paper, ours, _z(ours - paper, error), note)


def _std_point(
    figure: Figure, method: Published, eps: float, paper: float, sample: FloatArray
) -> Point:
    """Compare a standard deviation; its variance is about (kurtosis - 1)/4 * std^2/n.

    Our kurtosis stands for the paper's too. For a sample without spread, the kurtosis of the normal
    law and the paper's standard deviation do.
    """
    ours = float(sample.std(ddof=1))
    spread, kurtosis = paper, 3.0
    if ours > MIN_STANDARD_ERROR:
        spread = ours
        kurtosis = float(((sample - sample.mean()) ** 4).mean() / sample.var() ** 2)
    shape = max(0.0, kurtosis - 1) / 4
    error = math.sqrt(shape * (spread**2 / sample.size + paper**2 / PAPER_DRAWS))
    return Point(figure, method, eps, "std", paper, ours, _z(ours - paper, error))


def _z(difference: float, error: float) -> float | None:
    return difference / error if error > MIN_STANDARD_ERROR else None
