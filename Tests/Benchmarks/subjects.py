"""The programs that are compared, told apart only in how they are started and how their topics look."""

import os
import re

from processes import Process


class Subject:
    """A bridge under measurement; `device_of` tells which device (from 0) a topic belongs to."""

    mark = ""  # what a message holds when the device's playing state has arrived
    process = None

    def stop(self):
        self.process.end()


class Bridge(Subject):
    """cast2mqtt, which finds the devices itself."""

    mark = '"player":"playing"'

    def __init__(self, program, split, directory):
        self.name = f"cast2mqtt, {split}"
        self.command, self.split, self.directory = [program, "run"], split, directory
        self.slugs = {}

    def start(self, broker):
        environment = {name: value for name, value in os.environ.items() if not name.startswith("CAST2MQTT_")}
        environment |= {
            "CAST2MQTT_MQTT_HOST": "127.0.0.1", "CAST2MQTT_MQTT_PORT": str(broker.port), "CAST2MQTT_DISCOVERY_INTERFACES": "lo",
            "CAST2MQTT_STATE_DIRECTORY": os.path.join(self.directory, f"state-{self.split}"), "CAST2MQTT_STATUS_SPLIT": self.split,
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

    def __init__(self, program, name, receiver_sizes, media_sizes, addresses, directory):
        self.name = name
        self.directory = directory
        self.program, self.arguments = program, [receiver_sizes, media_sizes, *addresses]

    def start(self, broker):
        self.process = Process("floor", [self.program, str(broker.port), *self.arguments], self.directory)

    def bind(self, names):
        pass

    def device_of(self, message):
        parts = message.topic.split("/")
        return int(parts[1]) if parts[0] == "floor" and parts[2] != "set" else None

    def volume_topic(self, device):
        return f"floor/{device}/set/volume"


def sizes(messages):
    """A list of message sizes as the comparison program takes it."""
    return ",".join(str(size) for size in messages) or "-"


def slug(name):
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
