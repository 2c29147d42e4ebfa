"""Announces Cast devices that don't exist: announcements.py INTERFACE-ADDRESS COUNT PREFIX...

Device number N has an address below PREFIX number N modulo their number ("10.78"), so that a test can choose what answers there.
"""

import socket
import struct
import sys
import time


def name(text: str) -> bytes:
    return b"".join(bytes([len(label)]) + label.encode() for label in text.split(".")) + b"\0"


def record(owner: str, kind: int, data: bytes, is_unique: bool = True) -> bytes:
    return name(owner) + struct.pack("!HHIH", kind, 0x8001 if is_unique else 1, 4500, len(data)) + data


def device(number: int, prefixes: list[str]) -> list[bytes]:
    service, identifier = "_googlecast._tcp.local", f"fa4e{number:028x}"
    instance, host = f"fake-{number}.{service}", f"fake-{number}.local"
    address = f"{prefixes[number % len(prefixes)]}.{number // 250}.{1 + number % 250}"
    texts = [f"id={identifier}", f"fn=Fake {number}", "md=Chromecast", "ca=4101", "ve=05"]
    return [
        record(service, 12, name(instance), is_unique=False),
        record(instance, 33, struct.pack("!HHH", 0, 0, 8009) + name(host)),
        record(instance, 16, b"".join(bytes([len(text)]) + text.encode() for text in texts)),
        record(host, 1, socket.inet_aton(address)),
    ]


def main() -> None:
    interface, count, prefixes = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
    sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sender.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    sender.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton(interface))
    sender.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_TTL, 255)
    sender.bind(("", 5353))
    for start in range(0, count, 5):
        records = [one for number in range(start, min(start + 5, count)) for one in device(number, prefixes)]
        sender.sendto(struct.pack("!HHHHHH", 0, 0x8400, 0, len(records), 0, 0) + b"".join(records), ("224.0.0.251", 5353))
        time.sleep(0.002)


main()
