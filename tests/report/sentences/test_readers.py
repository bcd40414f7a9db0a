"""What readers who know more are told: who they are, compared with what, and how far."""

from __future__ import annotations

from dataclasses import replace

from certificates import CERTIFICATE
from loglift.certify.certificate import ReaderCheck
from loglift.certify.together import TogetherCheck
from loglift.mechanism.naming import BLOCK_COLUMN
from loglift.promise.bound import Bound
from loglift.report.sentences.readers import reader_statements, together_statements, told_words

FINE = ReaderCheck(
    readers="readers who know region",
    before="what region tells alone",
    holds=True,
    leakage=0.5,
    contexts=3,
    knows={"region": "North"},
    released={"age": "20-29", BLOCK_COLUMN: 4},
    sensitive={"ill": "flu"},
    direction="raises",
)
EPS_1 = Bound.symmetric(1)


def test_readers_within_the_bound_come_after_those_beyond_it():
    [bad, good] = reader_statements([FINE, replace(FINE, holds=False, leakage=2.0)], EPS_1)
    assert (bad.tone, good.tone) == ("bad", "good")
    assert str(bad) == (
        "Does not hold for readers who know region. Compared with what region tells alone, region "
        "= North, with age = 20-29 raises ill = flu beyond eps 1; leakage 2.000 nats."
    )
    assert str(good) == (
        "Holds for readers who know region. Compared with what region tells alone, no released "
        "value moves their belief beyond eps 1; leakage 0.500 nats, over 3 different things they "
        "may know."
    )
    [one] = reader_statements([replace(FINE, contexts=1)], EPS_1)
    assert "different thing" not in one.text


def test_what_several_releases_show_is_told_without_blocks():
    knows = [{"town": "a", BLOCK_COLUMN: 1}, None]
    assert told_words(replace(FINE, knows=knows, released={})) == "town = a; not released"


def test_a_release_that_promises_nothing_of_the_others_breaks_no_promise():
    beyond = replace(FINE, holds=False, leakage=2.0)
    check = TogetherCheck(
        holds=False,
        certificates=(CERTIFICATE,) * 3,
        together=(FINE, beyond, beyond),
        promised=(True, True, False),
    )
    found = together_statements(check)
    assert [one.tone for one in found] == ["good", "bad", "plain"]
    assert [one.headline for one in found] == [
        "Together within the bound of release 1.",
        "Together they do not keep the bound of release 2.",
        "Beyond the bound of release 3.",
    ]
    assert found[1].text.endswith("raises ill = flu beyond eps 1; leakage 2.000 nats.")
