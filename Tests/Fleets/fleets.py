"""Four bridges on one broker: python3 fleets.py --binaries DIR [--devices 1000] [--home-assistant ENVIRONMENT]

Each bridge has the configuration of its name in config/several-bridges, and takes its part of the devices: north by the card of its machine, east and
south by `include`, west by `exclude`; south and west share a machine. What is judged: the retained topics of mosquitto with our access rules, the
simulators' journals, a Prometheus with the scrape configuration of that folder, and a real Home Assistant if its environment is given. Prints the
memory and the processor time of each bridge. Needs root, and Prometheus from scripts/bootstrap brokers."""

import argparse
import collections
import json
import os
import shutil
import subprocess
import sys
import time
import urllib.parse
import urllib.request

from hosts import Hosts, Watcher, report, retained, title, until

BROKER = "192.168.1.10"
ADDRESSES = {
    "broker": BROKER, "m1": "192.168.1.11", "m2": "192.168.1.12", "m3": "192.168.1.13", "desk": "192.168.1.20", "devices": "192.168.1.30",
    "upstairs": "10.81.0.2"}
MACHINES = {"north": "m1", "east": "m2", "south": "m3", "west": "m3"}
ROOT = os.path.abspath(f"{os.path.dirname(__file__)}/../..")
PROMETHEUS = f"{ROOT}/.build/brokers/root/usr/bin/prometheus"
# What a dashboard reads of all bridges, and its user of the access rules.
DASHBOARD = ["cast/+/bridge/state", "cast/+/+/availability", "cast/+/+/info", "cast/+/+/state", "cast/+/+/response"]
MODELS = ["Chromecast Ultra", "Google Home Mini", "Google Nest Hub", "Nest Audio", "BRAVIA 4K GB"]

