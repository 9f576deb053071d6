"""A PostgreSQL server for the tests: the one of `DATABASE_URL_TEST`, or one of our own that is thrown away."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

from tests.ports import free_port

_USERS = ("postgres", "nobody")


@contextmanager
def postgresql_server() -> Iterator[str]:
    """Give the address of a server on which databases may be made, without a database name; skip when there is none."""
    if given := os.environ.get("DATABASE_URL_TEST"):
        yield given.rsplit("/", 1)[0]
        return
    with own_server() as server:
        yield server.url


class Server:
    """A server of our own, which may be stopped and started again."""

    def __init__(self, folder: Path, data: Path) -> None:
        self._folder, self._data = folder, data
        self._user = _give_away(data)
        self._port = free_port()
        self.url = f"postgresql://postgres@127.0.0.1:{self._port}"
        _call(self._user, folder / "initdb", "-D", data / "data", "-A", "trust", "-U", "postgres", "-N", "-E", "UTF8")

    def start(self) -> None:
        """Start the server, and wait until it answers."""
        options = f"-p {self._port} -k {self._data} -c listen_addresses=127.0.0.1 -F"
        self._control("-w", "-o", options, "-l", self._data / "log", "start")

    def stop(self) -> None:
        """Stop the server without asking who is connected."""
        self._control("-m", "immediate", "stop")

    def revive(self) -> None:
        """Start the server if it has ended by itself."""
        try:
            self._control("status")
        except subprocess.CalledProcessError:
            self.start()

    def _control(self, *arguments: object) -> None:
        _call(self._user, self._folder / "pg_ctl", "-D", self._data / "data", *arguments)


@contextmanager
def own_server(parent: Path = Path("/tmp")) -> Iterator[Server]:
    """Give a server with its data in a folder in `parent`, which is thrown away at the end; skip without PostgreSQL."""
    folder = _programs()
    if folder is None:
        pytest.skip("no PostgreSQL: neither DATABASE_URL_TEST nor initdb on this machine")
    data = Path(tempfile.mkdtemp(prefix="pg-", dir=parent))  # short, for the path of its socket
    try:
        server = Server(folder, data)
        server.start()
        try:
            yield server
        finally:
            server.stop()
    finally:
        shutil.rmtree(data, ignore_errors=True)


def make_database(server: str, name: str) -> str:
    """Make an empty database and return its address."""
    with psycopg.connect(f"{server}/postgres", autocommit=True) as connection:
        connection.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')
        connection.execute(f'CREATE DATABASE "{name}"')
    return f"{server}/{name}"


def empty(address: str) -> None:
    """Drop all that is in a database."""
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("DROP SCHEMA public CASCADE")
        connection.execute("CREATE SCHEMA public")


def _programs() -> Path | None:
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    if found:
        return found[-1].parent
    on_path = shutil.which("initdb")
    return Path(on_path).parent if on_path else None


def _give_away(data: Path) -> str | None:
    """Return the user who runs the server: PostgreSQL refuses to run as root."""
    if os.geteuid() != 0:
        return None
    import pwd

    known = {entry.pw_name for entry in pwd.getpwall()}
    user = next((user for user in _USERS if user in known), None)
    if user is None:
        pytest.skip(f"no PostgreSQL: it does not run as root, and there is none of the users {', '.join(_USERS)}")
    shutil.chown(data, user)
    return user


def _call(user: str | None, program: Path, *arguments: object) -> None:
    command = [str(program), *map(str, arguments)]
    subprocess.run(command, user=user, cwd="/", check=True, timeout=60, stdout=subprocess.DEVNULL, env={"PATH": "/bin"})
