"""Chromium as a Cast sender: Debian's browser with Google's own Media Router, driven over its DevTools protocol. It trusts the simulator's root
certificate (--cast-developer-certificate-path), needs a display (Xvfb; headless it has no Media Router), and looks for devices after a gesture of
the user, and not on `lo`.
"""

import contextlib
import http.server
import json
import os
import pathlib
import re
import subprocess
import threading
import time
import urllib.request

import playwright.sync_api

PLAYER, ECHO_APP, ECHO = "CC1AD845", "5A1D0001", "urn:x-cast:org.example.echo"
CLIENT = "page"
PAGE = """<!doctype html><title>A page that casts</title><button id="cast">Cast</button>
<script>
window.received = [];
cast.onclick = async () => {
  try {
    const request = new PresentationRequest([window.source]);
    window.connection = await request.start();
    connection.onmessage = event => received.push(JSON.parse(event.data));
    connection.onclose = event => received.push({ type: "closed", reason: event.reason });
    connection.onterminate = () => received.push({ type: "terminated" });
    received.push({ type: "started", id: connection.id });
  } catch (error) { received.push({ type: "failed", text: `${error}` }); }
};
let moved = 0;
setInterval(() => { document.body.style.background = `hsl(${moved++ % 360} 60% 60%)`; }, 40);
</script>"""


class Failed(Exception):
    """Something did not hold; the text says what."""


def until(what, holds, seconds=20, wait=lambda: time.sleep(0.1)):
    """Waits until `holds()` is true, and returns its value."""
    end = time.monotonic() + seconds
    while True:
        value = holds()
        if value:
            return value
        if time.monotonic() > end:
            raise Failed(what)
        wait()


class Page(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200 if self.path == "/" else 404)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        if self.path == "/":
            self.wfile.write(PAGE.encode())

    def log_message(self, *_):
        pass


