"""Reads the page's event stream as browsers do, over many connections: readers.py PORT COUNT.

Each line of its input is answered with the bytes that each connection has got so far and the number of those that ended.
"""

import json
import selectors
import socket
import sys

from processes import TOKEN


class Reader:
    def __init__(self, port, number):
        # The bridge lets each address have few streams.
        self.socket = socket.create_connection(("127.0.0.1", port), 30, (f"127.3.{number // 250}.{number % 250 + 1}", 0))
        self.socket.sendall(b"GET /api/v1/events HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nAccept: text/event-stream\r\nAuthorization: Bearer %s\r\n\r\n" % (port, TOKEN.encode()))
        self.bytes, self.head = 0, b""
        self.has_ended = False

    def read(self, buffer):
        count = self.socket.recv_into(buffer)
        self.has_ended = count == 0
        self.bytes += count
        if len(self.head) < 64:
            self.head += bytes(buffer[:min(count, 64)])
            if len(self.head) >= 12 and not self.head.startswith(b"HTTP/1.1 200"):
                sys.exit(f"the bridge answers {self.head[:64]!r}")


def main():
    port, count = int(sys.argv[1]), int(sys.argv[2])
    selector = selectors.DefaultSelector()
    readers = [Reader(port, number) for number in range(count)]
    for reader in readers:
        selector.register(reader.socket, selectors.EVENT_READ, reader)
    selector.register(sys.stdin, selectors.EVENT_READ)
    buffer = memoryview(bytearray(1 << 18))
    while True:
        for key, _ in selector.select():
            if key.data:
                key.data.read(buffer)
                if key.data.has_ended:
                    selector.unregister(key.data.socket)
            elif not sys.stdin.readline():
                return
            else:
                print(json.dumps({"bytes": [reader.bytes for reader in readers], "ended": sum(reader.has_ended for reader in readers)}), flush=True)


main()
