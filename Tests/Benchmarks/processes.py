"""The programs that take part: how each is started, spoken to, looked at and ended."""

import contextlib
import ctypes
import json
import os
import select
import selectors
import socket
import struct
import subprocess
import time

# Opens the web page and its API.
TOKEN = "token-of-the-benchmarks"
LIMIT = 60  # seconds that anything that must happen may take


class Failure(Exception):
    """Something did not work; the benchmark has no result."""


class Process:
    """A child that is ended with us; what it writes goes to a log file."""

    running = []

    def __init__(self, name, command, directory, environment=None, talks=False):
        self.name = name
        self.log_path = os.path.join(directory, name + ".log")
        with open(self.log_path, "ab") as log:
            pipe = subprocess.PIPE
            self.started_ns = time.monotonic_ns()
            self.child = subprocess.Popen(
                command, stdin=pipe if talks else subprocess.DEVNULL, stdout=pipe if talks else log, stderr=log, env=environment)
        self.pid = self.child.pid
        Process.running.append(self)

    def check(self):
        if self.child.poll() is not None:
            raise Failure(f"{self.name} ended with status {self.child.returncode}; its log ends:\n{self.log_end()}")

    def log_end(self):
        with open(self.log_path, errors="replace") as log:
            return "".join(log.readlines()[-15:])

    def end(self):
        if self.child.poll() is None:
            self.child.terminate()
            try:
                self.child.wait(10)
            except subprocess.TimeoutExpired:
                self.child.kill()
                self.child.wait()
        for stream in (self.child.stdin, self.child.stdout):
            if stream:
                stream.close()
        if self in Process.running:
            Process.running.remove(self)

    @staticmethod
    def end_all():
        for process in reversed(list(Process.running)):
            process.end()

    # The kernel's figures about it.

    def cpu_ns(self):
        """CPU time of all its threads, ended ones included; the number is the kernel's name for this process's CPU clock."""
        return time.clock_gettime_ns((~self.pid << 3) | 2)

    def switches(self):
        """Voluntary context switches by thread: how often each went to sleep, and so was woken."""
        switches = {}
        for task in os.listdir(f"/proc/{self.pid}/task"):
            # A thread may end meanwhile.
            with contextlib.suppress(FileNotFoundError, ProcessLookupError), open(f"/proc/{self.pid}/task/{task}/status") as status:
                switches[task] = next(int(line.split()[1]) for line in status if line.startswith("voluntary_ctxt_switches"))
        return switches

    def memory_kib(self):
        with open(f"/proc/{self.pid}/smaps_rollup") as rollup:
            fields = dict(line.split(":") for line in rollup.readlines()[1:])
        return {name: int(fields[key].split()[0]) for name, key in (("resident", "Rss"), ("anonymous", "Anonymous"))}


class AnsweringProcess(Process):
    """A program that answers each line of its input with a line of JSON, and leaves when the input ends."""

    def __init__(self, name, command, directory):
        super().__init__(name, command, directory, talks=True)

    def request(self, words):
        self.child.stdin.write(words.encode() + b"\n")
        self.child.stdin.flush()
        line = self.child.stdout.readline() if select.select([self.child.stdout], [], [], LIMIT)[0] else b""
        try:
            return json.loads(line)
        except ValueError:
            raise Failure(f"{self.name}, asked to {words}, answers \"{line.decode().strip()}\"; its log ends:\n{self.log_end()}") from None

    def end(self):
        # The end of its input lets it leave politely.
        if self.child.poll() is None:
            self.child.stdin.close()
            try:
                self.child.wait(10)
            except subprocess.TimeoutExpired:
                pass  # then the hard way
        super().end()


