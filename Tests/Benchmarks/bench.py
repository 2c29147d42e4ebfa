"""Measures cast2mqtt against the comparison program in C, what its page costs, and the library CastSender beside pychromecast.

Run it through scripts/bench, which builds what it needs.
"""

import argparse
import datetime
import json
import os
import random
import signal
import sys
import tempfile
import time

from library import LibraryEffort, compared_libraries
from measure import ITEM, KINDS, PAUSE, PLAY, VOLUME, Effort, Run, spread
from processes import Failure, Process, Simulator
from report import report
from scale import FLEETS, QUICK_FLEETS, curve, picture
from subjects import Bridge, Floor, Script, sizes
from traffic import broker_traffic
from web import WebEffort, web_costs

QUICK = {1: Effort(1, 10, 5, 20, 3), 10: Effort(1, 20, 10, 100, 3)}
FULL = {1: Effort(3, 60, 40, 60, 10), 10: Effort(3, 200, 60, 600, 20), 100: Effort(5, 400, 200, 4000, 60)}
# What a large fleet takes: start, bursts and memory alone, with `none` alone; a very large one, start and rest.
FULL |= {500: Effort(1, 0, 0, 4000, 0), 1000: Effort(1, 0, 0, 2000, 60)}
SPLITS = {500: ("none",)}
# The fleet whose first two minutes are measured, once with new devices and once with known ones.
FIRST_MINUTES = 500
# Each device takes a thread of pychromecast's.
SCRIPT_LIMIT = 100
WEB_QUICK, WEB_FULL = WebEffort(10, 40, 1, 3, 10, 0.5), WebEffort(100, 2000, 3, 15, 100, 10)
LIBRARY_QUICK, LIBRARY_FULL = LibraryEffort(10, 1, 2, 100), LibraryEffort(100, 7, 20, 500)


def measured(subject, fleet, names, tools, directory, effort, kinds=tuple(KINDS)):
    """Figures of one program on one fleet, and how its messages look."""
    print(f"{len(names)} devices: {subject.name}", file=sys.stderr)
    run = Run(subject, fleet, names, tools["probe"], directory, kinds)
    try:
        seconds = run.starts(effort.starts)
        run.learn()
        figures = run.figures(effort)
        figures["start_s"] = spread(seconds)
        figures["messages"] = run.messages
        figures["state_versions"] = subject.state_versions()
        return figures, run.messages
    finally:
        run.stop()


def floor_figures(messages, fleet, names, tools, directory, effort):
    """Figures of the comparison program with the messages of cast2mqtt: a process for each kind of change."""
    figures = {}
    for kind, changes in KINDS.items():
        own = messages[changes[-1]].values()
        floor = Floor(tools["floor"], f"C program, {len(own)} messages, {kind}", sizes(messages[VOLUME].values()), sizes(own), fleet.addresses, directory)
        own_effort = effort if not figures else Effort(1, effort.latencies, 0, effort.statuses, 0)
        # Only the process with the messages of the first kind counts for what has nothing to do with changes.
        figures = measured(floor, fleet, names, tools, directory, own_effort, (kind,))[0] | figures
    return figures


def without_rest(effort):
    return Effort(effort.starts, effort.latencies, effort.commands, effort.statuses, 0)


def address_base():
    """Where a fleet begins; random, since others may use the loopback interface too."""
    return f"127.{random.randrange(64, 250)}.{random.randrange(1, 250)}.1"


def first_minutes(run):
    """What the first two minutes cost with new devices, after `run` began, and with known ones; `run` begins again."""
    new = run.first_minutes()
    run.stop()
    run.start()
    known = run.first_minutes()
    return {"new_devices": new, "known_devices": known, "cpu_new_to_known": new["cpu_s"] / known["cpu_s"]}


def compared(count, effort, tools, directory):
    """All programs on a fleet of this size."""
    # As with music services: with a queue to be seen, some new items would cause a document more than others.
    fleet = Simulator(tools["cast-simulator"], count, address_base(), directory, hides_queue=True)
    names = [device["name"] for device in fleet.ask({"do": "list"})["devices"]]
    result = {"devices": count}
    try:
        if tools["python"] and count <= SCRIPT_LIMIT:
            script = Script(tools["python"], fleet.endpoints, directory)
            result["script"], _ = measured(script, fleet, names, tools, directory, effort)
        for split in SPLITS.get(count, ("none", "basic")):
            for name in ("peer", "cast2mqtt"):
                if tools[name] is None:
                    continue
                bridge = Bridge(tools[name], split, directory, name)
                first = Run(bridge, fleet, names, tools["probe"], directory)
                own = {"discovery_start_s": first.start()}
                own |= first_minutes(first) if count == FIRST_MINUTES else {}
                first.stop()
                figures, messages = measured(bridge, fleet, names, tools, directory, effort)
                result[f"{name}_{split}"] = figures | own
            result[f"floor_{split}"] = floor_figures(messages, fleet, names, tools, directory, effort if split == "none" else without_rest(effort))
            if split == "basic":
                result["floor_basic"]["rest"] = result["floor_none"].get("rest")
        # Without sizes the comparison program forwards statuses as they are, which shows their size.
        plain = Run(Floor(tools["floor"], "C program", "-", "0", fleet.addresses, directory), fleet, names, tools["probe"], directory)
        plain.start()
        plain.probe.drain(0.3)
        plain.change(0, PAUSE)
        result["status_bytes"] = plain.probe.drain(0.3)[0].size
        plain.stop()
        return result
    finally:
        fleet.end()


