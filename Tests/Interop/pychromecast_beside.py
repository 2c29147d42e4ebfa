"""Another sender beside the bridge: pychromecast, unmodified, plays on one device, moves the stream to a second one, joins and leaves what the
bridge loads, goes through a queue, plays on a group with a stereo pair in it, in an application that closes the bridge's first connections, and in
one that speaks a namespace which the bridge relays. What the bridge publishes meanwhile is checked on the way.

Usage: pychromecast_beside.py CONTROL LIST PORT SOURCE TARGET MEMBER…, where CONTROL is the path of the control socket, LIST is the JSON answer of the control socket to {"do":"list"} with the
devices SOURCE and TARGET and a group, PORT that of a broker on 127.0.0.1, and the rest are slugs, MEMBER those of the group's members at any
depth.
"""

import json
import socket
import sys
import threading
import time
import uuid

import paho.mqtt.client as mqtt
import pychromecast
from tls_turns import take_turns
from wait import check, wait_for

PLAYER = "CC1AD845"
RADIO = "5A1D0001"
ECHO = "urn:x-cast:org.example.echo"
SECONDS = 60


class Bridge:
    """What the bridge publishes, and what it receives."""

    def __init__(self, port):
        self.retained = {}
        self.events = []
        self.device_events = []
        self.client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2)
        self.client.on_message = self._received
        self.client.on_connect = lambda client, *_: client.subscribe([("cast2mqtt/#", 1)])
        self.client.connect("127.0.0.1", port)
        self.client.loop_start()

    def _received(self, _client, _userdata, message):
        if message.topic.endswith("/event") and message.topic != "cast2mqtt/bridge/event":
            self.device_events.append((message.topic.split("/")[1], json.loads(message.payload)))
        elif message.topic == "cast2mqtt/bridge/event":
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


def control(path, **request):
    """Sends one request to the simulator."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(path)
        connection.sendall(json.dumps(request).encode() + b"\n")
        check(f"the answer to {request['do']}", json.loads(connection.makefile().readline()).get("ok"), True)


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


def go_through(target, bridge, slug):
    """Goes on from the first item of a queue; the second one ends by itself."""
    media = target.media_controller
    for name, duration in (("A", 3600), ("B", 4), ("C", 3600)):
        media.play_media(f"http://media.invalid/{name}.mp4?duration={duration}", "video/mp4", title=name, stream_type="BUFFERED", enqueue=name != "A")
        if name == "A":
            wait_for("the queue begins", lambda: media.status.title == "A" and media.status.player_state == "PLAYING", SECONDS)
    wait_for("the bridge sees the queue", lambda: bridge.document(slug, "state").get("queue", {}).get("length") == 3, SECONDS)
    media.queue_next()

    def ends():
        return [(event["data"]["previous_title"], event["data"]["previous_reason"]) for at, event in bridge.device_events
                if at == slug and event["event_type"] == "media_changed" and event["data"]["reason"] == "item"]

    wait_for("both items end", lambda: len(ends()) >= 2, SECONDS)
    check("how they ended", ends()[-2:], [("A", "skipped"), ("B", "finished")])
    media.pause(timeout=SECONDS)


def play_together(group, bridge, members):
    media = group.media_controller
    media.play_media("http://media.invalid/together.mp3?duration=3600", "audio/mpeg", title="Together", stream_type="BUFFERED")
    media.block_until_active(timeout=SECONDS)

    def show(player, is_busy, title):
        states = [bridge.document(slug, "state") for slug in members]
        return all((state.get("player"), state.get("busy"), (state.get("media") or {}).get("title")) == (player, is_busy, title) for state in states)

    wait_for("every member shows what its group plays", lambda: show("playing", True, "Together"), SECONDS)
    group.quit_app(timeout=SECONDS)
    wait_for("every member is free", lambda: all(bridge.document(slug, "state").get("busy") is False for slug in members), SECONDS)
    group.disconnect(timeout=SECONDS)


def refuse(target, bridge, slug, path, device):
    """The application closes the first connections of the bridge, which sees what plays as soon as one is welcome, and obeys."""
    target.quit_app(timeout=SECONDS)
    wait_for("the target is free", lambda: bridge.document(slug, "app").get("id") != PLAYER, SECONDS)
    target.start_app(PLAYER, timeout=SECONDS)
    media = target.media_controller
    wait_for("the player runs", lambda: media.namespace in target.socket_client.app_namespaces, SECONDS)
    # pychromecast connects with its first message.
    connected = threading.Event()
    media.update_status(callback_function=lambda *_: connected.set())
    check("the connection", connected.wait(SECONDS), True)
    control(path, do="sabotage", device=device, name="connections-closed", on=True)
    media.play_media("http://media.invalid/shy.mp4?duration=3600", "video/mp4", title="Shy", stream_type="BUFFERED")
    wait_for("it plays", lambda: media.status.player_state == "PLAYING", SECONDS)
    time.sleep(2)
    document = bridge.document(slug, "app")
    check("how the bridge is connected", (document["id"], document["connection"]), (PLAYER, "none"))
    control(path, do="sabotage", device=device, name="connections-closed", on=False)
    bridge.shows("the bridge is welcome", slug, "playing", ours=False, connection="invisible", phase="none")
    bridge.command(slug, "pause")
    wait_for("the bridge pauses it", lambda: media.status.player_state == "PAUSED", SECONDS)


def listen(target, bridge, slug, path, device):
    """The bridge is a sender of an application whose namespace it relays, on the wire, too."""
    target.quit_app(timeout=SECONDS)
    target.start_app(RADIO, timeout=SECONDS)
    wait_for("the radio runs", lambda: ECHO in target.socket_client.app_namespaces, SECONDS)
    wait_for("the bridge is connected", lambda: bridge.document(slug, "app").get("connection") == "strong", SECONDS)
    bridge.command(slug, "join", '{"id":"join"}')
    # Its answer comes after the device has read the connection, which its documents show before.
    wait_for("the device counts the bridge", lambda: bridge.document(slug, "response").get("id") == "join", SECONDS)
    check("the answer", bridge.document(slug, "response")["code"], "done")
    wait_for("the bridge has joined", lambda: bridge.document(slug, "app").get("session", {}).get("phase") == "connected", SECONDS)
    control(path, do="say", device=device, namespace=ECHO, message={"hello": 1})
    wait_for("the bridge hears the application", lambda: f"cast2mqtt/{slug}/ns/{ECHO}/recv" in bridge.retained, SECONDS)
    bridge.command(slug, "leave")
    wait_for("the bridge has left", lambda: bridge.document(slug, "app").get("session", {}).get("phase") == "none", SECONDS)
    target.quit_app(timeout=SECONDS)


def main():
    take_turns()
    path = sys.argv.pop(1)
    devices = json.loads(sys.argv[1])["devices"]
    slugs, members = sys.argv[3:5], sys.argv[5:]
    bridge = Bridge(int(sys.argv[2]))
    source, target, group = (connect(device) for device in devices)
    play(source, bridge, slugs[0])
    move(source, target, bridge, slugs)
    visit(source, bridge, slugs[0])
    go_through(target, bridge, slugs[1])
    play_together(group, bridge, members)
    target.disconnect(timeout=SECONDS)
    bridge.shows("the stream outlasts its sender", slugs[1], "paused", ours=False, connection="invisible", phase="none")
    target = connect(devices[1])
    refuse(target, bridge, slugs[1], path, devices[1]["device"])
    listen(target, bridge, slugs[1], path, devices[1]["device"])
    target.disconnect(timeout=SECONDS)
    print("OK")


main()
