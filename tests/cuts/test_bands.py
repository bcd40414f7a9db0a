"""Bands of values have the order of the values."""

from hypothesis import given, strategies as st

from loglift.cuts import Cut, band_of


@given(
    st.lists(st.integers(-99, 99) | st.floats(-99, 99), min_size=2, max_size=30),
    st.sampled_from(["20,40", "-50,0.5,50:a,b,c,d", "-18..40", "..0", "0.."]),
)
def test_bands_have_the_order_of_their_values(values, how):
    cut = Cut.of(how, "x")
    places = [cut.place(band_of(value, cut)) for value in sorted(values)]
    assert places == sorted(places)
    assert cut.place(None) is None
    assert cut.place("NaN") is None
