"""What the paper prints: its numbers, its joints, and Example 1 and Table 1 beside ours."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, Literal

import numpy as np

from loglift.joint import Joint
from loglift.measures.entropy import entropy
from loglift.measures.lift import omega
from loglift.merging.merge import merge
from loglift.merging.watchdog import merge_subsets
from loglift.promise.bipartition import bipartition

DECIMALS = 4  # that the paper prints in Example 1 and Table 1


@dataclass(frozen=True)
class Comparison:
    """The numbers of Example 1 or Table 1 by name: those the paper prints, and ours.

    Attributes
    ----------
    paper
        The numbers that the paper prints, by name.
    ours
        The same numbers, computed.

    Examples
    --------
    >>> from loglift import paper
    >>> paper.table1().paper["complete.utility"]
    0.5913
    """

    paper: dict[str, float]
    ours: dict[str, float]

    @property
    def agrees(self) -> bool:
        """Whether each of our numbers, rounded, is what the paper prints."""
        return all(round(self.ours[name], DECIMALS) == value for name, value in self.paper.items())


@cache
def read_data(name: Literal["example1", "figures", "table1"]) -> dict[str, Any]:
    """Return what the paper prints, from the package's data.

    Parameters
    ----------
    name
        "example1", "figures" or "table1".

    Returns
    -------
    dict
        The numbers of the paper, by name.

    Examples
    --------
    >>> from loglift import paper
    >>> paper.read_data("table1")["eps"]
    1.0
    """
    text = resources.files("loglift.paper").joinpath("data", f"{name}.json").read_text("utf-8")
    data: dict[str, Any] = json.loads(text)
    return data


def paper_joint(name: Literal["example1", "table1"]) -> Joint:
    """Return the joint of Example 1 or Table 1; its file has one row per sensitive value.

    Parameters
    ----------
    name
        "example1" or "table1".

    Returns
    -------
    Joint
        Public values x1, x2, ..., sensitive values s1, s2, ...

    Examples
    --------
    >>> from loglift import paper
    >>> paper.paper_joint("example1").mass.shape
    (5, 3)
    """
    mass = np.array(read_data(name)["joint"]).T
    public = [f"x{i}" for i in range(1, mass.shape[0] + 1)]
    return Joint(mass, public=public, sensitive=[f"s{j}" for j in range(1, mass.shape[1] + 1)])


def example1() -> Comparison:
    """Compare omega(x), H(X), and omega(y) and I(X;Y) after complete merging at eps = 0.8.

    Returns
    -------
    Comparison
        The paper's numbers and ours.

    Examples
    --------
    >>> from loglift import paper
    >>> paper.example1().agrees
    True
    """
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
    """Compare utility and leakage of complete and of two-subset merging at eps = 1.

    Returns
    -------
    Comparison
        The paper's numbers and ours.

    Examples
    --------
    >>> from loglift import paper
    >>> paper.table1().agrees
    True
    """
    data, joint = read_data("table1"), paper_joint("table1")
    mechanisms = {
        "complete": merge(joint, data["eps"], method="complete"),
        "two_subset": merge_subsets(joint, data["eps"], data["subsets"]),
    }
    ours = {name: {"utility": m.utility, "leakage": m.leakage} for name, m in mechanisms.items()}
    return Comparison(_flat(data["expect"]), _flat(ours))


def _flat(numbers: Any, prefix: str = "") -> dict[str, float]:
    """Return the numbers of nested lists and dicts by their path: {"omega": [3]} is omega.1 = 3."""
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
