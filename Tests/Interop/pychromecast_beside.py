"""Another sender beside the bridge: pychromecast, unmodified, plays on one device, moves the stream to a second one, and joins and leaves what
the bridge loads. What the bridge publishes meanwhile is checked on the way.

Usage: pychromecast_beside.py LIST PORT SOURCE TARGET, where LIST is the JSON answer of the control socket to {"do":"list"}, PORT that of a
broker on 127.0.0.1, and SOURCE and TARGET the slugs of the first two devices of LIST.
"""

import json
import sys
import threading
import uuid

import paho.mqtt.client as mqtt
import pychromecast
from tls_turns import take_turns
from wait import check, wait_for

PLAYER = "CC1AD845"
SECONDS = 60


class Bridge:
    """What the bridge publishes, and what it receives."""

    def __init__(self, port):
        self.retained = {}
        self.events = []
        self.client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2)
        self.client.on_message = self._received
        self.client.on_connect = lambda client, *_: client.subscribe([("cast2mqtt/#", 1)])
        self.client.connect("127.0.0.1", port)
        self.client.loop_start()

    def _received(self, _client, _userdata, message):
        if message.topic == "cast2mqtt/bridge/event":
            self.events.append(json.loads(message.payload))
        else:
            self.retained[message.topic] = message.payload

    def document(self, slug, name):
        return json.loads(self.retained.get(f"cast2mqtt/{slug}/{name}") or b"{}")

    def command(self, slug, verb, payload=""):
        self.client.publish(f"cast2mqtt/{slug}/cmd/{verb}", payload, qos=1).wait_for_publish(SECONDS)

    def shows(self, what, slug, player, **app):
        """Waits until the device shows this player and the document app these members; `phase` is that of its session."""

        def holds():
            document = self.document(slug, "app")
            document["phase"] = document.get("session", {}).get("phase")
            return self.document(slug, "state").get("player") == player and all(document.get(key) == value for key, value in app.items())

        try:
            wait_for(what, holds, SECONDS)
        except SystemExit as failure:
            sys.exit(f"{failure}: {self.document(slug, 'state')}, {self.document(slug, 'app')}")


def connect(device):
    host = (device["address"], device["port"], uuid.UUID(device["id"]), device["model"], device["name"])
    cast = pychromecast.get_chromecast_from_host(host, tries=5, retry_wait=1)
    cast.wait(timeout=SECONDS)
    return cast


def ask(media, message):
    """Sends a request to the player and returns its answer."""
    done, answers = threading.Event(), []

    def answered(_is_sent, answer):
        answers.append(answer)
        done.set()

    media.send_message(message, inc_session_id=True, callback_function=answered)
    if not done.wait(SECONDS):
        sys.exit(f"FAILED: no answer to {message['type']}")
    return answers[0]


def play(source, bridge, slug):
    media = source.media_controller
    media.play_media("http://media.invalid/film.mp4?duration=3600", "video/mp4", title="Film", stream_type="BUFFERED")
    media.block_until_active(timeout=SECONDS)
    wait_for("it plays", lambda: media.status.player_state == "PLAYING", SECONDS)
    bridge.shows("the bridge watches", slug, "playing", id=PLAYER, ours=False, connection="invisible", phase="none")
    # The bridge takes what begins on two devices within two seconds for two who play in step.
    wait_for("it has played for a while", lambda: media.status.adjusted_current_time > 5, SECONDS)
    # A position that stands still is the same on both devices, however long the move takes.
    media.pause(timeout=SECONDS)
    bridge.shows("the bridge sees the pause", slug, "paused", ours=False, connection="invisible", phase="none")


def move(source, target, bridge, slugs):
    media = source.media_controller
    stored = ask(media, {"type": "STORE_SESSION", "mediaSessionId": media.status.media_session_id})
    check("the answer", stored["type"], "SESSION_STATE")
    target.start_app(PLAYER, timeout=SECONDS)
    wait_for("the player runs", lambda: media.namespace in target.socket_client.app_namespaces, SECONDS)
    ask(target.media_controller, {"type": "RESUME_SESSION", "sessionState": stored["sessionState"]})
    source.quit_app(timeout=SECONDS)
    moved = wait_for("stream_moved", lambda: [event for event in bridge.events if event["event_type"] == "stream_moved"], SECONDS)
    check("from and to", [(event["data"]["from"], event["data"]["to"]) for event in moved], [tuple(slugs)])
    bridge.shows("the bridge watches the target", slugs[1], "paused", id=PLAYER, ours=False, connection="invisible", phase="none")
    bridge.shows("the source is free", slugs[0], "off", ours=False, phase="none")


def visit(source, bridge, slug):
    """Joins and leaves what the bridge loaded."""
    bridge.command(slug, "load", json.dumps({"url": "http://media.invalid/own.mp4?duration=3600", "title": "Own"}))
    bridge.shows("the bridge plays", slug, "playing", id=PLAYER, ours=True, connection="strong", phase="connected")
    media = source.media_controller
    wait_for("the application is seen", lambda: media.namespace in source.socket_client.app_namespaces, SECONDS)
    media.update_status()
    wait_for("what plays is seen", lambda: media.status.title == "Own" and media.status.media_session_id, SECONDS)
    media.pause(timeout=SECONDS)
    bridge.shows("the other's pause", slug, "paused", ours=True, connection="strong", phase="connected")
    source.disconnect(timeout=SECONDS)
    bridge.command(slug, "play")
    bridge.shows("the bridge plays on", slug, "playing", ours=True, connection="strong", phase="connected")


def main():
    take_turns()
    devices = json.loads(sys.argv[1])["devices"][:2]
    slugs = sys.argv[3:5]
    bridge = Bridge(int(sys.argv[2]))
    source, target = (connect(device) for device in devices)
    play(source, bridge, slugs[0])
    move(source, target, bridge, slugs)
    visit(source, bridge, slugs[0])
    target.disconnect(timeout=SECONDS)
    bridge.shows("the stream outlasts its sender", slugs[1], "paused", ours=False, connection="invisible", phase="none")
    print("OK")


main()
