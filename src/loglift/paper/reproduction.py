"""Reproduce the paper: Example 1, Table 1 and every point of its three figures.

A point is a mean or a standard deviation over random joints. Paper and reproduction are two
samples of the same experiment, so they are compared by the standard error of their difference.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from importlib import resources
from typing import Any, Literal, TypeAlias

import numpy as np

from loglift.errors import InputError
from loglift.joint import FloatArray, Joint
from loglift.measures.entropy import entropy
from loglift.measures.lift import omega
from loglift.merging.merge import merge, merge_subsets
from loglift.paper.experiment import (
    METHODS,
    Method,
    Outcomes,
    Statistic,
    draw_chunks,
    draw_joints,
    run,
)
from loglift.paper.others import OTHER_DRAWS, Other, OtherMethod, others_of, run_others
from loglift.promise.bound import bipartition

Figure: TypeAlias = Literal["Privacy", "NMIL", "PUT"]

PAPER_DRAWS = 1000
FEWEST_DRAWS, MOST_DRAWS = 2, 1_000_000  # a deviation needs two; outcomes of all are held
DECIMALS = 4  # what the paper prints in Example 1 and Table 1
ROUNDING_LEVEL = 1e-12  # a standard error below this is rounding, not sampling
AGREEMENT = 1e-9  # how well values must agree where there is no sampling error
MANY_STANDARD_ERRORS = 3.0
CONTRADICTION = (
    "the paper contradicts itself: no value is low-risk here (see complete merging), so this must "
    "equal the Privacy figure's 0.2303"
)

_STATISTIC_OF: dict[Figure, Statistic] = {
    "Privacy": "max_omega_high_risk",
    "NMIL": "nmil",
    "PUT": "max_omega_all",
}


@dataclass(frozen=True)
class Point:
    """One number of a figure: the paper's, ours, and their difference in standard errors.

    `z` is None where the standard error is at rounding level; the values must then agree.
    """

    figure: Figure
    method: Method
    eps: float
    statistic: Literal["mean", "std"]
    paper: float
    ours: float
    z: float | None
    note: str | None = None

    @property
    def agrees(self) -> bool:
        """Whether ours and the paper's are the same within sampling (or rounding) error."""
        if self.z is None:
            return abs(self.paper - self.ours) <= AGREEMENT
        return abs(self.z) <= MANY_STANDARD_ERRORS


@dataclass(frozen=True)
class Comparison:
    """The printed numbers of Example 1 or Table 1: name to value, the paper's and ours."""

    paper: dict[str, float]
    ours: dict[str, float]

    @property
    def agrees(self) -> bool:
        """Whether every one of ours rounds to what the paper prints."""
        return all(round(self.ours[name], DECIMALS) == value for name, value in self.paper.items())


@dataclass(frozen=True)
class Reproduction:
    """Everything the paper prints, beside what loglift computes."""

    points: tuple[Point, ...]
    example1: Comparison
    table1: Comparison
    draws: int
    seed: int
    seconds: float
    others: tuple[Other, ...] = ()
    other_draws: int = 0

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
    def every(self) -> list[Point | Other]:
        """All points, the paper's and those it does not have."""
        return [*self.points, *self.others]

    def series(self, figure: Figure, method: str, statistic: str) -> list[Point | Other]:
        """Return the points of one curve, by eps."""
        wanted = (figure, method, statistic)
        return [p for p in self.every if (p.figure, p.method, p.statistic) == wanted]


def reproduce(
    draws: int = PAPER_DRAWS,
    seed: int = 0,
    advance: Callable[[int], None] = lambda _: None,
    *,
    methods: Sequence[str] = METHODS,
    other_draws: int = OTHER_DRAWS,
) -> Reproduction:
    """Run the whole reproduction; `advance` is called with the number of joints just done.

    The paper's two methods always run. Of loglift's own, "search", "exact" and "randomized", those
    in `methods` run on the first `other_draws` of the same joints.
    """
    others = others_of(methods)
    if others and not FEWEST_DRAWS <= other_draws <= draws:
        raise InputError(
            f"the other methods' draws must be {FEWEST_DRAWS} to all {draws}, got {other_draws}"
        )
    if not FEWEST_DRAWS <= draws <= MOST_DRAWS:
        raise InputError(f"the draws must be {FEWEST_DRAWS} to {MOST_DRAWS:,}, got {draws}")
    if seed < 0:
        raise InputError(f"the seed must be zero or more, got {seed}")
    start = time.perf_counter()
    figures = read_data("figures")
    results = run(draw_chunks(draws, seed), figures["eps"], advance)
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


@cache
def read_data(name: Literal["example1", "figures", "table1"]) -> dict[str, Any]:
    """Read what the paper prints from the package's data."""
    text = resources.files("loglift.paper").joinpath("data", f"{name}.json").read_text("utf-8")
    data: dict[str, Any] = json.loads(text)
    return data


