"""What one device costs the broker: the retained messages of one track from load to end, and the bytes it holds while something plays."""

import shutil
import time

from processes import FILM, Broker, Failure, Process, Simulator, wait_for
from subjects import Bridge

TRACK_SECONDS = 20
# After the end of a track, until its later messages have been published.
REST_SECONDS = 5


class Watcher(Process):
    """A mosquitto_sub that sees how each message was sent; what was retained before comes first."""

    def __init__(self, broker, directory, name):
        program = shutil.which("mosquitto_sub")
        if program is None:
            raise Failure("mosquitto_sub is not installed; scripts/bootstrap installs it")
        super().__init__(
            name, [program, "-V", "5", "--retain-as-published", "-p", str(broker.port), "-t", "cast2mqtt/#", "-t", "homeassistant/#", "-F", "%r %l %t"],
            directory)

    def messages(self):
        """Retain flag, length of the payload and topic of each message so far."""
        with open(self.log_path, errors="replace") as log:
            lines = [line.rstrip("\n").split(" ", 2) for line in log if line.endswith("\n")]
        return [(retain == "1", int(length), topic) for retain, length, topic in lines]


def held(messages, prefix):
    """Bytes of topics and payloads that the broker keeps below a prefix."""
    last = {topic: length for retain, length, topic in messages if retain and topic.startswith(prefix)}
    return sum(len(topic) + length for topic, length in last.items() if length), sum(1 for length in last.values() if length)


def device_traffic(tools, split, fleet, directory):
    """Figures of one bridge with one device."""
    fleet.play(FILM)
    names = [device["name"] for device in fleet.ask({"do": "list"})["devices"]]
    bridge = Bridge(tools["cast2mqtt"], split, directory)
    bridge.bind(names)
    broker = Broker(directory)
    try:
        watcher = Watcher(broker, directory, f"watcher-{split}")
        own = f"cast2mqtt/{bridge.topics[0]}/"
        bridge.start(broker)
        wait_for("the device's state", lambda: any(topic == own + "state" for _, _, topic in watcher.messages()), bridge.process)
        time.sleep(REST_SECONDS)
        bytes_held, topics_held = held(watcher.messages(), own)
        announced, _ = held([message for message in watcher.messages() if "bridge" not in message[2]], "homeassistant/")
        before = len(watcher.messages())
        fleet.ask({"device": fleet.names[0], "do": "play", "url": "http://192.168.1.5/track.mp3", "title": "A track", "duration": TRACK_SECONDS,
                   "content_type": "audio/mpeg", "metadata": {"metadataType": 3, "artist": "A band", "albumName": "A record"}})
        wait_for("the track", lambda: fleet.states()[0].get("title") == "A track" and fleet.states()[0]["player"] == "PLAYING", bridge.process)
        wait_for("its end", lambda: fleet.states()[0]["player"] != "PLAYING", bridge.process)
        time.sleep(REST_SECONDS)
        life = [topic for retain, _, topic in watcher.messages()[before:] if retain and topic.startswith(own)]
        return {
            "retained_messages": len(life), "documents": sum(1 for topic in life if "/status/" not in topic),
            "bytes_held": bytes_held, "topics_held": topics_held, "announcement_bytes": announced,
        }
    finally:
        bridge.stop()
        broker.end()


def broker_traffic(tools, address_base, directory):
    fleet = Simulator(tools["cast-simulator"], 1, address_base(), directory)
    try:
        return {split: device_traffic(tools, split, fleet, directory) for split in ("none", "basic")}
    finally:
        fleet.end()
