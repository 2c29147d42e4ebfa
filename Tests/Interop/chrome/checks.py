"""Chromium's own Cast sender against the simulator, and beside the bridge. Everything is judged by the simulator's own state and journal, by the
broker's retained topics, and by what the page in the browser receives.

Usage: checks.py --binaries DIR [--without-bridge] [--minutes N] [--sabotage NAME] [CHECK …]; inside a network namespace with the interface cast0,
which has the addresses 10.9.0.2 to 10.9.0.9 (scripts/test-chrome makes it).

With --sabotage the named behaviour of the devices is broken, and the program succeeds when the named check fails.
"""

import argparse
import json
import pathlib
import queue
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent.parent / "Announcements"))
from house import House  # noqa: E402
from playwright.sync_api import sync_playwright  # noqa: E402
from sender import CLIENT, ECHO, ECHO_APP, PLAYER, Chrome, Failed, until  # noqa: E402

TELEVISION, SPEAKER, OTHER, GROUP = "sim-001", "sim-002", "sim-003", "group-001"
FILM = {
    "contentId": "http://media.example/film.mp4?duration=600&load_time=0", "contentType": "video/mp4", "streamType": "BUFFERED", "duration": 600,
    "metadata": {"metadataType": 1, "title": "A film from the browser"},
    "tracks": [{"trackId": number, "type": "TEXT", "subtype": "SUBTITLES", "trackContentType": "text/vtt", "name": name, "language": language,
                "trackContentId": f"http://media.example/{language}.vtt"} for number, name, language in ((1, "English", "en"), (2, "Deutsch", "de"))],
}


class Test:
    """The devices, the browser, and the bridge beside it, if it is there."""

    def __init__(self, driver, options, directory):
        self.driver = driver
        self.options = options
        self.directory = directory
        arguments = ["--address-base", "10.9.0.2", "--authentication-root", f"{directory}/root.pem"]
        for name in options.sabotage:
            arguments += ["--sabotage", name]
        self.house = House(
            options.binaries, devices=3, groups=1, interface="cast0", bridge=not options.without_bridge, arguments=arguments,
            environment={"CAST2MQTT_COMMANDS_CUSTOM_NAMESPACES": ECHO, "CAST2MQTT_AUTHENTICATION_MODE": "require", "CAST2MQTT_AUTHENTICATION_ROOTS_FILE": f"{directory}/root.pem"})
        self.chrome = Chrome(driver, directory, f"{directory}/root.pem")
        self.names = {entry["device"]: entry["name"] for entry in self.house.list()}

    def close(self):
        self.chrome.close()
        self.house.end()

    @property
    def has_bridge(self):
        return not self.options.without_bridge

    # What the devices know

    def state(self, device, /, **members):
        """Waits until the device's own state has these members."""
        found = {}

        def holds():
            found.update(self.house.state(device))
            return all(found.get(key) == value for key, value in members.items())

        try:
            self.chrome.until("", holds)
        except Failed:
            raise Failed(f"{device} has {members}: {({key: found.get(key) for key in members})}") from None
        return found

    def near(self, device, position):
        self.chrome.until(f"{device} plays at {position} s", lambda: abs(self.house.state(device).get("position", -9) - position) < 5)

    def journal(self, device):
        with open(self.house.journal, encoding="utf-8") as journal:
            return [entry for entry in map(json.loads, journal) if entry["device"] == device]

    # What the broker has

    def document(self, device, name):
        return json.loads(self.house.topics.get(f"cast2mqtt/{self.house.slug(device)}/{name}") or b"{}")

    def shows(self, device, name, /, **members):
        """Waits until a document of the bridge has these members."""
        if self.has_bridge:
            found = {}

            def holds():
                found.clear()
                found.update(self.document(device, name))
                return all(found.get(key) == value for key, value in members.items())

            try:
                self.chrome.until("", holds)
            except Failed:
                raise Failed(f"{name} of {device} has {members}: {({key: found.get(key) for key in members})}") from None

    def sets(self, device, **properties):
        """Sets properties of a device over the bridge."""
        topic = f"cast2mqtt/{self.house.slug(device)}/cmd"
        self.house.client.publish(topic, json.dumps({"id": f"set {properties}", "cmd": "set", "args": properties}), qos=1)
        self.house.answers.setdefault(f"set {properties}", queue.Queue())
        answer = self.house.final(f"set {properties}")
        if answer["code"] != "done":
            raise Failed(f"set {properties}: {answer}")

    # What the page is told

    def media(self, what, holds):
        self.chrome.until(f"the page is told {what}: {self.chrome.media}", lambda: holds(self.chrome.media))

    def plays(self, device=TELEVISION, application=PLAYER):
        """Casts to the device and loads the film there."""
        session = self.chrome.cast(self.names[device], application)
        answer = self.chrome.request("LOAD", media=FILM, autoplay=True)
        if answer["type"] != "MEDIA_STATUS":
            raise Failed(f"LOAD is answered by {answer}")
        self.state(device, app_id=application, player="PLAYING", content_id=FILM["contentId"])
        self.shows(device, "state", player="playing")
        return session

    def ends(self, device=TELEVISION):
        self.chrome.stop(self.names[device])
        self.chrome.until(f"nothing plays on {device}", lambda: self.house.state(device).get("app_id") in (None, "E8C28D3C"))
        self.chrome.until(f"Chromium casts to {device} no more", lambda: not self.chrome.session(self.names[device]))


