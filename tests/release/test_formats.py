"""Every format gives the same counts, the same mechanism and the same release as Parquet."""

from __future__ import annotations

from collections import Counter
from uuid import uuid4

import pytest

import loglift
from loglift import tables
from loglift.errors import InputError
from tables import survey

COLUMNS = {"sensitive": "health", "public": ["education", "town", "age", "born", "score"]}
KINDS = {"stata": "dta", "spss": "sav", "zsav": "sav", "excel": "xlsx", "feather": "arrow"}


@pytest.fixture(params=[*survey.FILES, "postgresql"])
def made(request, tmp_path):
    if request.param == "postgresql":
        server = request.getfixturevalue("postgres")
        return request.param, server.load(f"survey {uuid4()}", survey.arrow())
    return request.param, survey.FILES[request.param](tmp_path)


def counted(table):
    joint = loglift.Joint.from_table(table, **COLUMNS)
    return joint.columns, dict(zip(joint.tuples, map(tuple, joint.mass.tolist()), strict=True))


@pytest.fixture(scope="module")
def of_parquet(tmp_path_factory):
    """The columns and counts of the Parquet file, and its release."""
    table = survey.parquet(tmp_path_factory.mktemp("parquet"))
    return *counted(table), loglift.protect(table, **COLUMNS, eps=1, bins={"age": 3})


def test_counts_and_mechanism_are_those_of_parquet(made, of_parquet):
    _, table = made
    columns, counts, first = of_parquet
    found, again = counted(table)
    assert again == counts
    for one, other in zip(columns, found, strict=True):
        assert (one.name, one.type, one.values, one.ranks) == (
            other.name, other.type, other.values, other.ranks,
        )  # fmt: skip
    second = loglift.protect(table, **COLUMNS, eps=1, bins={"age": 3})
    assert first.mechanism.to_json() == second.mechanism.to_json()
    assert first.certificate.counts_sha256 == second.certificate.counts_sha256
    assert loglift.verify(second, table).holds


def test_the_release_has_the_format_of_the_input_and_the_same_rows(made, tmp_path):
    name, table = made
    options = {"sensitive": "health", "public": ["education", "age"], "eps": 0.2}
    expected = loglift.protect(survey.parquet(tmp_path), **options, passthrough="town")
    release = loglift.protect(table, **options, passthrough="town")
    assert Counter(release.table.fetchall()) == Counter(expected.table.fetchall())
    saved = release.save(tmp_path / "out")
    assert saved.files[0] == f"released.{KINDS.get(name, 'parquet')}"
    opened = tables.open_table(tmp_path / "out" / saved.files[0])
    places = range(len(opened.columns))
    written = opened.engine.pick(opened.frame, list(places)).fetchall()
    texts = Counter(tuple(None if v is None else str(v) for v in row) for row in written)
    assert texts == Counter(
        tuple(None if v is None else str(v) for v in row) for row in expected.table.fetchall()
    )
    assert saved.release.preview.columns == opened.columns == tuple(expected.table.columns)
    if name == "stata":
        assert loglift.evaluate(table, tmp_path / "out").records == survey.ROWS


@pytest.mark.parametrize("ending", tables.FORMATS)
def test_any_table_is_written_in_any_format(tmp_path, ending):
    table = survey.parquet(tmp_path)
    release = loglift.protect(table, **COLUMNS, eps=1)
    saved = release.save(tmp_path / "out", format=ending)
    assert saved.files[0] == f"released.{ending}"
    opened = tables.open_table(tmp_path / "out" / f"released.{ending}")
    assert opened.columns == tuple(release.table.columns)
    again = release.save(tmp_path / "out", format="csv", force=True)
    assert not (tmp_path / "out" / f"released.{ending}").exists() or ending == "csv"
    assert again.files[0] == "released.csv"
    with pytest.raises(InputError, match="format must be one of"):
        release.save(tmp_path / "new", format="xls")


@pytest.mark.parametrize("options", [{}, {"passthrough": "town"}], ids=["counts", "rows"])
def test_a_file_that_changed_after_it_was_counted_is_not_released(tmp_path, options):
    table = survey.csv(tmp_path)
    release = loglift.protect(table, sensitive="health", public="education", eps=1, **options)
    table.write_text(table.read_text("utf-8") + 'none,20,,0.25,"Bern","bad"\n', "utf-8")
    with pytest.raises(InputError, match="changed while it was read: nothing is released"):
        release.save(tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_labels_of_bins_are_those_of_the_codes(tmp_path):
    joint = loglift.Joint.from_table(
        survey.stata(tmp_path), sensitive="health", public="education", bins={"education": 2}
    )
    assert joint.columns[0].values == (None, "[0, 2)", "[2, 4)", "[4, 6)")


@pytest.mark.parametrize(
    "options",
    [
        {"show": "values"},
        {"show": "values", "key": "town"},
        {"method": "randomized"},
        {"known": "age"},
        {"purposes": "score"},
    ],
    ids=str,
)
def test_every_kind_of_release_is_made_from_a_database(postgres, tmp_path, options):
    table = postgres.load(f"survey {uuid4()}", survey.arrow().drop_null())
    survey.frame([row for row in survey.shown() if None not in row]).to_csv(
        tmp_path / "survey.csv", index=False
    )
    columns = {"sensitive": "health", "public": ["education"], "eps": 0.3, **options}
    if "method" not in options:
        columns["passthrough"] = "born"
    first, second = (loglift.protect(each, **columns) for each in (tmp_path / "survey.csv", table))
    assert first.mechanism.to_json() == second.mechanism.to_json()
    released, expected = second.table.fetchall(), first.table.fetchall()
    assert len(released) == len(expected)
    if options == {"show": "values"}:  # an exchange keeps all counts
        assert Counter(row[0] for row in released) == Counter(row[0] for row in expected)
