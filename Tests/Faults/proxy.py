"""A proxy before a device or the broker that lets connections through until it is asked to break them at a chosen place of the TLS stream."""

import collections
import contextlib
import ctypes
import os
import selectors
import socket
import struct
import threading
import time

ORIGINAL_DESTINATION = 80
APPLICATION_DATA = 23
CLOSE_WAIT_OR_GONE = (7, 8)
# Where a connection stops: before TLS, in the middle of the server's greeting, after the handshake, between two records, in the middle of a record.
PHASES = ("tcp", "tls", "first", "idle", "mid-frame")
SLOW_SECONDS, SLOW_RATE = 0.7, 8192


def enter(namespace):
    """Moves the calling thread into a network namespace."""
    leave(os.open(f"/run/netns/{namespace}", os.O_RDONLY | os.O_CLOEXEC))


def leave(descriptor):
    """Moves the calling thread into the network namespace of an open descriptor, which is closed."""
    try:
        if ctypes.CDLL(None, use_errno=True).setns(descriptor, 0):
            raise OSError(ctypes.get_errno(), "can't change the network namespace")
    finally:
        os.close(descriptor)


class Records:
    """Cuts a stream into pieces of TLS records: (kind, is the beginning, length of the record, bytes)."""

    def __init__(self):
        self.head, self.kind, self.left = b"", 0, 0

    def cut(self, data):
        pieces = []
        while data:
            if not self.left:
                take = 5 - len(self.head)
                self.head, data = self.head + data[:take], data[take:]
                if len(self.head) < 5:
                    break
                self.kind, self.left = self.head[0], struct.unpack(">H", self.head[3:])[0]
                pieces.append((self.kind, True, self.left, self.head))
                self.head = b""
            take = min(self.left, len(data))
            if take:
                pieces.append((self.kind, False, self.left, data[:take]))
                data, self.left = data[take:], self.left - take
        return pieces


class Way:
    """One direction of a connection."""

    def __init__(self, source, target):
        self.source, self.target = source, target
        self.records, self.queue = Records(), collections.deque()
        self.out, self.last_due, self.has_ended = b"", 0.0, False

    def read(self, is_slow):
        data = self.source.recv(2048 if is_slow else 65536)
        if not data:
            self.has_ended = True
        now = time.monotonic()
        self.last_due = max(self.last_due, now) + (len(data) / SLOW_RATE if is_slow else 0)
        for piece in self.records.cut(data):
            self.queue.append((self.last_due + SLOW_SECONDS if is_slow else now, piece))


