"""What the web page costs the bridge: CPU with open pages, and memory. What it costs a browser is in browser.py."""

import hashlib
import os
import sys
import time

from measure import KINDS, Run, percentile
from processes import TOKEN, AnsweringProcess, Failure, Simulator, free_port
from subjects import Bridge

# Open pages in turn; no reader first, because the bridge goes on watching for a minute after the last reader.
PAGES = (0, 10, 100)
LINGER_SECONDS = 65
# Documents of a status, at least: fewer bytes show that a reader does not read.
STATUS_BYTES = 500


class WebEffort:
    """How many devices there are, how many statuses of each kind are reported to each number of pages, how often all of it is repeated, how
    many fresh browsers paint, how many statuses are timed on their way to the page, and for how many minutes a page stays open."""

    def __init__(self, devices, statuses, repeats, paints, latencies, minutes):
        self.devices, self.statuses, self.repeats = devices, statuses, repeats
        self.paints, self.latencies, self.minutes = paints, latencies, minutes


def web_bridge(tools, directory, name):
    """A bridge with the page, and its port."""
    port = free_port()
    return Bridge(tools["cast2mqtt"], "none", directory, name, {
        "CAST2MQTT_WEB_LISTEN": f"127.0.0.1:{port}", "CAST2MQTT_WEB_TOKENS": f"bench:admin:{hashlib.sha256(TOKEN.encode()).hexdigest()}"}), port


class Readers(AnsweringProcess):
    """Open pages that read everything, see readers.py."""

    def __init__(self, port, count, directory):
        program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "readers.py")
        super().__init__(f"{count}-readers", [sys.executable, program, str(port), str(count)], directory)
        # Snapshots of all devices.
        time.sleep(2)
        self.before = self.bytes()

    def bytes(self):
        answer = self.request("bytes")
        if answer["ended"]:
            raise Failure(f"{self.name}: {answer['ended']} streams were cut off")
        return answer["bytes"]

    def check(self, statuses):
        """Fails unless each of them got these statuses."""
        time.sleep(0.5)
        read = min(after - before for after, before in zip(self.bytes(), self.before))
        if read < statuses * STATUS_BYTES:
            raise Failure(f"{self.name}: one got {read} bytes of {statuses} statuses")


def costs(run, statuses):
    """CPU microseconds for each status of each kind."""
    result = {}
    for kind in KINDS:
        result[kind] = run.bursts(kind, statuses)[1]
        run.play_film()
    return result


def round_of_costs(tools, fleet, names, directory, effort, number):
    """Figures of a bridge without the page, and of one with it, one after the other."""
    figures = {"cpu_us_per_status": {}, "memory_kib": {}}
    port = None
    for name in ("off", "on"):
        if name == "on":
            bridge, port = web_bridge(tools, directory, f"page-on-{number}")
        else:
            bridge = Bridge(tools["cast2mqtt"], "none", directory, f"page-off-{number}")
        run = Run(bridge, fleet, names, tools["probe"], directory)
        try:
            run.start()
            run.learn()
            figures["cpu_us_per_status"][name] = costs(run, effort.statuses)
            figures["memory_kib"][name] = bridge.process.memory_kib()
            for count in PAGES[1:] if port else ():
                readers = Readers(port, count, directory)
                try:
                    figures["cpu_us_per_status"][str(count)] = costs(run, effort.statuses)
                    readers.check(len(KINDS) * effort.statuses)
                finally:
                    readers.end()
            if port and number == 0:
                time.sleep(LINGER_SECONDS)
                figures["memory_kib"]["left"] = bridge.process.memory_kib()
        finally:
            run.stop()
    return figures


def medians(rounds):
    """Of figures of equal shape, that of each place; where a round has none, of the others."""
    if not isinstance(rounds[0], dict):
        return percentile(rounds, 0.5)
    return {key: medians([figures[key] for figures in rounds if key in figures]) for key in rounds[0]}


def web_costs(tools, effort, address_base, directory):
    """What the page costs the bridge, and where there is a browser also what that takes."""
    # As in the comparison with other programs.
    fleet = Simulator(tools["cast-simulator"], effort.devices, address_base, directory, hides_queue=True)
    names = [device["name"] for device in fleet.ask({"do": "list"})["devices"]]
    try:
        rounds = []
        for number in range(effort.repeats):
            print(f"{effort.devices} devices: page, round {number + 1} of {effort.repeats}", file=sys.stderr)
            rounds.append(round_of_costs(tools, fleet, names, directory, effort, number))
        result = {"devices": effort.devices, "pages": PAGES[1:], "statuses": effort.statuses, "rounds": rounds} | medians(rounds)
        try:
            import browser
        except ImportError:
            print("bench: no playwright; nothing is measured in a browser", file=sys.stderr)
            return result
        if not browser.exists():
            print(f"bench: no {browser.CHROMIUM}; nothing is measured in a browser", file=sys.stderr)
            return result
        return result | browser.figures(tools, effort, fleet, names, directory)
    finally:
        fleet.end()
