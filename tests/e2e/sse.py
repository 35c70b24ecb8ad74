"""A reader of server-sent events (the HTML standard, "Parsing an event stream")."""
import json
import socket

import answers
from harness import BACKSTOP_S


class Refused(Exception):
    def __init__(self, status, body):
        super().__init__(status, body)
        self.status, self.body = status, body


def parsed(text, last):
    """The whole events of a piece of a stream, and the last id that its reader knows."""
    found = []
    for block in text.split(b"\n\n")[:-1]:
        fields = dict(line.split(": ", 1) for line in block.decode().split("\n") if line and line[0] != ":")
        last = fields.get("id", last)
        if "data" in fields:
            found.append((fields["event"], json.loads(fields["data"]), fields.get("id")))
    return found, last


class Reader:
    """Opens a stream. `where` is a Judge, for its Unix socket, or a port."""

    def __init__(self, where, path, last=None, headers=(), method="GET"):
        if isinstance(where, int):
            self.sock = socket.create_connection(("127.0.0.1", where), BACKSTOP_S)
        else:
            self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            self.sock.settimeout(BACKSTOP_S)
            self.sock.connect(str(where.home / "warpjudge.sock"))
        lines = [f"{method} {path} HTTP/1.0", "Host: localhost", "Accept: text/event-stream", *headers]
        if last is not None:
            lines.append(f"Last-Event-ID: {last}")
        self.method, self.path, self.last = method, path, last
        self.text = b""  # all that came, for answers.py
        self.left = b""
        self.comments = 0
        self.retry = None
        self.sock.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        while b"\r\n\r\n" not in self.left:
            piece = self.sock.recv(65536)
            if not piece:
                raise ConnectionError("the connection ended in the head")
            self.left += piece
        head, self.left = self.left.split(b"\r\n\r\n", 1)
        self.status = int(head.split()[1])
        self.headers = {k.lower(): v for k, v in
                        (line.split(": ", 1) for line in head.decode().split("\r\n")[1:])}
        self.text = self.left
        if self.status != 200:
            body = self.left + b"".join(iter(lambda: self.sock.recv(65536), b""))
            self.text = body
            self.close()
            raise Refused(self.status, body.decode())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.sock.close()
        answers.note(self.method, self.path, self.status, self.headers.get("content-type"), self.text)

    def read_only(self, size):
        """Closes the stream behind so many bytes of it, and keeps only these."""
        while len(self.left) < size and (piece := self.sock.recv(65536)):
            self.left += piece
        self.left = self.text = self.left[:size]
        self.sock.shutdown(socket.SHUT_RDWR)

    def block(self, most=65536):
        """The lines up to the next empty one; None where the stream has ended."""
        while b"\n\n" not in self.left:
            try:
                piece = self.sock.recv(most)
            except OSError:
                return None
            if not piece:
                return None
            self.text += piece
            self.left += piece
        text, self.left = self.left.split(b"\n\n", 1)
        return text.decode().split("\n")

    def event(self, most=65536):
        """(name, data, id) of the next event; None where the stream has ended. Comments and
        blocks without data are passed over."""
        while (lines := self.block(most)) is not None:
            fields = {}
            for line in lines:
                if line.startswith(":"):
                    self.comments += 1
                elif line:
                    key, value = line.split(": ", 1)
                    fields[key] = value
            self.retry = fields.get("retry", self.retry)
            self.last = fields.get("id", self.last)
            if "data" in fields:
                return fields["event"], json.loads(fields["data"]), fields.get("id")
        return None

    def until(self, name):
        """The events up to the first one of this name, or up to the end."""
        found = []
        while (event := self.event()) is not None:
            found.append(event)
            if event[0] == name:
                break
        return found
