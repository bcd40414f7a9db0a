"""Figures are written in words where they are no numbers."""

from __future__ import annotations

import numpy as np

from loglift.readers.compared import Compared
from loglift.report.sentences.evaluation import evaluation_statements
from loglift.report.sheets.evaluation import sheets_of
from report.readings import with_counting


def test_infinite_factors_are_said_in_words(evaluated):
    never = with_counting(evaluated, fall=Compared(np.inf, np.inf, 1.0), allowed_fall=np.inf)
    sheet = sheets_of(never, pairs=5)[-2]
    [fall] = [row for row in sheet.rows if "fall" in row[0]]
    assert fall[1:] == ("ruled out", "ruled out", "1.00-fold", "no limit")
    assert "a value may be ruled out" in evaluation_statements(never)[-1].text
