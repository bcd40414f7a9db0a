"""The arrows of the design: who may import whom, lazy imports included (docs/architecture.md)."""

from __future__ import annotations

import ast
from pathlib import Path

import loglift

SOURCE = Path(loglift.__file__).parent

# A room imports rooms of earlier ranks, and of its own rank as long as there is no way back.
RANKS = [
    {
        "errors",
        "values",
        "sparse",
        "writing",
        "_compute",
        "_version",
        "cuts",
        "display",
        "identifiers",
    },
    {"joint"},
    {"measures"},
    {"promise", "utility"},
    {"mechanism"},
    {"merging", "randomizing"},
    {"certify", "confidence"},
    {"audit", "explain"},
    {"readers"},
    {"report"},
    {"release"},
    {"paper", "sklearn", "demo"},
    {"cli"},
]
# `tables` stands beside them: it alone knows dataframes.
TABLES_IMPORTS = RANKS[0] | {"joint", "mechanism"}
IMPORT_TABLES = {"release", "sklearn", "demo"}
# The one exception: `Joint.from_table` counts a table.
EXCEPTION = ("joint", "tables")


def room_of(path):
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def imports_of(path):
    """Rooms that a file imports anywhere, within functions too."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        yield from (name.split(".")[1] for name in names if name.startswith("loglift."))


def arrows():
    """Pairs of different rooms, the first imports the second, and a file that does."""
    files = [path for path in SOURCE.rglob("*.py") if path != SOURCE / "__init__.py"]
    return {
        (room_of(path), room): path
        for path in files
        for room in imports_of(path)
        if room != room_of(path)
    }


def test_every_room_has_a_rank():
    ranked = set().union(*RANKS) | {"tables", "__init__"}
    found = {room_of(path) for path in SOURCE.rglob("*.py")}
    assert found - ranked == set()


def test_rooms_import_earlier_rooms_only():
    rank = {room: i for i, rooms in enumerate(RANKS) for room in rooms}
    wrong = {
        f"{path.relative_to(SOURCE)} imports {target}"
        for (room, target), path in arrows().items()
        if "tables" not in (room, target) and rank[target] > rank[room]
    }
    assert wrong == set()


def test_the_arrows_run_in_no_circle():
    waiting = {}
    for room, target in arrows().keys() - {EXCEPTION}:
        waiting.setdefault(room, set()).add(target)
        waiting.setdefault(target, set())
    while free := {room for room, targets in waiting.items() if not targets}:
        waiting = {room: targets - free for room, targets in waiting.items() if room not in free}
    assert waiting == {}


def test_tables_are_known_to_few_rooms():
    found = arrows()
    imported = {target for room, target in found if room == "tables"}
    assert imported <= TABLES_IMPORTS
    importing = {room for room, target in found if target == "tables"}
    assert importing == IMPORT_TABLES | {"joint"}


def test_the_exception_is_one_line():
    texts = [path.read_text() for path in (SOURCE / "joint").glob("*.py")]
    lines = [line for text in texts for line in text.splitlines() if "loglift.tables" in line]
    assert sum("import" in line for line in lines) == 1