# ---- The devices alone ----------------------------------------------------------------------------------------------


def finds(test):
    """It finds every device and the group, and trusts their certificates."""
    test.chrome.until(f"Chromium lists all of {set(test.names.values())}: {test.chrome.names}", lambda: test.chrome.names == set(test.names.values()), 40)


def plays(test):
    """It launches, loads with subtitles, pauses, seeks, switches subtitles, sets the volume, inserts into the queue, skips, and ends."""
    chrome = test.chrome
    test.plays()
    chrome.media_request("PAUSE")
    test.state(TELEVISION, player="PAUSED")
    chrome.media_request("SEEK", currentTime=300)
    test.near(TELEVISION, 300)
    test.state(TELEVISION, player="PAUSED")
    chrome.media_request("EDIT_TRACKS_INFO", activeTrackIds=[2])
    test.state(TELEVISION, active_tracks=[2])
    chrome.media_request("PLAY")
    test.state(TELEVISION, player="PLAYING")
    chrome.request("SET_VOLUME", volume={"level": 0.25})
    chrome.until("the volume is 0.25", lambda: abs(test.house.state(TELEVISION)["volume"] - 0.25) < 0.01)
    chrome.request("SET_VOLUME", volume={"muted": True})
    test.state(TELEVISION, muted=True)
    chrome.request("SET_VOLUME", volume={"muted": False})
    second = {"media": FILM | {"contentId": "http://media.example/second.mp4?duration=60&load_time=0", "tracks": []}}
    chrome.media_request("QUEUE_INSERT", items=[second])
    test.state(TELEVISION, queue_length=2)
    chrome.media_request("QUEUE_UPDATE", jump=1)
    test.state(TELEVISION, content_id=second["media"]["contentId"])
    test.media("of the second item", lambda media: media.get("media", {}).get("contentId") == second["media"]["contentId"])
    chrome.media_request("STOP_MEDIA")
    test.state(TELEVISION, player="IDLE")
    test.ends()


def tells(test):
    """The page hears of what others do on the device: a pause, its position, the volume."""
    test.plays()
    test.house.send(device=TELEVISION, do="seek", position=200)
    test.media("that it plays at 200 s", lambda media: 195 < media.get("currentTime", 0) < 230)
    test.house.send(device=TELEVISION, do="pause")
    test.media("of the pause", lambda media: media.get("playerState") == "PAUSED" and 195 < media["currentTime"] < 240)
    test.house.send(device=TELEVISION, do="volume", level=0.6)
    test.chrome.until("the page is told the volume", lambda: any(
        abs(message["message"]["receiver"]["volume"]["level"] - 0.6) < 0.01 for message in test.chrome.of("update_session")))
    test.ends()