class Fleets:
    def __init__(self, arguments):
        self.arguments = arguments
        self.part = arguments.devices // len(MACHINES)
        self.hosts = Hosts("fleets", {host: address for host, address in ADDRESSES.items() if host != "upstairs"})
        self.watcher = None

    def begin(self):
        hosts = self.hosts
        # A network of its own, where only the machine of north has a card.
        hosts.switch("attic")
        hosts.add("upstairs")
        hosts.plug("upstairs", ADDRESSES["upstairs"], wire="attic")
        hosts.plug("m1", "10.81.0.1", card="lan1", wire="attic")
        # One neighbour instead of hundreds: all namespaces of a machine share its table, which has 1 024 entries.
        hosts.route("m1", "10.81.2.0/23", ADDRESSES["upstairs"])
        for machine in ("m2", "m3"):
            hosts.route(machine, "192.168.2.0/23", ADDRESSES["devices"])
            hosts.route(machine, "192.168.4.0/23", ADDRESSES["devices"])
        self.broker()
        hosts.enter("desk")
        self.watcher = Watcher(BROKER, DASHBOARD, user="dashboard", qos=0)
        self.simulator("upstairs", ["Attic"], self.part, "10.81")
        self.simulator("devices", ["East", "South", "Hall"], 3 * self.part, "192.168")

    def broker(self):
        """mosquitto with the rules of config/mosquitto, for several bases, and those of the bridges."""
        hosts = self.hosts
        # As docs/OPERATIONS.md has it.
        command = "sed 's#cast2mqtt/#cast/+/#' config/mosquitto/cast2mqtt.acl | cat - config/several-bridges/bridges.acl"
        with open(hosts.path("acl"), "w", encoding="utf-8") as rules:
            subprocess.run(["sh", "-c", command], cwd=ROOT, stdout=rules, check=True)
        for user in [*MACHINES, "dashboard", "homeassistant", "monitoring", "administrator"]:
            option = ["-b"] if os.path.exists(hosts.path("passwords")) else ["-b", "-c"]
            subprocess.run(["mosquitto_passwd", *option, hosts.path("passwords"), user, "secret"], check=True)
        with open(hosts.path("mosquitto.conf"), "w", encoding="utf-8") as file:
            file.write(
                f"user root\nlistener 1883\nallow_anonymous false\npassword_file {hosts.path('passwords')}\nacl_file {hosts.path('acl')}\n"
                f"{self.arguments.broker_option}\n")
        program = shutil.which("mosquitto") or "/usr/sbin/mosquitto"
        hosts.start("broker", [program, "-c", hosts.path("mosquitto.conf")], ready="running")

    def simulator(self, host, names, count, network):
        # Addresses that end in 0 or 255 are left out.
        self.hosts.more_addresses(host, [f"{network}.{2 + number // 254}.{1 + number % 254}" for number in range(count)])
        each = count // len(names)
        devices = [{"model": MODELS[number % 5], "name": f"{names[number // each]} {number % each + 1}"} for number in range(count)]
        with open(self.hosts.path(f"{host}.yaml"), "w", encoding="utf-8") as file:
            json.dump({"fleet": {"seed": len(names), "devices": devices}}, file)
        self.hosts.start(host, [
            f"{self.arguments.binaries}/cast-simulator", "--scenario", self.hosts.path(f"{host}.yaml"), "--interface", "lan0", "--address-base",
            f"{network}.2.1", "--control", self.hosts.path(f"control-{host}"), "--journal", self.hosts.path(f"journal-{host}"),
            "--answer-delay", "1-20"], ready="ready\n", limit=300)

    def bridge(self, name):
        """As the unit cast2mqtt@.service starts it."""
        folders = {f"{kind}_DIRECTORY": self.hosts.path(f"{kind.lower()}-{name}") for kind in ("STATE", "RUNTIME", "CACHE")}
        for folder in folders.values():
            os.makedirs(folder, exist_ok=True)
        command = [f"{self.arguments.binaries}/cast2mqtt", "run", "--config", f"{ROOT}/config/several-bridges/{name}.yaml"]
        self.hosts.start(name, command, host=MACHINES[name], **folders)

    # MARK: What holds

    def online(self):
        counts = {name: len(self.watcher.online(f"cast/{name}")) for name in MACHINES}
        states = {name: self.watcher.messages.get(f"cast/{name}/bridge/state", b"").decode() for name in MACHINES}
        return counts, states

    def are_online(self, names=MACHINES):
        counts, states = self.online()
        return all(counts[name] == self.part and states[name] == "online" for name in names)

    def start_bridges(self):
        title(f"four bridges start, with {self.part} devices each")
        began = time.monotonic()
        for name in MACHINES:
            self.bridge(name)
        try:
            until(self.are_online, "all devices are online", 600)
        finally:
            report(f"online: {self.online()}")
        report(f"all {4 * self.part} devices online after {time.monotonic() - began:.1f} s")

    def divided(self):
        """Each device is published by one bridge, and by the right one."""
        until(lambda: len(self.infos()) >= 4 * self.part, "an info of each device", 60)
        owners = collections.defaultdict(set)
        for topic, info in self.infos().items():
            owners[info["id"]].add((topic.split("/")[1], info["instance"]))
            expected = {"Attic": "north", "East": "east", "South": "south", "Hall": "west"}[info["name"].split()[0]]
            assert owners[info["id"]] == {(expected, expected)}, (topic, info["id"], owners[info["id"]])
        ids = {device["id"] for host in ("upstairs", "devices") for device in self.hosts.control(f"control-{host}", do="list")["devices"]}
        assert set(owners) == ids, f"{len(owners)} of {len(ids)} devices are published"
        report(f"each of {len(ids)} devices is published by one bridge, the one that its configuration names")

    def infos(self):
        infos = {topic: json.loads(payload or "null") for topic, payload in list(self.watcher.messages.items()) if topic.endswith("/info")}
        return {topic: info for topic, info in infos.items() if info and topic.split("/")[2] != "bridge"}

    def commands(self):
        """A volume for some devices of each bridge, each set once."""
        before = self.volumes()
        sent, began = {}, time.monotonic()
        for name in MACHINES:
            for slug in sorted(self.watcher.online(f"cast/{name}"))[:5]:
                key = f"{name}-{slug}"
                sent[key] = 21 + len(sent)
                self.watcher.publish(f"cast/{name}/{slug}/set", {"volume": sent[key], "id": key})
        until(lambda: all(self.watcher.answer(key) for key in sent), "each command is answered", 60)
        assert all(self.watcher.answer(key)[1] == "done" for key in sent), [self.watcher.answer(key) for key in sent]
        report(f"{len(sent)} commands through four bases are answered after {time.monotonic() - began:.2f} s")
        levels = collections.Counter(self.volumes()) - collections.Counter(before)
        assert sorted(level for _, level in levels.elements()) == sorted(sent.values()), levels
        report("each of them reached one device, once")

    def volumes(self):
        messages = [message for host in ("upstairs", "devices") for message in self.hosts.journal("SET_VOLUME", f"journal-{host}")]
        return [(device, round(payload["volume"]["level"] * 100)) for device, payload in messages]

    def dashboard(self):
        """What clients find that come now."""
        bridges = retained(BROKER, "cast/+/bridge/state", user="monitoring", qos=0)
        assert bridges == {f"cast/{name}/bridge/state": b"online" for name in MACHINES}, bridges
        began = time.monotonic()
        states = retained(BROKER, "cast/+/+/state", user="dashboard", qos=0)
        devices = [topic for topic in states if topic.split("/")[2] != "bridge"]
        assert len(devices) == 4 * self.part, len(devices)
        report(f"cast/+/+/state has {len(devices)} devices and {len(states) - len(devices)} bridges; {time.monotonic() - began:.1f} s")
        for qos in (0, 1):
            found = retained(BROKER, "cast/#", user="administrator", qos=qos)
            report(f"cast/# with QoS {qos} has {len(found)} retained topics")

    def resting(self, seconds=30):
        def ticks(name):
            with open(f"/proc/{self.hosts.processes[name].pid}/stat", encoding="utf-8") as file:
                fields = file.read().rpartition(")")[2].split()
            return int(fields[11]) + int(fields[12])

        before = {name: ticks(name) for name in MACHINES}
        time.sleep(seconds)
        for name in MACHINES:
            with open(f"/proc/{self.hosts.processes[name].pid}/status", encoding="utf-8") as file:
                memory = next(int(line.split()[1]) for line in file if line.startswith("VmRSS:"))
            used = (ticks(name) - before[name]) / os.sysconf("SC_CLK_TCK") / seconds * 100
            report(f"{name} at rest: {memory / 1000:.0f} MB, {used:.1f} % of a core")

    def query(self, text):
        """The values of a query of Prometheus, by the label `bridge`."""
        url = "http://127.0.0.1:9090/api/v1/query?" + urllib.parse.urlencode({"query": text})
        try:
            with urllib.request.urlopen(url, timeout=10) as answer:
                result = json.load(answer)["data"]["result"]
        except OSError:
            return None
        return {series["metric"].get("bridge"): float(series["value"][1]) for series in result}

    def prometheus(self):
        title("one Prometheus")
        self.hosts.start("prometheus", [
            PROMETHEUS, f"--config.file={ROOT}/config/several-bridges/prometheus.yml", f"--storage.tsdb.path={self.hosts.path('prometheus')}",
            "--web.listen-address=127.0.0.1:9090"], host="desk")
        wanted = {name: float(self.part) for name in MACHINES}
        until(lambda: self.query("sum by (bridge) (cast2mqtt_devices_online)") == wanted, "a query counts the devices of each bridge", 90)
        report(f"sum by (bridge) (cast2mqtt_devices_online): {self.query('sum by (bridge) (cast2mqtt_devices_online)')}")
        total = self.query("sum(cast2mqtt_devices_online)")
        assert total == {None: 4.0 * self.part}, total
        report(f"sum(cast2mqtt_devices_online): {total[None]:.0f}")

    def killed_bridge(self):
        title("east is killed, and started again")
        fault = time.monotonic()
        self.hosts.kill("east")
        until(lambda: self.online()[1]["east"] == "offline", "its will is published", 60)
        report(f"cast/east/bridge/state is offline after {time.monotonic() - fault:.2f} s")
        if self.arguments.home_assistant:
            self.assistant(f"{self.part} devices are unavailable", lambda counts: counts["unavailable"] == {"cast2mqtt east": self.part})
        time.sleep(5)
        others = [name for name in MACHINES if name != "east"]
        assert self.are_online(others), self.online()
        lost = [topic for at, topic in self.watcher.offline if at > fault and not topic.startswith("cast/east/")]
        assert not lost, lost
        report(f"the other bridges and their {3 * self.part} devices stayed online")
        began = time.monotonic()
        self.bridge("east")
        until(lambda: len(self.watcher.online("cast/east", since=began)) == self.part and self.are_online(), "all are online again", 300)
        report(f"all {4 * self.part} devices are online {time.monotonic() - began:.1f} s after its start")
        if self.arguments.home_assistant:
            self.assistant("no device is unavailable", lambda counts: not counts["unavailable"])

    # MARK: Home Assistant

    def start_assistant(self):
        title("one Home Assistant")
        environment = os.path.abspath(self.arguments.home_assistant)
        self.hosts.start(
            "assistant", [f"{environment}/bin/python", f"{ROOT}/Tests/Fleets/assistant.py", environment, self.hosts.path("assistant"), BROKER],
            host="desk", ready="running", limit=900)
        self.assistant(f"it has {4 * self.part} devices", lambda counts: counts["devices"] == 4 * self.part and not counts["unavailable"])

    def assistant(self, what, holds, limit=1800):
        """Waits until its registries and states are so; the newest line of its log counts them."""
        began = time.monotonic()

        def counts():
            assert self.hosts.processes["assistant"].poll() is None, self.hosts.log("assistant")[-2000:]
            lines = [line for line in self.hosts.log("assistant").splitlines() if line.startswith("{")]
            return lines and json.loads(lines[-1])

        try:
            until(lambda: counts() and counts()["at"] > began and holds(counts()), what, limit)
        finally:
            report(f"{what}: {time.monotonic() - began:.0f} s; {counts()}")

    def end_assistant(self):
        process = self.hosts.processes.pop("assistant")
        process.terminate()
        assert process.wait(300) == 0, self.hosts.log("assistant")[-2000:]
        final = self.hosts.log("assistant").splitlines()[-1]
        report(f"its registries on disk: {final}")
        counts = json.loads(final.removeprefix("end "))
        assert counts["devices"] == 4 * self.part + len(MACHINES) and not counts["collisions"], counts
        assert counts["entities"] == counts["unique ids"], counts


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binaries", required=True)
    parser.add_argument("--devices", type=int, default=1000)
    parser.add_argument("--home-assistant", help="an environment with Home Assistant")
    parser.add_argument("--broker-option", default="max_queued_messages 0", help="a line of mosquitto's configuration")
    arguments = parser.parse_args()
    arguments.binaries = os.path.abspath(arguments.binaries)
    fleets = Fleets(arguments)
    try:
        fleets.begin()
        fleets.start_bridges()
        fleets.divided()
        fleets.commands()
        fleets.dashboard()
        fleets.resting()
        fleets.prometheus()
        if arguments.home_assistant:
            fleets.start_assistant()
        fleets.killed_bridge()
        if arguments.home_assistant:
            fleets.end_assistant()
    except BaseException:
        for name in MACHINES:
            if name in fleets.hosts.processes:
                warnings = [line for line in fleets.hosts.log(name).splitlines() if " WARN" in line or " ERROR" in line]
                sys.stderr.write(f"--- {name}\n" + "\n".join(warnings[-20:]) + "\n")
        raise
    finally:
        fleets.hosts.end()


main()
