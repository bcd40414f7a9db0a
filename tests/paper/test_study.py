"""A study as files: the same points in each, and nothing but what the recipe names."""

from __future__ import annotations

import csv
import json
from dataclasses import asdict, dataclass

from loglift.paper.study import Recipe, Study, curves, mean, told_apart


@dataclass(frozen=True)
class Dot:
    name: str
    x: int
    y: float | None


def spec(points):
    x, y = ({"field": name, "type": "quantitative"} for name in ("x", "y"))
    layers = curves(x, y, told_apart("name", ["a", "b"]), ("name", "x"))
    return {"title": "dots", "data": {"values": list(map(asdict, points))}, "layer": layers}


def dots(draws, seed, _on_progress):
    points = (Dot("a", 1, 0.5), Dot("a", 2, None), Dot("b", draws, 0.25))
    return Study("dots", "Dots", "three dots", draws, seed, points, {"dots": spec(points)})


def test_files_are_those_of_the_recipe_and_have_the_same_points(tmp_path):
    recipe = Recipe(dots, draws=4, charts=("dots",))
    study = recipe.run(recipe.draws, 7, lambda _: None)
    study.write(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == recipe.files
    document = json.loads((tmp_path / "points.json").read_text("utf-8"))
    assert document == study.as_dict()
    assert (document["draws"], document["seed"]) == (4, 7)
    with (tmp_path / "points.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert rows == [
        {name: "" if value is None else str(value) for name, value in point.items()}
        for point in document["points"]
    ]
    assert (tmp_path / "dots.png").read_bytes().startswith(b"\x89PNG")
    assert "<svg" in (tmp_path / "dots.svg").read_text("utf-8")
    page = (tmp_path / "figures.html").read_text("utf-8")
    assert "three dots" in page
    assert "<script src" not in page


def test_the_mean_has_six_digits_and_none_of_nothing():
    assert mean([1 / 3, 1 / 3]) == 0.333333
    assert mean([]) is None


def test_marks_of_curves_differ():
    apart = told_apart("name", ["a", "b", "c", "d", "e", "f"])
    colours, shapes = (apart[how]["scale"]["range"] for how in ("color", "shape"))
    assert len(set(colours)) == 6
    assert len(set(zip(colours, shapes, strict=True))) == 6
