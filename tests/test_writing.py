from __future__ import annotations

import errno
import os
import platform
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from loglift import OutputError, writing
from loglift.writing import check_directory, refuse_input, whole_directory, whole_file


@pytest.fixture(params=["linux", "elsewhere"])
def system(request, monkeypatch):
    """Whether the operating system can exchange two names, and rename without replacing."""
    if request.param == "elsewhere":
        monkeypatch.setattr(writing, "_linux_rename", lambda: None)
    elif not sys.platform.startswith("linux"):
        pytest.skip("only Linux has renameat2")
    return request.param


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
    monkeypatch.setattr(writing, "_linux_rename", lambda: None)
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


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("step", [1, 2])
def test_an_interrupt_between_two_steps_loses_nothing(tmp_path, monkeypatch, step, when):
    monkeypatch.setattr(writing, "_linux_rename", lambda: None)
    target, rename, steps = tmp_path / "out", Path.rename, []
    with whole_directory(target, {"a"}) as directory:
        (directory / "a").write_text("old")

    def interrupted(self, to):
        steps.append(to)
        if len(steps) == step and when == "before":
            raise KeyboardInterrupt
        rename(self, to)
        if len(steps) == step:
            raise KeyboardInterrupt

    monkeypatch.setattr(Path, "rename", interrupted)
    with (
        pytest.raises(KeyboardInterrupt),
        whole_directory(target, {"a"}, force=True) as directory,
    ):
        (directory / "a").write_text("new")
    assert (target / "a").read_text() == ("new" if (step, when) == (2, "after") else "old")
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_file_appears_whole_where_names_cannot_be_guarded(tmp_path, monkeypatch):
    monkeypatch.setattr(writing, "_linux_rename", lambda: None)
    target = tmp_path / "out.csv"
    with whole_file(target) as file:
        file.write_text("whole")
    assert target.read_text() == "whole"
    with pytest.raises(OutputError, match="exists already"), whole_file(target) as file:
        file.write_text("other")
    assert target.read_text() == "whole"
    assert [path.name for path in tmp_path.iterdir()] == ["out.csv"]


def test_a_folder_that_is_a_loop_of_links_is_told(tmp_path):
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    with (
        pytest.raises(OutputError, match="a link that leads nowhere"),
        whole_directory(tmp_path / "a" / "out", ()),
    ):
        pass


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


def made(target, text, *, meanwhile=lambda: None, force=False):
    with whole_directory(target, {"a"}, force=force) as directory:
        (directory / "a").write_text(text)
        meanwhile()


def written(target, text, *, meanwhile=lambda: None, force=False):
    with whole_file(target, force=force) as file:
        file.write_text(text)
        meanwhile()


@pytest.mark.usefixtures("system")
@pytest.mark.parametrize("texts", [[], ["first"]])
def test_a_directory_that_appears_meanwhile_is_not_replaced(tmp_path, texts):
    target = tmp_path / "out"

    def meanwhile():
        target.mkdir()
        for text in texts:
            (target / "a").write_text(text)

    with pytest.raises(OutputError, match="exists already"):
        made(target, "second", meanwhile=meanwhile)
    assert [path.read_text() for path in target.iterdir()] == texts
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


@pytest.mark.usefixtures("system")
def test_an_empty_directory_that_appears_at_the_last_moment_is_not_replaced(tmp_path, monkeypatch):
    target, swap = tmp_path / "out", writing._swap  # noqa: SLF001, the moment that is tested

    def late(building, path, *, force):
        target.mkdir()
        monkeypatch.setattr(Path, "exists", lambda _path: False)  # it was looked for before
        swap(building, path, force=force)

    monkeypatch.setattr(writing, "_swap", late)
    with pytest.raises(OutputError, match="exists already"):
        made(target, "second")
    assert list(target.iterdir()) == []
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


@pytest.mark.usefixtures("system")
@pytest.mark.parametrize("content", ["first", ""])
def test_a_file_that_appears_meanwhile_is_not_replaced(tmp_path, content):
    target = tmp_path / "out.csv"
    with pytest.raises(OutputError, match="exists already"):
        written(target, "second", meanwhile=lambda: target.write_text(content))
    assert target.read_text() == content
    written(target, "third", force=True)
    assert target.read_text() == "third"
    assert [path.name for path in tmp_path.iterdir()] == ["out.csv"]


