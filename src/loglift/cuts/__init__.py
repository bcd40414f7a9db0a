"""How the values of a column are read before they are counted: codes for missing values, and bands.

A `Cut` says which values stand for a missing one, and how numbers and dates are cut into bands: by
a fixed width, at edges, into quantiles, by a unit of dates, or not at all inside two limits beyond
which everything is one open band. A band has a name that says where it begins and ends; it is a
text, and bands have an order.

    width 10            [20, 30)  [30, 40)  ...
    edges 20, 40        < 20  [20, 40)  >= 40          or labels of your own
    limits 18..90       < 18  18  19  ...  90  > 90
    unit quarter        2021-Q1  2021-Q2  ...

Quantiles are edges that are found when a table is counted (`loglift.tables.quantiles`); from then
on they are edges, on every other table too.
"""

from loglift.cuts.bands import band_of
from loglift.cuts.codes import IGNORE, codes_of, with_codes
from loglift.cuts.cut import Cut
from loglift.cuts.dates import date_name, moment
from loglift.cuts.edges import NOT_A_NUMBER, text_of

__all__ = [
    "IGNORE",
    "NOT_A_NUMBER",
    "Cut",
    "band_of",
    "codes_of",
    "date_name",
    "moment",
    "text_of",
    "with_codes",
]
