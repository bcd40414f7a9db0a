"""What figures rest on is said where it is not each record once."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

from certificates import CERTIFICATE
from loglift.cuts import Cut
from loglift.promise.bound import Bound
from loglift.report.sentences.basis import combined_words, own_bands, weights_statements


def test_columns_that_were_cut_by_themselves_are_named_with_an_option():
    own = replace(Cut.quantiles(3).at([5, 9]), automatic=True)
    born = replace(Cut.quantiles(2).at([date(2000, 1, 1)]), automatic=True)
    assert own_bands({"age": Cut.steps(10)}) == []
    [one] = own_bands({"age": Cut.steps(10), "in come": own})
    assert one.text == (
        "in come in 3 quantile bands, with round edges: very many values differ. Cut it otherwise "
        "with --bin, for example --bin 'in come=quantiles:20'."
    )
    [two] = own_bands({"born": born, "income": own})
    assert "born in 2 quantile bands and income in 3 quantile bands" in two.text
    assert two.text.endswith("Cut them otherwise with --bin, for example --bin born=month.")


def test_values_that_count_as_one_are_named():
    one = combined_words({"diagnosis": [[None, "HIV"]]})
    assert one.startswith("NULL and HIV of diagnosis count as one value: nothing is promised")
    two = combined_words({"diagnosis": [[None, "HIV"], ["flu", "cold"]]})
    assert "; flu and cold of diagnosis each count as one value" in two


def test_the_leakage_of_the_records_is_held_against_the_widest_limit():
    found = replace(CERTIFICATE, weights="w", unweighted_leakage=2.0, bound=Bound.symmetric(1))
    [said] = weights_statements(found)
    assert said.text.endswith(
        "the leakage is 2.000 nats, beyond the bound: --both bounds that, too."
    )
    [wide] = weights_statements(replace(found, bound=found.bound.with_values({"gout": 3})))
    assert wide.text.endswith("the leakage is 2.000 nats.")
