"""The hosts and programs of the matrix of faults: bridge, broker, devices and name server, each in a network namespace on one switch.

The bridge reaches the broker by name and over TLS, and finds the devices by multicast DNS. Its connections to either go through a proxy on that host."""

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import time

import paho.mqtt.client as mqtt
from hosts import Hosts, call, until
from names import NameServer
from proxy import Proxy, enter, leave

HOSTS = {"bridge": "10.79.0.1", "broker": "10.79.0.2", "devices": "10.79.0.4", "names": "10.79.0.5"}
OTHER_BROKER, OTHER_BRIDGE, SPARE = "10.79.0.12", "10.79.0.11", "10.79.9.{}"
NAME = "broker.example"
TLS_PORT, PLAIN_PORT, PROXY_PORT = 8883, 1883, 18000
HERE = os.path.dirname(os.path.abspath(__file__))


class Network(Hosts):
    """The hosts and their switch."""

    def __init__(self, devices):
        super().__init__("fault", HOSTS)
        addresses = [f"10.79.{1 + number // 250}.{1 + number % 250}" for number in range(devices)] + [SPARE.format(number + 1) for number in range(devices)]
        self.more_addresses("devices", addresses)
        for host, port in (("broker", ["--dport", str(TLS_PORT)]), ("devices", [])):
            self.filter(host, "-t", "nat", "-A", "PREROUTING", "-i", "lan0", "-p", "tcp", *port, "-j", "REDIRECT", "--to-ports", str(PROXY_PORT))

    def filter(self, host, *command):
        call("ip", "netns", "exec", self.namespace(host), "iptables", "-w", *command)

    def bypass(self, host, is_on):
        """New connections to this host go past its proxy, so that a closed port refuses them."""
        self.filter(host, "-t", "nat", "-I" if is_on else "-D", "PREROUTING", "-i", "lan0", "-p", "tcp", "-j", "ACCEPT")

    def interface(self, host, is_up):
        self.on(host, "link", "set", "lan0", "up" if is_up else "down")

    def swallow(self, addresses, is_on):
        """Drops every packet between the bridge and these addresses, without a word to either side."""
        for address in addresses:
            for chain, way in (("PREROUTING", "-s"), ("OUTPUT", "-d")):
                self.filter("bridge", "-t", "raw", "-I" if is_on else "-D", chain, way, address, "-j", "DROP")


