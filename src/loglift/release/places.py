"""Paths and addresses in a plan: relative to its folder, and without passwords."""

from __future__ import annotations

import os
from pathlib import Path

from loglift.tables.addresses import without_password


def absolute(path: str) -> str:
    """Return an absolute path; links of the folder are followed, a link at its end is not."""
    if "://" in path:
        return path
    folder, name = os.path.split(path)
    return os.path.join(os.path.realpath(folder or "."), name)  # noqa: PTH118, it may be a glob


def relative(path: str, folder: str | os.PathLike[str]) -> str:
    """Return an absolute path as it is seen from a folder; an address without its password."""
    if "://" in path:
        return without_password(path)
    try:
        return Path(os.path.relpath(path, os.path.realpath(folder))).as_posix()
    except ValueError:  # on another drive
        return path


def located(path: str, folder: str | os.PathLike[str]) -> str:
    """Return a path of a plan, which is relative to the plan's folder, as seen from here."""
    if "://" in path or os.path.isabs(path):  # noqa: PTH117, it may be a glob
        return path
    found = os.path.normpath(os.path.join(os.path.realpath(folder), path))  # noqa: PTH118
    here = os.path.relpath(found)
    return found if here.startswith("..") else here
