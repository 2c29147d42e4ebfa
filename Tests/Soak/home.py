"""The home of the soak: a mosquitto with a store, a fleet that fetches what it plays, one bridge, and what each of them says."""

import datetime
import http.server
import json
import os
import shutil
import socket
import struct
import threading
import time
import urllib.request
import wave

import paho.mqtt.client as mqtt
from census import Census
from processes import Failure, Process, Simulator, wait_for
from subjects import Bridge

PLAYERS = {"PLAYING": "playing", "PAUSED": "paused", "BUFFERING": "buffering", "LOADING": "loading", "IDLE": "idle", "NONE": "idle"}
METRICS, MEDIA = "127.0.0.1:9099", "127.0.0.1:8097"
FILM_SECONDS = 36000
# Seconds that a position may differ: a status has no time, so a position is as old as its status was when it was read on a busy machine.
DELAY = 5
# 8 000 bytes a second.
FILM_HEAD = struct.pack("<4sI4s4sIHHIIHH4sI", b"RIFF", 36 + 8000 * FILM_SECONDS, b"WAVE", b"fmt ", 16, 1, 1, 8000, 8000, 1, 8, b"data", 8000 * FILM_SECONDS)


class FilmServer(http.server.ThreadingHTTPServer):
    """Has a WAV of ten hours at every path, of which devices read the beginning."""

    request_queue_size = 1024
    daemon_threads = True

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(206)
            self.send_header("Content-Type", "audio/wav")
            self.send_header("Content-Length", "1024")
            self.send_header("Content-Range", f"bytes 0-1023/{len(FILM_HEAD) + 8000 * FILM_SECONDS}")
            self.end_headers()
            self.wfile.write(FILM_HEAD.ljust(1024, b"\x80"))

        def log_message(self, *_):
            pass

    def __init__(self):
        super().__init__(("127.0.0.1", 0), self.Handler)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def item(self, number):
        """A title of a queue, with the arguments of the simulator's `play` and `next`."""
        metadata = {"metadataType": 3, "artist": f"The Weather Station Choir {number % 10000:04}", "albumName": "Songs from the lighthouse"}
        return {"url": f"http://127.0.0.1:{self.server_port}/film.wav?{number}", "title": f"The keeper's song, verse {number}", "duration": FILM_SECONDS,
                "content_type": "audio/wav", "metadata": metadata}


class Mosquitto(Process):
    """A broker at a fixed port, whose store survives its end by SIGTERM."""

    def __init__(self, directory, port=1883):
        self.port, path, self.store = port, os.path.join(directory, "mosquitto.conf"), os.path.join(directory, "mosquitto.db")
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"user root\nlistener {port} 127.0.0.1\nallow_anonymous true\npersistence true\npersistence_location {directory}/\n"
                       "set_tcp_nodelay true\nmax_queued_messages 0\nlog_type error\nlog_dest stderr\n")
        super().__init__("mosquitto", [shutil.which("mosquitto") or "/usr/sbin/mosquitto", "-c", path], directory)
        wait_for("mosquitto", self.listens, self)

    def listens(self):
        with socket.socket() as attempt:
            return attempt.connect_ex(("127.0.0.1", self.port)) == 0

    def end(self, keeps_store=True):
        if keeps_store:
            super().end()
            return
        self.child.kill()
        super().end()
        if os.path.exists(self.store):
            os.remove(self.store)


class Journal:
    """Follows the simulator's journal."""

    def __init__(self, path):
        self.file, self.rest = open(path, "rb"), b""

    def entries(self, *words):
        """The entries since the last call that have one of these words."""
        *lines, self.rest = (self.rest + self.file.read()).split(b"\n")
        return [json.loads(line) for line in lines if any(word in line for word in words)]