class Replacements:
    """Counts the files that are put into a directory under their final name, as a state file that is rewritten and renamed."""

    # IN_MOVED_TO and IN_CREATE of <sys/inotify.h>. The kernel joins equal events that follow each other; a file is created between two renames.
    MOVED_TO, CREATED = 0x80, 0x100
    EVENT = struct.Struct("iIII")

    def __init__(self, directory):
        libc = ctypes.CDLL(None, use_errno=True)
        self.descriptor = libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        if self.descriptor < 0 or libc.inotify_add_watch(self.descriptor, directory.encode(), self.MOVED_TO | self.CREATED) < 0:
            raise Failure(f"{directory} cannot be watched: {os.strerror(ctypes.get_errno())}")

    def count(self):
        """How many since the last call."""
        total = 0
        while True:
            try:
                data = os.read(self.descriptor, 1 << 16)
            except BlockingIOError:
                return total
            while data:
                _, mask, _, name_length = self.EVENT.unpack_from(data)
                data = data[self.EVENT.size + name_length:]
                total += bool(mask & self.MOVED_TO)


def wait_for(what, condition, *processes):
    end = time.monotonic() + LIMIT
    while not condition():
        for process in processes:
            process.check()
        if time.monotonic() > end:
            logs = "\n".join(f"{process.name}:\n{process.log_end()}" for process in processes)
            raise Failure(f"waited {LIMIT} s for {what}\n{logs}")
        time.sleep(0.02)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Broker(Process):
    """A mosquitto with an empty store, on a free port unless one is given."""

    def __init__(self, directory, port=None):
        self.port = port or free_port()
        path = os.path.join(directory, "mosquitto.conf")
        with open(path, "w") as file:
            file.write(f"listener {self.port} 127.0.0.1\nallow_anonymous true\npersistence false\nset_tcp_nodelay true\n"
                       "max_queued_messages 0\nlog_type error\nlog_dest stderr\n")
            if os.geteuid() == 0:
                file.write("user root\n")
        program = next((path for path in ("/usr/sbin/mosquitto", "/usr/local/sbin/mosquitto") if os.access(path, os.X_OK)), "mosquitto")
        super().__init__("mosquitto", [program, "-c", path], directory)
        wait_for("mosquitto", self.answers, self)

    def answers(self):
        with socket.socket() as attempt:
            return attempt.connect_ex(("127.0.0.1", self.port)) == 0


class Message:
    __slots__ = ("kind", "t_ns", "size", "marked", "topic")

    def __init__(self, line):
        self.kind, t_ns, size, marked, self.topic = line.split(" ", 4)
        self.t_ns, self.size, self.marked = int(t_ns), int(size), marked == "1"


class Probe(Process):
    """The stop watch at the broker, see probe.c."""

    def __init__(self, program, broker, mark, directory):
        super().__init__("probe", [program, str(broker.port), mark], directory, talks=True)
        self.rest = b""
        self.selector = selectors.DefaultSelector()
        self.selector.register(self.child.stdout, selectors.EVENT_READ)
        os.set_blocking(self.child.stdout.fileno(), False)
        self.is_ready = False
        end = time.monotonic() + LIMIT
        while not self.is_ready:
            self.read(1)
            if time.monotonic() > end:
                raise Failure("the probe got no subscription")

    def read(self, seconds):
        """The received messages, waiting at most so long for the first."""
        if not self.selector.select(seconds):
            return []
        data = self.child.stdout.read()
        if not data:
            self.child.wait()
            self.check()
        *lines, self.rest = (self.rest + data).split(b"\n")
        self.is_ready = self.is_ready or b"R" in lines
        return [Message(line.decode()) for line in lines if line != b"R"]

    def drain(self, quiet=0.05):
        """Everything until nothing arrived for so long."""
        messages = []
        while more := self.read(quiet):
            messages += more
        return messages

    def publish(self, topic, payload):
        self.child.stdin.write(f"{topic} {payload}\n".encode())
        self.child.stdin.flush()

    def until(self, what, condition, process):
        """Reads until the condition is true for a message."""
        end = time.monotonic() + LIMIT
        while time.monotonic() < end:
            for message in self.read(0.2):
                if condition(message):
                    return message
            process.check()
        raise Failure(f"waited {LIMIT} s for {what}; {process.name}'s log ends:\n{process.log_end()}")


