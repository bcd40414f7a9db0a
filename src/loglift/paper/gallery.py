"""The paper's figures with curves of one's own.

from loglift.paper import draw_joints, figure, read_data

joints = draw_joints(100, seed=0)
mine = loglift.merge(joints, read_data("figures")["eps"], "search")
figure("nmil").with_curve("search, 100 joints", mine)
"""

from __future__ import annotations

import math
import reprlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from loglift.display.chart import Chart
from loglift.errors import InputError
from loglift.joint.stack import as_stack
from loglift.merging.stack import MergedStack, Stack
from loglift.paper.experiment import Outcomes, outcomes_of
from loglift.paper.figures import Curve, CurvePoint, charts
from loglift.paper.reproduction import PAPER_DRAWS, STATISTIC_OF, Reproduction, reproduce

FigureName: TypeAlias = Literal["privacy", "nmil", "put"]
_STATISTICS = {figure.lower(): statistic for figure, statistic in STATISTIC_OF.items()}


@dataclass(frozen=True, eq=False, repr=False)
class PaperFigure(Chart):
    """One of the paper's figures, which a notebook shows; `with_curve` adds a curve to it.

    Attributes
    ----------
    spec
        The chart, in Vega-Lite.
    name
        "privacy", "nmil" or "put".
    reproduction
        What the curves of the paper were reproduced from.
    curves
        The curves that were added.

    Examples
    --------
    >>> from loglift import paper
    >>> shown = paper.figure("nmil", draws=10).with_curve("mine", [(0.5, 0.3), (1, 0.1)])
    >>> [curve.name for curve in shown.curves]
    ['mine']
    """

    name: FigureName
    reproduction: Reproduction
    curves: tuple[Curve, ...] = field(default=())

    def with_curve(
        self, name: str, points: MergedStack | Sequence[tuple[float, ...]]
    ) -> PaperFigure:
        """Return the figure with one more curve.

        Parameters
        ----------
        name
            What the legend says; no other curve has this name.
        points
            A `MergedStack` of many joints: its means and standard deviations, at its bounds (which
            are eps). Or numbers, eps from the least to the greatest: (eps, mean) or (eps, mean,
            standard deviation) for "privacy" and "nmil", (eps, mean NMIL, mean leakage) for "put".

        Raises
        ------
        InputError
            When the name is taken, or the points are neither of both.

        """
        if name in self.spec["encoding"]["color"]["scale"]["domain"]:
            raise InputError(f"there is a curve {name!r} already: choose another name")
        if isinstance(points, MergedStack):
            found = _of_stack(points, self.name)
        else:
            found = _of_points(points, self.name)
        curve = Curve(name, {self.name: tuple(sorted(found))})
        return _drawn(self.name, self.reproduction, (*self.curves, curve))


def figure(
    name: FigureName, *, draws: int = PAPER_DRAWS, seed: int = 0, methods: Sequence[str] = ()
) -> PaperFigure:
    """Return one of the paper's figures, reproduced: "privacy", "nmil" or "put".

    A figure that was made before is not made again.

    Parameters
    ----------
    name
        "privacy" (omega of high-risk values), "nmil" (what is lost) or "put" (one against the
        other).
    draws, seed, methods
        As in `reproduce`.

    Returns
    -------
    PaperFigure
        A chart that Jupyter shows and `.save("nmil.svg")` writes; `.with_curve` adds a curve.

    Raises
    ------
    InputError
        When there is no figure of that name.

    Examples
    --------
    >>> from loglift import paper
    >>> paper.figure("nmil", draws=10)
    Chart('NMIL: normalised utility loss, mean and standard deviation')
    """
    if name not in get_args(FigureName):
        raise InputError(f"no figure {name!r}: choose one of {', '.join(get_args(FigureName))}")
    return _drawn(name, _reproduced(draws, seed, tuple(methods)), ())


@cache
def _reproduced(draws: int, seed: int, methods: tuple[str, ...]) -> Reproduction:
    return reproduce(draws, seed, methods=methods)


def _drawn(name: FigureName, result: Reproduction, curves: tuple[Curve, ...]) -> PaperFigure:
    spec = {"background": "white", **charts(result, curves)[name]}  # its colours are for paper
    return PaperFigure(spec, name, result, curves)


def _of_stack(merged: MergedStack, name: FigureName) -> tuple[CurvePoint, ...]:
    """Return the points of merged joints: the statistics of the paper's experiment."""
    if any(bound.lower != bound.upper for bound in merged.bounds):
        raise InputError("the paper's figures are drawn against eps: merge the stack at eps=...")
    stack = Stack.of(as_stack(merged.joints))
    return tuple(
        _of_outcomes(bound.upper, outcomes_of(stack, merged.labels[:, j], bound), name)
        for j, bound in enumerate(merged.bounds)
    )


def _of_outcomes(eps: float, found: Outcomes, name: FigureName) -> CurvePoint:
    sample = getattr(found, _STATISTICS[name])
    sample = sample[~np.isnan(sample)]  # joints without a high-risk value
    if not sample.size:
        raise InputError(f"no joint has a high-risk value at eps {eps:g}: leave this eps out")
    std = float(sample.std(ddof=1)) if sample.size > 1 else 0.0
    return CurvePoint(eps, float(sample.mean()), std, float(found.nmil.mean()))


def _of_points(points: Any, name: FigureName) -> tuple[CurvePoint, ...]:
    form = "(eps, NMIL, leakage)" if name == "put" else "(eps, mean) or (eps, mean, deviation)"
    try:
        found = tuple(_of_numbers(tuple(map(float, point)), name) for point in points)
    except (TypeError, ValueError):
        found = ()
    if not found:
        raise InputError(
            f"a curve of the figure {name!r} is a MergedStack, as merge(stack, [0.5, 1]) returns, "
            f"or a list of points {form} of finite numbers, got {_shown(points)}"
        )
    bounds = [point.eps for point in found]
    if bounds[0] <= 0 or any(one >= other for one, other in pairwise(bounds)):
        raise InputError(
            f"points are {form}, with eps positive and increasing: list them so. For figures of "
            "many joints, give the MergedStack itself"
        )
    return found


def _shown(points: Any) -> str:
    """Say what was given, in short."""
    if hasattr(points, "shape"):
        return f"an array of shape {points.shape}"
    return reprlib.repr(points) if isinstance(points, (list, tuple)) else type(points).__name__


def _of_numbers(numbers: Sequence[float], name: FigureName) -> CurvePoint:
    wanted = (3,) if name == "put" else (2, 3)
    if len(numbers) not in wanted or not all(map(math.isfinite, numbers)):
        raise ValueError(f"not a point of the figure {name!r}")
    if name == "put":
        eps, lost, leakage = numbers
        return CurvePoint(eps, leakage, 0.0, lost)
    eps, mean, *std = numbers
    return CurvePoint(eps, mean, std[0] if std else 0.0, mean if name == "nmil" else 0.0)
