"""The commit that `make bench-check` compares with, and its files."""

from __future__ import annotations

import io
import subprocess
import tarfile
from dataclasses import dataclass
from pathlib import Path

UPSTREAM = ("origin/HEAD", "origin/main", "origin/master")


class NoBaseError(Exception):
    """There is no commit to compare with; the message says what to do."""


@dataclass(frozen=True)
class Base:
    """A commit, and why it was chosen."""

    commit: str
    why: str


def choose_base(root: Path, given: str | None) -> Base:
    """Return the commit to compare the checkout at `root` with.

    1. The revision given.
    2. Where this branch left the main branch of `origin`, if there is work since.
    3. HEAD, if files differ from it.
    4. The commit before HEAD: a checkout without work of its own shows what HEAD changed.
    5. HEAD itself, if it is the only commit.
    """
    if given:
        commit = _resolved(root, given)
        if commit is None:
            raise NoBaseError(f"BASE={given} is not a revision of this repository: see git log")
        return Base(commit, f"BASE={given}")
    head = _resolved(root, "HEAD")
    if head is None:
        raise NoBaseError("bench-check compares with a commit: run it in a git repository")
    changed = bool(_git(root, "status", "--porcelain"))
    upstream = next((name for name in UPSTREAM if _resolved(root, name)), None)
    if upstream is not None:
        fork = _git(root, "merge-base", "HEAD", upstream)
        if fork and (changed or fork != head):
            return Base(fork, f"where this branch left {upstream}")
    if changed:
        return Base(head, "HEAD, from which files differ")
    before = _resolved(root, "HEAD~1")
    if before is None:
        return Base(head, "HEAD, the only commit")
    return Base(before, "the commit before HEAD")


def extract(root: Path, commit: str, target: Path) -> Path:
    """Write the files of a commit to `target`, unless they are there; return `target`.

    They stay for the next run, which then finds their compiled loops.
    """
    if not target.exists():
        archive = subprocess.run(  # noqa: S603, ourselves
            ["git", "archive", "--format=tar", commit],  # noqa: S607, the git of the machine
            cwd=root,
            check=True,
            capture_output=True,
        ).stdout
        part = target.with_name(f"{target.name}.part")
        with tarfile.open(fileobj=io.BytesIO(archive)) as files:
            files.extractall(part, filter="data")
        part.rename(target)
    return target


def title(root: Path, commit: str) -> str:
    """Return the short name and the first line of a commit."""
    return _git(root, "log", "-1", "--format=%h %s", commit)


def _resolved(root: Path, revision: str) -> str | None:
    """Return the full name of a commit; None if the revision does not exist."""
    return _git(root, "rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}") or None


def _git(root: Path, *arguments: str) -> str:
    """Return what git prints; nothing if it fails."""
    done = subprocess.run(  # noqa: S603, ourselves
        ["git", *arguments],  # noqa: S607, the git of the machine
        cwd=root,
        check=False,
        capture_output=True,
        text=True,
    )
    return done.stdout.strip() if done.returncode == 0 else ""