class House:
    def __init__(self, binaries, devices):
        self.binaries, self.count = binaries, devices
        self.network = Network(devices)
        self.path, self.log, self.processes = self.network.path, self.network.log, self.network.processes
        self.topics, self.changes = {}, []
        self.environment, self.prefix, self.state = {}, [], self.path("state")
        self.round = self.readies = 0
        self.is_forged = False
        self.home = os.open("/proc/self/ns/net", os.O_RDONLY)
        try:
            self.prepare()
        except BaseException:
            self.end()
            raise

    def prepare(self):
        os.mkdir(self.state)
        call("mount", "-t", "tmpfs", "-o", "size=4m,mode=700", "fault-state", self.state)
        self.make_clock()
        self.make_certificate()
        with open(self.path("resolv.conf"), "w", encoding="utf-8") as file:
            file.write(f"nameserver {HOSTS['names']}\n")
        self.names = NameServer(self.network.namespace("names"), HOSTS["broker"])
        self.to_broker = Proxy(self.network.namespace("broker"), PROXY_PORT)
        self.to_devices = Proxy(self.network.namespace("devices"), PROXY_PORT)
        enter(self.network.namespace("broker"))
        self.client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, client_id="watcher", protocol=mqtt.MQTTv5)
        self.client.on_message, self.client.on_connect = self.received, self.connected
        self.client.reconnect_delay_set(0.1, 0.1)

    def make_clock(self):
        self.offset = self.path("clock")
        self.set_clock(0)
        call("clang", "-O1", "-shared", "-fPIC", f"{HERE}/clock.c", "-o", self.path("clock.so"))

    def set_clock(self, seconds):
        with open(self.offset, "r+b" if os.path.exists(self.offset) else "wb") as file:
            file.write(seconds.to_bytes(8, "little", signed=True))

    def preloaded(self):
        return {"LD_PRELOAD": self.path("clock.so"), "CLOCK_FAULT_FILE": self.offset}

    def make_certificate(self):
        """The broker's, valid since a month ago, so that a clock which is a day behind does not refuse it."""
        self.set_clock(-30 * 86_400)
        call("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "3650", "-subj", f"/CN={NAME}", "-addext", f"subjectAltName=DNS:{NAME}",
             "-keyout", self.path("key.pem"), "-out", self.path("certificate.pem"), stderr=subprocess.DEVNULL, env=os.environ | self.preloaded())
        self.set_clock(0)

    # MARK: programs

    def stop(self, name, with_signal=signal.SIGTERM, limit=20):
        process = self.processes.pop(name, None)
        if process:
            process.send_signal(with_signal)
            process.wait(limit)

    def start_broker(self, is_empty=True):
        if is_empty:
            shutil.rmtree(self.path("store"), ignore_errors=True)
        os.makedirs(self.path("store"), exist_ok=True)
        with open(self.path("mosquitto.conf"), "w", encoding="utf-8") as file:
            file.write(f"user root\nper_listener_settings false\nallow_anonymous true\nlog_type all\nconnection_messages true\n"
                       f"persistence true\npersistence_location {self.path('store')}/\n"
                       f"max_queued_messages 0\nlistener {PLAIN_PORT} 127.0.0.1\nlistener {TLS_PORT}\n"
                       f"certfile {self.path('certificate.pem')}\nkeyfile {self.path('key.pem')}\n")
        self.network.start("broker", [shutil.which("mosquitto") or "/usr/sbin/mosquitto", "-c", self.path("mosquitto.conf")])
        until(self.listens, "the broker listens")
        self.listened = time.monotonic()
        self.acknowledged = None
        self.log_size = os.path.getsize(self.path("broker.log"))

    def listens(self):
        with contextlib.suppress(OSError):
            socket.create_connection(("127.0.0.1", TLS_PORT), 1).close()
            return True
        return False

    def start_devices(self, waits=True):
        self.network.start("devices", [
            f"{self.binaries}/cast-simulator", "--devices", str(self.count), "--interface", "lan0", "--address-base", "10.79.1.1",
            "--control", self.path("control"), "--journal", self.path("journal"), "--answer-delay", "1-5"])
        if waits:
            self.wait_for_devices()

    def wait_for_devices(self):
        until(lambda: self.log("devices").count("ready\n") > self.readies, "the simulator is ready")
        self.readies += 1
        self.listing = self.send(do="list")["devices"]
        self.devices = [entry["device"] for entry in self.listing]
        # What a fault of "some devices" concerns; the others must not notice it.
        self.chosen = self.devices[: max(1, len(self.devices) // 2)]

    def start_bridge(self):
        command = ["sh", "-c", 'mount --bind "$0" /etc/resolv.conf && exec "$@"', self.path("resolv.conf"), *self.prefix, f"{self.binaries}/cast2mqtt", "run"]
        self.network.start("bridge", command, **{
            "CAST2MQTT_MQTT_HOST": NAME, "CAST2MQTT_MQTT_TLS_ENABLED": "true", "CAST2MQTT_MQTT_TLS_CA_FILE": self.path("certificate.pem"),
            "CAST2MQTT_STATE_DIRECTORY": self.state, "CAST2MQTT_DISCOVERY_INTERFACES": "lan0", "CAST2MQTT_LOG_LEVEL": "debug"} | self.environment)

    def connections(self):
        """The bridge's established connections by the kernel's table: (own port, other port, inode)."""
        with open(f"/proc/{self.processes['bridge'].pid}/net/tcp", encoding="utf-8") as file:
            lines = [line.split() for line in file.readlines()[1:]]
        return [(line[1], int(line[2].split(":")[1], 16), line[9]) for line in lines if line[3] == "01"]

    def broker_links(self):
        return {own for own, port, _ in self.connections() if port == TLS_PORT}

    def links_to(self, *ports):
        return {inode for _, port, inode in self.connections() if port in ports}

    def start_all(self):
        self.start_broker()
        self.client.connect("127.0.0.1", PLAIN_PORT, keepalive=3600)
        self.client.loop_start()
        self.start_devices()
        self.start_bridge()
        self.vary()
        self.wait_right(60)

    def mend(self):
        """The bridge's next start is an ordinary one."""
        self.environment, self.prefix = {}, []
        if self.state != self.path("state"):
            # Back to the disk of the other rows, with what it holds now.
            call("cp", "-a", f"{self.state}/.", self.path("state"))
            call("umount", self.state)
            self.state = self.path("state")

    def keep_logs(self, folder, name):
        if folder:
            os.makedirs(folder, exist_ok=True)
            for log in ("bridge", "broker", "devices"):
                with contextlib.suppress(OSError):
                    shutil.copy(self.path(f"{log}.log"), f"{folder}/{name.replace(' ', '_').replace(':', '')}.{log}.log")

    def end(self):
        # A program that waits for this disk could not even be killed.
        subprocess.run(["fsfreeze", "-u", self.path("frozen")], check=False, stderr=subprocess.DEVNULL)
        for name in list(self.processes):
            self.processes[name].send_signal(signal.SIGCONT)
            process = self.processes[name]
            try:
                self.stop(name)
            except subprocess.TimeoutExpired:
                process.kill()
        if hasattr(self, "client"):
            self.client.loop_stop()
        for thread in ("to_broker", "to_devices"):
            if hasattr(self, thread):
                getattr(self, thread).end()
        for folder in (self.path("state"), self.path("frozen")):
            subprocess.run(["umount", "-l", folder], check=False, stderr=subprocess.DEVNULL)
        leave(self.home)
        self.network.end()

    # MARK: the simulator's side

    def send(self, **request):
        with contextlib.closing(socket.socket(socket.AF_UNIX)) as connection:
            connection.settimeout(20)
            connection.connect(self.path("control"))
            connection.sendall(json.dumps(request).encode() + b"\n")
            answer = b""
            while not answer.endswith(b"\n"):
                answer += connection.recv(65536)
        answer = json.loads(answer)
        assert answer["ok"], (request, answer)
        return answer

    def each(self, devices, **request):
        for device in devices:
            self.send(device=device, **request)

    def states(self):
        return {state["device"]: state for state in self.send(device="*", do="state")["states"]}

    def addresses(self, devices):
        return {state["address"] for device, state in self.states().items() if device in devices}

    def vary(self):
        """Gives every device another volume, and lets them play, pause and end, as their remotes would."""
        self.round += 1
        for number, device in enumerate(self.devices):
            self.send(device=device, do="volume", level=(7 * self.round + 3 * number) % 90 / 100 + 0.05, muted=(self.round + number) % 5 == 0)
            step = (self.round + number) % 4
            if step == 0:
                self.send(device=device, do="play", url=f"http://media.invalid/{device}-{self.round}.mp4?duration=36000&load_time=0",
                          title=f"Item {self.round} of {device}", duration=36_000)
            elif step == 1 and self.send(device=device, do="state")["state"].get("player") == "PLAYING":
                self.send(device=device, do="pause")
            elif step == 3 and not self.send(device=device, do="state")["state"].get("is_idle_screen", True):
                self.send(device=device, do="quit")
        until(lambda: not any(state.get("player") in ("LOADING", "BUFFERING") for state in self.states().values()), "what was loaded plays", 20)

    # MARK: the broker's side

    def connected(self, client, *_):
        self.topics.clear()
        client.subscribe("#")

    def received(self, _, __, message):
        if message.topic.startswith("fault/"):
            return
        if message.payload:
            self.topics[message.topic] = message.payload
        else:
            self.topics.pop(message.topic, None)
        if message.topic.endswith(("/availability", "bridge/state")):
            self.changes.append((time.monotonic(), message.topic, message.payload.decode(), bool(message.retain)))

    def slugs(self):
        """The slug of each device by its control name."""
        slugs = {entry["id"]: entry["slug"] for entry in json.loads(self.topics.get("cast2mqtt/bridge/devices") or "[]")}
        return {entry["device"]: slugs[entry["id"]] for entry in self.listing if entry["id"] in slugs}

    def wrong(self, states):
        """What the broker does not have as the devices are, or an empty text."""
        if self.topics.get("cast2mqtt/bridge/state") != b"online":
            return "bridge/state is not online"
        slugs = self.slugs()
        for device, truth in states.items():
            slug = slugs.get(device)
            if not slug:
                return f"{device} is not listed"
            if self.topics.get(f"cast2mqtt/{slug}/availability") != b"online":
                return f"{device} is not online"
            state = json.loads(self.topics.get(f"cast2mqtt/{slug}/state") or "{}")
            volume, app, media, player = (state.get(name) or {} for name in ("volume", "app", "media", "player"))
            shown = [volume.get("percent"), volume.get("muted"), app.get("id"), player if player in ("playing", "paused", "unknown") else "idle",
                     media.get("title"), self.topics.get(f"cast2mqtt/{slug}/status/volume", b"").decode()]
            percent = round(truth["volume"] * 100)
            player = {"PLAYING": "playing", "PAUSED": "paused"}.get(truth.get("player"), "idle")
            wanted = [percent, truth["muted"], truth.get("app_id"), player, truth.get("title"), str(percent)]
            if shown != wanted:
                return f"{device}: the broker has {shown}, the device {wanted}"
        return ""

    def wait_right(self, limit):
        """When the broker has what the devices are. Their state does not change by itself."""
        states = self.states()
        self.last_wrong = ""

        def is_right():
            self.note_acknowledgement()
            self.last_wrong = self.wrong(states)
            return not self.last_wrong

        until(is_right, lambda: self.last_wrong, limit)
        return time.monotonic()

    def note_acknowledgement(self):
        """Notes when the broker began to serve the bridge since it listens, by its log."""
        if self.acknowledged or "broker" not in self.processes:
            return
        with open(self.path("broker.log"), encoding="utf-8", errors="replace") as file:
            file.seek(self.log_size)
            if any("Sending CONNACK to cast2mqtt" in line for line in file):
                self.acknowledged = time.monotonic()

    def retained(self):
        """All that the broker retains, as a new client gets it."""
        topics, is_complete = {}, []
        client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, client_id="reader", protocol=mqtt.MQTTv5)

        def received(_, __, message):
            if message.topic == "fault/end":
                is_complete.append(True)
            elif message.retain:
                topics[message.topic] = message.payload

        client.on_message = received
        client.on_connect = lambda client, *_: client.subscribe("#")
        # The broker sends what it keeps before anything newer.
        client.on_subscribe = lambda client, *_: client.publish("fault/end", "x")
        client.connect("127.0.0.1", PLAIN_PORT)
        client.loop_start()
        try:
            until(lambda: is_complete, "all retained topics are read", 20)
        finally:
            client.disconnect()
            client.loop_stop()
        return topics
