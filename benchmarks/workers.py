"""Workers: processes with a table loaded, in the peers' environment or in loglift's own."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

import harness

VENV = harness.FOLDER.parent / "build" / "peers-venv"
PEERS = {"pycanon": "1.3.5", "anjana": "1.2.3"}
WORKER = harness.FOLDER / "peer_worker.py"


class Ask(Protocol):
    """Ask a worker, and return its answer."""

    def __call__(self, **asked: Any) -> dict[str, Any]:
        """Return the answer."""


def environment() -> Path:
    """Return the peers' Python; make their environment, with loglift in it, if it is missing."""
    python = VENV / "bin" / "python"
    stamp = VENV / "-".join([".installed", *PEERS.values(), "loglift"])
    if not stamp.exists():
        subprocess.run([sys.executable, "-m", "venv", str(VENV)], check=True)  # noqa: S603, ourselves
        wanted = [f"{name}=={version}" for name, version in PEERS.items()]
        wanted += ["--editable", str(harness.FOLDER.parent)]
        pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, *wanted], check=True)  # noqa: S603, versions are ours
        stamp.touch()
    return python


def versions_of(python: Path) -> dict[str, str]:
    """Return the versions of the peers, and of the pandas they use."""
    names = [*PEERS, "pandas"]
    code = f"from importlib import metadata as m; print([m.version(n) for n in {names}])"
    done = subprocess.run([str(python), "-c", code], check=True, capture_output=True, text=True)  # noqa: S603, ourselves
    found = json.loads(done.stdout.replace("'", '"'))
    labels = [*PEERS, "pandas of the peers"]
    return dict(zip(labels, found, strict=True))


@contextmanager
def worker(python: Path | str, table: Path) -> Iterator[Ask]:
    """Start a worker; yield a function that asks it and returns its answer."""
    command = [str(python), str(WORKER), str(table)]
    with subprocess.Popen(  # noqa: S603, ourselves
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        bufsize=1,
    ) as process:

        def ask(**asked: Any) -> dict[str, Any]:
            if process.stdin is None or process.stdout is None:
                raise RuntimeError("the worker has no pipes")
            process.stdin.write(json.dumps(asked) + "\n")
            found: dict[str, Any] = json.loads(process.stdout.readline())
            return found

        yield ask


def once(python: Path | str, table: Path, seconds: float, **asked: Any) -> dict[str, Any]:
    """Ask a worker that ends after one answer, or when its seconds are over."""
    command = [str(python), str(WORKER), str(table)]
    try:
        done = subprocess.run(  # noqa: S603, ourselves
            command,
            input=json.dumps(asked) + "\n",
            timeout=seconds,
            capture_output=True,
            text=True,
            check=True,
        )
    except subprocess.TimeoutExpired:
        return {"error": f"did not finish in {seconds:g} s"}
    except subprocess.CalledProcessError as error:
        return {"error": f"ended with {error.returncode}"}
    found: dict[str, Any] = json.loads(done.stdout)
    return found
