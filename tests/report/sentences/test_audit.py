"""An audit says whether the bound holds, or what is revealed."""

from __future__ import annotations

import math
from dataclasses import replace

from loglift.report.sentences.audit import audit_statements, leakage_words, pairs_left_out_words


def test_an_audit_says_whether_the_bound_holds(audit):
    [bad] = audit_statements(audit)
    assert (bad.tone, bad.headline) == ("bad", "Does not hold.")
    assert f"{audit.values_at_risk} of 8 public values, with " in bad.text
    assert bad.text.endswith("are outside eps 0.3: they reveal more about ill than it allows.")
    [one] = audit_statements(replace(audit, values_at_risk=1))
    assert one.text.endswith("is outside eps 0.3: it reveals more about ill than it allows.")
    [good] = audit_statements(replace(audit, holds=True, values_at_risk=0))
    assert good.headline == "Holds: belief in any value moves at most 1.35-fold either way."
    assert good.text == "All 8 public values are within eps 0.3 without any change."


def test_an_audit_without_a_bound_says_what_is_revealed(audit):
    [found] = audit_statements(replace(audit, bound=None, holds=None, leakage=1.0))
    assert str(found) == (
        "Leakage 1.000 nats. The most revealing public value moves belief about ill 2.72-fold."
    )
    [found] = audit_statements(replace(audit, bound=None, holds=None, leakage=math.inf))
    assert str(found) == "Infinite leakage. Some public value rules out a value of ill."
    assert leakage_words(math.inf) == "some value rules out a sensitive value"
    assert leakage_words(1.0) == "belief moves at most 2.72-fold"


def test_pairs_that_were_not_tried_are_counted():
    assert pairs_left_out_words(1).endswith("1 other pair was not tried.")
    assert pairs_left_out_words(2000).endswith("2,000 other pairs were not tried.")
