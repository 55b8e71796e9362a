"""The server behind ``kerneldiff open``: one file, one origin, one fetch."""

from __future__ import annotations

import http.client
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from kerneldiff.cli import open as open_command
from kerneldiff.cli.serving import Server
from kerneldiff.errors import KerneldiffError

ORIGIN = "https://ui.perfetto.dev"


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[Server, threading.Thread]]:
    path = tmp_path / "a trace.json.gz"
    path.write_bytes(b"content")
    with Server(path, ("127.0.0.1", 0), ORIGIN) as server:
        thread = threading.Thread(target=server.serve_once, args=(20,))
        thread.start()
        yield server, thread
        ask(server)
        thread.join()


def ask(
    server: Server,
    *,
    method: str = "GET",
    path: str | None = None,
    origin: str | None = ORIGIN,
    host: str | None = None,
) -> http.client.HTTPResponse | None:
    place = server.url.removeprefix("http://").partition("/")[0]
    connection = http.client.HTTPConnection(place, timeout=5)
    headers = {key: value for key, value in (("Origin", origin), ("Host", host)) if value is not None}
    try:
        connection.request(method, path or server.place, headers=headers)
        answer = connection.getresponse()
        answer.body = answer.read()
    except OSError:
        return None
    finally:
        connection.close()
    return answer


def test_the_page_gets_the_file_once_and_then_nothing_is_served(served):
    server, thread = served
    answer = ask(server)
    thread.join()

    assert answer.status == 200
    assert answer.body == b"content"
    assert answer.headers["Access-Control-Allow-Origin"] == ORIGIN
    assert server.fetched


@pytest.mark.parametrize(
    ("asked", "status"),
    [
        ({"path": "/etc/passwd"}, 404),
        ({"path": "/"}, 404),
        ({"path": "/a%20trace.json.gz?x"}, 404),
        ({"path": "/../a%20trace.json.gz"}, 404),
        ({"origin": None}, 403),
        ({"origin": "https://evil.example"}, 403),
        ({"origin": "https://ui.perfetto.dev.evil.example"}, 403),
        ({"host": "evil.example:9001"}, 403),
        ({"method": "POST"}, 501),
    ],
)
def test_nothing_else_is_answered(served, asked, status):
    server, _ = served
    answer = ask(server, **asked)

    assert answer.status == status
    assert b"content" not in answer.body
    assert answer.headers["Access-Control-Allow-Origin"] is None
    assert not server.fetched


def test_browsers_may_ask_first(served):
    server, _ = served
    answer = ask(server, method="OPTIONS")

    assert answer.status == 204
    assert answer.headers["Access-Control-Allow-Private-Network"] == "true"
    assert not server.fetched


def test_it_listens_on_this_machine_alone(served):
    assert served[0].url.startswith("http://127.0.0.1:")


def test_a_taken_port_is_said_with_what_to_do(served, tmp_path):
    port = int(served[0].url.split(":")[2].split("/")[0])

    with pytest.raises(KerneldiffError, match=f"port {port} .* cannot be used"):
        Server(tmp_path / "a trace.json.gz", ("127.0.0.1", port), ORIGIN)


def test_waiting_ends(tmp_path):
    path = tmp_path / "t.json"
    path.write_bytes(b"{}")
    with Server(path, ("127.0.0.1", 0), ORIGIN) as server:
        assert not server.serve_once(0.05)


def test_the_address_is_the_one_that_the_page_may_read_from():
    assert open_command.ADDRESS == ("127.0.0.1", 9001)
    assert open_command.ORIGIN == ORIGIN


def test_a_file_that_is_not_there_is_one_clear_error():
    result = CliRunner().invoke(open_command.command, ["nowhere.json.gz"])

    assert isinstance(result.exception, KerneldiffError)
    assert "no such file" in str(result.exception)


def test_a_page_is_opened_as_a_file_and_not_served(tmp_path):
    page = tmp_path / "report.html"
    page.write_text("<!doctype html>")
    result = CliRunner().invoke(open_command.command, [str(page), "--no-browser"])

    assert result.exit_code == 0
    assert result.output.strip() == page.as_uri()
