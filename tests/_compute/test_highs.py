"""Programs of HiGHS: silent, and minimised unless they are maximised."""

from __future__ import annotations

import math

import numpy as np
import pytest

from loglift._compute.highs import new_program


@pytest.mark.parametrize(("maximise", "best"), [(False, 1.0), (True, 4.0)])
def test_a_program_is_solved_without_a_word(maximise, best, capfd):
    made = new_program(maximise=maximise, time_limit=5.0)
    made.addCol(1.0, 0.0, math.inf, 0, [], [])
    made.addRow(1.0, 4.0, 1, np.zeros(1, dtype=np.int32), np.ones(1))
    made.run()
    assert made.getInfo().objective_function_value == pytest.approx(best)
    assert made.getOptionValue("time_limit")[1] == 5.0
    assert capfd.readouterr().out == ""
