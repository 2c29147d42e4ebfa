"""The machine on which the commands of the documents run."""

import contextlib
import encodings.idna  # noqa: F401 -- before its folder may be hidden
import http.server
import os
import pathlib
import pty
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import time

from rules import Kind

HERE = pathlib.Path(__file__).resolve().parent
# Addresses of the documents, all of this machine.
ADDRESSES = ["192.168.1.5", "192.168.1.10", "192.168.1.20"]
HOSTS = {"broker.lan": "127.0.0.1", "bridge.lan": "192.168.1.20", "media.lan": "192.168.1.5"}
PICTURE = b"\x89PNG\r\n\x1a\n" + bytes(64)
SONG = b"ID3\4" + bytes(6) + b"\xff\xfb\x90\0" + bytes(413)
FILM = b"\x1a\x45\xdf\xa3" + bytes(4096)

CONFIGURATION = """
mqtt: {{host: 127.0.0.1}}
discovery: {{interfaces: [lo]}}
web: {{listen: ["127.0.0.1:8099", "192.168.1.20:8099"], names: [bridge.lan], tokens: [{token}]}}
metrics: {{listen: ["127.0.0.1:9099"]}}
media: {{listen: ["127.0.0.1:8097"], folders: {{films: /srv}}}}
presets: {{Radio One: {{url: "http://192.168.1.5:8000/one.mkv"}}}}
"""


def run(*command, **options):
    return subprocess.run(command, check=True, capture_output=True, text=True, **options).stdout


