"""Holds idle sessions and asks one device again and again with pychromecast; Sessions/ does the same with the library CastSender.

Usage: sessions.py ID@HOST:PORT …, with what to do on standard input: `hold N` has sessions with the first N devices, `ask N` asks the first
one N times what plays. Each line is answered by one of JSON.
"""

import json
import sys
import threading
import time
import uuid

import pychromecast
from pychromecast.models import CastInfo, HostServiceInfo

LIMIT = 30  # seconds for one answer


def cast_of(argument):
    """What discovery makes of an announcement, without the discovery."""
    identity, endpoint = argument.split("@")
    host, port = endpoint.rsplit(":", 1)
    info = CastInfo({HostServiceInfo(host, int(port))}, uuid.UUID(identity), None, identity, host, int(port), "cast", None)
    return pychromecast.get_chromecast_from_cast_info(info, zconf=None)


def request_status(media):
    """Asks the application for its status and waits for the answer."""
    answered, answer = threading.Event(), []

    def callback(is_sent, response):
        answer.append(response if is_sent else None)
        answered.set()

    media.update_status(callback_function=callback)
    if not answered.wait(LIMIT) or answer[0] is None:
        sys.exit("the device did not answer")


def hold(devices, casts, count):
    for argument in devices[len(casts):count]:
        cast = cast_of(argument)
        cast.wait(timeout=LIMIT)
        cast.media_controller.block_until_active(timeout=LIMIT)
        request_status(cast.media_controller)
        if cast.media_controller.status.media_session_id is None:
            sys.exit("nothing plays")
        casts.append(cast)
    return {"sessions": len(casts)}


def ask(media, count):
    # Not measured: the first ones find their way.
    for _ in range(count // 10):
        request_status(media)
    round_trips, before = [], time.process_time_ns()
    for _ in range(count):
        asked = time.monotonic_ns()
        request_status(media)
        round_trips.append(time.monotonic_ns() - asked)
    return {"cpu_ns": time.process_time_ns() - before, "round_trips_ns": round_trips}


def main():
    devices, casts = sys.argv[1:], []
    for line in sys.stdin:
        word, count = line.split()
        answer = hold(devices, casts, int(count)) if word == "hold" else ask(casts[0].media_controller, int(count))
        print(json.dumps(answer), flush=True)
    for cast in casts:
        cast.disconnect(timeout=LIMIT)


main()
