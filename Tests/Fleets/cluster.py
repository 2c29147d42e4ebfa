"""The bridge with three ejabberds that are one cluster: python3 cluster.py --binaries DIR [--devices 20] [--ticktime 10] [--scan]

Each node, the bridge, the devices and the desk, which watches, are hosts of one switch. A name has the addresses of all three nodes. What is judged:
what clients of each node receive, the simulator's own state and its journal. Prints what each fault costs; --scan also waits ten minutes for the
bridge to find a retained message that the cluster lost. Needs root, and ejabberd from scripts/bootstrap brokers."""

import argparse
import collections
import concurrent.futures
import glob
import json
import os
import re
import subprocess
import sys
import time

from hosts import Hosts, Watcher, report, retained, title, until
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

NODES = {"n1": "10.79.0.1", "n2": "10.79.0.2", "n3": "10.79.0.3"}
ADDRESSES = NODES | {"bridge": "10.79.0.4", "devices": "10.79.0.5", "desk": "10.79.0.6"}
ROOT = os.path.abspath(f"{os.path.dirname(__file__)}/../../.build/brokers/root")
LIBRARIES = f"{ROOT}/usr/lib/x86_64-linux-gnu"
# Seconds until the bridge is connected to another node, and until all state is at clients of the living nodes.
BARS = {"reconnect": 10, "whole": 20}
CONFIGURATION = """hosts: [localhost]
listen:
  - {{port: 1883, ip: "0.0.0.0", module: mod_mqtt, backlog: 1000}}
auth_method: [anonymous]
anonymous_protocol: login_anon
allow_multiple_connections: true
net_ticktime: {ticktime}
modules: {{mod_mqtt: {{match_retained_limit: infinity}}}}
"""


def only(pattern):
    found = sorted(glob.glob(pattern))
    assert found, f"no {pattern}: run scripts/bootstrap brokers"
    return found[0]