def echoes(test):
    """An application with a namespace of its own returns the page's messages, and the bridge relays them."""
    session = test.chrome.cast(test.names[SPEAKER], ECHO_APP)
    test.chrome.message(ECHO, session["sessionId"], json.dumps({"say": "from the page"}))

    def heard(text):
        return any(text in json.dumps(message) for message in test.chrome.of("app_message"))

    test.chrome.until("the echo of the page's message", lambda: heard("from the page"))
    if test.has_bridge:
        test.house.command(SPEAKER, "join")
        test.house.send(device=SPEAKER, do="say", namespace=ECHO, message={"say": "from the application"})
        test.chrome.until("the application's message at the page", lambda: heard("from the application"))
        test.chrome.until("and at the broker", lambda: any(
            topic.endswith(f"/ns/{ECHO}/recv") and b"from the application" in payload for topic, payload in test.house.topics.items()))
    test.ends(SPEAKER)


def stays(test):
    """The connection and the session live while nothing happens in them, and the position that the page knows is right."""
    test.plays()

    def ended():
        return sum(entry["event"] == "disconnect" for entry in test.journal(TELEVISION))

    before = ended()
    test.chrome.page.wait_for_timeout(20000)
    if ended() > before:
        raise Failed("the connection lives for 20 s")
    if not test.chrome.session(test.names[TELEVISION]) or test.chrome.of("closed") or test.chrome.of("terminated"):
        raise Failed("the session lives after 20 s")
    test.chrome.media_request("MEDIA_GET_STATUS")
    test.media("the position", lambda media: abs(media.get("currentTime", -9) - test.house.state(TELEVISION)["position"]) < 3)
    test.ends()


def mirrors(test):
    """It mirrors its tab: frames of the picture and the sound arrive without a gap until it is told to stop."""
    chrome = test.chrome
    chrome.mirror(test.names[TELEVISION])

    def frames():
        return {stream["type"]: stream["frames"] for stream in test.house.state(TELEVISION).get("mirrored", [])}

    chrome.until(f"frames arrive: {frames()}", lambda: min(frames().values(), default=0) > 30)
    end = time.monotonic() + test.options.seconds
    before = frames()
    while time.monotonic() < end:
        chrome.page.wait_for_timeout(2000)
        now = frames()
        if not now or not all(now[kind] > before[kind] for kind in before):
            raise Failed(f"frames go on: {before}, then {now}")
        before = now
    print(f"    {before}", flush=True)
    test.shows(TELEVISION, "app", name="Chrome Mirroring")
    if test.has_bridge:
        test.house.command(TELEVISION, "quit_app")
        chrome.until("the bridge ends the mirroring", lambda: not chrome.session(test.names[TELEVISION]))
    else:
        test.ends()


def casts_to_groups(test):
    """A group plays as one device."""
    test.plays(GROUP)
    test.chrome.media_request("PAUSE")
    test.state(GROUP, player="PAUSED")
    test.ends(GROUP)


def reloads(test):
    """The page is loaded again, and its tab is closed: what plays goes on, and can be ended."""
    session = test.plays()
    test.chrome.reload()
    test.state(TELEVISION, player="PLAYING", session_id=session["sessionId"])
    # Asked again, Chromium ends the session that it knows, and starts another.
    session = test.plays()
    test.chrome.media_request("PAUSE")
    test.state(TELEVISION, player="PAUSED")
    test.chrome.close_tab()
    test.chrome.page.wait_for_timeout(1000)
    test.state(TELEVISION, player="PAUSED", session_id=session["sessionId"])
    test.shows(TELEVISION, "state", player="paused")
    test.ends()