class Connection:
    def __init__(self, client, address):
        self.client, self.address, self.opened = client, address, time.monotonic()
        self.server, self.up, self.down = None, None, None
        # In which phase it is held, and whether it is held now.
        self.phase, self.is_held, self.has_finished, self.was_told = None, False, False, False

    def connect(self):
        self.server = socket.create_connection(self.address, 2)
        for end in (self.client, self.server):
            end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            end.setblocking(False)
        self.up, self.down = Way(self.client, self.server), Way(self.server, self.client)

    def is_left(self):
        """Whether the client has closed it, also while nothing of it is read."""
        try:
            return self.client.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 1)[0] in CLOSE_WAIT_OR_GONE
        except OSError:
            return True

    def close(self, is_reset=False):
        for end in filter(None, (self.client, self.server)):
            if is_reset:
                with contextlib.suppress(OSError):
                    end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            end.close()

    def admit(self, way):
        """Moves what may go on from the queue to the output."""
        now = time.monotonic()
        while way.queue and way.queue[0][0] <= now and not self.is_held:
            kind, begins, length, data = way.queue[0][1]
            if way is self.up and kind == APPLICATION_DATA:
                self.has_finished = True
            elif way is self.down and self.phase == "tls":
                self.is_held = True
                data = data[: len(data) // 2]
            elif way is self.down and self.phase == "first" and self.has_finished and begins and kind == APPLICATION_DATA:
                self.is_held = True
                return
            elif way is self.down and self.phase == "mid-frame" and not begins and length > 1:
                self.is_held = True
                data = data[: len(data) // 2]
            due, (_, _, _, whole) = way.queue.popleft()
            way.out += data
            if data is not whole:
                way.queue.appendleft((due, (kind, False, length, whole[len(data) :])))


class Proxy(threading.Thread):
    """Serves redirected connections in a network namespace.

    `events` has (time, kind, address, age): kinds are `opened`, and `left` when the client closed a connection that was held."""

    def __init__(self, namespace, port):
        super().__init__(daemon=True)
        self.namespace, self.port = namespace, port
        self.lock, self.connections, self.events = threading.RLock(), [], []
        self.phase, self.addresses, self.is_slow, self.has_ended = None, None, False, False
        self.is_ready = threading.Event()
        self.start()
        self.is_ready.wait(10)

    # MARK: faults, called by other threads

    def concerns(self, address):
        return self.addresses is None or address[0] in self.addresses

    def hold(self, phase, addresses=None):
        """Holds connections of these addresses, all by default, in a phase; new ones are held when they are accepted, or reach it."""
        with self.lock:
            self.phase, self.addresses = phase, addresses
            for connection in list(self.connections):
                if not self.concerns(connection.address):
                    continue
                if phase in ("tcp", "tls", "first"):
                    self.drop(connection)
                else:
                    connection.phase, connection.is_held = phase, phase == "idle"

    def let_go(self):
        """What was held goes on where it stopped."""
        with self.lock:
            self.phase = None
            for connection in self.connections:
                connection.phase, connection.is_held = None, False

    def reset(self, addresses=None):
        with self.lock:
            self.addresses = addresses
            for connection in list(self.connections):
                if self.concerns(connection.address):
                    self.drop(connection)

    def slow(self, is_slow):
        with self.lock:
            self.is_slow = is_slow

    def first(self, kind, since):
        """The first event of a kind since a time."""
        with self.lock:
            return next((event for event in self.events if event[1] == kind and event[0] >= since), None)

    # MARK: the thread

    def drop(self, connection):
        if connection in self.connections:
            self.connections.remove(connection)
            connection.close(is_reset=True)

    def run(self):
        enter(self.namespace)
        listener = socket.create_server(("0.0.0.0", self.port), backlog=512)
        listener.setblocking(False)
        self.is_ready.set()
        while not self.has_ended:
            with selectors.DefaultSelector() as selector:
                selector.register(listener, selectors.EVENT_READ)
                with self.lock:
                    for connection in self.connections:
                        self.watch(selector, connection)
                selector.select(0.02)
            with self.lock:
                self.accept(listener)
                for connection in list(self.connections):
                    try:
                        self.serve(connection)
                    except OSError:
                        self.drop(connection)
        listener.close()
        for connection in self.connections:
            connection.close()

    def watch(self, selector, connection):
        for way in filter(None, (connection.up, connection.down)):
            if not connection.is_held and not way.has_ended and len(way.queue) < 64:
                selector.register(way.source, selectors.EVENT_READ)

    def accept(self, listener):
        with contextlib.suppress(BlockingIOError):
            while True:
                client, _ = listener.accept()
                answer = client.getsockopt(socket.SOL_IP, ORIGINAL_DESTINATION, 16)
                port, address = struct.unpack(">2xH4s", answer[:8])
                connection = Connection(client, (socket.inet_ntoa(address), port))
                self.events.append((time.monotonic(), "opened", connection.address[0], 0.0))
                if self.phase and self.concerns(connection.address):
                    # A link that was cut while it lasted can't be made again, either.
                    connection.phase = self.phase if self.phase in ("tls", "first") else "tcp"
                    connection.is_held = connection.phase == "tcp"
                self.connections.append(connection)

    def serve(self, connection):
        if connection.phase and connection.is_left() and not connection.was_told:
            now = time.monotonic()
            connection.was_told = True
            self.events.append((now, "left", connection.address[0], now - connection.opened))
            self.drop(connection)
            return
        if connection.is_held:
            return
        if not connection.server:
            connection.connect()
        for way in (connection.up, connection.down):
            with contextlib.suppress(BlockingIOError):
                if not way.has_ended and len(way.queue) < 64:
                    way.read(self.is_slow)
            connection.admit(way)
            with contextlib.suppress(BlockingIOError):
                while way.out:
                    way.out = way.out[way.target.send(way.out) :]
            if way.has_ended and not way.queue and not way.out:
                self.connections.remove(connection)
                connection.close()
                return

    def end(self):
        self.has_ended = True
        self.join(5)