class Cluster:
    def __init__(self, arguments):
        self.arguments = arguments
        self.hosts = Hosts("cluster", ADDRESSES)
        self.watchers = {}
        # Commands sent through each node.
        self.numbers = dict.fromkeys(NODES, 0)
        self.sent = collections.Counter()

    def begin(self):
        hosts, arguments = self.hosts, self.arguments
        hosts.more_addresses("devices", [f"10.79.1.{number + 1}" for number in range(arguments.devices)])
        hosts.names("bridge", [f"{address} cluster.lan" for address in NODES.values()])
        with open(hosts.path("erl"), "w", encoding="utf-8") as file:
            runtime = only(f"{ROOT}/usr/lib/erlang/erts-*/bin")
            file.write(f'#!/bin/sh\nexport ROOTDIR={ROOT}/usr/lib/erlang BINDIR={runtime} EMU=beam PROGNAME=erl\nexec "$BINDIR/erlexec" "$@"\n')
        os.chmod(hosts.path("erl"), 0o755)
        with open(hosts.path("ejabberd.yml"), "w", encoding="utf-8") as file:
            file.write(CONFIGURATION.format(ticktime=arguments.ticktime))
        for node in NODES:
            # Erlang would start it by itself and leave it behind.
            hosts.start(f"{node}-names", [f"{runtime}/epmd"], host=node)
            self.node(node, join=None if node == "n1" else "n1")
        hosts.enter("desk")
        assert self.seen("n3") == len(NODES)
        title("three nodes are a cluster")
        for table in ("mqtt_pub", "mqtt_session", "mqtt_sub"):
            copies = self.ask("n3", f"[{{T, length(mnesia:table_info({table}, T))}} || T <- [disc_only_copies, disc_copies, ram_copies]]")
            report(f"copies of {table}: {copies}")
        for node in NODES:
            self.watch(node)
        hosts.start("devices", [
            f"{arguments.binaries}/cast-simulator", "--devices", arguments.devices, "--interface", "lan0", "--address-base", "10.79.1.1",
            "--control", hosts.path("control"), "--journal", hosts.path("journal"), "--answer-delay", "1-5"], ready="ready\n")
        self.bridge()
        for node, watcher in self.watchers.items():
            until(lambda w=watcher: len(w.online()) == arguments.devices, f"all devices are online at {node}")
        self.slugs = sorted(self.watchers["n1"].online())

    def environment(self, node):
        return {
            "HOME": self.hosts.folder.name, "LD_LIBRARY_PATH": LIBRARIES, "EJABBERD_CONFIG_PATH": self.hosts.path("ejabberd.yml"),
            "EJABBERD_LOG_PATH": self.hosts.path(f"{node}-ejabberd.log")}

    def erl(self, name, *options):
        ebin = only(f"{LIBRARIES}/ejabberd-*/ebin/ejabberd.beam").rpartition("/")[0]
        return [self.hosts.path("erl"), "-noinput", "-pa", ebin, "-name", name, "-setcookie", "cluster", *options]

    def node(self, node, join=None, isAwaited=True):
        joining = ["-eval", f"io:format(\"joined ~p~n\", [ejabberd_cluster:join('ejabberd@{NODES[join]}')])."] if join else []
        # ejabberd's own option would take effect a minute later.
        tick = ("-kernel", "net_ticktime", str(self.arguments.ticktime))
        command = self.erl(f"ejabberd@{NODES[node]}", *tick, "-mnesia", "dir", f'"{self.hosts.path(node)}"', "-s", "ejabberd", *joining)
        ready = ("joined ok" if join else "Start accepting TCP connections") if isAwaited else None
        self.hosts.start(node, command, ready=ready, **self.environment(node))

    def ask(self, node, expression):
        """What a node answers to an expression of Erlang."""
        # A fun of the shell can't run elsewhere, so it goes as text.
        call = (
            f"{{ok, T, _}} = erl_scan:string(\"{expression}.\"), {{ok, E}} = erl_parse:parse_exprs(T), "
            f"io:format(\"~0p\", [element(2, rpc:call('ejabberd@{NODES[node]}', erl_eval, exprs, [E, []]))]), halt().")
        command = self.erl(f"desk@{ADDRESSES['desk']}", "-dist_listen", "false", "-hidden", "-eval", call)
        environment = os.environ | {"HOME": self.hosts.folder.name, "LD_LIBRARY_PATH": LIBRARIES}
        return subprocess.run(command, capture_output=True, text=True, timeout=30, env=environment, check=True).stdout.strip()

    def seen(self, node):
        """The number of nodes of the cluster that a node sees, itself among them."""
        return int(self.ask(node, "length(mnesia:system_info(running_db_nodes))"))

    def watch_again(self):
        """Connects clients again that lost their node."""
        for node, watcher in self.watchers.items():
            if not watcher.isConnected:
                report(f"the client of {node} was disconnected")
                self.watch(node)

    def watch(self, node):
        self.watchers[node] = Watcher(NODES[node], ["cast2mqtt/#"], user=f"watcher-{node}@localhost")

    def bridge(self):
        self.hosts.start(
            "bridge", [f"{self.arguments.binaries}/cast2mqtt", "run"], ready="bridge online", CAST2MQTT_MQTT_HOST="cluster.lan",
            CAST2MQTT_MQTT_USERNAME="bridge@localhost", CAST2MQTT_MQTT_PASSWORD="secret", CAST2MQTT_DISCOVERY_INTERFACES="lan0",
            CAST2MQTT_STATE_DIRECTORY=self.hosts.path("state"), CAST2MQTT_MQTT_KEEPALIVE="5")

    def home(self):
        """The node that the bridge is connected to; None without one."""
        command = ["ip", "netns", "exec", f"{self.hosts.prefix}-bridge", "ss", "-Htn", "state", "established", "dport", "=", ":1883"]
        text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        return next((node for node, address in NODES.items() if re.search(rf"\b{address}:1883", text)), None)

    # MARK: What holds

    def command(self, node, limit=30.0):
        """Sends a command a second through a node until one is answered there; returns the seconds, or None, and how many before it were not answered."""
        began = time.monotonic()
        watcher, sent = self.watchers[node], []
        while time.monotonic() < began + limit:
            key, slug = f"{node}-{self.numbers[node]}", self.slugs[self.numbers[node] % len(self.slugs)]
            sent.append(key)
            self.numbers[node] += 1
            # Each node has volumes of its own, so that no command hides another one that was carried out twice.
            volume = 10 + list(NODES).index(node) * 30 + self.numbers[node] // len(self.slugs) % 30
            self.sent[slug, volume] += 1
            watcher.publish(f"cast2mqtt/{slug}/set", {"volume": volume, "id": key})
            end = time.monotonic() + 1
            while time.monotonic() < end:
                if answered := next((watcher.answer(key) for key in sent if watcher.answer(key)), None):
                    assert answered[1] == "done", answered
                    return answered[0] - began, len(sent) - 1
                time.sleep(0.01)
        return None, len(sent)

    def commands(self, nodes, limit=30.0):
        """Commands through several nodes at once; prints what became of them."""
        with concurrent.futures.ThreadPoolExecutor() as pool:
            outcomes = dict(zip(nodes, pool.map(lambda node: self.command(node, limit), nodes), strict=True))
        for node, (seconds, lost) in outcomes.items():
            what = f"answered after {seconds:.2f} s" if seconds is not None else f"not answered within {limit:.0f} s"
            report(f"a command through {node}: {what}, {lost} without an answer")
        return {node: seconds for node, (seconds, _) in outcomes.items()}

    def expect_once(self):
        """No command reached a device twice, by the simulator's journal."""
        infos = {topic: json.loads(payload) for topic, payload in self.watchers[self.home()].messages.items() if re.fullmatch(r"cast2mqtt/[^/]+/info", topic)}
        slugs = {info["id"]: topic.split("/")[1] for topic, info in infos.items() if "id" in info}
        names = {device["device"]: slugs[device["id"]] for device in self.hosts.control(do="list")["devices"]}
        done = collections.Counter(
            (names[device], round(payload["volume"]["level"] * 100)) for device, payload in self.hosts.journal("SET_VOLUME"))
        assert not done - self.sent, f"carried out more often than sent: {done - self.sent}"
        report(f"{self.sent.total()} commands, {done.total()} of them reached a device, none twice")

    def wrong(self, messages):
        """The number of devices whose volume in these messages is not that of the device."""
        true = {state["id"]: round(state["volume"] * 100) for state in self.hosts.control(device="*", do="state")["states"]}
        infos = {slug: json.loads(messages.get(f"cast2mqtt/{slug}/info") or "{}") for slug in self.slugs}
        shown = {infos[slug].get("id"): round(float(messages.get(f"cast2mqtt/{slug}/status/volume") or -1)) for slug in self.slugs}
        return sum(shown.get(device) != volume for device, volume in true.items())

    def report_late(self, nodes, isWhole=False):
        """What a client that comes now gets at a node. With `isWhole` it must be everything, and true."""
        for node in nodes:
            found = retained(NODES[node], "cast2mqtt/#", user=f"late-{node}@localhost")
            online = sum(found.get(f"cast2mqtt/{slug}/availability") == b"online" for slug in self.slugs)
            wrong = self.wrong(found) if online else 0
            state = found.get("cast2mqtt/bridge/state", b"nothing").decode()
            report(f"a client that comes to {node}: {len(found)} retained topics, bridge/state {state}, {online} devices online, {wrong} volumes wrong")
            assert not isWhole or (state, online, wrong) == ("online", len(self.slugs), 0), f"{node} is not whole"

    def expect_whole(self, nodes, since, limit):
        """Waits until clients of these nodes received the state of everything since a time, and it is true; returns the seconds."""
        def isWhole():
            for watcher in (self.watchers[node] for node in nodes):
                if watcher.times.get("cast2mqtt/bridge/state", 0) < since or len(watcher.online(since=since)) < len(self.slugs):
                    return False
            return not any(self.wrong(self.watchers[node].messages) for node in nodes) and time.monotonic()

        return until(isWhole, f"all state arrives at {nodes}", limit) - since

    def settle(self):
        """Waits until nothing is published: while a node starts, the others hang up on clients that publish."""
        until(lambda: self.home() and all(time.monotonic() > watcher.last + 2 for watcher in self.watchers.values()), "the bridge is done")

    # MARK: What happens

    def retained_elsewhere(self):
        home = self.home()
        title(f"the bridge is at {home}")
        self.report_late(NODES)
        other = next(node for node in NODES if node != home)
        watcher = Watcher(NODES[other], ["cast2mqtt/#"], user="newcomer@localhost")
        began = time.monotonic()
        watcher.publish("cast2mqtt/bridge/request/republish", "")
        until(lambda: len(watcher.online(since=began)) == len(self.slugs) and watcher.messages.get("cast2mqtt/bridge/state") == b"online",
              "republish sends everything to a client of another node", 20)
        report(f"with bridge/request/republish a client that comes to {other} has everything after {time.monotonic() - began:.2f} s")
        watcher.stop()

    def killed_node(self):
        home = self.home()
        living = [node for node in NODES if node != home]
        expiry = Properties(PacketTypes.CONNECT)
        expiry.SessionExpiryInterval = 600
        will = {"topic": "test/will", "payload": "gone", "qos": 1}
        client = Watcher(NODES[home], ["test/session"], user="keeper@localhost", client_id="keeper", expiry=expiry, will=will)
        witness = Watcher(NODES[living[0]], ["test/#"], user="witness@localhost")
        title(f"{home}, the bridge's node, is killed")
        fault = time.monotonic()
        self.hosts.kill(home)
        connected = until(lambda: self.home() in living and time.monotonic(), "the bridge connects to another node", 30) - fault
        whole = self.expect_whole(living, fault, 30)
        report(f"the bridge is at {self.home()} after {connected:.2f} s; clients of {living} have all state again after {whole:.2f} s")
        answered = self.commands(living)
        assert all(answered.values()) and connected < BARS["reconnect"] and whole < BARS["whole"]
        self.report_late(living)
        client.stop()
        witness.publish("test/session", "missed")
        again = Watcher(NODES[living[0]], [], user="keeper@localhost", client_id="keeper", expiry=expiry)
        time.sleep(2)
        report(f"a client of {home} with a session: session present at {living[0]}: {again.session_present}; its will: {witness.messages.get('test/will')};"
               f" the message that it missed: {again.messages.get('test/session')}")
        again.stop()
        witness.stop()
        title(f"{home} is started again")
        self.node(home)
        self.watch(home)
        self.settle()
        self.report_late([home], isWhole=True)
        answered = self.commands(NODES)
        assert all(answered.values())
        return home

    def partition(self):
        minority = self.home()
        majority = [node for node in NODES if node != minority]
        title(f"{minority} and the bridge are cut off from {majority}; clients reach all nodes")
        lines = len(self.hosts.log("bridge").splitlines())
        fault = time.monotonic()
        self.hosts.cut([minority, "bridge"], majority)
        self.hosts.control(device="sim-001", do="volume", level=0.97)
        self.commands(NODES, 8)
        until(lambda: all(self.seen(node) == (1 if node == minority else 2) for node in NODES), "the nodes see each other no more", 90)
        report(f"the nodes have given each other up {time.monotonic() - fault:.0f} s after the cut, with net_ticktime {self.arguments.ticktime}")
        until(lambda: self.home() == minority, "the bridge is connected", 60)
        self.watch_again()
        answered = self.commands(NODES, 15)
        assert answered[minority], "the bridge's side is not answered"
        for line in self.hosts.log("bridge").splitlines()[lines:]:
            report(f"the bridge's log: {line.split(' ', 1)[1][:120]}")
        self.report_late(NODES)
        title("the cut is mended, and no node restarted")
        self.hosts.cut([minority, "bridge"], majority, isCut=False)
        time.sleep(2 * self.arguments.ticktime)
        self.watch_again()
        for node in NODES:
            report(f"{node} sees {self.seen(node)} nodes of the cluster")
        self.commands(NODES, 10)
        self.report_late(NODES)
        title(f"{minority} is restarted")
        fault = time.monotonic()
        self.hosts.kill(minority)
        whole = self.expect_whole(majority, fault, 60)
        report(f"the bridge is at {self.home()}; clients of {majority} have all state, and true, after {whole:.2f} s")
        self.node(minority)
        self.watch(minority)
        self.settle()
        self.watch_again()
        self.report_late([self.home(), minority], isWhole=True)
        answered = self.commands(NODES)
        assert all(answered.values()) and whole < BARS["whole"]

    def power_cut(self):
        """The bridge and its node at once, then all nodes."""
        home = self.home()
        living = [node for node in NODES if node != home]
        title(f"{home} and the bridge are killed at once")
        self.hosts.kill("bridge")
        self.hosts.kill(home)
        time.sleep(self.arguments.ticktime)
        for node in living:
            report(f"bridge/state at {node}: {self.watchers[node].messages['cast2mqtt/bridge/state'].decode()}")
        title("all nodes are killed, and started again")
        for node in living:
            self.hosts.kill(node)
        for node in NODES:
            # One may wait for the store of another.
            self.node(node, isAwaited=False)
        for node in NODES:
            self.watch(node)
        self.report_late(NODES)
        began = time.monotonic()
        self.bridge()
        report(f"with the bridge, clients of all nodes have all state after {self.expect_whole(NODES, began, 60):.2f} s")

    def lost_message(self):
        """The link holds and a retained message is gone: the bridge compares every ten minutes."""
        home = self.home()
        other = next(node for node in NODES if node != home)
        topic = f"cast2mqtt/{self.slugs[0]}/availability"
        title(f"a retained message is cleared through {other}; the bridge is at {home}")
        self.watchers[other].publish(topic, "", retain=True)
        until(lambda: topic not in retained(NODES[home], topic, user="late@localhost"), "the message is gone")
        began = time.monotonic()
        until(lambda: retained(NODES[home], topic, user="late@localhost").get(topic) == b"online", "the bridge sends it again", 700)
        report(f"it is there again after {time.monotonic() - began:.0f} s")
        assert "broker lost retained messages" in self.hosts.log("bridge")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binaries", required=True)
    parser.add_argument("--devices", type=int, default=20)
    parser.add_argument("--ticktime", type=int, default=10, help="seconds after which a node gives up a silent one, ejabberd's net_ticktime; 60 by default there")
    parser.add_argument("--scan", action="store_true", help="wait ten minutes until the bridge finds a message that the cluster lost")
    arguments = parser.parse_args()
    arguments.binaries = os.path.abspath(arguments.binaries)
    cluster = Cluster(arguments)
    try:
        cluster.begin()
        cluster.retained_elsewhere()
        cluster.killed_node()
        cluster.partition()
        cluster.power_cut()
        if arguments.scan:
            cluster.lost_message()
        cluster.expect_once()
    except BaseException:
        sys.stderr.write(f"--- the bridge's log\n{cluster.hosts.log('bridge')[-4000:]}\n")
        raise
    finally:
        cluster.hosts.end()


main()
