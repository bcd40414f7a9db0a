"""Column names, and the uses of columns that are refused."""

from types import SimpleNamespace

import pandas as pd
import pytest

from loglift.errors import TableError
from loglift.tables import count, open_table
from loglift.tables.columns import (
    as_names,
    missing_column,
    refuse_clashes,
    refuse_index,
    refuse_key,
    refuse_sensitive,
    same_name,
)


def test_one_name_or_several_are_a_tuple():
    assert as_names("ab", "public") == ("ab",)
    assert as_names(["a", "b"], "public") == ("a", "b")
    assert as_names((name for name in "ab"), "public") == ("a", "b")
    assert as_names((), "passthrough", optional=True) == ()


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ((), "no public column is named"),
        (["a", "b", "a"], "the public column 'a' is named twice"),
        (3, "public columns are named by a text or a list of texts, got 3"),
        (None, "got None"),
    ],
)
def test_names_that_are_missing_repeated_or_not_texts_are_refused(names, message):
    with pytest.raises(TableError, match=message):
        as_names(names, "public")


@pytest.mark.parametrize("fold", [True, False])
def test_a_name_is_the_same_in_another_case_only_where_the_engine_folds_it(fold):
    assert same_name("a", ["b", "a"], fold=fold) == "a"
    assert same_name("A", ["b", "a"], fold=fold) == ("a" if fold else None)
    assert same_name("c", ["b", "a"], fold=fold) is None


def test_a_missing_column_is_told_with_similar_names_or_with_all():
    assert str(missing_column("Tonw", ["town", "s"], "t.csv")).endswith("did you mean 'town'?")
    listed = str(missing_column("zzz", [f"c{i}" for i in range(20)], "t.csv"))
    assert "its columns are 'c0', " in listed
    assert listed.endswith("'c11', ... (20 in all)")


def test_columns_in_one_text_are_told_to_be_named_one_by_one():
    told = str(missing_column("town, age", ["age", "town", "s"], "t.csv"))
    assert "repeat the option, as in -p town -p age (in Python: ['town', 'age'])" in told
    assert "repeat" not in str(missing_column("town,agee", ["age", "town", "s"], "t.csv"))


def test_a_sensitive_column_does_not_pass_through_in_any_case():
    refuse_sensitive(["a"], ["s"], fold=True)
    with pytest.raises(TableError, match=r"'s' is sensitive: it cannot be passed through; hint"):
        refuse_sensitive(["a", "s"], ["s"], fold=False, hint="; hint")
    with pytest.raises(TableError, match="differs from the sensitive column 's' only in"):
        refuse_sensitive(["S"], ["s"], fold=True)
    refuse_sensitive(["S"], ["s"], fold=False)


def test_a_protected_column_is_no_key():
    refuse_key(None, ["x", "s"], fold=True)
    refuse_key("who", ["x", "s"], fold=True)
    with pytest.raises(TableError, match="the key 'S' is the public or sensitive column 's'"):
        refuse_key("S", ["x", "s"], fold=True)


def test_a_protected_column_is_no_index():
    refuse_index(SimpleNamespace(index=("who",)), ["x", "s"])
    frame = pd.DataFrame({"x": [1, 2], "s": [3, 4]}).set_index("s", drop=False)
    with pytest.raises(TableError, match=r"the index of the table is 's'.*reset_index"):
        refuse_index(open_table(frame), ["x", "s"])


def test_a_sensitive_column_of_one_value_is_refused(maker, tmp_path):
    rows = [("a", "u", "v"), ("b", "u", "w")]
    table = maker.make(["x", "same", "s"], [str] * 3, rows, tmp_path)
    assert count(table, "x", "s").total == 2
    for sensitive in ("same", ["s", "same"]):
        with pytest.raises(TableError, match="'same' has the same value in every record"):
            count(table, "x", sensitive)
    assert count(table, "same", "s").public == ("u",)  # a public column may


def test_released_columns_have_names_that_differ():
    refuse_clashes(["a", "A", 0, None], fold=False)  # pandas has names that are no texts
    with pytest.raises(TableError, match="named 'a' and 'A'"):
        refuse_clashes(["a", "b", "A"], fold=True)
    with pytest.raises(TableError, match="named 'a' and 'a'"):
        refuse_clashes(["a", "a"], fold=False)
    with pytest.raises(TableError, match="has no name"):
        refuse_clashes(["a", ""], fold=False)