class Home:
    def __init__(self, binaries, devices, directory):
        self.directory, self.films, self.answers, self.last = directory, FilmServer(), {}, 0
        self.state_since = 0.0
        self.broker = Mosquitto(directory)
        self.simulator = Simulator(os.path.join(binaries, "cast-simulator"), devices, "127.77.1.1", directory, film=self.films.item(0),
                                   arguments=["--fetch-media"])
        self.journal = Journal(self.simulator.journal_path)
        clips = os.path.join(directory, "clips")
        os.mkdir(clips)
        with wave.open(os.path.join(clips, "bell.wav"), "wb") as clip:
            clip.setparams((1, 2, 8000, 0, "NONE", None))
            clip.writeframes(bytes(8000))
        self.bridge = Bridge(os.path.join(binaries, "cast2mqtt"), "basic", directory, settings={
            "CAST2MQTT_METRICS_LISTEN": METRICS, "CAST2MQTT_MEDIA_LISTEN": MEDIA, "CAST2MQTT_MEDIA_FOLDERS": f"clips={clips}"})
        self.bridge.bind([device["name"] for device in self.simulator.ask({"do": "list"})["devices"]])
        self.slugs = dict(zip(self.simulator.names, self.bridge.topics))
        self.client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, protocol=mqtt.MQTTv5)
        self.client.reconnect_delay_set(1, 1)
        self.client.on_message = self.received
        self.client.on_connect = lambda client, *_: client.subscribe([("cast2mqtt/+/response", 1), ("cast2mqtt/bridge/state", 1)])
        self.client.connect("127.0.0.1", self.broker.port)
        self.client.loop_start()

    def received(self, _, __, message):
        if message.topic == "cast2mqtt/bridge/state":
            self.state_since = time.monotonic() if message.payload == b"online" else 0.0
        else:
            answer = json.loads(message.payload)
            self.answers.setdefault(answer["id"], []).append(answer)

    # MARK: The bridge

    def start(self):
        self.journal.entries()
        self.bridge.start(self.broker)

    def kill(self):
        self.bridge.process.child.kill()
        self.bridge.process.end()

    def metrics(self):
        """The values of `/metrics` without labels, and those of commands_pending together."""
        with urllib.request.urlopen(f"http://{METRICS}/metrics", timeout=60) as answer:
            lines = [line.rsplit(" ", 1) for line in answer.read().decode().splitlines() if not line.startswith("#")]
        values = {name.removeprefix("cast2mqtt_"): float(value) for name, value in lines if "{" not in name}
        return values | {"commands_pending": sum(float(value) for name, value in lines if name.startswith("cast2mqtt_commands_pending"))}

    def send(self, slug, command, payload):
        """Sends a command and returns its id."""
        self.last += 1
        id = f"soak-{self.last}"
        self.client.publish(f"cast2mqtt/{slug}/{command}", json.dumps({"id": id, **payload}), qos=1)
        return id

    def final(self, id):
        """The answers to a command, without `accepted`."""
        return [answer for answer in list(self.answers.get(id, [])) if answer["code"] != "accepted"]

    def await_final(self, ids):
        wait_for("the answers", lambda: all(self.final(id) for id in ids), self.bridge.process, self.broker)

    # MARK: Whether all is right

    def retained(self, *filters):
        """What a client gets that connects now."""
        found, complete, mark = {}, threading.Event(), f"soak/{time.monotonic_ns()}"

        def received(_, __, message):
            if message.topic == mark:
                complete.set()
            else:
                found[message.topic] = message.payload

        client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, protocol=mqtt.MQTTv5)
        client.on_message = received
        client.on_connect = lambda client, *_: client.subscribe([(topic, 1) for topic in (*filters, mark)])
        # What is retained goes before what is published after the subscription.
        client.on_subscribe = lambda client, *_: client.publish(mark, b"x", qos=1)
        client.connect("127.0.0.1", self.broker.port)
        client.loop_start()
        if not complete.wait(60):
            raise Failure("the broker sends nothing")
        client.disconnect()
        client.loop_stop()
        return found

    def differences(self):
        """In what the broker's topics differ from the devices' own state; nothing when all is right."""
        held = self.retained("cast2mqtt/bridge/state", "cast2mqtt/bridge/devices", "cast2mqtt/+/state", "cast2mqtt/+/availability",
                             "cast2mqtt/+/status/player", "cast2mqtt/+/status/volume")
        before = time.time()
        states = self.simulator.states()
        after = time.time()
        wrong = [] if held.get("cast2mqtt/bridge/state") == b"online" else ["bridge/state"]
        listing = json.loads(held.get("cast2mqtt/bridge/devices") or "[]")
        names = {entry["id"]: (entry["slug"], entry["name"]) for entry in listing}
        if names != {state["id"]: (self.slugs[state["device"]], state["name"]) for state in states}:
            wrong.append(f"bridge/devices has {len(names)} devices, or others, or other names")
        for state in states:
            slug = self.slugs[state["device"]]
            document = json.loads(held.get(f"cast2mqtt/{slug}/state") or "{}")
            if not document or held.get(f"cast2mqtt/{slug}/availability") != b"online":
                wrong.append(f"{slug} is not online")
                continue
            media, player = document["media"], PLAYERS[state.get("player", "NONE")]
            pairs = {
                "links": (1, state["sockets"]),
                "player": (document["player"], player), "status/player": (held.get(f"cast2mqtt/{slug}/status/player"), player.encode()),
                "volume": (document["volume"]["percent"], round(state["volume"] * 100)), "muted": (document["volume"]["muted"], state["muted"]),
                "status/volume": (held.get(f"cast2mqtt/{slug}/status/volume"), b"%d" % round(state["volume"] * 100)),
                "app": (document["app"]["id"], state.get("app_id")), "title": (media["title"], state.get("title")),
                "content": (media["content_id"], state.get("content_id")),
            }
            wrong += [f"{slug}: {name} {values[0]!r}, the device has {values[1]!r}" for name, values in pairs.items() if values[0] != values[1]]
            if media["position"] is not None and player in ("playing", "paused"):
                at = datetime.datetime.fromisoformat(media["position_at"]).timestamp()
                earliest, latest = [media["position"] + (now - at if player == "playing" else 0) for now in (before, after)]
                if not earliest - DELAY <= state["position"] <= latest + DELAY:
                    wrong.append(f"{slug}: position {earliest:.1f} to {latest:.1f}, the device has {state['position']:.1f}")
        return wrong

    def settle(self):
        """Waits until the topics are as the devices are; the seconds."""
        began = time.monotonic()
        while wrong := self.differences():
            self.bridge.process.check()
            if time.monotonic() - began > 60:
                raise Failure(f"{len(wrong)} differences after a minute: {wrong[:5]}; the log ends:\n{self.bridge.process.log_end()}")
            time.sleep(0.2)
        return time.monotonic() - began

    def damaged(self):
        return [name for name in os.listdir(self.bridge.state) if name.endswith(".damaged")]

    # MARK: What the bridge takes

    def readings(self):
        process = self.bridge.process
        memory = process.memory_kib()
        return {"resident_kib": memory["resident"], "anonymous_kib": memory["anonymous"], "descriptors": len(os.listdir(f"/proc/{process.pid}/fd")),
                "threads": len(os.listdir(f"/proc/{process.pid}/task"))} | Census(process.pid).taken()

    def rest(self, seconds):
        """What is used while devices play and nothing changes."""
        wait_for("no command and no message waits", lambda: not any(self.metrics()[name] for name in ("commands_pending", "mqtt_queued")), self.bridge.process)
        time.sleep(min(seconds, 5))
        process = self.bridge.process
        cpu, switches, began = process.cpu_ns(), process.switches(), time.monotonic()
        time.sleep(seconds)
        elapsed = time.monotonic() - began
        woken = sum(count - switches.get(task, 0) for task, count in process.switches().items())
        usage = {"cpu_percent": round((process.cpu_ns() - cpu) / 1e7 / elapsed, 2), "wake_ups": round(woken / elapsed, 1)}
        return self.readings() | usage

    def end(self):
        self.client.loop_stop()
        self.films.shutdown()