WRITES = """if True:
    import sys, time
    from pathlib import Path
    from loglift import OutputError, writing
    if sys.argv[3] == "elsewhere":
        writing._linux_rename = lambda: None
    try:
        with writing.whole_directory(Path(sys.argv[1]), {"a", "b"}) as directory:
            for name in "ab":
                (directory / name).write_text(sys.argv[2])
            time.sleep(0.5)
    except OutputError as error:
        sys.exit(2 if "exists already" in str(error) else 3)
"""


def test_of_many_processes_at_once_one_writes_and_the_others_fail(tmp_path, system):
    target = tmp_path / "out"
    processes = [
        subprocess.Popen([sys.executable, "-c", WRITES, str(target), str(i), system])
        for i in range(4)
    ]
    codes = [process.wait() for process in processes]
    assert sorted(codes) == [0, 2, 2, 2]
    winner = str(codes.index(0))
    assert {path.name: path.read_text() for path in target.iterdir()} == {"a": winner, "b": winner}


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux can exchange names")
def test_while_an_output_is_replaced_there_is_always_one(tmp_path):
    target, missing, done = tmp_path / "out", [], threading.Event()
    made(target, "0")

    def watch():
        while not done.is_set():
            if not target.exists():
                missing.append(True)

    watcher = threading.Thread(target=watch)
    watcher.start()
    for i in range(300):
        made(target, str(i), force=True)
    done.set()
    watcher.join()
    assert not missing
    assert (target / "a").read_text() == "299"


DIES = """if True:
    import os, sys
    from pathlib import Path
    from loglift import writing
    writing._linux_rename = lambda: None
    rename = Path.rename
    def dying(self, to):
        if to == Path(sys.argv[1]):
            os._exit(9)
        return rename(self, to)
    Path.rename = dying
    with writing.whole_directory(Path(sys.argv[1]), {"a"}, force=True) as directory:
        (directory / "a").write_text("new")
"""


def test_a_kill_between_the_two_steps_of_replacing_loses_nothing(tmp_path):
    target = tmp_path / "out"
    made(target, "old")
    killed = subprocess.run([sys.executable, "-c", DIES, str(target)], check=False)
    assert killed.returncode == 9
    assert not target.exists()
    with pytest.raises(OutputError, match="exists already"):
        check_directory(target, {"a"})
    assert (target / "a").read_text() == "old"
    made(target, "newer", force=True)
    assert (target / "a").read_text() == "newer"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_link_to_a_directory_is_replaced_and_what_it_leads_to_is_not(tmp_path):
    made(tmp_path / "real", "old")
    (tmp_path / "out").symlink_to(tmp_path / "real")
    made(tmp_path / "out", "new", force=True)
    assert (tmp_path / "out" / "a").read_text() == "new"
    assert (tmp_path / "real" / "a").read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "real"]


@pytest.mark.parametrize("force", [False, True])
def test_a_link_that_leads_nowhere_is_refused(tmp_path, force):
    loop, dangling = tmp_path / "loop", tmp_path / "dangling"
    loop.symlink_to(loop)
    dangling.symlink_to(tmp_path / "nowhere")
    refuse_input(tmp_path / "out", str(loop))
    for link in (loop, dangling):
        refuse_input(link, str(tmp_path / "table.csv"))
        with pytest.raises(OutputError, match="leads nowhere"):
            made(link, "new", force=force)
        with pytest.raises(OutputError, match="leads nowhere"):
            written(link, "new", force=force)
    with pytest.raises(OutputError, match="cannot be written"):
        made(loop / "out", "new", force=force)


def test_a_pipe_is_not_replaced_by_a_file(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OutputError, match="a pipe"):
        written(tmp_path / "pipe", "1", force=True)
    assert (tmp_path / "pipe").is_fifo()


def test_what_a_killed_process_left_of_a_file_is_swept(tmp_path):
    child = subprocess.run(
        [sys.executable, "-c", "import os; print(os.getpid())"],
        capture_output=True,
        text=True,
        check=True,
    )
    dead = tmp_path / f".out.csv.{platform.node()}-{int(child.stdout)}.abc"
    dead.mkdir()
    written(tmp_path / "out.csv", "1")
    assert [path.name for path in tmp_path.iterdir()] == ["out.csv"]