# A movie as applications describe one: its MEDIA_STATUS has 1 KB.
FILM = {
    "url": "http://192.168.1.5:8096/library/films/the-lighthouse-at-the-end-of-the-bay/master.m3u8", "title": "The lighthouse at the end of the bay",
    "duration": 36000, "content_type": "application/x-mpegURL",
    "metadata": {"metadataType": 1, "subtitle": "A film about weather, and the people who wait for it to pass", "studio": "Example Pictures",
                 "releaseDate": "2024-03-01",
                 "images": [{"url": f"http://192.168.1.5:8096/library/films/the-lighthouse/images/{size}/poster.jpg", "width": size,
                             "height": size * 3 // 2} for size in (320, 1280)]},
}


def track(number):
    """A title of a playing queue, as music services describe one. Every number gives another title, artist, image, length and content of the
    same size."""
    mark = f"{number % 10000:04}"
    return {
        "url": f"http://192.168.1.5:8096/library/music/songs-from-the-lighthouse/{mark}/stream.flac?session=8d4f3c2a",
        "title": f"The keeper's song, verse {mark}",
        "duration": 30000 + number % 10000, "content_type": "audio/flac",
        "metadata": {"metadataType": 3, "artist": f"The Weather Station Choir {mark}", "albumName": "Songs from the lighthouse at the end of the bay",
                     "albumArtist": "The Weather Station Choir", "releaseDate": "2024-03-01",
                     "images": [{"url": f"http://192.168.1.5:8096/library/music/songs-from-the-lighthouse/images/{mark}/{size}/cover.jpg",
                                 "width": size, "height": size} for size in (320, 1280)]},
    }


class Simulator(Process):
    """A fleet of simulated devices that play."""

    def __init__(self, program, count, address_base, directory, hides_queue=False, film=FILM, arguments=()):
        control, self.journal_path = os.path.join(directory, "control"), os.path.join(directory, "journal")
        command = [program, "--devices", str(count), "--seed", "7", "--answer-delay", "0", "--repeat-media", "--interface", "lo",
                   "--address-base", address_base, "--control", control, "--journal", self.journal_path, *arguments]
        super().__init__(f"cast-simulator-{address_base}", command, directory)
        wait_for("the simulator", lambda: "ready\n" in self.log_end(), self)
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(LIMIT)
        self.socket.connect(control)
        self.lines = self.socket.makefile("rb")
        self.journal = open(self.journal_path, "rb")
        self.rest, self.is_within_entry = b"", False
        devices = self.ask({"do": "list"})["devices"]
        self.names = [device["device"] for device in devices]
        self.addresses = [device["address"] for device in devices]
        self.endpoints = [f"{device['id']}@{device['address']}:{device['port']}" for device in devices]
        if hides_queue:
            self.ask({"device": "*", "do": "distort", "type": "MEDIA_STATUS", "remove": ["status.0.items"]})
        self.play(film)

    def play_again(self):
        """The film, with which every kind of change begins."""
        self.play(FILM)

    def play(self, item):
        """Every device plays this item, described with the arguments of `play`."""
        self.ask({"device": "*", "do": "play", **item})
        wait_for("playing devices", lambda: all(state["player"] == "PLAYING" for state in self.states()), self)

    def states(self):
        return self.ask({"device": "*", "do": "state"})["states"]

    def ask(self, request):
        self.socket.sendall(json.dumps(request).encode() + b"\n")
        answer = json.loads(self.lines.readline() or b"{}")
        if not answer.get("ok"):
            raise Failure(f"the simulator refuses {request}: {answer}")
        return answer

    def skip_journal(self):
        # The end may be in the middle of an entry: from the last byte on, what goes before the next new line is no entry.
        self.is_within_entry = self.journal.seek(0, os.SEEK_END) > 0
        self.journal.seek(-1 if self.is_within_entry else 0, os.SEEK_END)
        self.rest = b""

    def wait_journal(self, condition):
        """The first further entry of the journal that fits."""
        end = time.monotonic() + LIMIT
        while time.monotonic() < end:
            *lines, self.rest = (self.rest + self.journal.read()).split(b"\n")
            if self.is_within_entry and lines:
                del lines[0]
                self.is_within_entry = False
            for index, line in enumerate(lines):
                entry = json.loads(line)
                if condition(entry):
                    self.rest = b"\n".join(lines[index + 1:] + [self.rest])
                    return entry
            time.sleep(0.002)
        raise Failure("an entry is missing in the simulator's journal")
