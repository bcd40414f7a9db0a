from __future__ import annotations

import errno
import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest

from loglift import OutputError
from loglift._output import whole_directory


def test_a_directory_appears_only_when_it_is_whole(tmp_path):
    target = tmp_path / "deep" / "out"
    with whole_directory(target, {"a"}) as directory:
        (directory / "a").write_text("1")
        assert not target.exists()
    assert (target / "a").read_text() == "1"


def test_a_failure_leaves_nothing_behind_and_the_old_untouched(tmp_path):
    target = tmp_path / "out"
    with whole_directory(target, {"a"}) as directory:
        (directory / "a").write_text("old")
    with pytest.raises(ZeroDivisionError), whole_directory(target, {"a"}, force=True) as directory:
        (directory / "a").write_text(str(1 / 0))
    assert (target / "a").read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_full_disk_is_an_output_error(tmp_path):
    with pytest.raises(OutputError, match="No space left"), whole_directory(tmp_path / "out", ()):
        raise OSError(errno.ENOSPC, "No space left on device")
    assert list(tmp_path.iterdir()) == []


def test_what_was_there_comes_back_when_the_swap_fails(tmp_path, monkeypatch):
    target, rename = tmp_path / "out", Path.rename
    with whole_directory(target, {"a"}) as directory:
        (directory / "a").write_text("old")

    def failing(self, to):
        if to == target and self.name != "old":
            raise OSError(errno.EIO, "Input/output error")
        return rename(self, to)

    monkeypatch.setattr(Path, "rename", failing)
    with pytest.raises(OutputError), whole_directory(target, {"a"}, force=True) as directory:
        (directory / "a").write_text("new")
    assert (target / "a").read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_the_directory_has_the_usual_permissions(tmp_path):
    (tmp_path / "usual").mkdir()
    with whole_directory(tmp_path / "out", ()):
        pass
    assert (tmp_path / "out").stat().st_mode == (tmp_path / "usual").stat().st_mode


def test_what_a_killed_process_left_is_swept_and_what_a_running_one_builds_is_not(tmp_path):
    child = subprocess.run(
        [sys.executable, "-c", "import os; print(os.getpid())"],
        capture_output=True,
        text=True,
        check=True,
    )
    dead = tmp_path / f".out.{platform.node()}-{int(child.stdout)}.abc"
    running = tmp_path / f".out.{platform.node()}-{os.getpid()}.abc"
    other = tmp_path / f".other.{platform.node()}-{int(child.stdout)}.abc"
    for path in (dead, running, other):
        path.mkdir()
    with whole_directory(tmp_path / "out", ()):
        pass
    assert sorted(tmp_path.iterdir()) == sorted([running, other, tmp_path / "out"])


def test_a_file_in_the_way_is_refused_even_with_force(tmp_path):
    target = tmp_path / "out"
    target.write_text("mine")
    with pytest.raises(OutputError, match="is a file"), whole_directory(target, {"a"}, force=True):
        pass
    assert target.read_text() == "mine"


def test_a_directory_with_other_files_is_never_replaced(tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "thesis.txt").write_text("mine")
    with (
        pytest.raises(OutputError, match="thesis"),
        whole_directory(tmp_path / "out", {"a"}, force=True),
    ):
        pass
    assert (tmp_path / "out" / "thesis.txt").read_text() == "mine"
