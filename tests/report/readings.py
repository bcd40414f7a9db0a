"""Evaluations with other attacks."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from loglift.readers.compared import Compared
from loglift.readers.context import ContextReading


def with_counting(evaluated, **changes):
    [attack] = evaluated.attacks
    return replace(
        evaluated, attacks=(replace(attack, counting=replace(attack.counting, **changes)),)
    )


def reader_of(knows, outside=0.0, *, promised=True, rise=2.0):
    return ContextReading(
        readers=f"readers who know {knows}",
        knows=(knows,),
        contexts=3,
        promised=promised,
        rise=Compared(5.0, rise, 1.0),
        fall=Compared(np.inf, 1.5, 1.0),
        outside=Compared(0.5, outside, 0.0),
        right=Compared(0.9, 0.725, 0.7),
    )


def with_readers(evaluated, *readers, **changes):
    [attack] = evaluated.attacks
    learned = replace(attack.learning, columns=("town", "age", "region"))
    told = replace(attack, readers=readers, learning_knowing=learned)
    return replace(evaluated, attacks=(told,), known=("region",), **changes)
