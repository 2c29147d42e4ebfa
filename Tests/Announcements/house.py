"""A house of its own for the announcements: mosquitto, simulated devices and the bridge, on the loopback interface of one network namespace."""

import contextlib
import json
import os
import queue
import shutil
import signal
import socket
import subprocess
import tempfile
import time

import paho.mqtt.client as mqtt

LIMIT = 30.0


def until(condition, what, limit=LIMIT):
    end = time.monotonic() + limit
    while True:
        if value := condition():
            return value
        if time.monotonic() > end:
            raise AssertionError(f"not within {limit} s: {what}")
        time.sleep(0.02)


class House:
    def __init__(self, binaries, devices=5, groups=0, arguments=(), environment=None, interface="lo", bridge=True, port=18999):
        self.binaries = binaries
        self.interface, self.port = interface, port
        self.folder = tempfile.TemporaryDirectory(prefix="announce-")
        self.control = self.path("control")
        self.journal = self.path("journal")
        self.environment = environment or {}
        with open(self.path("mosquitto.conf"), "w", encoding="utf-8") as file:
            file.write(f"user root\nlistener {port} 127.0.0.1\nallow_anonymous true\n")
        self.broker = self.run([shutil.which("mosquitto") or "/usr/sbin/mosquitto", "-c", self.path("mosquitto.conf")], "mosquitto")
        self.simulator = self.run(
            [f"{binaries}/cast-simulator", "--devices", str(devices), "--groups", str(groups), "--interface", interface, "--control", self.control, "--journal",
             self.journal, "--answer-delay", "1-5", *arguments], "simulator")
        until(lambda: "ready\n" in self.log("simulator"), "the simulator is ready")
        self.bridge = None
        self.answers = {}
        self.topics = {}
        self.client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, protocol=mqtt.MQTTv5)
        self.client.on_message = self.received
        self.client.on_connect = lambda client, *_: client.subscribe("cast2mqtt/#")
        until(self.connects, "the broker listens")
        self.client.loop_start()
        if bridge:
            self.start()

    def connects(self):
        with contextlib.suppress(OSError):
            self.client.connect("127.0.0.1", self.port)
            return True

    def path(self, name):
        return f"{self.folder.name}/{name}"

    def log(self, name):
        with open(self.path(name + ".log"), encoding="utf-8", errors="replace") as file:
            return file.read()

    def run(self, command, name, **environment):
        kept = {key: value for key, value in os.environ.items() if not key.startswith("CAST2MQTT_")}
        with open(self.path(name + ".log"), "ab") as log:
            return subprocess.Popen(command, stdout=log, stderr=log, env=kept | environment)

    def start(self, waits=True):
        """Starts the bridge, and waits until it has all devices, if it waits at all."""
        self.topics.pop("cast2mqtt/bridge/state", None)
        self.bridge = self.run(
            [f"{self.binaries}/cast2mqtt", "run"], "bridge", CAST2MQTT_MQTT_HOST="127.0.0.1", CAST2MQTT_MQTT_PORT=str(self.port),
            CAST2MQTT_STATE_DIRECTORY=self.path("state"), CAST2MQTT_DISCOVERY_INTERFACES=self.interface, CAST2MQTT_HOME_ASSISTANT_MODE="off",
            **{"CAST2MQTT_LOG_LEVEL": "debug"} | self.environment)
        if not waits:
            return
        until(lambda: self.topics.get("cast2mqtt/bridge/state") == b"online", "the bridge is online")
        names = {entry["id"] for entry in self.list()}
        until(lambda: names <= {entry["id"] for entry in self.devices() if entry["online"]}, "every device is online")

    def kill(self):
        self.bridge.kill()
        self.bridge.wait()

    def stop(self):
        self.bridge.terminate()
        self.bridge.wait(20)

    def end(self):
        self.client.loop_stop()
        for process in filter(None, (self.bridge, self.simulator, self.broker)):
            process.send_signal(signal.SIGTERM)
            process.wait(20)
        self.folder.cleanup()

    # MARK: the simulator

    def send(self, **request):
        with contextlib.closing(socket.socket(socket.AF_UNIX)) as connection:
            connection.connect(self.control)
            connection.sendall(json.dumps(request).encode() + b"\n")
            answer = b""
            while not answer.endswith(b"\n"):
                answer += connection.recv(65536)
        answer = json.loads(answer)
        assert answer["ok"], (request, answer)
        return answer

    def list(self):
        return self.send(do="list")["devices"]

    def state(self, device):
        return self.send(device=device, do="state")["state"]

    def loads(self):
        """The numbers of the announcements that each device was asked to load, in order."""
        loads = {entry["device"]: [] for entry in self.list()}
        with open(self.journal, encoding="utf-8") as journal:
            for line in journal:
                entry = json.loads(line)
                payload = entry.get("payload")
                if entry["event"] == "message" and isinstance(payload, dict) and payload.get("type") == "LOAD":
                    name = payload.get("media", {}).get("contentId", "").removeprefix("http://media.invalid/").split(".")[0]
                    if name.isdigit():
                        loads[entry["device"]].append(int(name))
        return loads

    # MARK: the bridge

    def received(self, client, data, message):
        self.topics[message.topic] = message.payload
        if message.topic.endswith("/response"):
            answer = json.loads(message.payload)
            self.answers.setdefault(answer["id"], queue.Queue()).put(answer)

    def devices(self):
        return json.loads(self.topics.get("cast2mqtt/bridge/devices", b"[]"))

    def slug(self, device):
        id = next(entry["id"] for entry in self.list() if entry["device"] == device)
        return next(entry["slug"] for entry in self.devices() if entry["id"] == id)

    def begin(self, device, cmd, **args):
        """Sends a command and returns the id of its answers."""
        self.last = getattr(self, "last", 0) + 1
        id = f"t{self.last}"
        self.answers[id] = queue.Queue()
        self.client.publish(f"cast2mqtt/{self.slug(device)}/cmd/{cmd}", json.dumps({"id": id, **args}), qos=1)
        return id

    def final(self, id, limit=LIMIT):
        while True:
            answer = self.answers[id].get(timeout=limit)
            if answer["code"] != "accepted":
                return answer

    def command(self, device, cmd, **args):
        answer = self.final(self.begin(device, cmd, **args))
        assert answer["code"] == "done", answer
        return answer
