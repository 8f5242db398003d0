"""Simulates a page of `pliant serve` in tests: requests by HTTP, and a WebSocket, with Python's standard library
only."""
import base64
import json
import os
import re
import select
import signal
import socket
import struct
import subprocess
import tempfile
import time

TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10
EXIT_SKIPPED = 77


class Server:
    """Runs `pliant serve` on a free port until the end of a with statement."""

    def __init__(self, pliant, *words, cwd=None):
        self.process = subprocess.Popen([pliant, "serve", "--port", "0", *words], stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True, cwd=cwd,
                                        # the graphics driver leaks memory, which must not fail the test
                                        env={**os.environ, "ASAN_OPTIONS": "detect_leaks=0"})
        self.address = self.process.stdout.readline().strip()
        self.log = ""
        match = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/\?token=([\w-]+)", self.address)
        if not match:
            raise RuntimeError(f"the address is {self.address!r}: {self.process.communicate()[1]}")
        self.port, self.token = int(match.group(1)), match.group(2)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.end()

    def end(self, number=signal.SIGINT):
        """Sends a signal. Returns the exit code, and the seconds until the server has ended."""
        begin = time.monotonic()
        self.process.send_signal(number)
        try:
            self.log += self.process.communicate(timeout=20)[1]
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.log += self.process.communicate()[1]
        return self.process.returncode, time.monotonic() - begin

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.port), timeout=20)

    def request(self, path, method="GET"):
        """Returns status code, headers and body of the server's answer."""
        with self.connect() as connection:
            connection.sendall(f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
            answer = b""
            while chunk := connection.recv(65536):
                answer += chunk
        head, _, body = answer.partition(b"\r\n\r\n")
        return int(head.split()[1]), head.decode().lower(), body


class WebSocket:
    """A connection by WebSocket. `code` is the status code of the HTTP answer, 101 if the connection is open."""

    def __init__(self, port, path):
        self.buffer = b""
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=20)
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall((f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\n"
                             f"Connection: Upgrade\r\nSec-WebSocket-Key: {key}\r\n"
                             "Sec-WebSocket-Version: 13\r\n\r\n").encode())
        while b"\r\n\r\n" not in self.buffer:
            chunk = self.socket.recv(65536)
            if not chunk:
                raise ConnectionError("the connection was closed without an answer")
            self.buffer += chunk
        head, self.buffer = self.buffer.split(b"\r\n\r\n", 1)
        self.code = int(head.split()[1])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def send_frame(self, kind, data, last=True):
        mask = os.urandom(4)
        length = len(data)
        size = (bytes([0x80 | length]) if length < 126 else bytes([0x80 | 126]) + struct.pack("!H", length)
                if length < 65536 else bytes([0x80 | 127]) + struct.pack("!Q", length))
        masked = bytes(byte ^ mask[k % 4] for k, byte in enumerate(data))
        self.socket.sendall(bytes([(0x80 if last else 0) | kind]) + size + mask + masked)

    def send(self, **message):
        self.send_frame(TEXT, json.dumps(message).encode())

    def receive_bytes(self, count):
        while len(self.buffer) < count:
            chunk = self.socket.recv(1 << 20)
            if not chunk:
                raise ConnectionError("the connection was closed")
            self.buffer += chunk
        taken, self.buffer = self.buffer[:count], self.buffer[count:]
        return taken

    def receive_frame(self):
        """Returns kind and data of the next WebSocket frame. Frames of the server have no mask and are not split."""
        first, second = self.receive_bytes(2)
        assert first & 0x80 and not second & 0x80, (first, second)
        length = second & 127
        if length == 126:
            length = struct.unpack("!H", self.receive_bytes(2))[0]
        elif length == 127:
            length = struct.unpack("!Q", self.receive_bytes(8))[0]
        return first & 15, self.receive_bytes(length)


class Page(WebSocket):
    """A page that is connected to a Server. `status` is the newest status message (JSON), `picture` the newest picture
    (JPEG), `scene` the newest list of the scene's entries and of the keys of the selected one."""

    def __init__(self, server, token=None, answers=True):
        super().__init__(server.port, f"/?token={server.token if token is None else token}")
        self.answers = answers  # True: the page confirms each picture to the server
        self.status, self.picture, self.pictures, self.scene, self.scenes = {}, b"", 0, None, 0

    def act(self, name):
        self.send(do="act", name=name)

    def set(self, name, value):
        """Changes a setting."""
        self.send(do="set", name=name, value=value)

    def next(self):
        """Receives the next message, stores status, picture or scene, and answers pictures and pings. Returns the kind
        of the message."""
        kind, data = self.receive_frame()
        if kind == TEXT:
            message = json.loads(data)
            if "scene" in message:
                self.scene = message["scene"]
                self.scenes += 1
            else:
                self.status = message
        elif kind == BINARY:
            self.picture = data
            self.pictures += 1
            if self.answers:
                self.send(do="seen", frame=self.status["frame"])
        elif kind == PING:
            self.send_frame(PONG, data)
        elif kind == CLOSE:
            self.close_code = struct.unpack("!H", data[:2])[0] if data else 0
        return kind

    def wait(self, what, found, seconds=60):
        """Receives messages until a picture has arrived for which found(status) is true. Returns this status."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self.next() == BINARY and found(self.status):
                return self.status
        raise AssertionError(f"{what}: not within {seconds} s; the last status is {self.status}")

    def settle(self):
        """Receives messages until none arrives for a second. Returns the last picture."""
        while self.buffer or select.select([self.socket], [], [], 1)[0]:
            self.next()
        return self.picture

    def wait_for_close(self, seconds=20):
        """Receives messages until the server closes the connection. Returns the close code."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self.next() == CLOSE:
                return self.close_code
        raise AssertionError("the server has not closed the connection")


def picture_size(jpeg):
    """Returns width and height from the frame header of a JPEG file, after a check of its first and last marker."""
    assert jpeg[:2] == b"\xff\xd8" and jpeg[-2:] == b"\xff\xd9", (jpeg[:4], jpeg[-4:])
    at = 2
    while at < len(jpeg):
        marker, length = jpeg[at + 1], struct.unpack("!H", jpeg[at + 2:at + 4])[0]
        assert jpeg[at] == 0xff
        if marker in (0xc0, 0xc2):
            height, width = struct.unpack("!HH", jpeg[at + 5:at + 9])
            return width, height
        at += 2 + length
    raise AssertionError("the picture has no frame header")


def absent(pliant, scene):
    """Returns the reason why the server cannot show a scene on this machine, or an empty text if it can."""
    # no machine has the address 192.0.2.1, so the command ends at once (RFC 5737)
    done = subprocess.run([pliant, "serve", str(scene), "--host", "192.0.2.1"], capture_output=True, text=True,
                          timeout=60, check=False)
    if "this build has no web server" in done.stderr:
        assert "libwebsockets-dev and libjpeg-dev" in done.stderr and done.returncode == 1, done
        return done.stderr
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([pliant, "record", str(scene), "-o", folder, "--frames", "1", "--size", "16x16"],
                              capture_output=True, text=True, timeout=60, check=False)
    reasons = ("drawing without a window needs EGL", "no usable GPU", "no CUDA")
    return done.stderr if any(reason in done.stderr for reason in reasons) else ""
