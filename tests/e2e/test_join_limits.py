"""Attempts to join, and invitations, are limited for each address, name and account, whatever headers say."""
import http.client
import json
import time

from harness import BACKSTOP_S
from test_rights import Tcp, invite, join

PER_ADDRESS, PER_NAME, PER_ACCOUNT = 60, 20, 500
FORGED = [f"{name}: {value}" for value in ("10.9.8.7", "127.0.0.1, 10.9.8.7", "for=10.9.8.7") for name in (
    "X-Forwarded-For", "X-Real-IP", "Forwarded", "X-Client-IP", "CF-Connecting-IP", "True-Client-IP", "Via",
    "X-Forwarded-User", "X-Remote-User")]


def is_an_hour(retry, began):
    """Is this what is left of an hour that began with the first attempt, at `began` or later?"""
    return 3600 - (time.monotonic() - began) - 1 <= int(retry) <= 3601


def join_from(port, source, body, path="/api/accounts", headers=None):
    """Who comes from another address of this machine's."""
    c = http.client.HTTPConnection("127.0.0.1", port, timeout=BACKSTOP_S, source_address=(source, 0))
    c.request("POST", path, json.dumps(body), {"Content-Type": "application/json"} | (headers or {}))
    r = c.getresponse()
    answer = r.status, json.loads(r.read()), r.headers.get("Retry-After")
    c.close()
    return answer


def test_open_joins_of_an_address(judge):
    port = judge.start("--listen", "127.0.0.1:0", "--registration", "open")["port"]
    tcp, began = Tcp(port), time.monotonic()
    for i in range(PER_ADDRESS):
        assert tcp.ask("POST", "api/accounts", {"name": f"user{i}"})[0] == 201, i
    for path in ("api/accounts", "api/v1/accounts", "%61pi/accounts"):
        status, answer = tcp.ask("POST", path, {"name": "one-more"}, headers=FORGED)
        assert status == 429 and "too many attempts to join came from this address" in json.dumps(answer), answer
    for header in FORGED:
        assert tcp.ask("POST", "api/accounts", {"name": "one-more"}, headers=[header])[0] == 429, header
    status, answer, retry = join_from(port, "127.0.0.1", {"name": "one-more"})
    assert status == 429 and is_an_hour(retry, began), (status, retry)
    # A good invitation is taken all the same, and another address has its own count.
    assert tcp.ask("POST", "api/accounts", {"name": "guest", "invitation": invite(judge, name="guest")})[0] == 201
    assert tcp.ask("POST", "api/accounts", {"name": "guest2", "invitation": "wji_" + "0" * 64})[0] == 429
    assert join_from(port, "127.0.0.2", {"name": "other"})[0] == 201
    assert join_from(port, "127.0.0.1", {"name": "another"})[0] == 429
    assert len(judge.api("GET", "/api/accounts")[1]["accounts"]) == PER_ADDRESS + 2


def test_open_joins_at_once(judge):
    """Those that come while the passwords of others are hashed count as well."""
    port = judge.start("--listen", "127.0.0.1:0", "--registration", "open")["port"]
    left = 3
    for i in range(PER_ADDRESS - left):
        assert join_from(port, "127.0.0.1", {"name": f"user{i}"})[0] == 201, i
    calls = []
    for i in range(4 * left):
        c = http.client.HTTPConnection("127.0.0.1", port, timeout=BACKSTOP_S)
        body = {"name": f"more{i}", "password": "correct horse battery"}
        c.request("POST", "/api/v1/accounts", json.dumps(body), {"Content-Type": "application/json"})
        calls.append(c)
    statuses = []
    for c in calls:
        statuses.append(c.getresponse().status)
        c.close()
    assert statuses.count(201) == left and statuses.count(429) == 3 * left, statuses
    assert len(judge.api("GET", "/api/accounts")[1]["accounts"]) == PER_ADDRESS


def test_a_member_is_limited_as_anybody(judge):
    tcp = Tcp(judge.start("--listen", "127.0.0.1:0", "--registration", "open")["port"])
    ada, staff = join(judge, "ada"), join(judge, "boss", "staff")
    for i in range(PER_ADDRESS):
        assert tcp.token("POST", "api/accounts", ada, {"name": f"user{i}"})[0] == 201, i
    assert tcp.token("POST", "api/accounts", ada, {"name": "one-more"})[0] == 429
    assert tcp.token("POST", "api/accounts", staff, {"name": "one-more"})[0] == 201


