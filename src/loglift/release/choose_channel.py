"""Choosing a channel: released values are drawn at random."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from loglift._compute.progress import OnProgress, silent
from loglift.randomizing.randomize import randomize
from loglift.release.choose import Choice, Task


def choose_channel(task: Task, on_progress: OnProgress = silent) -> Choice:
    """Choose a channel p(y|x) in whole numbers, of the largest utility that is found."""
    shown, goal = task.shown, task.goal
    solve = partial(
        randomize,
        shown,
        bound=task.bound,
        utility=goal,
        min_count=task.options.min_count,
        intact=task.options.groups(task.joint),
        time_limit=task.options.time_limit,
        on_progress=on_progress,
    )
    found = solve(start=task.start, promises=task.knowledge)
    found = replace(found, intact=task.options.intact_columns)
    if not task.knowledge:
        return Choice(found)
    plain, most = solve(), goal.most(shown)
    return Choice(found, kept_without=plain.utility / most if most else 1.0)
