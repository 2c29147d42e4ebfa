"""Writes which functions of cast2mqtt are called in daily life, for the linker to lay them out in this order.

Run it through scripts/order-functions. The bridge lives under valgrind's callgrind, with simulated devices and a broker: it starts, statuses change,
commands come, nothing happens. What was called for statuses comes first, then what commands added, rest, and start; within each what takes most instructions.
"""

import argparse
import collections
import glob
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

from measure import Run
from processes import LIMIT, Failure, Process, Simulator
from subjects import Bridge

DEVICES = 4
# A line of costs in callgrind's format: position, then instructions.
COST = re.compile(r"(?:0x[0-9a-f]+|\d+) (\d+)")


class Recorder:
    """Tells callgrind to write what was called since the last time."""

    def __init__(self, process, path):
        self.process, self.path, self.known = process, path, set()

    def calls(self):
        """Instructions of each function of the program since the last call."""
        self.process.check()
        asked = subprocess.run(["callgrind_control", "--dump", str(self.process.pid)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if asked.returncode != 0:
            raise Failure(f"callgrind_control: {asked.stdout}")
        end = time.monotonic() + LIMIT
        while time.monotonic() < end:
            new = [path for path in set(glob.glob(self.path + ".*")) - self.known if self.is_complete(path)]
            if new:
                self.known.update(new)
                return instructions(new[0])
            time.sleep(0.1)
        raise Failure("callgrind writes nothing")

    @staticmethod
    def is_complete(path):
        with open(path) as file:
            return any(line.startswith("totals:") for line in file)


def instructions(path):
    """Instructions of each function of cast2mqtt itself in a file of callgrind."""
    result, program, function, is_call = collections.Counter(), False, None, False
    with open(path) as file:
        for line in file:
            if line.startswith("ob="):
                program = line.rstrip().endswith("/cast2mqtt")
            elif line.startswith("fn="):
                # A number behind an apostrophe tells levels of recursion apart.
                function = re.sub(r"'\d+$", "", line[3:].strip())
            elif line.startswith("calls="):
                is_call = True
            elif cost := COST.match(line):
                # The line behind a call is the cost of what was called.
                if program and not is_call:
                    result[function] += int(cost[1])
                is_call = False
    return result


def lived(tools, directory):
    """What was called in each part of a short life."""
    fleet = Simulator(tools["cast-simulator"], DEVICES, "127.77.7.1", directory)
    names = [device["name"] for device in fleet.ask({"do": "list"})["devices"]]
    bridge = Bridge(tools["cast2mqtt"], "basic", directory)
    record = os.path.join(directory, "calls")
    bridge.command = [
        "valgrind", "--quiet", "--tool=callgrind", "--demangle=no", "--compress-strings=no", "--compress-pos=no",
        f"--callgrind-out-file={record}", *bridge.command]
    run = Run(bridge, fleet, names, tools["probe"], directory)
    run.start()
    recorder = Recorder(bridge.process, record)
    run.learn()
    request(run)
    start = recorder.calls()
    run.bursts("playback", 40 * DEVICES)
    statuses = recorder.calls()
    request(run)
    run.command_latency(10 * DEVICES)
    commands = recorder.calls()
    time.sleep(15)
    rest = recorder.calls()
    run.stop()
    return [statuses, commands, rest, start]


def request(run):
    """What people and Home Assistant ask for."""
    for topic in run.subject.topics:
        for command in ("pause", "play", "volume_up", "volume_down"):
            run.probe.publish(f"cast2mqtt/{topic}/cmd/{command}", "")
        run.probe.publish(f"cast2mqtt/{topic}/get/state", "")
    run.probe.publish("cast2mqtt/bridge/request/snapshot", "{}")
    run.probe.publish("homeassistant/status", "online")
    run.probe.drain(2)


def ordered(parts):
    """All functions, each where it comes first."""
    result = {}
    for part in parts:
        for function, _ in part.most_common():
            # Addresses and "(below main)" are no symbols.
            if function and not function.startswith(("0x", "(")):
                result.setdefault(function)
    return list(result)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binaries", required=True, help="directory of cast2mqtt, with its symbols, and cast-simulator")
    parser.add_argument("--tools", required=True, help="directory of probe")
    parser.add_argument("--output", required=True, help="file of function names")
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    tools = {name: os.path.join(arguments.binaries, name) for name in ("cast2mqtt", "cast-simulator")}
    tools["probe"] = os.path.join(arguments.tools, "probe")
    with tempfile.TemporaryDirectory(prefix="cast2mqtt-order-") as directory:
        try:
            functions = ordered(lived(tools, directory))
        except Failure as failure:
            sys.exit(f"order-functions: {failure}")
        finally:
            Process.end_all()
    if len(functions) < 1000:
        sys.exit(f"order-functions: only {len(functions)} functions have names; cast2mqtt must not be stripped")
    with open(arguments.output, "w") as file:
        file.write("".join(function + "\n" for function in functions))
    print(f"{len(functions)} functions in {arguments.output}")


if __name__ == "__main__":
    main()