class Media(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body, kind = (PICTURE, "image/png") if self.path.endswith(".png") else (FILM, "video/x-matroska")
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_HEAD = do_GET

    def log_message(self, *_):
        pass


class World:
    # How long a command may take, and how long one that goes on is watched: one that prints something, from then on.
    LIMIT = 60
    WATCHED, WATCHED_PRINTING = 4, 1

    def __init__(self, root, binaries):
        self.root = root
        self.is_root = bool(os.environ.get("COMMANDS_ROOT"))
        self.work = pathlib.Path(tempfile.mkdtemp(prefix="documents."))
        self.work.chmod(0o755)
        self.source, self.home = self.work / "source", self.work / "home"
        self.etc, self.bin = self.work / "etc", self.work / "bin"
        self.children, self.staying, self.document = [], [], None
        for folder in [self.bin, self.work / "tmp"]:
            folder.mkdir()
        (self.work / "tmp").chmod(0o1777)
        for program in ["cast2mqtt", "cast-simulator"]:
            shutil.copy(binaries / program, self.bin)
        for stand_in in (HERE / "stand-ins").iterdir():
            shutil.copy(stand_in, self.bin)
        self.environment = {
            "PATH": f"{self.bin}:{os.environ['PATH']}:/usr/sbin:/sbin", "HOME": str(self.home), "SOURCE": str(self.source), "LANG": "C.UTF-8",
        }

    # ---- Begin and end

    def __enter__(self):
        try:
            self.begin()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for child in [*self.staying, *self.children]:
            self.end(child)
        # The mounts go with their namespace; only the folder below them is ours to remove.
        shutil.rmtree(self.work, ignore_errors=True)

    def begin(self):
        run("mount", "--make-rprivate", "/")
        for folder in ["/root", "/run", "/var/lib"]:
            run("mount", "-t", "tmpfs", "-o", "mode=755", "tmpfs", folder)
        run("ip", "link", "set", "lo", "up", "multicast", "on")
        for address in ADDRESSES:
            run("ip", "addr", "add", f"{address}/32", "dev", "lo")
        # The network of the simulator's document, whose devices would be found twice.
        self.other_network = self.start("unshare", "-n", "sleep", "infinity")
        threading.Thread(target=http.server.ThreadingHTTPServer(("192.168.1.5", 8000), Media).serve_forever, daemon=True).start()

        (self.work / "song.mp3").write_bytes(SONG)
        (self.work / "mosquitto.conf").write_text("user root\nallow_anonymous true\nlistener 1883 0.0.0.0\nlistener 18830 0.0.0.0\n")
        self.start("mosquitto", "-c", str(self.work / "mosquitto.conf"))
        scenario = self.work / "scenario"
        scenario.write_text("".join(
            f'{{"at":0,"device":"{device}","do":"play","title":"A film","duration":5400,"url":"http://192.168.1.5:8000/film.mkv",'
            '"metadata":{"metadataType":1,"images":[{"url":"http://192.168.1.5:8000/cover.png"}]}}\n'
            for device in ["sim-001", "sim-004"]))
        self.start("cast-simulator", "--devices", "4", "--groups", "1", "--interface", "lo", "--scenario", str(scenario))
        pathlib.Path("/run/cast2mqtt").mkdir()
        self.configuration = CONFIGURATION.format(token=self.make_token())
        (self.work / "configuration.yaml").write_text(self.configuration)
        self.start("cast2mqtt", "run", "--config", str(self.work / "configuration.yaml"), STATE_DIRECTORY=str(self.work / "state"),
                   RUNTIME_DIRECTORY="/run/cast2mqtt")
        self.answers = self.work / "answers"
        with self.answers.open("w") as file:
            self.start("mosquitto_sub", "-t", "cast2mqtt/+/response/#", "-t", "cast2mqtt/bridge/event", "-v", output=file)
        self.settle()

    def make_token(self):
        """The token of the documents' commands, and the entry that the configuration has of it."""
        output = subprocess.run([self.bin / "cast2mqtt", "make-token", "me", "--role", "admin"], check=True, capture_output=True, text=True)
        text = output.stdout + output.stderr
        self.token = re.search(r"c2m_\S+", text)[0]
        return re.search(r"- (\{.*\})", text)[1]

    def settle(self):
        """Waits until all devices are online, and makes one of them the documents' living room with a queue."""
        deadline = time.monotonic() + 60
        online = ["mosquitto_sub", "-t", "cast2mqtt/+/availability", "--retained-only", "-W", "1", "-v"]
        while subprocess.run(online, capture_output=True, text=True).stdout.count(" online") < 5:
            if time.monotonic() > deadline:
                raise SystemExit("the simulated devices are not online")
        self.ask("bridge/request/device/rename", '{"device":"living-room-simulated","slug":"living-room"}')
        self.ask("bridge/request/device/options", '{"device":"studio-simulated","aliases":["kitchen"]}')
        self.play_queue()

    def play_queue(self):
        """Plays the documents' queue in their living room, in the place of what a command before has loaded."""
        items = ",".join(
            f'{{"url":"http://192.168.1.5:8000/{n}.mkv","title":"{n}","image":"http://192.168.1.5:8000/{n}.png"}}' for n in range(8))
        # An announcement of the document before may still give back what it interrupted.
        for attempt in range(20):
            answer = self.answer("living-room/cmd/queue_load", f'{{"items":[{items}]}}')
            if '"code":"done"' in answer:
                break
            time.sleep(1)
        else:
            raise SystemExit(f"the queue does not play: {answer}")
        # The bridge reads the items after the load.
        read = ["mosquitto_sub", "-t", "cast2mqtt/living-room/queue", "-C", "1", "-W", "2"]
        deadline = time.monotonic() + 30
        while '"item":7,' not in subprocess.run(read, capture_output=True, text=True).stdout:
            if time.monotonic() > deadline:
                raise SystemExit("the bridge does not show the queue")

    def cause_events(self):
        """Lets the living room have another item, and the bridge another level of its log."""
        before = self.answers.read_text().count("cast2mqtt/bridge/event ")
        self.play_queue()
        for level in ["info", "warning"]:
            self.ask("bridge/request/log_level", f'{{"publish":"{level}"}}')
        time.sleep(1)
        if self.answers.read_text().count("cast2mqtt/bridge/event ") < before + 2:
            raise SystemExit("the bridge has no event of its level")

    def answer(self, topic, payload):
        return run("mosquitto_rr", "-t", f"cast2mqtt/{topic}", "-e", "cast2mqtt/client/me", "-m", payload, "-W", "30")

    def ask(self, topic, payload):
        answer = self.answer(topic, payload)
        if '"code":"done"' not in answer:
            raise SystemExit(f"{topic}: {answer}")

    def start(self, *command, output=subprocess.DEVNULL, **environment):
        child = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=output, stderr=None if os.environ.get("VERBOSE") else subprocess.DEVNULL,
            env=self.environment | environment, start_new_session=True)
        self.children.append(child)
        return child

    @staticmethod
    def end(child):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
        child.wait()

    # ---- Documents

    def enter(self, file):
        """Begins a document: with a fresh copy of the source, of /etc and of what the bridge remembers."""
        for child in self.staying:
            self.end(child)
        self.staying, self.document, self.folder = [], file, self.source
        subprocess.run(["umount", "/etc"], capture_output=True)
        for folder in [self.source, self.home, self.etc]:
            shutil.rmtree(folder, ignore_errors=True)
        self.source.mkdir()
        for name in run("git", "-C", str(self.root), "ls-files", "config", "docker", "docs", "scripts", "Makefile", "README.md").split():
            (self.source / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(self.root / name, self.source / name)
        (self.home / "certificates").mkdir(parents=True)
        for name in ["ca.crt", "bridge.crt", "bridge.key"]:
            (self.home / "certificates" / name).touch()
        # An ordinary user can't read all of it.
        subprocess.run(["cp", "-a", "/etc", str(self.etc)], capture_output=True)
        run("mount", "--bind", str(self.etc), "/etc")
        with open("/etc/hosts", "a") as hosts:
            hosts.writelines(f"{address} {name}\n" for name, address in HOSTS.items())
        pathlib.Path("/etc/cast2mqtt").mkdir(exist_ok=True)
        pathlib.Path("/etc/cast2mqtt/cast2mqtt.yaml").write_text(self.configuration)
        for folder in ["/etc/mosquitto/certs", "/etc/mosquitto/conf.d", "/var/lib/cast2mqtt", "/root/backup"]:
            pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
        shutil.copy(self.work / "state" / "devices.jsonl", "/var/lib/cast2mqtt")
        for unit in ["cast2mqtt.service", "cast2mqtt@.service"]:
            shutil.copy(self.source / "config" / "systemd" / unit, "/etc/systemd/system")
        if self.is_root and file != "docs/SOURCE.md":
            run("useradd", "--system", "--user-group", "--no-create-home", "cast2mqtt")
            run("chown", "-R", "cast2mqtt:", "/var/lib/cast2mqtt")

    # ---- Commands

    def perform(self, one, rule):
        """Returns what was done with a command, and what was wrong with it."""
        if one.file != self.document:
            self.enter(one.file)
        if rule.kind is Kind.LEFT or rule.needs_root and not self.is_root:
            rule.reason = rule.reason or "needs root"
            return Kind.LEFT, None
        if rule.kind is Kind.CHECKED:
            return rule.kind, self.check(one.text)
        if rule.needs_queue:
            self.play_queue()
        text = one.text.replace("TOKEN", self.token).replace("PASSWORD", "secret").replace("/tmp/", f"{self.work}/tmp/")
        text = text.replace("@song.mp3", f"@{self.work}/song.mp3")
        # A bell of minutes would still ring in the documents after this one.
        text = re.sub(r"(bell|alarm)\.mp3", r"\1.mp3?duration=1", text)
        if one.file == "docs/SOURCE.md" and "useradd" in text:
            text += "; sudo chown -R cast2mqtt: /var/lib/cast2mqtt"
        return rule.kind, self.execute(text, rule, one)

    def check(self, text):
        """Targets of make exist, scripts and their options too."""
        command = re.split(r"\s+#|;|&&", text)[0]
        words = [word for word in command.split() if not re.match(r"\w+=", word)]
        if words[0] == "make":
            result = subprocess.run(["make", "-n", *words[1:]], cwd=self.root, capture_output=True, text=True)
            return result.stderr if result.returncode else None
        script = self.root / words[0]
        if not os.access(script, os.X_OK):
            return f"no program {words[0]}"
        usage = script.read_text()
        unknown = [word for word in words[1:] if word.startswith("--") and word.split("=")[0] not in usage]
        return f"unknown options {unknown}" if unknown and "swift test" not in usage else None

    def execute(self, text, rule, one):
        folder = pathlib.Path(rule.folder.replace("~", str(self.home))) if rule.folder else self.folder
        output = self.work / "output"
        where = self.work / "folder"
        script = f"set -o pipefail\n{text}\nstatus=$?\npwd >{where}\nexit $status\n"
        command = ["bash", "-c", script]
        if one.file == "docs/SIMULATOR.md":
            command = ["nsenter", "-t", str(self.other_network.pid), "-n", "sh", "-c", 'ip link set lo up multicast on; exec "$@"', "-", *command]
        answered = self.answers.stat().st_size
        main, side = pty.openpty() if rule.typed else (None, subprocess.DEVNULL)
        with output.open("w") as file:
            child = subprocess.Popen(
                command, cwd=folder, stdin=side, stdout=file, stderr=subprocess.STDOUT, env=self.environment, start_new_session=True)
        if rule.writes:
            time.sleep(1)
            self.cause_events()
        if rule.typed:
            os.close(side)
            threading.Thread(target=self.type, args=(main, rule.typed), daemon=True).start()
        is_printing = rule.streams and not (rule.is_quiet or rule.writes or rule.stays) and self.prints(child, output, rule)
        try:
            status = child.wait(self.WATCHED_PRINTING if is_printing else self.WATCHED if rule.streams else self.LIMIT)
        except subprocess.TimeoutExpired:
            status = 0 if rule.streams else None
        if rule.stays:
            self.staying.append(child)
        else:
            self.end(child)
        if main is not None:
            os.close(main)
        if not rule.folder and where.exists():
            self.folder = pathlib.Path(where.read_text().strip())
        if "config/debian/cast2mqtt.yaml /etc/cast2mqtt" in text:
            # With the broker that its reader has.
            pathlib.Path("/etc/cast2mqtt/cast2mqtt.yaml").write_text(self.configuration)
        shown = (self.folder / rule.writes if rule.writes else output).read_text(errors="replace")
        return self.judge(status, shown, answered, rule, one)

    def prints(self, child, output, rule):
        """Waits until a command that goes on has printed what it should."""
        end = time.monotonic() + self.LIMIT
        while child.poll() is None and time.monotonic() < end:
            text = output.read_text(errors="replace")
            if text.strip() and re.search(rule.prints or "", text):
                return True
            time.sleep(0.1)
        return False

    @staticmethod
    def type(terminal, text):
        """Line by line, because programs that ask for passwords discard what was typed before they asked."""
        with contextlib.suppress(OSError):
            for line in text.splitlines(keepends=True):
                time.sleep(0.5)
                os.write(terminal, line.encode())

    def judge(self, status, shown, answered, rule, one):
        if status not in rule.codes:
            return f"ended with {status}: {shown[-600:]}"
        if rule.streams and not rule.is_quiet and not shown.strip():
            return "printed nothing"
        if rule.prints and not re.search(rule.prints, shown):
            return f"printed {shown[-600:]}"
        if rule.never and re.search(rule.never, shown):
            return f"printed {shown[-600:]}, and must not print {rule.never}"
        missing = [line for line in one.output if one.file == "docs/SIMULATOR.md" and line.strip() and line not in shown]
        if missing:
            return f"printed {shown[-600:]}, not {missing}"
        if "mosquitto_pub" in one.text:
            time.sleep(1)
            with self.answers.open() as file:
                file.seek(answered)
                refused = re.search(r'.*"code":"(bad_payload|unknown_\w+|forbidden)".*', file.read())
            if refused:
                return f"was answered {refused[0]}"
        return None