def paper_joint(name: Literal["example1", "table1"]) -> Joint:
    """Return the joint that produces Example 1 or Table 1; the file has rows s and columns x."""
    mass = np.array(read_data(name)["joint"]).T
    public = [f"x{i}" for i in range(1, mass.shape[0] + 1)]
    return Joint(mass, public=public, sensitive=[f"s{j}" for j in range(1, mass.shape[1] + 1)])


def example1() -> Comparison:
    """omega(x), H(X), and leakage and utility after complete merging at eps = 0.8."""
    data, joint = read_data("example1"), paper_joint("example1")
    merged = merge(joint, data["eps"], method="complete")
    ours = {
        "omega": omega(joint),
        "entropy_x": entropy(joint.p_public),
        "low_risk": bipartition(joint, data["eps"]).low_risk,
        "high_risk": bipartition(joint, data["eps"]).high_risk,
        "omega_y": omega(merged.release(joint)),
        "mutual_information": merged.utility,
    }
    return Comparison(_flat(data["expect"]), _flat(ours))


def table1() -> Comparison:
    """Utility and leakage of complete and of two-subset merging at eps = 1."""
    data, joint = read_data("table1"), paper_joint("table1")
    mechanisms = {
        "complete": merge(joint, data["eps"], method="complete"),
        "two_subset": merge_subsets(joint, data["eps"], data["subsets"]),
    }
    ours = {name: {"utility": m.utility, "leakage": m.leakage} for name, m in mechanisms.items()}
    return Comparison(_flat(data["expect"]), _flat(ours))


def _points(
    figures: dict[str, Any], results: dict[tuple[Method, float], Outcomes]
) -> Iterator[Point]:
    for figure, statistic in _STATISTIC_OF.items():
        for method in METHODS:
            paper = figures["figures"][method][statistic]
            for k, eps in enumerate(figures["eps"]):
                sample = getattr(results[method, eps], statistic)
                sample = sample[~np.isnan(sample)]
                paper_std = paper["std"][k] if "std" in paper else None
                yield _mean_point(figure, method, eps, paper["mean"][k], paper_std, sample)
                if paper_std is not None:
                    yield _std_point(figure, method, eps, paper_std, sample)


def _others(results: dict[tuple[OtherMethod, float], Outcomes]) -> Iterator[Other]:
    for figure, statistic in _STATISTIC_OF.items():
        for (method, eps), outcomes in results.items():
            sample = getattr(outcomes, statistic)
            sample = sample[~np.isnan(sample)]
            yield Other(figure, method, eps, "mean", float(sample.mean()))
            if figure != "PUT":
                yield Other(figure, method, eps, "std", float(sample.std(ddof=1)))


def _mean_point(
    figure: Figure, method: Method, eps: float, paper: float, std: float | None, sample: FloatArray
) -> Point:
    variance = float(sample.var(ddof=1))
    paper_variance = variance if std is None else std**2
    error = math.sqrt(variance / sample.size + paper_variance / PAPER_DRAWS)
    ours = float(sample.mean())
    contradicts = (figure, method, eps) == ("PUT", "greedy", 0.25)
    note = CONTRADICTION if contradicts else None
    return Point(figure, method, eps, "mean", paper, ours, _z(ours - paper, error), note)


def _std_point(
    figure: Figure, method: Method, eps: float, paper: float, sample: FloatArray
) -> Point:
    """Var(std) is about (kurtosis - 1)/4 * std^2/n; our kurtosis stands for the paper's too.

    A sample without spread tells neither: then the normal law's kurtosis and the paper's std do.
    """
    ours = float(sample.std(ddof=1))
    spread, kurtosis = paper, 3.0
    if ours > ROUNDING_LEVEL:
        spread = ours
        kurtosis = float(((sample - sample.mean()) ** 4).mean() / sample.var() ** 2)
    shape = max(0.0, kurtosis - 1) / 4
    error = math.sqrt(shape * (spread**2 / sample.size + paper**2 / PAPER_DRAWS))
    return Point(figure, method, eps, "std", paper, ours, _z(ours - paper, error))


def _z(difference: float, error: float) -> float | None:
    return difference / error if error > ROUNDING_LEVEL else None


def _flat(numbers: Any, prefix: str = "") -> dict[str, float]:
    """Name every number of nested lists and dictionaries by its path: {"omega": [1]} is omega.1."""
    if isinstance(numbers, dict):
        items = [(str(key), value) for key, value in numbers.items()]
    elif isinstance(numbers, (list, np.ndarray)):
        items = [(str(i), value) for i, value in enumerate(numbers, start=1)]
    else:
        return {prefix: float(numbers)}
    flat: dict[str, float] = {}
    for key, value in items:
        flat |= _flat(value, f"{prefix}.{key}" if prefix else key)
    return flat
