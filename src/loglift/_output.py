"""Writing without ever leaving half an output: into a temporary sibling, then one rename."""

from __future__ import annotations

import os
import platform
import re
import shutil
import tempfile
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from glob import glob
from pathlib import Path

from loglift.errors import OutputError


def refuse_input(path: Path, table: str) -> None:
    """Raise `OutputError` when writing to `path` would replace the table that is read."""
    place = path.resolve()
    for source in (Path(name) for name in glob(table) or [table]):  # noqa: PTH207, any glob
        if place == source.resolve() or place in source.resolve().parents:
            raise OutputError(f"{path} is or holds the table itself: choose another place")


def refuse_existing(path: Path, *, force: bool) -> None:
    """Raise `OutputError` when something is at `path` already, unless `force`."""
    if path.exists() and not force:
        raise OutputError(f"{path} exists already: choose another place, or pass --force")


def check_directory(path: Path, names: Collection[str], *, force: bool = False) -> None:
    """Raise `OutputError` now if `whole_directory` would refuse to write to `path` later."""
    refuse_existing(path, force=force)
    if not path.exists():
        return
    if not path.is_dir():
        raise OutputError(f"{path} is a file: give a directory to write into")
    with _said_plainly(path):
        others = sorted(entry.name for entry in path.iterdir() if entry.name not in names)
    if others:
        raise OutputError(
            f"{path} holds files that loglift did not write ({others[0]!r}): choose another place"
        )


@contextmanager
def whole_directory(path: Path, names: Collection[str], *, force: bool = False) -> Iterator[Path]:
    """Give a temporary directory to write into; it becomes `path` when the block ends well.

    On any failure nothing is left behind, and a directory that was there before stays as it was.
    With `force` a directory is replaced only if it holds nothing but files of these names.
    """
    check_directory(path, names, force=force)
    path = path.absolute()
    with _said_plainly(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        _sweep(path)
        building = _beside(path)
    try:
        with _said_plainly(path):
            yield building
            building.chmod(0o777 & ~_umask())
            _swap(building, path)
    finally:
        shutil.rmtree(building, ignore_errors=True)


def whole_file(path: Path, text: str) -> None:
    """Write a text so that the file is there whole or not at all."""
    path = path.absolute()
    with _said_plainly(path):
        if path.is_dir():
            raise OutputError(f"{path} is a directory: give a file to write")
        path.parent.mkdir(parents=True, exist_ok=True)
        building = _beside(path)
    try:
        with _said_plainly(path):
            written = building / path.name
            written.write_text(text, "utf-8")
            written.replace(path)
    finally:
        shutil.rmtree(building, ignore_errors=True)


def _swap(building: Path, path: Path) -> None:
    """Put `building` in the place of `path`; what was there comes back if that fails."""
    if not path.exists():
        building.rename(path)
        return
    aside = _beside(path)
    try:
        path.rename(aside / "old")
        try:
            building.rename(path)
        except BaseException:
            (aside / "old").rename(path)
            raise
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def _beside(path: Path) -> Path:
    """Make a temporary sibling of `path` that says which process it belongs to."""
    owner = f"{platform.node()}-{os.getpid()}"
    return Path(tempfile.mkdtemp(prefix=f".{path.name}.{owner}.", dir=path.parent))


def _sweep(path: Path) -> None:
    """Remove what processes of this machine that were killed while writing `path` left behind."""
    name = re.compile(rf"\.{re.escape(path.name)}\.{re.escape(platform.node())}-(\d+)\.\w+")
    for entry in path.parent.iterdir():
        found = name.fullmatch(entry.name)
        if found and not _is_running(int(found[1])):
            shutil.rmtree(entry, ignore_errors=True)


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:  # it runs, and belongs to somebody else
        return True
    return True


@contextmanager
def _said_plainly(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise OutputError(f"cannot write to {path}: {error.strerror or error}") from None


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
