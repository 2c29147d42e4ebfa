"""What is measured, the same way for every program: it sees only messages at the broker, the simulator's journal and the kernel's counters."""

import math
import random
import time

from processes import FILM, Broker, Failure, Probe, track

PAUSE, PLAY, ITEM, VOLUME = "pause", "play", "item", "volume"
# The kinds of changes that are measured: each is what a device does in turn. A new item is the next title of a playing queue.
KINDS = {"playback": (PAUSE, PLAY), "item": (ITEM,)}
# Seconds between two changes of one device, so that no limit on messages a second is what is measured: four rounds of documents, one of which
# may be the queue's.
REST = 0.36


class Effort:
    """How often each thing is repeated, and for how long nothing happens when rest is measured. Latencies, commands and rest may
    be 0, which leaves them out."""

    def __init__(self, starts, latencies, commands, statuses, rest_seconds):
        self.starts, self.latencies, self.commands = starts, latencies, commands
        self.statuses, self.rest_seconds = statuses, rest_seconds


def percentile(values, share):
    values = sorted(values)
    return values[max(0, math.ceil(share * len(values)) - 1)]


def spread(values):
    return {"median": percentile(values, 0.5), "p99": percentile(values, 0.99), "count": len(values)}


class Run:
    """One program on one fleet, and the kinds of changes that it is measured with."""

    def __init__(self, subject, fleet, names, probe_program, directory, kinds=tuple(KINDS)):
        self.subject, self.fleet, self.directory, self.probe_program = subject, fleet, directory, probe_program
        self.kinds = kinds
        self.random = random.Random(1)
        self.level, self.track = 20, 0
        subject.bind(names)
        self.broker = self.probe = None

    @property
    def count(self):
        return len(self.fleet.names)

    # MARK: Start and end

    def start(self):
        """Starts the program at a broker that knows nothing; the seconds until the playing state of every device is there."""
        self.broker = Broker(self.directory)
        self.probe = Probe(self.probe_program, self.broker, self.subject.mark, self.directory)
        self.subject.start(self.broker)
        missing = set(range(self.count))

        def completes(message):
            if message.marked:
                missing.discard(self.subject.device_of(message))
            return not missing

        last = self.probe.until("the state of all devices", completes, self.subject.process)
        return (last.t_ns - self.subject.process.started_ns) / 1e9

    def stop(self):
        self.subject.stop()
        self.probe.end()
        self.broker.end()

    def starts(self, times):
        """As `start`, several times; the last one goes on."""
        seconds = []
        for turn in range(times):
            if turn:
                self.stop()
            seconds.append(self.start())
        return seconds

    def first_minutes(self):
        """After `start`: how often the program writes its state file in its first minute, and the CPU seconds of its second one."""
        self.wait(60)
        versions, before = self.subject.state_versions(), self.subject.process.cpu_ns()
        self.wait(120)
        return {"state_versions": versions, "cpu_s": (self.subject.process.cpu_ns() - before) / 1e9}

    def wait(self, age):
        """Waits until the program is this many seconds old, and takes its messages meanwhile: a full pipe would stop the probe."""
        while (left := self.subject.process.started_ns / 1e9 + age - time.monotonic()) > 0:
            self.subject.process.check()
            self.probe.read(min(left, 1))

    # MARK: What a status causes

    def own(self, message):
        """Device and the rest of the topic, when the message is one of the program's about a device."""
        device = self.subject.device_of(message) if message.kind == "M" else None
        return None if device is None else (device, message.topic.split("/", 2)[2])

    def learn(self):
        """Sets what each change makes the program publish: the rest of the topic and the size."""
        self.probe.drain(1)
        self.messages = {}
        # Each three times: what changes the first time only is not counted, nor what comes once by chance.
        for turn, change in [(turn, change) for kind in (*(KINDS[name] for name in self.kinds), (VOLUME,)) for turn in range(3) for change in kind]:
            self.change(0, change)
            seen = [(self.own(message), message.size) for message in self.probe.drain(REST)]
            topics = {topic[1]: size for topic, size in seen if topic and topic[0] == 0}
            former = self.messages.get(change, {}) if turn > 1 else topics
            self.messages[change] = {topic: size for topic, size in topics.items() if topic in former}
            if not self.messages[change]:
                raise Failure(f"{self.subject.name} publishes nothing after {change}")
        self.play_film()

    def change(self, device, change):
        """Lets the device change its status; returns the time at which it began to report it."""
        request = {"device": self.fleet.names[device], "do": change}
        if change == VOLUME:
            request["level"] = self.next_level() / 100
        elif change == ITEM:
            request |= {"do": "next", **self.next_track()}
        self.fleet.skip_journal()
        self.fleet.ask(request)
        return self.fleet.wait_journal(lambda entry: entry["event"] == "control" and entry["device"] == request["device"])["t_ns"]

    def next_level(self):
        self.level = 20 + (self.level - 20 + 7) % 60
        return self.level

    def next_track(self):
        self.track += 1
        return track(self.track)

    def title(self):
        """Of the last track."""
        return track(self.track)["title"]

    def play_film(self):
        """All devices play what pauses and resumptions were learnt with."""
        if "item" in self.kinds:
            self.fleet.play(FILM)
            self.probe.drain(1)

    def until_published(self, change, devices):
        """Waits for everything the change causes at these devices; the time of the last message."""
        missing = {(device, topic) for device in devices for topic in self.messages[change]}

        def completes(message):
            missing.discard(self.own(message))
            return not missing

        try:
            return self.probe.until(f"what {change} causes", completes, self.subject.process).t_ns
        except Failure as failure:
            raise Failure(f"{failure}\n{len(missing)} messages are missing, such as {sorted(missing)[:3]}") from None

    # MARK: Figures

    def status_latency(self, kind, times):
        """Milliseconds from a device's word to the last message it causes; the changes of a kind in turn, at devices in random order."""
        latencies, turns, changed = [], [0] * self.count, [0.0] * self.count
        for _ in range(times):
            device = self.rested(changed)
            change = KINDS[kind][turns[device] % len(KINDS[kind])]
            turns[device] += 1
            said = self.change(device, change)
            changed[device] = time.monotonic()
            latencies.append((self.until_published(change, [device]) - said) / 1e6)
            time.sleep(self.random.uniform(0.005, 0.02))
        for device in range(self.count):
            if turns[device] % len(KINDS[kind]):
                self.change(device, PLAY)
        self.probe.drain(0.3)
        return latencies

    def rested(self, changed):
        """Some device that changed long enough ago: the bridge publishes each document of a device at most four times a second."""
        while True:
            now = time.monotonic()
            devices = [device for device in range(self.count) if changed[device] + REST <= now]
            if devices:
                return self.random.choice(devices)
            time.sleep(max(0, min(changed) + REST - now))

    def command_latency(self, times):
        """Milliseconds from the publication of a volume to the arrival of the request at the device."""
        latencies = []
        for turn in range(times):
            latencies.append(self.command(turn % self.count))
            # Careful programs pace commands of one kind to one device.
            time.sleep(max(0.01, 0.15 / self.count))
        self.probe.drain(0.3)
        return latencies

    def command(self, device):
        """Gives the device a volume; the milliseconds from its publication to the arrival of the request."""
        self.fleet.skip_journal()
        self.probe.publish(self.subject.volume_topic(device), str(self.next_level()))
        sent = self.probe.until("the command to leave", lambda message: message.kind == "P", self.probe).t_ns
        request = self.fleet.wait_journal(
            lambda entry: entry["event"] == "message" and entry["device"] == self.fleet.names[device]
            and isinstance(entry["payload"], dict) and entry["payload"].get("type") == "SET_VOLUME")
        return (request["t_ns"] - sent) / 1e6

    def bursts(self, kind, statuses):
        """All devices change at once, again and again: milliseconds until the last message, and CPU microseconds per status."""
        times = []
        rounds = max(2, 2 * (statuses // self.count // 2))
        process = self.subject.process
        before = process.cpu_ns()
        for turn in range(rounds):
            item = self.next_track() if kind == "item" else {}
            answer = self.fleet.ask({"do": "burst", "change": kind, **item})
            if answer["done"] != self.count:
                raise Failure(f"only {answer['done']} of {self.count} devices changed")
            change = KINDS[kind][turn % len(KINDS[kind])]
            times.append((self.until_published(change, range(self.count)) - answer["t_ns"]) / 1e6)
            time.sleep(REST)
        return times, (process.cpu_ns() - before) / 1e3 / rounds / self.count

    def rest(self, seconds):
        """What is used while devices play and send nothing: percent of a core, and wake-ups per second."""
        process = self.subject.process
        cpu, switches, began = process.cpu_ns(), process.switches(), time.monotonic()
        time.sleep(seconds)
        elapsed = time.monotonic() - began
        # Threads that ended meanwhile take their count with them; what they did before must not be subtracted.
        woken = sum(count - switches.get(task, 0) for task, count in process.switches().items())
        return {"cpu_percent": (process.cpu_ns() - cpu) / 1e7 / elapsed, "wake_ups": woken / elapsed}

    def figures(self, effort):
        """Everything, on the program that runs."""
        figures = {}
        if effort.commands:
            figures["command_latency_ms"] = spread(self.command_latency(effort.commands))
        for kind in self.kinds:
            figures[kind] = of_kind = {}
            if effort.latencies:
                of_kind["status_latency_ms"] = spread(self.status_latency(kind, effort.latencies))
            times, of_kind["cpu_us_per_status"] = self.bursts(kind, effort.statuses)
            of_kind["burst_ms"] = spread(times)
        self.play_film()
        if effort.rest_seconds:
            figures["rest"] = self.rest(effort.rest_seconds)
        figures["memory_kib"] = self.subject.process.memory_kib()
        return figures
