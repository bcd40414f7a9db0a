"""Write a file or a directory whole or not at all: into a temporary sibling, then one rename.

Without `force` an existing output is not replaced, even if it appears while the new one is being
written. With `force` the two are exchanged in a single step where the operating system can. Where
it cannot, a process that is killed between the two steps leaves the old output in a temporary
sibling, and the next run to the same path restores it.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from glob import glob
from pathlib import Path

from loglift.errors import OutputError

# Flags of Linux's renameat2: fail if the target exists; exchange the two names.
_NO_REPLACE, _EXCHANGE = 1, 2
_HERE = -100  # AT_FDCWD: names are relative to the working directory
_OLD = "old"  # the name of a replaced directory inside its temporary sibling


def refuse_input(path: Path, table: str) -> None:
    """Raise `OutputError` if writing to `path` would replace the table that is read."""
    place = _real(path)
    names = [table, table.partition("::")[0]]  # the file of a sheet, or of a table in it
    for source in (_real(name) for each in names for name in glob(each) or [each]):  # noqa: PTH207
        if place == source or place in source.parents:
            raise OutputError(f"{path} is or holds the table itself: choose another place")


def refuse_existing(path: Path, *, force: bool) -> None:
    """Raise `OutputError` if `path` exists, unless `force`."""
    if path.is_symlink() and not path.exists():
        raise OutputError(f"{path} is a symbolic link that leads nowhere: choose another place")
    if path.exists() and not force:
        raise _exists_already(path)


def check_directory(path: Path, names: Collection[str], *, force: bool = False) -> None:
    """Raise `OutputError` now if `whole_directory` would refuse to write to `path` later."""
    _put_back(path.absolute())
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


def check_file(path: Path, *, force: bool = False) -> None:
    """Raise `OutputError` now if `whole_file` would refuse to write to `path` later."""
    refuse_existing(path, force=force)
    if path.exists() and not path.is_file():
        what = "a directory" if path.is_dir() else "a pipe or a device"
        raise OutputError(f"{path} cannot be written: it is {what}, give a file")


@contextmanager
def whole_directory(path: Path, names: Collection[str], *, force: bool = False) -> Iterator[Path]:
    """Give a temporary directory to write into; it becomes `path` when the block succeeds.

    On any failure nothing is left behind, and an existing directory stays unchanged. With `force` a
    directory is replaced only if it holds nothing but files of these names.
    """
    check_directory(path, names, force=force)
    with _said_plainly(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        building = _beside(path.absolute())
    try:
        with _said_plainly(path):
            yield building
            building.chmod(0o777 & ~_umask())
            check_directory(path, names, force=force)  # it may have appeared or changed since
            with _not_replaced(path):
                _swap(building, path.absolute(), force=force)
    finally:
        _remove(building)


@contextmanager
def whole_file(path: Path, *, force: bool = False, parents: bool = False) -> Iterator[Path]:
    """Give a temporary file to write; it becomes `path` when the block succeeds.

    A file that exists at `path`, or appears there before the block ends, is replaced only with
    `force`. With `parents` missing directories are created.
    """
    check_file(path, force=force)
    with _said_plainly(path):
        if parents:
            path.parent.mkdir(parents=True, exist_ok=True)
        building = _beside(path.absolute())
    try:
        with _said_plainly(path):
            written = building / path.name
            yield written
            with written.open("rb") as file:
                os.fsync(file.fileno())
            if force:
                written.replace(path)
            else:
                with _not_replaced(path):
                    _move(written, path)
    finally:
        _remove(building)


def _beside(path: Path) -> Path:
    """Make a temporary sibling of `path` whose name contains this process.

    Siblings that killed processes left are removed first.
    """
    for entry in _left_behind(path):
        _remove(entry)
    owner = f"{platform.node()}-{os.getpid()}"
    return Path(tempfile.mkdtemp(prefix=f".{path.name}.{owner}.", dir=path.parent))


def _swap(building: Path, path: Path, *, force: bool) -> None:
    """Replace `path` by `building`; the old output is restored if that fails."""
    if not path.exists():
        try:
            _move(building, path)
        except FileExistsError:  # it appeared after the check
            if not force:
                raise
        else:
            return
    try:
        _renameat2(building, path, _EXCHANGE)
    except NotImplementedError:
        _swap_in_two_steps(building, path)


def _swap_in_two_steps(building: Path, path: Path) -> None:
    """Move the old output to a sibling, where `_put_back` finds it, then the new one to `path`."""
    aside = _beside(path)
    try:
        path.rename(aside / _OLD)
        building.rename(path)
    except BaseException:
        if not path.exists():
            (aside / _OLD).rename(path)
        raise
    finally:
        if path.exists():
            _remove(aside)


def _move(written: Path, path: Path) -> None:
    """Rename a file or directory; raise `FileExistsError` if `path` exists."""
    try:
        _renameat2(written, path, _NO_REPLACE)
    except NotImplementedError:
        if not written.is_dir():
            path.hardlink_to(written)
            return
        path.mkdir()  # only one process succeeds; it then replaces its own empty directory
        try:
            written.replace(path)
        except BaseException:
            path.rmdir()
            raise


def _renameat2(source: Path, target: Path, how: int) -> None:
    """Rename with Linux's renameat2; raise `NotImplementedError` where it is not available."""
    call = _linux_rename()
    if call is None:
        raise NotImplementedError
    if call(_HERE, os.fsencode(source), _HERE, os.fsencode(target), how) == 0:
        return
    number = ctypes.get_errno()
    if number in (errno.ENOSYS, errno.EINVAL):
        raise NotImplementedError
    raise OSError(number, os.strerror(number), str(source), None, str(target))


@cache
def _linux_rename() -> Callable[[int, bytes, int, bytes, int], int] | None:
    if sys.platform != "linux":
        return None
    found = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if found is None:
        return None
    found.argtypes = (
        ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint,
    )  # fmt: skip
    return found  # type: ignore[no-any-return]


def _put_back(path: Path) -> None:
    """Restore an output that a process moved away and was killed before it replaced it."""
    with suppress(OSError):
        for entry in _left_behind(path):
            if (entry / _OLD).is_dir() and not path.exists():
                _move(entry / _OLD, path)


def _left_behind(path: Path) -> list[Path]:
    """Return the temporary siblings of `path` that killed processes of this machine left."""
    name = re.compile(rf"\.{re.escape(path.name)}\.{re.escape(platform.node())}-(\d+)\.\w+")
    found = ((entry, name.fullmatch(entry.name)) for entry in path.parent.iterdir())
    return [entry for entry, match in found if match and not _is_running(int(match[1]))]


def _remove(entry: Path) -> None:
    if entry.is_symlink():
        entry.unlink()
    else:
        shutil.rmtree(entry, ignore_errors=True)


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:  # it runs, and belongs to another user
        return True
    return True


def _real(name: Path | str) -> Path:
    return Path(os.path.realpath(name))  # `Path.resolve` raises on a loop of links


def _exists_already(path: Path) -> OutputError:
    return OutputError(f"{path} exists already: choose another place, or use force (--force)")


@contextmanager
def _not_replaced(path: Path) -> Iterator[None]:
    try:
        yield
    except FileExistsError:
        raise _exists_already(path) from None


@contextmanager
def _said_plainly(path: Path) -> Iterator[None]:
    try:
        yield
    except FileExistsError:
        raise OutputError(
            f"{path} cannot be written: part of its path is a file, or a link that leads nowhere"
        ) from None
    except OSError as error:
        raise OutputError(f"{path} cannot be written: {error.strerror or error}") from None


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