class Chrome:
    """One browser with one tab that casts."""

    def __init__(self, driver, directory, root):
        self.directory = pathlib.Path(directory)
        self.programs = []
        self.number = 1
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.log = self.directory / f"chromium.log"
        reading, writing = os.pipe()
        self._start(["Xvfb", "-displayfd", str(writing), "-screen", "0", "1280x800x24", "-nolisten", "tcp"], self.directory / "xvfb.log", pass_fds=[writing])
        os.close(writing)
        with os.fdopen(reading) as numbers:
            display = numbers.readline().strip()
        profile = self.directory / f"profile"
        self._start(
            ["chromium", "--no-sandbox", "--no-first-run", "--no-default-browser-check", "--disable-gpu", f"--user-data-dir={profile}",
             "--remote-debugging-port=0", f"--cast-developer-certificate-path={root}", "--enable-logging=stderr", "--vmodule=*cast*=3,*media_router*=3",
             self.address],
            self.log, env={**os.environ, "DISPLAY": f":{display}", "HOME": str(self.directory)})
        port = until("Chromium listens for its driver", lambda: re.search(r"DevTools listening on ws://127.0.0.1:(\d+)/", self.log.read_text(errors="replace")), 60)[1]
        self.browser = driver.chromium.connect_over_cdp(f"http://127.0.0.1:{port}")
        self.page = self.browser.contexts[0].pages[0]
        self.sinks, self.issues = [], []
        self._attach()

    @property
    def address(self):
        return f"http://127.0.0.1:{self.server.server_port}/"

    def _start(self, command, log, **options):
        with open(log, "wb") as output:
            self.programs.append(subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT, **options))

    def _attach(self):
        self.page.goto(self.address)
        self.devtools = self.browser.contexts[0].new_cdp_session(self.page)
        self.devtools.on("Cast.sinksUpdated", lambda event: self.sinks.append(event["sinks"]))
        self.devtools.on("Cast.issueUpdated", lambda event: self.issues.append(event["issueMessage"]))
        self._search(PLAYER)
        # The first gesture of the user begins the search.
        self.page.mouse.click(2, 300)

    def _search(self, application):
        """Looks for devices that run this application, which the page's button then starts; another address than that ends the browser."""
        source = f"cast:{application}?clientId={CLIENT}"
        self.devtools.send("Cast.enable", {"presentationUrl": source})
        self.page.evaluate("source => { window.source = source; window.received.length = 0; }", source)

    def until(self, what, holds, seconds=20):
        """Like `until`, while the driver's events are received."""
        return until(what, holds, seconds, lambda: self.page.wait_for_timeout(100))

    # Devices

    @property
    def names(self):
        return {sink["name"] for sink in self.sinks[-1]} if self.sinks else set()

    def session(self, name):
        """What Chromium says it shows on a device; None when nothing."""
        return next((sink.get("session") for sink in self.sinks[-1] if sink["name"] == name), None)

    # The session

    def cast(self, name, application=PLAYER):
        """Starts an application, as the user does in the browser's dialog. Returns the session as the page gets it."""
        self.sinks.clear()
        self._search(application)
        self.until(f"Chromium lists {name} for {application}", lambda: name in self.names)
        self.devtools.send("Cast.setSinkToUse", {"sinkName": name})
        self.page.click("#cast")
        self.until(f"the session on {name}", lambda: self.of("new_session") or self.of("failed"))
        if self.of("failed"):
            raise Failed(f"Chromium starts {application} on {name}: {self.of('failed')[-1]['text']}")
        return self.of("new_session")[-1]["message"]

    def of(self, kind):
        return [message for message in self.page.evaluate("window.received") if message["type"] == kind]

    @property
    def media(self):
        """The newest status of the media; {} without one."""
        # A message without content confirms a request.
        contents = [message["message"] or {} for message in self.of("v2_message")]
        found = [status for content in contents if content.get("type") == "MEDIA_STATUS" for status in content["status"]]
        return found[-1] if found else {}

    def request(self, kind, **members):
        """Sends a request of the web sender, and returns its answer."""
        self.number += 1
        # Without the session's name, the browser does not answer and may end.
        self._send("v2_message", {"type": kind, "sessionId": self.of("new_session")[-1]["message"]["sessionId"], **members})
        number = self.number
        return self.until(f"an answer to {kind}", lambda: [m["message"] or {} for m in self.of("v2_message") if m.get("sequenceNumber") == number])[-1]

    def media_request(self, kind, **members):
        return self.request(kind, mediaSessionId=self.media["mediaSessionId"], **members)

    def message(self, namespace, session, text):
        self.number += 1
        self._send("app_message", {"namespaceName": namespace, "sessionId": session, "message": text})

    def _send(self, kind, message):
        # The browser ends when the number is a text.
        self.page.evaluate("message => connection.send(JSON.stringify(message))", {
            "type": kind, "message": message, "sequenceNumber": self.number, "timeoutMillis": 0, "clientId": CLIENT})

    def mirror(self, name):
        self.until(f"Chromium lists {name}", lambda: name in self.names)
        self.devtools.send("Cast.startTabMirroring", {"sinkName": name})

    def stop(self, name):
        self.devtools.send("Cast.stopCasting", {"sinkName": name})

    def reload(self):
        """Loads the page again, which forgets its session."""
        self._attach()

    def close_tab(self):
        old, self.page = self.page, self.browser.contexts[0].new_page()
        old.close()
        self._attach()

    def close(self):
        with contextlib.suppress(playwright.sync_api.Error):
            self.browser.close()
        for program in reversed(self.programs):
            program.terminate()
            program.wait()
        self.server.shutdown()

    @property
    def warnings(self):
        """Lines of its log about messages of devices that it could not use."""
        text = self.log.read_text(errors="replace")
        files = r"(cast_message|cast_internal_message|cast_session|cast_activity|app_activity|cast_media_controller|mirroring_activity)\w*\.cc"
        about = r"(?!SendCast|OnMirroringStats).*(nvalid|rror|nknown|ailed|nexpected|gnor)"
        return [line for line in text.splitlines() if re.search(rf":(WARNING|ERROR|VERBOSE\d):[^ ]*/{files}:\d+\] {about}", line)]
