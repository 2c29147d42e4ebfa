"""Two name servers for tests: 127.0.0.2 never answers, 127.0.0.3 gives every name the address 127.0.0.1.

    name_servers.py

Prints "ready", then each name that the second one is asked for.
"""

import socket


def bound(address):
    server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    server.bind((address, 53))
    return server


def answer(query):
    # RFC 1035 section 4.1: a header of 12 bytes, then the name as labels with their lengths, its type and class.
    labels, place = [], 12
    while length := query[place]:
        labels.append(query[place + 1 : place + 1 + length].decode())
        place += 1 + length
    question = query[12 : place + 5]
    kind = int.from_bytes(query[place + 1 : place + 3], "big")
    print(".".join(labels), kind, flush=True)
    record = bytes.fromhex("c00c 0001 0001 00000000 0004 7f000001") if kind == 1 else b""
    counts = (1).to_bytes(2, "big") + (1 if record else 0).to_bytes(2, "big") + bytes(4)
    return query[:2] + bytes.fromhex("8580") + counts + question + record


silent = bound("127.0.0.2")
server = bound("127.0.0.3")
print("ready", flush=True)
while True:
    packet, sender = server.recvfrom(512)
    server.sendto(answer(packet), sender)
