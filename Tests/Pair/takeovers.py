"""Takeovers of a pair of bridges, measured: python3 takeovers.py --binaries DIR [--times 20] [--devices 100] [--kinds kill,power,hang,goodbye,partition] [--protocol 5]

Two bridges, the broker and the devices are on four hosts (network namespaces) of one switch, which this program makes and removes. Commands go on at ten
a second. What is judged: the retained `bridge/state` and documents, the answers, and the simulator's journal. Prints a table; needs root."""

import argparse
import collections
import contextlib
import json
import os
import shutil
import signal
import statistics
import sys
import threading
import time

import paho.mqtt.client as mqtt
from hosts import Hosts, until

HOSTS = {"a": "10.78.0.1", "b": "10.78.0.2", "broker": "10.78.0.3", "devices": "10.78.0.4"}
PORT = 1883
# Seconds until the state is true and commands are answered, until all devices are online.
BARS = {"kill": (5, 8), "power": (5, 8), "hang": (5, 8), "goodbye": (1, 8), "partition": (5, 8)}


class Pair(Hosts):
    def __init__(self, arguments):
        super().__init__("pair", HOSTS)
        self.arguments = arguments
        self.more_addresses("devices", [f"10.78.{1 + number // 250}.{1 + number % 250}" for number in range(arguments.devices)])
        self.topics, self.answers, self.sent = {}, {}, {}
        self.states = []
        self.isSending = False
        with open(self.path("mosquitto.conf"), "w", encoding="utf-8") as file:
            file.write(f"user root\nlistener {PORT}\nallow_anonymous true\n")
        self.start("broker", [shutil.which("mosquitto") or "/usr/sbin/mosquitto", "-c", self.path("mosquitto.conf")])
        self.start("devices", [
            f"{arguments.binaries}/cast-simulator", "--devices", str(arguments.devices), "--interface", "lan0", "--address-base", "10.78.1.1",
            "--control", self.path("control"), "--journal", self.path("journal"), "--answer-delay", "1-5"], ready="ready\n")
        self.enter("broker")
        self.client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, protocol=mqtt.MQTTv5)
        self.client.on_message = self.received
        self.client.on_connect = lambda client, *_: client.subscribe("cast2mqtt/#")
        until(self.connects, "the broker listens")
        self.client.loop_start()
        for member in "ab":
            self.bridge(member)
        until(lambda: self.online() == arguments.devices, "all devices are online")
        until(lambda: len(self.pair()["members"]) == 2, "both are members")

    def connects(self):
        with contextlib.suppress(OSError):
            self.client.connect("127.0.0.1", PORT)
            return True

    def bridge(self, member):
        self.start(member, [f"{self.arguments.binaries}/cast2mqtt", "run"], CAST2MQTT_STANDBY="true", CAST2MQTT_MQTT_CLIENT_ID="cast2mqtt-pair",
                   CAST2MQTT_MQTT_HOST=HOSTS["broker"], CAST2MQTT_STATE_DIRECTORY=self.path(f"state-{member}"), CAST2MQTT_DISCOVERY_INTERFACES="lan0",
                   CAST2MQTT_MQTT_PROTOCOL=self.arguments.protocol, CAST2MQTT_LOG_LEVEL="debug")

    # MARK: what the broker has

    def received(self, _, __, message):
        now = time.monotonic()
        self.topics[message.topic] = message.payload
        if message.topic == "cast2mqtt/bridge/state":
            self.states.append((now, message.payload.decode()))
        elif message.topic.endswith("/response") and not message.topic.startswith("cast2mqtt/bridge/"):
            answer = json.loads(message.payload)
            if (answer.get("id") or "").startswith("n") and answer["id"] in self.sent:
                self.answers.setdefault(answer["id"], []).append((now, answer["code"]))

    def pair(self):
        return json.loads(self.topics.get("cast2mqtt/bridge/info") or "{}").get("pair") or {"members": [], "leader": None, "term": None}

    def claim(self):
        return json.loads(self.topics.get("cast2mqtt/bridge/pair/claim") or "{}")

    def listing(self):
        return json.loads(self.topics.get("cast2mqtt/bridge/devices") or "[]")

    def online(self):
        return sum(self.topics.get(f"cast2mqtt/{entry['slug']}/availability") == b"online" for entry in self.listing())

    def leader(self):
        """The host whose member wrote the claim."""
        members = {member: f"-{open(self.path(f'state-{member}/client-id'), encoding='utf-8').read()}" for member in "ab"}
        return next((member for member, end in members.items() if self.claim().get("owner", "").endswith(end)), None)

    # MARK: commands

    def send(self, slugs):
        number = 0
        while self.isSending:
            number += 1
            slug, key = slugs[number % len(slugs)], f"n{len(self.sent)}"
            # Two commands to one device have different values, so that a repeated one shows.
            value = 10 + (number // len(slugs)) % 60
            self.sent[key] = (time.monotonic(), slug, value)
            self.client.publish(f"cast2mqtt/{slug}/set", json.dumps({"volume": value, "id": key}), qos=1)
            time.sleep(0.1)

    def journal(self, start):
        """The volume requests since a time: (seconds, device, socket, level)."""
        requests = []
        with open(self.path("journal"), encoding="utf-8") as file:
            for line in file:
                entry = json.loads(line)
                if entry["event"] != "message" or entry["t_ns"] < start * 1e9 or not isinstance(entry["payload"], dict):
                    continue
                if entry["payload"].get("type") == "SET_VOLUME":
                    requests.append((entry["t_ns"] / 1e9, entry["device"], entry["socket"], entry["payload"]["volume"].get("level")))
        return requests

    # MARK: a takeover

    def takeover(self, kind):
        leader = self.leader()
        other = "ab".replace(leader, "")
        until(lambda: self.online() == self.arguments.devices, "all devices are online")
        slugs = sorted(entry["slug"] for entry in self.listing())
        term = self.claim()["term"]
        began = time.monotonic()
        self.sent.clear()
        self.answers.clear()
        self.isSending = True
        sender = threading.Thread(target=self.send, args=(slugs,))
        sender.start()
        time.sleep(1.5)
        fault = time.monotonic()
        process = self.processes[leader]
        if kind == "kill":
            process.kill()
        elif kind == "power":
            self.cable(leader, False)
            process.kill()
        elif kind == "hang":
            process.send_signal(signal.SIGSTOP)
        elif kind == "goodbye":
            process.terminate()
        else:
            self.cut([leader], ["broker"])
        until(lambda: self.claim()["term"] > term and not self.claim()["released"], "another member leads", 30)
        answered = until(lambda: self.first_answer(fault, other), "a command is answered", 30)
        # The claim is newer than the fault, so the devices that are online are those of the new leader.
        online = until(lambda: self.allSeen(fault), "all devices are online", 60)
        time.sleep(2)
        if kind in ("hang", "partition"):
            time.sleep(self.arguments.pause)
            process.send_signal(signal.SIGCONT) if kind == "hang" else self.cut([leader], ["broker"], False)
            time.sleep(25 if kind == "partition" else 6)
        self.isSending = False
        sender.join()
        time.sleep(2)
        result = self.judge(began, fault, kind)
        if kind in ("kill", "power", "goodbye"):
            process.wait(20)
            if kind == "power":
                self.cable(leader, True)
            self.bridge(leader)
        until(lambda: len(self.pair()["members"]) == 2 and self.leader() == other, "the former leader waits", 60)
        return answered - fault, online - fault, result

    def first_answer(self, fault, _):
        """When the state was true and a command sent after the fault was answered."""
        if self.topics.get("cast2mqtt/bridge/state") != b"online":
            return None
        times = [at for key, answers in self.answers.items() for at, code in answers if code == "done" and self.sent[key][0] > fault + 0.3]
        return min(times, default=None)

    def allSeen(self, fault):
        sockets = collections.Counter()
        with open(self.path("journal"), encoding="utf-8") as file:
            for line in file:
                entry = json.loads(line)
                if entry["event"] == "connect" and entry["t_ns"] > fault * 1e9:
                    sockets[entry["device"]] += 1
        done = len(sockets) >= self.arguments.devices and self.online() == self.arguments.devices
        return time.monotonic() if done else None

    def judge(self, began, fault, kind):
        problems = []
        requests = self.journal(began)
        values = collections.Counter((device, level) for _, device, _, level in requests)
        slugs = collections.Counter((slug, value) for _, slug, value in self.sent.values())
        most = max(slugs.values(), default=1)
        for (device, level), count in values.items():
            if count > most:
                problems.append(f"{device} was set to {level} {count} times")
        if len(requests) > len(self.sent):
            problems.append(f"{len(requests)} requests for {len(self.sent)} commands")
        twice = [key for key, answers in self.answers.items() if len(answers) > 1]
        if twice:
            problems.append(f"{len(twice)} commands with more than one answer")
        # One leader at any moment: after the first command over a new socket of a device none goes over an older one.
        newest = {}
        for _, device, number, _ in requests:
            if number < newest.get(device, number):
                problems.append(f"{device} got a command from the former leader")
            newest[device] = max(number, newest.get(device, number))
        offline = [text for at, text in self.states if at > fault and text != "online"]
        if offline and self.arguments.protocol == "5":
            problems.append("bridge/state was offline")
        unanswered = len(self.sent) - len(self.answers)
        return {"commands": len(self.sent), "done": len(requests), "unanswered": unanswered, "problems": problems}

    def end(self):
        self.isSending = False
        self.client.loop_stop()
        super().end()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binaries", required=True)
    parser.add_argument("--times", type=int, default=20)
    parser.add_argument("--devices", type=int, default=100)
    parser.add_argument("--kinds", default="kill,power,hang,goodbye,partition")
    parser.add_argument("--protocol", default="5")
    parser.add_argument("--pause", type=float, default=8, help="how much longer a hang lasts; a partition lasts a minute")
    arguments = parser.parse_args()
    arguments.binaries = os.path.abspath(arguments.binaries)
    pair, failed = Pair(arguments), False
    try:
        for kind in arguments.kinds.split(","):
            answered, online, lost, problems = [], [], 0, []
            arguments.pause = 52 if kind == "partition" else arguments.pause
            for _ in range(arguments.times):
                first, all_online, result = pair.takeover(kind)
                answered.append(first)
                online.append(all_online)
                lost += result["unanswered"]
                problems += result["problems"]
                print(f"{kind}: answered after {first:.2f} s, all online after {all_online:.2f} s, {result}", flush=True)
            bars = BARS[kind]
            misses = sum(value > bars[0] for value in answered) + sum(value > bars[1] for value in online)
            failed = failed or bool(misses or problems)
            print(
                f"== {kind}: answered median {statistics.median(answered):.2f} s, at most {max(answered):.2f} s (bar {bars[0]} s); all online median"
                f" {statistics.median(online):.2f} s, at most {max(online):.2f} s (bar {bars[1]} s); {lost} commands unanswered;"
                f" problems: {problems or 'none'}", flush=True)
    except BaseException:
        for name in ("a", "b"):
            sys.stderr.write(f"--- {name}\n" + "\n".join(line for line in pair.log(name).splitlines() if "DEBUG" not in line)[-3000:] + "\n")
        raise
    finally:
        pair.end()
    sys.exit(failed)


main()
