"""What the tests of the page share: the browser, the simulator's control socket, and a runner that reports every failure."""

import contextlib
import hashlib
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import tempfile
import time
import traceback

from playwright.sync_api import expect, sync_playwright

import options

CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
LIMIT = 30.0
# A login computes scrypt, which takes seconds in a debug build on a busy machine.
expect.set_options(timeout=LIMIT * 1000)


class Simulator:
    """The simulated devices: acts on them, and reads what is true there."""

    def __init__(self, path):
        self.path = path

    def send(self, **request):
        with contextlib.closing(socket.socket(socket.AF_UNIX)) as connection:
            connection.connect(self.path)
            connection.sendall(json.dumps(request).encode() + b"\n")
            answer = b""
            while not answer.endswith(b"\n"):
                part = connection.recv(65536)
                if not part:
                    raise AssertionError(f"the simulator hung up on {request}")
                answer += part
        answer = json.loads(answer)
        assert answer["ok"], (request, answer)
        return answer

    def state(self, device):
        return self.send(device=device, do="state")["state"]

    def name(self, device):
        return next(entry["name"] for entry in self.send(do="list")["devices"] if entry["device"] == device)

    def play(self, device, **arguments):
        self.send(device=device, do="play", **arguments)

    def quiet(self):
        """Ends what every device plays, and gives them a known volume."""
        devices = [entry["device"] for entry in self.send(do="list")["devices"]]
        # A last command of the test before may still be under way, and it may also end an application first.
        until(lambda: all([self.quit(device) for device in devices]), "no device runs an application")
        for device in devices:
            self.send(device=device, do="volume", level=0.4, muted=False)

    def quit(self, device):
        """Ends what a device plays. Returns whether nothing was to end."""
        state = self.state(device)
        if not state.get("app_id") or state.get("is_idle_screen"):
            return True
        with contextlib.suppress(AssertionError):
            self.send(device=device, do="quit")
        return False


class Documents:
    """The documents of the bridge that the tests share."""

    def __init__(self, playwright, url, password):
        self.request = playwright.request.new_context(base_url=url)
        self.url = url
        self.password = password

    def read(self):
        answer = self.request.get("api/v1/state")
        if answer.status == 401 and self.password:
            self.request.post("api/v1/session", headers={"Origin": self.url.rstrip("/")}, data={"password": self.password})
            answer = self.request.get("api/v1/state")
        return answer.json()["documents"]

    def are_quiet(self, simulator):
        """Whether the bridge knows that no device plays, and their volumes: a page that is opened now shows nothing of the test before."""
        documents = self.read()
        slugs = {entry["name"]: entry["slug"] for entry in documents["bridge/devices"]}
        for entry in simulator.send(do="list")["devices"]:
            slug = slugs.get(entry["name"])
            if documents.get(f"{slug}/availability") != "online":
                continue
            state = documents[f"{slug}/state"]
            runs = state["app"]["id"] is not None and not state["app"]["idle_screen"]
            volume = round(simulator.state(entry["device"])["volume"] * 100)
            if runs or state["player"] in ("playing", "paused", "buffering", "loading") or state["volume"]["percent"] not in (None, volume):
                return False
        return True


class Bridge:
    """A bridge of a test's own on a port that stays the same: the test ends it and starts it again. It has no broker."""

    def __init__(self, program, password=None, address="127.0.0.1", configuration=None, **environment):
        """The environment holds further settings, without the prefix of their names: WEB_NAMES="cast.example.org". The configuration is a text in YAML."""
        self.program = program
        self.folder = tempfile.TemporaryDirectory(prefix="bridge-")
        self.log = self.folder.name + "/log"
        self.process = None
        with contextlib.closing(socket.socket()) as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}/"
        self.environment = {key: value for key, value in os.environ.items() if not key.startswith("CAST2MQTT_")} | {
            "CAST2MQTT_MQTT_HOST": "127.0.0.1", "CAST2MQTT_MQTT_PORT": "9", "CAST2MQTT_DISCOVERY_INTERFACES": "lo",
            "CAST2MQTT_STATE_DIRECTORY": self.folder.name + "/state", "CAST2MQTT_WEB_LISTEN": f"{address}:{self.port}"}
        self.environment |= {f"CAST2MQTT_{name}": value for name, value in environment.items()}
        if configuration:
            self.environment["CAST2MQTT_CONFIG"] = self.folder.name + "/cast2mqtt.yaml"
            with open(self.environment["CAST2MQTT_CONFIG"], "w", encoding="utf-8") as file:
                file.write(configuration)
        if password:
            self.environment["CAST2MQTT_WEB_PASSWORDS_ADMIN"] = hash_of(password)

    @property
    def link(self):
        """The address that signs in with the setup code, as the bridge prints it."""
        with open(self.environment["CAST2MQTT_STATE_DIRECTORY"] + "/setup-code", encoding="utf-8") as file:
            return f"{self.url}#code={file.read().strip()}"

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        if self.process:
            self.end(signal.SIGKILL)
        self.folder.cleanup()

    def start(self):
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen([self.program, "run"], env=self.environment, stdout=log, stderr=log)

        def answers():
            assert self.process.poll() is None, open(self.log).read()
            with contextlib.closing(socket.socket()) as connection:
                return connection.connect_ex(("127.0.0.1", self.port)) == 0

        until(answers, "the bridge listens")

    def end(self, how):
        self.process.send_signal(how)
        self.process.wait(30)
        self.process = None