def in_directory(measure):
    """What `measure` gives, which gets a directory of its own; nothing that it started is left."""
    with tempfile.TemporaryDirectory(prefix="cast2mqtt-bench-") as directory:
        try:
            return measure(directory)
        finally:
            Process.end_all()


def load_average():
    with open("/proc/loadavg") as file:
        return file.read().split()[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binaries", required=True, help="directory of cast2mqtt, cast-simulator and bench-sessions")
    parser.add_argument("--peer", help="directory of another build of cast2mqtt, measured beside the first")
    parser.add_argument("--tools", required=True, help="directory of floor and probe")
    parser.add_argument("--python", help="interpreter that has pychromecast and paho-mqtt; without it nothing is measured of them")
    parser.add_argument("--build", default="release", help="what the binaries are, in a word")
    parser.add_argument("--output", required=True, help="JSON file for all figures")
    parser.add_argument("--quick", action="store_true", help="few devices and repetitions: shows that it works, measures little")
    parser.add_argument("--devices", type=int, choices=sorted(FULL), help="the comparison with a fleet of this size alone")
    parser.add_argument("--only", choices=("bridge", "library", "traffic", "web", "scale"),
                        help="one part: a comparison, what a device costs the broker, what the page costs, or how costs grow with the fleet")
    parser.add_argument("--picture", help="SVG file for the curves of --only scale")
    parser.add_argument("--minutes", type=float, help="for how long a page stays open")
    arguments = parser.parse_args()
    if arguments.devices and arguments.only != "bridge":
        parser.error("--devices is for --only bridge")
    if arguments.peer and arguments.only not in (None, "bridge"):
        parser.error("--peer is for the bridge")
    if arguments.minutes is not None and (arguments.only not in (None, "web") or arguments.minutes <= 0):
        parser.error("--minutes is for the page, and above 0")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    tools = {name: os.path.join(arguments.binaries, name) for name in ("cast2mqtt", "cast-simulator", "bench-sessions")}
    tools |= {name: os.path.join(arguments.tools, name) for name in ("floor", "probe")}
    tools["python"] = arguments.python
    tools["peer"] = arguments.peer and os.path.join(arguments.peer, "cast2mqtt")
    began, load = time.monotonic(), load_average()
    document = {"build": arguments.build, "load_before": load}
    try:
        if arguments.only in (None, "bridge"):
            efforts = QUICK if arguments.quick else FULL
            if arguments.devices:
                efforts = {arguments.devices: efforts.get(arguments.devices, FULL[arguments.devices])}
            document["results"] = [
                in_directory(lambda directory: compared(count, effort, tools, directory)) for count, effort in efforts.items()]
            document["status_bytes"] = document["results"][0]["status_bytes"]
        if arguments.only in (None, "traffic"):
            document["traffic"] = in_directory(lambda directory: broker_traffic(tools, address_base, directory))
        if arguments.only in (None, "web"):
            effort = WEB_QUICK if arguments.quick else WEB_FULL
            effort.minutes = arguments.minutes or effort.minutes
            document["web"] = in_directory(lambda directory: web_costs(tools, effort, address_base(), directory))
        if arguments.only == "scale":
            document["scale"] = []
            for count in QUICK_FLEETS if arguments.quick else FLEETS:
                document["scale"].append(in_directory(lambda directory: curve(count, tools, address_base(), directory, arguments.quick)))
                save(document, arguments.output)  # What a larger fleet fails with takes nothing of it.
            if arguments.picture:
                with open(arguments.picture, "w") as file:
                    file.write(picture(document["scale"]))
        if arguments.only in (None, "library"):
            effort = LIBRARY_QUICK if arguments.quick else LIBRARY_FULL
            document["library"] = in_directory(lambda directory: compared_libraries(tools, effort, address_base(), directory))
    except Failure as failure:
        print(f"bench: {failure}", file=sys.stderr)
        return 1
    document |= {
        "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC"), "load_after": load_average(),
        "seconds": time.monotonic() - began,
    }
    save(document, arguments.output)
    print(report(document))
    return 0


def save(document, path):
    with open(path, "w") as file:
        json.dump(document, file, indent=1)


if __name__ == "__main__":
    sys.exit(main())
