"""A name server for one name that can be silent, late or gone, and gives whatever address it is told."""

import contextlib
import socket
import threading
import time

from proxy import enter


class NameServer(threading.Thread):
    def __init__(self, namespace, address):
        super().__init__(daemon=True)
        self.namespace, self.address = namespace, address
        self.is_silent, self.is_gone, self.delay, self.has_ended = False, False, 0.0, False
        self.asked = []
        self.is_ready = threading.Event()
        self.start()
        self.is_ready.wait(10)

    def run(self):
        enter(self.namespace)
        server = None
        while not self.has_ended:
            if self.is_gone:
                # A closed port: whoever asks is told so at once.
                if server:
                    server.close()
                server = None
                time.sleep(0.02)
                continue
            if not server:
                server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
                server.bind(("0.0.0.0", 53))
                server.settimeout(0.02)
                self.is_ready.set()
            with contextlib.suppress(TimeoutError):
                packet, sender = server.recvfrom(512)
                self.asked.append(time.monotonic())
                if not self.is_silent:
                    threading.Timer(self.delay, self.answer, (server, packet, sender)).start()

    def answer(self, server, query, sender):
        # RFC 1035 section 4.1: a header of 12 bytes, then the name as labels with their lengths, its type and class.
        place = 12
        while query[place]:
            place += 1 + query[place]
        kind = int.from_bytes(query[place + 1 : place + 3], "big")
        record = bytes.fromhex("c00c 0001 0001 00000000 0004") + socket.inet_aton(self.address) if kind == 1 else b""
        counts = (1).to_bytes(2, "big") + (1 if record else 0).to_bytes(2, "big") + bytes(4)
        with contextlib.suppress(OSError):
            server.sendto(query[:2] + bytes.fromhex("8580") + counts + query[12 : place + 5] + record, sender)
