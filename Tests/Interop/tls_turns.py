"""Lets the threads of a sender take turns at one TLS connection.

pychromecast writes from its caller's thread while its own thread reads the same connection. The ssl module of Python 3.11 hands both
calls to OpenSSL at once, whose connections are for one thread at a time: once in some hundred thousand messages a write fails with
"[SSL] internal error", and the sender reconnects in the middle of a test. With a lock around both calls that was not seen. It is no fault
of the receiver, so it is taken out here.
"""

import ssl
import threading


class TurnTakingSocket(ssl.SSLSocket):
    def _turn(self):
        return self.__dict__.setdefault("_lock_of_turns", threading.RLock())

    def read(self, *arguments, **options):
        with self._turn():
            return super().read(*arguments, **options)

    def send(self, *arguments, **options):
        with self._turn():
            return super().send(*arguments, **options)


def take_turns():
    ssl.SSLContext.sslsocket_class = TurnTakingSocket
