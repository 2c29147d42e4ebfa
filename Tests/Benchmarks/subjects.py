"""The programs that are compared; they differ only in how they are started and how their topics look."""

import os
import re

from processes import Process, Replacements


class Subject:
    """A bridge under measurement; `device_of` returns the device (from 0) that a topic belongs to."""

    mark = ""  # what a message holds when the device's playing state has arrived
    process = None

    def stop(self):
        self.process.end()

    def state_versions(self):
        """How often it has written its state file since its start; `None` without one."""
        return None


class Bridge(Subject):
    """cast2mqtt, which finds the devices itself."""

    mark = '"player":"playing"'

    def __init__(self, program, split, directory, name="cast2mqtt", settings=None):
        self.name = f"{name}, {split}"
        self.command, self.split, self.directory, self.settings = [program, "run"], split, directory, settings or {}
        self.state = os.path.join(directory, f"state-{name}-{split}")
        self.slugs = {}
        os.mkdir(self.state, 0o700)
        self.versions = Replacements(self.state)

    def state_versions(self):
        return self.versions.count()

    def start(self, broker):
        self.versions.count()
        environment = {name: value for name, value in os.environ.items() if not name.startswith("CAST2MQTT_")}
        environment |= {
            "CAST2MQTT_MQTT_HOST": "127.0.0.1", "CAST2MQTT_MQTT_PORT": str(broker.port), "CAST2MQTT_DISCOVERY_INTERFACES": "lo",
            "CAST2MQTT_STATE_DIRECTORY": self.state, "CAST2MQTT_STATUS_SPLIT": self.split, **self.settings,
        }
        self.process = Process(self.name.replace(", ", "-"), self.command, self.directory, environment)

    def device_of(self, message):
        parts = message.topic.split("/")
        return self.slugs.get(parts[1]) if parts[0] == "cast2mqtt" and len(parts) > 2 and parts[1] != "bridge" else None

    def bind(self, names):
        """Slugs follow from names, and names from the simulator's list."""
        self.slugs = {slug(name): index for index, name in enumerate(names)}
        self.topics = list(self.slugs)

    def volume_topic(self, device):
        return f"cast2mqtt/{self.topics[device]}/set/volume"


class Floor(Subject):
    """The comparison program in C, which publishes as many messages of the same sizes as the other one did."""

    mark = '"playerState":"PLAYING"'
    root = "floor"  # the first part of its topics

    def __init__(self, program, name, receiver_sizes, media_sizes, addresses, directory):
        self.name = name
        self.directory = directory
        self.command, self.arguments = [program], [receiver_sizes, media_sizes, *addresses]

    def start(self, broker):
        self.process = Process(self.root, [*self.command, str(broker.port), *self.arguments], self.directory)

    def bind(self, names):
        pass

    def device_of(self, message):
        parts = message.topic.split("/")
        return int(parts[1]) if parts[0] == self.root and parts[2] != "set" else None

    def volume_topic(self, device):
        return f"{self.root}/{device}/set/volume"


class Script(Floor):
    """The bridge of forwarder.py, which publishes one message for each status."""

    mark = '"state": "PLAYING"'
    root = "forwarder"

    def __init__(self, python, endpoints, directory):
        self.name, self.directory = "pychromecast", directory
        self.command, self.arguments = [python, os.path.join(os.path.dirname(os.path.abspath(__file__)), "forwarder.py")], endpoints


def sizes(messages):
    """A list of message sizes as the comparison program takes it."""
    return ",".join(str(size) for size in messages) or "-"


def slug(name):
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
