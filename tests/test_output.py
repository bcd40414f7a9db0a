from __future__ import annotations

import errno

import pytest

from loglift import OutputError
from loglift._output import whole_directory


def test_a_directory_appears_only_when_it_is_whole(tmp_path):
    target = tmp_path / "deep" / "out"
    with whole_directory(target) as directory:
        (directory / "a").write_text("1")
        assert not target.exists()
    assert (target / "a").read_text() == "1"


def test_a_failure_leaves_nothing_behind_and_the_old_untouched(tmp_path):
    target = tmp_path / "out"
    with whole_directory(target) as directory:
        (directory / "a").write_text("old")
    with pytest.raises(ZeroDivisionError), whole_directory(target, force=True) as directory:
        (directory / "a").write_text(str(1 / 0))
    assert (target / "a").read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_full_disk_is_an_output_error(tmp_path):
    with pytest.raises(OutputError, match="No space left"), whole_directory(tmp_path / "out"):
        raise OSError(errno.ENOSPC, "No space left on device")
    assert list(tmp_path.iterdir()) == []


def test_a_file_in_the_way_is_refused_even_with_force(tmp_path):
    target = tmp_path / "out"
    target.write_text("mine")
    with pytest.raises(OutputError, match="is a file"), whole_directory(target, force=True):
        pass
    assert target.read_text() == "mine"
