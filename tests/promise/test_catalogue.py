"""Requirements by name: JSON, options, and what is refused."""

from __future__ import annotations

import pytest

from loglift import AlphaLift, BoundError, TCloseness
from loglift.promise.catalogue import BY_KEY, KINDS, alpha_lift_from, requirement_from


@pytest.mark.parametrize("kind", KINDS)
def test_documents_are_read_back(kind):
    made = kind(1)
    assert requirement_from(made.document()) == made
    assert BY_KEY[kind.key] is kind
    assert kind.option == "--" + kind.key.replace("_", "-")


def test_an_order_is_read_back():
    made = AlphaLift(0.5, alpha=3.5)
    assert requirement_from(made.document()) == made != AlphaLift(0.5)
    assert alpha_lift_from("3.5=0.5") == made


def test_other_names_and_texts_are_refused():
    with pytest.raises(BoundError, match="no requirement 'u'"):
        requirement_from({**TCloseness(0.1).document(), "measure": "u"})
    for text in ("2", "=1", "2=", "a=b", "2:1"):
        with pytest.raises(BoundError, match="ALPHA=EPS"):
            alpha_lift_from(text)
