"""Writing without ever leaving half an output: into a temporary sibling, then one rename."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from loglift.errors import OutputError


def refuse_existing(path: Path, *, force: bool) -> None:
    """Raise `OutputError` when something is at `path` already, unless `force`."""
    if path.exists() and not force:
        raise OutputError(f"{path} exists already: choose another place, or pass --force")


@contextmanager
def whole_directory(path: Path, *, force: bool = False) -> Iterator[Path]:
    """Give a temporary directory to write into; it becomes `path` when the block ends well.

    On any failure nothing is left behind, and a directory that was there before stays as it was.
    """
    refuse_existing(path, force=force)
    if path.exists() and not path.is_dir():
        raise OutputError(f"{path} is a file: give a directory to write into")
    with _said_plainly(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        building = Path(tempfile.mkdtemp(prefix=f".{path.name}.", dir=path.parent))
    try:
        with _said_plainly(path):
            yield building
            building.chmod(0o777 & ~_umask())
            _swap(building, path)
    finally:
        shutil.rmtree(building, ignore_errors=True)


def _swap(building: Path, path: Path) -> None:
    """Put `building` in the place of `path`; what was there leaves only once the new is whole."""
    if not path.exists():
        building.rename(path)
        return
    old = Path(tempfile.mkdtemp(prefix=f".{path.name}.old.", dir=path.parent))
    path.rename(old / path.name)
    building.rename(path)
    shutil.rmtree(old, ignore_errors=True)


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
