"""The paper's example, table and figures, their reproduction, and studies of what it leaves open.

Zarrabian, Ding, Sadeghi, Rakotoarivelo, "Enhancing Utility in the Watchdog Privacy Mechanism".

`figure(name)` returns one of its figures, to which `with_curve` adds curves of one's own;
`draw_joints` draws its random joints, `paper_joint` returns those of Example 1 and Table 1,
`read_data` what it prints, and `reproduce` compares all of it.
"""

from loglift.paper.capped_greedy import capped_algorithm1
from loglift.paper.experiment import draw_joints, draw_stacks
from loglift.paper.figures import charts, write_figures
from loglift.paper.gallery import PaperFigure, figure
from loglift.paper.printed import Comparison, example1, paper_joint, read_data, table1
from loglift.paper.reproduction import Point, Reproduction, reproduce

__all__ = [
    "Comparison",
    "PaperFigure",
    "Point",
    "Reproduction",
    "capped_algorithm1",
    "charts",
    "draw_joints",
    "draw_stacks",
    "example1",
    "figure",
    "paper_joint",
    "read_data",
    "reproduce",
    "table1",
    "write_figures",
]