def survives(test):
    """A device that reboots, stops answering for 20 s, or moves while it casts is found and used again, by the bridge as well."""
    def plays_again():
        try:
            return bool(test.plays())
        except Failed:
            return False

    # Chromium heals a half-open connection, and one to a former address, without a word to the page.
    seconds = 60
    for fault in ({"do": "reboot", "seconds": 1}, {"do": "freeze"}, {"do": "move", "address": "10.9.0.9", "port": 0}):
        test.chrome.until(f"it plays before {fault}", plays_again, 120)
        test.house.send(device=TELEVISION, **fault)
        if fault["do"] == "freeze":
            test.chrome.page.wait_for_timeout(20000)
            test.house.send(device=TELEVISION, do="thaw")
        elif fault["do"] == "reboot":
            test.chrome.until(f"the page's session ends after {fault}", lambda: test.chrome.of("closed") or test.chrome.of("terminated"), seconds)
        test.chrome.until(f"Chromium lists it after {fault}: {test.chrome.sinks[-1]}", lambda: test.names[TELEVISION] in test.chrome.names, seconds)
        if test.has_bridge:
            availability = f"cast2mqtt/{test.house.slug(TELEVISION)}/availability"
            test.chrome.until("the bridge has it again", lambda: test.house.topics.get(availability) == b"online", seconds)
    test.chrome.until("it plays at the end", plays_again, 120)
    test.ends()


# ---- Beside the bridge ----------------------------------------------------------------------------------------------


def is_watched_without_a_trace(test):
    """The bridge shows what Chromium starts, and neither the device's other senders nor the page notice it."""
    test.plays()
    test.shows(TELEVISION, "media", title="A film from the browser", content_id=FILM["contentId"])
    test.chrome.page.wait_for_timeout(3000)
    session = test.house.state(TELEVISION)["session_id"]
    seen = [connection for connection in test.house.state(TELEVISION)["connections"] if connection["destination"] == session]
    strangers = [connection for connection in seen if connection["type"] != "invisible" and connection["source"] != CLIENT]
    # The browser has a weak connection of its own beside the page's.
    if not any(connection["type"] == "invisible" for connection in seen) or len([c for c in strangers if c["type"] == "strong"]) > 0:
        raise Failed(f"only the page has a strong connection to its session, and the bridge an invisible one: {seen}")
    received = test.chrome.page.evaluate("received")
    others = [message for message in received[[message["type"] for message in received].index("new_session"):] if message["type"] not in
              ("started", "receiver_action", "new_session", "update_session", "v2_message")]
    if others:
        raise Failed(f"the page hears of nothing else: {others}")
    test.ends()


def obeys_the_bridge(test):
    """What the bridge does reaches the device and the page: pause, seek, volume, a queue item."""
    test.plays()
    test.house.command(TELEVISION, "pause")
    test.state(TELEVISION, player="PAUSED")
    test.media("of the bridge's pause", lambda media: media.get("playerState") == "PAUSED")
    test.house.command(TELEVISION, "play")
    test.sets(TELEVISION, position=400)
    test.near(TELEVISION, 400)
    test.media("of the bridge's seek", lambda media: 395 < media.get("currentTime", 0) < 430)
    test.sets(TELEVISION, volume=40)
    test.chrome.until("the page is told the bridge's volume", lambda: any(
        abs(message["message"]["receiver"]["volume"]["level"] - 0.4) < 0.01 for message in test.chrome.of("update_session")))
    test.house.command(TELEVISION, "queue_insert", items=["http://media.example/third.mp4?duration=60"])
    test.state(TELEVISION, queue_length=2)
    test.media("of the bridge's item", lambda media: len(media.get("items", [])) == 2)
    test.ends()


def is_taken_over(test):
    """The bridge starts another application over what Chromium plays, and Chromium its own over that."""
    test.plays()
    test.house.command(TELEVISION, "launch", app=ECHO_APP)
    test.state(TELEVISION, app_id=ECHO_APP)
    test.chrome.until("the page's session ends", lambda: test.chrome.of("closed") or test.chrome.of("terminated"))
    test.plays()
    test.shows(TELEVISION, "media", title="A film from the browser")
    test.ends()