@contextlib.contextmanager
def simulated(address_base, fleet=None, *arguments):
    """Other devices than those of all tests, announced on an interface on which the bridge of all tests does not look for devices.

    The fleet is that of a scenario; without one the arguments say which devices there are.
    """
    with tempfile.TemporaryDirectory(prefix="devices-") as folder:
        if fleet:
            # JSON is YAML.
            pathlib.Path(folder, "scenario.yaml").write_text(json.dumps({"fleet": fleet}))
            arguments = ("--scenario", folder + "/scenario.yaml", *arguments)
        log = pathlib.Path(folder, "log")
        with open(log, "wb") as output:
            process = subprocess.Popen(
                [pathlib.Path(options.program).with_name("cast-simulator"), "--interface", "net0", "--address-base", address_base,
                 "--control", folder + "/control", *arguments], stdout=output, stderr=output)

        def announced():
            assert process.poll() is None, log.read_text()
            return "ready" in log.read_text()

        try:
            until(announced, "the devices are announced")
            yield Simulator(folder + "/control")
        finally:
            process.terminate()
            process.wait(30)


class Hand:
    """A person's hand, which counts what it does in a task: at most five touches. Typing a text counts one, and so does a drag."""

    MOST = 5

    def __init__(self, task):
        self.task, self.touches = task, 0

    def __enter__(self):
        return self

    def __exit__(self, failure, *_):
        if failure is None:
            print(f"    {self.touches} touches: {self.task}", flush=True)
            assert self.touches <= self.MOST, f"{self.touches} touches: {self.task}"

    def tap(self, control):
        self.touches += 1
        control.click()

    def write(self, field, text):
        self.touches += 1
        field.fill(text)

    def choose(self, select, label):
        self.touches += 1
        select.select_option(label=label)

    def pick(self, chooser, file):
        """Touches a file where the phone shows its files."""
        self.touches += 1
        chooser.set_files(file)

    def drag(self, page, control, to):
        """Drags a control to the height of another one."""
        self.touches += 1
        start, end = control.bounding_box(), to.bounding_box()
        page.mouse.move(start["x"] + start["width"] / 2, start["y"] + start["height"] / 2)
        page.mouse.down()
        page.mouse.move(start["x"] + start["width"] / 2, end["y"] + end["height"] / 2, steps=8)
        page.mouse.up()


def hash_of(password):
    """The hash of a password for the configuration, of the least cost that the bridge takes: a debug build needs seconds for the usual one."""
    salt = bytes(16)
    key = hashlib.scrypt(password.encode(), salt=salt, n=1 << 14, r=1, p=1, dklen=32)
    return f"scrypt:{1 << 14}:1:1:{salt.hex()}:{key.hex()}"


def until(condition, what, limit=LIMIT):
    """Returns the first result of a condition that is true."""
    end = time.monotonic() + limit
    last = None
    while time.monotonic() < end:
        try:
            last = condition()
            if last:
                return last
        except (KeyError, IndexError, TypeError) as error:
            last = error
        time.sleep(0.05)
    raise AssertionError(f"not within {limit} s: {what}; last: {last!r}")


class Browser:
    """Pages of one Chromium. Whatever one writes to its console as an error, or throws, is a failure of the test."""

    def __init__(self, playwright, url, password=None):
        self.chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--host-resolver-rules=MAP cast.example.org 127.0.0.1"])
        self.url = url
        self.password = password
        self.problems = []
        self.contexts = []

    def context(self, width=1280, height=800, introduced=True, init=None, **options):
        context = self.chromium.new_context(viewport={"width": width, "height": height}, **options)
        if introduced:
            context.add_init_script("try { localStorage.setItem('introduced', 'yes') } catch {}")
        if init:
            context.add_init_script(init)
        self.contexts.append(context)
        return context

    def page(self, path="", context=None, url=None, signs_in=True, **options):
        context = context or self.context(**options)
        page = context.new_page()
        page.set_default_timeout(LIMIT * 1000)
        page.on("pageerror", lambda error: self.problems.append(f"exception: {error}"))
        page.on("console", lambda message: self.note(message))
        page.goto((url or self.url) + path)
        if self.password and signs_in:
            content = ".bar cast-button, mini-controller, wall-panel"
            page.locator(f"login-view, {content}").first.wait_for()
            if page.locator("login-view").count() > 0:
                page.get_by_label(re.compile("Password|Passwort")).fill(self.password)
                page.keyboard.press("Enter")
                page.locator(content).first.wait_for()
        return page

    def note(self, message):
        # A refused command, a picture that is missing and a lost connection are shown on the page; Chromium writes them to the console as well.
        if message.type == "error" and "Failed to load resource" not in message.text:
            self.problems.append(f"console: {message.text}")

    def close(self):
        for context in self.contexts:
            context.unroute_all(behavior="ignoreErrors")
            context.close()
        self.contexts = []
        problems, self.problems = self.problems, []
        assert not problems, problems


def run(tests, url, control, chosen, password=None):
    """Runs tests, each a function of browser and simulator, and returns how many failed."""
    simulator = Simulator(control)
    failed = []
    with sync_playwright() as playwright:
        browser = Browser(playwright, url, password)
        documents = Documents(playwright, url, password)
        for test in tests:
            if chosen and not any(word in test.__name__ for word in chosen):
                continue
            started = time.monotonic()
            try:
                simulator.quiet()
                until(lambda: documents.are_quiet(simulator), "the bridge knows that nothing plays")
                test(browser, simulator)
                browser.close()
                print(f"passed {test.__name__} ({time.monotonic() - started:.1f} s)", flush=True)
            except Exception:  # noqa: BLE001 - every failure is reported, and the others still run
                failed.append(test.__name__)
                print(f"FAILED {test.__name__}\n{traceback.format_exc()}", flush=True)
                with contextlib.suppress(AssertionError):
                    browser.close()
        browser.chromium.close()
    print(f"{len(failed)} failed: {', '.join(failed)}" if failed else "all passed", flush=True)
    return len(failed)
