"""Hosts (network namespaces) on one switch, with the programs that run on them. Needs root."""

import contextlib
import ctypes
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time

import paho.mqtt.client as mqtt


def call(*command, **options):
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, **options)


def until(condition, what, limit=60.0):
    """Waits until the condition has a value, and returns it; an assertion fails after the limit, in seconds. `what` is words, or what returns them."""
    end = time.monotonic() + limit
    while not (value := condition()):
        assert time.monotonic() < end, f"not within {limit:g} s: {what() if callable(what) else what}"
        time.sleep(0.005)
    return value


BEGAN = time.monotonic()


def title(text):
    print(f"== {time.monotonic() - BEGAN:3.0f} s: {text}", flush=True)


def report(text):
    print(f"   {text}", flush=True)


class Hosts:
    """`addresses` has the hosts, each with its first address; all are in a network of 16 bits, which has no way out."""

    def __init__(self, kind, addresses):
        self.addresses = addresses
        self.prefix = f"{kind}{os.getpid() % 10_000}"
        self.folder = tempfile.TemporaryDirectory(prefix=f"{kind}-")
        self.processes = {}
        self.namespaces = []
        # So that what was made is removed then, too.
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
        self.switch("wire")
        for host, address in addresses.items():
            self.add(host)
            self.plug(host, address)

    def namespace(self, host):
        return f"{self.prefix}-{host}"

    def on(self, host, *command, **options):
        """A command of ip in the network of a host."""
        call("ip", "-n", self.namespace(host), *command, **options)

    def add(self, host):
        name = self.namespace(host)
        call("ip", "netns", "add", name)
        self.namespaces.append(name)
        self.on(host, "link", "set", "lo", "up")

    def switch(self, wire):
        self.add(wire)
        self.on(wire, "link", "add", "lan", "type", "bridge", "mcast_snooping", "0")
        self.on(wire, "link", "set", "lan", "up")

    def plug(self, host, address, card="lan0", wire="wire"):
        names = self.namespace(host), self.namespace(wire)
        call("ip", "link", "add", card, "netns", names[0], "type", "veth", "peer", "name", f"to-{host}", "netns", names[1])
        self.on(wire, "link", "set", f"to-{host}", "master", "lan", "up")
        self.on(host, "addr", "add", f"{address}/16", "dev", card)
        self.on(host, "link", "set", card, "up")

    def cable(self, host, isPlugged):
        self.on("wire", "link", "set", f"to-{host}", "up" if isPlugged else "down")

    def route(self, host, network, gateway):
        self.on(host, "route", "add", network, "via", gateway)

    def more_addresses(self, host, addresses):
        self.on(host, "-batch", "-", input="".join(f"addr add {address}/16 dev lan0\n" for address in addresses), text=True)

    def names(self, host, lines):
        """What this host finds in /etc/hosts."""
        folder = f"/etc/netns/{self.namespace(host)}"
        os.makedirs(folder)
        with open(f"{folder}/hosts", "w", encoding="utf-8") as file:
            file.write("127.0.0.1 localhost\n" + "".join(f"{line}\n" for line in lines))

    def cut(self, hosts, others, isCut=True):
        """Between each of these hosts and each of the others, both ways, without a word to either."""
        for pair in [(a, b) for a in hosts for b in others]:
            for here, there in (pair, pair[::-1]):
                action = "add" if isCut else "del"
                self.on(here, "route", action, "blackhole", f"{self.addresses[there]}/32")

    def enter(self, host):
        """Connections that this program makes from now on are those of the host."""
        with open(f"/run/netns/{self.namespace(host)}", encoding="utf-8") as file:
            assert ctypes.CDLL(None).setns(file.fileno(), 0) == 0

    # MARK: Programs

    def path(self, name):
        return f"{self.folder.name}/{name}"

    def log(self, name):
        with open(self.path(f"{name}.log"), encoding="utf-8", errors="replace") as file:
            return file.read()

    def start(self, name, command, host=None, ready=None, limit=120, **environment):
        """Starts a program on the host of its name, or on another one, and waits for a text in what it prints."""
        kept = {key: value for key, value in os.environ.items() if not key.startswith("CAST2MQTT_")}
        log = self.path(f"{name}.log")
        before = os.path.getsize(log) if os.path.exists(log) else 0
        with open(log, "ab") as output:
            # It ends with this program, whatever ends that.
            command = ["setpriv", "--pdeathsig", "KILL", "ip", "netns", "exec", self.namespace(host or name), *map(str, command)]
            self.processes[name] = process = subprocess.Popen(command, stdout=output, stderr=output, env=kept | environment)

        def is_ready():
            assert process.poll() is None, f"{name} ended with {process.returncode}: {self.log(name)[-2000:]}"
            return ready.encode() in open(log, "rb").read()[before:]

        if ready:
            until(is_ready, f"{name} prints {ready}", limit)
        return process

    def kill(self, name):
        self.processes[name].kill()
        self.processes.pop(name).wait()

    def control(self, name="control", /, **request):
        """One request to the control socket of a simulator, a file of the folder."""
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(20)
            connection.connect(self.path(name))
            connection.sendall(json.dumps(request).encode() + b"\n")
            answer = json.loads(connection.makefile().readline())
        assert answer.get("ok", True), (request, answer)
        return answer

    def journal(self, kind, name="journal"):
        """The messages of a type that reached devices, as (device, payload)."""
        with open(self.path(name), encoding="utf-8") as file:
            entries = [json.loads(line) for line in file if f'"{kind}"' in line and line.endswith("\n")]
        return [(entry["device"], entry["payload"]) for entry in entries if entry["event"] == "message" and entry["payload"].get("type") == kind]

    def end(self):
        for process in self.processes.values():
            if process.poll() is None:
                process.send_signal(signal.SIGCONT)
                process.send_signal(signal.SIGTERM)
        for process in self.processes.values():
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        for name in self.namespaces:
            # What a program started may outlive it.
            for pid in subprocess.run(["ip", "netns", "pids", name], capture_output=True, text=True, check=False).stdout.split():
                with contextlib.suppress(ProcessLookupError):
                    if int(pid) != os.getpid():
                        os.kill(int(pid), signal.SIGKILL)
            subprocess.run(["ip", "netns", "del", name], check=False)
            with contextlib.suppress(OSError):
                os.remove(f"/etc/netns/{name}/hosts")
                os.rmdir(f"/etc/netns/{name}")
        with contextlib.suppress(OSError):
            self.folder.cleanup()