def is_moved(test):
    """The bridge moves what Chromium plays to another device, and back."""
    test.plays()
    test.house.command(TELEVISION, "transfer", to=test.house.slug(OTHER))
    test.state(OTHER, player="PLAYING", content_id=FILM["contentId"])
    test.chrome.until("the page's session ends", lambda: test.chrome.of("closed") or test.chrome.of("terminated"))
    test.house.command(OTHER, "transfer", to=test.house.slug(TELEVISION))
    test.state(TELEVISION, player="PLAYING", content_id=FILM["contentId"])
    test.chrome.until("Chromium knows that it plays there", lambda: test.chrome.session(test.names[TELEVISION]))
    test.ends()


def trusts_nobody_else(test):
    """With the root of another fleet neither Chromium nor a bridge with `require` takes a device."""
    other = pathlib.Path(test.directory) / "other"
    other.mkdir()
    house = House(test.options.binaries, devices=1, arguments=["--authentication-root", f"{other}/root.pem"], bridge=False, port=18998)
    house.end()
    stranger = Chrome(test.driver, other, f"{other}/root.pem")
    try:
        stranger.page.wait_for_timeout(15000)
        if stranger.names:
            raise Failed(f"Chromium lists no device with another root: {stranger.names}")
    finally:
        stranger.close()
    if test.has_bridge:
        test.house.stop()
        said = len(test.house.log("bridge"))
        test.house.environment["CAST2MQTT_AUTHENTICATION_ROOTS_FILE"] = f"{other}/root.pem"
        try:
            test.house.start(waits=False)
            test.chrome.until("the bridge says why", lambda: "genuine" in test.house.log("bridge")[said:], 40)
            test.chrome.until("no device is online for it", lambda: not any(entry["online"] for entry in test.house.devices()), 40)
            test.chrome.page.wait_for_timeout(3000)
            if any(entry["online"] for entry in test.house.devices()):
                raise Failed("no device comes online for a bridge with another root")
        finally:
            test.house.stop()
            test.house.environment["CAST2MQTT_AUTHENTICATION_ROOTS_FILE"] = f"{test.directory}/root.pem"
            test.house.start()


def warns_of_nothing(test):
    """Chromium's log has no complaint about a message of a device."""
    if test.chrome.warnings:
        raise Failed("\n".join(test.chrome.warnings[:5]))


ALONE = [finds, plays, tells, echoes, stays, mirrors, casts_to_groups, reloads, survives]
BESIDE = [is_watched_without_a_trace, obeys_the_bridge, is_taken_over, is_moved, trusts_nobody_else]
# What a minute is enough for.
QUICK = [finds, plays, mirrors, is_watched_without_a_trace, obeys_the_bridge, warns_of_nothing]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binaries", required=True)
    parser.add_argument("--without-bridge", action="store_true")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--seconds", type=float, default=6, help="how long it mirrors")
    parser.add_argument("--sabotage", action="append", default=[])
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    checks = ALONE + ([] if options.without_bridge else BESIDE) + [warns_of_nothing]
    if options.quick:
        checks = QUICK
    if options.sabotage and not options.names:
        parser.error("--sabotage needs the check that must fail")
    if options.names:
        unknown = set(options.names) - {check.__name__ for check in checks}
        if unknown:
            parser.error(f"no such check: {', '.join(sorted(unknown))}")
        checks = [check for check in checks if check.__name__ in options.names]
    failures = []
    with tempfile.TemporaryDirectory(prefix="chrome-") as directory, sync_playwright() as driver:
        test = Test(driver, options, directory)
        try:
            for check in checks:
                start = time.monotonic()
                try:
                    check(test)
                except (Failed, AssertionError) as failure:
                    failures.append(check.__name__)
                    print(f"failed: {check.__name__}: {failure}", flush=True)
                else:
                    print(f"passed: {check.__name__} ({time.monotonic() - start:.0f} s)", flush=True)
        finally:
            test.close()
    if options.sabotage:
        print(f"{', '.join(options.sabotage)}: {'noticed by ' + failures[0] if failures else 'NOT noticed'}")
        return not failures
    return len(failures) > 0


if __name__ == "__main__":
    sys.exit(main())
