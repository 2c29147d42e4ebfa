"""Browses the simulated devices on loopback with python-zeroconf and compares what they announce.

Usage: zeroconf_smoke.py LIST, where LIST is the JSON answer of the control socket to {"do":"list"}.
"""

import json
import socket
import sys
import uuid

from wait import check, wait_for
from zeroconf import ServiceBrowser, ServiceListener, Zeroconf

SERVICE = "_googlecast._tcp.local."


class Listener(ServiceListener):
    def __init__(self):
        self.names = set()

    def add_service(self, zc, type_, name):
        self.names.add(name)

    def update_service(self, zc, type_, name):
        self.names.add(name)

    def remove_service(self, zc, type_, name):
        self.names.discard(name)


def main():
    devices = json.loads(sys.argv[1])["devices"]
    zeroconf = Zeroconf(interfaces=["127.0.0.1"])
    listener = Listener()
    ServiceBrowser(zeroconf, SERVICE, listener)
    for device in devices:
        suffix = f"-{device['id']}.{SERVICE}"
        name = wait_for(f"{device['device']} is announced", lambda: next((n for n in listener.names if n.endswith(suffix)), None))
        info = wait_for(f"{device['device']} is resolved", lambda: zeroconf.get_service_info(SERVICE, name))
        text = {key.decode(): (value or b"").decode() for key, value in info.properties.items()}
        check("address", socket.inet_ntoa(info.addresses[0]), device["address"])
        check("port", info.port, device["port"])
        check("id", text["id"], device["id"])
        check("friendly name", text["fn"], device["name"])
        check("model", text["md"], device["model"])
        check("group bit", bool(int(text["ca"]) & 0x20), device["group"])
        check("keys", sorted(text), sorted(["id", "cd", "rm", "ve", "md", "ic", "fn", "ca", "st", "bs", "nf", "rs"]))
        if not device["group"]:
            check("host name", info.server.lower(), f"{uuid.UUID(device['id'])}.local.")
    zeroconf.close()
    print(f"OK: {len(devices)} devices")


main()
