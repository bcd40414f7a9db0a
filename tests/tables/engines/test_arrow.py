"""PyArrow: types that hold values in the order of the input are decoded, or refused."""

import pyarrow as pa
import pytest

from loglift.errors import TableError
from loglift.tables import count
from tables.orders import NAMED, passed, runs_of_the_input, written_by_arrow


@pytest.mark.parametrize("kind", [pa.list_view(pa.string()), pa.large_list_view(pa.string())])
def test_views_of_lists_are_refused(kind):
    x = pa.array(["a", "b"])
    nested = pa.struct([("n", kind)])
    for values in (
        pa.array([["p"], ["q"]], type=kind),
        pa.array([{"n": ["p"]}, {"n": ["q"]}], type=nested),
    ):
        with pytest.raises(TableError, match=r"'name' holds .*list_view.*make it a plain type"):
            passed(pa.table({"x": x, "name": values}))


def test_maps_and_extensions_of_arrow_are_decoded():
    texts = pa.array(NAMED).dictionary_encode()
    offsets = pa.array(range(2001), pa.int32())
    mapped = pa.MapArray.from_arrays(offsets, pa.array(["n"] * 2000), texts)
    for values in (mapped, texts):
        arrow = pa.table({"x": ["a", "b"] * 1000, "name": values})
        released = passed(arrow)
        assert "dictionary" not in str(released.schema.field("name").type)
        assert runs_of_the_input(written_by_arrow(released), NAMED) < 20
    plain = pa.MapArray.from_arrays(offsets, pa.array(["n"] * 2000), pa.array(NAMED))
    kept = passed(pa.table({"x": ["a", "b"] * 1000, "name": plain}))
    assert kept.schema.field("name").type == plain.type


def test_chunks_have_one_order_if_their_dictionaries_are_equal():
    def chunk(codes, values):
        return pa.DictionaryArray.from_arrays(pa.array(codes), pa.array(values), ordered=True)

    def ranks(*chunks):
        table = pa.table({"a": pa.chunked_array(chunks), "s": ["x", "y", "x", "y"]})
        return count(table, "a", "s").columns[0].ranks

    first = chunk([0, 1], ["low", "high"])
    assert ranks(first, chunk([1, 0], ["low", "high"])) == (1, 0)
    assert ranks(first, chunk([1, 0], ["high", "low"])) == ()
    # A NULL may be listed as a category: it has no place in the order.
    assert ranks(chunk([0, 1, 2, 2], ["low", None, "high"])) == (-1, 1, 0)
