"""The soak: one bridge with a fleet of devices for millions of changes, and what it takes at rest after each tenth; then the same bridge, killed again
and again. Run it through scripts/soak, which gives it a network of its own.

Each tenth has its share of statuses, commands, announcements, lost links and lost brokers. What is judged is the other side: the simulator's state and
journal, what a client at the broker gets, and the kernel's figures. The exit status is 1 when something was not right, or when a whole run left a bar."""

import argparse
import collections
import datetime
import json
import os
import random
import signal
import statistics
import sys
import tempfile
import threading
import time

from home import Home, Mosquitto
from picture import picture
from processes import Failure, Probe, Process, wait_for

# What the whole run is, at scale 1: of each device, and of all.
STATUSES, RECONNECTS, COMMANDS = 2000, 20, 20
ANNOUNCEMENTS, KILLS, OUTAGES = 1000, 200, 10
# The bridge publishes each document of a device at most four times a second.
PACE = 0.3
# How much more than after the first tenth, and what is judged.
BAR, JUDGED = 0.05, ("resident_kib", "anonymous_kib", "descriptors", "threads", "tasks", "timers")
# For how long it rests, in seconds: free memory goes back once a minute.
REST = 60
# One item of this many changes; the others pause what plays, and play on.
CYCLE = 11