def test_attempts_under_a_name(judge):
    """From many addresses. Its owner is not shut out by them."""
    port = judge.start("--listen", "127.0.0.1:0", "--registration", "invitation")["port"]
    bad, began = {"name": "ada", "invitation": "wji_" + "0" * 64}, time.monotonic()
    for i in range(PER_NAME):
        status, answer, _ = join_from(port, f"127.0.1.{i + 1}", bad | {"name": ("ada", "ADA")[i % 2]})
        assert status == 403, (i, answer)
    for body in (bad, bad | {"name": "aDa"}, {"name": "ada"}, bad | {"invitation": "x"}):
        status, answer, retry = join_from(port, "127.0.2.1", body)
        assert status == 429 and "under the name" in answer["error"] and is_an_hour(retry, began), (body, answer)
    assert join_from(port, "127.0.2.1", bad | {"name": "ben"})[0] == 403
    status, answer, _ = join_from(port, "127.0.2.1", bad | {"invitation": invite(judge, name="ada")})
    assert status == 201 and answer["name"] == "ada", answer


def test_attempts_of_an_address(judge):
    port = judge.start("--listen", "127.0.0.1:0", "--registration", "closed")["port"]
    for i in range(PER_ADDRESS):
        body = {"name": f"user{i}"} | ({"invitation": "wji_" + f"{i:064x}"} if i % 2 else {})
        assert join_from(port, "127.0.0.1", body)[0] == 403, i
    for headers in ({}, dict(header.split(": ", 1) for header in FORGED)):
        assert join_from(port, "127.0.0.1", {"name": "more"}, headers=headers)[0] == 429
    assert join_from(port, "127.0.0.3", {"name": "more"})[0] == 403
    # The first admin's link is a good invitation.
    link = (judge.home / "first-admin").read_text().strip().split("#")[1]
    assert join_from(port, "127.0.0.1", {"name": "boss", "invitation": link})[0] == 201


def test_invitations_of_an_account(judge):
    tcp = Tcp(judge.start("--listen", "127.0.0.1:0", "--registration", "invitation")["port"])
    boss, other = join(judge, "boss", "admin"), join(judge, "other", "admin")
    c = http.client.HTTPConnection("127.0.0.1", tcp.port, timeout=BACKSTOP_S)
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {boss}"}
    began = time.monotonic()
    for i in range(PER_ACCOUNT + 1):
        c.request("POST", "/api/invitations", "{}", headers)
        r = c.getresponse()
        answer = r.read().decode()
        assert r.status == (201 if i < PER_ACCOUNT else 429), (i, answer)
    assert "boss has made 500 invitations in an hour" in answer and is_an_hour(r.headers["Retry-After"], began), answer
    c.close()
    more = tcp.token("POST", "api/account/tokens", boss, {"scopes": "read,submit,bulk,admin"})[1]["token"]
    assert tcp.token("POST", "api/invitations", more, {}, headers=FORGED)[0] == 429
    assert tcp.token("POST", "api/invitations", other, {})[0] == 201
    invite(judge)


def test_a_password_that_cannot_be_set_leaves_the_invitation(judge):
    """It is hashed, or refused, before the invitation is used up; and what nobody could join by costs no hashing."""
    tcp = Tcp(judge.start("--listen", "127.0.0.1:0", "--registration", "invitation")["port"])
    link = invite(judge)
    body = {"name": "ada", "invitation": link, "password": "correct horse battery"}
    status, answer = tcp.ask("POST", "api/v1/accounts", body | {"password": "short"})
    assert status == 400 and "a password has at least 10 characters" in json.dumps(answer), answer
    assert tcp.ask("POST", "api/v1/accounts", body | {"invitation": "wji_" + "0" * 64})[0] == 403
    status, joined = tcp.ask("POST", "api/v1/accounts", body)
    assert status == 201 and joined["name"] == "ada", joined
    assert tcp.token("GET", "api/v1/account", joined["token"])[0] == 200
    sign_in = {"name": "ada", "password": body["password"]}
    assert tcp.ask("POST", "api/v1/tokens", sign_in)[0] == 201
    assert tcp.ask("POST", "api/v1/tokens", sign_in | {"password": "another horse"})[0] != 201
    # It was used up by then.
    assert tcp.ask("POST", "api/v1/accounts", body | {"name": "ben"})[0] == 403