class Watcher:
    """A client that keeps the last message of each topic, with when it came and whether it was retained; it connects once."""

    def __init__(self, address, filters, user=None, password="secret", expiry=None, will=None, qos=1, **options):
        self.messages, self.times, self.retained, self.answers, self.offline = {}, {}, {}, [], []
        self.last = time.monotonic()
        self.isConnected = False
        self.session_present = None
        self.client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, protocol=mqtt.MQTTv5, reconnect_on_failure=False, **options)
        if user:
            self.client.username_pw_set(user, password)
        if will:
            self.client.will_set(**will)
        self.expiry, self.qos = expiry, qos
        self.client.on_message = self.received
        self.client.on_connect = self.connected
        self.client.on_disconnect = lambda *_: setattr(self, "isConnected", False)
        self.filters = filters
        until(lambda: self.reaches(address), f"{address} listens")
        self.client.loop_start()
        until(lambda: self.isConnected, f"{address} accepts a client")

    def reaches(self, address):
        with contextlib.suppress(OSError):
            self.client.connect(address, 1883, keepalive=10, clean_start=self.expiry is None, properties=self.expiry)
            return True

    def connected(self, client, _, flags, reason, __):
        assert not reason.is_failure, reason
        self.session_present = flags.session_present
        if self.filters:
            client.subscribe([(topic, self.qos) for topic in self.filters])
        self.isConnected = True

    def received(self, _, __, message):
        self.last = now = time.monotonic()
        self.messages[message.topic], self.times[message.topic] = message.payload, now
        self.retained[message.topic] = message.retain
        if message.payload == b"offline":
            self.offline.append((now, message.topic))
        if "/response" in message.topic:
            with contextlib.suppress(ValueError):
                self.answers.append((now, message.topic, json.loads(message.payload)))

    def publish(self, topic, payload, retain=False):
        payload = payload if isinstance(payload, str) else json.dumps(payload)
        return self.client.publish(topic, payload, qos=1, retain=retain)

    def document(self, topic):
        return json.loads(self.messages.get(topic) or "null")

    def answer(self, key):
        """When a command of this id was answered, and how."""
        return next(((at, answer["code"]) for at, _, answer in list(self.answers) if answer.get("id") == key), None)

    def online(self, base="cast2mqtt", since=0.0):
        """The slugs of the devices that are online, by messages since a time."""
        topics = [topic for topic, payload in list(self.messages.items()) if payload == b"online" and self.times[topic] >= since]
        return {topic.split("/")[-2] for topic in topics if topic.startswith(f"{base}/") and topic.endswith("/availability")}

    def stop(self):
        self.client.disconnect()
        self.client.loop_stop()


def retained(address, topics, silence=1.5, **options):
    """What a client that comes now gets, once the broker is silent."""
    while True:
        watcher = Watcher(address, [topics], **options)
        watcher.last = time.monotonic()
        until(lambda w=watcher: time.monotonic() > w.last + silence, "the broker is silent")
        isWhole = watcher.isConnected
        watcher.stop()
        # A broker that has just lost a node may hang up.
        if isWhole:
            return {topic: payload for topic, payload in watcher.messages.items() if watcher.retained[topic] and payload}