class Soak:
    def __init__(self, arguments, home, log):
        self.arguments, self.home, self.log = arguments, home, log
        self.random = random.Random(arguments.seed)
        devices = list(home.slugs)
        # A person who pauses an announcement ends it, so the devices that announce are not those that change.
        self.speakers = devices[-max(4, len(devices) // 20):]
        self.crowd = devices[:-len(self.speakers)]
        self.turn, self.commanded, self.level = 0, 0, collections.Counter()
        self.done = collections.Counter()
        self.problems = []
        self.lost = 0  # messages dropped for want of a broker

    def record(self, **values):
        self.log.append(values)
        line = json.dumps(values)
        print(line, flush=True)
        with open(self.arguments.log, "w" if len(self.log) == 1 else "a", encoding="utf-8") as file:
            file.write(line + "\n")

    def check(self, isRight, problem):
        if not isRight:
            self.problems.append(problem)
            print(f"soak: {problem}", file=sys.stderr, flush=True)

    # MARK: Work

    def change(self):
        """Every device of the crowd changes at once."""
        self.turn += 1
        request = {"do": "burst", "count": len(self.crowd), "change": "playback"}
        if self.turn % CYCLE == 0:
            request |= {"change": "item", **self.home.films.item(self.turn)}
        answer = self.home.simulator.ask(request)
        if answer["done"] != len(self.crowd):
            raise Failure(f"only {answer['done']} of {len(self.crowd)} devices changed")

    def command(self, count):
        """Sends volumes to the next devices of the crowd; each differs from the former one of its device."""
        ids = []
        for _ in range(count):
            device = self.crowd[self.commanded % len(self.crowd)]
            self.commanded += 1
            self.level[device] = 10 + (self.level[device] - 9) % 60
            ids.append(self.home.send(self.home.slugs[device], "set", {"volume": self.level[device]}))
        return ids

    def statuses(self, rounds, commands, announcements):
        """Changes of all devices, each of which makes the bridge publish one event, with commands and announcements meanwhile."""
        self.home.journal.entries()
        slugs = {self.home.slugs[device] for device in self.crowd}
        # A status that comes seconds late on a busy machine has a position that has jumped.
        probe = Probe(os.path.join(self.arguments.tools, "probe"), self.home.broker, '"event_type":"seeked"', self.home.directory)
        published, events, ids, failures = 0, 0, [], []

        def count(messages):
            nonlocal published, events
            published += len(messages)
            for message in messages:
                events += not message.marked and message.topic.endswith("/event") and message.topic.split("/")[1] in slugs

        before = self.home.metrics()
        announcer = threading.Thread(target=self.announce, args=(announcements, failures))
        announcer.start()
        try:
            for turn in range(rounds):
                began = time.monotonic()
                self.change()
                ids += self.command(commands * (turn + 1) // rounds - len(ids))
                while events < (turn + 1) * len(self.crowd) or time.monotonic() < began + PACE:
                    count(probe.read(0.02))
                    if time.monotonic() > began + 60:
                        raise Failure(f"{(turn + 1) * len(self.crowd) - events} changes were not published within a minute")
                    self.home.bridge.process.check()
            announcer.join()
            self.home.await_final(ids)
            count(probe.drain(0.5))
        finally:
            announcer.join()
            probe.end()
        received = self.home.metrics()["cast_statuses_total"] - before["cast_statuses_total"]
        self.check(events == rounds * len(self.crowd), f"{events} events of {rounds * len(self.crowd)} changes")
        self.check(received >= rounds * len(self.crowd), f"{received:.0f} statuses received of {rounds * len(self.crowd)}")
        self.judge_commands(ids)
        self.problems += failures
        self.done.update(statuses=events, messages=published)

    def judge_commands(self, ids):
        codes = collections.Counter(tuple(answer["code"] for answer in self.home.final(id)) for id in ids)
        self.check(set(codes) <= {("done",)}, f"answers to {len(ids)} commands: {codes}")
        requests = [entry for entry in self.home.journal.entries(b'"SET_VOLUME"') if entry["device"] in self.level and entry["event"] == "message"]
        sent = collections.Counter(self.crowd[number % len(self.crowd)] for number in range(self.commanded - len(ids), self.commanded))
        self.check(collections.Counter(entry["device"] for entry in requests) == sent, f"{len(requests)} volumes reached devices, of {len(ids)}")
        self.done["commands"] += len(ids)

    def announce(self, count, failures):
        """Announcements on all speakers, two at a time for each command, until there were so many."""
        # No more devices fetch at once than the media server takes from one address, since all are at 127.0.0.1 when they fetch.
        width = min(len(self.speakers), 12) // 2
        try:
            while count > 0:
                slugs = [self.home.slugs[device] for device in self.random.sample(self.speakers, 2 * min(width, count))]
                ids = [self.home.send(slugs[index], "cmd/announce", {"file": "clips/bell.wav", "targets": slugs[index:index + 2]})
                       for index in range(0, len(slugs), 2)]
                count -= len(ids)
                self.home.await_final(ids)
                self.done["announcements"] += len(ids)
                for answers in map(self.home.final, ids):
                    media = [target["media"] for target in answers[0].get("data", {}).get("targets", {}).values()]
                    if [answer["code"] for answer in answers] != ["done"] or media != ["restored"] * 2:
                        failures.append(f"an announcement is answered {answers}")
        except Failure as failure:
            failures.append(f"{failure}")

    def reconnects(self, rounds):
        """Each device loses its link, one after the other; one in twenty is restarted instead."""
        devices = list(self.home.slugs)
        for _ in range(rounds):
            self.home.journal.entries()
            before, connected = self.home.metrics(), collections.Counter()
            restarted = set(self.random.sample(devices, max(1, len(devices) // 20)))
            for device in self.random.sample(devices, len(devices)):
                verb = {"do": "reboot", "seconds": 1} if device in restarted else {"do": "reset"}
                self.home.simulator.ask({"device": device, **verb})

            wait_for("all devices connected again", lambda: self.are_back(connected), self.home.bridge.process)
            for device in restarted:
                self.home.simulator.ask({"device": device, "do": "play", **self.home.films.item(self.turn)})
            grown = self.home.metrics()["cast_reconnects_total"] - before["cast_reconnects_total"]
            self.check(grown >= len(devices), f"{grown:.0f} reconnects of {len(devices)} links")
            self.done.update(reconnects=sum(connected.values()), restarts=len(restarted))
            self.home.settle()

    def are_back(self, connected):
        """Whether all devices are connected; counts the connections since the last call."""
        connected.update(entry["device"] for entry in self.home.journal.entries(b'"connect"') if entry["event"] == "connect")
        values = self.home.metrics()
        return len(connected) == len(self.home.slugs) == values["cast_connections"] == values["devices_online"]

    def outage(self, keepsStore):
        """The broker ends, with its store or killed without, devices change meanwhile, and it is there again; the number of these changes."""
        home = self.home
        home.broker.end(keepsStore)
        home.state_since = 0.0
        end, changes = time.monotonic() + self.random.uniform(0.5, 5), self.turn
        while time.monotonic() < end:
            self.change()
            time.sleep(PACE)
        home.broker = Mosquitto(home.directory)
        wait_for("the bridge at the new broker", lambda: home.state_since, home.bridge.process)
        self.done["outages"] += 1
        return (self.turn - changes) * len(self.crowd)

    def dropped(self):
        return self.home.metrics()["mqtt_dropped_total"]

    def tenth(self, number, shares):
        began = time.monotonic()
        self.statuses(*shares[:3])
        self.home.settle()
        changed = time.monotonic()
        self.reconnects(shares[3])
        connected = time.monotonic()
        dropped = self.dropped()
        self.check(dropped == self.lost, f"{dropped - self.lost} messages were dropped though the broker was there")
        most = self.outage(keepsStore=number % 2 == 1)
        settled = self.home.settle()
        self.lost = self.dropped()
        self.check(self.lost <= dropped + most, f"{self.lost - dropped} messages were dropped without a broker, of {most} events")
        values = self.home.rest(self.arguments.rest)
        with open(self.home.bridge.process.log_path, "rb") as file:
            lines = sum(1 for _ in file)
        seconds = [round(changed - began), round(connected - changed), round(time.monotonic() - connected)]
        self.record(part="tenth", number=number, seconds=seconds, **self.done, **values, log_lines=lines, settled_s=round(settled, 2))

    # MARK: Kills

    def life(self, number, kills_in_start):
        """Starts the bridge; it is killed so many times before it is ready, then looked at when all is right, and killed under load."""
        home, reach = self.home, self.reach
        for _ in range(kills_in_start):
            home.start()
            self.kill_within(reach)
            self.check(not home.damaged(), f"damaged state before life {number}")
        home.state_since, connected, began = 0.0, set(), time.monotonic()
        home.start()

        def is_ready():
            home.bridge.process.check()
            connected.update(entry["device"] for entry in home.journal.entries(b'"connect"') if entry["event"] == "connect")
            return len(connected) == len(home.slugs) and home.state_since

        self.loaded(is_ready)
        online = time.monotonic() - began
        self.reach = max(0.5, online)
        home.await_final(self.command(1))
        settled = home.settle()
        self.check(not home.damaged(), f"damaged state in life {number}")
        self.record(part="life", number=number, kills=self.done["kills"], online_s=round(online, 2), settled_s=round(settled, 2), **home.readings())
        self.kill_within(2)

    def kill_within(self, seconds):
        """The bridge is killed at a random moment of that time, whatever it does then."""
        process = self.home.bridge.process
        threading.Timer(self.random.uniform(0, seconds), process.child.kill).start()
        self.loaded(lambda: process.child.poll() is not None)
        process.end()
        self.done["kills"] += 1

    def loaded(self, isOver):
        """Changes and commands until the condition is true."""
        began, next_change = time.monotonic(), time.monotonic()
        while not isOver():
            if time.monotonic() >= next_change:
                next_change = time.monotonic() + PACE
                self.change()
                self.command(3)
            if time.monotonic() > began + 60:
                raise Failure(f"not online within a minute; the log ends:\n{self.home.bridge.process.log_end()}")
            time.sleep(0.005)

    # MARK: The whole

    def run(self):
        arguments, devices = self.arguments, len(self.home.slugs)
        parts = 10 if arguments.scale >= 0.1 else 2
        share = arguments.scale / parts
        shares = (round(STATUSES * devices * share / len(self.crowd) + 0.5), round(COMMANDS * devices * share + 0.5), round(ANNOUNCEMENTS * share + 0.5),
                  round(RECONNECTS * share + 0.5))
        self.home.start()
        wait_for("all devices online", lambda: self.home.state_since and not self.home.differences(), self.home.bridge.process)
        for number in range(1, parts + 1):
            self.tenth(number, shares)
        self.home.kill()
        self.done["kills"] += 1
        self.reach = 2.0
        for number in range(1, max(2, round(KILLS * arguments.scale / 2)) + 1):
            self.life(number, kills_in_start=1)
        self.home.start()
        wait_for("all devices online", lambda: self.home.state_since and not self.home.differences(), self.home.bridge.process)
        child = self.home.bridge.process.child
        child.terminate()
        self.check(child.wait(20) == 0, f"the bridge ends with status {child.returncode}")
        return self.judge()

    def judge(self):
        """Whether all was right; the bars are only for a whole run."""
        tenths = [line for line in self.log if line["part"] == "tenth"]
        lives = [line for line in self.log if line["part"] == "life"]
        over = [f"{name} {line[name]} after tenth {line['number']}, {tenths[0][name]} after the first" for line in tenths for name in JUDGED
                if line[name] > tenths[0][name] * (1 + BAR)]
        # How many timers fall together differs from rest to rest; one more that goes on firing is in all of them.
        first, later = tenths[0]["wake_ups"], statistics.mean(line["wake_ups"] for line in tenths[1:])
        over += [f"{later:.1f} wake-ups a second after later tenths, {first} after the first"] if later > first * (1 + BAR) else []
        over += [f"{name} {last:.0f} in the last lives, {first:.0f} in the first ones" for name, first, last in ends(lives) if last > first * (1 + BAR)]
        self.record(part="end", problems=self.problems, over=over, **self.done)
        print(table(tenths, lives, self.done))
        for line in self.problems + over:
            print(f"soak: {line}")
        return 1 if self.problems or (over and self.arguments.scale == 1) else 0


def ends(lives):
    """Each figure in the first and in the last tenth of the lives: medians, since each life was looked at after another load."""
    count = max(1, len(lives) // 10)
    return [(name, *(statistics.median(line[name] for line in part) for part in (lives[:count], lives[-count:]))) for name in JUDGED]


def table(tenths, lives, done):
    """The tables of docs/RELIABILITY.md."""
    lines = ["| After tenth | Statuses | Resident, anonymous, MiB | Descriptors | Threads | Tasks | Timers | Wake-ups a second | CPU, % of a core |",
             "|---|---|---|---|---|---|---|---|---|"]
    for line in tenths:
        lines.append(f"| {line['number']} | {line['statuses']} | {line['resident_kib'] / 1024:.1f}, {line['anonymous_kib'] / 1024:.1f} | {line['descriptors']} "
                     f"| {line['threads']} | {line['tasks']} | {line['timers']} | {line['wake_ups']:.0f} | {line['cpu_percent']:.2f} |")
    online = sorted(line["online_s"] for line in lives)
    lines += ["", f"All: {dict(done)}",
              f"All online after a kill: median {online[len(online) // 2]:.2f} s, at most {online[-1]:.2f} s in {len(online)} starts.",
              "First and last lives: " + "; ".join(f"{name} {first:.0f}, {last:.0f}" for name, first, last in ends(lives))]
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binaries", required=True)
    parser.add_argument("--tools", required=True, help="the folder of probe")
    parser.add_argument("--build", default="release", help="what the binaries are, in words")
    parser.add_argument("--scale", type=float, default=1, help="the share of the whole run, at most 1")
    parser.add_argument("--devices", type=int, default=500)
    parser.add_argument("--rest", type=float, help=f"for how many seconds it rests and wake-ups are counted; {REST} in a whole run, else 3")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--log", required=True, help="file for the samples, a line of JSON each")
    parser.add_argument("--picture", required=True, help="file for the curves, SVG")
    arguments = parser.parse_args()
    if not 0 < arguments.scale <= 1 or not 20 <= arguments.devices <= 1000 or (arguments.rest or 1) <= 0:
        parser.error("--scale is at most 1, --devices are 20 to 1000, --rest is above 0")
    arguments.rest = arguments.rest or (REST if arguments.scale == 1 else 3)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    log, status = [], 1
    with tempfile.TemporaryDirectory(prefix="cast2mqtt-soak-") as directory:
        try:
            soak = Soak(arguments, Home(os.path.abspath(arguments.binaries), arguments.devices, directory), log)
            soak.record(part="run", date=datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC"), build=arguments.build,
                        scale=arguments.scale, devices=arguments.devices, seed=arguments.seed)
            status = soak.run()
        except Failure as failure:
            print(f"soak: {failure}", file=sys.stderr)
        finally:
            Process.end_all()
    if any(line["part"] == "tenth" for line in log):
        with open(arguments.picture, "w", encoding="utf-8") as file:
            file.write(picture(log))
    return status


if __name__ == "__main__":
    sys.exit(main())
